"""Names of candidates."""

import pytest

from treecrf.studies.framework.custom import candidate_name, joined_names


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([], ""),
        ([{"c2": 0.1}, {"c2": 0.1}], "c2=0.1"),
        ([{"n": 9, "rate": 0.2}, {"n": 10, "rate": 0.1}, {"n": 2, "rate": 0.1}], "n=2 to 10, rate=0.1 to 0.2"),
        ([{"splits": "a"}, {"splits": "b"}, {"splits": "a"}], "splits=a or b"),
        ([{"window": (1, 1), "n": 2}, {"window": (1, 2), "n": 2}], "window=(1, 1) or (1, 2), n=2"),
        ([{"n": 1}, {"stage": 5}], "n=1, stage=5"),
    ],
)
def test_what_several_draws_chose_is_said_once(candidates, expected):
    assert joined_names(map(candidate_name, candidates)) == expected
    assert joined_names(["", *map(candidate_name, candidates)]) == expected
