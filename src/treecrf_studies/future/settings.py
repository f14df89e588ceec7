"""Settings of the study of chapter 5: future features."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from treecrf_studies.methods.catalogue import FUTURE
from treecrf_studies.options import (
    Count,
    Finite,
    Leaves,
    MethodsSettings,
    Name,
    PairedSettings,
    Positive,
    Regularization,
)

_METHODS = {family: [f"{family}_{order}" for order in row.orders] or [family] for family, row in FUTURE.items()}
"""A labeller's names, one for each order."""

_STARTS = {"xor": [0, -1, -5, -7], "or": [0, -1, -3, -5, -7, -10], "extra": [0, -5, -7, -10]}
_OF_TABLE_5_3 = {f"{name}{end}": {"g0": starts} for name, starts in _STARTS.items() for end in ("", "_full")}
_OF_TABLE_5_5 = [
    "sliding_window",
    *(f"{family}_{order}" for family in ("memm", "crf", "ff_memm") for order in (1, 2, 3, 4)),
]

Bag = Count | None


class FutureSettings(PairedSettings, MethodsSettings):
    """The study of chapter 5: features of the future, discovered as in multiple-instance learning."""

    counted = ("chain_iterations",)
    of_papers: ClassVar = {
        **{name: {**own, "each_label": False, "tolerance": 0} for name, own in _OF_TABLE_5_3.items()},
        "nettalk_binary": {"methods": _OF_TABLE_5_5, "bags": [2, 4], "each_label": False},
    }

    methods: list[Name] = Field(
        ["sliding_window", "memm_1", "crf_1", "crf_2", "crf_3", "crf_4", "ff_memm_0"],
        min_length=1,
        description="Methods to compare, neighbours with each other: a labeller and its order, or one of labellers.",
    )
    max_leaves: list[Leaves] = Field([10], min_length=1, description="Grid of leaves of a tree.")
    bags: list[Bag] = Field([6], min_length=1, description="Instances of a bag; null: to the end of the sequence.")
    g0: list[Finite] = Field([-5.0], min_length=1, description="G before its first tree.")
    each_label: bool = Field(True, description="Whether every label has future features, or the second of two labels.")
    n_seeds: Count = Field(5, description="Draws of the data, or of the validation set.")
    held_out: float = Field(
        1 / 3, gt=0, lt=1, description="Share of the training sequences that chooses, where there is no validation set."
    )
    n_iterations: Count = Field(100, description="Most iterations of FF-MEMM; each of 1, 2, .. is a candidate.")
    chain_iterations: Count = Field(2500, description="Iterations of the other labellers and of FF-TreeCRF's chain.")
    test_every: Count = Field(5, description="Every n-th of them is a candidate.")
    alpha_uppers: list[Positive] = Field([20.0, 40.0, 60.0], min_length=1, description="Grid of upper bounds of alpha.")
    beta_uppers: list[Positive] = Field([5e3, 1e4, 1e5, 1e6], min_length=1, description="Grid of upper bounds of beta.")
    eta_uppers: list[Positive] = Field([10.0, 20.0, 40.0], min_length=1, description="Grid of upper bounds of eta.")
    eta_starts: list[Positive] = Field(
        [0.25, 1.0], min_length=1, description="Grid of the weight of Q while its pattern is learnt."
    )
    n_bins: int = Field(20, ge=2, description="Bins of the thermometer code.")
    max_lower_iterations: Count = Field(10, description="Most trees of one pattern.")
    patience: Count = Field(5, description="Trees that may be added without a rise of the validation likelihood.")
    tolerance: Regularization = Field(1e-3, description="Least such rise, relative to the validation log likelihood.")
    l2_regularization: Regularization = Field(
        0.0, description="Lambda (equation 3.1) of all trees; the dissertation only limits their leaves."
    )
    decoder: Literal["forward_backward", "viterbi"] = Field("forward_backward", description="Way of predicting.")
    memm_decoder: Literal["forward_backward", "viterbi", "greedy"] = Field(
        "viterbi",
        description="That of MEMM and FF-MEMM; greedy: from left to right, given the labels predicted before.",
    )

    @model_validator(mode="after")
    def _methods_are_known(self) -> FutureSettings:
        known = {name for names in _METHODS.values() for name in names}
        for name in self.methods:
            if name not in self.labellers and name not in known:
                ranges = (" .. ".join(dict.fromkeys((names[0], names[-1]))) for names in _METHODS.values())
                raise ValueError(
                    f"names the method {name!r}, which is none of {', '.join(ranges)} and not under labellers; correct "
                    "it"
                )
        return self

    def values(self, name: str) -> list[str]:
        """The data sets are those on which features are discovered."""
        if name != "dataset":
            return super().values(name)
        return [name for name in self.datasets if any(method.startswith("ff_") for method in self.of(name).methods)]

    def unused_by(self, method: str) -> set[str]:
        """See `MethodsSettings`."""
        return super().unused_by(method) | {"n_seeds", "held_out"}
