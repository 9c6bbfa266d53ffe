"""Records, at a trace, the values that a function reads from outside of its arguments, and finds later changes.

A program contains such values as constants: a call that hits the cache does not read them again. Values inside static
arguments are constants of the program, too: JAX notices their changes only through the `__eq__` and `__hash__` of the
static arguments. No user code runs in this module, and no array is kept alive.
"""

from __future__ import annotations

import collections
import functools
import os
import types
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, Literal, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted, is_tracer_type, partial_of
from ...plain_text import defined, exact, file_of, function_of
from ..cache.static_values import StaticValue
from ..calls.impure_calls_while_tracing import ImpureCall
from ..functions.default_values import default_values
from ..functions.function_inside_wrappers import is_unwrapped, name_of, next_inside, unwrap
from ..observation import Place
from ..user_or_library.whose_code import is_installed
from .kept_contents import Contents, Difference, contents_of, difference, holds_array, is_mutable, is_ready
from .paths_that_code_reads import Read, Step, reads_of
from .value_at_path import (
    ABSENT,
    DICTS,
    VARIABLE,
    Variable,
    getter_on_path,
    is_absent,
    stored_attribute,
    value_of_path,
)
from .values_that_cells_change import ChangesOfCell

_VALUES = 128
_FUNCTIONS = 48
_DEPTH = 4

# A function that says whether a trace executed the code of a read; None if this is unknown.
Ran = Callable[[Read], bool | None]


class Kept(NamedTuple):
    """A path that a function reads, and the contents that its value had at the trace.

    Attributes:
        through_jit: true if a called jitted function reads the path: JAX may have taken its program from the cache
            without a trace.
        in_callback: true if the code of the read may also run in a callback, when the program runs.
        cached: the jitted function whose earlier trace read the path; None if the trace of this program read the path.
        holds_tracer: true if the value is a tracer, or a container with a tracer inside.
        owner: the id of the object or of the closure cell from which the first name of the path is read.
    """

    read: Read
    contents: Contents | None
    through_jit: bool
    in_callback: bool
    cached: str | None = None
    holds_tracer: bool = False
    owner: int = 0


class ChangedSince(NamedTuple):
    """A path whose value has changed after the trace, so that the program has the old value as a constant.

    Attributes:
        name: The path as the code writes it, with the changed part, such as weights[1].
        place: The place of the expression that reads the path.
        of_static: The static argument that contains the value; None for a value outside of the arguments.
        cached: The jitted function whose earlier trace read the path; None if the trace of this program read it.
        is_named_by_eq: True if the `__eq__` of the static argument's class mentions the attribute that holds the value.
        of_default: The parameter whose default value contains the value; None for another value.
    """

    name: str
    before: Contents
    after: Contents
    place: Place
    of_static: str | None
    cached: str | None
    is_named_by_eq: bool = False
    of_default: str | None = None


class ChangedByTrace(NamedTuple):
    """A path that the traced code itself changes, such as a list to which it appends while JAX traces.

    Attributes:
        function: The name of the traced function.
        name: The path as the code writes it, with the changed part, such as log or self.steps.
        before: The contents before the trace; `ABSENT` if the path had no value.
        after: The contents after the trace.
        place: The place of the expression that changes the path.
    """

    function: str
    name: str
    before: Contents
    after: Contents
    place: Place


# How the static argument of a later call relates to the static argument at the trace. `same`: both are one object.
# `other`: they are two objects. `changed`: they are two objects, and the one at the trace was changed in place.
Relation = Literal["same", "other", "changed"]


