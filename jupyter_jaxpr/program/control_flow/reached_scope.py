"""Holds a scope as reached by one path of calls: its equations in columns, its jaxpr, and the paths of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..jaxpr.scope_columns import ScopeColumns
from .callers_of_constructs import Caller
from .forward_or_backward import derivative_of
from .rows_of_cards import Step


@dataclass(slots=True)
class ReachedScope:
    """A scope, as reached by one path of calls from the outermost scope of the program.

    Attributes:
        inputs: for each constant and input of the scope: its path or name in the user's code, such as `p['w']`; empty
            if unknown.
        caller: the caller of the scope; it also counts as the caller of equations without a user frame.
        around: the name stacks of the enclosing equations, which show whether the scope belongs to a derivative.
    """

    number: int
    columns: ScopeColumns
    jaxpr: Any
    inputs: Sequence[str]
    caller: Caller
    steps: tuple[Step, ...]
    around: str = ""

    def derivative(self, name_stack: str) -> str:
        """Return the part of a derivative to which an equation belongs: `transpose` (backward pass), `jvp`, or ''."""
        return derivative_of(f"{self.around}/{name_stack}")
