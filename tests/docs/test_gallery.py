"""The examples of the gallery run, each by itself, and draw."""

import runpy

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from builders import ROOT


@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples/gallery").glob("plot_*.py")), ids=lambda script: script.stem
)
def test_examples_draw(script, monkeypatch):
    mpl.use("agg")
    plt.close("all")
    monkeypatch.setattr(plt, "show", lambda: None)
    monkeypatch.chdir(script.parent)
    runpy.run_path(str(script))
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    assert all(figure.axes for figure in figures)
    plt.close("all")


def test_the_activities_are_what_their_script_makes():
    made = runpy.run_path(str(ROOT / "examples/make_activities.py"))["make_activities"]()
    pd.testing.assert_frame_equal(pd.read_csv(ROOT / "examples/activities.csv"), made, check_dtype=False)
