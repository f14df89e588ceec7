"""Settings of the study of chapter 3: training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from treecrf.statistics.estimates import LEAST_CLUSTERS
from treecrf_studies.methods.catalogue import IN_JAVA, LABELLERS, TRAINING, unused_settings
from treecrf_studies.options import (
    Count,
    Decoder,
    Leaves,
    MethodsSettings,
    Model,
    Name,
    PairedSettings,
    Regularization,
    Share,
    Variance,
    Window,
    refuse_unknown,
)
from treecrf_studies.training.choices import BETTER

if TYPE_CHECKING:
    TrainingMethod = str
    Expert = str
else:
    TrainingMethod = Literal[tuple(TRAINING)]
    Expert = Literal[tuple(name for name in TRAINING if LABELLERS[name].family != "ensembles")]

NOT_ON_SAMPLES = (
    "n_folds",
    "n_perturbed_runs",
    "n_perturbed_slow_runs",
    "timed_methods",
    "n_timed_runs",
    "steady_methods",
    "borrowed_choices",
)
"""Settings that jobs on larger samples do not look at."""


class LargerSample(Model):
    """A larger sample beside the papers' test set of a data set of the study of training."""

    of: Name = Field(description="The data set of the study whose grids of settings its methods have.")
    design: Literal["cross_validation", "draws"] = Field(
        "cross_validation",
        description="Cross-validation over all sequences, or draws of as many training sequences as the data set has "
        "from its test set, where the rest tests.",
    )
    n_folds: int | None = Field(
        10,
        ge=2,
        description="Folds of whole groups of related sequences; null: each group, such as a document, tests in turn.",
    )
    n_repeats: Count = Field(10, description="Repeats of the cross-validation, or draws.")
    fixed_trainings: int | None = Field(
        None,
        ge=2,
        description="Trainings of methods whose settings are fixed in advance, the first ones; null: as many as of the "
        "other methods.",
    )
    population: Literal["same", "second"] = Field(
        "same",
        description='"second" where labels or sequences are of another kind than those of the papers: a second '
        "population.",
    )
    n_train: int | None = Field(
        None, ge=1, description="Training sequences of a draw; null: as many as the data set of the study has."
    )
    methods: list[str] | None = Field(
        None, description="Methods that this sample tests; null: larger_methods of the study."
    )

    @model_validator(mode="after")
    def _draws_have_a_size(self) -> LargerSample:
        if self.n_train is not None and self.design != "draws":
            raise ValueError("has n_train, which draws alone have; give design: draws")
        return self

    @property
    def test(self) -> Literal["folds", "draws", "documents"]:
        """What the tests between methods go over (`treecrf_studies.training.larger_summary.compare_larger`)."""
        if self.design == "draws":
            return "draws"
        return "documents" if self.n_folds is None else "folds"


