"""Labelling with a trained model: one sequence, beside python-crfsuite, and many short ones."""

import time

import numpy as np
from test_speed import median_seconds

from treecrf import SequenceSet, TreeCRF

LENGTH = 20


def drawn(rng):
    """A sequence of dicts, two of whose five features are numbers, and its labels."""
    labels = rng.integers(0, 5, LENGTH)
    rows = [
        {
            "word": f"w{rng.integers(50)}", "suffix": "abcde"[(label + rng.integers(2)) % 5], "capital": str(label % 2),
            "size": float(rng.normal(label)), "length": int(rng.integers(1, 30)),
        }
        for label in labels
    ]  # fmt: skip
    return rows, [f"l{label}" for label in labels]


def windows(rows):
    """Features for CRFsuite: the cells of each row and of its neighbours."""
    near = [[(d, rows[i + d]) for d in (-1, 0, 1) if 0 <= i + d < len(rows)] for i in range(len(rows))]
    return [{f"{name}[{distance}]": cell for distance, row in of for name, cell in row.items()} for of in near]


def test_one_sequence(record, size, tmp_path):
    import pycrfsuite

    rng = np.random.default_rng(0)
    sequences, labels = zip(*(drawn(rng) for _ in range(200)), strict=True)
    model = TreeCRF(size(60), 20, 1.0, (1, 1), leaf_values="newton", splits="subsets", learning_rate=0.3)
    model.fit(sequences, labels)
    trainer = pycrfsuite.Trainer(verbose=False)
    for sequence, of_sequence in zip(sequences, labels, strict=True):
        trainer.append(windows(sequence), of_sequence)
    trainer.train(str(tmp_path / "crf.model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "crf.model"))
    new = drawn(rng)[0]
    as_set = model._read([new]).data

    repeats = size(300)
    of_set = median_seconds(lambda: model.predict(as_set), repeats)
    of_dicts = median_seconds(lambda: model.predict([new]), repeats)
    theirs = median_seconds(lambda: tagger.tag(windows(new)), repeats)
    what = f"one sequence of {LENGTH} rows, 5 labels, {model.forest_.n_trees} trees"
    record(f"{what}: a set", f"{of_set * 1e3:.2f} ms", "below 1 ms")
    record(f"{what}: dicts", f"{of_dicts * 1e3:.2f} ms", "below 1 ms")
    record("the same by python-crfsuite, from dicts", f"{theirs * 1e3:.2f} ms")
    record("treecrf / python-crfsuite, from dicts", f"{of_dicts / theirs:.1f}")


def test_many_short_sequences(record, load, size):
    train, test = load("hmm")
    model = TreeCRF(size(100), 20, 1.0, (1, 1)).fit(train)
    rows = np.random.default_rng(0).integers(0, len(test.values), 100 * size(5_000))
    many = SequenceSet(test.values[rows], np.arange(0, len(rows) + 1, 5), test.attributes)
    model.predict(many)
    before = time.process_time()
    model.predict(many)
    record(f"{len(many):,} sequences of 5 rows", f"{time.process_time() - before:.2f} CPU s", "below 2 CPU s")
