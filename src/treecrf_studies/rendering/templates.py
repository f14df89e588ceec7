"""Templates of HTML: what they are given is escaped, unless it is a `Markup`."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from treecrf.io.files import resource

ENVIRONMENT = Environment(
    loader=PackageLoader("treecrf_studies.rendering"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)


def render(name: str, **values: Any) -> Markup:
    """A template of this folder with its places filled: text is escaped, markup that can be trusted is a `Markup`."""
    return Markup(ENVIRONMENT.get_template(name).render(values))


def render_page(name: str, **values: Any) -> str:
    """The same, of a page that stands by itself: its style sheet and its script are inside it, and no other script runs."""
    style, script = (Markup(resource("treecrf_studies.rendering", file)) for file in ("page.css", "page.js"))
    return f"{render(name, style=style, script=script, policy=policy_of(script), **values)}\n"


def policy_of(*scripts: str) -> Markup:
    """The Content-Security-Policy of a page: no request, and no scripts but these."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    sources = " ".join(f"'sha256-{digest}'" for digest in digests)
    return Markup(
        f"default-src 'none'; script-src {sources}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
