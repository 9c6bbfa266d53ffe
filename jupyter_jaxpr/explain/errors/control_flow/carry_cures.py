"""Makes the cures of a carry whose arrays change their types in a step: one cure changes all these arrays."""

from __future__ import annotations

import ast
import copy
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....joined_names import in_a_sentence
from ....observe.observation import Edit, FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, result_of
from ..message_tables.jax_messages import FLOAT_QUOTIENT
from .carry_expressions import assigned_value, body_and_carry, function_of_body, returned_carry, start_at
from .loop_bodies import body_of
from .reduced_carries import reduction_in_step
from .returned_leaves import leaf_at, promoted_dtype

_ABSTRACT_TYPE = re.compile(r"(\w+)\[([\d,]*)\]")
_GROWING = frozenset("concatenate append stack vstack hstack column_stack insert pad tile repeat expand_dims".split())
_GROWS = (
    "A carry cannot grow from step to step. Return only the new part as the step's second result, which scan stacks."
)
_GROWS_ELSE = "A carry cannot grow from step to step. Use lax.scan, which stacks the second results of its steps."
#: JAX names the carry of a fori_loop loop_carry[1].
_OF_FORI_LOOP = "loop_carry[1]"
_AT_MOST = 4  # a sentence names at most this many arrays


@dataclass(frozen=True)
class Change:
    """An array of the carry whose type changes in a step.

    Attributes:
        path: The path of the array in JAX's message, such as c['a'].
        before: The type that the step receives, such as int32[3].
        after: The type that the step returns.
    """

    path: str
    before: str
    after: str

    @property
    def dtypes(self) -> tuple[str, str]:
        """The dtypes that the step receives and returns."""
        return self.before.partition("[")[0], self.after.partition("[")[0]

    @property
    def has_other_shape(self) -> bool:
        """Whether the step returns another shape than the step receives."""
        return self.before.partition("[")[2] != self.after.partition("[")[2]

    @property
    def widens(self) -> bool:
        """Whether JAX promotes the two dtypes to the dtype that the step returns."""
        return promoted_dtype(*self.dtypes) == self.dtypes[1]

    @property
    def is_of_floats(self) -> bool:
        """Whether the step receives and returns floats."""
        return all("float" in dtype for dtype in self.dtypes)

    @property
    def name(self) -> str:
        """The path in the words of the user's code."""
        return "the carry" if self.path == _OF_FORI_LOOP else self.path.replace(_OF_FORI_LOOP, "carry")


def carry_cures(raised: RaisedAt | None, changes: Sequence[Change]) -> list[FoundCure]:
    """Return the cures of a carry whose arrays change their types. They are not yet tried.

    Args:
        raised: Where the error was raised.
        changes: The arrays that change; at least one.
    """
    for change in changes:
        if change.has_other_shape:
            return _cures_of_shape(raised, change)
    if len(changes) > 1 and not all(change.widens for change in changes):
        mixed = _mixed_conversions(raised, changes)
        return [*mixed, *_at_end(raised, changes)]
    return [_at_start(raised, changes), *_at_end(raised, changes)]


def _cures_of_shape(raised: RaisedAt | None, change: Change) -> list[FoundCure]:
    before, after = change.before, change.after
    if not _is_growing(raised, change):
        words = f"Return an array of the type {before} as the new carry."
        if (reduced := reduction_in_step(raised, change.path, before, after)) is not None:
            return [reduced]
        if (broadcast := _start_with_shape(raised, change)) is not None:
            return [broadcast, FoundCure("same shape", None, words)]
        if before.count(",") == after.count(",") and _may_start_with(raised, change):
            words = (
                f"Return an array of the type {before} as the new carry, or pass an array of the type {after} as "
                "the initial carry."
            )
        return [FoundCure("same shape", None, words)]
    grows = _GROWS if called(raised.node if raised is not None else None) == "scan" else _GROWS_ELSE
    words = "Pass an array of the final shape as the initial carry, and set its elements with .at[i].set(...)."
    return [FoundCure("same shape", None, words), FoundCure("ys", None, grows)]


