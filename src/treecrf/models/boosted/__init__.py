"""Chains and windows whose potentials are sums of regression trees."""
