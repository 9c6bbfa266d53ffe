"""Records the values that a function object reads from outside of its arguments, to compare two function objects.

Suppose that a function was defined again because it reads a variable `i`, which changed. The advice "define the
function once" would be wrong: `i` must become an argument. So the values are recorded at the first miss of a function
object, and compared with the values of the previous object.
"""

from __future__ import annotations

import collections
import dis
import functools
import sys
import types
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted, partial_of
from ...plain_text import FAILURES, exact, file_of, kind_name, own_name
from ..functions.default_values import default_values
from ..functions.function_inside_wrappers import code_of, unwrap, without_lines
from ..outside_values.changes_since_trace import ValueRead, values_read
from ..outside_values.kept_contents import Contents, contents_of
from ..outside_values.value_at_path import Variable
from ..reprs_of_users_values import NOTHING_CALLED, Reading
from ..user_or_library.whose_code import is_class_of_users, is_installed
from .static_values import is_plain
from .values_of_the_machine import is_of_the_machine

_NAMES = 64
_DEPTH = 3
_SAME_ANYWHERE = (types.ModuleType, type, types.BuiltinFunctionType)
_CONTAINERS = (list, dict, set)
_WITH_PARTS = (*_CONTAINERS, tuple, frozenset, collections.deque, types.MappingProxyType)
_FUNCTIONS = (FunctionType, types.MethodType, functools.partial)
_FUNCTION_KINDS = frozenset({"function", "method", "partial", "builtin_function_or_method", "PjitFunction", "ufunc"})
_SIZED = (str, bytes, tuple, frozenset)
_LONG = 256


class Outside(NamedTuple):
    """A value that a function reads from outside of its arguments; the record keeps no array alive.

    Attributes:
        text: the text of a number, a string or another plain value; None for other objects.
        kind: the name of the value's class; `array` for a JAX array.
        value: the value if it is a number, a string or a tuple of these; for a long one, its hash.
        reference: a weak reference to an object; None if the class allows none.
        code: the code of a function of the user's.
        inside: name -> value, for the values that a user function itself reads from outside.
        fixed: true for a JAX array and for a jitted function, which never change in place.
        aval: the aval of a JAX array.
        is_default: true if the value is the default value of a parameter.
        contents: the contents of a number, a string or a NumPy array that the function reads through a path, such as
            `config["rate"]`.
        is_path: true if the name is a path that the function, or a function that it calls, reads.
        is_of_method: true if the path begins with a parameter of a called method, such as `self`.
        may_change: for a path: the name of an object or a path whose contents code can change in place; else None.
    """

    text: str | None
    kind: str
    value: Any
    reference: weakref.ref[Any] | None
    code: CodeType | None = None
    inside: Mapping[str, Outside] | None = None
    fixed: bool = False
    aval: Any = None
    is_default: bool = False
    contents: Contents | None = None
    is_path: bool = False
    is_of_method: bool = False
    may_change: str | None = None

    @property
    def is_nan(self) -> bool:
        """True if the value is NaN; NaN does not equal itself."""
        return self.kind in ("float", "complex") and bool(self.value != self.value)

    @property
    def is_function(self) -> bool:
        """True if the value is a function, a method or a partial."""
        return self.code is not None or self.kind in _FUNCTION_KINDS

    @property
    def is_object(self) -> bool:
        """True if the value is neither an array nor plain nor a function."""
        is_array = self.kind in ("array", "ndarray")
        return not is_array and self.text is None and self.contents is None and not self.is_function

    def described(self) -> str:
        """Return the text of the value; for an object, its class name, such as <Config>."""
        return self.text if self.text is not None else f"<{self.kind}>"

    def with_text(self) -> Outside:
        """Return the value with the text of its contents."""
        return self if self.text is not None or self.contents is None else self._replace(text=self.contents.text)


class FunctionReads(NamedTuple):
    """The code of a user function, and the values that the code reads from outside of its arguments.

    Attributes:
        code: the code object, with line numbers removed; None for a partial of a package's function.
    """

    code: CodeType | None
    outside: Mapping[str, Outside]

    def has_code_of(self, other: FunctionReads) -> bool:
        """Return whether two functions have equal code; line numbers do not count."""
        return self.code == other.code


