"""Measures how long a diff of two programs takes, relative to printing both programs with JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from documents import observed, seconds
from rows import Row, milliseconds

from jupyter_jaxpr.build import document_of_run as snapshot_build
from jupyter_jaxpr.build.texts.diff_of_two_programs import diff_runs
from jupyter_jaxpr.build.versions_and_devices import environment


def chain(count: int, first: Any, last: Any, dtype: str = "float32") -> Callable[..., Any]:
    """Return a function of `count` equations; two such functions differ in three equations, or in the dtype of all."""

    def chain(x):
        x = first(x.astype(dtype))
        for number in range(count // 4):
            y = jnp.sin(x) * jnp.cos(x)
            x = y + x
            if number == count // 8:
                x = last(x)
        return last(x)

    return chain


def edits() -> Iterator[Row]:
    """Measure diffs: three changed equations of many, another dtype in all equations, and no change."""
    for count, times in ((1_000, 7), (10_000, 5), (100_000, 1)):
        traced = [
            jax.jit(chain(count, *kind)).trace(jnp.ones(8))
            for kind in ((jnp.sin, jnp.exp), (jnp.tan, jnp.log), (jnp.tan, jnp.log, "bfloat16"))
        ]
        built = [
            snapshot_build.build(observed(trace, "chain"), None, environment=environment(), run_id=f"benchmark{number}")
            for number, trace in enumerate(traced)
        ]
        sides = [(built_run.document, built_run.sources) for built_run in built]
        equations = built[0].document.programs[0].equations
        printing = seconds(lambda traced=traced: [str(trace.jaxpr) for trace in traced[:2]], times)
        for edit, edited in (("nothing changed", 0), ("3 changed", 1), ("every dtype changed", 2)):
            took = seconds(lambda sides=sides, other=edited: diff_runs(sides[0], 0, sides[other], 0), times)
            yield Row(
                what=f"diff, {equations:,} equations, {edit}",
                budget="2 x str(jaxpr) of both",
                measured=milliseconds(took),
                ratio=took / printing,
                ok=took <= 2 * printing,
                figures={"equations": equations, "diff": took, "str_jaxpr_of_both": printing},
            )
