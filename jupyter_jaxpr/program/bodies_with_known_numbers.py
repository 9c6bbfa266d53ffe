"""Runs the programs inside an equation with the known operands: called programs, branches, and loops step by step.

Only the known numbers take part. Nothing runs on a device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..jax.loop_equations import scan_parts, while_parts
from .jaxpr.parameters import open_jaxpr
from .known_numbers import LONGEST, element_of, value_of

_CALLS = frozenset(
    {"jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2", "custom_jvp_call", "custom_vjp_call"}
)


@dataclass(frozen=True)
class Body:
    """One run of a program inside an equation.

    Attributes:
        jaxpr: The program.
        values: Variable -> its value, for the known values; the reader of the program adds the values that it computes.
        result: Returns the variable of the outer program that receives a result, by the number of the result; None for
            a result that the program gets again in the next step.
        is_call: True if the results of the equation are those of this run.
        is_step: True if the run is one of several steps of a loop.
        counters: The values that change from step to step, such as the index of a `fori_loop`.
        elements: (element, array), for the elements of arrays that the step of a scan gets.
    """

    jaxpr: Any
    values: dict[Any, Any]
    result: Callable[[int], Any]
    is_call: bool = False
    is_step: bool = False
    counters: Sequence[Any] = ()
    elements: Sequence[tuple[Any, Any]] = field(default=())


def bodies_of(equation: Any, operands: Sequence[Any], is_certain: bool) -> Iterator[Body]:
    """Yield the runs of the programs inside an equation that certainly have known values.

    The reader of a run must add the computed values to `Body.values` before it asks for the next run.

    Args:
        equation: The equation.
        operands: The values of its operands; None for an unknown value.
        is_certain: False if the operands may be such that an unknown condition excludes them: a branch that this
            condition chooses, or the body of a `while_loop`, is left out.
    """
    name, params = equation.primitive.name, equation.params
    if name in _CALLS:
        inner = open_jaxpr(params.get("jaxpr", params.get("call_jaxpr")))
        if inner is not None and len(inner.invars) == len(operands):
            yield Body(inner, _known(inner.invars, operands), equation.outvars.__getitem__, is_call=True)
    elif name == "cond":
        yield from _branches(equation, operands, is_certain)
    elif name == "scan":
        yield from _steps(equation, operands)
    elif name == "while":
        parts = while_parts(params)
        condition, body = open_jaxpr(params["cond_jaxpr"]), open_jaxpr(params["body_jaxpr"])
        if condition is None or body is None:
            return
        first = parts.condition_consts + parts.body_consts
        carry = _kept(body, parts.body_consts, operands[first:])
        yield Body(condition, _known(condition.invars, [*operands[: parts.condition_consts], *carry]), _no_result)
        if is_certain:
            body_operands = [*operands[parts.condition_consts : first], *carry]
            yield Body(body, _known(body.invars, body_operands), _no_result)


def _branches(equation: Any, operands: Sequence[Any], is_certain: bool) -> Iterator[Body]:
    index, *rest = operands
    branches = [open_jaxpr(branch) for branch in equation.params["branches"]]
    if index is not None and index.ndim == 0:
        branches = [branches[min(max(int(index), 0), len(branches) - 1)]]
    elif not is_certain:
        return
    for branch in branches:
        if branch is not None and len(branch.invars) == len(rest):
            result = equation.outvars.__getitem__
            yield Body(branch, _known(branch.invars, rest), result, is_call=len(branches) == 1)


def _steps(equation: Any, operands: Sequence[Any]) -> Iterator[Body]:
    parts = scan_parts(equation.params)
    body = open_jaxpr(equation.params["jaxpr"])
    if body is None or len(body.invars) != len(operands):
        return
    consts, xs = operands[: parts.consts], operands[parts.consts + parts.carry :]
    carry = list(operands[parts.consts : parts.consts + parts.carry])
    same = _kept(body, parts.consts, carry)

    def result(number: int) -> Any:
        return None if number < parts.carry else equation.outvars[number]

    length = parts.length or 0
    changing = [value for value, kept in zip(carry, same, strict=True) if kept is None]
    if not 0 < length <= LONGEST or all(value is None for value in (*changing, *xs)):
        if length:
            yield Body(body, _known(body.invars, [*consts, *same, *(None for _ in xs)]), result)
        return
    for step in reversed(range(length)) if parts.reverse else range(length):
        elements = [None if x is None else element_of(x, step) for x in xs]
        values = _known(body.invars, [*consts, *carry, *elements])
        yield Body(
            body,
            values,
            result,
            is_step=True,
            counters=[value for value, kept in zip(carry, same, strict=True) if value is not None and kept is None],
            elements=[(element, x) for element, x in zip(elements, xs, strict=True) if x is not None],
        )
        carry = [value_of(output, values) for output in body.outvars[: parts.carry]]
        if all(value is None for value in (*carry, *xs)):
            return


def _kept(body: Any, first: int, carry: Sequence[Any]) -> list[Any]:
    """Return the values of a carry that no step of a loop changes; None in the place of every other value."""
    return [
        value if body.outvars[number] is body.invars[first + number] else None for number, value in enumerate(carry)
    ]


def _known(variables: Sequence[Any], values: Sequence[Any]) -> dict[Any, Any]:
    return {variable: value for variable, value in zip(variables, values, strict=True) if value is not None}


def _no_result(_: int) -> None:
    """Return no variable: the results of a `while_loop` come from an unknown step."""
