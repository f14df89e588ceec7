"""Columns that frames of this study have."""

COUNT_NAMES = [
    "dataset", "rate", "method", "training_set", "test_set", "sequence", "group", "block", "n_positions", "n_correct",
]  # fmt: skip
