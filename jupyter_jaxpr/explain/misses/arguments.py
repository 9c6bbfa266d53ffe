"""A miss that its arguments made in, the edits of the two calls that give them one key out.

Each edit wraps an argument as the user wrote it: `x` becomes `jnp.asarray(x, dtype=jnp.float32)` or `tuple(x)`. The
trial evaluates the edited arguments with types in place of the arrays, and compares the keys of both calls and the
types of what the function gives.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...observe.cache.history import MissEvent
from ...observe.cache.keys import Key, Leaf, is_plain, paths
from ...observe.cache.reason import Reason
from ...observe.observation import Edit, FoundCure
from ...observe.value_texts import NOTHING_CALLED
from ..result_types import Fixed, Untried, result_types
from .keys import Arguments, arguments_of, as_specs, bound, have_one_key
from .written_calls import Text, call_at, text_of

KINDS = frozenset({"weak_type", "dtype", "argument_type", "pytree", "call_style"})
_NUMBERS = ("bool", "int", "float", "complex")
_VALUE = "value_of_the_user"
_EXACT = 1 << 8
"""Integers below are exact in every floating dtype."""


@dataclass(eq=False)
class _Side:
    """One of the two calls.

    Attributes:
        text: The text that the call is in.
        node: The call.
        key: Its key.
        given: Its arguments.
        templates: For an argument: the new text, with braces in the place of the text as it is.
        restyled: The positional arguments and the keywords of the edited call; None where they stay.
        statics: The names of the static arguments of either call.
    """

    text: Text
    node: ast.Call
    key: Key
    given: Arguments
    templates: dict[str, str] = field(default_factory=dict)
    restyled: tuple[list[str], list[str]] | None = None
    statics: frozenset[str] = frozenset()


class Unchanged(Exception):
    """There is no edit for a difference."""


def argument_cure(
    event: MissEvent, before: MissEvent, fun: Any, name: str, names: Mapping[str, Any]
) -> FoundCure | None:
    """The edits that give two calls one key; None where there are none, or their trial failed.

    Args:
        event: The call that missed.
        before: The closest earlier call.
        fun: The function without jit.
        name: Of the function.
        names: What the names of the text are now.
    """
    reasons = event.reasons or ()
    if not reasons or any(reason.kind not in KINDS for reason in reasons):
        return None
    later, earlier = (_side(each, fun, name, names) for each in (event, before))
    if later is None or earlier is None:
        return None
    if later.node is earlier.node:
        earlier.templates = later.templates
    try:
        for reason in reasons:
            _edit(reason, earlier, later, fun, names)
        # Of an argument with another type the reasons do not tell that it is passed in another way, too.
        if (later.key.positional, later.key.keywords) != (earlier.key.positional, earlier.key.keywords):
            _restyle(earlier, later, fun)
    except Unchanged:
        return None
    sides = [later] if later.node is earlier.node else [earlier, later]
    changed = [side for side in sides if side.templates or side.restyled]
    if not changed or not _passes(earlier, later, fun, names):
        return None
    try:
        edits = tuple(edit for side in changed for edit in _edits(side, fun))
    except Unchanged:
        return None
    return FoundCure(_name(reasons), None, _text(reasons), "applies", edits)


def _name(reasons: tuple[Reason, ...]) -> str:
    kinds = {reason.kind for reason in reasons}
    if kinds == {"call_style"}:
        return "one call style"
    return "one structure" if "pytree" in kinds else "one type"


def _text(reasons: tuple[Reason, ...]) -> str:
    if {reason.kind for reason in reasons} == {"call_style"}:
        return "Both calls pass their arguments in the same way, so they share one cache entry."
    return "Both calls pass arguments of the same types, so they share one cache entry."


def _side(event: MissEvent, fun: Any, name: str, names: Mapping[str, Any]) -> _Side | None:
    place, key = event.place, event.key
    if place is None or key is None:
        return None
    text = text_of(place.file)
    node = None if text is None else call_at(text, place, name, names)
    given = arguments_of(key, fun)
    if text is None or node is None or given is None:
        return None
    if any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
        return None
    return _Side(text, node, key, given)


def _edit(reason: Reason, earlier: _Side, later: _Side, fun: Any, names: Mapping[str, Any]) -> None:
    if reason.kind == "call_style":
        return
    argument = reason.argument or ""
    if not argument.isidentifier():
        raise Unchanged
    if reason.kind == "pytree":
        _restructure(argument, earlier, later, fun)
        return
    old, new = _leaf(earlier, argument), _leaf(later, argument)
    jnp = _jnp(names)
    if reason.kind == "argument_type":
        for side, leaf in ((earlier, old), (later, new)):
            if leaf.holder != "jax.Array":
                side.templates[argument] = f"{jnp}.asarray({{}})"
        return
    _retype(argument, (earlier, old), (later, new), jnp, fun)


def _leaf(side: _Side, argument: str) -> Leaf:
    for path, leaf in zip(paths(side.key, NOTHING_CALLED), side.key.leaves, strict=True):
        if path == argument:
            if leaf.committed or (leaf.sharding is not None and len(leaf.sharding.device_set) > 1):
                raise Unchanged
            return leaf
    raise Unchanged


def _retype(argument: str, earlier: tuple[_Side, Leaf], later: tuple[_Side, Leaf], jnp: str, fun: Any) -> None:
    """Give an argument one dtype and one weakness in both calls: the wider type, if that keeps every value.

    An integer that is written out may become a float. Of another integer the value is not known, and a float of 32
    bits does not hold all integers.
    """
    import jax

    (_, old), (_, new) = earlier, later
    if old.aval.shape != new.aval.shape:
        raise Unchanged
    holders = [leaf.holder for leaf in (old, new)]
    if all(holder in _NUMBERS for holder in holders):
        if sorted(holders) != ["float", "int"]:
            raise Unchanged
        for side, leaf in (earlier, later):
            if leaf.holder == "int":
                _check_literal(side, argument, fun)
                side.templates[argument] = "float({})"
        return
    strong = [leaf for leaf in (old, new) if not leaf.weak]
    if not strong:
        raise Unchanged
    dtype = strong[0].aval.dtype if len(strong) == 1 else jax.numpy.promote_types(old.aval.dtype, new.aval.dtype)
    for side, leaf in (earlier, later):
        if leaf.aval.dtype != dtype and not _is_float(leaf.aval.dtype):
            _check_literal(side, argument, fun)
        if leaf.aval.dtype != dtype and not _is_float(dtype):
            raise Unchanged
        if leaf.weak or leaf.aval.dtype != dtype or leaf.holder != "jax.Array":
            side.templates[argument] = f"{jnp}.asarray({{}}, dtype={jnp}.{dtype})"


def _check_literal(side: _Side, argument: str, fun: Any) -> None:
    args, kwargs = _expressions(side, fun)
    node = {**args, **kwargs}.get(argument)
    if not (isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < _EXACT):
        raise Unchanged


def _is_float(dtype: Any) -> bool:
    import jax

    return bool(jax.numpy.issubdtype(dtype, jax.numpy.floating))


def _jnp(names: Mapping[str, Any]) -> str:
    import jax

    if names.get("jnp") is jax.numpy:
        return "jnp"
    if names.get("jax") is jax:
        return "jax.numpy"
    raise Unchanged


def _restructure(argument: str, earlier: _Side, later: _Side, fun: Any) -> None:
    """Make a list of a tuple, or a tuple of a list, as the earlier call has it."""
    values = [bound(fun, side.given) for side in (earlier, later)]
    kinds = [type(each.get(argument)) if each is not None else None for each in values]
    if kinds not in ([list, tuple], [tuple, list]):
        raise Unchanged
    assert kinds[0] is not None
    later.templates[argument] = f"{kinds[0].__name__}({{}})"


def _restyle(earlier: _Side, later: _Side, fun: Any) -> None:
    """Write the later call as the earlier one is: by position or by keyword, with the same arguments left out."""
    if earlier.node is later.node:
        raise Unchanged
    signature = inspect.signature(fun)
    order = list(signature.parameters)
    args, kwargs = _expressions(later, fun)
    written = {**args, **kwargs}
    positional = order[: earlier.key.positional]
    keywords = [name for name in order if name in earlier.key.keywords]
    wanted = [*positional, *keywords]
    if any(name not in written and name not in later.key.defaults for name in wanted):
        raise Unchanged
    later.restyled = positional, keywords
    later.statics = frozenset({*earlier.key.statics, *later.key.statics})


def _expressions(side: _Side, fun: Any) -> tuple[dict[str, ast.expr], dict[str, ast.expr]]:
    """The expressions of a call by parameter: those given by position, and those given by keyword."""
    order = list(inspect.signature(fun).parameters)
    if len(side.node.args) > len(order):
        raise Unchanged
    args = dict(zip(order, side.node.args, strict=False))
    return args, {each.arg: each.value for each in side.node.keywords if each.arg is not None}


def _edits(side: _Side, fun: Any) -> list[Edit]:
    args, kwargs = _expressions(side, fun)
    written = {**args, **kwargs}
    if side.restyled is None:
        return [
            side.text.replaced(written[name], _filled(template, side.text.written(written[name]), written[name]))
            for name, template in side.templates.items()
        ]
    positional, keywords = side.restyled
    parts = [_new_text(side, written, name) for name in positional]
    parts += [f"{name}={_new_text(side, written, name)}" for name in keywords]
    return [side.text.replaced(side.node, f"{side.text.written(side.node.func)}({', '.join(parts)})")]


def _new_text(side: _Side, written: Mapping[str, ast.expr], name: str) -> str:
    if name not in written:
        value = side.key.defaults[name].value
        if not is_plain(value):
            raise Unchanged
        return repr(value)
    return _filled(side.templates.get(name, "{}"), side.text.written(written[name]), written[name])


def _filled(template: str, text: str, node: ast.expr) -> str:
    """A new text of an argument; a list that is written out becomes a tuple that is written out."""
    inside = text[1:-1].strip()
    if template == "tuple({})" and isinstance(node, ast.List) and inside:
        return f"({inside},)" if len(node.elts) == 1 else f"({inside})"
    if template == "list({})" and isinstance(node, ast.Tuple) and text.startswith("("):
        return f"[{inside}]"
    if template == "float({})" and isinstance(node, ast.Constant) and type(node.value) is int:
        return f"{text}.0"
    return template.format(text)


def _passes(earlier: _Side, later: _Side, fun: Any, names: Mapping[str, Any]) -> bool:
    """Whether both edited calls have one key, and each gives results of the types that it gives as it is."""
    try:
        edited = [_edited(side, fun, names) for side in (earlier, later)]
        if not have_one_key(*edited):
            return False
        for side, after in zip((earlier, later), edited, strict=True):
            types = [result_types(fun, *as_specs(tuple(given))) for given in (side.given, after)]
            if types[0] != types[1]:
                return False
    except (Untried, Unchanged, Exception):
        return False
    return True


def _edited(side: _Side, fun: Any, names: Mapping[str, Any]) -> Arguments:
    """The arguments of an edited call."""
    values = bound(fun, side.given)
    if values is None:
        raise Unchanged
    for name, template in side.templates.items():
        values[name] = _evaluated(template, values[name], names)
    if side.restyled is None:
        order = list(values)
        positional, keywords = order[: len(side.given.args)], list(side.given.kwargs)
    else:
        positional, keywords = side.restyled
        for name in (*positional, *keywords):
            if name not in values:
                default = inspect.signature(fun).parameters[name].default
                static = name in side.statics or not isinstance(default, int | float | complex)
                values[name] = Fixed(default) if static else default
    return Arguments(tuple(values[name] for name in positional), {name: values[name] for name in keywords})


def _evaluated(template: str, value: Any, names: Mapping[str, Any]) -> Any:
    """What the edited expression of an argument gives, for a value as types."""
    import jax

    if type(value) is Fixed:
        raise Unchanged
    code = compile(template.format(_VALUE), "<jupyter_jaxpr trial>", "eval")
    leaves, tree = jax.tree_util.tree_flatten(value)
    places = [number for number, leaf in enumerate(leaves) if type(leaf) is jax.ShapeDtypeStruct]

    def run(*inputs: Any) -> Any:
        filled = list(leaves)
        for place, array in zip(places, inputs, strict=True):
            filled[place] = array
        return eval(code, {**names, _VALUE: jax.tree_util.tree_unflatten(tree, filled)})

    return jax.eval_shape(run, *[leaves[place] for place in places])
