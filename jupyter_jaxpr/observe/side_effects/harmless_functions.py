"""Classifies a callable by its side effects: harmless, random, effects outside of the process, or unknown.

The tables in this module list the known callables. A callable in no table is unknown, and a function that calls it is
not proven to be free of side effects.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import functools
import inspect
import io
import random
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...jax import facts
from ..user_or_library.whose_code import is_installed, is_jax

Verdict = Literal["harmless", "random", "outside", "settings", "unknown"]

# Builtins that only read their arguments; they may call methods of the arguments' classes to do so.
_BUILTINS = frozenset(
    """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format
    frozenset hash hex id int isinstance issubclass iter len list map max min next object oct ord pow print range repr
    reversed round set slice sorted str sum tuple type zip""".split()
)
_OUTSIDE_BUILTINS = frozenset(["input", "breakpoint", "exit", "quit"])

# Python modules whose functions change nothing but the objects that they return.
_MODULES = frozenset(
    """math cmath _operator operator itertools functools collections dataclasses typing copy numbers string fractions
    statistics time datetime contextlib enum re textwrap abc types keyword bisect heapq""".split()
)
_CHANGING = frozenset(
    """bisect.insort bisect.insort_left bisect.insort_right heapq.heappush heapq.heappop heapq.heapify
    heapq.heappushpop heapq.heapreplace operator.setitem operator.delitem operator.iadd operator.iand
    operator.iconcat operator.ifloordiv operator.ilshift operator.imatmul operator.imod operator.imul operator.ior
    operator.ipow operator.irshift operator.isub operator.itruediv operator.ixor operator.call operator.methodcaller
    time.sleep functools.singledispatch contextlib.closing typing.clear_overloads
    typing.get_overloads abc.update_abstractmethods""".split()
)
# Functions that set attributes of the function or class passed to them.
SETS_ATTRIBUTES = frozenset(
    """update_wrapper total_ordering dataclass overload final runtime_checkable no_type_check unique
    update_abstractmethods""".split()
)
# Functions that only read, but return objects that other code also refers to.
_RETURN_SHARED = frozenset("gc.get_objects operator.itemgetter operator.attrgetter".split())
# Modules whose classes have no method that changes the object.
_IMMUTABLE_CLASSES = frozenset(["fractions", "datetime", "enum", "numbers", "decimal", "pathlib", "re", "uuid"])
# Modules whose functions have effects outside of the process.
_OUTSIDE_MODULES = frozenset(
    """os posix nt sys io _io shutil subprocess _posixsubprocess socket _socket ssl select selectors pathlib tempfile
    pickle _pickle marshal shelve dbm sqlite3 csv _csv json urllib http ftplib smtplib requests httpx aiohttp queue
    _queue multiprocessing threading _thread asyncio concurrent signal mmap fcntl zipfile tarfile gzip bz2 lzma
    logging webbrowser ctypes gc wandb mlflow tensorboard tensorboardX matplotlib h5py zarr joblib IPython
    ipykernel atexit faulthandler resource""".split()
)
# Functions in the modules of _OUTSIDE_MODULES that only read.
_READING = frozenset(
    """os.path os.getenv os.getcwd os.getpid os.fspath os.cpu_count posix.getpid posix.getcwd posix.fspath sys.getsizeof
    sys.getrefcount sys.getrecursionlimit json.dumps json.loads pickle.dumps pickle.loads _pickle.dumps _pickle.loads
    posixpath genericpath threading.get_ident _thread.get_ident gc.get_objects""".split()
)
# Packages that are written for JAX or, like such packages, have no side effects.
_PACKAGES = frozenset(
    "einops optax chex equinox jaxtyping lineax optimistix diffrax jraph distrax ml_dtypes jmp".split()
)
_SUBMODULES = ("flax.struct", "flax.core", "flax.training.train_state", "flax.linen")
_CHANGING_OF_PACKAGES = ("save", "serialise", "deserialise", "register", "assert_max_traces", "clear_trace", "fake_")

# Parts of JAX with functions that change more than the traced program, such as a setting.
_JAX_PARTS = (
    "profiler",
    "distributed",
    "monitoring",
    "compilation_cache",
    "multihost_utils",
    "serialize_executable",
    "jax2tf",
    "host_callback",
    "test_util",
    "xla_bridge",
)
_JAX_CHANGING = frozenset(
    """defjvp_all live_arrays start_trace stop_trace save_device_memory_profile start_server delete""".split()
)
_JAX_SETTINGS = frozenset("update clear_caches clear_backends parse_flags_with_absl config_with_absl".split())

# NumPy functions that change an argument, a setting or a file.
_NUMPY_CHANGING = frozenset(
    """copyto put place putmask fill_diagonal put_along_axis save savez savez_compressed savetxt load loadtxt
    genfromtxt fromfile fromregex memmap open_memmap setxor tofile shuffle at nditer busday_calendar""".split()
)
_NUMPY_SETTINGS = frozenset("set_printoptions seterr seterrcall setbufsize set_string_function".split())
# Module with functions that change settings of the process -> its functions that change no setting.
_SETTINGS = {"warnings": ("warn", "catch_warnings", "warn_explicit"), "locale": ("getlocale", "format_string")}

# Methods of builtin containers, NumPy arrays and JAX arrays that change their object in place.
CHANGING_METHODS = frozenset(
    """append extend insert remove pop popitem clear update setdefault add discard sort reverse appendleft popleft
    extendleft rotate move_to_end subtract difference_update intersection_update symmetric_difference_update
    fill resize itemset put setflags setfield partition byteswap tofile dump delete write writelines
    __setitem__ __delitem__ __iadd__ __setattr__ send throw close __next__ __enter__ __exit__""".split()
)
# Classes without methods that change the object.
_READ_ONLY = (int, float, complex, bool, str, bytes, tuple, frozenset, range, slice, type(None))


def verdict(function: Any) -> Verdict:
    """Return the verdict (harmless, random, ...) on a call of a function that is not the user's Python code.

    Args:
        function: A function, a class, a bound method of a builtin, or another callable.
    """
    if is_users_class(type(function)):
        return "unknown"
    owner = getattr(function, "__self__", None)
    if _is_random(function, owner):
        return "random"
    name = getattr(function, "__name__", None)
    name = name if isinstance(name, str) else ""
    if owner is builtins or (isinstance(function, type) and function.__module__ == "builtins"):
        return _of_builtins(function, name)
    if isinstance(owner, io.IOBase) or isinstance(function, type) and issubclass(function, io.IOBase):
        return "outside"
    module = _module_of(function)
    package = module.partition(".")[0]
    # the C part of a Python module, such as _random, counts as the module
    if package.startswith("_") and package.lstrip("_") in _MODULES:
        package = module = package.lstrip("_")
    if package in ("jax", "jaxlib") or _is_jax_code(function):
        return _of_jax(function, module, name)
    if package == "numpy":
        return _of_numpy(module, name)
    return _of_python(function, module, package, name)


def _of_builtins(function: Any, name: str) -> Verdict:
    if name in _OUTSIDE_BUILTINS:
        return "outside"
    if name in _BUILTINS or (isinstance(function, type) and issubclass(function, BaseException)):
        return "harmless"
    return "unknown"


def _of_jax(function: Any, module: str, name: str) -> Verdict:
    if name in _JAX_SETTINGS:
        return "settings"
    if any(part in module for part in _JAX_PARTS) or name in _JAX_CHANGING or name.startswith("register"):
        return "unknown"
    return "harmless"


def _of_numpy(module: str, name: str) -> Verdict:
    if module.startswith("numpy.random"):
        return "random"
    if name in ("save", "savez", "savez_compressed", "savetxt", "tofile", "memmap", "open_memmap"):
        return "outside"
    if name in _NUMPY_SETTINGS:
        return "settings"
    return "unknown" if name in _NUMPY_CHANGING or module.startswith(("numpy.ctypeslib", "numpy.f2py")) else "harmless"


def _of_python(function: Any, module: str, package: str, name: str) -> Verdict:
    dotted = f"{module}.{name}"
    if module in _READING or dotted in _READING:
        return "harmless"
    if package in _OUTSIDE_MODULES:
        return "outside"
    if module == "random":
        return "random"
    if dotted in ("re.purge", "time.tzset"):
        return "settings"
    if package in _MODULES:
        return "unknown" if dotted in _CHANGING or f"operator.{name}" in _CHANGING else "harmless"
    if package.lstrip("_") in _SETTINGS:
        return "harmless" if name in _SETTINGS[package.lstrip("_")] else "settings"
    if (package in _PACKAGES and not any(word in name for word in _CHANGING_OF_PACKAGES)) or module.startswith(
        _SUBMODULES
    ):
        return "harmless"
    return "unknown"


def _is_random(function: Any, owner: Any) -> bool:
    if isinstance(owner, random.Random):
        return True
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is None:
        return False
    return isinstance(owner, numpy_random.Generator | numpy_random.RandomState)


def _module_of(function: Any) -> str:
    module = getattr(function, "__module__", None)
    if module is None:
        owner = getattr(function, "__self__", None)
        module = owner.__name__ if isinstance(owner, types.ModuleType) else type(function).__module__
        if owner is not None and not isinstance(owner, types.ModuleType):
            module = (owner if isinstance(owner, type) else type(owner)).__module__
    return module if isinstance(module, str) else ""


def _is_jax_code(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return isinstance(code, types.CodeType) and is_jax(code.co_filename)


def is_users_code(code: types.CodeType) -> bool:
    """Return whether the user wrote the code; code that the user ran with `exec` counts, too."""
    return not is_installed(code.co_filename)


def is_generated(function: types.FunctionType) -> bool:
    """Return whether `dataclasses` or `namedtuple` generated a method.

    The file name of the method is not enough: code that the user ran with `exec` has the same file name.
    """
    code = function.__code__
    if code.co_filename != "<string>":
        return False
    written_for = function.__globals__.get("__name__")
    return code.co_qualname.startswith("__create_fn__.") or str(written_for).startswith("namedtuple_")


def is_users_class(kind: type) -> bool:
    """Return whether the user's Python code defines a class."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return kind.__module__ in ("__main__", "__mp_main__") or kind.__module__ not in sys.modules
    return isinstance(file, str) and not is_installed(file)