class ValuesAtTrace:
    """The values that a function read from outside of its arguments in one trace.

    Args:
        functions: The function; for a construct, the functions that the caller passed to the construct.
        statics: parameter name -> static argument of the call.
        left_out: the parameters that the call left out, so that the function reads their default values.
    """

    def __init__(
        self, functions: Sequence[Any], statics: Mapping[str, Any], left_out: Collection[str] = frozenset()
    ) -> None:
        self._left_out = left_out
        self._functions = tuple(map(weakref.ref, functions))
        self._statics: dict[str, weakref.ref[Any]] = {}
        for name, value in statics.items():
            # Only objects of user classes, functions and partials are kept: a number or a string cannot change in
            # place.
            if contents_of(value) is None or type(value) is FunctionType or type(value) is functools.partial:
                try:
                    self._statics[name] = weakref.ref(value)
                except TypeError:
                    continue
        # Values that a called jitted function reads, if JAX took this function's program from the cache without a
        # trace.
        self._cached: dict[tuple[str, str], Kept] = {}
        # Paths whose values the function, or a function that it calls, changes in place.
        self._changing: dict[tuple[str, str], Kept] = {}
        self._values = self._read(functions)

    def keep_values(self, is_in_program: Callable[[Contents | None], bool]) -> None:
        """Keep only the values that a program of the functions certainly has as constants.

        Args:
            is_in_program: Returns whether the program has a value as a constant.
        """
        self._changing = {}
        self._values = {
            key: entry
            for key, entry in self._values.items()
            if not entry.through_jit and not entry.in_callback and is_in_program(entry.contents)
        }

    def take_values(
        self, earlier: ValuesAtTrace, function: str, is_in_program: Callable[[Contents | None], bool]
    ) -> None:
        """Add the values of an earlier program of the same functions that this program has in place of newer values.

        Args:
            earlier: The values that the earlier program has.
            function: The name of the function whose trace JAX took from its cache.
            is_in_program: Returns whether this program has a value as a constant.
        """
        for key, entry in earlier._values.items():
            if key not in self._values and not entry.read.is_in_branch and is_in_program(entry.contents):
                self._values[key] = entry._replace(cached=entry.cached or function)

    def settle(self, ran: Ran) -> tuple[list[ImpureCall], list[ChangedByTrace]]:
        """After the trace, keep in this object only the values that the trace read and did not change.

        Args:
            ran: A function that says whether the trace executed the code of a read; None if this is unknown.

        Returns:
          Two lists: the reads of environment variables by os.environ[...], which are not kept, and the values that the
          trace changed.
        """
        functions = self._living()
        if functions is None or not (self._values or self._changing):
            return [], []
        earlier_changing = self._changing
        did_run = {key: ran(entry.read) for key, entry in self._values.items()}
        # A read in a called jitted function that certainly did not run in this trace is moved to `_cached`: JAX may
        # have taken the program of this function from the cache.
        self._cached = {key: entry for key, entry in self._values.items() if entry.through_jit and not did_run[key]}
        self._values = {
            key: entry
            for key, entry in self._values.items()
            if key not in self._cached and _was_read(entry, did_run[key])
        }
        variables = [self._values.pop(key) for key, entry in list(self._values.items()) if entry.contents is VARIABLE]
        name = name_of(functions[0])
        changes: list[ChangedByTrace] = []
        if earlier_changing or any(is_mutable(entry.contents) for entry in self._values.values()):
            for key, entry in self._read(functions).items():
                earlier = self._values.get(key)
                if earlier is not None and difference(earlier.contents, entry.contents) is not None:
                    del self._values[key]
            changes = _changes(name, earlier_changing, self._changing)
        return [ImpureCall(name, entry.read.name, "variable", entry.read.place) for entry in variables], changes

    @property
    def calls_cached(self) -> bool:
        """True if the trace called jitted functions whose programs JAX may have taken from its cache."""
        return bool(self._cached)

    def take_from(self, earlier: Iterable[tuple[str, ValuesAtTrace]]) -> None:
        """Add the values that earlier traces of called functions read.

        If two traces of a function read different values of a path, the path is left out.

        Args:
            earlier: (function name, values at its earlier trace) for functions whose programs JAX took from its cache.
        """
        found: dict[tuple[str, str], Kept | None] = {}
        for name, traced in earlier:
            for key in self._cached:
                entry = traced._values.get(key)
                if entry is None:
                    continue
                other = found.get(key, entry)
                is_same = other is not None and difference(other.contents, entry.contents) is None
                found[key] = entry._replace(cached=entry.cached or name) if is_same else None
        self._values.update({key: entry for key, entry in found.items() if entry is not None})

    def may_change(self, changes: ChangesOfCell) -> bool:
        """Return whether a cell may change a value that the trace read from outside of its arguments."""
        return any(changes.may_change(entry.read, is_mutable(entry.contents)) for entry in self._values.values())

    def changed(self, left_out: set[str] | None = None) -> list[ChangedSince]:
        """Return the paths whose values certainly changed since this trace or the earlier trace that read them.

        Args:
            left_out: Receives the names of other arrays that JAX still computes or that are on an accelerator, which
                are not compared then, because a comparison would wait for them; None to compare these arrays, too.
        """
        functions = self._living()
        if functions is None or not self._values:
            return []
        current = self._read(functions)
        changes: dict[tuple[Any, ...], ChangedSince] = {}
        for key, entry in self._values.items():
            later = current.get(key)
            if left_out is not None and later is not None and not _are_ready(entry.contents, later.contents):
                left_out.add(entry.read.name)
                continue
            changed = None if later is None else difference(entry.contents, later.contents)
            if changed is not None:
                name = entry.read.name + changed.path
                static = entry.read.root if self._is_of_static(entry) else None
                if static is not None and _is_named_by(self._statics[static](), "__hash__", entry.read):
                    # the `__hash__` reads the attribute: a later call finds another cache entry, with the new value
                    continue
                named = static is not None and _is_named_by(self._statics[static](), "__eq__", entry.read)
                default = entry.read.root if entry.read.is_parameter and entry.read.root in self._left_out else None
                facts = (name, changed.before, changed.after, entry.read.place, static, entry.cached, named, default)
                changes.setdefault((name, changed.before.text), ChangedSince(*facts))
        return list(changes.values())

    def reads_static(self, name: str) -> bool:
        """Return whether the trace read an attribute or an item of the static argument `name`."""
        return any(self._is_of_static(entry) and entry.read.root == name for entry in self._values.values())

    def differs_from(self, statics: Mapping[str, Any]) -> Iterator[tuple[ChangedSince, Relation]]:
        """Yield the paths inside static arguments whose values certainly differ between the trace and a later call.

        Arrays are not compared, because that could wait for a device.

        Args:
            statics: parameter name -> static argument of the later call.

        Yields:
          The difference, and how the static argument of the call relates to the static argument at the trace.
        """
        for entry in self._values.values():
            name = entry.read.root
            traced = self._statics[name]() if self._is_of_static(entry) and name in statics else None
            found = None if traced is None else _difference_in(statics[name], entry)
            if found is None:
                continue
            relation: Relation = "same" if traced is statics[name] else "other"
            if relation == "other" and _difference_in(traced, entry) is not None:
                relation = "changed"
            named = _is_named_by(traced, "__eq__", entry.read)
            changed = (entry.read.name + found.path, found.before, found.after, entry.read.place, name, None, named)
            yield ChangedSince(*changed), relation

    def _is_of_static(self, entry: Kept) -> bool:
        return entry.read.is_parameter and entry.read.root in self._statics and entry.cached is None

    def _living(self) -> list[Any] | None:
        """Return the functions; None if one was deleted."""
        functions = [reference() for reference in self._functions]
        return None if any(function is None for function in functions) else functions

    def _read(self, functions: Sequence[Any]) -> dict[tuple[str, str], Kept]:
        statics = {name: value for name, reference in self._statics.items() if (value := reference()) is not None}
        reader = _Reader()
        values: dict[tuple[str, str], Kept] = {}
        for fun in functions:
            defaults = default_values(fun) if self._left_out and type(fun) is FunctionType else {}
            left_out = {name: value for name, value in defaults.items() if name in self._left_out}
            values = reader.read(fun, {**left_out, **statics})
        self._changing = reader.changing
        return values


