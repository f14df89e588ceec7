"""Level and power of every test between methods, and coverage of intervals, by simulation.

A situation draws the outcomes of two methods and gives the p-value of each test that one could apply to them. A family
is of several methods, with a t test and an interval for each pair.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product

import numpy as np
import pandas as pd
from scipy.signal import lfilter
from simulating import Spread, by_cluster, draw_lengths, draw_outcomes, expected_accuracy

from treecrf.statistics.blocks import autocorrelation_time, choose_blocks, compare_crossed
from treecrf.statistics.deviance import compare_methods
from treecrf.statistics.estimates import estimate_resampled
from treecrf.statistics.paired import _test_clustered, _test_plain, pair_p_values
from treecrf.statistics.selection import derive_seed
from treecrf.statistics.two_way import estimate_crossed, estimate_trainings, make_pairs

LEVEL = 0.05
LOWEST, HIGHEST = 0.03, 0.07
"""Simulated levels that count as the nominal one."""

N_FLIPS = 1000
METHODS = ("one", "other")
SIZES = {5: (500, 0.5), 17: (500, 0.3), 900: (18, 0.08)}
"""By number of sequences, the longest and how far the better method is ahead where power is simulated."""

LEVELS, COVERAGE = (tuple(f"<!-- {name}: {place} -->" for place in ("begin", "end")) for name in ("levels", "coverage"))
"""Marks around the tables of a page."""


def mcnemar(outcomes, lengths):
    """p-values of one training, shape (2, n_positions); the frames of `compare_pairs` would take most of the time."""
    one, other = (np.array([np.count_nonzero(some & ~rest)]) for some, rest in (outcomes, outcomes[::-1]))
    counts = by_cluster(outcomes, lengths)
    return {
        "McNemar": _test_plain(one, other, 25)[1][0],
        "McNemar, clustered": _test_clustered((counts[0] - counts[1])[None])[1][0],
    }


def flips(counts, lengths, seed):
    """p-values of sign flips and of the t interval, from counts of shape (2, n_trainings, n_sequences)."""
    pairs = make_pairs(list(counts))
    return {
        "sign flips": pair_p_values(pairs, seed, N_FLIPS)[0],
        "t interval": estimate_trainings(pairs, lengths).p_value[0],
    }


def one_training(rng, n_sequences, far):
    """Each method trained once; its training is no source of error."""
    longest, ahead = SIZES[n_sequences]
    lengths = draw_lengths(rng, n_sequences, longest)
    outcomes = draw_outcomes(rng, lengths, ahead=(ahead * far, 0.0))[:, :, 0]
    found = flips(by_cluster(outcomes, lengths), lengths, int(rng.integers(2**32)))
    return mcnemar(outcomes[:, 0], lengths) | found, outcomes


def several_trainings(rng, n_sequences, far, n_trainings):
    """Each method trained several times, and some trainings better than others."""
    longest, ahead = SIZES[n_sequences]
    lengths = draw_lengths(rng, n_sequences, longest)
    outcomes = draw_outcomes(rng, lengths, n_trainings, (ahead * far, 0.0), Spread(training=0.1))[:, :, 0]
    return flips(by_cluster(outcomes, lengths), lengths, int(rng.integers(2**32))), outcomes


def shared_sets(rng, n_sequences, far):
    """Each method trained on the same five training sets, which suit one method more than the other."""
    longest, ahead = SIZES[n_sequences]
    lengths = draw_lengths(rng, n_sequences, longest)
    outcomes = draw_outcomes(rng, lengths, 1, (ahead * far, 0.0), Spread(set=0.2, method_set=0.1), 5)[:, 0]
    counts = by_cluster(outcomes, lengths)
    differences, positions = (counts[0] - counts[1]).T[None], np.repeat(lengths[:, None], 5, axis=1)
    method, training_set, sequence = np.indices(counts.shape).reshape(3, -1)
    columns = {"training_set": training_set, "test_set": 0, "sequence": sequence, "n_positions": lengths[sequence]}
    names = {"dataset": "simulated", "rate": 0.1, "method": np.array(METHODS)[method]}
    (row,) = compare_methods(pd.DataFrame({**names, **columns, "n_correct": counts.ravel()}), "one").to_dict("records")
    return {
        "Wald": row["p_value"],
        "Wald, clustered": row["clustered_p_value"],
        "sign flips, sets as they are": flips(counts.sum(axis=1, keepdims=True), lengths * 5, int(rng.integers(2**32)))[
            "sign flips"
        ],
        "two-way, t(min(G) - 1)": estimate_crossed(differences, positions).p_value[0],
        "two-way, Satterthwaite": estimate_crossed(differences, positions, satterthwaite=True).p_value[0],
    }, outcomes


def long_documents(rng, n_sequences, far, method_document=0.0):
    """Documents of 300 to 2,000 lines; how lines suit a method is correlated over some ten of them."""
    lengths = rng.integers(300, 2000, n_sequences)
    cells = rng.normal(size=(3, lengths.sum()))
    noise = lfilter([np.sqrt(1 - 0.9**2)], [1.0, -0.9], cells)[:, None, :]
    outcomes = 1.2 + 0.8 * noise[2] + 0.8 * noise[:2] + np.array([0.08 * far, 0.0])[:, None, None] > 0
    if method_document:
        suits = method_document * rng.normal(size=(2, 1, n_sequences)).repeat(lengths, axis=2)
        outcomes = 1.2 + 0.8 * noise[2] + 0.8 * noise[:2] + suits + np.array([0.08 * far, 0.0])[:, None, None] > 0
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    found = flips(by_cluster(outcomes, lengths), lengths, int(rng.integers(2**32)))
    return mcnemar(outcomes[:, 0], lengths) | {
        "sign flips of documents": found["sign flips"],
        "t interval of documents": found["t interval"],
        **block_p_values(outcomes, offsets, rng),
    }, outcomes


def unlike_documents(rng, n_sequences, far):
    """The same, and a document as a whole suits one method more than the other."""
    return long_documents(rng, n_sequences, far, 0.15)


def one_document(rng, n_sets, far, n_lines=1500, block=50):
    """One document, labelled after training on several damaged sets; neighbouring lines suit the same method."""
    cells = rng.normal(size=(3 + 2 * n_sets, n_lines))
    noise = lfilter([np.sqrt(1 - 0.9**2)], [1.0, -0.9], cells)
    of_sets = noise[3:].reshape(2, n_sets, n_lines) + 0.1 * rng.normal(size=(2, n_sets, 1))
    scores = 1.2 + 0.8 * noise[0] + 0.8 * noise[1:3, None] + 0.4 * of_sets + np.array([0.2 * far, 0.0])[:, None, None]
    outcomes = scores > 0
    counts = np.add.reduceat(outcomes, np.arange(0, n_lines, block), axis=2, dtype=int)
    method, training_set, place = np.indices(counts.shape).reshape(3, -1)
    columns = {"training_set": training_set, "test_set": 0, "sequence": 0, "group": 0, "block": place}
    frame = pd.DataFrame({"method": np.array(METHODS)[method], **columns, "n_correct": counts.ravel()})
    frame = frame.assign(dataset="simulated", rate=0.1, n_positions=block)
    return {
        f"two-way by blocks, {name}": compare_crossed(frame, satterthwaite=value)["p_value"][0]
        for name, value in (("t(min(G) - 1)", False), ("Satterthwaite", True))
    }, outcomes


def draws(rng, n_draws, far, fresh=False, n_cases=300):
    """Two nearest-mean classifiers on equally good attributes of their own; 200 of the cases train, 100 others test."""

    def sample():
        label = rng.integers(0, 2, n_cases)
        strength = np.repeat([0.3 + 0.07 * far, 0.3], 5)
        return label, rng.normal(size=(n_cases, 10)) + strength * (2 * label - 1)[:, None]

    label, cases = sample()
    outcomes = np.empty((2, n_draws, 100), dtype=bool)
    for draw in range(n_draws):
        if fresh:
            label, cases = sample()
        train, test = np.split(rng.permutation(n_cases)[:300], [200])
        ends = [cases[train][label[train] == value].mean(axis=0) for value in (0, 1)]
        directions = (cases[test] - (ends[0] + ends[1]) / 2) * (ends[1] - ends[0])
        scores = np.array([directions[:, :5].sum(axis=1), directions[:, 5:].sum(axis=1)])
        outcomes[:, draw] = (scores > 0) == label[test]
    counts = outcomes.sum(axis=2)
    differences, positions = (counts[0] - counts[1])[None], np.full(n_draws, 100)
    found = {
        "paired t": estimate_resampled(differences, positions, 0.0).p_value[0],
        "resampled t": estimate_resampled(differences, positions, 0.5).p_value[0],
    }
    if n_cases > 300:
        found["resampled t, of the part drawn"] = estimate_resampled(
            differences, positions, 0.5 * 300 / n_cases
        ).p_value[0]
    return found, outcomes


def fresh_draws(rng, n_draws, far):
    """The same with a new sample for each draw."""
    return draws(rng, n_draws, far, fresh=True)


def part_draws(rng, n_draws, far):
    """The same where each draw takes a tenth of the sample."""
    return draws(rng, n_draws, far, n_cases=3000)


SITUATIONS = (
    (one_training, 5, "5 sequences, one training"),
    (one_training, 17, "17 sequences, one training"),
    (one_training, 900, "900 sequences, one training"),
    *(
        (
            partial(several_trainings, n_trainings=number),
            n_sequences,
            f"{n_sequences} sequences, trainings that vary: {number}",
        )
        for n_sequences in (17, 900)
        for number in (1, 2, 3, 5, 10)
    ),
    (shared_sets, 17, "17 sequences, five training sets"),
    (shared_sets, 900, "900 sequences, five training sets"),
    (long_documents, 5, "5 long documents"),
    (unlike_documents, 5, "5 long documents, each suits one method"),
    (one_document, 5, "1 long document, five training sets"),
    (draws, 10, "10 draws of one sample"),
    (part_draws, 5, "5 draws of a tenth of one sample"),
    (fresh_draws, 10, "10 fresh samples"),
)


def block_p_values(outcomes, offsets, rng):
    """p-values by block of outcomes of shape (2, n_trainings, n_positions)."""
    _, _, starts = choose_blocks(*outcomes.astype(int), offsets)
    blocks = np.add.reduceat(outcomes, starts, axis=2, dtype=int)
    found = flips(blocks, np.diff(starts, append=offsets[-1]), int(rng.integers(2**32)))
    return {f"{name} of blocks": p for name, p in found.items()}


def simulate(situation, size, title, n_levels, n_powers):
    """Rows of the table for one situation: share of p-values below 0.05 without and with a difference."""
    shares = {}
    gaps = []
    for far, n_rounds in ((0, n_levels), (1, n_powers)):
        found = []
        for index in range(n_rounds):
            rng = np.random.default_rng(derive_seed("levels", title, far, index))
            p_values, outcomes = situation(rng, size, far)
            found.append(p_values)
            gaps += [outcomes[0].mean() - outcomes[1].mean()] * far
        shares[far] = (pd.DataFrame(found) < LEVEL).mean()
    power = f"at {100 * np.mean(gaps):.1f} points"
    return [[title, test, shares[0][test], shares[1][test], power] for test in shares[0].index]


# --- real error sequences --------------------------------------------------------------------------


def same_labeller(name, right, offsets, n_rounds):
    """Tests by block between groups of five trainings of one labeller; `right`: shape (n_trainings, n_positions)."""
    rng = np.random.default_rng(derive_seed("levels", "same labeller", name))
    p_values = []
    for _ in range(n_rounds):
        chosen = rng.permutation(len(right))[:10]
        p_values.append(block_p_values(right[chosen].reshape(2, 5, -1), offsets, rng))
    return _rows(f"{name}: five trainings of TreeCRF and five others", p_values)


def symmetrised_chain(name, right, offsets, n_rounds):
    """Tests by block where differences of errors follow the Markov chain of two real methods, made symmetric."""
    rng = np.random.default_rng(derive_seed("levels", "chain", name))
    difference = right[0].astype(int) - right[1]
    transitions = np.zeros((3, 3))
    for begin, end in pairwise(offsets.tolist()):
        np.add.at(transitions, (difference[begin : end - 1] + 1, difference[begin + 1 : end] + 1), 1)
    transitions += transitions[::-1, ::-1]  # the methods change places
    cumulative = np.cumsum(transitions, axis=1) / transitions.sum(axis=1, keepdims=True)
    p_values = []
    for _ in range(n_rounds):
        drawn = walk(cumulative, rng.random(len(difference)), offsets)
        p_values.append(block_p_values(np.array([drawn > 0, drawn < 0])[:, None], offsets, rng))
    title = f"{name}: chain of TreeCRF and LinearCRF, time {autocorrelation_time(difference, offsets):.1f}"
    return _rows(title, p_values)


def _rows(title, p_values):
    """Rows of the table without power, from p-values by test of each round."""
    return [[title, test, level] for test, level in (pd.DataFrame(p_values) < LEVEL).mean().items()]


def walk(cumulative, uniform, offsets):
    """States -1, 0 and 1 of a chain that starts with 0 in every sequence."""
    rows = cumulative.tolist()
    begins = {*offsets.tolist()}
    states, state = [], 1
    for position, value in enumerate(uniform.tolist()):
        row = rows[1 if position in begins else state]
        state = (value > row[0]) + (value > row[1])
        states.append(state - 1)
    return np.array(states)


# --- families of intervals -------------------------------------------------------------------------

FAMILIES = tuple(product((17, 900), (3, 5, 10), (0.01, 0.1), ("equal", "unequal")))
"""Numbers of sequences and of trainings of a method, how much trainings differ, and the accuracies of the methods."""

N_METHODS = 10


def family(rng, n_sequences, n_trainings, training, accuracies):
    """Whether single and family intervals of each pair hold the true difference, and the p-values of Holm."""
    longest, ahead = SIZES[n_sequences]
    lengths, spread = draw_lengths(rng, n_sequences, longest), Spread(training=training)
    scores = ahead * np.arange(N_METHODS) / 3 * (accuracies == "unequal")
    outcomes = draw_outcomes(rng, lengths, n_trainings, scores, spread)[:, :, 0]
    pairs = make_pairs(list(by_cluster(outcomes, lengths)))
    estimates = estimate_trainings(pairs, lengths)
    expected = expected_accuracy(scores, spread)
    true = expected[pairs.first] - expected[pairs.second]
    single, simultaneous = (
        (low <= true) & (true <= high) for low, high in (estimates.interval(), estimates.interval_bonferroni())
    )
    return single, simultaneous, estimates.p_holm


def cover(n_sequences, n_trainings, training, accuracies, n_rounds):
    """A row: coverage of single intervals and of families, and families in which Holm finds a difference."""
    found = []
    for index in range(n_rounds):
        rng = np.random.default_rng(derive_seed("coverage", n_sequences, n_trainings, training, accuracies, index))
        single, simultaneous, p_holm = family(rng, n_sequences, n_trainings, training, accuracies)
        found.append([single.mean(), simultaneous.all(), (p_holm < LEVEL).any()])
    points = np.diff(expected_accuracy([0, training]))[0]
    return [n_sequences, n_trainings, f"{points:.1f} points", accuracies, *np.mean(found, axis=0)]


# --- the tables ------------------------------------------------------------------------------------


def table(rows):
    """Markdown of rows of situation, test, level and perhaps power."""
    lines = ["| situation | test | level | | power |", "|---|---|---|---|---|"]
    for title, test, level, *power in rows:
        word = "too high" if level > HIGHEST else "low" if level < LOWEST else ""
        lines.append(f"| {title} | {test} | {level:.3f} | {word} | {f'{power[0]:.2f} {power[1]}' if power else ''} |")
    return "\n".join(lines)


def coverage_table(rows):
    """Markdown of rows of `cover`."""
    lines = [
        "| sequences | trainings | sd of trainings | accuracies | single intervals | all intervals of a family | | "
        "Holm finds a difference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for *names, single, simultaneous, rejected in rows:
        word = "too low" if 1 - simultaneous > HIGHEST else ""
        lines.append(f"| {' | '.join(map(str, names))} | {single:.3f} | {simultaneous:.3f} | {word} | {rejected:.3f} |")
    return "\n".join(lines)


def update(text, marks, shown):
    """The text of a page with a table between its marks."""
    begin, end = marks
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{shown}\n\n{end}{after}"
