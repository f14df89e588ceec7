"""Pieces of HTML that the page's sections share."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path
from typing import Any


def paragraph(text: str, **values: Any) -> str:
    """A paragraph of a template."""
    return f"<p>{text.strip().format(**values)}</p>"


def figure(path: Path, title: str, caption: str) -> str:
    """An SVG file, inlined, with its caption (HTML)."""
    image = base64.b64encode(path.read_bytes()).decode()
    return (
        f'<figure><img alt="{escape(title)}" src="data:image/svg+xml;base64,{image}">'
        f"<figcaption>{caption.strip()}</figcaption></figure>"
    )


def fold(title: str, body: str) -> str:
    """A part that is closed until its title is clicked."""
    return f"<details><summary>{escape(title)}</summary>{body}</details>"
