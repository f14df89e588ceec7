"""Labellers that discover features of later observations."""

from treecrf.compiled.cache import kernel_cache

with kernel_cache():  # before any labeller imports them
    from treecrf.models.future import _bag_kernels  # noqa: F401
