"""The papers' FAQ files, in a small file of the same form."""

import io

import numpy as np
import pytest
import scipy.io

from treecrf_studies import datasets
from treecrf_studies.datasets import faq
from treecrf_studies.datasets.loading import DataError


def documents(n_lines=2):
    """48 documents: line `d % 24` of document d has the only feature that is true, and labels go round."""
    features, labels = np.empty((48, 1), dtype=object), np.empty((48, 1), dtype=object)
    for d in range(48):
        features[d, 0] = np.ones((24, n_lines), dtype=np.int16)
        features[d, 0][d % 24, 0] = -1
        labels[d, 0] = ((np.arange(n_lines, dtype=np.uint8) + d) % 4 + 1)[None]
    return {"X": features, "labels": labels}


def matlab(content):
    file = io.BytesIO()
    scipy.io.savemat(file, content)
    return file.getvalue()


@pytest.fixture
def own(put_raw_files):
    """A folder with the small file."""
    return put_raw_files({faq.FILE: matlab(documents())})


def test_minus_one_means_true_and_labels_count_from_one():
    parsed = faq.parse(matlab(documents()), "file")
    assert len(parsed) == 48
    for d, document in enumerate(parsed):
        assert [tuple(place) for place in np.argwhere(document.features)] == [(0, d % 24)]
        assert document.labels.tolist() == [d % 4, (d + 1) % 4]


def test_newsgroups_are_their_documents_in_order(own):
    for name, first, n_documents in (("faq_ai_general", 17, 7), ("faq_ai_neural", 30, 7), ("faq_aix", 37, 5)):
        whole = datasets.documents(name, raw=own, columns="all")
        assert whole.label_names == ("head", "question", "answer", "tail")
        assert whole.values[::2].argmax(axis=1).tolist() == [(first + i) % 24 for i in range(n_documents)]
        train, test = datasets.load(name, raw=own, columns="all")
        assert (train, test) == (whole.select(range(n_documents - 1)), whole.select([n_documents - 1]))


def test_other_documents_are_those_of_no_newsgroup(own):
    train, test = datasets.load("faq_other", raw=own, columns="all")
    found = [part.values[::2].argmax(axis=1).tolist() for part in (train, test)]
    expected = [*range(17), *range(24, 30), *range(42, 48)]
    assert found == [[d % 24 for d in expected[:20]], [d % 24 for d in expected[20:]]]
    assert [len(part) for part in datasets.load("faq_other", raw=own, n_train=5)] == [5, 24]
    with pytest.raises(ValueError, match="n_train=29: give a whole number from 1 to 28"):
        datasets.load("faq_other", raw=own, n_train=29)


def test_columns_are_chosen_and_keep_their_numbers_as_names(own):
    def names(**options):
        return [attribute.name for attribute in datasets.documents("faq_aix", raw=own, **options).attributes]

    assert names() == [f"column_{i}" for i in range(24) if i not in (8, 10, 13, 14)]
    assert names(columns="all") == [f"column_{i}" for i in range(24)]
    assert names(columns=[15, 3]) == ["column_15", "column_3"]
    chosen = datasets.documents("faq_aix", raw=own, columns=[15, 13])
    assert np.argwhere(chosen.values).tolist() == [[0, 1], [4, 0]]  # documents 37 and 39


@pytest.mark.parametrize("columns", ["none", [], [24], [-1], [1, 1], [True], [1.0], None, 3, {"a": 1}])
def test_columns_that_are_not_there_are_refused(own, columns):
    with pytest.raises(ValueError, match=r"columns=.*: give 'papers', 'all' or a list of different whole numbers from"):
        datasets.documents("faq_aix", raw=own, columns=columns)


def damaged(change):
    content = documents()
    change(content)
    return matlab(content)


def put(name, place, value):
    def change(content):
        content[name][3, 0][place] = value

    return change


def cut(name):
    def change(content):
        content[name][3, 0] = content[name][3, 0][:, :-1]

    return change


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "file: cannot be read as a MATLAB file"),
        (b"not a MATLAB file" * 20, "file: cannot be read as a MATLAB file"),
        (matlab(documents())[:-2000], "file: cannot be read as a MATLAB file"),
        (damaged(lambda content: content.pop("labels")), "file: labels is not an array of 48 cells"),
        (damaged(lambda content: content.update(X=content["X"][:47])), "file: X is not an array of 48 cells"),
        (damaged(lambda content: content.update(X=np.ones((48, 1)))), "file: X is not an array of 48 cells"),
        (damaged(put("X", (5, 1), 0)), "file: document 3 has a feature that is neither 1 nor -1"),
        (damaged(put("labels", (0, 1), 5)), "file: document 3 has a label that is none of 1 to 4"),
        (damaged(put("labels", (0, 1), 0)), "file: document 3 has a label that is none of 1 to 4"),
        (damaged(cut("X")), r"file: document 3 has features of shape \(24, 1\) and labels of shape \(1, 2\)"),
        (damaged(cut("labels")), r"file: document 3 has features of shape \(24, 2\) and labels of shape \(1, 1\)"),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(data, problem):
    with pytest.raises(DataError, match=f"^{problem}; the file is damaged or another version: get it again.$"):
        faq.parse(data, "file")
