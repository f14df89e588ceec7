"""Chains that are linear in features of the window, given or induced."""
