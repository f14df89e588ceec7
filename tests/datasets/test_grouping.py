"""Groups of related sequences."""

from itertools import combinations

import numpy as np
import pytest

from treecrf import Attribute, SequenceSet, datasets
from treecrf.datasets.description import describe_sets
from treecrf.datasets.grouping import find_groups, group_by_runs, group_copies, join_groups


def letters(*words):
    """Words over a and b as sequences; the last letter of each has no position."""
    values = np.array([["ab".index(letter)] for word in words for letter in word])
    ends = np.cumsum([0] + [len(word) for word in words])
    offsets = ends - np.arange(len(ends))
    return SequenceSet(values, offsets, (Attribute("letter", ("a", "b")),), observation_offsets=ends)


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


def test_relatives_are_found_across_both_sets_and_settings_change_them():
    train, test = datasets.load("hmm", n_train=5, n_test=5)
    assert len({*train.groups, *test.groups}) == 10
    train, test = datasets.load("hmm", n_train=5, n_test=5, groups={"length": 1, "share": 0})
    assert len({*train.groups, *test.groups}) < 10
    assert set(train.groups) & set(test.groups)


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


def test_joined_groups_relate_by_way_of_others():
    one, other = np.array([7, 7, 3, 4, 5]), np.array([0, 1, 1, 2, 9])
    assert join_groups(one, other).tolist() == [0, 0, 0, 1, 2]
    assert join_groups(np.arange(3), np.arange(3)).tolist() == [0, 1, 2]
    assert join_groups(np.empty(0, dtype=int), np.empty(0, dtype=int)).tolist() == []
