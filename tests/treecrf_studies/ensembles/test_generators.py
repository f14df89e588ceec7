"""The artificial sets of table 1, and the numbers that it has of them."""

import numpy as np
import pytest

from treecrf.ensembles.baselines import OnlineMajorityVote, RandomPath
from treecrf.ensembles.espboost import ESPBoost, choose_rounds, cross_validated_losses
from treecrf_studies.ensembles.generated import LENGTH, ads1, ads2


def test_experts_are_right_where_the_protocol_says():
    pool = ads1(4000, 5)
    right = (pool.predictions == pool.labels[:, None]).reshape(4000, LENGTH, 5).mean(axis=0)
    own = np.arange(LENGTH)[:, None] // 2 == np.arange(5)
    assert (np.abs(right - np.where(own, 0.98, 0.30)) < 4 * np.sqrt(0.25 / 4000)).all()
    pool = ads2(4000, 5)
    wrong = (pool.predictions != pool.labels[:, None]).reshape(4000, LENGTH, 5)
    assert (wrong.sum(axis=1) == 4).all()
    assert (np.abs(wrong.mean(axis=0) - 0.4) < 4 * np.sqrt(0.24 / 4000)).all()


@pytest.mark.parametrize("generate", [ads1, ads2])
def test_mistakes_are_neighbouring_letters(generate):
    pool = generate(500, 1)
    steps = (pool.predictions.astype(int) - pool.labels[:, None]) % 26
    for expert, direction in enumerate((1, 25, 1, 25, 1)):
        assert set(steps[:, expert]) == {0, direction}
    assert pool.classes.tolist() == list(range(LENGTH)) * 500
    assert pool.sequences.tolist() == np.repeat(np.arange(500), LENGTH).tolist()
    part, rest = pool.select(3, 5), pool.without(3, 5)
    assert (set(part.sequences), len(rest.labels)) == ({3, 4}, 4980)
    assert not set(rest.sequences) & {3, 4}


def losses_of(generate, beta):
    """Ten samples of 200 of a fresh pool, each tested on the others: ESPBoost, majority vote, random path, best
    expert.
    """
    pool, rows = generate(seed=31), []
    for draw in range(10):
        train, test = pool.select(200 * draw, 200 * draw + 200), pool.without(200 * draw, 200 * draw + 200)
        n_rounds = choose_rounds(cross_validated_losses(*train[:3], train.sequences, seed=draw))
        online = {"sequences": train.sequences}
        rows.append(
            [
                ESPBoost(n_rounds).fit(*train[:3]).loss(*test[:3]),
                OnlineMajorityVote(0.98).fit(*train[:3], **online).loss(*test[:3]),
                RandomPath(beta).fit(*train[:3], **online).expected_loss(*test[:3]),
                (test.predictions != test.labels[:, None]).mean(axis=0).min(),
            ]
        )
    return np.mean(rows, axis=0)


def test_table_1_of_ads1():
    boosted, voted, random, best = losses_of(ads1, 0.968)
    assert boosted == pytest.approx(0.0200, abs=0.0007)
    assert voted == pytest.approx(boosted, abs=1e-12)
    assert random == pytest.approx(0.1112, abs=0.010)
    assert best == pytest.approx(0.5635, abs=0.002)


def test_table_1_of_ads2():
    boosted, voted, random, best = losses_of(ads2, 0.98)
    assert boosted == pytest.approx(0.227, abs=0.010)
    assert voted == pytest.approx(0.215, abs=0.010)
    assert random == pytest.approx(0.4, abs=0.0005)
    assert best == pytest.approx(0.4, abs=1e-12)
