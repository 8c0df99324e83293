"""Approximation: how many directions are enough."""
