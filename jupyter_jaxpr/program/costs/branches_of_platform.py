"""Finds the branches and equations that JAX drops because it compiles a program for one platform.

`lax.platform_dependent`, and functions such as `jnp.diag`, have a branch for each platform. JAX compiles the branch of
the program's platform only, so no call of the program runs the other branches, or equations that only these branches
read.
"""

from __future__ import annotations

from typing import Any

from ..jaxpr.walk import Walk

#: JAX's name of a platform -> the names that `lax.platform_dependent` has for it.
_NAMES = {"gpu": ("cuda", "rocm", "oneapi")}
_CALLS = frozenset({"jit", "pjit", "closed_call", "remat", "remat2", "checkpoint"})


class BranchesOfPlatform:
    """The branches and equations of the scopes in a `Walk` that JAX drops for a platform; each is found once."""

    def __init__(self, walk: Walk, platform: str | None) -> None:
        """Store the scopes and the platform; without a platform, nothing is known to be dropped."""
        self._walk = walk
        self._names = () if platform is None else _NAMES.get(platform, (platform,))
        self._found: dict[int, tuple[frozenset[int], frozenset[int]]] = {}

    def branch(self, equation: Any) -> int | None:
        """Return the position of the branch that JAX compiles for the platform.

        None if a value chooses the branch, or if the platform is unknown.
        """
        platforms = equation.params.get("branches_platforms")
        if platforms is None:
            return None
        positions = {
            next((place for place, names in enumerate(platforms) if names is None or name in names), None)
            for name in self._names
        }
        return positions.pop() if len(positions) == 1 else None

    def dropped(self, scope: int) -> frozenset[int]:
        """Return the equations of a scope whose results only dropped branches read."""
        return self._of(scope)[0]

    def _of(self, scope: int) -> tuple[frozenset[int], frozenset[int]]:
        """Return (the equations, the inputs) of a scope that only dropped branches read."""
        found = self._found.get(scope)
        if found is None:
            unread = self._unread_operands(scope) if self._names else {}
            found = frozenset[int](), frozenset[int]()
            if unread:
                equations, inputs = self._read(scope, {})
                remaining_equations, remaining_inputs = self._read(scope, unread)
                found = frozenset(equations - remaining_equations), frozenset(inputs - remaining_inputs)
            self._found[scope] = found
        return found

    def _unread_operands(self, scope: int) -> dict[int, frozenset[int]]:
        """Return {equation with inner programs: its operands that only dropped branches read}."""
        strings, columns = self._walk.strings.items, self._walk.scopes[scope]
        programs: dict[int, list[tuple[str, int, int]]] = {}
        for equation, parameter, position, child in columns.children:
            programs.setdefault(equation, []).append((strings[parameter], position, child))
        unread: dict[int, frozenset[int]] = {}
        for index, inner in programs.items():
            equation, name = self._walk.jaxprs[scope].eqns[index], strings[columns.primitive[index]]
            operands = frozenset[int]()
            if name in _CALLS and len(inner) == 1:
                operands = self._of(inner[0][2])[1]
            elif name == "cond" and (kept := self.branch(equation)) is not None:
                read: set[int] = set()
                for label, position, child in inner:
                    if (label, position) == ("branches", kept):
                        # The first operand is the number of the branch.
                        read = {1 + operand for operand in self._read(child, self._unread_operands(child))[1]}
                operands = frozenset(range(len(equation.invars))) - read
            if operands:
                unread[index] = operands
        return unread

    def _read(self, scope: int, unread: dict[int, frozenset[int]]) -> tuple[set[int], set[int]]:
        """Return (the equations, the inputs) of a scope that its results need, if `unread` operands are not read."""
        jaxpr = self._walk.jaxprs[scope]
        needed: set[Any] = {variable for variable in jaxpr.outvars if not hasattr(variable, "val")}
        equations: set[int] = set()
        for index in reversed(range(len(jaxpr.eqns))):
            equation = jaxpr.eqns[index]
            if equation.effects or any(variable in needed for variable in equation.outvars):
                equations.add(index)
                skipped = unread.get(index, ())
                needed.update(
                    variable
                    for place, variable in enumerate(equation.invars)
                    if place not in skipped and not hasattr(variable, "val")
                )
        return equations, {place for place, variable in enumerate(jaxpr.invars) if variable in needed}
