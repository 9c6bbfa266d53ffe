"""Finds the tracers that a traced function stored in objects outside of the function.

A tracer stands for a value only while its function is traced. Python code that keeps a tracer, as
`global_list.append(x)` and `self.state = x` do, gets an error from JAX when it uses the tracer later. The search begins
at the global names and closure variables of the function and of the user's functions that it names, at the object of a
method, and at static arguments. From there, the search goes through containers, and through objects of the user's
classes. It runs no code of the user's.
"""

from __future__ import annotations

import dis
import itertools
import re
import types
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, Literal, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import is_tracer_type
from ...jax.transform_and_inputs_of_tracer import maker_of
from ...jax.transforms_around_call import jitted_function_of
from ...observe.functions.function_inside_wrappers import next_inside, unwrap
from ...observe.observation import Finding, Place
from ...observe.user_or_library.whose_code import is_class_of_users, is_installed, is_users_code_of
from ...plain_text import FAILURES, attribute_of, defined, exact, file_of, function_of, kind_name
from ...quantities import count
from .cures_of_leaks import cure_of_leak

#: The search goes through at most this many containers and objects that are nested in one another.
_DEPTH = 4
#: In one container, only this many of the newest elements are searched.
_IN_CONTAINER = 1_000
#: In the value of one name, at most this many elements are searched.
_ELEMENTS = 4_000
#: For one traced function, at most this many elements are searched.
_ALL_ELEMENTS = 20_000
#: For one traced function, at most this many other functions are searched, which its code names.
_FUNCTIONS = 30
_KEY_LENGTH = 30

#: The id of a tracer -> a weak reference to the tracer. Python may give the id of a freed tracer to another object; the
#: weak reference is then dead.
Held = dict[int, Any]


class Scope(NamedTuple):
    """The code of a function, its global names with their values, and a weak reference to the function."""

    code: CodeType
    names: Mapping[str, Any]
    function: weakref.ref[FunctionType]

    @property
    def cells(self) -> tuple[CellType, ...]:
        """The cells of the function's closure; empty if the function no longer exists."""
        function = self.function()
        return () if function is None else function.__closure__ or ()


class Reach(NamedTuple):
    """What a function can reach. All references are weak, so that JAX can still drop its cache entries.

    Attributes:
        scopes: The scopes of the function and of the user's functions that it names; its own scope comes first.
        arguments: For each static argument, and for the object of a method: the object, by the parameter's name.
        tracers: The tracers that the function could reach before the trace.
    """

    scopes: tuple[Scope, ...]
    arguments: Mapping[str, weakref.ref[Any]]
    tracers: Held


def reach_before(fun: Any, statics: Mapping[str, Any]) -> Reach | None:
    """Return what a function can reach before its trace. The tracers among these objects are not leaks of the trace.

    Args:
        fun: The function.
        statics: The objects among its static arguments, by the names of the parameters.
    """
    inner = _function_in(fun)
    if inner is None:
        return None
    objects = dict(statics)
    method_object = _object_of(fun)
    if method_object is not None and inner.__code__.co_argcount:
        objects[inner.__code__.co_varnames[0]] = method_object
    arguments: dict[str, weakref.ref[Any]] = {}
    for name, value in objects.items():
        try:
            arguments[name] = weakref.ref(value)
        except TypeError:  # some objects do not allow weak references
            continue
    reach = Reach(tuple(_scopes(inner)), arguments, {})
    return reach._replace(tracers={id(tracer): weakref.ref(tracer) for _, tracer in _tracers_in(reach)})


