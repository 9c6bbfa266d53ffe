"""Names an operand in a scope after the place where its value comes from: an input, a name, a short expression."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from ...document.limits import Characters
from ..jaxpr.scope_columns import ScopeColumns
from ..jaxpr.walk import Walk
from .callers_of_constructs import Callers
from .calls_in_user_source import Written, target_name
from .reached_scope import ReachedScope

#: Primitives that JAX inserts between a value of the user's and the operand of a construct.
CONVERSIONS = frozenset({"convert_element_type", "stop_gradient", "copy", "copy_p", "pvary"})
#: The conversions, and the primitives that a transform may insert before the operand on the construct's own line.
_PUT_THERE = CONVERSIONS | {"transpose", "broadcast_in_dim", "reshape", "squeeze", "slice"}


class OperandNames:
    """Names operands of the scopes of a program."""

    def __init__(self, walk: Walk, written: Written, callers: Callers) -> None:
        """Store the `Walk` of the programs, the reader of the user's source, and the finder of callers."""
        self._walk = walk
        self._written = written
        self._callers = callers
        self._firsts: dict[int, list[int]] = {}
        self._lasts: dict[int, dict[int, tuple[int, int]]] = {}

    def producer(self, columns: ScopeColumns, number: int, variable: int) -> tuple[int, int]:
        """Return (equation that computes a variable, index of the result); (-1, 0) for an input."""
        inputs = columns.constants + columns.inputs
        if variable < inputs:
            return -1, 0
        firsts = self._firsts.get(number)
        if firsts is None:
            firsts = self._firsts[number] = list(accumulate(columns.output_counts, initial=inputs))
        equation = bisect_right(firsts, variable) - 1
        return equation, variable - firsts[equation]

    def first_result(self, columns: ScopeColumns, number: int, equation: int) -> int:
        """Return the first variable that an equation computes."""
        self.producer(columns, number, columns.constants + columns.inputs)
        return self._firsts[number][equation]

    def of(self, reached: ReachedScope, operand: int, construct: int = -1) -> str:
        """Return the text for a value: the path of an input, a name, or a short expression; '' if unknown.

        Args:
            reached: The scope in which the value is an operand.
            operand: The number of the variable or literal.
            construct: The frame of the construct with the operand: a value that JAX inserted there has no name in the
                user's code.
        """
        if operand < 0:
            return self.literal(operand)
        equation, result = self.producer(reached.columns, reached.number, operand)
        if equation < 0:
            return reached.inputs[operand] if operand < len(reached.inputs) else ""
        strings = self._walk.strings.items
        derivative = reached.derivative(strings[reached.columns.name_stack[equation]])
        if derivative == "transpose":
            return ""  # the line names the differentiated value, so the derivative has no name
        caller = self._callers.of(reached.columns.stack[equation], reached.caller)
        if strings[reached.columns.primitive[equation]] in _PUT_THERE and caller.frame in (construct, -1):
            before = reached.columns.operands[equation]
            return self.of(reached, before[0], construct) if before and before[0] >= 0 else ""
        if caller.frame in (construct, -1):
            return ""  # JAX inserted the equation, so no expression of the user computes the value
        last, count = self._last(reached, caller.frame)
        if last != equation or (derivative and count > 1):
            return ""  # the equation is only a part of the line's expression, or a derivative of the expression
        target = self._written.target(caller.frame)
        if target is not None:
            name = target_name(target, result, reached.columns.output_counts[equation])
            if name:
                return name
        text = self._written.text(caller.frame)
        return text if text is not None and len(text) <= Characters.OPERAND_ON_CARD else ""

    def _last(self, reached: ReachedScope, frame: int) -> tuple[int, int]:
        """Return (index of the last equation of a scope that comes from a user frame, number of such equations).

        The last equation computes the value of the frame's expression.
        """
        lasts = self._lasts.get(reached.number)
        if lasts is None:
            lasts = self._lasts[reached.number] = {}
            for equation, stack in enumerate(reached.columns.stack):
                frames = self._callers.user_frames(stack)
                if frames:
                    lasts[frames[0]] = (equation, lasts.get(frames[0], (0, 0))[1] + 1)
        return lasts.get(frame, (-1, 0))

    def literal(self, operand: int) -> str:
        """Return the text of a literal, given by its number."""
        return self._walk.strings.items[self._walk.literals[-1 - operand][0]]

    def aval(self, columns: ScopeColumns, operand: int) -> int:
        """Return the index of an operand's type in the pool of types."""
        return columns.variable_avals[operand] if operand >= 0 else self._walk.literals[-1 - operand][1]
