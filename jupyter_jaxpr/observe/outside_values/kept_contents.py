"""Keeps just enough of a value to find out later whether the value has changed.

A number or a string itself is kept. Of a NumPy array a checksum is kept. Of a JAX array a weak reference is kept: a
program that captured the array as a constant keeps the array alive. Python containers are read completely, up to a
limit. Objects of the user's classes are not read, because only the user's `__eq__` can say whether two of them are
equal.
"""

from __future__ import annotations

import collections
import enum
import sys
import time
import types
import weakref
import zlib
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, Final, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.dispatch_types import base_array
from ...plain_text import FAILURES, defined, exact, file_of, kind_name, own_name
from ..functions.function_inside_wrappers import same_code, unwrap
from ..reprs_of_users_values import NOTHING_CALLED
from ..user_or_library.whose_code import is_installed

TEXT: Final = 80
"""The length of the longest text of a value, in characters."""

_PARTS = 256
_DEPTH = 4
_LONG = 256
_SHOWN = 8
# the size in bytes of the largest array that is read completely; of a larger array, a sample of the elements is read
_READ = 256 * 1024
_SAMPLE = 4_096
_BYTES = sys.maxsize
# how many bytes of array data are read of one static object at each miss; reading them takes about 3 ms
_BYTES_OF_OBJECT = 2 * 1024 * 1024
# the size in bytes of the largest array that is copied from an accelerator to the host for a comparison
_FETCHED = 4 * 1024 * 1024
_WAIT = 0.05  # the seconds to wait for the elements of an array that JAX has not computed yet

_SCALARS = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range})
_DICTS: frozenset[type] = frozenset({dict, collections.OrderedDict, collections.defaultdict, types.MappingProxyType})
_ROWS: frozenset[type] = frozenset({list, tuple, collections.deque})
_SETS: frozenset[type] = frozenset({set, frozenset})


class Contents(NamedTuple):
    """The contents of a value at one time.

    Attributes:
        kind: The name of the value's class; `Array` for a JAX array.
        text: The value as text on one line.
        mark: A value for comparisons, which is equal for equal contents; None if `reference` or `parts` are compared.
        parts: For a container: the Python expression of a part, such as [0] or .rate -> the contents of the part.
        reference: A weak reference to the value if it is a JAX array, a function or a class; else None.
        code: The code of the value if it is a function of the user's; else None.
    """

    kind: str
    text: str
    mark: Any = None
    parts: Mapping[str, Contents | None] | None = None
    reference: weakref.ref[Any] | None = None
    code: CodeType | None = None


class Difference(NamedTuple):
    """The first part of a value that differs between two times.

    Attributes:
        path: The Python expression of the part, such as [0] or .rate; empty if the whole value differs.
        before: The earlier contents of the part.
        after: The later contents of the part.
    """

    path: str
    before: Contents
    after: Contents


def contents_of(value: Any) -> Contents | None:
    """Return the contents of a value; None for an object of a user class, which only the user's code can compare."""
    return _contents(value, _DEPTH, [_PARTS, _BYTES])


def difference(before: Contents | None, after: Contents | None) -> Difference | None:
    """Return the first part that certainly differs; None if no part differs or if this is unknown."""
    if before is None or after is None:
        return None
    if before.parts is not None and after.parts is not None and before.kind == after.kind:
        if before.parts.keys() == after.parts.keys():
            differences = ((name, difference(part, after.parts[name])) for name, part in before.parts.items())
            for name, inner in differences:
                if inner is not None:
                    return Difference(name + inner.path, inner.before, inner.after)
            return None
        return Difference("", before, after)
    return Difference("", before, after) if _is_other(before, after) else None


class _Plain:
    """An empty class, which shows the descriptor that Python itself makes for `__dict__`: it runs no user code."""


_DICT = vars(_Plain)["__dict__"]
_DICT_TYPE = type(_DICT)


