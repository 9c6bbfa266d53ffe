"""Explains concretization errors: Python needed the value of a traced array. Gives title, arguments and cures."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from dataclasses import dataclass, replace
from typing import Any, Literal

from ....jax.transform_and_inputs_of_tracer import has_values
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax as is_function_of_jax
from ....plain_text import kind_name, message_of, own_name
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import (
    by_name_cure,
    is_array_elsewhere,
    is_differentiated,
    static_cure,
    traced_static_arguments,
)
from ..earlier_lines.values_kept_by_callees import write_of_callee
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import Culprits, culprits, named_culprits, value_of
from ..failing_code.place_of_error import RaisedAt, is_of_jax, runs_under_grad_alone
from .calls_of_numpy_and_math import NumPyCalls
from .calls_of_scipy import advice_on_scipy
from .computed_sizes import NEED_OF_K, SURPLUS, computed_size, size_node, traced_k
from .conditions_of_callers import with_test_of_caller
from .dynamic_slices import Slices
from .indexed_dicts import index_of_dict, indexed_dict_cures
from .indexed_lists import indexed_list_cures
from .length_options import masked_index
from .looped_lengths import NEED, jnp_function, loop_by_values, looped
from .numbers_in_statements import ELEMENTWISE, NumbersInStatement
from .other_numbers import with_other_numbers
from .rewritten_calls import Calls
from .rewritten_if_while_for import Choices
from .sets_of_values import distinct_value_cures
from .writes_into_numpy_arrays import advice_on_write

NEED_OF_NUMPY = "NumPy needs the values of an array."
NO_VALUES_OF_ARGUMENTS = "While JAX traces, arguments have shapes but no values."
NO_VALUES = "While JAX traces, an array has a shape but no values."
_VALUE_FOR_JAX = "JAX needs a value in {source} while JAX traces"
_VALUE_FOR_PYTHON = "Python needs the value of {source} while JAX traces"
_LENGTH_FOR_JAX = "JAX needs the length of the result of {source} while JAX traces"


@dataclass(frozen=True)
class _Need:
    """Why a value was needed while JAX traced.

    Attributes:
        sentence: The sentence for the user, which says which value was needed.
        kind: "comparison" if Python code compares traced values, "k" if the value is the k of a function such as top_k,
            "NumPy" if a function of NumPy needs the values, "float" if float() or a function such as math.exp needs the
            value, "condition", "integer" or "number" if Python needs a value that is true or false, an index, or a
            number, which a tracer of jax.grad has outside of jax.jit; None for any other need.
    """

    sentence: str
    kind: Literal["comparison", "k", "NumPy", "float", "condition", "integer", "number"] | None = None


#: Class of jax.errors -> which value Python needed.
_NEEDS = {
    "TracerBoolConversionError": _Need(
        "Python's if, while, and, or and not need a value that is true or false.", "condition"
    ),
    "TracerIntegerConversionError": _Need(
        "Python needs an integer, for example for a range, an index or a shape.", "integer"
    ),
    "TracerArrayConversionError": _Need(NEED_OF_NUMPY, "NumPy"),
    "ConcretizationTypeError": _Need("Python needs the value of an array, for example for an axis or a length."),
    "NonConcreteBooleanIndexError": _Need("A boolean index decides the shape of the result."),
}
_STATIC = "For a setting that seldom changes, pass the name of the argument to jax.jit as static_argnames."
#: The sentence for an error under jax.jit in code that also runs under jax.grad.
_VALUES_UNDER_GRAD = (
    "JAX differentiates arrays of JAX only: NumPy and Python get no values, because the derivative would be lost."
)
_UNDER_GRAD = (
    "jax.grad without jax.jit can run this line, because jax.grad calls the function with values. Under jax.jit, "
    "arrays have no values."
)
#: Class of jax.errors -> the name and the sentence of the cure if there is no other cure.
_GENERAL = {
    "TracerBoolConversionError": (
        "jnp.where",
        "Choose with jnp.where or jax.lax.cond. Repeat with jax.lax.while_loop.",
    ),
    "TracerIntegerConversionError": (
        ".shape",
        "Take the number from a shape, such as x.shape[0], or loop with jax.lax.fori_loop.",
    ),
    "TracerArrayConversionError": ("jax.numpy", "Call the function of the same name from jax.numpy."),
    "ConcretizationTypeError": ("fixed sizes", "Write the number into the code, or take the number from a shape."),
}
#: The same for arguments without axes, which can be static arguments.
_GENERAL_WITHOUT_AXES = _GENERAL | {
    kind: (_GENERAL[kind][0], f"{_GENERAL[kind][1]} {_STATIC}")
    for kind in ("TracerBoolConversionError", "TracerIntegerConversionError", "ConcretizationTypeError")
}
#: The cure of a traced index of jnp.choose: without a mode, choose tests each index, and needs its value.
_MODE = (
    "mode",
    'Pass mode="clip" or mode="wrap" to jnp.choose. Without a mode, choose tests whether each index names a choice, '
    "and needs the values of the indices.",
)
#: The cure if the failing expression is not a call.
_IN_PLACE_OF_NUMPY = (
    "Call a function of jax.numpy, jax.scipy or jax.lax in place of the function that needs the values."
)
#: The cure for a NumPy call that has no counterpart in `jax.numpy`.
_NO_TWIN = (
    "JAX functions",
    "jax.numpy has no function with the name of this NumPy function. Compute the result with functions of jax.numpy, "
    "jax.scipy or jax.lax.",
)
#: The cures for arguments that vmap maps, where those of _GENERAL do not apply: each element may have another value.
_UNDER_VMAP = {
    "ConcretizationTypeError": ("a mask", SURPLUS.format(mask="jnp.arange(10) < n")),
}
_CONVERSION = re.compile(r"The problem arose with the `\w+` function|occurred in the item\(\) method")
_NUMBER = _Need("A conversion such as float(), int() or bool() needs the value of an array.", "number")
_FLOAT = replace(_NUMBER, kind="float")
#: The kinds of needs that a tracer of jax.grad meets outside of jax.jit. float(), functions of math and NumPy, and
#: formats raise an error there, too.
_MET_UNDER_GRAD = ("condition", "integer", "number")
_TO_FLOAT = re.compile(r"The problem arose with the `(?:float|complex)` function")
#: Functions of Python and math that make an integer of a float, or take one. Such an integer is often a size.
_TO_INTEGERS = frozenset({"int", "round", "range", "floor", "ceil", "trunc"})
#: The name and the sentence of the cure of float(), if there is no other cure.
_WITHOUT_FLOAT = (
    "keep the array",
    "Leave out the conversion, and compute with functions of jax.numpy, which take traced arrays.",
)
_COMPARING = _Need("The call needs to know whether a traced value is true or false.", "comparison")
_COMPARED = (
    "Python code compares traced values here. Compare the values with a function of JAX, such as jnp.argsort, "
    "jnp.argmin or jax.lax.top_k."
)
#: The name and the sentence of the cure of a size that the code computes from the elements of an array.
_OF_ELEMENTS = (
    "a static size",
    "The elements of an array decide this size, and elements have no values while JAX traces. Write the largest size "
    "into the code, or compute the size before the call, for example with int(x.max()) + 1, and pass the size as a "
    "static argument.",
)
_DECIDES = _Need("An argument of the called function decides what JAX computes, or the shape of the result.")
_OF_LENGTH = _Need("The values of the array decide how long the result is.")
_METHOD = re.compile(r"The (\w+)\(\) method was called on ")
_ARGUMENT = re.compile(
    r"argument ['`](?P<after>\w+)['`]|['`](?P<before>\w+)['`] argument"
    r"|\b(?P<plain>(?!first)\w+) argument (?:of|to|must) |\b[Aa]rgument (?P<name>[a-z]\w*) of "
)
"""The argument that needs a value, as JAX names it in the second line of its message."""
_LENGTHS = frozenset({"size", "num_segments", "nse"})
"""Arguments that state the length of the result; JAX computes the length from values where the call leaves them out."""
_WITHOUT_CONTEXT = re.compile(r"The error occurred while tracing|This (?:concrete )?value|See http")
_LENGTH_NEEDED = re.compile(r"The error arose (?:for the first argument of jnp\.unique|in (?:union1d|setdiff1d))\(\)")
_ARGUMENTS = re.compile(r"depends on the values? of the arguments? (.+?)\.(?:\s|$)")
_SHAPE = re.compile(r"^Shapes must be 1D sequences of concrete values of integer type")
_PARAMETER = re.compile(
    r"parameters to jaxpr equations must have __hash__ and __eq__ methods\. In a call to primitive (\w+), the value of "
    r"parameter (\w+) was not hashable: .*Tracer"
)
_REPEATED = re.compile(
    r"unsupported operand type\(s\) for \*: '(?:list|tuple|str)' and '\w*Tracer'"
    r"|can't multiply sequence by non-int of type '\w*(?:Tracer|ArrayImpl)'"
)
_STATIC_TRACED = re.compile(
    r"^Non-hashable static arguments are not supported\..{0,80}? of type <class '[\w.]*Tracer'>", re.DOTALL
)
_KEY = re.compile(r"unhashable type: '\w*Tracer'")
_SLICE = re.compile(r"^Array slice indices must have static start/stop/step|^Slice entries must be static integers")
_FORMAT = re.compile(r"^unsupported format string passed to \w*Tracer\.__format__")


def value_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error because Python, NumPy or JAX needed the value of a traced array."""
    kind = kind_name(type(error))
    message = message_of(error)
    if kind in _NEEDS and is_of_jax(error):
        return _explained_conversion(kind, error, raised, function)
    if isinstance(error, TypeError) and _SHAPE.search(message):
        sizes = FoundCure(".shape", None, "Take the sizes from the shape of an array, such as x.shape[0].")
        return _explained_with_culprits(
            "JAX needs the sizes of a shape while JAX traces",
            _Need("A shape is fixed while JAX traces."),
            error,
            raised,
            function,
            [],
            [sizes],
            size=passed_node(raised, "shape"),
        )
    if isinstance(error, TypeError) and _REPEATED.search(message):
        title = _VALUE_FOR_PYTHON.format(source=_text(raised) or "a traced number")
        return _explained_with_culprits(
            title, _Need("The traced number decides how long the list is."), error, raised, function, []
        )
    if isinstance(error, TypeError) and _KEY.search(message):
        title = "A traced array cannot be a key of a dict or an element of a set"
        need = _Need("Python needs the value of a key, and a traced array has no value.")
        words = (
            "Use a key that is not traced, such as a string, an index or a shape. A jitted function needs no "
            "cache of results: JAX keeps the compiled program."
        )
        cures = distinct_value_cures(raised) or indexed_dict_cures(raised) if raised is not None else []
        cures = cures or [FoundCure("another key", None, words)]
        index = index_of_dict(raised)
        return _explained_with_culprits(title, need, error, raised, function, cures, of_all_types=True, part=index)
    if isinstance(error, TypeError) and (parameter := _PARAMETER.search(message)):
        primitive, name_of_parameter = parameter.groups()
        title = f"JAX needs the value of {name_of_parameter} in {_text(raised) or primitive} while JAX traces"
        need = _Need("This number decides the shape of the result.")
        number = passed_node(raised, "num") if primitive == "random_split" else None
        return _explained_with_culprits(title, need, error, raised, function, [], part=number)
    if isinstance(error, ValueError) and _STATIC_TRACED.search(message):
        title = _VALUE_FOR_JAX.format(source=_text(raised) or "this call")
        names = traced_static_arguments(error, function)
        if names:
            title = f"{names[0]} is a static argument of {function}, but gets a traced array"
        sentence = "A static argument of the called function decides what the function computes, and needs a value."
        return _explained_with_culprits(title, _Need(sentence), error, raised, function, [])
    if isinstance(error, IndexError) and _SLICE.search(message):
        slice_text = _text(raised) or "a slice"
        cures = Slices(raised).cures() if raised is not None else []
        need = _Need("The bounds of a slice decide the shape of the result.")
        return _explained_with_culprits(
            f"JAX needs the bounds of {slice_text} while JAX traces", need, error, raised, function, cures
        )
    if isinstance(error, TypeError) and _FORMAT.search(message):
        need = _Need("A format such as .2f needs the value of a number.")
        cures = Calls(raised).cures() if raised is not None else []
        title = f"Python needs the value of {_text(raised) or 'a traced array'} for a format while JAX traces"
        return _explained_with_culprits(title, need, error, raised, function, cures, of_all_types=True)
    return None


