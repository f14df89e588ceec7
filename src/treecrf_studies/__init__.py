"""The studies of the papers about conditional random fields of regression trees: data sets, methods, results and
pages.
"""
