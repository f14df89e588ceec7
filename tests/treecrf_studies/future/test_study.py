"""The study of future features."""

import numpy as np
import pandas as pd
import pytest
from planted_predictions import assert_confidence
from scipy.stats import t as student
from scipy.stats import ttest_rel

from treecrf import SlidingWindow
from treecrf.models.boosted.treecrf import MEMM
from treecrf.statistics.paired import compare_pairs
from treecrf.trees.forest import Evaluator
from treecrf_studies.datasets.synthetic import bag_labels, best_window_accuracy, find_rule, future_splits, is_positive
from treecrf_studies.framework.jobs import JobContext, SummaryContext
from treecrf_studies.framework.resamples import Rules, overlap_of
from treecrf_studies.framework.settings import FutureSettings
from treecrf_studies.future import STUDY
from treecrf_studies.future.figures import accuracy_by_order, feature_trees, what_features_see
from treecrf_studies.future.jobs import (
    RUN_NAMES,
    compare_future,
    describe_features,
    one_directional_example,
    shared_part,
    tree_rows,
)
from treecrf_studies.future.methods import INSTANCE, NO_BAG
from treecrf_studies.future.published import future_accuracies, read_published, with_published
from treecrf_studies.future.summary import compare_neighbours, compare_variants, decompose_draws, make_frames
from treecrf_studies.future.tables import gains
from treecrf_studies.methods import FutureFeatureMEMM
from treecrf_studies.methods.future.features import NO_STATES

METHODS = ["sliding_window", "memm_1", "crf_2", "ff_memm_0", "ff_crf_1"]
SETTINGS = FutureSettings(
    methods=METHODS,
    n_iterations=12,
    chain_iterations=12,
    test_every=1,
    max_leaves=[4, 6],
    bags=[6, None],
    g0=[-1, -5],
    alpha_uppers=[5, 40],
    beta_uppers=[1e3, 1e5],
    eta_uppers=[10],
    eta_starts=[0.5, 1.0],
    each_label=False,
)
SIZES = {"n_train": 120, "n_validation": 60, "n_test": 20, "length": 15}

RULES = {"exact_under": 25, "equivalence_margin": 0.5}


@pytest.fixture(scope="module")
def splits():
    return {seed: future_splits("or", seed=seed, **SIZES) for seed in range(2)}


@pytest.fixture(scope="module")
def outcomes(splits):
    return {method: compare_future(JobContext(SETTINGS, "or", method, splits=splits)) for method in METHODS}


@pytest.fixture(scope="module")
def frames(outcomes):
    parts = {
        kind: [getattr(o, kind) for o in outcomes.values()] for kind in ("runs", "predictions", "weights", "trees")
    }
    return make_frames(SummaryContext(parts, RULES, source="or"))


def test_runs_are_those_of_direct_trainings(outcomes, splits):
    runs = outcomes["sliding_window"].runs
    assert list(runs.columns) == RUN_NAMES
    assert set(runs["bag"]) == {NO_BAG}
    for seed, sets in splits.items():
        scores = {}
        for max_leaves in (4, 6):
            model = SlidingWindow(n_iterations=12, max_leaves=max_leaves, l2_regularization=0.0).fit(sets.train)
            scores[max_leaves] = model.staged_score(sets.validation)[:, 0], model.staged_score(sets.test)[:, 0]
        best = max(scores, key=lambda leaves: (scores[leaves][0].max(), -leaves))
        row = runs[runs["draw"] == seed].iloc[0]
        stage = scores[best][0].argmax()
        assert (row["max_leaves"], row["n_iterations"]) == (best, stage + 1)
        assert row["validation_accuracy"] == pytest.approx(100 * scores[best][0][stage])
        assert row["accuracy"] == pytest.approx(100 * scores[best][1][stage])
        model = SlidingWindow(n_iterations=stage + 1, max_leaves=best, l2_regularization=0.0).fit(sets.train)
        predictions = outcomes["sliding_window"].predictions.query("draw == @seed")
        assert_confidence(predictions, model.predict_proba(sets.test))


