"""The jobs of the study of ensembles: parts, experts, what combines them, table 1 and theorem 3."""

import numpy as np
import pandas as pd
import pytest
from planted_predictions import assert_confidence

from treecrf.ensembles.baselines import BETAS, OnlineMajorityVote
from treecrf.ensembles.combiners import Evidence, Stacking
from treecrf.ensembles.espboost import ESPBoost
from treecrf.ensembles.voting import position_classes
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed
from treecrf_studies import datasets
from treecrf_studies.ensembles.generated import (
    BOOSTED_NAMES,
    BOUND_NAMES,
    LENGTH,
    LOSS_NAMES,
    ads1,
    ads2,
    vote_on_generated_sets,
)
from treecrf_studies.ensembles.jobs import (
    BOOSTING_NAMES,
    EXPERT_NAMES,
    RUN_NAMES,
    check_bound,
    combine_experts,
    divide,
    lemma_1,
    make_expert,
)
from treecrf_studies.ensembles.methods import COMBINED, EXPERTS, VOTES
from treecrf_studies.ensembles.settings import EnsemblesSettings
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.framework.metrics import CONFIDENCE, PREDICTED

SETTINGS = EnsemblesSettings(
    pool_seeds=[3],
    n_sequences=300,
    n_train=40,
    n_samples=3,
    n_rounds=9,
    rhos=[0.1, 0.5],
    n_seeds=2,
    newton_iterations=4,
    tree_iterations=3,
    tree_leaves=4,
    linear_iterations=6,
    n_epochs=2,
    lightgbm_iterations=3,
    experts=["treecrf", "linear_crf", "perceptron"],
)
WINDOW = (1, 1)


# --- parts ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    train, test = datasets.load("hmm", n_train=50, n_test=30, length=12)
    return SequenceSet.concatenate([train, test])


def kept(part):
    return {row.tobytes() for row in np.split(part.values, part.offsets[1:-1])}


@pytest.mark.parametrize(("sizes", "expected"), [((0.5, 0.25, 0.25), (40, 20, 20)), ((10, 20, 30), (10, 20, 30))])
def test_parts_have_the_sizes_asked_for_and_share_no_sequence(data, sizes, expected):
    parts = divide(data, sizes, 7)
    assert tuple(map(len, parts)) == expected
    assert len(set().union(*map(kept, parts))) == sum(expected)
    assert kept(divide(data, sizes, 8).test) != kept(parts.test)
    assert divide(data, sizes, 7).test == parts.test


