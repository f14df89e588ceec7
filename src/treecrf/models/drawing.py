"""The look of each method in figures and its name in tables, apart from the registries that training jobs depend on."""

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


DRAWINGS = {
    "treecrf": Drawing("TreeCRF", "#0072B2", "o", "-"),
    "treecrf_original": Drawing("TreeCRF, original", "#56B4E9", "h", (0, (5, 1))),
    "treecrf_flat": Drawing("TreeCRF, flattened", "#CC79A7", "p", (0, (3, 1.2))),
    "linear_crf": Drawing("linear CRF", "#000000", "D", (0, (1.2, 1.2))),
    "induced_crf": Drawing("CRF with induction", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2))),
    "mallet": Drawing("MALLET", "#D55E00", "s", (0, (4, 1.2))),
    "mallet_linear": Drawing("MALLET, no induction", "#E69F00", "P", (0, (3, 1, 1, 1, 1, 1))),
    "smile": Drawing("SMILE", "#CC79A7", "v", (0, (6, 1, 1, 1, 1, 1))),
    "memm": Drawing("MEMM", "#56B4E9", "X", (0, (2, 2))),
    "sliding_window": Drawing("sliding window", "#E69F00", "<", (0, (1, 2))),
    "neural_network": Drawing("neural network", "#009E73", ">", (0, (2, 1))),
    "lightgbm": Drawing("LightGBM", "#D55E00", "d", (0, (8, 2))),
}
"""Methods of the training and cost studies, in the order of lines and columns."""

FUTURE_DRAWINGS = {
    "crf": Drawing("TreeCRF", "#0072B2", "o", "-"),
    "memm": Drawing("MEMM", "#56B4E9", "X", (0, (2, 2))),
    "sliding_window": Drawing("sliding window", "#000000", "D", "none"),
    "ff_memm": Drawing("FF-MEMM", "#D55E00", "s", (0, (4, 1.2))),
    "ff_crf": Drawing("FF-TreeCRF", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2))),
}
"""Families of the study of future features."""

TREATMENT_DRAWINGS = {
    "instance_weighting": Drawing("instance weighting", "#0072B2", "o", "-"),
    "surrogate_splitting": Drawing("surrogate splitting", "#D55E00", "s", (0, (4, 1.2))),
    "imputation": Drawing("imputation", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2))),
    "indicator": Drawing("indicator", "#CC79A7", "D", (0, (1.2, 1.2))),
    "default_direction": Drawing("default direction", "#000000", "v", (0, (3, 1, 1, 1, 1, 1))),
}
"""Treatments of missing values, in the order of lines and columns."""