def _changes(
    function: str, before: Mapping[tuple[str, str], Kept], after: Mapping[tuple[str, str], Kept]
) -> list[ChangedByTrace]:
    changes = []
    for key, entry in before.items():
        later = after.get(key)
        if later is None or later.holds_tracer or entry.in_callback or later.owner != entry.owner:
            continue
        changed = difference(entry.contents, later.contents)
        if changed is not None:
            name = entry.read.name + changed.path
            changes.append(ChangedByTrace(function, name, changed.before, changed.after, later.read.place))
    return changes


def _difference_in(static: Any, entry: Kept) -> Difference | None:
    """Return the difference between a path inside a static argument and the same path at the trace.

    Return None if no difference is certain.
    """
    if holds_array(entry.contents):
        return None
    try:
        later = contents_of(value_of_path(entry.read, {}, {}, {entry.read.root: static}))
    except not_of_a_signal(LookupError, ValueError):
        return None
    return None if holds_array(later) else difference(entry.contents, later)


def _is_named_by(static: Any, method_name: str, read: Read) -> bool:
    """Return whether a method of an object's class, such as `__eq__`, reads the first attribute of a path.

    A method that reads all attributes, such as by `vars`, counts, too.
    """
    method = defined(type(static), method_name)
    if type(method) is not FunctionType or not read.steps or read.steps[0].is_item:
        return False
    return bool({read.steps[0].key, *_ALL_ATTRIBUTES} & _names(method.__code__))


