"""What `make snapshot` has written: the guide to missing values and the results are of one run."""

import pandas as pd
from builders import ROOT

GUIDE = ROOT / "docs/missing_values.md"
ACCURACY = ROOT / "docs/results/missing/accuracy.csv"


def rows_of_guide():
    """Accuracies in section 3 as written, marks left out, by data set and share of holes."""
    section = GUIDE.read_text(encoding="utf-8").split("\n## 3. ")[1].split("\n## ")[0]
    for part in section.split("\n### ")[1:]:
        dataset, *lines = part.splitlines()
        for line in lines:
            share, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            if share.endswith("%"):
                yield (dataset, share), [float(cell.strip("*▼ ")) for cell in cells if cell]


def test_the_guide_has_the_accuracies_of_the_results():
    accuracy = pd.read_csv(ACCURACY).set_index(["data set", "missing rate"])
    rows = dict(rows_of_guide())
    assert sorted(rows) == sorted(accuracy.index)
    for case, written in rows.items():
        means = [float(str(cell).split(" ± ")[0]) for cell in accuracy.loc[case]]
        differences = [abs(one - other) for one, other in zip(written, means, strict=True)]
        assert max(differences) <= 0.0551, case  # rounded to one digit, and to two
