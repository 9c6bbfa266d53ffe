"""Makes edits of one or both of two calls of a jitted function, so that the calls have the same cache key.

Each edit wraps an argument as the user wrote it: `x` becomes `jnp.asarray(x, dtype=jnp.float32)` or `tuple(x)`. The
trial evaluates the edited arguments with types in place of the arrays, and compares the cache keys of both calls, and
the equations of each call before and after the edit.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...jax.hidden_events import unheard
from ...observe.cache.history_of_one_function import FunctionHistory, MissEvent
from ...observe.cache.key_texts import paths
from ...observe.cache.reason import Reason
from ...observe.cache.types_and_layouts_of_key import Leaf
from ...observe.observation import FoundCure
from ...observe.reprs_of_users_values import NOTHING_CALLED
from ..traced_result_types import Fixed, result_types
from ..trials.trial_time_limit import Budget
from .arguments_from_cache_keys import Arguments, arguments_of, as_specs, bound, have_one_key
from .calls_in_source_code import Text, call_at, calls_of, is_bound_around, is_repeated, text_of
from .code_of_equal_arguments import Side, Unchanged, edits_of_call, expressions
from .unchanged_outside_values import names_read

SAME_CALL_STYLE = "arguments passed in the same way in every call"
KINDS = frozenset({"weak_type", "dtype", "argument_type", "pytree", "call_style"})
_NUMBERS = ("bool", "int", "float", "complex")
_VALUE = "value_of_the_user"
_EXACT = 1 << 8
"""Every floating dtype represents each integer below this number exactly."""


def argument_cure(
    event: MissEvent, before: MissEvent, fun: Any, history: FunctionHistory, names: Mapping[str, Any], budget: Budget
) -> FoundCure | None:
    """Return the edits that give two calls one cache key; None if there are none, or their trial failed.

    Args:
        event: The call that missed.
        before: The closest earlier call.
        fun: The function without jit.
        history: The history of the function.
        names: The present values of the global names in the source code.
        budget: The time that is left for trials.

    Raises:
        Unchanged: There is a difference between the calls that no edit removes.
        Untried: The trial traced nothing; see result_types.Untried.
    """
    reasons = event.reasons or ()
    if not reasons or any(reason.kind not in KINDS for reason in reasons):
        return None
    later, earlier = (_side(call_event, fun, history.name, names) for call_event in (event, before))
    if later is None or earlier is None:
        return None
    if later.node is earlier.node:
        earlier.templates = later.templates
    for reason in reasons:
        _edit(reason, earlier, later, fun, names)
    # The reasons for a difference of types do not say whether both calls pass the same arguments by position, so this
    # is compared here.
    if (later.key.positional, later.key.keywords) != (earlier.key.positional, earlier.key.keywords):
        _restyle(earlier, later, fun)
    sides = [later] if later.node is earlier.node else [earlier, later]
    changed = [side for side in sides if side.templates or side.restyled]
    if not changed or any(side.text.file != later.text.file for side in changed):
        return None
    if any(_is_rebound(side.text, names_read(fun)) for side in sides):
        return None
    other_cells = _others(changed, (event, before), fun, history)
    if not _pass([earlier, later], fun, names, budget, one_key=True) or not _pass(
        list(other_cells), fun, names, budget
    ):
        return None
    changed += _hits_of(changed, sides, history, names)
    edits = tuple(edit for side in changed for edit in edits_of_call(side, fun))
    return FoundCure(_name(reasons), None, _text(reasons), "applies", edits)


def _is_rebound(text: Text, read: set[str]) -> bool:
    """Return whether source code assigns more than one value to a name that a function reads from outside.

    An earlier trace of the function may have read another value than the present one.
    """
    stored = [
        node
        for node in ast.walk(text.module)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in read)
    ]
    return any(is_repeated(text, node) for node in stored) or len({node.id for node in stored}) < len(stored)


def _name(reasons: tuple[Reason, ...]) -> str:
    kinds = {reason.kind for reason in reasons}
    if kinds == {"call_style"}:
        return SAME_CALL_STYLE
    return "one structure" if "pytree" in kinds else "one type"


def _text(reasons: tuple[Reason, ...]) -> str:
    if {reason.kind for reason in reasons} == {"call_style"}:
        return "With the edit, both calls pass their arguments in the same way, so they share one cache entry."
    return "With the edit, both calls pass arguments of the same types: JAX uses one compiled program for both calls."


def _side(event: MissEvent, fun: Any, name: str, names: Mapping[str, Any]) -> Side | None:
    place, key = event.place, event.key
    if place is None or key is None:
        return None
    text = text_of(place.file)
    node = None if text is None else call_at(text, place, name, names)
    passed = arguments_of(key, fun)
    if text is None or node is None or passed is None:
        return None
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        return None
    if key.options.donates or not key.is_of_now:
        return None
    return Side(text, node, key, passed)


def _edit(reason: Reason, earlier: Side, later: Side, fun: Any, names: Mapping[str, Any]) -> None:
    if reason.kind == "call_style":
        return
    argument = reason.argument or ""
    if not argument.isidentifier():
        raise Unchanged
    if reason.kind == "pytree":
        _restructure(argument, earlier, later, fun, names)
        return
    old, new = _leaf(earlier, argument), _leaf(later, argument)
    if reason.kind == "argument_type":
        for side, leaf in ((earlier, old), (later, new)):
            if leaf.holder != "jax.Array":
                side.templates[argument] = f"{_jnp(side, names)}.asarray({{}})"
        return
    _retype(argument, (earlier, old), (later, new), fun, names)


def _leaf(side: Side, argument: str) -> Leaf:
    for path, leaf in zip(paths(side.key, NOTHING_CALLED), side.key.leaves, strict=True):
        if path == argument:
            if leaf.committed or (leaf.sharding is not None and len(leaf.sharding.device_set) > 1):
                raise Unchanged
            return leaf
    raise Unchanged


def _retype(
    argument: str, earlier: tuple[Side, Leaf], later: tuple[Side, Leaf], fun: Any, names: Mapping[str, Any]
) -> None:
    """Edit an argument so that both calls pass the same dtype and weak type: the wider dtype, if it holds every value.

    An integer literal may become a float. For any other integer the value is unknown, and a float of 32 bits cannot
    represent all integers.
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
                side.templates[argument] = _builtin(float, side, names)
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
            jnp = _jnp(side, names)
            side.templates[argument] = f"{jnp}.asarray({{}}, dtype={jnp}.{dtype})"