def _start_with_shape(raised: RaisedAt | None, change: Change) -> FoundCure | None:
    """Return the cure that starts with the shape of the returned carry, to which the start can be broadcast.

    None if there is none. A start such as jnp.zeros(8) gets an edit. Another start gets advice if JAX can trace the
    loop with an array of the returned type, and if the array has more axes: otherwise the sentence of the other cure
    says so.
    """
    leaf = start_at(raised, change.path)
    sizes_before, sizes_after = (_sizes(type_) for type_ in (change.before, change.after))
    if raised is None or leaf is None or sizes_before is None or sizes_after is None:
        return None
    if change.dtypes[0] != change.dtypes[1] or not _is_broadcast(sizes_before, sizes_after):
        return None
    shape = repr(sizes_after)
    name = f"start with the shape {shape}"
    words = f"Start with the shape {shape}. Each step then receives and returns an array of this shape."
    start = assigned_value(raised, leaf)
    code = _with_shape(raised, start, shape)
    if code is not None:
        tried = passed(raised, [applied(FoundCure(name, code, words), [edit_of(raised, over(start, code))])])
        # A cure without code had no trial.
        return tried[0] if tried and tried[0].code is not None else None
    if len(sizes_before) in (0, len(sizes_after)) or not _may_start_with(raised, change):
        return None
    return FoundCure(name, None, words)


def _sizes(type_: str) -> tuple[int, ...] | None:
    match = _ABSTRACT_TYPE.fullmatch(type_)
    return None if match is None else tuple(int(size) for size in match[2].split(",") if size)


