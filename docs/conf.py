"""Sphinx: ``make docs`` builds the pages of this folder, and one page for every public module, into build/docs."""

import os
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # docstrings need no compiled routines

project = "treecrf"
author = "the treecrf developers"
copyright = author
html_title = "treecrf"

extensions = [
    "myst_parser",
    "treecrf_studies.rendering.site",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
]
exclude_patterns = ["_templates", "results/readme.md"]
templates_path = ["_templates"]

myst_heading_anchors = 4

default_role = "py:obj"  # a link where the name is known, code elsewhere
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 90
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings have types and shapes
autosummary_ignore_module_all = False
numpydoc_show_class_members = False  # autodoc shows them

html_theme = "furo"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False


def without_results(app, name, source):
    """The list of contents names docs/results only once `make snapshot` has written it."""
    if name == "index" and not Path(app.srcdir, "results").is_dir():
        source[0] = source[0].replace("\nresults/index\n", "\n")


def write_explorer(app):
    """Put the explorer of docs/results beside its pages."""
    from treecrf_studies.explorer.page import main

    evidence = Path(app.srcdir, "results/evidence")
    if app.builder.format == "html" and evidence.is_dir():
        reports = str(Path(app.outdir, "results"))
        main(["--results", str(evidence), "--reports", reports, "--documentation", ".."])


def is_left_out(app, kind, name, part, skip, options):
    """Fields of named tuples, which the class describes, have docstrings of Python's own."""
    return True if (part.__doc__ or "").startswith("Alias for field number") else None


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", write_explorer)
    app.connect("source-read", without_results)
    app.connect("autodoc-skip-member", is_left_out)
