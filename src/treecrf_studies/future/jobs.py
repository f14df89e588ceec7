"""The study of future features (PhD chapter 5): sliding windows, MEMMs, CRFs of higher orders, FF-MEMM.

One job is one method on one data set: every draw of the data (seed), every variant of the method that the tables show
(bag, G_0). The validation set chooses everything else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf import chain
from treecrf.io.arrays import places_in
from treecrf.models.base import Labeller
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.models.boosted.treecrf import MEMM, TreeCRF
from treecrf.models.chains import ChainLabeller
from treecrf.models.custom import CustomLabeller
from treecrf.models.decoding import DECODERS, Decoder
from treecrf.sequences import Attribute, SequenceSet
from treecrf.trees.forest import Tree
from treecrf_studies.datasets.synthetic import Splits, best_window_accuracy, find_rule, future_splits, is_positive
from treecrf_studies.framework.jobs import Frames, JobContext, joined
from treecrf_studies.framework.metrics import PREDICTED, marginals_after, prediction_frame
from treecrf_studies.framework.resamples import shared_part
from treecrf_studies.framework.selection import correct_by_stage, first_best, labels_by_stage
from treecrf_studies.future.methods import INSTANCE, MEMM_DECODERS, NO_BAG, TREE_NAMES, WEIGHT_NAMES, WHOLE_FUTURE
from treecrf_studies.future.settings import FutureSettings
from treecrf_studies.methods import load_class
from treecrf_studies.methods.catalogue import FUTURE, row_of
from treecrf_studies.methods.future.features import Bags, FutureFeature
from treecrf_studies.methods.future.future_memm import FutureFeatureMEMM, FutureFeatureTreeCRF
from treecrf_studies.options import LabellerSettings, Window, custom_candidates

RUN_NAMES = [
    "dataset",
    "method",
    "bag",
    "g0",
    "draw",
    "max_leaves",
    "eta_start",
    "alpha_upper",
    "beta_upper",
    "eta_upper",
    "n_iterations",
    "n_features",
    "largest_alpha",
    "largest_beta",
    "largest_eta",
    "train_accuracy",
    "validation_accuracy",
    "accuracy",
    "train_instance_accuracy",
    "validation_instance_accuracy",
    "test_instance_accuracy",
    "train_bag_accuracy",
    "validation_bag_accuracy",
    "test_bag_accuracy",
    "cpu_seconds",
    "n_train",
    "n_test",
    "shared_part",
    "decoding",
    "kind",
    "last_bags",
    "best_window_accuracy",
    "positive_bags",
    *(f"{decoder}_accuracy" for decoder in MEMM_DECODERS),
]

STEP_SETTINGS = ("eta_start", "alpha_upper", "beta_upper", "eta_upper")
"""Settings of steps, in the order in which they are chosen; their grids are those of `FutureSettings`, with an s."""


class FutureOutcome(NamedTuple):
    """What one job finds.

    Attributes
    ----------
    runs : DataFrame
        Columns `RUN_NAMES`, one row for each seed and variant: what was chosen and how it did. Accuracies in percent.
        Those of instances and bags, where it is known which are positive: an instance counts as positive if some
        feature's G is above 0, a bag if some feature's Q is above a half. Numbers of training and test positions, and
        `shared_part` of the draws. The rule of XOR, OR and EXTRA (`find_rule`; else `kind` is the data set), its Bayes
        accuracy for one observation (`best_window_accuracy`), and the percentage of test bags that are positive. Test
        accuracies by decoder, each after the iteration that validation prefers with it.
    predictions : DataFrame
        Of the test sequences.
    weights, trees : DataFrame
        What the features look at, see `treecrf_studies.future.jobs.describe_features`; of the first seed.
    """

    runs: pd.DataFrame
    predictions: pd.DataFrame
    weights: pd.DataFrame
    trees: pd.DataFrame


class _Trained(NamedTuple):
    """A labeller, its decoder, and the iteration that validation prefers among every `every`-th, with its accuracy."""

    settings: dict[str, Any]
    model: Labeller
    decoder: Decoder | Literal["greedy"]
    every: int
    n_iterations: int
    validation_accuracy: float
    cpu_seconds: float


def compare_future(job: JobContext[FutureSettings]) -> FutureOutcome:
    """One method on one data set; each variant on each draw is a part of the job."""
    dataset, method, settings, splits = job.dataset, job.method, job.settings, job.splits
    shared = shared_part(splits.values())

    def compare(variant: dict[str, Any], seed: int, _checkpoint: Checkpoint | None) -> Frames:
        sets = splits[seed]
        best = _choose(sets, job.window, method, variant, settings)
        constant: dict[str, Any] = {"dataset": dataset, "method": method, "bag": _bag_name(variant)}
        constant |= {"g0": variant.get("g0", np.nan), "draw": seed}
        sizes: dict[str, Any] = {
            "n_train": sets.train.n_positions,
            "n_test": sets.test.n_positions,
            "shared_part": shared,
        }
        sizes |= {"kind": dataset} | _rule_of(sets.test)
        accuracies, predicted = _accuracies(best, sets)
        steps = _largest_steps(best)
        of_features = {
            f"{side}_{kind}_accuracy": value
            for side, data in zip(Splits._fields, sets, strict=True)
            for kind, value in pattern_accuracies(best.model, data, steps.get("n_features")).items()
        }
        values = (
            best.settings | constant | sizes | steps | accuracies | of_features | _accuracies_by_decoder(best, sets)
        )
        run = pd.DataFrame([{name: values.get(name, np.nan) for name in RUN_NAMES}])
        features: tuple[pd.DataFrame, ...] = ()
        if seed == min(splits) and isinstance(best.model, FutureFeatureMEMM):
            features = tuple(frame.assign(**constant) for frame in describe_features(best.model, sets.train))
        marginals = marginals_after(best.model, sets.test, best.n_iterations)
        return (run, prediction_frame(sets.test, predicted, marginals).assign(**constant), *features)

    outcomes = []
    for (i, variant), seed in product(enumerate(_variants(method, settings)), splits):
        outcomes.append(job.cache.finished(f"variant_{i}_seed_{seed}", partial(compare, variant, seed)))
    described = [features for _, _, *features in outcomes if features]
    weights, trees = joined(described) or (pd.DataFrame(), pd.DataFrame())
    return FutureOutcome(
        pd.concat([run for run, *_ in outcomes], ignore_index=True),
        pd.concat([predictions for _, predictions, *_ in outcomes], ignore_index=True)[
            ["dataset", "method", "bag", "g0", "draw", "sequence", *PREDICTED]
        ],
        weights,
        trees,
    )


def _variants(method: str, settings: FutureSettings) -> list[dict[str, Any]]:
    """The settings that tables show side by side."""
    if not method.startswith("ff_"):
        return [{}]
    return [{"bag": bag, "g0": g0} for bag, g0 in product(settings.bags, settings.g0)]


def _bag_name(variant: Mapping[str, Any]) -> str:
    if "bag" not in variant:
        return NO_BAG
    return WHOLE_FUTURE if variant["bag"] is None else f"bag {variant['bag']}"


# --- choosing ---------------------------------------------------------------------------------------


def _choose(
    sets: Splits, window: Window, method: str, variant: Mapping[str, Any], settings: FutureSettings
) -> _Trained:
    """The candidate with the best validation accuracy; among equals the first that was tried, with the fewest
    iterations.
    """
    if method in settings.labellers:
        tried = _try_custom(sets, window, settings.labellers[method], settings)
    else:
        tried = _try_leaves(sets, window, method, variant, settings)
    return first_best(tried, _accuracy)


def _try_leaves(
    sets: Splits, window: Window, method: str, variant: Mapping[str, Any], settings: FutureSettings
) -> Iterator[_Trained]:
    """A labeller of the study with each number of leaves."""
    labeller, order = _find_labeller(method)
    shared: dict[str, Any] = {"window": tuple(window), "order": order, **variant}
    shared["l2_regularization"] = settings.l2_regularization
    for max_leaves in settings.max_leaves:
        values = shared | {"max_leaves": max_leaves}
        if issubclass(labeller, FutureFeatureMEMM):
            yield _choose_steps(sets, labeller, values, settings)
        else:
            yield _train(sets, labeller, values | {"n_iterations": settings.chain_iterations}, settings)


def _try_custom(sets: Splits, window: Window, custom: LabellerSettings, settings: FutureSettings) -> Iterator[_Trained]:
    """The candidates of a custom labeller."""
    for candidate in custom_candidates(custom):
        values = {"class_name": custom.class_name, "settings": custom.settings | candidate, "window": tuple(window)}
        yield _train(sets, CustomLabeller, values, settings)


def _find_labeller(method: str) -> tuple[type[ChainLabeller], int]:
    """The class of a method of the study, and its order."""
    family, _, order = method.rpartition("_") if method not in FUTURE else (method, "", "0")
    return load_class(row_of(family).class_path), int(order)


def _choose_steps(
    sets: Splits, labeller: type[ChainLabeller], values: dict[str, Any], settings: FutureSettings
) -> _Trained:
    """Choose the bounds of steps one after another, each with the best of those before and the middle of those to come.

    The dissertation does not say how it went through its bounds; all combinations would be four times as many
    trainings. Where a training shows that a lower bound would change nothing, that bound is not tried.
    """
    names = ("n_iterations", "n_bins", "max_lower_iterations", "patience", "tolerance", "each_label")
    values = values | {name: getattr(settings, name) for name in names}
    if issubclass(labeller, FutureFeatureTreeCRF):
        values |= {"crf_iterations": settings.chain_iterations, "crf_max_leaves": values["max_leaves"]}
        values["crf_l2_regularization"] = settings.l2_regularization
    grids = {name: getattr(settings, f"{name}s") for name in STEP_SETTINGS}
    chosen = {name: grid[(len(grid) - 1) // 2] for name, grid in grids.items()}
    best = _train(sets, labeller, values | chosen, settings)
    done = [(chosen, _reach(best))]

    def tried(name: str, grid: Sequence[float]) -> Iterator[_Trained]:
        yield best
        for value in grid:
            candidate = chosen | {name: value}
            if not any(_is_the_same(candidate, *other) for other in done):
                trained = _train(sets, labeller, values | candidate, settings)
                done.append((candidate, _reach(trained)))
                yield trained

    for name, grid in grids.items():
        best = first_best(tried(name, grid), _accuracy)
        chosen = {each: best.settings[each] for each in STEP_SETTINGS}
    return best


def _accuracy(trained: _Trained) -> float:
    return trained.validation_accuracy


def _reach(trained: _Trained) -> dict[str, float]:
    """By setting, the lowest bound with which the training would have been the same."""
    assert isinstance(trained.model, FutureFeatureMEMM)
    return {f"{name}_upper": reach for name, reach in trained.model.reach_.items()}


def _is_the_same(candidate: Mapping[str, float], other: Mapping[str, float], reach: Mapping[str, float]) -> bool:
    """Whether a candidate's training cannot differ from another's, which needed steps up to `reach`."""
    same_start = candidate["eta_start"] == other["eta_start"]
    return same_start and all(reach[name] <= candidate[name] <= other[name] for name in reach)


def _train(sets: Splits, labeller: type[Labeller], values: dict[str, Any], settings: FutureSettings) -> _Trained:
    """Train, and find the number of iterations with the best validation accuracy."""
    model = labeller(**values)
    before = time.process_time()
    if isinstance(model, FutureFeatureMEMM):
        model.fit(sets.train, validation=sets.validation)
    else:
        model.fit(sets.train)
    spent = time.process_time() - before
    every = settings.test_every if isinstance(model, TreeCRF | FutureFeatureTreeCRF) else 1
    decoder: Decoder | Literal["greedy"] = settings.memm_decoder if _is_memm(model) else settings.decoder
    right = correct_by_stage(model, sets.validation, decoder, every)
    best = int(right.argmax())
    accuracy = 100 * float(right[best] / sets.validation.n_positions)
    return _Trained(values, model, decoder, every, every * (best + 1), accuracy, spent)


def _is_memm(model: Labeller) -> bool:
    """Whether probabilities are normalized position by position, so that the decoder is
    `FutureSettings.memm_decoder`.
    """
    return isinstance(model, MEMM | FutureFeatureMEMM) and not isinstance(model, FutureFeatureTreeCRF)


# --- accuracies ----------------------------------------------------------------------------------


def _accuracies(trained: _Trained, sets: Splits) -> tuple[dict[str, Any], NDArray[np.int16]]:
    """Accuracy of the chosen stage on all three sets, and the labels of the test set."""
    scores: dict[str, Any] = {"n_iterations": trained.n_iterations, "cpu_seconds": trained.cpu_seconds}
    scores["decoding"] = trained.decoder
    predicted = np.empty(0, dtype=np.int16)
    scores["validation_accuracy"] = trained.validation_accuracy
    for name, data in (("train_accuracy", sets.train), ("accuracy", sets.test)):
        predicted = next(labels_by_stage(trained.model, data, trained.decoder, trained.n_iterations))
        scores[name] = 100 * float((predicted == trained.model.align_labels(data)).mean())
    return scores, predicted


def _accuracies_by_decoder(trained: _Trained, sets: Splits) -> dict[str, float]:
    """Test accuracy of a MEMM or CRF by decoder, each after the iteration that validation prefers with it.

    Of order 0 all agree. Greedy prediction needs probabilities of single positions, which a CRF does not have.
    """
    accuracies: dict[str, float] = {}
    if isinstance(trained.model, CustomLabeller) or not trained.settings["order"]:
        return accuracies
    decoders: tuple[Decoder | Literal["greedy"], ...] = MEMM_DECODERS if _is_memm(trained.model) else DECODERS
    for decoder in decoders:
        validated = correct_by_stage(trained.model, sets.validation, decoder, trained.every)
        iteration = trained.every * (int(validated.argmax()) + 1)
        tested = correct_by_stage(trained.model, sets.test, decoder, iteration)
        accuracies[f"{decoder}_accuracy"] = 100 * float(tested[0] / sets.test.n_positions)
    return accuracies


def _largest_steps(trained: _Trained) -> dict[str, Any]:
    """The largest steps of each kind, up to the chosen stage, and the number of features."""
    model = trained.model
    if not isinstance(model, FutureFeatureMEMM):
        return {}
    n_stages = len(model.stages_["step"]) if isinstance(model, FutureFeatureTreeCRF) else trained.n_iterations
    n_features, steps = (model.stages_[name][:n_stages] for name in ("n_features", "step"))
    kept = model.features_[: int(n_features.sum())]
    n_lower = sum(len(feature.trees) for feature in kept)
    return {
        "n_features": len(kept),
        "largest_alpha": steps[n_features == 0].max(initial=0.0),
        "largest_beta": model.lower_steps_[:n_lower].max(initial=0.0),
        "largest_eta": max((feature.weight for feature in kept), default=0.0),
    }


def pattern_accuracies(model: Labeller, data: SequenceSet, n_features: int | None) -> dict[str, float]:
    """Percent of instances and of bags that the first `n_features`, or all, tell right, where it is known which are
    positive.

    That is on XOR, OR and EXTRA (PhD section 5.4.1): an instance is positive if at most one of its first 6 bits is
    true. "instance" and "bag"; empty for other models and data sets, and without a feature.
    """
    rule = find_rule(data)
    if not isinstance(model, FutureFeatureMEMM) or rule is None or not n_features:
        return {}
    instances, bags = is_positive(rule.bits).ravel(), rule.bag_labels.ravel()
    scores, probabilities = model.instance_scores(data)[:, :n_features], model.future_features(data)[:, :n_features]
    return {
        "instance": 100 * float(((scores > 0).any(axis=1) == instances).mean()),
        "bag": 100 * float(((probabilities > 0.5).any(axis=1) == bags).mean()),
    }


def _rule_of(data: SequenceSet) -> dict[str, Any]:
    """The columns of runs that tell the rule of XOR, OR and EXTRA; none for other data."""
    rule = find_rule(data)
    if rule is None:
        return {}
    best = best_window_accuracy(rule.kind, rule.bag_labels.shape[1], rule.last_bags)
    positive = 100 * float(rule.bag_labels.mean())
    return {"kind": rule.kind, "last_bags": rule.last_bags, "best_window_accuracy": best, "positive_bags": positive}


def warm_kernels() -> None:
    """Run every compiled routine of the study once on a tiny set, so that later processes find it compiled."""
    sets = future_splits("or", n_train=8, n_validation=6, n_test=2, length=6)
    settings = FutureSettings(
        n_iterations=3,
        chain_iterations=5,
        max_leaves=[3],
        bags=[2],
        g0=[-1.0],
        alpha_uppers=[5.0],
        beta_uppers=[10.0],
        eta_uppers=[5.0],
    )
    for method in ("sliding_window", "memm_1", "crf_1", "crf_2", "crf_3", "crf_4", "ff_memm_0", "ff_crf_1"):
        compare_future(JobContext(settings, "warm", method, splits={0: sets}))


MOST_DISTANCES = 10
"""Distances that are looked at where bags reach to the end."""

ROOT = -1
"""Value of the column `parent` for a root."""


def describe_features(model: FutureFeatureMEMM, data: SequenceSet) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the future features of a model look at, on average over the sequences of `data`: weights and trees.

    Weights: feature (from 1), label (its name), eta, attribute, category, distance, value, n. Distance `INSTANCE`: mean
    of G over the instances that have the category, minus its mean over all. Distance j: mean of Q over the positions t
    whose instance t + j has it, minus its mean over the positions that have an instance there. n: over how many. Trees:
    feature, tree (from 1), node, parent, side ("yes" or "no": of the parent's test), test (of an inner node, else ""),
    value (of a leaf, weighted, else NaN).
    """
    bags = Bags(model.align_inputs(data, model.unseen), model.bag, model.instance_window)
    weights: list[dict[str, Any]] = []
    trees: list[dict[str, Any]] = []
    for number, feature in enumerate(model.features_, start=1):
        constant = {"feature": number, "label": model.label_names_[feature.label], "eta": feature.weight}
        weights += [constant | row for row in _weights(bags, feature)]
        for tree_number, tree in enumerate(feature.trees, start=1):
            rows = tree_rows(tree, bags.instances.attributes)
            trees += [{"feature": number, "tree": tree_number} | row for row in rows]
    return pd.DataFrame(weights, columns=WEIGHT_NAMES), pd.DataFrame(trees, columns=TREE_NAMES)


