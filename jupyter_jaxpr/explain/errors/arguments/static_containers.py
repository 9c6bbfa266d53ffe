"""Makes the edits for a static argument that is a dict or an array: not static, or a tuple of the entries."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from ....interruptions import not_of_a_signal
from ....jax.facts import is_jitted
from ....jax.options_of_jit import jit_options
from ....jax.transform_and_inputs_of_tracer import RaisedCall
from ....observe.observation import Edit, FoundCure, Place
from ....plain_text import own_name
from ...trials.trial_in_callers import Outcome
from ...trials.trial_of_error_cure import passed, traced_with
from ..failing_code.called_names import called
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from .jits_in_code import jits_of
from .static_argument_edits import is_hashed, jit_with, parameters_of

NOT_STATIC = "Without {name} in the static arguments, JAX traces {name}, and compiles once for all values of {name}."


def not_static_cure(raised: RaisedAt, call: ast.Call, name: str) -> list[FoundCure]:
    """Return the cure that takes an argument out of the static arguments of jax.jit, if JAX can trace the argument.

    Args:
        raised: The place of the failing call.
        call: The call of the jitted function.
        name: The parameter that is static.
    """
    function = value_of(raised, call.func)
    jit = _jit_of(raised, function)
    code = _without(raised, jit.node, name, parameters_of(function)) if jit is not None else None
    if jit is None or code is None:
        return []
    words = NOT_STATIC.format(name=name)
    cure = applied(FoundCure("not static", code, words), [Edit(jit.place, code)])
    return [tried for tried in passed(raised, [cure]) if tried.level == "applies"]


def other_static_cure(raised: RaisedAt, call: ast.Call, name: str) -> list[FoundCure]:
    """Return the cure of a static array that makes another argument of the call static, such as a number of steps.

    If no other argument must be static, the cure only takes the array out of the static arguments. Both are tried by a
    trace of the function with the arguments of the call.

    Args:
        raised: The place of the failing call.
        call: The call of the jitted function.
        name: The parameter that is static and gets an array.
    """
    found = _static_call(raised, call)
    if found is None:
        return []
    raised_call, values, every_static = found
    plain, parameters = raised_call.function, parameters_of(raised_call.function)
    statics = [static for static in every_static if static != name]
    others = [other for other in values if other not in (name, *statics) and is_hashed(values[other])]
    for added in ((), *((other,) for other in others)):
        if traced_with(raised_call, values, [*statics, *added]) == "traced":
            break
    else:
        return []
    if not added:
        jit = _jit_of(raised, plain, plain.__code__)
        without = _without(raised, jit.node, name, parameters) if jit is not None else None
        if jit is None or without is None:
            return []
        words = NOT_STATIC.format(name=name)
        return [applied(FoundCure("not static", without, words), [Edit(jit.place, without)])]
    other = added[0]
    words = (
        f"{plain.__name__} needs the value of {other}, and can trace {name}. Make {other} static in place of {name}."
    )
    option, code = f'static_argnames="{other}"', plain.__code__
    cure = jit_with(raised, plain.__name__, option, "static_argnames", words, parameters, code=code, without=[name])
    return [cure] if cure.edits else [FoundCure(cure.name, None, words)]


def outcome_with_hash(raised: RaisedAt, call: ast.Call) -> Outcome:
    """Trace the function of a call whose static argument has no hash as if the argument had a hash.

    JAX raises this error before it calls the function. "untried" if the values of the arguments are unknown.

    Args:
        raised: The place of the failing call.
        call: The call of the jitted function.
    """
    found = _static_call(raised, call)
    if found is None:
        return "untried"
    raised_call, values, statics = found
    return traced_with(raised_call, values, statics)


def _static_call(raised: RaisedAt, call: ast.Call) -> tuple[RaisedCall, dict[str, Any], list[str]] | None:
    """Return a call of a jitted function, its arguments by parameter, and its static parameters; None if unknown."""
    function, owners = value_of(raised, call.func), []
    if function is None and isinstance(call.func, ast.Attribute):
        owner = value_of(raised, call.func.value)
        function, owners = vars(type(owner)).get(call.func.attr), [owner]
    elif is_jitted(vars(type(function)).get("__call__")):
        function, owners = vars(type(function))["__call__"], [function]
    plain, options = getattr(function, "__wrapped__", None), jit_options(function)
    if type(plain) is not FunctionType or options is None:
        return None
    args = [*owners, *(_value(raised, node) for node in call.args)]
    keywords = {keyword.arg: _value(raised, keyword.value) for keyword in call.keywords if keyword.arg is not None}
    parameters = parameters_of(plain)
    if any(value is None for value in [*args, *keywords.values()]):
        return None
    try:
        bound = inspect.signature(plain).bind(*args, **keywords)
    except not_of_a_signal(TypeError):
        return None
    values = dict(bound.arguments)
    numbered = [parameters[number] for number in options.static_numbers if number < len(parameters)]
    statics = [static for static in {*numbered, *options.static_names} if static in values]
    return RaisedCall(plain, tuple(args), keywords), values, statics


def _value(raised: RaisedAt, node: ast.expr) -> Any:
    return node.value if isinstance(node, ast.Constant) else value_of(raised, node)


class _Jit(NamedTuple):
    """The call of jax.jit, or of partial with jax.jit, that makes a jitted function.

    Attributes:
        place: The place of the call.
        node: The call.
    """

    place: Place
    node: ast.Call


def _jit_of(raised: RaisedAt, function: Any, code: CodeType | None = None) -> _Jit | None:
    """Return the only jit of a function in the failing code; with the code of the function, also in its own cell."""
    jits = list(jits_of(raised, own_name(function, "__name__") or "", code=code))
    if len(jits) != 1:
        return None
    file, scope, node, _ = jits[0]
    if not isinstance(node, ast.Call) or node.end_lineno is None or node.end_col_offset is None:
        return None
    return _Jit(Place(file, node.lineno, scope, node.col_offset, node.end_lineno, node.end_col_offset), node)


def _called_directly(raised: RaisedAt, jit: ast.Call, keywords: Sequence[str]) -> str:
    """Return the code of a jit with other options; `partial(jax.jit, ...)` becomes `jax.jit(...)`."""
    maker, *arguments = map(raised.source, [jit.func, *jit.args])
    if called(jit) == "partial" and arguments:
        maker, *arguments = arguments
    return f"{maker}({', '.join([*arguments, *keywords])})" if keywords or arguments else maker


def _without(raised: RaisedAt, jit: ast.Call, name: str, parameters: list[str]) -> str | None:
    """Return the code of a jit without an argument in its static arguments; None if the options are no literals."""
    keywords = []
    is_found = False
    for keyword in jit.keywords:
        if keyword.arg not in ("static_argnums", "static_argnames"):
            keywords.append(raised.source(keyword))
            continue
        try:
            written = ast.literal_eval(keyword.value)
        except not_of_a_signal(ValueError):
            return None
        elements = list(written) if isinstance(written, tuple | list) else [written]
        others = [element for element in elements if not _is_parameter(element, name, parameters)]
        is_found = is_found or len(others) < len(elements)
        if others:
            elements = [f'"{other}"' if type(other) is str else repr(other) for other in others]
            keywords.append(f"{keyword.arg}=({', '.join(elements)}{',' * (len(elements) == 1)})")
    if not is_found:
        return None
    return _called_directly(raised, jit, keywords)


def _is_parameter(element: Any, name: str, parameters: list[str]) -> bool:
    """Return whether an element of static_argnums or static_argnames stands for a parameter."""
    if type(element) is int and -len(parameters) <= element < len(parameters):
        return parameters[element] == name
    return bool(element == name)


def entries_cure(raised: RaisedAt, call: ast.Call, name: str, node: ast.expr) -> list[FoundCure]:
    """Return the cure that passes the entries of a static dict as a tuple, from which the function makes the dict.

    Args:
        raised: The place of the failing call.
        call: The call of the jitted function.
        name: The parameter that is static.
        node: The code of the dict.
    """
    function_name = own_name(value_of(raised, call.func), "__name__")
    function, jit = function_of_text(raised, function_name), _jit_of(raised, value_of(raised, call.func))
    if not isinstance(function, ast.FunctionDef) or jit is None:
        return []
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    if not body:
        return []
    first = f"{name} = dict({name})\n{raised.source_of_statement(body[0])}"
    changes: list[Change] = [over(body[0], first), over(node, f"tuple(sorted({raised.source(node)}.items()))")]
    words = f"Python can hash a tuple of the entries of {name}, and {function_name} makes a dict from the tuple."
    edits = [edit_of(raised, change) for change in changes]
    cure = FoundCure("a tuple", changes[1][2], words)
    # The trial calls jax.jit itself, because a trial calls no partial.
    direct = _called_directly(raised, jit.node, [*map(raised.source, jit.node.keywords)])
    tried = passed(raised, [applied(cure, [Edit(jit.place, direct), *edits])])
    return [applied(cure, edits) for passed_cure in tried if passed_cure.level == "applies"]
