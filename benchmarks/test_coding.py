"""Many labels: bits of a code in training and prediction, and the perceptron, beside one binary model."""

import time

import numpy as np

from treecrf import SequenceSet, TreeCRF, VotedPerceptron
from treecrf_studies.methods import CodedCRF

N_LABELS = 120


def many_labels(n_sequences):
    """Sequences of 50 positions whose symbol is mostly that of the label, and whose label mostly stays."""
    rng = np.random.default_rng(0)
    labels = np.repeat(rng.integers(0, N_LABELS, n_sequences * 25), 2)
    symbols = np.where(rng.random(len(labels)) < 0.6, labels, rng.integers(0, N_LABELS, len(labels)))
    names = tuple(map(str, range(N_LABELS)))
    return SequenceSet(symbols[:, None], np.arange(n_sequences + 1) * 50, [("symbol", names)], labels, names)


def cpu_seconds(call):
    before = time.process_time()
    call()
    return time.process_time() - before


def test_bits_of_a_code_beside_one_binary_model(record, size):
    data = many_labels(size(100))
    binary = data.with_labels(data.labels % 2, ("0", "1"))
    bases = {"TreeCRF": TreeCRF(size(80), 40, 5.0), "VotedPerceptron": VotedPerceptron(size(20))}
    for name, base in bases.items():
        coded = CodedCRF(base, 12, 5).fit(data)  # compiles
        base.fit(binary).predict(binary)
        ratios = []
        for _ in range(size(3)):
            of_bits, of_one = cpu_seconds(lambda c=coded: c.fit(data)), cpu_seconds(lambda b=base: b.fit(binary))
            ratios.append(of_bits / 12 / of_one)
        record(
            f"CodedCRF({name}), 5,000 positions, history 5: seconds a bit / of one model without history",
            f"{np.median(ratios):.2f}",
            "at most 3",
        )
        record(f"CodedCRF({name}): bits trained a CPU second", f"{12 / cpu_seconds(lambda c=coded: c.fit(data)):.0f}")
        seconds = np.median([cpu_seconds(lambda c=coded: c.predict(data)) for _ in range(size(3))])
        record(f"CodedCRF({name}), 12 bits: positions labelled a CPU second", f"{data.n_positions / seconds:,.0f}")


def test_perceptron_of_many_labels(record, size):
    data = many_labels(size(100))
    whole, beam = VotedPerceptron(size(20)).fit(data), VotedPerceptron(size(20), beam=5).fit(data)
    ratios = [cpu_seconds(lambda: beam.fit(data)) / cpu_seconds(lambda: whole.fit(data)) for _ in range(size(3))]
    record(
        "VotedPerceptron, 120 labels: seconds with a beam of 5 / with all labels",
        f"{np.median(ratios):.2f}",
        "at most 0.5",
    )
    seconds = np.median([cpu_seconds(lambda: whole.predict(data)) for _ in range(size(3))])
    record("VotedPerceptron, 120 labels: positions labelled a CPU second", f"{data.n_positions / seconds:,.0f}")
