"""Tables as the papers print them."""

from treecrf_studies.framework.tables import MEASURED, PUBLISHED, printed_layout


def test_blocks_have_the_lines_with_a_text_in_the_order_of_all_lines():
    best = "2.0 ▲"
    blocks = [
        (("a",), {"x": {MEASURED: best, PUBLISHED: "1.0"}, "y": {MEASURED: "3.0"}}),
        (("b",), {"x": {}, "y": {PUBLISHED: "4.0"}}),
    ]
    layout = printed_layout(["data set"], ["x", "y"], blocks)
    assert layout.columns.tolist() == ["data set", "values", "x", "y"]
    assert layout.to_numpy(dtype=object).tolist() == [
        ["a", PUBLISHED, "1.0", "–"],
        ["a", MEASURED, best, "3.0"],
        ["b", PUBLISHED, "–", "4.0"],
    ]


def test_grouped_columns_have_two_lines_of_headings():
    layout = printed_layout(["data set"], [("g", "x")], [(("a",), {("g", "x"): {MEASURED: "1"}})])
    assert layout.columns.tolist() == [("", "data set"), ("", "values"), ("g", "x")]