def attributes_of(value: Any) -> Contents | None:
    """Return the attributes of a user's object as `Contents`; None if reading the attributes would run user code."""
    if any(type(vars(base).get("__dict__", _DICT)) is not _DICT_TYPE for base in type.mro(type(value))):
        return None  # the user's class defines `__dict__` as a property, which must not run
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    if type(attributes) is not dict or len(attributes) > _PARTS or not all(type(name) is str for name in attributes):
        return None
    left = [_PARTS - len(attributes), _BYTES_OF_OBJECT]
    parts = {f".{exact(name)}": _contents(part, _DEPTH, left) for name, part in attributes.items()}
    return Contents(kind_name(type(value)), "", None, parts)


def are_surely_equal(before: Contents | None, after: Contents | None) -> bool:
    """Return whether both values were read completely and have the same contents."""
    if before is None or after is None or before.kind != after.kind:
        return False
    if before.parts is not None and after.parts is not None:
        same_parts = before.parts.keys() == after.parts.keys()
        return same_parts and all(are_surely_equal(part, after.parts[name]) for name, part in before.parts.items())
    if before.kind == "Array" or before.code is not None or before.reference is not None:
        # Functions with equal code may read different globals, and JAX must not compare arrays here: both count as
        # equal only if they are the same object.
        earlier = before.reference() if before.reference is not None else None
        later = after.reference() if after.reference is not None else None
        return earlier is not None and earlier is later
    return difference(before, after) is None


def holds_array(contents: Contents | None) -> bool:
    """Return whether a value is a JAX array or a container with a JAX array."""
    if contents is None:
        return False
    return contents.kind == "Array" or any(map(holds_array, (contents.parts or {}).values()))


def is_ready(contents: Contents | None) -> bool:
    """Return whether reading the elements of a JAX array, or of the JAX arrays in a container, waits for nothing."""
    if contents is None:
        return True
    array = contents.reference() if contents.kind == "Array" and contents.reference is not None else None
    if array is None:
        return all(map(is_ready, (contents.parts or {}).values()))
    try:
        return bool(array.is_ready()) and all(device.platform == "cpu" for device in array.devices())
    except not_of_a_signal(*FAILURES):
        return False


def is_mutable(contents: Contents | None) -> bool:
    """Return whether code can change the value, or a value inside it, in place."""
    return contents is not None and (contents.parts is not None or contents.kind == "ndarray")


def _is_other(before: Contents, after: Contents) -> bool:
    if before.kind == after.kind == "Array":
        return _is_other_array(before, after)
    if before.kind != after.kind:
        return True
    if before.code is not None and after.code is not None:
        return not same_code(before.code, after.code)
    if before.reference is not None and after.reference is not None:
        earlier, later = before.reference(), after.reference()
        return earlier is not None and later is not None and earlier is not later and before.text != after.text
    return bool(before.mark != after.mark)


# --- the contents of each kind of value ---


def _contents(value: Any, depth: int, left: list[int]) -> Contents | None:
    import jax
    import numpy as np

    kind = type(value)
    if kind in _SCALARS:
        return _scalar(value)
    if kind is np.ndarray:
        return _numpy_array(value, left)
    if issubclass(kind, np.generic) and kind.__module__ == "numpy":
        return Contents(kind_name(kind), _text_of_scalar(value), (value.dtype.str, value.tobytes()))
    if issubclass(kind, jax.Array):
        return _array(value)
    if kind in _DICTS or kind in _ROWS or kind in _SETS or _is_named_tuple(kind):
        return _container(value, depth, left)
    if issubclass(kind, np.dtype):
        return Contents("dtype", exact(f"dtype({value.name!r})", TEXT), value.str)
    if issubclass(type(kind), type) and issubclass(kind, enum.Enum):
        return _member(value)
    return _named(value)


def _scalar(value: Any) -> Contents:
    kind = type(value)
    text = repr(value) if kind is range else NOTHING_CALLED.text(value, TEXT)
    if kind in (str, bytes) and len(value) > _LONG:
        return Contents(kind_name(kind), text, (len(value), hash(value)))
    if kind in (float, complex) and value != value:  # NaN does not equal itself, so the repr is compared
        return Contents(kind_name(kind), text, repr(value))
    return Contents(kind_name(kind), text, value)


