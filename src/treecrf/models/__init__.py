"""Labellers: one file each, all with the interface of `treecrf.models.base`."""