def test_every_variant_has_its_runs_and_the_best_bounds_win(outcomes, splits):
    runs = outcomes["ff_memm_0"].runs
    assert len(runs) == 2 * 2 * 2
    row = runs[(runs["bag"] == "bag 6") & (runs["g0"] == -5) & (runs["draw"] == 1)].iloc[0]

    def train(leaves, start, alpha, beta):
        return FutureFeatureMEMM(
            12,
            leaves,
            order=0,
            bag=6,
            g0=-5,
            eta_start=start,
            alpha_upper=alpha,
            beta_upper=beta,
            eta_upper=10,
            each_label=False,
        ).fit(splits[1].train, validation=splits[1].validation)

    def validate(candidate):
        return train(*candidate).staged_score(splits[1].validation)[:, 0].max()

    best = None  # leaves; then start, alpha and beta one after another
    for leaves in (4, 6):
        chosen = [leaves, 0.5, 5, 1e3]
        for place, grid in ((1, (0.5, 1.0)), (2, (5, 40)), (3, (1e3, 1e5))):
            tried = [chosen, *([*chosen[:place], value, *chosen[place + 1 :]] for value in grid)]
            chosen = max(tried, key=validate)
        if best is None or validate(chosen) > validate(best):
            best = chosen
    model = train(*best)
    stage = model.staged_score(splits[1].validation)[:, 0].argmax()
    assert row["validation_accuracy"] == pytest.approx(100 * validate(best))
    assert row["n_iterations"] == stage + 1
    assert row["accuracy"] == pytest.approx(100 * model.staged_score(splits[1].test)[stage, 0])
    bits = splits[1].test.values.reshape(20, 15, 8) == 1
    n_features = model.stages_["n_features"][: stage + 1].sum()
    assert row["n_features"] == n_features > 0
    positive = (model.instance_scores(splits[1].test)[:, :n_features] > 0).any(axis=1)
    assert row["test_instance_accuracy"] == pytest.approx(100 * (positive == is_positive(bits).ravel()).mean())
    shown = (model.future_features(splits[1].test)[:, :n_features] > 0.5).any(axis=1)
    assert row["test_bag_accuracy"] == pytest.approx(100 * (shown == bag_labels(bits, 15).ravel()).mean())


def test_predictions_have_the_accuracy_of_the_runs(outcomes):
    for outcome in outcomes.values():
        correct = outcome.predictions["label"] == outcome.predictions["predicted"]
        found = correct.groupby([outcome.predictions[c] for c in ("bag", "g0", "draw")], dropna=False).mean()
        for row in outcome.runs.itertuples():
            values = found.reset_index(name="accuracy")
            same = (values["bag"] == row.bag) & (values["draw"] == row.draw)
            same &= values["g0"].isna() if pd.isna(row.g0) else values["g0"] == row.g0
            assert 100 * values.loc[same, "accuracy"].item() == pytest.approx(row.accuracy)


@pytest.mark.parametrize("decoder", ["forward_backward", "viterbi", "greedy"])
def test_memms_are_decoded_as_asked(decoder, splits, outcomes):
    settings = SETTINGS.model_copy(update={"memm_decoder": decoder, "max_leaves": [4]})
    found = compare_future(JobContext(settings, "or", "memm_1", splits={0: splits[0]}))
    [row] = found.runs.to_dict("records")
    model = MEMM(n_iterations=12, max_leaves=4, l2_regularization=0.0, order=1).fit(splits[0].train)
    for name in ("forward_backward", "viterbi", "greedy"):
        scores = []
        for data in (splits[0].validation, splits[0].test):
            stages = model.staged_greedy(data, 1)
            if name != "greedy":
                stages = (stage[name] for stage in model.staged_predict(data))
            scores.append([100 * (labels == data.labels).mean() for labels in stages])
        stage = int(np.argmax(scores[0]))
        assert row[f"{name}_accuracy"] == pytest.approx(scores[1][stage])
        if name == decoder:
            assert (row["decoding"], row["n_iterations"]) == (decoder, stage + 1)
            assert row["accuracy"] == pytest.approx(scores[1][stage])
            assert row["validation_accuracy"] == pytest.approx(scores[0][stage])
    crf = outcomes["crf_2"].runs
    assert set(crf["decoding"]) == {"forward_backward"}
    assert crf["forward_backward_accuracy"].tolist() == crf["accuracy"].tolist()
    assert crf["viterbi_accuracy"].notna().all()
    assert crf["greedy_accuracy"].isna().all()


OF_PAIRS = Rules(**RULES, test_per_train=0.5)