def is_users_callable(value: Any) -> bool:
    """Return whether a call of an object runs user code.

    The object may be a function, a partial, a method or an object with `__call__`.
    """
    if isinstance(value, types.MethodType):
        value = value.__func__
    # reading an attribute of an object of a user class may run user code, so no attribute is read
    if is_users_class(type(value)):
        return not isinstance(value, type) and callable(value)
    if isinstance(value, functools.partial):
        return is_users_callable(value.func) or any(
            callable(part) and is_users_callable(part) for part in (*value.args, *value.keywords.values())
        )
    code = getattr(value, "__code__", None)
    if isinstance(code, types.CodeType):
        return is_users_code(code)
    return False


def wrapper_is_known(function: Any) -> bool:
    """Return whether a library's wrapper around a user's function is known to have no side effects of its own."""
    space = getattr(function, "__globals__", None)
    module = space.get("__name__") if isinstance(space, dict) else type(function).__module__
    package = str(module).partition(".")[0].lstrip("_")
    return package in ("jax", "jaxlib", "numpy", "contextlib", "functools", "flax") or package in _PACKAGES


_CONTAINERS: tuple[Any, ...] = (list, tuple, set, frozenset, collections.deque)


def elements_of(value: Any) -> Iterator[Any]:
    """Yield the elements of a builtin container without a call of a method that a user's subclass defines."""
    if isinstance(value, dict):
        yield from dict.values(value)
    for kind in _CONTAINERS:
        if isinstance(value, kind):
            yield from kind.__iter__(value)


