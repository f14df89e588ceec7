"""The notebooks of docs/notebooks run, cell by cell, as in a fresh kernel."""

import json

import matplotlib
import pytest
from builders import ROOT


@pytest.mark.parametrize("path", sorted((ROOT / "docs/notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells), "outputs are not kept: they are of one machine"
    namespace = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), namespace)
    assert "%" in capsys.readouterr().out
    assert namespace["figure"].axes
