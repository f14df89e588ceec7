"""Results that give every claim of the M.S. thesis each of its verdicts."""

from functools import partial

import pandas as pd
from planted_claims import plant

UP, DOWN, SAME, WIDE = (1.0, 0.001), (-1.0, 0.001), (0.2, 0.9), (0.3, 0.9)
"""Points and p of a method that is better, worse, equivalent, and not told apart."""

CHOSEN = {"gtb_cascade_best": "gtb_cascade_5", "vp_cascade_best": "vp_cascade_5"}
HELD_OUT = {"cascade_1": 50.0, "cascade_5": 60.0, "cascade_all": 70.0}
"""Of cascades, with either learner and every window."""

HALF_WIDTH = 0.29
"""Of intervals of 90 %."""


def plant_coding(folder, dataset, *rows, gains=(), seconds=(1.0, 2.0), accuracies=(), n_repeats=2, iterations=(80, 80)):
    """Summaries of a data set of the study.

    `rows` (window, method, other, points, p) are comparisons, the paper's p would decide otherwise; `gains` (method,
    other, points, p) those of gains; `seconds` of the beam and of the cascades, in `n_repeats` trainings, where
    independent chains take 2; `accuracies` (method, percent) by one window; `iterations` of the trees of codes and of
    beams.
    """
    beam, cascade = seconds
    lines = [
        (f"{learner}_{name}", window, size, held_out, 50.0 + size, cascade * size / 200)
        for learner in ("gtb", "vp")
        for window in (1, 3)
        for name, held_out in HELD_OUT.items()
        for size in (10, 200)
    ]
    lines += [
        (f"{learner}_beam", window, size, 60.0, 60.0, beam * size / 5)
        for learner in ("gtb", "vp")
        for window in (1, 3)
        for size in (5, 20)
    ]
    lines += [(method, 1, 3, float("nan"), percent, 1.0) for method, percent in accuracies]
    names = ["method", "window", "size", "held_out_accuracy", "value", "cpu_seconds"]
    frame = _with_extremes(pd.DataFrame(lines, columns=names)).assign(dataset=dataset, quantity="accuracy")
    frame["n_iterations"] = frame["method"].map({"gtb_beam": iterations[1], "vp_beam": 20}).fillna(iterations[0])
    plant(frame, folder, "coding", dataset, "scores")
    timed = [(method, window, size, seconds) for method, window, size, _, _, seconds in lines]
    timed += [(f"{learner}_secoc", window, 200, 2.0) for learner in ("gtb", "vp") for window in (1, 3)]
    parts = [pd.DataFrame(timed, columns=[*names[:3], names[-1]]).assign(repeat=repeat) for repeat in range(n_repeats)]
    plant(pd.concat(parts).assign(dataset=dataset, draw=0), folder, "coding", dataset, "timings")
    best = [
        (name.partition("_")[0], name.split("_")[1], window, method, size)
        for window in (1, 3)
        for name, method, size in [*((*pair, 200) for pair in CHOSEN.items()), ("vp_beam", "vp_beam", 5)]
    ]
    frame = pd.DataFrame(best, columns=["learner", "use", "window", "method", "size"]).assign(dataset=dataset)
    plant(frame, folder, "coding", dataset, "best")
    plant(_compared(rows, dataset), folder, "coding", dataset, "comparisons")
    crossed = _compared([("1 - 3", *row) for row in gains], dataset).drop(columns="papers_p")
    plant(crossed, folder, "coding", dataset, "gains")


def _with_extremes(lines):
    return lines.assign(low=lines["value"], high=lines["value"])


def _compared(rows, dataset):
    names = ["window", "method", "other", "value", "p_value"]
    frame = pd.DataFrame(rows, columns=names).replace({"method": CHOSEN, "other": CHOSEN})
    points = frame["value"]
    ends = {
        "low_90": points - HALF_WIDTH,
        "high_90": points + HALF_WIDTH,
        "low": points - 0.4,
        "high": points + 0.4,
    }
    return frame.assign(dataset=dataset, decision="undecided", margin=0.5, papers_p=0.5, **ends)


