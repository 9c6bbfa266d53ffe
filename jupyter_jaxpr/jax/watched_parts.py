"""Parts of JAX that tell us that they are used, without being called by us.

- `TellingMethod`: a method of one of JAX's classes.
- `TellingModule`: a module that one of JAX's modules has imported.
"""

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


class TellingModule:
    """Stands in the place of a module among the names of one of JAX's modules, until `put_back`.

    Python asks the module for a function before it calls the function. The stand-in tells us then, and gives the
    module's own function: no frame of ours is on the stack while the function runs.

    Args:
        holder: The module of JAX that imported the other one.
        name: Of the other one in there.
        function: Of the other one, such as `warn`.
        tell: Gets the frame that asks for the function; must not raise.
    """

    def __init__(self, holder: Any, name: str, function: str, tell: Callable[[FrameType], None]) -> None:
        self._holder = holder
        self._name = name
        self._function = function
        self._tell = tell
        self._original = getattr(holder, name)
        setattr(holder, name, self)

    def __getattr__(self, name: str) -> Any:
        if name == self._function:
            self._tell(sys._getframe(1))
        return getattr(self._original, name)

    def put_back(self) -> None:
        """Leave JAX's module as it was; where someone else has replaced the name since, the new one stays."""
        if getattr(self._holder, self._name) is self:
            setattr(self._holder, self._name, self._original)


def _nothing(instance: Any, frame: FrameType) -> None:
    """Where the descriptor has to stay, the descriptor tells nobody."""
