"""Slices: the line that turns, its matching and its cost."""
