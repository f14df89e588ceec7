"""All figures of a study.

Outputs
-------
Each figure as SVG, PDF and PNG.
"""

from pathlib import Path

from _job import find_study, job
from treecrf.io.files import atomic, read_frame, stacked
from treecrf_studies.rendering.panels import save_figure

with job(snakemake):
    figures = find_study(snakemake.params.study).module("figures")
    frames = {name: {path: read_frame(path) for path in paths} for name, paths in snakemake.input.items()}
    pictures = [picture for _, picture in snakemake.output.items()]  # in the order of the calls
    for picture, (_, function, needs, value, options) in zip(pictures, snakemake.params.figures, strict=True):
        over = snakemake.params.over[function]
        shown = [
            stacked([f for path, f in frames[name].items() if over != "dataset" or Path(path).parent.name == value])
            for name in needs
        ]
        figure = getattr(figures, function)(*shown, *([value] if over == "baseline" else []), **options)
        for kind in ("svg", "pdf", "png"):
            with atomic(Path(picture).with_suffix(f".{kind}")) as temporary:
                save_figure(figure, temporary, kind)
