"""Regression trees over windows and previous labels: columns, histograms, splits, growing, forest."""
