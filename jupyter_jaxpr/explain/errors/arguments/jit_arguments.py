"""Explains errors about an argument of a jitted call: which argument is wrong, and what to pass instead."""

from __future__ import annotations

import ast
import difflib
import re
import types
from dataclasses import replace
from typing import Any

from ....jax.options_of_jit import jit_options
from ....jax.transform_and_inputs_of_tracer import type_of
from ....joined_names import in_a_sentence
from ....observe.functions.function_inside_wrappers import code_of
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....observe.side_effects.harmless_functions import is_jitted
from ....observe.user_or_library.library_functions import is_of_jax as is_function_of_jax
from ....observe.user_or_library.whose_code import is_jax
from ....plain_text import file_of, message_of, mro_of, own_name
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over, replacing, shown
from ..failing_code.module_names import namespace
from ..failing_code.origins import dtype_of, root_of, type_of_new_array, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from ..message_tables.jax_messages import LARGEST_INTEGER, OBJECTS_OUTSIDE, TYPES_OF_ELEMENTS, UNKNOWN_ARGUMENT
from .entries_without_arrays import entry_without_arrays, without_unused_entry
from .fields_of_classes import class_of_earlier_cell, class_of_text, static_fields
from .hashes_of_dataclasses import hashed_class
from .jits_in_code import jitted_beside
from .large_numbers import large_number_cures
from .own_classes import can_be_static, own_hash, registered
from .static_argument_edits import (
    argument_values,
    arrays_as_static,
    jit_with,
    parameters_of,
    raised_call_of,
    static_outcome,
)
from .static_containers import entries_cure, not_static_cure, other_static_cure, outcome_with_hash
from .static_lists import list_cure
from .values_between_calls import change_at_call

_NO_ARRAY = re.compile(
    r"^Error interpreting argument to (?:<function (?P<name>\S+) at .*?>|.*) as an abstract array\. "
    r"The problematic value is of type "
    r"<(?:class|enum|flag) '(?P<type>[^']+)'> and was passed to the function at path (?P<path>.+?)\.\s",
    re.DOTALL,
)
_RESULT = re.compile(
    r"^function (?P<name>\S+) at .* traced for \w+ returned a value of type <class '(?P<type>[^']+)'>"
    r"(?: at output component (?P<path>\S+))?, which is not a valid JAX type"
)
_OBJECT = re.compile(
    r"^function <unknown> traced for jit returned a value of type <class '(?P<type>[^']+)'>, which is not a valid JAX"
)
_NO_TYPE = re.compile(r"^Argument '.*' of type '?<class '(.+?)'>'? is not a valid JAX type", re.DOTALL)
_UNHASHED = re.compile(
    r"^Non-hashable static arguments are not supported\. An error occurred while trying to hash an object of type "
    r"<class '(?P<type>[^']+)'>"
)
_PART = re.compile(r"TypeError: unhashable type: '([\w.]+)'")
_ARGNAMES = re.compile(r"^Jitted function has invalid argnames \{(?P<names>.*?)\} in (?P<option>\w+)\.")
_ARGNUMS = re.compile(
    r"^Jitted function has (?P<option>\w+)=(?P<numbers>\(.*?\)), but only accepts (?P<count>\d+) positional arguments"
)
_OVERFLOW = re.compile(
    r"^An overflow was encountered while parsing an argument to a jitted computation, whose argument path is "
    r"(?P<path>\S+)\. Got <class 'int'> with value (?P<value>-?\d+)"
)
SIMILAR_ARGUMENT = "{function} has an argument with a similar name: {argument}."
_HASH_OF_STATIC = "The value of a static argument is part of the cache key, so Python must be able to hash the value."
_UNHASHED_STATIC = "The static argument {name} cannot be hashed: its type is {kind}"
#: The words for the traced function in a sentence if its name is unknown.
_NO_NAME = "the function"