def _argument_in(context: str) -> str | None:
    """Return the argument of a JAX function that the second line of JAX's message names.

    None if the line names none.
    """
    match = _ARGUMENT.search(context)
    return None if match is None else next(name for name in match.groups() if name is not None)


def _mask(raised: RaisedAt | None) -> ast.expr | None:
    """Return the index that has booleans, such as mask in x[mask] or x.at[mask].set(y). None if there is none."""
    match raised.node if raised is not None else None:
        case ast.Subscript(slice=index):
            return index
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at"), slice=index))):
            return index
    return None


def _origins(error: BaseException, raised: RaisedAt | None, node: ast.expr | None) -> Culprits:
    """Return the arguments of the traced function on which the needed value depends.

    Args:
        error: The exception.
        raised: Where the error was raised.
        node: The part of the failing expression that needs a value; None if unknown.
    """
    named = named_culprits(raised, _ARGUMENTS.search(message_of(error)))
    if raised is None or raised.wanted_tracer is not None:
        return culprits(raised)
    if named.inputs:
        return named
    read = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} if node is not None else set()
    needed = [tracer for name, tracer in raised.tracers.items() if name in read]
    return culprits(raised, needed or None)


def _text(raised: RaisedAt | None) -> str | None:
    """Return the code of the failing expression, at most 60 characters; None without source code."""
    text = raised.text if raised is not None else None
    return text if text is None or len(text) <= 60 else f"{text[:59]}…"


