"""Labellers, a folder for each family, all with the interface of `treecrf.models.base`."""
