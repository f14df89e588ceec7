"""Texts of a page about somebody's own data, which no paper is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from treecrf.rendering.parts import Fold, Note, Part, Study, Table

_REFERENCE = re.compile(
    r"( \(PhD [^()]*\)|,? (as the (dissertation|papers?) (does|do|has it|have it)|of PhD section [\d.]+))"
)
_NUMBER = re.compile(r" \((chapter|figure|table)s? [^()]*\)$|^(Table|Figure) \d\.\d: ")


def without_papers(caption: str) -> str:
    """A caption without sentences about published values and without references, for a page of somebody's own data."""
    sentences = re.split(r"(?<=\.)\s+(?=[A-Z])", caption)
    kept = [each for each in sentences if "published" not in each.lower() and not re.fullmatch(r"Table \d\.\d\.", each)]
    return _REFERENCE.sub("", " ".join(kept))


def plain_study(study: Study) -> Study:
    """A study whose titles do not name chapters, figures and tables of papers."""
    sections = [
        section._replace(title=plain_title(section.title), parts=_plain_parts(section.parts))
        for section in study.sections
    ]
    sections = [section for section in sections if section.parts]
    return study._replace(title=plain_title(study.title), sections=sections)


def _plain_parts(parts: Sequence[Part]) -> list[Part]:
    """Parts without tables of published values and the captions above them."""
    kept: list[Part] = []
    for part in parts:
        if isinstance(part, Table) and _shows_published(part):
            if kept and isinstance(kept[-1], Note):
                kept.pop()
        else:
            kept.append(_plain_part(part))
    return kept


def _shows_published(table: Table) -> bool:
    """Whether a table has a line or a column of published values."""
    heads = [name for head in table.layout.columns for name in ([head] if isinstance(head, str) else head)]
    named = "published" in table.caption.lower() or "published" in heads
    return named or bool((table.layout == "published").any(axis=None))


def _plain_part(part: Part) -> Part:
    if isinstance(part, Table):
        return replace(part, caption=plain_title(part.caption))
    if isinstance(part, Fold):
        return replace(part, title=plain_title(part.title), parts=_plain_parts(part.parts))
    return part


def plain_title(title: str) -> str:
    """A title that does not name chapters, figures and tables of papers."""
    plain = _NUMBER.sub("", title)
    return plain[:1].upper() + plain[1:] if plain != title else title
