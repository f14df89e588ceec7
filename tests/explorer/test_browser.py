"""The explorer in a browser without a network."""

import csv
import io
import re

import pytest
from browsing import opened

from treecrf.statistics.ranking import AT_THE_TOP

CHOSEN = "study=training&decoder=better"
CELL = f"cell?{CHOSEN}&dataset=protein&method=treecrf&point=choice"

VIEWS = {
    "": "What was run",
    "overview": "What was run",
    "leaderboard": "best or equivalent to the best",
    f"leaderboard?{CHOSEN}&data=protein,hyphen": "of 2 data sets",
    "leaderboard?study=missing&variant=20+%25+missing": "best or equivalent to the best",
    "leaderboard?study=cost": "not tested against each other",
    "pairs": "Tests tell",
    "pairs?study=cost": "no tests",
    "cost": "on the front",
    CELL: "TreeCRF on protein",
    "cell?study=none": "Nothing is known",
    "claims": "of the papers",
    "claims?verdict=replicated&paper=P": "are replicated",
    "claim?id=P3.1": "Claim P3.1 is",
    "claim?id=none": "no such claim",
    "nothing?<script>": "What was run",
}


@pytest.mark.parametrize("fragment", VIEWS)
def test_every_view_is_reached_by_its_fragment_and_asks_for_nothing(browser, fragment):
    view = browser.view(fragment)
    assert VIEWS[fragment] in view.locator("h2").inner_text()
    assert browser.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_cells_are_those_of_the_studies_frames(browser, gathered):
    view = browser.view(f"leaderboard?{CHOSEN}&point=choice")
    heads = view.locator("table").first.locator("thead th").all_inner_texts()
    rows = [row.split("\t") for row in view.locator("table").first.locator("tbody tr").all_inner_texts()]
    scores = gathered.scores.query(
        "study == 'training' and decoder == 'better' and point == 'choice' and metric == 'accuracy'"
    )
    names = gathered.methods.set_index(["study", "method"])["name"]
    found = {
        (row[0], re.sub(r"\W*$", "", head)): re.sub(r"[●\s]", "", cell)
        for row in rows
        for head, cell in zip(heads[2:], row[2:], strict=True)
    }
    expected = {(names["training", row.method], row.dataset): f"{row.value:.2f}" for row in scores.itertuples()}
    assert {key: text for key, text in found.items() if text != "–"} == expected
    top = scores[scores["standing"].isin(AT_THE_TOP)]
    assert view.locator("table").first.locator("td.top").count() == len(top)
    times = {names["training", method]: n for method, n in top["method"].value_counts().items()}
    found = {row[0]: int(row[1].split(" of ")[0]) for row in rows}
    assert {name: n for name, n in found.items() if n} == times


def test_of_tests_nothing_is_said_where_there_are_none(browser):
    said = {study: browser.view(f"leaderboard?study={study}").inner_text() for study in ("cost", "training")}
    for words in ("Holm", "best or equivalent"):
        assert [words in text for text in said.values()] == [False, True]


def test_a_choice_goes_into_the_address_and_stays_in_focus(browser):
    view = browser.view("leaderboard")
    view.locator("select").first.focus()
    view.locator("select").first.select_option("missing")
    assert "missing" in browser.shown().locator("select").last.inner_text()
    assert "study=missing" in browser.tab.url
    assert browser.tab.evaluate("document.activeElement.id") == "choose-leaderboard-study"
    browser.tab.go_back()
    assert "Training" in browser.shown().locator("select").first.locator("option:checked").inner_text()


def test_a_cell_and_a_point_lead_to_what_is_behind_them(browser):
    view = browser.view(f"leaderboard?{CHOSEN}")
    view.locator("td a").first.click()
    assert " on protein: " in browser.shown().locator("h2").inner_text()
    assert browser.tab.evaluate("document.activeElement.tagName") == "H2"
    browser.view(f"cost?{CHOSEN}").locator(".drawing svg .mark-symbol path").first.click()
    assert " on protein: " in browser.shown().locator("h2").inner_text()


