"""Settings of a job by their keys, and which of them count as others."""

import pytest

from treecrf_studies.records.jobs import changed_settings, settings_of

WHOLE = {
    "methods": ["a"],
    "overrides": {"x": {"n": 1}},
    "labellers": {"l": {"grid": 1}},
    "some_datasets": ["x"],
    "n": 1,
}


@pytest.mark.parametrize(
    ("changed", "keys"),
    [
        ({"methods": ["b", "a"], "some_datasets": ["y", "x"], "overrides": {"x": {"n": 1}, "y": {"n": 2}}}, []),
        ({"labellers": {"l": {"grid": 1}, "m": {}}}, []),
        ({"labellers": {"l": {"grid": 2}}}, ["s.labellers"]),
        ({"methods": ["b"]}, ["s.methods"]),
        ({"overrides": {}}, ["s.overrides"]),
        ({"overrides": {"x": {"n": 2}}, "n": 2}, ["s.n", "s.overrides"]),
    ],
)
def test_what_is_added_is_no_other_setting(changed, keys):
    before, now = (
        settings_of({"values": {"settings": {"": each}}, "study": "s"}, "x") for each in (WHOLE, WHOLE | changed)
    )
    assert [key for key, *_ in changed_settings(before, now)] == keys


TABLE = {"path": "a.csv", "test": None, "seed": 0, "groups": None}
BUILTIN = {"raw": "data/raw", "groups": None, "n_train": 5}


@pytest.mark.parametrize(
    ("options", "changed", "keys"),
    [
        (TABLE, {"path": "b.csv"}, ["datasets.x.path"]),
        (TABLE, {"seed": 1, "groups": "none"}, ["datasets.x.groups", "seed"]),
        (TABLE, {"added": 1}, []),
        (BUILTIN, {"n_test": 5}, ["datasets.x.options"]),
        (BUILTIN, {"raw": "b", "groups": "copies"}, ["datasets.x.groups", "raw"]),
    ],
)
def test_data_sets(options, changed, keys):
    before, now = (
        settings_of({"source": "t", "options": each, "code": "d"}, "x") for each in (options, options | changed)
    )
    assert [key for key, *_ in changed_settings(before, now)] == keys
    assert [*changed_settings(before, settings_of({"source": "u", "options": options}, "x"))] == [
        ("datasets.x.source", '"t"', '"u"')
    ]


def test_a_summary_and_a_job_without_settings():
    summary = {"values": {"seed": 0, "source": "t", "stand_in": "s", "exact_under": 25}, "study": "training"}
    assert settings_of(summary, "x") == {"seed": 0, "datasets.x.source": "t", "training.exact_under": 25}
    assert settings_of({"values": {"settings": {"": None}}, "study": "future"}, "") == {}
    assert settings_of({"study": "training", "code": "d"}, "") == {}
