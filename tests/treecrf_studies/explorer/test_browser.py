"""The explorer in a browser without a network."""

import csv
import io
import re
from urllib.parse import unquote

import pandas as pd
import pytest
from browsing import TEXTS, opened

from treecrf.statistics.ranking import BEST, REFERENCE, STANDINGS, WORSE
from treecrf_studies.explorer.page import render_explorer

CHOSEN = "study=training&decoder=better"
CELL = f"cell?{CHOSEN}&dataset=protein&method=treecrf&point=choice"
METHOD = f"method?{CHOSEN}&method=treecrf"
PAIR = f"pair?{CHOSEN}&point=choice&method=treecrf&other=lightgbm"

VIEWS = {
    "": "leaderboard",
    "leaderboard?study=missing&variant=20+%25+missing": "leaderboard",
    "leaderboard?study=coding": "leaderboard",
    "leaderboard?study=cost": "leaderboard",
    f"leaderboard?{CHOSEN}&data=protein": "leaderboard",
    "pairs": "pairs",
    "pairs?study=cost": "pairs",
    "cost": "cost",
    METHOD: "method",
    "method?study=training&method=none": "method",
    PAIR: "pair",
    "pair?study=none": "pair",
    CELL: "cell",
    "cell?study=none": "cell",
    "nothing?<script>": "leaderboard",
}


def training(gathered):
    return gathered.scores.query(
        "study == 'training' and decoder == 'better' and point == 'choice' and quantity == 'accuracy'"
    )


