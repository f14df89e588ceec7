"""Settings of the study of chapter 4: missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from treecrf.missing import MECHANISMS
from treecrf.models.registry import IN_TREES, TRANSFORMS
from treecrf_studies.methods.catalogue import MISSING, TREATMENTS, unused_settings
from treecrf_studies.missing.methods import PAPERS, TREES
from treecrf_studies.options import (
    ComparedSettings,
    Count,
    Decoder,
    Leaves,
    MethodsSettings,
    Name,
    Regularization,
    Share,
    refuse_unknown,
)

METHODS = tuple(dict.fromkeys((*IN_TREES, *TRANSFORMS, *MISSING)))
"""Treatments in trees, by transforms, and other labellers."""

if TYPE_CHECKING:
    MissingMethod = str
    MechanismName = str
else:
    MissingMethod = Literal[METHODS]
    MechanismName = Literal[tuple(MECHANISMS)]


class MissingSettings(ComparedSettings, MethodsSettings):
    """The study of chapter 4: which way of handling missing input values is best."""

    counted = ("n_iterations",)
    whole: ClassVar[frozenset[str]] = ComparedSettings.whole | {
        "methods",
        "rates",
        "mechanism_datasets",
        "mechanisms",
        "baseline",
        "baselines",
        "papers_sets",
        "degrees_of_freedom",
    }

    methods: list[MissingMethod | Name] = Field(
        list(TREATMENTS),
        min_length=1,
        description="Treatments of missing values in trees; neural_crf, a network with an embedding for missing "
        "values; and your labellers that handle missing values.",
    )
    rates: list[Share] = Field(
        [0.0, 0.05, 0.1, 0.2, 0.4], min_length=1, description="Shares of cells that go missing; 0 is the reference."
    )
    n_training_sets: Count = Field(20, description="Damaged training sets for each rate.")
    n_test_sets: Count = Field(20, description="Damaged test sets for each rate.")
    papers_sets: Count = Field(
        5,
        description="Of both, the first so many are those of the papers' own tests, which take all positions as "
        "independent.",
    )
    trees: list[Name] = Field(
        [PAPERS],
        description=f"Kinds of trees that the methods are tried with: {PAPERS}, which most tables are about, and "
        "others.",
    )
    tree_training_sets: Count = Field(
        5, description="Damaged training sets for each rate with the other kinds of trees, the first so many."
    )
    newton_leaves: list[Leaves] = Field(
        [30], min_length=1, description="Candidates for the leaves of trees with subsets and Newton leaves."
    )
    newton_rates: list[Annotated[float, Field(gt=0, le=1)]] = Field(
        [0.1], min_length=1, description="Candidates for their learning rate."
    )
    mechanism_datasets: list[Name] = Field(
        [], description="Those of the data sets above whose cells also go missing not at random."
    )
    mechanisms: list[MechanismName] = Field(
        list(MECHANISMS), min_length=1, description="Ways in which their cells go missing."
    )
    mechanism_rate: float = Field(0.2, gt=0, lt=1, description="Share of the cells that goes missing in each way.")
    mechanism_training_sets: Count = Field(5, description="Damaged training sets for each way.")
    run_length: float = Field(5.0, ge=1, description="Observations in a run of missing ones, on average.")
    l2_regularizations: list[Regularization] = Field(
        [0.0, 5.0, 10.0, 20.0, 40.0, 80.0], min_length=1, description="Candidates for lambda (equation 3.1)."
    )
    neural_dropouts: list[Share] = Field([0.3], min_length=1, description="Candidates for the dropout of neural_crf.")
    neural_epochs: Count = Field(60, description="Its most epochs; held-out sequences choose their number.")
    n_iterations: Count = Field(100, description="Boosting iterations.")
    test_every: Count = Field(1, description="Every n-th iteration is a candidate.")
    held_out: float = Field(
        1 / 3, gt=0, lt=1, description="Share of the training sequences that chooses lambda and iteration."
    )
    max_leaves: int = Field(100, ge=2, description="Most leaves of a tree.")
    order: int = Field(1, ge=0, le=4, description="Previous labels that the potentials see.")
    decoder: Decoder = Field("forward_backward", description="Way of predicting.")
    baseline: MissingMethod | Name = Field(
        "instance_weighting", description="The method that others are compared with."
    )
    baselines: dict[Name, MissingMethod | Name] = Field(
        {"faq_ai_general": "imputation"}, description="Data sets with another baseline."
    )
    blocks_under: Count = Field(
        10,
        description="Test sets with fewer sequences are compared by blocks of lines: other lines of the same "
        "documents.",
    )
    block_length: int = Field(
        50,
        ge=50,
        description="Lines of such a block, at least; more where the methods' difference is correlated beyond.",
    )
    degrees_of_freedom: Literal["fewest", "satterthwaite"] = Field(
        "satterthwaite",
        description="Of the test with sequences and training sets: Satterthwaite's, or the fewer of both, minus 1, "
        "more cautious.",
    )
    scale_gain: bool = Field(False, description="Multiply a test's gain by the share of rows where it is known.")
    n_surrogates: int | None = Field(None, ge=1, description="Most surrogates of a split; null: all other slots.")
    either_polarity: bool = Field(True, description="Whether the opposite of a test may be a surrogate.")
    all_missing: Literal["majority", "both"] = Field(
        "majority", description="Where a row goes when all surrogates are missing."
    )
    unseen_missing: Literal["majority", "both"] = Field(
        "majority", description="Where a row goes when training showed no missing value at a split."
    )
    mark: Literal["auto", "category", "flag"] = Field(
        "auto", description="How the indicator marks a missing value; auto: flags for attributes of two categories."
    )
    unseen: Literal["missing", "error"] = Field(
        "missing", description="What to do with a category that the training set does not have."
    )

    @model_validator(mode="after")
    def _methods_are_known(self) -> MissingSettings:
        refuse_unknown(self.methods, METHODS, self.labellers)
        return self

    @model_validator(mode="after")
    def _trees_are_known(self) -> MissingSettings:
        unknown = [name for name in self.trees if name not in TREES]
        if unknown:
            raise ValueError(f"names the trees {unknown[0]!r}, which are none of {', '.join(TREES)}; correct the name")
        if PAPERS not in self.trees:
            raise ValueError(f"has trees without {PAPERS!r}, which most tables are about; add them")
        return self

    @model_validator(mode="after")
    def _baselines_are_methods(self) -> MissingSettings:
        for name in self.datasets:
            baseline = self.baselines.get(name, self.baseline)
            if baseline not in self.methods:
                raise ValueError(
                    f"has the baseline {baseline!r} for {name!r}, which is not among methods; add it there"
                )
        return self

    def values(self, name: str) -> list[str]:
        """The baselines are those of the data sets."""
        if name != "baseline":
            return super().values(name)
        return sorted({self.baseline_of(dataset) for dataset in self.datasets})

    def unused_by(self, method: str) -> set[str]:
        """See `MethodsSettings`."""
        unused = super().unused_by(method) | unused_settings(method, MISSING)
        return unused - {"rates", "mechanisms", "n_iterations"}

    @property
    def other_trees(self) -> list[str]:
        """Kinds of trees beside the papers'."""
        return [name for name in self.trees if name != PAPERS]

    @property
    def tree_datasets(self) -> list[str]:
        """Data sets on which the methods are tried with other kinds of trees."""
        return [name for name in self.datasets if self.of(name).other_trees]

    def baseline_of(self, dataset: str) -> str:
        """The method that others are compared with on a data set."""
        return self.baselines.get(dataset, self.baseline)