_ALL_ATTRIBUTES = ("__dict__", "vars", "astuple", "asdict")


def _was_read(entry: Kept, ran: bool | None) -> bool:
    """Return whether a trace read a value.

    `ran` says whether the code of the read ran. If `ran` is None, the value counts as read if nothing can skip the
    read.
    """
    return ran or (ran is None and not entry.read.is_in_branch and not entry.in_callback)


def values_at_trace(
    fun: Any, statics: Mapping[str, StaticValue], left_out: Collection[str] = frozenset()
) -> ValuesAtTrace | None:
    """Record the values that a function reads from outside, before JAX traces the function.

    Return None if `fun` allows no weak reference.

    Args:
        fun: The function.
        statics: parameter name -> static argument of the call.
        left_out: the parameters that the call left out.
    """
    try:
        weakref.ref(fun)
    except TypeError:
        return None
    if not is_unwrapped(fun):
        return ValuesAtTrace((fun,), {})
    return ValuesAtTrace((fun,), {name: static.value for name, static in statics.items()}, left_out)


class _Reader:
    """Reads the outside values of a function and of the user functions that it calls."""

    _notes_changed = False  # whether a path that the code itself changes is noted, too

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], Kept] = {}
        self._visited: set[tuple[int, int]] = set()
        self.changing: dict[tuple[str, str], Kept] = {}

    def read(self, fun: Any, parameters: Mapping[str, Any]) -> dict[tuple[str, str], Kept]:
        self._read(fun, parameters, _DEPTH, False, False)
        return self._values

    def _read(self, fun: Any, parameters: Mapping[str, Any], depth: int, through_jit: bool, in_callback: bool) -> None:
        bound = _bound(fun)
        if bound is None or len(self._visited) >= _FUNCTIONS:
            return
        function, bound_values = bound
        bound_values.update(parameters)
        mark = (
            id(function),
            id(bound_values.get(function.__code__.co_varnames[0])) if function.__code__.co_argcount else 0,
        )
        if mark in self._visited:
            return
        self._visited.add(mark)
        reads = reads_of(function.__code__)
        has_callback = bool(_CALLBACKS & _names(function.__code__))
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
        for read in reads.reads:
            try:
                value = value_of_path(read, function.__globals__, cells, bound_values)
            except not_of_a_signal(LookupError, ValueError):  # the path has no value now: nothing is recorded
                getter = getter_on_path(read, function.__globals__, cells, bound_values) if depth else None
                if getter is not None:
                    self._read(getter, {}, depth - 1, through_jit, in_callback or has_callback)
                continue
            read, value = _function_in_module(read, value)
            if self._notes_changed or not reads.is_changed(read):
                is_inner = has_callback and read.code is not function.__code__
                self._note(read, function, value, through_jit, in_callback or is_inner)
            if depth:
                self._follow(read, value, depth - 1, through_jit, in_callback or has_callback)
        for change in reads.changes:
            key = (function_of(function.__code__), change.name)
            if key in self.changing or len(self.changing) >= _VALUES:
                continue
            contents: Contents | None
            try:
                value = value_of_path(change, function.__globals__, cells, bound_values)
                contents = contents_of(value)
            except not_of_a_signal(LookupError, ValueError):
                # code in a branch may make a value once and keep the value on purpose
                if change.is_in_branch or not is_absent(change, function.__globals__, cells, bound_values):
                    continue
                value, contents = None, ABSENT
            owner = bound_values.get(change.root) if change.is_parameter else cells.get(change.root)
            self.changing[key] = Kept(
                change,
                contents,
                through_jit,
                in_callback or (has_callback and change.code is not function.__code__),
                # The contents of a large container are not kept, so its changes stay unknown, and it need not be
                # searched for tracers.
                holds_tracer=contents is not None and _holds_tracer(value, 3),
                owner=id(owner),
            )

    def _note(self, read: Read, function: FunctionType, value: Any, through_jit: bool, in_callback: bool) -> None:
        key = (function_of(function.__code__), read.name)
        earlier = self._values.get(key)
        if earlier is not None and not (earlier.read.is_in_branch and not read.is_in_branch):
            return
        if earlier is None and len(self._values) >= _VALUES:
            return
        if type(value) is Variable or (value is os.environ and read.method != "get"):
            contents: Contents | None = VARIABLE
        else:
            contents = contents_of(value)
        if contents is not None:
            self._values[key] = Kept(read, contents, through_jit, in_callback)

    def _follow(self, read: Read, value: Any, depth: int, through_jit: bool, in_callback: bool) -> None:
        """Read the outside values of a user function that the code names or calls."""
        if read.method is not None:
            kind = type(value)
            is_class = issubclass(kind, type)
            method = defined(value if is_class else kind, read.method)
            if is_class and type(method) in (staticmethod, classmethod):
                method = method.__func__
            if type(method) is FunctionType or (type(method) in (staticmethod, classmethod) and not is_class):
                if type(method) is FunctionType and not is_class:
                    method = types.MethodType(method, value)
                self._read(method, {}, depth, through_jit, in_callback)
                return
            try:
                value = stored_attribute(value, read.method)
            except LookupError:
                return
        if type(value) in (FunctionType, types.MethodType) or is_jitted(value) or _call_of(value) is not None:
            self._read(value, {}, depth, through_jit or is_jitted(value), in_callback)


