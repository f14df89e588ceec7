"""The same values in files of all kinds: numbers, marks of missing cells, white space, suffixes."""

from pathlib import Path

import pandas as pd
import pytest

from treecrf.io.npz import read_npz, write_npz
from treecrf.models.base import FORMAT


def test_columns_file_through_all(run, write, fit_trees):
    write("a.conll", "".join(f"{'ab'[i % 2]} x {'BO'[i % 2]}\n" + "\n" * (i % 4 == 3) for i in range(40)))
    fit_trees("--iterations", 3, file="a.conll")
    assert run("evaluate", "m.npz", "a.conll")[1].startswith("m.npz: span F1 100.00 % on 40")
    write("new.conll", "a x\nb x\n\na x\n")
    assert run("predict", "m.npz", "new.conll", "-o", "out.conll")[0] == 0
    assert Path("out.conll").read_text() == "a\tx\tB\nb\tx\tO\n\na\tx\tB\n"


def test_bins_are_remembered(run, write, fit_trees):
    rows = "".join(f"{i // 4},{'vu'[i % 100 < 50]},{i % 100}\n" for i in range(400))
    write("n.csv", "sequence,label,size\n" + rows)
    fit_trees("--bins", 4, "--iterations", 5, file="n.csv")
    write("new.csv", "sequence,size\na,-3.5\nb,1e6\nc,\n")
    out = run("predict", "m.npz", "new.csv")[1].splitlines()
    assert (out[1], out[2]) == ("a,-3.5,u", "b,1e6,v")
    assert out[3] in ("c,,u", "c,,v")  # no training cell was empty, and yet the model labels one
    write("wrong.csv", "sequence,size\na,3\na,tall\n")
    code, _, err = run("predict", "m.npz", "wrong.csv")
    assert code == 1
    assert err.startswith("treecrf: table wrong.csv, line 3: row 1, column 'size': 'tall' is not a finite number")


def test_tables_are_written_as_columns_by_their_sequences(run, write, fit_trees):
    rows = [f"{'ab'[i % 2]},{i // 4},{'BO'[i % 2]}" for i in range(40)]
    write("t.csv", "word,sequence,label\n" + "".join(row + "\n" for row in rows))
    fit_trees("--iterations", 3, file="t.csv")
    write("new.csv", 'word,sequence\n"a",0\n_,0\n"""",1\n')
    code, _, err = run("predict", "m.npz", "new.csv", "-o", "out.conll")
    assert (code, err.splitlines()[-1]) == (0, "out.conll: 1 cell with _, which stands for a missing value there.")
    lines = Path("out.conll").read_text().split("\n")
    assert [line.split("\t")[0] for line in lines] == ["a", "_", "", '"', ""]
    assert run("predict", "m.npz", "new.csv", "-o", "out.tsv")[0] == 0
    write("again.tsv", Path("out.tsv").read_text().replace("predicted", "former"))
    assert run("predict", "m.npz", "again.tsv", "-o", "out.csv")[::2] == (
        0,
        "\n".join(err.splitlines()[:3]).replace("new.csv", "again.tsv") + "\n",
    )
    assert pd.read_csv("out.csv", keep_default_na=False)["word"].tolist() == ["a", "_", '"']


def table_with_marks(mark):
    rows = "".join(f"{i // 4},{'vu'[i % 100 < 50]},{mark if i % 10 == 7 else i % 100}\n" for i in range(400))
    return "sequence,label,size\n" + rows


@pytest.mark.parametrize("mark", ["inf", "tall"])
def test_values_among_numbers_are_refused(run, write, mark, fit_trees):
    write("n.csv", table_with_marks(mark))
    code, _, err = run("fit", "n.csv", "-o", "m.npz", "--method", "treecrf_newton")
    assert (code, err) == (
        1,
        f"treecrf: table n.csv, line 9: row 7, column 'size': '{mark}' is not a number, as all but 40 cells of the "
        "column are; "
        "name it as a text that means missing (na), or read the column as categories (kinds).\n",
    )
    fit_trees("--kinds", "size=category", "--iterations", 1, file="n.csv")
    assert run("describe", "n.csv")[2] == (
        f"Column 'size' holds numbers and '{mark}' (40 cells); name them by --na if they are missing.\n"
    )