def leaked_tracers(traced: Sequence[tuple[str, Reach]]) -> list[Finding]:
    """Return a finding for each place where tracers stayed after the traces of functions.

    A place is a function's name and the path of the object that stores the tracers.

    Args:
        traced: The name of each traced function and its result of `reach_before`, in the order of the traces.
    """
    traced_names = {name for name, _ in traced}
    told_ids: set[int] = set()
    tracers_by_holder: dict[tuple[str, str], tuple[Reach, list[Any]]] = {}
    # The last trace comes first and takes its tracers: the function of an earlier trace may reach them, too.
    for name, reach in reversed(traced):
        for holder, tracer in _tracers_in(reach):
            if id(tracer) in told_ids or _was_there(tracer, reach.tracers):
                continue
            traced_name = _traced_name(tracer)
            if traced_name is None or (traced_name != name and traced_name in traced_names):
                continue  # the tracer comes from an operation outside of a jit, or from the trace of another function
            told_ids.add(id(tracer))
            tracers_by_holder.setdefault((name, holder), (reach, []))[1].append(tracer)
    return [
        _finding(name, reach, holder, tracers)
        for (name, holder), (reach, tracers) in reversed(tracers_by_holder.items())
    ]


def _traced_name(tracer: Any) -> str | None:
    try:
        return jitted_function_of(tracer)
    # a tracer of a library or of another JAX version may lack the attributes that are read here
    except not_of_a_signal(*FAILURES):
        return ""


def _was_there(tracer: Any, before: Held) -> bool:
    reference = before.get(id(tracer))
    return reference is not None and reference() is tracer


def _finding(name: str, reach: Reach, holder: str, tracers: Sequence[Any]) -> Finding:
    codes = [code for scope in reach.scopes for code in _codes(scope.code)]
    codes += [code for code in _codes_at(tracers[0]) if code not in codes]
    place = _place_of_write(codes, holder)
    types_text = ", ".join(dict.fromkeys(_tracer_text(tracer) for tracer in tracers[:5]))
    return Finding(
        kind="leaked_tracer",
        text=(
            f"{count(len(tracers), 'tracer')} ({types_text}) stayed in {holder} after the trace of {name}. A tracer "
            "stands for an array only during the trace, and has no value afterwards. "
            f"A later call changes {holder} only if JAX traces {name} again."
        ),
        cure=cure_of_leak(name, holder, codes, place),
        function=name,
        place=place,
    )


def _codes_at(tracer: Any) -> list[CodeType]:
    """Return the code of the user's functions that ran when JAX made a tracer, such as a method that stores it."""
    try:
        maker = maker_of(tracer)
        codes = [] if maker is None else list(maker.raw_frames()[0])
    # a tracer of a library or of another JAX version may lack what is read here
    except not_of_a_signal(*FAILURES):
        return []
    return [code for code in codes if type(code) is CodeType and not is_installed(file_of(code))]


# --- where the search begins ---


def _function_in(fun: Any) -> FunctionType | None:
    """Return the Python function that a callable, such as a jitted function, calls. None if there is none."""
    inner = unwrap(fun)
    if type(inner) is not FunctionType and is_class_of_users(type(inner)):
        inner = unwrap(defined(type(inner), "__call__"))
    return inner if type(inner) is FunctionType else None


def _object_of(fun: Any) -> Any:
    """Return the object of a bound method, or an object with `__call__`, in a callable such as jit(model.step).

    None without one.
    """
    for _ in range(50):
        if type(fun) is types.MethodType:
            return fun.__self__
        inner = next_inside(fun)
        if inner is None:
            return None if type(fun) is FunctionType else fun
        fun = inner
    return None


def _scopes(function: FunctionType) -> list[Scope]:
    """Return the scope of a function, and the scopes of the user's functions that its code names."""
    functions, scopes = [function], []
    for named in functions:  # the loop also visits the functions that its body appends
        scope = Scope(named.__code__, named.__globals__, weakref.ref(named))
        scopes.append(scope)
        for _, value in _named_values(scope):
            callee = unwrap(value) if callable(value) else None
            if type(callee) is not FunctionType or not is_users_code_of(callee):
                continue
            if len(functions) < _FUNCTIONS and all(callee is not known for known in functions):
                functions.append(callee)
    return scopes


