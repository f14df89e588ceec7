"""The real raw files: counts that were measured independently of this code, and accuracies."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from builders import words_of
from smile_files import encode

from treecrf import TreeCRF
from treecrf.sequences import slot_sizes, window_codes
from treecrf_studies import datasets
from treecrf_studies.datasets import faq, hyphenation, nettalk, sectlabel


@pytest.fixture(scope="module")
def load(mirror):
    return lambda name, **options: datasets.load(name, raw=mirror, **options)


def read(mirror, name):
    return (mirror / name).read_bytes()


def counts(data):
    return dict(zip(data.label_names, np.bincount(data.labels).tolist(), strict=True))


def test_protein(load):
    train, test = load("protein")
    assert (len(train), train.n_positions) == (111, 18_105)
    assert (len(test), test.n_positions) == (17, 3_520)
    assert counts(train) == {"_": 9868, "e": 3636, "h": 4601}
    assert counts(test) == {"_": 1923, "e": 748, "h": 849}
    assert (train.lengths.min(), round(train.lengths.mean(), 1), train.lengths.max()) == (11, 163.1, 498)
    assert (test.lengths.min(), round(test.lengths.mean(), 1), test.lengths.max()) == (35, 207.1, 461)
    assert slot_sizes(train.attributes, datasets.describe("protein").window).sum() == 231


@pytest.mark.parametrize(("part", "name"), [(0, "train"), (1, "test")])
def test_protein_equals_the_copy_in_smile(mirror, load, part, name):
    ours = load("protein")[part]
    content = read(mirror, f"protein/sparse.protein.11.{name}")
    rows = np.array([row.split() for row in content.decode().splitlines()[1:]], dtype=np.int64)
    assert np.array_equal(window_codes(ours, (5, 5)), rows[:, 3:14] - 21 * np.arange(11))
    assert np.array_equal(ours.labels, rows[:, 14])
    assert np.array_equal(np.repeat(np.arange(len(ours)), ours.lengths) + 1, rows[:, 0])
    assert encode(ours, (5, 5)) == content


def test_nettalk(mirror, load):
    entries = nettalk.parse(read(mirror, nettalk.FILES[0]), nettalk.FILES[0])
    assert len(entries) == 20_007
    distinct = nettalk.distinct_words(entries)
    assert len(distinct) == 19_802 - 1  # gunpowder is a word too
    assert Counter(Counter(entry.word for entry in entries).values()) == {1: 19_596, 2: 204, 3: 1}
    # Without gunpowder: 9 letters less, and a "0" that is its class.
    assert sum(len(entry.word) for entry in entries) == 146_943 - 9
    stresses = Counter("".join(entry.stress for entry in entries))
    assert stresses == {"<": 50_855, ">": 45_271, "0": 24_001 - 1, "1": 20_354, "2": 6_454}
    assert len({pair for entry in entries for pair in zip(entry.phonemes, entry.stress, strict=True)}) == 163
    assert sorted(entry.word for entry in entries if len(entry.word) == 1) == ["i", "o"]
    assert {"aweigh", "barrow", "barter"} <= {entry.word for entry in distinct}
    assert {entry.word: entry.stress for entry in distinct}["abandon"] == "0>1<>0<"
    train, test = load("nettalk")
    assert (len(train), len(test)) == (1000, 1000)
    assert slot_sizes(train.attributes, datasets.describe("nettalk").window).sum() == 351
    words = [words_of(part) for part in (train, test)]
    assert len({*words[0], *words[1]}) == 2000


def test_nettalk_full(load):
    """Labels of training and test words, counted once by a set of pairs over the drawn words."""
    for seed, n_labels in enumerate((133, 135, 131, 131, 133, 132)):
        train, test = load("nettalk_full", seed=seed)
        assert len(train.label_names) == n_labels == len(np.unique(np.concatenate([train.labels, test.labels])))
        n_known = len(np.unique(train.labels))
        assert train.labels.max() == n_known - 1
        assert 0.0004 < (test.labels >= n_known).mean() < 0.0033
        for full, five in zip((train, test), load("nettalk", seed=seed), strict=True):
            assert words_of(full) == words_of(five)
            stresses = np.array([name[1] for name in full.label_names])
            assert np.array_equal(stresses[full.labels], np.array(five.label_names)[five.labels])


def test_hyphen(load):
    train, test = load("hyphen")
    assert (len(train), train.n_positions, int(train.labels.sum())) == (1951, 12_049, 2_682)
    assert (len(test), test.n_positions, int(test.labels.sum())) == (908, 5_836, 1_311)
    for part, plain, longest, mean in ((train, 421, 17, 7.18), (test, 196, 18, 7.43)):
        hyphens = np.add.reduceat(part.labels, part.offsets[:-1])
        letters = np.diff(part.observation_offsets)
        assert (hyphens == 0).sum() == plain
        assert (letters.min(), round(letters.mean(), 2), letters.max()) == (2, mean, longest)
        assert (letters == part.lengths + 1).all()
    words = [words_of(train), words_of(test)]
    assert len({*words[0], *words[1]}) == 1951 + 908
    assert (words[1][46], words[1][-1]) == ("aardvark", "zinnia")
    assert slot_sizes(train.attributes, datasets.describe("hyphen").window).sum() == 162


@pytest.mark.parametrize("file", hyphenation.FILES)
def test_hyphen_comes_back_to_the_same_bytes(mirror, file):
    content = read(mirror, file)
    assert encode(hyphenation.decode(content, file), hyphenation.WINDOW) == content


def test_hyphen_moby(mirror, load):
    content = read(mirror, hyphenation.MOBY_FILES[0])
    assert (content.count(b"\r\n"), content.count(b"\xa5")) == (187_175, 424_457)
    words = hyphenation.parse_moby(content, hyphenation.MOBY_FILES[0])
    # 137,296 spellings of a-z, 1,435 with conflicting points; one more lost a letter before a point.
    assert len(words) == 137_296 - 1_435 - 1
    assert len({"".join(word) for word in words}) == len(words)
    train, test = load("hyphen_moby")
    assert (len(train), len(test)) == (1951, 908)
    large, _ = load("hyphen_moby", n_train=20_000)
    assert len(large) == 20_000


FAQ_SETS = ("faq_ai_general", "faq_ai_neural", "faq_aix")


def test_faq_documents_have_the_measured_lines_and_labels(mirror):
    parsed = faq.parse(read(mirror, faq.FILE), faq.FILE)
    assert sum(len(document.labels) for document in parsed) == 62_497
    assert Counter(np.concatenate([document.labels for document in parsed]).tolist()) == {
        0: 4_212,
        1: 1_452,
        2: 54_987,
        3: 1_846,
    }
    everything = [len(document.labels) for document in parsed]
    own = [datasets.documents(name, raw=mirror) for name in FAQ_SETS]
    assert [len(documents) for documents in own] == [7, 7, 5]
    assert [round(documents.lengths.mean()) for documents in own] == [1558, 1821, 1792]
    lengths = [length for documents in own for length in documents.lengths.tolist()]
    lengths += [length for part in datasets.load("faq_other", raw=mirror) for length in part.lengths.tolist()]
    assert sorted(lengths) == sorted(everything)


def test_faq_features_are_what_the_module_says(mirror):
    parsed = faq.parse(read(mirror, faq.FILE), faq.FILE)
    features = np.concatenate([document.features for document in parsed])
    assert not features[:, [13, 14]].any()
    assert np.array_equal(features[:, 6], ~features[:, 7])
    for repeated, column in ((8, 7), (10, 9), (14, 13)):
        for document in parsed:
            assert np.array_equal(document.features[1:, repeated], document.features[:-1, column])
            assert not document.features[0, repeated]
    together = features.astype(int).T @ features
    for column, implied in ((4, 0), (17, 2), (18, 2), (3, 9), (9, 22)):
        assert together[column, implied] == together[column, column], (column, implied)
    assert together[17, 18] == together[15, 2] == 0
    assert np.flatnonzero(together[7]).tolist() == [2, 7, 8, 10, 12, 19, 20]


def test_eleven_of_twenty_faq_features_are_rarely_true(mirror):
    documents = datasets.documents("faq_ai_general", raw=mirror)
    assert len(documents.attributes) == 20
    assert (documents.values.mean(axis=0) < 0.1).sum() == 11


def test_the_seventh_faq_file_tests_where_six_train(load):
    train, test = load("faq_ai_general")
    assert train.lengths.tolist() == [1427, 1914, 1569, 2066, 1017, 1439]
    assert test.lengths.tolist() == [1477]
    assert [len(part) for part in load("faq_other")] == [20, 9]


def test_faq_perl(mirror, load):
    documents = datasets.documents("faq_perl", raw=mirror)
    assert len(documents) == 9
    assert len(documents.attributes) == 20
    per_file = []
    for name in faq.PERL_FILES:
        lines = faq.pod_lines(read(mirror, name), name)
        per_file.append(sum(label == "question" for label, _ in lines))
        text = [line for _, line in lines if line[:1].strip()]
        assert not any(line.startswith("=") for line in text)
        assert all(line.strip() for label, line in lines if label == "question")
        assert lines[0] == ("head", "NAME")
        assert [label for label, _ in lines if label == "tail"]
    assert per_file == [14, 15, 28, 80, 42, 24, 31, 51, 21]
    assert counts(documents)["question"] == 306
    train, test = load("faq_perl")
    assert (len(train), len(test)) == (8, 1)
    assert test == documents.select([8])


def test_faq_x(mirror, load):
    documents = datasets.documents("faq_x", raw=mirror)
    assert documents.lengths.tolist() == [953, 944, 1013, 984, 906]
    found = [[int((documents.select([i]).labels == label).sum()) for i in range(5)] for label in range(len(faq.LABELS))]
    assert found == [[212, 18, 18, 19, 19], [24, 34, 22, 39, 34], [709, 883, 965, 918, 844], [8, 9, 8, 8, 9]]
    assert [len(part) for part in load("faq_x")] == [4, 1]


def test_sectlabel(mirror, load):
    papers = sectlabel.parse(read(mirror, sectlabel.FILES[0]), sectlabel.FILES[0])
    lengths = [len(paper) for paper in papers]
    assert (len(papers), sum(lengths), min(lengths), max(lengths)) == (40, 37_821, 372, 1_490)
    assert Counter(tag for paper in papers for tag, _ in paper) == {
        "bodyText": 25_071,
        "reference": 3_966,
        "figure": 2_175,
        "listItem": 1_308,
        "table": 1_098,
        "equation": 835,
        "figureCaption": 472,
        "sectionHeader": 463,
        "footnote": 364,
        "page": 347,
        "subsectionHeader": 323,
        "tableCaption": 228,
        "construct": 227,
        "copyright": 188,
        "note": 148,
        "affiliation": 108,
        "subsubsectionHeader": 78,
        "category": 73,
        "title": 68,
        "keyword": 68,
        "author": 66,
        "email": 64,
        "address": 64,
        "none": 19,
    }
    merged, every = load("sectlabel"), load("sectlabel", labels="all")
    assert [len(part) for part in merged] == [len(part) for part in every] == [30, 10]
    assert sum(part.n_positions for part in merged) == 37_821
    assert (len(merged[0].label_names), len(every[0].label_names)) == (4, 24)
    assert any("\t" in line for paper in papers for _, line in paper)


SETTINGS = {"protein": (20.0, 142), "nettalk": (40.0, 200), "hyphen": (20.0, 58)}
PROTOTYPE = {"protein": (63.7, 1.2), "nettalk": (85.2, 0.6), "hyphen": (92.1, 0.5)}

OTHER_WORDS = pytest.mark.xfail(
    reason="a finding: 85.80 on our draw of words, 85.66 to 86.76 over five draws; the prototype drew others",
    strict=False,
)


@cache
def mean_percent(mirror, name):
    """Mean over ten perturbed runs."""
    l2_regularization, n_iterations = SETTINGS[name]
    train, test = datasets.load(name, raw=mirror)
    window = datasets.describe(name).window
    runs = [
        TreeCRF(n_iterations, 100, l2_regularization, window, random_state=seed, n_threads=2).fit(train).score(test)
        for seed in range(10)
    ]
    assert len(set(runs)) > 1
    return 100 * np.mean(runs)


@pytest.mark.parametrize("name", PROTOTYPE)
def test_accuracy_is_not_below_the_prototypes(mirror, name):
    percent, tolerance = PROTOTYPE[name]
    assert mean_percent(mirror, name) >= percent - tolerance


@pytest.mark.parametrize("name", ["protein", pytest.param("nettalk", marks=OTHER_WORDS), "hyphen"])
def test_accuracy_is_not_above_the_prototypes(mirror, name):
    percent, tolerance = PROTOTYPE[name]
    assert mean_percent(mirror, name) <= percent + tolerance