def test_every_pair_is_tested_in_every_draw(outcomes):
    predictions = pd.concat([outcomes[m].predictions for m in ("sliding_window", "memm_1", "crf_2")])
    tests = compare_variants(predictions, ["sliding_window", "memm_1", "crf_2"], OF_PAIRS)
    pairs = [["memm_1", "sliding_window"], ["crf_2", "sliding_window"], ["crf_2", "memm_1"]]
    assert tests[["method", "other"]].to_numpy().tolist() == pairs
    p_values, points = [], []
    for _, of_seed in predictions.groupby("draw"):
        correct = of_seed.assign(decoder="d", correct=of_seed["label"] == of_seed["predicted"])
        found = compare_pairs(correct, 25).set_index(["other", "method"])
        p_values.append([found.loc[tuple(pair), "p_value"] for pair in pairs])
        points.append([-found.loc[tuple(pair), "accuracy_points"] for pair in pairs])
    assert tests["papers_p"].tolist() == pytest.approx(np.median(p_values, axis=0).tolist())
    assert tests["value"].tolist() == pytest.approx(np.mean(points, axis=0).tolist())
    assert tests["n_significant"].tolist() == (np.array(p_values) < 0.05).sum(axis=0).tolist()
    assert tests["n_better"].tolist() == (np.array(points) > 0).sum(axis=0).tolist()
    assert tests["n"].tolist() == [2, 2, 2]
    spread = np.std(points, axis=0, ddof=1) * np.sqrt(1 / 2 + 0.5)  # Nadeau and Bengio, two draws
    expected = 2 * student.sf(np.abs(np.mean(points, axis=0)) / spread, 1)
    assert tests["p_value"].tolist() == pytest.approx(expected.tolist())
    for reach, low, high in ((0.975, "low", "high"), (0.95, "low_90", "high_90")):
        half_width = student.ppf(reach, 1) * spread
        assert tests[low].tolist() == pytest.approx((np.mean(points, axis=0) - half_width).tolist())
        assert tests[high].tolist() == pytest.approx((np.mean(points, axis=0) + half_width).tolist())


def draws_of(correct, n_positions=200):
    """Predictions; `correct` maps methods to correct positions by draw."""
    parts = [
        pd.DataFrame(
            {
                "dataset": "toy",
                "method": method,
                "bag": NO_BAG,
                "g0": np.nan,
                "draw": seed,
                "sequence": np.arange(n_positions) // 10,
                "position": np.arange(n_positions),
                "label": 1,
                "predicted": (np.arange(n_positions) < n).astype(int),
            }
        )
        for method, numbers in correct.items()
        for seed, n in enumerate(numbers)
    ]
    return pd.concat(parts, ignore_index=True)


def test_identical_neighbours_are_equivalent_and_steady_ones_better():
    predictions = draws_of({"a": (150, 140, 160), "b": (150, 140, 160), "c": (170, 162, 181)})
    tests = compare_neighbours(compare_variants(predictions, ["a", "b", "c"], OF_PAIRS))
    same = tests.iloc[0]
    assert [same[name] for name in ("value", "low", "high", "p_value")] == [0, 0, 0, 1]
    assert tests["decision"].tolist() == ["equivalent", "better"]


def test_a_variant_alone_has_no_comparisons():
    comparisons = compare_variants(draws_of({"crf_1": (150, 140)}), ["crf_1"], OF_PAIRS)
    assert len(comparisons) == len(compare_neighbours(comparisons)) == 0
    assert "p_value" in comparisons


def test_draws_that_overlap_are_less_certain_and_fresh_ones_are_not_corrected():
    predictions = draws_of({"a": (150, 140, 160), "b": (158, 141, 165)})
    fresh, shared = (compare_variants(predictions, ["a", "b"], Rules(25, 0.5, ratio)).iloc[0] for ratio in (0, 0.5))
    assert fresh["p_value"] == pytest.approx(ttest_rel([158, 141, 165], [150, 140, 160]).pvalue)
    assert shared["p_value"] > fresh["p_value"]
    runs = pd.DataFrame({"n_train": [200, 100], "n_test": [50, 50], "shared_part": 1.0})
    assert overlap_of(runs, "xor") == 0
    assert overlap_of(runs, "nettalk_binary") == pytest.approx((0.25 + 0.5) / 2)
    assert overlap_of(runs.assign(shared_part=0.1), "nettalk_binary") == pytest.approx((0.25 + 0.5) / 20)


def test_draws_share_the_part_of_the_sample_that_they_take():
    draws = [future_splits("xor", seed=seed, n_train=20, n_validation=10, n_test=10, length=30) for seed in (0, 1)]
    assert shared_part(draws) == 0
    assert shared_part([draws[0], draws[0]]) == 1
    half = draws[0]._replace(test=draws[1].test, validation=draws[1].validation)
    assert shared_part([draws[0], half]) == 0.5
    assert shared_part(draws[:1]) == 1


