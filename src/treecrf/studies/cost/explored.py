"""Results of the study of cost for the explorer (see `treecrf.studies.explored`): accuracy beside seconds, no tests."""

from __future__ import annotations

import pandas as pd

from treecrf.io.messages import counted
from treecrf.rendering.style import training_method_name
from treecrf.studies.cost.names import SAMPLING_NAMES
from treecrf.studies.cost.summary import reduce_sampling, reduce_windows
from treecrf.studies.explored import ACCURACY, SCORES, Frames, renamed, tidy

FRAMES = ("windows", "sampling")

TEST = "Nothing is tested: these are measurements of time, with one accuracy each."


def name_of(method: str) -> str:
    """What readers see of a method, or of TreeCRF with an option."""
    option, _, value = method.partition("=")
    return (
        f"TreeCRF, {SAMPLING_NAMES[option]} {value}".strip()
        if option in SAMPLING_NAMES
        else training_method_name(method)
    )


def scores(frames: Frames) -> pd.DataFrame:
    """By window, and with short cuts (data without windows measured have the latter alone)."""
    parts = []
    if len(frames.get("windows", ())):
        windows = reduce_windows(frames["windows"])
        parts.append(
            windows.assign(
                variant=[f"window of {counted(size, 'observation')}" for size in windows["window_size"]],
                cpu_seconds=windows["seconds_per_iteration"] * windows["n_iterations"],
                low=windows["accuracy"], high=windows["accuracy"],
            )
        )  # fmt: skip
    if len(frames.get("sampling", ())):
        sampling = reduce_sampling(frames["sampling"])
        value = sampling["value"].map("{:g}".format).mask(sampling["option"] == "none", "")
        parts.append(
            sampling.assign(
                method=sampling["option"] + "=" + value,
                variant="sampling and trimming",
                low=sampling["accuracy_low"], high=sampling["accuracy_high"],
            )
        )  # fmt: skip
    found = pd.concat(parts) if parts else pd.DataFrame()
    return tidy(renamed(found, {"accuracy": "value"}).assign(metric=ACCURACY), SCORES)
