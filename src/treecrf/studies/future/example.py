"""The example of section 5.1 of the dissertation: one direction is not enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf import chain
from treecrf.studies.framework.job_context import JobContext

STAY, MOVE = 0.9, 0.05
EMISSIONS = np.array([[0.45, 0.1, 0.45], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
"""P(e | l) of section 5.1's hidden Markov model, rows l1 to l3."""


def one_directional_example(job: JobContext[None]) -> pd.DataFrame:
    """Section 5.1: what each direction alone says about the second of three labels, and what both say.

    The observations are e1, e2, e3. What each direction says comes from `treecrf.chain`, run on a part of the sequence:
    on e1 and e2, and on a label drawn evenly that is followed by e3. alpha and beta are alpha_2 without the constant of
    the first label, and beta_2, beside those that the text prints; forward, backward and both are P(label | e1, e2),
    P(label | e3) and P(label | e1, e2, e3).
    """
    transitions = np.full((3, 3), MOVE) + np.eye(3) * (STAY - MOVE)
    marginals = {
        name: _marginals_of_second(observed, transitions)
        for name, observed in (("forward", (0, 1)), ("backward", (None, 2)), ("both", (0, 1, 2)))
    }
    return pd.DataFrame(
        {
            "label": ["l1", "l2", "l3"],
            "alpha": EMISSIONS[:, 1] * (EMISSIONS[:, 0] @ transitions),
            "beta": transitions @ EMISSIONS[:, 2],
            "published_alpha": [0.045, 0.07475, 0.01525],
            "published_beta": [0.45, 0.1525, 0.7475],
            **marginals,
        }
    )


def _marginals_of_second(observed: Sequence[int | None], transitions: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(second label of section 5.1 | what is observed); None: nothing is seen there."""
    potentials = np.zeros((3, len(observed), 4))  # the last state is START
    for t, symbol in enumerate(observed):
        seen = 0.0 if symbol is None else np.log(EMISSIONS[:, symbol])[:, None]
        potentials[:, t] = np.column_stack([np.log(transitions), np.full(3, -np.log(3.0))]) + seen
    found = chain.forward_backward(potentials, np.array([0, len(observed)]), 1).labels
    return found[0 if observed[0] is None else 1]
