"""Sphinx: ``make docs`` builds the pages of this folder, and one page for every public module, into build/docs."""

from pathlib import Path

from treecrf.compiled import kernel

kernel._announced.append("")  # else the page of an example would say that routines are compiled

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
    "sphinx_gallery.gen_gallery",
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

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),
    "css": ["sg_gallery"],
    "image_srcset": ["2x"],
    "thumbnail_size": (640, 440),
    "notebook_extensions": set(),  # a notebook is not beside the words that it reads
    "download_all_examples": False,
    "min_reported_time": float("inf"),  # times differ at every build
    "write_computation_times": False,
    "show_signature": False,
}

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["gallery.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False


def without_results(app, name, source):
    """The list of contents names docs/results only once `make snapshot` has written it."""
    if name == "index" and not Path(app.srcdir, "results").is_dir():
        source[0] = source[0].replace("\nresults/index\n", "\n")


def link_built(app, name, source):
    """Links to the gallery and from the results to the explorer lead to files and a text on a code host, and here to
    what was built of them.
    """
    source[0] = source[0].replace("](../examples/gallery/)", "](/gallery/index.rst)")
    if name.startswith("results/"):
        source[0] = source[0].replace("[Explorer](../explorer.md)", '<a href="explorer.html">Explorer</a>')


def without_archives(app, name, source):
    """The archive of an example has its script alone, and the time of the build."""
    if name.startswith("gallery/plot_"):
        source[0] = source[0].partition("    .. container:: sphx-glr-download sphx-glr-download-zip\n")[0]


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
    app.connect("source-read", link_built)
    app.connect("source-read", without_archives)
    app.connect("autodoc-skip-member", is_left_out)
