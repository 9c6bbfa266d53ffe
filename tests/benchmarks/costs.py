"""Measures how long the costs of a program take to compute, relative to JAX's trace and to XLA's own costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from documents import seconds
from rows import Row, microseconds, milliseconds
from sized_programs import mixed, sines, transformer

from jupyter_jaxpr.program.costs import Costs
from jupyter_jaxpr.program.costs.cost_table_by_line import by_line, by_primitive
from jupyter_jaxpr.program.costs.cost_trees_of_icicle import by_name_stack, by_scope
from jupyter_jaxpr.program.costs.executions_of_scopes_and_lines import runs_of
from jupyter_jaxpr.program.jaxpr.walk import Walk


def counted(walk: Walk, scope: int) -> None:
    """Count all operations and bytes of a program that the document shows."""
    costs = Costs(walk)
    runs = runs_of(costs, scope)
    by_line(costs, runs)
    by_primitive(costs, runs)
    by_scope(costs, scope, "f")
    by_name_stack(costs, runs, "f")


def equations() -> Iterator[Row]:
    """Measure how long the costs of a 12-layer transformer's training step and of two flat programs take."""
    step, arguments = transformer(12)

    def traced() -> Any:
        # Each run uses a new function, because JAX caches the traces of known functions.
        return jax.jit(lambda *values: step(*values)).trace(*arguments)

    yield from _rows("12-layer transformer step", traced, 0.1)
    yield from _rows("sin, 2,000 equations", lambda: jax.jit(sines(2_000)).trace(jnp.ones(8)), None)
    yield from _rows("mixed, 2,000 equations", lambda: jax.jit(mixed(2_000)).trace(jnp.ones(8)), None)


def _rows(program_kind: str, traced: Any, limit: float | None) -> Iterator[Row]:
    tracing = seconds(traced, 3)
    walk = Walk()
    scope = walk.program(traced().jaxpr)
    total = walk.scopes[scope].total
    counting = seconds(lambda: counted(walk, scope), 7)
    equation_seconds = counting / total
    figures = {"equations": total, "costs": counting, "trace": tracing}
    yield Row(
        what=f"costs, {program_kind} ({total:,} equations)",
        budget="3 us an equation",
        measured=f"{milliseconds(counting)} ({microseconds(equation_seconds)} an equation)",
        ratio=None,
        ok=equation_seconds <= 3e-6,
        figures=figures,
    )
    if limit is not None:
        yield Row(
            what=f"... against its trace ({milliseconds(tracing)})",
            budget=f"{limit:.2f} x",
            measured=milliseconds(counting),
            ratio=counting / tracing,
            ok=counting <= limit * tracing,
            figures=figures,
        )
