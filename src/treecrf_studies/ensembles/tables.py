"""Tables of the study of ensembles (Cortes, Kuznetsov and Mohri 2014): text in cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf_studies.ensembles.methods import EXPERTS, STEPS, VOTES, method_text, ordered_methods
from treecrf_studies.framework.comparisons import compare_steps, pairs_layout
from treecrf_studies.framework.tables import PUBLISHED, Block, by_key, columns_by_dataset, printed_layout
from treecrf_studies.rendering.cells import (
    cell_texts,
    count_text,
    grouped,
    number,
    seconds_text,
    signed,
    with_deviation,
)


def table_1() -> pd.DataFrame:
    """Published Hamming losses."""
    return pd.read_csv(Path(__file__).with_name("published") / "table_1.csv", encoding="utf-8")


def mean_losses(losses: pd.DataFrame) -> pd.DataFrame:
    """Measured Hamming losses: the mean over the samples of each pool, then over the pools, with the lowest and highest
    pool.
    """
    means = losses.groupby(["dataset", "method", "pool"])["loss"].mean()
    return means.groupby(["dataset", "method"]).agg(measured="mean", low="min", high="max").reset_index()


def beside_losses(losses: pd.DataFrame) -> pd.DataFrame:
    """Every published loss beside the measured one, as the explorer shows published numbers."""
    printed = table_1().rename(columns={"hamming_loss": "published"})
    return mean_losses(losses).merge(printed).assign(quantity="Hamming loss", source="ESPBoost table 1")


_one_digit, _four_digits = partial(number, digits=1), partial(number, digits=4)


def table_1_layout(losses: pd.DataFrame) -> pd.DataFrame:
    """Table 1 as printed: Hamming losses by row and generated set, the measured ones of each pool under the published
    one.

    Means and population deviations over the samples. The last row is not in the paper.
    """
    printed = by_key(table_1(), "dataset", "method")
    known_losses: dict[Any, pd.Series] = dict(list(losses.groupby(["dataset", "method", "pool"])["loss"]))
    pools = {f"measured, pool {n}": pool for n, pool in enumerate(dict.fromkeys(losses["pool"]), start=1)}

    def texts(dataset: str, method: str) -> dict[str, str]:
        known = printed.get((dataset, method))
        runs = {line: known_losses[dataset, method, pool] for line, pool in pools.items()}
        measured = {line: _loss(values.mean(), values.std(ddof=0)) for line, values in runs.items()}
        return ({PUBLISHED: _loss(known["hamming_loss"], known["sd"])} if known else {}) | measured

    sets = {str(dataset): str(dataset).upper() for dataset in dict.fromkeys(losses["dataset"])}
    blocks: list[Block] = [
        ((name,), {column: texts(dataset, method) for dataset, column in sets.items()})
        for method, name in VOTES.items()
    ]
    return printed_layout(["method"], list(sets.values()), blocks, [PUBLISHED, *pools])


def _loss(mean: float, deviation: float) -> str:
    """A loss with its deviation, if there is one."""
    return number(mean, 4) + ("" if pd.isna(deviation) else f" ± {deviation:.5f}")


def sticking_layout(losses: pd.DataFrame) -> pd.DataFrame:
    """SLE on each pool: the runs that stick at the best expert of training, and the others; two other rows beside
    them.
    """
    rows = []
    for (dataset, pool), of_pool in losses.groupby(["dataset", "pool"], sort=False):
        runs, means = of_pool[of_pool["method"] == "sle"], of_pool.groupby("method")["loss"].mean()
        sticks = runs["n_experts"] == 1
        rows.append(
            {
                "set": dataset,
                "pool": str(pool),
                "runs that stick": f"{sticks.sum()} of {len(runs)}",
                "SLE, all runs": number(runs["loss"].mean(), 4),
                "runs that stick, loss": number(runs["loss"][sticks].mean(), 4),
                "the others, loss": number(runs["loss"][~sticks].mean(), 4),
                **{VOTES[name]: number(means[name], 4) for name in ("espboost", "majority_vote_online")},
            }
        )
    return pd.DataFrame(rows)


def bound_layout(boosted: pd.DataFrame) -> pd.DataFrame:
    """Theorem 3 over all runs of a pool: the least slack of the bound, and the equality at rho = 0."""
    rows = (
        boosted.groupby(["dataset", "pool"], sort=False)
        .agg(
            n_runs=("sample", "size"),
            rounds=("n_rounds", "median"),
            chosen=("chosen_rounds", "median"),
            share=("first_share", "mean"),
            correlation=("correlation", "mean"),
            first=("first_loss", "mean"),
            slack=("slack", "min"),
            difference=("difference", "max"),
        )
        .reset_index()
    )
    return pd.DataFrame(
        {
            "set": rows["dataset"].to_list(),
            "pool": rows["pool"].astype(str).to_list(),
            "runs": cell_texts(rows["n_runs"], count_text),
            "rounds until it stops": cell_texts(rows["rounds"], count_text),
            "rounds chosen": cell_texts(rows["chosen"], count_text),
            "weight of path 1 (%)": cell_texts(100 * rows["share"], _one_digit),
            "correlation of mistakes": cell_texts(rows["correlation"], signed),
            "loss after round 1": cell_texts(rows["first"], _four_digits),
            "least slack of the bound": cell_texts(rows["slack"], _four_digits),
            "F against ∏ Z, relative": [f"{value:.0e}" for value in rows["difference"]],
        }
    )


def errors_layout(scores: pd.DataFrame) -> pd.DataFrame:
    """Percent of errors of every ensemble, and in how many draws it is the best alone."""
    methods = ordered_methods(scores["method"])
    columns = {("", "ensemble"): [method_text(method) for method in methods]}
    shown: dict[str, Callable[[Any], str]] = {
        "errors (%)": lambda row: with_deviation(100 - row["value"], row["sd"], row["n"]),
        "draws in which it is best alone": lambda row: f"{row['n_best']} of {row['n']}",
    }
    for heading, text in shown.items():
        texts = columns_by_dataset(scores, methods, text)
        columns |= {(heading, name): cells for name, cells in texts.items()}
    return grouped(columns)


def steps_layout(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Tests of the pairs of `STEPS`."""
    pairs = compare_steps(comparisons, STEPS)
    columns = {
        "data set": [pair.dataset for pair in pairs],
        "ensemble": [method_text(pair.method) for pair in pairs],
        "compared with": [method_text(pair.other) for pair in pairs],
    }
    won = [f"{pair.row['n_better']} of {pair.row['n']}" for pair in pairs]
    return pairs_layout(pairs, columns, {"draws won": won})


