"""The same for windows with missing cells: instance weighting, surrogates, default direction."""
