"""Labellers and transforms in scikit-learn's hands: its searches, pipelines and checks of estimators."""

import warnings

import numpy as np
import pytest
from builders import by_sequence, number_set
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import ClassifierTags
from sklearn.utils.estimator_checks import parametrize_with_checks

from treecrf import Ensemble, LinearCRF, StackedSequential, TreeCRF, WindowLightGBM
from treecrf.missing import Imputer, Indicator, inject
from treecrf.models.pipelines import ImputingLabeller

DATA = number_set(0, 30, 2, longest=8)
HOLES = inject(DATA, 0.2, np.random.default_rng(0))


FRAMES, NAMES = by_sequence(DATA)
FORMS = {"set": (DATA, None), "set and labels": (DATA, NAMES), "lists": (FRAMES, NAMES)}


@pytest.fixture(params=FORMS)
def form(request):
    return FORMS[request.param]


def folds(n_folds=3):
    return list(KFold(n_folds).split(np.zeros(30)))


def test_cross_validation_scores_each_fold(form):
    labeller = LinearCRF(max_iterations=10)
    scores = cross_val_score(labeller, *form, cv=3)
    expected = [LinearCRF(max_iterations=10).fit(DATA[train]).score(DATA[test]) for train, test in folds()]
    assert scores.tolist() == expected


def test_cross_validation_predicts_by_sequence(form):
    found = cross_val_predict(LinearCRF(max_iterations=10), *form, cv=3)
    assert [len(part) for part in found] == DATA.lengths.tolist()
    for train, test in folds():
        codes = LinearCRF(max_iterations=10).fit(DATA[train]).predict(DATA[test])
        assert np.concatenate(found[test]).tolist() == np.array(DATA.label_names)[codes].tolist()
    marginals = cross_val_predict(LinearCRF(max_iterations=10), DATA, cv=3, method="predict_proba")
    assert marginals[0].shape == (DATA.lengths[0], 3)


def test_groups_stay_together(form):
    groups = np.arange(30) // 3
    scores = cross_val_score(LinearCRF(max_iterations=10), *form, cv=GroupKFold(3), groups=groups)
    splits = GroupKFold(3).split(np.zeros(30), groups=groups)
    expected = [LinearCRF(max_iterations=10).fit(DATA[train]).score(DATA[test]) for train, test in splits]
    assert scores.tolist() == expected


