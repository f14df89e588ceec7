"""Tests between methods, the deviance model, corrections, folds; nothing here knows a study."""
