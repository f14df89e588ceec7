"""Tables of the study of output coding (M.S. thesis, chapter 5): text in cells."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from treecrf_studies.coding.methods import (
    BEAM,
    BEST,
    CASCADE,
    INDEPENDENT,
    LEARNERS,
    LINE,
    form_of,
    is_coded,
    method_text,
    method_texts,
    use_text,
    with_best,
)
from treecrf_studies.framework.comparisons import Comparison, correct_family, find_pair, pairs_layout
from treecrf_studies.framework.metrics import ACCURACY, OF_CHUNKS
from treecrf_studies.framework.tables import by_key
from treecrf_studies.rendering.cells import (
    DASH,
    cell_texts,
    deviation_texts,
    grouped,
    number,
    seconds_text,
    with_deviation,
)

CHOSEN = "◆"
"""After the accuracy of the history that held-out sequences prefer."""


def codes_layout(scores: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """Accuracy with the longest code, a row per data set, learner and window; marked: what held-out sequences
    prefer.
    """
    lines = scores[scores["quantity"] == ACCURACY]
    coded = lines[lines["method"].map(is_coded).astype(bool)]
    coded = coded[coded["size"] == coded.groupby(["dataset", "method", "window"])["size"].transform("max")]
    marked = {(row["dataset"], row["window"], row["method"]) for row in best.to_dict("records")}
    uses = list(dict.fromkeys(method.partition("_")[2] for method in coded["method"]))
    order = sorted(uses, key=lambda use: (_kind(use), _history(use)))
    rows = []
    for (dataset, window), group in coded.groupby(["dataset", "window"], sort=False):
        for learner in LEARNERS:
            codes = group[group["method"].str.startswith(f"{learner}_")].set_index("method")
            if codes.empty:
                continue
            cells = {
                method: with_deviation(row["value"], row["sd"], row["n"])
                + f" {CHOSEN}" * ((dataset, window, method) in marked)
                for method, row in codes.to_dict("index").items()
            }
            ids = {"data set": dataset, "learner": LEARNERS[learner], "window": str(window)}
            names = {f"{learner}_{use}": use_text(f"{learner}_{use}") for use in order}
            bits = {"bits": str(codes["size"].iloc[0])}
            rows.append(ids | bits | {name: cells.get(method, DASH) for method, name in names.items()})
    return pd.DataFrame(rows) if rows else pd.DataFrame({"data set": pd.Series(dtype=str)})


def _kind(use: str) -> int:
    return ["iid", INDEPENDENT, CASCADE].index(use.partition("_")[0])


def _history(use: str) -> float:
    last = use.rpartition("_")[2]
    return float(last) if last.isdigit() else float("inf")


def all_labels_layout(scores: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """Accuracy and CPU seconds of methods that learn all labels at once, beside the cascades and beams that were
    chosen.
    """
    lines = scores[scores["quantity"] == ACCURACY]
    whole = lines[[form_of(method) is None for method in lines["method"]]]
    chosen = lines.merge(best[["dataset", "method", "window", "size"]])
    rows = pd.concat([chosen, whole], ignore_index=True)
    rows = rows.sort_values(["dataset", "window"], kind="stable", key=lambda column: _places(column, lines))
    return pd.DataFrame(
        {
            "data set": rows["dataset"].to_list(),
            "window": rows["window"].astype(str).to_list(),
            "method": method_texts(rows["method"]),
            "accuracy (%)": deviation_texts(rows, "value", "sd", "n"),
            "CPU s": [seconds_text(value) if value > 0 else DASH for value in rows["cpu_seconds"]],
            "chosen by held-out sequences": [_chosen(row) for row in rows.to_dict("records")],
        }
    )


def _chosen(row: Mapping[Hashable, Any]) -> str:
    """What held-out sequences chose: a history, a beam, or settings."""
    form = form_of(row["method"])
    if form is not None:
        return f"h = {form.history}" if form.use == CASCADE else f"beam {row['size']}"
    return row["settings"] if isinstance(row["settings"], str) and row["settings"] else DASH


def _places(column: pd.Series, lines: pd.DataFrame) -> pd.Series:
    """Data sets in the order of the frame, windows by size."""
    if column.name != "dataset":
        return column
    return column.map(list(dict.fromkeys(lines["dataset"])).index)


def beams_layout(scores: pd.DataFrame) -> pd.DataFrame:
    """Accuracy and CPU seconds by beam."""
    of_beams = scores[(scores["quantity"] == ACCURACY) & scores["method"].str.endswith(f"_{BEAM}")]
    sizes = sorted(set(of_beams["size"]))
    groups = list(of_beams.groupby(["dataset", "method", "window"], sort=False))
    columns: dict[tuple[str, str], list[str]] = {
        ("", "data set"): [str(dataset) for (dataset, *_), _ in groups],
        ("", "method"): [method_text(str(method)) for (_, method, _), _ in groups],
        ("", "window"): [str(window) for (*_, window), _ in groups],
    }
    for heading, name, text in (
        ("accuracy (%), by beam", "value", number),
        ("CPU s, by beam", "cpu_seconds", seconds_text),
    ):
        for size in sizes:
            values = [rows.set_index("size")[name].get(size) for _, rows in groups]
            columns[heading, str(size)] = [DASH if value is None else text(value) for value in values]
    return grouped(columns)


def chunks_layout(scores: pd.DataFrame) -> pd.DataFrame:
    """Precision, recall and F1 of noun phrases, with the longest code and every beam."""
    by_line, f1 = by_key(scores, "quantity", *LINE), OF_CHUNKS["F1"]
    rows = scores[scores["quantity"] == f1]
    longest = rows.groupby(["dataset", "method", "window"])["size"].transform("max")
    rows = rows[(rows["size"] == longest) | rows["method"].str.endswith(f"_{BEAM}")]
    sizes = [
        f" (beam {size})" if method.endswith(BEAM) else ""
        for method, size in zip(rows["method"], rows["size"], strict=True)
    ]
    keys = list(rows[LINE].itertuples(index=False, name=None))
    shown = {"labels": ACCURACY, **OF_CHUNKS}
    return pd.DataFrame(
        {
            "data set": rows["dataset"].to_list(),
            "window": rows["window"].astype(str).to_list(),
            "method": [text + size for text, size in zip(method_texts(rows["method"]), sizes, strict=True)],
            **{
                f"{name} (%)": [number(by_line[metric, *key]["value"]) for key in keys]
                for name, metric in shown.items()
            },
        }
    )


def choices_layout(best: pd.DataFrame) -> pd.DataFrame:
    """Which history and which beam held-out sequences prefer, and which is best on the test sequences, as the thesis
    chose.
    """
    is_cascade = best["use"] == CASCADE
    return pd.DataFrame(
        {
            "data set": best["dataset"],
            "window": best["window"].astype(str),
            "learner": best["learner"].map(LEARNERS),
            "choice of": ["history" if cascade else "beam" for cascade in is_cascade],
            "by held-out sequences": [
                _choice(row["method"], row["size"], row["use"] == CASCADE) for row in best.to_dict("records")
            ],
            "held out (%)": cell_texts(best["held_out_accuracy"], number),
            "test (%)": cell_texts(best["value"], number),
            "by test sequences": [
                _choice(text, text, cascade) for text, cascade in zip(best["best_on_test"], is_cascade, strict=True)
            ],
            "its test (%)": cell_texts(best["best_value"], number),
        }
    )


def _choice(method: object, size: object, is_cascade: bool) -> str:
    """History of a cascade, or labels of a beam."""
    return str(method).rpartition("_")[2] if is_cascade else str(size)


def steps_layout(comparisons: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """Tests of each step of the thesis and of what makes coding unnecessary, a row per pair; see `STEPS`."""
    pairs = compare_steps(comparisons, best)
    columns = {
        "data set": [pair.dataset for pair in pairs],
        "window": [str(pair.row["window"]) for pair in pairs],
        "method": [method_text(pair.method) for pair in pairs],
        "compared with": [method_text(pair.other) for pair in pairs],
    }
    return pairs_layout(pairs, columns)


def find_compared(
    comparisons: pd.DataFrame, best: pd.DataFrame, window: int, method: str, other: str
) -> Comparison | None:
    """Two methods in the frames "comparisons" and "best" of one data set with the same window, None without them.

    "gtb_cascade_best" and "vp_cascade_best" are the cascades that held-out sequences prefer.
    """
    chosen = with_best(best, window)
    rows = comparisons[comparisons["window"] == window]
    pair = find_pair(rows, chosen.get(method, method), chosen.get(other, other))
    return None if pair is None else with_window(pair)


def with_window(pair: Comparison) -> Comparison:
    """A comparison whose place names the window of so many observations."""
    return replace(pair, place=f"{pair.dataset}, window {pair.row['window']}")


STEPS = [
    *[
        (f"{learner}_{method}", f"{learner}_{other}")
        for learner in LEARNERS
        for method, other in (("secoc", "iid"), ("cascade_1", "secoc"), (BEST, "secoc"), (BEST, "cascade_all"))
    ],
    (f"gtb_{BEST}", f"vp_{BEST}"),
    ("gtb_beam", "vp_beam"),
    (f"gtb_{BEST}", "gtb_beam"),
    (f"gtb_{BEST}", "vp_beam"),
    (f"vp_{BEST}", "vp_beam"),
    ("separable", f"gtb_{BEST}"),
    ("full", f"gtb_{BEST}"),
    ("full", "separable"),
    ("full", "crfsuite"),
    ("full", "perceptron"),
    ("separable", "crfsuite"),
    ("separable", "perceptron"),
    ("crfsuite", "perceptron"),
    ("full", "neural_crf"),
    ("separable", "neural_crf"),
    ("trees_and_nets", "neural_crf"),
    ("trees_and_nets", "separable"),
    ("separable", f"vp_{BEST}"),
    ("perceptron", f"vp_{BEST}"),
]
"""The pairs that tables show: each step of the thesis, then what makes coding unnecessary; the known model is no
competitor.
"""


def compare_steps(comparisons: pd.DataFrame, best: pd.DataFrame) -> list[Comparison]:
    """The pairs of `STEPS` that were run, of all data sets; those of a data set and window are a family (Holm)."""
    tested = []
    for (dataset, _), pairs in comparisons.groupby(["dataset", "window"], sort=False):
        chosen, window = best[best["dataset"] == dataset], int(pairs["window"].iloc[0])
        family = [find_compared(pairs, chosen, window, *step) for step in STEPS]
        there = {(pair.method, pair.other): pair for pair in family if pair is not None}
        tested += correct_family(list(there.values()))
    return tested
