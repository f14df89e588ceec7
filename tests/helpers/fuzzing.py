"""Inputs that no writer would write, and what may come of them: a right result or one clear sentence.

The tests run a few hundred inputs per parser, always the same ones. ``make fuzz`` sets TREECRF_FUZZ to a number of inputs
and TREECRF_FUZZ_SEED to a seed, prints what came of them and keeps every input that failed under ``build/fuzz``.
"""

import ast
import io
import os
import pickle
import re
import signal
import time
import traceback
import warnings
import zlib
from collections import Counter
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

import treecrf
from treecrf.io.frames import CellError

PACKAGES = [Path(treecrf.__file__).parent]
FULL = "TREECRF_FUZZ" in os.environ
N_INPUTS = int(os.environ.get("TREECRF_FUZZ", "200"))
SEED = int(os.environ.get("TREECRF_FUZZ_SEED", "0"))
SECONDS, WALL_SECONDS = 5.0, 60.0
"""For one input: of this process, and by the clock on the wall, which goes on where other processes take their turns."""

MOST_BYTES = 300_000
MOST_CHARACTERS = 1500
"""Of an input, and of an error's message."""

OWN_ERRORS = {ValueError: "", CellError: "", FileNotFoundError: ""}
"""Exactly these classes, and what ends their sentences: UnicodeDecodeError, for one, is a ValueError that no user understands."""

# --- what may come of an input ----------------------------------------------------------------------


class Hang(BaseException):
    """An input took too long; no `except` of the code under test takes it."""


class Unclear(AssertionError):
    """An error that is not the project's own sentence."""


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
    """What comes of a call: (its result, None), or (None, a clear error).

    Raises
    ------
    Unclear
        For any other error.
    Hang
        If it does not end in time.
    """
    try:
        with time_limit():
            return call(), None
    except Exception as error:
        reason = why_unclear(error)
        if reason is None:
            return None, error
        text = "".join(traceback.format_exception(error)[-4:])
        raise Unclear(f"{type(error).__name__}: {str(error)[:300]!r} {reason}\n{text}") from error


def assert_clear(call):
    """The message of the clear error that a call must raise."""
    found, error = outcome(call)
    assert error is not None, f"no error but {found!r}"
    return str(error)


# --- running many -----------------------------------------------------------------------------------


