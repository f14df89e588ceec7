"""Texts of a page about somebody's own data, which no paper is about."""

from __future__ import annotations

import re
from dataclasses import replace

from treecrf.rendering.parts import Fold, Part, Study, Table

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
    """A study whose titles do not name chapters, figures and tables of papers; answers take the place of its main result."""
    sections = [
        section._replace(title=plain_title(section.title), parts=[_plain_part(part) for part in section.parts])
        for section in study.sections
    ]
    headline = "" if study.answers else study.headline
    return study._replace(title=plain_title(study.title), headline=headline, sections=sections)


def _plain_part(part: Part) -> Part:
    if isinstance(part, Table):
        return replace(part, caption=plain_title(part.caption))
    if isinstance(part, Fold):
        return replace(part, title=plain_title(part.title), parts=[_plain_part(inside) for inside in part.parts])
    return part


def plain_title(title: str) -> str:
    """A title that does not name chapters, figures and tables of papers."""
    plain = _NUMBER.sub("", title)
    return plain[:1].upper() + plain[1:] if plain != title else title
