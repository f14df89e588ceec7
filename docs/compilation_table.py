"""Writes the table of walkthrough.md that says what each command compiles, run in turn with an empty cache.

``make figures`` runs it; it takes a minute.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from treecrf.io.files import write_text

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/walkthrough.md"
BEGIN, END = "<!-- compilation: begin -->", "<!-- compilation: end -->"
_FIT = "fit words.csv --sequence word --label hyphen"
COMMANDS = (
    f"{_FIT} -o model.npz",
    "predict model.npz words.csv -o labelled.csv",
    f"{_FIT} --method linear_crf -o linear.npz",
    f"{_FIT} --method treecrf --missing surrogate_splitting --iterations 5 -o surrogates.npz",
    f"{_FIT} --method treecrf --missing imputation --iterations 5 -o imputed.npz",
)
_RUN = """
import sys
from numba.core.event import install_recorder
with install_recorder("numba:compile") as recorder:
    from treecrf.cli import main
    try:
        main()
    except SystemExit:
        pass
print(sum(event.is_start for _, event in recorder.buffer))
"""


def rows() -> list[list[str]]:
    """Command, functions that it compiles, and the kernels that it adds to the cache."""
    found, kept = [], set()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "words.csv").write_bytes((ROOT / "examples/words.csv").read_bytes())
        environment = os.environ | {"NUMBA_CACHE_DIR": f"{folder}/cache", "PYTHONPATH": str(ROOT / "src")}
        for command in COMMANDS:
            run = [sys.executable, "-c", _RUN, *command.split()]
            done = subprocess.run(run, env=environment, cwd=folder, text=True, capture_output=True, check=True)
            kernels = set(Path(folder, "cache").rglob("*.nbc"))
            new = sorted(path.name.rsplit("-", 1)[0].rsplit(".", 1)[-1] for path in kernels - kept)
            found.append(
                [f"`treecrf {command}`", done.stdout.split()[-1], ", ".join(f"`{name}`" for name in new) or "–"]
            )
            kept |= kernels
    return found


def page_with_table(page: str) -> str:
    """The page with the table as it is now."""
    lines = [["command", "functions", "kernels in the cache"], ["---", "---:", "---"], *rows()]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    write_text(page_with_table(PAGE.read_text(encoding="utf-8")), PAGE)
