"""HTML of a site's Markdown by Sphinx with the theme furo, and the Sphinx extension that shows its tables.

A link to a CSV file that is alone in its paragraph becomes that table, folded under the text of the link.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from treecrf.io.files import resource, write_text
from treecrf.pages.page import sources_of
from treecrf_studies.rendering.cells import DASH
from treecrf_studies.rendering.parts import LINKS, NO_BANNER, Markdown, Page, is_number, listed_pages, write_pages

STATIC = ("results.css", "results.js")
"""Files of this package that every page has, beside those of the theme."""

SIGNS = {"✓": "replicated", "◐": "partly", "✗": "not-replicated", "?": "undecided", "–": "none", "=": "checked"}
"""First letters of cells that are verdicts, and the class whose colour they have, if it is not that of text."""

FOLDED = "claims"
"""The section whose table is folded although no picture shows the same."""

LONG_CELL = 160
"""Letters of a cell that is folded."""

FILES = "'self' file:"
"""Where scripts, styles and pictures of a page may come from: its own folder, also where no server gives it."""

CONFIGURATION: dict[str, Any] = {
    "extensions": ["myst_parser", "treecrf_studies.rendering.site"],
    "myst_disable_syntax": ["html_block", "html_inline", "html"],
    "myst_heading_anchors": 4,
    "myst_url_schemes": {"http": None, "https": None, "mailto": None, "html": "{{path}}#{{fragment}}"},
    "smartquotes": False,
    "html_theme": "furo",
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_use_index": False,
    "html_show_search_summary": False,
    "suppress_warnings": ["myst.xref_missing", "toc.not_included"],
}
"""Of the site of a run; the documentation has its own."""


PAGE, MARKDOWN = "index.html", "markdown"
"""The first page of a site, and the folder of its Markdown, below that of its HTML."""


def write_site(
    pages: Sequence[Page], folder: Path, title: str, banner: Markdown = NO_BANNER, explorer: str = ""
) -> None:
    """Write pages as Markdown, in place of those of an earlier site, and the HTML of it (`build_site`).

    `banner` and `explorer` are as of `treecrf_studies.rendering.parts.write_pages`.
    """
    shutil.rmtree(folder / MARKDOWN, ignore_errors=True)
    write_pages(pages, folder / MARKDOWN, banner, explorer)
    build_site(folder / MARKDOWN, folder, title)


def build_site(source: Path, target: Path, title: str) -> None:
    """Write the HTML of the Markdown in a folder.

    Parameters
    ----------
    source : Path
        As of `treecrf_studies.rendering.parts.write_pages`; the first page is ``index.md``.
    target : Path
        Pages and files of an earlier site are replaced, other files stay.
    title : str
        Above the list of pages.

    Raises
    ------
    ValueError
        If Sphinx finds a fault in a page.
    """
    from sphinx.application import Sphinx  # takes half a second
    from sphinx.util.docutils import docutils_namespace

    with tempfile.TemporaryDirectory(prefix="treecrf-") as place, warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # what Sphinx says to authors of extensions
        warnings.simplefilter("ignore", DeprecationWarning)
        made, said = Path(place, "html"), io.StringIO()
        settings = CONFIGURATION | {"project": title, "html_title": title}
        arguments = (str(source), None, str(made), str(Path(place, "trees")), "html", settings)
        with docutils_namespace():
            app = Sphinx(*arguments, status=None, warning=said, freshenv=True)
            app.build()
        if app.statuscode or said.getvalue():
            raise ValueError(f"{source}: Sphinx cannot make pages of it: {said.getvalue().strip()}")
        shutil.rmtree(made / "_sources", ignore_errors=True)
        for unwanted in (".buildinfo", "objects.inv", "genindex.html"):
            (made / unwanted).unlink(missing_ok=True)
        for page in made.rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            write_text(with_policy(text), page)
        target.mkdir(parents=True, exist_ok=True)
        for old in _pages_of(target):
            old.unlink()
        for folder in ("_static", "_images", "_downloads", "claims"):
            shutil.rmtree(target / folder, ignore_errors=True)
        shutil.copytree(made, target, dirs_exist_ok=True)


def _pages_of(folder: Path) -> list[Path]:
    """The pages at the top of a folder that Sphinx made."""
    return [path for path in folder.glob("*.html") if b"furo" in path.read_bytes()[:4000]]


def with_policy(page: str) -> str:
    """A page with a Content-Security-Policy: the scripts that it has and no other, and no request to anywhere."""
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    sources = " ".join([FILES, *sources_of(scripts)])
    policy = (
        f"default-src 'none'; script-src {sources}; style-src {FILES} 'unsafe-inline'; img-src {FILES} data:; "
        f"font-src {FILES} data:; connect-src 'none'; base-uri 'none'; form-action {FILES}"
    )
    page = page.replace('.html#"', '.html"')  # of links without an anchor
    return page.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{policy}">', 1)


# --- extension --------------------------------------------------------------------------------------


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", _add_static)
    app.connect("source-read", _add_contents)
    app.connect("doctree-resolved", _show_tables)
    for name in STATIC:
        (app.add_css_file if name.endswith(".css") else app.add_js_file)(name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _add_static(app: Any) -> None:
    folder = Path(app.outdir, "_static")
    folder.mkdir(parents=True, exist_ok=True)
    for name in STATIC:
        write_text(resource("treecrf_studies.rendering", f"static/{name}"), folder / name)


def _add_contents(app: Any, name: str, source: list[str]) -> None:
    """The list of pages at the end of a site's first page; a page that is not in it says so.

    The line of links at the end of every page is for code hosts: HTML has the list at its side.
    """
    place = Path(app.env.doc2path(name)).parent
    listed = listed_pages(place)
    if listed or listed_pages(place.parent):
        source[0] = source[0].rpartition(LINKS)[0] or source[0]
    if PurePosixPath(name).name == "index" and listed:
        lines = "\n".join(PurePosixPath(path).stem for path, _ in listed if path != "index.md")
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"
    elif not listed and listed_pages(place.parent):
        source[0] = f"---\norphan: true\n---\n\n{source[0]}"


def _show_tables(app: Any, tree: Any, name: str) -> None:
    """Tables in place of links that are alone in a paragraph; of pictures with a label, all but the first folded."""
    from docutils import nodes
    from sphinx.addnodes import download_reference

    known = _pages_below(app, name)
    for link in list(tree.findall(download_reference)):
        paragraph = link.parent
        if not str(link["reftarget"]).endswith(".csv") or len(paragraph.children) != 1:
            continue
        path = Path(app.env.doc2path(name)).parent / str(link["reftarget"]).removeprefix("/")
        if not path.is_file():
            path = Path(app.srcdir, str(link["reftarget"]).removeprefix("/"))
        address = (
            f"{app.builder.get_relative_uri(name, 'index').rpartition('/')[0] or '.'}/_downloads/{link['filename']}"
        )
        section = next((up for up in _parents(paragraph) if isinstance(up, nodes.section)), tree)
        is_open = section.attributes.get("ids") != [FOLDED] and next(section.findall(nodes.image), None) is None
        html = table_html(path, link.astext(), address, known, is_open)
        paragraph.replace_self(nodes.raw("", html, format="html"))
    for picture in list(tree.findall(nodes.image)):
        path = Path(app.srcdir, picture["uri"])
        if path.suffix == ".svg" and "<a xlink:href" in (drawn := path.read_text(encoding="utf-8")):
            linked = nodes.raw("", linked_picture(drawn, picture.get("alt", "")), format="html")
            (picture.parent if isinstance(picture.parent, nodes.paragraph) else picture).replace_self(linked)
    shown = set()
    for paragraph in list(tree.findall(nodes.paragraph)):
        match [child for child in paragraph.children if child.astext().strip() or isinstance(child, nodes.image)]:
            case [nodes.strong() as label, nodes.image() as picture]:
                section = paragraph.parent
                begin = (
                    "<details"
                    f' class="figure"{" open" * (section not in shown)}><summary>{escape(label.astext())}</summary>'
                )
                shown.add(section)
                parts = [nodes.raw("", begin, format="html"), picture, nodes.raw("", "</details>", format="html")]
                paragraph.replace_self(parts)


def linked_picture(drawn: str, alt: str) -> str:
    """An SVG whose marks are links to pages as a part of the page, since those of pictures cannot be followed."""
    inside = drawn[drawn.index("<svg") :]
    named = re.sub(
        r'<a xlink:href="([^"]*?([^"/]+)\.html)" target="_blank"', r'<a href="\1" aria-label="Claim \2"', inside
    )
    return f'<div class="linked" role="group" aria-label="{escape(alt)}">{named}</div>'


def _parents(node: Any) -> Iterable[Any]:
    while node.parent is not None:
        node = node.parent
        yield node


def _pages_below(app: Any, name: str) -> dict[str, str]:
    """Addresses of the pages in folders below that of a page, by their names: cells with such names are links."""
    folder = name.rpartition("/")[0]
    start = f"{folder}/" if folder else ""
    below = [other for other in app.env.found_docs if other.startswith(start) and "/" in other[len(start) :]]
    return {PurePosixPath(other).name: app.builder.get_relative_uri(name, other) for other in below}


# --- tables -----------------------------------------------------------------------------------------


def table_html(path: Path, caption: str, address: str, pages: dict[str, str], is_open: bool = False) -> str:
    """A CSV file as an HTML table under a text that opens it: words at the left, numbers at the right.

    Leading words that repeat the row above are there, but not seen. A cell with the name of one of the `pages` is a
    link to it.
    """
    with open(path, encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    numeric = [_is_numeric([row[place] for row in rows]) for place in range(len(head))]
    n_leading = next((place for place, is_numeric in enumerate(numeric) if is_numeric), len(head))
    heads = "".join(f'<th scope="col"{_class(numeric[k])}>{escape(text)}</th>' for k, text in enumerate(head))
    lines, before = [], [""] * len(head)
    for row in rows:
        n_same = next((k for k in range(n_leading) if row[k] != before[k]), n_leading)
        n_same = min(n_same, max(n_leading - 1, 0))
        lines.append("".join(_cell(text, k == 0, k < n_same, numeric[k], pages) for k, text in enumerate(row)))
        before = row
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    count = f"{len(rows)} row{'s' * (len(rows) != 1)}"
    return (
        f'<details class="table"{" open" * is_open}><summary>{escape(caption)} <small>{count}</small></summary>'
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}"><table class="results">'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
        f'<p class="file"><a href="{escape(address)}" download>CSV</a></p></details>'
    )


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether most cells of a column are numbers."""
    shown = [is_number(cell) for cell in cells if cell not in ("", "–")]
    return 2 * sum(shown) > len(shown)


def _class(is_numeric: bool, *others: str) -> str:
    names = " ".join([*(["number"] if is_numeric else []), *filter(None, others)])
    return f' class="{names}"' if names else ""


def _cell(text: str, is_head: bool, is_repeat: bool, is_numeric: bool, pages: dict[str, str]) -> str:
    tag = "th" if is_head else "td"
    verdict = f"verdict-{SIGNS[text[0]]}" if text[:1] in SIGNS and (" " in text or text == DASH) else ""
    names = text.split(", ")
    shown = escape(text)
    if len(text) > LONG_CELL:
        shown = f"<details><summary>{escape(text[: LONG_CELL // 2])} …</summary>{shown}</details>"
    if all(name in pages for name in names):
        shown = ", ".join(f'<a href="{escape(pages[name])}">{escape(name)}</a>' for name in names)
    scope = ' scope="row"' if is_head else ""
    return f"<{tag}{scope}{_class(is_numeric, verdict, 'repeat' if is_repeat else '')}>{shown}</{tag}>"
