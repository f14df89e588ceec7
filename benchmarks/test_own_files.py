"""The comparison on files of strangers: whole, where the mirror has them, and on generated files of the same kinds."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from own_files import ALONE, FILES, RIVALS, File, compare, of_table, read

from treecrf.readers.reading import read_table

SMALL = ("facies", "fev", "bach")


def people(rng):
    """Windows of a sensor, nine people in turns, two activities that last."""
    person, activity = np.repeat(np.arange(18) % 9, 12), np.repeat(rng.integers(0, 2, 72), 3)
    return pd.DataFrame(
        {"sequence": np.arange(216) // 12, "ax": rng.normal(2 * activity + person / 9), "label": activity.astype(str)}
    )


def minutes(rng):
    """Minutes with dates: occupied by day."""
    times = pd.date_range("2024-03-01", periods=240, freq="37min")
    label = np.where((times.hour > 7) & (times.hour < 18), "occupied", "empty")
    frame = pd.DataFrame(
        {"sequence": np.arange(240) // 20, "date": times.strftime("%Y-%m-%dT%H:%M:%S"), "light": rng.normal(size=240)}
    )
    return frame.assign(label=label)


def citations(rng):
    """Words of references with their fields, in BIO."""
    rows = []
    for number in range(24):
        fields = (
            ("AUTHOR", rng.integers(0, 60, 3)),
            ("TITLE", 60 + rng.integers(0, 90, 5)),
            ("DATE", 150 + rng.integers(0, 20, 1)),
        )
        for field, words in fields:
            rows += [(number, f"word{word}", f"{'BI'[place > 0]}-{field}") for place, word in enumerate(words)] + [
                (number, ",", "O")
            ]
    return pd.DataFrame(rows, columns=["sequence", "word", "label"])


def many_labels(rng):
    """Forty labels, each with its letter."""
    codes = rng.integers(0, 40, 400)
    seen = np.where(rng.random(400) < 0.9, codes, rng.integers(0, 40, 400))
    return pd.DataFrame(
        {"sequence": np.arange(400) // 10, "letter": [f"c{i}" for i in seen], "label": [f"l{i}" for i in codes]}
    )


@pytest.mark.parametrize("kind", [people, minutes, citations, many_labels])
def test_every_kind_of_file_is_compared(kind, tmp_path):
    kind(np.random.default_rng(0)).to_csv(tmp_path / "t.csv", index=False)
    rivals = [*RIVALS] if kind is people else ["lightgbm", "crfsuite"]  # a net compiles for seconds
    found = compare(of_table(read_table(tmp_path / "t.csv"), File()), 0, 2.0, rivals, is_alone=kind is minutes)
    assert found["method"].tolist() == ["treecrf fit", *rivals, *(ALONE if kind is minutes else ())]
    assert found["points"].between(0, 100).all()
    assert found.loc[0, "gap_low"] <= found.loc[0, "gap"] <= found.loc[0, "gap_high"]
    assert found.loc[0, "gap"] == pytest.approx(found["points"][0] - found["points"][1 : len(rivals) + 1].max())
    assert (found["seconds"] > 0).all()
    assert set(found["metric"]) == {"span_f1" if kind is citations else "accuracy"}


def compared(name, tiny):
    """`compare` on a file of the mirror, by method."""
    if tiny or not Path(os.environ.get("TREECRF_MIRROR", "")).joinpath(f"strangers/{name}_train.csv.gz").is_file():
        pytest.skip("measures, and needs the folder strangers in the mirror of raw files")
    assert name in FILES
    return compare(read(name), 0, 40.0, ["lightgbm", "crfsuite"], is_alone=False).set_index("method")


@pytest.mark.parametrize("name", SMALL)
def test_small_files(name, tiny, record):
    row = compared(name, tiny).loc["treecrf fit"]
    gap = f"{row['gap']:+.1f} ({row['gap_low']:+.1f} to {row['gap_high']:+.1f})"
    record(f"fit on {name}, points beyond the best rival", gap, "no interval below -1")
    record(f"fit on {name}, estimate minus truth", f"{row['estimate'] - row['points']:+.1f}")
    record(f"fit on {name}, CPU seconds", f"{row['seconds']:.0f}", "60")
    assert row["gap_high"] > -1


def test_words_beside_one_training_of_crfsuite(tiny, record):
    rows = compared("snips", tiny)
    points, seconds = (rows[each] for each in ("points", "seconds"))
    record(
        "fit on snips, span F1 beyond CRFsuite's", f"{points['treecrf fit'] - points['crfsuite']:+.1f}", "at least 0"
    )
    record("fit on snips / python-crfsuite, CPU seconds", f"{seconds['treecrf fit'] / seconds['crfsuite']:.2f}", "1")
