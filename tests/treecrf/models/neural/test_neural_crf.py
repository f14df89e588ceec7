"""`NeuralCRF`: likelihood and marginals of the chain, gradients, padding, order of sequences, missing cells."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from builders import dependent_set, hidden_labels, number_set
from numpy.testing import assert_allclose

import treecrf
from treecrf import NeuralCRF, SequenceSet, chain
from treecrf.chain.inference import partial_log_likelihood
from treecrf.io.npz import write_npz
from treecrf.models.chains import ScoredChains
from treecrf.models.neural import network
from treecrf.models.neural.architecture import Architecture, Batches, first_rows
from treecrf.models.neural.network import log_likelihood
from treecrf.models.neural.neural_crf import _missing_codes
from treecrf.models.window.features import Scale

TRAIN, TEST = (number_set(seed, 30, 2, longest=8) for seed in (0, 1))
"""Sequences whose rows have one length, as each length is compiled."""

QUICK = {"width": 6, "n_epochs": 3, "held_out": None}
LAYERS = ["lstm", "convolution"]


def random_rows(seed, n_rows=5, length=9, n_labels=4):
    """Scores, transitions, labels and the number of positions of each row, which are at least 1."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, length + 1, n_rows)
    labels = rng.integers(0, n_labels, (n_rows, length))
    labels[np.arange(length) >= lengths[:, None]] = -2
    scores = rng.normal(0, 3, (n_rows, length, n_labels))
    return scores, rng.normal(0, 2, (n_labels, n_labels + 1)), labels, lengths


def as_chains(scores, transitions, labels, lengths):
    """The rows as chains of this project, and their labels."""
    there = np.arange(scores.shape[1]) < lengths[:, None]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return ScoredChains(scores[there], transitions, offsets, 1), labels[there].astype(np.int16)


@pytest.mark.parametrize(("x64", "tolerance"), [(False, 1e-5), (True, 1e-10)])
@pytest.mark.parametrize("share", [0, 0.4])
def test_likelihood_equals_that_of_the_chain(x64, tolerance, share):
    scores, transitions, labels, lengths = random_rows(0)
    labels[(np.random.default_rng(1).random(labels.shape) < share) & (labels >= 0)] = -1
    chains, flat = as_chains(scores, transitions, labels, lengths)
    with jax.enable_x64(x64):
        kind = jnp.float64 if x64 else jnp.float32
        given = jnp.asarray(scores, kind), jnp.asarray(transitions, kind), labels, jnp.ones(labels.shape, kind)
        found = np.asarray(log_likelihood(*given, bool(share)))
    assert_allclose(found, chains.log_likelihood(flat), rtol=tolerance, atol=tolerance)


def test_weights_multiply_the_terms_of_the_chain_rule():
    scores, transitions, labels, lengths = random_rows(2)
    weights = np.random.default_rng(3).random(labels.shape)
    chains, flat = as_chains(scores, transitions, labels, lengths)
    terms, prefixes = np.zeros(labels.shape), np.zeros(len(labels))
    for place in range(labels.shape[1]):  # log P(y_1 .. y_t) less that of one label fewer
        beyond = (np.arange(labels.shape[1]) > place) & (labels != -2)
        known = np.where(beyond, -1, labels)[np.arange(labels.shape[1]) < lengths[:, None]].astype(np.int16)
        value = partial_log_likelihood(chains.potentials(), known, chains.offsets, 1)
        terms[:, place] = np.where(place < lengths, value - prefixes, 0)
        prefixes = np.where(place < lengths, value, prefixes)
    with jax.enable_x64():
        found = np.asarray(log_likelihood(scores, transitions, labels, weights, False))
    assert_allclose(found, (weights * terms).sum(axis=1), rtol=1e-9, atol=1e-9)
    assert flat.min() >= 0


