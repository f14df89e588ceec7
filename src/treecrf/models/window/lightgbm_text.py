"""Settings of LightGBM, and checks of a model in its text format, which LightGBM itself believes."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import MOST_WEIGHT

MULTICLASS = {
    "objective": "multiclass",
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,  # otherwise LightGBM chooses by timing
    "verbosity": -1,
}
"""Settings with which trainings give the same bits."""

_TREE = re.compile(r"^Tree=(\d+)\n(.*?)\n\n", re.MULTILINE | re.DOTALL)
_OF_LEAVES = ("leaf_value", "leaf_weight", "leaf_count")
_OF_SPLITS = (
    "split_feature",
    "split_gain",
    "threshold",
    "decision_type",
    "left_child",
    "right_child",
    "internal_value",
    "internal_weight",
    "internal_count",
)
_REALS = {"leaf_value", "leaf_weight", "split_gain", "threshold", "internal_value", "internal_weight"}
_REAL, _WHOLE = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?"), re.compile(r"-?[0-9]{1,10}")
_THRESHOLD = re.compile(rf"{_REAL.pattern}|inf")
"""A test of whether a number is missing has an infinite threshold."""

_CATEGORICAL = 1
"""The bit of a decision type that tells of a set of categories."""


def check_model_text(text: str, n_labels: int, n_features: int) -> None:
    """Refuse a text that does not describe whole trees of these labels and features.

    Raises
    ------
    ValueError
        For a part that is not there or of another length, children that are no tree, features and sets of categories
        that are out of range, numbers that are not finite, and whatever a multiclass model without linear leaves does
        not have.
    """
    head, _, rest = text.partition("\n\n")
    fields = _fields("model_text", head.removeprefix("tree\n"))
    expected = {
        "version": "v4",
        "num_class": n_labels,
        "num_tree_per_iteration": n_labels,
        "label_index": 0,
        "max_feature_idx": n_features - 1,
        "objective": f"multiclass num_class:{n_labels}",
    }
    for name, value in expected.items():
        if fields[name] != str(value):
            raise ValueError(f"model_text has {name}={fields[name]}, not {value}")
    lists = {name: fields[name].split() for name in ("feature_names", "feature_infos", "tree_sizes")}
    if fields.keys() != expected.keys() | lists.keys() or not head.startswith("tree\n"):
        raise ValueError(f"model_text has the parts {', '.join(fields)}")
    if not len(lists["feature_names"]) == len(lists["feature_infos"]) == n_features:
        raise ValueError(f"model_text is not of {n_features} features")
    trees, _, _ = rest.partition("end of trees")
    blocks = list(_TREE.finditer(trees))
    sizes = [str(len(tree[0].encode()) + 1) for tree in blocks]
    if sizes != lists["tree_sizes"] or _TREE.sub("", trees).strip():
        raise ValueError("model_text has trees of other sizes than it says")
    if len(blocks) % n_labels or [int(tree[1]) for tree in blocks] != list(range(len(blocks))):
        raise ValueError("model_text has trees left out")
    for tree in blocks:
        name = f"tree {tree[1]} of model_text"
        _check_tree(name, _fields(name, tree[2]), n_features)


def _check_tree(name: str, fields: dict[str, str], n_features: int) -> None:
    n_leaves, n_sets = (int(_numbers(name, fields, part, 1)[0]) for part in ("num_leaves", "num_cat"))
    if n_leaves < 1 or n_sets < 0 or fields.get("is_linear") != "0":
        raise ValueError(f"{name} has {n_leaves} leaves, or linear ones")
    if n_leaves == 1:
        _numbers(name, fields, "leaf_value", 1)
        return
    numbers = {part: _numbers(name, fields, part, n_leaves) for part in _OF_LEAVES}
    numbers |= {part: _numbers(name, fields, part, n_leaves - 1) for part in _OF_SPLITS}
    features, types = numbers["split_feature"], numbers["decision_type"]
    if ((features < 0) | (features >= n_features) | (types < 0) | (types > 15)).any():
        raise ValueError(f"{name} tests features that there are not")
    # Every node but the root is a child once: splits as later numbers, which rules out circles, and leaves as ~number.
    children = np.concatenate([numbers["left_child"], numbers["right_child"]])
    every = np.concatenate([np.arange(-n_leaves, 0), np.arange(1, n_leaves - 1)])
    parents = np.tile(np.arange(n_leaves - 1), 2)
    if not np.array_equal(np.sort(children), every) or ((children >= 0) & (children <= parents)).any():
        raise ValueError(f"{name} has children that are no tree")
    is_set = (types.astype(np.int64) & _CATEGORICAL).astype(np.bool_)
    sets = numbers["threshold"][is_set]
    if ((sets < 0) | (sets >= n_sets) | (sets != np.floor(sets))).any():
        raise ValueError(f"{name} tests sets of categories that there are not")
    if n_sets:
        first = _numbers(name, fields, "cat_boundaries", n_sets + 1)
        words = _numbers(name, fields, "cat_threshold", int(first[-1]))
        if first[0] or (np.diff(first) <= 0).any() or ((words < 0) | (words >= 2**32)).any():
            raise ValueError(f"{name} has no such sets of categories")


def _numbers(name: str, fields: dict[str, str], part: str, length: int) -> NDArray[np.float64]:
    texts = fields[part].split(" ")
    written = _THRESHOLD if part == "threshold" else _REAL if part in _REALS else _WHOLE
    if len(texts) != length or not all(map(written.fullmatch, texts)):
        raise ValueError(f"{name} has {len(texts)} numbers of {part}, not {length}, or others")
    numbers = np.array([float(text) for text in texts])
    if part == "leaf_value" and (np.abs(numbers) > MOST_WEIGHT).any():
        raise ValueError(f"{name} has numbers of {part} above {MOST_WEIGHT:g}")
    return numbers


def _fields(name: str, text: str) -> dict[str, str]:
    parts = [line.split("=", 1) for line in text.split("\n")]
    fields = {part[0]: part[-1] for part in parts}
    if len(fields) < len(parts):
        raise ValueError(f"{name} has a part twice")
    return fields
