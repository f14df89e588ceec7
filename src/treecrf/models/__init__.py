"""Labellers: one file each, all with the interface of `treecrf.models.base`."""

from treecrf._kernel_cache import kernel_cache

with kernel_cache():  # before any labeller imports them
    from treecrf.models import _bags, _conjunctions, _induction, _linear  # noqa: F401
