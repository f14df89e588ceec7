"""Construction of the labellers of the training study, and their candidates."""

from __future__ import annotations

from typing import Any, NamedTuple

from treecrf.models.base import Labeller
from treecrf_studies.framework.custom import Candidate, CustomMethod, combinations, custom_candidates
from treecrf_studies.methods import load_class
from treecrf_studies.methods.catalogue import LABELLERS, TRAINING
from treecrf_studies.training.settings import TrainingSettings


class Method(NamedTuple):
    """A labeller of the study, by a name of `treecrf_studies.methods.catalogue.TRAINING`."""

    name: str

    def build(
        self, settings: TrainingSettings, candidate: Candidate, window: tuple[int, int], seed: int | None
    ) -> Labeller:
        """A labeller with the settings of a candidate, which keeps its stages; a seed perturbs its start."""
        row = TRAINING[self.name]
        values = {"window": tuple(window), "unseen": settings.unseen, **LABELLERS[self.name].preset, **row.fixed}
        values |= {name: getattr(settings, study_name) for name, study_name in row.taken.items()}
        labeller = load_class(row.class_path or LABELLERS[self.name].class_path)
        return labeller(**values | candidate | self._start(settings, seed)).keeping_stages()

    def _start(self, settings: TrainingSettings, seed: int | None) -> dict[str, Any]:
        start = LABELLERS[self.name].start
        if start == "random":
            return {"random_state": 0 if seed is None else seed + 1}
        return {} if start == "fixed" else {"random_state": seed, "start_noise": settings.start_noise}


METHODS = {name: Method(name) for name in TRAINING}
"""By the names of `TrainingSettings.methods`."""


def find_method(method: str, settings: TrainingSettings) -> Method | CustomMethod:
    """A method of `METHODS`, or one of the settings' labellers."""
    return METHODS[method] if method in METHODS else CustomMethod(settings.labellers[method])


def candidates(method: str, settings: TrainingSettings) -> list[Candidate]:
    """What cross-validation chooses from, in the order of the grid."""
    if method not in METHODS:
        return custom_candidates(settings.labellers[method])
    grid = TRAINING[method].grid
    return combinations({name: getattr(settings, study_name) for name, study_name in grid.items()})