@pytest.mark.parametrize("mark", ["NA", "nan", "N/A", "null", "-"])
def test_marks_of_missing_numbers_are_missing_with_a_notice(run, write, mark, fit_trees):
    write("empty.csv", table_with_marks(""))
    write("n.csv", table_with_marks(mark))
    said = f"Column 'size' holds numbers and '{mark}' (40 cells), which is read as missing.\n"
    assert run("describe", "n.csv")[2] == said
    assert said in fit_trees("--iterations", 3, file="n.csv")
    fit_trees("--iterations", 3, file="empty.csv", to="empty.npz")
    code, out, err = run("predict", "m.npz", "n.csv")
    assert (code, err) == (0, said)
    assert out.replace(f",{mark},", ",,") == run("predict", "empty.npz", "empty.csv")[1]
    for command in (("evaluate", "m.npz", "n.csv"), ("explain", "m.npz", "n.csv", "--position", 3)):
        code, out, err = run(*command)
        assert (code, said in err) == (0, True)


@pytest.mark.parametrize("method", ["treecrf_newton", "linear_crf"])
def test_whole_numbers_that_a_program_writes_back_with_a_fraction(run, words, tmp_path, method):
    """A missing cell turns a column of pandas into one of floats."""
    codes = {name: words[name].map({"a": 1, "b": 2, "c": 12, "u": 0, "v": 1, "w": 2}) for name in ("letter", "label")}
    frame = words.assign(**codes)
    frame.to_csv(tmp_path / "train.csv", index=False)
    frame.astype(dict.fromkeys(codes, float)).to_csv(tmp_path / "back.csv", index=False)
    assert "0.0,1.0" in (tmp_path / "back.csv").read_text().replace(",12.0", ",1.0")
    assert run("fit", "train.csv", "-o", "m.npz", "--method", method, "--window", "1,0", "--iterations", 20)[0] == 0
    found = [run("predict", "m.npz", name) for name in ("train.csv", "back.csv")]
    assert [(code, err) for code, _, err in found] == [(0, "")] * 2
    labels = [[line.rsplit(",", 1)[1] for line in out.splitlines()] for _, out, _ in found]
    assert labels[0] == labels[1]
    evaluated = [run("evaluate", "m.npz", name) for name in ("train.csv", "back.csv")]
    assert evaluated[0] == evaluated[1]
    assert run("predict", "m.npz", "back.csv", "--known", "label")[0] == 0


def test_a_column_without_a_known_value_stops_and_others_are_one_warning(run, model, words, tmp_path):
    new = words.head(100).copy()
    new["letter"] = "X" + new["letter"]
    new.to_csv(tmp_path / "upper.csv", index=False)
    for command in ("predict", "evaluate", "explain"):
        code, out, err = run(command, model, "upper.csv")
        assert (code, out) == (1, "")
        assert err == (
            "treecrf: table upper.csv, line 2: row 0, column 'letter': the training table had none of the values of "
            "the column "
            f"({', '.join(map(repr, new['letter'].unique()))}); write them as there, or label without them (unknown "
            "1).\n"
        )
    code, _, err = run("predict", model, "upper.csv", "--unknown", 1)
    assert (code, "'letter'  100 of 100 cells" in err, "'noise'" in err) == (0, True, False)
    new.head(19).to_csv(tmp_path / "short.csv", index=False)
    assert run("predict", model, "short.csv")[0] == 0
    some = words.head(100).copy()
    some.loc[:9, "letter"], some.loc[:1, "noise"] = list("ABCDEABCDE"), ["7", "7.5"]
    some.to_csv(tmp_path / "some.csv", index=False)
    said = (
        "table some.csv differs from the training table; new values count as missing, or as rare ones, where nothing "
        "is derived from them.\n"
        "column    unlike training  examples\n"
        "'letter'  10 of 100 cells  'A', 'B', 'C'\n{}"
    )
    for command in ("predict", "evaluate"):
        assert run(command, model, "some.csv")[2] == said.format("'noise'    2 of 100 cells  '7', '7.5'\n")
        assert run(command, model, "some.csv", "--unknown", 0.05)[2] == said.format("")
        assert run(command, model, "some.csv", "--unknown", 0.1)[2] == ""


