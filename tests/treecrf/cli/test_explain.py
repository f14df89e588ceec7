"""``treecrf explain``, and what ``evaluate`` and ``missing`` say beside accuracy."""

import json
import re

import numpy as np
import pytest

from treecrf import LinearCRF, TreeCRF
from treecrf.cli.describe import _setting_text


def test_the_column_that_decides_comes_first(run, model):
    code, out, _ = run("explain", model, "train.csv")
    assert code == 0
    losses, gains = out.split("Share of the trees' total gain")
    assert [line.split()[0] for line in losses.splitlines() if re.match("letter|noise", line)] == ["letter", "noise"]
    assert re.search(r"attribute +-1 .*all", gains)


def test_the_end_of_the_sequence_that_decides_has_a_name(run, words, tmp_path, fit_trees):
    last = words.groupby("sequence")["letter"].transform("last")
    words.assign(label=last.replace({"a": "u", "b": "v", "c": "w"})).to_csv(tmp_path / "ends.csv", index=False)
    fit_trees("--iterations", 5, "--window", "0,0", "--anchors", "0,1", "--order", 0, file="ends.csv")
    code, out, _ = run("describe", "m.npz")
    assert (code, "letter 1 from the end" in out) == (0, True)
    code, out, _ = run("explain", "m.npz", "ends.csv")
    gains = out.split("Share of the trees' total gain")[1]
    assert (code, "letter 1 from the end" in gains) == (0, True)
    code, _, err = run("fit", "ends.csv", "-o", "m.npz", "--method", "treecrf_newton", "--anchors", "2")
    assert (code, "two whole numbers with a comma between" in " ".join(err.replace("│", " ").split())) == (2, True)


@pytest.mark.parametrize("window", ["1,1", "5,5"])
def test_shares_of_the_gain_are_not_broken(run, table, fit_trees, window):
    fit_trees("--iterations", 3, "--window", window)
    code, out, _ = run("explain", "m.npz", "train.csv")
    assert code == 0
    rows = out.split("Share of the trees' total gain")[1].strip().splitlines()[1:]
    assert max(map(len, rows)) <= 80
    assert rows[0].startswith("attribute ")
    assert all(re.match(r"\S.* \d\.\d{3}$", row) for row in rows[1:] if not row.startswith("..."))


def test_a_row_by_its_number_and_by_its_sequence(run, model):
    code, out, err = run("explain", model, "train.csv", "--position", 25)
    assert (code, err) == (0, "")
    assert out.startswith("Row 25: ")
    total = re.search(r"Sum: (-?[\d.]+) = (-?[\d.]+) - \((-?[\d.]+)\)\.", out)
    assert float(total[1]) == pytest.approx(float(total[2]) - float(total[3]), abs=0.002)
    assert run("explain", model, "train.csv", "--id", 2, "--row", 5) == (0, out, "")


def test_a_sequence_is_named_as_numbers_are_written(run, model, words):
    words.assign(sequence=words["sequence"].astype(float).astype(str)).to_csv("floats.csv", index=False)
    expected = run("explain", model, "train.csv", "--id", 2, "--row", 5)
    assert run("explain", model, "floats.csv", "--id", 2, "--row", 5)[:2] == expected[:2]
    assert run("explain", model, "train.csv", "--id", "2.0", "--row", 5) == expected


def test_a_row_is_explained_by_column(run, model, words):
    _, out, _ = run("explain", model, "train.csv", "--position", 25)
    found = dict(re.findall(r"^(letter|noise|\(label before\)) +\S+ +(-?[\d.]+)$", out, re.M))
    assert set(found) == {"letter", "noise", "(label before)"}
    assert max(found, key=lambda name: abs(float(found[name]))) == "letter"
    assert re.search(rf"^letter +{words['letter'][25]} +", out, re.M)
    total, score, baseline = re.search(
        r"Sum: (-?[\d.]+) = (-?[\d.]+) after [uvw] - \((-?[\d.]+) on average", out
    ).groups()
    assert float(total) == pytest.approx(sum(map(float, found.values())), abs=0.003)
    assert float(total) == pytest.approx(float(score) - float(baseline), abs=0.002)


def test_observations_have_the_names_of_their_columns(run, model, words):
    _, out, _ = run("explain", model, "train.csv", "--position", 25)
    table = out.split("Contribution to the log-odds")[1].splitlines()
    assert table[1].split() == ["distance", "letter", "noise", "contribution"]
    [of_row] = [line.split() for line in table if line.startswith("0 ")]
    assert of_row[1:3] == words.loc[25, ["letter", "noise"]].astype(str).tolist()