def test_noise_that_methods_share_is_the_draws_and_the_rest_their_own():
    shared = {"a": (100, 120, 140), "b": (110, 130, 150)}
    found = decompose_draws(draws_of(shared)).set_index("component")
    assert found.loc["draw", "draw_points"] == pytest.approx(10)  # 50, 60, 70 %
    assert found.loc["draw", "mean_points"] == pytest.approx(10 / np.sqrt(3))
    assert found.loc["method x draw", "draw_points"] == pytest.approx(0, abs=1e-6)
    crossed = decompose_draws(draws_of({"a": (100, 120, 140), "b": (140, 120, 100)})).set_index("component")
    assert crossed.loc["draw", "draw_points"] == 0
    assert crossed.loc["method x draw", "draw_points"] > 9
    assert decompose_draws(draws_of({"a": (100, 120)})).empty
    assert decompose_draws(draws_of({"a": (100,), "b": (90,)})).empty


def test_one_direction_is_not_enough():
    example = one_directional_example(JobContext(None))
    np.testing.assert_allclose(example["alpha"], example["published_alpha"])
    np.testing.assert_allclose(example["beta"], example["published_beta"])
    for marginal, recursion in (("forward", "alpha"), ("backward", "beta")):
        np.testing.assert_allclose(example[marginal], example[recursion] / example[recursion].sum())
    product = example["alpha"] * example["beta"]
    np.testing.assert_allclose(example["both"], product / product.sum())
    winners = [example.loc[example[name].idxmax(), "label"] for name in ("forward", "backward", "both")]
    assert winners == ["l2", "l3", "l1"]


def test_weights_are_means_of_what_is_seen(splits):
    sets = splits[0]
    model = FutureFeatureMEMM(12, order=0, bag=6, each_label=False).fit(sets.train, validation=sets.validation)
    weights, _ = describe_features(model, sets.train)
    values, scores = model.future_features(sets.train)[:, 0], model.instance_scores(sets.train)[:, 0]
    first = weights[weights["feature"] == 1].set_index(["distance", "attribute", "category"])
    true = sets.train.values[:, 2] == 1
    assert first.loc[(INSTANCE, "x3", "1"), "value"] == pytest.approx(scores[true].mean() - scores.mean())
    place = np.arange(len(values)) % 15
    there = np.flatnonzero(place + 2 < 15)
    chosen = there[true[there + 2]]
    assert first.loc[(2, "x3", "1"), "value"] == pytest.approx(values[chosen].mean() - values[there].mean())
    assert first.loc[(2, "x3", "1"), "n"] == len(chosen)
    assert set(weights["distance"]) == set(range(7))


def test_trees_are_written_as_they_work(splits):
    sets = splits[0]
    model = FutureFeatureMEMM(12, order=0, bag=6, each_label=False).fit(sets.train, validation=sets.validation)
    _, trees = describe_features(model, sets.train)
    tree = model.features_[0].trees[0]
    rows = {row["node"]: row for row in tree_rows(tree, sets.train.attributes)}
    assert trees.query("feature == 1 and tree == 1")["test"].tolist() == [row["test"] for row in rows.values()]
    children = {(row["parent"], row["side"]): node for node, row in rows.items()}

    def value(observation):
        node = 0
        while rows[node]["test"]:
            name, _, category = rows[node]["test"].partition(" = ")
            code = observation[[a.name for a in sets.train.attributes].index(name)]
            node = children[node, "yes" if sets.train.attributes[0].categories[code] == category else "no"]
        return rows[node]["value"]

    from treecrf_studies.methods.future.features import Bags

    expected = np.zeros((sets.train.n_positions, 1))
    Evaluator(Bags(sets.train, 6, (0, 0)).columns, NO_STATES, len(tree.values)).add(tree, expected)
    assert [value(row) for row in sets.train.values[:60]] == pytest.approx(expected[:60, 0].tolist())


# --- tables and figures -----------------------------------------------------------------------------


def test_published_values_are_all_there():
    published = future_accuracies().set_index(["dataset", "method", "bag"])["percent"]
    assert published["xor", "crf_4", NO_BAG] == 58.4
    assert published["xor", "ff_memm_0", "bag 6"] == 100
    assert published["nettalk_binary", "sliding_window", NO_BAG] == 84.2
    assert published["nettalk_binary", "ff_memm_2", "bag 4"] == 89.6
    assert len(published) == 3 * 7 + len(read_published("table_5_5_nettalk_binary"))