def test_related_sequences_are_in_one_part(data):
    related = data.with_groups(np.arange(len(data)) // 4)
    parts = divide(related, (0.5, 0.25, 0.25), 1)
    groups = [set(part.groups) for part in parts]
    assert [len(group) for group in groups] == [10, 5, 5]
    assert not set.intersection(*groups[:2]) | (groups[0] & groups[2]) | (groups[1] & groups[2])


def test_a_set_that_is_too_small_is_refused(data):
    with pytest.raises(ValueError, match=r"parts of 50, 20, 20 sequences were asked for and there are 80; lower sizes"):
        divide(data, (50, 20, 20), 0)
    with pytest.raises(ValueError, match=r"1 unrelated sequences do not make three parts"):
        divide(data.with_groups(np.zeros(len(data), dtype=int)), (0.5, 0.25, 0.25), 0)


# --- real data --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def outcome(data):
    return combine_experts(
        JobContext(
            SETTINGS, "hmm", window=WINDOW, sets=(data.select(np.arange(50)), data.select(np.arange(50, 80))), seed=4
        )
    )


@pytest.fixture(scope="module")
def drawn(data):
    """The parts of the first draw, and the experts that A, and A and B, have trained."""
    parts = divide(data, SETTINGS.sizes, derive_seed(4, "hmm", "parts", 0))
    both = SequenceSet.concatenate([parts.train, parts.validation])
    experts = [
        [make_expert(name, WINDOW, SETTINGS).fit(train) for name in SETTINGS.experts] for train in (parts.train, both)
    ]
    return parts, *experts


def marginals(experts, data):
    return np.stack([expert.predict_proba(data) for expert in experts], axis=1)


def test_frames_have_a_row_for_each_draw_and_ensemble(outcome):
    predicted = ["dataset", "method", "draw", "group", *PREDICTED]
    for frame, names in zip(outcome, (RUN_NAMES, predicted, EXPERT_NAMES, BOOSTING_NAMES), strict=True):
        assert list(frame.columns) == names
    assert list(zip(outcome.runs["draw"], outcome.runs["method"], strict=True)) == [
        (seed, method) for seed in (0, 1) for method in COMBINED
    ]
    right = outcome.predictions.assign(right=lambda rows: rows["label"] == rows["predicted"])
    found = right.groupby(["draw", "method"], sort=False)["right"].mean()
    assert outcome.runs["accuracy"].to_numpy() == pytest.approx(100 * found.to_numpy())
    assert len(outcome.experts) == 2 * len(SETTINGS.experts)
    assert (outcome.runs["shared_part"] == 1.0).all()


def test_the_last_rows_use_experts_that_all_labels_have_trained(outcome, drawn):
    """What was chosen or learnt on B with experts of A is applied to them."""
    parts, of_a, of_both = drawn
    truth_b, test = parts.validation.labels, parts.test
    predicted = outcome.predictions.query("draw == 0").groupby("method")["predicted"].apply(list)
    on_b = marginals(of_a, parts.validation)
    best = int((on_b.argmax(axis=2) == truth_b[:, None]).sum(axis=0).argmax())
    assert outcome.runs["settings"].iloc[0] == SETTINGS.experts[best]
    assert predicted["best_expert"] == of_a[best].predict(test).tolist()
    assert predicted["best_retrained"] == of_both[best].predict(test).tolist()
    stacking = Stacking().fit(Evidence.ask(of_a, parts.validation), truth_b, 0)
    for method, experts in (("stacking", of_a), ("stacking_retrained", of_both)):
        assert predicted[method] == stacking.predict_proba(Evidence.ask(experts, test)).argmax(axis=1).tolist()
    by_method = dict(list(outcome.predictions.query("draw == 0").groupby("method")))
    for method, experts in (("stacking", of_a), ("stacking_retrained", of_both)):
        assert_confidence(by_method[method], stacking.predict_proba(Evidence.ask(experts, test)))
    assert_confidence(by_method["marginal_average"], marginals(of_a, test).mean(axis=1))
    of_votes = outcome.predictions.query("method in ('best_expert', 'majority_vote', 'espboost', 'stepwise')")
    assert of_votes[list(CONFIDENCE)].isna().all(axis=None)
    votes = marginals(of_a, test).argmax(axis=2)
    plurality = [np.argmax([(row == label).sum() for label in row]) for row in votes]
    assert predicted["majority_vote"] == votes[np.arange(len(votes)), plurality].tolist()


def test_experts_are_judged_on_b_and_c(outcome, drawn):
    parts, of_a, of_both = drawn
    rows = outcome.experts.query("draw == 0")
    sides = {"held_out_accuracy": (of_a, parts.validation), "accuracy": (of_a, parts.test)}
    sides |= {"retrained_accuracy": (of_both, parts.test)}
    for name, (experts, side) in sides.items():
        assert rows[name].to_numpy() == pytest.approx([100 * expert.score(side) for expert in experts]), name


def test_boosting_is_recorded_on_c_and_its_bound_on_b(outcome, drawn):
    parts, of_a, _ = drawn
    row = outcome.boosting.iloc[0]
    on_b, on_c = (marginals(of_a, side).argmax(axis=2).astype(np.uint8) for side in (parts.validation, parts.test))
    n_labels = len(parts.train.label_names)
    (classes_b, n_classes), (classes_c, _) = (
        position_classes(row["class_map"], side.offsets, given, n_labels)
        for side, given in ((parts.validation, on_b), (parts.test, on_c))
    )
    whole = ESPBoost(SETTINGS.n_rounds).fit(on_b, parts.validation.labels, classes_b, n_classes)
    losses = whole.staged_losses(on_c, parts.test.labels, classes_c)
    assert (row["n_rounds"], row["first_loss"]) == (len(whole.alphas_), pytest.approx(losses[0]))
    assert row["loss"] == pytest.approx(losses[row["chosen_rounds"] - 1])
    assert row["first_share"] == pytest.approx(whole.alphas_[0] / whole.alphas_.sum())
    assert row["slack"] == pytest.approx(
        check_bound(whole, on_b, parts.validation.labels, classes_b, SETTINGS.rhos).slack
    )


# --- generated sets ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def voted():
    return vote_on_generated_sets(JobContext(SETTINGS))


def test_every_row_of_table_1_is_measured_on_what_is_left_of_the_pool(voted):
    assert [list(frame.columns) for frame in voted] == [LOSS_NAMES, BOUND_NAMES, BOOSTED_NAMES]
    assert set(voted.losses.groupby(["dataset", "sample"])["method"].apply(frozenset)) == {frozenset(VOTES)}
    losses = voted.losses.set_index(["dataset", "sample", "method"])["loss"]
    for name, generate in (("ads1", ads1), ("ads2", ads2)):
        pool = generate(300, 3)
        wrong = (pool.predictions != pool.labels[:, None]).reshape(300, LENGTH, -1)
        rest = np.delete(wrong, np.arange(40, 80), axis=0).mean(axis=(0, 1))
        assert losses[name, 1, "best_expert"] == pytest.approx(rest.min())
        n_rounds = voted.boosted.set_index(["dataset", "sample"])["chosen_rounds"][name, 1]
        train, test = pool.select(40, 80), pool.without(40, 80)
        assert losses[name, 1, "espboost"] == pytest.approx(ESPBoost(n_rounds).fit(*train[:3]).loss(*test[:3]))


def test_beta_is_fixed_where_it_was_fitted_and_chosen_elsewhere(voted):
    betas = voted.losses.groupby(["dataset", "method"])["beta"].agg(set)
    assert betas["ads1", "random_path"] == {0.968}
    assert betas["ads2", "majority_vote_online"] == {0.98}
    assert betas["ads1", "majority_vote_online"] | betas["ads2", "random_path"] <= set(BETAS)
    row = voted.losses.query("dataset == 'ads2' and sample == 0 and method == 'majority_vote_online'").iloc[0]
    train, test = ads2(300, 3).select(0, 40), ads2(300, 3).without(0, 40)
    vote = OnlineMajorityVote(0.98).fit(*train[:3], sequences=train.sequences)
    assert row["loss"] == pytest.approx(vote.loss(*test[:3]))


@pytest.mark.parametrize("generate", [ads1, ads2])
def test_both_sides_of_lemma_1_are_products_of_normalizers(generate):
    """Position by position, path by path; the margins are those of votes that are written out."""
    part = generate(30, 2)
    boosted = ESPBoost(6).fit(*part[:3])
    checked = check_bound(boosted, *part[:3], [0.2])
    assert checked.difference < 1e-12
    scores = np.zeros((len(part.labels), 26))
    for n_rounds, (path, alpha) in enumerate(zip(boosted.paths_, boosted.alphas_, strict=True), start=1):
        exponents = []
        for position, label in enumerate(part.labels):
            scores[position, part.predictions[position, path[part.classes[position]]]] += alpha
            signs = [
                1 if part.predictions[position, other[part.classes[position]]] == label else -1
                for other in boosted.paths_[:n_rounds]
            ]
            exponents.append(-np.dot(boosted.alphas_[:n_rounds], signs))
        own = scores[np.arange(len(part.labels)), part.labels]
        others = np.where(np.arange(26) == part.labels[:, None], -1.0, scores).max(axis=1)
        margins = (own - others) / boosted.alphas_[:n_rounds].sum()
        assert lemma_1(boosted, *part[:3])[n_rounds - 1] == pytest.approx(np.exp(exponents).mean(), rel=1e-12)
        assert checked.margin_losses[n_rounds - 1, 0] == pytest.approx((margins <= 0.2 + 1e-12).mean())
    assert checked.slack == pytest.approx((checked.bounds - checked.margin_losses).min())


def test_a_run_that_has_stopped_keeps_its_last_values(voted):
    runs = voted.boosted.query("dataset == 'ads1'")["n_rounds"]
    bounds = voted.bounds.query("dataset == 'ads1' and rho == 0.5").set_index("round")
    assert bounds.index.tolist() == list(range(1, runs.max() + 1))
    assert bounds["n_runs"].tolist() == [int((runs >= number).sum()) for number in bounds.index]
    values = []
    for sample in range(3):
        train = ads1(300, 3).select(40 * sample, 40 * sample + 40)
        values.append(ESPBoost(SETTINGS.n_rounds).fit(*train[:3]).bound(0.5))
    last = [bound[-1] for bound in values]
    assert bounds["bound"].iloc[-1] == pytest.approx(np.mean(last))
    assert bounds["bound"].iloc[0] == pytest.approx(np.mean([bound[0] for bound in values]))


# --- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"experts": ["separable", "mallet"]}, "names the expert 'mallet', which is none of separable"),
        ({"n_sequences": 1999}, "n_samples \\* n_train = 2000 above n_sequences = 1999; lower one or raise"),
        ({"n_train": 4}, "has n_folds=5 above n_train=4; lower it"),
        ({"overrides": {"ocr": {"n_rounds": 5}}}, "overrides 'n_rounds' for 'ocr', which belongs to no data set"),
    ],
)
def test_settings_that_cannot_be_run_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        EnsemblesSettings(**values)


def test_every_expert_is_made_with_its_settings():
    made = {name: make_expert(name, WINDOW, SETTINGS).get_params() for name in EXPERTS}
    net = made.pop("neural_crf")  # it sees whole sequences
    assert (net["window"], net["n_epochs"]) == ((1, 1), 60)
    assert {params["window"] for params in made.values()} == {WINDOW}
    assert made["separable"]["transitions"] == "separable"
    assert (made["separable"]["n_iterations"], made["treecrf"]["n_iterations"]) == (4, 3)
    assert made["lightgbm"]["n_iterations"] == 3
    assert pd.Series([params.get("max_iterations") for params in made.values()]).dropna().tolist() == [6, 100]
