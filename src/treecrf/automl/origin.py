"""Where a model comes from: the file that trained it, when, and what is expected of it."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np

from treecrf.io.checksums import sha256
from treecrf.io.messages import counted, quoted
from treecrf.sequences import SequenceSet
from treecrf.statistics.metrics import Accuracy


@dataclass(frozen=True)
class Origin:
    """The training of a model.

    Attributes
    ----------
    date : str
        When it was trained, in UTC, to the second.
    file, digest : str
        Name of the training file, and its SHA-256; the digest is empty of standard input and folders.
    n_sequences, n_positions, n_groups : int
    accuracy, low, high : float or None
        Expected on new data, in percent, with the ends of the 95 % confidence interval; None where nothing was held
        out, or an interval cannot be told.
    unit : str
        What the interval takes as one: "sequence", "group" or "block".
    versions : dict of str to str
        Of treecrf, Python and NumPy.
    """

    date: str
    file: str
    digest: str
    n_sequences: int
    n_positions: int
    n_groups: int
    accuracy: float | None
    low: float | None
    high: float | None
    unit: str
    versions: dict[str, str]

    @classmethod
    def of(cls, path: Path, data: SequenceSet, accuracy: Accuracy | None, unit: str) -> Self:
        """Of a training that ends now."""
        points, low, high = (
            None if end is None or end != end else float(end) for end in (accuracy or (None, None, None))
        )
        return cls(
            datetime.now(UTC).isoformat(timespec="seconds").removesuffix("+00:00") + "Z",
            os.fsdecode(path.name),
            sha256(path) if path.is_file() else "",
            len(data),
            data.n_positions,
            len(np.unique(data.groups)),
            points,
            low,
            high,
            unit,
            {"treecrf": version("treecrf"), "python": platform.python_version(), "numpy": np.__version__},
        )

    def described(self) -> dict[str, Any]:
        """As JSON values, for the header of a model file."""
        return asdict(self)

    @classmethod
    def from_described(cls, described: Mapping[str, Any]) -> Self:
        """What `described` gave; a ValueError if the parts are others, or of other types."""
        if set(described) != {field.name for field in fields(cls)}:
            raise ValueError("the origin of the model has other parts")
        origin = cls(**described)
        texts = (origin.date, origin.file, origin.digest, origin.unit, *origin.versions, *origin.versions.values())
        counts = (origin.n_sequences, origin.n_positions, origin.n_groups)
        numbers = (origin.accuracy, origin.low, origin.high)
        if not (
            all(isinstance(text, str) for text in texts)
            and all(type(count) is int and count >= 0 for count in counts)
            and all(number is None or type(number) in (int, float) for number in numbers)
        ):
            raise ValueError("the origin of the model has parts of other types")
        return origin

    def sentences(self) -> Iterator[str]:
        """What a person reads of it."""
        groups = f" in {counted(self.n_groups, 'group')}" if self.n_groups < self.n_sequences else ""
        digest = f" (SHA-256 {self.digest[:12]}..)" if self.digest else ""
        yield (
            f"Trained on {self.date[:10]} at {self.date[11:16]} UTC on {quoted(self.file)}{digest}: "
            f"{counted(self.n_sequences, 'sequence')}{groups}, {counted(self.n_positions, 'position')}."
        )
        if self.accuracy is not None:
            interval = (
                ""
                if self.low is None or self.high is None
                else f" (95 % confidence interval by {self.unit}: {self.low:.1f} to {self.high:.1f} %)"
            )
            yield f"Accuracy estimated then for new data: {self.accuracy:.1f} %{interval}."
        yield f"Versions: {', '.join(f'{name} {number}' for name, number in self.versions.items())}."
