"""What the explorer says when it compares methods, against the frames and against README."""

import re

import pandas as pd
import pytest
from browsing import opened

from treecrf_studies.explorer.page import render_explorer
from treecrf_studies.explorer.readme import unbeaten

CHOSEN = "study=training&decoder=better&point=choice"
CASE = "study == 'training' and decoder == 'better' and point == 'choice'"


def columns_of(view):
    """Texts of the first table of a view by method and heading."""
    head, *rows = view.locator("table").first.evaluate(
        "(table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    )
    return pd.DataFrame(rows, columns=[re.sub(r"\W*$", "", cell) for cell in head]).set_index("method")


def number(text):
    return float(re.sub(r"[^\d.-]", "", text.replace("−", "-")))


def comparison(gathered, methods=None):
    """Accuracies by method and data set, all of them known, and the tests between these methods there."""
    names = gathered.methods.query("study == 'training'").set_index("method")["name"]
    scores = gathered.scores.query(f"{CASE} and quantity == 'accuracy'").astype({"value": float})
    scores, pairs = scores.assign(name=scores["method"].map(names)), gathered.pairs.query(CASE)
    highest = scores.groupby("dataset")["value"].max()
    if methods is not None:
        scores = scores[scores["name"].isin(methods)]
    values = scores.pivot_table(index="name", columns="dataset", values="value").dropna(axis=1)
    pairs = pairs.assign(method=pairs["method"].map(names), other=pairs["other"].map(names))
    shown = pairs["method"].isin(values.index) & pairs["other"].isin(values.index)
    return values, highest[values.columns], pairs[shown & pairs["dataset"].isin(values.columns)]


@pytest.mark.parametrize("search", ["", "tree", "treecrf-2004,treecrf-newton,linear crf"])
def test_methods_are_compared_on_the_data_sets_that_all_shown_methods_have(browser, gathered, search):
    view = browser.view(f"leaderboard?{CHOSEN}&search={search}")
    table = columns_of(view)
    values, highest, pairs = comparison(gathered, table.index)
    assert len(values) == len(table)
    ranks, gaps = values.rank(ascending=False).mean(axis=1), (values - highest).mean(axis=1)
    (note,) = [text for text in view.locator("p.note").all_inner_texts() if text.startswith("Rates, ranks and means")]
    named = note.split(" are over ")[1].split(", which ")[0]
    assert set(re.split(", | and ", named)) == set(values.columns)
    for name, row in table.iterrows():
        own, other = pairs[pairs["method"] == name], pairs[pairs["other"] == name]
        won = (own["decision"] == "better").sum() + (other["decision"] == "worse").sum()
        lost = (own["decision"] == "worse").sum() + (other["decision"] == "better").sum()
        shares = [100 * n / (len(own) + len(other)) for n in (won, lost)]
        assert [number(row["win rate"]), number(row["loss rate"])] == pytest.approx(shares, abs=0.5001)
        assert number(row["mean rank"]) == pytest.approx(ranks[name], abs=0.0501)
        assert number(row["mean gap (points"]) == pytest.approx(gaps[name], abs=0.0051)


def test_headline_tabs_and_readme_name_the_same_methods(browser, gathered):
    titles = {view: browser.view(f"{view}?{CHOSEN}").locator("h2").inner_text() for view in ("leaderboard", "pairs")}
    assert titles["leaderboard"] == titles["pairs"]
    sets, methods = unbeaten(gathered)
    found = re.fullmatch("Start with (.*): no test on (.*) finds a better method", titles["pairs"])
    assert set(re.split(", | and ", found[2])) == set(sets)
    assert set(re.split(", | or ", found[1])) == set(methods)
    _, _, pairs = comparison(gathered)
    worse = {*pairs.loc[pairs["decision"] == "worse", "method"], *pairs.loc[pairs["decision"] == "better", "other"]}
    assert {*pairs["method"], *pairs["other"]} - worse == set(methods)
    assert (
        columns_of(browser.view(f"leaderboard?{CHOSEN}")).index[: len(methods)].tolist()
        == browser.view(f"pairs?{CHOSEN}").locator(".matrix tbody th").all_inner_texts()[: len(methods)]
    )


def test_a_headline_about_some_methods_says_so(browser):
    """Others, which are not shown, may be better."""
    titles = {browser.view(f"{view}?{CHOSEN}&whole=1").locator("h2").inner_text() for view in ("leaderboard", "pairs")}
    (title,) = titles
    assert re.fullmatch("Among 3 methods shown: start with .*: no test on 8 data sets finds a better method", title)


def test_a_method_is_named_better_only_where_a_test_says_so(chromium, settings, gathered, tmp_path):
    """Two methods, first undecided and then with a test that separates them."""
    case = f"{CASE} and dataset == 'protein' and method in ['treecrf', 'lightgbm']"
    scores = gathered.scores.query(f"{case} and quantity == 'accuracy'")
    pair = gathered.pairs.query(f"{case} and other in ['treecrf', 'lightgbm']")
    titles = []
    for decision in ("undecided", "worse"):
        standing = ["best", "not separated from the best" if decision == "undecided" else "worse than another"]
        ranked = scores.sort_values("value", ascending=False).assign(standing=standing)
        told = gathered._replace(scores=ranked, pairs=pair.assign(decision=decision))
        path = tmp_path / f"{decision}.html"
        path.write_text(render_explorer(settings, told), encoding="utf-8")
        with opened(chromium, path) as browser:
            titles += [browser.view(f"{view}?{CHOSEN}").locator("h2").inner_text() for view in ("leaderboard", "pairs")]
    assert titles[:2] == ["No test separates 2 methods on protein"] * 2
    better = "LightGBM" if pair["method"].iloc[0] == "treecrf" else "TreeCRF"
    other = "TreeCRF" if better == "LightGBM" else "LightGBM"
    assert titles[2:] == [f"Tests find {better} better than {other} on protein"] * 2


def test_larger_samples_stand_beside_their_set_and_outside_of_means(chromium, settings, gathered, tmp_path):
    rows = gathered.scores.query(f"{CASE} and dataset == 'protein' and quantity == 'accuracy'")
    larger = rows.assign(dataset="protein_folds", value=rows["value"].astype(float) - 10)
    samples = pd.DataFrame({"sample": ["protein_folds"], "dataset": ["protein"]})
    told = gathered._replace(scores=pd.concat([gathered.scores, larger], ignore_index=True), larger=samples)
    path = tmp_path / "explorer.html"
    path.write_text(render_explorer(settings, told), encoding="utf-8")
    with opened(chromium, path) as browser:
        table = columns_of(browser.view(f"leaderboard?{CHOSEN}"))
    heads = list(table)
    assert heads[heads.index("protein") + 1] == "protein_folds (larger sample"
    gaps = (lambda parts: (parts[0] - parts[1]).mean(axis=1))(comparison(gathered)[:2])
    for name, row in table.iterrows():
        assert number(row["protein"]) - number(row.iloc[heads.index("protein") + 1]) == pytest.approx(10)
        assert number(row["mean gap (points"]) == pytest.approx(gaps[name], abs=0.0051)


def test_where_no_set_has_all_methods_the_largest_group_is_compared(browser, gathered):
    view = browser.view("leaderboard?study=future")
    scores = gathered.scores.query("study == 'future' and quantity == 'accuracy' and standing != 'reference'")
    has = scores.pivot_table(index="method", columns="dataset", values="value", aggfunc="size").notna()
    assert not has.all().any()
    largest = max((has[has[name]].sum() == has[name].sum()).sum() * has[name].sum() for name in has)
    table = columns_of(view)
    compared = table[table["mean rank"] != "–"] if "mean rank" in table else table
    (note,) = [text for text in view.locator("p.note").all_inner_texts() if text.startswith("Rates, ranks and means")]
    sets = re.split(", | and ", note.split(" are over ")[1].split(", which ")[0])
    assert len(compared) * len(sets) == largest
    assert "Not compared" in note


def test_sets_of_spans_open_with_f1_and_others_lead_to_it(browser):
    view = browser.view("leaderboard?study=coding&data=conll2000_np")
    assert view.locator("h2").inner_text().startswith("F1 of noun phrases of ")
    view = browser.view("leaderboard?study=coding")
    assert view.locator("#choose-leaderboard-metric").input_value() == "accuracy"
    view.locator("text=see their F1").click()
    assert "metric=F1" in browser.tab.url


def test_data_sets_and_methods_are_explained_where_they_stand(browser):
    view = browser.view(f"leaderboard?{CHOSEN}")
    tips = view.locator("table").first.evaluate(
        "(table) => Object.fromEntries([...table.querySelectorAll('[title]')].map((each) => [each.textContent, "
        "each.title]))"
    )
    assert tips["nettalk"] == "stress of English letters (sort)"
    assert tips["linear CRF"].startswith("A CRF with one weight per window cell")
    assert tips["trees + net"] == "The average of TreeCRF-Newton and neural CRF."


def test_colours_of_costs_are_those_of_families(browser):
    view = browser.view(f"cost?{CHOSEN}&data=protein")
    colours = view.locator(".drawing").first.evaluate(
        "(place) => Object.fromEntries([...place.querySelectorAll('[data-mark]')].map((mark) => "
        "[mark.dataset.tip.split(' on ')[0], mark.getAttribute('style')]))"
    )
    assert colours["TreeCRF"] == colours["TreeCRF-2004"] == colours["MEMM"]
    assert colours["linear CRF"] == colours["CRF with induction"] != colours["TreeCRF"]
