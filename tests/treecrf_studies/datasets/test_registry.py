"""The front of the data sets: names, descriptions, options, groups, and what goes wrong."""

import hashlib
import inspect
import json
import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from builders import ROOT, letters, words_of

from treecrf.statistics.selection import generator
from treecrf_studies import datasets
from treecrf_studies.datasets import faq, nettalk, sectlabel
from treecrf_studies.datasets.description import describe_sets
from treecrf_studies.datasets.download import raw_files

FILE_SETS = [name for name in datasets.names() if datasets.describe(name).kind == "files"]


@pytest.mark.parametrize("name", datasets.names())
def test_draws_are_options_of_the_loader(name):
    entry = datasets.describe(name)
    options = entry.draw(3)
    if entry.n_folds > 1:
        assert options == {"fold": 3, "seed": 0}
        assert entry.draw(2 * entry.n_folds + 1) == {"fold": 1, "seed": 2}
    else:
        assert options == ({"seed": 3} if entry.is_drawn else {})
    taken = inspect.signature(entry.loader).parameters
    is_open = any(one.kind is one.VAR_KEYWORD for one in taken.values())
    assert is_open or set(options) <= set(taken)


def test_unknown_name():
    with pytest.raises(ValueError, match=r"data set 'proteins' is not known; choose one of protein, nettalk, "):
        datasets.load("proteins")


@pytest.mark.parametrize(
    ("load", "name"), [(datasets.load, "hmm"), (datasets.load, "xor"), (partial(datasets.load_splits, seed=0), "xor")]
)
def test_unknown_option(load, name):
    with pytest.raises(
        ValueError, match=rf"data set '{name}': got an unexpected keyword argument 'lenght'; leave that"
    ):
        load(name, lenght=3)


def test_documents_only_where_one_is_left_out():
    with pytest.raises(ValueError, match="data set 'hmm' has a training and a test set and no list of documents"):
        datasets.documents("hmm")