def test_values_that_differ_by_white_space(run, write):
    write("t.csv", "sequence,label,x\na,u,p\na,u ,q\na,v, p\n")
    assert run("describe", "t.csv")[2].splitlines() == [
        "Column 'label' has both 'u' and 'u ', which are two values; make them one if the white space means nothing.",
        "Column 'x' has both ' p' and 'p', which are two values; make them one if the white space means nothing.",
    ]


def test_words_beyond_the_most_are_told_to_be_merged_and_are(run, write):
    rows = [f"w{i}" for i in range(69_000) for _ in range(2 if i < 100 else 1)]
    write("words.csv", "sequence,label,word\n" + "".join(f"{i // 10},{'uv'[i % 2]},{w}\n" for i, w in enumerate(rows)))
    code, out, err = run("describe", "words.csv")
    assert (code, "69,000" in out) == (0, True)
    assert err == (
        "Column 'word' has 69,000 different values, and 65,534 are the most; treecrf fit --min-count 2 takes those "
        "as one "
        "that occur once.\n"
    )
    options = ("-o", "m.npz", "--method", "treecrf_newton", "--iterations", 1, "--window", "0,0")
    code, _, err = run("fit", "words.csv", *options)
    assert (code, err.splitlines()[-1].startswith("treecrf: attribute 'word' has 69,000 categories")) == (1, True)
    assert run("fit", "words.csv", *options, "--min-count", 2)[0] == 0
    write("new.csv", "sequence,word\na,w3\na,never seen\n")
    assert run("predict", "m.npz", "new.csv")[::2] == (0, "")


def test_what_columns_hold_is_said_and_can_be_given(run, write, fit_trees):
    rows = "".join(f"{i // 4},{'vu'[i % 100 < 50]},{i % 100},{i % 3},w{i % 3}\n" for i in range(400))
    write("n.csv", "sequence,label,size,level,word\n" + rows)
    said = "Inputs: level, word (categories); size (number). Change them by --attributes and --kinds."
    assert said in run("describe", "n.csv")[1].splitlines()
    assert said in fit_trees("--iterations", 1, file="n.csv").splitlines()
    kinds = ("--kinds", "size=category,level=number")
    said = "Inputs: size, word (categories); level (number). Change them by --attributes and --kinds."
    assert said in run("describe", "n.csv", *kinds)[1].splitlines()
    assert said in fit_trees("--iterations", 1, *kinds, file="n.csv").splitlines()
    out = run("describe", "m.npz")[1]
    assert "Numbers: 'level'.\nBins of 'level': to 0.5, above 0.5 to 1.5, above 1.5.\n" in out
    assert run("fit", "n.csv", "-o", "m.npz", "--method", "treecrf_newton", "--kinds", "size")[0] == 2
    code, _, err = run("fit", "n.csv", "-o", "m.npz", "--method", "treecrf_newton", "--kinds", "colour=number")
    assert (code, "kinds names 'colour', which is no input; the inputs are 'size', 'level', 'word'." in err) == (
        1,
        True,
    )


