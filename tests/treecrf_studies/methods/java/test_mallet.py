"""`MalletCRF` against MALLET's own lattices and trainer."""

import hashlib
import itertools
import os
import re
import shutil
from pathlib import Path

import jpype
import numpy as np
import pytest
from builders import letter_set as random_set

from treecrf import Attribute, SequenceSet
from treecrf.models.linear.conjunctions import boolean_cells
from treecrf.models.linear.linear_crf import FEATURES
from treecrf.sequences import slot_sizes
from treecrf_studies.methods.java import machine as _java
from treecrf_studies.methods.java import mallet
from treecrf_studies.methods.java.mallet import MalletCRF, Training


@pytest.fixture
def trainings(monkeypatch):
    """Every `Training` that `fit` makes from now on."""
    made = []
    monkeypatch.setattr(mallet, "Training", lambda *arguments: made.append(Training(*arguments)) or made[-1])
    return made


def exclusive_set(seed=0, n_sequences=60, length=8):
    """The label is the exclusive or of two letters: no cell alone tells anything."""
    letters = np.random.default_rng(seed).integers(0, 2, (n_sequences * length, 2))
    attributes = tuple(Attribute(name, ("x", "y", "z")) for name in ("left", "right"))
    offsets = np.arange(0, len(letters) + 1, length)
    return SequenceSet(letters, offsets, attributes, letters[:, 0] ^ letters[:, 1], ("same", "other"))


def lattices(java, training, data):
    """MALLET's marginals, likeliest paths and log likelihoods, from its lattices."""
    fst = java.JPackage("cc").mallet.fst
    instances = training.build_instances(data)
    training.crf.induceFeaturesFor(instances)
    marginals, paths, log_likelihoods = [], [], []
    for i in range(instances.size()):
        inputs, outputs = instances.get(i).getData(), instances.get(i).getTarget()
        lattice = fst.SumLatticeDefault(training.crf, inputs)
        marginals.append(np.exp(np.array(lattice.getGammas())[1:]))
        best = fst.MaxLatticeDefault(training.crf, inputs).bestOutputSequence()
        paths += [int(str(best.get(t))) for t in range(best.size())]
        constrained = fst.SumLatticeDefault(training.crf, inputs, outputs)
        log_likelihoods.append(constrained.getTotalWeight() - lattice.getTotalWeight())
    n_labels = len(data.label_names)  # START, where it is a state, has a column of its own
    return np.concatenate(marginals)[:, :n_labels], np.array(paths), np.array(log_likelihoods)


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("induction", [False, True])
def test_predictions_equal_those_of_mallets_lattices(java, trainings, induction, features):
    data, other = random_set(1, 60, longest=8), random_set(2, 20, longest=8)
    heard = []

    def listen(*event):
        heard.append((*event, lattices(java, trainings[0], data)[0]))

    model = MalletCRF(
        5.0,
        (1, 1),
        features,
        20,
        induction=induction,
        iterations_between_inductions=4,
        features_per_induction=15,
        keep_stages=True,
    ).fit(data, monitor=listen)
    marginals, paths, log_likelihoods = lattices(java, trainings[0], other)
    np.testing.assert_allclose(model.predict_proba(other), marginals, atol=1e-8)
    np.testing.assert_array_equal(model.predict(other, "viterbi"), paths)
    np.testing.assert_allclose(model.log_likelihood(other), log_likelihoods, atol=1e-8)
    assert [stage for stage, *_ in heard] == list(range(1, len(model.stages_) + 1))
    for (*_, expected), found in zip(heard, model.staged_predict_proba(data), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-8)
    assert heard[-1][2] == pytest.approx(model.log_likelihood(data).sum(), abs=1e-8)
    assert heard[-1][1] == model.seconds_
    cells = boolean_cells(data.attributes, (1, 1)).tolist()
    names = [model.conjunctions_.cells_of(i) for i in range(model.conjunctions_.size)]
    assert names[: len(cells)] == [(cell,) for cell in cells]
    assert all(len(name) > 1 for name in names[len(cells) :])
    assert (len(names) > len(cells)) == induction
    assert model.n_inductions_ == (5 if induction else 0)