def test_a_claim_shows_its_verdict_under_every_rule(browser, ledger):
    claims, rules = ledger
    for identifier in claims["id"]:
        if identifier in set(rules["id"]):
            view = browser.view(f"claim?id={identifier}")
            break
    shown = view.locator("table").first.locator("tbody th").all_inner_texts()
    assert shown == rules.loc[rules["id"] == identifier, "rule"].tolist()


def test_tables_and_charts_are_saved(browser):
    view = browser.view(f"leaderboard?{CHOSEN}&data=protein")
    with browser.tab.expect_download() as saved:
        view.get_by_role("button", name="Save as CSV").first.click()
    text = saved.value.path().read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert saved.value.suggested_filename.endswith(".csv")
    assert any(row["method"] == "TreeCRF, original" and float(row["protein"]) > 50 for row in rows)
    view.locator("figure summary").first.click()
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with browser.tab.expect_download() as saved:
            view.get_by_role("button", name=re.compile(f"^{kind}")).first.click()
        assert saved.value.path().read_bytes().startswith(start)
    assert browser.problems == []


def test_every_chart_has_a_text_and_the_table_of_its_numbers(browser):
    for fragment in ("overview", "leaderboard", "pairs", "cost", CELL):
        view = browser.view(fragment)
        figures = view.locator("figure.chart").all()
        assert figures
        for figure in figures:
            title = figure.locator("figcaption").inner_text()
            assert figure.locator("[role=img]").get_attribute("aria-label").startswith(title)
            assert figure.locator("details tbody tr").count()


def test_keyboard_alone_leads_to_the_views(browser):
    browser.view("overview")
    browser.tab.keyboard.press("Tab")
    assert browser.tab.evaluate("document.activeElement.className") == "skip"
    for _ in range(2):
        browser.tab.keyboard.press("Tab")
    browser.tab.keyboard.press("Enter")
    assert browser.shown().get_attribute("data-view") == "leaderboard"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_have_the_ground_of_the_page_on_a_phone(chromium, file, scheme):
    with opened(chromium, file, viewport={"width": 400, "height": 800}, color_scheme=scheme) as browser:
        for fragment in ("overview", "leaderboard", "pairs", "cost", CELL, "claims", "claim?id=P3.1"):
            browser.view(fragment)
            assert browser.tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), fragment
        browser.view("leaderboard")
        ground = browser.tab.evaluate("getComputedStyle(document.body).backgroundColor")
        drawn = browser.tab.evaluate(
            "getComputedStyle(document.querySelector('[data-view]:not([hidden]) .drawing svg')).backgroundColor"
        )
        rect = browser.tab.evaluate(
            "[...document.querySelectorAll('[data-view]:not([hidden]) .drawing svg rect')].map((each) => getComputedStyle(each).fill)"
        )
        assert ground in [drawn, *rect]


def test_print_shows_the_view_without_its_controls(browser):
    browser.view("leaderboard")
    browser.tab.emulate_media(media="print")
    assert not browser.tab.locator("#view-leaderboard .controls").is_visible()
    browser.tab.locator("#view-leaderboard .drawing svg").first.wait_for(state="visible")
    browser.tab.emulate_media(media="screen")


def test_without_script_there_are_headlines_pictures_claims_and_tables(chromium, file):
    with opened(chromium, file, java_script_enabled=False) as browser:
        browser.tab.goto(file.resolve().as_uri())
        assert browser.tab.locator("#published-charts svg").count() >= 3
        assert browser.tab.locator("noscript table").count() >= 3
        assert browser.tab.locator("#claims-table tbody tr").count()
        assert "Without script" in browser.tab.locator("noscript").inner_text()


def bold(view):
    """Where the best value of a data set is, in the first table: row and column."""
    places = "(table) => [...table.querySelectorAll('td')].flatMap((cell) => cell.querySelector('b') ? [[cell.parentNode.rowIndex, cell.cellIndex]] : [])"
    return view.locator("table").first.evaluate(places)


