"""Finds the user's function inside an argument of `jax.jit`: its name, the line of its def, and its owner.

`jit(vmap(grad(f)))`, a method, a partial, an equinox or flax wrapper: all are unwrapped down to the function that a
person wrote. A function counts as a library's when JAX itself made it, or when an installed package jitted it for its
own use; those are counted and not listed.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
import sysconfig
import types
import weakref
from collections import Counter
from collections.abc import Mapping
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from ..interruptions import not_of_a_signal
from ..jax.calls import pmap_call
from ..jax.eager import Construct, construct_of
from ..jax.facts import is_jitted, jax_directory, partial_of, stored_jit_name
from ..jax.pallas_kernels import kernel_of
from ..plain_text import FAILURES, attribute_of, defined, exact, file_of, function_of, kind_name, own_name
from .observation import Place

if TYPE_CHECKING:
    from .cache.function_history import FunctionHistory

# The frames of these packages stand between the user's call and `jax.jit`: the call counts as the user's.
_WRAPPERS = ("equinox", "flax", "jaxtyping", "beartype")
_EQUINOX_JIT = os.path.join("equinox", "_jit.py")


class FunctionRecord:
    """The record of one jitted function, kept as long as the function exists."""

    __slots__ = (
        "__weakref__",
        "at_trace",
        "construct",
        "definition",
        "equinox",
        "history",
        "jit_name",
        "kept",
        "library",
        "missed",
        "name",
        "pmap",
        "replayable",
        "shared",
        "unkept",
    )

    def __init__(
        self, name: str, jit_name: str | None, definition: Place | None, library: bool, shared: bool = False
    ) -> None:
        self.name = name  # the name that the author gave the function
        self.jit_name = jit_name  # the name in JAX's events and programs; None until JAX reports it
        self.definition = definition
        self.library = library
        self.shared = shared  # equinox: one jitted function serves all user functions with one name
        self.equinox = shared  # equinox calls the function; a user's function inside a shared one is not itself shared
        self.missed = False  # whether the function object was already read, at its first miss
        self.construct: Construct | None = None  # the construct that JAX compiled by itself, outside of jit
        self.pmap = False  # the functions that JAX makes for one pmapped function share a record
        self.replayable = True  # False once asking JAX's caches for stages made JAX compile or lower
        self.kept: dict[Any, Any] = {}  # the programs observed last, newest last
        self.unkept = False  # whether JAX may hold further programs of the function
        self.at_trace: Any = None  # `ValuesAtTrace` of the last trace; None where no run saw the trace
        # (history, index of this function object in it, whether a rerun of its cell made the object)
        self.history: tuple[FunctionHistory, int, bool] | None = None

    @property
    def has_several(self) -> bool:
        """Whether a hit may run one of several programs."""
        return len(self.kept) > 1 or self.unkept


class Functions:
    """The records of all jitted functions; a record goes with its function."""

    def __init__(self) -> None:
        self._records: dict[int, FunctionRecord] = {}
        # The key is (id of equinox's function, id of the user's code); an entry goes with the code.
        self._by_user_code: dict[tuple[int, int], tuple[weakref.ref[CodeType], FunctionRecord]] = {}
        self._by_pmapped: dict[int, tuple[weakref.ref[Any], FunctionRecord]] = {}
        self._alive: dict[int, weakref.ref[Any]] = {}
        self.library: dict[int, int] = {}  # the misses of library functions, by id of the function

    def find(self, fun: Any, frame: FrameType) -> FunctionRecord:
        """Return the record of a function that misses; `frame` is JAX's frame of the miss."""
        record = self._records.get(id(fun))
        if record is None:
            record = self._make(fun, frame)
        return self._of_user(fun, record, frame) if record.shared else record

    def asked(self, fun: Any, frame: FrameType) -> FunctionRecord | None:
        """Return the record of a function whose trace is requested in `frame` without a call.

        None where the function was not called yet and is JAX's code, or where JAX requests the trace: `jax.eval_shape`
        and `jax.make_jaxpr` jit their argument, and the user jitted nothing.
        """
        if id(fun) not in self._records:
            code = code_of(fun)
            if code is None or is_jax(file_of(code)) or _asked_by_jax(frame):
                return None
        return self.find(fun, frame)

    def library_names(self, before: Mapping[int, int]) -> list[tuple[str, int]]:
        """Return the names of library functions with their misses since `before`, an earlier copy of `library`."""
        since: Counter[str] = Counter()
        for key, times in list(self.library.items()):
            record = self._records.get(key)
            if record is not None and times > before.get(key, 0):
                since[record.name] += times - before.get(key, 0)
        return since.most_common()

    def known(self, fun: Any) -> FunctionRecord | None:
        """Return the record of a function; None where the function was not seen yet or is not known alone."""
        record = self._records.get(id(fun))
        if record is None or not record.shared:
            return record
        users = [user for (key, _), (_, user) in self._by_user_code.items() if key == id(fun)]
        return users[0] if len(users) == 1 else None

    def have_several(self) -> bool:
        """Return whether a hit of some user function may run one of several programs."""
        return any(record.has_several and not record.library for record in list(self._records.values()))

    def is_shared(self, fun: Any) -> bool:
        """Return whether a jitted function serves several user functions, so that its calls cannot be separated."""
        record = self._records.get(id(fun))
        return record is not None and record.shared

    def by_code(self, fun: Any) -> FunctionRecord:
        """Return the record of a function without an observed miss; the file decides if it is a library's."""
        record = self._records.get(id(fun))
        if record is None:
            code = code_of(fun)
            library = code is None or is_installed(file_of(code))
            record = FunctionRecord(name_of(fun), stored_jit_name(fun), place_of(code), library)
            self._remember(fun, record)
        return record

    def drop_dead(self, records: dict[str, tuple[FunctionRecord, Any, Place | None]]) -> None:
        """Remove the records of functions that are gone, because a record keeps programs alive."""
        others = [record for kind in (self._by_user_code, self._by_pmapped) for _, record in list(kind.values())]
        alive = set(map(id, [*list(self._records.values()), *others]))
        for name in [name for name, (record, *_) in records.items() if id(record) not in alive]:
            del records[name]

    def _make(self, fun: Any, frame: FrameType) -> FunctionRecord:
        place = place_of(fun.__code__) if type(fun) is FunctionType else None
        if place is not None and is_users_code_of(fun) and "__wrapped__" not in vars(fun):
            # A user's function without wrappers: the general case below takes ten times as long.
            name = exact(fun.__name__)
            record = FunctionRecord(name, name, place, library=False)
        elif (pmapped := pmap_call(frame)) is not None:
            record = self._pmapped(pmapped.fun, stored_jit_name(fun))
        elif (construct := construct_of(fun, frame)) is not None:
            record = _of_construct(construct, frame)
        elif (kernel := kernel_of(fun)) is not None:
            library = is_library(fun, fun.__code__, frame)
            name = f"pallas_call({name_of(kernel)})"
            record = FunctionRecord(name, stored_jit_name(fun), place_of(code_of(kernel)), library)
        else:
            code = code_of(fun)
            record = FunctionRecord(
                name_of(fun),
                stored_jit_name(fun),
                place_of(code),
                is_library(fun, code, frame),
                shared=code is not None and file_of(code).endswith(_EQUINOX_JIT),
            )
        self._remember(fun, record)
        return record

    def _pmapped(self, user: Any, jit_name: str | None) -> FunctionRecord:
        key = id(user)
        if key not in self._by_pmapped:
            code = code_of(user)
            library = code is not None and is_installed(file_of(code))
            record = FunctionRecord(name_of(user), jit_name, place_of(code), library)
            record.pmap = True
            gone = weakref.ref(user, lambda _: self._by_pmapped.pop(key, None))
            self._by_pmapped[key] = gone, record
        return self._by_pmapped[key][1]

    def _remember(self, fun: Any, record: FunctionRecord) -> None:
        key = id(fun)

        def forget(_: object) -> None:
            self._records.pop(key, None)
            self._alive.pop(key, None)
            self.library.pop(key, None)
            for pair in [pair for pair in self._by_user_code if pair[0] == key]:
                del self._by_user_code[pair]

        self._alive[key] = weakref.ref(fun, forget)
        self._records[key] = record

    def _of_user(self, fun: Any, record: FunctionRecord, frame: FrameType) -> FunctionRecord:
        wrapper = equinox_wrapper(frame)
        user = getattr(wrapper, "__wrapped__", None)
        code = code_of(user)
        if code is None:
            return record
        key = (id(fun), id(code))
        if key not in self._by_user_code:
            library = record.library or is_library(user, code, frame)
            users_record = FunctionRecord(name_of(user), record.jit_name, place_of(code), library)
            users_record.equinox = True
            gone = weakref.ref(code, lambda _: self._by_user_code.pop(key, None))
            self._by_user_code[key] = gone, users_record
        return self._by_user_code[key][1]