def test_table_5_4_shows_both_ends_of_the_last_bags(splits, frames):
    full = {0: future_splits("or", last_bags="full", **SIZES)}
    found = [
        compare_future(JobContext(SETTINGS, "or_full", method, splits=full)) for method in ("sliding_window", "memm_1")
    ]
    parts = {kind: [getattr(o, kind) for o in found] for kind in ("runs", "predictions", "weights", "trees")}
    best = pd.concat([frames["best"], make_frames(SummaryContext(parts, RULES, source="or"))["best"]])
    [layout] = STUDY.tabulate([("table_5_4", "generated_layout", ("best",), "", {})], {"best": best}).values()
    rows = layout.set_index("values")
    assert set(layout["data set"]) == {"OR", "all three"}
    assert rows.loc["published", "TreeCRF-2"] == "85.90"
    means = best.set_index(["dataset", "method"])["value"]
    assert rows.loc["measured, cut bags", "TreeCRF-2"] == f"{means['or', 'crf_2']:.2f}"
    assert rows.loc["measured, full bags", "MEMM-1"] == f"{means['or_full', 'memm_1']:.2f}"
    assert rows.loc["measured, full bags", "TreeCRF-2"] == "–"
    distance = abs(means["or_full", "memm_1"] - 66.5)  # of the three sets, OR alone is there
    assert rows.loc["root mean square difference from published, full bags", "MEMM-1"] == f"{distance:.2f}"
    for last_bags, sets in (("cut", splits), ("full", full)):
        bound = float(rows.loc[f"best of one observation, {last_bags} bags", "sliding window"])
        assert bound == pytest.approx(best_window_accuracy("or", 15, last_bags), abs=0.005)
        positive = np.mean([find_rule(part.test).bag_labels.mean() for part in sets.values()])
        assert best.query("last_bags == @last_bags")["positive_bags"].iloc[0] == pytest.approx(100 * positive)


def test_table_5_5_shows_all_decoders_of_memms(splits):
    settings = SETTINGS.model_copy(update={"bags": [2], "g0": [-5.0], "max_leaves": [4]})
    methods = ("sliding_window", "memm_1", "memm_2", "crf_1", "ff_memm_1")
    found = [compare_future(JobContext(settings, "nettalk_binary", method, splits=splits)) for method in methods]
    parts = {kind: [getattr(o, kind) for o in found] for kind in ("runs", "predictions", "weights", "trees")}
    summary = make_frames(SummaryContext(parts, RULES, source="nettalk_binary"))["best"]
    best = summary.assign(kind="nettalk_binary")  # the small set that stands for it
    [layout] = STUDY.tabulate([("table_5_5", "nettalk_layout", ("best",), "", {})], {"best": best}).values()
    rows = layout.set_index(["method", "values"])
    decoders = [values for name, values in rows.index if name == "MEMM"]
    assert decoders == ["published", *(f"measured, {name}" for name in ("Viterbi", "forward-backward", "greedy"))]
    assert rows.loc[("MEMM", "published"), "k = 2"] == "87.10"
    greedy = pd.concat([outcome.runs for outcome in found]).query("method == 'memm_2'")["greedy_accuracy"]
    assert rows.loc[("MEMM", "measured, greedy"), "k = 2"] == f"{greedy.mean():.2f}"
    assert rows.loc[("sliding window", "published"), ["k = 0", "k = 1"]].tolist() == ["84.20", "–"]
    generated = best[best["method"] == "memm_1"].assign(kind="or", last_bags="full", best_window_accuracy=67.0)
    best = pd.concat([best.assign(best_window_accuracy=np.nan), generated])
    [layout] = STUDY.tabulate([("decoders", "decoders_layout", ("best",), "", {})], {"best": best}).values()
    distances = layout.set_index(["method", "decoder"])
    assert list(distances.columns) == ["table 5.5", "table 5.4, full bags"]
    memms = best[best["kind"] == "nettalk_binary"].set_index("method")["greedy_mean"]
    expected = np.sqrt(((memms["memm_1"] - 85.7) ** 2 + (memms["memm_2"] - 87.1) ** 2) / 2)
    assert distances.loc[("MEMM", "greedy"), "table 5.5"] == f"{expected:.2f}"
    assert distances.loc[("MEMM", "greedy"), "table 5.4, full bags"] == f"{abs(memms['memm_1'] - 66.5):.2f}"
    assert distances.loc[("FF-MEMM", "greedy"), "table 5.4, full bags"] == "–"