@pytest.mark.parametrize(("kind", "order"), [("lstm", 1), ("convolution", 0)])
def test_gradient_equals_finite_differences(kind, order):
    data = hidden_labels(dependent_set(np.random.default_rng(0), 6))
    shape = Architecture(kind, int(first_rows(data.attributes)[-1]), 2, 0, 3, 3, 3, 4, 2, order, None)
    [batch] = Batches(data, Scale.of(data), (1, 1), 64, np.array([8])).in_order()
    labels = np.append(data.labels, -2)[batch.positions].astype(np.int32)
    with jax.enable_x64():
        rng = np.random.default_rng(5)
        weights = {
            name: jnp.asarray(value + rng.normal(0, 0.1, value.shape)) for name, value in shape.start(rng).items()
        }

        def value(weights):
            scores = network.score_labels(
                shape, weights, batch.codes, batch.numbers, batch.inside, _missing_codes(data)
            )
            return log_likelihood(scores, weights.get("transitions"), labels, jnp.ones(labels.shape), True).sum()

        gradient = jax.jit(jax.grad(value))(weights)
        value = jax.jit(value)
        for name, array in weights.items():
            for index in rng.integers(0, array.size, 3):
                step = jnp.zeros(array.size).at[index].set(1e-5).reshape(array.shape)
                up, down = (value(weights | {name: array + sign * step}) for sign in (1, -1))
                assert gradient[name].ravel()[index] == pytest.approx(float(up - down) / 2e-5, rel=1e-4, abs=1e-6), name


@pytest.fixture(scope="module", params=LAYERS)
def model(request):
    return NeuralCRF(kind=request.param, n_layers=1, **QUICK).fit(TRAIN)


def test_predictions_are_the_chains_of_its_scores(model):
    potentials = model.potentials(TEST)
    marginals = chain.forward_backward(potentials, TEST.offsets, 1).labels
    assert_allclose(model.predict_proba(TEST), marginals, atol=1e-10)
    assert_allclose(model.log_likelihood(TEST), chain.log_likelihood(potentials, TEST.labels, TEST.offsets, 1))
    assert model.predict(TEST, "viterbi").tolist() == chain.viterbi(potentials, TEST.offsets, 1).labels.tolist()
    best = model.predict_n_best(TEST, 2)
    assert best.labels[0].tolist() == model.predict(TEST, "viterbi").tolist()


def test_padding_and_order_of_sequences_do_not_matter(model):
    shape, codes = model._architecture(TEST.attributes, 2, 3), _missing_codes(TEST)
    expected = network.predict_scores(shape, model.weights_, model._batches(TEST), codes, TEST.n_positions)
    for lengths, size in (([64], 64), ([2, 4], 8)):
        batches = Batches(model.align_inputs(TEST, "error"), model.scale_, (1, 1), size, np.array(lengths))
        found = network.predict_scores(shape, model.weights_, batches, codes, TEST.n_positions)
        assert_allclose(found, expected, atol=2e-5)
    order = np.random.default_rng(0).permutation(len(TEST))
    rows = np.concatenate([np.arange(TEST.offsets[i], TEST.offsets[i + 1]) for i in order])
    assert_allclose(model.predict_proba(TEST.select(order)), model.predict_proba(TEST)[rows], atol=1e-5)


def test_observations_without_a_position_are_seen():
    data = dependent_set(np.random.default_rng(0), 8)
    model = NeuralCRF(kind="convolution", window=(0, 0), **QUICK).fit(data)
    changed = data.values.copy()
    changed[data.observation_offsets[1:] - 1] = (changed[data.observation_offsets[1:] - 1] + 1) % 3
    assert not np.allclose(model.predict_proba(data.with_values(changed)), model.predict_proba(data))


def test_a_number_may_never_be_known():
    data = TRAIN.with_numbers(np.column_stack([TRAIN.numbers[:, 0], np.full(len(TRAIN.values), np.nan)]))
    model = NeuralCRF(kind="convolution", **QUICK).fit(data)
    assert np.isfinite(model.predict_proba(data)).all()


