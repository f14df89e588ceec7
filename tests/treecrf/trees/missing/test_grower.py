"""Trees on data with missing cells against the naive versions, and what is promised."""

import os
import subprocess
import sys
from itertools import pairwise

import naive_holes
import numpy as np
import pytest
from builders import HOLE_METHODS as METHODS
from builders import (
    POLICIES,
    ROOT,
    assert_methods_agree,
    assert_potentials,
    assert_same_bits,
    damaged_sets,
    named_start,
    number_set,
)
from builders import dependent_set as random_set

import treecrf
from treecrf import Attribute, SequenceSet, TreeCRF
from treecrf.compiled.struct import allocate
from treecrf.missing import inject
from treecrf.sequences import slot_sizes, window_codes
from treecrf.trees.missing.partition import with_longer_lists

HOLE = -1


def assert_equals_naive(train, test, policy, order, seed, window=(1, 1), n_iterations=3, max_leaves=8, penalty=1.0):
    n_labels = len(train.label_names)
    model = TreeCRF(n_iterations, max_leaves, penalty, window, order, random_state=seed, start_noise=0.3, **policy).fit(
        train
    )
    expected = naive_holes.boost_with_unknown(
        *[(window_codes(data, window), data.offsets) for data in (train, test)],
        slot_sizes(train.attributes, window),
        train.labels,
        n_labels,
        order,
        named_start(model),
        n_iterations,
        max_leaves,
        penalty,
        naive_holes.Policy(**policy),
    )
    for data, part in zip((train, test), expected, strict=True):
        assert_potentials(model, data, part)
    assert model.log_likelihood_history_[-1] == pytest.approx(model.log_likelihood(train).sum(), abs=1e-7)
    return model


@pytest.mark.parametrize(("rate", "order"), [(0.8, 0), (0.1, 1), (0.4, 1), (0.0, 2), (0.4, 2)])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: " ".join(map(str, policy.values())))
def test_potentials_equal_naive_boosting(policy, rate, order):
    rng = np.random.default_rng([order, int(100 * rate), POLICIES.index(policy)])
    train, test = (inject(random_set(rng, 6 if order < 2 else 4), rate, rng) for _ in range(2))
    assert_equals_naive(train, test, policy, order, seed=order)


# --- without missing cells -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"order": 0},
        {},
        {"order": 2},
        {"order": 3},
        {"splits": "subsets"},
        {"splits": "subsets", "leaf_values": "newton", "learning_rate": 0.3},
        {"order": 2, "row_fraction": 0.5},
        {"order": 2, "row_fraction": 0.1, "sampling_seed": 3},
        {"order": 2, "feature_fraction": 0.4},
        {"order": 2, "influence_trimming": 0.2},
        {"order": 2, "row_fraction": 0.6, "feature_fraction": 0.5, "influence_trimming": 0.1, "sampling_seed": 7},
    ],
    ids=str,
)
def test_without_missing_cells_all_methods_grow_the_same_trees(settings):
    rng = np.random.default_rng(settings.get("order", 1))
    train, test = (random_set(rng, 60, longest=12) for _ in range(2))
    for max_leaves, penalty in ((30, 1.0), (5, 0.0)):
        sizes = {"n_iterations": 4, "max_leaves": max_leaves, "l2_regularization": penalty, "window": (2, 1)}
        assert_methods_agree(train, test, **sizes, random_state=0, **settings)


# --- much is missing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"window": (0, 0), "leaf_values": "newton"},
        {"splits": "subsets", "order": 2},
        {"row_fraction": 0.5, "leaf_values": "newton"},
    ],
)
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: " ".join(map(str, policy.values())))
def test_whole_rows_grow_the_trees_of_rows_that_divide(policy, settings, monkeypatch):
    train = number_set(0)
    holes = inject(number_set(1), 0.3, np.random.default_rng(0))
    model = TreeCRF(
        **{"n_iterations": 4, "max_leaves": 8, "l2_regularization": 1.0, "window": (1, 1)} | settings | policy
    )
    first = model.fit(train)
    monkeypatch.setattr("treecrf.models.boosted.params.BoostingParams.divides_rows", lambda *_: True)
    assert_same_bits(first, TreeCRF(**model.get_params()).fit(train), [train, holes])


