"""Makes the document of a call of a function without running the observer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import jax

from jupyter_jaxpr.build.document_of_run import Built, build
from jupyter_jaxpr.document.types.document import Cell, Environment
from jupyter_jaxpr.observe.observation import Observation, ObservedFunction, ObservedProgram

ENVIRONMENT = Environment(
    jupyter_jaxpr="0.1.0",
    python="3.13.0",
    jax=jax.__version__,
    jaxlib=jax.__version__,
    backend="cpu",
    device="cpu",
    device_count=1,
    tier="hooks",
    tier_note=None,
)


def traced(fun: Any, *args: Any) -> Any:
    """Return JAX's trace of a call."""
    jitted = fun if hasattr(fun, "trace") else jax.jit(fun)
    return jitted.trace(*args)


def program(trace: Any, *, compiled: bool = False) -> ObservedProgram:
    """Return a trace in the form in which the observer passes a program to the builder."""
    lowered = trace.lower() if compiled else None
    return ObservedProgram(
        "ran",
        trace.jaxpr,
        lowered=lowered,
        executable=lowered.compile() if lowered else None,
        traced=trace,
    )


def built(*programs: ObservedProgram, cell: Cell | None = None, cells: Mapping[str, Any] | None = None) -> Built:
    """Return the document of some programs, each with its own function."""
    functions = [
        ObservedFunction(f"f{number}", None, [program], top_level=True) for number, program in enumerate(programs)
    ]
    observation = Observation(functions=functions)
    return build(observation, cell, environment=ENVIRONMENT, run_id="run", cells=cells)


def in_cell(source: str, call: str, file: str = "/tmp/ipykernel_1/1.py") -> tuple[Built, Any]:
    """Run the text of a cell, and return the document of one call in it, with the trace."""
    cell = Cell(id="cell-1", execution_count=1, file=file, source=source)
    space: dict[str, Any] = {"jax": jax, "jnp": jax.numpy, "lax": jax.lax}
    exec(compile(source, file, "exec"), space)
    name, _, arguments = call.partition("(")
    trace = eval(f"{name}.trace({arguments}", space)
    return built(program(trace), cell=cell), trace


def normal(text: str) -> str:
    """Return a printed jaxpr without the line breaks and spaces that depend on its line width."""
    text = re.sub(r"\s+", " ", text.replace("; ", " "))
    return re.sub(r"(?<=[\[({]) | (?=[\])}])", "", text).strip()


_BINDER = re.compile(r"(?<![\w.])([a-z]+|_):(?=(?:[a-z]+\d*(?:_\w+)?|key<\w+>|Ref\{|~)[\[{])")


def binders(text: str) -> list[str]:
    """Return the names that a printed jaxpr binds, in the order of the text."""
    return _BINDER.findall(text)