def _match_comparison(raised: RaisedAt | None) -> str | None:
    """Return the comparison that a case of a match statement makes, such as x == 0 for `match x: case 0:`."""
    pattern = raised.parents.get(id(raised.node)) if raised is not None else None
    matched = raised.around(ast.Match) if raised is not None else None
    if raised is None or not isinstance(pattern, ast.MatchValue) or not isinstance(matched, ast.Match):
        return None
    return f"{raised.source(matched.subject)} == {raised.source(pattern.value)}"


def _traced_elements(raised: RaisedAt) -> list[Any]:
    """Return the traced integers inside the tuples and lists that the failing expression reads."""
    nodes = [part for part in ast.walk(raised.node) if isinstance(part, ast.Name)] if raised.node is not None else []
    values = [value_of(raised, name_node) for name_node in nodes]
    return [element for value in values if type(value) in (tuple, list) for element in value if _is_integer(element)]


def _is_integer(tracer: Any) -> bool:
    return not getattr(tracer, "shape", ()) and "int" in str(getattr(tracer, "dtype", ""))


#: The ends of the names of cures whose result is still a traced number.
_ROUNDED = (".astype", ".floor", ".ceil", ".trunc")


def _explained_with_culprits(
    title: str,
    need: _Need,
    error: BaseException,
    raised: RaisedAt | None,
    function: str,
    cures: list[FoundCure],
    last: list[FoundCure] | None = None,
    of_all_types: bool = False,
    size: ast.expr | None = None,
    part: ast.expr | None = None,
) -> Explained:
    # The traceback does not show which tracer's value was needed: it must be one of those that the failing expression
    # reads, or of those that the given part of the expression reads.
    origins = named_culprits(raised, _ARGUMENTS.search(message_of(error)))
    if raised is not None and not origins.inputs:
        read = {name.id for name in ast.walk(part) if isinstance(name, ast.Name)} if part is not None else None
        tracers = [tracer for name, tracer in raised.tracers.items() if read is None or name in read]
        scalars = [tracer for tracer in tracers if of_all_types or _is_integer(tracer)]
        origins = culprits(raised, scalars or _traced_elements(raised))
    part_of_sizes = size if size is not None or raised is None or called(raised.node) != "reshape" else raised.node
    if raised is not None and part_of_sizes is not None:
        # JAX's message names the argument of the first traced size only.
        read = {name.id for name in ast.walk(part_of_sizes) if isinstance(name, ast.Name)}
        sizes = [tracer for name, tracer in raised.tracers.items() if name in read and _is_integer(tracer)]
        of_sizes = culprits(raised, sizes) if len(sizes) > 1 else origins
        origins = of_sizes if len(of_sizes.inputs) > len(origins.inputs) else origins
    return _explained(title, need, error, raised, function, origins, [*cures], last or [], size)


