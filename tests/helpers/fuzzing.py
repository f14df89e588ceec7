"""Strategies of Hypothesis for inputs that no writer would write: an answer or one clear sentence follows.

The tests use few inputs, always the same ones. ``make fuzz`` sets TREECRF_FUZZ to a larger number of inputs; the option
``--hypothesis-seed`` of pytest chooses other ones.
"""

import ast
import copy
import io
import os
import re
import signal
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import treecrf
from treecrf.io.columns import CellError

PACKAGES = [Path(treecrf.__file__).parent]
N_INPUTS = int(os.environ.get("TREECRF_FUZZ", "100"))
PROFILE = settings(
    max_examples=N_INPUTS,
    derandomize="TREECRF_FUZZ" not in os.environ,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
SECONDS, WALL_SECONDS = 5.0, 60.0
"""For one input: of this process, and by the clock on the wall, which goes on where other processes take their turns.
"""

MOST_BYTES, MOST_CHARACTERS = 300_000, 1500
"""Of an input, and of an error's message."""

OWN_ERRORS = {ValueError: "", CellError: "", FileNotFoundError: ""}
"""Exactly these classes, and what ends their sentences: UnicodeDecodeError, for one, is a ValueError that no user
understands.
"""

# --- what may come of an input ----------------------------------------------------------------------


class Hang(BaseException):
    """An input took too long; no `except` of the code under test takes it."""


class Unclear(AssertionError):
    """A call that did not end, or ended in an error that is not the project's own sentence."""


@contextmanager
def time_limit():
    """Raise `Hang` after `SECONDS` of CPU time or `WALL_SECONDS`."""

    def stop(number, frame):
        raise Hang(f"no end after {SECONDS:g} s of CPU time or {WALL_SECONDS:g} s")

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, WALL_SECONDS))
    before = [signal.signal(number, stop) for number, _, _ in timers]
    for _, timer, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@cache
def raising_lines(file):
    """The lines of `raise` statements."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return {line for node in nodes for line in range(node.lineno, node.end_lineno + 1)}


def is_raised_here(error):
    """Whether the innermost frame of an exception is a `raise` statement of a package."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    file = Path(frame.f_code.co_filename)
    return any(map(file.is_relative_to, PACKAGES)) and line in raising_lines(str(file))


def why_unclear(error):
    """What is wrong with an error, None if it is clear: one sentence of the project's own."""
    message = str(error)
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return None  # of the disk: names the file by itself
    if type(error) not in OWN_ERRORS:
        return f"is a {type(error).__name__}"
    if not is_raised_here(error):
        return "is not raised by the project"
    message += OWN_ERRORS[type(error)]
    if not message.endswith(".") or len(message.splitlines()) != 1:
        return "is not one sentence"
    return f"has {len(message):,} characters" if len(message) > MOST_CHARACTERS else None


def outcome(call):
    """What comes of a call: (its result, None), or (None, a clear error); raises `Unclear` for anything else."""
    try:
        with time_limit():
            return call(), None
    except Hang as hang:
        raise Unclear(str(hang)) from hang
    except Exception as error:
        reason = why_unclear(error)
        if reason is None:
            return None, error
        raise Unclear(f"{type(error).__name__}: {str(error)[:300]!r} {reason}") from error


def assert_clear(call):
    """The message of the clear error that a call must raise."""
    found, error = outcome(call)
    assert error is not None, f"no error but {found!r}"
    return str(error)


def fuzz(inputs, use, share=1.0):
    """Give inputs of a strategy to a function that checks results; prints and returns counts of outcomes.

    Parameters
    ----------
    inputs : SearchStrategy
    use : callable
        An input to anything.
    share : float
        Of the usual number of inputs, for a function that takes long.
    """
    kinds = Counter()

    @settings(PROFILE, max_examples=max(int(share * N_INPUTS), 20))
    @given(inputs)
    def each(value):
        _, error = outcome(lambda: use(value))
        varying = r"'[^']*'|\"[^\"]*\"|\([^)]*\)|/\S+|\d[\d,.]*"
        kinds["answer" if error is None else f"{type(error).__name__}: {re.sub(varying, '_', str(error))[:70]}"] += 1

    each()
    print(*(f"{number:6} {kind}" for kind, number in kinds.most_common(12)), sep="\n")
    return kinds


def run_apart(file, **environment):
    """Run the tests of a file in a process of its own, which may crash."""
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", file]
    limit = 600 + 2 * N_INPUTS
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=limit
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


# --- bytes ------------------------------------------------------------------------------------------

