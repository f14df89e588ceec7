"""The decorator of all compiled kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from treecrf.compiled.cache import kernel_cache

_config: Any = config  # its settings are made at run time
_Dispatcher: Any = CPUDispatcher  # its types are not published


class Kernel(_Dispatcher):
    """A function that is compiled, or loaded from the cache, for its one signature when it is first used.

    The first use is a call from Python, or the compilation of another kernel that calls it. Importing a module of
    kernels therefore costs nothing, and a kernel that was compiled into another one is not loaded.
    """

    signature: Any

    def compile(self, sig: Any) -> Any:
        """Compile for `signature`, whatever the types `sig` that were asked for."""
        with global_compiler_lock:
            if not self.overloads:
                super().compile(self.signature)
                self.disable_compile()
        return next(iter(self.overloads.values())).entry_point

    def _compile_for_args(self, *args: Any, **kws: Any) -> Kernel:
        self.compile(None)
        return self  # numba then calls it with the same arguments, and converts or refuses them


def kernel(
    signature: Any, *, allocates: bool = False, error_model: str = "python", constants: tuple[int, ...] = ()
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

    Returns
    -------
    callable
        The decorator. With numba's just-in-time compilation disabled, it returns the function itself.
    """
    options = {"nopython": True, "nogil": True, "error_model": error_model, "_nrt": allocates}

    def compile_later(function: Callable[..., Any]) -> Any:
        if _config.DISABLE_JIT:
            return function
        dispatcher = Kernel(function, targetoptions=options)
        dispatcher.signature = signature
        with kernel_cache(*constants):
            dispatcher.enable_caching()
        return dispatcher

    return compile_later
