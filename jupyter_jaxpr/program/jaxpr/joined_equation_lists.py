"""Makes one list of the equations of a program and of the jitted functions that it calls.

A value that a jitted function computes and another one uses is one variable in this list: JAX differentiates a jitted
function as two jitted functions, one for the value and one for the gradient.

The body of a `scan` stands in the list once, as one step: the value that a scan puts into an array at a step, and the
value that another scan takes from the array at the same step, are one variable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...document.limits import Tried
from ...interruptions import not_of_a_signal
from ...jax.loop_equations import scan_parts
from .high_primitives import HIGH, high
from .parameters import open_jaxpr

_CALLS = frozenset({"jit", "pjit", "closed_call", "core_call", "checkpoint"})


class Variable:
    """A variable of one call of an inner program; two calls of the same program have different variables."""

    __slots__ = ("aval",)

    def __init__(self, aval: Any) -> None:
        self.aval = aval


@dataclass(frozen=True, slots=True, eq=False)
class InlinedEquation:
    """An equation of the list; its variables are those of the whole list.

    Attributes:
        equation: JAX's equation.
        invars: The operands.
        outvars: The results.
        jaxpr: The jaxpr that holds the equation.
        index: The index of the equation in this jaxpr.
        name_stack: The name stack, which begins with the name stacks of the enclosing calls.
    """

    equation: Any
    invars: list[Any]
    outvars: list[Any]
    jaxpr: Any
    index: int
    name_stack: str

    @property
    def primitive(self) -> Any:
        """The primitive of the equation."""
        return self.equation.primitive

    @property
    def params(self) -> Any:
        """The parameters of the equation."""
        return self.equation.params


def inlined(
    jaxpr: Any,
    kept: Collection[str] = (),
    names: dict[Any, Any] | None = None,
    around: str = "",
    elements: dict[Any, Any] | None = None,
) -> list[InlinedEquation]:
    """Return the equations of a jaxpr, in which calls are replaced by the equations of the called programs.

    Args:
        jaxpr: The jaxpr.
        kept: The names of jitted functions whose calls are left as they are.
        names: Variable of the jaxpr -> the variable of the list that stands for it. The caller gives the inputs; the
            results of replaced calls are added.
        around: The name stack around the jaxpr.
        elements: Receives, for each array that a scan divides into steps, the variable of the element of one step.
    """
    elements = {} if elements is None else elements
    names = {} if names is None else names
    inputs = dict(names)
    rows: list[InlinedEquation] = []
    for row in _inlined(jaxpr, names, around, frozenset(kept), elements):
        rows.append(row)
        if len(rows) > Tried.INLINED_EQUATIONS:
            return [_row(jaxpr, index, inputs, around) for index in range(len(jaxpr.eqns))]
    return rows


def inlined_pairs(
    forward: Any, backward: Any, kept: Collection[str] = (), elements: dict[Any, Any] | None = None
) -> list[list[InlinedEquation]]:
    """Return the equations of the two programs as which JAX differentiates a jitted function, as one list.

    The forward program returns its results and then the residuals that it computes. The backward program takes these
    residuals in the same order, then a cotangent for each result. Inputs of the forward program may be residuals, too;
    they stand anywhere between the other residuals. If the types allow several assignments of residuals to inputs, one
    list is returned for each assignment, and no list if there are too many.
    """
    names: dict[Any, Any] = {}
    elements = {} if elements is None else elements
    rows = inlined(forward, kept, names, "", elements)
    inputs = list(backward.invars)
    assignments = _assignments(forward, inputs)
    if not 1 <= len(assignments) <= Tried.ASSIGNMENTS_OF_EQUAL_TYPES:
        return []
    lists = []
    for residuals in assignments:
        variables = [variable if hasattr(variable, "val") else names.get(variable, variable) for variable in residuals]
        passed = dict(zip(inputs, variables, strict=False))
        # The name stack of the backward program does not say that the program is a transpose.
        lists.append([*rows, *inlined(backward, kept, passed, "transpose()", dict(elements))])
    return lists


def _assignments(forward: Any, inputs: list[Any]) -> list[list[Any]]:
    """Return the possible assignments of variables of the forward program to inputs of the backward program."""
    results = list(forward.outvars)
    assignments: list[list[Any]] = []
    for count in range(1, len(results) + 1):
        residuals, rest = results[count:], inputs[: len(inputs) - count]
        if count <= len(inputs) and _types(inputs[len(rest) :]) == _types(results[:count]):
            assignments += _merged(residuals, list(forward.invars), rest)
    return assignments


def _merged(residuals: list[Any], inputs: list[Any], wanted: list[Any]) -> list[list[Any]]:
    """Return each way to choose, for every wanted variable, either the next residual or an input of the same type."""
    ways: list[tuple[int, list[Any]]] = [(0, [])]
    for place, variable in enumerate(wanted):
        (kind,) = _types([variable])
        longer: list[tuple[int, list[Any]]] = []
        for used, chosen in ways:
            if used < len(residuals) and _types([residuals[used]]) == [kind]:
                longer.append((used + 1, [*chosen, residuals[used]]))
            if len(residuals) - used < len(wanted) - place:
                longer += [(used, [*chosen, given]) for given in inputs if _types([given]) == [kind]]
        ways = longer
        if len(ways) > 4 * Tried.ASSIGNMENTS_OF_EQUAL_TYPES:
            return [[]] * (Tried.ASSIGNMENTS_OF_EQUAL_TYPES + 1)
    return [chosen for used, chosen in ways if used == len(residuals)]


def _types(variables: list[Any]) -> list[tuple[Any, Any]]:
    return [(getattr(variable.aval, "shape", None), getattr(variable.aval, "dtype", None)) for variable in variables]


def _inlined(
    jaxpr: Any, names: dict[Any, Any], around: str, kept: frozenset[str], elements: dict[Any, Any]
) -> Iterator[InlinedEquation]:
    for index, equation in enumerate(jaxpr.eqns):
        row = _row(jaxpr, index, names, around)
        step = _step_of_scan(row, elements)
        if step is not None:
            yield from _inlined(step.body, step.names, row.name_stack, kept, elements)
            for result, variable in zip(row.outvars[step.carry :], step.body.outvars[step.carry :], strict=True):
                if not hasattr(variable, "val"):
                    elements[result] = step.names.get(variable, variable)
            continue
        is_call = equation.primitive.name in _CALLS and equation.params.get("name") not in kept
        inner = open_jaxpr(equation.params.get("jaxpr")) if is_call else None
        if inner is None or len(getattr(inner, "constvars", ())) > 0:
            yield row
            continue
        inner_names: dict[Any, Any] = dict(zip(inner.invars, row.invars, strict=True))
        yield from _inlined(inner, inner_names, row.name_stack, kept, elements)
        for variable, result in zip(equation.outvars, inner.outvars, strict=True):
            names[variable] = result if hasattr(result, "val") else inner_names.get(result, result)


class _Step(NamedTuple):
    """One step of a scan: the body, the variables of its operands, the number of its carries."""

    body: Any
    names: dict[Any, Any]
    carry: int


def _step_of_scan(row: InlinedEquation, elements: dict[Any, Any]) -> _Step | None:
    """Return a step of a scan; None for another equation. Scans over one array share the variable of its element."""
    name, parameters = row.primitive.name, row.params
    if name == HIGH:
        name, parameters = high(parameters)
    if name != "scan":
        return None
    try:
        parts = scan_parts(parameters)
    except not_of_a_signal(KeyError, TypeError, ValueError):  # another version of JAX: its scan has other parameters
        return None
    body = open_jaxpr(parameters.get("jaxpr"))
    if body is None or len(getattr(body, "constvars", ())) > 0 or len(body.invars) != len(row.invars):
        return None
    names: dict[Any, Any] = {}
    for place, (variable, operand) in enumerate(zip(body.invars, row.invars, strict=True)):
        if place < parts.consts:
            names[variable] = operand
        elif place < parts.consts + parts.carry or hasattr(operand, "val"):
            names[variable] = Variable(variable.aval)
        else:
            names[variable] = elements.setdefault(operand, Variable(variable.aval))
    return _Step(body, names, parts.carry)


def _row(jaxpr: Any, index: int, names: dict[Any, Any], around: str) -> InlinedEquation:
    equation = jaxpr.eqns[index]
    operands = [operand if hasattr(operand, "val") else names.get(operand, operand) for operand in equation.invars]
    for variable in equation.outvars:
        names.setdefault(variable, Variable(variable.aval))
    results = [names[variable] for variable in equation.outvars]
    return InlinedEquation(equation, operands, results, jaxpr, index, f"{around}/{equation.source_info.name_stack}")
