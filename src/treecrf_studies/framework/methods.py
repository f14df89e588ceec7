"""The methods of studies as labellers: rows of the catalogue, and classes that a configuration names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from treecrf.models.base import Labeller
from treecrf.models.custom import CustomLabeller
from treecrf.models.registry import Row
from treecrf_studies.methods import load_class
from treecrf_studies.methods.catalogue import Entry, row_of
from treecrf_studies.options import Candidate, LabellerSettings, combinations, custom_candidates


def _unseen(settings: Any) -> str:
    """What labellers do with a category that the training set does not have: some studies have a setting of it."""
    return getattr(settings, "unseen", "missing")


class CatalogueMethod(NamedTuple):
    """A labeller of the catalogue in a study."""

    row: Row
    entry: Entry

    def candidates(self, settings: Any) -> list[Candidate]:
        """What the study chooses from, in the order of the grid."""
        return combinations({name: getattr(settings, source) for name, source in self.entry.grid.items()})

    def build(self, settings: Any, candidate: Candidate, window: tuple[int, int], seed: int | None = None) -> Labeller:
        """A labeller with the settings of a candidate; a seed perturbs its start."""
        values = {"window": tuple(window), "unseen": _unseen(settings), **self.row.preset, **self.entry.fixed}
        values |= {name: getattr(settings, source) for name, source in self.entry.taken.items()}
        labeller: Labeller = load_class(self.entry.class_path or self.row.class_path)(
            **values | self._start(settings, seed) | candidate
        )
        return labeller

    def chosen(self, labeller: Labeller) -> Candidate:
        """The settings of a labeller that were chosen."""
        return {name: getattr(labeller, name) for name in self.entry.grid}

    def _start(self, settings: Any, seed: int | None) -> dict[str, Any]:
        if self.row.start == "random":
            return {"random_state": 0 if seed is None else seed + 1}
        return (
            {}
            if self.row.start == "fixed" or seed is None
            else {"random_state": seed, "start_noise": settings.start_noise}
        )


class CustomMethod(NamedTuple):
    """A custom labeller, with its settings and grid."""

    labeller: LabellerSettings

    def candidates(self, _settings: Any) -> list[Candidate]:
        """What a study chooses from, in the order of the grid."""
        return custom_candidates(self.labeller)

    def build(
        self, settings: Any, candidate: Candidate, window: tuple[int, int], seed: int | None = None
    ) -> CustomLabeller:
        """A labeller with the settings of a candidate; a seed is given to a class that takes ``random_state``."""
        values = {**self.labeller.settings, **candidate}
        return CustomLabeller(self.labeller.class_name, values, (window[0], window[1]), _unseen(settings), seed)

    def chosen(self, labeller: Labeller) -> Candidate:
        """All settings of a trained labeller of the class."""
        assert isinstance(labeller, CustomLabeller)
        return dict(labeller.settings or {})


StudyMethod = CatalogueMethod | CustomMethod


def find_method(
    method: str, entries: Mapping[str, Entry], labellers: Mapping[str, LabellerSettings] | None = None
) -> StudyMethod:
    """A method of a study: one of its entries in the catalogue, or a labeller of the configuration."""
    if labellers and method in labellers:
        return CustomMethod(labellers[method])
    return CatalogueMethod(row_of(method), entries[method])
