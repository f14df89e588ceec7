"""The explorer as HTML."""

import base64
import hashlib
import re

from runs import Elements, own_settings

from treecrf_studies.explorer.gathering import gather
from treecrf_studies.explorer.page import SCRIPTS, render_explorer

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


def test_scripts_are_whole(html):
    assert html.count("</script>") == 2 + len(SCRIPTS)  # data and words


def test_a_run_without_results_has_one_too(tmp_path):
    settings = own_settings(results=str(tmp_path))
    assert "No study has results yet" in render_explorer(settings, gather(settings))
