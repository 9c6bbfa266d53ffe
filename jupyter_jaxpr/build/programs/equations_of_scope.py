"""Copies the columns of a scope, or a range of its equations, into the document."""

from __future__ import annotations

from collections.abc import Sequence

from ...document.types.document import Child, Effects, Scope
from ...program.jaxpr.scope_columns import ScopeColumns


def scope_of_columns(
    columns: ScopeColumns,
    *,
    first: int = 0,
    count: int | None = None,
    names: Sequence[str | None] | None = None,
) -> Scope:
    """Convert a scope, or a range of its equations, to its struct in the document.

    Args:
        columns: The columns of the scope in the `Walk`.
        first: The index of the first equation to take.
        count: The number of equations to take; with None all are taken, and the lists of the columns are shared, not
            copied.
        names: The printed names of all variables of the scope, if the document states them.
    """
    last = columns.count if count is None else min(first + count, columns.count)
    begin = 0 if first == 0 else _variables_before(columns, first)
    end = _variables_before(columns, last)
    part = slice(first, last)
    all_of_it = first == 0 and last == columns.count
    sent_names = None
    if names is not None:
        sent_names = [name or "…" for name in names[begin:end]]
    return Scope(
        name=columns.name,
        constants=columns.constants,
        inputs=columns.inputs,
        outputs=columns.outputs,
        count=columns.count,
        total=columns.total,
        first_equation=first,
        first_variable=begin,
        variable_avals=columns.variable_avals if all_of_it else columns.variable_avals[begin:end],
        dropped=[variable for variable in columns.dropped if begin <= variable < end],
        names=sent_names,
        primitive=columns.primitive if all_of_it else columns.primitive[part],
        operands=columns.operands if all_of_it else columns.operands[part],
        output_counts=columns.output_counts if all_of_it else columns.output_counts[part],
        parameters=columns.parameters if all_of_it else columns.parameters[part],
        stack=columns.stack if all_of_it else columns.stack[part],
        name_stack=columns.name_stack if all_of_it else columns.name_stack[part],
        children=[
            Child(equation=equation, parameter=parameter, position=position, scope=child)
            for equation, parameter, position, child in columns.children
            if first <= equation < last
        ],
        effects=[
            Effects(equation=equation, effects=effects)
            for equation, effects in columns.effects
            if first <= equation < last
        ],
    )


def _variables_before(columns: ScopeColumns, equation: int) -> int:
    if equation >= columns.count:
        return len(columns.variable_avals)
    return columns.constants + columns.inputs + sum(columns.output_counts[:equation])
