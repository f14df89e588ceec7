"""Classifiers of single windows, from other libraries."""