def function_reads(fun: Any, reading: Reading) -> FunctionReads | None:
    """Return the code and the outside values of a function; None for code of a package.

    The arguments that a partial binds count as outside values.

    Args:
        fun: The function, the method or the partial.
        reading: Says which methods of the user's objects may be called.
    """
    code = code_of(fun)
    is_users = code is not None and not is_installed(file_of(code))
    if not is_users and type(fun) is not functools.partial:
        return None
    outside = dict(values_outside(fun, reading))
    if type(fun) is types.MethodType:
        outside.update({name: _outside(value, reading, _DEPTH, set()) for name, value in _attributes(fun.__self__)})
    if type(fun) is functools.partial:
        bound = partial_of(fun)
        values = {f"argument {number}": value for number, value in enumerate(bound.args, 1)}
        values.update({exact(name): value for name, value in bound.keywords.items()})
        outside.update({name: _outside(value, reading, _DEPTH, set()) for name, value in values.items()})
    return FunctionReads(without_lines(code) if code is not None else None, outside)


def values_outside(fun: Any, reading: Reading) -> Mapping[str, Outside]:
    """Return {name: value} for the enclosing variables, globals and default values that a user function reads.

    Args:
        fun: The jitted function, or the body of a construct.
        reading: Says which methods of the user's objects may be called.
    """
    values = dict(_read(fun, reading, _DEPTH, set()))
    for value in values_read(fun):
        name, of_path = value.name, _of_path(value)
        if of_path is None:
            continue
        if name not in values:
            values[name] = of_path._replace(is_path=True, is_of_method=value.read.is_parameter)
        elif values[name].text is None and of_path.contents is not None:
            values[name] = values[name]._replace(contents=of_path.contents)
    return values


def _of_path(value_read: ValueRead) -> Outside | None:
    """Return the record of the value of a path.

    Of an object that can change, the record has nothing but the name. Return None for a function, a module or a class.
    """
    read, value = value_read.read, value_read.value
    may_change = _may_change(value_read)
    if read.method is None and (is_plain(value) or _is_array(value)):
        return _outside(value, NOTHING_CALLED, 0, set())._replace(may_change=may_change)
    # the contents of a large container would take long to read, and the function may read only a part of them
    is_container = issubclass(type(value), _WITH_PARTS)
    contents = contents_of(value) if read.method is None and not is_container else None
    if contents is None or contents.reference is not None:
        return None if may_change is None else Outside(None, kind_name(type(value)), None, None, may_change=may_change)
    return Outside(None, contents.kind, None, None, contents=contents, may_change=may_change)


def _may_change(value_read: ValueRead) -> str | None:
    """Return the name of the value that code can change in place, and from which a function reads; None if none."""
    read, root, value = value_read.read, value_read.root, value_read.value
    if read.is_parameter:
        return None
    called = value
    if type(value) is types.ModuleType and read.method is not None:
        called = vars(value).get(read.method)
    if not is_plain(called) and is_of_the_machine(called):
        name = read.name if called is value else f"{read.name}.{read.method}"
        return f"{name}()" if type(called) in (*_FUNCTIONS, types.BuiltinFunctionType) else name
    if type(value) is Variable:
        return read._replace(steps=read.steps[:-1]).name
    kind = type(root)
    if is_plain(root) or is_jitted(root) or _is_of_jax(kind) or kind is types.BuiltinFunctionType:
        return None
    if kind not in _FUNCTIONS and not issubclass(kind, (types.ModuleType, type)):
        return read.root
    is_users = kind is FunctionType
    if kind is types.ModuleType:
        is_users = not _is_of_package(root)
    elif issubclass(kind, type):
        is_users = is_class_of_users(root)
    is_code = type(value) in _FUNCTIONS or issubclass(type(value), _SAME_ANYWHERE) or is_jitted(value)
    return read.name if read.steps and is_users and not is_code else None


