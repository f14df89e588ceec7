"""Numbers and lists as words."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from treecrf.rendering.cells import number, p_value_text, signed


def points_text(value: float) -> str:
    """Percentage points, with a sign."""
    return f"{signed(value)} points"


def p_text(value: float) -> str:
    """A p-value in a sentence."""
    text = p_value_text(value)
    return f"p {text[0]} {text[1:]}" if text.startswith("<") else f"p = {text}"


def interval_text(interval: tuple[float, float], digits: int = 2) -> str:
    """The 95 % interval of what was measured several times; infinite where it was measured once."""
    if not all(map(isfinite, interval)):
        return "measured once"
    return f"95 % interval {number(interval[0], digits)} to {number(interval[1], digits)}"


def direction(points: float) -> str:
    """How much better or worse, in words that go before the name of the other method."""
    return f"{number(abs(points))} points {'better' if points > 0 else 'worse'} than" if points else "as good as"


def with_and(items: Iterable[str]) -> str:
    """Texts in a sentence."""
    texts = list(items)
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