def crossed_set(n_labels=3):
    """Four letters, each of which occurs with every pair of labels, so that all weights have support."""
    rng = np.random.default_rng(0)
    letters = rng.integers(0, 4, 2000)
    labels = np.where(rng.random(2000) < 0.2, rng.integers(0, n_labels, 2000), letters % n_labels)
    letter = Attribute("letter", tuple("abcd"))
    return SequenceSet(letters[:, None], np.arange(0, 2001, 4), (letter,), labels, tuple("XYZ"[:n_labels]))


def n_weights(trainer, instances):
    """The number of MALLET's parameters."""
    return int(trainer.getOptimizableCRF(instances).getNumParameters())


@pytest.mark.parametrize("features", FEATURES)
def test_mallet_has_the_weights_that_the_name_says(java, features):
    data, n_labels = crossed_set(), 3
    training = Training(data, (0, 0), 5.0, features)
    n_cells = len(boolean_cells(data.attributes, (0, 0)))
    assert n_cells == 5  # the letters, and what is outside of the sequence, which no window of one position sees
    n_pairs = (n_labels + 1) * n_labels
    of_each = {"labels": n_labels, "pairs": n_pairs, "both": n_labels + n_pairs}[features]
    defaults = {"labels": n_labels + n_labels**2, "pairs": n_pairs, "both": n_labels + n_pairs}[features]
    n_states = n_labels if features == "labels" else n_labels + 1  # START
    # A first and a last state each has a weight.
    assert n_weights(training.trainer, training.instances) == 4 * of_each + defaults + 2 * n_states


def test_pairs_are_as_many_as_the_dissertation_counts(java):
    """Section 2.2: a window of 13 positions, 20 amino acids, 3 labels: "3^2 x 13 x 20 = 2340" features, here from START
    too.
    """
    rng, acids = np.random.default_rng(0), tuple("ACDEFGHIKLMNPQRSTVWY")
    values, labels = rng.integers(0, 20, (60000, 1)), rng.integers(0, 3, 60000)
    data = SequenceSet(values, np.arange(0, 60001, 60), (Attribute("acid", acids),), labels, ("H", "E", "C"))
    training = Training(data, (6, 6), 5.0, "pairs")
    n_weights(training.trainer, training.instances)  # allots them
    cells = {int(str(training.instances.getDataAlphabet().lookupObject(i))) for i in range(13 * 21)}
    acids_of_window = [i for i, cell in enumerate(sorted(cells)) if cell % 21 < 20]
    rows = training.pair_rows().ravel()
    found = [set(np.array(training.crf.getWeights(int(row)).getIndices()).tolist()) for row in rows]
    assert sum(len(row & set(acids_of_window)) for row in found) == 3**2 * 13 * 20 == 2340


def test_induction_finds_the_conjunction_that_tells_the_label(java):
    data, other = exclusive_set(), exclusive_set(1)
    assert MalletCRF(induction=False, n_iterations=30).fit(data).score(other) < 0.7
    model = MalletCRF(n_iterations=30).fit(data)
    assert model.score(other) == 1.0
    first_cell = np.concatenate([[0], np.cumsum(slot_sizes(data.attributes, (0, 0)))])
    names = {model.conjunctions_.cells_of(i) for i in range(model.conjunctions_.size)}
    assert names & {(first_cell[0] + a, first_cell[1] + b) for a, b in itertools.product(range(2), repeat=2)}


def test_rounds_are_mallets_own_calls(java):
    data = random_set(10, 60, longest=8)
    training, doubles = Training(data, (1, 1), 5.0), java.JArray(java.JDouble)

    def induce(shares):
        arguments = (training.instances, None, None, None, 3, 3, 1, 12, 0.95, False, shares and doubles(shares))
        training.trainer.trainWithFeatureInduction(*arguments)
        training.crf.weightsStructureChanged()

    induce([0.3])
    part = training.instances.split(java.JClass("java.util.Random")(1), doubles([0.6, 0.4]))[0]
    training.trainer.setUseSomeUnsupportedTrick(False)  # until there are weights
    training.trainer.train(part, 3)
    training.trainer.setUseSomeUnsupportedTrick(True)
    induce([0.6])
    training.trainer.train(training.instances, 3)
    induce(None)
    training.trainer.train(training.instances, 4)
    model = MalletCRF(5.0, (1, 1), "pairs", 10, 3, 12, training_proportions=(0.3, 0.6)).fit(data)
    np.testing.assert_array_equal(model.stages_[-1], training.weights().joined())


