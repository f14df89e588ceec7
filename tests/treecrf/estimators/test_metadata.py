"""Weights and groups that scikit-learn's tools pass on, and what else they and notebooks ask of a labeller."""

import numpy as np
import pytest
import sklearn.metrics
from builders import number_set
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.metadata_routing import get_routing_for_object

from treecrf import LinearCRF, StackedSequential, TreeCRF, metrics
from treecrf.missing import Imputer

DATA = number_set(0, 30, 2, longest=8)
X, Y = (
    [part.drop(columns=["sequence", "label"]) for _, part in DATA.to_frame().groupby("sequence")],
    [part["label"].tolist() for _, part in DATA.to_frame().groupby("sequence")],
)
WEIGHTS = np.random.default_rng(0).integers(0, 3, 30).astype(float)
GROUPS = [f"person {number // 3}" for number in range(30)]


def labeller():
    return LinearCRF(max_iterations=10)


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


# --- metadata routing -------------------------------------------------------------------------------


def test_weights_are_passed_on_where_they_are_requested(routing):
    asked = labeller().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    scores = cross_val_score(asked, X, Y, cv=3, params={"sample_weight": WEIGHTS})
    for score, (train, test) in zip(scores, KFold(3).split(X), strict=True):
        fitted = labeller().fit(DATA[train], sample_weight=WEIGHTS[train])
        assert score == fitted.score(DATA[test], sample_weight=WEIGHTS[test])
    scored = labeller().set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
    expected = [labeller().fit(DATA[a]).score(DATA[b], sample_weight=WEIGHTS[b]) for a, b in KFold(3).split(X)]
    assert cross_val_score(scored, X, Y, cv=3, params={"sample_weight": WEIGHTS}).tolist() == expected
    with pytest.raises(ValueError, match="sample_weight"):
        cross_val_score(labeller(), X, Y, cv=3, params={"sample_weight": WEIGHTS})


def test_requests_go_with_clones_through_pipelines_and_searches(routing):
    asked = labeller().set_fit_request(sample_weight="importance").set_score_request(sample_weight=False)
    assert get_routing_for_object(clone(asked)).fit.requests["sample_weight"] == "importance"
    assert get_routing_for_object(labeller()).fit.requests["sample_weight"] is None
    pipeline = make_pipeline(Imputer(), asked)
    weighted = pipeline.fit(X, Y, importance=WEIGHTS).predict(X)
    expected = labeller().fit(DATA, sample_weight=WEIGHTS).predict(DATA)
    assert np.concatenate(weighted).tolist() == np.array(DATA.label_names)[expected].tolist()
    search = GridSearchCV(asked, {"variance": [10.0]}, cv=3).fit(X, Y, importance=WEIGHTS)
    assert [part.tolist() for part in search.predict(X)] == [part.tolist() for part in weighted]


def test_groups_are_passed_to_splitters_and_to_labellers(routing):
    asked = StackedSequential(labeller(), labeller(), n_folds=3).set_fit_request(groups=True)
    found = cross_validate(asked, X, Y, cv=GroupKFold(3), params={"groups": GROUPS}, return_estimator=True)
    train, _ = next(GroupKFold(3).split(X, groups=GROUPS))
    alone = StackedSequential(labeller(), labeller(), n_folds=3)
    alone.fit([X[i] for i in train], [Y[i] for i in train], groups=[GROUPS[i] for i in train])
    first = found["estimator"][0].predict_proba(X)
    assert all(np.array_equal(a, b) for a, b in zip(first, alone.predict_proba(X), strict=True))


def test_requests_need_routing_and_arguments_that_there_are(routing):
    with pytest.raises(
        TypeError, match=r"^fit of LinearCRF has no argument 'sample_weights'; it has sample_weight, groups"
    ):
        labeller().set_fit_request(sample_weights=True)
    assert labeller().set_predict_request(decoder=True).get_metadata_routing().predict.requests == {"decoder": True}
    with (
        config_context(enable_metadata_routing=False),
        pytest.raises(RuntimeError, match=r"switch it on \(sklearn\.set_config\(enable_metadata_routing=True\)\)"),
    ):
        labeller().set_fit_request(sample_weight=True)


# --- groups and weights -----------------------------------------------------------------------------