@pytest.mark.parametrize("name", FILE_SETS)
def test_absent_files(name, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        datasets.load(name, raw=tmp_path)
    message = str(caught.value)
    assert str(tmp_path) in message
    assert "\n" not in message
    assert message.endswith(".")


def test_default_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREECRF_MIRROR", raising=False)
    with pytest.raises(FileNotFoundError, match=r"is not in data/raw; set TREECRF_MIRROR"):
        datasets.load("protein")
    monkeypatch.setenv("TREECRF_MIRROR", str(tmp_path / "copies"))
    with pytest.raises(FileNotFoundError, match=r"is not in \S+copies; "):
        datasets.load("protein")


@pytest.mark.parametrize("name", FILE_SETS)
@pytest.mark.parametrize("change", ["cut", "altered", "empty"])
def test_altered_files_are_refused(name, change, mirror, tmp_path):
    for file in datasets.describe(name).files:
        content = (mirror / file).read_bytes()
        if file == datasets.describe(name).files[-1]:
            cut = content[: content.index(b"\n", len(content) // 2) + 1] if content.count(b"\n") > 1 else content[:-50]
            content = {"cut": cut, "altered": content[:500] + b"~" + content[501:], "empty": b""}[change]
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError, match="the file is damaged or another version: get it again") as caught:
        datasets.load(name, raw=tmp_path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / datasets.describe(name).files[-1]) in str(caught.value)


# --- the registry of raw files ----------------------------------------------------------------------


def test_registry_is_complete():
    files = raw_files()
    rows = json.loads((ROOT / "src/treecrf_studies/datasets/raw_files.json").read_bytes())
    assert len(files) == len(rows) == 57  # no path appears twice
    assert all(set(row) == {"path", "bytes", "sha256", "addresses"} for row in rows)
    assert sum(file.bytes for file in files.values()) == 24_822_673
    for file in files.values():
        assert re.fullmatch(r"[a-z0-9_]+(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+", file.path)
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert len(set(file.addresses)) == len(file.addresses) >= 1
        assert all(address.startswith(("https://", "http://")) for address in file.addresses)


def test_mirror_holds_what_the_registry_says(mirror):
    for file in raw_files().values():
        content = (mirror / file.path).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file.bytes, file.sha256), file.path


# --- sets made from files of our own -----------------------------------------------------------------


@pytest.fixture
def own(data, put_raw_files):
    """A folder of raw files with invented contents."""
    contents = {
        "protein/protein-secondary-structure.train": "protein.data",
        "protein/protein-secondary-structure.test": "protein.data",
        "nettalk/nettalk.data": "nettalk.data",
        "hyphenation/sparse.hyphen.6.train": "hyphen.sparse",
        "hyphenation/sparse.hyphen.6.test": "hyphen.sparse",
        "hyphenation/mhyph.txt": "mhyph.txt",
        "sectlabel/sectLabel.tagged.txt": "sectlabel.txt",
        "conll2000/train.txt": "chunks.txt",
        "conll2000/test.txt": "chunks.txt",
        "ocr/train_struct.txt": "letters.txt",
        "ocr/test_struct.txt": "letters.txt",
        "prosody/dev.txt": "prominence.txt",
        "prosody/test.txt": "prominence.txt",
        **dict.fromkeys(faq.PERL_FILES, "perlfaq.pod"),
        **dict.fromkeys(faq.X_FILES, "xfaq.txt"),
    }
    return put_raw_files({path: (data / name).read_bytes() for path, name in contents.items()})


@pytest.mark.parametrize(
    ("name", "options", "sizes"),
    [
        ("protein", {}, (4, 4)),
        ("nettalk", {"n_train": 3, "n_test": 2}, (3, 2)),
        ("nettalk_full", {"n_train": 3, "n_test": 2}, (3, 2)),
        ("nettalk_binary", {"n_train": 3, "n_test": 2}, (3, 2)),
        ("hyphen", {}, (3, 3)),
        ("hyphen_moby", {"n_train": 2, "n_test": 1}, (2, 1)),
        ("faq_perl", {}, (8, 1)),
        ("faq_x", {}, (4, 1)),
        ("sectlabel", {"n_train": 1}, (1, 1)),
        ("sectlabel", {"n_train": 1, "labels": "all"}, (1, 1)),
        ("conll2000_np", {"n_train": 3, "n_test": 1}, (3, 1)),
        ("ocr", {}, (2, 10)),
        ("ocr", {"fold": 9, "inputs": "numbers"}, (1, 11)),
        ("ocr_half", {}, (6, 6)),
        ("prosody", {"n_sentences": 7}, (5, 2)),
    ],
)
def test_load(own, name, options, sizes):
    train, test = datasets.load(name, raw=own, **options)
    assert (len(train), len(test)) == sizes
    assert train.attributes == test.attributes
    assert train.label_names == test.label_names
    assert not train.has_missing


def test_nettalk_binary_has_the_same_words(own):
    five, _ = datasets.load("nettalk", raw=own, n_train=3, n_test=2)
    two, _ = datasets.load("nettalk_binary", raw=own, n_train=3, n_test=2)
    assert np.array_equal(five.values, two.values)
    assert five.label_names == ("0", "1", "2", "<", ">")
    assert np.array_equal(two.labels == 1, np.isin(five.labels, (1, 2)))


def test_nettalk_full_has_the_same_words(own):
    """Labels are the phoneme and the stress of a letter, numbered as they occur, those of the training words first."""
    five = datasets.load("nettalk", raw=own, n_train=3, n_test=2)
    full = datasets.load("nettalk_full", raw=own, n_train=3, n_test=2)
    entries = nettalk.distinct_words(nettalk.parse((own / nettalk.FILES[0]).read_bytes(), "file"))
    pairs = {entry.word: list(map("".join, zip(entry.phonemes, entry.stress, strict=True))) for entry in entries}
    names = []
    for one, other in zip(five, full, strict=True):
        assert np.array_equal(one.values, other.values)
        found = [other.label_names[code] for code in other.labels]
        assert found == [pair for word in words_of(other) for pair in pairs[word]]
        names += found
    assert full[0].label_names == full[1].label_names == tuple(dict.fromkeys(names))


def test_seed_decides_the_words(own):
    draws = [datasets.load("nettalk", raw=own, n_train=3, n_test=2, seed=seed)[0] for seed in (0, 0, *range(1, 6))]
    assert draws[0] == draws[1]
    assert any(other != draws[0] for other in draws[2:])


@pytest.mark.parametrize("name", ["nettalk", "hyphen_moby"])
def test_too_many_words(own, name):
    with pytest.raises(ValueError, match=r"1000 \+ 1 words are asked for and there are \d; ask for fewer"):
        datasets.load(name, raw=own, n_train=1000, n_test=1)
    with pytest.raises(ValueError, match="n_train=0: give a whole number from 1 on"):
        datasets.load(name, raw=own, n_train=0, n_test=1)


def test_a_draw_of_splits_is_a_fold_of_a_seed(own):
    train, validation, test = datasets.load_splits("ocr_half", raw=own, seed=1)
    assert [len(part) for part in (train, validation, test)] == [4, 2, 6]
    for options in ({}, {"by": "speaker"}):
        splits = datasets.load_splits("prosody", raw=own, seed=7, n_sentences=7, **options)
        assert splits.test == datasets.load("prosody", raw=own, fold=2, seed=1, n_sentences=7, **options)[1]
    chosen = datasets.load_splits("prosody", raw=own, seed=7, n_sentences=7, fold=0)
    assert chosen.test == datasets.load("prosody", raw=own, fold=0, seed=1, n_sentences=7)[1]


def test_documents(own):
    documents = datasets.documents("faq_x", raw=own)
    assert len(documents) == 5
    assert len(documents.attributes) == 20
    train, test = datasets.load("faq_x", raw=own)
    assert train == documents.select(range(4))
    assert test == documents.select([4])


def test_sectlabel_labels(own):
    merged, _ = datasets.load("sectlabel", raw=own, n_train=1)
    assert merged.label_names == ("front_matter", "heading", "body", "back_matter")
    assert merged.labels.tolist() == [0, 0, 1, 2, 2, 3]
    every, _ = datasets.load("sectlabel", raw=own, n_train=1, labels="all")
    assert len(every.label_names) == 24
    assert np.array(every.label_names)[every.labels].tolist()[:3] == ["title", "author", "sectionHeader"]
    mine = {tag: "reference" if tag == "reference" else "other" for tag in sectlabel.MERGE}
    two, _ = datasets.load("sectlabel", raw=own, n_train=1, labels=json.loads(json.dumps(mine)))
    assert two.label_names == ("other", "reference")
    with pytest.raises(ValueError, match="give 'merged', 'all' or a name for each of title, author"):
        datasets.load("sectlabel", raw=own, n_train=1, labels={"title": "x"})
    with pytest.raises(ValueError, match="n_train=2: give a whole number from 1 to 1"):
        datasets.load("sectlabel", raw=own, n_train=2)


def test_features_are_an_option(own):
    train, _ = datasets.load("faq_x", raw=own, features=["blank", "contains-http"])
    assert [attribute.name for attribute in train.attributes] == ["blank", "contains-http"]
    with pytest.raises(ValueError, match="line feature 'blink' is not known; choose from begins-with-number"):
        datasets.load("faq_x", raw=own, features=["blink"])
    assert len(faq.DEFAULT_FEATURES) == 20


# --- seeds ------------------------------------------------------------------------------------------


def test_generators_of_other_names_draw_otherwise():
    draws = {
        (names, seed): tuple(generator(*names, seed=seed).integers(0, 1 << 60, 2))
        for names in (("a", "b"), ("ab",), ("b", "a"), ("a",))
        for seed in (0, 1)
    }
    assert len(set(draws.values())) == len(draws)
    assert tuple(generator("a", "b", seed=0).integers(0, 1 << 60, 2)) == draws[("a", "b"), 0]
    for seed in (-1, 1.5, None):
        with pytest.raises(ValueError, match="give a whole number from 0 on"):
            generator("a", seed=seed)


def test_import_is_light():
    heavy = "{'pandas', 'pooch', 'requests', 'pyphen', 'pyarrow', 'scipy'}"
    code = (
        "import sys; before = set(sys.modules); import treecrf.sequences; import importlib.util as u;"
        f"import treecrf; base = set(sys.modules); import treecrf_studies.datasets; print({heavy} & (set(sys.modules) "
        "- base))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_relatives_are_found_across_both_sets_and_settings_change_them():
    train, test = datasets.load("hmm", n_train=5, n_test=5)
    assert len({*train.groups, *test.groups}) == 10
    train, test = datasets.load("hmm", n_train=5, n_test=5, groups={"length": 1, "share": 0})
    assert len({*train.groups, *test.groups}) < 10
    assert set(train.groups) & set(test.groups)


def test_a_column_of_a_table_tells_which_sequences_are_related(tmp_path):
    lines = [f"{sequence},{letter},{sequence % 4},u" for sequence in range(12) for letter in "ab"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["sequence,letter,person,label", *lines]))
    train, test = datasets.load("table", path=path, groups="person")  # all sequences are copies
    assert (len(set(train.groups)), len(set(test.groups))) == (3, 1)
    assert not set(train.groups) & set(test.groups)
    assert [attribute.name for attribute in train.attributes] == ["letter"]
    splits = datasets.load_splits("table", seed=0, path=path, groups="person")
    assert [len(set(part.groups)) for part in splits] == [2, 1, 1]


def test_proteins_have_the_groups_of_their_description(mirror):
    train, test = datasets.load("protein", raw=mirror)
    assert (len(set(train.groups)), len(set(test.groups))) == (86, 17)
    assert not set(train.groups) & set(test.groups)
    for pair in ((16, 88), (67, 107), (82, 84), (101, 102)):
        assert len(set(train.groups[list(pair)])) == 1


def test_a_description_counts_relatives_by_other_rules():
    train, test = letters("abbab", "abbab", "bbbbb"), letters("abbba", "abbab")
    described = describe_sets("words", datasets.describe("hyphen"), (1, 1), train, test)
    assert (described["train"]["groups"], described["test"]["groups"]) == (3, 2)  # as the sets say
    copies, many, some = described["relatives"]
    assert (copies["groups"], copies["related_tests"]) == (2, 1)
    assert (many["groups"], many["related_tests"]) == (2, 1)
    assert (some["groups"], some["related_tests"]) == (2, 1)


def test_the_average_length_is_that_of_all_sets_that_train():
    """Where each document is a test set in turn, each trains too: PhD table 3.6."""
    train, test = letters("abba"), letters("abbaabba")
    lengths = [
        describe_sets("x", datasets.describe(name), (0, 0), train, test)["average_length"]
        for name in ("hyphen", "faq_aix")
    ]
    assert lengths == [3.0, 5.0]
