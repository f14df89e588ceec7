"""Labellers whose potentials are the outputs of a recurrent or convolutional network (JAX)."""
