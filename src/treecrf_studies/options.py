"""Setting types that all studies share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from treecrf.io.messages import listed
from treecrf.statistics.ranking import SEPARATION_MARGIN

Side = Annotated[int, Field(ge=0, le=1000)]
Window = tuple[Side, Side]
Decoder = Literal["forward_backward", "viterbi"]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]*$", max_length=80)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Regularization = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Variance = Positive
Share = Annotated[float, Field(ge=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Leaves = Annotated[int, Field(ge=2)]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, serialize_by_alias=True, ser_json_inf_nan="constants")


class StudySettings(Model):
    """Settings of a study, some of which may be others for a data set."""

    whole: ClassVar[frozenset[str]] = frozenset({"datasets", "overrides", "separation_margin"})
    """Settings of the study as a whole, which no data set has for itself."""

    of_papers: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """What the protocol runs differently on single data sets: overrides of settings that a configuration does not give.
    """

    counted: ClassVar[tuple[str, ...]] = ()
    """Settings that are numbers of iterations; each test_every-th is tested, and so one of each at least."""

    datasets: list[Name] = Field([], description="Data sets of this study; none: the study is left out.")
    overrides: dict[Name, dict[str, Any]] = Field(
        {}, description="Data sets with other settings than these: name, then setting and value."
    )
    separation_margin: float = Field(
        SEPARATION_MARGIN,
        gt=0,
        allow_inf_nan=False,
        description=(
            "Points below the best that the interval of a method close to it does not reach; else it is not separated."
        ),
    )

    @model_validator(mode="before")
    @classmethod
    def _papers_override(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        overrides, names = values.get("overrides", {}), values.get("datasets", ())
        if not isinstance(overrides, Mapping) or not isinstance(names, list | tuple):
            return values
        merged = dict(overrides)
        for name, papers in cls.of_papers.items():
            left = {key: value for key, value in papers.items() if key not in values}
            if left and name in names and isinstance(own_overrides := overrides.get(name, {}), Mapping):
                merged[name] = {**left, **own_overrides}
        return {**values, "overrides": merged}

    @field_validator("*")
    @classmethod
    def _distinct(cls, value: Any) -> Any:
        return each_once(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _some_iteration_is_tested(self) -> Self:
        for name in self.counted:
            most, every = getattr(self, name), getattr(self, "test_every", 0)
            if most is not None and every > most:
                raise ValueError(f"has test_every={every} above {name}={most}; lower it")
        return self

    @model_validator(mode="after")
    def _overrides_are_settings(self) -> Self:
        for name in self.overrides:
            forbidden = sorted(self.whole & set(self.overrides[name]))
            if forbidden:
                raise ValueError(f"overrides {forbidden[0]!r} for {name!r}, which belongs to no data set")
            self.of(name)
        return self

    @property
    def choosers(self) -> Mapping[str, str]:
        """Methods whose settings another method chooses, and which one."""
        return {}

    @property
    def apart(self) -> frozenset[str]:
        """Methods that share no job with others."""
        return frozenset(self.choosers)

    @property
    def is_wanted(self) -> bool:
        """Whether the study is run."""
        return bool(self.datasets)

    def samples_of(self, dataset: str) -> list[str]:
        """Larger samples that the summary of a data set takes too."""
        return []

    def values(self, name: str) -> list[str]:
        """What the study has one table, figure or job of each of, such as "method"."""
        return [str(value) for value in getattr(self, f"{name}s")]

    def batches(self, size: int) -> list[list[str]]:
        """The methods in their order, cut into those of one job each, at most `size`."""
        portions: list[list[str]] = []
        for method in self.values("method"):
            if not portions or len(portions[-1]) == size or self.apart & {method, portions[-1][0]}:
                portions.append([])
            portions[-1].append(method)
        return portions

    def of(self, dataset: str) -> Self:
        """The settings of one data set."""
        return type(self).model_validate(self.model_dump() | {"overrides": {}} | self.overrides.get(dataset, {}))


class LabellerSettings(Model):
    """A class of your own with `fit` and `predict_proba`, see `treecrf.models.custom.CustomLabeller`."""

    class_name: str = Field(alias="class", pattern=r"^[\w.]+:\w+$", description="module:Class.")
    settings: dict[str, Any] = Field({}, description="Its keyword arguments.")
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        {}, description="Arguments to choose: the values that cross-validation tries, all combinations."
    )


Labellers = dict[Name, LabellerSettings]
"""Classes of your own by the names that studies call them."""


def refuse_unknown(methods: Iterable[str], known: Iterable[str], labellers: Mapping[str, Any]) -> None:
    """Refuse a method that is neither known to a study nor described under `labellers`."""
    for name in methods:
        if name not in known and name not in labellers:
            raise ValueError(
                f"names the method {name!r}, which is none of {', '.join(known)} and not under labellers; describe it "
                "there or correct the name"
            )


def each_once(values: list[Any]) -> list[Any]:
    twice = sorted({str(value) for value, number in Counter(values).items() if number > 1})
    if twice:
        raise ValueError(f"names {listed(twice, str)} more than once; name each once")
    return values


class ComparedSettings(StudySettings):
    """Settings of a study that tests differences between methods."""

    whole: ClassVar[frozenset[str]] = StudySettings.whole | {"equivalence_margin"}

    equivalence_margin: float = Field(
        0.5, gt=0, allow_inf_nan=False, description="Points of accuracy within which methods count as equivalent."
    )


class PairedSettings(ComparedSettings):
    """Settings of comparisons by McNemar's test too."""

    whole: ClassVar[frozenset[str]] = ComparedSettings.whole | {"exact_under"}

    exact_under: int = Field(25, ge=0, description="McNemar's test is exact with fewer discordant positions.")


