"""Makes a plain `str` of limited length for any object of the user; never raises.

A name, a file name, a key or a printed value of the user may be an instance of a subclass of `str`, may be very long,
or its `__str__` may raise. The functions here return a string that can safely be joined, cut, hashed, compared and
encoded.

- `exact`, `kind_name`, `own_name`, `file_of`, `attribute_of` run no user code.
- `text_of` and `error_text` print an object, which may call its class's `__str__` and `__repr__`.
"""

from __future__ import annotations

import inspect
import traceback
import types
from types import CodeType, FunctionType
from typing import Any, Final

from .interruptions import not_of_a_signal


class Limit:
    """The most characters of each kind of text.

    Attributes:
        NAME: the name of a function, a class, a parameter, a primitive or an axis.
        FILE: the path of a file; Linux opens no longer path.
        VALUE: The text of a static value.
        PATH: The path of a leaf, such as p['w'].
        PARAMETER: the text of a parameter of an equation.
        POOLED: any text of a program, such as layer/jvp().
        PRINTED: the output of a traced function, or a traceback.
        REASON: the reason why an object could not be described.
        ERROR: the text of an error of the user's code.
    """

    NAME: Final = 200
    FILE: Final = 4_096
    VALUE: Final = 60
    PATH: Final = 300
    PARAMETER: Final = 300
    POOLED: Final = 1_000
    TYPE: Final = 300
    PRINTED: Final = 20_000
    REASON: Final = 300
    ERROR: Final = 4_000


#: The beginning of the text that replaces an object which cannot be described; the reason follows these words.
COULD_NOT = "could not be described"

#: Errors that the `repr` of a user's object may raise. KeyboardInterrupt is not included, so that it stops the cell.
FAILURES: Final = (Exception, SystemExit, GeneratorExit)

_NAMES_OF_TYPES: Final[dict[str, Any]] = {
    name: type.__dict__[name].__get__ for name in ("__name__", "__qualname__", "__module__")
}
_MRO_OF: Final[Any] = type.__dict__["__mro__"].__get__
_STORED_IN: Final[Any] = type.__dict__["__dict__"].__get__


def exact(text: str, limit: int = Limit.NAME) -> str:
    """Return a text as a plain `str`, cut to a length.

    `text` may be an instance of a subclass, whose methods are not called.
    """
    if type(text) is not str:
        # slicing an instance of a subclass by `str.__getitem__` gives a plain `str`
        text = str.__getitem__(text, slice(limit + 1))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def quoted(text: str, limit: int = Limit.REASON) -> str:
    """Return a text from a document on one line, short enough to be quoted in a sentence.

    A file may contain any text.
    """
    return exact(" ".join(text.split()), limit)


def kind_name(kind: type, attribute: str = "__name__") -> str:
    """Return the name of a class without running code of its metaclass."""
    name = _NAMES_OF_TYPES[attribute](kind)
    return name if type(name) is str and len(name) <= Limit.NAME else exact(name)


def mro_of(kind: type) -> tuple[type, ...]:
    """Return the method resolution order of a class without running code of its metaclass."""
    kinds: tuple[type, ...] = _MRO_OF(kind)
    return kinds


def defined(kind: type, name: str) -> Any:
    """Return the attribute that a class stores or inherits under a name; None if there is none."""
    for kind_of_base in mro_of(kind):
        stored = _STORED_IN(kind_of_base)
        if name in stored:
            return stored[name]
    return None


def attribute_of(value: Any, name: str) -> Any:
    """Return the attribute that an object or its class stores; None if there is none.

    A property is returned as the property object.
    """
    try:
        return inspect.getattr_static(value, name, None)
    except not_of_a_signal(*FAILURES):  # a class of the user's may hide how its attributes are stored
        return None


def own_name(value: Any, attribute: str = "__name__") -> str | None:
    """Return the name stored in a function, class or other callable; None if it is no string or is a property."""
    kind = type(value)
    name: Any
    if kind is FunctionType or kind in _BUILT_IN:
        name = getattr(value, attribute, None)
    elif issubclass(kind, type):
        name = _NAMES_OF_TYPES[attribute](value)
    elif kind is types.MethodType:
        return own_name(value.__func__, attribute)
    else:
        name = attribute_of(value, attribute)
    return exact(name) if issubclass(type(name), str) else None


_BUILT_IN = frozenset({types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType})


def file_of(code: CodeType) -> str:
    """Return the file name in a code object, as a plain `str`."""
    file = code.co_filename
    return file if type(file) is str else exact(file, Limit.FILE)


def function_of(code: CodeType) -> str:
    """Return the qualified name in a code object, as a plain `str`."""
    name = code.co_qualname
    return name if type(name) is str else exact(name)


def text_of(value: Any, limit: int = Limit.NAME) -> str:
    """Return the `str` of an object, cut to a length; if `str` raises, the class name and the reason."""
    if type(value) is str:
        return value if len(value) <= limit else exact(value, limit)
    try:
        return exact(str(value), limit)
    except not_of_a_signal(*FAILURES) as error:
        return unreadable(value, error, limit)


def repr_of(value: Any, limit: int = Limit.NAME) -> str:
    """Return the `repr` of an object, cut to a length; if `repr` raises, the class name and the reason."""
    try:
        if type(value) is str and len(value) > limit:  # the repr of a long string is slow, so the string is cut first
            value = value[: limit + 1]
        return exact(repr(value), limit)
    except not_of_a_signal(*FAILURES) as error:
        return unreadable(value, error, limit)


def unreadable(value: Any, error: BaseException, limit: int = Limit.NAME) -> str:
    """Return the text that replaces an object which cannot be described: its class name and the reason."""
    return exact(f"<{kind_name(type(value))}: {could_not(error)}>", limit)


def could_not(error: BaseException) -> str:
    """Return a text which says that something could not be described, with the reason."""
    return f"{COULD_NOT}, {error_text(error, Limit.REASON)}"


def message_of(error: BaseException, limit: int = Limit.ERROR) -> str:
    """Return the message of an error; '' if the error cannot print it."""
    try:
        return exact(str(error), limit)
    except not_of_a_signal(*FAILURES):
        return ""


def error_text(error: BaseException, limit: int = Limit.ERROR) -> str:
    """Return the class and the message of an error on one line, such as ValueError: no such axis."""
    kind, message = kind_name(type(error)), " ".join(message_of(error, limit).split())
    return exact(f"{kind}: {message}" if message else kind, limit)


def error_lines(error: BaseException) -> str:
    """Return the last lines of a traceback: the class of the error, its message and its notes."""
    try:
        return exact("".join(traceback.format_exception_only(error)).strip(), Limit.ERROR)
    except not_of_a_signal(*FAILURES):
        return error_text(error)


def traceback_text(error: BaseException) -> str:
    """Return the traceback of an error as text; of a long one, only the end."""
    try:
        text = "".join(traceback.format_exception(error))
    except not_of_a_signal(*FAILURES):
        text = error_text(error)
    return text if len(text) <= Limit.PRINTED else "…" + text[1 - Limit.PRINTED :]
