"""The look of a method in figures and its name in tables."""

from __future__ import annotations

from typing import Any, NamedTuple


class Drawing(NamedTuple):
    """How readers see a method; colour, marker and line style are matplotlib's.

    Colours are from the palette of Okabe and Ito; methods of one colour differ in marker and line.
    """

    name: str
    color: str
    marker: str
    linestyle: str | tuple[int, tuple[float, ...]]

    @property
    def style(self) -> dict[str, Any]:
        """Colour, marker and line style as keyword arguments of matplotlib."""
        return {"color": self.color, "marker": self.marker, "linestyle": self.linestyle}
