"""Names beside marks, so that readers need no legend: places in which no name hides another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from treecrf_studies.rendering.style import SMALL

WIDTH_OF_LETTER = 0.56
"""Of the size of the text; a little more than letters take on average."""

SIDES = (
    *((5, 0, "left"), (-5, 0, "right"), (0, 8, "center"), (0, -8, "center")),
    *((x, y, "left" if x > 0 else "right") for up in (8, 16, 26) for x in (5, -5) for y in (up, -up)),
)
"""Places beside a mark in points, and how a name stands to them; the first ones are preferred."""


def spread(wanted: ArrayLike, gap: float) -> np.ndarray:
    """Places of names along a line, at least `gap` apart, in the order of those that they are wanted at and as near to
    them as this allows.

    Parameters
    ----------
    wanted : array_like of float
    gap : float

    Returns
    -------
    ndarray
        In the order of `wanted`.
    """
    order = np.argsort(wanted, kind="stable")
    shifts = np.arange(len(order)) * gap
    blocks: list[tuple[float, int]] = []  # mean and size of runs that touch, as in isotonic regression
    for value in np.asarray(wanted, dtype=float)[order] - shifts:
        mean, size = value, 1
        while blocks and blocks[-1][0] >= mean:
            before, n_before = blocks.pop()
            mean, size = (before * n_before + mean * size) / (n_before + size), n_before + size
        blocks.append((mean, size))
    places = np.empty(len(order))
    places[order] = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks]) + shifts
    return places


def label_points(
    figure: Figure,
    axes: Axes,
    at: np.ndarray,
    names: Sequence[str],
    colors: Sequence[str],
    line: np.ndarray | None = None,
) -> None:
    """Write a name beside each mark, where it hides no mark, no other name and nothing of a line, as far as there is such
    a place.

    The corners of the line are rows of x and y. A line leads to names that are not next to their marks. Limits, scales and size of the axes are to be set before.
    """
    figure.draw_without_rendering()
    points = axes.transData.transform(at) * 72 / figure.dpi
    bounds = np.asarray(axes.get_window_extent().extents) * 72 / figure.dpi
    taken = [np.concatenate([point - 3, point + 3]) for point in points]
    if line is not None and len(line):
        corners = axes.transData.transform(line) * 72 / figure.dpi
        taken += [
            np.concatenate([np.minimum(one, other) - 1, np.maximum(one, other) + 1]) for one, other in pairwise(corners)
        ]
    for point, name, color, mark in zip(points, names, colors, at, strict=True):
        size = np.array([WIDTH_OF_LETTER * SMALL * len(name), 1.15 * SMALL])
        boxes = [_box(point, size, side) for side in SIDES]
        costs = [_hidden(box, taken, bounds) + 0.01 * place for place, box in enumerate(boxes)]
        best = int(np.argmin(costs))
        right, up, align = SIDES[best]
        taken.append(boxes[best])
        axes.annotate(
            name,
            tuple(mark),
            xytext=(right, up),
            textcoords="offset points",
            ha=align,
            va="center",
            fontsize=SMALL,
            color=color,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.5} if abs(up) > 8 else None,
        )


def _box(point: np.ndarray, size: np.ndarray, side: tuple[int, int, str]) -> np.ndarray:
    """Left, lower, right and upper end of a name at a side of a point."""
    right, up, align = side
    left = right - {"left": 0.0, "center": size[0] / 2, "right": size[0]}[align]
    low = point + np.array([left, up - size[1] / 2])
    return np.concatenate([low, low + size])


def _hidden(box: np.ndarray, taken: Sequence[np.ndarray], bounds: np.ndarray) -> float:
    """Area that a name shares with marks and names, and what of it is outside of the axes."""
    others = np.array(taken)
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    inside = np.minimum(box[2:], bounds[2:]) - np.maximum(box[:2], bounds[:2])
    outside = np.prod(box[2:] - box[:2]) - np.prod(inside.clip(0))
    return float(sides.clip(0).prod(axis=1).sum() + outside)
