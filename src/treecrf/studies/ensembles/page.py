"""Page section on ensembles (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frame, read_frames
from treecrf.rendering.cells import number, signed
from treecrf.rendering.parts import Exhibits, Fold, Part, Section, Study, by_dataset, listed, open_choices, paragraph
from treecrf.rendering.words import with_and
from treecrf.studies.described import described
from treecrf.studies.ensembles import STUDY
from treecrf.studies.ensembles.methods import VOTES
from treecrf.studies.framework.settings import Settings

GENERATED = """
Votes of experts whose predictions alone are known. A path expert takes one expert for each class of positions; ESPBoost boosts path
experts. Table 1 of the paper is about two sets of {n_sequences} generated sequences of ten letters and five experts, described in a
text that is not public: ads1, where each expert knows two positions, and ads2, where each is wrong at four positions of every
sequence. They are generated anew here, on {n_pools} pools with fresh seeds, {n_samples} training samples of {n_train} sequences each.
What was fitted to the table is no evidence for it: beta of the random path on ads1 was, so its agreement there says nothing; the
directions of mistakes on ads2 were, on other pools.
"""

SLE = """
SLE is reconstructed from its numbers. {sentences}
"""

BOUND = """
Theorem 3 bounds the fraction of training positions whose margin is at most ρ. The bound is {slack} or more above it in all runs and
rounds, so that passing it shows little; the equality behind it, F(α) = ∏ Z at ρ = 0, holds to {difference} of its value in every round.
"""

REAL = """
The same on real data, by a protocol that counts what an ensemble costs: the sequences of a data set are divided into A, which trains
{n_experts} experts, B, which trains what combines them and judges every choice, and C, which tests, in draws of {n_seeds}. Because an
ensemble spends the labels of B, the experts are also trained with A and B; what was chosen or learnt on B is then applied to them.
Percent of errors; draws have sequences in common, so their deviation is no standard error. SLE is not run here.
"""

NEEDED = ("runs", "lines", "comparisons", "boosting")
CHOICES = (
    "pool_seeds", "n_sequences", "n_train", "n_samples", "n_rounds", "n_folds", "rhos", "n_seeds", "sizes", "experts", "newton_iterations",
    "newton_leaves", "newton_regularization", "newton_rate", "tree_iterations", "tree_leaves", "tree_regularization", "variance",
    "linear_iterations", "crfsuite_penalty", "crfsuite_iterations", "n_epochs", "lightgbm_iterations", "lightgbm_leaves",
    "equivalence_margin",
)  # fmt: skip
"""Settings that the paper leaves open or that a reader needs to repeat the study."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of ensembles, from what is finished; None where there is nothing."""
    folder = results / "ensembles"
    finished = [name for name in settings.ensembles.datasets if STUDY.is_finished(results, name)]
    shown = Exhibits(folder, layouts, STUDY.caption)
    sections = list[Section]()
    if finished:
        frames = {name: read_frames([str(folder / each / f"{name}.csv") for each in finished]) for name in NEEDED}
        sections.append(_real(settings, finished, shown, frames["boosting"]))
    if (folder / "losses.csv").is_file() and (folder / "boosted.csv").is_file():
        losses, boosted = (read_frame(folder / f"{name}.csv") for name in ("losses", "boosted"))
        sections = [_generated(settings, shown, losses), _bound(shown, boosted), *sections]
    return Study("ensembles", STUDY.title, sections) if sections else None


def _generated(settings: Settings, shown: Exhibits, losses: pd.DataFrame) -> Section:
    ensembles = settings.ensembles
    parts: list[Part] = [
        paragraph(
            GENERATED, n_sequences=f"{ensembles.n_sequences:,}", n_pools=len(ensembles.pool_seeds), n_samples=ensembles.n_samples,
            n_train=ensembles.n_train,
        ),
        *shown.captioned_table("table_1", "Table 1: Hamming losses, published and measured"),
        paragraph(SLE, sentences=" ".join(sticking_sentences(losses))),
        *shown.captioned_table("sticking", "SLE, split by whether it sticks at the best expert"),
        open_choices(ensembles, CHOICES),
    ]  # fmt: skip
    return Section("ensembles-table_1", "Generated sets (table 1)", parts)


