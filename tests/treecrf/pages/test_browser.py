"""The viewer in the system's Chromium: choosing, keys, errors, and long sequences."""

import numpy as np
import pandas as pd
import pytest

from treecrf.automl.time_axis import TimeAxis
from treecrf.pages.viewer import Viewed, render_viewer

EVIL = "<img src=x onerror=\"document.title='run'\">"
LABELS = ["O", "B-x", "I-x", EVIL]


def viewed(n, n_sequences=3, seed=0):
    """A column of words and two of numbers; the last label is hostile."""
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(4), n)
    predicted, true = probabilities.argmax(axis=1), rng.integers(0, 4, n)
    inputs = pd.DataFrame({"word": rng.choice(["tree", "of", EVIL], n), "x": np.cumsum(rng.normal(size=n))})
    offsets = np.linspace(0, n, n_sequences + 1).astype(int)
    names = [f"s{number}" for number in range(n_sequences - 1)] + [EVIL]
    return Viewed(names, offsets, inputs.assign(y=rng.normal(size=n)), LABELS, probabilities, predicted, true)


@pytest.fixture
def show(chromium, tmp_path):
    """Opens a page of a width; fails on errors of scripts and on requests."""
    problems, tabs = [], []

    def show(what, width=1400, fragment="", **options):
        file = tmp_path / "page.html"
        file.write_text(render_viewer("a page", what, **options), encoding="utf-8")
        tab = chromium.new_page(viewport={"width": width, "height": 900})
        tab.on("pageerror", lambda error: problems.append(f"error: {error}"))
        tab.on("console", lambda message: message.type == "error" and problems.append(message.text))
        tab.on("request", lambda request: request.url.startswith("file:") or problems.append(request.url))
        tab.goto(f"{file.resolve().as_uri()}{fragment}")
        tabs.append(tab)
        return tab

    yield show
    titles = [tab.title() for tab in tabs]
    for tab in tabs:
        tab.close()
    assert problems == []
    assert set(titles) <= {"a page"}


def as_words(tab):
    tab.locator("#as-words").check()


@pytest.mark.parametrize("width", [1400, 390])
def test_rows_by_keys_and_by_the_slider(show, width):
    data = viewed(60)
    tab = show(data, width)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.locator("#stage").focus()
    for key in ("ArrowRight", "ArrowRight", "e"):
        tab.keyboard.press(key)
    wrong = np.flatnonzero((data.predicted != data.true)[:20])
    expected = wrong[wrong > 2][0]
    slider = tab.locator("#at")
    assert slider.input_value() == str(expected)
    assert slider.get_attribute("aria-valuetext").startswith(f"row {expected}, predicted ")
    text = tab.locator("#inspector").inner_text()
    assert f"Row {expected} of 20" in text
    assert "(wrong)" in text
    assert str(float(f"{data.inputs['x'][expected]:.6g}")) in text
    tab.keyboard.press("End")
    assert slider.input_value() == "19"
    assert tab.url.endswith("#0.19")


def test_the_order_by_error_and_the_filter_by_label(show):
    data = viewed(60, 6)
    wrong = np.add.reduceat(data.predicted != data.true, data.offsets[:-1])
    tab = show(data)
    tab.locator("#order").select_option("errors")
    options = tab.locator("#sequence option")
    shown = [int(options.nth(i).get_attribute("value")) for i in range(options.count())]
    assert shown == sorted(range(6), key=lambda number: (-wrong[number], number))
    tab.locator("#label").select_option(label="I-x")
    tab.locator("#where").select_option("true")
    has_label = {i for i in range(6) if (data.true[data.offsets[i] : data.offsets[i + 1]] == 2).any()}
    assert {int(options.nth(i).get_attribute("value")) for i in range(options.count())} == has_label
    tab.locator("#label").select_option("")
    tab.locator("#find").fill("s3")
    assert options.count() == 1
    assert tab.locator("#inspector").inner_text().startswith("Row 0 of 10")


def test_entities_are_one_span_and_texts_stay_texts(show):
    codes = np.array([1, 2, 2, 0, 0, 1, 1])
    inputs = pd.DataFrame({"word": ["ada", "king", EVIL, "wrote", "it", "x", "y"]})
    truth = codes.copy()
    truth[6] = 0
    names = ["O", "B-x", "I-x", "B-y"]
    tab = show(Viewed(["one"], np.array([0, 7]), inputs, names, np.eye(4)[codes], codes, truth))
    spans = [text.split("\n") for text in tab.locator("mark.segment").all_inner_texts()]
    assert [span[-1] for span in spans] == ["x", "x", "x true: none"]
    assert tab.locator("mark.segment.wrong").count() == 1
    assert EVIL in tab.locator("mark.segment").first.inner_text()
    assert tab.locator("#stage img").count() == 0


def test_what_is_out_of_sight_is_not_drawn(show):
    data = viewed(100_000, 1)
    tab = show(data)
    n_wrong = int((data.predicted != data.true).sum())
    assert f"(100,000 rows, {n_wrong:,} of 100,000 wrong)" in tab.locator("#sequence option").first.inner_text()
    assert tab.locator("canvas").evaluate("node => node.width") < 3000
    for _ in range(12):
        tab.locator("#in").click()
    stage = tab.locator("#stage")
    wide = stage.evaluate("node => node.scrollWidth")
    assert wide > 1_000_000
    seconds = stage.evaluate(
        """async (node) => {
          const begin = performance.now();
          for (let i = 0; i < 60; i++) {
            node.scrollLeft = i * node.scrollWidth / 60;
            await new Promise((done) => requestAnimationFrame(done));
          }
          return (performance.now() - begin) / 1000;
        }"""
    )
    assert seconds < 10
    as_words(tab)
    assert tab.locator(".word").count() < 5000
    tab.locator("#stage").focus()
    tab.keyboard.press("End")
    tab.wait_for_selector('.word.here[data-at="99999"]')
    assert tab.locator(".word").count() < 5000