def compared(dataset, pairs, windows, *outcomes, **more):
    """Plants comparisons: every pair with every window, window after window; the last outcome holds for the rest."""
    places = [(window, *pair) for window in windows for pair in pairs]
    filled = [*outcomes, *[outcomes[-1]] * len(places)][: len(places)]
    rows = [(*place, *outcome) for place, outcome in zip(places, filled, strict=True)]
    return partial(plant_coding_at, dataset, rows, more)


def plant_coding_at(dataset, rows, more, folder):
    plant_coding(folder, dataset, *rows, **more)


def decided(dataset, pairs, windows):
    """All better, half of them worse, all worse, none told apart."""
    given = partial(compared, dataset, pairs, windows)
    half = len(pairs) * len(windows) // 2
    return {
        "replicated": given(UP),
        "partly": given(*[UP] * half, DOWN),
        "not_replicated": given(DOWN),
        "undecided": given(WIDE),
    }


def without_parts(verdicts):
    """One comparison is never partly."""
    return {verdict: planted for verdict, planted in verdicts.items() if verdict != "partly"}


def cycle(*percents):
    return compared(
        "cycle", [], [], SAME, accuracies=list(zip(("gtb_secoc", "vp_secoc", "full"), percents, strict=True))
    )


def gains(window_3, differences):
    """Claim M4: both gains with window 3, and how much larger they are with window 1."""
    pairs = [("gtb_secoc", "gtb_iid"), ("gtb_cascade_1", "gtb_secoc")]
    return compared("nettalk_full", pairs, [3], window_3, gains=[(*pair, *differences) for pair in pairs])


def at_points(dataset, pair, window, points):
    return compared(dataset, [pair], [window], (points, 0.5))


_BEST = ("gtb_cascade_best", "gtb_secoc")
_NP = [("vp_cascade_best", "vp_secoc"), ("vp_secoc", "vp_iid")]
_BEAM = [("vp_beam", "vp_cascade_best")]
_BEAMS = [("vp_beam", "gtb_beam"), ("gtb_cascade_best", "gtb_beam"), ("gtb_cascade_best", "vp_beam")]
_GAINS = [("vp_cascade_50", "vp_cascade_1"), ("vp_cascade_50", "vp_secoc")]
_NO_LOSS = [("vp_cascade_50", f"vp_cascade_{history}") for history in (5, 10, 20)]


def histories(gain, loss):
    """Claim M6: 50 bits of history against few and none, and against those between."""
    rows = [
        (window, *pair, *outcome)
        for window in (1, 3)
        for pairs, outcome in ((_GAINS, gain), (_NO_LOSS, loss))
        for pair in pairs
    ]
    return partial(plant_coding_at, "nettalk_full", rows, {})


_SIMILAR = [("gtb_secoc", "gtb_iid"), ("gtb_cascade_best", "gtb_iid")]


def lengths(*outcomes):
    """Claim M13: 160 bits against 200, with window 1 and 3; 100 against 160, and other methods, would decide
    otherwise.
    """

    def plant_all(folder):
        rows = [(window, "", "", *outcome) for window, outcome in zip((1, 3), outcomes, strict=True)]
        frame = _compared(rows, "nettalk_full").assign(method="vp_cascade_all", size=160, longest=200)
        turned = frame.assign(value=-frame["value"])
        others = [turned.assign(method="vp_cascade_50"), turned.assign(size=100, longest=160)]
        plant(pd.concat([frame, *others]), folder, "coding", "nettalk_full", "lengths")

    return plant_all


def overhead(seconds, n_repeats=2):
    """Claim M19: seconds of the cascades, where independent chains take 2."""

    def plant_all(folder):
        for dataset in ("nettalk_full", "transition", "both", "conll2000_np"):
            plant_coding(folder, dataset, seconds=(1.0, seconds), n_repeats=n_repeats)

    return plant_all


