"""Groups of related sequences."""

from itertools import combinations

import numpy as np
import pytest
from builders import letters

from treecrf.grouping import find_groups, group_by_runs, group_copies, join_groups


def linked_by_hand(words, length, share):
    """Groups by following links from word to word."""
    runs = [{word[i : i + length] for i in range(max(len(word) - length, 0) + 1)} for word in words]
    group = list(range(len(words)))
    for i, j in combinations(range(len(words)), 2):
        if len(runs[i] & runs[j]) > share * min(len(runs[i]), len(runs[j])):
            group = [group[i] if each == group[j] else each for each in group]
    return [group.index(each) for each in group]


def first_members(groups):
    return [groups.tolist().index(each) for each in groups]


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("length", [1, 3, 4, 20])
def test_groups_are_those_of_following_the_links(length, share):
    rng = np.random.default_rng(length)
    words = ["".join(rng.choice(["a", "b"], size)) for size in rng.integers(2, 14, 30)]
    assert first_members(group_by_runs(letters(*words), length, share)) == linked_by_hand(words, length, share)


def test_copies_are_the_same_in_every_observation():
    data = letters("abba", "abb", "abba", "abbb")
    assert group_copies(data).tolist() == [0, 1, 0, 2]  # the last letter counts, though it has no position
    assert find_groups(data, "copies").tolist() == [0, 1, 0, 2]
    assert find_groups(data, "none").tolist() == [0, 1, 2, 3]
    assert find_groups(data, {"length": 3, "share": 0}).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("rule", ["all", 3, {"size": 2}, {"share": 1}, {"length": 0}])
def test_other_rules_are_refused(rule):
    with pytest.raises(ValueError, match=r"give 'none', 'copies' or a mapping|give a whole number from 1"):
        find_groups(letters("ab", "ba"), rule)


def test_joined_groups_relate_by_way_of_others():
    one, other = np.array([7, 7, 3, 4, 5]), np.array([0, 1, 1, 2, 9])
    assert join_groups(one, other).tolist() == [0, 0, 0, 1, 2]
    assert join_groups(np.arange(3), np.arange(3)).tolist() == [0, 1, 2]
    assert join_groups(np.empty(0, dtype=int), np.empty(0, dtype=int)).tolist() == []
