"""The charts of the explorer as Vega-Lite specifications, without their data: the page's script fills in the rows that are seen.

Words that begin with a dollar sign stand for colours of the page, light or dark (`LIGHT`; explorer.css has the same names).
"""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import pandas as pd

from treecrf.explorer.published import OWN, STAND_IN
from treecrf.statistics.ranking import BEST, CLOSE, NOT_SEPARATED, REFERENCE, UNTESTED
from treecrf.statistics.ranking import EQUIVALENT as EQUIVALENT_TO_BEST
from treecrf.statistics.ranking import WORSE as BEHIND

LIGHT = {
    "$best": "#0072b2",
    "$near": "#8a6100",
    "$behind": "#b34700",
    "$open": "#6b6b6b",
    "$text": "#1a1a1a",
    "$quiet": "#4d4d4d",
    "$line": "#d5d5d5",
    "$ground": "#ffffff",
}
"""Colours for paper; blue and orange are told apart by colour-blind readers, and shapes repeat what they say."""

BETTER, WORSE, EQUIVALENT, UNDECIDED = "better", "worse", "equivalent", "undecided"

ROWS = alt.Data(name="rows")

_MARKS = {
    BEST: ("$best", "circle"), EQUIVALENT_TO_BEST: ("$best", "circle"), CLOSE: ("$near", "triangle-up"),
    NOT_SEPARATED: ("$near", "triangle-up"), BEHIND: ("$behind", "diamond"), UNTESTED: ("$open", "square"),
    REFERENCE: ("$text", "cross"),
}  # fmt: skip
"""Colour and shape by the standing."""