def _is_of_jax(kind: type) -> bool:
    """Return whether a class is JAX's; JAX's objects do not change, and its arrays are compared by identity."""
    return (own_name(kind, "__module__") or "").partition(".")[0] in ("jax", "jaxlib")


def _is_of_package(module: types.ModuleType) -> bool:
    file = vars(module).get("__file__")
    return type(file) is str and is_installed(file) or vars(module).get("__name__") in sys.builtin_module_names


def _read(fun: Any, reading: Reading, depth: int, visited: set[int]) -> Mapping[str, Outside]:
    inner = unwrap(fun)
    names = named_values if type(inner) is FunctionType else _attributes
    code = code_of(inner)
    if code is None or id(inner) in visited or is_installed(file_of(code)):
        return {}
    visited.add(id(inner))
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values: dict[str, Outside] = {}
    for name, value in names(inner):
        if len(values) >= _NAMES:
            break
        if name not in values and not issubclass(type(value), _SAME_ANYWHERE):
            values[name] = _outside(value, reading, depth, visited)._replace(is_default=name in parameters)
    return values


def kept_values(names: Iterable[str], outside: Mapping[str, Outside]) -> list[str]:
    """Return the names among `names` whose values are arrays or plain values.

    Plain values are numbers, strings, bytes, None, and tuples of these.

    Args:
        names: The names of the variables that a function reads from enclosing functions.
        outside: The values that the function reads from outside of its arguments.
    """
    read = {name: outside[name] for name in names if name in outside}
    return [name for name, value in read.items() if value.text is not None or value.kind == "array"]


def _outside(value: Any, reading: Reading, depth: int, visited: set[int]) -> Outside:
    kind = "array" if _is_array(value) else kind_name(type(value))
    if is_plain(value):
        long = type(value) in _SIZED and len(value) > _LONG
        # for a long string or tuple, the record keeps only the hash
        return Outside(reading.text(value), kind, hash(value) if long else value, None)
    if type(value) in _CONTAINERS:
        # a container can change in place and allows no weak reference: neither is kept
        return Outside(None, kind, None, None)
    is_of_jax = _is_of_jax(type(value))
    inner = unwrap(value) if type(value) in _FUNCTIONS or is_jitted(value) or is_of_jax else None
    users_function = inner if type(inner) is FunctionType and not is_installed(file_of(inner.__code__)) else None
    inside = _read(users_function, reading, depth - 1, visited) if users_function is not None and depth else None
    try:
        reference = weakref.ref(value)
    except TypeError:
        reference = None
    code = None if users_function is None or inside is None else users_function.__code__
    aval = getattr(value, "aval", None) if kind == "array" else None
    fixed = kind == "array" or is_jitted(value) or (is_of_jax and code is None)
    return Outside(None, kind, None, reference, code, inside, fixed, aval)


def _is_array(value: Any) -> bool:
    import jax

    return issubclass(type(value), jax.Array)


def named_values(fun: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) for everything that a function reads by name from outside, default values included."""
    for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except not_of_a_signal(ValueError):  # the closure cell is empty: its variable has no value yet
            continue
    yield from default_values(fun).items()
    for name in _globals_read(fun.__code__):
        if name in fun.__globals__:
            yield name, fun.__globals__[name]


def _attributes(called: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) for the attributes of a callable object of a user class, without running properties."""
    try:
        attributes = object.__getattribute__(called, "__dict__")
    except AttributeError:
        return
    if type(attributes) is dict:
        for name, value in attributes.items():
            yield f"self.{exact(name)}", value


@functools.lru_cache(maxsize=256)
def _globals_read(code: CodeType) -> Sequence[str]:
    """Return the global names that a code object and its inner functions read.

    `co_names` is not used, because it also contains attribute names.
    """
    try:
        instructions = [
            instruction
            for instruction in dis.get_instructions(code)
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        ]
    except not_of_a_signal(*FAILURES):  # `dis` cannot read bytecode that a tool other than Python's compiler made
        return ()
    names = dict.fromkeys(instruction.argval for instruction in instructions)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            names.update(dict.fromkeys(_globals_read(constant)))
    return tuple(names)