def _explained(
    title: str,
    need: _Need,
    error: BaseException,
    raised: RaisedAt | None,
    function: str,
    origins: Culprits,
    cures: list[FoundCure],
    last: list[FoundCure],
    size: ast.expr | None = None,
) -> Explained:
    if last and origins.inputs and origins.transform is None and all(_has_axes(part.type) for part in origins.inputs):
        last = [FoundCure(_OF_ELEMENTS[0], None, _OF_ELEMENTS[1])]
    if last and origins.transform == "vmap":
        name, words = _UNDER_VMAP["ConcretizationTypeError"]
        last = [FoundCure(name, None, words)]
    tried = list(cures) if raised is None else passed(raised, cures)
    if raised is not None and any(cure.edits for cure in cures) and not any(cure.edits for cure in tried):
        longer = passed(raised, with_other_numbers(raised, [cure for cure in cures if cure.edits]))
        tried = [cure for cure in longer if cure.level == "applies"] or tried
    # Without a trial that passed, a later line may need the number, such as a size: .astype would fail there.
    tried = [cure for cure in tried if cure.level == "applies" or not cure.name.endswith(_ROUNDED)]
    general = "ConcretizationTypeError" if need.kind in ("comparison", "k") else kind_name(type(error))
    if raised is not None and not origins.is_inner and origins.transform is None:
        by_name = by_name_cure(error, origins.function or function, origins.names)
        is_only = not by_name and not tried and not last
        is_first = not by_name and not tried
        of_numpy = _static_of_numpy(raised, origins) if is_first and general == "TracerIntegerConversionError" else []
        static = static_cure(
            raised,
            error,
            origins.function or function,
            origins.names,
            or_advice=is_only,
            with_others=is_first and not of_numpy,
        )
        tried = [*filter(None, [by_name]), *tried, *filter(None, [static])] or [*of_numpy]
    if not tried and not last and need.kind == "comparison" and raised is not None:
        tried += _comparison_cures(raised)
    computed = computed_size(raised, size) if raised is not None else None
    if computed is not None and computed[1] is not None and not tried:
        last = [computed[1]]
    if not tried and not last and raised is not None and (collecting := Choices(raised).collecting()) is not None:
        tried.append(collecting)
    if not tried and not last and general in _GENERAL:
        has_axes = bool(origins.inputs) and all(_has_axes(part.type) for part in origins.inputs)
        is_array = raised is not None and is_array_elsewhere(raised, error, origins.function or function, origins.names)
        under_any = _GENERAL if has_axes or is_array else _GENERAL_WITHOUT_AXES
        name, words = (under_any | _UNDER_VMAP if origins.transform == "vmap" else under_any)[general]
        if raised is not None and called(raised.node) == "choose":
            name, words = _MODE
        write = advice_on_write(raised) if general == "TracerArrayConversionError" else None
        moved = write_of_callee(raised) if general == "TracerArrayConversionError" and raised is not None else None
        if write is not None:
            name, words = write.name, write.text
        elif general == "TracerArrayConversionError" and (raised is None or not isinstance(raised.node, ast.Call)):
            words = _IN_PLACE_OF_NUMPY
        elif general == "TracerArrayConversionError" and not _has_twin(raised):
            name, words = _NO_TWIN
            words = (advice_on_scipy(raised, raised.node) if raised is not None else None) or words
        elif name == "fixed sizes" and has_axes and size is not None:
            name, words = _OF_ELEMENTS
        elif need.kind == "float" and raised is not None and not _makes_integer(raised):
            name, words = _without_float(raised)
        tried.append(moved or FoundCure(name, None, words))
    line = computed[0] if computed is not None else ""
    text = " ".join(filter(None, [need.sentence, line, origins.sentence, _sentence_about_trace(origins, raised)]))
    if raised is not None and need.kind in _MET_UNDER_GRAD and runs_under_grad_alone(raised):
        text = f"{text} {_UNDER_GRAD}"
    return Explained(None, title, text, (*tried, *last), traced=True)


