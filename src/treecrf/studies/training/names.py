"""Values that columns of this study's frames have."""

BETTER = "better"
"""Of `decoder`: the decoder that cross-validation prefers (table 3.5 shows one number)."""

UNPERTURBED = -1
"""Of `run`: the run that starts from no weights; the others hold their seed."""

AS_CHOSEN = "as chosen for each split"
"""Of `candidate`: for a method whose splits have one each, and not the same one."""

CHOICE, PEAK = "choice", "peak"
"""Of `stage`: after the chosen iteration, or after the one with the best accuracy on the test set."""

SEQUENCES, BLOCKS = "sequences", "blocks"
"""Of `valid_test`: what a test takes as independent."""

METHODS, TRAININGS = "methods", "these trainings"
"""Of `about`: what a test compares."""

PAIR = ("dataset", "decoder", "method", "other")
"""Columns that tell comparisons apart."""
