"""Ensembles of labellers: votes and stacking on predictions, and a labeller that trains its experts."""
