"""Records updates such as `x.at[i].set(v)` whose results the user's code drops at once, where this code runs.

Python reports each call in the user's code, also in functions of earlier cells and of the user's modules. The
instruction after such a call shows whether the code drops the result. `ref.at[i].set(v)` of a JAX reference changes the
reference in place and returns nothing, so its calls are recorded apart. Python 3.11 does not report calls, so nothing
is recorded on Python 3.11.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import array_update_type
from ...plain_text import FAILURES, file_of
from ..observation import Place
from ..user_or_library.whose_code import is_jax
from .impure_calls_while_tracing import place_of_call

#: The methods of `x.at[i]` that return an updated array.
UPDATES = frozenset({"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"})
_MOST = 50


class UpdateCalls:
    """Collects the calls of updates whose results are dropped.

    Args:
        fail: Receives an error of this package.

    Attributes:
        dropped: The places of updates of arrays whose results the code drops.
        of_references: The places of updates that change a JAX reference in place.
    """

    def __init__(self, fail: Callable[[BaseException], None]) -> None:
        self._fail = fail
        self._seen: dict[tuple[int, int], CodeType] = {}  # (id of a code object, offset) -> the code object
        self.dropped: dict[Place, None] = {}
        self.of_references: set[Place] = set()

    def called(self, code: CodeType, offset: int, called: Any, first: Any) -> None:
        """Record a call in the user's code if it is an update.

        Args:
            code: The code that contains the call.
            offset: The offset of the call's instruction.
            called: The called object.
            first: The first argument, if there is one.
        """
        function, owner = (called.__func__, called.__self__) if type(called) is MethodType else (called, first)
        if type(function) is not FunctionType or function.__name__ not in UPDATES or (id(code), offset) in self._seen:
            return
        try:
            if is_jax(file_of(function.__code__)) and len(self._seen) < _MOST:
                self._seen[id(code), offset] = code
                if type(owner) is not array_update_type():
                    self.of_references.add(place_of_call(code, offset))
                elif _is_dropped(code, offset):
                    self.dropped[place_of_call(code, offset)] = None
        except not_of_a_signal(*FAILURES) as error:
            self._fail(error)


def _is_dropped(code: CodeType, offset: int) -> bool:
    """Return whether the instruction after a call drops the call's result."""
    instructions = iter(dis.get_instructions(code))
    is_found = any(instruction.offset == offset for instruction in instructions)
    following = next(instructions, None) if is_found else None
    return following is not None and following.opname == "POP_TOP"
