"""Holds a tool id of `sys.monitoring`. Other code may free and take this id at any time."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

HAS_MONITORING = sys.version_info >= (3, 12)


def monitoring() -> Any:
    """Return `sys.monitoring`.

    This function exists because type checkers for Python 3.11 do not know the module.
    """
    return vars(sys)["monitoring"]


class MonitoringTool:
    """A tool id of `sys.monitoring` that this package holds until `give_back`, or until other code takes the id.

    Any code may free an id and take it, so each change first checks that the id still has this package's name.
    """

    def __init__(self, number: int, name: str, callbacks: Mapping[int, Callable[..., Any]]) -> None:
        self.number = number
        self._name = name
        self._callbacks = callbacks
        for event, callback in callbacks.items():
            monitoring().register_callback(number, event, callback)

    @staticmethod
    def take(ids: Iterable[int], purpose: str, callbacks: Mapping[int, Callable[..., Any]]) -> MonitoringTool | None:
        """Take the first tool id that is free; return None if all are taken.

        Args:
            ids: The ids in the order of preference.
            purpose: A word that becomes part of the tool's name.
            callbacks: Event -> its callback.
        """
        name = f"jupyter_jaxpr {purpose} {next(_tool_numbers)}"
        for number in ids:
            if monitoring().get_tool(number) is None:
                monitoring().use_tool_id(number, name)
                return MonitoringTool(number, name, callbacks)
        return None

    @property
    def is_ours(self) -> bool:
        """True if this package still holds the tool id."""
        return bool(monitoring().get_tool(self.number) == self._name)

    def give_back(self) -> None:
        """Free the id if this package still holds it; only this package's callbacks are removed."""
        monitor, was_ours = monitoring(), self.is_ours
        if was_ours:
            monitor.set_events(self.number, 0)
        for event, callback in self._callbacks.items():
            registered = monitor.register_callback(self.number, event, None)
            if registered is not None and registered is not callback:
                monitor.register_callback(self.number, event, registered)
        if was_ours:
            monitor.free_tool_id(self.number)


_tool_numbers = itertools.count()
