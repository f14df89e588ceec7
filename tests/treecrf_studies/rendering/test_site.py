"""The HTML of a site: tables, what people named, and what browsers say."""

import json
import shutil

import pandas as pd
import pytest
from browsing import RUN, TEXTS, opened
from matplotlib.figure import Figure as Drawn
from matplotlib.patches import Rectangle

from treecrf_studies.rendering.parts import (
    Drawing,
    Figure,
    Markdown,
    Note,
    Page,
    Section,
    Table,
    escaped,
    listed,
    paragraph,
    write_pages,
)
from treecrf_studies.rendering.site import build_site, with_policy

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"/>'
COLUMN = ["12", "–", "0.001", "−2.5*", "1,000", "<0.001", "3–7"]
NAMES = ["CRF-10", "CRF-2", *["MEMM"] * 5]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Pages with a table to sort, a long one, a figure, claims, and texts that people named."""
    folder = tmp_path_factory.mktemp("site")
    sorted_table = Table("To sort", pd.DataFrame({"method": NAMES, "x": COLUMN}))
    long = Table("Long", pd.DataFrame({"claim": ["P1, P2"] * 30, "row": [f"row {i}" for i in range(30)]}))
    named = Table(" ".join(TEXTS), pd.DataFrame({text: [text, str(i)] for i, text in enumerate(TEXTS)}))
    notes = [paragraph("{text}", text=text) for text in TEXTS]
    drawing = Drawing(Drawn(figsize=(1, 1)), TEXTS[0], escaped(TEXTS[2]), pd.DataFrame({"a": ["1"]}), "drawing")
    (folder / "picture.svg").write_text(PICTURE)
    figures = [Figure(folder / "picture.svg", f"{x} seen", Markdown(), f"a/{x}", label=x) for x in ("one", "two")]
    linked = Drawing(Drawn(figsize=(1, 1)), "squares", Markdown("A."), pd.DataFrame({"a": ["1"]}), "linked")
    linked.figure.add_artist(Rectangle((0, 0), 1, 1, url="claims/P1.html"))
    pictures = Section("pictures", "Pictures", [*figures, linked])
    pages = [
        Page("index.md", "First", [Section("tables", "Tables", [sorted_table, long]), pictures]),
        Page(
            "named.md",
            TEXTS[0],
            [Section("a", TEXTS[2], [named, *notes, *listed(TEXTS), drawing]), Section("b", TEXTS[1], notes)],
        ),
        *(Page(f"claims/P{i}.md", f"Claim P{i}", lead=[Note(Markdown("A claim."))]) for i in (1, 2)),
    ]
    write_pages(pages, folder / "markdown", escaped("a banner"))
    build_site(folder / "markdown", folder, "a site")
    return folder


@pytest.fixture
def first(chromium, site):
    with opened(chromium, site / "index.html") as browser:
        browser.tab.goto((site / "index.html").as_uri())
        yield browser.tab


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "named", "claims/P1", "search"])
def test_no_page_has_an_error_or_runs_what_people_named(chromium, site, name, scheme):
    file = site / f"{name}.html"
    with opened(chromium, file, color_scheme=scheme) as browser:
        browser.tab.goto(file.as_uri())
        assert [problem for problem in browser.problems if "file://" not in problem] == []
        assert browser.tab.title() != "run"
        assert browser.tab.evaluate("document.documentElement.scrollWidth") <= 1200
        assert browser.tab.locator("h1").count() == (name != "search")


def test_texts_that_people_named_are_shown_as_they_are(chromium, site):
    with opened(chromium, site / "named.html") as browser:
        browser.tab.goto((site / "named.html").as_uri())
        whole = " ".join(browser.tab.locator("article").inner_text().split())
        for text in TEXTS:
            assert " ".join(text.split()) in whole
        cells = (
            browser.tab.locator("table.results").first.locator("tbody tr").first.locator("th, td").all_text_contents()
        )
        assert [" ".join(cell.split())[:20] for cell in cells] == [" ".join(text.split())[:20] for text in TEXTS]


def test_a_script_that_is_not_the_pages_own_does_not_run(chromium, site, tmp_path):
    folder = shutil.copytree(site, tmp_path / "copy")
    page = (site / "index.html").read_text()
    added = f'<p id="there">there</p><script>{RUN}</script><img src=x onerror="{RUN}"><a href="javascript:{RUN}">a</a>'
    (folder / "index.html").write_text(page.replace("</article>", f"{added}</article>"))
    with opened(chromium, folder / "index.html") as browser:
        browser.tab.goto((folder / "index.html").as_uri())
        browser.tab.locator("#there ~ a").click()
        assert browser.tab.title() == "a site"
        assert sum("Content Security Policy" in problem for problem in browser.problems) >= 2


@pytest.mark.parametrize(
    ("column", "clicks", "order", "shown"),
    [
        (1, 1, "ascending", ["–", "−2.5*", "0.001", "<0.001", "3–7", "12", "1,000"]),
        (1, 2, "descending", ["1,000", "12", "3–7", "0.001", "<0.001", "−2.5*", "–"]),
        (0, 1, "ascending", ["CRF-10", "CRF-2", *["MEMM"] * 5]),
        (0, 2, "descending", [*["MEMM"] * 5, "CRF-2", "CRF-10"]),
    ],
)
def test_tables_are_sorted_by_number_and_stably(first, column, clicks, order, shown):
    table = first.locator("table.results").first
    heading = table.locator("thead th").nth(column)
    for _ in range(clicks):
        heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == order
    assert table.locator(f"tbody tr > :nth-child({column + 1})").all_text_contents() == shown


def test_long_tables_are_filtered_and_name_pages_of_claims(first):
    details = first.locator("details.table").nth(1)
    rows = details.locator("tbody tr:visible")
    assert rows.count() == 30
    details.locator("input").fill("ROW 29")
    assert rows.all_text_contents() == ["P1, P2row 29"]
    assert rows.locator("a").evaluate_all("links => links.map((link) => link.getAttribute('href'))") == [
        "claims/P1.html",
        "claims/P2.html",
    ]


def test_numbers_stand_at_the_right_and_the_file_can_be_had(first, site):
    classes = (
        first.locator("table.results").first.locator("thead th").evaluate_all("all => all.map((th) => th.className)")
    )
    assert classes == ["", "number"]
    address = first.locator("details.table .file a").first.get_attribute("href")
    assert (site / address).read_text().startswith("method,x\n")


def test_words_that_repeat_the_row_above_take_one_line_until_rows_are_sorted(first):
    long = first.locator("details.table").nth(1)
    repeat = long.locator("tbody tr").nth(1).locator("th")
    assert repeat.evaluate("(each) => getComputedStyle(each).whiteSpace") == "nowrap"
    long.locator("thead button").first.click()
    assert repeat.evaluate("(each) => getComputedStyle(each).whiteSpace") == "normal"


def test_the_list_of_pages_shows_the_page_that_is_open(chromium, site):
    with opened(chromium, site / "named.html", viewport={"width": 1400, "height": 160}) as browser:
        browser.tab.goto((site / "named.html").as_uri())
        box, here = browser.tab.locator(".sidebar-scroll"), browser.tab.locator(".sidebar-tree .current-page").last
        place, of = here.bounding_box(), box.bounding_box()
        assert of["y"] <= place["y"] < of["y"] + of["height"]
        assert browser.tab.evaluate("scrollY") == 0


def test_only_long_tables_are_cut(first):
    heights = first.locator(".wide").evaluate_all("all => all.map((each) => getComputedStyle(each).maxHeight)")
    assert heights[0] == "none"
    assert heights[1] != "none"


def test_printed_pages_are_full_and_the_last_is_not_empty(chromium, site):
    with opened(chromium, site / "claims/P1.html") as browser:
        browser.tab.goto((site / "claims/P1.html").as_uri())
        browser.tab.locator("article").evaluate("(all) => all.append(document.createElement('ul'))")
        browser.tab.emulate_media(media="print")
        style = "(each) => [getComputedStyle(each).breakInside, getComputedStyle(each).breakBefore]"
        assert browser.tab.locator("article ul").evaluate(style) == ["auto", "auto"]
        assert browser.tab.evaluate("document.documentElement.offsetHeight") < 500  # the window has 800


def test_a_figure_is_enlarged_by_key_and_closed(chromium, site):
    with opened(chromium, site / "named.html") as browser:
        browser.tab.goto((site / "named.html").as_uri())
        browser.tab.locator("article img").press("Enter")
        assert browser.tab.locator("dialog img").get_attribute("alt") == TEXTS[0]
        browser.tab.keyboard.press("Escape")
        browser.tab.locator("dialog").wait_for(state="detached")


def test_of_figures_with_labels_the_first_is_open_and_all_are_printed(first):
    details = first.locator("details.figure")
    assert details.locator("summary").all_text_contents() == ["one", "two"]
    assert details.locator("img").evaluate_all("all => all.map((img) => img.alt)") == ["one seen", "two seen"]
    states = "all => all.map((each) => each.open)"
    assert details.evaluate_all(states) == [True, False]
    first.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert details.evaluate_all(states) == [True, True]


def test_marks_that_are_links_lead_to_pages(first):
    assert first.locator(".linked").get_attribute("aria-label") == "squares"
    assert first.locator(".linked a").get_attribute("aria-label") == "Claim P1"
    first.locator(".linked a").click()
    first.wait_for_url("**/claims/P1.html")


def test_pages_of_an_earlier_site_go_and_other_files_stay(tmp_path):
    def build(*names):
        pages = [Page(name, name, lead=[paragraph("text")]) for name in names]
        shutil.rmtree(tmp_path / "markdown", ignore_errors=True)
        write_pages(pages, tmp_path / "markdown")
        build_site(tmp_path / "markdown", tmp_path, "a site")

    build("index.md", "old.md", "claims/P1.md")
    (tmp_path / "explorer.html").write_text("<!doctype html>")
    build("index.md", "new.md")
    assert {path.name for path in tmp_path.glob("*.html")} == {"index.html", "new.html", "search.html", "explorer.html"}
    assert not (tmp_path / "claims").exists()
    assert json.loads((tmp_path / "markdown/pages.json").read_text()) == [
        ["index.md", "index.md"],
        ["new.md", "new.md"],
    ]


def test_the_policy_names_the_scripts_of_the_page():
    page = with_policy("<head></head><script>a</script><script src='b.js'></script>")
    # printf a | openssl dgst -sha256 -binary | base64
    assert "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='" in page
    assert "connect-src 'none'" in page