@pytest.mark.parametrize("method", METHODS)
def test_all_cells_missing(method):
    # Nothing can be tested but previous labels, so every position has the potentials of its states.
    rng = np.random.default_rng(0)
    train, test = (inject(random_set(rng, 20), 1.0, rng) for _ in range(2))
    model = assert_equals_naive(train.select(range(6)), test.select(range(6)), {"missing": method}, 1, 0, (0, 0))
    assert set(model.forest_.columns.tolist()) == {2}  # after the two slots: the previous label
    assert_equals_naive(train.select(range(6)), test.select(range(6)), {"missing": method}, 1, 0, (1, 1))  # with EDGE
    model = TreeCRF(3, 8, 1.0, order=0, missing=method).fit(train)
    assert len(model.forest_.columns) == 0
    potentials = model.potentials(test)
    assert (potentials == potentials[:, :1]).all()
    assert model.potentials(random_set(rng, 9))[:, 0].tolist() == potentials[:, 0].tolist()


@pytest.mark.parametrize("hidden", [0, 1])
@pytest.mark.parametrize("window", [(0, 0), (1, 1)])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: " ".join(map(str, policy.values())))
def test_attribute_missing_everywhere_in_training_is_never_tested(policy, window, hidden):
    rng = np.random.default_rng(1)
    train, test = (inject(random_set(rng, 40), 0.2, rng) for _ in range(2))
    gone, unseen = train.values.copy(), test.values.copy()
    gone[:, hidden] = HOLE
    unseen[:, hidden] = HOLE
    model = TreeCRF(4, 10, 1.0, window, **policy).fit(train.with_values(gone))
    slots = model.forest_.columns[model.forest_.columns < 2 * (sum(window) + 1)]
    assert set(slots % 2) == {1 - hidden}
    assert test.values[:, hidden].max() > 0
    np.testing.assert_array_equal(model.potentials(test), model.potentials(test.with_values(unseen)))


@pytest.mark.parametrize("method", METHODS)
def test_unseen_category_counts_as_missing(method):
    rng = np.random.default_rng(3)
    train, test = (inject(random_set(rng, 30), 0.1, rng) for _ in range(2))
    model = TreeCRF(4, 10, 1.0, (1, 1), missing=method).fit(train)
    new = test.values.copy()
    rows = np.flatnonzero(rng.random(len(new)) < 0.3)
    new[rows, 0] = 3
    wider = (Attribute("a0", ("a", "b", "c", "new")), test.attributes[1])
    missing = test.values.copy()
    missing[rows, 0] = HOLE
    expected = model.potentials(test.with_values(missing))
    with pytest.warns(UserWarning, match=rf"category 'new' .* \({len(rows)} such cells\); they are treated as missing"):
        measured = model.potentials(test.with_values(new, wider))
    np.testing.assert_array_equal(measured, expected)
    assert (expected != model.potentials(test)).any()


# --- against the naive versions, larger windows ----------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: " ".join(map(str, policy.values())))
def test_words_equal_naive_boosting(policy):
    # Ten letters, often in the same pairs (so that neighbours are surrogates); a letter more than gaps.
    rng = np.random.default_rng(POLICIES.index(policy))
    sets = []
    for n_words in (10, 5):
        lengths = rng.integers(1, 6, n_words)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        observation_offsets = offsets + np.arange(n_words + 1)
        letters = rng.integers(0, 10, observation_offsets[-1])
        for i in range(1, len(letters)):
            letters[i] = (letters[i - 1] + 1) % 10 if rng.random() < 0.7 else letters[i]
        labels = np.concatenate([letters[first + 1 : last] % 2 for first, last in pairwise(observation_offsets)])
        attributes = (Attribute("letter", tuple("abcdefghij")),)
        words = SequenceSet(letters[:, None], offsets, attributes, labels, ("no", "yes"), observation_offsets)
        sets.append(inject(words, 0.2, rng))
    model = assert_equals_naive(*sets, policy, order=1, seed=0, window=(2, 3), n_iterations=2, max_leaves=6)
    if policy["missing"] == "surrogate_splitting":
        assert (model.forest_.surrogates[:, 0, 0] >= 0).any()


