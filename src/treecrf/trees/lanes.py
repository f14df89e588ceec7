"""Adding several integers with one instruction, which numba's compiler does not find by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

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