def listed(view, *heads):
    """These columns of the tables below the charts, row by row."""
    tables = "(tables) => tables.map((table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim())))"
    found = view.locator("figure details table").evaluate_all(tables)
    places = [[next(i for i, cell in enumerate(rows[0]) if cell.startswith(head)) for head in heads] for rows in found]
    return [[[row[i] for i in at] for row in rows[1:]] for rows, at in zip(found, places, strict=True)]


def test_the_lowest_loss_is_the_best(told):
    """Where the loss is what accuracy lacks, both have the same best methods, in the same order and on the same front.

    Accuracy puts those equivalent to the best in bold too; the loss is not tested.
    """
    view = told.view(f"leaderboard?{CHOSEN}&point=choice")
    places, order = bold(view), listed(view, "method")
    order = [
        rows
        for rows, title in zip(order, view.locator("figcaption").all_inner_texts(), strict=True)
        if "ranks" not in title
    ]
    view = told.view(f"leaderboard?{CHOSEN}&point=choice&metric=log+loss")
    assert places
    lowest = bold(view)
    assert lowest
    assert all(place in places for place in lowest)
    assert listed(view, "method") == order
    assert "Log loss is lowest on" in view.locator("h2").inner_text()
    assert "lowest for" in view.locator("figcaption").first.inner_text()
    assert "lower is better" in view.locator(".drawing svg").first.inner_html()
    assert re.fullmatch(r"\W*0\.\d{4}", view.locator("table").first.locator("tbody td").nth(1).inner_text())
    fronts = listed(told.view(f"cost?{CHOSEN}&point=choice"), "method", "on the front")
    assert listed(told.view(f"cost?{CHOSEN}&point=choice&metric=log+loss"), "method", "on the front") == fronts
    assert {"yes", "no"} <= {front for rows in fronts for _, front in rows}


def test_no_method_on_the_front_is_called_the_best(browser):
    titles = browser.view(f"cost?{CHOSEN}&point=choice").locator("figcaption").all_inner_texts()
    assert titles
    assert all("on the front" in title and "best" not in title for title in titles)


def test_a_metric_names_the_methods_that_lack_it(told):
    names = "MALLET, no induction", "SMILE"
    view = told.view("leaderboard?study=training&decoder=viterbi&point=choice&metric=log+loss")
    assert f"Without log loss: {'; '.join(names)}." in view.locator(".absent").inner_text()
    assert "Without" not in told.view(f"leaderboard?{CHOSEN}&metric=log+loss").locator(".absent").inner_text()
    told.view(f"pairs?{CHOSEN}&metric=log+loss")
    assert told.tab.locator("#choose-pairs-metric").count() == 0


TITLES = {
    "treecrf": "Says 75.0 %, right 65.0 %: overconfident by 10.0 points",
    "linear_crf": "Says 75.0 %, right 75.0 %: calibrated as a whole, but bins are 5.0 points off on average",
    "memm": "Says 90.0 %, right 90.5 %: well calibrated (bins are 0.5 points off on average, and 1 is allowed)",
    "sliding_window": "Says 82.0 %, right 90.0 %: underconfident by 8.0 points",
}


@pytest.mark.parametrize("method", TITLES)
def test_calibration_is_said_in_words(told, method):
    view = told.view(CELL.replace("treecrf", method))
    (figure,) = [each for each in view.locator("figure").all() if "Says" in each.inner_text()]
    assert figure.locator("figcaption").inner_text() == TITLES[method]
    assert figure.locator(".drawing svg").count() == 1
    assert not any("probabilities" in text for text in view.locator(".absent").all_inner_texts())


def test_a_cell_without_probabilities_says_so(told):
    view = told.view(CELL.replace("treecrf", "lightgbm"))
    assert any("probabilities" in text for text in view.locator(".absent").all_inner_texts())
