"""Adds traces that no call caused, such as those of `jax.make_jaxpr`, to the observation of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.functions_that_only_trace import TracedAhead
from ..functions.function_inside_wrappers import code_of, name_of, place_of
from ..observation import ObservedFunction, Place
from ..reprs_of_users_values import Reading
from .arguments_in_signature import CallShape, shape_of
from .programs_of_misses import KeptProgram
from .sentences_above_program import WITHOUT_CALL

TRACES_AHEAD = 64
"""The number of traces without a call that one run keeps."""


@dataclass(frozen=True)
class KeptTrace:
    """One trace that no call caused, kept until the end of the run.

    Attributes:
        ahead: JAX's record of the trace; the arguments are removed, because the record would keep them alive.
        shape: The names and static values of the arguments.
        place: The user's line that caused the trace.
        in_cell: True if the line is in the observed cell.
        position: The number of functions that the run had called before the trace.
    """

    ahead: TracedAhead
    shape: CallShape
    place: Place | None
    in_cell: bool
    position: int

    @staticmethod
    def of(ahead: TracedAhead, place: Place | None, in_cell: bool, position: int, reading: Reading) -> KeptTrace:
        """Return the record of a trace, which keeps no argument alive."""
        shape = shape_of(ahead.options, ahead.args, ahead.kwargs, reading=reading)
        return KeptTrace(replace(ahead, args=(), kwargs={}), shape, place, in_cell, position)

    def function(self) -> ObservedFunction:
        """Return the traced function with its program."""
        import jax

        traced, fun = self.ahead.traced, self.ahead.fun
        name = name_of(fun)
        program = KeptProgram(
            "traced", traced.jaxpr, None, traced=traced, shape=self.shape, out_tree=traced.out_tree, call=self.place
        )
        try:
            infos, tree = jax.tree_util.tree_flatten(traced.args_info, is_leaf=_is_info)
            program.in_tree, program.donated = tree, tuple(info.donated for info in infos)
        except not_of_a_signal(
            Exception
        ):  # a user's pytree class may accept only arrays as leaves: the arguments are then a flat list
            program.shape = None
        note = WITHOUT_CALL[self.ahead.by].format(name=name)
        observed = program.observed(True, note)
        observed.how = self._origin_words()
        return ObservedFunction(name=name, definition=place_of(code_of(fun)), programs=[observed], top_level=True)

    def _origin_words(self) -> str:
        by = self.ahead.by.removeprefix("jax.")
        verb = {"trace": "traced", "lower": "lowered", "export": "exported"}.get(by)
        if self.place is None or not self.in_cell:
            return f"{verb} ahead of a call" if verb is not None else f"traced by {by}"
        return f"{verb} on line {self.place.line}" if verb is not None else f"traced by {by}, line {self.place.line}"


def _is_info(node: Any) -> bool:
    return hasattr(node, "donated")


def with_traces(
    functions: Sequence[ObservedFunction], traces: Sequence[KeptTrace], fail: Callable[[BaseException], None]
) -> list[ObservedFunction]:
    """Return the functions of a run together with `traces`, in the order of time.

    A trace whose program is among the programs of the functions is left out.
    """
    ran = {id(program.jaxpr) for function in functions for program in function.programs}
    at: dict[int, list[ObservedFunction]] = {}
    for trace in traces:
        if id(trace.ahead.traced.jaxpr) not in ran:
            ran.add(id(trace.ahead.traced.jaxpr))
            try:
                at.setdefault(trace.position, []).append(trace.function())
            except not_of_a_signal(Exception) as error:  # one trace that cannot be shown must not hide the other traces
                fail(error)
    ordered: list[ObservedFunction] = []
    for position, function in enumerate(functions):
        ordered += [*at.pop(position, ()), function]
    return [*ordered, *(function for later in at.values() for function in later)]