def _bound(shown: Exhibits, boosted: pd.DataFrame) -> Section:
    parts: list[Part] = [
        paragraph(BOUND, slack=number(boosted["slack"].min()), difference=f"{boosted['difference'].max():.0e}"),
        *shown.figure("bound_by_round", "Margin loss and bound by round, a panel for each set."),
        *shown.captioned_table("bound", "Theorem 3 and its equality"),
        *listed(boosting_sentences(boosted, "runs")),
    ]
    return Section("ensembles-bound", "The bound (theorem 3)", parts)


def _real(settings: Settings, names: Sequence[str], shown: Exhibits, boosting: pd.DataFrame) -> Section:
    ensembles = settings.ensembles
    experts = shown.captioned_table("experts", "Errors of the experts")
    parts: list[Part] = [
        paragraph(REAL, n_experts=len(ensembles.experts), n_seeds=by_dataset(ensembles, "n_seeds")),
        *listed([described(settings, name) for name in names]),
        *shown.figure("errors", "Errors of every ensemble, a panel for each data set."),
        *shown.captioned_table("accuracy", "Errors of every ensemble"),
        *shown.captioned_table("steps", "Tests between ensembles"),
        *shown.captioned_table("boosting", "Selected experts"),
        *listed(boosting_sentences(boosting)),
        *([Fold("Errors of the experts", experts)] if experts else []),
    ]
    return Section("ensembles-data", "Real data", parts)


# --- sentences --------------------------------------------------------------------------------------


def sticking_sentences(losses: pd.DataFrame) -> list[str]:
    """How many runs of SLE stick at the best expert on each set, and the losses of these and of the others."""
    found = []
    for dataset, rows in losses[losses["method"] == "sle"].groupby("dataset", sort=False):
        sticks = rows["n_experts"] == 1
        text = f"On {dataset} {sticks.sum()} of {len(rows)} runs stick at the best expert"
        means = [rows["loss"][part].mean() for part in (sticks, ~sticks) if part.any()]
        voted = losses[(losses["dataset"] == dataset) & (losses["method"] == "espboost")]["loss"].mean()
        text += f" (mean loss {with_and(number(mean, 4) for mean in means)}" + (
            " of these and of the others" if len(means) > 1 else ""
        )
        found.append(f"{text}; {VOTES['espboost']} has {number(voted, 4)}).{_order_text(voted, rows, sticks)}")
    return found


def _order_text(voted: float, rows: pd.DataFrame, sticks: pd.Series) -> str:
    """That the order rests on runs of SLE that stick, where it does."""
    is_turned = bool((~sticks).any()) and rows["loss"].mean() > voted > rows["loss"][~sticks].mean()
    return " There ESPBoost is ahead of SLE only because of the runs that stick." if is_turned else ""


def boosting_sentences(boosting: pd.DataFrame, unit: str = "draws") -> list[str]:
    """Of each data set, what the weight of path 1 means for the vote, from the numbers; a `unit` is a row."""
    return [_boosting_sentence(str(name), rows, unit) for name, rows in boosting.groupby("dataset", sort=False)]


def _boosting_sentence(dataset: str, rows: pd.DataFrame, unit: str) -> str:
    n_alone, n_one = int((rows["first_share"] > 0.5).sum()), int((rows["chosen_rounds"] == 1).sum())
    low, high = (number(100 * value, 0) for value in (rows["first_share"].min(), rows["first_share"].max()))
    weight = f"{dataset}: path 1 has {low} to {high} % of the weight"
    correlation = f"the experts' mistakes correlate at {signed(rows['correlation'].mean())}"
    if not n_alone:
        return f"{weight}, never over half, so that later rounds decide some votes; {correlation}."
    return (
        f"{weight}, over half in {n_alone} of {len(rows)} {unit}: there ESPBoost is its first path, an expert for each class of "
        f"positions, whatever the later rounds, and cross-validation sees a flat curve (it chose one round in {n_one} of {len(rows)} "
        f"{unit}); {correlation}."
    )