def kind_of(error):
    """An error without what differs from input to input."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|\([^)]*\)|/\S+|\d[\d,.]*", "_", str(error))
    return f"{type(error).__name__}: {text[:70]}"


def fuzz(name, make, use, n_inputs=None):
    """Make many inputs and use each.

    Parameters
    ----------
    name : str
        Of the parser; with the seed and the number of an input it decides the input.
    make : callable
        A generator of random numbers to an input (bytes, or anything with a repr).
    use : callable
        The input to anything; checks by itself that a result is right.
    n_inputs : int, optional
        `N_INPUTS` unless given.
    """
    kinds, failures, slowest = Counter(), [], (0.0, 0)
    total = n_inputs or N_INPUTS
    for i in range(total):
        given = make(np.random.default_rng([SEED, zlib.crc32(name.encode()), i]))
        begin = time.perf_counter()
        try:
            _, error = outcome(lambda given=given: use(given))
            kinds["result" if error is None else kind_of(error)] += 1
        except (Exception, Hang) as problem:
            failures.append(f"{name}, seed {SEED}, input {i}{keep(name, i, given)}: {problem}")
        slowest = max(slowest, (time.perf_counter() - begin, i))
        if FULL and (i + 1) % max(total // 10, 1) == 0:
            print(f"{name}: {i + 1} of {total}, {len(failures)} failed", flush=True)
    if FULL:
        print(f"{name}: seed {SEED}, {total} inputs, {kinds['result']} results, {total - kinds['result']} errors of "
              f"{len(kinds - Counter(result=kinds['result']))} kinds, slowest {slowest[0]:.2f} s (input {slowest[1]})")  # fmt: skip
        print("".join(f"    {number:6} {kind}\n" for kind, number in kinds.most_common(12)), flush=True)
    assert not failures, f"{len(failures)} of {total} inputs failed, the first ones:\n" + "\n".join(failures[:5])


def keep(name, i, given):
    """Write an input that failed to ``build/fuzz``; what to say of it."""
    if not FULL:
        return ""
    path = Path("build/fuzz") / f"{re.sub(r'[^A-Za-z0-9]+', '_', name)}.{SEED}.{i}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(given if isinstance(given, bytes) else pickle.dumps(given))
    return f" ({path})"


# --- mutations of bytes -----------------------------------------------------------------------------

NUMBERS = (
    b"0",
    b"-1",
    b"nan",
    b"inf",
    b"1e999",
    b"-0.0",
    b"9" * 25,
    b"9" * 5000,
    b"2147483648",
    b"0x10",
    b"1_0",
    b"\xb2",
)
WORDS = (
    b"\x00", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", "é\u2028ß\u0661".encode(), b'"', b"'", b",", b"\t", b" ", b"#", b"_",
    b"\r", b"\x0c", b"<>", b"-" * 70, b"=head2 ", b"E<", b"E<99999999999>", b"E<08>", b"C<< ", b">>", b"+L+", b"[", b"{", b"&a ",
    b"*a", b"!!", b": ",
)  # fmt: skip


def flip(data, rng):
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 8))):
        changed[rng.integers(len(changed))] = rng.integers(256)
    return bytes(changed)


def cut_off(data, rng):
    return data[: rng.integers(len(data))]


def cut_out(data, rng):
    begin = int(rng.integers(len(data)))
    return data[:begin] + data[begin + int(rng.integers(1, 60)) :]


def insert(data, rng):
    place = int(rng.integers(len(data) + 1))
    piece = rng.bytes(int(rng.integers(1, 12))) if rng.random() < 0.3 else WORDS[rng.integers(len(WORDS))]
    return data[:place] + piece + data[place:]


def repeat(data, rng):
    """A piece many times over: long lines, deep nesting."""
    begin = int(rng.integers(len(data)))
    piece = data[begin : begin + int(rng.integers(1, 40))]
    return data[:begin] + piece * int(rng.integers(2, 4000)) + data[begin:]


def lines_changed(data, rng):
    lines = data.split(b"\n")
    i, j = (int(rng.integers(len(lines))) for _ in range(2))
    match int(rng.integers(4)):
        case 0:
            del lines[i]
        case 1:
            lines.insert(j, lines[i])
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case 3:
            lines[i] = b""
    return b"\n".join(lines)


def number_changed(data, rng):
    places = [found.span() for found in re.finditer(rb"-?\d+(\.\d+)?", data[: 1 << 16])]
    if not places:
        return insert(data, rng)
    begin, end = places[rng.integers(len(places))]
    return data[:begin] + NUMBERS[rng.integers(len(NUMBERS))] + data[end:]


def line_ends_changed(data, rng):
    return data.replace(b"\n", (b"\r\n", b"\r", b"\n\n", b"\n\r", b" \n", b"\x0b", b"")[rng.integers(7)])


def separators_changed(data, rng):
    old, new = (((b"\t", b" ", b",", b";", b"  ")[rng.integers(5)]) for _ in range(2))
    return data.replace(old, new, int(rng.integers(1, 30)))


def with_mark(data, rng):
    return (b"\xef\xbb\xbf", b"\xff\xfe", b"\n\n", b"\x1a")[rng.integers(4)] + data


MUTATIONS = (
    flip, cut_off, cut_out, insert, repeat, lines_changed, lines_changed, number_changed, number_changed, line_ends_changed,
    separators_changed, with_mark,
)  # fmt: skip


def mutate(data, rng):
    """Bytes with one to four faults."""
    if rng.random() < 0.01:
        return b"" if rng.random() < 0.5 else rng.bytes(200)
    for _ in range(int(rng.integers(1, 5))):
        if data:
            data = MUTATIONS[rng.integers(len(MUTATIONS))](data, rng)[:MOST_BYTES]
    return data


def mutations_of(seeds):
    """A `make` for `fuzz`: mutations of some files."""
    return lambda rng: mutate(seeds[rng.integers(len(seeds))], rng)


HARMLESS = {
    "the same": lambda data: data,
    "CRLF": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "no last line end": lambda data: data.rstrip(b"\r\n"),
}
"""Changes that every text format is read with as if nothing was."""

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
    from contextlib import redirect_stderr, redirect_stdout

    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def head(data, n_lines):
    """The first lines of a file."""
    return b"".join(data.splitlines(keepends=True)[:n_lines])
