"""The style sheet of all pages."""

import re

import pytest
from runs import STYLE


def _luminance(color):
    """Relative luminance of a colour such as ``#fff`` (WCAG 2)."""
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(scheme):
    colors = dict(re.findall(r"--([\w-]+): (#\w+);", re.findall(r":root \{[^}]*\}", STYLE)[scheme]))
    assert _luminance("#ffffff") == pytest.approx(1)
    for text in ("text", "quiet", "link", "good", "middling", "bad"):
        for ground in ("ground", "card", "hover", "warn"):
            dark, light = sorted((_luminance(colors[text]), _luminance(colors[ground])))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)