def _check_literal(side: Side, argument: str, fun: Any) -> None:
    args, kwargs = expressions(side, fun)
    node = {**args, **kwargs}.get(argument)
    if not (isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < _EXACT):
        raise Unchanged


def _is_float(dtype: Any) -> bool:
    import jax

    return bool(jax.numpy.issubdtype(dtype, jax.numpy.floating))


def _jnp(side: Side, names: Mapping[str, Any]) -> str:
    import jax

    if names.get("jnp") is jax.numpy and not is_bound_around(side.text, side.node, "jnp"):
        return "jnp"
    if names.get("jax") is jax and not is_bound_around(side.text, side.node, "jax"):
        return "jax.numpy"
    raise Unchanged


def _builtin(kind: type, side: Side, names: Mapping[str, Any]) -> str:
    """Return the template of a conversion to a builtin class, such as `int({})`.

    Raise Unchanged if the code gives the name `int` another meaning.
    """
    name = kind.__name__
    if names.get(name, kind) is not kind or is_bound_around(side.text, side.node, name):
        raise Unchanged
    return f"{name}({{}})"


def _restructure(argument: str, earlier: Side, later: Side, fun: Any, names: Mapping[str, Any]) -> None:
    """Convert an argument of the later call from a list to a tuple, or the reverse, as in the earlier call."""
    values = [bound(fun, side.given) for side in (earlier, later)]
    kinds = [type(value.get(argument)) if value is not None else None for value in values]
    if kinds not in ([list, tuple], [tuple, list]):
        raise Unchanged
    assert kinds[0] is not None
    later.templates[argument] = _builtin(kinds[0], later, names)


def _restyle(earlier: Side, later: Side, fun: Any) -> None:
    """Edit the later call so that it passes the same arguments by position and by keyword as the earlier call.

    It also leaves out the same arguments.
    """
    if earlier.node is later.node:
        raise Unchanged
    signature = inspect.signature(fun)
    order = list(signature.parameters)
    args, kwargs = expressions(later, fun)
    written = {**args, **kwargs}
    positional = order[: earlier.key.positional]
    keywords = [name for name in order if name in earlier.key.keywords]
    ordered_names = [*positional, *keywords]
    if any(name not in written and name not in later.key.defaults for name in ordered_names):
        raise Unchanged
    if any(
        not _is_default(written[name], signature.parameters[name].default) for name in written.keys() - ordered_names
    ):
        raise Unchanged
    # The edit would drop comments between the arguments. It may also change the order in which Python evaluates the
    # arguments.
    if "#" in later.text.written(later.node) or not (
        [name for name in written if name in ordered_names] == [name for name in ordered_names if name in written]
        or all(map(_has_no_effect, written.values()))
    ):
        raise Unchanged
    later.restyled = positional, keywords
    later.statics = frozenset({*earlier.key.statics, *later.key.statics})


