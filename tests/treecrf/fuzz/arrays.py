"""Arrays of wrong types, shapes, values and strides given to sets and to inference on chains.

An answer without NaN, or one sentence; `test_apart.py` runs these tests with kernels that check their indices.
"""

import fuzzing
import numpy as np
import pytest
from fuzzing import TYPES, changed_array, changed_values, fuzz, quiet
from hypothesis import strategies as st

from treecrf import SequenceSet, TreeCRF, chain
from treecrf.chain.inference import StateSpace, pairwise_marginals, state_sequence
from treecrf.chain.lattice import build_lattice
from treecrf.sequences import Attribute

ATTRIBUTES = (Attribute("a", ("x", "y", "z")), Attribute("b", ("u", "v")))
OFFSETS = np.array([0, 2, 5, 9])
N = OFFSETS[-1]
RNG = np.random.default_rng(0)
CHAINS = {
    "offsets": OFFSETS,
    "n_labels": 3,
    "labels": RNG.integers(0, 3, N),
    "candidates": np.arange(12).reshape(4, 3) % 5 != 1,
    "kinds": RNG.integers(0, 4, N),
}
SET = {
    "values": np.stack([RNG.integers(-1, 3, N), RNG.integers(0, 2, N)], 1),
    "offsets": OFFSETS,
    "attributes": ATTRIBUTES,
    "labels": RNG.integers(0, 2, N),
    "label_names": ("p", "q"),
    "observation_offsets": OFFSETS,
    "groups": np.array([0, 1, 1]),
    "numbers": RNG.normal(size=(N, 1)),
    "number_names": ("n",),
}
CALLS = {
    chain.forward_backward: ("potentials", "offsets", "order"),
    pairwise_marginals: ("potentials", "offsets", "order"),
    chain.log_likelihood: ("potentials", "labels", "offsets", "order"),
    chain.viterbi: ("potentials", "offsets", "order"),
    state_sequence: ("labels", "offsets", "n_labels", "order"),
    build_lattice: ("offsets", "candidates", "kinds"),
}


@st.composite
def changed(draw, value):
    """An argument as a hasty user would give it."""
    if isinstance(value, tuple):
        return draw(st.sampled_from([value[:-1], value + value, (), ("a" * 300,), (1, 2)]))
    if np.ndim(value) == 0:
        return draw(st.sampled_from([-1, 5, 40, 2**40, 1.5, "a", None]))
    return draw(changed_array(value, TYPES) | changed_values(value.astype(float)) | st.just(value.tolist()))


@st.composite
def with_changes(draw, right):
    """Arguments of which one or two are changed."""
    given = dict(right)
    for name in draw(st.lists(st.sampled_from(list(right)), min_size=1, max_size=2, unique=True)):
        given[name] = draw(changed(given[name]))
    return given


@pytest.fixture(autouse=True)
def time_to_compile(monkeypatch):
    """Kernels with checks are compiled for types as they come."""
    monkeypatch.setattr(fuzzing, "SECONDS", 300.0)
    monkeypatch.setattr(fuzzing, "WALL_SECONDS", 300.0)


def check_numbers(found):
    for part in found if isinstance(found, tuple) else (found,):
        assert np.asarray(part).dtype.kind != "f" or not np.isnan(part).any()


def fuzz_arguments(call, right, share):
    """Assert that a call gives numbers, or raises one sentence where arguments are changed."""

    def use(given):
        with quiet():
            try:
                found = call(**given)
            except (ValueError, TypeError) as error:
                assert "\n" not in str(error)  # noqa: PT017
                return
        check_numbers(found)

    check_numbers(call(**right))
    fuzz(with_changes(right), use, share)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_inference(call, order):
    potentials = np.random.default_rng(1).normal(size=(3, N, StateSpace(3, order).n_states))
    right = CHAINS | {"potentials": potentials, "order": order}
    fuzz_arguments(call, {name: right[name] for name in CALLS[call]}, 0.1)


def test_sets():
    model = TreeCRF(n_iterations=2, max_leaves=3, missing="instance_weighting").fit(SequenceSet(**SET))
    fuzz_arguments(lambda **given: model.predict_proba(SequenceSet(**given)), SET, 1)
