"""How kernels are compiled, and where their compiled forms are kept."""
