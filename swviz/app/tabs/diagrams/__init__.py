"""Diagrams: where data sets come from and what is in them."""
