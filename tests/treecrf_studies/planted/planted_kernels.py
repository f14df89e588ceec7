"""Results that give every claim about kernels each of its verdicts."""

import pandas as pd
from planted_claims import plant

SETS = ("prosody", "protein", "nettalk", "hyphen", "ocr")
SOLVED = ("prosody", "hyphen")

UP, DOWN, SAME, WIDE = (1.0, 0.001, 0.2), (-1.0, 0.001, 0.2), (0.1, 0.9, 0.2), (0.1, 0.9, 0.6)
"""Points, p and half width of the 90 % interval of a method that is better, worse, equivalent, and not told apart."""


def compared(pairs, *outcomes, excess=2e-4):
    """Plants comparisons of `pairs` on every data set, set after set, and the dual's objective above the primal's.

    The last outcome holds for the rest. McNemar's p would decide otherwise.
    """

    def plant_all(folder):
        places = [(dataset, *pair) for dataset in SETS for pair in pairs]
        filled = [*outcomes, *[outcomes[-1]] * len(places)][: len(places)]
        rows = [(*place, *outcome) for place, outcome in zip(places, filled, strict=True)]
        frame = pd.DataFrame(rows, columns=["dataset", "method", "other", "value", "p_value", "half"])
        points, half = frame["value"], frame.pop("half")
        ends = {"low_90": points - half, "high_90": points + half, "low": points - 2, "high": points + 2}
        table = frame.assign(decision="undecided", margin=0.5, papers_p=0.5, **ends)
        for dataset, of_set in table.groupby("dataset", sort=False):
            plant(of_set, folder, "kernels", dataset, "comparisons")
        for dataset in SOLVED:
            plant(_solvers(dataset, excess), folder, "kernels", dataset, "solvers")

    return plant_all


def _solvers(dataset, excess):
    """The dual's objectives, and those of the primal with degree 1; with degree 2 they are far apart."""
    rows = [(1, "lbfgs_matrix", 0, 900.0), (1, "lbfgs_matrix", 9, 100 * (1 + excess)), (1, "crfsuite", -1, 100.0)]
    rows += [(1, "lbfgs", 9, 500.0), (2, "lbfgs_matrix", 9, 500.0), (2, "crfsuite", -1, 100.0)]
    return pd.DataFrame(rows, columns=["degree", "solver", "iteration", "objective"]).assign(dataset=dataset)


_PRIMAL, _DEGREES = [("dual", "primal")], [("degree_2", "degree_1"), ("degree_3", "degree_1")]

KERNEL = {
    "U1": {"no_verdict": compared(_PRIMAL, SAME)},
    "U2": {"no_verdict": compared(_DEGREES, UP)},
}
"""As `planted_verdicts.PLANTED`: the paper's data are lost, so that there is no verdict."""

CHECKED = {
    "U1": {
        "replicated": compared(_PRIMAL, SAME),
        "partly": compared(_PRIMAL, SAME, excess=2.1e-4),
        "not_replicated": compared(_PRIMAL, UP, excess=-2.1e-4),
        "undecided": compared(_PRIMAL, WIDE),
    },
    "U2": {
        "replicated": compared(_DEGREES, UP),
        "partly": compared(_DEGREES, *[UP] * 5, DOWN),
        "not_replicated": compared(_DEGREES, *[UP] * 4, DOWN),
        "undecided": compared(_DEGREES, WIDE),
    },
}
"""What the checks would say of other data."""