def _named_values(scope: Scope) -> Iterator[tuple[str, Any]]:
    for code in _codes(scope.code):
        for name in code.co_names:
            if name in scope.names:
                yield name, scope.names[name]
    for name, cell in zip(scope.code.co_freevars, scope.cells, strict=False):
        try:
            yield name, cell.cell_contents
        except not_of_a_signal(ValueError):  # the variable of the closure has no value yet (an empty cell)
            continue


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


# --- the values of the names ---


def _tracers_in(reach: Reach) -> Iterator[tuple[str, Any]]:
    """Yield the tracers that a function can reach, with the path of the object that stores each, such as self.last."""
    search = _Search(frozenset(_literals(reach)))
    for scope in reach.scopes:
        for name, value in _named_values(scope):
            yield from search.below(name, value)
    for name, reference in reach.arguments.items():
        yield from search.below(name, reference())


def _literals(reach: Reach) -> Iterator[Any]:
    for scope in reach.scopes:
        for code in _codes(scope.code):
            yield from (constant for constant in code.co_consts if type(constant) in (str, int))


class _Element(NamedTuple):
    path: str
    holder: str  # the path of the object that stores the tracer; for an element of a list, the path of the list
    value: Any


_Kind = Literal["tracer", "mapping", "sequence", "set", "object", "class"]


