"""Settings of the study of ensembles (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from treecrf_studies.ensembles.methods import EXPERTS
from treecrf_studies.options import Count, Leaves, Name, PairedSettings, Regularization, Variance

Size = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Rho = Annotated[float, Field(ge=0, le=1)]


class EnsemblesSettings(PairedSettings):
    """The study of 2014: ensembles of path experts, on generated predictions and on those of labellers."""

    generated: ClassVar[frozenset[str]] = frozenset(
        {"pool_seeds", "n_sequences", "n_train", "n_samples", "n_rounds", "n_folds", "rhos"}
    )
    """Settings of the generated sets."""

    whole: ClassVar[frozenset[str]] = PairedSettings.whole | generated

    of_papers: ClassVar = {
        "nettalk_words": {"sizes": [1000, 1000, 4000]},
        "ocr": {"sizes": [1000, 1000, 2000], "n_seeds": 3},
    }

    pool_seeds: list[Annotated[int, Field(ge=0)]] = Field(
        [0, 1, 2], min_length=1, description="Seeds of the pools of table 1."
    )
    n_sequences: Count = Field(40_000, description="Sequences of a pool.")
    n_train: Leaves = Field(200, description="Sequences of a training sample; the others of its pool test.")
    n_samples: Leaves = Field(10, description="Disjoint training samples of a pool.")
    n_rounds: Count = Field(100, description="Most rounds of boosting there.")
    n_folds: Leaves = Field(5, description="Folds of a training sample, which choose rounds and beta.")
    rhos: list[Rho] = Field(
        [0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9], min_length=1, description="Margins at which theorem 3 is checked."
    )
    n_seeds: Count = Field(5, description="Draws of the parts A, B and C of a data set.")
    sizes: tuple[Size, Size, Size] = Field(
        (0.5, 0.25, 0.25),
        description=(
            "Sequences of A (trains experts), B (combines them) and C (tests); shares of all if they sum to at most 1."
        ),
    )
    experts: list[Name] = Field(list(EXPERTS), min_length=2, description=f"Labellers to combine: {', '.join(EXPERTS)}.")
    newton_iterations: Count = Field(100, description="Iterations of separable.")
    newton_leaves: Leaves = Field(8, description="Its leaves.")
    newton_regularization: Regularization = Field(3.0, description="Its lambda.")
    newton_rate: Variance = Field(0.1, description="Its learning rate.")
    tree_iterations: Count = Field(40, description="Iterations of treecrf, memm and sliding_window.")
    tree_leaves: Leaves = Field(50, description="Their leaves.")
    tree_regularization: Regularization = Field(20.0, description="Their lambda.")
    variance: Variance = Field(10.0, description="Variance of the prior of linear_crf.")
    linear_features: Literal["pairs", "labels", "both"] = Field(
        "labels", description="What its cells have weights for; pairs take too long where labels are many."
    )
    linear_iterations: Count = Field(100, description="Its most iterations.")
    crfsuite_penalty: Regularization = Field(0.1, description="c2 of crfsuite.")
    crfsuite_iterations: Count = Field(100, description="Most iterations of crfsuite.")
    n_epochs: Count = Field(10, description="Epochs of perceptron.")
    lightgbm_iterations: Count = Field(60, description="Iterations of lightgbm.")
    lightgbm_leaves: Leaves = Field(15, description="Its leaves.")
    neural_epochs: Count = Field(60, description="Most epochs of neural_crf; held-out sequences choose their number.")

    @model_validator(mode="after")
    def _experts_are_known(self) -> EnsemblesSettings:
        unknown = [name for name in self.experts if name not in EXPERTS]
        if unknown:
            raise ValueError(
                f"names the expert {unknown[0]!r}, which is none of {', '.join(EXPERTS)}; correct the name"
            )
        return self

    @model_validator(mode="after")
    def _pools_are_large_enough(self) -> EnsemblesSettings:
        n_needed = self.n_samples * self.n_train
        if n_needed > self.n_sequences:
            raise ValueError(
                f"has n_samples * n_train = {n_needed} above n_sequences = {self.n_sequences}; lower one or raise the "
                "other"
            )
        if self.n_folds > self.n_train:
            raise ValueError(f"has n_folds={self.n_folds} above n_train={self.n_train}; lower it")
        return self