class MethodsSettings(StudySettings):
    """Settings of a study with a job for each method and data set; methods may be your own."""

    labellers: Labellers = Field({}, description="Filled from the configuration's labellers.")

    def unused_by(self, method: str) -> set[str]:
        """Settings that a job of the method does not look at."""
        return {*self.whole, "methods", "labellers"}

    def used_by(self, method: str) -> dict[str, Any]:
        """JSON values of the settings that a job of the method looks at, so that changing others reruns nothing."""
        own = {method: self.labellers[method].model_dump(mode="json")} if method in self.labellers else {}
        used = self.model_dump(mode="json", exclude=self.unused_by(method))
        return used | {"labellers": own} if own else used


Candidate = dict[str, Any]
"""Values of the settings that a study chooses."""


def combinations(grid: Mapping[str, Iterable[Any]]) -> list[Candidate]:
    """All candidates of a grid; one empty candidate where there is none."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def custom_candidates(labeller: LabellerSettings) -> list[Candidate]:
    """The candidates of a custom labeller."""
    return combinations(labeller.grid)


def candidate_name(candidate: Candidate) -> str:
    """What a candidate is called in frames, such as ``variance=5``."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, int | float) else f"{name}={value}"
        for name, value in candidate.items()
    )


def joined_names(names: Iterable[str]) -> str:
    """What the candidates of several draws are called together, such as ``splits=subsets, rate=0.1 to 0.2``.

    Names are as from `candidate_name`; empty ones count for nothing.
    """
    values: dict[str, list[str]] = {}
    for name in names:
        for part in re.split(r", (?=\w+=)", name) if name else ():
            key, _, value = part.partition("=")
            values.setdefault(key, []).append(value)
    return ", ".join(f"{key}={_joined_values(given)}" for key, given in values.items())


def _joined_values(values: list[str]) -> str:
    """The range of numbers, or each text once."""
    distinct = list(dict.fromkeys(values))
    try:
        ascending = sorted(distinct, key=float)
    except ValueError:
        return " or ".join(distinct)
    return ascending[0] if len(ascending) == 1 else f"{ascending[0]} to {ascending[-1]}"
