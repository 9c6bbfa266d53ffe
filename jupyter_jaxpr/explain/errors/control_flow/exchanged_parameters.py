"""Finds a loop body whose two parameters have their names in the wrong order, such as body(carry, i) of fori_loop."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....observe.observation import FoundCure
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from .carried_indices import at_loop
from .carries import carry_around
from .loop_bodies import Body, body_and_place, body_of, passed_in_body

_OF_INDEX = frozenset("i j k t n idx index it iteration step".split())
_OF_CARRY = frozenset("carry c state s acc".split())
INDEX_FIRST = (
    "fori_loop passes the index first, and then the carry, but the first parameter of the body is {first_parameter}"
)
#: Loop -> the names by which a second parameter shows that the body expects the other order, and the error's title.
_ORDERS = {
    "fori_loop": (
        _OF_INDEX,
        INDEX_FIRST,
    ),
    "scan": (
        _OF_CARRY,
        "scan passes the carry first, and then the element of xs, but the first parameter of the body is "
        "{first_parameter}",
    ),
}

#: Loop -> the position of the body among its arguments.
_BODY_PLACES = {"fori_loop": 2, "scan": 0}


def exchanged_parameter_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains body(state, i) of fori_loop: the body, or a function that the body calls, takes the index for the state.

    The cure needs no trial if the body itself takes a part of the index, as of a dict or an object.
    """
    if raised is None or not isinstance(error, TypeError | AttributeError | IndexError | ValueError):
        return None
    takes_part = not isinstance(error, ValueError) and isinstance(
        raised.node, ast.Subscript | ast.Attribute | ast.Tuple
    )
    places = [raised, *(at_caller(raised, frame) for frame in reversed(raised.callers))]
    found = (exchanged_inside(at, is_tried=at is not raised or not takes_part) for at in places if at.loops is not None)
    explained = next((explained for explained in found if explained is not None), None)
    return explained or next(filter(None, (_in_another_cell(places[i], at) for i, at in enumerate(places[1:]))), None)


def _in_another_cell(inner: RaisedAt, loop: RaisedAt) -> Explained | None:
    """Explain a body that another cell defines.

    Args:
        inner: The place that the call of the loop led to, in the body.
        loop: The call of the loop.
    """
    call, frame = loop.node, inner.frame
    if not isinstance(call, ast.Call) or frame is None or inner.place.file == loop.place.file:
        return None
    name = called(call)
    place = _BODY_PLACES.get(name)
    if place is None or place >= len(call.args):
        return None
    if getattr(value_of(loop, call.args[place]), "__code__", None) is not frame.f_code:
        return None
    found = body_and_place(loop, call.args[place])
    exchanged = exchanged_parameters(loop, name, found[1], definition=found[0]) if found is not None else None
    return replace(exchanged, place=loop.place) if exchanged is not None else None


def exchanged_inside(raised: RaisedAt, is_tried: bool = False) -> Explained | None:
    """Explain an error in the body of a loop that takes its two arguments in the wrong order; None for other bodies.

    Args:
        raised: The place of the error in the body, or of the body's call that led to the error.
        is_tried: The exchanged parameters must pass their trial.
    """
    carry = carry_around(raised)
    outer = at_loop(raised, carry.loop) if carry is not None else None
    if carry is None or outer is None:
        return None
    name = called(carry.loop)
    place = _BODY_PLACES.get(name)
    if place is None or place >= len(carry.loop.args):
        return None
    exchanged = exchanged_parameters(outer, name, body_of(outer, carry.loop.args[place]), in_body=not is_tried)
    return replace(exchanged, place=outer.place) if exchanged is not None else None


def exchanged_parameters(
    raised: RaisedAt, name: str, body: Body | None, in_body: bool = False, definition: RaisedAt | None = None
) -> Explained | None:
    """Explain a body that takes its two arguments in the wrong order, unless exchanged parameters fail their trial.

    Args:
        raised: Where the error was raised.
        name: The name of the loop.
        body: The body of the loop; None if unknown.
        in_body: The body raised the error, because it uses an argument as the other argument. Then the cure may also
            be without a trial.
        definition: The place of the body; None if the body is in the file of the error.
    """
    if name not in _ORDERS or body is None or body.bound or len(body.parameters) != 2:
        return None
    names, title = _ORDERS[name]
    first, second = body.parameters
    if second not in names or first in names:
        return None
    arguments = [*body.function.args.posonlyargs, *body.function.args.args]
    if any(argument.annotation is not None for argument in arguments):
        return None
    at = definition or raised
    edits = [edit_of(at, over(argument, other)) for argument, other in zip(arguments, (second, first), strict=True)]
    cure = applied(FoundCure("the order", f"{second}, {first}", "Exchange the two parameters of the body."), edits)
    tried = [
        cure for cure in passed_in_body(raised, body.function, [cure], definition) if in_body or cure.level == "applies"
    ]
    if not tried:
        return None
    text = f"The parameters of the body are {first} and {second}."
    return Explained(None, title.format(first_parameter=first), text, tuple(tried))