def rows_of(table):
    """Texts of the cells of a table, its head first."""
    return table.evaluate(
        "(table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    )


@pytest.mark.parametrize("fragment", VIEWS)
def test_every_view_is_reached_by_its_fragment_and_asks_for_nothing(browser, fragment):
    view = browser.view(fragment)
    assert view.get_attribute("data-view") == VIEWS[fragment]
    assert view.locator("h2").inner_text()
    assert browser.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_marks_tell_the_highest_those_not_separated_and_those_that_a_test_separates(browser, gathered):
    view = browser.view(f"leaderboard?{CHOSEN}&point=choice")
    scores = training(gathered)
    shared = scores["dataset"].map(scores.groupby("dataset").size()) == scores["method"].nunique()
    standings = {"circle": [BEST], "diamond": [WORSE], "ring": set(STANDINGS) - {BEST, WORSE}}
    for shape, wanted in standings.items():
        drawn = (shared & scores["standing"].isin(wanted)).sum()
        assert view.locator(f".drawing .mark.{shape}").count() == drawn > 0
    assert view.locator("td.top").count() == scores["standing"].isin(set(STANDINGS) - {WORSE}).sum()


def test_a_metric_that_is_not_tested_has_no_standings(told):
    view = told.view(f"leaderboard?{CHOSEN}&point=choice&metric=log+loss")
    marks = view.locator(".drawing [data-mark]")
    assert marks.count() == view.locator(".drawing .mark.square").count() > 0
    assert "not separated" not in view.inner_text()
    assert view.locator("td b").count() >= view.locator("table").first.locator("thead th").count() - 3


def test_a_reference_is_neither_ranked_nor_best(browser, gathered):
    references = gathered.scores[gathered.scores["standing"] == REFERENCE]
    (study,), (method,) = set(references["study"]), set(references["method"])
    name = gathered.methods.set_index(["study", "method"])["name"][study, method]
    case = references.iloc[0]
    fragment = f"study={study}&variant={case['variant']}".replace(" ", "+")
    view = browser.view(f"leaderboard?{fragment}&data={case['dataset']}")
    rows = rows_of(view.locator("table").first)
    assert rows[-1][0] == name
    assert rows[-1][4] == "reference"
    assert name not in view.locator("h2").inner_text()
    assert view.locator(".drawing .mark.cross").count() == 1
    for other in ("pairs", "cost"):
        assert name not in browser.view(f"{other}?{fragment}").inner_text()


def test_a_choice_goes_into_the_address_and_stays_in_focus(browser):
    browser.view("leaderboard").locator("select").first.focus()
    browser.tab.locator("select").first.select_option("missing")
    assert "missing" in browser.shown().locator("select").last.inner_text()
    assert "study=missing" in browser.tab.url
    assert browser.tab.evaluate("document.activeElement.id") == "choose-leaderboard-study"
    browser.tab.go_back()
    assert "Training" in browser.shown().locator("select").first.locator("option:checked").inner_text()


def test_a_study_takes_no_condition_of_another_into_the_address(browser):
    browser.view("leaderboard?study=missing&variant=20+%25+missing")
    browser.tab.locator("select").first.select_option("training")
    browser.shown()
    assert browser.tab.url.endswith("#leaderboard?study=training")


def test_views_lead_back_to_what_was_chosen_and_tabs_keep_it(browser):
    fragment = f"leaderboard?{CHOSEN}&search=crf&data=protein%2Chyphen"
    browser.view(fragment).locator("tbody th a").first.click()
    browser.shown().get_by_text("← Leaderboard").click()
    browser.shown()
    assert browser.tab.url.endswith(fragment)
    browser.tab.locator("nav.views").get_by_text("Pairs").click()
    view = browser.shown()
    assert view.get_attribute("data-view") == "pairs"
    assert {"search=crf", "data=protein%2Chyphen"} <= set(re.split("[?&]", browser.tab.url))
    assert all("CRF" in name for name in view.locator(".matrix tbody th").all_text_contents())


def test_a_search_keeps_methods_whose_names_have_a_text(browser, gathered):
    box = browser.view(f"leaderboard?{CHOSEN}").locator("input[type=search]")
    box.press_sequentially("mallet, smi")
    names = gathered.methods.query("study == 'training'")["name"].str.lower()
    expected = names[names.str.contains("mallet|smi")]
    _, *rows = rows_of(browser.shown().locator("table").first)
    assert sorted(row[0].lower() for row in rows) == sorted(expected)
    assert "search=mallet%2C+smi" in browser.tab.url
    assert browser.tab.evaluate("document.activeElement.value") == "mallet, smi"
    assert "No method" in browser.view("leaderboard?search=zzz").locator("h2").inner_text()


def test_columns_are_chosen_and_stay_in_the_address(browser):
    view = browser.view(METHOD)
    before = rows_of(view.locator("table").first)[0]
    view.get_by_text("Columns").click()
    for name in ("settings", "compatible ranks"):
        browser.shown().get_by_role("checkbox", name=name).click()
    after = rows_of(browser.shown().locator("table").first)[0]
    heads = [{re.sub(r"\W*$", "", cell) for cell in cells} for cells in (before, after)]
    assert heads[0] ^ heads[1] == {"settings", "compatible ranks"}
    assert "columns=settings%2Ccompatible_ranks" in browser.tab.url
    assert browser.tab.evaluate("document.activeElement.id").endswith("compatible_ranks")


def test_head_and_first_column_stay_in_view(chromium, file):
    with opened(chromium, file, viewport={"width": 700, "height": 400}) as browser:
        table = browser.view(f"leaderboard?{CHOSEN}").locator("table").first
        places = table.evaluate(
            """(table) => {
                const box = table.parentElement, cells = [table.rows[0].cells[5], table.rows[5].cells[0]];
                const at = () => cells.map((cell) => cell.getBoundingClientRect());
                const before = at();
                box.scrollTo(200, 150);
                const after = at();
                return [box.scrollLeft, box.scrollTop, after[0].top - before[0].top, after[1].left - before[1].left];
            }"""
        )
    assert places == [200, 150, 0, 0]


def test_methods_cells_and_pairs_lead_to_what_is_behind_them(browser, gathered):
    view = browser.view(f"leaderboard?{CHOSEN}")
    name = view.locator("tbody th a").first.inner_text()
    view.locator("tbody th a").first.click()
    view = browser.shown()
    assert view.get_attribute("data-view") == "method"
    assert name in view.locator("h2").inner_text()
    head, *rows = rows_of(view.locator("table").first)
    assert {"CPU seconds", "standing", "compatible ranks"} <= {re.sub(r"\W*$", "", cell) for cell in head}
    methods, scores = (frame[frame["study"] == "training"] for frame in (gathered.methods, gathered.scores))
    of_method = scores[scores["method"].isin(methods.loc[methods["name"] == name, "method"])]
    assert len(rows) == of_method["dataset"].nunique() > 1
    view.locator("tbody th a").first.click()
    assert browser.shown().get_attribute("data-view") == "cell"
    assert browser.tab.evaluate("document.activeElement.id") == "title"
    browser.view(f"pairs?{CHOSEN}").locator(".matrix a").first.click()
    assert browser.shown().get_attribute("data-view") == "pair"


def test_a_pair_has_the_tests_of_all_data_sets(browser, gathered):
    found = gathered.pairs.query("study == 'training' and decoder == 'better' and point == 'choice'")
    found = found[found["method"].isin(["treecrf", "lightgbm"]) & found["other"].isin(["treecrf", "lightgbm"])]
    sign = found["method"].map({"treecrf": 1, "lightgbm": -1})
    expected = dict(zip(found["dataset"], (sign * found["value"]).astype(float).round(2), strict=True))
    _, *rows = rows_of(browser.view(PAIR).locator("table").first)
    assert {row[0]: float(row[1].replace("−", "-")) for row in rows} == expected


def test_marks_of_a_chart_are_one_stop_of_tab_and_reached_by_arrows(browser):
    view = browser.view(f"cost?{CHOSEN}")
    drawing = view.locator(".drawing").first
    assert drawing.locator("[data-mark]").count() > 5
    assert drawing.locator("[tabindex='0']").count() == 1
    drawing.locator("[tabindex='0']").focus()
    place = "[...document.querySelectorAll('[data-mark]')].indexOf(document.activeElement)"
    seen = {browser.tab.evaluate(place)}
    for key in ("ArrowRight", "ArrowUp", "ArrowRight", "ArrowDown"):
        browser.tab.keyboard.press(key)
        seen.add(browser.tab.evaluate(place))
    assert len(seen) > 2
    label = browser.tab.evaluate("document.activeElement.getAttribute('aria-label')")
    assert browser.tab.locator("#tip").inner_text() == label
    browser.tab.keyboard.press("Enter")
    assert browser.shown().get_attribute("data-view") == "cell"
    assert label.split(" on ")[0] in browser.tab.locator("h2").inner_text()


def test_tables_and_charts_are_saved(browser, gathered):
    view = browser.view(f"leaderboard?{CHOSEN}&data=protein")
    with browser.tab.expect_download() as saved:
        view.get_by_role("button", name=re.compile("^CSV")).first.click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text(encoding="utf-8"))))
    assert saved.value.suggested_filename.endswith(".csv")
    methods, scores = (frame[frame["study"] == "training"] for frame in (gathered.methods, gathered.scores))
    of_set = methods["method"].isin(scores.loc[scores["dataset"] == "protein", "method"])
    assert {row["method"] for row in rows} == set(methods.loc[of_set, "name"])
    assert all(float(row["protein"]) > 50 for row in rows)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with browser.tab.expect_download() as saved:
            view.get_by_role("button", name=re.compile(f"^{kind}")).first.click()
        content = saved.value.path().read_bytes()
        assert content.startswith(start)
        if kind == "SVG":
            assert not re.search(r"--(best|ground): ?;", unquote(content.decode()))
    assert browser.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 900, 1400])
