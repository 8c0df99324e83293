"""Learn: a machine that is trained while one looks."""
