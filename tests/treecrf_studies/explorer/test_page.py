"""The explorer as HTML."""

import base64
import hashlib
import re

from runs import Elements, linked_files, own_settings

from treecrf.io.files import resource
from treecrf_studies.explorer.gathering import gather
from treecrf_studies.explorer.page import COLOURS, DARK, LIGHT, SCRIPTS, render_explorer

LARGEST = 2_000_000
"""Bytes."""


def markup(html):
    """The page without what stands inside its scripts."""
    return re.sub(r"(<script[^>]*>).*?</script>", r"\1</script>", html, flags=re.DOTALL)


def test_it_is_one_small_file_that_forbids_requests(html):
    assert len(html.encode()) < LARGEST
    elements = Elements(markup(html))
    assert [each.get("src") for each in elements.all("script", "img", "iframe") if "src" in each] == []
    assert [each["href"] for each in elements.all("link")] == ["data:,"]
    (policy,) = [
        each["content"] for each in elements.all("meta") if each.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    assert "eval" not in policy
    digests = re.findall(r"'sha256-([^']+)'", policy)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert digests == [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert "script-src 'unsafe-inline'" not in policy
    assert not re.search(r"https?:", policy)


def test_it_links_to_the_report(html, tmp_path):
    assert {file.name for file in linked_files(Elements(markup(html)), tmp_path)} == {"index.html"}


def test_the_banner_of_a_run_stands_above_the_results(settings, gathered, html):
    noted = render_explorer(settings.model_copy(update={"note": "Only <a> demonstration."}), gathered)
    assert noted.index("Only &lt;a&gt; demonstration.") < noted.index("<main")
    assert "demonstration" not in html


def test_scripts_are_whole(html):
    assert html.count("</script>") == 2 + 1 + len(SCRIPTS)  # data and words; page.js


def test_every_colour_of_styles_and_scripts_is_declared(html):
    package = "treecrf_studies.explorer"
    used = resource(package, "explorer.css") + resource(package, "charts.css")
    names = set(
        re.findall(r"var\((--[\w-]+)", used + "".join(resource(package, f"script/{name}.js") for name in SCRIPTS))
    )
    declared = set(re.findall(r"(--[\w-]+):", html.split("<body")[0]))
    assert names - {"--m$", "--m"} <= declared | {"--mark", "--share"}
    assert LIGHT.keys() == DARK.keys()
    assert len(set(COLOURS)) == len(COLOURS)


def test_identifiers_are_unique(html):
    identifiers = [attributes["id"] for _, attributes in Elements(markup(html)).found if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))


def test_a_run_without_results_has_one_too(tmp_path):
    settings = own_settings(results=str(tmp_path))
    assert "No study has results yet" in render_explorer(settings, gather(settings))


def test_of_a_run_that_decides_no_claim_papers_are_not_spoken_of(settings, gathered):
    own = settings.model_copy(update={"profile": "demo"})
    words = render_explorer(own, gathered).split('id="words">')[1].split("</script>")[0]
    assert '"training": "Training"' in words
    assert "chapter" not in words