def _is_default(node: ast.expr, default: Any) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is type(default) and bool(node.value == default)


def _has_no_effect(node: ast.expr) -> bool:
    """Return whether evaluating an argument certainly changes no value that another argument of the call reads."""
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
    if any(isinstance(inner, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom) for inner in ast.walk(node)):
        return False
    return all(ast.unparse(called.func).startswith(("jnp.", "jax.numpy.")) for called in calls)


def _others(changed: Sequence[Side], apart: Sequence[MissEvent], fun: Any, history: FunctionHistory) -> Iterator[Side]:
    """Yield the earlier calls that the edits change, too: those that a repeated edited call may have made.

    Raises:
        Unchanged: The arguments of such a call are unknown.
    """
    repeated = [side for side in changed if is_repeated(side.text, side.node)]
    for old in history.events if repeated else ():
        if old in apart or not old.made_entry or old.function_object != apart[0].function_object or old.key is None:
            continue
        old_arguments = None if old.key.traced else arguments_of(old.key, fun)
        if old_arguments is None:
            raise Unchanged
        for side in repeated:
            if side.restyled is not None:
                raise Unchanged
            yield replace(side, key=old.key, given=old_arguments)


def _hits_of(
    changed: Sequence[Side], sides: Sequence[Side], history: FunctionHistory, names: Mapping[str, Any]
) -> list[Side]:
    """Return the other calls in the code that have the same text as an edited call, and did not miss.

    They need the same edit: without it, they would miss now.

    Raises:
        Unchanged: A call with another text did not miss, so it may use the cache entry of an edited call.
    """
    text = changed[0].text
    known = {ast.unparse(side.node): side for side in sides}
    missed = {(event.place.file, event.place.line) for event in history.events if event.place is not None}
    hits = []
    for node in calls_of(text, history.name, names):
        if any(node is side.node for side in sides) or (text.file, node.lineno) in missed:
            continue
        alike = known.get(ast.unparse(node))
        if alike is None:
            raise Unchanged
        if alike in changed:
            hits.append(replace(alike, node=node))
    return hits


def _pass(sides: Sequence[Side], fun: Any, names: Mapping[str, Any], budget: Budget, *, one_key: bool = False) -> bool:
    """Return whether each edited call computes the same as before.

    If `one_key` is True, all edited calls must also have the same cache key.
    """
    edited = [_edited(side, fun, names) for side in sides]
    if one_key and not all(have_one_key(edited[0], arguments) for arguments in edited[1:]):
        return False
    # For the two calls that get one key, `_retype` has already checked that converted numbers keep their value.
    if not one_key and any(
        _may_change_a_value(side.given, after) for side, after in zip(sides, edited, strict=True) if side.templates
    ):
        return False
    for side, after in zip(sides, edited, strict=True):
        types_before, types_after = (result_types(fun, *_specs(arguments), budget) for arguments in (side.given, after))
        if not types_before.is_as(types_after):
            return False
    return True


def _may_change_a_value(before: Arguments, after: Arguments) -> bool:
    """Return whether an edit converts an argument to a dtype that does not hold each value of the argument."""
    import jax

    leaves_before, leaves_after = (jax.tree_util.tree_leaves(_specs(arguments)) for arguments in (before, after))
    for old, new in zip(leaves_before, leaves_after, strict=True):
        dtypes = [jax.numpy.result_type(leaf) for leaf in (old, new) if type(leaf) is not Fixed]
        if len(dtypes) == 2 and (
            _is_float(dtypes[0]) != _is_float(dtypes[1]) or jax.numpy.promote_types(*dtypes) != dtypes[1]
        ):
            return True
    return False


def _specs(arguments: Arguments) -> Arguments:
    args, kwargs = as_specs(tuple(arguments))
    return Arguments(args, kwargs)


def _edited(side: Side, fun: Any, names: Mapping[str, Any]) -> Arguments:
    """Return the arguments that a call passes when the edits of the cure have been made."""
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
                static = name in side.statics or type(default) not in (bool, int, float, complex)
                values[name] = Fixed(default) if static else default
    return Arguments(tuple(values[name] for name in positional), {name: values[name] for name in keywords})


def _evaluated(template: str, value: Any, names: Mapping[str, Any]) -> Any:
    """Evaluate the edited expression of an argument, where the argument's value has types in place of arrays."""
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

    with unheard():
        return jax.eval_shape(run, *[leaves[place] for place in places])