def _text_of_scalar(value: Any) -> str:
    kind = kind_name(type(value))
    try:
        return exact(f"np.{kind}({value.item()!r})", TEXT)
    except not_of_a_signal(*FAILURES):
        return f"<np.{kind}>"


def _numpy_array(array: Any, left: list[int]) -> Contents | None:
    # The elements of a sample lie far apart in memory: reading a sample takes as long as reading an array of half the
    # size limit.
    left[1] -= array.nbytes if array.nbytes <= _READ else _READ // 2
    if array.dtype.hasobject or left[1] < 0:
        return None
    text = _text_of_array("array", array, array.dtype, array.shape)
    return Contents("ndarray", text, (array.dtype.str, array.shape, _checksum(array)))


def _checksum(array: Any) -> int:
    """Return a checksum of all elements of an array; of a large array, only a sample of the elements is read."""
    import numpy as np

    numbers = array if array.nbytes <= _READ else array.flat[:: max(1, array.size // _SAMPLE)]
    return zlib.crc32(np.ascontiguousarray(numbers).tobytes())


def _text_of_array(name: str, numbers: Any, dtype: Any, shape: Any) -> str:
    """Return the text of an array: of a short array all elements, of a long array the first elements and the shape."""
    if numbers is None or dtype.kind == "V":
        return exact(f"{name} of shape {shape} and dtype {dtype.name}", TEXT)
    if numbers.size <= _SHOWN:
        text = f"{name}({numbers.tolist()!r}, dtype={dtype.name})"
        if len(text) <= TEXT:
            return text
    first = ", ".join(repr(number) for number in numbers.flat[:2].tolist())
    return exact(f"{name}([{first}, ...], shape={shape}, dtype={dtype.name})", TEXT)


def _array(array: Any) -> Contents | None:
    import jax

    try:
        if isinstance(array, jax.core.Tracer) or array.is_deleted():
            return None
        reference = weakref.ref(array)
        dtype, shape = array.dtype, tuple(array.shape)
    except not_of_a_signal(*FAILURES):
        return None
    return Contents(
        "Array", exact(f"Array of shape {shape} and dtype {dtype.name}", TEXT), (dtype, shape), None, reference
    )


def array_text(contents: Contents) -> str:
    """Return the text of a value.

    For a short JAX array that still exists, the text has the elements, which are read now.
    """
    array = contents.reference() if contents.kind == "Array" and contents.reference is not None else None
    # the integers inside a random key have no meaning for the user
    if array is None or array.size > _SHOWN or base_array(array) is not None:
        return contents.text
    numbers = _numbers(array)
    return contents.text if numbers is None else _text_of_array("Array", numbers, array.dtype, tuple(array.shape))


def _is_other_array(before: Contents, after: Contents) -> bool:
    if before.mark != after.mark:
        return True
    earlier = before.reference() if before.reference is not None else None
    later = after.reference() if after.reference is not None else None
    if earlier is None or later is None or earlier is later:
        return False
    numbers, later_numbers = _numbers(earlier), _numbers(later)
    if numbers is None or later_numbers is None:
        return False
    return _checksum(numbers) != _checksum(later_numbers) and not _are_equal(numbers, later_numbers)


def _are_equal(numbers: Any, later_numbers: Any) -> bool:
    """Return whether all elements are equal; 0.0 equals -0.0, and NaN counts as equal to NaN."""
    import numpy as np

    if numbers.nbytes > _READ:
        step = max(1, numbers.size // _SAMPLE)
        numbers, later_numbers = numbers.flat[::step], later_numbers.flat[::step]
    return bool(np.all((numbers == later_numbers) | ((numbers != numbers) & (later_numbers != later_numbers))))


def _numbers(array: Any) -> Any:
    """Return the elements of a JAX array.

    Return None if they are on another device and too large to copy, or if JAX still computes them. A second object over
    the same memory is read, because JAX would keep a copy of the elements in the first object.
    """
    import numpy as np

    try:
        keys = base_array(array)  # NumPy does not know the dtype of a `jax.random` key, so its integer array is read
        array = array if keys is None else keys
        if not isinstance(array.dtype, np.dtype) or array.is_deleted() or not array.is_fully_replicated:
            return None
        if array.nbytes > _FETCHED and any(device.platform != "cpu" for device in array.devices()):
            return None
        until = time.perf_counter() + _WAIT
        while not array.is_ready():
            if time.perf_counter() > until:
                return None
            time.sleep(0.001)  # JAX cannot wait with a time limit, so a loop asks again and again
        return np.asarray(array.addressable_data(0))
    except not_of_a_signal(*FAILURES):
        return None


def _container(value: Any, depth: int, left: list[int]) -> Contents | None:
    kind = type(value)
    if kind not in _SETS and (len(value) > left[0] or not depth):
        return None  # the container is too large, and making its text would take long
    name = kind_name(kind)
    text = NOTHING_CALLED.text(dict(value) if kind in _DICTS and kind is not dict else value, TEXT)
    if kind in _SETS:
        if len(value) > _PARTS or not all(type(member) in _SCALARS for member in value):
            return None
        return Contents(name, text, frozenset((type(member), member) for member in value))
    left[0] -= len(value)
    parts: dict[str, Contents | None] = {}
    for key, part in _parts(value):
        parts[key] = _contents(part, depth - 1, left)
    return Contents(name, text, None, parts)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    kind = type(value)
    if kind in _DICTS:
        for key, part in list(value.items()):
            # A dict key that is an object appears as the name of its class: comparing two objects would run user code.
            yield (
                (f"[{NOTHING_CALLED.text(key, TEXT)}]" if type(key) in _SCALARS else f"[<{kind_name(type(key))}>]"),
                part,
            )
    elif kind in _ROWS:
        for place, part in enumerate(list(value)):
            yield f"[{place}]", part
    else:
        for name, part in zip(defined(kind, "_fields"), tuple.__iter__(value), strict=False):
            yield f".{exact(name)}", part


def _is_named_tuple(kind: type) -> bool:
    fields = defined(kind, "_fields")
    return (
        issubclass(kind, tuple)
        and type(fields) is tuple
        and defined(kind, "__getattribute__") is object.__getattribute__
        and all(type(name) is str for name in fields)
    )


def _member(value: Any) -> Contents | None:
    """Return the contents of an enum member, which consist of its name."""
    kind = type(value)
    try:
        name = object.__getattribute__(value, "__dict__")["_name_"]
    except (AttributeError, KeyError):
        return None
    if type(name) is not str:
        return None
    return Contents(kind_name(kind), exact(f"{kind_name(kind)}.{name}", TEXT), name)


def _named(value: Any) -> Contents | None:
    """Return the contents of a function, or of a library class such as jnp.float32; None for other values."""
    kind = type(value)
    is_of_library = (own_name(kind, "__module__") or "").partition(".")[0] in _LIBRARIES
    if kind is types.ModuleType or not is_of_library or not callable(value):
        return None
    inner = unwrap(value)
    if type(inner) is FunctionType and not is_installed(file_of(inner.__code__)):
        return Contents("function", _name_text(inner), None, None, weakref.ref(inner), inner.__code__)
    if issubclass(kind, type) and (own_name(value, "__module__") or "").partition(".")[0] not in _LIBRARIES:
        return None  # two classes of the user's cannot be compared
    try:
        return Contents("function", _name_text(value), None, None, weakref.ref(value))
    except TypeError:
        return None


_LIBRARIES = frozenset({"builtins", "functools", "jax", "jaxlib", "ml_dtypes", "numpy"})


def _name_text(value: Any) -> str:
    name = own_name(value, "__qualname__") or own_name(value)
    return exact(name if name is not None else f"<{kind_name(type(value))}>", TEXT)