def _of_construct(construct: Construct, frame: FrameType) -> FunctionRecord:
    """Return the record of a construct outside of jit; the construct is the user's if user code called `jax.lax`."""
    caller = _skip(frame, is_jax)
    library = caller is None or not is_users_frame(caller)
    # The body of a library has a place, too: calls of cg on two lines run the same body.
    bodies = [body for body in construct.bodies if body.file]
    own = next((body for body in bodies if not is_installed(body.file)), bodies[0] if bodies else None)
    definition = call_place(frame) if own is None else Place(own.file, own.line, own.name)
    record = FunctionRecord(construct.title, construct.primitive, definition, library)
    record.construct = construct
    return record


def equinox_wrapper(frame: FrameType) -> Any:
    """Return the `filter_jit` object whose call misses in `frame`, or None."""
    caller = equinox_frame(frame)
    return None if caller is None else caller.f_locals.get("jit_wrapper")


def equinox_frame(frame: FrameType) -> FrameType | None:
    """Return the frame of equinox with the `filter_jit` object and the user's `args` and `kwargs` as locals."""
    caller: FrameType | None = frame
    for _ in range(4):
        caller = caller.f_back if caller is not None else None
        if caller is not None and file_of(caller.f_code).endswith(_EQUINOX_JIT):
            return caller
    return None


