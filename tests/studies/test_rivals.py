"""The file of rivals: everything comes back as it was, and what does not fit is refused."""

import re

import numpy as np
import pandas as pd
import pytest

from treecrf import datasets
from treecrf.missing import inject
from treecrf.sequences import MISSING, Attribute, SequenceSet
from treecrf.studies.missing.jobs import damage
from treecrf.studies.missing.settings import MissingSettings
from treecrf.studies.missing.shared import shared as holes_of
from treecrf.studies.rivals import Found, RivalJob, Rivals, given_to, set_digest, write_rivals
from treecrf.studies.training.jobs import compare_method
from treecrf.studies.training.settings import TrainingSettings
from treecrf.studies.training.shared import shared as folds_of

TREE, LINEAR = (RivalJob("training", "compare_method", "hmm", method) for method in ("treecrf", "linear_crf"))
SHARED = RivalJob("missing", "shared", "hmm")
SETTINGS = MissingSettings(rates=[0.0, 0.25], n_training_sets=2, n_test_sets=1)

FRAMES = {
    "folds": pd.DataFrame({"method": ["treecrf"] * 3, "fold": [0, 1, 2], "rate": [0.1, np.nan, 0.3], "ok": [True, False, True]}),
    "choice": pd.DataFrame({"method": pd.Categorical(["treecrf"]), "rate": [5], "note": [None], "fold": [0.5]}),
    "notes": pd.DataFrame({"method": pd.Series(dtype=str), "count": pd.Series(dtype=np.int16)}),
}  # fmt: skip


@pytest.fixture(scope="module")
def sets():
    return datasets.load("hmm", n_train=20, n_test=6)


@pytest.fixture
def file(tmp_path, sets):
    path = tmp_path / "rivals.parquet"
    given = {"n_folds": 3, "window": [1, 1], "nested": {"rates": [1, 2]}}
    found = [
        Found(SHARED, {}, {"train": "a"}, holes_of("hmm", *sets, SETTINGS, 0)),
        Found(TREE, given, {"train": "a", "test": "b"}, FRAMES),
        Found(LINEAR, given, {"train": "a", "test": "b"}, {"notes": FRAMES["notes"]}),
    ]
    write_rivals(path, found, {"commit": "c", "date": "today"})
    return path


def test_frames_come_back_as_they_were(file, sets):
    rivals = Rivals(file)
    assert rivals.jobs == [SHARED, TREE, LINEAR]
    assert rivals.origin == {"commit": "c", "date": "today"}
    for name, frame in rivals.frames(TREE).items():
        pd.testing.assert_frame_equal(frame, FRAMES[name])
    assert list(rivals.frames(LINEAR)) == ["notes"]
    assert TREE in rivals
    assert TREE._replace(method="memm") not in rivals


def test_the_outcome_of_a_job_comes_back_as_it_was(tmp_path, sets):
    settings = TrainingSettings(datasets=["hmm"], methods=["lightgbm"], n_iterations=4, n_folds=2, n_perturbed_runs=2)
    outcome = compare_method("hmm", *sets, "split", (1, 1), "lightgbm", settings, 0)._asdict()
    write_rivals(tmp_path / "file", [Found(TREE, {}, {}, outcome)], {})
    for name, frame in Rivals(tmp_path / "file").frames(TREE).items():
        pd.testing.assert_frame_equal(frame, outcome[name])


def test_anybody_can_read_it(file, sets):
    frame = pd.read_parquet(file)
    holes = frame[(frame["job"] == "missing/shared/hmm") & (frame["frame"] == "holes")]
    assert holes["side"].tolist() == ["train", "train", "test"]
    train, _ = sets
    values = train.values.copy()
    values[holes["observations"].iloc[1], holes["columns"].iloc[1]] = MISSING
    assert (values == damage(train, "hmm", 0.25, "train", 1).values).all()


def test_folds_hold_out_every_sequence_once(sets):
    folds = folds_of("hmm", *sets, "split", TrainingSettings(datasets=["hmm"], n_folds=4), 0)["folds"]
    assert sorted(folds["sequence"]) == list(range(20))
    assert set(folds["fold"]) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"n_folds": 5}, "treecrf of training on hmm was run with n_folds: 3, and here it is 5"),
        ({"window": (2, 1)}, "was run with window: [1, 1], and here it is [2, 1]"),
        ({"nested": {"rates": [1]}}, "was run with rates: [1, 2], and here it is [1]"),
        ({"more": 1}, "was run with more: None, and here it is 1"),
    ],
)
def test_other_settings_are_refused(file, given, sentence):
    right = {"n_folds": 3, "window": (1, 1), "nested": {"rates": [1, 2]}}
    rivals = Rivals(file)
    rivals.refuse_other_settings(TREE, right)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        rivals.refuse_other_settings(TREE, right | given)


def test_other_data_are_refused(file):
    rivals = Rivals(file)
    rivals.refuse_other_data(TREE, {"train": "a", "test": "b"})
    with pytest.raises(ValueError, match="the test set of hmm is not the one that"):
        rivals.refuse_other_data(TREE, {"train": "a", "test": "c"})


def test_other_holes_are_refused(file, sets):
    rivals = Rivals(file)
    rivals.refuse_other_parts(SHARED, holes_of("hmm", *sets, SETTINGS, 0))
    rivals.refuse_other_parts(SHARED._replace(dataset="xor"), {})
    with pytest.raises(ValueError, match="the holes of hmm are not those that"):
        rivals.refuse_other_parts(SHARED, holes_of("hmm", *sets, SETTINGS, 1))


@pytest.mark.parametrize("content", [None, b"", b"nothing", "frame"])
def test_what_is_no_such_file(tmp_path, content):
    path = tmp_path / "file.parquet"
    if content == "frame":
        FRAMES["folds"].to_parquet(path)
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises((ValueError, FileNotFoundError), match=r"rivals: .*make rivals\.$"):
        Rivals(path)


def test_a_digest_is_of_everything(sets):
    train, _ = sets
    numbers = train.with_numbers(np.arange(len(train.values))[:, None], ("n",))
    others = [
        train, train.select(range(19)), inject(train, 0.1, np.random.default_rng(0)), train.with_groups([0] * 20), numbers,
        numbers.with_numbers(-numbers.numbers), train.with_labels(train.labels[::-1]), train.with_labels(None),
        train.with_values(train.values, [Attribute("other", a.categories) for a in train.attributes]),
    ]  # fmt: skip
    assert len({set_digest(data) for data in others}) == len(others)
    assert set_digest(SequenceSet.concatenate([train])) == set_digest(train)


def test_what_a_job_was_given_is_of_one_method_alone():
    values = {"settings": {"a": {"x": 1}, "b": {"x": 2}}, "seed": 0, "own_code": [1], "imported": ["a"]}
    assert given_to(values, "b") == {"x": 2, "seed": 0}
