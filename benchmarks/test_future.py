"""Training speed of chains of order 4 and of future features (PhD chapter 5)."""

import time

from treecrf import TreeCRF
from treecrf_studies.datasets.synthetic import future_splits
from treecrf_studies.methods import FutureFeatureMEMM

N_ITERATIONS = 30


def test_order_4_on_xor(record, size, tiny):
    train = future_splits("xor").train
    model = TreeCRF(size(N_ITERATIONS), 10, 0.0, order=4)
    model.fit(train)
    seconds = min(sum(model.fit(train).seconds_.values()) for _ in range(size(3))) / model.n_iterations
    record("CRF of order 4 on XOR, one iteration, one thread", f"{1000 * seconds:.1f} ms", "below 20 ms")
    assert tiny or seconds < 0.020


def test_future_features_on_xor(record, size):
    splits = future_splits("xor")
    model = FutureFeatureMEMM(size(60), order=0, g0=-7.0, each_label=False)
    model.fit(splits.train, validation=splits.validation)
    before = time.process_time()
    model.fit(splits.train, validation=splits.validation)
    seconds = time.process_time() - before
    record("FF-MEMM on XOR, 60 iterations, one thread", f"{seconds:.2f} s", "")
    record("  of which learning features", f"{model.seconds_['features']:.2f} s", "")
