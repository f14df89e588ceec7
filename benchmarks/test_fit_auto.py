"""`treecrf fit` with defaults beside three rivals with a few settings each on windows of the same file."""

import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

MOST_CPU, MOST_MEGABYTES, ALLOWED = 60, 500, 0.5
SETTINGS = ({"learning_rate": 0.1, "max_leaf_nodes": 31}, {"learning_rate": 0.1, "max_leaf_nodes": 15})


def numbers(seed, n_sequences, n_numbers, n_labels, length, stay):
    """Numbers around a mean of each label; a sequence has an offset of its own, and labels last."""
    centres = np.random.default_rng(0).normal(size=(n_labels, n_numbers))
    rng = np.random.default_rng(seed)
    frames = []
    for sequence in range(n_sequences):
        new, drawn = rng.random(length) > stay, rng.integers(n_labels, size=length)
        new[0] = True
        labels = drawn[np.maximum.accumulate(np.where(new, np.arange(length), 0))]
        values = centres[labels] + rng.normal(0, 0.5, n_numbers) + rng.normal(size=(length, n_numbers))
        frame = pd.DataFrame(values.round(4), columns=[f"x{i}" for i in range(n_numbers)])
        frames.append(frame.assign(sequence=sequence, label=[f"l{label}" for label in labels]))
    return pd.concat(frames, ignore_index=True)


def words(path, n_sentences):
    """Words, their suffixes and their parts of speech, of the shared task of 2000."""
    rows, sentence = [], 0
    for line in path.read_text().splitlines():
        if line:
            word, tag, _ = line.split()
            rows.append((sentence, word.lower(), word[-1:], word[-2:], word[-3:], word[0].isupper(), tag))
        else:
            sentence += 1
        if sentence == n_sentences:
            break
    frame = pd.DataFrame(rows, columns=["sequence", "word", "s1", "s2", "s3", "upper", "label"])
    return frame.assign(upper=frame["upper"].map({True: "yes", False: "no"}))


KINDS = ("vowels", "accelerometer", "words", "panel")


@pytest.fixture
def tables(request, size, tiny):
    """Training and test table of a kind."""

    def draw(kind):
        if kind == "words":
            if tiny:
                pytest.skip("words are in the raw data alone")
            folder = request.getfixturevalue("raw") / "conll2000"
            return words(folder / "train.txt", 430), words(folder / "test.txt", 210)
        shapes = {"vowels": (270, 12, 9, 18, 0.7), "accelerometer": (40, 6, 7, 250, 0.97), "panel": (150, 5, 3, 8, 0.8)}
        n_sequences, *others = shapes[kind]
        return tuple(numbers(seed, 6 if tiny else n_sequences, *others) for seed in (1, 2))

    return draw


def measured(*arguments):
    """What a command prints, its CPU seconds and its peak in MB."""
    code = (
        "import resource, subprocess, sys; r = subprocess.run([sys.executable, '-m', 'treecrf', *sys.argv[1:]]);"
        "u = resource.getrusage(resource.RUSAGE_CHILDREN); print('USED', u.ru_utime + u.ru_stime, u.ru_maxrss / 1024);"
        "sys.exit(r.returncode)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"COLUMNS": "80"},
    ).stdout  # fmt: skip
    used = out.rsplit("USED", 1)[1].split()
    return out, float(used[0]), float(used[1])


def by_crfsuite(train, test, reach, folder):
    """Accuracies of python-crfsuite, a feature for each cell of the window."""
    import pycrfsuite

    def examples(frame):
        columns = [column for column in frame if column not in ("sequence", "label")]
        for _, rows in frame.groupby("sequence", sort=False):
            cells = rows[columns].to_numpy()
            features = [
                {
                    (f"{d}|{name}={cell}" if isinstance(cell, str) else f"{d}|{name}"): (
                        1.0 if isinstance(cell, str) else float(cell)
                    )
                    for d in range(-reach, reach + 1)
                    if 0 <= t + d < len(cells)
                    for name, cell in zip(columns, cells[t + d], strict=True)
                }
                for t in range(len(cells))
            ]
            yield features, list(rows["label"])

    for variance in (0.5, 5.0):
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params({"c2": 1 / (2 * variance), "max_iterations": 100})
        for example in examples(train):
            trainer.append(*example)
        trainer.train(str(folder / "crfsuite.model"))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(folder / "crfsuite.model"))
        yield np.concatenate([np.array(tagger.tag(x)) == np.array(y) for x, y in examples(test)]).mean()


def by_trees(train, test, reach, n_iterations):
    """Accuracies of LightGBM and HistGradientBoosting on windows of numbers, or of codes."""
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier

    columns = [column for column in train if column not in ("sequence", "label")]

    def windows(frame):
        coded = frame[["sequence"]].copy()
        for name in columns:
            known = sorted(train[name].unique())
            is_text = isinstance(known[0], str)
            coded[name] = pd.Categorical(frame[name], categories=known).codes if is_text else frame[name]
        shifted = coded.groupby("sequence")[columns].shift
        return np.hstack([shifted(-d).to_numpy(float) for d in range(-reach, reach + 1)])

    inputs, asked = windows(train), windows(test)
    for settings in SETTINGS:
        yield (
            "HistGradientBoosting",
            HistGradientBoostingClassifier(max_iter=n_iterations, **settings).fit(inputs, train["label"]).predict(asked)
            == test["label"],
        )
        leaves = {"learning_rate": settings["learning_rate"], "num_leaves": settings["max_leaf_nodes"]}
        model = LGBMClassifier(n_estimators=n_iterations, n_jobs=1, verbosity=-1, **leaves)
        yield "LightGBM", model.fit(inputs, train["label"]).predict(asked) == test["label"]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("kind", KINDS)
def test_defaults_beside_rivals(record, tables, size, tiny, tmp_path, kind):
    train, test = tables(kind)
    train.to_csv(tmp_path / "train.csv", index=False)
    test.to_csv(tmp_path / "test.csv", index=False)
    few = ("--iterations", 2, "--budget", 1) if tiny else ()
    _, training, trained = measured("fit", tmp_path / "train.csv", "-o", tmp_path / "m.npz", *few)
    out, judging, judged = measured("evaluate", tmp_path / "m.npz", tmp_path / "test.csv")
    accuracy = float(re.search(r"([\d.]+)% of [\d,]+ positions", out)[1])
    best = {}
    for reach in {"words": (0, 1), "accelerometer": (3, 12)}.get(kind, (1, 3))[: size(2)]:
        if kind != "accelerometer" or reach == 3:
            found = max(by_crfsuite(train, test, reach, tmp_path))
            best["python-crfsuite"] = max(best.get("python-crfsuite", 0), 100 * found)
        if kind != "words" or reach == 1:
            for name, right in by_trees(train, test, reach, size(30 if kind == "words" else 100)):
                best[name] = max(best.get(name, 0), 100 * right.mean())
    for name, points in best.items():
        record(f"{kind}: {name}, best of its settings", f"{points:.2f}")
    record(f"{kind}: treecrf fit", f"{accuracy:.2f}", f"at least {max(best.values()) - ALLOWED:.2f}")
    record(f"{kind}: fit and evaluate, CPU seconds", f"{training + judging:.1f}", f"below {MOST_CPU}")
    record(f"{kind}: fit and evaluate, peak MB", f"{max(trained, judged):.0f}", f"below {MOST_MEGABYTES}")