def test_many_columns_are_those_that_contribute_most(run, words, tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"x{number}": rng.normal(size=len(words)) for number in range(6)}
    columns["x5"] = words["label"].map({"u": 0.0, "v": 1 / 3, "w": 1.0})
    words.assign(**columns).drop(columns=["letter", "noise"]).to_csv("many.csv", index=False)
    run("fit", "many.csv", "-o", "m.npz", "--method", "linear_crf", "--window", "0,0", "--derive", "none")
    _, out, _ = run("explain", "m.npz", "many.csv", "--position", 25)
    title, header = out.split("Contribution to the log-odds")[1].splitlines()[:2]
    assert "(cells of 2 further columns not shown)" in title
    assert header.split()[-2:] == ["x5", "contribution"]
    assert not re.search(r"\d\.\d{9}", out)


def test_columns_that_are_unlike_training_are_told_once(run, words):
    words.assign(x=np.arange(len(words)) % 7 / 4).to_csv("train.csv", index=False)
    run("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--window", "0,0")
    words.assign(x=np.arange(len(words)) % 7 * 4).to_csv("other.csv", index=False)
    _, out, err = run("explain", "m.npz", "other.csv", "--position", 25)
    assert (out + err).count("unlike training") == 1


def test_labels_that_training_did_not_have_are_errors(run, model, words):
    words.assign(label=words["label"].where(words.index != 25, "new")).to_csv("other.csv", index=False)
    code, out, err = run("explain", model, "other.csv")
    assert (code, "Labels that training did not have count as errors: 'new'." in err) == (0, True)
    assert "Permutation importance" in out


def test_settings_are_described_in_a_few_words():
    parts = [1 / 3, (0.25, 1 / 3), (LinearCRF(), TreeCRF()), LinearCRF(), (0, 0), None]
    texts = ["0.333333", "0.25, 0.333333", "LinearCRF, TreeCRF", "LinearCRF", "(0, 0)", "None"]
    assert list(map(_setting_text, parts)) == texts


def test_a_model_does_not_describe_threads(run, table):
    run("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--window", "0,0", "--threads", 1)
    out = run("describe", "m.npz")[1]
    assert "threads" not in next(line for line in out.splitlines() if line.startswith("Options"))


def test_labels_that_are_nowhere_have_no_row(run, model, words):
    words[words["label"] != "u"].to_csv("part.csv", index=False)
    out = run("evaluate", model, "part.csv")[1]
    shown = [line.split()[0] for line in out.split("By label")[1].split("\n\n")[0].splitlines()[2:]]
    assert {"v", "w"} <= set(shown)
    assert ("u" in shown) != ("(1 other neither in the file nor predicted)" in out)


def test_a_page_has_all_sequences_and_opens_one(run, model, words, tmp_path):
    code, out, _ = run("explain", model, "train.csv", "--plot", "page.html", "--id", 2)
    assert (code, out) == (0, "Wrote page.html. Open it in a browser.\n")
    text = (tmp_path / "page.html").read_text()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1])
    assert data["sequences"][data["opened"]] == "2"
    assert len(data["predicted"]) == len(words)
    assert [data["labels"][code] for code in data["true"]] == words["label"].tolist()
    assert all(heading in text for heading in ("Errors", "Importance of columns"))
    assert run("explain", model, "train.csv", "--plot", "page.txt")[0] == 2
    assert run("explain", model, "train.csv", "--plot", "page.html", "--position", 2)[0] == 2


def test_figures_of_a_sequence_and_of_a_row(run, model, words, tmp_path):
    code, out, _ = run("explain", model, "train.csv", "--plot", "one.png", "--id", 2)
    files = ["one.png", "one-confusion.png", "one-calibration.png", "one-importance.png", "one-offsets.png"]
    assert (code, out) == (0, f"Wrote {', '.join(files)}.\n")
    words.assign(label=words["label"].where(words.index != 25, "new")).to_csv("other.csv", index=False)
    for suffix in ("html", "svg"):
        assert run("explain", model, "other.csv", "--plot", f"other.{suffix}")[0] == 0
    text = (tmp_path / "other.html").read_text()
    assert '"labels":["u","v","w","new"]' in text
    words.drop(columns="label").to_csv("bare.csv", index=False)
    assert run("explain", model, "bare.csv", "--plot", "bare.svg")[:2] == (0, "Wrote bare.svg.\n")
    assert run("explain", model, "bare.csv", "--position", 3, "--plot", "row.pdf")[:2] == (0, "Wrote row.pdf.\n")
    for name in files:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "row.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--position", 600), "table train.csv has 600 rows, numbered from 0, and no row 600."),
        (("--id", "x", "--row", 0), "table train.csv has no sequence 'x' in its column 'sequence'."),
        (("--id", 3, "--row", 10), "sequence '3' has 10 rows, numbered from 0, and no row 10."),
    ],
)
def test_rows_that_are_not_there(run, model, options, message):
    assert run("explain", model, "train.csv", *options) == (1, "", f"treecrf: {message}\n")


