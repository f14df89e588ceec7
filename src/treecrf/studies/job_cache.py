"""The parts of a job that are finished, so that a job that was killed need not do them again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from treecrf.models.boosted.checkpoint import Checkpoint

Frames = tuple[pd.DataFrame, ...]
Compute = Callable[[Checkpoint | None], Frames]


class JobCache:
    """Gives what each part of a job finds; this one keeps nothing beyond the process.

    `treecrf.studies.stored_job_cache.StoredJobCache` keeps it in files.
    """

    def finished(self, name: str, compute: Compute) -> Frames:
        """The frames of one part of a job, told apart by its `name` (letters, digits, ``_`` and ``.``).

        `compute` gives the frames where they are not there; a long training may leave its state in the checkpoint.
        """
        return compute(None)

    def all_finished(self, parts: Mapping[str, Compute]) -> list[Frames]:
        """The frames of parts that do not depend on each other: other jobs may do them beforehand, each a portion."""
        return [self.finished(name, compute) for name, compute in parts.items()]
