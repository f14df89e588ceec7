"""Metrics of lists of labels, against scikit-learn's and seqeval's, and in their tools."""

import pickle

import numpy as np
import pytest
import seqeval.metrics
import sklearn.metrics
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, cross_validate

import treecrf
from treecrf import LinearCRF, metrics

TRUE = [["B-x", "I-x", "O"], ["O"], ["B-y", "O", "B-x", "I-x"]]
PREDICTED = [["B-x", "I-x", "O"], ["B-y"], ["B-y", "O", "O", "I-x"]]


def flat(lists):
    return [label for labels in lists for label in labels]


def test_as_scikit_learn_counts_positions():
    true, predicted = flat(TRUE), flat(PREDICTED)
    assert metrics.accuracy(TRUE, PREDICTED) == sklearn.metrics.accuracy_score(true, predicted)
    assert metrics.macro_f1(TRUE, PREDICTED) == pytest.approx(
        sklearn.metrics.f1_score(true, predicted, average="macro")
    )
    expected = sklearn.metrics.balanced_accuracy_score(true, predicted)
    assert metrics.balanced_accuracy(TRUE, PREDICTED) == pytest.approx(expected)
    assert metrics.sequence_accuracy(TRUE, PREDICTED) == pytest.approx(1 / 3)


def test_entities_as_seqeval_counts_them():
    assert metrics.entity_f1(TRUE, PREDICTED) == pytest.approx(seqeval.metrics.f1_score(TRUE, PREDICTED))


@pytest.mark.parametrize("nothing", [[], [[]], [[None]]])
def test_nothing_to_count_is_refused(nothing):
    for metric in (
        metrics.accuracy,
        metrics.balanced_accuracy,
        metrics.macro_f1,
        metrics.sequence_accuracy,
        metrics.entity_f1,
    ):
        with pytest.raises(ValueError, match=r"^there is no true label that is known; give at least one\.$"):
            metric(nothing, [["a"] * len(each) for each in nothing])
    with pytest.raises(ValueError, match="no true label"):
        metrics.log_loss(nothing, [np.ones((len(each), 1)) for each in nothing], ["a"])


def test_names_of_scikit_learn_are_understood():
    assert metrics.SCORERS["f1_macro"] is metrics.SCORERS["macro_f1"]
    assert metrics.SCORERS["neg_log_loss"] is metrics.SCORERS["log_loss"]
    with pytest.raises(KeyError, match="there is no scorer 'f1_weighted'; choose one of accuracy, "):
        metrics.SCORERS["f1_weighted"]
    X, y = [["a", "b"], ["b"]], [["x", "y"], ["y"]]
    model = LinearCRF(max_iterations=5).fit(X, y)
    assert [model.score(X, y, metric=name) for name in ("f1_macro", "f1_micro")] == [
        model.score(X, y, metric=name) for name in ("macro_f1", "accuracy")
    ]


def test_log_loss_as_scikit_learn_has_it():
    rng = np.random.default_rng(0)
    classes = ["B-x", "B-y", "I-x", "O"]
    probabilities = [rng.dirichlet(np.ones(4), size=len(labels)) for labels in TRUE]
    expected = sklearn.metrics.log_loss(flat(TRUE), np.concatenate(probabilities), labels=classes)
    assert metrics.log_loss(TRUE, probabilities, classes) == pytest.approx(expected)
    with pytest.raises(ValueError, match="'O' is none of the classes"):
        metrics.log_loss(TRUE, [part[:, :3] for part in probabilities], classes[:3])


def test_unknown_labels_and_empty_sequences_do_not_count():
    assert metrics.accuracy([["a", None], []], [["a", "b"], []]) == 1.0
    assert metrics.sequence_accuracy([["a", None], []], [["a", "b"], []]) == 1.0


@pytest.mark.parametrize("wrong", [[["a"]], [["a"], ["b", "c"]]])
def test_other_numbers_of_labels_are_refused(wrong):
    with pytest.raises(ValueError, match="give both for each"):
        metrics.accuracy([["a"], ["b"]], wrong)


def test_in_cross_validation():
    rng = np.random.default_rng(1)
    X = [[str(letter) for letter in rng.choice(list("ab"), 6)] for _ in range(12)]
    y = [["v" if letter == "a" else "w" for letter in letters] for letters in X]
    scorer = sklearn.metrics.make_scorer(treecrf.metrics.macro_f1)
    model = LinearCRF(window=(0, 0), max_iterations=10)
    assert cross_val_score(model, X, y, scoring=scorer, cv=3).tolist() == [1.0, 1.0, 1.0]
    predicted = cross_val_predict(model, X, y, cv=3)
    assert metrics.accuracy(y, list(predicted)) == 1.0


def learnable():
    rng = np.random.default_rng(1)
    X = [[str(letter) for letter in rng.choice(list("ab"), rng.integers(3, 7))] for _ in range(12)]
    return X, [["B-v" if letter == "a" else "O" for letter in letters] for letters in X]


def test_scorers_take_lists_in_searches():
    X, y = learnable()
    noisy = [["O" if i % 4 == 0 else label for i, label in enumerate(labels)] for labels in y]
    model = LinearCRF(window=(0, 0), max_iterations=10)
    found = cross_validate(model, X, noisy, scoring=metrics.SCORERS, cv=3, return_estimator=True)
    assert {f"test_{name}" for name in metrics.SCORERS} < set(found)
    for fold, (_, test) in enumerate(KFold(3).split(X)):
        fitted, asked, true = found["estimator"][fold], [X[i] for i in test], [noisy[i] for i in test]
        predicted = fitted.predict(asked)
        for name in ("accuracy", "balanced_accuracy", "macro_f1", "sequence_accuracy", "entity_f1"):
            assert found[f"test_{name}"][fold] == getattr(metrics, name)(true, predicted)
        loss = metrics.log_loss(true, fitted.predict_proba(asked), fitted.classes_)
        assert found["test_log_loss"][fold] == -loss < 0
    grid = {"variance": [0.1, 10.0]}
    search = GridSearchCV(model, grid, cv=3, scoring=metrics.SCORERS["log_loss"]).fit(X, y)
    assert search.best_params_ == {"variance": 10.0}  # labels follow from letters, so that weights may be large
    assert pickle.loads(pickle.dumps(search)).score(X, y) == search.score(X, y)


def test_probabilities_of_lists_name_the_scorers():
    X, y = learnable()
    model = LinearCRF(window=(0, 0), max_iterations=10).fit(X, y)
    with pytest.raises(ValueError, match=r"give scorers of treecrf\.metrics\.SCORERS, such as SCORERS\['log_loss'\]"):
        sklearn.metrics.get_scorer("neg_log_loss")(model, X, y)


def test_tuples_are_labels_of_metrics_too():
    true, predicted = [[("a", 1), ("b", 2)]], [[("a", 1), ("a", 1)]]
    assert metrics.accuracy(true, predicted) == 0.5
    assert metrics.log_loss(true, [np.full((2, 2), 0.5)], [("a", 1), ("b", 2)]) == pytest.approx(np.log(2))