class ValueRead(NamedTuple):
    """The present value of a path that a function, or a user function that it calls, reads from outside.

    Attributes:
        read: The path.
        name: The path as text. If the path begins with a parameter of a called method, the name has the method, too,
            such as self.rate in Model.loss.
        root: The value of the first name of the path; None for a parameter.
        value: The value of the whole path.
    """

    read: Read
    name: str
    root: Any
    value: Any


def values_read(fun: Any) -> list[ValueRead]:
    """Return the paths that a function, and the user functions that it calls, read from outside, with their values.

    The result keeps the values alive.
    """
    bound = _bound(fun)
    reader = _EachRead(None if bound is None else bound[0])
    reader.read(fun, {})
    return reader.values


class _EachRead(_Reader):
    """Collects each path with its value, also of values whose contents cannot be read."""

    _notes_changed = True

    def __init__(self, called: FunctionType | None) -> None:
        super().__init__()
        self._called = called
        self.values: list[ValueRead] = []

    def _note(self, read: Read, function: FunctionType, value: Any, through_jit: bool, in_callback: bool) -> None:
        # JAX traces a called jitted function once, and a callback reads the values anew in each call
        if through_jit or in_callback or len(self.values) >= _VALUES:
            return
        if read.is_parameter and not read.steps:  # an argument that a partial binds, or the object of a method
            return
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
        root = None
        if not read.is_parameter:
            root = value_of_path(read._replace(steps=()), function.__globals__, cells, {})
        name = read.name
        if read.is_parameter and function is not self._called:
            name = f"{name} in {function_of(function.__code__).rpartition('<locals>.')[2]}"
        self.values.append(ValueRead(read, name, root, value))


