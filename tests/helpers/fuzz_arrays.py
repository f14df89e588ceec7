"""Wrong arrays given to sets and to inference on chains; prints what came of them, and ends with 1 where it is neither answer nor sentence.

Run as ``python fuzz_arrays.py SEED N_INPUTS``.
"""

import sys
import traceback
from collections import Counter

import numpy as np

from treecrf import SequenceSet, TreeCRF, chain
from treecrf.chain.inference import StateSpace, pairwise_marginals, state_sequence
from treecrf.chain.lattice import build_lattice
from treecrf.sequences import Attribute

VALUES = (np.nan, np.inf, -1, -2, -(2**31), 2**40, 2**62, 300, 70000, 1e308, 5e-324, 0, 1, 9, 10)
TYPES = ("f2", "f4", "i1", "u8", "i8", "f8", "c16", "O", "U8", "?", "M8[s]")
ATTRIBUTES = (Attribute("a", ("x", "y", "z")), Attribute("b", ("u", "v")))
OFFSETS = np.array([0, 2, 5, 9])

CALLS = {
    "forward_backward": (chain.forward_backward, ("potentials", "offsets", "order")),
    "pairwise_marginals": (pairwise_marginals, ("potentials", "offsets", "order")),
    "log_likelihood": (chain.log_likelihood, ("potentials", "labels", "offsets", "order")),
    "viterbi": (chain.viterbi, ("potentials", "offsets", "order")),
    "state_sequence": (state_sequence, ("labels", "offsets", "n_labels", "order")),
    "build_lattice": (build_lattice, ("offsets", "candidates", "kinds")),
}


def arguments(rng, order):
    """Right ones, by name."""
    n_labels, n = 3, OFFSETS[-1]
    return {
        "potentials": rng.normal(size=(n_labels, n, StateSpace(n_labels, order).n_states)),
        "labels": rng.integers(0, n_labels, n), "offsets": OFFSETS, "order": order, "n_labels": n_labels,
        "candidates": rng.random((4, n_labels)) < 0.6, "kinds": rng.integers(0, 4, n),
    }  # fmt: skip


def set_arguments(rng):
    """Those of a set."""
    n = OFFSETS[-1]
    return {
        "values": np.stack([rng.integers(-1, 3, n), rng.integers(0, 2, n)], 1), "offsets": OFFSETS, "attributes": ATTRIBUTES,
        "labels": rng.integers(0, 2, n), "label_names": ("p", "q"), "observation_offsets": OFFSETS, "groups": np.array([0, 1, 1]),
        "numbers": rng.normal(size=(n, 1)), "number_names": ("n",),
    }  # fmt: skip


def changed(rng, value):
    """An argument as a hasty user would give it."""
    if isinstance(value, tuple):
        return (value[:-1], value + value, (), ("a" * 300,), (1, 2))[rng.integers(5)]
    if np.ndim(value) == 0:
        return (-1, 5, 40, 2**40, 1.5, "a", None)[rng.integers(7)]
    array = np.array(value)
    if (choice := rng.integers(14)) < 4:
        array = array.astype(float if choice == 0 else array.dtype)
        array.flat[rng.integers(array.size)] = VALUES[rng.integers(len(VALUES))]
        return array
    frozen = array.copy()
    frozen.flags.writeable = False
    return (
        array[..., ::-1], array[..., None], array[:-1], array[:0], np.asfortranarray(array), array.astype(rng.choice(TYPES)), frozen,
        np.repeat(array, 2, axis=-1)[..., ::2], array.tolist(), np.broadcast_to(array.ravel()[:1].reshape((1,) * array.ndim), array.shape),
    )[choice - 4]  # fmt: skip


def with_changes(rng, right):
    """One or two of them changed."""
    given = dict(right)
    for name in rng.choice(list(right), rng.integers(1, 3)):
        try:
            with np.errstate(all="ignore"):
                given[name] = changed(rng, given[name])
        except (ValueError, OverflowError, TypeError):  # no such array exists
            continue
    return given


def main():
    """Call everything."""
    seed, n_inputs = map(int, sys.argv[1:])
    rng, outcomes, failures = np.random.default_rng(seed), Counter(), 0
    model = TreeCRF(n_iterations=2, max_leaves=3, missing="instance_weighting").fit(SequenceSet(**set_arguments(rng)))
    for _ in range(n_inputs):
        name = rng.choice(["set", *CALLS])
        try:
            if name == "set":
                found = model.predict_proba(SequenceSet(**with_changes(rng, set_arguments(rng))))
            else:
                call, names = CALLS[name]
                right = arguments(rng, int(rng.integers(0, 3)))
                found = call(*with_changes(rng, {each: right[each] for each in names}).values())
            parts = found if isinstance(found, tuple) else (found,)
            is_right = not any(np.isnan(part).any() for part in parts if np.asarray(part).dtype.kind == "f")
            outcomes[name, "answer" if is_right else "NaN"] += 1
            failures += not is_right
        except (ValueError, TypeError) as error:
            is_right = "\n" not in str(error)
            outcomes[name, type(error).__name__ if is_right else "long"] += 1
            failures += not is_right
        except Exception:
            outcomes[name, traceback.format_exc()] += 1
            failures += 1
    for (name, what), n in sorted(outcomes.items()):
        print(n, name, what)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