_STANDING = alt.Scale(domain=list(_MARKS), range=[colour for colour, _ in _MARKS.values()])
_SHAPES = alt.Scale(domain=list(_MARKS), range=[shape for _, shape in _MARKS.values()])
_LEGEND = alt.Legend(orient="top", title=None, columns=3, labelLimit=300)
_METHODS = alt.Y("name:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False))


def charts() -> dict[str, dict[str, Any]]:
    """All specifications by name."""
    made = {
        "published": published(),
        "published_log": published("log"),
        "leaders": leaders(),
        "ranks": ranks(),
        "wins": wins(),
        "cost": cost(),
        "curve": curve(),
        "runs": runs(),
        "confusion": confusion(),
        "reliability": reliability(),
        "verdicts": verdicts(),
    }
    return {name: _specification(chart) for name, chart in made.items()}


def static_svg(specification: dict[str, Any], rows: pd.DataFrame, width: int = 700) -> str:
    """A chart as SVG in the colours for paper, for readers without script."""
    import vl_convert

    filled = json.dumps(specification | {"width": width})
    for name, colour in LIGHT.items():
        filled = filled.replace(f'"{name}"', f'"{colour}"')
    rows = rows.astype(object).where(rows.notna(), None)
    return str(vl_convert.vegalite_to_svg(json.loads(filled) | {"data": {"values": rows.to_dict("records")}}))


def _specification(chart: Any) -> dict[str, Any]:
    found: dict[str, Any] = chart.to_dict()
    found.pop("config", None)
    return found


# --- all studies ------------------------------------------------------------------------------------


def published(scale: str = "linear") -> Any:
    """Measured by published number, around the line on which both are equal."""
    axis = alt.Scale(type="log", nice=True) if scale == "log" else alt.Scale(zero=False, nice=True)
    x, y = alt.X("published:Q", title="published", scale=axis), alt.Y("measured:Q", title="measured here", scale=axis)
    kinds = alt.Scale(domain=[OWN, STAND_IN], range=["$best", "$behind"])
    base = alt.Chart(ROWS)
    diagonal = base.mark_line(color="$open", strokeDash=[4, 3], strokeWidth=1).encode(
        x=x, y=alt.Y("published:Q", title="measured here")
    )
    spread = base.mark_rule(opacity=0.4).encode(
        x=x, y="low:Q", y2="high:Q", color=alt.Color("data:N", scale=kinds, legend=_LEGEND)
    )
    points = base.mark_point(filled=True, size=45, opacity=0.8).encode(
        x=x,
        y=y,
        color=alt.Color("data:N", scale=kinds, legend=_LEGEND),
        shape=alt.Shape("data:N", scale=alt.Scale(domain=kinds.domain, range=["circle", "diamond"]), legend=_LEGEND),
        tooltip=["where:N", "name:N", "source:N", "published:Q", "measured:Q"],
    )
    layers = [diagonal, points] if scale == "log" else [diagonal, spread, points]  # seconds have no spread
    return alt.layer(*layers).properties(width="container", height=280)


def verdicts() -> Any:
    """How many claims have each verdict, paper by paper."""
    order = ["replicated", "partly", "not replicated", "undecided", "no verdict", "not run"]
    colours = alt.Scale(domain=order, range=["#009e73", "#56b4e9", "#d55e00", "#e69f00", "#999999"])
    bars = alt.Chart(ROWS).mark_bar(stroke="$ground").encode(
        y=alt.Y("paper:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False)),
        x=alt.X("n:Q", title="claims", axis=alt.Axis(tickMinStep=1)),
        color=alt.Color("verdict:N", scale=colours, sort=order, legend=alt.Legend(orient="top", title=None)),
        order=alt.Order("place:Q"),
        tooltip=["paper:N", "verdict:N", "n:Q"],
    )  # fmt: skip
    return bars.properties(width="container", height=alt.Step(24))


# --- leaderboard ------------------------------------------------------------------------------------


def leaders() -> Any:
    """Methods of a case by their value, with the lowest and the highest run."""
    base = alt.Chart(ROWS).encode(y=_METHODS)
    spread = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q"), x2="high:Q", color=alt.Color("standing:N", scale=_STANDING, legend=None)
    )
    points = base.mark_point(filled=True, size=70, opacity=1, cursor="pointer").encode(
        x=alt.X("value:Q", title="value", scale=alt.Scale(zero=False)),
        color=alt.Color("standing:N", scale=_STANDING, legend=None),
        shape=alt.Shape("standing:N", scale=_SHAPES, legend=None),
        tooltip=["name:N", "value:Q", "low:Q", "high:Q", "standing:N", "chosen:N"],
    )
    reference = alt.Chart(ROWS).transform_filter(f"datum.standing == '{REFERENCE}'").mark_rule(
        color="$text", strokeDash=[4, 3]
    ).encode(x="value:Q")  # fmt: skip
    return alt.layer(reference, spread, points).properties(width="container", height=alt.Step(20))


def ranks() -> Any:
    """Between which ranks the tests leave each method."""
    base = alt.Chart(ROWS).encode(y=_METHODS)
    bars = base.mark_bar(height=9, cornerRadius=4, opacity=0.55).encode(
        x=alt.X(
            "from:Q", title="rank (1 is best)", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(zero=False, nice=False)
        ),
        x2="to:Q",
        color=alt.Color("standing:N", scale=_STANDING, legend=None),
        tooltip=["name:N", "rank_low:Q", "rank_high:Q", "rank:Q"],
    )
    ticks = base.mark_tick(thickness=3, height=15, color="$text").encode(x="rank:Q")
    return alt.layer(bars, ticks).properties(width="container", height=alt.Step(20))


def wins() -> Any:
    """Every method against every other."""
    order = [BETTER, EQUIVALENT, UNDECIDED, WORSE, "mixed"]
    colours = alt.Scale(domain=order, range=["$best", "$line", "$ground", "$behind", "$quiet"])
    base = alt.Chart(ROWS).encode(
        x=alt.X(
            "other_name:N",
            sort=None,
            title="against",
            axis=alt.Axis(orient="top", labelAngle=-55, labelLimit=180, ticks=False, domain=False),
        ),
        y=_METHODS,
    )
    cells = base.mark_rect(stroke="$line").encode(
        color=alt.Color("decision:N", scale=colours, sort=order, legend=None), tooltip=["text_long:N"]
    )
    light = alt.condition(
        f"indexof(['{BETTER}', '{WORSE}', 'mixed'], datum.decision) >= 0", alt.value("$ground"), alt.value("$text")
    )
    texts = base.mark_text(fontSize=10).encode(text="text:N", color=light)
    return alt.layer(cells, texts).properties(width="container", height=alt.Step(24), padding={"right": 70})


def cost() -> Any:
    """Value by CPU seconds of a training, and the methods that no other beats in both."""
    x = alt.X("cpu_seconds:Q", title="CPU seconds of a training", scale=alt.Scale(type="log", nice=True))
    y = alt.Y("value:Q", title="value", scale=alt.Scale(zero=False, nice=True))
    base = alt.Chart(ROWS).encode(x=x, y=y)
    front = base.transform_filter("datum.front").mark_line(color="$open", interpolate="step-after", strokeDash=[4, 3])
    points = base.mark_point(filled=True, size=70, opacity=1, cursor="pointer").encode(
        color=alt.Color("standing:N", scale=_STANDING, legend=None),
        shape=alt.Shape("standing:N", scale=_SHAPES, legend=None),
        tooltip=["name:N", "value:Q", "cpu_seconds:Q", "standing:N"],
    )
    after = base.mark_text(align="left", dx=7, dy=-7, color="$text").encode(text="name_after:N")
    before = base.mark_text(align="right", dx=-7, dy=-7, color="$text").encode(text="name_before:N")
    return alt.layer(front, points, after, before).properties(width="container", height=300)


# --- one cell ---------------------------------------------------------------------------------------


def curve() -> Any:
    """Accuracy by iteration, between the lowest and the highest run; a line at the iteration that was chosen."""
    base = alt.Chart(ROWS).encode(x=alt.X("iteration:Q", title="iteration of training"))
    band = base.mark_area(opacity=0.2, color="$best").encode(
        y=alt.Y("low:Q", title="accuracy on the test set (%)", scale=alt.Scale(zero=False)), y2="high:Q"
    )
    line = base.mark_line(color="$best").encode(y="accuracy:Q", tooltip=["iteration:Q", "accuracy:Q", "cpu_seconds:Q"])
    chosen = base.transform_filter("datum.is_chosen").mark_rule(color="$behind", strokeDash=[5, 3], strokeWidth=2)
    return alt.layer(band, line, chosen).properties(width="container", height=260)


def runs() -> Any:
    """The accuracy of each run."""
    return (
        alt.Chart(ROWS)
        .mark_point(filled=True, size=60, color="$best", opacity=0.9)
        .encode(
            x=alt.X("accuracy:Q", title="accuracy (%)", scale=alt.Scale(zero=False)),
            y=alt.Y("run:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False)),
            tooltip=["run:N", "accuracy:Q", "cpu_seconds:Q", "chosen:N"],
        )
        .properties(width="container", height=alt.Step(16))
    )


def confusion() -> Any:
    """Share of the positions of each true label that got each label; wrong ones alone are coloured."""
    return (
        alt.Chart(ROWS)
        .mark_rect()
        .encode(
            x=alt.X("predicted_name:N", sort=alt.EncodingSortField("predicted", "min"), title="predicted", axis=alt.Axis(orient="top", labelAngle=-90, ticks=False)),
            y=alt.Y("label_name:N", sort=alt.EncodingSortField("label", "min"), title="true", axis=alt.Axis(ticks=False)),
            color=alt.Color("share:Q", title="% of the true label", scale=alt.Scale(range=["$ground", "$best"], domainMin=0, interpolate="rgb"), legend=alt.Legend(orient="bottom", gradientLength=200)),
            tooltip=["label_name:N", "predicted_name:N", "n:Q", "share:Q"],
        )
        .properties(width="container", height=alt.Step(18))
    )  # fmt: skip


def reliability() -> Any:
    """Share of predictions that is right by their probability, around the line on which both are equal; lines are what lies between."""
    shared: dict[str, Any] = {"scale": alt.Scale(domain=[0, 100]), "axis": alt.Axis(values=list(range(0, 101, 20)))}
    x = alt.X("probability:Q", title="probability of the predicted label (%)", **shared)
    y = alt.Y("right:Q", title="share that is right (%)", **shared)
    base = alt.Chart(ROWS)
    once = base.transform_aggregate(n="count()")  # a line for all rows, not for each
    diagonal = once.mark_rule(color="$open", strokeDash=[4, 3]).encode(
        x=alt.datum(0), x2=alt.datum(100), y=alt.datum(0), y2=alt.datum(100)
    )
    apart = base.mark_rule(color="$behind", strokeWidth=2).encode(x=x, y=y, y2="probability:Q")
    points = base.mark_point(filled=True, color="$best", opacity=1).encode(
        x=x,
        y=y,
        size=alt.Size(
            "n_positions:Q",
            title="positions",
            scale=alt.Scale(rangeMin=15, rangeMax=150),
            legend=alt.Legend(orient="bottom", tickCount=3),
        ),
        tooltip=["low:Q", "high:Q", "probability:Q", "right:Q", "n_positions:Q"],
    )
    return alt.layer(diagonal, apart, points).properties(width="container", height=300)