class TrainingSettings(PairedSettings, MethodsSettings):
    """The study of chapter 3: TreeCRF and its rivals, their accuracy and their cost."""

    counted = ("n_iterations", "java_iterations")
    whole: ClassVar[frozenset[str]] = PairedSettings.whole | {
        "blocks_under",
        "block_length",
        "larger_samples",
        "larger_methods",
        "larger_fixed",
    }
    datasets: list[Name] = Field(["protein", "nettalk", "hyphen"], description="Data sets of this study, by name.")
    methods: list[TrainingMethod | Name] = Field(
        list(TRAINING), min_length=1, description="Methods to compare; the first is compared with all."
    )
    l2_regularizations: list[Regularization] = Field(
        [0.0, 5.0, 10.0, 20.0, 40.0, 80.0], min_length=1, description="Grid of lambda (equation 3.1)."
    )
    memm_regularizations: list[Regularization] = Field(
        [5.0, 20.0, 80.0], min_length=1, description="The same for the MEMM and the sliding window."
    )
    max_leaves: int = Field(100, ge=2, description="Most leaves of a tree.")
    original_max_leaves: list[Leaves] = Field(
        [30, 50, 75, 100], min_length=1, description="Grid of the original algorithm, which has lambda 0."
    )
    newton_leaves: list[Leaves] = Field(
        [8, 30], min_length=1, description="Grid of the leaves of a tree with subsets and Newton leaves."
    )
    newton_regularizations: list[Regularization] = Field([5.0], min_length=1, description="Its grid of lambda.")
    newton_rates: list[Annotated[float, Field(gt=0, le=1)]] = Field(
        [0.1], min_length=1, description="Its grid of the learning rate."
    )
    newton_transitions: list[Literal["full", "separable"]] = Field(
        ["full", "separable"],
        min_length=1,
        description="Whether its trees look at previous labels, or only at the window.",
    )
    anchors: list[tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]] | None] = Field(
        [None, (0, 0), (2, 4)],
        min_length=1,
        description="Grid of the observations from the start and from the end of the sequence that trees with anchored "
        "inputs see; null: no anchored inputs.",
    )
    anchored_orders: list[Annotated[int, Field(ge=0, le=4)]] = Field(
        [1, 2], min_length=1, description="Their grid of the number of previous labels."
    )
    variances: list[Variance] = Field(
        [1.0, 5.0, 10.0, 20.0], min_length=1, description="Grid of the prior's variance, for linear CRFs."
    )
    network_hidden: Count = Field(40, description="Hidden units of the neural network.")
    network_penalties: list[Regularization] = Field(
        [0.0001], min_length=1, description="Grid of the neural network's weight penalty."
    )
    network_epochs: Count = Field(40, description="Most epochs of the neural network.")
    network_windows: dict[Name, Window] = Field(
        {"protein": (6, 6)}, description="Data sets where the neural network sees another window than the others."
    )
    neural_kinds: list[Literal["lstm", "convolution"]] = Field(
        ["lstm", "convolution"], min_length=1, description="Grid of the kind of network of the neural CRF and softmax."
    )
    neural_widths: list[Count] = Field([64], min_length=1, description="Their grid of the width.")
    neural_layers: list[Annotated[int, Field(ge=1, le=12)]] = Field(
        [1, 2], min_length=1, description="Their grid of the number of layers."
    )
    neural_dropouts: list[Share] = Field([0.3, 0.5], min_length=1, description="Their grid of the dropout.")
    neural_epochs: Count = Field(
        60, description="Most epochs of these; sequences that are held out from training choose their number."
    )
    lightgbm_leaves: list[Leaves] = Field([7, 31], min_length=1, description="Grid of LightGBM's leaves.")
    stacking_experts: list[Expert] = Field(
        ["treecrf_newton", "treecrf", "linear_crf", "lightgbm"],
        min_length=1,
        description="Methods whose predictions stacking combines.",
    )
    stacking_iterations: list[Count] = Field([100], min_length=1, description="Grid of the iterations of these.")
    stacking_folds: int = Field(
        4, ge=2, description="Folds of which each is predicted by the methods that the others train."
    )
    n_iterations: Count = Field(250, description="Iterations of training.")
    test_every: Count = Field(2, description="Every n-th iteration is tested, and a candidate.")
    order: int = Field(1, ge=0, le=4, description="Previous labels that TreeCRF's potentials see.")
    decoders: list[Decoder] = Field(["forward_backward", "viterbi"], min_length=1, description="Ways of predicting.")
    n_folds: int = Field(5, ge=2, description="Folds of the internal cross-validation, cut between sequences.")
    n_perturbed_runs: int = Field(10, ge=2, description="Runs from a perturbed start that show the part of chance.")
    n_perturbed_slow_runs: int = Field(
        3,
        ge=0,
        description="The same for what takes long: stacking, and methods that run in Java; none for SMILE, which "
        "starts as it does.",
    )
    timed_methods: list[TrainingMethod | Name] = Field(
        ["treecrf", "mallet", "mallet_linear", "linear_crf"],
        description="Methods whose CPU seconds the papers compare: their trainings are timed n_timed_runs times, and "
        "their labels after the last iteration are tested too.",
    )
    n_timed_runs: Count = Field(
        5,
        description="Trainings of each of these with the chosen settings, perturbed ones included; what lacks is "
        "trained again for the time alone.",
    )
    steady_methods: list[TrainingMethod | Name] = Field(
        [], description="Methods without such runs, as all of theirs are known to be much alike."
    )
    java_iterations: int | None = Field(
        None,
        ge=1,
        description="Most iterations of methods that run in Java, also where more were chosen for them (default: as "
        "other methods).",
    )
    borrowed_choices: dict[TrainingMethod, TrainingMethod] = Field(
        {},
        description="Methods without cross-validation of their own, which take settings and iterations of another one "
        "with the same grid.",
    )
    start_noise: float = Field(
        0.01, gt=0, allow_inf_nan=False, description="Standard deviation of the perturbed starts' F or weights."
    )
    unseen: Literal["missing", "error"] = Field(
        "missing", description="What to do with a category that the training set does not have."
    )
    blocks_under: int = Field(
        LEAST_CLUSTERS,
        ge=2,
        description="With fewer test sequences (groups of related ones), tests take blocks of positions as independent "
        "instead.",
    )
    block_length: Count = Field(50, description="Positions of a block, at least.")

    larger_samples: dict[Name, LargerSample] = Field(
        {},
        description="Larger samples in addition to the papers' test sets: data sets, and how each is used; those of "
        "data sets that the study does not have are left out.",
    )
    larger_methods: list[TrainingMethod | Name] = Field(
        [
            "treecrf",
            "treecrf_newton",
            "treecrf_original",
            "treecrf_anchored",
            "linear_crf",
            "induced_crf",
            "mallet",
            "mallet_linear",
            "lightgbm",
            "neural_network",
        ],
        description="Methods that are tested on them, each with settings that a third of its training sequences "
        "chooses; none: no larger samples.",
    )
    larger_fixed: dict[TrainingMethod, dict[str, Any]] = Field(
        {"mallet": {"variance": 10}, "mallet_linear": {"variance": 10}},
        description="Methods whose settings there are fixed in advance, as a choice would take too long, and these "
        "settings.",
    )

    @model_validator(mode="after")
    def _methods_are_known(self) -> TrainingSettings:
        of_samples = [method for sample in self.larger_samples.values() for method in sample.methods or ()]
        of_study = [*self.methods, *self.steady_methods, *self.timed_methods]
        named = [*of_study, *self.larger_methods, *self.larger_fixed, *of_samples]
        refuse_unknown(named, TRAINING, self.labellers)
        return self

    @property
    def larger_datasets(self) -> list[str]:
        """The larger samples that are run: of data sets of the study."""
        return [
            name for name, sample in self.larger_samples.items() if sample.of in self.datasets and self.larger_methods
        ]

    def larger_methods_on(self, sample: str) -> list[str]:
        """The methods that a larger sample tests."""
        return self.larger_samples[sample].methods or self.larger_methods

    def samples_of(self, dataset: str) -> list[str]:
        """See `StudySettings`."""
        return [name for name in self.larger_datasets if self.larger_samples[name].of == dataset]

    def used_on_sample(self, name: str, method: str) -> dict[str, Any]:
        """`used_by` on a larger sample: settings of the data set that it is larger than, and of the sample."""
        sample = self.larger_samples[name]
        described = sample.model_dump(mode="json", exclude={"methods"})
        fixed = {key: value for key, value in self.larger_fixed.items() if key == method}
        used = {key: value for key, value in self.of(sample.of).used_by(method).items() if key not in NOT_ON_SAMPLES}
        return used | {"larger_samples": {name: described}, "larger_fixed": fixed}

    @model_validator(mode="after")
    def _choices_can_be_borrowed(self) -> TrainingSettings:
        for method, other in self.borrowed_choices.items():
            if other in self.borrowed_choices or TRAINING[method].grid != TRAINING[other].grid:
                raise ValueError(
                    f"has {method!r} borrow the choice of {other!r}, which has another grid or borrows itself; name a "
                    "method that chooses among the same candidates"
                )
        return self

    @property
    def choosers(self) -> Mapping[str, str]:
        """See `StudySettings`."""
        return self.borrowed_choices

    @property
    def apart(self) -> frozenset[str]:
        """See `StudySettings`; methods in Java take long."""
        return super().apart | frozenset(IN_JAVA)

    def values(self, name: str) -> list[str]:
        """The decoders and the one that cross-validation prefers."""
        return [*self.decoders, BETTER] if name == "decoder" else super().values(name)

    def unused_by(self, method: str) -> set[str]:
        """See `MethodsSettings`."""
        untimed = {"n_timed_runs"} if method not in self.timed_methods else set()
        return super().unused_by(method) | untimed | (unused_settings(method, TRAINING) - {"n_iterations"})

    def used_by(self, method: str) -> dict[str, Any]:
        """See `MethodsSettings`; of lists of methods what they say of this one."""
        own: dict[str, Any] = {
            name: [each for each in getattr(self, name) if each == method]
            for name in ("steady_methods", "timed_methods")
        }
        own["borrowed_choices"] = {name: other for name, other in self.borrowed_choices.items() if name == method}
        return super().used_by(method) | own
