"""The jobs of a run as the workflow knows them before it starts, and why some of them are to run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from treecrf.report.computed_by import study_of

_CODE = re.compile(r"'[0-9a-f]{16}'")
"""A digest of code among the parameters of a job, as Snakemake keeps them."""

_MOST_NAMED = 3
"""Settings or files that are named in a reason; of more, the number is given."""

ABSENT = "not computed yet"
BROKEN = "an earlier attempt left it incomplete"
FOLLOWS = "what it reads is computed again"


class Job(NamedTuple):
    """A job of a run.

    Attributes
    ----------
    name : str
        The way to its benchmark from their folder, without suffix, such as ``training/train/hmm_treecrf``.
    rule : str
    dataset : str
        Empty if it has none.
    needs : tuple of str
        Names of the jobs whose output it reads.
    is_done : bool
        Whether its results stay as they are.
    why : str
        Why it is to run; empty if it is done.
    priority, threads, mem_mb : int
        As the rule asks for them.
    """

    name: str
    rule: str
    dataset: str
    needs: tuple[str, ...]
    is_done: bool
    why: str
    priority: int = 0
    threads: int = 1
    mem_mb: int = 0

    @property
    def study(self) -> str:
        """The study, or `treecrf.report.computed_by.SHARED`."""
        return study_of(self.name)

    @property
    def step(self) -> str:
        """What it does, as the rule's name says without the study."""
        return self.rule.removesuffix(f"_{self.study}")


def why_parameters(study: str, before: Iterable[str], now: Iterable[str]) -> str:
    """What changed between the parameters of a job when it ran and those of now, as Snakemake keeps them.

    Parameters
    ----------
    study : str
    before, now : iterable of str
        Representations of the values that are parameters then or now alone.
    """
    old, new = ([text for text in texts if not _CODE.fullmatch(text)] for texts in (before, now))
    settings = list(dict.fromkeys(_changes(old, new)))
    if settings:
        return f"settings of {study} changed: {_listed(settings)}"
    if any(_CODE.fullmatch(text) for text in before):
        return f"code of {study} changed"
    return f"parameters of {study} changed"


def why_files(paths: Sequence[str]) -> str:
    """Files that were changed after the job had read them."""
    return f"changed since it was read: {_listed(sorted(paths))}"


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The settings that differ between values; what was added or taken away as a whole says nothing by name."""
    for one, other in zip(map(_value, sorted(old)), map(_value, sorted(new)), strict=False):
        yield from _differing("", one, other)


def _differing(name: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            inner = f"{name}.{key}" if name else str(key)
            if key in old and key in new:
                yield from _differing(inner, old[key], new[key])
            else:
                yield f"{_setting(inner)} {'is new' if key in new else 'is gone'}"
    elif old != new:
        texts = [text if len(text := repr(value)) <= 40 else "..." for value in (old, new)]
        yield f"{_setting(name)} {texts[0]} is now {texts[1]}" if texts[0] != texts[1] else _setting(name)


def _setting(name: str) -> str:
    """The name of a setting: those of a job stand below ``settings`` and the name of its method."""
    return re.sub(r"^settings\.[^.]*\.?", "", name) or name or "a value"


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
    return f"{', '.join(texts[:_MOST_NAMED])}{more}"