def _static_of_numpy(raised: RaisedAt, origins: Culprits) -> list[FoundCure]:
    """Return the advice for a NumPy call, such as np.linspace(a, b, n), that gets an integer and traced values."""
    call = raised.node
    if not isinstance(call, ast.Call) or not _has_twin(raised) or origins.transform is not None or origins.is_inner:
        return []
    if not origins.names or any(_has_axes(part.type) for part in origins.inputs):
        return []
    twin = NumPyCalls(raised).with_jax(call)
    listed = in_a_sentence(list(origins.names))
    words = (
        f"{twin.partition('(')[0]} takes traced values, but no traced {listed}. Write {twin}, and name {listed} in "
        "static_argnames of jax.jit."
    )
    quoted = ", ".join(f'"{name}"' for name in origins.names)
    code = f"static_argnames={quoted if len(origins.names) == 1 else f'({quoted})'}"
    return [FoundCure(twin.partition("(")[0], f"{twin}\n{code}", words)]


def _has_axes(type_: str) -> bool:
    """Return whether a type such as i32[3] is that of an array with axes."""
    return "[" in type_ and not type_.endswith("[]")


def _comparison_cures(raised: RaisedAt) -> list[FoundCure]:
    """Return the cure of Python code that compares traced values, such as max(x) or [1, 2, 3].index(k).

    Empty if the result of max or min is itself an argument of a call: the result is then often a size.
    """
    call = raised.node
    jnp = jnp_name(raised)
    match call:
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[_, _, *_]):
            maximum_or_minimum = f"{jnp}.{name}imum"
            words = ELEMENTWISE.format(function=maximum_or_minimum)
            return [FoundCure(maximum_or_minimum, None, words)]
        case ast.Call(func=ast.Name(id="max" | "min")) if isinstance(raised.parents.get(id(call)), ast.Call):
            return []
        case ast.Call(func=ast.Attribute(value=elements, attr="index"), args=[element], keywords=[]):
            code = f"{jnp}.argmax({jnp}.asarray({raised.source(elements)}) == {raised.source(element)})"
            words = (
                f"{jnp}.argmax gives the position of the first element that is equal to {raised.source(element)}, and "
                "0 if no element is equal."
            )
            cure = FoundCure(f"{jnp}.argmax", code, words)
            return passed(raised, [applied(cure, [edit_of(raised, over(call, code))])])
        case ast.Call(
            func=ast.Name(id="sorted" | "max" | "min" as name),
            args=[ast.Call(func=ast.Name(id="zip"), args=[ast.Name(id=keys), *others])],
            keywords=[] | [ast.keyword(arg="reverse")],
        ) if all(isinstance(other, ast.Name) for other in others):
            function = {"sorted": "argsort", "max": "argmax", "min": "argmin"}[name]
            place = {"sorted": "order"}.get(name, "place")
            reverse = ", descending=True" if name == "sorted" and call.keywords else ""
            taken = ", ".join(f"{source}[{place}]" for source in [keys, *map(raised.source, others)])
            code = f"{place} = {jnp}.{function}({keys}{reverse})\n{taken}"
            words = (
                f"{jnp}.{function} compares the elements of {keys}. Index each array with the result, as in {taken}."
            )
            return [FoundCure(f"{jnp}.{function}", code, words)]
    names = {part.id for part in ast.walk(call) if isinstance(part, ast.Name)} if call is not None else set()
    if "filter" in names:
        words = (
            "filter makes a sequence whose length depends on values. Keep the shape: choose the elements with "
            "jnp.where, or reduce with the option where=, as in jnp.sum(x, where=x > 0)."
        )
        return [FoundCure("jnp.where", None, words)]
    return [FoundCure("jnp.argsort", None, _COMPARED)]