ODD_NUMBERS = (*b"0 -1 nan inf 1e999 -0.0 2147483648 0x10 1_0 \xb2".split(), b"9" * 25, b"9" * 5000)
MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\n\n", b"\x1a")
SIGNS = (*b"\" ' , # _ <> E< E<99999999999> E<08> >> +L+ [ { *a !!".split(), b"\t", b" ", b"\r", b"\x0c", b"\x00")
TEXTS = ("é\u2028ß\u0661".encode(), b"\xed\xa0\x80", b"-" * 70, b"=head2 ", b"C<< ", b"&a ", b": ")
WORDS = (*MARKS, *ODD_NUMBERS, *SIGNS, *TEXTS)
LINE_ENDS = (b"\r\n", b"\r", b"\n\n", b"\n\r", b" \n", b"\x0b", b"")
SEPARATORS = (b"\t", b" ", b",", b";", b"  ")
FAULTS = ("cut", "word", "number", "number", "random", "copy", "swap", "repeat", "separators", "line ends", "mark")
PLACES = {"line": rb"[^\n]*\n?", "text of a line": rb"[^\n]+", "number": rb"-?\d+(\.\d+)?"}


@st.composite
def spans(draw, data, *kinds):
    """Begin and end of a line, of a number, of some bytes, or of all that follow."""
    kind = draw(st.sampled_from(kinds or ("bytes", "rest", *PLACES)))
    if kind in PLACES and (found := [match.span() for match in re.finditer(PLACES[kind], data[: 1 << 16])]):
        return found[draw(st.integers(0, len(found) - 1))]
    begin = draw(st.integers(0, len(data)))
    return begin, len(data) if kind == "rest" else min(begin + draw(st.integers(0, 40)), len(data))


@st.composite
def damage(draw, data):
    """Bytes with one fault."""
    kind = draw(st.sampled_from(FAULTS))
    begin, end = draw(spans(data, "number") if kind == "number" else spans(data))
    other_begin, other_end = draw(spans(data))
    before, piece, after = data[:begin], data[begin:end], data[end:]
    match kind:
        case "cut":
            return before + after
        case "word" | "number":
            return before + draw(st.sampled_from(ODD_NUMBERS if kind == "number" else WORDS)) + after
        case "random":
            return before + draw(st.binary(min_size=1, max_size=12)) + data[begin + draw(st.integers(0, 12)) :]
        case "copy":
            return before + data[other_begin:other_end] + after
        case "swap" if end <= other_begin:
            return before + data[other_begin:other_end] + data[end:other_begin] + piece + data[other_end:]
        case "separators":
            old, new = (draw(st.sampled_from(SEPARATORS)) for _ in range(2))
            return data.replace(old, new, draw(st.integers(1, 30)))
        case "line ends":
            return data.replace(b"\n", draw(st.sampled_from(LINE_ENDS)))
        case "mark":
            return draw(st.sampled_from(MARKS)) + data
        case _:
            return before + piece[:40] * draw(st.integers(2, 4000)) + after


@st.composite
def damaged(draw, *contents):
    """One of some files with up to four faults; seldom nothing or random bytes."""
    if draw(st.integers(0, 99)) == 99:
        return draw(st.just(b"") | st.binary(max_size=200))
    data = draw(st.sampled_from(contents))
    for _ in range(draw(st.integers(1, 4))):
        data = draw(damage(data))[:MOST_BYTES]
    return data


HARMLESS = {
    "the same": lambda data: data,
    "CRLF": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "no last line end": lambda data: data.rstrip(b"\r\n"),
}
"""Changes that every text format is read with as if nothing was."""

# --- nested values ----------------------------------------------------------------------------------


def place(draw, tree):
    """A mapping or list within nested ones, and a key of it; None where there is no key."""
    parent = key = None
    while isinstance(tree, dict | list) and tree and (parent is None or draw(st.integers(0, 8))):
        parent, key = tree, draw(st.sampled_from(list(tree) if isinstance(tree, dict) else range(len(tree))))
        tree = tree[key]
    return parent, key


@st.composite
def changed_tree(draw, tree, odd, keys=("new",)):
    """Nested mappings and lists with up to three values that are gone, new, odd or from another place."""
    tree = copy.deepcopy(tree)
    for _ in range(draw(st.integers(1, 3))):
        (parent, key), (other, its_key) = place(draw, tree), place(draw, tree)
        if parent is None:
            continue
        value = copy.deepcopy(draw(st.sampled_from(odd)))
        kind = draw(st.sampled_from(["gone", "new", "moved", "odd", "odd"]))
        if kind == "gone":
            del parent[key]
        elif kind == "new" and isinstance(parent, dict):
            parent[draw(st.sampled_from(keys))] = value
        elif kind == "new":
            parent.insert(key, value)
        elif isinstance(parent[key], str) and len(parent[key]) > 200:  # a text that has numbers
            text, begin = parent[key], draw(st.integers(0, len(parent[key])))
            parent[key] = f"{text[:begin]}{draw(st.integers(0, 9))}{text[begin + draw(st.integers(0, 2)) :]}"
        else:
            parent[key] = copy.deepcopy(other[its_key]) if kind == "moved" else value
    return tree


# --- arrays -----------------------------------------------------------------------------------------

