"""Page section on future features (PhD chapter 5), and what a run teaches of them."""

from __future__ import annotations

from collections.abc import Iterator

from treecrf.io.files import read_frame
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Gap, Pair
from treecrf_studies.framework.page import (
    PageContext,
    PageSection,
    StudyPage,
    choices,
    datasets,
    figure,
    setting,
    table,
    text,
    with_caption,
)
from treecrf_studies.future.methods import method_text
from treecrf_studies.future.tables import decoder_text, gains
from treecrf_studies.rendering.parts import Part

INTRODUCTION = """
The study compares labellers that look back at previous labels with FF-MEMM, which also looks ahead. FF-MEMM discovers
patterns of later observations by multiple-instance learning. Compare it with the labellers of higher order, which only
look further back.

Accuracy is in percent of test positions, as mean ± standard deviation over {n_seeds} draws of the data. A validation
set of each draw chooses leaves, bounds of steps, the start value G0 and the number of iterations.

CRFs are decoded by {decoder}, MEMM and FF-MEMM by {memm_decoder}.
"""

OF_DISSERTATION = """
FF-MEMM is that of section 5.3 of the dissertation. The dissertation does not have the data set "distant", FF-TreeCRF,
or features for more than two labels.
"""

CHOICES = (
    "n_seeds",
    "held_out",
    "equivalence_margin",
    "n_iterations",
    "chain_iterations",
    "memm_decoder",
    "test_every",
    "alpha_uppers",
    "beta_uppers",
    "eta_uppers",
    "eta_starts",
    "n_bins",
    "max_lower_iterations",
    "patience",
    "tolerance",
    "l2_regularization",
)
"""Settings that the dissertation leaves open or that a reader needs to repeat the study."""

CHOSEN = "Settings chosen by validation, and CPU seconds"


def _weights(context: PageContext) -> list[Part]:
    """What the future features of each data set look at."""
    shown: list[Part] = []
    for name in context.datasets:
        path, label = context.folder / name / "weights.csv", name
        if path.is_file() and len(first := read_frame(path)):
            label += f" ({method_text(first['method'][0])}, {first['bag'][0]}, G0 {first['g0'][0]:g}, first draw)"
        seen = f"Heat map of the effect of each category on the future features found on {name}, by distance ahead."
        shown += context.figure(f"{name}/weights", seen, label=label)
    return with_caption(shown, context.caption("weights"))


DECODERS = {
    name: lambda context, name=name: decoder_text(getattr(context.own, name)) for name in ("decoder", "memm_decoder")
}

PAGE = StudyPage(
    (
        PageSection(
            "future-orders",
            "Accuracy by order",
            (
                text(INTRODUCTION, OF_DISSERTATION, n_seeds=setting("n_seeds"), **DECODERS),
                datasets(),
                figure(
                    "orders",
                    "Line chart of accuracy by order, with a panel for each of {names} and a line for each labeller. "
                    "The tables below have the numbers.",
                ),
                table("table_5_4", "Published and measured", "Table 5.4"),
                table("table_5_5", "Published and measured", "Table 5.5"),
                table("decoders", "Distance from published values by decoder (points)"),
                table("orders", "Accuracy in percent by order", has_caption=False),
                table("gains", "Best labeller with vs without future features"),
                table("tests", "Tests between neighbours"),
                table("variances", "Variance components"),
                table("choices", CHOSEN, has_caption=False),
                choices(CHOICES),
            ),
            "tables 5.4 and 5.5",
        ),
        PageSection(
            "future-patterns",
            "Start values of patterns",
            (table("table_5_3", "Published and measured", "Table 5.3"),),
            "table 5.3",
        ),
        PageSection(
            "future-example",
            "Forward and backward pass",
            (table("example", "The label of the second position, published and measured"),),
            "section 5.1",
        ),
        PageSection(
            "future-pictures",
            "Windows of future features",
            (_weights, figure("trees", "Diagram of the first tree of the first future features.")),
        ),
    ),
)


# --- what a run teaches -----------------------------------------------------------------------------


def discovered_features(frames: Frames) -> Iterator[Pair]:
    """Discovered features of the future (PhD chapter 5)."""
    best, tests = frames.read("future", "best"), frames.read("future", "comparisons")
    if len(best) and len(tests):
        gained = [Gap(name, pair.points, *pair.interval, pair.decision) for name, pair in gains(best, tests).items()]
        yield Pair("the best with discovered features", "the best without", gained, is_averaged=False)
