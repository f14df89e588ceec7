"""Groups of related sequences of data sets, and what descriptions say of them."""

from builders import letters

from treecrf_studies import datasets
from treecrf_studies.datasets.description import describe_sets


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