def field_functions(kind: type) -> Iterator[Any]:
    """Yield the functions that a dataclass calls for its fields: default factories and converters."""
    if not dataclasses.is_dataclass(kind):
        return
    for field in dataclasses.fields(kind):
        if field.default_factory is not dataclasses.MISSING:
            yield field.default_factory
        if callable(converter := field.metadata.get("converter")):
            yield converter


def is_consumed(value: Any) -> bool:
    """Return whether a loop over the object uses up its elements: the object is an iterator."""
    return hasattr(type(value), "__next__")


def is_read_only(value: Any) -> bool:
    """Return whether the class of an object has no method that changes the object."""
    return isinstance(value, _READ_ONLY) or is_array_of_jax(value)


def is_changeable(value: Any) -> bool:
    """Return whether an object of Python's standard library has methods that may change the object."""
    package = type(value).__module__.partition(".")[0]
    return package in sys.stdlib_module_names and package not in _IMMUTABLE_CLASSES


def is_effectful(function: Any) -> bool:
    """Return whether a call of a library's function has side effects for some arguments."""
    return any(function is changing for changing in (next, setattr, delattr, print)) or verdict(function) != "harmless"


def returns_shared(function: Any) -> bool:
    """Return whether a function returns an object to which other code refers.

    A change of the result is then a side effect.
    """
    return f"{_module_of(function).lstrip('_')}.{getattr(function, '__name__', '')}" in _RETURN_SHARED