def picture_set(seed, n_sequences=60):
    """Pictures of 6 by 4 places with a bright row or column, which is the label, somewhere."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 3 * n_sequences)
    pictures = rng.normal(0, 0.3, (len(labels), 6, 4))
    for picture, label in zip(pictures, labels, strict=True):
        if label:
            picture[rng.integers(6)] += 1
        else:
            picture[:, rng.integers(4)] += 1
    nothing = np.empty((len(labels), 0), dtype=np.int32)
    names = tuple(f"p{i}" for i in range(24))
    return SequenceSet(
        nothing,
        3 * np.arange(n_sequences + 1),
        (),
        labels,
        ("column", "row"),
        numbers=pictures.reshape(-1, 24),
        number_names=names,
    )


@pytest.mark.slow
def test_a_picture_is_seen_by_convolutions():
    train, test = picture_set(0), picture_set(1)
    model = NeuralCRF(picture=(6, 4), width=8, n_epochs=10, held_out=None, window=(0, 0), batch_size=64).fit(train)
    assert model.score(test) > 0.95
    with pytest.raises(
        ValueError, match=r"^picture=\(5, 5\) has 25 places and the sequences have 24 numbers; give the rows"
    ):
        NeuralCRF(picture=(5, 5)).fit(train)


def test_held_out_groups_choose_the_number_of_passes():
    reports = []
    model = NeuralCRF(width=6, n_epochs=5, patience=2, held_out=0.3).fit(
        TRAIN, monitor=lambda stage, seconds, value: reports.append((stage, seconds["update"] > 0))
    )
    again = NeuralCRF(width=6, n_epochs=model.n_epochs_, held_out=None).fit(TRAIN)
    np.testing.assert_array_equal(model.predict_proba(TEST), again.predict_proba(TEST))
    assert [stage for stage, _ in reports] == list(range(1, len(reports) + 1))
    assert sum(is_last for _, is_last in reports) >= model.n_epochs_ - 1
    related = TRAIN.with_groups(np.zeros(len(TRAIN), dtype=int))  # nothing can be held out
    assert NeuralCRF(width=6, n_epochs=2, held_out=0.3).fit(related).n_epochs_ == 2


def test_weights_of_another_shape_are_refused(tmp_path):
    model = NeuralCRF(**QUICK).fit(TRAIN)
    header, arrays = model.contents()
    for wrong in (arrays["weights_out"][:, :2], arrays["weights_out"].astype(np.float64)):
        write_npz(tmp_path / "model.npz", header, arrays | {"weights_out": wrong})
        with pytest.raises(ValueError, match=r"or of another version of treecrf \('out has "):
            treecrf.load(tmp_path / "model.npz")


ON_PROCESSORS = """
import os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
from builders import number_set
from treecrf import NeuralCRF
model = NeuralCRF(width=32, n_epochs=2, held_out=None).fit(number_set(0, 60, 2, longest=20))
print(model.predict_proba(number_set(1, 30, 2, longest=20)).tobytes().hex())
"""


@pytest.mark.slow
def test_one_processor_gives_the_bits_of_two():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    found = [
        subprocess.run(
            [sys.executable, "-c", ON_PROCESSORS, count], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for count in ("1", "2")
    ]
    assert found[0] == found[1] != ""


def test_pictures_are_shifted_by_at_most_one_place():
    pictures = np.random.default_rng(0).normal(size=(40, 6, 4, 2))
    padded = np.pad(pictures, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
    with jax.enable_x64():
        found = np.asarray(network._shifted(jnp.asarray(pictures), jax.random.key(0)))
    shifts = [
        [
            (down, right)
            for down in range(3)
            for right in range(3)
            if np.array_equal(one[down : down + 6, right : right + 4], new)
        ]
        for one, new in zip(padded, found, strict=True)
    ]
    assert all(len(each) == 1 for each in shifts)
    assert len({each[0] for each in shifts}) > 5


UNDER_A_LIMIT = """
import resource, sys
from pathlib import Path
import treecrf
from treecrf import SequenceSet
model, asked = treecrf.load(sys.argv[1]), SequenceSet.load(sys.argv[2])
most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + 2**30
resource.setrlimit(resource.RLIMIT_AS, (most, most))
model.predict(asked)
"""


def test_too_few_addresses_give_a_sentence_and_not_the_end_of_the_process(tmp_path):
    NeuralCRF(**QUICK).fit(TRAIN).save(tmp_path / "model.npz")
    TEST.save(tmp_path / "set.npz")
    command = [sys.executable, "-c", UNDER_A_LIMIT, tmp_path / "model.npz", tmp_path / "set.npz"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "ValueError: the net of JAX with batch_size=256 would take 1." in done.stderr