class _Search:
    """Finds the tracers in the values of names; each object is visited once.

    Args:
        literals: The strings and integers in the user's code. A path shows a key of a dict only if the key is one of
            these: other keys are the user's data, which must not be in a saved note.
    """

    def __init__(self, literals: frozenset[Any]) -> None:
        self._literals = literals
        self._seen: set[int] = set()
        self._left = _ALL_ELEMENTS
        # The kinds of the classes met so far, by the id of the class: the hash of a class may run the user's code.
        self._kinds: dict[int, _Kind | None] = {}

    def below(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        """Yield the tracers in the value of a name, each with the path of the object that stores the tracer."""
        level, looked = [_Element(name, name, value)], 0
        for _ in range(_DEPTH):
            below: list[_Element] = []
            for path, holder, element in level:
                kind = self._kind_of(element)
                if kind is None or id(element) in self._seen:
                    continue
                self._seen.add(id(element))
                if kind == "tracer":
                    yield holder, element
                elif looked < _ELEMENTS and self._left > 0:
                    elements = list(self._elements(kind, path, element))
                    looked += len(elements)
                    self._left -= len(elements)
                    below += elements
            level = below

    def _kind_of(self, value: Any) -> _Kind | None:
        kind = type(value)
        if id(kind) in self._kinds:
            return self._kinds[id(kind)]
        if issubclass(kind, type):
            return "class" if is_class_of_users(value) else None
        found = self._kinds[id(kind)] = _kind(kind)
        return found

    def _elements(self, kind: _Kind, path: str, value: Any) -> Iterator[_Element]:
        if kind == "mapping":
            for key, element in itertools.islice(reversed(dict.items(value)), _IN_CONTAINER):
                is_written = type(key) in (str, int) and key in self._literals
                yield _Element(f"{path}[{_key_text(key) if is_written else '…'}]", path, element)
        elif kind == "sequence":
            for number, element in _numbered(value):
                yield _Element(f"{path}[{number}]", path, element)
        elif kind == "set":
            for _, element in _numbered(value):
                yield _Element(f"{path}[…]", path, element)
        else:
            for name, element in _attributes_of(value):
                yield _Element(f"{path}.{name}", f"{path}.{name}", element)


def _kind(kind: type) -> _Kind | None:
    if any(kind is plain for plain in _PLAIN):
        return None
    if is_tracer_type(kind):
        return "tracer"
    for base, name in _CONTAINERS.items():
        if issubclass(kind, base):
            return name
    return "object" if is_class_of_users(kind) else None


_PLAIN = frozenset({int, float, str, bool, bytes, complex, type(None), FunctionType, types.ModuleType})
_CONTAINERS: dict[Any, _Kind] = {
    dict: "mapping",
    list: "sequence",
    tuple: "sequence",
    deque: "sequence",
    set: "set",
    frozenset: "set",
}


def _key_text(key: Any) -> str:
    text = repr(key)
    return text if len(text) <= _KEY_LENGTH else "…"


def _numbered(container: Any) -> Iterator[tuple[int, Any]]:
    """Yield the newest elements of a container with their indices. A set has no order, so its indices mean nothing."""
    # The method of the builtin class is called, because a subclass may override it with the user's code.
    base = next(base for base in _CONTAINERS if issubclass(type(container), base))
    if base in (set, frozenset):
        return enumerate(itertools.islice(base.__iter__(container), _IN_CONTAINER))
    first = max(base.__len__(container) - _IN_CONTAINER, 0)
    if base is deque:
        return enumerate(list(itertools.islice(deque.__reversed__(container), _IN_CONTAINER))[::-1], first)
    return enumerate(base.__getitem__(container, slice(first, None)), first)


def _attributes_of(value: Any) -> list[tuple[str, Any]]:
    """Return the attributes that an object or a class stores."""
    if issubclass(type(value), type):
        stored: Mapping[Any, Any] = type.__dict__["__dict__"].__get__(value)
    else:
        member = attribute_of(value, "__dict__")
        attributes = member.__get__(value) if type(member) is types.GetSetDescriptorType else member
        stored = attributes if type(attributes) is dict else {}
    elements = itertools.islice(list(stored.items()), _IN_CONTAINER)
    return [(name, element) for name, element in elements if type(name) is str]


def _tracer_text(value: Any) -> str:
    try:
        return exact(value.aval.str_short(short_dtypes=True))
    except not_of_a_signal(*FAILURES):  # a tracer of a library may have no aval
        return kind_name(type(value))


# --- the line that stores the tracer ---

_LAST_NAME = re.compile(r"([^\W\d]\w*)((?:\[[^\]]*\])*)$")
_CHANGING = frozenset(
    ("append", "appendleft", "extend", "insert", "add", "update", "setdefault", "put", "__setitem__", "__setattr__")
)


_STORES_OF_ATTRIBUTE = frozenset({"STORE_ATTR"})
_STORES_OF_NAME = frozenset({"STORE_GLOBAL", "STORE_NAME", "STORE_DEREF"})


def _place_of_write(codes: Sequence[CodeType], holder: str) -> Place:
    """Return the line that most probably stores the tracer in `holder`.

    This is the last line that assigns to the name in `holder`. Without one, it is the first line that changes the named
    object by a method or an index, preferably with the key in `holder`. Without such a line, it is the first line that
    uses the name.
    """
    match = _LAST_NAME.search(holder)
    name, keys = (match[1], match[2]) if match is not None else (holder, "")
    stores = _STORES_OF_ATTRIBUTE if "." in holder else _STORES_OF_NAME
    places: dict[str, Place] = {}
    for code in codes:
        for line, instructions in _by_line(code):
            place = Place(file_of(code), line, function_of(code))
            operations = {
                instruction.opname
                for instruction in instructions
                if instruction.argval == name and "_FAST" not in instruction.opname
            }
            if not operations.isdisjoint(stores):
                places["assigned"] = place
            elif operations:
                places.setdefault("used", place)
                if any(map(_changes, instructions)):
                    places.setdefault("changed", place)
                    if keys and any(f"[{_key_text(instruction.argval)}]" in keys for instruction in instructions):
                        places.setdefault("keyed", place)
    for kind in ("assigned", "keyed", "changed", "used"):
        if kind in places:
            return places[kind]
    return Place(file_of(codes[0]), codes[0].co_firstlineno, function_of(codes[0]))


def _by_line(code: CodeType) -> Iterable[tuple[int, list[dis.Instruction]]]:
    by_line: dict[int, list[dis.Instruction]] = {}
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        position = instruction.positions
        line = position.lineno if position is not None and position.lineno is not None else line
        by_line.setdefault(line, []).append(instruction)
    return by_line.items()


def _changes(instruction: dis.Instruction) -> bool:
    if instruction.opname.startswith("STORE_SUBSCR"):
        return True
    return type(instruction.argval) is str and instruction.argval in _CHANGING
