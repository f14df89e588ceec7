"""The whole configuration: its keys, their defaults (PROTOCOL's), and what to say when one is wrong.

``python -m treecrf.settings`` prints the JSON schema that ``config/schema.json`` holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from treecrf._future_settings import FutureSettings
from treecrf._settings_parts import (
    Decoder,
    Labellers,
    Model,
    Name,
    Window,
    each_once,
    refuse_unknown,
    used_labellers,
)


class BuiltinDataset(Model):
    """A data set that the package knows how to get or to generate."""

    kind: Literal["builtin"] = "builtin"
    source: str | None = Field(None, description="Name in treecrf.datasets; the data set's own name unless given.")
    options: dict[str, Any] = Field({}, description="Options of treecrf.datasets.load for this data set.")
    window: Window | None = Field(None, description="Observations before and after; the published window unless given.")


class TableDataset(Model):
    """Sequences of your own: a CSV, Parquet or columns file with one row per observation; an empty cell is missing."""

    kind: Literal["table"]
    path: str = Field(description="The training table, or the only one.")
    test: str | None = Field(None, description="The test table.")
    split: str | None = Field(None, description='Column that holds "train" or "test", in place of a test table.')
    test_fraction: float = Field(1 / 3, gt=0, lt=1, description="Share of the sequences that is held out otherwise.")
    sequence: str = Field("sequence", description="Column that tells sequences apart.")
    label: str = Field("label", description="Column with the labels; the last one of a columns file.")
    attributes: list[str] | None = Field(None, description="Input columns; all other columns unless given.")
    window: Window = Field((0, 0), description="Observations before and after that the labeller sees.")


Dataset = Annotated[BuiltinDataset | TableDataset, Field(discriminator="kind")]


TrainingMethod = Literal[
    "treecrf", "treecrf_original", "linear_crf", "induced_crf", "mallet", "mallet_linear", "smile", "memm",
    "sliding_window", "neural_network", "lightgbm",
]  # fmt: skip
GRIDS: dict[str, tuple[str, ...]] = {
    "treecrf": ("l2_regularizations",),
    "treecrf_original": ("original_max_leaves",),
    "linear_crf": ("variances",),
    "induced_crf": ("variances",),
    "mallet": ("variances",),
    "mallet_linear": ("variances",),
    "smile": ("original_max_leaves",),
    "memm": ("memm_regularizations",),
    "sliding_window": ("memm_regularizations",),
    "neural_network": ("network_penalties", "network_hidden", "network_epochs", "network_windows"),
    "lightgbm": ("lightgbm_leaves",),
}
"""For each method its grid of candidates, and then the settings that it alone looks at."""

CHOSEN_BY = {"mallet": "induced_crf", "mallet_linear": "linear_crf", "smile": "treecrf_original"}
"""Methods that run in Java take too long for cross-validation: the method with the same algorithm chooses for each."""

Regularization = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Variance = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class TrainingSettings(Model):
    """The study of chapter 3: TreeCRF and its rivals, their accuracy and their cost."""

    datasets: list[Name] = Field(["protein", "nettalk", "hyphen"], description="Data sets of this study, by name.")
    methods: list[TrainingMethod | Name] = Field(
        list(get_args(TrainingMethod)), min_length=1, description="Methods to compare; the first is compared with all."
    )
    labellers: Labellers = Field({}, description="Filled from the configuration's labellers.")
    l2_regularizations: list[Regularization] = Field(
        [0.0, 5.0, 10.0, 20.0, 40.0, 80.0], min_length=1, description="Grid of lambda (equation 3.1)."
    )
    memm_regularizations: list[Regularization] = Field(
        [5.0, 20.0, 80.0], min_length=1, description="The same for the MEMM and the sliding window."
    )
    max_leaves: int = Field(100, ge=2, description="Most leaves of a tree.")
    original_max_leaves: list[Annotated[int, Field(ge=2)]] = Field(
        [30, 50, 75, 100], min_length=1, description="Grid of the original algorithm, which has lambda 0."
    )
    variances: list[Variance] = Field(
        [1.0, 5.0, 10.0, 20.0], min_length=1, description="Grid of the prior's variance, for linear CRFs."
    )
    network_hidden: int = Field(40, ge=1, description="Hidden units of the neural network.")
    network_penalties: list[Regularization] = Field(
        [0.0001], min_length=1, description="Grid of the neural network's weight penalty."
    )
    network_epochs: int = Field(40, ge=1, description="Most epochs of the neural network.")
    network_windows: dict[Name, Window] = Field(
        {"protein": (6, 6)}, description="Data sets where the neural network sees another window than the others."
    )
    lightgbm_leaves: list[Annotated[int, Field(ge=2)]] = Field(
        [7, 31], min_length=1, description="Grid of LightGBM's leaves."
    )
    n_iterations: int = Field(200, ge=1, description="Iterations of training.")
    test_every: int = Field(2, ge=1, description="Each so-manyth iteration is tested, and a candidate.")
    order: int = Field(1, ge=0, le=4, description="Previous labels that TreeCRF's potentials see.")
    decoders: list[Decoder] = Field(["forward_backward", "viterbi"], min_length=1, description="Ways of predicting.")
    n_folds: int = Field(5, ge=2, description="Folds of the internal cross-validation, cut between sequences.")
    n_perturbed_runs: int = Field(10, ge=2, description="Runs from a perturbed start that show the part of chance.")
    n_perturbed_java_runs: int = Field(0, ge=0, description="The same for methods that run in Java, which are slow.")
    start_noise: float = Field(
        0.01, gt=0, allow_inf_nan=False, description="Standard deviation of the perturbed starts' F or weights."
    )
    unseen: Literal["missing", "error"] = Field(
        "missing", description="What to do with a category that the training set does not have."
    )
    exact_under: int = Field(25, ge=0, description="McNemar's test is exact with fewer discordant positions.")
    overrides: dict[Name, dict[str, Any]] = Field(
        {}, description="Data sets with other settings than these: name, then setting and value."
    )

    @field_validator(
        "datasets", "methods", "l2_regularizations", "memm_regularizations", "original_max_leaves", "variances", "network_penalties",
        "lightgbm_leaves", "decoders",
    )  # fmt: skip
    @classmethod
    def _distinct(cls, values: list[Any]) -> list[Any]:
        return each_once(values)

    @model_validator(mode="after")
    def _methods_are_known(self) -> TrainingSettings:
        refuse_unknown(self.methods, get_args(TrainingMethod), self.labellers)
        return self

    @model_validator(mode="after")
    def _some_iteration_is_tested(self) -> TrainingSettings:
        if self.test_every > self.n_iterations:
            raise ValueError(f"has test_every={self.test_every} above n_iterations={self.n_iterations}; lower it")
        return self

    @model_validator(mode="after")
    def _overrides_are_settings(self) -> TrainingSettings:
        for name in self.overrides:
            forbidden = {"datasets", "overrides"} & set(self.overrides[name])
            if forbidden:
                raise ValueError(f"overrides {sorted(forbidden)[0]!r} for {name!r}, which belongs to no data set")
            self.of(name)
        return self

    def used_by(self, method: str) -> dict[str, Any]:
        """JSON values of the settings that a job of the method looks at, so that changing others runs nothing anew."""
        others = {name for names in GRIDS.values() for name in names} - set(GRIDS.get(method, ()))
        unused = {"datasets", "methods", "labellers", "overrides", "exact_under", *others}
        return self.model_dump(mode="json", exclude=unused) | used_labellers(method, self.labellers)

    def of(self, dataset: str) -> TrainingSettings:
        """The settings of one data set."""
        values = self.model_dump() | {"overrides": {}} | self.overrides.get(dataset, {})
        return TrainingSettings.model_validate(values)


ScalingMethod = Literal["treecrf", "linear_crf", "induced_crf", "mallet", "mallet_linear"]
Fraction = Annotated[float, Field(gt=0, le=1)]


class ScalingSettings(Model):
    """How cost grows with sequence length and window (chapter 3, figure 3.3), and what sampling saves."""

    methods: list[ScalingMethod] = Field(
        list(get_args(ScalingMethod)), description="Methods to measure; none: the measurement is left out."
    )
    lengths: list[Annotated[int, Field(ge=1)]] = Field(
        [10, 20, 40, 80, 160, 320], min_length=1, description="Lengths of the generated sequences."
    )
    window_sizes: list[Annotated[int, Field(ge=1)]] = Field(
        [3, 5, 7, 9, 11], min_length=1, description="Windows on the generated sequences, by their observations."
    )
    n_sequences: int = Field(100, ge=1, description="Generated sequences.")
    length: int = Field(100, ge=1, description="Their length where the window varies.")
    n_iterations: int = Field(24, ge=1, description="Iterations that are measured.")
    l2_regularization: Regularization = Field(40.0, description="TreeCRF's lambda.")
    max_leaves: int = Field(100, ge=2, description="Most leaves of a tree.")
    variance: Variance = Field(20.0, description="The prior's variance, for linear CRFs.")
    seed: int = Field(0, ge=0, description="Decides the generated sequences.")
    window_datasets: list[Name] = Field([], description="Data sets of the table by window size, of those of training.")
    real_window_sizes: list[Annotated[int, Field(ge=1)]] = Field(
        [1, 3, 5, 7, 9, 11], min_length=1, description="Windows of that table."
    )
    sampling_datasets: list[Name] = Field(
        [], description="Data sets on which sampling and trimming are measured, of those of training."
    )
    sampling_iterations: int = Field(100, ge=1, description="Iterations of TreeCRF there.")
    sampling_regularization: Regularization = Field(20.0, description="TreeCRF's lambda there.")
    sampling_repeats: int = Field(5, ge=1, description="Samples that a fraction is measured on.")
    row_fractions: list[Fraction] = Field([0.5, 0.25], description="Shares of the rows that a tree sees.")
    feature_fractions: list[Fraction] = Field([0.5, 0.25], description="Shares of the tests that a split looks at.")
    influence_trimmings: list[Annotated[float, Field(ge=0, lt=1)]] = Field(
        [0.05, 0.1, 0.2], description="Shares of the influence that are left out."
    )


MissingMethod = Literal[
    "instance_weighting", "surrogate_splitting", "default_direction", "imputation", "indicator"
]  # fmt: skip


class MissingSettings(Model):
    """The study of chapter 4: which way of handling missing input values is best."""

    datasets: list[Name] = Field([], description="Data sets of this study; none: the study is left out.")
    methods: list[MissingMethod | Name] = Field(
        ["instance_weighting", "surrogate_splitting", "imputation", "indicator", "default_direction"],
        min_length=1,
        description="Ways of handling missing values, and labellers of your own that cope with holes themselves.",
    )
    labellers: Labellers = Field({}, description="Filled from the configuration's labellers.")
    rates: list[Annotated[float, Field(ge=0, lt=1)]] = Field(
        [0.0, 0.05, 0.1, 0.2, 0.4], min_length=1, description="Shares of cells that go missing; 0 is the reference."
    )
    n_training_sets: int = Field(5, ge=1, description="Damaged training sets for each rate.")
    n_test_sets: int = Field(5, ge=1, description="Damaged test sets for each rate.")
    l2_regularizations: list[Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(
        [10.0, 40.0], min_length=1, description="Candidates for lambda (equation 3.1)."
    )
    n_iterations: int = Field(200, ge=1, description="Boosting iterations; each of 1, 2, .. is a candidate.")
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
        dict.fromkeys(("faq_perl", "faq_x", "faq_ai_general", "faq_ai_neural", "faq_aix"), "imputation"),
        description="Data sets with another baseline.",
    )
    scale_gain: bool = Field(False, description="Multiply a test's gain by the share of rows where it is known.")
    n_surrogates: int = Field(5, ge=1, description="Most surrogates of a split.")
    either_polarity: bool = Field(True, description="Whether the opposite of a test may be a surrogate.")
    all_missing: Literal["majority", "both"] = Field(
        "majority", description="Where a row goes when all surrogates are missing."
    )
    unseen_missing: Literal["majority", "both"] = Field(
        "majority", description="Where a row goes when training showed no missing value at a split."
    )
    mark: Literal["auto", "category", "flag"] = Field(
        "auto", description="How the indicator marks a hole; auto: flags for attributes of two categories."
    )
    unseen: Literal["missing", "error"] = Field(
        "missing", description="What to do with a category that the training set does not have."
    )

    @field_validator("datasets", "methods", "rates", "l2_regularizations")
    @classmethod
    def _distinct(cls, values: list[Any]) -> list[Any]:
        return each_once(values)

    @model_validator(mode="after")
    def _methods_are_known(self) -> MissingSettings:
        refuse_unknown(self.methods, get_args(MissingMethod), self.labellers)
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

    def used_by(self, method: str) -> dict[str, Any]:
        """JSON values of the settings that a job of the method looks at, so that changing others runs nothing anew."""
        unused = {"datasets", "methods", "labellers", "rates", "baseline", "baselines"}
        return self.model_dump(mode="json", exclude=unused) | used_labellers(method, self.labellers)

    def baseline_of(self, dataset: str) -> str:
        """The method that others are compared with on a data set."""
        return self.baselines.get(dataset, self.baseline)


class Settings(Model):
    """The whole configuration of a run."""

    mirror: str | None = Field(
        None, description="Folder with copies of the raw files; the environment variable TREECRF_MIRROR unless given."
    )
    raw: str = Field("data/raw", description="Folder of the raw files; put files here that cannot be downloaded.")
    results: str = Field("results", description="Folder of everything that is computed.")
    reports: str = Field("reports", description="Folder of the pages to read.")
    seed: int = Field(0, ge=0, description="With names, decides the folds and what a table holds out.")
    datasets: dict[Name, Dataset] = Field(description="The data sets of this run, by the names used below.")
    labellers: Labellers = Field({}, description="Classes of your own, by the names that the studies call them.")
    training: TrainingSettings = Field(
        default_factory=lambda: TrainingSettings(), description="The study of chapter 3."
    )
    scaling: ScalingSettings = Field(
        default_factory=lambda: ScalingSettings(methods=[]), description="Cost by length and window; sampling."
    )
    missing: MissingSettings = Field(default_factory=lambda: MissingSettings(), description="The study of chapter 4.")
    future: FutureSettings = Field(default_factory=lambda: FutureSettings(), description="The study of chapter 5.")

    @field_validator("datasets", mode="before")
    @classmethod
    def _builtin_unless_said(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {name: _with_kind(options) for name, options in value.items()}

    @model_validator(mode="before")
    @classmethod
    def _studies_know_labellers(cls, values: Any) -> Any:
        """Studies get the labellers, so that the settings of a job say everything about it."""
        if not (isinstance(values, Mapping) and values.get("labellers")):
            return values
        given = {name: values.get(name) or {} for name in ("training", "missing", "future")}
        studies = {
            name: {**study, "labellers": values["labellers"]}
            for name, study in given.items()
            if isinstance(study, Mapping)
        }
        return {**values, **studies}

    @model_validator(mode="after")
    def _labellers_have_names_of_their_own(self) -> Settings:
        taken = {*get_args(TrainingMethod), *get_args(MissingMethod)}
        for name in self.labellers:
            if name in taken:
                raise ValueError(f"labellers names {name!r}, which is a method of its own; choose another name")
        return self

    @model_validator(mode="after")
    def _names_are_known(self) -> Settings:
        wanted = {
            "training": self.training.datasets, "missing": self.missing.datasets, "future": self.future.datasets,
        }  # fmt: skip
        for study, names in wanted.items():
            unknown = [name for name in names if name not in self.datasets]
            if unknown:
                raise ValueError(
                    f"{study}.datasets names {unknown[0]!r}, which is not under datasets "
                    f"({', '.join(self.datasets)}); describe it there or leave it out"
                )
        return self


def load_settings(mapping: Mapping[str, Any]) -> Settings:
    """Check a configuration.

    Parameters
    ----------
    mapping : mapping
        The configuration as read from YAML.

    Returns
    -------
    Settings

    Raises
    ------
    ValueError
        One sentence that names the first wrong key, what is wrong with it, and what to do.
    """
    try:
        return Settings.model_validate(dict(mapping))
    except ValidationError as error:
        raise ValueError(_sentence(error)) from None


def json_schema() -> str:
    """The JSON schema of the configuration, as text."""
    return json.dumps(Settings.model_json_schema(), indent=2) + "\n"


def _with_kind(options: Any) -> Any:
    if options is None:
        return {"kind": "builtin"}
    if isinstance(options, Mapping):
        return {"kind": "builtin", **options}
    return options


def _sentence(error: ValidationError) -> str:
    errors = error.errors()
    first = errors[0]
    key = ".".join(str(part) for part in first["loc"] if part not in ("builtin", "[key]"))
    if first["type"] == "extra_forbidden":
        what = f"the key {key!r} is not known; remove it, or look up its spelling in config/README.md"
    elif first["type"] == "missing":
        what = f"the key {key!r} is missing; add it (config/README.md describes it)"
    elif first["type"] == "string_pattern_mismatch":
        what = (
            f"{key!r} holds {first['input']!r}; a data set's name has letters, digits and underscores only, rename it"
        )
    elif first["type"] == "value_error":
        message = str(first["ctx"]["error"])
        what = f"{key!r} {message}" if key else message
    else:
        message = first["msg"][0].lower() + first["msg"][1:]
        what = f"{key!r} holds {first['input']!r}, but {message}; change it (config/README.md describes it)"
    others = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"configuration: {what}{others}."


if __name__ == "__main__":
    print(json_schema(), end="")