def timed(seconds, kind="date"):
    """A sequence of two columns of numbers at these times."""
    n = len(seconds)
    inputs = pd.DataFrame({"x": np.arange(n, dtype=float), "y": np.ones(n)})
    times = TimeAxis("when", kind, np.asarray(seconds, dtype=float))
    codes = np.zeros(n, dtype=int)
    return Viewed(["one"], np.array([0, n]), inputs, LABELS, np.eye(4)[codes], codes, codes, times)


NOON = 1_422_878_400  # 2015-02-02 12:00:00
"""Seconds since 1970."""


@pytest.mark.parametrize("width", [1400, 390])
def test_positions_are_at_their_times(show, width):
    tab = show(timed([NOON, NOON + 60, NOON + 120, NOON + 600]), width)
    first, second, third, last = tab.evaluate("[0, 1, 2, 3].map((position) => chart.x(position))")
    np.testing.assert_allclose([third - first, last - first], [2 * (second - first), 10 * (second - first)])
    ends, begins = tab.evaluate("[chart.ends[2], chart.begins[3]]")
    assert ends < begins  # nothing is known of the time between
    assert "when: 2015-02-02 12:00:00" in tab.locator("#inspector").inner_text()
    tab.locator("#stage").focus()
    tab.keyboard.press("End")
    assert "2015-02-02 12:10:00" in tab.locator("#at").get_attribute("aria-valuetext")
    box = tab.locator("#stage").bounding_box()
    tab.mouse.move(box["x"] + second + 1, box["y"] + 20)
    assert "Row 1 of 4" in tab.locator("#inspector").inner_text()
    tab.locator("#axis").select_option("row")
    places = tab.evaluate("[0, 1, 2, 3].map((position) => chart.x(position))")
    np.testing.assert_allclose(np.diff(places), places[1] - places[0])
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("seconds", "kind", "least", "expected"),
    [
        ([NOON, NOON + 3600], "date", 900, ["12:00 2015-02-02", "12:15 2015-02-02", "12:30 2015-02-02"]),
        ([NOON, NOON + 5], "date", 0.4, ["12:00:00.000 2015-02-02", "12:00:00.500 2015-02-02"]),
        ([NOON, NOON + 5 * 86_400], "date", 80_000, ["2015-02-03", "2015-02-04"]),
        ([NOON, NOON + 300 * 86_400], "date", 60 * 86_400, ["2015-04", "2015-07"]),
        ([NOON, NOON + 30_000 * 86_400], "date", 3000 * 86_400, ["2020", "2030"]),
        ([86_000, 90_000], "time of day", 1200, ["00:00 day 2", "00:30 day 2"]),
        ([2808, 2900], "number", 7, ["2810", "2820"]),
        ([0.1, 0.9], "number", 0.15, ["0.2", "0.4"]),
    ],
)
def test_ticks_are_round_times(show, seconds, kind, least, expected):
    tab = show(timed(seconds, kind))
    ticks = tab.evaluate(f"ticksOf({seconds[0]}, {seconds[-1]}, {least})")
    assert [f"{words} {day}".strip() for _, words, day in ticks[: len(expected)]] == expected


def test_a_sequence_without_times_is_drawn_by_rows(show):
    tab = show(timed([np.nan] * 4))
    places = tab.evaluate("[0, 1, 2, 3].map((position) => chart.x(position))")
    np.testing.assert_allclose(np.diff(places), places[1] - places[0])
    assert "when" not in tab.locator("#inspector").inner_text()


def test_cursors_do_not_cover_the_names_of_columns(show):
    tab = show(timed(NOON + 60 * np.arange(40)))
    tab.wait_for_timeout(200)
    above, beside = tab.evaluate(
        """[[6, 13], [60, 77]].map(([from, to]) => {
          const [x, ratio] = [chart.x(0), devicePixelRatio], pen = chart.canvas.getContext("2d");
          const pixels = pen.getImageData(x * ratio, from * ratio, 1, (to - from) * ratio).data;
          return Math.max(...pixels.map((_, i) => (i % 4 ? 0 : pixels[i + 2] - pixels[i]))); // how blue cursors are
        })"""
    )
    assert beside > 100
    assert above < 50


def test_100_000_irregular_times_scroll_and_zoom_smoothly(show):
    tab = show(timed(NOON + np.cumsum(np.random.default_rng(0).exponential(60, 100_000))))
    for _ in range(12):
        tab.locator("#in").click()
    stage = tab.locator("#stage")
    assert stage.evaluate("node => node.scrollWidth") > 1_000_000
    seconds = stage.evaluate(
        """async (node) => {
          const begin = performance.now();
          for (let i = 0; i < 60; i++) {
            node.scrollLeft = i * node.scrollWidth / 60;
            await new Promise((done) => requestAnimationFrame(done));
          }
          return (performance.now() - begin) / 1000;
        }"""
    )
    assert seconds < 10


def test_a_page_opens_where_its_address_says(show):
    tab = show(viewed(60), fragment="#2.7")
    assert tab.locator("#inspector").inner_text().startswith("Row 7 of 20")
    tab = show(viewed(60), opened=1)
    assert tab.locator("#sequence").input_value() == "1"