def _makes_integer(raised: RaisedAt) -> bool:
    """Return whether a call around the failing expression makes an integer, which is often a size."""
    outer = raised.parents.get(id(raised.node))
    while isinstance(outer, ast.expr):
        if isinstance(outer, ast.Call) and called(outer) in _TO_INTEGERS:
            return True
        outer = raised.parents.get(id(outer))
    return False


def _without_float(raised: RaisedAt) -> tuple[str, str]:
    """Return the name and the sentences of the advice for float(x) or math.exp(x) whose edit failed its trial.

    The code around the call may need a Python number, too. The sentences name functions for max, min and if.
    """
    node = raised.node
    name, words = _WITHOUT_FLOAT
    if isinstance(node, ast.Call):
        of_math = NumPyCalls(raised).of_math(node)
        if of_math is not None:
            name, words = of_math.name, of_math.text
        else:
            words = " ".join([words, *NumbersInStatement(raised, node, [over(node, "")]).words])
    if _is_in_condition(raised):
        words = f"{words} {_GENERAL['TracerBoolConversionError'][1]}"
    return name, words


def _is_in_condition(raised: RaisedAt) -> bool:
    """Return whether Python tests an expression that contains the failing expression, as in `if math.exp(x) > 1:`."""
    inner, outer = raised.node, raised.parents.get(id(raised.node))
    while isinstance(outer, ast.expr) and not isinstance(outer, ast.IfExp | ast.BoolOp | ast.Lambda):
        inner, outer = outer, raised.parents.get(id(outer))
    return isinstance(outer, ast.BoolOp) or (inner is not None and getattr(outer, "test", None) is inner)


