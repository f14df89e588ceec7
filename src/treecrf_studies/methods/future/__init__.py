"""Labellers that discover features of later observations."""
