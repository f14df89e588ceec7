"""The explorer as HTML."""

import re

import pandas as pd
from builders import Elements, linked_files

from treecrf.explorer.charts import LIGHT, charts
from treecrf.explorer.gathering import gather
from treecrf.explorer.page import SCRIPTS, render_explorer
from treecrf.io.files import resource
from treecrf.report.ledger_page import ledger_summary
from treecrf.studies.claims import VERDICTS
from treecrf.studies.settings import load_settings

LARGEST = 6_000_000
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
    assert not re.search(r"https?:", policy)


def test_it_and_the_page_are_linked_both_ways(html, tmp_path):
    assert {file.name for file in linked_files(Elements(markup(html)), tmp_path)} == {"index.html"}
    assert "{{ explorer }}" in resource("treecrf.rendering", "templates/page.html")


def test_the_opening_counts_what_the_ledger_counts(html, ledger):
    claims, _ = ledger
    assert ledger_summary(claims) in html
    rows = re.findall(r'<tr data-verdict="(\w+)"', html)
    for verdict in VERDICTS:
        assert rows.count(verdict) == (claims["verdict"] == verdict).sum()


def test_the_opening_has_a_sentence_for_each_study_and_folds_the_others(html):
    opening = html.split('<dl class="headlines">')[1].split("</dl>")[0]
    sentence, others = re.findall(r"<dd>(.+?)<details>.+</summary>(.+?)</details>", opening.replace("\n", ""))[0]
    assert sentence == "TreeCRF &lt;wins&gt; &amp; loses by 0.5 points."
    assert others == "It is not alone. LightGBM is worse."


def test_a_remark_on_the_run_stands_above_everything_else(settings, gathered, ledger, html):
    noted = render_explorer(settings.model_copy(update={"note": "Only <a> demonstration."}), gathered, *ledger, {})
    opening = noted.split("What was run, and what it says</h2>")[1].lstrip()
    assert opening.startswith('<p class="warning">Only &lt;a&gt; demonstration.</p>')
    assert "demonstration" not in html


def test_texts_are_escaped_and_scripts_whole(html):
    assert "TreeCRF &lt;wins&gt; &amp; loses by 0.5 points." in html
    assert html.count("</script>") == 3 + 1 + 1 + len(SCRIPTS)  # data, words, charts; the bundle; page.js


def test_every_colour_of_the_charts_is_one_of_the_page():
    words = set(re.findall(r"'(\$\w+)'", str(charts()))) - {"$schema"}
    style = resource("treecrf.rendering", "page.css") + resource("treecrf.explorer", "explorer.css")
    drawing = resource("treecrf.explorer", "script/drawing.js")
    assert words <= LIGHT.keys()
    for name in LIGHT:
        assert f"--{name[1:]}:" in style
        assert f'"{name[1:]}"' in drawing


def test_identifiers_are_unique_and_headings_name_the_views(html):
    elements = Elements(markup(html))
    identifiers = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    for section in elements.all("section"):
        assert section["aria-labelledby"] in identifiers


def test_a_run_without_results_has_one_too(tmp_path):
    settings = load_settings(
        {"profile": "own", "results": str(tmp_path), "datasets": {"hmm": {}}, "training": {"datasets": ["hmm"]}}
    )
    none = pd.DataFrame(columns=["id", "verdict"])
    html = render_explorer(settings, gather(settings), none, none.assign(rule=None), {})
    assert "No study has results yet." in html
    assert 'id="claims-table"' not in html


def test_of_a_run_without_claims_papers_are_not_spoken_of(settings, gathered):
    none = pd.DataFrame(columns=["id", "verdict"])
    own = gathered._replace(published=gathered.published.iloc[:0])
    html = render_explorer(settings, own, none, none.assign(rule=None), {"training": "All are tied."})
    opening = html.partition('id="view-leaderboard"')[0].partition('id="view-overview"')[2]
    assert ">Training</a></dt>\n<dd>All are tied.</dd>" in opening
    assert "chapter" not in opening
    assert "papers" not in opening