def unwrap(value: Any) -> Any:
    """Return the innermost function of a callable; the callable itself where it wraps none."""
    if type(value) is FunctionType and "__wrapped__" not in vars(value):
        return value
    for _ in range(50):
        inner = next_inside(value)
        if inner is None:
            break
        value = inner
    return value


def next_inside(value: Any) -> Any:
    """Return the callable inside a callable; None where there is none. Properties of user classes are not evaluated."""
    kind = type(value)
    if kind is FunctionType:
        inner = vars(value).get("__wrapped__")
    elif kind is types.MethodType:
        return value.__func__
    elif issubclass(kind, functools.partial):
        return partial_of(value).func
    else:
        inner = _stored(value, "__wrapped__")
    return inner if callable(inner) else None


def _stored(value: Any, name: str) -> Any:
    """Return a stored attribute, or the result of a property of an installed package."""
    stored = attribute_of(value, name)
    if type(stored) is not property:
        return stored
    if type(stored.fget) is not FunctionType or not is_installed(file_of(stored.fget.__code__)):
        return None
    try:
        return getattr(value, name)
    except not_of_a_signal(*FAILURES):
        return None


def code_of(fun: Any) -> CodeType | None:
    """Return the code of the function that a callable runs; None for a callable not written in Python."""
    inner = unwrap(fun)
    if type(inner) is FunctionType:
        return inner.__code__
    code = _stored(inner, "__code__")
    if code is None and not issubclass(type(inner), type):
        code = _call_code(inner)
    return code if type(code) is CodeType else None


def _call_code(value: Any) -> Any:
    """Return the code of the `__call__` of an object, such as an equinox module."""
    called = unwrap(defined(type(value), "__call__"))
    return called.__code__ if type(called) is FunctionType else None


def name_of(fun: Any) -> str:
    """Return the name that the author of a function gave it."""
    inner = unwrap(fun)
    return own_name(inner) or kind_name(type(inner))


def place_of(code: CodeType | None) -> Place | None:
    """Return the place of the def of a code."""
    if code is None:
        return None
    file, name = code.co_filename, code.co_qualname
    # both are plain strings in nearly all calls, and this runs at every miss
    if type(file) is str and type(name) is str:
        return Place(file, code.co_firstlineno, name)
    return Place(file_of(code), code.co_firstlineno, function_of(code))


# --- whose is it -------------------------------------------------------------------------------------------


def is_library(fun: Any, code: CodeType | None, frame: FrameType) -> bool:
    """Return whether JAX or another package jitted a function for itself, rather than the user."""
    file = file_of(code) if code is not None else ""
    if code is not None and not is_jax(file):
        inner = unwrap(fun)
        written_by_user = is_users_code_of(inner) if type(inner) is FunctionType else not is_installed(file)
        return not written_by_user and not _called_by_user(frame)
    # The code is JAX's: in `jax.jit(jax.nn.softmax)` the user jitted it, in `jnp.where` JAX did.
    caller = _skip(frame, _is_entry)
    return caller is None or is_jax(file_of(caller.f_code)) or _owned_by_module(fun)


def is_users(fun: Any) -> bool:
    """Return whether the code that a function runs is the user's; used where no miss was observed."""
    code = code_of(fun)
    return code is not None and not is_installed(file_of(code))


def is_of_jax(called: Any) -> bool:
    """Return whether a jitted function belongs to JAX."""
    code = code_of(called._fun if is_jitted(called) else called)
    return code is not None and is_jax(file_of(code))


