"""Traces without a call in, such as those of `jax.make_jaxpr`, functions of the observation with their programs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..jax.ahead import TracedAhead
from .arguments import CallShape, shape_of
from .functions import code_of, name_of, place_of
from .observation import ObservedFunction, Place
from .programs import KeptProgram
from .value_texts import Reading

TRACES_AHEAD = 64
"""Traces without a call that one run keeps."""

_NOTES = {
    "jax.make_jaxpr": "jax.make_jaxpr traced {name}. JAX ran nothing for it.",
    "jax.eval_shape": "jax.eval_shape traced {name} for the shapes of its results. JAX ran nothing for it.",
    "eval_shape": "{name}.eval_shape() traced {name} for the shapes of its results. JAX ran nothing for it.",
    "trace": "{name}.trace() traced {name}. The cell did not call {name} itself.",
    "lower": "{name}.lower() traced and lowered {name}. The cell did not call {name} itself.",
    "jax.export": "jax.export traced and lowered {name}. The cell did not call {name} itself.",
}


@dataclass(frozen=True)
class KeptTrace:
    """One trace without a call, until the run is over.

    Attributes:
        ahead: What JAX was asked for; without the arguments, which would be kept alive.
        shape: How the call is written.
        place: The user's line.
        position: How many functions of the run had been called before.
    """

    ahead: TracedAhead
    shape: CallShape
    place: Place | None
    position: int

    @staticmethod
    def of(ahead: TracedAhead, place: Place | None, position: int, reading: Reading) -> KeptTrace:
        """Read what is needed of a trace."""
        shape = shape_of(ahead.options, ahead.args, ahead.kwargs, reading=reading)
        return KeptTrace(replace(ahead, args=(), kwargs={}), shape, place, position)

    def function(self) -> ObservedFunction:
        """The function that was traced, with this program."""
        import jax

        traced, fun = self.ahead.traced, self.ahead.fun
        infos = jax.tree_util.tree_leaves(traced.args_info, is_leaf=_is_info)
        name = name_of(fun)
        program = KeptProgram(
            "traced",
            traced.jaxpr,
            None,
            traced=traced,
            shape=self.shape,
            in_tree=jax.tree_util.tree_structure(traced.args_info, is_leaf=_is_info),
            out_tree=traced.out_tree,
            donated=tuple(info.donated for info in infos),
            call=self.place,
        )
        note = _NOTES[self.ahead.by].format(name=name)
        observed = program.observed(True, note)
        observed.how = self._how()
        return ObservedFunction(name=name, definition=place_of(code_of(fun)), programs=[observed], top_level=True)

    def _how(self) -> str:
        by = self.ahead.by.removeprefix("jax.")
        made = {"trace": "traced", "lower": "lowered", "export": "exported"}.get(by)
        if made is not None:
            return f"{made} ahead of a call" if self.place is None else f"{made} on line {self.place.line}"
        return f"traced by {by}" if self.place is None else f"traced by {by}, line {self.place.line}"


def _is_info(node: Any) -> bool:
    return hasattr(node, "donated")


def with_traces(functions: Sequence[ObservedFunction], traces: Sequence[KeptTrace]) -> list[ObservedFunction]:
    """The functions of a run in the order in which they were called or traced; a program that ran is there once."""
    ran = {id(program.jaxpr) for function in functions for program in function.programs}
    at: dict[int, list[ObservedFunction]] = {}
    for trace in traces:
        if id(trace.ahead.traced.jaxpr) not in ran:
            ran.add(id(trace.ahead.traced.jaxpr))
            at.setdefault(trace.position, []).append(trace.function())
    found: list[ObservedFunction] = []
    for position, function in enumerate(functions):
        found += [*at.pop(position, ()), function]
    return [*found, *(function for later in at.values() for function in later)]
