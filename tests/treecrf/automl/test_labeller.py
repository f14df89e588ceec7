"""Labellers of tables with numbers: what their files remember."""

import numpy as np
import pandas as pd
import pytest
from builders import number_set

from treecrf import LinearCRF, TreeCRF, WindowLightGBM
from treecrf.automl.description import inputs_sentence
from treecrf.automl.evaluation import evaluate
from treecrf.automl.labeller import Origin, TableLabeller, ranges_of
from treecrf.automl.prediction import PredictOptions, add_predictions
from treecrf.automl.scores import Metric
from treecrf.io.npz import read_npz, write_npz
from treecrf.missing import Imputer, Indicator, inject
from treecrf.models.base import FORMAT
from treecrf.readers.reading import read_frame, read_table
from treecrf.readers.tables import TableColumns, TypedTable
from treecrf.statistics.metrics import Accuracy

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


@pytest.fixture
def spans(tmp_path):
    """A labeller of spans, which predicts some that are not written as BIO says, and its table."""
    codes = np.random.default_rng(0).integers(0, 3, 200)
    labels, letters = np.array(["B-X", "I-X", "O"])[codes], np.array([*"abc"])[codes]
    frame = pd.DataFrame({"sequence": np.arange(200) // 10, "letter": letters, "label": labels})
    frame.to_csv(tmp_path / "s.csv", index=False)
    table = read_table(tmp_path / "s.csv")
    columns = TableColumns("sequence", "label", ("letter",))
    return LinearCRF(order=0, max_iterations=5).fit(table.encode(columns)), columns, table


def test_the_metric_decides_how_a_model_decodes(spans, tmp_path):
    labeller, columns, table = spans
    origin = Origin.of(tmp_path / "s.csv", table.encode(columns), Accuracy(50.0, 40.0, 60.0), "group", "span_f1")
    TableLabeller(labeller, columns, None, origin, "bio").save(tmp_path / "m.npz")
    model = TableLabeller.load(tmp_path / "m.npz")
    assert model.metric == Metric("span_f1", "bio")
    assert "Span F1 estimated then for new data: 50.0 %" in " ".join(model.origin.sentences())
    data = model.read(table, labelled=True)
    assert (evaluate(model.labeller, data, None, metric=model.metric).score.points) == pytest.approx(
        model.metric.counts(model.metric.predict(model.labeller, data), data).points
    )
    predicted = add_predictions(model, table, PredictOptions())["predicted"]
    assert predicted.tolist() == [data.label_names[code] for code in model.metric.predict(model.labeller, data)]


def test_a_model_of_version_0_2_keeps_its_decoding(spans, tmp_path):
    labeller, columns, table = spans
    TableLabeller(labeller, columns, None, None, "bio").save(tmp_path / "m.npz")
    header, arrays = read_npz(tmp_path / "m.npz", FORMAT)
    of_version_0_2 = {name: part for name, part in header["table"].items() if name not in ("origin", "constraints")}
    write_npz(tmp_path / "old.npz", header | {"table": of_version_0_2}, arrays)
    model = TableLabeller.load(tmp_path / "old.npz")
    assert (model.origin, model.metric) == (None, Metric("accuracy", None))
    data = model.read(table, labelled=True)
    assert (model.metric.predict(model.labeller, data) == labeller.predict(data)).all()
    assert (model.metric.predict(model.labeller, data) != Metric("span_f1", "bio").predict(labeller, data)).any()
    predicted = add_predictions(model, table, PredictOptions())["predicted"]
    assert predicted.tolist() == [data.label_names[code] for code in labeller.predict(data)]


def test_an_origin_without_its_metric_is_of_accuracy(spans, tmp_path):
    _, columns, table = spans
    origin = Origin.of(tmp_path / "s.csv", table.encode(columns), Accuracy(50.0, 40.0, 60.0), "group")
    described = origin.described()
    del described["metric"]
    assert Origin.from_described(described) == origin
    with pytest.raises(ValueError, match="parts of other types"):
        Origin.from_described(described | {"metric": "luck"})


@pytest.fixture
def model(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sequence": np.arange(200) // 10, "warm": rng.normal(20, 2, 200), "level": rng.random(200)})
    frame["label"] = np.where(frame["warm"] > 20, "u", "v")
    frame.to_csv(tmp_path / "t.csv", index=False)
    columns = TableColumns("sequence", "label", ("warm", "level"), ("warm", "level"))
    data = read_table(tmp_path / "t.csv").encode(columns)
    model = TableLabeller(LinearCRF(max_iterations=3).fit(data), columns, ranges=ranges_of(data))
    model.save(tmp_path / "m.npz")
    return TableLabeller.load(tmp_path / "m.npz"), frame, tmp_path


def told(model, frame, folder, unknown=0.0):
    frame.to_csv(folder / "new.csv", index=False)
    return list(model.notices(read_table(folder / "new.csv"), unknown))


def test_numbers_in_another_unit_are_named(model):
    model, frame, folder = model
    assert told(model, frame.assign(label=""), folder) == []
    [sentence] = told(model, frame.assign(warm=frame["warm"] * 1.8 + 32), folder)
    assert "new.csv differs from the training table" in sentence
    [_, _, row] = sentence.splitlines()
    assert row.startswith("'warm'")
    assert "200 of 200 cells" in row
    assert "another unit or other conditions?" in row
    assert told(model, frame.assign(warm=frame["warm"] * 1.8 + 32), folder, 1.0) == [sentence]


def test_a_shift_within_the_range_is_named(model):
    model, frame, folder = model
    [sentence] = told(model, frame.assign(level=frame["level"].max()), folder)
    assert "'level'" in sentence
    assert "0 of 200 cells" in sentence


def test_ranges_are_quantiles(model):
    model, frame, _ = model
    assert model.ranges["warm"] == pytest.approx(np.quantile(frame["warm"], [0, 0.05, 0.5, 0.95, 1]))


def test_many_new_words_are_named_where_rare_ones_count_as_one(tmp_path):
    words = [f"w{i}" for i in range(60)]
    texts = [*(word for word in words for _ in range(3)), *(f"once{i}" for i in range(20))]
    frame = pd.DataFrame({"sequence": np.arange(200) // 10, "word": texts, "label": ["u", "v"] * 100})
    frame.to_csv(tmp_path / "t.csv", index=False)
    columns = TableColumns("sequence", "label", ("word",))
    data = read_table(tmp_path / "t.csv").encode(columns)
    model = TableLabeller(LinearCRF(max_iterations=3, min_count=2).fit(data), columns)
    assert told(model, frame, tmp_path) == []
    half = frame.assign(word=[f"new{i}" if i % 10 < 6 else text for i, text in enumerate(texts)])
    [sentence] = told(model, half, tmp_path)
    assert "'word'" in sentence
