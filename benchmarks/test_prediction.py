"""Labelling with a trained model: one sequence, beside python-crfsuite, and many short ones."""

import time

import numpy as np
from test_speed import median_seconds

from treecrf import Attribute, LinearCRF, SequenceSet, TreeCRF
from treecrf.sequences import window_codes

LENGTH = 20


def drawn(rng):
    """A sequence of dicts, two of whose five features are numbers, and its labels."""
    labels = rng.integers(0, 5, LENGTH)
    rows = [
        {
            "word": f"w{rng.integers(50)}",
            "suffix": "abcde"[(label + rng.integers(2)) % 5],
            "capital": str(label % 2),
            "size": float(rng.normal(label)),
            "length": int(rng.integers(1, 30)),
        }
        for label in labels
    ]
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


def word_chains(n_words, n_labels, n_sequences):
    """Sequences of words that tell their label, as a set."""
    rng = np.random.default_rng(0)
    words = rng.permutation(np.resize(np.arange(n_words), LENGTH * n_sequences))
    attribute = Attribute("word", tuple(f"w{word}" for word in range(n_words)))
    offsets, names = np.arange(0, len(words) + 1, LENGTH), tuple(f"l{label}" for label in range(n_labels))
    return SequenceSet(words[:, None], offsets, (attribute,), words % n_labels, names)


def test_linear_crf_beside_crfsuite(record, size, tmp_path):
    """Many words, and many labels: a sentence, 500 sentences from sets, observations of a stream, bytes of the file."""
    import pycrfsuite

    for n_words, n_labels in ((20_000, 10), (1_000, 200)):
        data = word_chains(size(n_words), size(n_labels), max(size(2_000), 4))
        model = LinearCRF(features="labels", window=(1, 1), max_iterations=size(10)).fit(data)
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"max_iterations": size(10), "feature.possible_transitions": True})
        cells = [[f"{slot}={code}" for slot, code in enumerate(row)] for row in window_codes(data, (1, 1))]
        items = [pycrfsuite.ItemSequence(cells[begin : begin + LENGTH]) for begin in data.offsets[:-1]]
        names = [data.label_names[label] for label in data.labels]
        for item, begin in zip(items, data.offsets[:-1], strict=True):
            trainer.append(item, names[begin : begin + LENGTH])
        trainer.train(str(tmp_path / "crf.model"))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(tmp_path / "crf.model"))
        model.save(tmp_path / "model.npz")

        what, some, repeats = f"LinearCRF, {n_words:,} words, {n_labels} labels", data[:500], size(20)
        single = [{"word": f"w{word}"} for word in some.values[:LENGTH, 0]]
        sentence = median_seconds(lambda model=model, single=single: model.predict([single]), repeats)
        record(f"{what}: one sentence of {LENGTH} words", f"{1e3 * sentence:.2f} ms", "below 0.3 ms")
        for decoder in ("forward_backward", "viterbi"):
            ours = median_seconds(lambda model=model, decoder=decoder, some=some: model.predict(some, decoder), repeats)
            theirs = median_seconds(lambda tagger=tagger, items=items: [tagger.tag(i) for i in items[:500]], repeats)
            record(f"{what}: 500 sentences, {decoder} / python-crfsuite", f"{ours / theirs:.2f}", "at most 1.3")
        stream = model.stream(2)
        pushes = median_seconds(lambda stream=stream: [stream.push({"word": "w1"}) for _ in range(100)], repeats)
        record(f"{what}: an observation of a stream", f"{10 * pushes:.3f} ms", "below 0.05 ms")
        sizes = [(tmp_path / name).stat().st_size / 1e6 for name in ("model.npz", "crf.model")]
        record(f"{what}: file / python-crfsuite's", f"{sizes[0]:.1f} / {sizes[1]:.1f} MB")


def test_many_labels_of_trees(record, size):
    data = word_chains(50, size(200), size(100) if size(3) == 3 else 4)
    before = time.process_time()
    model = TreeCRF(size(5), 30, window=(1, 1)).fit(data)
    record("TreeCRF, 200 labels, 2,000 positions, 5 iterations", f"{time.process_time() - before:.1f} CPU s")
    for decoder in ("forward_backward", "viterbi"):
        seconds = median_seconds(lambda decoder=decoder: model.predict(data, decoder), size(3))
        record(f"the same, prediction, {decoder}", f"{seconds:.2f} CPU s")
