"""python-crfsuite on the objective of our linear CRFs: what it reaches after each iteration, and when."""

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from treecrf.sequences import SequenceSet

VARIANCE = 10.0
"""Of the prior of all weights."""


def make_trainer(train: SequenceSet, items: Sequence) -> Any:
    """A trainer that has the sequences; an item has the features of a position."""
    import pycrfsuite

    names = [train.label_names[label] for label in train.labels]
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {
            "c2": 1 / (2 * VARIANCE),
            "max_iterations": 1000,
            "epsilon": 1e-9,
            "delta": 1e-7,
            "feature.possible_states": True,
            "feature.possible_transitions": True,
        }
    )
    for begin, end in zip(train.offsets[:-1], train.offsets[1:], strict=True):
        trainer.append(items[begin:end], names[begin:end])
    return trainer


def follow(trainer: Any) -> tuple[np.ndarray, np.ndarray]:
    """Objective and CPU seconds since the start of training, after each iteration."""
    logged = []
    trainer.message = logged.append
    trainer.train(os.devnull)
    text = "".join(logged)
    losses, seconds = (
        np.array([float(value) for value in re.findall(rf"{name}: ([\d.e+-]+)", text)])
        for name in ("Loss", "Seconds required for this iteration")
    )
    return losses, np.cumsum(seconds)
