"""Histograms of all positions in one sweep over the observations.

Windows overlap: observation q stands in the slot "o places on" of position ``q - o``. So instead of adding the
sum of each position once for every slot, a sweep takes each observation once and adds the sums of the
positions around it, neighbours in memory, to the lanes of its code:

    table[code of q, k] += sums[q - right + k]        k = 0 .. left + right, slot place = left + right - k

Several lanes are one instruction. Attributes with few categories are swept together, under the number of
their combination, and the table's margins are taken afterwards. EDGE has what the codes leave of the total.

Where a window is one observation there is one lane, and only the observations of the node's positions are taken.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import boolean, int32, int64, types, uint64
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int32, Int64, UInt32, compiled_type, struct
from treecrf.sequences import MISSING, SequenceSet, window_rows

LANES = 8
"""Integers of eight bytes in one cache line."""


def add_lanes(target: NDArray[np.int64], at: int, values: NDArray[np.int64], begin: int) -> None:
    """Add ``values[begin : begin + LANES]`` to ``target[at : at + LANES]``; both must be inside."""
    target[int(at) : int(at) + LANES] += values[int(begin) : int(begin) + LANES]


def add_pair(target: NDArray[np.int64], at: int, first: int, second: int) -> None:
    """Add two integers to ``target[at]`` and ``target[at + 1]``, which must be inside."""
    target[int(at)] += first
    target[int(at) + 1] += second


@intrinsic
def _add_lanes(typing_context: Any, target: Any, at: Any, values: Any, begin: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = ir.VectorType(ir.IntType(64), LANES)

        def pointer(array: int, index: int) -> Any:
            data = context.make_array(signature.args[array])(context, builder, arguments[array]).data
            return builder.bitcast(builder.gep(data, [arguments[index]]), lanes.as_pointer())

        place = pointer(0, 1)
        total = builder.add(builder.load(place, align=8), builder.load(pointer(2, 3), align=8))
        builder.store(total, place, align=8)
        return context.get_dummy_value()

    return types.void(target, types.uint64, values, types.uint64), generate


@overload(add_lanes)
def _compile_add_lanes(target, at, values, begin):
    return lambda target, at, values, begin: _add_lanes(target, at, values, begin)


@intrinsic
def _add_pair(typing_context: Any, target: Any, at: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pair = ir.VectorType(ir.IntType(64), 2)
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), pair.as_pointer())
        addend: Any = ir.Constant(pair, [0, 0])
        for i in range(2):
            addend = builder.insert_element(addend, arguments[2 + i], ir.Constant(ir.IntType(32), i))
        builder.store(builder.add(builder.load(place, align=8), addend), place, align=8)
        return context.get_dummy_value()

    return types.void(target, types.uint64, types.int64, types.int64), generate


@overload(add_pair)
def _compile_add_pair(target, at, first, second):
    return lambda target, at, first, second: _add_pair(target, at, first, second)


_LARGEST_TABLE = 4096  # entries of a group's table: all lie in the first cache
_OBSERVATIONS = 32  # for each of its rows, at least: margins take time, too


@struct
class JointCodes(NamedTuple):
    """The observations of a data set, laid out for `sweep_window_tests`."""

    codes: Annotated[UInt32, "n_groups, n_observations", "Row of the table to which an observation belongs."]
    rows: Annotated[UInt32, "n_positions, n_groups", "`codes` by position, where there is one lane; else empty."]
    first_attribute: Annotated[Int64, "n_groups + 1"]
    first_row: Annotated[Int64, "n_groups + 1", "Of the table."]
    sizes: Annotated[Int64, "n_attributes", "Number of codes, EDGE not counted."]
    offsets: Annotated[Int64, "n_sequences + 1"]
    observation_offsets: Annotated[Int64, "n_sequences + 1"]
    starts: Annotated[Int64, "n_sequences + 1", "First observation of each on an axis with gaps between the sequences."]
    places: Annotated[Int32, "n_positions", "Where the sum of each position is put on that axis: `right` places late."]
    left: Annotated[int, "The window, with `right`."]
    right: int
    with_missing: Annotated[bool, 'Whether the last code is "missing", whose cell comes after that of EDGE.']


JOINT_CODES = compiled_type(JointCodes)


def build_joint_codes(data: SequenceSet, window: tuple[int, int], with_missing: bool = False) -> JointCodes:
    """Group attributes from the left while their table stays small; `with_missing` is that of `JointCodes`.

    Anchored attributes are left out (`treecrf.trees.histogram.fill_anchored_tests`).
    """
    swept = [j for j, attribute in enumerate(data.attributes) if not attribute.anchored]
    values = data.values[:, swept]
    sizes = np.array([len(data.attributes[j].categories) for j in swept], dtype=np.int64) + with_missing
    codes = np.where(values == MISSING, sizes - 1, values)
    left, right = window
    most_rows = max(min(_LARGEST_TABLE // n_lanes(left, right), len(codes) // _OBSERVATIONS), 1)
    firsts, rows = [0], [1]
    for attribute, size in enumerate(sizes):
        if attribute > firsts[-1] and rows[-1] * size > most_rows:
            firsts.append(attribute)
            rows.append(1)
        rows[-1] *= int(size)
    first_attribute = np.array([*firsts, len(sizes)], dtype=np.int64)
    first_row = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    joint = np.zeros((len(firsts), len(codes)), dtype=np.int64)
    for group in range(len(firsts)):
        for attribute in range(first_attribute[group], first_attribute[group + 1]):
            joint[group] = joint[group] * sizes[attribute] + codes[:, attribute]
        joint[group] += first_row[group]
    offsets, observation_offsets = data.offsets.copy(), data.observation_offsets.copy()  # writable, as the type says
    if (
        left == right == 0
    ):  # windows do not leave a sequence: all sequences are as one, in which each position is a place
        joint = joint.take(window_rows(data, window)[:, 0], axis=1)
        offsets = observation_offsets = np.array([0, data.n_positions])
    rows_of = joint.T if left == right == 0 else joint.T[:0]
    lengths = np.maximum(np.diff(offsets), np.diff(observation_offsets)) + max(left, right)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(offsets[-1]) + np.repeat(starts[:-1] + right - offsets[:-1], np.diff(offsets))
    return JointCodes(
        joint.astype(np.uint32), np.ascontiguousarray(rows_of, dtype=np.uint32), first_attribute, first_row, sizes, offsets, observation_offsets, starts,
        places.astype(np.int32), left, right, with_missing,
    )  # fmt: skip


@kernel(int64(int64, int64))
def n_lanes(left, right):
    """Lanes of a table row: window places, rounded up to whole runs unless there is one."""
    if left + right == 0:
        return 1
    return -(-(left + right + 1) // LANES) * LANES


def n_spaced(joint_codes: JointCodes) -> int:
    """Length of the axis with gaps, and of all that an addition may touch beyond its end."""
    return int(joint_codes.starts[-1] + joint_codes.right + max(joint_codes.left, joint_codes.right)) + n_lanes(
        joint_codes.left, joint_codes.right
    )


def n_table(joint_codes: JointCodes) -> int:
    """Length of the table of all groups."""
    return int(joint_codes.first_row[-1]) * n_lanes(joint_codes.left, joint_codes.right)


@kernel(boolean(JOINT_CODES))
def has_one_lane(joint_codes):
    """Whether a window is one observation, so that `sweep_members` does what `sweep_window_tests` does."""
    return joint_codes.left + joint_codes.right == 0


@kernel(int64(JOINT_CODES))
def count_swept(joint_codes):
    """How many slots a sweep fills, the first ones."""
    return len(joint_codes.sizes) * (joint_codes.left + joint_codes.right + 1)


@kernel(boolean(JOINT_CODES, int64))
def sweep_is_faster(joint_codes, n_members):
    """Whether a sweep over all positions takes less time than a scan of some of them.

    A sweep adds a run of lanes in the time in which a scan adds about one cell and a half. Where there is one lane, a sweep over
    the members adds as a scan does, and margins take the time of about three cells a row.
    """
    n_slots = count_swept(joint_codes)
    if has_one_lane(joint_codes):
        return n_members * n_slots > n_members * len(joint_codes.codes) + 3 * joint_codes.first_row[-1]
    n_runs = len(joint_codes.codes) * n_lanes(joint_codes.left, joint_codes.right) // LANES
    return n_members * n_slots > (3 * n_runs + 2) // 2 * len(joint_codes.places)


@kernel(int64(JOINT_CODES, int64[::1], int64[::1]))
def space_all(joint_codes, sums, spaced):
    """Copy the sums of all positions to the axis with gaps, ``right`` places late; return their total."""
    total = int64(0)
    for sequence in range(len(joint_codes.starts) - 1):
        place = uint64(joint_codes.starts[sequence] + joint_codes.right)
        for position in range(uint64(joint_codes.offsets[sequence]), uint64(joint_codes.offsets[sequence + 1])):
            value = sums[position]
            spaced[place] = value
            total += value
            place += uint64(1)
    return total


@kernel(int64(JOINT_CODES, int32[::1], int64[::1], int64[::1]))
def space_some(joint_codes, positions, sums, spaced):
    """The same with zero for all but the given positions."""
    spaced[:] = 0
    total = int64(0)
    for i in range(uint64(len(positions))):
        value = sums[uint64(positions[i])]
        spaced[uint64(joint_codes.places[uint64(positions[i])])] = value
        total += value
    return total


@kernel(types.void(JOINT_CODES, int64, int64, int64[::1], int64[::1], int64[::1]))
def _take_margins(joint_codes, group, total, table, first_cell, histogram):
    """Write one group's part of the histogram; its part of the table is used up, last attribute first."""
    n_places = joint_codes.left + joint_codes.right + 1
    width = len(table) // joint_codes.first_row[-1]
    n_outer = joint_codes.first_row[group + 1] - joint_codes.first_row[group]
    begin = joint_codes.first_row[group] * width
    n_attributes = len(joint_codes.sizes)
    for attribute in range(joint_codes.first_attribute[group + 1] - 1, joint_codes.first_attribute[group] - 1, -1):
        size = joint_codes.sizes[attribute]
        n_outer //= size
        for place in range(n_places):
            first = uint64(first_cell[place * n_attributes + attribute])
            lane = n_places - 1 - place
            rest = total
            for code in range(size):
                value = int64(0)
                for outer in range(n_outer):
                    value += table[uint64(begin + (outer * size + code) * width + lane)]
                after_edge = joint_codes.with_missing and code == size - 1
                histogram[first + uint64(code + after_edge)] = value
                rest -= value
            histogram[first + uint64(size - joint_codes.with_missing)] = rest
        if attribute > joint_codes.first_attribute[group]:
            for outer in range(n_outer):
                for lane in range(n_places):
                    value = int64(0)
                    for code in range(size):
                        value += table[begin + (outer * size + code) * width + lane]
                    table[begin + outer * width + lane] = value


