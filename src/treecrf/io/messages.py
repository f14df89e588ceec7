"""Texts of errors: quotations of values, short and on one line; packages that an installation lacks."""

from __future__ import annotations

import re
import reprlib
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches


class _Short(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        """Python refuses to write very long numbers."""
        return repr(x) if x.bit_length() < 128 else f"a number of {x.bit_length():,} bits"


_REPR = _Short()
_REPR.maxstring = _REPR.maxother = 120
_REPR.maxlevel, _REPR.maxdict, _REPR.maxlist, _REPR.maxtuple = 3, 4, 6, 6

MOST_NAMES = 12
"""Names that a list in an error has."""


def quoted(value: object) -> str:
    """`repr`, the middle of what is long left out."""
    return " ".join(_REPR.repr(value).splitlines())


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys in place of showing it: control characters but for tabs and ends of lines, and directions of
writing.
"""


def printable(text: object) -> str:
    """A text for a terminal: what comes from data cannot move the cursor, change the title or fill the clipboard."""
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), str(text))


def listed(names: Iterable[object], show: Callable[[object], str] = quoted) -> str:
    """Names one after another; of many the first, and how many more there are."""
    every = list(names)
    shown = ", ".join(show(name) for name in every[:MOST_NAMES])
    return shown if len(every) <= MOST_NAMES else f"{shown} and {len(every) - MOST_NAMES:,} more"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """How many there are, such as ``1 row`` and ``2,000 rows``; the plural is the noun with an s unless given."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def cell_text(value: object) -> str:
    """A cell of a file, a fraction with six digits; – where it is missing."""
    if value is None or value != value or value == "":
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def repeated(names: Iterable[object]) -> object | None:
    """The first name that appears a second time; None if there is none."""
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


_said: ContextVar[set[str] | None] = ContextVar("said", default=None)


@contextmanager
def warned_once() -> Iterator[None]:
    """In this block, warn of the same once: the parts of a labeller see the same set."""
    said = _said.get()
    before = _said.set(set() if said is None else said)
    try:
        yield
    finally:
        _said.reset(before)


def unsaid(problems: list[str]) -> list[str]:
    """Those of the problems that are to be told: in `warned_once` not the same again."""
    said = _said.get()
    if said is None:
        return problems
    new = [problem for problem in problems if problem not in said]
    said.update(new)
    return new


def warn(sentence: str) -> None:
    """Warn with the place in the program of whoever called this package; in `warned_once` not of the same again."""
    if not unsaid([sentence]):
        return
    package, frame, level = __name__.partition(".")[0], sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(package):  # the studies, too
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, stacklevel=level)


def refuse_unknown(
    names: Iterable[str], known: Collection[str], owner: str, what: str = "argument", error: type[Exception] = TypeError
) -> None:
    """Refuse names that are none of those that the owner has; the error says which known one is the nearest."""
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            nearest = f"; the nearest is {near[0]!r}" if near else ""
            raise error(f"{owner} has no {what} {name!r}; it has {', '.join(known) or 'none'}{nearest}.")


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Import packages of an extra in this block; a ModuleNotFoundError names the package and what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or str(error)).partition(".")[0]
        raise ModuleNotFoundError(
            f"{package}, of the extra {extra!r}, is not installed; run pip install 'treecrf[{extra}]'.", name=error.name
        ) from None