def _is_broadcast(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Return whether an array of the first shape can be broadcast to the second shape."""
    aligned = after[len(after) - len(before) :]
    return len(before) <= len(after) and all(size in (1, wanted) for size, wanted in zip(before, aligned, strict=True))


def _with_shape(raised: RaisedAt, start: ast.expr, shape: str) -> str | None:
    """Return a call of zeros, ones or full with another shape; None for other code."""
    if called(start) not in ("zeros", "ones", "full") or not isinstance(start, ast.Call):
        return None
    arguments = [raised.source(argument) for argument in start.args]
    named = {keyword.arg or "": raised.source(keyword.value) for keyword in start.keywords}
    if "" in named or any(isinstance(argument, ast.Starred) for argument in start.args):
        return None
    if "shape" in named:
        named["shape"] = shape
    elif arguments:
        arguments[0] = shape
    else:
        return None
    arguments += [f"{name}={value}" for name, value in named.items()]
    return f"{raised.source(start.func)}({', '.join(arguments)})"


def _at_start(raised: RaisedAt | None, changes: Sequence[Change]) -> FoundCure:
    """Return the cure that starts with the types which the step returns."""
    dtypes = in_a_sentence([*dict.fromkeys(change.dtypes[1] for change in changes)])
    name = f"start with {dtypes}"
    if len(changes) == 1:
        text = f"Convert the initial carry to {dtypes}. Then each step receives {dtypes}."
    elif " " not in dtypes:
        text = f"In the initial carry, convert {_names(changes)} to {dtypes}. Then each step receives {dtypes}."
    else:
        conversions = in_a_sentence([f"{change.name} to {change.dtypes[1]}" for change in changes], _AT_MOST)
        text = f"In the initial carry, convert {conversions}. Then each step receives these types."
    cure = FoundCure(name, None, text)
    edits = [_edit_at_start(raised, change) for change in changes]
    if raised is None or not all(change.widens for change in changes):
        return cure
    found = [edit for edit in edits if edit is not None]
    if len(found) != len(changes):
        found = [edit for edit in [_edit_of_whole_start(raised, changes)] if edit is not None]
    if not found:
        return cure
    body = body_and_carry(raised)
    is_of_integers = any("int" in change.dtypes[0] and not _number(raised, change) for change in changes)
    if (
        is_of_integers
        and body is not None
        and _needs_integer_division(raised, function_of_body(body_of(raised, body[0])))
    ):
        # A conversion to float may not be intended, because a 32-bit float cannot represent all integers.
        words = f"The body divides with /. {FLOAT_QUOTIENT} For floats, convert the initial carry to {dtypes}."
        return FoundCure("// or floats", None, words)
    return applied(FoundCure(name, found[0].text, text), found)


def _number(raised: RaisedAt, change: Change) -> str | None:
    """Return the integer that the initial carry has as a literal at the place of the change; None for other code."""
    leaf = start_at(raised, change.path)
    source = "" if leaf is None else raised.source(leaf)
    match = re.fullmatch(rf"{re.escape(jnp_name(raised))}\.\w*int\d+\((-?\d+)\)|(-?\d+)", source)
    return None if match is None else match[1] or match[2]


def _edit_at_start(raised: RaisedAt | None, change: Change) -> Edit | None:
    """Return the edit that converts one array of the initial carry; None if the code does not show the array."""
    leaf = start_at(raised, change.path)
    if raised is None or leaf is None:
        return None
    jnp, dtype = jnp_name(raised), change.dtypes[1]
    number = _number(raised, change)
    code = f"{jnp}.{dtype}({number})" if number else f"{jnp}.asarray({raised.source(leaf)}, {jnp}.{dtype})"
    return edit_of(raised, over(leaf, code))


def _edit_of_whole_start(raised: RaisedAt, changes: Sequence[Change]) -> Edit | None:
    """Return the edit that converts all arrays of the initial carry; None if an array would keep another dtype."""
    import jax

    parts, dtypes = body_and_carry(raised), {change.dtypes[1] for change in changes}
    if parts is None or raised.frame is None or len(dtypes) != 1:
        return None
    dtype = dtypes.pop()
    leaves: list[Any] = jax.tree_util.tree_leaves(value_of(raised, parts[1]))
    others = [leaf for leaf in leaves if dtype_of(leaf) != dtype]
    if not leaves or len(others) != len(changes):
        return None
    jnp = jnp_name(raised)
    code = f"jax.tree.map(lambda leaf: {jnp}.asarray(leaf, {jnp}.{dtype}), {raised.source(parts[1])})"
    return edit_of(raised, over(parts[1], code))


def _at_end(raised: RaisedAt | None, changes: Sequence[Change]) -> list[FoundCure]:
    """Return the cure that keeps the types of the initial carry; empty if a float would become an integer.

    If each step rounds a float carry to an integer, the condition of a while_loop may never become false.
    """
    if not all(change.is_of_floats for change in changes):
        return []
    dtypes = in_a_sentence([*dict.fromkeys(change.dtypes[0] for change in changes)])
    name = f"stay {dtypes}"
    text = f"Convert the new carry back to {dtypes} at the end of each step. The conversion may lose digits."
    if len(changes) > 1:
        conversions = f"{_names(changes)} back to {dtypes}"
        if " " in dtypes:
            conversions = in_a_sentence([f"{change.name} to {change.dtypes[0]}" for change in changes], _AT_MOST)
        text = f"At the end of each step, convert {conversions}. The conversion may lose digits."
    edits = [edit for change in changes if (edit := _edit_at_end(raised, change)) is not None]
    cure = FoundCure(name, edits[0].text if edits else None, text)
    return [applied(cure, edits) if len(edits) == len(changes) else FoundCure(name, None, text)]


def _edit_at_end(raised: RaisedAt | None, change: Change, with_function: bool = False) -> Edit | None:
    """Return the edit that converts one array of the returned carry; None if the code does not show the array.

    Args:
        raised: Where the error was raised.
        change: The array.
        with_function: Convert with jnp.asarray: if another edit changes the initial carry, a trial does not know that
            the array has a method astype.
    """
    parts = body_and_carry(raised)
    if raised is None or parts is None:
        return None
    result = returned_carry(result_of(function_of_body(body_of(raised, parts[0]))), called(raised.node))
    leaf = leaf_at(result, change.path, raised) if result is not None else None
    if leaf is None:
        return None
    source, dtype = raised.source(leaf), change.dtypes[0]
    code = f"{source if isinstance(leaf, ast.Name | ast.Call) else f'({source})'}.astype('{dtype}')"
    if with_function:
        code = f"{jnp_name(raised)}.asarray({source}, {jnp_name(raised)}.{dtype})"
    return edit_of(raised, over(leaf, code))


def _mixed_conversions(raised: RaisedAt | None, changes: Sequence[Change]) -> list[FoundCure]:
    """Return the cure that converts some arrays at the start and the others at the end of each step."""
    if not all(change.widens or change.is_of_floats for change in changes):
        return []
    at_start = [change for change in changes if change.widens]
    if not at_start:
        return []
    at_end = [change for change in changes if not change.widens]
    edits = [
        *(_edit_at_start(raised, change) for change in at_start),
        *(_edit_at_end(raised, change, with_function=True) for change in at_end),
    ]
    started = in_a_sentence([f"{change.name} to {change.dtypes[1]}" for change in at_start], _AT_MOST)
    ended = in_a_sentence([f"{change.name} back to {change.dtypes[0]}" for change in at_end], _AT_MOST)
    text = f"In the initial carry, convert {started}. At the end of each step, convert {ended}."
    cure = FoundCure("one type for each array", None, text)
    found = [edit for edit in edits if edit is not None]
    return [applied(cure, found) if len(found) == len(edits) else cure]


def _names(changes: Sequence[Change]) -> str:
    return in_a_sentence([change.name for change in changes], _AT_MOST)


def _is_growing(raised: RaisedAt | None, change: Change) -> bool:
    """Return whether the loop body makes its carry larger, with concatenate, append or stack."""
    types = [_ABSTRACT_TYPE.fullmatch(type_) for type_ in (change.before, change.after)]
    parts = body_and_carry(raised)
    if raised is None or parts is None or types[0] is None or types[1] is None:
        return False
    sizes = [math.prod(int(size) for size in type_[2].split(",") if size) for type_ in types if type_ is not None]
    body = function_of_body(body_of(raised, parts[0]))
    return sizes[1] > sizes[0] and body is not None and any(called(node) in _GROWING for node in ast.walk(body))


def _may_start_with(raised: RaisedAt | None, change: Change) -> bool:
    """Return whether JAX can trace the loop with an initial carry of the type that the step returns."""
    leaf, given = start_at(raised, change.path), _ABSTRACT_TYPE.fullmatch(change.after)
    if raised is None or leaf is None or given is None:
        return False
    jnp = jnp_name(raised)
    sizes = "".join(f"{size}, " for size in given[2].split(",") if size)
    edit = edit_of(raised, over(leaf, f"{jnp}.zeros(({sizes.rstrip()}), '{given[1]}')"))
    tried = passed(raised, [applied(FoundCure("same shape", None, ""), [edit])])
    return any(cure.level == "applies" for cure in tried)


def _divides(raised: RaisedAt, body: AnyFunction | None, changes: Sequence[Change]) -> bool:
    """Return whether the code that computes one of the changed arrays may use /. The answer saves a trial."""
    result = returned_carry(result_of(body), called(raised.node))
    leaves = [leaf_at(result, change.path, raised) if result is not None else None for change in changes]
    if body is None or None in leaves:
        return body is not None
    nodes: list[ast.AST] = [node for leaf in leaves if leaf is not None for node in ast.walk(leaf)]
    assignments = [node for node in ast.walk(body) if isinstance(node, ast.Assign | ast.AugAssign)]
    names: set[str] = set()
    while new := {node.id for node in nodes if isinstance(node, ast.Name)} - names:
        names |= new
        for assignment in assignments:
            stores = [part for part in ast.walk(assignment) if isinstance(part, ast.Name) and part.id in new]
            if any(isinstance(part.ctx, ast.Store) for part in stores):
                nodes += [assignment, *ast.walk(assignment.value)]
    return any(isinstance(getattr(node, "op", None), ast.Div) for node in nodes)


def _needs_integer_division(raised: RaisedAt, body: AnyFunction | None) -> bool:
    """Return whether the carry keeps its types if the loop body divides with // in place of /.

    Another / may belong to an array of the carry that does not change its type, and // of floats gives a float: only a
    trial shows that / changes the types.
    """
    if body is None:
        return False
    new_body = copy.deepcopy(body)
    divisions = [
        node
        for node in ast.walk(new_body)
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div)
    ]
    if not divisions:
        return False
    for node in divisions:
        node.op = ast.FloorDiv()
    if isinstance(new_body, ast.FunctionDef):
        new_body.decorator_list = []  # the edit does not replace the lines of the decorators
    edit = edit_of(raised, over(body, ast.unparse(new_body)))
    tried = passed(raised, [applied(FoundCure("//", None, FLOAT_QUOTIENT), [edit])])
    return any(cure.level == "applies" for cure in tried)