@kernel(types.void(JOINT_CODES, int64, int64[::1], int64[::1], int64[::1], int64[::1]))
def sweep_window_tests(joint_codes, total, first_cell, spaced, table, histogram):
    """Overwrite the part of a histogram that belongs to window cells, shape (n_cells,); each slot's last cell is EDGE.

    Cells of anchored slots, which follow the others, stay as they are.
    `total` and `spaced` are the packed sum of the node's rows, together and by position, from `space_all` or
    `space_some`. `table`, shape (n_rows * n_lanes,), is work space, at best aligned (`treecrf.compiled.struct.zeros`).
    """
    table[:] = 0
    width = uint64(len(table) // joint_codes.first_row[-1])
    for group in range(len(joint_codes.codes)):
        codes = joint_codes.codes[group]
        for sequence in range(len(joint_codes.starts) - 1):
            begin, end = joint_codes.observation_offsets[sequence], joint_codes.observation_offsets[sequence + 1]
            place = uint64(joint_codes.starts[sequence])
            if has_one_lane(joint_codes):
                for observation in range(uint64(begin), uint64(end)):
                    table[uint64(codes[observation])] += spaced[place]
                    place += uint64(1)
                continue
            for observation in range(uint64(begin), uint64(end)):
                row = uint64(codes[observation]) * width
                for lane in range(uint64(0), width, uint64(LANES)):
                    add_lanes(table, row + lane, spaced, place + lane)
                place += uint64(1)
        _take_margins(joint_codes, group, total, table, first_cell, histogram)


@kernel(types.void(JOINT_CODES, int64, int64, int64[::1], int64[::1], int64[::1]))
def _take_margins_of_lane(joint_codes, group, total, table, first_cell, histogram):
    """`_take_margins` where there is one lane, in one pass for each attribute, first attribute first."""
    begin = uint64(joint_codes.first_row[group])
    n_rows = joint_codes.first_row[group + 1] - joint_codes.first_row[group]
    for attribute in range(joint_codes.first_attribute[group], joint_codes.first_attribute[group + 1]):
        size, first = uint64(joint_codes.sizes[attribute]), uint64(first_cell[attribute])
        n_rows //= joint_codes.sizes[attribute]  # of each code, one after another
        cells = histogram[first : first + size + uint64(1)]
        known = int64(0)
        for code in range(size):
            place, value = begin + code * uint64(n_rows), int64(0)
            for row in range(uint64(n_rows)):
                entry = table[place + row]
                value += entry
                table[begin + row] += entry if code else 0
            cells[code] = value
            known += value
        cells[size] = total - known
        if joint_codes.with_missing:
            cells[size - uint64(1)], cells[size] = cells[size], cells[size - uint64(1)]


@kernel(int64(JOINT_CODES, int32[::1], int64[::1], int64[::1], int64[::1], int64[::1]))
def sweep_members(joint_codes, members, sums, first_cell, table, histogram):
    """Overwrite the part of a histogram that belongs to window cells, where a window is one observation.

    `members` are the node's positions; `sums`, shape (n_positions,), their packed sums. Returns the total of these.
    """
    table[:] = 0
    total = int64(0)
    n_groups = len(joint_codes.codes)
    for i in range(uint64(len(members))):
        position = uint64(members[i])
        value = sums[position]
        total += value
        for group in range(uint64(n_groups)):
            table[uint64(joint_codes.rows[position, group])] += value
    for group in range(n_groups):
        _take_margins_of_lane(joint_codes, group, total, table, first_cell, histogram)
    return total