# --- the same bits -------------------------------------------------------------------------------------

SETTINGS = {"n_iterations": 6, "max_leaves": 20, "l2_regularization": 1.0, "window": (2, 1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "use"),
    [
        ("n_surrogates=1", "model.potentials(test)"),
        ("max_leaves=2", "model.potentials(test)"),
        ("max_leaves=2, warm_start=True, n_iterations=3", "model.fit(train)"),
    ],
)
def test_smaller_settings_leave_room_for_the_trees_there_are(change, use):
    # Interpreted, since compiled code does not notice that it writes beyond a buffer.
    program = (
        "import sys; sys.path.insert(0, 'tests/helpers'); import builders as t; from treecrf import TreeCRF\n"
        "train, test = t.damaged_sets(0, 6, 6)\n"
        "for method in t.HOLE_METHODS:\n"
        "    model = TreeCRF(2, 6, 1.0, (1, 1), missing=method).fit(train)\n"
        "    before = list(model.staged_predict_proba(test))[1]\n"
        f"    model.set_params({change})\n"
        f"    {use}\n"
        "    print((list(model.staged_predict_proba(test))[1] == before).all())\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["True"] * 3


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: " ".join(map(str, policy.values())))
def test_warm_start_and_files_keep_the_bits(policy, tmp_path):
    train, test = damaged_sets()
    settings = SETTINGS | {"random_state": 1, "pseudo_likelihood_iterations": 2} | policy
    whole = TreeCRF(**settings).fit(train)
    part = TreeCRF(**settings | {"n_iterations": 3}, warm_start=True).fit(train)
    np.testing.assert_array_equal(part.predict_proba(test), list(whole.staged_predict_proba(test))[2])
    assert part.log_likelihood_history_.tolist() == whole.log_likelihood_history_[:4].tolist()
    part.save(tmp_path / "part.npz")
    loaded = treecrf.load(tmp_path / "part.npz")
    assert loaded.get_params() == part.get_params()
    assert_same_bits(loaded, part, [train, test])
    for model in (part, loaded):
        assert_same_bits(model.set_params(n_iterations=6).fit(train), whole, [test])


@pytest.mark.parametrize("row_fraction", [1.0, 0.5])
@pytest.mark.parametrize("method", METHODS)
def test_lists_of_copies_grow_when_they_are_full(method, row_fraction, monkeypatch):
    train, test = damaged_sets(n_sequences=60)
    settings = SETTINGS | {"missing": method, "order": 2, "row_fraction": row_fraction}
    expected = TreeCRF(**settings).fit(train)
    potentials = expected.potentials(test)
    enlarged = {"growing": 0, "blending": 0}

    def shorten(copies):
        n_positions = copies.vectors.shape[1]
        return copies._replace(positions=copies.positions[:n_positions], weights=copies.weights[:n_positions])

    def with_short_lists(kind, **sizes):
        made = allocate(kind, **sizes)
        return made._replace(copies=shorten(made.copies)) if "copies" in made._fields else shorten(made)

    def counting(name):
        def enlarge(copies):
            enlarged[name] += 1
            return with_longer_lists(copies)

        return enlarge

    monkeypatch.setattr("treecrf.models.boosted.training.allocate", with_short_lists)
    monkeypatch.setattr("treecrf.trees.missing.partition.allocate", with_short_lists)
    monkeypatch.setattr("treecrf.models.boosted.training.with_longer_lists", counting("growing"))
    monkeypatch.setattr("treecrf.trees.missing.partition.with_longer_lists", counting("blending"))
    measured = TreeCRF(**settings).fit(train)
    assert enlarged["growing"] >= 2  # the buffers are those of one thread, whatever the number of labels
    assert_same_bits(measured, expected)
    assert measured.potentials(test).tobytes() == potentials.tobytes()
    assert enlarged["blending"] >= 2


# --- bad input ------------------------------------------------------------------------------------------
