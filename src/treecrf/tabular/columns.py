"""The columns of a table that a labeller reads."""

from __future__ import annotations

from dataclasses import dataclass

from treecrf.io.cells import Kind


@dataclass(frozen=True)
class TableColumns:
    """Names of the columns that tell sequences apart, have the labels and are inputs; `numbers` are the inputs with numbers."""

    sequence: str
    label: str
    attributes: tuple[str, ...]
    numbers: tuple[str, ...] = ()

    @property
    def kinds(self) -> dict[str, Kind]:
        """What each input holds."""
        return {name: "number" if name in self.numbers else "category" for name in self.attributes}
