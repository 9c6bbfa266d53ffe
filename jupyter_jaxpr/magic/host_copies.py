"""Copies the arguments of the last calls to the host, so that the stepper can use them until the next observed cell."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from ..observe.observation import Observation

if TYPE_CHECKING:
    from ..observe.calls.held_or_gone_values import CallValues
    from ..observe.observer import Observer

# The most bytes of arguments that are copied to the host: for one call, and for all calls of a run.
_COPIED_OF_A_CALL, _COPIED_IN_ALL = 8_000_000, 64_000_000


class HostCopies:
    """The copies, on the host, of the arguments of one run.

    Attributes:
        values: The records of values for which copies were made.
    """

    def __init__(self, observer: Observer, guard: Callable[[str], AbstractContextManager[None]]) -> None:
        self._observer = observer
        self._guard = guard
        self.values: list[CallValues] = []

    def copy(self, observation: Observation) -> None:
        """Copy the arguments of each program's last call to the host, the last program first."""
        left = _COPIED_IN_ALL
        with self._guard("jupyter_jaxpr could not copy the arguments."), self._observer.looking_away():
            for function in reversed(observation.functions):
                for program in reversed(function.programs):
                    if program.values is None:
                        continue
                    size = program.values.copy_to_host(min(left, _COPIED_OF_A_CALL))
                    if size > 0:
                        left -= size
                        self.values.append(program.values)

    def drop(self) -> None:
        """Drop the copies of the previous run's arguments."""
        for values in self.values:
            values.drop_copies()
        self.values = []
