"""Files of all kinds through the commands."""

import io
import re
import sys

import pytest
from frames import TREEBANK

from treecrf.readers.reading import read_frame


def test_a_treebank_through_all(run, write):
    """Every line of the file is there again, with the predicted label in MISC."""
    write("train.conllu", TREEBANK * 5)
    columns = ("--label", "UPOS", "--attributes", "FORM,LEMMA")
    code, _, err = run("fit", "train.conllu", "-o", "m.npz", "--iterations", 3, *columns)
    assert (code, "table train.conllu: 10 multiword ranges and 5 empty nodes left out;" in err) == (0, True)
    new = write("new.conllu", TREEBANK)
    assert run("predict", "m.npz", "new.conllu", "-o", "out.conllu")[0] == 0
    before, after = new.read_text().splitlines(), (new.parent / "out.conllu").read_text().splitlines()
    assert len(before) == len(after)
    words = read_frame(new).index
    for number, (old, found) in enumerate(zip(before, after, strict=True), 1):
        *rest, misc = found.split("\t")
        if number not in words:
            assert old == found
            continue
        assert rest == old.split("\t")[:-1]
        assert re.fullmatch(r"((Gloss=the|SpaceAfter=No)\|)?predicted=[A-Z]+", misc)
    predicted = read_frame(new.parent / "out.conllu")["MISC"].str.extract("predicted=(.*)")[0].tolist()
    assert run("predict", "m.npz", "new.conllu", "-o", "out.csv")[0] == 0
    assert read_frame(new.parent / "out.csv")["predicted"].tolist() == predicted
    assert run("predict", "m.npz", "out.csv", "-o", "out2.conllu")[::2] == (
        1,
        "treecrf: out2.conllu cannot be CoNLL-U, since out.csv is not; name it .conll or .csv.\n",
    )


@pytest.fixture
def german(words, tmp_path):
    """The table of the fixture `model` with other columns of numbers, as a German spreadsheet would save it."""
    frame = words.assign(size=(words["letter"].map({"a": 0.5, "b": 1.25, "c": 1234.5}))).drop(columns="letter")
    frame.to_csv(tmp_path / "plain.csv", index=False)
    comma = frame.assign(size=frame["size"].map({0.5: "0,5", 1.25: "1,25", 1234.5: "1.234,5"}), noise="größe")
    comma.to_csv(tmp_path / "german.csv", index=False, sep=";", encoding="cp1252")
    return comma


def test_a_model_reads_files_of_other_dialects(run, german):
    fit = ("-o", "m.npz", "--iterations", 5, "--window", "1,0", "--attributes", "size")
    assert run("fit", "plain.csv", *fit)[0] == 0
    expected = run("predict", "m.npz", "plain.csv")[1].splitlines()
    code, out, err = run("predict", "m.npz", "german.csv")
    assert (code, err) == (
        0,
        "table german.csv: read with ';' between cells, Windows-1252 ('größe' in line 2), decimal commas in 'size' "
        "(separator, "
        "decimal and encoding say otherwise).\n",
    )
    assert [line.split(",")[-1] for line in out.splitlines()] == [line.split(",")[-1] for line in expected]
    assert out.splitlines()[1].startswith("0,u,größe,")
    given = ("--separator", ";", "--decimal", ",", "--encoding", "latin-1")
    assert run("predict", "m.npz", "german.csv", *given) == (0, out, "")
    assert run("fit", "german.csv", *fit)[0] == 0
    assert run("predict", "m.npz", "plain.csv")[1].splitlines() == expected
    for command in (("describe", "german.csv"), ("evaluate", "m.npz", "german.csv")):
        code, _, err = run(*command)
        assert (code, "decimal commas in 'size'" in err) == (0, True)
        assert run(*command, *given)[0] == 0


@pytest.mark.parametrize(
    "options", [("--separator", "ab"), ("--decimal", "x"), ("--encoding", "klingon"), ("--format", "doc")]
)
def test_wrong_dialects_are_wrong_usage(run, table, options):
    for command in (("fit", "train.csv", "-o", "m.npz"), ("describe", "train.csv")):
        assert run(*command, *options)[0] == 2


def test_standard_input(run, table, model, monkeypatch):
    content = table.read_bytes()

    def given(data, *arguments):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return run(*arguments)

    assert given(content, "predict", model, "-")[:2] == run("predict", model, "train.csv")[:2]
    assert given(content, "evaluate", model, "-")[1] == run("evaluate", model, "train.csv")[1]
    assert given(content, "describe", "-")[1] == run("describe", "train.csv")[1].replace("train.csv", "-")
    options = ("--method", "treecrf_newton", "--iterations", 5, "--window", "1,0")
    assert given(content, "fit", "-", "-o", "m.npz", *options)[0] == 0
    assert [run("predict", m, "train.csv", "--probabilities")[1] for m in ("m.npz", model)] == [
        given(content, "predict", model, "-", "--probabilities")[1]
    ] * 2
    code, _, err = given(b"sequence,label\n1,u,3\n", "describe", "-")
    assert (code, err) == (1, "treecrf: table -, line 2: 3 cells, but the first line names 2 columns; fix that line.\n")
    assert given(TREEBANK.encode(), "describe", "-", "--format", "conllu", "--label", "UPOS")[0] == 0


def test_a_folder_of_files(run, words, tmp_path):
    (tmp_path / "patients").mkdir()
    for name, rows in words.groupby("sequence"):
        rows.drop(columns="sequence").to_csv(tmp_path / f"patients/p{name:02}.csv", index=False)
    words.assign(patient=words["sequence"].map("p{:02}".format)).drop(columns="sequence").to_csv("one.csv", index=False)
    options = ("--sequence", "patient", "--iterations", 5, "--window", "1,0")
    assert run("fit", "patients", "-o", "folder.npz", *options)[0] == 0
    assert run("fit", "one.csv", "-o", "one.npz", *options)[0] == 0
    assert run("predict", "folder.npz", "patients", "-o", "out.csv", "--probabilities")[0] == 0
    assert run("predict", "one.npz", "one.csv", "-o", "out2.csv", "--probabilities")[0] == 0
    one, other = read_frame("out.csv"), read_frame("out2.csv")
    assert one[other.columns].to_numpy().tolist() == other.to_numpy().tolist()
    (tmp_path / "patients/p07.csv").write_text("label,letter,noise\nu,a,0\nx,a,1\n")
    code, _, err = run("predict", "folder.npz", "patients", "--known", "label")
    assert (code, err.startswith("treecrf: table patients/p07.csv, line 3: row 71, column 'label': the model")) == (
        1,
        True,
    )


def test_a_link_as_output_stays_a_link(run, table, fit_trees):
    target, link = table.parent / "models" / "target.npz", table.parent / "link.npz"
    target.parent.mkdir()
    link.symlink_to(target)
    fit_trees("--iterations", 1, to="link.npz")
    assert link.is_symlink()
    assert run("describe", "link.npz")[0] == run("describe", target)[0] == 0
