"""The examples of the gallery run, each by itself, and draw."""

import runpy

import matplotlib as mpl
import matplotlib.pyplot as plt
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
