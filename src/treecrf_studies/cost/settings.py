"""Settings of what is measured of the cost of training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from treecrf_studies.methods.catalogue import COST
from treecrf_studies.options import Count, Model, Name, Regularization, Variance

if TYPE_CHECKING:
    CostMethod = str
else:
    CostMethod = Literal[COST]
Fraction = Annotated[float, Field(gt=0, le=1)]


class CostSettings(Model):
    """How cost grows with sequence length and window (chapter 3, figure 3.3), and what sampling and other short cuts
    save.
    """

    methods: list[CostMethod] = Field(list(COST), description="Methods to measure; none: the measurement is left out.")
    n_repeats: int = Field(
        20,
        ge=2,
        description="Times that everything is measured, also the samples of a fraction; intervals are over these.",
    )
    lengths: list[Count] = Field(
        [10, 20, 40, 80, 160, 320, 640, 1280, 2560], min_length=1, description="Lengths of the generated sequences."
    )
    window_sizes: list[Count] = Field(
        [3, 5, 7, 9, 11], min_length=1, description="Windows on the generated sequences, by their observations."
    )
    n_sequences: Count = Field(100, description="Generated sequences.")
    length: Count = Field(100, description="Their length where the window varies.")
    n_iterations: Count = Field(24, description="Iterations that are measured.")
    l2_regularization: Regularization = Field(40.0, description="TreeCRF's lambda.")
    max_leaves: int = Field(100, ge=2, description="Most leaves of a tree.")
    variance: Variance = Field(20.0, description="The prior's variance, for linear CRFs.")
    seed: int = Field(0, ge=0, description="Decides the generated sequences.")
    window_datasets: list[Name] = Field([], description="Data sets of the table by window size, of those of training.")
    real_window_sizes: list[Count] = Field([1, 3, 5, 7, 9, 11], min_length=1, description="Windows of that table.")
    sampling_datasets: list[Name] = Field(
        [], description="Data sets on which sampling and trimming are measured, of those of training."
    )
    sampling_iterations: Count = Field(100, description="Iterations of TreeCRF there.")
    sampling_regularization: Regularization = Field(20.0, description="TreeCRF's lambda there.")
    row_fractions: list[Fraction] = Field([0.5, 0.25], description="Shares of the rows that a tree sees.")
    feature_fractions: list[Fraction] = Field([0.5, 0.25], description="Shares of the tests that a split looks at.")
    influence_trimmings: list[Annotated[float, Field(ge=0, lt=1)]] = Field(
        [0.05, 0.1, 0.2], description="Shares of the influence that are left out."
    )
    pseudo_likelihood_iterations: list[Count] = Field(
        [5, 10], description="Numbers of first iterations that follow the pseudo-likelihood, measured like sampling."
    )

    @property
    def is_wanted(self) -> bool:
        """Whether the methods are measured on generated sequences; the other measurements depend on their data sets
        alone.
        """
        return bool(self.methods)

    @property
    def short_cuts(self) -> list[tuple[str, float]]:
        """TreeCRF's setting and its value, of every short cut that is measured."""
        values: dict[str, Sequence[float]] = {
            "row_fraction": self.row_fractions,
            "feature_fraction": self.feature_fractions,
            "influence_trimming": self.influence_trimmings,
            "pseudo_likelihood_iterations": self.pseudo_likelihood_iterations,
        }
        return [(option, value) for option, each in values.items() for value in each]

    @model_validator(mode="after")
    def _some_iterations_follow_the_likelihood(self) -> CostSettings:
        most = max(self.pseudo_likelihood_iterations, default=0)
        if self.sampling_datasets and most >= self.sampling_iterations:
            raise ValueError(
                f"has {most} among pseudo_likelihood_iterations, but sampling_iterations={self.sampling_iterations}; "
                "lower it"
            )
        return self

    @model_validator(mode="after")
    def _windows_have_methods(self) -> CostSettings:
        if self.window_datasets and not self.methods:
            raise ValueError("has window_datasets but no methods; name a method, or leave window_datasets empty")
        return self
