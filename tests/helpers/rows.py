"""What a row of the registry says of its class, and the values that settings refuse."""

import inspect
import re
from functools import partial

import numpy as np
import pytest
from builders import number_set

from treecrf.io.messages import quoted
from treecrf.models.base import Labeller
from treecrf.models.persistence import load_class

TRAIN = number_set(0, 3, 1)


def assert_row_agrees_with_its_class(row):
    """Names, settings and the start of training are those of the class."""
    labeller = load_class(row.class_path)
    settings = labeller().get_params()
    assert labeller.__name__ == row.class_name
    assert row.family == inspect.getmodule(labeller).__name__.split(".")[-2]
    assert {row.iterations, *row.preset, *(row.as_expert or ())} <= set(settings)
    if row.is_offered or row.as_expert is not None:
        start = {"perturbed": {"random_state", "start_noise"}, "random": {"random_state"}, "fixed": set()}[row.start]
        assert {"random_state", "start_noise"} & set(settings) == start


BEYOND = {
    "max_leaves": 1,
    "max_lower_leaves": 1,
    "crf_max_leaves": 2**15,
    "n_bins": 1,
    "number_bins": 255,
    "n_folds": 1,
    "degree": 1001,
    "n_layers": 13,
    "influence_trimming": 1.0,
    "held_out": 1.0,
    "training_proportions": (0.2, 1.5),
    "experts": (),
    "window": (1, -1),
    "instance_window": (0,),
}
"""Values that lie just beyond the right ones, or have parts that do."""

FLAGS = {
    "scale_gain",
    "either_polarity",
    "each_label",
    "keep_stages",
    "warm_start",
    "induction",
    "early_update",
    "cross_fit",
    "step_halving",
}
AMOUNTS = {
    "c2",
    "category_smoothing",
    "coef0",
    "crf_l2_regularization",
    "g0",
    "l2_regularization",
    "least_weight",
    "start_noise",
    "tolerance",
    "weight_decay",
}
RIGHT = {
    "None": {
        "bag",
        "weights",
        "base",
        "random_state",
        "max_lower_leaves",
        "settings",
        "label_dictionary",
        "beam",
        "rank",
        "scale",
        "form",
        "held_out",
        "class_weight",
        "picture",
        "anchors",
    },
    "True": FLAGS,
    "-1": {"g0"},
    "0": FLAGS
    | AMOUNTS
    | {
        "averaging",
        "dropout",
        "history",
        "influence_trimming",
        "input_dropout",
        "max_lower_iterations",
        "most_halvings",
        "order",
        "pseudo_likelihood_iterations",
        "random_state",
        "sampling_seed",
        "seed",
    },
    "1.5": AMOUNTS
    | {
        "alpha_upper",
        "beta_upper",
        "eta_start",
        "eta_upper",
        "largest_step",
        "scale",
        "shrinkage",
        "transition_variance",
        "variance",
    },
}
"""Settings for which these values are right."""

WRONG = (
    "",
    None,
    ["a"],
    ("a", "b"),
    np.array([1.5, 2.5]),
    np.array(1.5),
    float("nan"),
    float("inf"),
    True,
    -1,
    0,
    1.5,
    object(),
)


def assert_wrong_values_are_refused(class_path):
    """Every setting refuses values of other types and out of range."""
    labeller = partial(load_class(class_path), **({"class_name": "a:B"} if "custom" in class_path else {}))
    for name in labeller().get_params(deep=False):
        for value in (*WRONG, *([BEYOND[name]] if name in BEYOND else [])):
            if name not in RIGHT.get(repr(value), ()):
                with pytest.raises(ValueError, match=rf"^{name}={re.escape(quoted(value))}: (give|choose) .*\.$"):
                    labeller(**{name: value}).fit(TRAIN)


def assert_forms_are_read_in_one_place(class_path):
    """No class below `Labeller` has public questions of its own."""
    public = {"predict", "predict_proba", "log_likelihood", "score", "predict_n_best", "span_probability"}
    for level in load_class(class_path).__mro__:
        if issubclass(level, Labeller) and level is not Labeller:
            assert not public & set(vars(level)), level
