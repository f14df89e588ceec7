"""Trees on windows with missing cells: instance weighting, surrogates, default direction."""