def argument_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an argument that a jitted function cannot take, or a result that it cannot return."""
    text = message_of(error).strip()
    if isinstance(error, TypeError) and (match := _NO_ARRAY.search(text)):
        # If a traced function calls another jitted function, JAX's message names the inner one.
        name = (match["name"] or function).rpartition(".")[2]
        return _no_array(error, raised, name, match["path"], match["type"])
    if isinstance(error, TypeError) and (match := _NO_TYPE.search(text)):
        kind = match[1].rpartition(".")[2]
        if _is_result_of_derivative(error, kind):
            return _result_of_derivative(raised, kind)
    if isinstance(error, TypeError) and (match := _OBJECT.search(text)) and raised is not None:
        return _jitted_class(raised, match["type"].rpartition(".")[2])
    if isinstance(error, TypeError) and (match := _RESULT.search(text)):
        return _result(match["name"], match["type"], match["path"])
    if isinstance(error, ValueError | TypeError) and (match := _UNHASHED.search(text)):
        part = _PART.search(text)
        if part is not None and part[1].rpartition(".")[2] not in (match["type"].rpartition(".")[2], ""):
            return _unhashed_part(raised, match["type"], part[1])
        return _unhashed_argument(raised, match["type"])
    if isinstance(error, ValueError) and (match := _ARGNAMES.search(text)):
        names = [name.strip(" '") for name in match["names"].split(",")]
        return _wrong_names(raised, names, match["option"])
    if isinstance(error, ValueError) and (match := _ARGNUMS.search(text)):
        return _wrong_numbers(raised, match["option"], match["numbers"], match["count"])
    if isinstance(error, OverflowError) and (match := _OVERFLOW.search(text)):
        number, name = match["value"], match["path"]
        title = f"The number {number} of the argument {name} does not fit into int32"
        explanation = LARGEST_INTEGER
        if raised is None or not isinstance(raised.node, ast.Call) or module_of_call(raised, raised.node):
            name = None  # the user's line called a function of JAX, and the path is a name in JAX's own code
            title = f"The number {number} does not fit into int32"
        return Explained(None, title, explanation, tuple(large_number_cures(raised, int(number), name)))
    return None


def _is_result_of_derivative(error: BaseException, kind: str) -> bool:
    """Return whether a value of a class is a result of the function that jax.jacfwd or jax.jacrev differentiates.

    JAX's message does not say so. The value is a result if no argument of the call is of the class.
    """
    import jax

    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_name == "jacfun" and is_jax(file_of(frame.f_code)):
            leaves = jax.tree_util.tree_leaves((frame.f_locals.get("args"), frame.f_locals.get("kwargs")))
            return all(type(leaf).__name__ != kind for leaf in leaves)
        traceback = traceback.tb_next
    return False


def _result_of_derivative(raised: RaisedAt | None, kind: str) -> Explained:
    source = raised.source(raised.node.func) if raised is not None and isinstance(raised.node, ast.Call) else "JAX"
    title = f"The differentiated function returns a value that is not an array: its type is {kind}"
    text = f"The call of {source} differentiates each result of the function."
    words = "Return only arrays. With has_aux=True, the function may return a pair: the arrays, and any other value."
    return Explained(None, title, text, (FoundCure("return arrays", None, words),))


def _tracing(raised: RaisedAt) -> str | None:
    """Return eval_shape or make_jaxpr if the failing call is a call of this transform; None for another call."""
    call = raised.node
    names = [called(call), called(call.func)] if isinstance(call, ast.Call) else []
    return next((name for name in names if name in ("eval_shape", "make_jaxpr")), None)


def module_of_call(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether a call calls a function through the name of its module, as jnp.add(x, y) does."""
    function = call.func
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and type(namespace(raised).get(function.id)) is types.ModuleType


