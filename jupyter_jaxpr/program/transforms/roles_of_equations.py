"""Finds the role of each equation in a derived program, and the values that are kept for the backward part.

The role of an equation is a letter:

- ``f`` forward, ``b`` backward: the two parts of `grad`. The name stack shows the part: the outermost transform in it
  is ``transpose`` for the backward part and ``jvp`` for the forward part. An equation of an inner program whose name
  stack shows no part belongs to the part of the enclosing equation.
- ``r`` recomputed: a forward equation that `jax.checkpoint` computes again in the backward part.
- ``t`` tangent: an equation of `jvp` that depends on the tangents, or any equation of a linear program. The other
  equations of `jvp` are ``f``.
- ``m`` mixed: an equation whose inner program contains both parts, or an equation of a program that both parts call.
- ``-``: an equation of no part: it does not lie between the differentiated inputs and the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...jax.loop_equations import scan_parts, while_parts
from ..costs.residuals_of_grad import KeptValue, kept_for_backward, made_values
from ..jaxpr.scope_columns import ScopeColumns
from ..jaxpr.walk import Walk
from .derive import Kind
from .differentiated_inputs import DerivedPart

_FORWARD = "jvp("
_BACKWARD = "transpose("
_AGAIN = "rematted_computation"

Kept = KeptValue


@dataclass(frozen=True)
class Roles:
    """The role of each equation of a derived program.

    Attributes:
        letters: Scope -> a string with one letter for each of its equations; empty if the transform has no parts.
        kept: The values that the forward part keeps for the backward part, or the primal program for the linear
            program.
    """

    letters: dict[int, str] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """Letter of a role -> number of equations with the role."""
        return Counter("".join(self.letters.values()))


def roles_of(walk: Walk, scope: int, kind: Kind, part: DerivedPart) -> Roles:
    """Find the role of each equation in a derived program.

    Args:
        walk: The `Walk` that has read the equations of the derived program.
        scope: The scope of the derived program.
        kind: The transform that derived the program.
        part: The derived program as a part of the transform, such as the primal or the linear program.
    """
    if kind == "vmap":
        return Roles()
    marks = _Marks(walk)
    if kind == "grad":
        marks.by_name_stack(scope, "-")
        letters = marks.letters()
        backward = {number: [letter in "br" for letter in row] for number, row in letters.items()}
        return Roles(letters, kept_for_backward(walk, scope, backward))
    columns = walk.scopes[scope]
    marks.by_tangents(scope, {columns.constants + number for number in part.tangents})
    kept_values: list[Kept] = []
    if part.residuals:
        kept_values = made_values(walk, scope, columns.outputs[len(columns.outputs) - part.residuals :])
    return Roles(marks.letters(), kept_values)


class _Marks:
    """Collects the letters of equations; an equation that gets two different letters becomes mixed."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._letters: dict[int, list[str]] = {}
        self._seen: set[tuple[int, str]] = set()
        self._results: dict[tuple[int, frozenset[int]], list[bool]] = {}
        self._parts: dict[int, str] = {}

    def letters(self) -> dict[int, str]:
        return {scope: "".join(letter or "-" for letter in letters) for scope, letters in self._letters.items()}

    def _put(self, scope: int, equation: int, letter: str) -> None:
        letters = self._letters[scope]
        before = letters[equation]
        letters[equation] = letter if before in ("", letter) else "m"

    def _open(self, scope: int) -> ScopeColumns:
        columns = self._walk.scopes[scope]
        self._letters.setdefault(scope, [""] * columns.count)
        return columns

    # --- grad: by the names that JAX gives ---

    def by_name_stack(self, scope: int, around: str) -> None:
        """Mark a scope and its inner scopes by name stacks.

        An equation whose name stack shows no part gets the part of the enclosing equation.
        """
        waiting = [(scope, around)]
        while waiting:
            number, outside = waiting.pop()
            if (number, outside) in self._seen:
                continue
            self._seen.add((number, outside))
            columns = self._open(number)
            letters = [self._part(name, outside) for name in columns.name_stack]
            for equation, letter in enumerate(letters):
                self._put(number, equation, letter)
            waiting += [(child, letters[equation]) for equation, _, _, child in columns.children]

    def _part(self, name: int, outside: str) -> str:
        if outside in "br":
            return "r" if outside == "r" or _AGAIN in self._walk.strings.items[name] else "b"
        if outside != "-":
            return outside
        part = self._parts.get(name)
        if part is None:
            text = self._walk.strings.items[name]
            part = "b" if text.startswith(_BACKWARD) else "f" if text.startswith(_FORWARD) else "-"
            self._parts[name] = part
        return part

    # --- jvp: by dependence on the tangents ---

    def by_tangents(self, scope: int, tangents: set[int]) -> list[bool]:
        """Mark a scope and its inner scopes, given its tangent variables.

        Return for each result whether it is a tangent.
        """
        key = scope, frozenset(tangents)
        if key in self._results:
            return self._results[key]
        columns = self._open(scope)
        tangent_variables = set(tangents)
        inside: dict[int, list[tuple[int, int]]] = {}
        for equation, parameter, _, child in columns.children:
            inside.setdefault(equation, []).append((parameter, child))
        variable = columns.constants + columns.inputs
        for equation, operands in enumerate(columns.operands):
            count = columns.output_counts[equation]
            are_tangents = [operand in tangent_variables for operand in operands]
            if equation in inside:
                outputs = self._inside(scope, equation, inside[equation], are_tangents, count)
            else:
                outputs = [any(are_tangents)] * count
            tangent_variables.update(variable + place for place, tangent in enumerate(outputs) if tangent)
            some = any(outputs) or (not outputs and any(are_tangents))
            self._put(scope, equation, "f" if not some else "t" if all(outputs) else "m")
            variable += count
        results = self._results[key] = [operand in tangent_variables for operand in columns.outputs]
        return results

    def _inside(
        self, scope: int, equation: int, children: Sequence[tuple[int, int]], tangent_inputs: list[bool], count: int
    ) -> list[bool]:
        """Return for each result of an equation whether its inner programs compute it from tangents."""
        walk = self._walk
        primitive = walk.strings.items[walk.scopes[scope].primitive[equation]]
        parameters = walk.jaxprs[scope].eqns[equation].params
        names = {walk.strings.items[parameter]: child for parameter, child in children}
        if primitive == "scan" and "jaxpr" in names:
            parts = scan_parts(parameters)
            return self._loop(names["jaxpr"], tangent_inputs, parts.consts, parts.carry)
        if primitive == "while" and "body_jaxpr" in names:
            split = while_parts(parameters)
            body = tangent_inputs[split.condition_consts :]
            carry = self._loop(names["body_jaxpr"], body, split.body_consts, len(body) - split.body_consts)
            condition = [*tangent_inputs[: split.condition_consts], *carry]
            self.by_tangents(names["cond_jaxpr"], self._inputs(names["cond_jaxpr"], condition))
            return carry
        if primitive == "cond":
            tangent_inputs = tangent_inputs[1:]
        results = [False] * count
        for _, child in children:
            columns = walk.scopes[child]
            if columns.inputs != len(tangent_inputs):
                self.by_tangents(child, set())
                results = [any(tangent_inputs) or result for result in results]
                continue
            inside_tangents = self.by_tangents(child, self._inputs(child, tangent_inputs))
            if len(inside_tangents) != count:
                inside_tangents = [any(inside_tangents)] * count
            results = [
                is_tangent or is_tangent_inside
                for is_tangent, is_tangent_inside in zip(results, inside_tangents, strict=True)
            ]
        return results

    def _loop(self, body: int, is_tangent: list[bool], consts: int, carry: int) -> list[bool]:
        """Return for each result of a loop whether it is a tangent.

        A carry that is a tangent after one step is a tangent in all later steps.
        """
        is_tangent = list(is_tangent)
        while True:
            trial = _Marks(self._walk)
            results = trial.by_tangents(body, self._inputs(body, is_tangent))
            grown = [
                was or (consts <= place < consts + carry and results[place - consts])
                for place, was in enumerate(is_tangent)
            ]
            if grown == is_tangent:
                return self.by_tangents(body, self._inputs(body, is_tangent))
            is_tangent = grown

    def _inputs(self, scope: int, is_tangent: Sequence[bool]) -> set[int]:
        first = self._walk.scopes[scope].constants
        return {first + place for place, tangent in enumerate(is_tangent) if tangent}
