"""Finds the number of steps of a while loop from the loop's jaxpr alone.

The number of steps is known if an integer of the carry starts at a constant, grows by a constant in each step, and is
compared with a constant. A counter is such an integer, and so is the index of a `fori_loop`. For other loops the number
is unknown (None).
"""

from __future__ import annotations

from ...jax.loop_equations import while_parts
from .scope_columns import ScopeColumns
from .walk import Walk

_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "ne": "ne"}


def counted_trips(walk: Walk, scope: int, equation: int, condition: int, body: int) -> int | None:
    """Return the number of steps of a while loop; None if unknown.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the while equation.
        equation: The index of the while equation in the scope.
        condition: The scope of the condition.
        body: The scope of the body.
    """
    parts = while_parts(walk.jaxprs[scope].eqns[equation].params)
    operands = walk.scopes[scope].operands[equation]
    inner, outer = walk.scopes[condition], walk.scopes[body]
    first = parts.condition_consts + parts.body_consts  # the index of the first carry leaf among the operands

    def start(position: int) -> int | None:
        return _literal(walk, operands[first + position])

    def unchanged(position: int) -> bool:
        return outer.outputs[position] == outer.constants + parts.body_consts + position

    def carried(operand: int) -> int | None:
        """Return the position in the carry of an operand of the condition; None if it is not in the carry."""
        position = operand - inner.constants - parts.condition_consts
        return position if 0 <= position and operand < inner.constants + inner.inputs else None

    def fixed(operand: int) -> int | None:
        """Return the value of an operand of the condition that no step changes."""
        if operand < 0:
            return _literal(walk, operand)
        position = carried(operand)
        if position is not None:
            return start(position) if unchanged(position) else None
        operand_inside = operand - inner.constants
        return _literal(walk, operands[operand_inside]) if 0 <= operand_inside < parts.condition_consts else None

    maker = _maker(walk, inner, inner.outputs[0])
    if maker is None or maker[0] not in _MIRRORED:
        return None
    comparison, (left, right) = maker[0], maker[1]
    limit = fixed(right)
    if limit is None:
        comparison, left, limit = _MIRRORED[comparison], right, fixed(left)
    counter = carried(left) if left >= 0 else None
    if counter is None or limit is None:
        return None
    begin = start(counter)
    step = _step(walk, outer, outer.outputs[counter], outer.constants + parts.body_consts + counter)
    if begin is None or not step:
        return None
    trips = _count(comparison, begin, limit, step)
    if trips is None or not _fits(
        begin + trips * step, walk.avals[outer.variable_avals[outer.constants + parts.body_consts + counter]].dtype
    ):
        return None
    return trips


def _fits(value: int, dtype: str) -> bool:
    """Return whether a counter's last value fits its integer type; otherwise it would overflow."""
    kind, bits = dtype.rstrip("0123456789"), dtype[len(dtype.rstrip("0123456789")) :]
    if kind not in ("int", "uint") or not bits:
        return False
    lowest = -(1 << (int(bits) - 1)) if kind == "int" else 0
    return lowest <= value < lowest + (1 << int(bits))


def _count(comparison: str, begin: int, limit: int, step: int) -> int | None:
    if comparison in ("gt", "ge"):  # `a > b` is handled as `-a < -b`
        begin, limit, step = -begin, -limit, -step
        comparison = _MIRRORED[comparison]
    if comparison == "ne":
        turns, left = divmod(limit - begin, step)
        return turns if left == 0 and turns >= 0 else None
    if comparison == "le":
        limit += 1
    if begin >= limit:
        return 0
    return -(-(limit - begin) // step) if step > 0 else None


def _maker(walk: Walk, columns: ScopeColumns, variable: int) -> tuple[str, list[int]] | None:
    """Return (primitive, operands) of the equation that computes a variable; None for an input."""
    first = columns.constants + columns.inputs
    if variable < first:
        return None
    for primitive, operands, count in zip(columns.primitive, columns.operands, columns.output_counts, strict=True):
        if variable < first + count:
            return walk.strings.items[primitive], operands
        first += count
    return None


def _step(walk: Walk, columns: ScopeColumns, result: int, counter: int) -> int | None:
    """Return by how much the counter grows in one step; None if this is not constant."""
    maker = _maker(walk, columns, result)
    if maker is None:
        return None
    primitive, operands = maker
    if primitive == "add" and counter in operands:
        left, right = operands
        return _literal(walk, right if left == counter else left)
    if primitive == "sub" and operands[0] == counter:
        size = _literal(walk, operands[1])
        return None if size is None else -size
    return None


def _literal(walk: Walk, operand: int) -> int | None:
    if operand >= 0:
        return None
    text = walk.strings.items[walk.literals[-1 - operand][0]]
    return int(text) if text.lstrip("-").isdigit() else None
