"""Compilation of kernels, and the folder of their compiled forms."""