def _is_condition(raised: RaisedAt) -> bool:
    """Return whether Python tests the failing expression itself, as in `if jnp.isnan(x):`."""
    node = raised.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id):
        return False  # the builtin functions all, any and max test each element, not the result of the call
    match raised.parents.get(id(node)):
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return test is node
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.comprehension(ifs=tests):
            return any(test is node for test in tests)
    return False


def _has_twin(raised: RaisedAt | None) -> bool:
    """Return whether jax.numpy, jax.numpy.linalg or jax.numpy.fft has a function of the called function's name.

    True if the failing expression is no call, or the called function has no name.
    """
    call = raised.node if raised is not None else None
    if not isinstance(call, ast.Call):
        return True
    function = value_of(raised, call.func) if raised is not None and raised.frame is not None else None
    written = getattr(call.func, "attr", getattr(call.func, "id", None))
    # A ufunc of NumPy has its own name, such as sin, even if the user's code calls it by another name.
    own: Any = getattr(function, "__name__", None) if type(function).__name__ == "ufunc" else own_name(function)
    names = {written, own} - {None}
    rooms = [vars(sys.modules[f"jax.numpy{room}"]) for room in ("", ".linalg", ".fft")]
    return not names or any(name in room for name in names for room in rooms)


def _passes_function(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether an argument of a call may be a function: then the function, not JAX, may have needed the value."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(
        isinstance(node, ast.Lambda)
        or (isinstance(node, ast.Name) and hasattr(builtins, node.id))
        or callable(value_of(raised, node))
        for node in arguments
    )


def _sentence_about_trace(origins: Culprits, raised: RaisedAt | None) -> str:
    if raised is not None and raised.wanted_tracer is not None and has_values(raised.wanted_tracer):
        return _VALUES_UNDER_GRAD
    if origins.transform == "vmap":
        return "Under vmap, one array stands for all mapped elements at once, and each element has its own value."
    if origins.inputs:
        return NO_VALUES_OF_ARGUMENTS
    return NO_VALUES


