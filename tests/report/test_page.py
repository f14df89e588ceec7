"""Properties of the whole page: it stands alone, everybody can read it, its tables can be sorted."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import ROOT, Elements, check, linked_files, page_of, write_training_tables
from markupsafe import Markup

from treecrf.rendering import templates
from treecrf.rendering.folders import Folders
from treecrf.rendering.layouts import to_html, to_markdown
from treecrf.rendering.parts import Exhibits, Figure, Fold, Table, by_dataset, listed, open_choices, paragraph
from treecrf.rendering.tables import frame_to_fragment
from treecrf.report.ledger import verdicts
from treecrf.report.ledger_page import HEADINGS, ledger_fragment
from treecrf.report.provenance import job_costs, study_costs
from treecrf.studies.future.page import future_headline
from treecrf.studies.missing import STUDY as MISSING
from treecrf.studies.missing import page as missing_page
from treecrf.studies.missing.page import missing_headline
from treecrf.studies.settings import MissingSettings
from treecrf.studies.training.page import training_headline
from treecrf.studies.training.settings import TrainingSettings

HERE = Folders(Path("results"), Path("reports"))
STYLE = (Path(templates.__file__).parent / "page.css").read_text()
SCRIPT = "<script>alert('&')</script>"
ESCAPED = "&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"


def parts_markup(parts, folders):
    """Parts as the page shows them."""
    template = '{% import "parts.html" as parts with context %}{{ parts.several(shown) }}'
    return templates.ENVIRONMENT.from_string(template).render(shown=parts, folders=folders)


def test_page_stands_alone_and_links_to_files_that_exist(results):
    elements = check(page_of(results, "hmm"))
    files = linked_files(elements, results / "reports")
    assert all(file.is_file() for file in files)
    names = {file.name for file in files}
    assert {"accuracy.csv", "accuracy.tex", "figure_3_1.svg", "summary.csv"} <= names


def test_page_starts_with_a_summary(results):
    page = page_of(results, "hmm")
    assert re.search(
        r"<dd>Most accurate at the cross-validated choice: .* of 1 data sets, .*; ties count for each\.</dd>", page
    )
    assert re.search(r"<dd>\d+ claims: \d+ replicated, .* not run\.</dd>", page)
    assert page.index('id="summary"') < page.index('id="training"') < page.index('id="claims"')


def test_what_people_named_is_shown_as_text(results):
    file = results / "data/hmm/description.json"
    named = dict.fromkeys(("title", "stand_in", "terms"), SCRIPT)
    file.write_text(json.dumps(json.loads(file.read_text()) | named))
    summary = pd.read_csv(results / "training/hmm/summary.csv")
    summary.assign(candidate=SCRIPT).to_csv(results / "training/hmm/summary.csv", index=False)
    notes = pd.read_csv(results / "training/hmm/notes.csv")
    notes.assign(note=SCRIPT).to_csv(results / "training/hmm/notes.csv", index=False)
    write_training_tables(results)
    page = page_of(results, "hmm")
    assert len(check(page).all("script")) == 1  # the page's own
    for before in ("<p>", "Stand-in: ", "<p>Source: ", "</b>: ", "<td>"):
        assert f"{before}{ESCAPED}" in page


def test_what_people_named_is_shown_as_text_in_tables_notes_and_captions(tmp_path):
    (tmp_path / "a.svg").write_text("<svg/>")
    table = Table(SCRIPT, pd.DataFrame({"data set": [SCRIPT], SCRIPT: [f"{SCRIPT} ▲"]}))
    figure = Figure(tmp_path / "a.svg", SCRIPT, SCRIPT)
    parts = [paragraph("<em>{label}</em>", label=SCRIPT), *listed([SCRIPT]), table, figure, Fold(SCRIPT, [])]
    shown = parts_markup(parts, HERE)
    assert Elements(shown).all("script") == []
    inside = ("em", "li", "span", "b", "figcaption", "summary")
    assert [tag for tag in inside if f"<{tag}>{ESCAPED}</{tag}>" not in shown] == []
    trusted = Figure(tmp_path / "a.svg", "a figure", Markup("p &lt; <em>0.05</em>"))
    assert "<figcaption>p &lt; <em>0.05</em></figcaption>" in parts_markup([trusted], HERE)


def test_address_is_relative_and_quoted(tmp_path):
    folders = Folders(tmp_path / "results", tmp_path / "reports/demo")
    assert folders.address(tmp_path / "results/my set#1.csv") == "../../results/my%20set%231.csv"


def test_groups_of_headings_span_their_columns():
    columns = pd.MultiIndex.from_tuples([("", "data set"), ("p", "plain"), ("p", "Holm")])
    fragment = frame_to_fragment(pd.DataFrame([["a", "1", "2"]], columns=columns), caption="A <caption>")
    elements = Elements(fragment)
    heads = [
        (head["scope"], head.get("colspan"), head.get("rowspan"), head.get("data-column"))
        for head in elements.all("th")
    ]
    assert heads == [
        ("col", None, "2", "0"),
        ("colgroup", "2", None, None),
        ("col", None, None, "1"),
        ("col", None, None, "2"),
        ("row", None, None, None),
    ]
    assert "A &lt;caption&gt;" in fragment


def test_markdown_escapes_and_marks_the_best():
    frame = pd.DataFrame({"data set": ["a|b", "a|b"], "x": ["1.00* ▲", "<0.001"]})
    assert to_markdown(frame).splitlines() == [
        "| data set | x |", "| :-- | --: |", r"| a\|b | **1.00\*** |", r"|  | \<0.001 |",
    ]  # fmt: skip


@pytest.mark.parametrize(("n_rows", "is_long"), [(10, False), (200, True)])
def test_long_folded_tables_are_marked_so_that_paper_leaves_them_out(n_rows, is_long):
    table = Table("Numbers", pd.DataFrame({"data set": ["a"] * n_rows, "x": ["1"] * n_rows}))
    (fold,) = Elements(parts_markup([Fold("All", [table])], HERE)).all("details")
    assert (fold.get("class") == "long") is is_long


def test_choices_name_the_data_sets_that_have_others():
    own = {"n_folds": 2, "methods": ["treecrf"]}
    settings = TrainingSettings(datasets=["a", "b", "c"], overrides={"a": own, "c": own, "not_run": {"n_folds": 3}})
    shown = parts_markup([open_choices(settings, ["n_folds", "unseen"], {"seen": None})], HERE)
    assert "<p><code>n_folds: 5</code>, <code>unseen: missing</code>, <code>seen: null</code></p>" in shown
    assert "<li>a, c: <code>n_folds: 2</code>, <code>methods: [treecrf]</code></li>" in shown
    assert "not_run" not in shown


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ({}, "10"),
        ({"a": {"n_folds": 3}}, "10"),
        (
            {"a": {"n_perturbed_runs": 3}, "b": {"n_perturbed_runs": 3}, "c": {"n_perturbed_runs": 2}},
            "10 (a, b: 3; c: 2)",
        ),
        ({name: {"n_perturbed_runs": 3} for name in "abcd"}, "3"),
        ({"not_run": {"n_perturbed_runs": 3}}, "10"),
    ],
)
def test_a_setting_is_shown_with_those_of_single_data_sets(overrides, text):
    settings = TrainingSettings(datasets=["a", "b", "c", "d"], overrides=overrides)
    assert by_dataset(settings, "n_perturbed_runs") == text


def test_what_is_said_of_missing_values_is_what_was_done(tmp_path):
    (tmp_path / "figure_4_1.svg").write_text("<svg/>")
    settings = MissingSettings(datasets=["a", "b"], overrides={"b": {"held_out": 0.5}})
    counts = {"n_positions": [10] * 2, "n_correct": [5, 6], "stand_in": False, "training_set": 0, "test_set": 0}
    frame = pd.DataFrame({"dataset": "a", "rate": [0.0, 0.4], "method": "imputation", **counts})
    text, figure, *_ = missing_page._accuracy(
        settings, frame, Exhibits(tmp_path, {"accuracy": frame}, MISSING.caption)
    ).parts
    assert re.search(r"held out:\s+33% \(b: 50%\)", text.html)
    assert isinstance(figure, Figure)
    assert figure.alt.startswith("Accuracy by share of missing cells, a panel for each of a, a line for each method")


def outcomes(**percent):
    """Rows of the summary of training: (mean over perturbed runs, one training) by method."""
    rows = [("protein", name, "better", *values, np.nan, False) for name, values in percent.items()]
    names = ["dataset", "method", "decoder", "chosen_mean", "chosen_accuracy", "published", "stand_in"]
    return pd.DataFrame(rows, columns=names)


def test_headlines_count_all_that_are_equal_at_the_shown_precision():
    text = training_headline(outcomes(mallet=(np.nan, 63.721), smile=(np.nan, 63.719), treecrf=(62.87, 70.0)))
    assert text == (
        "Most accurate at the cross-validated choice (mean over perturbed runs; one training of methods without such runs): "
        "MALLET on 1 of 1 data sets, SMILE on 1; ties count for each."
    )
    text = training_headline(outcomes(treecrf=(63.7, 70.0), linear_crf=(63.6, 70.0)))
    assert text == "Most accurate at the cross-validated choice: TreeCRF on 1 of 1 data sets."
    counts = {"n_positions": 100_000, "n_correct": [90_000, 80_001, 80_000, 70_000], "rate": [0, 0.4, 0.4, 0.4]}
    methods = ["imputation", "imputation", "indicator", "surrogate_splitting"]
    text = missing_headline(pd.DataFrame({"dataset": "a", "method": methods, **counts}))
    assert text.startswith(
        "Most accurate with missing cells: imputation in 1 of 1 cases (data set and share), indicator in 1;"
    )
    assert text.endswith(
        "10.0 points ahead of the worst, on average. With 40% missing even the best method loses 10.0 points on average."
    )


def test_the_headline_of_future_features_names_ties():
    rows = [
        ("a", "ff_memm_0", 90.001),
        ("a", "crf_1", 90.004),
        ("b", "ff_memm_0", 80.0),
        ("b", "crf_1", 70.0),
        ("b", "crf_2", 70.001),
    ]
    text = future_headline(pd.DataFrame(rows, columns=["dataset", "method", "test_mean"]))
    assert "on 1 of 2 data sets, equals it on 1, by +5.00 points" in text
    assert text.endswith("most on b: FF-MEMM-0 80.00 %, TreeCRF-1 and TreeCRF-2 70.00 %.")


def test_figures_and_files_have_names_of_their_own(tmp_path):
    folders = Folders(tmp_path / "results", tmp_path / "reports")
    for name in ("or", "xor"):
        (folders.results / "future" / name).mkdir(parents=True)
        (folders.results / "future" / name / "weights.svg").write_text("<svg/>")
    figures = [
        Figure(folders.results / f"future/{name}/weights.svg", f"What was found on {name}: colour by position.", "")
        for name in ("or", "xor")
    ]
    elements = Elements(parts_markup(figures, folders))
    names = [part["aria-label"] for part in elements.all("div", "a")]
    assert names == [
        "Figure: What was found on or", "SVG: future/or/weights.svg",
        "Figure: What was found on xor", "SVG: future/xor/weights.svg",
    ]  # fmt: skip


def test_the_ledger_keeps_its_headings_on_narrow_screens(tmp_path):
    elements = Elements(ledger_fragment(verdicts(tmp_path)))
    roles = {
        tag: {attributes.get("role") for attributes in elements.all(tag)}
        for tag in ("table", "thead", "tbody", "tr", "td")
    }
    assert roles == {"table": {"table"}, "thead": {"rowgroup"}, "tbody": {"rowgroup"}, "tr": {"row"}, "td": {"cell"}}
    assert {head["role"] for head in elements.all("th")} == {"columnheader", "rowheader"}
    assert {cell["data-label"] for cell in elements.all("td")} == set(HEADINGS[1:])
    assert not re.search(r"thead \{ display: none", STYLE)
    assert "content: attr(data-label)" in STYLE


RULES = "".join(file.read_text() for file in sorted((ROOT / "workflow/rules").glob("*.smk")))


def test_every_job_is_measured_but_downloads_and_the_page():
    rules = re.split(r"(?m)^(?= *rule\b)", RULES)[1:]
    names = [re.search(r"rule (\w+):", rule) for rule in rules if "benchmark:" not in rule and "script:" in rule]
    assert [name and name[1] for name in names] == ["download", "write_page"]


BENCHMARK = "s\tmax_rss\tcpu_time\n{}\t{}\t0.5\n"


def test_jobs_are_counted_by_study_and_data_set(tmp_path):
    jobs = {
        "training/draw": ("training", "–"), "training/tabulate": ("training", "–"), "missing/advise": ("missing", "–"),
        "missing/evaluate/or_window_imputation_0.1": ("missing", "or_window"), "future/prepare/or_0": ("future", "or"),
        "future/summarise/or_window": ("future", "or_window"), "cost/measure_scaling/all": ("cost", "–"),
        "check_claims": ("all studies", "–"), "prepare_data/draw": ("all studies", "draw"),
    }  # fmt: skip
    for place, job in enumerate(jobs):
        path = tmp_path / f"{job}.tsv"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(BENCHMARK.format(1.5, 100 + place if place else "NA"))
    frame = job_costs(tmp_path, ["or", "or_window", "draw"])
    steps = [job.split("/")[job.split("/")[0] in ("training", "missing", "future", "cost")] for job in jobs]
    expected = sorted((study, step, data) for step, (study, data) in zip(steps, jobs.values(), strict=True))
    assert frame[["study", "step", "data set"]].to_records(index=False).tolist() == expected
    memory = frame.set_index(["study", "step"])["most memory, MiB"]
    assert (memory["training", "draw"], memory["training", "tabulate"]) == ("–", "101")
    counted = study_costs(frame).set_index("study")["jobs"]
    assert counted.to_dict() == {
        "all studies": "2",
        "cost": "1",
        "future": "2",
        "missing": "2",
        "training": "2",
        "in all": "9",
    }


SORTED = {
    ("x", 1): ["−2.5*", "<0.001", "0.001", "3–7", "12", "1,000", "–"],
    ("x", 2): ["1,000", "12", "3–7", "0.001", "<0.001", "−2.5*", "–"],
    ("x", 3): ["12", "–", "0.001", "−2.5*", "1,000", "<0.001", "3–7"],
    ("method", 1): ["CRF-2", "CRF-10", "MEMM", "MEMM", "MEMM", "MEMM", "MEMM"],
}
"""What a column shows after a number of clicks on its heading."""


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not there")
@pytest.mark.parametrize(("column", "clicks"), SORTED)
def test_tables_are_sorted_by_number_and_stably(tmp_path, column, clicks):
    frame = pd.DataFrame({"method": ["CRF-10", "CRF-2", *["MEMM"] * 5], "x": SORTED["x", 3]})
    place = list(frame).index(column)
    script = f"""
    const head = document.querySelectorAll("thead th")[{place}];
    for (let i = 0; i < {clicks}; i++) head.querySelector("button").click();
    const texts = [...document.querySelectorAll("tbody tr")].map((row) => row.cells[{place}].textContent);
    document.body.dataset.shown = [head.getAttribute("aria-sort"), ...texts].join(";");
    """
    page = tmp_path / "table.html"
    page.write_text(to_html(frame, "a table").replace("</body>", f"<script>{script}</script></body>"))
    command = [
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--dump-dom",
        f"--user-data-dir={tmp_path / 'u'}",
    ]
    dump = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True).stdout
    shown = re.search('data-shown="([^"]*)"', dump)[1].replace("&lt;", "<").split(";")
    assert shown == [["ascending", "descending", "none"][clicks - 1], *SORTED[column, clicks]]


def _luminance(color):
    """Relative luminance of a colour such as ``#fff`` (WCAG 2)."""
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(scheme):
    colors = dict(re.findall(r"--([\w-]+): (#\w+);", re.findall(r":root \{[^}]*\}", STYLE)[scheme]))
    assert _luminance("#ffffff") == pytest.approx(1)
    for text in ("text", "quiet", "link", "good", "middling", "bad"):
        for ground in ("ground", "card", "hover", "warn"):
            dark, light = sorted((_luminance(colors[text]), _luminance(colors[ground])))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)