def _no_array(error: BaseException, raised: RaisedAt | None, function: str, path: str, type_: str) -> Explained:
    kind = type_.rpartition(".")[2]
    name = root_of(path)
    if raised is not None and (place := _POSITION.fullmatch(path)) is not None:
        if (by_name := _keyword_only(raised, function, int(place[1]))) is not None:
            return by_name
    is_plain = type_.rpartition(".")[0] in ("", "builtins") or kind in ("function", "PjitFunction")
    is_plain = is_plain or type_.partition(".")[0] in _HASHED_BY_CONTENT
    values = argument_values(error, function)
    text = f"With {name} as a static argument, JAX compiles once for each value of {name}."
    is_whole = name == path
    value = values.get(name)
    methods = f"Without an __eq__ and a __hash__ that compare the contents, JAX compiles once for each {kind} object."
    if not is_plain and not values:
        text = (
            f"If {name} holds no array, {name} can be static: JAX then compiles once for each value of {name}. "
            f"{methods}"
        )
    elif not is_plain and own_hash(value) is None:
        text = methods
    own_call = raised_call_of(error, function)
    if type_ == "str" and own_call is not None and is_function_of_jax(own_call.function):
        # JAX jits a function of its own under a name such as _where.
        written = called(raised.node) if raised is not None else ""
        title = f"{written or function} takes arrays and numbers, but its argument {path} is a string"
        return Explained(None, title, "", (FoundCure("a number", None, f"Pass a number or an array as {path}."),))
    title = f"The argument {path} is not an array: its type is {kind}"
    if raised is not None and (tracing := _tracing(raised)) is not None:
        words = f"Bind {name} with functools.partial or a lambda, and pass the arrays alone to jax.{tracing}."
        if tracing == "make_jaxpr" and is_whole:
            words = f"Name the position of {name} in static_argnums of jax.make_jaxpr."
        text = (
            f"jax.{tracing} traces each argument. JAX can trace arrays, numbers, and containers of arrays and numbers."
        )
        return Explained(None, title, text, (FoundCure("arrays alone", None, words),))
    static = FoundCure("static_argnames", None, text)
    is_static = not values or can_be_static(value)
    if raised is not None and is_whole and is_static:
        call = raised_call_of(error, function)
        parameters = [] if call is None else parameters_of(call.function)
        code = None if call is None else code_of(call.function)
        arrays = arrays_as_static(error, function)
        if arrays and parameters[:1] == [name]:
            text = (
                f"static_argnums counts from {name}, which has the position 0. Now the option makes "
                f"{in_a_sentence(arrays)} static, and JAX must trace an array. {text}"
            )
        option = f'static_argnames="{name}"'
        static = jit_with(raised, function, option, "static_argnames", text, parameters, code=code, without=arrays)
        if parameters[:1] == [name] and (others := jitted_beside(raised, code)):
            needs = "needs" if len(others) == 1 else "need"
            text = f"{static.text} {in_a_sentence(others)} {needs} {name} as a static argument, too."
            static = replace(static, text=text, level="advice", edits=())
        if isinstance(raised.node, ast.Call) and change_at_call(raised, raised.node, parameters, [name]) == "many":
            # JAX would compile once for each step of the user's loop, so the cure is no edit.
            static = replace(shown(static), level="advice", edits=())
    outcome = static_outcome(error, function, name) if static.edits else "traced"
    if outcome == "untried":
        static = replace(static, level="advice", code=None, edits=())
    cures = [static] if outcome != "failed" and is_static else []
    if is_whole and kind in _ITERATED:
        return Explained(None, title, _TRACED, tuple(_list_cures(raised, kind)))
    if not is_whole:
        entry = entry_without_arrays(values.get(name), name, path)
        unused = without_unused_entry(raised, own_call, name, values.get(name), path) if own_call is not None else []
        cures = unused or [
            *static_fields(raised, values, path),
            FoundCure(
                "separate argument",
                None,
                f"Take {entry} out of {name}, and pass the value as a separate static argument, named in "
                "static_argnames.",
            ),
        ]
    if type_.startswith(("numpy.random.", "random.")) or type_ in ("random.Random",):
        words = "Pass a key of jax.random.key as an argument, and draw with jax.random, such as jax.random.normal."
        explanation = (
            f"A {kind} gives another number at each draw. JAX traces the function once, so each call of the "
            "compiled program would use the numbers that were drawn during the trace."
        )
        return Explained(None, title, explanation, (FoundCure("jax.random", None, words),))
    if type_ == "numpy.ndarray":
        dtype = str(getattr(values.get(name), "dtype", "")) if is_whole else ""
        title = f"The argument {path} is a NumPy array that JAX cannot hold" + (f": {dtype}" if dtype else "")
        return Explained(None, title, TYPES_OF_ELEMENTS, (FoundCure("numbers", None, OBJECTS_OUTSIDE),))
    if (
        raised is not None
        and is_whole
        and not is_static
        and (both := _hashed_and_static(error, raised, function, name))
    ):
        return Explained(None, title, _TRACED, (both,))
    if "equinox" in packages_of(value):
        words = f"Use equinox.filter_jit, which makes everything in {name} that is not an array static."
        cures = [FoundCure("equinox.filter_jit", None, words)]
    elif not is_plain and kind not in ("custom_jvp", "custom_vjp", _KIND_OF_DTYPES):
        cures += registered(raised, kind, value if is_whole else None, function)
    if not cures:
        words = f"Pass each number and each array of {name} that the function uses as a separate argument."
        cures = [FoundCure("its parts", None, words)]
    return Explained(None, title, _TRACED, tuple(cures))


