"""The run of the tests finds what somebody has looked at: `make approve` shows what differs, and takes it over."""

import os

import pytest
from approved import differences, read_frames, write_frames
from builders import TESTS

pytestmark = pytest.mark.workflow

APPROVED = TESTS / "data/approved"


def test_frames_and_tables_are_those_that_were_approved(finished):
    found = read_frames(finished / "results")
    lines = differences(found, read_frames(APPROVED))
    if "TREECRF_APPROVE" in os.environ:
        print("\n".join(["", *lines, f"{len(lines)} differences are approved."]))
        write_frames(found, APPROVED)
        return
    shown = "\n".join(lines[:40])
    assert not lines, f"{len(lines)} differences; where they are meant to be, run make approve\n{shown}"
