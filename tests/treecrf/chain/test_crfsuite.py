"""`treecrf.chain` against python-crfsuite."""

import math

import numpy as np
import pycrfsuite
import pytest

from treecrf import chain


def test_agrees_with_crfsuite(tmp_path):
    rng = np.random.default_rng(19)
    words = [[f"w{w}" for w in rng.integers(0, 6, n)] for n in rng.integers(1, 9, 30)]
    tags = [["ABC"[(int(word[1]) + i // 2) % 3] for i, word in enumerate(sentence)] for sentence in words]
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    for sentence, tagging in zip(words, tags, strict=True):
        trainer.append([[word] for word in sentence], tagging)
    trainer.set_params({"c2": 0.1, "max_iterations": 30, "feature.possible_transitions": True})
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    names, weights = tagger.labels(), tagger.info()
    for sentence in words[:12]:
        potentials = np.zeros((3, len(sentence), 4))
        for y, name in enumerate(names):
            potentials[y] += np.array([weights.state_features.get((word, name), 0.0) for word in sentence])[:, None]
            potentials[y, :, :3] += [weights.transitions.get((before, name), 0.0) for before in names]
        offsets = [0, len(sentence)]
        best = tagger.tag([[word] for word in sentence])
        assert [names[y] for y in chain.viterbi(potentials, offsets, 1).labels] == best
        for tagging in (best, ["A"] * len(sentence), ["ABC"[i % 3] for i in range(len(sentence))]):
            codes = [names.index(name) for name in tagging]
            found = math.exp(chain.log_likelihood(potentials, codes, offsets, 1)[0])
            assert found == pytest.approx(tagger.probability(tagging), rel=1e-4)  # info() prints six decimals
        marginals = chain.forward_backward(potentials, offsets, 1).labels
        expected = [[tagger.marginal(name, t) for name in names] for t in range(len(sentence))]
        np.testing.assert_allclose(marginals, expected, atol=1e-4)