def _weights(bags: Bags, feature: FutureFeature) -> Iterator[dict[str, Any]]:
    """Rows of the frame of weights, for one feature."""
    scores = bags.scores(feature)
    probabilities = bags.probabilities(scores)
    yield from _means(bags, INSTANCE, np.arange(len(scores)), scores)
    lengths = np.diff(bags.offsets)
    instance = np.repeat(bags.instance_offsets[:-1], lengths) + places_in(bags.offsets)
    end = np.repeat(bags.instance_offsets[1:], lengths)
    for distance in range(1, (bags.size if bags.size > 0 else MOST_DISTANCES) + 1):
        there = instance + distance < end
        yield from _means(bags, distance, (instance + distance)[there], probabilities[there])


def _means(
    bags: Bags, distance: int, instances: np.ndarray[Any, Any], values: np.ndarray[Any, Any]
) -> Iterator[dict[str, Any]]:
    """Means of values by each category of the instances they belong to, relative to the mean of all."""
    for j, attribute in enumerate(bags.instances.attributes):
        codes = bags.instances.values[instances, j]
        for code, category in enumerate(attribute.categories):
            chosen = values[codes == code]
            mean = chosen.mean() - values.mean() if len(chosen) else np.nan
            yield {
                "attribute": attribute.name,
                "category": category,
                "distance": distance,
                "value": mean,
                "n": len(chosen),
            }


