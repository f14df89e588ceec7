"""The documentation's glossary, as far as the documentation is beside the package."""

from __future__ import annotations

import re
from pathlib import Path

from treecrf_studies.rendering.parts import GLOSSARY, Markdown, Note, Page


def glossary_pages() -> list[Page]:
    """The glossary as a page of a site; none where it is not there."""
    text = _glossary_text()
    return [Page(GLOSSARY, "Glossary", lead=[Note(Markdown(text))])] if text else []


def glossary() -> dict[str, str]:
    """Its words and the first sentence on each; none where it is not there."""
    entries = re.findall(r"^\*\*(.+?)\.\*\* (.+?\.)(?= |$)", _glossary_text(), re.MULTILINE)
    return {word: re.sub(r"[*`]", "", text) for words, text in entries for word in words.split(", ")}


def _glossary_text() -> str:
    path = Path(__file__).resolve().parents[3] / "docs" / GLOSSARY
    if not path.is_file():
        return ""
    text = path.read_text(encoding="utf-8").partition("\n")[2].strip()
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # other pages of the documentation are not there
