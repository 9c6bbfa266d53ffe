"""Replaces parts of JAX so that each use of them is reported to this package.

- `TellingFunction`: a function of one of JAX's modules, which returns an object for a primitive.
- `TellingMethod`: a method of one of JAX's classes.
- `TellingModule`: a module that one of JAX's modules has imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from types import FrameType
from typing import Any


class TellingFunction:
    """Replaces a function in a module of JAX until `put_back`, and reports the objects that the function returns.

    A frame of ours is on the stack while JAX's function runs, and no longer while JAX uses the returned object.

    Args:
        module: The module of JAX.
        name: The name of the function, whose first argument is a primitive. Other attributes of the function, such as
            `cache_clear`, stay usable.
        primitives: The names of the primitives whose objects are reported. A call for another primitive takes 0.3 us
            longer.
        tell: Receives the returned object and the calling frame; must not raise.
    """

    def __init__(
        self, module: Any, name: str, primitives: frozenset[str], tell: Callable[[Any, FrameType], None]
    ) -> None:
        self._module = module
        self._name = name
        self._original = original = getattr(module, name)
        get_frame = sys._getframe

        def telling(primitive: Any, /, **params: Any) -> Any:
            result = original(primitive, **params)
            # a frame object takes time to make, so only the reported primitives get one
            if primitive.name in primitives:
                tell(result, get_frame(1))
            return result

        for attribute in dir(original):
            if not attribute.startswith("__"):
                setattr(telling, attribute, getattr(original, attribute))
        self._telling = telling
        setattr(module, name, telling)

    def put_back(self) -> None:
        """Restore the module; where other code has replaced the function since, that replacement stays."""
        if getattr(self._module, self._name) is self._telling:
            setattr(self._module, self._name, self._original)


class TellingMethod:
    """Replaces a method of a class until `put_back`, and reports each call of the method.

    To call a method, Python first gets the bound method from a descriptor. This descriptor reports the call and returns
    JAX's own method, so that no frame of this package is on the stack while JAX works, or in the traceback of an error.

    Args:
        owner: The class.
        name: The name of the method.
        tell: Called with the object whose method is called and the calling frame; must not raise.
    """

    def __init__(self, owner: type, name: str, tell: Callable[[Any, FrameType], None]) -> None:
        self._owner = owner
        self._name = name
        self._tell = tell
        self._original = owner.__dict__[name]
        setattr(owner, name, self)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the original method, bound, after reporting the call."""
        if instance is not None:
            self._tell(instance, sys._getframe(1))
        return self._original.__get__(instance, owner)

    def put_back(self) -> None:
        """Restore the class, unless other code has replaced the method since."""
        if self._owner.__dict__.get(self._name) is self:
            setattr(self._owner, self._name, self._original)
        self._tell = _nothing


class TellingModule:
    """Replaces a module in the namespace of a JAX module until `put_back`, and reports each use of some functions.

    To call a function of a module, Python first reads it from the module. The replacement reports this and returns the
    module's own function, so that no frame of this package is on the stack while the function runs.

    Args:
        holder: The JAX module that imported the other module.
        name: The name of the other module in `holder`.
        functions: The functions of the other module, such as `warn`.
        tell: Called with the frame that reads a function; must not raise.
    """

    def __init__(self, holder: Any, name: str, functions: Collection[str], tell: Callable[[FrameType], None]) -> None:
        self._holder = holder
        self._name = name
        self._functions = functions
        self._tell = tell
        self._original = getattr(holder, name)
        setattr(holder, name, self)

    def __getattr__(self, name: str) -> Any:
        if name in self._functions:
            self._tell(sys._getframe(1))
        return getattr(self._original, name)

    def put_back(self) -> None:
        """Restore the JAX module, unless other code has replaced the name since."""
        if getattr(self._holder, self._name) is self:
            setattr(self._holder, self._name, self._original)


def _nothing(instance: Any, frame: FrameType) -> None:
    """Report nothing; used by a descriptor that cannot be removed because other code has wrapped it."""