def test_a_perturbed_start_is_drawn_by_label_and_by_pair(java):
    data = random_set(7, 30)
    training, noise = Training(data, (0, 0), 5.0, "labels"), np.random.default_rng(0).normal(size=3 + 9)
    training.set_default_weights(noise)
    training.trainer.getOptimizableCRF(training.instances)  # allots the weights
    weights = training.weights()
    np.testing.assert_array_equal(weights.labels, noise[:3])
    np.testing.assert_array_equal(weights.transitions, noise[3:].reshape(3, 3))
    assert not weights.features.any()


def test_a_line_search_that_never_steps_is_said(java, monkeypatch):
    monkeypatch.setattr(Training, "iterate", lambda *_: True)
    with pytest.raises(ValueError, match="MALLET's line search made no step from the start; change"):
        MalletCRF(induction=False).fit(random_set(0))


# --- where Java, Maven or the jars are missing ------------------------------------------------------


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A folder without jars, and a function that puts a script in the place of Maven."""
    monkeypatch.setenv("TREECRF_JARS", str(tmp_path / "jars"))
    monkeypatch.setattr(_java, "find_machine", lambda: "libjvm")

    def put(script):
        maven = tmp_path / "bin" / "mvn"
        maven.parent.mkdir(exist_ok=True)
        maven.write_text(f"#!/bin/sh\n{script}\n")
        maven.chmod(0o755)
        monkeypatch.setenv("PATH", f"{maven.parent}{os.pathsep}/bin{os.pathsep}/usr/bin")

    return put


def test_without_java_fit_says_so(monkeypatch):
    def missing():
        raise jpype.JVMNotFoundException("none")

    monkeypatch.setattr(jpype, "getDefaultJVMPath", missing)
    problem = "no Java virtual machine is found; install Java 11 or later, or set JAVA_HOME."
    assert _java.java_problem() == problem
    _java.start_java.cache_clear()
    try:
        with pytest.raises(ValueError, match=re.escape(problem)):
            MalletCRF().fit(random_set(0))
    finally:
        _java.start_java.cache_clear()


def test_without_maven_the_jars_are_asked_for(bare, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert re.fullmatch(
        rf"{re.escape(str(tmp_path / 'jars'))}/\w+ has no jars and there is no mvn to resolve them; install Maven\.",
        _java.java_problem(),
    )


def test_what_maven_says_is_passed_on(bare, tmp_path):
    bare("echo '[ERROR] Unknown host.'; exit 1")
    problem = _java.java_problem()
    assert problem.startswith("Maven could not resolve the jars of pom.xml ([ERROR] Unknown host); connect to")
    bare("exit 3")
    assert "(it ended with 3)" in _java.java_problem()
    assert list((tmp_path / "jars").iterdir()) == []  # no half-filled folder is taken for a full one


def test_a_folder_that_cannot_be_written_to_is_named(bare, monkeypatch, tmp_path):
    bare("exit 0")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TREECRF_JARS", str(tmp_path / "file" / "jars"))
    assert _java.java_problem() == (
        f"the jars cannot be kept in {tmp_path / 'file' / 'jars'} (Not a directory); set TREECRF_JARS to a folder that "
        "you may write to."
    )


def test_jars_are_resolved_once_and_are_those_that_are_known(bare, tmp_path, monkeypatch):
    known = tmp_path / "jars.sha256"
    known.write_text(f"{hashlib.sha256().hexdigest()}  a.jar\n")
    monkeypatch.setattr(_java, "_POM", Path(shutil.copy(_java._POM, tmp_path)))
    bare(
        f'echo run >> {tmp_path}/runs; for word; do last="$word"; done; mkdir "${{last#*=}}"; '
        'touch "${last#*=}/a.jar"'
    )
    jars = _java.find_jars()
    assert [jar.name for jar in jars] == ["a.jar"]
    assert _java.find_jars() == jars
    assert (tmp_path / "runs").read_text() == "run\n"
    assert _java.java_problem() is None
    known.write_text(f"{hashlib.sha256(b'other').hexdigest()}  a.jar\n")
    with pytest.raises(ValueError, match=r"a\.jar is not the jar whose SHA-256 treecrf knows; delete the folder"):
        _java.find_jars()
