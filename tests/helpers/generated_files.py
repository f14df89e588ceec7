"""Files as strangers have them, from a generator: people with sensors, minutes with dates, 120 labels, citations."""

import numpy as np
import pandas as pd


def people(seed, n_people=9, n_windows=4, length=25):
    """Accelerometers of people, who each hold it otherwise; activities last for a while."""
    rng = np.random.default_rng(seed)
    parts = []
    for person in range(n_people):
        bias = rng.normal(scale=0.7, size=3)
        for window in range(n_windows):
            activity = np.repeat(rng.integers(0, 3, -(-length // 5)), 5)[:length]
            means = np.array([[0.0, 0.0, 1.0], [1.0, 0.5, 0.0], [-0.5, 1.0, 0.5]])[activity]
            part = pd.DataFrame(np.round(means + bias + rng.normal(scale=0.6, size=means.shape), 3), columns=[*"xyz"])
            part.insert(0, "user", f"u{seed}_{person}")
            part.insert(0, "window", f"w{person}_{window}")
            parts.append(part.assign(activity=np.array(["sit", "walk", "run"])[activity]))
    return pd.concat(parts, ignore_index=True)


def minutes(seed, n_days=24, length=48):
    """A room by the half hour: people are there at work, which light and hour tell in part."""
    rng = np.random.default_rng(seed)
    parts = []
    for day in range(n_days):
        times = pd.date_range(f"2026-03-{1 + day % 28:02d}T00:00:00", periods=length, freq="30min")
        hour, is_work = np.asarray(times.hour), (pd.Timestamp(times[0]).day_of_week < 5)
        occupied = is_work & (hour >= 8) & (hour < 17) & (rng.random(length) < 0.95)
        light = np.round(300 * occupied + 150 * ((hour > 6) & (hour < 19)) + rng.normal(scale=120, size=length), 1)
        parts.append(
            pd.DataFrame(
                {
                    "day": f"d{seed}_{day}",
                    "date": times.strftime("%Y-%m-%dT%H:%M:%S"),
                    "light": light,
                    "state": np.where(occupied, "occupied", "empty"),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def many_labels(seed, n_sequences=150, length=20, n_labels=120):
    """Words of a plan with 120 steps, each of which leads to one of three others; words are of one to three steps."""
    rng = np.random.default_rng(seed)
    steps = np.random.default_rng(0).integers(0, n_labels, (n_labels, 3))
    labels = np.empty((n_sequences, length), dtype=np.int64)
    labels[:, 0] = (np.arange(n_sequences) + seed) % n_labels
    for place in range(1, length):
        labels[:, place] = steps[labels[:, place - 1], rng.integers(0, 3, n_sequences)]
    labels = labels.ravel()
    words = (labels * 7 + rng.integers(0, 3, len(labels)) * 53) % 400
    names = np.repeat([f"s{i}" for i in range(n_sequences)], length)
    return pd.DataFrame({"sequence": names, "word": [f"word{i}" for i in words], "label": [f"step{i}" for i in labels]})


NAMES, TOPICS = (
    ("Smith", "Garcia", "Chen", "Okafor", "Novak", "Rossi"),
    ("trees", "chains", "labels", "speech", "genes"),
)


def citations(seed, n_citations=150):
    """References with spans of authors, title, journal and year in BIO."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n_citations):
        fields = []
        authors = [
            word
            for _ in range(rng.integers(1, 4))
            for word in (f"{rng.choice(NAMES)}", ",", f"{rng.choice([*'ABCD'])}.")
        ]
        title = [*rng.choice([*TOPICS, "of", "for", "learning", "models", "new", "sparse"], rng.integers(3, 8))]
        fields = [
            ("AUTHOR", authors),
            ("TITLE", [title[0].capitalize(), *title[1:]]),
            ("JOURNAL", [str(rng.choice(["Journal", "Annals"])), "of", str(rng.choice(TOPICS)).capitalize()]),
            ("YEAR", [str(rng.integers(1960, 2026))]),
        ]
        for field, words in fields:
            rows += [(f"c{number}", str(word), f"{'I' if i else 'B'}-{field}") for i, word in enumerate(words)]
            rows.append((f"c{number}", ".", "O"))
    return pd.DataFrame(rows, columns=["citation", "token", "tag"])


FILES = {
    "people": (people, "window", "activity", "user"),
    "minutes": (minutes, "day", "state", None),
    "many labels": (many_labels, "sequence", "label", None),
    "citations": (citations, "citation", "tag", None),
}
"""The generator of each file, and its columns of sequences, labels and groups."""