def test_nothing_is_wider_than_the_screen_and_charts_have_no_ground(chromium, file, scheme, width):
    with opened(chromium, file, viewport={"width": width, "height": 800}, color_scheme=scheme) as browser:
        for fragment in ("leaderboard", "pairs", "cost", METHOD, PAIR, CELL):
            view = browser.view(fragment)
            assert browser.tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), fragment
            beyond = "(all) => all.filter((each) => each.getBoundingClientRect().right > innerWidth).length"
            assert view.locator(".drawing svg").evaluate_all(beyond) == 0
            grounds = "(all) => all.map((each) => getComputedStyle(each).backgroundColor)"
            assert set(view.locator(".drawing, .drawing svg").evaluate_all(grounds)) <= {"rgba(0, 0, 0, 0)"}


def test_tables_fit_a_wide_screen_with_a_line_for_each_row(chromium, file):
    with opened(chromium, file, viewport={"width": 1400, "height": 900}) as browser:
        for fragment in (f"leaderboard?{CHOSEN}", METHOD, PAIR):
            table = browser.view(fragment).locator("table").first
            assert table.evaluate("(table) => table.offsetWidth <= table.parentElement.clientWidth"), fragment
            heights = table.evaluate("(table) => [...table.tBodies[0].rows].map((row) => row.offsetHeight)")
            assert max(heights) < 60, fragment


