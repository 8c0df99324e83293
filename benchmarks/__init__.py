"""Peers and swviz side by side, and the speed of everything else."""
