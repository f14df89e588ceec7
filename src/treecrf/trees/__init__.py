"""Regression trees over windows and previous labels: columns, histograms, splits, growing, forest."""

from treecrf.compiled.cache import kernel_cache

with kernel_cache():  # before anything else imports it
    from treecrf.trees import forest  # noqa: F401
