"""Results that give every claim about ensembles each of its verdicts."""

import pandas as pd

from treecrf.io.files import write_frame
from treecrf_studies.ensembles.generated import BOOSTED_NAMES

N_SAMPLES = 4
PUBLISHED = {"espboost": 0.02, "majority_vote_online": 0.02, "random_path": 0.11, "best_expert": 0.56, "descent": 0.02}


def losses(dataset, *pools, sticking=0, sle=0.5, stuck=0.4):
    """Plants table 1 of one set: `pools` have other losses than the published ones of ads1.

    Of each pool so many runs of SLE stick, with the loss `stuck`; the others have `sle`.
    """

    def plant(folder):
        rows = []
        for pool, changed in enumerate(pools):
            of_sle = [(stuck, 1)] * sticking + [(sle, 3)] * (N_SAMPLES - sticking)
            for sample, (loss, n_experts) in enumerate(of_sle):
                rows.append((pool, sample, "sle", loss, n_experts))
                rows += [(pool, sample, name, loss, None) for name, loss in (PUBLISHED | changed).items()]
        frame = pd.DataFrame(rows, columns=["pool", "sample", "method", "loss", "n_experts"]).assign(dataset=dataset)
        write_frame(frame, folder / "ensembles/losses.csv")

    return plant


def ads1(*pools):
    """Table 1 of ads1 on three pools."""
    return losses("ads1", *[*pools, *[{}] * 3][:3])


def ads2(boosted=0.22, voted=0.21, **sle):
    """Table 1 of ads2 on a pool."""
    others = {"random_path": 0.4, "best_expert": 0.4}
    return losses("ads2", {"espboost": boosted, "majority_vote_online": voted} | others, **sle)


def theorem(slack=0.0, difference=1e-8, otherwise=1e-8):
    """Plants both sides of theorem 3, and the equality on ads1 and on ads2, in two runs of which the second decides."""

    def plant(folder):
        rows = [("ads1", 0.5, 0.0), ("ads1", slack, difference), ("ads2", 0.5, 0.0), ("ads2", slack, otherwise)]
        others = {
            "pool": 0,
            "sample": 0,
            "chosen_rounds": 1,
            "n_rounds": 100,
            "first_share": 0.4,
            "correlation": 0.1,
            "first_loss": 0.2,
        }
        frame = pd.DataFrame(rows, columns=["dataset", "slack", "difference"]).assign(**others)
        write_frame(frame[BOOSTED_NAMES], folder / "ensembles/boosted.csv")

    return plant


_TOO_HIGH = {"espboost": 0.031, "majority_vote_online": 0.031}
_APART = {"espboost": 0.0206, "best_expert": 0.1}

COMBINED = {
    "E1": {"no_verdict": ads1({})},
    "E2": {"no_verdict": ads2(sticking=1, sle=0.23)},
    "E3": {
        "checked": theorem(),
        "partly": theorem(difference=2e-8),
        "not_replicated": theorem(slack=-1e-6, otherwise=2e-8),
    },
}
"""As `planted_verdicts.PLANTED`: the generators were fitted to table 1, so that there is no verdict on it."""

CHECKED = {
    "E1": {
        "replicated": ads1(
            {"espboost": 0.03, "majority_vote_online": 0.0295, "best_expert": 0.15}, {"random_path": 0.01}
        ),
        "partly": ads1(_TOO_HIGH),
        "not_replicated": ads1(_APART, _APART, _APART | {"espboost": 0.031}),
    },
    "E2": {
        "replicated": ads2(sticking=1, sle=0.23),
        "partly": ads2(sticking=2, sle=0.2),
        "not_replicated": ads2(boosted=0.45, voted=0.45, sticking=N_SAMPLES),
    },
}
"""What the checks would say of other data."""
