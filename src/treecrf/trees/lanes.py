"""Adding runs of integers, eight lanes at a time, which numba's compiler does not find by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

LANES = 8
"""Integers of eight bytes in one cache line."""


def aligned_zeros(size: int) -> NDArray[np.int64]:
    """Zeros that begin at a cache line: a run of lanes then never straddles two."""
    buffer = np.zeros(size + LANES, dtype=np.int64)
    begin = -(buffer.ctypes.data // buffer.itemsize) % LANES
    return buffer[begin : begin + size]


def add_lanes(target: NDArray[np.int64], at: int, values: NDArray[np.int64], begin: int) -> None:
    """Add ``values[begin : begin + LANES]`` to ``target[at : at + LANES]``; both must be inside."""
    target[int(at) : int(at) + LANES] += values[int(begin) : int(begin) + LANES]


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
