"""What all methods of the package found, so that another run need not train them.

Outputs
-------
Parquet, see `treecrf.studies.rivals`.
"""

import datetime

from _job import find_study, job
from _rivals import digests_of, load_sets, shared_by
from treecrf.io.files import read_frame
from treecrf.report import provenance
from treecrf.studies.rivals import Found, RivalJob, given_to, write_rivals


def origin():
    """Where the results come from."""
    versions = provenance.versions().set_index("package")["version"].to_dict()
    place = {"commit": provenance.commit(), "machine": provenance.machine()}
    return {"date": datetime.date.today().isoformat(), **place, "versions": versions}


def found_by(entry, known):
    """What each method of a job found, and before it what they share on its data set, unless that is `known` already."""
    study, dataset, values = find_study(entry["study"]), entry["dataset"], entry["values"]
    sets = load_sets(entry["sets"])
    digests = digests_of(sets)
    of_all = RivalJob(study.name, "shared", dataset)
    if entry["function"] == study.shares and of_all not in known:
        known.add(of_all)
        yield Found(of_all, {}, digests, shared_by(study, dataset, entry["methods"][0], values, sets))
    frames = {name: read_frame(path) for name, path in entry["frames"].items()}
    for method in entry["methods"]:
        own = {name: frame[frame["method"] == method].reset_index(drop=True) for name, frame in frames.items()}
        yield Found(RivalJob(study.name, entry["function"], dataset, method), given_to(values, method), digests, own)


with job(snakemake):
    known = set()
    found = [each for entry in snakemake.params.jobs for each in found_by(entry, known)]
    write_rivals(snakemake.output[0], found, origin())
