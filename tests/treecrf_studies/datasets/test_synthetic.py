"""Generated sets, against the sentences of the dissertation that define them."""

import numpy as np
import pytest

from treecrf_studies import datasets
from treecrf_studies.datasets.synthetic import best_window_accuracy, find_rule, future_splits


@pytest.mark.parametrize("name", [name for name in datasets.names() if datasets.describe(name).kind == "generated"])
def test_generated_sets_need_no_file_and_repeat(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TREECRF_MIRROR", str(tmp_path / "nosuch"))
    train, test = datasets.load(name)
    assert datasets.load(name) == (train, test)
    other = datasets.load(name, seed=1)
    assert other[0] != train
    assert other[1] != test == datasets.load_splits(name, seed=0).test
    assert train.attributes == test.attributes
    assert train.label_names == test.label_names


def test_hmm_has_the_published_probabilities():
    train, test = datasets.load("hmm", n_train=400, n_test=5, length=100)
    assert (len(train), train.n_positions, len(test)) == (400, 40_000, 5)
    assert (len(train.label_names), len(train.attributes[0].categories)) == (3, 24)
    labels = train.labels.reshape(400, 100)
    turns = np.zeros((3, 3))
    np.add.at(turns, (labels[:, :-1].ravel(), labels[:, 1:].ravel()), 1)
    turns /= turns.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(turns, np.full((3, 3), 0.2) + 0.4 * np.eye(3), atol=0.02)
    emitted = np.zeros((3, 24))
    np.add.at(emitted, (train.labels, train.values[:, 0]), 1)
    emitted /= emitted.sum(axis=1, keepdims=True)
    own = np.repeat(np.eye(3), 8, axis=1)
    np.testing.assert_allclose(emitted, own * 0.6 / 8 + (1 - own) * 0.4 / 16, atol=0.01)
    np.testing.assert_allclose(np.bincount(labels[:, 0]) / 400, 1 / 3, atol=0.1)


def slow_labels(kind, bits, length):
    """Labels of one sequence as the dissertation words them; positions and features from 1 there, from 0 here."""
    labels = []
    for t in range(length):
        bag = bits[t + 1 : t + 7]
        bag_label = any(sum(instance[:6]) <= 1 for instance in bag)
        local = sum(bits[t][:6]) >= 4
        if kind == "xor":
            labels.append(int(local != bag_label))
        elif kind == "or":
            labels.append(int(local or bag_label))
        else:
            labels.append(int(bag_label + sum(bits[t][:6]) >= 4))
    return labels


@pytest.mark.parametrize(("last_bags", "n_observations"), [("cut", 30), ("full", 36)])
@pytest.mark.parametrize("kind", ["xor", "or", "extra"])
def test_future_sets_are_as_defined(kind, last_bags, n_observations):
    splits = future_splits(kind, last_bags=last_bags)
    assert [len(part) for part in splits] == [400, 200, 100]
    assert datasets.load(kind, last_bags=last_bags) == (splits.train, splits.test)
    for part in splits:
        assert (part.lengths == 30).all()
        assert (np.diff(part.observation_offsets) == n_observations).all()
        assert len(part.attributes) == 8
        for i in (0, 1, len(part) - 1):
            bits = part.values[part.observation_offsets[i] : part.observation_offsets[i + 1]]
            labels = part.labels[part.offsets[i] : part.offsets[i + 1]]
            assert labels.tolist() == slow_labels(kind, bits.tolist(), 30)
        rule = find_rule(part)
        assert (rule.kind, rule.last_bags) == (kind, last_bags)
    assert len({part.values[:900].tobytes() for part in splits}) == 3
    np.testing.assert_allclose(splits.train.values.mean(axis=0), 0.5, atol=0.03)


def test_other_data_have_no_rule():
    train, _ = datasets.load("or", n_train=5)
    assert find_rule(train.with_labels(1 - train.labels)) is None
    assert find_rule(datasets.load("distant", n_train=5)[0]) is None
    with pytest.raises(ValueError, match="last_bags='long': give one of cut, full"):
        datasets.load("or", last_bags="long")
    with pytest.raises(ValueError, match="'distant' has no bags"):
        datasets.load("distant", last_bags="full")


@pytest.mark.parametrize(("last_bags", "expected"), [("cut", [55.2, 70.6, 86.0]), ("full", [50.1, 67.3, 84.4])])
def test_best_accuracy_of_one_observation(last_bags, expected):
    found = [best_window_accuracy(kind, 30, last_bags) for kind in ("xor", "or", "extra")]
    assert found == pytest.approx(expected, abs=0.06)
    for kind, bound in zip(("xor", "or", "extra"), found, strict=True):  # the commoner label of each set of 6 bits
        train, _ = datasets.load(kind, n_train=4000, last_bags=last_bags)
        bits = train.values.reshape(4000, -1, 8)[:, :30, :6].reshape(-1, 6)
        codes = bits @ (1 << np.arange(6))
        ones, of_code = np.bincount(codes, train.labels, 64), np.bincount(codes, minlength=64)
        assert 100 * np.maximum(ones, of_code - ones).sum() / len(codes) == pytest.approx(bound, abs=1.0)


def test_bag_label_is_set_about_half_of_the_time():
    rng = np.random.default_rng(0)
    one = sum(rng.integers(0, 2, 6).sum() <= 1 for _ in range(20_000)) / 20_000
    assert 1 - (1 - one) ** 6 == pytest.approx(0.5, abs=0.03)
    train, _ = datasets.load("extra")
    bits = train.values.reshape(400, 30, 8)
    three = bits[..., :6].sum(axis=-1) == 3  # there the label is the bag's
    inner = three[:, :24]
    assert train.labels.reshape(400, 30)[:, :24][inner].mean() == pytest.approx(0.5, abs=0.05)


def test_hyphen_tex_is_made_of_common_words():
    from importlib.resources import files

    words = files("treecrf_studies.datasets").joinpath("english_words.txt").read_text().split()
    assert words == sorted(set(words))
    assert all(word.isascii() and word.islower() and word.isalpha() and len(word) > 2 for word in words)
    train, test = datasets.load("hyphen_tex")
    assert (len(train), len(test)) == (300, 150)
    assert (np.diff(train.observation_offsets) == train.lengths + 1).all()
    assert 0.1 < train.labels.mean() < 0.35
    with pytest.raises(ValueError, match="words are asked for"):
        datasets.load("hyphen_tex", n_train=len(words))
