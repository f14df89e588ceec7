"""Validate an RO-Crate without a network: ``python validate_crate.py CRATE CACHE``, with roc-validator and rocrate.

The validator asks the web for the context of RO-Crate 1.1. It gets that of rocrate, a later one, with `TERMS` as
they were in 1.1.
"""

import io
import json
import sys
from importlib.resources import files
from pathlib import Path

from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from rocrate_validator import services
from urllib3 import HTTPResponse

BIOSCHEMAS = "https://bioschemas.org"
TERMS = {
    "ComputationalWorkflow": f"{BIOSCHEMAS}/ComputationalWorkflow",
    "FormalParameter": f"{BIOSCHEMAS}/FormalParameter",
    "input": f"{BIOSCHEMAS}/ComputationalWorkflow#input",
    "output": f"{BIOSCHEMAS}/ComputationalWorkflow#output",
}
ADDRESS = "https://w3id.org/ro/crate/1.1/context"


class OneAnswer(HTTPAdapter):
    """Answers every request with the same text."""

    def __init__(self, text):
        super().__init__()
        self.text = text

    def send(self, request, **options):
        """The text as if it came from the web."""
        headers = {"Content-Type": "application/ld+json"}
        body = io.BytesIO(self.text.encode())
        raw = HTTPResponse(body, headers, status=200, preload_content=False, request_url=request.url)
        return self.build_response(request, raw)


def main(crate, cache):
    """Print what is wrong with the crate; returns the exit code."""
    known = json.loads(files("rocrate").joinpath("data/ro-crate.jsonld").read_text(encoding="utf-8"))
    known["@context"] |= TERMS
    with CachedSession(cache, backend="sqlite", expire_after=-1) as session:
        session.mount("https://", OneAnswer(json.dumps(known)))
        session.get(ADDRESS)
    settings = {
        "rocrate_uri": crate,
        "profile_identifier": "provenance-run-crate",
        "requirement_severity": "REQUIRED",
        "offline": True,
        "cache_path": Path(cache),
    }
    result = services.validate(settings)
    for issue in result.get_issues():
        print(f"{issue.check.identifier}: {issue.message}")
    return int(result.has_issues())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