def _function_in_module(read: Read, value: Any) -> tuple[Read, Any]:
    """Return a call of a user's function through its module, such as layers.norm(x), as a read of this function.

    A module is no object with methods: its functions are global names. Return any other read as it is.
    """
    if read.method is None or type(value) is not types.ModuleType:
        return read, value
    function = vars(value).get(read.method)
    inner = unwrap(function)
    if type(inner) is not FunctionType or is_installed(file_of(inner.__code__)):
        return read, value
    return read._replace(steps=(*read.steps, Step(is_item=False, key=read.method)), method=None), function


def _holds_tracer(value: Any, depth: int) -> bool:
    """Return whether a value is a tracer, or a Python container with a tracer inside."""
    kind = type(value)
    if any(kind is container for container in DICTS):
        parts: Iterable[Any] = list(dict.values(value))
    elif any(kind is container for container in (list, tuple, set, collections.deque)):
        parts = list(value)
    else:
        return is_tracer_type(kind)
    return depth > 0 and any(_holds_tracer(part, depth - 1) for part in parts)


def _are_ready(before: Contents | None, after: Contents | None) -> bool:
    """Return whether two values can be compared at once: both are ready, or both are the same array."""
    if before is not None and after is not None and before.kind == after.kind == "Array":
        array = None if before.reference is None else before.reference()
        if array is not None and after.reference is not None and after.reference() is array:
            return True
    return is_ready(before) and is_ready(after)


_CALLBACKS = frozenset({"pure_callback", "io_callback", "callback"})


def _names(code: CodeType) -> set[str]:
    inner = (_names(constant) for constant in code.co_consts if type(constant) is CodeType)
    return set(code.co_names).union(*inner)


def _bound(fun: Any) -> tuple[FunctionType, dict[str, Any]] | None:
    """Return the user function that a callable runs, and the arguments that the callable binds.

    The arguments are {parameter: value}. Return None if the callable runs no function of the user's.
    """
    bound_values: dict[str, Any] = {}
    for _ in range(50):
        kind = type(fun)
        if kind is types.MethodType:
            inner = unwrap(fun.__func__)
            if type(inner) is FunctionType and inner.__code__.co_argcount:
                bound_values[inner.__code__.co_varnames[0]] = fun.__self__
            fun = inner
        elif issubclass(kind, functools.partial):
            bound_partial = partial_of(fun)
            inner = unwrap(bound_partial.func)
            if type(inner) is FunctionType:
                skipped = 1 if type(bound_partial.func) is types.MethodType else 0
                names = inner.__code__.co_varnames[skipped : inner.__code__.co_argcount]
                bound_values.update(zip(names, bound_partial.args, strict=False))
                bound_values.update({exact(name): value for name, value in bound_partial.keywords.items()})
            fun = bound_partial.func
        elif is_unwrapped(fun):
            break
        else:
            inner = next_inside(fun)
            if inner is None:
                method = _call_of(fun)
                if method is None:
                    return None
                inner = method
            fun = inner
    if type(fun) is not FunctionType or is_installed(file_of(fun.__code__)):
        return None
    return fun, bound_values


def _call_of(fun: Any) -> Any:
    """Return the bound `__call__` method of an object of a user class; None for any other value."""
    call = None if issubclass(type(fun), type) else defined(type(fun), "__call__")
    if type(call) is not FunctionType or is_installed(file_of(call.__code__)):
        return None
    return types.MethodType(call, fun)
