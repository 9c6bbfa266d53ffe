"""Finds the predicate of a cond: the equation that computes it, and its source in the user's code.

JAX inserts conversions between the user's predicate and the operand of the primitive, and a clamp for a switch. These
inserted equations have the frames of the user's call of the construct, and are skipped.
"""

from __future__ import annotations

import ast

from ..jaxpr.walk import Walk
from .callers_of_constructs import Callers
from .calls_in_user_source import Call, Written, text_of
from .operand_names import CONVERSIONS, OperandNames
from .reached_scope import ReachedScope
from .rows_of_cards import Card

#: Primitives by which JAX makes the predicate from the user's value, on the line of the construct itself.
_TO_PREDICATE = CONVERSIONS | {"clamp", "ne", "eq", "broadcast_in_dim", "transpose"}


class Predicates:
    """Finds the predicates of conds."""

    def __init__(self, walk: Walk, written: Written, callers: Callers, paths: OperandNames) -> None:
        """Store the `Walk`, the reader of the user's source, the finder of callers, and the namer of operands."""
        self._walk = walk
        self._written = written
        self._callers = callers
        self._paths = paths

    def fill(self, card: Card, reached: ReachedScope, operand: int, call: Call | None) -> None:
        """Fill the card's fields on the predicate: its equation, its source and its frame."""
        card.predicate = operand
        columns, strings = reached.columns, self._walk.strings.items
        equation = -1
        at = operand
        while at >= 0:
            equation, _ = self._paths.producer(columns, reached.number, at)
            if equation < 0:
                break
            made_by = strings[columns.primitive[equation]]
            caller = self._callers.of(columns.stack[equation], reached.caller)
            put_there = caller.kind in ("cond", "switch") and caller.frame == card.frame
            before = [operand for operand in columns.operands[equation] if operand >= 0]
            if made_by not in CONVERSIONS and not (put_there and made_by in _TO_PREDICATE):
                break
            if not before:
                break
            at = before[-1] if made_by == "clamp" and len(before) > 1 else before[0]
        card.predicate_equation = equation
        if card.library is not None:
            return
        written = call.argument(0, "pred", "index") if call is not None else None
        text = None
        if written is not None and not isinstance(written, ast.Name | ast.Attribute | ast.Subscript):
            text = text_of(written)
        if text is None and equation >= 0:
            frame = self._callers.of(columns.stack[equation], reached.caller).frame
            if frame >= 0 and frame != card.frame and not self._is_part(reached, equation, frame):
                text = self._written.text(frame)
        card.predicate_text = text or text_of(written) or self._paths.of(reached, at, card.frame) or None

    def _is_part(self, reached: ReachedScope, equation: int, frame: int) -> bool:
        """Return whether an equation gives only a part of the value of the expression at a frame, as a scan does."""
        is_scan = self._walk.strings.items[reached.columns.primitive[equation]] == "scan"
        is_unpacked = isinstance(self._written.target(frame), ast.Tuple | ast.List)
        return is_scan or is_unpacked or reached.columns.output_counts[equation] > 1

    def is_boolean(self, card: Card, reached: ReachedScope) -> bool:
        """Return whether the user passed a boolean, rather than an integer index."""
        operand = card.predicate
        for _ in range(4):
            aval = self._walk.avals[self._paths.aval(reached.columns, operand)]
            if aval.dtype == "bool":
                return True
            if operand < 0:
                return False
            equation, _ = self._paths.producer(reached.columns, reached.number, operand)
            if equation < 0 or self._walk.strings.items[reached.columns.primitive[equation]] not in CONVERSIONS:
                return False
            operand = reached.columns.operands[equation][0]
        return False
