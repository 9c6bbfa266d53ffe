"""Explains a call of apply of a flax module that gets the parameters alone, or too few collections of variables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of, own_name
from ...trials.trial_of_error_cure import passed
from ..arguments.tree_differences import keys_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.origins import dtype_of, operands, type_of_new_array, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller

_EMPTY = re.compile(r"Tried to access \"\w+\" from collection \"(\w+)\" in \".*?\" but the collection is empty")
_NO_COLLECTIONS = re.compile(r"The first argument passed to an apply function should be a dictionary of collections")
_CONTAINS = re.compile(r"__contains__: unsupported operand type <class 'str'>")
_EXTRA = re.compile(r"Expect the `variables` \(first argument\) passed to apply\(\) to be a dict .* an extra params")
_COLLECTIONS = "apply takes a dict with a key for each collection of variables. The key of the parameters is 'params'."


def module_variables_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains model.apply(params, x), where apply takes the dict {'params': params}."""
    text = " ".join(message_of(error).split())
    if raised is not None and raised.frame is not None and _CONTAINS.search(text):
        return next(
            (_no_variables(at, at.node) for at in _calls_of_apply(raised) if isinstance(at.node, ast.Call)), None
        )
    empty, is_flat, is_extra = _EMPTY.search(text), _NO_COLLECTIONS.search(text), _EXTRA.search(text)
    if raised is None or raised.frame is None or not (empty or is_flat or is_extra):
        return None
    at = next(_calls_of_apply(raised), None)
    call = at.node if at is not None else None
    if at is None or not isinstance(call, ast.Call):
        return None
    node = next((keyword.value for keyword in call.keywords if keyword.arg == "variables"), None)
    node = node or (call.args[0] if call.args else None)
    if node is None or isinstance(node, ast.Starred):
        return None
    if is_extra:
        return _extra_layer(at, node)
    keys = keys_of(at, node)
    if not keys:
        return None
    source = " ".join(at.source(node).split())
    collection = empty[1] if empty is not None else "params"
    listed = in_a_sentence([repr(key) for key in sorted(keys)], 4)
    has = f"{source} has the keys {listed}." if len(keys) > 1 else f"The only key of {source} is {listed}."
    title = f"The dict that apply receives has no key '{collection}'"
    if "params" in keys and collection not in keys:
        words = f"Pass the whole dict that init returned, or a dict that has the key '{collection}', too."
        return Explained(at.place, title, f"{_COLLECTIONS} {has}", (FoundCure("collections", None, words),))
    if "params" in keys:
        return None
    code = f"{{'params': {source}}}"
    words = f"With {code}, apply finds the arrays of {source} in the collection 'params'."
    cure = applied(FoundCure("params", code, words), [edit_of(at, over(node, code))])
    tried = [*passed(at, [cure]), *_whole_dict(at, node)][:1]
    general = FoundCure("params", None, "Pass the whole dict that init of this module returned.")
    return Explained(at.place, title, f"{_COLLECTIONS} {has}", tuple(tried) or (general,))


def _no_variables(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains net.apply(x), whose first argument is an array, not the variables of the module."""
    first = call.args[0] if call.args else None
    if first is None or not (dtype_of(value_of(raised, first)) or type_of_new_array(raised, first)):
        return None
    first_argument = " ".join(raised.source(first).split())
    title = f"apply takes the variables as its first argument, but gets {first_argument}"
    text = operands(raised, [first], type_of_new_array)
    space = namespace(raised)
    names = [name for name in raised.module_names if type(space.get(name)) is dict and "params" in space[name]]
    words = "Pass the dict that init returned as the first argument of apply, and then the arguments of the module."
    if len(names) != 1:
        return Explained(raised.place, title, text, (FoundCure("the variables", None, words),))
    code = f"{names[0]}, {raised.source(first)}"
    dict_name = names[0]
    named = f"Pass {dict_name} as the first argument: this dict has the key 'params'."
    cure = applied(FoundCure("the variables", code, named), [edit_of(raised, over(first, code))])
    return Explained(
        raised.place, title, text, tuple(passed(raised, [cure])) or (FoundCure("the variables", None, words),)
    )


def _whole_dict(raised: RaisedAt, node: ast.expr) -> list[FoundCure]:
    """Return the cure that passes `variables` in place of `variables['params']`. Empty if the cure fails its trial."""
    if not isinstance(node, ast.Subscript) or "params" not in (keys := keys_of(raised, node.value) or set()):
        return []
    code = raised.source(node.value)
    listed = in_a_sentence([repr(key) for key in sorted(keys)], 4)
    words = (
        f"Pass {code} itself, which has the keys {listed}."
        if len(keys) > 1
        else f"Pass {code} itself, which has the key {listed}."
    )
    tried = passed(raised, [applied(FoundCure("params", code, words), [edit_of(raised, over(node, code))])])
    return [cure for cure in tried if cure.code is not None]


def _calls_of_apply(raised: RaisedAt) -> Iterator[RaisedAt]:
    """Yield the places of calls of apply that led to the error, the innermost first."""
    for place in (raised, *(at_caller(raised, frame) for frame in reversed(raised.callers))):
        if isinstance(place.node, ast.Call) and place.frame is not None:
            function = value_of(place, place.node.func)
            if called(place.node) in ("apply", "apply_fn") or own_name(function, "__name__") == "apply":
                yield place


def _extra_layer(raised: RaisedAt, node: ast.expr) -> Explained:
    """Explains {'params': variables} where the dict `variables` itself already has the key 'params'."""
    title = "The dict that apply receives has the key 'params' twice, one inside the other"
    words = "Pass only the inner dict, the value of the outer key 'params': the dict that init returned."
    cure = FoundCure("params", None, words)
    if isinstance(node, ast.Dict) and len(node.values) == 1:
        code = raised.source(node.values[0])
        words = f"Pass {code} itself: this dict has the key 'params' already."
        edit = applied(FoundCure("params", code, words), [edit_of(raised, over(node, code))])
        cure = next(iter(passed(raised, [edit])), cure)
        # without a trial, the cure shows the whole line as its code
        if cure.code is None and isinstance(raised.node, ast.Call):
            whole = " ".join(raised.source(raised.node).split())
            cure = replace(cure, code=whole.replace(" ".join(raised.source(node).split()), code, 1))
    return Explained(raised.place, title, _COLLECTIONS, (cure,))