INTEGERS = (-1, -2, -(2**31), -(2**63), 2**40, 2**62, 0, 1, 2, 3, 9, 10, 12, 300, 70000, 10**6)
VALUES = (*INTEGERS, np.nan, np.inf, -np.inf, 1e12, 1e308, -1e308, 5e-324, 0.5)
NAMES = ("", "X", "B-", "O ", "I-X", "é\nß", "B" * 40)
ODD_LISTS = (3, [], [0, 2**62, -5], [0.0, np.nan], [0.0, 1e300], ["a"], [b"\xff"], [1j], [True], [-7] * 7)
ODD_ARRAYS = (
    *map(np.array, ODD_LISTS),
    *(np.zeros(shape) for shape in ((2, 0), (0, 3, 1))),
    *(np.zeros(2, dtype) for dtype in ("M8[D]", [("a", int)])),
    np.array([0, 2**63], dtype=np.uint64),
)
STORED_TYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u8", "?", ">i8", "U3", "c16", "M8[s]")
TYPES = (*STORED_TYPES, "O", "S8")


def frozen(array):
    """A copy that nobody may write to."""
    array = array.copy()
    array.flags.writeable = False
    return array


FORMS = (
    np.asfortranarray,
    frozen,
    lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    lambda array: array[::-1].copy()[::-1],
)
"""The same numbers elsewhere in the memory."""

SHAPES = (
    *FORMS,
    np.ravel,
    lambda array: array[::-1],
    lambda array: array[..., ::-1],
    lambda array: array[:-1],
    lambda array: array[:0],
    lambda array: array[: len(array) // 2],
    lambda array: np.concatenate([array, array]),
    lambda array: array[None],
    lambda array: array[..., None],
    lambda array: np.ascontiguousarray(array.T),
    lambda array: np.roll(array, 3),
    lambda array: np.broadcast_to(array.ravel()[:1], array.shape) if array.size else array,
)
"""The same numbers, or some of them, in another shape or order."""


@st.composite
def changed_values(draw, array):
    """An array with up to three numbers or texts changed."""
    if not array.size:
        return np.zeros(tuple(axis + 1 for axis in array.shape), array.dtype)
    array = np.char.decode(array, "latin-1") if array.dtype.kind == "S" else array
    array = array.astype("U40") if array.dtype.kind == "U" else array.copy()
    cells = array.view(np.uint8) if array.dtype == np.bool_ else array
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, array.size - 1))
        value = draw(st.sampled_from(NAMES if array.dtype.kind == "U" else VALUES) | st.integers(-3, 3))
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                cells.flat[at] = value
        elif array.dtype.kind in "iub":
            near = int(cells.flat[at]) + value if isinstance(value, int) and abs(value) < 4 else value
            limits = np.iinfo(cells.dtype)
            cells.flat[at] = min(max(int(np.nan_to_num(near, nan=-1)), limits.min), limits.max)
        elif array.dtype.kind == "U":
            cells.flat[at] = str(value)
    return array


def of_type(array, kind):
    """An array in another type, or as it is where there is no such array."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return array.astype(kind)
    except (ValueError, TypeError, OverflowError):
        return array


def changed_array(array, types=STORED_TYPES):
    """An array of other values, shape or type."""
    reshaped = st.sampled_from(SHAPES).map(lambda change: change(array) if array.ndim else array)
    retyped = st.sampled_from(types).map(lambda kind: of_type(array, kind))
    return changed_values(array) | changed_values(array) | reshaped | retyped


# --- right results ----------------------------------------------------------------------------------


def check_set(data):
    """Assert what every `SequenceSet` must be, by other means than its own checks."""
    assert data.values.dtype == np.int32
    assert data.values.shape == (data.observation_offsets[-1], len(data.attributes))
    for j, attribute in enumerate(data.attributes):
        assert set(np.unique(data.values[:, j]).tolist()) <= {-1, *range(len(attribute.categories))}
        assert len(set(attribute.categories)) == len(attribute.categories)
        assert all(isinstance(name, str) for name in (attribute.name, *attribute.categories))
    assert data.numbers.dtype == np.float64
    assert data.numbers.shape == (len(data.values), len(data.number_names))
    assert not np.isinf(data.numbers).any()
    for offsets in (data.offsets, data.observation_offsets):
        assert offsets.dtype == np.int64
        assert offsets[0] == 0
        assert offsets.tolist() == sorted(set(offsets.tolist()))
    assert (np.diff(data.observation_offsets) >= np.diff(data.offsets)).all()
    if data.labels is not None:
        assert data.labels.shape == (data.offsets[-1],)
        assert set(np.unique(data.labels).tolist()) <= {*range(len(data.label_names))}
    return data


@contextmanager
def quiet():
    """Without the output and the warnings of what runs within."""
    with warnings.catch_warnings(action="ignore"), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield


def head(data, n_lines):
    """The first lines of a file."""
    return b"".join(data.splitlines(keepends=True)[:n_lines])