def _explained_conversion(kind: str, error: BaseException, raised: RaisedAt | None, function: str) -> Explained:
    source = _match_comparison(raised) or _text(raised) or "a traced array"
    title = _VALUE_FOR_PYTHON.format(source=source)
    need, argument, mask = _NEEDS[kind], None, None
    if kind == "TracerBoolConversionError":
        title = f"Python cannot know whether {source} is true while JAX traces"
        if raised is not None and isinstance(raised.node, ast.Call) and not _is_condition(raised):
            title = _VALUE_FOR_PYTHON.format(source=source)
            need = _COMPARING
            if is_function_of_jax(value_of(raised, raised.node.func)) and not _passes_function(raised, raised.node):
                title, need = _VALUE_FOR_JAX.format(source=source), _DECIDES
            if traced_k(raised) is not None:
                argument, need = "k", _Need(NEED_OF_K, "k")
                title = f"JAX needs the value of the argument k in {source} while JAX traces"
            # In JAX 0.10, `compress` and `extract` ask first whether any element of the mask is true: the error is
            # about their length.
            if jnp_function(raised) in ("compress", "extract") and passed_node(raised, "size") is None:
                title = _LENGTH_FOR_JAX.format(source=source)
                need = _OF_LENGTH
    elif kind == "NonConcreteBooleanIndexError" and (mask := _mask(raised)) is not None and raised is not None:
        mask_text = " ".join(raised.source(mask).split())
        index_or_mask = "index" if isinstance(mask, ast.Tuple) else "mask"
        title = f"JAX needs the values of the {index_or_mask} {mask_text} while JAX traces"
    elif kind == "TracerArrayConversionError":
        title = f"NumPy needs the values of an array in {source} while JAX traces"
    elif kind == "ConcretizationTypeError":
        # In the message of jax.experimental.sparse, an empty line stands before the context.
        context = message_of(error).partition("\n")[2].lstrip("\n").partition("\n")[0]
        if _CONVERSION.search(context):
            need = _FLOAT if _TO_FLOAT.search(context) else _NUMBER
        elif method := _METHOD.match(context):
            name_of_method = method[1]
            need = _Need(f"{name_of_method}() needs the values of the array.")
        elif (argument := _argument_in(context)) in _LENGTHS and passed_node(raised, argument) is None:
            title = _LENGTH_FOR_JAX.format(source=source)
            need = _OF_LENGTH
        elif argument:
            title = f"JAX needs the value of the argument {argument} in {source} while JAX traces"
            need = _Need("This argument decides what JAX computes, or the shape of the result.")
        elif _LENGTH_NEEDED.match(context) and passed_node(raised, "size") is None:
            title = _LENGTH_FOR_JAX.format(source=source)
            need = _OF_LENGTH
        elif context and not _WITHOUT_CONTEXT.match(context):
            title = _VALUE_FOR_JAX.format(source=source)
            need = _DECIDES
    of_length = "`length` argument to `scan`" in message_of(error)
    if of_length:
        title, argument = "JAX needs the length of a scan while JAX traces", "length"
    cures: list[FoundCure] = []
    loop = loop_by_values(raised, mask is not None) if raised is not None else None
    if raised is not None:
        if loop is not None:
            need, cures = _Need(NEED), looped(raised, error, loop)
        elif of_length:
            cures = Choices(raised).length()
        elif kind == "NonConcreteBooleanIndexError":
            cures = masked_index(raised)
        else:
            choices = Choices(raised, is_differentiated(raised, error))
            cures = (
                choices.default_none()
                or choices.selection()
                or choices.cases()
                or choices.loop()
                or choices.assertion()
                or Calls(raised).cures()
                or choices.combination()
                or indexed_list_cures(raised)
            )
            if kind == "TracerBoolConversionError":
                cures = with_test_of_caller(raised, cures, is_differentiated(raised, error))
    size = size_node(raised, argument)
    origins = _origins(error, raised, mask or size)
    return _explained(title, need, error, raised, function, origins, cures, [], size)
