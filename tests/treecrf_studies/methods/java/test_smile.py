"""`SmileCRF` against SMILE's own predictions."""

import itertools

import numpy as np
import pytest
from builders import letter_set as random_set

from treecrf import Attribute, SequenceSet, chain
from treecrf.sequences import window_codes
from treecrf_studies.methods.java import smile
from treecrf_studies.methods.java.smile import SmileCRF, build_tuples

SETTINGS = {"n_iterations": 6, "max_leaves": 12, "shrinkage": 0.7, "window": (1, 1)}


@pytest.fixture
def crfs(monkeypatch):
    """Every ``smile.sequence.CRF`` that `fit` trains from now on."""
    trained, train_crf = [], smile.train_crf
    monkeypatch.setattr(smile, "train_crf", lambda *arguments: trained.append(train_crf(*arguments)) or trained[-1])
    return trained


def trees_of(crf):
    """SMILE's trees, by label and iteration."""
    field = crf.getClass().getDeclaredField("potentials")
    field.setAccessible(True)
    return field.get(crf)


def test_labels_are_those_of_smiles_predict(java, crfs):
    data, other = random_set(1, 80, longest=9), random_set(2, 80, longest=9)
    model = SmileCRF(**SETTINGS).fit(data)
    row = java.JArray(java.JPackage("smile").data.Tuple)
    expected = [int(label) for sequence in build_tuples(other, (1, 1)) for label in crfs[0].predict(row(sequence))]
    np.testing.assert_array_equal(model.predict(other), expected)
    assert len(set(expected)) == 3


def test_potentials_are_the_sums_of_smiles_trees(java, crfs):
    data, other = random_set(1, 80, longest=9), random_set(2, 12, longest=9)
    values = other.values.copy()
    values[::7, 0] = 4
    attributes = (Attribute("letter", (*other.attributes[0].categories, "new")), other.attributes[1])
    model = SmileCRF(**SETTINGS).fit(data)
    with pytest.warns(UserWarning, match="category 'new' was not in the training set"):
        potentials = model.potentials(other.with_values(values, attributes))
    values[values == 4] = -1  # the code of a cell that is not known belongs to no category
    codes = window_codes(other.with_values(values), (1, 1)).tolist()
    trees = trees_of(crfs[0])
    schema = trees[0][0].schema()
    for position, state in itertools.product(range(other.n_positions), range(4)):
        row = java.JPackage("smile").data.Tuple.of(java.JArray(java.JInt)([*codes[position], state]), schema)
        for label in range(3):
            expected = sum(0.7 * tree.predict(row) for tree in trees[label])
            assert potentials[label, position, state] == pytest.approx(expected, abs=1e-12)
    assert potentials.std() > 0.1


def test_smiles_viterbi_adds_exponentials(java, crfs):
    # Its path is the best one of exp(F), and not that of F, which this package's Viterbi finds.
    data = random_set(1, 80, longest=9)
    model = SmileCRF(**SETTINGS).fit(data)
    potentials, paths = model.potentials(data), model.predict(data, "viterbi")
    row = java.JArray(java.JPackage("smile").data.Tuple)
    found = [int(label) for sequence in build_tuples(data, (1, 1)) for label in crfs[0].viterbi(row(sequence))]
    np.testing.assert_array_equal(chain.viterbi(np.exp(potentials), data.offsets, 1).labels, found)
    np.testing.assert_array_equal(chain.viterbi(potentials, data.offsets, 1).labels, paths)
    assert (paths != found).any()


def test_settings_reach_smile(java, crfs):
    data = random_set(5, 80, longest=9)
    SmileCRF(3, max_leaves=7, window=(1, 1), max_depth=3, min_samples_leaf=20).fit(data)
    SmileCRF(3, max_leaves=5, window=(1, 1), min_samples_leaf=1).fit(data)
    shallow, small = ([tree.root() for label in trees_of(crf) for tree in label] for crf in crfs)
    assert {root.depth() for root in shallow} == {3}
    assert max(root.leaves() for root in small) == 5
    leaves = [node for root in shallow for node in leaves_of(root)]
    assert min(leaf.size() for leaf in leaves) >= 20
    assert min(leaf.size() for root in small for leaf in leaves_of(root)) < 20


def leaves_of(node):
    """The leaves below a node of SMILE."""
    if not hasattr(node, "trueChild"):
        return [node]
    return leaves_of(node.trueChild()) + leaves_of(node.falseChild())


def test_a_tree_without_splits_is_read(java):
    data = random_set(6, 5, longest=3)
    model = SmileCRF(2, min_samples_leaf=1000).fit(data)
    assert len(model.forest_.parents) == 0
    potentials = model.potentials(data)
    np.testing.assert_array_equal(potentials, np.broadcast_to(potentials[:, :1, :1], potentials.shape))


def test_unusable_data_are_one_sentence():
    data = random_set(0)
    values = data.values.copy()
    values[2, 0] = -1
    with pytest.raises(ValueError, match="'letter' is missing at observation 2"):
        SmileCRF().fit(data.with_values(values))
    more = SequenceSet(data.values, data.offsets, data.attributes, data.labels, (*data.label_names, "W"))
    with pytest.raises(ValueError, match="label 'W' does not occur in the training set"):
        SmileCRF().fit(more)
