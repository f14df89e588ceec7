"""Structs that kernels take: docstring, compiled type and allocation from one declaration."""

import pickle
from importlib import import_module
from pathlib import Path
from typing import Annotated, NamedTuple

import numba
import numpy as np
import pytest
from numba import types

import treecrf
from treecrf.compiled.kernel import kernel
from treecrf.compiled.record import Record
from treecrf.compiled.struct import Bool, Float64, Int16, allocate, compiled_type, struct


@struct
class Inner(NamedTuple):
    """Values and a number."""

    values: Annotated[Float64, "n_rows, 2 * n_columns + 1", "One a cell."]
    flags: Annotated[Bool, "n_rows"]


@struct
class Outer(NamedTuple):
    """A struct in a struct."""

    inner: Inner
    codes: Annotated[Int16, "3"]


@struct
class Numbers(NamedTuple):
    """No arrays."""

    count: Annotated[int, "How many."]
    share: float
    known: bool


INNER, OUTER, NUMBERS = compiled_type(Inner), compiled_type(Outer), compiled_type(Numbers)


@kernel(types.float64(OUTER, NUMBERS))
def total_of(outer, numbers):
    """Sum of all that is in them."""
    total = numbers.count + numbers.share + numbers.known
    for row in range(len(outer.inner.flags)):
        total += outer.inner.flags[row]
        for column in range(outer.inner.values.shape[1]):
            total += outer.inner.values[row, column]
    return total + outer.codes[2]


def test_allocated_arrays_are_zeros_of_the_declared_shapes():
    outer = allocate(Outer, n_rows=2, n_columns=3)
    assert outer.inner.values.shape == (2, 7)
    assert outer.inner.values.dtype == np.float64
    assert outer.inner.flags.shape == (2,)
    assert outer.codes.tolist() == [0, 0, 0]
    assert not outer.inner.values.any()
    assert allocate(Inner, n_rows=0, n_columns=1).values.shape == (0, 3)


def test_a_length_without_a_size_is_refused():
    with pytest.raises(ValueError, match="n_columns"):
        allocate(Inner, n_rows=2)


def test_kernels_take_structs():
    outer = allocate(Outer, n_rows=2, n_columns=1)
    outer.inner.values[:] = 0.5
    outer.inner.flags[1] = True
    outer.codes[2] = 10
    assert total_of(outer, Numbers(100, 0.25, True)) == 0.5 * 6 + 1 + 10 + 101.25


@kernel(types.float64(INNER))
def sum_of_inner(inner):
    """Sum of the values."""
    total = 0.0
    for row in range(inner.values.shape[0]):
        for column in range(inner.values.shape[1]):
            total += inner.values[row, column]
    return total


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((2, 3), dtype=np.float32), np.zeros(6), np.zeros((3, 2)).T, np.broadcast_to(0.0, (2, 3)), 1.0],
    ids=["type", "axes", "order", "read-only", "number"],
)
def test_arrays_of_another_kind_are_refused(wrong):
    with pytest.raises(TypeError):
        sum_of_inner(Inner(wrong, np.zeros(2, dtype=np.bool_)))


def structs_of_the_package():
    folder = Path(treecrf.__file__).parent / "trees"
    names = [path.relative_to(folder).with_suffix("").as_posix().replace("/", ".") for path in folder.rglob("*.py")]
    modules = [f"trees.{name}" for name in sorted(names) if not name.endswith("__init__")]
    for module in (import_module(f"treecrf.{name}") for name in modules):
        for name, value in vars(module).items():
            if isinstance(value, types.BaseNamedTuple | Record) and value.instance_class.__module__ == module.__name__:
                yield pytest.param(value, id=name)


@pytest.mark.parametrize("declared", [*structs_of_the_package()])
def test_values_have_the_compiled_type(declared):
    def value_of(kind):
        if isinstance(kind, types.BaseNamedTuple | Record):
            return kind.instance_class(*map(value_of, kind.types))
        if isinstance(kind, types.Array):
            return np.zeros((1,) * kind.ndim, numba.np.numpy_support.as_dtype(kind.dtype))
        return {types.boolean: False, types.int64: 1, types.float64: 1.0}[kind]

    assert numba.typeof(value_of(declared)) == declared
    assert pickle.loads(pickle.dumps(declared)) == declared  # as a cached kernel's signature
    assert "    Attributes\n    ----------\n" in declared.instance_class.__doc__
