"""Model files whose arrays were changed, their digest right: read and asked in a process of its own, which may crash.

``python fuzz_models.py train FOLDER`` writes a model of every labeller; ``python fuzz_models.py FOLDER SEED BEGIN END`` makes
the changes BEGIN to END - 1 of them and prints two lines for each: that it begins, and what came of it.
"""

import json
import sys
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
from fuzzing import Hang, Unclear, kind_of, outcome
from labellers import LABELLERS, TEST, TRAIN, TREES

import treecrf
from treecrf import Ensemble, SequenceSet, TreeCRF
from treecrf.io.npz import read_npz, write_npz
from treecrf.models.base import FORMAT
from treecrf.sequences import MISSING

MORE = {
    "TreeCRF of weighted rows": lambda: TreeCRF(**TREES, missing="instance_weighting", window=(1, 1)),
    "TreeCRF of surrogates": lambda: TreeCRF(**TREES, missing="surrogate_splitting", all_missing="both", window=(1, 1)),
    "TreeCRF of default directions": lambda: TreeCRF(**TREES, missing="default_direction", splits="subsets"),
    **{
        f"Ensemble by {combine}": lambda combine=combine: Ensemble(
            experts=("linear_crf", "sliding_window"), combine=combine, n_iterations=2, n_folds=2
        )
        for combine in ("boosted_stacking", "marginal_average", "espboost", "stepwise")
    },
}
"""Labellers whose files have other parts than those of `LABELLERS`."""


def with_holes(data):
    """The set with every seventh cell missing."""
    values = np.where(np.arange(len(data.values))[:, None] % 7 == 3, MISSING, data.values)
    return data.with_values(values, data.attributes)


def train_models(folder, labellers):
    """Train a model of every labeller; write each to a folder."""
    for number, (name, make) in enumerate(labellers.items()):
        if name == "CustomLabeller":  # has no file
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make().fit(with_holes(TRAIN) if takes_holes(make()) else TRAIN)
            model.save(folder / f"{number:02}.npz")
            if name in ("TreeCRF", "TreeCRF, separable", "CodedCRF"):
                model.flattened().save(folder / f"{number:02}_flat.npz")


def takes_holes(model):
    """Whether a labeller copes with missing cells."""
    if type(model).__name__ == "Ensemble":  # one of its experts does not
        return False
    return type(model).__name__ == "NeuralCRF" or getattr(model, "missing", "error") != "error"


# --- changes ----------------------------------------------------------------------------------------


def changed_values(array, rng):
    """The array with some numbers that are out of range, or only others."""
    changed = array.copy()
    if not array.size:
        return np.zeros(tuple(axis + 1 for axis in array.shape), array.dtype)
    places = rng.integers(array.size, size=int(rng.integers(1, 4)))
    if array.dtype == np.bool_:
        changed.view(np.uint8).flat[places] = rng.integers(0, 256)
    elif array.dtype.kind == "f":
        choices = (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -1.0, 0.0, 1e12, rng.normal())
        with np.errstate(over="ignore"):
            changed.flat[places] = choices[rng.integers(len(choices))]
    elif array.dtype.kind in "iu":
        least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
        near = int(array.flat[places[0]]) + int(rng.integers(-3, 4))
        choices = (least, most, -1, 0, 1, 2, len(array), 10**6, near)
        changed.flat[places] = np.clip(choices[rng.integers(len(choices))], least, most)
    return changed


def other_shape(array, rng):
    """The same numbers in another shape, or some of them."""
    match int(rng.integers(6)):
        case 0:
            return array[: rng.integers(len(array) + 1)]
        case 1:
            return np.concatenate([array, array])
        case 2:
            return array.ravel()
        case 3:
            return array[None]
        case 4:
            return np.ascontiguousarray(array.T)
        case _:
            return array[:0]


def other_order(array, rng):
    """The same numbers at other places."""
    return rng.permutation(array.ravel()).reshape(array.shape)


def other_type(array, rng):
    """The same numbers in another type."""
    if array.dtype.kind == "U":  # what an earlier change made
        return array
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(("f4", "f8", "i8", "i4", "i2", "u1", "?", ">i8", "U3", "c16")[rng.integers(10)])


