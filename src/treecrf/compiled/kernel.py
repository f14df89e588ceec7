"""The decorator of all compiled kernels."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, ClassVar

from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import config, types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys

from treecrf.compiled.cache import kernel_cache, kernel_digest

_config: Any = config  # its settings are made at run time
_Cache: Any = FunctionCache  # its types are not published
_Compiler: Any = CompilerBase
_Dispatcher: Any = CPUDispatcher
_Library: Any = JITCodeLibrary
_Type: Any = types.Type
_Builtin: Any = types.Function


KEPT = "Compiling numerical routines; they are kept, so that later runs start at once."
NOT_KEPT = "Compiling numerical routines, in each run anew; name a folder that can be written by NUMBA_CACHE_DIR."

_announced: list[str] = []


def _announce(text: str) -> None:
    """Print the first text that a process gives."""
    if not _announced:
        _announced.append(text)
        print(text, file=sys.stderr)


class _Types:
    """numba's rules of types, which remember what an operation on some types gives: searching takes a seventh of all
    compilation.
    """

    _resolved: ClassVar[dict[Any, tuple[Any, Any]]] = {}

    def __init__(self, rules: Any) -> None:
        self._rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def resolve_function_type(self, function: Any, arguments: Any, keywords: Any) -> Any:
        """The signature of a call, as numba's rules find it."""
        if keywords or (isinstance(function, _Type) and not isinstance(function, _Builtin)):
            return self._rules.resolve_function_type(function, arguments, keywords)
        key = id(function), arguments  # equal functions have signatures of their own
        if key not in self._resolved:
            self._resolved[key] = function, self._rules.resolve_function_type(function, arguments, keywords)
        return self._resolved[key][1]


class _KernelCompiler(_Compiler):
    """numba's compiler with the passes that kernels need, half of all: they have no closures, comprehensions or
    objects.
    """

    def __init__(self, rules: Any, *others: Any) -> None:
        super().__init__(_Types(rules), *others)

    def define_pipelines(self) -> Any:
        from numba.core import typed_passes, untyped_passes
        from numba.core.compiler_machinery import PassManager

        passes = PassManager("kernel")
        for name in ("TranslateByteCode", "FixupArgs", "IRProcessing", "GenericRewrites", "ReconstructSSA"):
            passes.add_pass(getattr(untyped_passes, name), name)
        for name in ("NopythonTypeInference", "PreLowerStripPhis", "IRLegalization", "AnnotateTypes", "NativeLowering"):
            passes.add_pass(getattr(typed_passes, name), name)
        passes.add_pass(typed_passes.NoPythonBackend, "NoPythonBackend")
        passes.finalize()
        return [passes]


class _EntryCompiler(_KernelCompiler):
    """Says once in a process that it is at work."""

    def define_pipelines(self) -> Any:
        _announce(KEPT)
        return super().define_pipelines()


class _PartLibrary(_Library):
    """Intermediate code that is optimized and translated to machine code only as a part of its callers."""

    def _optimize_final_module(self) -> None:
        """Do nothing: callers optimize it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _PartCompiler(_KernelCompiler):
    """numba's compiler up to intermediate code."""

    def define_pipelines(self) -> Any:
        self.state.flags.no_compile = True
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


def _package_of(function: Any) -> str:
    return str(function.__module__).partition(".")[0]


class _KernelCache(_Cache):
    """numba's cache without the import of numba's compilation rules, half a second, before a form is loaded."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """A key by the content of all kernels: numba's has what a closure refers to, which differs by process."""
        return sig, codegen.magic_tuple(), kernel_digest(_package_of(self._py_func))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the compiled form, if there is room."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            print(
                f"{error.filename or self.cache_path}: a compiled routine is not kept ({error.strerror}).",
                file=sys.stderr,
            )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for a signature, or None."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


