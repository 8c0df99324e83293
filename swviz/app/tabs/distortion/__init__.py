"""Distortion: what kernels do to the metric."""