ODD = (None, [], {}, -1, 0, 1, 2**40, 1e300, "x", "error", True, [0, 0], [5, 0], float("nan"), ["a"])
"""Values that a header may have in place of its own."""


def changed_header(value, rng):
    """A JSON value with something in it changed."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = list(value)[rng.integers(len(value))]
        return {**value, key: changed_header(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = int(rng.integers(len(value)))
        return [*value[:place], changed_header(value[place], rng), *value[place + 1 :]]
    if isinstance(value, str) and len(value) > 200:  # a text that has numbers
        place, digit = int(rng.integers(len(value))), str(rng.integers(10))
        return value[:place] + digit + value[place + int(rng.integers(3)) :]
    return ODD[rng.integers(len(ODD))]


def change(header, arrays, rng):
    """Header and arrays with one to three faults."""
    arrays, changes = (
        dict(arrays),
        (changed_values, changed_values, changed_values, other_shape, other_order, other_type),
    )
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        names = list(arrays)
        kind = rng.random()
        if kind < 0.15 or not names:
            key = list(header)[rng.integers(len(header))]
            header = {**header, key: changed_header(header[key], rng)}
        elif kind < 0.2:
            del arrays[names[rng.integers(len(names))]]
        elif kind < 0.25:
            one, other = (names[rng.integers(len(names))] for _ in range(2))
            arrays[one], arrays[other] = arrays[other], arrays[one]
        else:
            name = names[rng.integers(len(names))]
            if arrays[name].ndim:
                arrays[name] = changes[rng.integers(len(changes))](arrays[name], rng)
    return header | {"format": FORMAT}, arrays


# --- questions --------------------------------------------------------------------------------------


def ask(path, data):
    """Load a model and ask it; AssertionError for what no model says."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        model = treecrf.load(path)
        n_labels = len(model.label_names_)
        marginals = model.predict_proba(data)
        assert marginals.shape == (data.n_positions, n_labels), marginals.shape
        assert np.isfinite(marginals).all(), "a probability is not finite"
        assert (np.abs(marginals.sum(axis=1) - 1) < 0.02).all(), "probabilities do not add up to 1"
        for decoder in ("forward_backward", "viterbi"):
            labels = model.predict(data, decoder)
            assert labels.shape == (data.n_positions,)
            assert labels.min() >= 0, "a label is negative"
            assert labels.max() < n_labels, "a label does not exist"


def run(folder, seed, begin, end):
    """Make changes and print what comes of each, for the process that started this one."""
    paths = sorted(folder.glob("[0-9]*.npz"))
    models = [read_npz(path, FORMAT) for path in paths]
    few = TEST.select(np.arange(6))
    plain = SequenceSet(
        few.values, few.offsets, few.attributes, numbers=few.numbers, number_names=few.number_names
    )  # fmt: skip
    written = folder / f"changed_{begin}.npz"
    for number in range(begin, end):
        rng = np.random.default_rng([seed, zlib.crc32(b"models"), number])
        header, arrays = models[number % len(models)]
        write_npz(written, *change(json.loads(json.dumps(header)), arrays, rng))
        holes = header["class"] == "NeuralCRF" or header["params"].get("missing", "error") != "error"
        data = with_holes(plain) if holes and rng.random() < 0.7 else plain
        began = time.perf_counter()
        print(f"{number} begins {paths[number % len(models)].stem} {header['class']}", flush=True)
        try:
            _, error = outcome(lambda data=data: ask(written, data))
            found = "labels" if error is None else kind_of(error)
        except (Unclear, Hang) as problem:
            found = f"FAILED {' | '.join(str(problem).splitlines())}"
        print(f"{number} ends {time.perf_counter() - began:.2f} {found}", flush=True)


def main(labellers):
    """Do what the arguments of the program say."""
    if sys.argv[1] == "train":
        train_models(Path(sys.argv[2]), labellers)
    else:
        run(Path(sys.argv[1]), *map(int, sys.argv[2:]))


if __name__ == "__main__":
    main(LABELLERS | MORE)
