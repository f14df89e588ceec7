"""Draws the pictures of docs/gallery.md: runs its blocks from the root of the repository (``make figures``)."""

import re
from pathlib import Path

import matplotlib.pyplot as plt

PAGE = Path(__file__).parent.parent / "gallery.md"
BLOCK = re.compile(r"```python\n(.*?)```\n\n!\[[^]]*\]\((.*?)\)", re.DOTALL)


def draw(folder: Path) -> None:
    """Write a picture for each block, which the page shows below it."""
    namespace: dict[str, object] = {}
    for code, picture in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        exec(code, namespace)
        drawn = namespace["figure"]
        figure = getattr(drawn, "figure", None) or drawn  # of axes
        figure.savefig(folder / picture, dpi=80, bbox_inches="tight", metadata={"Software": None})
        plt.close("all")


if __name__ == "__main__":
    draw(PAGE.parent)