def boosting_layout(boosting: pd.DataFrame) -> pd.DataFrame:
    """Selected experts on each data set: means over the draws, and what cross-validation chose."""
    rows = []
    for dataset, draws in boosting.groupby("dataset", sort=False):
        rows.append(
            {
                "data set": str(dataset),
                "class maps chosen": _counted(draws["class_map"]),
                "rounds chosen": _counted(draws["chosen_rounds"]),
                "rounds until it stops": f"{draws['n_rounds'].min()} to {draws['n_rounds'].max()}",
                "weight of path 1 (%)": _one_digit(100 * draws["first_share"].mean()),
                "correlation of mistakes": signed(draws["correlation"].mean()),
                "errors (%)": number(100 * draws["loss"].mean()),
                "errors after round 1 (%)": number(100 * draws["first_loss"].mean()),
                "least slack of the bound": _four_digits(draws["slack"].min()),
                "F against ∏ Z, relative": f"{draws['difference'].max():.0e}",
            }
        )
    return pd.DataFrame(rows)


def experts_layout(experts: pd.DataFrame) -> pd.DataFrame:
    """Percent of errors of each expert on C, trained with A and with A and B, and CPU seconds of the first."""
    means = experts.groupby(["dataset", "expert"], sort=False).mean(numeric_only=True).reset_index()
    return pd.DataFrame(
        {
            "data set": means["dataset"].to_list(),
            "expert": means["expert"].map(EXPERTS).to_list(),
            "trained on A: errors on B (%)": cell_texts(100 - means["held_out_accuracy"], number),
            "on C (%)": cell_texts(100 - means["accuracy"], number),
            "trained on A and B: on C (%)": cell_texts(100 - means["retrained_accuracy"], number),
            "CPU s": cell_texts(means["cpu_seconds"], seconds_text),
        }
    )


def _counted(values: pd.Series) -> str:
    """Each value and how often it is there, the commonest first."""
    return ", ".join(f"{value} ({count})" for value, count in values.value_counts().items())