def test_a_file_is_read_with_the_kinds_of_the_model(run, write, fit_trees):
    rows = "".join(f"{i // 4},{'vu'[i % 100 < 50]},{i % 100},{'abc'[i % 3]}\n" for i in range(400))
    write("n.csv", "sequence,label,size,word\n" + rows)
    fit_trees("--iterations", 20, "--window", "0,0", "--order", 0, "--bins", 8, file="n.csv")
    write("few.csv", "sequence,size,word\na,3,a\na,97,b\n")  # whole and few: by itself a category
    assert [line[-1] for line in run("predict", "m.npz", "few.csv")[1].splitlines()[1:]] == ["u", "v"]
    numbers = "".join(f"a,{i},{i / 7}\n" for i in range(50))  # a category column that has numbers here
    write("numbers.csv", "sequence,size,word\n" + numbers)
    code, out, err = run("predict", "m.npz", "numbers.csv")
    assert (code, len(out.splitlines())) == (0, 51)
    assert err.endswith("'word'   50 of 50 cells  '0.0', '0.14285714285714285', '0.2857142857142857'\n")


def test_a_model_whose_columns_are_described_otherwise_is_refused(run, model):
    header, arrays = read_npz(model, FORMAT)
    del header["table"]["numbers"]
    write_npz("old.npz", header, arrays)
    code, _, err = run("predict", "old.npz", "train.csv")
    assert (code, "old.npz is of another version of treecrf" in err) == (1, True)


def test_cells_that_a_spreadsheet_would_evaluate_stay_as_they_are(run, tmp_path, fit_trees):
    cells = ["=1+1", "+2", "-3a", "@SUM(A1)", '=HYPERLINK("x")']
    labels = ["=L", "@M"] * 5
    rows = pd.DataFrame({"sequence": 0, "label": labels, "=A1": cells * 2, "+x": cells[::-1] * 2})
    rows.to_csv(tmp_path / "train.csv", index=False)
    fit_trees("--iterations", 1)
    assert run("predict", "m.npz", "train.csv", "-o", "out.csv")[0] == 0
    found = pd.read_csv(tmp_path / "out.csv", dtype=str)
    pd.testing.assert_frame_equal(found[rows.columns], rows.astype(str), check_dtype=False)
    assert set(found["predicted"]) <= set(labels)


@pytest.mark.parametrize(
    "numbers",
    [
        ("1e308", "-1e308"),
        ("5e-324", "1e-310"),
        ("1.7976931348623157e308",) * 2,
        (str(2**70), str(-(2**70))),
        (str(2**63 - 1), "0"),
        ("7", "7"),
    ],
    ids=["large", "denormal", "largest", "beyond int64", "int64", "constant"],
)
@pytest.mark.parametrize("method", ["treecrf_newton", "linear_crf"])
def test_numbers_at_their_edges(run, write, numbers, method):
    """Twice the same column; labels are told by it where it is not constant."""
    lines = [
        f"{sequence},{'uv'[place % 2]},{number},{number}"
        for sequence in range(8)
        for place, number in enumerate(numbers * 3)
    ]
    write("train.csv", "\n".join(["sequence,label,x,again", *lines]) + "\n")
    code, _, err = run("fit", "train.csv", "-o", "m.npz", "--method", method, "--iterations", 5, "--window", "0,0")
    assert (code, "Traceback" in err) == (0, False)
    assert run("predict", "m.npz", "train.csv", "-o", "out.csv", "--probabilities")[0] == 0
    found = pd.read_csv("out.csv")
    assert found[["P(u)", "P(v)"]].sum(axis=1).round(9).eq(1).all()
    if numbers[0] != numbers[1]:
        assert found["predicted"].tolist() == found["label"].tolist()


@pytest.mark.parametrize("number", ["inf", "-Infinity", "1e400"])
def test_infinite_numbers_are_refused_by_line(run, write, number):
    lines = [f"{place // 5},{'uv'[place % 2]},{place / 8}" for place in range(40)]
    write("train.csv", "\n".join(["sequence,label,x", *lines, f"8,u,{number}"]) + "\n")
    code, _, err = run("fit", "train.csv", "-o", "m.npz", "--method", "treecrf_newton")
    assert code == 1
    assert err.splitlines()[-1].startswith(
        f"treecrf: table train.csv, line 42: row 40, column 'x': {number!r} is not a number"
    )