def noun_phrases(window_1, window_3):
    """Claim M9: cascades over independent chains over none with window 1, none of them better than none with window
    3.
    """
    rows = [(1, *pair, *window_1) for pair in _NP]
    rows += [(3, "vp_iid", other, *window_3) for other in ("vp_secoc", "vp_cascade_best")]
    return partial(plant_coding_at, "conll2000_np", rows, {})


CODED = {
    "M1": {
        "checked": cycle(45.0, 45.0, 100.0),
        "partly": cycle(45.0, 45.1, 100.0),
        "not_replicated": cycle(45.1, 45.1, 99.9),
    },
    "M2": without_parts(decided("nettalk_full", [("gtb_secoc", "gtb_iid")], [1])),
    "M3": {
        verdict: at_points("nettalk_full", ("gtb_cascade_1", "gtb_secoc"), 1, points)
        for verdict, points in (("replicated", 10.3), ("not_replicated", 9.7), ("undecided", 10.28))
    },
    "M4": {
        "replicated": gains(UP, UP),
        "partly": gains(UP, DOWN),
        "not_replicated": gains(DOWN, DOWN),
        "undecided": gains(WIDE, WIDE),
    },
    "M5": decided("nettalk_full", [("gtb_cascade_5", "gtb_cascade_all")], [1, 3]),
    "M6": {
        "replicated": histories(UP, (-0.2, 0.5)),
        "partly": histories(DOWN, (-0.2, 0.5)),
        "not_replicated": histories(DOWN, DOWN),
        "undecided": histories(WIDE, (-0.3, 0.5)),
    },
    "M7": decided("nettalk_full", [("gtb_cascade_best", "vp_cascade_best")], [1, 3]),
    "M8": decided("nettalk_full", _BEAMS, [1, 3])
    | {"undecided": compared("nettalk_full", _BEAMS, [1, 3], UP, iterations=(80, 20))},
    "M9": {
        "replicated": noun_phrases(UP, (-0.2, 0.5)),
        "partly": noun_phrases(UP, DOWN),
        "not_replicated": noun_phrases(DOWN, DOWN),
        "undecided": noun_phrases(WIDE, (-0.3, 0.5)),
    },
    "M10": {
        "replicated": compared("conll2000_np", _BEAM, [1, 3], UP, seconds=(2.0, 2.0)),
        "partly": compared("conll2000_np", _BEAM, [1, 3], UP, seconds=(2.1, 2.0)),
        "not_replicated": compared("conll2000_np", _BEAM, [1, 3], DOWN, seconds=(2.1, 2.0)),
        "undecided": compared("conll2000_np", _BEAM, [1, 3], UP, seconds=(1.0, 2.0), n_repeats=1),
    },
    "M11": decided("transition", [_BEST, ("gtb_secoc", "gtb_iid")], [1]),
    "M12": {
        verdict: compared("both", [_BEST], [3], gain)
        for verdict, gain in (
            ("replicated", (0.2, 0.05)),
            ("not_replicated", (0.2, 0.049)),
            ("undecided", (0.22, 0.05)),
        )
    },
    "M13": {
        "replicated": lengths(UP, UP),
        "partly": lengths(UP, DOWN),
        "not_replicated": lengths(DOWN, DOWN),
        "undecided": lengths(WIDE, WIDE),
    },
    "M14": {
        "replicated": compared("both", _SIMILAR, [3], SAME),
        "partly": compared("both", _SIMILAR, [3], SAME, UP),
        "not_replicated": compared("both", _SIMILAR, [3], UP),
        "undecided": compared("both", _SIMILAR, [3], WIDE),
    },
    "M15": decided("nettalk_full", [("gtb_cascade_best", "vp_beam")], [1, 3]),
    "M16": decided("nettalk_full", [("gtb_cascade_best", "gtb_beam")], [1, 3]),
    "M17": without_parts(decided("conll2000_np", [("vp_cascade_5", "vp_cascade_all")], [1])),
    "M18": without_parts(decided("transition", [("gtb_cascade_5", "gtb_cascade_all")], [1])),
    "M19": {"replicated": overhead(2.2), "not_replicated": overhead(2.21), "undecided": overhead(2.0, n_repeats=1)},
}
"""As `planted_verdicts.PLANTED`."""
