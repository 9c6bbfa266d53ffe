"""A method of one of JAX's classes that tells us that it is called, without being called by us."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class TellingMethod:
    """Stands in the place of a method until `put_back`.

    Python asks a method's descriptor for the bound method before it calls the method. The descriptor tells us then, and
    gives JAX's own method: no frame of ours is on the stack while JAX works, nor in the traceback of an error.

    Args:
        owner: The class.
        name: Of the method.
        tell: Gets the object of the call and the frame that calls; must not raise.
    """

    def __init__(self, owner: type, name: str, tell: Callable[[Any, FrameType], None]) -> None:
        self._owner = owner
        self._name = name
        self._tell = tell
        self._original = owner.__dict__[name]
        setattr(owner, name, self)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The original method, bound."""
        if instance is not None:
            self._tell(instance, sys._getframe(1))
        return self._original.__get__(instance, owner)

    def put_back(self) -> None:
        """Leave the class as it was; where someone else has replaced the method since, the new one stays."""
        if self._owner.__dict__.get(self._name) is self:
            setattr(self._owner, self._name, self._original)
        self._tell = _nothing


def _nothing(instance: Any, frame: FrameType) -> None:
    """Where the descriptor has to stay, the descriptor tells nobody."""
