"""``treecrf-studies missing``: the best method for the missing values of a file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treecrf.cli import shared, tables
from treecrf.io.messages import needs_extra

if TYPE_CHECKING:
    import pandas as pd

    from treecrf.sequences import SequenceSet

HEADS = {
    "column": "column",
    "share": "share",
    "most": "most at",
    "least": "least at",
    "p_label": "p (label)",
    "run": "run",
    "run_by_chance": "by chance",
    "p_run": "p (runs)",
    "share_other": "other",
    "p_other": "p (other)",
}
"""Of the table of missing cells, in its order."""

WRITTEN = ("advice.md", "evaluations.csv", "comparisons.csv", "costs.csv", "deviance.csv", "choices.csv")
"""Files in the folder of a report that an input could be."""


def missing(
    file: Annotated[Path, shared.argument("FILE", "File with labels, with or without missing values.")],
    sequence: shared.Sequence_ = "sequence",
    label: shared.Label = "label",
    attributes: shared.Attributes = None,
    window: shared.Window = "3,3",
    groups: shared.Groups = None,
    rates: Annotated[str, typer.Option(metavar="R,R", help="Shares of further cells to empty.")] = "0.1,0.3",
    test: Annotated[
        Path | None,
        typer.Option("--test", metavar="FILE", help="Another file, to compare the shares of missing values."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Quick estimate with fewer iterations and one training set; less reliable.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the advice, tables and figure.")
    ] = None,
    kinds: shared.Kinds = None,
    format_: shared.Format = None,
    separator: shared.Separator = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    quote: shared.Quote = None,
    na: shared.Na = None,
    threads: shared.Threads = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Seed of the emptied cells and of the held-out sequences.")
    ] = 0,
) -> None:
    """Compare methods for the missing values of a file, and describe the missing values.

    The description tests each column: whether missing values depend on the label, whether they come in runs, and
    (--test) whether they are as frequent in another file. Then a third of the sequences is held out. TreeCRF is trained
    on the others with each method: instance weighting, surrogate splitting, imputation, indicator, both of these,
    default direction, incorporated in tests. The cells are missing as in the file, more often, and as in other
    sequences of the file. The method with the best accuracy on the held-out sequences is recommended. With --groups,
    sequences are held out and tested by group.

    [bold]Examples[/bold]
    treecrf-studies missing train.csv --quick
    treecrf-studies missing train.csv --window 2,2 --rates 0.05,0.2 --report missing/
    """
    sides = shared.parse_window(window)
    reading = tables.TableOptions.parse(
        sequence, label, attributes, kinds, format_, separator, decimal, encoding, quote, na, groups=groups
    )
    added = _parse_rates(rates)
    if report is not None:
        for name in WRITTEN:
            shared.check_writable(report / name, file, make=True)
    with needs_extra("report"):
        from treecrf_studies.framework.settings import MissingSettings
        from treecrf_studies.missing.advice import accuracy_table, advice_sentences, judge, recommended
        from treecrf_studies.missing.one_table import n_jobs, study_own_missing, study_table, write_missing_report
        from treecrf_studies.missing.ranking import CASE

    columns, data, _ = tables.read_training_set(file, reading)
    other = None
    if test is not None:
        _, _, other = tables.read_labelled_table(
            test, reading._replace(attributes=columns.attributes, kinds=columns.kinds), strict=True
        )
    _show_missing(data, other, seed, "sequence" if groups is None else "group")
    sides = tables.window_within(sides, data)
    share = data.n_missing / data.n_cells
    settings = MissingSettings(
        rates=[0.0, *added],
        n_training_sets=1 if quick else 2,
        n_test_sets=2,
        l2_regularizations=[20.0] if quick else [10.0, 40.0],
        n_iterations=30 if quick else 100,
    )
    with shared.progress("missing values", n_jobs(settings)) as tick:
        frames = study_table(
            file.stem, data, sides, settings, seed=seed, n_threads=threads or shared.n_processors(), progress=tick
        )
    own_holes = None
    if data.has_missing:
        with shared.progress("missing like the file", settings.n_training_sets * len(settings.methods)) as tick:
            own_holes = study_own_missing(file.stem, data, sides, settings, seed=seed, progress=tick)
    shared.say(
        "\nAccuracy on held-out positions in percent, by share of cells emptied in addition to the "
        f"{100 * share:.1f} % that are missing"
        + ("; like its own: cells emptied that are missing in other sequences of the file." if own_holes else ".")
    )
    shown = ("evaluations", "comparisons", "costs")
    table = _with_plain_heads(accuracy_table(*(frames[name] for name in shown)))
    if own_holes is not None:
        like_own = accuracy_table(*(own_holes[name] for name in shown)).rename(columns={"100 %": "+ like its own"})
        table = table.drop(columns="CPU time").merge(like_own, on="method", how="left")
    shared.show_table(table)
    shared.say(
        "▲: best of the column. ▼: significantly worse (p < 0.05 after Holm's correction). No mark: not separated "
        "from the best. CPU time: of a training iteration, imputation = 1.\n"
    )
    judged = judge([(frames["evaluations"], frames["comparisons"], CASE)])
    method = recommended(judged)
    if method is not None:
        for sentence in advice_sentences(judged):
            shared.say(sentence)
        options = {
            "--sequence": columns.sequence,
            "--label": columns.label,
            "--attributes": attributes,
            "--window": window,
            "--groups": groups,
            "--kinds": kinds,
            "--format": format_,
            "--separator": separator,
            "--decimal": decimal,
            "--encoding": encoding,
            "--quote": quote,
            "--na": na,
        }
        shared.say(f"Next: {_fit_command(file, method, options)}")
    if report is not None:
        written = write_missing_report(frames, report, settings.baseline)
        shared.say(f"Wrote {written}, with tables and a figure in the same folder.")


def _show_missing(data: SequenceSet, other: SequenceSet | None, seed: int, unit: str) -> None:
    """What kind of missing cells the file has; `unit` is what tests take as independent."""
    from treecrf.automl.description import describe_missing, missing_sentences

    frame = describe_missing(data, seed, other)
    if frame.empty:
        shared.say("No cell is missing.")
        return
    shown = frame.assign(
        most=[f"{row.label_most} {row.share_at_most:.2f}" for row in frame.itertuples()],
        least=[f"{row.label_least} {row.share_at_least:.2f}" for row in frame.itertuples()],
    ).rename(columns=HEADS)
    title = f"Share of missing values by column; p by {unit}, with Holm's correction over the columns"
    shared.show_table(shown[[head for head in HEADS.values() if head in shown.columns]], title)
    for sentence in missing_sentences(frame):
        shared.say(sentence)
    shared.say("")


def _fit_command(file: Path, method: str, options: Mapping[str, object]) -> str:
    """The command that trains with a method; options without a value are left out."""
    command = ["treecrf", "fit", str(file), "-o", f"{file.stem}_{method}.npz"]
    settings = ["--method", "treecrf_newton", "--missing", method, "--held-out", "0.25"]
    return shlex.join(
        command + settings + [str(part) for pair in options.items() if pair[1] is not None for part in pair]
    )


def _with_plain_heads(accuracy: pd.DataFrame) -> pd.DataFrame:
    """The columns named by the cells that were emptied."""
    return accuracy.rename(columns=lambda name: "as it is" if name == "0 %" else f"+{name}" if "%" in name else name)


def _parse_rates(text: str) -> list[float]:
    """Shares between 0 and 1, each once; wrong usage otherwise."""
    try:
        rates = sorted({float(part) for part in text.split(",")})
    except ValueError:
        rates = [0.0]
    if not all(0 < rate < 1 for rate in rates):
        raise typer.BadParameter(f"{text!r} are not shares between 0 and 1, such as 0.1,0.3.", param_hint="--rates")
    return rates