@pytest.mark.parametrize("transform", [Imputer(), Imputer(add_indicator=True), Indicator()], ids=repr)
def test_pipelines_do_what_their_steps_do(transform):
    labeller = LinearCRF(max_iterations=10)
    filled = transform.fit(HOLES).transform(HOLES)
    codes = labeller.fit(filled).predict(filled)
    pipeline = make_pipeline(clone(transform), LinearCRF(max_iterations=10))
    assert pipeline.fit(HOLES).predict(HOLES).tolist() == codes.tolist()
    frames, names = by_sequence(HOLES)
    found = pipeline.fit(frames, names).predict(frames)
    assert np.concatenate(found).tolist() == np.array(DATA.label_names)[codes].tolist()
    assert pipeline.score(frames, names) == (codes == HOLES.labels).mean()
    inputs = [*(attribute.name for attribute in filled.attributes), *filled.number_names]
    assert pipeline[:1].get_feature_names_out().tolist() == inputs
    assert pipeline[:1].get_feature_names_out(["x1", "x2", "letter"]).tolist() == inputs
    with pytest.raises(
        ValueError, match=r"^input_features is not equal to feature_names_in_: \['x'\] and \['letter', "
    ):
        pipeline[0].get_feature_names_out(["x"])
    search = GridSearchCV(pipeline, {"linearcrf__variance": [1e-3, 10.0]}, cv=3)
    scores = [search.fit(*asked).cv_results_["mean_test_score"].tolist() for asked in ((frames, names), (HOLES, None))]
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("outer", "place"),
    [
        (StackedSequential(LinearCRF(max_iterations=5), n_folds=2), "first"),
        (Ensemble([LinearCRF(max_iterations=5)], "marginal_average"), "experts__0"),
        (ImputingLabeller(LinearCRF(max_iterations=5)), "labeller"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_searches_choose_settings_of_labellers_within(outer, place):
    candidates = [1e-4, 10.0]
    search = GridSearchCV(outer, {f"{place}__variance": candidates}, cv=2).fit(FRAMES, NAMES)
    assert search.best_estimator_.get_params()[f"{place}__variance"] == search.best_params_[f"{place}__variance"]
    expected = [
        cross_val_score(clone(outer).set_params(**{f"{place}__variance": variance}), DATA, cv=2).mean()
        for variance in candidates
    ]
    assert search.cv_results_["mean_test_score"].tolist() == expected
    assert expected[0] != expected[1]
    with pytest.raises(ValueError, match=rf"^{type(outer).__name__} has no setting 'experts__9__variance'"):
        outer.set_params(experts__9__variance=1.0)


def test_permuting_an_input_costs_what_it_tells():
    frame = DATA.to_frame().set_index("sequence")
    inputs, labels = frame.drop(columns="label"), frame["label"]
    model = WindowLightGBM(20, min_samples_leaf=2).fit(inputs, labels)
    assert model.predict(inputs).tolist() == np.array(DATA.label_names)[model.predict(DATA)].tolist()
    assert model.score(inputs, labels) == model.score(DATA)
    noise = inputs.assign(noise=np.random.default_rng(0).normal(size=len(inputs)))
    noisy = WindowLightGBM(20, min_samples_leaf=2).fit(noise, labels)
    found = permutation_importance(noisy, noise, labels, n_repeats=3, random_state=0)
    assert found.importances_mean.shape == (4,)
    assert found.importances_mean[0] > 5 * abs(found.importances_mean[3])


# --- scikit-learn's own checks ----------------------------------------------------------------------


class Classifier(LinearCRF):
    """A labeller as scikit-learn's checks of classifiers want it: one array is one sequence, one list of labels is its
    labels.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags, tags.target_tags.required = "classifier", ClassifierTags(), True
        return tags


OF_ALL = {
    "check_n_features_in_after_fitting": "another number of columns is refused in another sentence, which names "
    "the columns",
}
OF_LABELLERS = OF_ALL | {
    "check_all_zero_sample_weights_error": "weights of 0 alone are refused in a sentence with the number 0, not "
    "the word",
    "check_sample_weight_equivalence_on_dense_data": "a weighted position is not a position twice, which would "
    "be another sequence",
    "check_sample_weights_pandas_series": "a frame must say where its sequences begin, by a list or by the name "
    "of its index",
    "check_estimators_nan_inf": "NaN is refused as missing, in a sentence that says what to do about holes",
    "check_fit2d_1sample": "one position has one label, and labelling needs two; the sentence says so in other words",
    "check_methods_sample_order_invariance": "rows are a sequence, whose order matters",
    "check_methods_subset_invariance": "rows are a sequence, of which a part is another one",
}
OF_CLASSIFIERS = OF_LABELLERS | {
    "check_classifier_data_not_an_array": "a frame must say where its sequences begin, by a list or by the name "
    "of its index",
    "check_classifiers_one_label": "labelling needs two labels",
    "check_classifiers_train": "a list is a list of sequences, so that a list of rows is not one sequence",
    "check_requires_y_none": "labels may come with the sequences, so that their absence is noticed later, in "
    "other words",
    "check_supervised_y_2d": "a column of labels is taken without a warning",
}
OF_IMPUTERS = OF_ALL | {
    "check_transformer_data_not_an_array": "a list is a list of sequences, so that a list of rows is not one sequence",
}
AS_TEXT = "flags are categories, so that rows with them come back as objects, which the check subtracts"
OF_INDICATORS = OF_ALL | {
    "check_estimators_pickle": AS_TEXT,
    "check_fit_idempotent": AS_TEXT,
    "check_methods_sample_order_invariance": AS_TEXT,
    "check_methods_subset_invariance": AS_TEXT,
    "check_pipeline_consistency": AS_TEXT,
    "check_transformer_data_not_an_array": AS_TEXT,
    "check_transformer_general": AS_TEXT,
}
EXPECTED = {
    "Classifier": OF_CLASSIFIERS,
    "LinearCRF": OF_LABELLERS,
    "TreeCRF": OF_LABELLERS,
    "Imputer": OF_IMPUTERS,
    "Indicator": OF_INDICATORS,
}
CHECKED = [LinearCRF(max_iterations=20), TreeCRF(2, 4), Classifier(max_iterations=20), Imputer(), Indicator()]

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", r"Estimator \w+ does not inherit from", UserWarning)
    checks = parametrize_with_checks(
        CHECKED, expected_failed_checks=lambda estimator: EXPECTED[type(estimator).__name__], xfail_strict=True
    )


@checks
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# --- sets by sequence -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "places"),
    [
        (3, [3]),
        (-1, [29]),
        (np.int64(2), [2]),
        (slice(2, 5), [2, 3, 4]),
        (slice(None, None, -10), [29, 19, 9]),
        ([1, 2], [1, 2]),
        ([-1, 0, 0], [29, 0, 0]),
        (np.arange(30) % 10 == 0, [0, 10, 20]),
        ([], []),
    ],
)
def test_a_set_is_indexed_by_sequence(key, places):
    assert DATA[key] == DATA.select(places)


@pytest.mark.parametrize(
    ("key", "error", "sentence"),
    [
        (30, IndexError, r"^index 30 is outside 0\.\.29, the sequences that there are\.$"),
        ([0, -31], IndexError, r"^index -31 is outside 0\.\.29"),
        ([True, False], IndexError, r"^a mask of 2 does not fit 30 sequences; give one truth value for each\.$"),
        ("word", TypeError, r"^'word' names no sequences; give a whole number, a slice, whole numbers or a mask\.$"),
        (True, TypeError, r"^True names no sequences"),
        (1.5, TypeError, r"^1\.5 names no sequences"),
        (None, TypeError, r"^None names no sequences"),
        ((1, 2), None, None),
    ],
)
def test_other_subscripts_are_named(key, error, sentence):
    if error is None:
        assert DATA[key] == DATA[[1, 2]]
        return
    with pytest.raises(error, match=sentence):
        DATA[key]