def test_evaluations_as_json_and_as_a_page(run, model, words, fit_trees, tmp_path):
    words.assign(person=words["sequence"] // 2).to_csv("train.csv", index=False)
    fit_trees("--iterations", 1, "--window", "0,0", "--groups", "person", to="poor.npz")
    code, out, _ = run("evaluate", "poor.npz", model, "train.csv", "--json", "e.json", "--html", "e.html")
    assert (code, out.splitlines()[-1]) == (0, "Wrote e.json and e.html.")
    assert out.index("McNemar's test p ") < out.index("poor.npz: accuracy")
    found = json.loads((tmp_path / "e.json").read_text())
    assert list(found["models"]) == ["poor.npz", "model.npz"]
    assert found["comparison"][0]["method"] in found["models"]
    good = found["models"]["model.npz"]
    assert f"model.npz: accuracy {good['accuracy']['points']:.2f} %" in out
    assert len(found["models"]["poor.npz"]["by_group"]) == 30
    assert good["by_group"] is None
    assert "<h2>Difference</h2>" in (tmp_path / "e.html").read_text()
    code, out, err = run("evaluate", model, "train.csv", "--groups", "person", "--json", "e.json")
    assert (code, err) == (0, "")
    assert "95 % confidence interval by group" in out
    assert len(json.loads((tmp_path / "e.json").read_text())["models"]["model.npz"]["by_group"]) == 30
    assert "intervals by group)" in " ".join(run("explain", model, "train.csv", "--groups", "person")[1].split())
    assert run("evaluate", model, "train.csv", "--groups", "nobody")[0] == 1
    words.to_csv("train.csv", index=False)
    _, out, err = run("evaluate", "poor.npz", "train.csv")
    assert "train.csv has no column 'person', whose groups the model's sequences have" in err
    assert "95 % confidence interval by sequence" in out
    assert run("evaluate", model, "train.csv", "--json", "e.txt")[0] == 2
    assert run("evaluate", model, "train.csv", "--html", "no/e.html")[0] == 1


def test_evaluate_tells_how_sure_it_is(run, model):
    _, out, _ = run("evaluate", model, "train.csv")
    assert re.search(r"95 % confidence interval by sequence: [\d.]+ to [\d.]+ %\.", out)
    assert re.search(r"Probabilities: Brier score 0\.\d{4}", out)
    assert re.search(r"bin +positions +probability +right", out)
    assert "Segments" not in out
    assert "Entities" not in out


def test_entities_and_segments(run, words, tmp_path, fit_trees):
    tags = np.array(["B-x", "I-x", "O", "B-y"])[np.random.default_rng(0).integers(0, 4, len(words))]
    words.assign(label=tags).to_csv(tmp_path / "tags.csv", index=False)
    words.assign(label=np.arange(len(words)) % 10 // 5).to_csv(tmp_path / "runs.csv", index=False)
    for name in ("tags", "runs"):
        fit_trees("--iterations", 2, "--window", "0,0", file=f"{name}.csv", to=f"{name}.npz")
    _, out, _ = run("evaluate", "tags.npz", "tags.csv")
    assert re.search(r"type +precision +recall +f1 +true +predicted +correct\nall .*\nx .*\ny ", out)
    assert "Entities, in percent, scheme BIO, counted as in seqeval\n" in out
    _, strict, _ = run("evaluate", "tags.npz", "tags.csv", "--scheme", "bio")
    assert "Entities, in percent, scheme BIO, counted as in seqeval's strict mode\n" in strict
    true, lenient = (int(re.search(r"^all +(?:[\d.]+ +){3}(\d+)", text, re.M)[1]) for text in (strict, out))
    begins = np.char.startswith(tags, "B").sum()
    assert true == begins < lenient
    assert "Entities" not in run("evaluate", "tags.npz", "tags.csv", "--scheme", "none")[1]
    code, _, err = run("evaluate", "tags.npz", "tags.csv", "--scheme", "IOE")
    assert (code, "the label 'B-x' is none of the scheme IOE, which has O, I, E, alone or with a type." in err) == (
        1,
        True,
    )
    _, out, _ = run("evaluate", "runs.npz", "runs.csv", "--segments")
    assert re.search(r"Segments \(runs of one label\): \d+ of 120 found with both ends", out)


@pytest.mark.parametrize("command", ["explain", "evaluate"])
def test_files_without_labels(run, words, model, command):
    words.drop(columns="label").to_csv("bare.csv", index=False)
    words.assign(label="").to_csv("empty.csv", index=False)
    for file in ("bare.csv", "empty.csv"):
        code, _, err = run(command, model, file)
        assert (code, f"{command} needs labels" in err) == (1, True)
    assert run("explain", model, "bare.csv", "--position", 3)[0] == 0