def _hashed_and_static(error: BaseException, raised: RaisedAt, function: str, name: str) -> FoundCure | None:
    """Return the cure that gives a dataclass without arrays a hash, and makes the argument static."""
    call, values = raised_call_of(error, function), argument_values(error, function)
    value = values.get(name)
    hashed = hashed_class(raised, type(value).__name__, value)
    if hashed is None or call is None or not hashed.edits or static_outcome(error, function, name) == "failed":
        return None
    parameters, code = parameters_of(call.function), code_of(call.function)
    option = f'static_argnames="{name}"'
    static = jit_with(raised, function, option, "static_argnames", "", parameters, code=code)
    words = f"{hashed.text} Also make {name} a static argument: {name} holds no array."
    if not static.edits:
        words = f"{hashed.text} Also pass {option} to jax.jit: {name} holds no array."
        return replace(hashed, text=words, level="advice", edits=())
    edits = (*hashed.edits, *static.edits)
    both = replace(hashed, name=static.name, code=f"{hashed.code}\n{static.code}", text=words, edits=edits)
    return both if static_outcome(error, function, name) == "traced" else replace(both, level="advice", edits=())


def _keyword_only(raised: RaisedAt, name: str, number: int) -> Explained | None:
    """Explains f(x, "a") of a function with a keyword-only second argument, such as def f(x, *, mode)."""
    function, call = function_of_text(raised, name), raised.node
    if not isinstance(function, ast.FunctionDef) or not isinstance(call, ast.Call) or function.args.vararg is not None:
        return None
    positional = [*function.args.posonlyargs, *function.args.args]
    if number < len(positional) or number >= len(call.args):
        return None
    passed_count = count(len(call.args), "argument")
    title = f"{name} takes {count(len(positional), 'argument')} by position, but the call passes {passed_count}"
    given = {keyword.arg for keyword in call.keywords}
    others = [parameter.arg for parameter in function.args.kwonlyargs if parameter.arg not in given]
    if not others:
        return Explained(
            None,
            title,
            "",
            (FoundCure("the arguments", None, f"Leave out the positional arguments that {name} does not take."),),
        )
    listed = in_a_sentence(others, 4)
    text = (
        f"In line {function.lineno}, a * stands before {listed} in the parameters of {name}: {name} takes the "
        "parameters after the * only by name."
    )
    cure = FoundCure("by name", None, f"Write the name of the parameter before the value, as in {others[0]}=value.")
    if len(others) == 1 and number == len(call.args) - 1 == len(positional):
        node = call.args[number]
        code = f"{others[0]}={raised.source(node)}"
        words = f"Pass {others[0]} by name."
        cure = applied(FoundCure("by name", code, words), [edit_of(raised, over(node, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


_POSITION = re.compile(r"args\[(\d+)\]")
#: The class of jnp.float32 and of the other dtypes in jax.numpy.
_KIND_OF_DTYPES = "_ScalarMeta"
#: The type of an array that is a single integer.
_INTEGER = re.compile(r"[iu]\d+\[\]")
_TRACED = (
    "jax.jit traces each argument that is not static. JAX can trace arrays, numbers, and lists, tuples and "
    "dicts of arrays and numbers."
)
#: Python modules whose objects are hashed by their contents and contain no arrays.
_HASHED_BY_CONTENT = frozenset({"datetime", "pathlib", "decimal", "fractions", "uuid", "re"})
#: Types that JAX does not accept as arguments, but whose elements it can trace in a list.
_ITERATED = frozenset({"generator", "set", "frozenset", "map", "zip", "filter", "dict_values", "deque"})


def _list_cures(raised: RaisedAt | None, kind: str) -> list[FoundCure]:
    """Return the cure that puts list() around the set, generator or dict view that the call passes."""
    words = f"Pass a list of the elements in place of the {kind}: JAX traces the elements of a list."
    cure = FoundCure("a list", None, words)
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call):
        return [cure]
    arguments = []
    for node in [*call.args, *(keyword.value for keyword in call.keywords)]:
        value = value_of(raised, node)
        if type(value).__name__ == kind or (kind == "generator" and isinstance(node, ast.GeneratorExp)):
            arguments.append(node)
        elif (kind == "set" and isinstance(node, ast.Set | ast.SetComp)) or (
            isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == kind.removeprefix("dict_")
        ):
            arguments.append(node)
    # A generator in a variable may be used up, because the failed call has iterated over it.
    if len(arguments) != 1 or (kind != "set" and isinstance(arguments[0], ast.Name)):
        return [cure]
    (node,) = arguments
    source = raised.source(node)
    code = f"list({source})"
    if isinstance(node, ast.GeneratorExp):
        inner = source[1:-1] if source.startswith("(") else source
        code = f"([{inner}])" if len(call.args) == 1 and not call.keywords else f"[{inner}]"
    return passed(raised, [applied(FoundCure("a list", code, words), [edit_of(raised, over(node, code))])])


def packages_of(value: Any) -> set[str]:
    """Return the packages that define the class of an object, or one of its base classes."""
    return {(own_name(kind, "__module__") or "").partition(".")[0] for kind in mro_of(type(value))}


def _result(name: str, type_: str, path: str | None) -> Explained:
    kind = type_.rpartition(".")[2]
    part_of_result = f"result{path}" if path else "the result"
    words = f"Return only arrays from {name}, and compute {part_of_result} outside of {name}."
    cure = FoundCure("return arrays", None, words)
    if kind == "coroutine" and not path:
        title = f"{name} is defined with async def, so its call returns a coroutine and no array"
        words = f"Write def in place of async def: JAX traces {name} in one call."
        return Explained(None, title, "A compiled program returns arrays.", (FoundCure("def", None, words),))
    explanation = (
        "A compiled program returns arrays. JAX can return arrays, numbers, and lists, tuples and dicts of arrays and "
        "numbers."
    )
    title = f"{name} returns a value that is not an array: the type of {part_of_result} is {kind}"
    return Explained(None, title, explanation, (cure,))


def _jitted_class(raised: RaisedAt, kind: str) -> Explained | None:
    """Explains a call of a class that jax.jit decorates; None if the called value is no jitted class of this name."""
    function = value_of(raised, raised.node.func) if isinstance(raised.node, ast.Call) else None
    wrapped = getattr(function, "__wrapped__", None) if is_jitted(function) else None
    if not isinstance(wrapped, type) or wrapped.__name__ != kind:
        return None
    title = f"jax.jit compiles functions, but {kind} is a class"
    text = f"A call of {kind} returns an object of the class, and a compiled program returns arrays."
    words = "Take jax.jit off the class, and compile a function that calls the object m, such as lambda x: m(x)."
    return Explained(None, title, text, (FoundCure("a function", None, words),))


def _unhashed_part(raised: RaisedAt | None, type_: str, part: str) -> Explained:
    """Explains a static tuple or frozen dataclass that holds a value without a hash, such as an array."""
    kind, inner = type_.rpartition(".")[2], part.rpartition(".")[2]
    content = "an array" if inner in ("ArrayImpl", "ndarray") else f"a {inner}"
    static_argument = _static_argument(raised, type_)
    title = f"A static argument cannot be hashed: this {kind} holds {content}"
    if static_argument is not None:
        argument_name = static_argument[0]
        title = f"The static argument {argument_name} cannot be hashed: this {kind} holds {content}"
    words = f"Write a tuple in place of the {inner} in the static argument."
    if static_argument is not None and raised is not None and raised.frame is not None:
        fields = instance_dict(value_of(raised, static_argument[1]))
        unhashed = [field for field, held in fields.items() if type(held).__name__ == inner]
        if unhashed:
            source = raised.source(static_argument[1])
            listed = in_a_sentence([f"{source}.{field}" for field in unhashed], 4)
            words = f"Write a tuple in place of the {inner} {listed}, where the code makes the {kind}."
    cure = FoundCure("a tuple", None, words)
    if content == "an array":
        argument_name = static_argument[0] if static_argument is not None else "the argument"
        cure = FoundCure(
            "not static",
            None,
            f"Take {argument_name} out of the static arguments, or pass the array as a separate argument that is "
            "not static.",
        )
    return Explained(None, title, _HASH_OF_STATIC, (cure,))


def _unhashed_argument(raised: RaisedAt | None, type_: str) -> Explained:
    kind = "array" if type_.endswith("ArrayImpl") or type_ == "numpy.ndarray" else type_.rpartition(".")[2]
    explanation = _HASH_OF_STATIC
    static_argument = _static_argument(raised, type_)
    if static_argument is None and raised is not None and (owner := _unhashed_self(raised, kind)) is not None:
        return owner
    if static_argument is None or raised is None:
        cure = FoundCure("hashable", None, "Pass a number, a string or a tuple as a static argument.")
        return Explained(None, f"A static argument cannot be hashed: its type is {kind}", explanation, (cure,))
    name, node = static_argument
    title = _UNHASHED_STATIC.format(name=name, kind=kind)
    value = value_of(raised, node) if raised.frame is not None else None
    if kind == "array":
        type_text = type_of(value) if value is not None else ""
        explanation += f" {raised.source(node)} is {type_text}." if type_text else ""
        if (sizes := _tuple_of_sizes(raised, node)) is not None:
            return Explained(None, title, explanation, (sizes,))
        if isinstance(raised.node, ast.Call):
            traced = not_static_cure(raised, raised.node, name) or other_static_cure(raised, raised.node, name)
            if traced:
                return Explained(None, title, explanation, tuple(traced))
        if _INTEGER.fullmatch(type_text or type_of_new_array(raised, node)):
            words = f"Pass {name} as a Python number, whose value JAX knows while JAX traces."
            number = re.fullmatch(r"[\w.]+\((-?\d+)\)", raised.source(node))
            code = number[1] if number is not None else f"int({raised.source(node)})"
            cures = passed(raised, [replacing(raised, node, "a number", code, words)])
            return Explained(None, title, explanation, tuple(cures or [FoundCure("a number", None, words)]))
        cure = FoundCure("not static", None, f"Take {name} out of the static arguments: JAX traces arrays.")
        if type_ != "numpy.ndarray" and not _is_shape(raised, node, value):
            return Explained(None, title, explanation, (cure,))
        words = (
            f"If the function only computes with {name}, take {name} out of the static arguments: JAX traces arrays."
        )
        cure = replace(cure, text=words)
        values = FoundCure(
            "a tuple", None, f"If the values of {name} decide a shape or an axis, pass a tuple of these values."
        )
        return Explained(None, title, explanation, (values, cure))
    if kind != "list":
        cures = [FoundCure("hashable", None, f"Pass {name} as a number, a string or a tuple.")]
        if kind == "dict" and isinstance(raised.node, ast.Call):
            words = (
                f'Pass {name} as a tuple of entries, such as (("sizes", (2, 3)),), with tuples in place of lists, and '
                f"write {name} = dict({name}) in the function."
            )
            cures = [
                *not_static_cure(raised, raised.node, name),
                *entries_cure(raised, raised.node, name, node),
            ] or [FoundCure("hashable", None, words)]
        return Explained(None, title, explanation, tuple(_hashed(raised, kind, value) or cures))
    return Explained(None, title, explanation, (list_cure(raised, name, node, value),))


def _tuple_of_sizes(raised: RaisedAt, node: ast.expr) -> FoundCure | None:
    """Return the cure `x.shape` for an argument such as jnp.array(x.shape); None for other arguments."""
    inner = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
    if not isinstance(inner, ast.Attribute) or inner.attr != "shape" or called(node) not in ("array", "asarray"):
        return None
    code = raised.source(inner)
    cure = FoundCure("a tuple", code, f"Pass {code}, which is a tuple: Python can hash a tuple.")
    return next(iter(passed(raised, [applied(cure, [edit_of(raised, over(node, code))])])), None)


def _is_shape(raised: RaisedAt, node: ast.expr, value: Any) -> bool:
    """Return whether an array may hold the sizes of a shape: a few integers along one axis."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.List):
        return all(isinstance(element, ast.Constant) and type(element.value) is int for element in node.args[0].elts)
    return dtype_of(value).startswith("int") and value.ndim == 1 and value.size <= 8


def _hashed(raised: RaisedAt, kind: str, value: Any) -> list[FoundCure]:
    """Return the cure that gives a user's dataclass a hash; empty if the trace would fail with a hash, too."""
    cure = hashed_class(raised, kind, value)
    outcome = outcome_with_hash(raised, raised.node) if isinstance(raised.node, ast.Call) else "untried"
    if cure is None or outcome == "failed":
        return []
    return [cure if outcome == "traced" else replace(cure, level="advice", edits=())]


def _unhashed_self(raised: RaisedAt, kind: str) -> Explained | None:
    """Explains a jitted method whose object has no hash, where a cell defines the class."""
    call = raised.node
    users_class = class_of_text(raised, kind) or class_of_earlier_cell(kind)
    if not isinstance(call, ast.Call) or users_class is None:
        return None
    defined = [node for node in users_class.body if isinstance(node, ast.FunctionDef)]
    methods, owner = [node for node in defined if node.name == "__call__"], call.func
    if isinstance(call.func, ast.Attribute):
        of_name = [node for node in defined if node.name == call.func.attr]
        methods, owner = (of_name, call.func.value) if of_name else (methods, owner)
    if len(methods) != 1 or not methods[0].args.args:
        return None
    name = methods[0].args.args[0].arg
    title = _UNHASHED_STATIC.format(name=name, kind=kind)
    words = (
        f"Give {kind} an __eq__ and a __hash__ that compare the contents, or let JAX trace the fields with "
        "register_dataclass."
    )
    value = value_of(raised, owner) if raised.frame is not None else None
    hashed = _hashed(raised, kind, value)
    return Explained(None, title, _HASH_OF_STATIC, tuple(hashed or [FoundCure("hashable", None, words)]))


def _static_argument(raised: RaisedAt | None, type_: str) -> tuple[str, ast.expr] | None:
    """Return (name, expression) for the only argument of the call whose value has this type.

    Of several arguments of this type, the argument that jax.jit takes as static; None if there is not exactly one.
    """
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or raised.frame is None:
        return None
    parameters = parameters_of(value_of(raised, call.func)) or _parameters_of_method(raised, call.func)
    kind = type_.rpartition(".")[2]
    literals = {"list": ast.List, "dict": ast.Dict, "set": ast.Set}
    triples = [(n, parameters[n] if n < len(parameters) else str(n), node) for n, node in enumerate(call.args)]
    triples += [(-1, keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
    options = jit_options(value_of(raised, call.func))
    arguments = []
    for number, name, node in triples:
        if options is not None and not options.is_static(number, name, len(call.args)):
            continue
        value = value_of(raised, node)
        is_made = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == kind
        if kind in literals and isinstance(node, literals[kind]) or type(value).__name__ == kind or is_made:
            arguments.append((name, node))
        elif kind in ("ArrayImpl", "ndarray") and value is None and isinstance(node, ast.Call):
            if options is not None or _is_static(raised, call, name, parameters):
                arguments.append((name, node))
    return arguments[0] if len(arguments) == 1 else None


def _parameters_of_method(raised: RaisedAt, function: ast.expr) -> list[str]:
    """Return the parameters after self of the only method in the code that an attribute such as model.step can mean."""
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    methods = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef) and isinstance(function, ast.Attribute) and node.name == function.attr
    ]
    return [parameter.arg for parameter in methods[0].args.args[1:]] if len(methods) == 1 else []


def _is_static(raised: RaisedAt, call: ast.Call, name: str, parameters: list[str]) -> bool:
    """Return whether the code marks an argument as static, by static_argnames or static_argnums."""
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    place = parameters.index(name) if name in parameters else -1
    value_by_option = {"static_argnames": name, "static_argnums": place}
    return any(
        isinstance(node, ast.keyword)
        and node.arg in value_by_option
        and any(
            isinstance(part, ast.Constant) and part.value == value_by_option[node.arg] for part in ast.walk(node.value)
        )
        for node in ast.walk(module)
    )


def _jitted_function(raised: RaisedAt | None) -> tuple[str, list[str]]:
    """Return the name and the parameters of the function that the failing line passes to jit."""
    node = raised.node if raised is not None else None
    if raised is not None and isinstance(node, ast.Call):
        for candidate in [*node.args, node.func]:
            if isinstance(candidate, ast.Name) and candidate.id not in ("jit", "partial"):
                return candidate.id, parameters_of(namespace(raised).get(candidate.id))
            if isinstance(candidate, ast.Lambda):
                return "the lambda", _parameter_names(candidate.args)
    statement = raised.statement_of(node) if raised is not None else None
    if isinstance(statement, ast.FunctionDef):
        return statement.name, _parameter_names(statement.args)
    return _NO_NAME, []


def _parameter_names(parameters: ast.arguments) -> list[str]:
    return [parameter.arg for parameter in [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]]


def _parameters_sentence(name: str, parameters: list[str]) -> str:
    return f"{_subject(name)} takes {', '.join(parameters[:8])}." if parameters else ""


def _subject(name: str) -> str:
    """Return the name of a function for the start of a sentence: "The function" for "the function"."""
    return f"T{name[1:]}" if name.startswith("the ") else name


def _wrong_names(raised: RaisedAt | None, names: list[str], option: str) -> Explained:
    function, parameters = _jitted_function(raised)
    title = UNKNOWN_ARGUMENT.format(function=_subject(function), argument=" and ".join(names))
    cure = FoundCure(option, None, f"Write the names of arguments of {function} in {option}.")
    close_names = [parameter for parameter in parameters if parameter.lower().strip("_") == names[0].lower().strip("_")]
    close_names = close_names or difflib.get_close_matches(names[0], parameters, 2, 0.7)
    if raised is not None and raised.node is not None and len(names) == 1 and len(close_names) == 1:
        places = [e for e in ast.walk(raised.node) if isinstance(e, ast.Constant) and e.value == names[0]]
        if len(places) == 1:
            quote = raised.source(places[0])[0]
            code = f"{quote}{close_names[0]}{quote}"
            words = SIMILAR_ARGUMENT.format(function=_subject(function), argument=close_names[0])
            cure = applied(FoundCure(option, code, words), [edit_of(raised, over(places[0], code))])
    return Explained(None, title, _parameters_sentence(function, parameters), (cure,))


def _wrong_numbers(raised: RaisedAt | None, option: str, numbers: str, number: str) -> Explained:
    function, parameters = _jitted_function(raised)
    # JAX's message lists all positions of the option, also those that the function has.
    positions = [int(position) for position in re.findall(r"-?\d+", numbers)]
    wrong = [str(position) for position in positions if not -int(number) <= position < int(number)]
    title = f"{_subject(function)} has no argument at position {in_a_sentence(wrong)}"
    names = option.replace("argnums", "argnames")
    takes = count(int(number), "argument")
    text = (
        f"The first argument has the position 0, and {function} takes {takes}. Write the names of the arguments in "
        f"{names} instead."
    )
    return Explained(None, title, _parameters_sentence(function, parameters), (FoundCure(names, None, text),))
