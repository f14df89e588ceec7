"""Makes examples/activities.csv: accelerometers of thirty people, made up. Each activity has its own mean numbers and
lasts for a while, and people hold the device in different ways.
"""

import numpy as np
import pandas as pd

MEANS = {"sit": [0, 0, 1], "walk": [1, 0.5, 0], "run": [-0.5, 1, 0.5]}


def make_activities():
    """One row per moment: person, x, y, z and the activity."""
    rng = np.random.default_rng(0)
    people = []
    for person in range(30):
        activity = np.repeat(rng.choice([*MEANS], 5), 6)
        numbers = rng.normal([MEANS[name] for name in activity], 0.6)
        numbers += rng.normal(scale=0.4, size=3)  # how the person holds the device
        rows = pd.DataFrame(numbers.round(3), columns=["x", "y", "z"])
        people.append(rows.assign(person=person, activity=activity)[["person", "x", "y", "z", "activity"]])
    return pd.concat(people, ignore_index=True)


if __name__ == "__main__":
    make_activities().to_csv("examples/activities.csv", index=False, lineterminator="\n")
