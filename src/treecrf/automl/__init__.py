"""Labelling of one file: candidates, cross-validation and choice of a labeller, its training, use and explanation."""
