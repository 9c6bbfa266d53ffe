"""Finds the caller of a construct in the stack of its equation: JAX's function, the line, and the library.

The library frames of a stack are outermost first: the first frame is the function that the user's line called. If that
function is a control-flow function of `jax.lax`, the user called the construct directly; otherwise a library function
uses control flow inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...document.control_constructs import CONTROL_KINDS
from ..jaxpr.pools import Strings
from ..source.positions import Positions
from .calls_in_user_source import Written
from .names_of_library_modules import module_name

_ROOM = "jax/_src/lax/control_flow/"
#: Matches the files of equinox's loops. A card shows a loop of equinox like a loop of JAX.
_EQUINOX = re.compile(r"equinox/internal/_loop/")
_EQUINOX_KINDS = {"while_loop": "while_loop", "scan": "scan", "checkpointed_while_loop": "while_loop"}


@dataclass(frozen=True)
class Caller:
    """The caller of a control-flow construct: the user's line, or a library.

    Attributes:
        kind: the `jax.lax` function that the user called, such as scan; None if the frames do not show it.
        frame: the index of the innermost user frame; -1 if unknown.
        library: the library function that called the construct, such as jnp.median; None if the user's line called it.
        inside: true for an equation in a construct's body; the caller is then that construct.
    """

    kind: str | None
    frame: int
    library: str | None
    inside: bool = False


class Callers:
    """Finds the callers of constructs in the stacks of equations."""

    def __init__(self, positions: Positions, strings: Strings, written: Written) -> None:
        """Store the pools with the frames of stacks, and the reader of the user's source."""
        self._written = written
        self._positions = positions
        self._strings = strings
        self._known: dict[int, Caller] = {}

    def of(self, stack: int, inherited: Caller) -> Caller:
        """Return the caller of an equation.

        Args:
            stack: The stack of the equation.
            inherited: The caller of the enclosing equation, which also counts for equations without a user frame.
        """
        caller = self._known.get(stack)
        if caller is None:
            caller = self._known[stack] = self._read(stack)
        if caller.frame >= 0:
            if caller.frame == inherited.frame and inherited.inside:
                # The equation is in the body of the enclosing construct (`inherited`), so the body function made the
                # equation.
                return Caller(caller.kind, caller.frame, inherited.library or caller.library)
            return caller
        if inherited.kind is not None and inherited.library is None:
            # An equation inside of a custom rule or a jit belongs to the same call as the equation around it.
            return Caller(inherited.kind, inherited.frame, None)
        library = inherited.library or caller.library
        if library is None and caller.kind is not None:
            # The stack does not name the library, so the name of the function that the user's line calls is used.
            library = self._written.called(inherited.frame) or "a library"
        return Caller(caller.kind, inherited.frame, library)

    def functions(self, stack: int) -> list[str]:
        """Return the names of the library functions of a stack, outermost first."""
        if stack < 0:
            return []
        return [self._strings.items[self._positions.frames[frame][1]] for frame in self._positions.stacks[stack][1]]

    def is_branching(self, stack: int) -> bool:
        """Return whether a library function of a stack is `cond` or `switch`."""
        if stack < 0 or not self._positions.stacks[stack][1]:
            return False
        return any(self._named(frame)[1] in ("cond", "switch") for frame in self._positions.stacks[stack][1])

    def user_frames(self, stack: int) -> list[int]:
        """Return the user frames of a stack, innermost first."""
        return self._positions.stacks[stack][0] if stack >= 0 else []

    def _read(self, stack: int) -> Caller:
        if stack < 0:
            return Caller(None, -1, None)
        user, library = self._positions.stacks[stack]
        frame = user[0] if user else -1
        named = [self._named(number) for number in library]
        kind = next((kind for _, kind in named if kind is not None), None)
        if not named or named[0][1] is not None:
            return Caller(kind, frame, None)
        called = self._written.called(frame) or next((name for name, _ in named if "._" not in name), named[0][0])
        return Caller(kind, frame, called)

    def _named(self, frame: int) -> tuple[str, str | None]:
        """Return the public name of a library function, and which control-flow function it is (None if it is none)."""
        file, function = self._positions.frames[frame][:2]
        path = self._positions.files[file].path
        qualified = self._strings.items[function]
        plain = qualified.partition(".<locals>")[0]
        if path.startswith(_ROOM) and plain in CONTROL_KINDS:
            return f"lax.{plain}", plain
        if _EQUINOX.match(path) and plain in _EQUINOX_KINDS:
            return f"equinox.{plain}", _EQUINOX_KINDS[plain]
        return f"{module_name(path)}.{plain}", None
