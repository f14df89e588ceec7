"""Texts of single cells."""

import pytest

from treecrf_studies.rendering.cells import number, signed, three_digits


def test_what_rounds_to_zero_has_no_sign():
    assert [signed(value) for value in (-0.004, 0.004, -0.006, 0.006)] == ["0.00", "0.00", "−0.01", "+0.01"]


@pytest.mark.parametrize("value", [0.0000123456, 0.00098765, 0.1, 1.0, 9.999, 12.345, 99.96, 123.4, 1234.5])
def test_three_digits_are_kept(value):
    text = three_digits(value)
    assert float(text) == float(f"{value:.3g}")
    assert len(text.replace(".", "").lstrip("0")) >= 3
    assert "e" not in text
    assert not text.endswith(".")


def test_plain_numbers_that_round_to_zero_have_none_either():
    assert [number(value) for value in (-0.001, 0.0, -0.006)] == ["0.00", "0.00", "-0.01"]