def _owned_by_module(fun: Any) -> bool:
    owner: Any = sys.modules.get(own_name(fun, "__module__") or "")
    for part in (own_name(fun, "__qualname__") or "").split("."):
        owner = getattr(owner, part, None)
    if owner is None or owner is fun:
        return False
    # jnp.negative is a ufunc with a jitted function inside, and `-x` calls the inner function directly.
    return getattr(owner, "__wrapped__", None) is fun or (isinstance(owner, _ufunc()) and next_inside(fun) is None)


def _ufunc() -> type:
    import jax.numpy

    return jax.numpy.ufunc


def _called_by_user(frame: FrameType) -> bool:
    caller = _skip(frame, lambda file: is_jax(file) or _is_wrapper(file))
    return caller is not None and is_users_frame(caller)


def is_users_frame(frame: FrameType) -> bool:
    """Return whether a frame runs code of the user's."""
    file = frame.f_code.co_filename
    if type(file) is not str:
        file = file_of(frame.f_code)
    return not is_installed(file) and (file != _TEXT or _is_users_text(frame.f_code, frame.f_globals))


def is_users_code_of(fun: FunctionType) -> bool:
    """Return whether the code of a plain function is the user's."""
    file = file_of(fun.__code__)
    return not is_installed(file) and (file != _TEXT or _is_users_text(fun.__code__, fun.__globals__))


_TEXT = "<string>"
"""The file name of code from `exec`, such as by `python -c` and `%prun`, and of methods that dataclasses generate."""


def _is_users_text(code: CodeType, names: Mapping[str, Any]) -> bool:
    """Return whether executed text is the user's: neither a package nor a dataclass executed it."""
    if function_of(code).startswith("__create_fn__."):
        return False
    name = names.get("__name__")
    if name == "__main__":
        return True  # the file of __main__ may be a program that runs user code, such as `python -m pytest`
    module = sys.modules.get(name) if type(name) is str else None
    file = attribute_of(module, "__file__")
    return not (type(file) is str and is_installed(file))


def call_place(frame: FrameType) -> Place | None:
    """Return the user's line whose call misses in `frame`."""
    caller = frame.f_back
    while caller is not None:
        if is_users_frame(caller):
            return frame_place(caller)
        caller = caller.f_back
    return None


def frame_place(frame: FrameType) -> Place:
    """Return the line at which a frame stands."""
    return Place(file_of(frame.f_code), frame.f_lineno, function_of(frame.f_code))


def user_place(frame: FrameType | None) -> Place | None:
    """Return the innermost user line of a stack."""
    while frame is not None and not is_users_frame(frame):
        frame = frame.f_back
    return None if frame is None else frame_place(frame)


def asking_place(frame: FrameType) -> Place | None:
    """Return the user's expression that called the JAX function of `frame`; None where a package called it."""
    caller = _skip(frame, is_jax)
    if caller is None or not is_users_frame(caller):
        return None
    positions = itertools.islice(caller.f_code.co_positions(), caller.f_lasti // 2, None)
    line, end_line, column, end_column = next(positions, (None,) * 4)
    place = frame_place(caller)
    if line is None or end_line is None or column is None or end_column is None:
        return place
    return Place(place.file, line, place.function, column, end_line, end_column)


def _skip(frame: FrameType, skip: Any) -> FrameType | None:
    caller = frame.f_back
    while caller is not None and skip(file_of(caller.f_code)):
        caller = caller.f_back
    return caller


def _asked_by_jax(frame: FrameType) -> bool:
    """Return whether JAX itself requests the trace of a jitted function in `frame`, a frame of the jit module."""
    own = file_of(frame.f_code)
    caller = _skip(frame, lambda file: file == own or _is_entry(file))
    return caller is None or is_jax(file_of(caller.f_code))


def _is_entry(file: str) -> bool:
    """Return whether a file is the module whose frames JAX puts around each of its entry points."""
    return file.endswith(os.path.join("jax", "_src", "traceback_util.py"))


@functools.cache
def _installed_roots() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    roots = {sysconfig.get_path(name) for name in names}
    return tuple(root + os.sep for root in roots if root)


@functools.lru_cache(maxsize=4096)
def is_jax(file: str) -> bool:
    """Return whether a file belongs to JAX."""
    return file.startswith(jax_directory())


@functools.lru_cache(maxsize=4096)
def is_installed(file: str) -> bool:
    """Return whether a file belongs to Python, an installed package or this package: it is not the user's."""
    return (
        file.startswith(("<frozen", _OURS, *_installed_roots()))
        or f"{os.sep}site-packages{os.sep}" in file
        or f"{os.sep}dist-packages{os.sep}" in file
        or is_jax(file)
    )


_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@functools.lru_cache(maxsize=4096)
def _is_wrapper(file: str) -> bool:
    return any(f"{os.sep}{package}{os.sep}" in file for package in _WRAPPERS)
