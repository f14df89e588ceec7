"""The fixture by which tests of readers read."""

import pytest

from treecrf.readers.reading import PLAIN, read_frame


@pytest.fixture
def read(write):
    """Reads bytes or text as a file of this name; gives the frame and what was told of the file."""

    def read(content, dialect=PLAIN, name="table.csv"):
        path, told = write(name, content), []
        frame = read_frame(path, dialect, tell=lambda sentence: told.append(sentence.removeprefix(f"table {path}: ")))
        return frame, told

    return read
