"""Chains that are linear in features of the window, given or induced."""

from treecrf.compiled.cache import kernel_cache

with kernel_cache():  # before any labeller imports them
    from treecrf.models.linear import _conjunction_kernels, _gain_kernels, _linear_kernels  # noqa: F401
