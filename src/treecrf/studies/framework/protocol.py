"""Settings that differ from the protocol, which the defaults of all settings are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from treecrf.options import Model, StudySettings


class Difference(NamedTuple):
    """A setting of a study that has another value than in the protocol.

    Attributes
    ----------
    study : str
    datasets : tuple of str
        The data sets with this value; empty where the study as a whole has it.
    setting : str
    protocol, used : object
        Values that JSON can hold.
    why : str
        The reason that the configuration gives; empty where it gives none.
    """

    study: str
    datasets: tuple[str, ...]
    setting: str
    protocol: Any
    used: Any
    why: str


def differences(studies: Mapping[str, Model], reasons: Mapping[str, str]) -> list[Difference]:
    """Where the studies that are run differ from the protocol, each value once.

    Parameters
    ----------
    studies : mapping of str to Model
        Settings by name of the study.
    reasons : mapping of str to str
        By ``study.data_set.setting``, ``study.setting``, ``study.data_set`` or ``study``; the first of these that is there holds.
    """
    found: list[Difference] = []
    for study, given in studies.items():
        if not getattr(given, "is_wanted", True):
            continue
        alike: dict[tuple[str, str], list[Difference]] = {}
        for each in _of_study(study, given, reasons):
            alike.setdefault((each.setting, repr((each.protocol, each.used, each.why))), []).append(each)
        for same in alike.values():
            datasets = tuple(name for each in same for name in each.datasets)
            is_all = isinstance(given, StudySettings) and len(datasets) == len(given.datasets) > 1
            found.append(same[0]._replace(datasets=() if is_all else datasets))
    return found


def _of_study(study: str, given: Model, reasons: Mapping[str, str]) -> Iterator[Difference]:
    """One for each setting of the study as a whole and for each setting of each data set."""
    if not isinstance(given, StudySettings):
        yield from _between(study, (), type(given)(), given, set(type(given).model_fields), reasons)
        return
    protocol = type(given)(datasets=given.datasets)
    yield from _between(study, (), protocol, given, set(given.whole), reasons)
    for name in given.datasets:
        of_dataset = set(type(given).model_fields) - given.whole
        yield from _between(study, (name,), protocol.of(name), given.of(name), of_dataset, reasons)


def _between(
    study: str, datasets: tuple[str, ...], protocol: Model, given: Model, names: set[str], reasons: Mapping[str, str]
) -> Iterator[Difference]:
    before, now = protocol.model_dump(mode="json"), given.model_dump(mode="json")
    for name in type(given).model_fields:
        is_of_run = name in ("overrides", "labellers") or name.endswith("datasets")
        is_same = sorted(before[name]) == sorted(now[name]) if name == "methods" else before[name] == now[name]
        if name not in names or is_of_run or is_same:
            continue
        keys = [f"{study}.{dataset}.{name}" for dataset in datasets] + [f"{study}.{name}"]
        keys += [f"{study}.{dataset}" for dataset in datasets] + [study]
        why = next((reasons[key] for key in keys if key in reasons), "")
        yield Difference(study, datasets, name, before[name], now[name], why)
