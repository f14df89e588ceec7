"""The study of missing values on a tiny set, and what it does, done by hand."""

import hashlib

import numpy as np

from treecrf.missing import Imputer, Indicator
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.sequences import Attribute, SequenceSet
from treecrf_studies.framework.settings import MissingSettings
from treecrf_studies.missing.methods import Trees

SMALL = Trees(
    "small trees", {"l2_regularization": 3.0}, {"max_leaves": "newton_leaves", "learning_rate": "newton_rates"}
)
"""Another kind of trees, which learns in no time."""


def tiny_set(seed, n_sequences=12):
    """Sequence i has i + 2 positions, so a length tells which sequence it is; labels are noisy functions of cells."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(np.arange(n_sequences) + 2)])
    values = np.stack([rng.integers(0, 3, offsets[-1]), rng.integers(0, 2, offsets[-1])], axis=1)
    labels = np.where(
        rng.random(offsets[-1]) < 0.75, (values[:, 0] + values[:, 1]) % 2, rng.integers(0, 2, offsets[-1])
    )
    attributes = (Attribute("symbol", ("a", "b", "c")), Attribute("mark", ("no", "yes")))
    return SequenceSet(values, offsets, attributes, labels, ("x", "y"))


def settings(**changes):
    return MissingSettings(
        **{"n_training_sets": 2, "n_test_sets": 3, "l2_regularizations": [5.0, 1.0], "n_iterations": 6, "max_leaves": 4}
        | changes
    )


def seed_from(*names):
    """As `derive_seed` says: the first 8 bytes of the SHA-256 of the texts, between zero bytes."""
    digest = hashlib.sha256("\0".join(map(str, names)).encode()).hexdigest()
    return int(digest[:16], 16)


def holes_by_hand(data, rate, *names):
    """The set whose cells are missing where a generator seeded by the names draws less than the rate."""
    drawn = np.random.default_rng(seed_from(*names)).random(data.values.shape)
    return data.with_values(np.where(drawn < rate, -1, data.values))


def split_by_hand(n_sequences, seed):
    """A third of the sequences is held out: the first ones of a random order."""
    order = np.random.default_rng(seed_from(seed, "tiny", "hold-out")).permutation(n_sequences)
    n_held_out = round(n_sequences / 3)
    return np.sort(order[n_held_out:]), np.sort(order[:n_held_out])


def model_by_hand(method, train, n_iterations, penalty):
    """A fitted model, and what turns damaged data into its inputs."""
    flagging = Imputer(add_indicator=True)
    transform = {"imputation": Imputer(), "indicator": Indicator(), "imputation_indicator": flagging}.get(method)
    prepare = transform.fit(train).transform if transform else lambda data: data
    how = "error" if transform else method
    return TreeCRF(n_iterations, 4, penalty, (1, 1), order=1, missing=how).fit(prepare(train)), prepare
