"""The whole configuration: its keys, their defaults (PROTOCOL's), and what to say when one is wrong.

``python -m treecrf.settings`` prints the JSON schema that ``config/schema.json`` holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

Window = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]
Decoder = Literal["forward_backward", "viterbi"]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]*$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _each_once(values: list[Any]) -> list[Any]:
    twice = sorted({str(value) for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"names {', '.join(twice)} more than once; name each once")
    return values


class BuiltinDataset(_Model):
    """A data set that the package knows how to get or to generate."""

    kind: Literal["builtin"] = "builtin"
    source: str | None = Field(None, description="Name in treecrf.datasets; the data set's own name unless given.")
    options: dict[str, Any] = Field({}, description="Options of treecrf.datasets.load for this data set.")
    window: Window | None = Field(None, description="Observations before and after; the published window unless given.")


class TableDataset(_Model):
    """Sequences of your own: a CSV or Parquet file with one row per observation; an empty cell is missing."""

    kind: Literal["table"]
    path: str = Field(description="The training table, or the only one.")
    test: str | None = Field(None, description="The test table.")
    split: str | None = Field(None, description='Column that holds "train" or "test", in place of a test table.')
    test_fraction: float = Field(1 / 3, gt=0, lt=1, description="Share of the sequences that is held out otherwise.")
    sequence: str = Field("sequence", description="Column that tells sequences apart.")
    label: str = Field("label", description="Column with the labels.")
    attributes: list[str] | None = Field(None, description="Input columns; all other columns unless given.")
    window: Window = Field((0, 0), description="Observations before and after that the labeller sees.")


Dataset = Annotated[BuiltinDataset | TableDataset, Field(discriminator="kind")]


class TrainingSettings(_Model):
    """The study of chapter 3: how TreeCRF's accuracy depends on lambda and on the number of iterations."""

    datasets: list[Name] = Field(["protein", "nettalk", "hyphen"], description="Data sets of this study, by name.")
    l2_regularizations: list[Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(
        [0.0, 5.0, 10.0, 20.0, 40.0, 80.0], min_length=1, description="Grid of lambda (equation 3.1)."
    )
    n_iterations: int = Field(200, ge=1, description="Boosting iterations; each of 1, 2, .. is a candidate.")
    max_leaves: int = Field(100, ge=2, description="Most leaves of a tree.")
    order: int = Field(1, ge=0, le=4, description="Previous labels that the potentials see.")
    decoders: list[Decoder] = Field(["forward_backward", "viterbi"], min_length=1, description="Ways of predicting.")
    n_folds: int = Field(5, ge=2, description="Folds of the internal cross-validation, cut between sequences.")
    n_perturbed_runs: int = Field(10, ge=2, description="Runs from a perturbed start that show the part of chance.")
    start_noise: float = Field(
        0.01, gt=0, allow_inf_nan=False, description="Standard deviation of the perturbed starts' F."
    )
    unseen: Literal["missing", "error"] = Field(
        "missing", description="What to do with a category that the training set does not have."
    )

    @field_validator("datasets", "l2_regularizations", "decoders")
    @classmethod
    def _distinct(cls, values: list[Any]) -> list[Any]:
        return _each_once(values)


MissingMethod = Literal[
    "instance_weighting", "surrogate_splitting", "default_direction", "imputation", "indicator"
]  # fmt: skip


class MissingSettings(_Model):
    """The study of chapter 4: which way of handling missing input values is best."""

    datasets: list[Name] = Field([], description="Data sets of this study; none: the study is left out.")
    methods: list[MissingMethod] = Field(
        ["instance_weighting", "surrogate_splitting", "imputation", "indicator", "default_direction"],
        min_length=1,
        description="Ways of handling missing values.",
    )
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
    baseline: MissingMethod = Field("instance_weighting", description="The method that others are compared with.")
    baselines: dict[Name, MissingMethod] = Field(
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
        return _each_once(values)

    @model_validator(mode="after")
    def _baselines_are_methods(self) -> MissingSettings:
        for name in self.datasets:
            baseline = self.baselines.get(name, self.baseline)
            if baseline not in self.methods:
                raise ValueError(
                    f"has the baseline {baseline!r} for {name!r}, which is not among methods; add it there"
                )
        return self

    def baseline_of(self, dataset: str) -> str:
        """The method that others are compared with on a data set."""
        return self.baselines.get(dataset, self.baseline)


class Settings(_Model):
    """The whole configuration of a run."""

    mirror: str | None = Field(
        None, description="Folder with copies of the raw files; the environment variable TREECRF_MIRROR unless given."
    )
    raw: str = Field("data/raw", description="Folder of the raw files; put files here that cannot be downloaded.")
    results: str = Field("results", description="Folder of everything that is computed.")
    reports: str = Field("reports", description="Folder of the pages to read.")
    seed: int = Field(0, ge=0, description="With names, decides the folds and what a table holds out.")
    datasets: dict[Name, Dataset] = Field(description="The data sets of this run, by the names used below.")
    training: TrainingSettings = Field(
        default_factory=lambda: TrainingSettings(), description="The study of chapter 3."
    )
    missing: MissingSettings = Field(default_factory=lambda: MissingSettings(), description="The study of chapter 4.")

    @field_validator("datasets", mode="before")
    @classmethod
    def _builtin_unless_said(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {name: _with_kind(options) for name, options in value.items()}

    @model_validator(mode="after")
    def _names_are_known(self) -> Settings:
        for study, names in (("training", self.training.datasets), ("missing", self.missing.datasets)):
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