def tree_rows(tree: Tree, attributes: tuple[Attribute, ...]) -> list[dict[str, Any]]:
    """The nodes of a tree over single observations, parents before children: node, parent, side, test, value of
    `describe_features`.
    """
    rows: list[dict[str, Any]] = [{"node": 0, "parent": ROOT, "side": "", "test": "", "value": np.nan}]
    node_of_leaf = {0: 0}
    for split, (leaf, column) in enumerate(zip(tree.parents, tree.columns, strict=True)):
        parent, attribute, code = node_of_leaf[int(leaf)], attributes[column], int(tree.test(split)[0])
        category = attribute.categories[code] if code < len(attribute.categories) else "<outside>"
        rows[parent]["test"] = f"{attribute.name} = {category}"
        for side, child_leaf in (("no", int(leaf)), ("yes", split + 1)):
            node_of_leaf[child_leaf] = len(rows)
            rows.append({"node": len(rows), "parent": parent, "side": side, "test": "", "value": np.nan})
    for leaf, node in node_of_leaf.items():
        rows[node]["value"] = float(tree.values[leaf])
    return rows


STAY, MOVE = 0.9, 0.05
EMISSIONS = np.array([[0.45, 0.1, 0.45], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
"""P(e | l) of section 5.1's hidden Markov model, rows l1 to l3."""


def one_directional_example(job: JobContext[None]) -> pd.DataFrame:
    """Section 5.1: what each direction alone says about the second of three labels, and what both say.

    The observations are e1, e2, e3. What each direction says comes from `treecrf.chain`, run on a part of the sequence:
    on e1 and e2, and on a label drawn evenly that is followed by e3. alpha and beta are alpha_2 without the constant of
    the first label, and beta_2, beside those that the text prints; forward, backward and both are P(label | e1, e2),
    P(label | e3) and P(label | e1, e2, e3).
    """
    transitions = np.full((3, 3), MOVE) + np.eye(3) * (STAY - MOVE)
    marginals = {
        name: _marginals_of_second(observed, transitions)
        for name, observed in (("forward", (0, 1)), ("backward", (None, 2)), ("both", (0, 1, 2)))
    }
    return pd.DataFrame(
        {
            "label": ["l1", "l2", "l3"],
            "alpha": EMISSIONS[:, 1] * (EMISSIONS[:, 0] @ transitions),
            "beta": transitions @ EMISSIONS[:, 2],
            "published_alpha": [0.045, 0.07475, 0.01525],
            "published_beta": [0.45, 0.1525, 0.7475],
            **marginals,
        }
    )


def _marginals_of_second(observed: Sequence[int | None], transitions: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(second label of section 5.1 | what is observed); None: nothing is seen there."""
    potentials = np.zeros((3, len(observed), 4))  # the last state is START
    for t, symbol in enumerate(observed):
        seen = 0.0 if symbol is None else np.log(EMISSIONS[:, symbol])[:, None]
        potentials[:, t] = np.column_stack([np.log(transitions), np.full(3, -np.log(3.0))]) + seen
    marginals = chain.forward_backward(potentials, np.array([0, len(observed)]), 1).labels
    return marginals[0 if observed[0] is None else 1]
