"""Derived inputs against slow ones, and what they promise."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from naive_derived import derived
from numpy.testing import assert_array_equal

from treecrf import MISSING, Attribute, LinearCRF, SequenceSet, TreeCRF, load
from treecrf.estimators.conversion import Given
from treecrf.inputs import DerivedInputs
from treecrf.inputs.derived import (
    DIFFERENCES,
    STATISTICS,
    differences,
    rolling_statistics,
)
from treecrf.inputs.times import FORMS, epoch_of, form_of
from treecrf.models.pipelines import DerivingLabeller


def numbers_of(seed, lengths=(7, 1, 0, 30), share_missing=0.3):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=sum(lengths))
    numbers[rng.random(len(numbers)) < share_missing] = np.nan
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return numbers, offsets, [numbers[a:b].tolist() for a, b in pairwise(offsets)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("before", "after"), [(1, 1), (4, 4), (8, 0), (12, 12), (2, 1)])
def test_rolling_statistics_are_those_of_each_window(seed, before, after):
    numbers, offsets, sequences = numbers_of(seed)
    statistics = rolling_statistics(numbers, offsets, before, after)
    for kind in STATISTICS:
        np.testing.assert_allclose(statistics[kind], derived(sequences, kind, before, after), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kind", DIFFERENCES)
def test_changes_stay_within_sequences(kind):
    numbers, offsets, sequences = numbers_of(1)
    assert_array_equal(differences(numbers, offsets, DIFFERENCES[kind]), derived(sequences, kind, 0, 0))


def test_a_chunk_of_windows_changes_nothing(monkeypatch):
    numbers, offsets, _ = numbers_of(2)
    whole = rolling_statistics(numbers, offsets, 4, 4)
    monkeypatch.setattr("treecrf.inputs.derived.CHUNK", 20)
    for kind, column in rolling_statistics(numbers, offsets, 4, 4).items():
        assert_array_equal(column, whole[kind])


WORDS = ["Apollo-11", "landed", "LANDED", "in", "1969", "", "landing"]


def word_set(words=WORDS, labels=None):
    names = sorted(set(words) - {""})
    codes = [names.index(word) if word else MISSING for word in words]
    return SequenceSet(
        np.array(codes)[:, None],
        [0, len(words) // 2 + 1, len(words)],
        (Attribute("word", tuple(names)),),
        labels,
        ("A", "B"),
    )


def restored(name, *kinds):
    """Inputs that derive these columns, whether or not they tell something new."""
    return DerivedInputs().restore({name: "category"}, [(name, *kind) for kind in kinds])


PARTS = restored("word", ("lower", 0), ("suffix", 3), ("prefix", 2), ("shape", 0), ("digits", 0), ("place", 0))


@pytest.mark.parametrize("kind", [("mean", 3), ("other", 0), ("suffix", -1), ("suffix", 0), ("shape", 2)])
def test_unknown_derivations_are_not_restored(kind):
    with pytest.raises(ValueError, match="is of no known kind"):
        restored("word", kind)


def column(data, name):
    place = [attribute.name for attribute in data.attributes].index(name)
    names = np.array([*data.attributes[place].categories, None], dtype=object)
    return names[data.values[:, place]].tolist()


def test_parts_of_words():
    data = PARTS.transform(word_set())
    assert column(data, "word: lower case") == ["apollo-11", "landed", "landed", "in", "1969", None, "landing"]
    assert column(data, "word: suffix of 3") == ["-11", "ded", "ded", "in", "969", None, "ing"]
    assert column(data, "word: prefix of 2") == ["ap", "la", "la", "in", "19", None, "la"]
    assert column(data, "word: shape") == ["Xx-0", "x", "X", "x", "0", None, "x"]
    assert column(data, "word: digits") == ["some", "none", "none", "none", "all", None, "none"]
    assert column(data, "word: place in the sequence") == [
        "first",
        "inside",
        "inside",
        "last",
        "first",
        "inside",
        "last",
    ]


def test_only_columns_of_many_long_categories_are_words():
    words = [f"word{i}" for i in range(100)]
    assert DerivedInputs().fit(word_set(words)).derivations_
    assert not DerivedInputs().fit(word_set(words[:99])).derivations_
    assert not DerivedInputs().fit(word_set([f"{i:03}" for i in range(100)])).derivations_


def test_what_the_set_has_already_is_not_added():
    words = word_set([*WORDS, *(f"{i}{ending}" for i in range(30) for ending in ("ab", "ac", "bc"))])
    suffixes = DerivedInputs(columns=("word",)).fit_transform(words)
    assert "word: suffix of 3" in [attribute.name for attribute in suffixes.attributes]
    place = [attribute.name for attribute in suffixes.attributes].index("word: suffix of 3")
    code = np.random.default_rng(0).permutation(len(suffixes.attributes[place].categories))
    own = np.where(suffixes.values[:, place] == MISSING, MISSING, code[suffixes.values[:, place]])
    categories = tuple(f"c{i}" for i in range(len(code)))
    both = words.with_values(np.column_stack([words.values, own]), (*words.attributes, Attribute("end", categories)))
    names = {derivation.name for derivation in DerivedInputs(columns=("word",)).fit(both).derivations_}
    assert "word: suffix of 3" not in names
    assert "word: suffix of 2" in names


def test_numbers_that_never_change_are_not_derived():
    lengths = [5, 5]
    constant = np.repeat([1.0, 2.0], lengths)
    data = SequenceSet(
        np.empty((10, 0)),
        [0, 5, 10],
        (),
        numbers=np.column_stack([constant, np.arange(10.0)]),
        number_names=("age", "x"),
    )
    names = [derivation.name for derivation in DerivedInputs(spans=(3,)).fit(data).derivations_]
    assert names[:2] == ["x: change since the previous", "x: change to the next"]
    assert not any(name.startswith("age") for name in names)


def test_time_stamps():
    frame = pd.DataFrame(
        {"s": [0, 0, 0, 1], "at": ["2024-03-01T23:59:30Z", "2024-03-02T00:00:00Z", None, "2024-03-04T12:00:00Z"]}
    )
    data = SequenceSet.from_frame(frame, sequence="s")
    assert [derivation.kind for derivation in DerivedInputs().fit(data).derivations_] == ["gap"]  # hours are days here
    derived_set = restored("at", ("gap", 0), ("hour", 0), ("weekday", 0)).transform(data)
    assert column(derived_set, "at: hour") == ["23", "00", None, "12"]
    assert column(derived_set, "at: weekday") == ["Friday", "Saturday", None, "Monday"]
    assert_array_equal(
        derived_set.numbers[:, derived_set.number_names.index("at: seconds since the previous")], [0, 30, np.nan, 0]
    )


@pytest.mark.parametrize(
    ("texts", "form", "seconds", "hours", "days"),
    [
        (
            ["13/02/2024 14:05", "13/02/2024 14:06", "01/03/2024 00:06"],
            "day first",
            [0, 60, 1418400],
            "14 14 00",
            "TTF",
        ),
        (
            ["2/13/2024 2:05 PM", "2/13/2024 2:06 PM", "3/1/2024 12:06 AM"],
            "month first",
            [0, 60, 1418400],
            "14 14 00",
            "TTF",
        ),
        (["13.02.2024 14:05:00.5", "13.02.2024 14:05:01", "?"], None, None, None, None),
        (
            ["02/03/2024 14:05", "02/03/2024 14:06", "03/03/2024 00:06"],
            "day or month first",
            [0, 60, np.nan],
            "14 14 00",
            None,
        ),
        (["23:59", "00:01", "09:30"], "time of day", [0, 120, 34140], "23 00 09", None),
        (["9:59:30", "10:00:00.5", "10:00:01"], "time of day", [0, 30.5, 0.5], "09 10 10", None),
        (["13/02/2024 14:05", "02/13/2024 14:05"], None, None, None, None),  # no reading fits both
        (["3:16", "4:02"], None, None, None, None),  # verses
        (["25:10", "24:10"], None, None, None, None),
        (["13/02/24 14:05", "13/02/24 14:06", "01/03/24 00:06"], "day first", [0, 60, 1418400], "14 14 00", "TTF"),
        (["13.02.69 14:05", "13.02.24 14:05"], "day first", [0, 1735603200], None, "TT"),
        (["31/12/2023", "01/01/2024", "02/01/2024"], "day first", [0, 86400, 86400], None, "SMT"),
        (["2024/03/01", "2024/03/02", "2024/03/04"], "ISO 8601", [0, 86400, 172800], None, "FSM"),
        (["12:05 am", "1:30 PM", "11:59:30 pm"], "time of day", [0, 48300, 37770], "00 13 23", None),
        (["13-02-24 14:05"], None, None, None, None),  # of 2013?
        (["13.02.24"], None, None, None, None),  # a version
        (["13:30 PM"], None, None, None, None),
    ],
)
def test_times_of_other_forms(texts, form, seconds, hours, days):
    found = form_of(sorted(texts))
    assert (None if found is None else FORMS[found]) == form
    if form is None:
        return
    data = SequenceSet.from_frame(pd.DataFrame({"s": 0, "at": texts}), sequence="s")
    assert {each.size for each in DerivedInputs().fit(data).derivations_} == {found}
    kinds = ("gap", *(kind for kind, expected in (("hour", hours), ("weekday", days)) if expected))
    derived_set = restored("at", *((kind, found) for kind in kinds)).transform(data)
    if hours:
        assert column(derived_set, "at: hour") == hours.split()
    np.testing.assert_allclose(derived_set.numbers[:, 0], seconds, atol=1e-6)
    if days:
        assert [day[0] for day in column(derived_set, "at: weekday")] == [*days]


@pytest.mark.parametrize(("unit", "form"), [(1, "seconds since 1970"), (1000, "milliseconds since 1970")])
def test_numbers_that_are_times(unit, form):
    times = pd.date_range("2024-03-01T22:10", periods=60, freq="613s")
    stamps = times.astype("datetime64[s]").astype("int64").to_numpy(dtype=float).reshape(3, 20)[::-1].ravel() * unit
    numbers = np.column_stack([stamps, np.random.default_rng(0).normal(size=60)])
    data = SequenceSet(
        np.empty((60, 0), dtype=np.int32), [0, 20, 40, 60], (), numbers=numbers, number_names=("at", "x")
    )
    inputs = DerivedInputs(("times",)).fit(data)
    assert inputs.dropped_ == ("at",)
    assert [(each.source, each.kind, FORMS[each.size]) for each in inputs.derivations_] == [
        ("at", kind, form) for kind in ("gap", "hour", "weekday")
    ]
    again = DerivedInputs().restore(inputs.kinds_, inputs.derivations_, inputs.dropped_)
    for derived_set in (inputs.transform(data), again.transform(data)):
        assert derived_set.number_names == ("x", "at: seconds since the previous")
        assert_array_equal(derived_set.numbers[:, 1], ([0] + [613] * 19) * 3)
        of_rows = times.to_numpy().reshape(3, 20)[::-1].ravel()
        assert column(derived_set, "at: hour") == pd.DatetimeIndex(of_rows).strftime("%H").tolist()
        assert column(derived_set, "at: weekday") == pd.DatetimeIndex(of_rows).day_name().tolist()
    assert not any(each.source == "at" and each.block == "rolling" for each in DerivedInputs().fit(data).derivations_)


def test_a_mark_before_all_times_hides_none():
    for way in ("%Y-%m-%dT%H:%M", "%d/%m/%Y %H:%M", "%H:%M"):
        times = pd.date_range("2024-03-20", periods=20, freq="h").strftime(way)
        assert form_of(("-", *times)) == form_of(tuple(times)) is not None
        assert form_of(("-", "--", "?", *times)) is None  # too many


def test_numbers_that_are_no_times():
    offsets = np.array([0, 20, 40])
    stamps = 1.7e9 + np.arange(40.0)
    assert FORMS[epoch_of(stamps, offsets)] == "seconds since 1970"
    assert FORMS[epoch_of(np.where(stamps % 7 == 0, np.nan, stamps), offsets)] == "seconds since 1970"
    assert epoch_of(stamps[::-1].copy(), offsets) is None  # they fall
    assert epoch_of(stamps - 1.2e9, offsets) is None  # of 1985
    assert epoch_of(np.repeat(stamps[::4], 4), offsets) is None  # most stay
    assert epoch_of(stamps[:5], np.array([0, 5])) is None  # too few to know


@pytest.mark.parametrize(("kind", "size"), [("gap", len(FORMS)), ("hour", 5), ("weekday", -1)])
def test_unknown_forms_of_times_are_not_restored(kind, size):
    with pytest.raises(ValueError, match="is of no known kind"):
        restored("at", (kind, size))


def test_new_words_have_parts_that_training_knows():
    assert column(PARTS.transform(word_set(["landing", "Banded", "x"])), "word: suffix of 3") == ["ing", "ded", "x"]


def test_frames_and_lists_are_taken():
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.5, 0.25]})
    derived_frames = DerivedInputs(spans=(2,)).fit_transform([frame, frame + 1])
    assert [len(each) for each in derived_frames] == [4, 4]
    inputs = DerivedInputs(spans=(2,)).fit([frame])
    assert inputs.get_feature_names_out().tolist()[:2] == ["x", "x: change since the previous"]
    assert derived_frames[0].columns.tolist() == inputs.get_feature_names_out().tolist()


def test_derived_numbers_of_frames_stay_numbers():
    frames = [pd.DataFrame({"x": np.r_[np.arange(30.0), 5.0]}), pd.DataFrame({"x": np.arange(3.0)})]
    derived_set = DerivedInputs(spans=(2,)).fit_transform(Given.read(frames).data)
    again = Given.read(DerivedInputs(spans=(2,)).fit_transform(frames)).data
    assert again == derived_set
    assert "x: change since the previous" in again.number_names  # though it has two values, both whole


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"blocks": ("letters",)}, "blocks"), ({"spans": (1,)}, "spans"), ({"columns": ("other",)}, "no column 'other'")],
)
def test_wrong_settings_are_refused_in_one_sentence(settings, problem):
    with pytest.raises(ValueError, match=problem) as caught:
        DerivedInputs(**settings).fit(word_set())
    assert "\n" not in str(caught.value)


def test_a_column_of_the_name_of_a_derived_one_is_refused():
    data = word_set()
    both = data.with_values(
        np.hstack([data.values] * 2), (*data.attributes, Attribute("word: shape", data.attributes[0].categories))
    )
    with pytest.raises(ValueError, match="'word: shape' already"):
        DerivedInputs(columns=("word",)).fit(both)


# --- in front of a labeller ---------------------------------------------------------------------------


def labelled(seed, n_sequences=20):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 15, n_sequences)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    x = rng.normal(size=offsets[-1])
    labels = (rolling_statistics(x, offsets, 4, 4)["mean"] > 0).astype(int)
    return SequenceSet(
        np.empty((len(x), 0)), offsets, (), labels, ("low", "high"), numbers=x[:, None], number_names=("x",)
    )


def test_a_labeller_sees_derived_inputs(tmp_path):
    train, test = labelled(0, 60), labelled(1)
    labeller = TreeCRF(n_iterations=10, window=(0, 0), order=0)
    pipeline = DerivingLabeller(labeller, spans=(3, 9)).fit(train)
    assert pipeline.score(test) > 0.9 > TreeCRF(n_iterations=10, window=(0, 0), order=0).fit(train).score(test)
    pipeline.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert_array_equal(again.predict_proba(test), pipeline.predict_proba(test))
    assert again.transform_.derivations_ == pipeline.transform_.derivations_


@pytest.mark.parametrize(("centred", "reach"), [(True, (4, 4)), (False, (8, 0))])
def test_a_stream_labels_as_the_whole(centred, reach):
    train, test = labelled(0), labelled(1, 5)
    pipeline = DerivingLabeller(LinearCRF(window=(1, 0), max_iterations=5), spans=(3, 9), centred=centred).fit(train)
    assert pipeline.reach == (reach[0] + 1, reach[1])
    lag = pipeline.reach[1] + 1
    whole = np.array(pipeline.label_names_)[pipeline.predict(test, lag=lag)].tolist()
    streamed = []
    for sequence in test:
        stream = pipeline.stream(lag)
        pushed = [stream.push({"x": value}) for value in sequence.numbers[:, 0]]
        streamed += [label.label for label in [*filter(None, pushed), *stream.finish()]]
    assert streamed == whole
