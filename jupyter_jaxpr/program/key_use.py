"""Finds the random keys from which a program draws more than once.

Numbers that are drawn twice from one key are not independent; with equal shapes, they are equal. JAX's documentation
says so, and JAX checks it only where `jax_debug_key_reuse` is on. The rules here are those of
`jax.experimental.key_reuse`: a draw and a split use a key up, `fold_in` and `clone` do not.

Draws that are repeated on purpose are ignored: the second run of a checkpoint, and the backward pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..jax.loop_equations import scan_parts
from .jaxpr.parameters import open_jaxpr
from .jaxpr.walk import Walk

_USES_UP = frozenset({"random_bits", "random_split", "random_gamma"})
_SAME_KEY = frozenset({"random_wrap", "random_unwrap", "copy", "copy_p"})
_CALLS = frozenset({"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"})
_BACKWARD = "transpose("


@dataclass(frozen=True)
class KeyUse:
    """Two equations of a scope that use up one random key, or one scan whose steps all use up one random key.

    Attributes:
        scope: The scope in the walk.
        first: The earlier equation.
        again: The later equation; equal to `first` for a scan.
    """

    scope: int
    first: int
    again: int


def count_key_uses(jaxpr: Any) -> int:
    """Count the equations of a jaxpr, without inner ones, that use a key which is already used up."""
    uses: list[tuple[int, int]] = []
    _Reader().read(jaxpr, uses)
    return len(uses)


def draws_from(jaxpr: Any, name: str) -> frozenset[tuple[int, ...]]:
    """Return the shapes of the random numbers that a program draws from an argument itself, not from derived keys.

    Args:
        jaxpr: The program.
        name: The name of the argument.
    """
    opened = open_jaxpr(jaxpr)
    if opened is None:
        return frozenset()
    names = getattr(opened.debug_info, "arg_names", None) or ()
    places = [position for position, argument in enumerate(names) if argument == name]
    if len(names) != len(opened.invars) or len(places) != 1:
        return frozenset()
    return _drawn(opened, places[0])


def _drawn(jaxpr: Any, place: int) -> frozenset[tuple[int, ...]]:
    aliases = {jaxpr.invars[place]}
    shapes: frozenset[tuple[int, ...]] = frozenset()
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        places = [
            position
            for position, operand in enumerate(equation.invars)
            if not hasattr(operand, "val") and operand in aliases
        ]
        if not places:
            continue
        if name in _SAME_KEY:
            aliases.add(equation.outvars[0])
        elif name == "random_bits":
            shapes |= {tuple(equation.params["shape"])}
        elif name in _CALLS:
            inner = open_jaxpr(equation.params.get("jaxpr", equation.params.get("call_jaxpr")))
            if inner is not None:
                for position in places:
                    shapes |= _drawn(inner, position) if position < len(inner.invars) else frozenset()
    return shapes


class KeyUses:
    """Finds the keys that the programs of a walk use twice; each scope is read once."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._reader = _Reader()

    def of(self, scopes: list[int]) -> Iterator[KeyUse]:
        """Yield the uses in these scopes: the scopes of one program, with those inside of it."""
        if self._walk.primitives(scopes).isdisjoint(_USES_UP):
            return
        for number in scopes:
            uses: list[tuple[int, int]] = []
            self._reader.read(self._walk.jaxprs[number], uses)
            for first, second in uses:
                yield KeyUse(number, first, second)


class _Reader:
    """Reads the uses of keys in jaxprs, each jaxpr inside of others once."""

    def __init__(self) -> None:
        self._used_up: dict[int, frozenset[int]] = {}  # the inputs that a jaxpr uses up, by the id of the jaxpr

    def read(self, jaxpr: Any, repeated_uses: list[tuple[int, int]]) -> frozenset[int]:
        """Return the inputs that a jaxpr uses up; add the pairs of equations that use one key up to the list."""
        roots: dict[Any, Any] = {}
        users: dict[Any, int] = {}
        for at, equation in enumerate(jaxpr.eqns):
            name = equation.primitive.name
            if name in _SAME_KEY:
                operand = equation.invars[0]
                if not hasattr(operand, "val"):
                    roots[equation.outvars[0]] = roots.get(operand, operand)
                continue
            if _BACKWARD in str(equation.source_info.name_stack):
                continue
            for position, in_each_step in self._used_by(name, equation):
                operand = equation.invars[position]
                if hasattr(operand, "val"):  # the operand is a literal
                    continue
                key = roots.get(operand, operand)
                if key in users:
                    repeated_uses.append((users[key], at))
                elif in_each_step:
                    repeated_uses.append((at, at))
                users.setdefault(key, at)
        return frozenset(position for position, variable in enumerate(jaxpr.invars) if variable in users)

    def _inputs(self, jaxpr: Any) -> frozenset[int]:
        """Return the positions of the inputs of a program that are keys and that the program uses up."""
        opened = open_jaxpr(jaxpr)
        if opened is None:
            return frozenset()
        used_up = self._used_up.get(id(opened))
        if used_up is None:
            used_up = self._used_up[id(opened)] = self.read(opened, [])
        return used_up

    def _used_by(self, name: str, equation: Any) -> Iterator[tuple[int, bool]]:
        """Yield the position of each operand that is a key which the equation uses up, and whether more than once."""
        params = equation.params
        if name in _USES_UP:
            yield 0, False
        elif name in _CALLS:
            inner = params.get("jaxpr", params.get("call_jaxpr"))
            for position in sorted(self._inputs(inner)):
                if position < len(equation.invars):
                    yield position, False
        elif name == "scan":
            parts = scan_parts(params)
            for position in sorted(self._inputs(params["jaxpr"])):
                yield position, position < parts.consts and (parts.length or 0) > 1
        elif name == "cond":
            used = [self._inputs(branch) for branch in params["branches"]]
            for position in sorted(frozenset.intersection(*used)):  # the keys that every branch uses up
                yield position + 1, False
