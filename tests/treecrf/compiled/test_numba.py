"""What `treecrf.compiled` takes from inside numba: a new version that lacks it fails here, by name."""

import inspect

import numba
import pytest
from numba.core import caching, codegen, compiler, dispatcher, registry, typed_passes, types, untyped_passes
from numba.core.datamodel import default_manager

from treecrf.compiled import cache, kernel, record

TAKEN = [
    (
        cache.CheckedCacheFile,
        caching.IndexDataCacheFile,
        "_dump _load_index _load_data _index_path _data_path _version",
    ),
    (kernel._KernelCache, caching.FunctionCache, "_index_key save_overload load_overload cache_path _load_overload"),
    (kernel._KernelCache, caching.FunctionCache, "_guard_against_spurious_io_errors"),
    (kernel._KernelCompiler, compiler.CompilerBase, "define_pipelines"),
    (kernel._PartLibrary, codegen.JITCodeLibrary, "_optimize_final_module _finalize_final_module"),
    (kernel._PartLibrary, codegen.JITCodeLibrary, "_finalize_dynamic_globals _finalized get_pointer_to_function"),
    (kernel.Kernel, registry.CPUDispatcher, "compile disable_compile add_overload get_call_template get_overload"),
    (kernel.Kernel, dispatcher.Dispatcher, "_compile_for_args overloads targetoptions targetctx _cache _compiler"),
]


@pytest.mark.parametrize(("ours", "theirs", "names"), TAKEN)
def test_numba_has_what_is_overridden_or_called(ours, theirs, names):
    assert issubclass(ours, theirs)
    source = "".join(inspect.getsource(base) for base in theirs.__mro__ if base.__module__.startswith("numba."))
    missing = [name for name in names.split() if not hasattr(theirs, name) and f"self.{name} =" not in source]
    assert not missing, f"numba {numba.__version__}: {theirs.__name__} has no {', '.join(missing)}; see {ours.__name__}"


def test_all_that_overrides_numba_is_listed():
    listed = {(ours, name) for ours, _, names in TAKEN for name in names.split()}
    for ours, theirs, _ in TAKEN:
        overridden = {name for name in vars(ours) if name[:2] != "__" and callable(getattr(theirs, name, None))}
        assert {(ours, name) for name in overridden} <= listed


def test_numba_has_the_passes_of_kernels():
    passes = kernel._KernelCompiler.define_pipelines(None)[0].passes
    assert {each.__module__ for each, _ in passes} == {untyped_passes.__name__, typed_passes.__name__}


def test_numba_asks_the_rules_of_types_for_operations_and_they_remember_the_answers():
    @kernel.kernel(types.int64(types.int64))
    def doubled(number):
        return number + number

    doubled.compile(None)
    assert "Function(<built-in function add>)" in {str(function) for function, _ in kernel._Types._resolved.values()}


def test_records_read_the_address_and_the_lengths_of_an_array_where_numba_puts_them():
    fields = default_manager[types.Array(types.int64, 2, "C")]._fields
    assert fields[record._DATA : record._SHAPE + 1] == ("data", "shape")
    assert all(field in ("meminfo", "parent", "nitems", "itemsize") for field in fields[: record._DATA])
