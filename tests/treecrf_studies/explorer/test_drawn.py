"""What charts draw is what their tables say: values are read from the pixels and the axis."""

import re

import numpy as np
import pytest

CHOSEN = "study=training&decoder=better"
CASES = {
    f"leaderboard?{CHOSEN}": "gap to the highest",
    f"leaderboard?{CHOSEN}&data=hyphen": "accuracy",
    f"method?{CHOSEN}&method=treecrf": "tested difference",
    f"method?{CHOSEN}&method=mallet": "tested difference",
    f"method?{CHOSEN}&point=peak&method=treecrf": "accuracy",
    f"pair?{CHOSEN}&point=choice&method=treecrf_newton&other=memm": "tested difference (points",
    f"cell?{CHOSEN}&dataset=faq_ai_general&method=mallet&point=choice": "tested difference (points",
    "method?study=missing&variant=20+%25+missing&method=imputation": "tested difference",
}

READ = """(figure) => {
    const number = (text) => Number(text.replace("−", "-"));
    const at = (mark, name, place) => Number(mark.getAttribute(name).match(/[\\d.-]+/g)[place]);
    const marks = [...figure.querySelectorAll(".mark")];
    const texts = [...figure.querySelectorAll(".axes text:not(.quiet)")];
    const below = texts.filter((text) => text.getAttribute("text-anchor") === "middle");
    const heights = [...figure.querySelectorAll(".axes text[text-anchor=end]")];
    const spreads = [...figure.querySelectorAll(".spread")];
    const rows = [...figure.querySelector("table").rows];
    return {
        heights: heights.map((text) => [Number(text.getAttribute("y")) - 4, number(text.textContent)]),
        levels: marks.map((mark) => at(mark, "transform", 1)),
        ticks: below.map((text) => [Number(text.getAttribute("x")), number(text.textContent)]),
        marks: marks.map((mark) => [at(mark, "transform", 0), mark.dataset.tip]),
        spreads: spreads.map((path) => path.getAttribute("d").match(/[\\d.-]+/g).map(Number)),
        bars: [...figure.querySelectorAll(".thick")].map((path) => at(path, "d", 0)),
        table: rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
    };
}"""


def numbers(text):
    return [float(found.replace("−", "-")) for found in re.findall(r"[−-]?\d+(?:\.\d+)?", text)]


def read(view):
    """The first chart of a view: values of its marks, spreads and bars, and its table."""
    found = view.locator("figure.chart").first.evaluate(READ)
    places, values = np.array(found["ticks"]).T
    slope, start = np.polyfit(places, values, 1)
    head, *rows = found["table"]
    head = [re.sub(r"\W*$", "", cell) for cell in head]
    scale = abs(slope)
    return found, head, rows, (lambda place: slope * np.asarray(place) + start), scale


@pytest.mark.parametrize("fragment", CASES)
def test_marks_are_where_the_table_says(browser, fragment):
    found, head, rows, at, pixel = read(browser.view(fragment))
    written = sorted(numbers(row[head.index(CASES[fragment])])[0] for row in rows)
    drawn = sorted(at([place for place, _ in found["marks"]]))
    assert len(drawn) == len(written) > 1
    np.testing.assert_allclose(drawn, written, atol=0.006 + pixel * 0.1)


@pytest.mark.parametrize("fragment", [fragment for fragment in CASES if CASES[fragment].startswith("tested")])
def test_intervals_are_those_of_the_table_and_of_the_tips(browser, fragment):
    found, head, rows, at, pixel = read(browser.view(fragment))
    column = head.index("95 %, Bonferroni")
    written = sorted(tuple(numbers(row[column])) for row in rows if row[column] != "–")
    drawn = sorted(tuple(at(ends)) for ends in [[spread[0], spread[2]] for spread in found["spreads"]])
    assert len(drawn) == len(written) > 1
    np.testing.assert_allclose(drawn, np.clip(written, -100, 100), atol=0.006 + pixel * 0.1)
    tips = sorted(tuple(numbers(tip.split(" points (")[1].split(")")[0])) for _, tip in found["marks"] if " to " in tip)
    assert tips == written


def test_bars_are_the_means_of_the_leaderboard(browser):
    view = browser.view(f"leaderboard?{CHOSEN}")
    found, *_, at, pixel = read(view)
    head, *rows = view.locator("table").first.evaluate(
        "(table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    )
    (column,) = [place for place, cell in enumerate(head) if cell.startswith("mean gap")]
    written = [numbers(row[column])[0] for row in rows]
    np.testing.assert_allclose(at(found["bars"]), written, atol=0.006 + pixel * 0.1)


@pytest.mark.parametrize("dataset", ["protein", "nettalk", "faq_aix"])
def test_heights_in_charts_of_cost_are_the_accuracies_of_the_table(browser, dataset):
    found, head, rows, *_ = read(browser.view(f"cost?{CHOSEN}&data={dataset}"))
    slope, start = np.polyfit(*np.array(found["heights"]).T, 1)
    written = [numbers(row[head.index("accuracy")])[0] for row in rows]
    np.testing.assert_allclose(slope * np.array(found["levels"]) + start, written, atol=0.006 + abs(slope) * 0.1)


def test_a_cell_has_one_accuracy_and_says_what_its_curve_is_of(browser, gathered):
    """The accuracy is a mean of trainings; the curve is of another training."""
    key = {"study": "training", "dataset": "hyphen", "decoder": "better", "point": "choice", "method": "treecrf_newton"}
    query = " and ".join(f"{name} == {value!r}" for name, value in key.items())
    (score,) = gathered.scores.query(f"{query} and quantity == 'accuracy'").to_dict("records")
    curve = gathered.curves.query(query)
    (at_choice,) = curve.loc[curve["is_chosen"].astype(bool), "accuracy"]
    view = browser.view("cell?" + "&".join(f"{name}={value}" for name, value in key.items()))
    mean, alone = f"{score['value']:.2f}", f"{at_choice:.2f}"
    assert mean != alone
    assert view.locator("h2").inner_text().split(": ")[1].startswith(f"{mean} %")
    assert f"{mean}, mean of {score['n']:.0f} runs" in view.locator("dl").inner_text()
    (title,) = [text for text in view.locator("figcaption").all_inner_texts() if f"{alone} %" in text]
    assert title.startswith("One more training, on the unchanged training set")


@pytest.mark.parametrize("search", ["smile", "neural", "treecrf", "mallet, smile"])
@pytest.mark.parametrize("view", ["leaderboard", "cost"])
def test_an_axis_has_ticks_also_where_few_methods_are_shown(browser, view, search):
    found = browser.view(f"{view}?{CHOSEN}&search={search}").locator("figure.chart").first.evaluate(READ)
    assert len(found["ticks"]) > 1
