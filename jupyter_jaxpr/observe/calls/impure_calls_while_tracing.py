"""Records calls of clocks, random generators and file functions that the user's code makes while JAX traces.

Python reports the called object itself, so a user function named `time` is not mistaken for Python's `time`. Calls in a
callback of JAX are not recorded, because the callback runs again with the program. Python 3.11 does not report calls,
so nothing is recorded on Python 3.11.
"""

from __future__ import annotations

import dis
import io
import itertools
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, file_of, function_of, kind_name
from ..observation import Place
from .kinds_of_impure_functions import (
    OF_NOW,
    Kind,
    generator_of_numpy,
    generator_of_random,
    generator_types,
    impure_source,
    method_name,
    receiver_of,
)

_MOST = 50


class ImpureCall(NamedTuple):
    """A call that runs only while JAX traces a function: a later call that hits the cache does not repeat it.

    Attributes:
        function: the name of the traced function.
        name: the name of the called function, such as `time.time`.
    """

    function: str
    name: str
    kind: Kind
    place: Place


class ImpureCalls:
    """Collects the first call of each clock, random or file function in each traced function.

    Args:
        traced: Returns the name of the function that JAX traces at present, or None.
        body: Returns the title of the construct outside of jit whose body JAX traces at present, or None. The text that
            `print` writes in such a body is not recorded, so the call of `print` is.
        fail: Receives an error of this package.
    """

    def __init__(
        self,
        traced: Callable[[], str | None],
        body: Callable[[], str | None],
        fail: Callable[[BaseException], None],
    ) -> None:
        self._traced = traced
        self._body = body
        self._fail = fail
        self._seeded: set[tuple[str, str]] = set()
        self.calls: dict[tuple[str, str], ImpureCall] = {}

    def called(self, code: CodeType, offset: int, called: Any, first: Any) -> None:
        """Record a call in the user's code if its result can differ from call to call.

        Args:
            code: The code that contains the call.
            offset: The offset of the call's instruction.
            called: The called object.
            first: The first argument, if there is one.
        """
        function = self._traced()
        is_body = function is None
        function = self._body() if is_body else function
        if function is None or len(self.calls) >= _MOST:
            return
        try:
            named_kind = impure_source(called, first)
            if is_body and called is print:
                named_kind = "print", "print"
            if named_kind is not None and not (
                named_kind[0] in OF_NOW and _is_given_a_time(code, offset, OF_NOW[named_kind[0]])
            ):
                self._note(function, named_kind, receiver_of(called, first), code, offset)
            elif called is next or _reads_file(called, first):
                self._note_taken(function, called, first, code, offset)
        except not_of_a_signal(*FAILURES) as error:
            self._fail(error)

    def _note(self, function: str, impure_source: tuple[str, Kind], receiver: Any, code: CodeType, offset: int) -> None:
        name, kind = impure_source
        source = name.rpartition(".")[0]
        if name.endswith(".seed"):
            # a generator with a fixed seed draws the same numbers at each trace, which the user intends
            self._seeded.add((function, source))
        elif (function, name) not in self.calls and (function, source) not in self._seeded:
            if issubclass(type(receiver), generator_types()) and not _is_from_outside(receiver, code):
                return  # the traced function itself made the generator, so each trace draws the same numbers
            self.calls[function, name] = ImpureCall(function, name, kind, place_of_call(code, offset))

    def _note_taken(self, function: str, called: Any, first: Any, code: CodeType, offset: int) -> None:
        """Record a call that takes the next value from a Python iterator or an open file."""
        owner = first if called is next else receiver_of(called, first)
        # types are compared with `is`, because hashing a type may run code of a user's metaclass
        is_iterator = any(type(owner) is kind for kind in _ITERATORS)
        if called is next and not is_iterator and not issubclass(type(owner), _FILES):
            return
        name = "next" if called is next else f"{kind_name(type(owner))}.{method_name(called, owner)}"
        if (function, name) not in self.calls and _is_from_outside(owner, code):
            kind: Kind = "file" if issubclass(type(owner), _FILES) else "iterator"
            self.calls[function, name] = ImpureCall(function, name, kind, place_of_call(code, offset))


_FILES = (io.TextIOBase, io.RawIOBase, io.BufferedIOBase)
_ITERABLES: tuple[Iterable[Any], ...] = ([], (), set(), {}, {}.values(), {}.items(), "", range(0))
_ITERATORS = frozenset(
    {types.GeneratorType, map, filter, zip, enumerate, reversed}
    | {type(iter(iterable)) for iterable in _ITERABLES}
    | {kind for kind in vars(itertools).values() if isinstance(kind, type)}
)


def _reads_file(called: Any, first: Any) -> bool:
    if type(called) not in (types.BuiltinFunctionType, types.MethodDescriptorType):
        return False
    receiver = receiver_of(called, first)
    return issubclass(type(receiver), _FILES) and called.__name__.startswith("read")


def _is_given_a_time(code: CodeType, offset: int, least: int) -> bool:
    """Return whether a call such as `time.strftime(format, t)` passes a time, so that it does not read the clock."""
    instructions = code.co_code
    is_call = offset + 1 < len(instructions) and dis.opname[instructions[offset]] == "CALL"
    return is_call and instructions[offset + 1] > least


def _is_from_outside(receiver: Any, code: CodeType) -> bool:
    """Return whether an object comes from outside of a function: from a global, an enclosing function, or `self`."""
    if receiver is generator_of_random() or receiver is generator_of_numpy():
        return True
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    if frame is None:
        return False
    if any(value is receiver for value in list(frame.f_globals.values())):
        return True
    names: Mapping[str, Any] = frame.f_locals
    if any(names.get(name) is receiver for name in code.co_freevars):
        return True
    owner = names.get(code.co_varnames[0]) if code.co_argcount else None
    try:
        stored = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return False
    return type(stored) is dict and any(value is receiver for value in list(stored.values()))


def place_of_call(code: CodeType, offset: int) -> Place:
    """Return the place of the call whose instruction has this offset in a code object."""
    positions = list(code.co_positions())
    line, end_line, column, end_column = positions[offset // 2] if offset // 2 < len(positions) else (None,) * 4
    file, function = file_of(code), function_of(code)
    if line is None or column is None or end_line is None or end_column is None:
        return Place(file, line or code.co_firstlineno, function)
    return Place(file, line, function, column, end_line, end_column)