@pytest.mark.parametrize("model", [TreeCRF(2, 4), labeller()], ids=lambda one: type(one).__name__)
def test_groups_of_lists_are_those_of_the_set(model):
    groups = np.arange(30) // 3
    by_list = clone(model).fit(X, Y, groups=GROUPS).predict_proba(DATA)
    assert np.array_equal(by_list, clone(model).fit(DATA.with_groups(groups)).predict_proba(DATA))


def test_groups_of_rows_and_of_lists_with_empty_sequences():
    frame = DATA.to_frame().set_index("sequence")
    by_row = np.repeat(GROUPS, DATA.lengths)
    stacked = StackedSequential(labeller(), labeller(), n_folds=3)
    expected = clone(stacked).fit(X, Y, groups=GROUPS).predict_proba(DATA)
    found = clone(stacked).fit(frame.drop(columns="label"), frame["label"], groups=by_row).predict_proba(DATA)
    assert np.array_equal(found, expected)
    assert not np.array_equal(clone(stacked).fit(X, Y).predict_proba(DATA), expected)
    with pytest.warns(UserWarning, match="1 sequence without observations"):
        clone(stacked).fit([X[0].iloc[:0], *X], [[], *Y], groups=["nobody", *GROUPS])
    by_row[1] = "another"
    with pytest.raises(ValueError, match=r"^groups: the sequence of row 1 is in two groups; give it one\.$"):
        stacked.fit(frame.drop(columns="label"), frame["label"], groups=by_row)


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        (GROUPS[:-1], "there are 30 sequences and 29 groups; give one for each."),
        ("abc", "groups are 'abc'; give the group of each sequence."),
        (3, "groups are 3; give the group of each sequence."),
        ([None, *GROUPS[1:]], "groups: sequence 0 has none; give each sequence one."),
    ],
)
def test_groups_that_do_not_fit_are_named(groups, sentence):
    with pytest.raises(ValueError) as caught:
        labeller().fit(X, Y, groups=groups)
    assert str(caught.value) == sentence


def weighted_scores():
    """By name of the metric, as scikit-learn computes them from positions."""
    model = labeller().fit(X, Y)
    true, predicted = DATA.labels, model.predict(DATA)
    weights = np.repeat(WEIGHTS, DATA.lengths)
    right = [(true[a:b] == predicted[a:b]).all() for a, b in zip(DATA.offsets[:-1], DATA.offsets[1:], strict=True)]
    return model, {
        "accuracy": sklearn.metrics.accuracy_score(true, predicted, sample_weight=weights),
        "balanced_accuracy": sklearn.metrics.balanced_accuracy_score(true, predicted, sample_weight=weights),
        "macro_f1": sklearn.metrics.f1_score(true, predicted, sample_weight=weights, average="macro"),
        "sequence_accuracy": np.average(right, weights=WEIGHTS),
    }


def test_weighted_scores_are_those_of_scikit_learn():
    model, expected = weighted_scores()
    for metric, score in expected.items():
        assert model.score(X, Y, metric=metric, sample_weight=WEIGHTS) == pytest.approx(score)
        by_position = np.repeat(WEIGHTS, DATA.lengths)
        assert model.score(DATA, metric=metric, sample_weight=by_position) == pytest.approx(score)
        assert model.score(X, Y, metric=metric, sample_weight=np.ones(30)) == model.score(X, Y, metric=metric)
    nothing, *filled = [X[0].iloc[:0], *X], [[], *Y], np.array([5.0, *WEIGHTS])
    assert model.score(nothing, filled[0], sample_weight=filled[1]) == pytest.approx(expected["accuracy"])
    with pytest.raises(ValueError, match="sample_weight has shape"):
        model.score(X, Y, sample_weight=np.ones(29))


# --- what else is asked -----------------------------------------------------------------------------


def test_labellers_of_lists_are_no_classifiers():
    """Folds of a classifier are stratified by its labels, for which scikit-learn refuses lists of lists."""

    class Tagged(LinearCRF):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.estimator_type = "classifier"
            return tags

    assert is_classifier(Tagged())
    with pytest.raises(ValueError, match="legacy multi-label data representation"):
        cross_val_score(Tagged(max_iterations=10), X, Y, cv=3)
    assert not is_classifier(LinearCRF())
    assert (cross_val_score(labeller(), X, Y, cv=3) > 0.3).all()
    assert cross_val_score(labeller(), X, Y, cv=3, scoring=make_scorer(metrics.macro_f1)).shape == (3,)
