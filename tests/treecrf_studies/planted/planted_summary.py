"""Summaries of the training study, worked by hand."""

import numpy as np
import pandas as pd


def outcome(dataset, method, decoder="better", choice=60.0, peak=None, peak_iteration=40, **values):
    """The rows of a method and decoder: the accuracy at the choice, and at other points some points more or less.

    `values` of its settings hold at all points, others at the choice.
    """
    facts = {
        "dataset": dataset,
        "stand_in": dataset in ("faq_perl", "faq_x", "faq_a"),
        "method": method,
        "decoder": decoder,
        "chosen_decoder": "viterbi" if decoder == "better" else decoder,
        "chosen_by": method,
        "held_out_accuracy": 60.0,
        "published": np.nan,
        "candidate": "variance=5",
        "quantity": "accuracy",
        "unit": "%",
    }
    facts |= {name: value for name, value in values.items() if name in facts}
    accuracies = {"choice": choice, "peak": choice + 1 if peak is None else peak}
    accuracies |= {"last": choice - 1, "highest": choice + 2}
    iterations = {"choice": 30, "peak": peak_iteration, "last": 50, "highest": peak_iteration}
    seconds = {"choice": 1.5, "peak": 2.5, "last": 3.5, "highest": np.nan}
    rows = [
        {
            "point": point,
            **dict.fromkeys(("value", "low", "high", "unperturbed"), accuracy),
            "sd": np.nan,
            "n": 1,
            **dict.fromkeys(("iteration", "iteration_low", "iteration_high"), iterations[point]),
            "cpu_seconds": seconds[point],
        }
        for point, accuracy in accuracies.items()
    ]
    assert set(values) <= {*facts, *rows[0]}
    rows[0] |= {name: value for name, value in values.items() if name not in facts}
    return pd.DataFrame(rows).assign(**facts)
