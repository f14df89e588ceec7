"""The page of an evaluation."""

import re

import numpy as np
from builders import number_set

from treecrf import LinearCRF
from treecrf.automl.evaluation import break_down, compare, evaluate, verdicts
from treecrf.pages.evaluation import Judged, render_evaluation
from treecrf.pages.page import table

EVIL = "<script>alert(1)</script>"


def test_the_test_of_the_difference_comes_first_and_texts_are_escaped():
    data = number_set(0)
    labels = np.asarray(data.labels)
    data = data.with_labels(labels, (EVIL, *data.label_names[1:]))
    evaluations = {
        EVIL: evaluate(LinearCRF(max_iterations=20).fit(data), data, "forward_backward"),
        "poor": evaluate(LinearCRF(max_iterations=1).fit(data), data, "forward_backward"),
    }
    names = [EVIL] * len(data)
    judged = {
        name: Judged(each, break_down(each.correct, data, names), "sequence") for name, each in evaluations.items()
    }
    comparison = compare(evaluations, data)
    text = render_evaluation(EVIL, judged, verdicts(comparison), comparison)
    headings = re.findall("<h2>(.*?)</h2>", text)
    assert headings[:2] == ["Difference", "Accuracy"]
    assert {"Errors", "By label", "Calibration", "By length of the sequence", "Worst sequences"} <= set(headings)
    assert "By group" not in headings
    assert "<script" not in text
    assert "script-src 'none'" in text
    assert text.count("<h3>poor</h3>") == text.count('<div class="sides">') == 5
    [alone] = list(judged.items())[:1]
    text = render_evaluation("t", dict([alone]))
    assert "Difference" not in text
    assert "<h3>" not in text


def test_what_intervals_and_tests_take_as_one_and_new_labels_are_named():
    data = number_set(0)
    data = data.with_groups(np.arange(len(data)) // 2)
    names = (*data.label_names, "new")
    labels = np.where(np.arange(data.n_positions) < 3, len(data.label_names), data.labels)
    labellers = [LinearCRF(max_iterations=n).fit(data) for n in (1, 20)]
    found = {str(n): evaluate(each, data.with_labels(labels, names), None) for n, each in enumerate(labellers)}
    judged = {n: Judged(each, break_down(each.correct, data, range(len(data))), "group") for n, each in found.items()}
    text = render_evaluation("t", judged, [], compare(found, data))
    assert "group-level p" in text
    assert "sequence-level" not in text
    lengths = text.split("By length of the sequence")[1]
    assert "95 % interval by group" in lengths
    assert "1 was not trained with 1 label of the file: &#x27;new&#x27; (3 positions); they count" in text


def test_numbers_of_a_column_have_as_many_digits():
    text = table(
        ["name", "points", "share", "n"], [("a", 24.507, 0.1, 1000), ("b", -0.5437, np.nan, 2), ("c", 3.0, 1.0, 3)]
    )
    columns = zip(
        *(re.findall(r'<td class="number">([^<]*)</td>', line) for line in text.split("<tr>")[2:]), strict=True
    )
    assert list(columns) == [("24.51", "-0.54", "3.00"), ("0.100", "–", "1.000"), ("1,000", "2", "3")]