def test_figures_show_every_line_and_feature(frames):
    figure = accuracy_by_order(with_published(frames["best"]))
    assert len(figure.axes[0].get_legend_handles_labels()[1]) == len(frames["best"])
    n_features = min(frames["weights"]["feature"].nunique(), 4)
    panels = [axes for axes in what_features_see(frames["weights"]).axes if axes.get_title(loc="left")]
    assert len(panels) == n_features
    trees = feature_trees(frames["trees"])
    texts = {text.get_text() for axes in trees.axes for text in axes.texts}
    assert set(frames["trees"].query("tree == 1 and feature == 1 and test != ''")["test"]) <= texts


def test_nothing_found_is_said(frames, tmp_path):
    for name, draw in (("weights", what_features_see), ("trees", feature_trees)):
        frame = frames[name]
        frame.to_csv(tmp_path / "frame.csv", index=False)
        assert draw(pd.read_csv(tmp_path / "frame.csv")).axes  # codes of categories are read as numbers
        frame.head(0).to_csv(tmp_path / "frame.csv", index=False)
        [text] = draw(pd.read_csv(tmp_path / "frame.csv")).texts
        assert text.get_text() == "No future feature was found."


# --- data and settings ------------------------------------------------------------------------------


def found_best(**accuracies):
    """The best variants of a data set: accuracy on validation and on test sets by method."""
    rows = [("a", name, "no bag", *both) for name, both in accuracies.items()]
    return pd.DataFrame(rows, columns=["dataset", "method", "bag", "validation_mean", "value"])


def compared_pairs(*rows, dataset="a", half_width=1.0):
    """Comparisons of a data set: method, other, points, p."""
    frame = pd.DataFrame(rows, columns=["method", "other", "value", "p_value"])
    ends = {"low_90": frame["value"] - half_width, "high_90": frame["value"] + half_width}
    return frame.assign(dataset=dataset, decision="", margin=0.5, **ends)


def decisions(best, comparisons):
    """Decision by data set."""
    return {name: pair.decision for name, pair in gains(best, comparisons).items()}


def test_discovered_features_win_only_where_the_test_decides_so():
    best = found_best(crf_1=(80, 80), ff_memm_0=(90, 90))
    both = pd.concat([best, best.assign(dataset="b")])
    b = compared_pairs(("ff_memm_0", "crf_1", 10.0, 0.5), dataset="b")
    found = pd.concat([compared_pairs(("ff_memm_0", "crf_1", 9.0, 0.01)), b])
    assert decisions(both, found) == {"a": "better", "b": "undecided"}
    undecided = pd.concat([compared_pairs(("ff_memm_0", "crf_1", 0.1, 0.5), half_width=0.2), b])
    assert decisions(both, undecided) == {"a": "equivalent", "b": "undecided"}


def test_differences_are_corrected_over_the_data_sets():
    """Holm makes 0.03 + 0.03 of two tests, of which neither is below 0.05."""
    best = found_best(crf_1=(80, 80), ff_memm_0=(90, 90))
    pair = compared_pairs(("ff_memm_0", "crf_1", 9.0, 0.03))
    assert decisions(best, pair) == {"a": "better"}
    both = [pd.concat([frame, frame.assign(dataset="b")]) for frame in (best, pair)]
    assert decisions(*both) == {"a": "undecided", "b": "undecided"}


def test_the_best_is_what_validation_chooses_and_not_the_test_set():
    best = found_best(crf_1=(80, 70), crf_2=(70, 80), ff_memm_0=(60, 90), ff_crf_1=(75, 50))
    rows = [("crf_1", "ff_crf_1", 20.0, 0.01), ("ff_memm_0", "crf_2", 10.0, 0.01)]
    (pair,) = gains(best, compared_pairs(*rows)).values()
    assert (pair.method, pair.other, pair.points, pair.decision) == ("ff_crf_1", "crf_1", -20.0, "worse")


def test_without_labellers_of_both_kinds_no_one_wins():
    best = found_best(crf_1=(80, 70), crf_2=(70, 80))
    assert gains(best, compared_pairs(("crf_2", "crf_1", 10.0, 0.5))) == {}


def test_an_order_that_a_method_does_not_have_is_refused():
    with pytest.raises(ValueError, match="names the method 'crf_5'"):
        FutureSettings(methods=["crf_5"])
