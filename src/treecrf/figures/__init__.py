"""Figures: frames in, matplotlib figures out; one file per study."""
