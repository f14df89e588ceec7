"""Labellers of tables with numbers: what their files remember."""

import numpy as np
import pytest
from builders import number_set

from treecrf import LinearCRF, TreeCRF, WindowLightGBM
from treecrf.automl.description import inputs_sentence
from treecrf.automl.labeller import TableLabeller
from treecrf.missing import Imputer, Indicator, inject
from treecrf.readers.reading import read_frame, read_table
from treecrf.readers.tables import TableColumns, TypedTable

COLUMNS = TableColumns("sequence", "label", ("x1", "letter", "x2", "x3"), ("x1", "x2", "x3"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "t.csv"
    inject(number_set(0), 0.1, np.random.default_rng(0)).to_frame().to_csv(path, index=False)
    return path


@pytest.mark.parametrize("transform", [None, Imputer(), Indicator()], ids=lambda transform: type(transform).__name__)
@pytest.mark.parametrize(
    "labeller", [TreeCRF(n_iterations=3), LinearCRF(max_iterations=5), WindowLightGBM(n_iterations=3)]
)
def test_a_file_has_bins_and_medians(path, tmp_path, labeller, transform):
    if transform is None:
        labeller = TreeCRF(n_iterations=3, missing="instance_weighting")
    table = read_table(path)
    data = inject(number_set(0), 0.1, np.random.default_rng(0))
    model = TableLabeller(
        labeller.fit(data if transform is None else transform.fit_transform(data)), COLUMNS, transform
    )
    model.save(tmp_path / "m.npz")
    again = TableLabeller.load(tmp_path / "m.npz")
    assert again.columns == COLUMNS
    read = again.read(table, labelled=True)
    assert read == model.read(table, labelled=True)
    assert again.labeller.predict_proba(read).tobytes() == model.labeller.predict_proba(read).tobytes()
    assert list(again.notices(table)) == []


def test_a_number_that_is_none_is_named_by_file_line_and_column(path):
    model = TableLabeller(TreeCRF(n_iterations=1).fit(number_set(0)), COLUMNS)
    frame = read_frame(path)
    frame.iloc[4, list(frame.columns).index("x2")] = "tall"
    with pytest.raises(ValueError, match=r"^table .*t\.csv, line 6: row 4, column 'x2': 'tall' is not a finite number"):
        model.read(TypedTable(frame, path), labelled=False)


def test_inputs_are_listed_by_what_they_hold():
    both = inputs_sentence(TableColumns("s", "l", ("size", "word", "level"), ("size",)))
    assert both == "Inputs: word, level (categories); size (number). Change them by --attributes and --kinds."
    assert inputs_sentence(TableColumns("s", "l", ("word",))).startswith("Inputs: word (category). ")
