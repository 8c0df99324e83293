"""The dashboard. Nothing in the library imports this package."""
