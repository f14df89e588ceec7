"""Markdown from text: what comes from data or settings is escaped where it joins a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

SITE = "site:"
"""Before the target of a link to another page of the site: its file and the identifier of what is there."""


class Markdown(str):
    """Text that is Markdown already; every other text is escaped where it joins it."""

    __slots__ = ()


def escaped(text: object) -> Markdown:
    """Text in one line, in which Markdown finds nothing but letters: no emphasis, link, code, entity or HTML."""
    if isinstance(text, Markdown):
        return text
    one_line = re.sub(r"[\n\r\v\f\x85\u2028\u2029]+", " ", str(text))
    shown = re.sub(r"([\\`*_{}\[\]<>|~$^@]|&(?=#?\w+;)|://|(?<![\w.])www\.)", _escaped_sign, one_line)
    return Markdown(re.sub(r"^(\s*)([-+#=:(]|\d+(?=[.)](?:\s|$)))", _escaped_start, shown))


def _escaped_sign(found: re.Match[str]) -> str:
    return {"://": r"\://", "www.": r"www\."}.get(found[0], f"\\{found[0]}")


def _escaped_start(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}\\" if found[2].isdigit() else f"{found[1]}\\{found[2]}"


def md(template: str, /, **values: Any) -> Markdown:
    """A template (Markdown that is trusted) with its places filled by values: texts are escaped unless they are `Markdown`,
    numbers may have a format.
    """
    shown = {name: value if isinstance(value, int | float) else escaped(value) for name, value in values.items()}
    return Markdown(template.strip().format(**shown))


def code(text: object) -> Markdown:
    """Text as code."""
    one_line = re.sub(r"\s+", " ", str(text)).strip()
    ticks = "`" * (max((len(run) for run in re.findall("`+", one_line)), default=0) + 1)
    room = " " if one_line.startswith("`") or one_line.endswith("`") else ""
    return Markdown(f"{ticks}{room}{one_line}{room}{ticks}")


def code_block(text: str, language: str = "") -> Markdown:
    """Lines as a block of code."""
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    return Markdown(f"{fence}{language}\n{text.rstrip()}\n{fence}")


def link(text: object, target: str) -> Markdown:
    """A link to a page of the site: its file such as "claims.md", and after a "#" the identifier of a section, table or
    figure there.

    A page that the site does not have leaves the text alone.
    """
    return Markdown(f"[{escaped(text)}]({SITE}{target})")


def joined(items: Iterable[object], separator: str = ", ") -> Markdown:
    """Texts one after another, escaped."""
    return Markdown(separator.join(escaped(item) for item in items))


def slug(title: str) -> str:
    """The anchor that code hosts and MyST give to a heading."""
    text = re.sub(r"\\(.)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