def writes_by_position(function: Any, values: Sequence[Any], keywords: Mapping[Any, Any]) -> bool:
    """Return whether a NumPy function writes into an array that it gets as a positional argument."""
    if _module_of(function).partition(".")[0] != "numpy" or isinstance(function, type):
        return False
    try:
        bound = inspect.signature(function).bind_partial(*values, **{k: v for k, v in keywords.items() if k})
    except not_of_a_signal(TypeError, ValueError):
        return len(values) > 2
    named = bound.arguments
    return "out" in named or ("copy" in named and getattr(function, "__name__", "") == "nan_to_num")


def is_array_of_jax(value: Any) -> bool:
    """Return whether an object is a JAX array, a random key or a `jax.ShapeDtypeStruct`, which stands for an array."""
    import jax

    return isinstance(value, jax.Array | jax.ShapeDtypeStruct)


def is_class_of_numbers(value: Any) -> bool:
    """Return whether an object is a class that stands for a dtype, such as `int`, `np.float32` or `jnp.float32`."""
    import numpy as np

    if not isinstance(value, type):
        return False
    return any(value is kind for kind in (bool, int, float, complex)) or (
        value.__module__.partition(".")[0] in ("numpy", "jax", "ml_dtypes")
        and (issubclass(value, np.generic) or isinstance(inspect.getattr_static(value, "dtype", None), np.dtype))
    )


def is_function_of_jax(value: Any) -> bool:
    """Return whether an object is a harmless function of JAX, such as `jax.random.normal`."""
    if not callable(value) or isinstance(value, type) or is_array_of_jax(value) or verdict(value) != "harmless":
        return False
    return _module_of(value).partition(".")[0] in ("jax", "jaxlib") or _is_jax_code(value)


def is_jitted(value: Any) -> bool:
    """Return whether an object is the result of `jax.jit`."""
    return facts.is_jitted(value)


def functions_inside(value: Any, limit: int = 200) -> Iterator[Any]:
    """Yield the callables inside a callable of a library.

    These are the wrapped function, the function of a partial, and functions in the closure.
    """
    waiting, visited = [value], {id(value)}
    while waiting and len(visited) < limit:
        holder = waiting.pop()
        for inner in _parts(holder):
            if id(inner) not in visited:
                visited.add(id(inner))
                if callable(inner):
                    yield inner
                    # the arguments that a user's callable binds are not searched: the callable passes them when it is
                    # called
                    if is_users_callable(inner):
                        continue
                waiting.append(inner)


def _parts(value: Any) -> Iterator[Any]:
    if is_users_class(type(value)):
        yield from elements_of(value)
        return
    for name in ("__wrapped__", "func", "fun", "fwd", "bwd", "jvp", "_fun", "__func__", "__self__"):
        try:
            inner = getattr(value, name, None)
        except not_of_a_signal(Exception):
            continue
        if inner is not None and not isinstance(inner, types.ModuleType):
            yield inner
    for cell in getattr(value, "__closure__", None) or ():
        try:
            inner = cell.cell_contents
        except not_of_a_signal(ValueError):
            continue
        if callable(inner) or isinstance(inner, tuple | list | dict):
            yield inner
    if isinstance(value, tuple | list):
        yield from (part for part in value if callable(part) or isinstance(part, tuple | list))
    if isinstance(value, dict):
        yield from (part for part in dict.values(value) if callable(part))