def test_the_lowest_loss_is_the_best(told):
    """Where the loss is what accuracy lacks, methods have the same ranks, and gaps of the other sign."""
    found = []
    for metric in ("accuracy", "log+loss"):
        head, *rows = rows_of(told.view(f"leaderboard?{CHOSEN}&point=choice&metric={metric}").locator("table").first)
        place = [re.sub(r"\W*$", "", cell) for cell in head].index("mean rank")
        found.append({row[0]: row[place] for row in rows})
    assert found[0] == found[1]
    rows = rows_of(told.view(f"cost?{CHOSEN}&point=choice&metric=log+loss").locator("figure details table").first)[1:]
    losses, seconds = ([float(row[place]) for row in rows] for place in (1, 2))
    expected = [
        all(loss < other for other, time in zip(losses, seconds, strict=True) if time < own)
        for loss, own in zip(losses, seconds, strict=True)
    ]
    assert [row[3] == "yes" for row in rows] == expected
    assert 1 < sum(expected) < len(rows)


def test_what_people_named_is_shown_as_text(chromium, settings, gathered, tmp_path):
    """Methods, labels and the note of a run; a script would change the title or be refused aloud."""
    wanted = gathered.methods["method"].isin(["treecrf", "lightgbm"])
    evil = "".join(TEXTS)
    methods = gathered.methods.assign(name=gathered.methods["name"].where(~wanted, gathered.methods["method"] + evil))
    key = {"study": "training", "dataset": "protein", "variant": "", "decoder": "better", "point": "choice"}
    codes = range(len(TEXTS))
    cells = [key | {"method": "treecrf", "label": code, "predicted": code, "n": 5} for code in codes]
    labels = pd.DataFrame([{"study": "training", "dataset": "protein", "names": list(TEXTS)}])
    told = gathered._replace(methods=methods, confusion=pd.DataFrame(cells), labels=labels)
    path = tmp_path / "explorer.html"
    path.write_text(render_explorer(settings.model_copy(update={"note": evil}), told), encoding="utf-8")
    with opened(chromium, path) as browser:
        for fragment in ("", "pairs", METHOD, PAIR, CELL):
            view = browser.view(fragment)
            assert browser.tab.title().endswith(" – treecrf explorer")
            text = re.sub("\\s+", " ", browser.tab.locator("body").text_content())
            assert re.sub("\\s+", " ", f"treecrf{evil}") in text or fragment == "pairs"
        shown = [re.sub("\\s+", " ", cell) for cell in view.locator("th").all_text_contents()]
        assert {re.sub("\\s+", " ", text) for text in TEXTS} <= set(shown)