@contextmanager
def _keeping_garbage() -> Iterator[None]:
    """Compiling makes millions of objects that stay to its end: looking for garbage among them finds none, and takes a
    twentieth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Compiled(_Dispatcher):
    """A function that is compiled for its one signature when it is first used."""

    def __init__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any], compiler: Any) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=compiler)
        self.signature = signature

    def compile(self, sig: Any) -> Any:
        """Compile for `signature`, whatever the types `sig` that were asked for."""
        with global_compiler_lock:
            if not self.overloads:
                super().compile(self.signature)
                self.disable_compile()
        return next(iter(self.overloads.values())).entry_point


class _Part(_Compiled):
    """A kernel as other kernels call it."""

    def add_overload(self, cres: Any) -> None:
        """Make it known to numba by this object, as there is no machine code to know it by."""
        self.targetctx.insert_user_function(self, cres.fndesc, [cres.library])
        self.overloads[cres.signature.args] = cres._replace(entry_point=self)


class Kernel(_Compiled):
    """A function that is compiled, or loaded from the cache, when it is first called from Python.

    Importing a module of kernels therefore costs nothing. The kernels that it calls are compiled as parts of it,
    without an entry for Python and without machine code of their own: that would double the time.
    """

    def __init__(
        self, function: Callable[..., Any], signature: Any, options: dict[str, Any], constants: tuple[int, ...]
    ) -> None:
        super().__init__(function, signature, options, _EntryCompiler)
        self._constants = constants

    @cached_property
    def _part(self) -> _Part:
        options = self.targetoptions | {"no_cpython_wrapper": True}
        return _Part(self.py_func, self.signature, options, _PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The part's: numba asks for it to compile a caller."""
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """The part's: numba asks for it to compile a caller."""
        return self._part.get_overload(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Kernel:
        self.make_ready()
        return self  # numba then calls it with the same arguments, and converts or refuses them

    def make_ready(self) -> Any:
        """Compile it, or load it from the cache; return what numba knows of it."""
        with global_compiler_lock, kernel_cache(*self._constants, package=_package_of(self.py_func)):
            try:
                self._cache = _KernelCache(self.py_func)
            except RuntimeError:  # neither the package, nor the folder of users, nor NUMBA_CACHE_DIR can be written to
                _announce(NOT_KEPT)
        with _keeping_garbage():
            self.compile(None)
        return next(iter(self.overloads.values()))


class SeparateKernel(Kernel):
    """A kernel that others call through its address, and that is compiled or loaded when one of them first does.

    Its callers hold the address of a cell of two words: the address of the kernel's machine code, 0 before the first
    call, and that of what compiles it. The cell has a name, which machine code in the cache keeps until it is loaded.
    """

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        super().__init__(function, *args)
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._link = ctypes.CFUNCTYPE(None)(self._write_address)
        self._cell = (ctypes.c_void_p * 2)(None, ctypes.cast(self._link, ctypes.c_void_p))
        binding.add_symbol(self._name, ctypes.addressof(self._cell))

    def _write_address(self) -> None:
        form = self.make_ready()
        self._cell[0] = form.library.get_pointer_to_function(form.fndesc.llvm_func_name)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The template with which numba compiles a caller."""
        from numba.core.typing import make_concrete_template

        python_signature, args = self._compiler.fold_argument_types(args, kws)
        return make_concrete_template(self._name, self._name, [self.signature]), python_signature, args, {}

    def get_overload(self, sig: Any) -> Any:
        """The signature by which numba finds `_lower_call` when it compiles a caller."""
        if self not in self.targetctx._defns:
            self.targetctx.insert_func_defn([(self._lower_call, self, self.signature.args)])
        return self

    def _lower_call(self, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.return_type, signature.args
        function = self._declare(context, builder.module, context.call_conv.get_function_type(*kinds))
        status, value = context.call_conv.call_function(builder, function, *kinds, arguments)
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return value

    def _declare(self, context: Any, module: Any, kind: Any) -> Any:
        """A function that calls what the cell says, after the kernel is compiled."""
        address = ir.IntType(8).as_pointer()
        if f"{self._name}.call" in module.globals:
            return module.globals[f"{self._name}.call"]
        cell = ir.GlobalVariable(module, ir.ArrayType(address, 2), self._name)
        function = ir.Function(module, kind, f"{self._name}.call")
        function.linkage = "internal"
        builder = ir.IRBuilder(function.append_basic_block())
        places = [builder.gep(cell, [ir.IntType(32)(0), ir.IntType(32)(i)]) for i in range(2)]
        is_missing = [builder.icmp_unsigned("==", builder.load(places[0]), address(None))]
        with builder.if_then(is_missing[0], likely=False):
            link = ir.FunctionType(ir.VoidType(), []).as_pointer()
            builder.call(builder.bitcast(builder.load(places[1]), link), [])
            is_missing.append(builder.icmp_unsigned("==", builder.load(places[0]), address(None)))
            with builder.if_then(is_missing[1], likely=False):
                context.call_conv.return_user_exc(builder, RuntimeError, (f"{self._name} could not be compiled",))
        code = builder.bitcast(builder.load(places[0]), kind.as_pointer())
        builder.ret(builder.call(code, function.args))
        return function


def kernel(
    signature: Any,
    *,
    allocates: bool = False,
    error_model: str = "python",
    constants: tuple[int, ...] = (),
    separate: bool = False,
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function with numba for one signature: cached, and without Python's global lock.

    Parameters
    ----------
    signature : numba signature
        Types of the result and of the parameters.
    allocates : bool
        Whether the kernel makes arrays. Other kernels do not count references to arrays, as their callers hold them:
        counting each view takes half the time of a small tree.
    error_model : "python" or "numpy"
        Whether a division by zero raises an exception or gives an infinite value.
    constants : tuple of int
        Values from an enclosing function that are compiled into the kernel (see `kernel_cache`).
    separate : bool
        Whether it is no part of the kernels that call it (see `SeparateKernel`): for what few users need, and is called
        seldom.

    Returns
    -------
    callable
        The decorator. With numba's just-in-time compilation disabled, it returns the function itself.
    """
    options = {"nopython": True, "nogil": True, "error_model": error_model, "_nrt": allocates, "no_cfunc_wrapper": True}
    of_kind = SeparateKernel if separate else Kernel

    def compile_later(function: Callable[..., Any]) -> Any:
        return function if _config.DISABLE_JIT else of_kind(function, signature, options, constants)

    return compile_later
