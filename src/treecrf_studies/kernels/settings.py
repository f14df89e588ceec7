"""Settings of the study of kernels (Altun, Smola and Hofmann 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from treecrf.io.messages import listed
from treecrf_studies.kernels.methods import DUAL, METHODS, PRIMAL
from treecrf_studies.methods.catalogue import KERNELS, unused_settings
from treecrf_studies.options import (
    Count,
    Leaves,
    MethodsSettings,
    Name,
    PairedSettings,
    Regularization,
    Share,
    Variance,
    refuse_unknown,
)

Tolerance = Share

MEASURED = ("solver_datasets", "rank_datasets", "size_datasets")


class KernelsSettings(PairedSettings, MethodsSettings):
    """The study of UAI 2004: conditional random fields in the space of a kernel."""

    counted = ("tree_iterations",)
    whole: ClassVar[frozenset[str]] = PairedSettings.whole | {*MEASURED}
    held_out: ClassVar[float] = 1 / 3
    """Of the training sequences of a draw; the study joins the parts again, as all of them choose in turn."""

    of_papers: ClassVar = {
        "prosody": {"n_seeds": 5},
        "prosody_speaker": {"n_seeds": 5},
        "ocr": {"n_seeds": 10, "picture": [16, 8], "neural_dropouts": [0.5]},
        "ocr_half": {"picture": [16, 8], "neural_dropouts": [0.5]},
    }

    methods: list[Name] = Field(
        [name for name in METHODS if name != "rbf"],
        min_length=1,
        description=f"Methods to compare: {', '.join(METHODS)}, or one of labellers.",
    )
    n_seeds: Count = Field(1, description="Draws of the data: folds, then folds of the next seed.")
    n_folds: int = Field(5, ge=2, description="Folds of the training sequences that choose settings and stages.")
    variances: list[Variance] = Field(
        [0.3, 1.0, 3.0, 10.0, 30.0], min_length=1, description="Grid of the variance of the prior."
    )
    transition_variance: Variance = Field(
        1.0, description="Variance of the weights of label pairs, relative to that of functions (tau)."
    )
    coef0: Regularization = Field(1.0, description="Constant of the polynomial kernel (c).")
    tolerance: Tolerance = Field(1e-6, description="Training stops at this relative change of the objective.")
    choosing_tolerance: Tolerance = Field(1e-3, description="The same while settings are chosen.")
    rank: Count = Field(2000, description="Most pivots of the methods of low rank.")
    tree_iterations: Count = Field(100, description="Most iterations of TreeCRF.")
    test_every: Count = Field(4, description="Every n-th of them is a candidate.")
    tree_rates: list[Variance] = Field([0.1], min_length=1, description="Grid of the learning rate of Newton leaves.")
    tree_regularization: Regularization = Field(3.0, description="Lambda of Newton leaves.")
    separable_leaves: list[Leaves] = Field([8], min_length=1, description="Grid of leaves, separable TreeCRF.")
    full_leaves: list[Leaves] = Field([16], min_length=1, description="Grid of leaves, full TreeCRF.")
    treecrf_leaves: Leaves = Field(100, description="Leaves of the papers' TreeCRF.")
    treecrf_regularizations: list[Regularization] = Field([20.0], min_length=1, description="Grid of its lambda.")
    crfsuite_penalties: list[Regularization] = Field(
        [1.0, 0.1, 0.02], min_length=1, description="Grid of CRFsuite's c2."
    )
    neural_dropouts: list[Share] = Field([0.3], min_length=1, description="Grid of the dropout of the neural CRF.")
    neural_epochs: Count = Field(60, description="Its most epochs; held-out sequences choose their number.")
    picture: tuple[Count, Count] | None = Field(
        None, description="Rows and columns of the picture that the numbers are, which the neural CRF sees."
    )
    solver_datasets: list[Name] = Field([], description="Data sets on which solvers are compared.")
    solver_degrees: list[Literal[1, 2]] = Field([1, 2], min_length=1, description="Degrees of the kernel there.")
    solver_steps: Count = Field(500, description="Most iterations of a solver there.")
    rank_datasets: list[Name] = Field([], description="Data sets on which low ranks are compared.")
    ranks: list[Count] = Field([100, 250, 500, 1000, 2000], min_length=1, description="Ranks there.")
    size_datasets: list[Name] = Field([], description="Data sets on which time and memory are measured.")
    sizes: list[Count] = Field([1000, 2000, 4000], min_length=1, description="At least so many positions there.")
    measured_variance: Variance = Field(10.0, description="Variance of the prior in these comparisons.")

    @model_validator(mode="after")
    def _methods_are_known(self) -> KernelsSettings:
        refuse_unknown(self.methods, METHODS, self.labellers)
        return self

    @model_validator(mode="before")
    @classmethod
    def _left_out_measures_nothing(cls, values: Any) -> Any:
        is_left_out = isinstance(values, Mapping) and not values.get("datasets")
        return {name: value for name, value in values.items() if name not in MEASURED} if is_left_out else values

    @model_validator(mode="after")
    def _measured_sets_are_those_of_the_study(self) -> KernelsSettings:
        for setting in MEASURED:
            others = [name for name in getattr(self, setting) if name not in self.datasets]
            if others:
                raise ValueError(f"names {listed(others, repr)} in {setting} and not in datasets; add it there")
        return self

    @property
    def choosers(self) -> Mapping[str, str]:
        """See `StudySettings`."""
        return {DUAL: "degree_1"} | {method: f"degree_{degree}" for method, degree in PRIMAL.items()}

    def unused_by(self, method: str) -> set[str]:
        """See `MethodsSettings`."""
        measuring = {"measured_variance", "solver_degrees", "solver_steps", "ranks", "sizes"}
        chosen = {"variances"} if method in self.choosers else set()
        return super().unused_by(method) | {"n_seeds"} | measuring | chosen | unused_settings(method, KERNELS)
