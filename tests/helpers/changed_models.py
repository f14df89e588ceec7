"""Model files whose arrays and headers were changed, their digest right: one sentence or labels."""

import json
import warnings

import numpy as np
from fuzzing import changed_array, changed_tree, fuzz
from hypothesis import strategies as st
from labellers import TEST, TRAIN

import treecrf
from treecrf import SequenceSet
from treecrf.io.npz import read_npz, write_npz
from treecrf.models.base import FORMAT
from treecrf.sequences import MISSING

ODD = (None, [], {}, -1, 0, 1, 2**40, 1e300, "x", "error", True, [0, 0], [5, 0], float("nan"), ["a"])
FEW = TEST.select(np.arange(6))
PLAIN = SequenceSet(FEW.values, FEW.offsets, FEW.attributes, numbers=FEW.numbers, number_names=FEW.number_names)


def with_holes(data):
    """The set with every seventh cell missing."""
    values = np.where(np.arange(len(data.values))[:, None] % 7 == 3, MISSING, data.values)
    return data.with_values(values, data.attributes)


def takes_holes(class_name, settings):
    """Whether a labeller copes with missing cells; one expert of the ensembles does not."""
    return class_name == "NeuralCRF" or (class_name != "Ensemble" and settings.get("missing", "error") != "error")


def trained(labellers, folder):
    """Header and arrays of a model of every labeller that has a file."""
    models = []
    for name, make in labellers.items():
        if name == "CustomLabeller":
            continue
        model = make()
        with warnings.catch_warnings(action="ignore"):
            model.fit(with_holes(TRAIN) if takes_holes(type(model).__name__, vars(model)) else TRAIN)
        models += [model.flattened(), model] if name in ("TreeCRF", "TreeCRF, separable", "CodedCRF") else [model]
    for model in models:
        model.save(folder / "model.npz")
        yield read_npz(folder / "model.npz", FORMAT)


@st.composite
def changed_models(draw, models):
    """Header and arrays with one to three faults, and a set to label."""
    header, arrays = draw(st.sampled_from(models))
    has_holes = takes_holes(header["class"], header["params"]) and draw(st.booleans())
    header, arrays = json.loads(json.dumps(header)), dict(arrays)
    for _ in range(draw(st.integers(1, 3))):
        kind, names = draw(st.sampled_from(["header", "header", "gone", "exchanged", *["array"] * 10])), list(arrays)
        if kind == "header" or not names:
            header = draw(changed_tree(header, ODD))
            continue
        one, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        if kind == "gone":
            del arrays[one]
        elif kind == "exchanged":
            arrays[one], arrays[other] = arrays[other], arrays[one]
        elif arrays[one].ndim:
            arrays[one] = draw(changed_array(arrays[one]))
    return header | {"format": FORMAT}, arrays, with_holes(PLAIN) if has_holes else PLAIN


def check_changed_models(labellers, folder):
    """Assert that changed models give one sentence or labels; some of them, but less than half, give labels."""

    def ask(given):
        header, arrays, data = given
        write_npz(folder / "changed.npz", header, arrays)
        with warnings.catch_warnings(action="error"):
            warnings.simplefilter("ignore", UserWarning)
            model = treecrf.load(folder / "changed.npz")
            n_labels = len(model.label_names_)
            marginals = model.predict_proba(data)
            assert marginals.shape == (data.n_positions, n_labels)
            assert np.isfinite(marginals).all()
            assert (np.abs(marginals.sum(axis=1) - 1) < 0.02).all()
            for decoder in ("forward_backward", "viterbi"):
                labels = model.predict(data, decoder)
                assert labels.shape == (data.n_positions,)
                assert labels.min() >= 0
                assert labels.max() < n_labels

    kinds = fuzz(changed_models([*trained(labellers, folder)]), ask, 2)
    assert 0 < kinds["answer"] < kinds.total() / 2
