"""Finds the function that is the body of a loop: its name, its line, and the names of its arguments and results.

JAX knows the argument and result paths of most bodies. If a transform lost them, or if a library wrapped the user's
body (`lax.map`, equinox's loops), they are read from the user's source.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..jaxpr.walk import Walk
from .callers_of_constructs import Callers
from .calls_in_user_source import Call, Written, definition, parameters, returned
from .debug_info_of_programs import Debug
from .rows_of_cards import Card
from .users_names import guessed_carry, into, only_leaf, renamed

_RESULT = "result"
#: For each function of `jax.lax`, the position and the name of the argument that is the loop's body.
_ARGUMENT = {
    "scan": (0, "f"),
    "map": (0, "f"),
    "fori_loop": (2, "body_fun"),
    "while_loop": (1, "body_fun"),
}
#: The carry of an equinox loop: three values of equinox under its own names, then the carry of the user.
_EQUINOX = re.compile(r"(?:val|x)\[([0-3])\]")
_EQUINOX_OWN = ("step", "pred", "prev_pred")
#: Loops for which JAX turns a carry leaf that no step changes into a constant.
_MOVES_CARRY = frozenset({"scan", "fori_loop"})
#: At most this many equations of a body are searched for an equation from the user's code.
_LOOKED_AT = 200

Function = ast.FunctionDef | ast.Lambda


class Body:
    """The function that is the body of a loop."""

    def __init__(
        self,
        card: Card,
        debug: Debug,
        call: Call | None,
        derivative: str,
        name: str = "",
        frame: int = -1,
        function: Function | None = None,
    ) -> None:
        self.name = name
        self.frame = frame
        self._card = card
        self._debug = debug
        self._call = call
        self._derivative = derivative
        self._function = function

    def input(self, index: int) -> str:
        """Return the name of an input in the body's own code, such as the name of the parameter."""
        path = _at(self._debug.arguments, index)
        equinox_path = _EQUINOX.match(path) if "equinox" in self._debug.file else None
        if equinox_path is not None and int(equinox_path.group(1)) < len(_EQUINOX_OWN):
            return _EQUINOX_OWN[int(equinox_path.group(1))]
        names = parameters(self._function)
        if equinox_path is not None and names:
            path = names[0] + path[equinox_path.end() :]
        elif equinox_path is not None and path[equinox_path.end() :].startswith("."):
            path = path[equinox_path.end() + 1 :]
        return renamed(path, self._function)

    def kept(self, index: int) -> bool:
        """Return whether a constant of the loop is a leaf of the user's carry, rather than a captured value.

        A captured value has no path among the arguments.
        """
        return self._debug.users and self._debug.traced_for in _MOVES_CARRY and bool(_at(self._debug.arguments, index))

    def carry(self, position: int, consts: int, count: int) -> str:
        """Return the user's name of a leaf of the carry."""
        if self._debug.arguments:
            return self.input(consts + position)
        if self._derivative == "transpose":
            return ""  # the carry of a backward loop consists of cotangents, which have no names
        parameter = 0
        if self._card.kind == "fori_loop":
            if position == 0:
                return _at(parameters(self._function), 0) or "i"
            position, count, parameter = position - 1, count - 1, 1
        return guessed_carry(count, self._function, parameter)[position]

    def y(self, index: int, count: int) -> str:
        """Return the user's name of a stacked output, from the assignment of the loop's result or from the body."""
        path = _at(self._debug.results, index)
        if self._derivative or (not path and count > 1):
            return ""  # the results and the residuals of a derivative cannot be distinguished
        returned_value = returned(self._function)
        is_map = self._card.kind == "map"
        if path:
            suffix: str | None = path.removeprefix(f"{_RESULT}[1]" if is_map else _RESULT)
        elif is_map:
            suffix = only_leaf(returned_value)
        else:
            pair = (
                returned_value.elts
                if isinstance(returned_value, ast.Tuple) and len(returned_value.elts) == 2
                else [None, None]
            )
            leaf = only_leaf(pair[1])
            suffix = None if leaf is None else f"[1]{leaf}"
        if suffix is None:
            return ""
        target = self._call.target if self._call is not None else None
        return into(target, suffix) or into(returned_value, suffix) or ""


class Bodies:
    """Finds the functions of loop bodies."""

    def __init__(self, walk: Walk, written: Written, callers: Callers) -> None:
        """Store the `Walk` of the programs, the reader of the user's source, and the finder of callers."""
        self._walk = walk
        self._written = written
        self._callers = callers

    def of(self, card: Card, debug: Debug, call: Call | None, derivative: str) -> Body:
        """Return the function of a card's body.

        Args:
            card: The card; its fields `kind` and `body` must be set.
            debug: JAX's debug information on the body.
            call: The user's call of the loop; None if its source is unknown.
            derivative: The part of a derivative to which the construct belongs, see `ReachedScope.derivative`.
        """
        argument = call.argument(*_ARGUMENT.get(card.kind, (0, "f"))) if call is not None else None
        lambda_ = argument if isinstance(argument, ast.Lambda) else None
        if debug.users:
            function = lambda_ or self._written.function(debug.file, debug.line)
            return Body(
                card,
                debug,
                call,
                derivative,
                debug.function,
                definition(self._walk.positions, self._written, debug),
                function,
            )
        if lambda_ is not None:
            return Body(card, debug, call, derivative, "<lambda>", card.frame, lambda_)
        if not isinstance(argument, ast.Name | ast.Attribute):
            return Body(card, debug, call, derivative)
        name = ast.unparse(argument)
        for frame in self._frames(card.body):
            around = self._written.function_around(frame, name.rpartition(".")[2])
            if around is not None:
                line, function = around
                file = self._walk.positions.files[self._walk.positions.frames[frame][0]].name
                return Body(card, debug, call, derivative, name, self._walk.positions.line(file, line, name), function)
        return Body(card, debug, call, derivative, name)

    def _frames(self, scope: int) -> Iterator[int]:
        """Yield the user frames of the equations of a body, also of its inner programs."""
        waiting, visited, looked = [scope], {scope}, 0
        for number in waiting:
            columns = self._walk.scopes[number]
            for stack in columns.stack[:_LOOKED_AT]:
                yield from self._callers.user_frames(stack)
                looked += 1
            if looked > _LOOKED_AT:
                return
            for *_, child in columns.children:
                if child not in visited:
                    visited.add(child)
                    waiting.append(child)


def _at(texts: Sequence[str], index: int) -> str:
    return texts[index] if index < len(texts) else ""
