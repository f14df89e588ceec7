"""The type of a struct of arrays in kernels: the address of a record, so that a call passes one number.

numba passes a named tuple as all numbers of all its arrays, hundreds for a struct of structs, through every call:
compiling them takes most of a kernel's time. A record is made from the named tuple where Python calls a kernel, and
never changes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types as _types
from numba.core import cgutils
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, lower_getattr_generic, unbox

types: Any = _types  # made at run time, as the others
_Template: Any = AttributeTemplate

_WORD = ir.IntType(64)
_DATA, _SHAPE = 4, 5  # words of numba's form of an array before its address, and before its lengths
_RECORDS: dict[type, Any] = {}


class Record(_types.Type):
    """The type of a struct.

    Parameters
    ----------
    cls : type
        The struct.
    kinds : list
        Types of its fields, in their order.
    """

    def __init__(self, cls: type[Any], kinds: list[Any]) -> None:
        self.instance_class, self.types = cls, kinds
        self._places = [sum(map(_n_words, kinds[:i])) for i in range(len(kinds) + 1)]
        super().__init__(name=f"{cls.__module__}.{cls.__qualname__}")
        typeof_impl.register(cls)(self._type_of)
        _RECORDS[cls] = self

    @property
    def n_words(self) -> int:
        """Its size, in words of 8 bytes."""
        return self._places[-1]

    def field(self, name: str) -> tuple[Any, int]:
        """Type of a field, and its place in words."""
        number = self.instance_class._fields.index(name)
        return self.types[number], self._places[number]

    def __reduce__(self) -> tuple[Any, ...]:
        return _record_of, (self.instance_class,)

    def _type_of(self, value: Any, context: Any) -> Any:
        """The record, where a struct's fields are of its types, else None."""
        kinds = [typeof_impl(part, context) for part in value]
        return self if all(map(_fits, kinds, self.types)) else None


def _record_of(cls: type) -> Any:
    """The type of a struct, whose module, which a pickle imports, has made it."""
    return _RECORDS[cls]


def _fits(kind: Any, declared: Any) -> bool:
    """Whether a value of a type is one of the declared type; numbers are converted."""
    if isinstance(declared, types.BaseTuple):
        return isinstance(kind, types.BaseTuple) and all(map(_fits, kind, declared))
    return kind == declared or (
        isinstance(kind, types.Number | types.Boolean) and not isinstance(declared, types.Array)
    )


def _n_words(kind: Any) -> int:
    if isinstance(kind, types.Array):
        return _SHAPE + 2 * kind.ndim
    if isinstance(kind, types.BaseTuple):
        return sum(map(_n_words, kind.types))
    return kind.n_words if isinstance(kind, Record) else 1


register_default(Record)(models.OpaqueModel)


@infer_getattr
class _Fields(_Template):
    key = Record

    def generic_resolve(self, record: Any, name: str) -> Any:
        return record.field(name)[0] if name in record.instance_class._fields else None


def _word(builder: Any, record: Any, place: int, kind: Any = _WORD) -> Any:
    """The address of a word of a record."""
    words = builder.bitcast(record, _WORD.as_pointer())
    return builder.bitcast(builder.gep(words, [ir.Constant(ir.IntType(32), place)]), kind.as_pointer())


def _load(builder: Any, record: Any, place: int, kind: Any = _WORD) -> Any:
    """What is at a place; marked as never changing, so that loops need not look again."""
    value = builder.load(_word(builder, record, place, kind))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_getattr_generic(Record)
def _get_field(context: Any, builder: Any, record: Any, value: Any, name: str) -> Any:
    kind, place = record.field(name)
    return _get(context, builder, value, kind, place)


def _get(context: Any, builder: Any, record: Any, kind: Any, place: int) -> Any:
    if isinstance(kind, Record):
        return builder.bitcast(_word(builder, record, place), ir.IntType(8).as_pointer())
    if isinstance(kind, types.BaseTuple):
        places = [place + sum(map(_n_words, kind.types[:i])) for i in range(len(kind))]
        values = [_get(context, builder, record, part, at) for part, at in zip(kind, places, strict=True)]
        return context.make_tuple(builder, kind, values)
    if not isinstance(kind, types.Array):
        model = context.data_model_manager[kind]
        value = _load(builder, record, place, model.get_data_type())
        return builder.trunc(value, model.get_value_type()) if kind == types.boolean else value
    itemsize = ir.Constant(_WORD, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    shape = [_load(builder, record, place + _SHAPE + i) for i in range(kind.ndim)]
    strides, n_items = [itemsize], shape[-1]
    for length in reversed(shape[1:]):  # in C order
        strides.insert(0, builder.mul(strides[0], length))
    for length in shape[:-1]:
        n_items = builder.mul(n_items, length)
    model = context.data_model_manager[kind]
    array = cgutils.get_null_value(model.get_value_type())
    fields = {
        "nitems": n_items,
        "itemsize": itemsize,
        "data": _load(builder, record, place + _DATA, context.get_data_type(kind.dtype).as_pointer()),
        "shape": cgutils.pack_array(builder, shape),
        "strides": cgutils.pack_array(builder, strides),
    }
    for name, part in fields.items():
        array = model.set(builder, array, part, name)
    return array


@unbox(Record)
def _unbox(record: Any, struct: Any, c: Any) -> Any:
    value = cgutils.alloca_once(c.builder, ir.ArrayType(_WORD, record.n_words))
    _fill(c, c.builder.bitcast(value, c.pyapi.voidptr), record, struct, 0)
    return NativeValue(
        c.builder.bitcast(value, c.pyapi.voidptr), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    )


def _fill(c: Any, value: Any, kind: Any, struct: Any, place: int) -> None:
    """Write the fields of a struct whose types are those of the record."""
    for i, part in enumerate(kind.types):
        item = c.pyapi.tuple_getitem(struct, i)
        if isinstance(part, types.Array):
            kinds = ir.FunctionType(ir.IntType(32), [c.pyapi.pyobj, c.pyapi.voidptr])
            # This function of numba counts no reference.
            adapt = cgutils.get_or_insert_function(c.builder.module, kinds, "numba_adapt_ndarray")
            c.builder.call(adapt, [item, c.builder.bitcast(_word(c.builder, value, place), c.pyapi.voidptr)])
        elif isinstance(part, Record | types.BaseTuple):
            _fill(c, value, part, item, place)
        else:
            model = c.context.data_model_manager[part]
            number = model.as_data(c.builder, c.unbox(part, item).value)
            c.builder.store(number, _word(c.builder, value, place, model.get_data_type()))
        place += _n_words(part)
