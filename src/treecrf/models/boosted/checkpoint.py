"""Checkpoints: a training that was stopped continues from the state it last wrote, to the same bits.

A checkpoint says which training it belongs to: a digest of the labeller's settings, the training set, the start, and
the code, numba and processor that the trees are grown with. One of another training is replaced, and so is one that
is damaged.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.cache import kernel_digest
from treecrf.compiled.rules import FINITE, NOT_INFINITE, SHARES, WEIGHTS
from treecrf.compiled.struct import Float64
from treecrf.io.npz import read_npz, write_npz
from treecrf.models.base import prefixed, refuse_rest, take_declared
from treecrf.models.boosted.boosting import Progress, join_iterations, split_iterations
from treecrf.models.execution import PHASES
from treecrf.sequences import SequenceSet
from treecrf.trees.forest import Forest

FORMAT = "treecrf.checkpoint/3"

SECONDS = 30.0
"""Seconds of work that a stopped training loses at most, unless told otherwise."""

LARGEST_SHARE = 0.05
"""Share of the time that writing may take: large states are written less often."""

WITHOUT_EFFECT = ("n_threads", "warm_start")
"""Settings that any value of gives the same trees; what a warm start continues from is looked at itself."""


class Checkpoint:
    """A file that a training writes its state to, and continues from.

    Parameters
    ----------
    path : path-like
        Gets the suffix .npz by custom only. The file stays when the training ends; delete it then.
    seconds : float
        How often to write; 0 after every iteration. States that take long to write are otherwise written less often
        (`LARGEST_SHARE`).

    Raises
    ------
    ValueError
        If `seconds` is not a number of at least 0.
    """

    def __init__(self, path: str | os.PathLike[str], seconds: float = SECONDS) -> None:
        if not seconds >= 0:
            raise ValueError(
                f"seconds={seconds!r}: a checkpoint is written every so often; give a number of at least 0."
            )
        self.path = Path(path)
        self.seconds = float(seconds)
        self._fingerprint = ""
        self._due = 0.0

    def begin(self, fingerprint: str, sizes: Mapping[str, Any]) -> Progress | None:
        """Start the clock; what the file holds, if it is whole and of the training with this fingerprint.

        `sizes` is what the rules of the training's trees and transitions name (`treecrf.models.base`).
        """
        self._fingerprint, self._due = fingerprint, time.monotonic() + self.seconds
        try:
            header, arrays = read_npz(self.path, FORMAT)
            return _unpacked(header, arrays, sizes) if header["fingerprint"] == fingerprint else None
        except (ValueError, TypeError, LookupError, FileNotFoundError):
            return None

    def note(self, progress: Progress) -> None:
        """Write, if it is time to; the file is replaced at once or not at all."""
        begin = time.monotonic()
        if begin < self._due:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_npz(self.path, *_packed(self._fingerprint, progress))
        now = time.monotonic()
        self._due = now + max(self.seconds, (now - begin) / LARGEST_SHARE if self.seconds else 0.0)


def fingerprint(
    class_name: str,
    settings: Mapping[str, Any],
    train: SequenceSet,
    start: NDArray[np.float64],
    progress: Progress,
    weights: NDArray[np.float64] | None = None,
) -> str:
    """A digest of all that decides which trees a training grows.

    Parameters
    ----------
    class_name : str
    settings : mapping of str to object
        Of a labeller of that class.
    train : SequenceSet
    start : float64, shape (n_labels, n_states)
    progress : Progress
        What the training begins with.
    weights : float64, shape (n_positions,), optional
        Of positions.
    """
    decisive = {name: value for name, value in settings.items() if name not in WITHOUT_EFFECT}
    named = [class_name, decisive, kernel_digest(), np.__version__, train.attributes, train.label_names]
    digest = hashlib.sha256(json.dumps(named, default=str).encode())
    digest.update(_digest([train.values, train.offsets, train.observation_offsets, np.asarray(train.labels), start]))
    forest, transitions = join_iterations(progress.iterations)
    digest.update(_digest([*forest, transitions, np.array(progress.log_likelihoods), np.array(progress.steps)]))
    digest.update(_digest([] if weights is None else [weights]))
    return digest.hexdigest()


def _digest(arrays: Iterable[NDArray[Any]]) -> bytes:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()


def _packed(fingerprint: str, progress: Progress) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    header = {"format": FORMAT, "fingerprint": fingerprint, "seconds": progress.seconds}
    forest, transitions = join_iterations(progress.iterations)
    arrays = prefixed("forest", forest._asdict())
    arrays["transitions"] = transitions
    arrays["log_likelihoods"] = np.array(progress.log_likelihoods)
    arrays["steps"] = np.array(progress.steps)
    arrays["reports"] = np.array(progress.reports).reshape(-1, len(progress.seconds))
    return header, arrays


def _unpacked(header: dict[str, Any], arrays: dict[str, NDArray[Any]], sizes: Mapping[str, Any]) -> Progress:
    state = take_declared(arrays, _STATE, {**sizes, "n_phases": len(PHASES)})
    refuse_rest(arrays)
    forest, transitions = state["forest"], state["transitions"]
    lists = [state[name].tolist() for name in ("log_likelihoods", "reports", "steps")]
    if forest.n_trees != len(transitions) * sizes["n_labels"] or len(lists[1]) > len(lists[0]):
        raise ValueError("the parts are of different iterations")
    seconds = {phase: float(header["seconds"][phase]) for phase in PHASES}
    return Progress(split_iterations(forest, transitions), lists[0], seconds, *lists[1:])


_STATE = {
    "forest": Forest,
    "transitions": Annotated[Float64, "n_steps + 1, n_transitions, n_transitions_before", WEIGHTS],
    "log_likelihoods": Annotated[Float64, "n_steps + 1", NOT_INFINITE],
    "steps": Annotated[Float64, "n_steps", SHARES],
    "reports": Annotated[Float64, "n_reports, n_phases", FINITE],
}
