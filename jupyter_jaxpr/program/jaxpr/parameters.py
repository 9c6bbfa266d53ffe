"""Prints the parameters of an equation in JAX's order and with JAX's texts.

For some primitives JAX's printer has a rule: it omits parameters with their default value and prints functions by name.
These rules are private to JAX, so this module repeats them for each primitive. A primitive without a rule prints all
its parameters sorted by name, as in JAX.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...interruptions import not_of_a_signal
from ...observe.reprs_of_users_values import Reading, is_of_users
from ...plain_text import FAILURES, Limit, exact, kind_name, unreadable
from .high_primitives import InOrder

#: The most characters of the text of a parameter.
LIMIT = Limit.PARAMETER

#: The placeholder, in a text, for a program that JAX prints at this position.
PROGRAM = "\ufffc"

#: Parameters whose program combines two values into one, such as the sum of a reduction; its equations are not counted.
COMBINERS = frozenset(
    {
        ("reduce", "jaxpr"),
        ("reduce_window", "jaxpr"),
        ("select_and_scatter", "select_jaxpr"),
        ("select_and_scatter", "scatter_jaxpr"),
        ("scatter", "update_jaxpr"),
        ("scatter-add", "update_jaxpr"),
        ("scatter_add", "update_jaxpr"),
        ("scatter_sub", "update_jaxpr"),
        ("scatter-sub", "update_jaxpr"),
        ("scatter_mul", "update_jaxpr"),
        ("scatter-mul", "update_jaxpr"),
        ("scatter_min", "update_jaxpr"),
        ("scatter-min", "update_jaxpr"),
        ("scatter_max", "update_jaxpr"),
        ("scatter-max", "update_jaxpr"),
    }
)

Parameters = Mapping[str, Any]
Printed = list[tuple[str, Any]]

_ADDRESS = re.compile(r" at 0x([0-9a-fA-F]+)")
_SPACE = re.compile(r"\s+")


def open_jaxpr(value: Any) -> Any | None:
    """Return the object that has the equations of a Jaxpr or ClosedJaxpr (one class since JAX 0.11).

    None for other values.
    """
    inner = getattr(value, "jaxpr", None)
    if inner is not None and hasattr(inner, "eqns") and hasattr(inner, "invars"):
        return inner
    if hasattr(value, "eqns") and hasattr(value, "invars"):
        return value
    return None


def printed_parameters(primitive: str, parameters: Parameters) -> Printed:
    """Return (name, value) of each parameter, in the order in which JAX prints them.

    A value is the parameter itself, or the text that JAX prints in its place. If the rule of the primitive does not fit
    the parameters, as in another version of JAX, they are sorted by name.
    """
    if type(parameters) is InOrder:
        return list(parameters.items())
    rule = _RULES.get(primitive)
    if rule is not None:
        try:
            return rule(parameters)
        except not_of_a_signal(*FAILURES):
            pass
    return sorted(parameters.items())


def parameter_text(value: Any, reading: Reading | None = None) -> str:
    """Return a value as JAX prints it, on one line, without memory addresses, cut at `LIMIT` characters.

    The text of a value that cannot be printed is the name of its type and the reason, such as <Mesh: could not be
    described, ValueError>, so that one bad parameter does not hide an equation.

    Args:
        value: The value of the parameter.
        reading: The methods of the user's objects that may be called, and the texts that they returned earlier.
    """
    try:
        text = exact(_text(value, reading or Reading()), _PRINTED)
    except not_of_a_signal(*FAILURES) as error:
        text = unreadable(value, error)
    if not text.isprintable() or "  " in text:
        text = _SPACE.sub(" ", text).strip()
    return exact(text, LIMIT)


#: How many characters of a printed value are processed; the rest is dropped before the text is put on one line.
_PRINTED = 20 * LIMIT


def _text(value: Any, reading: Reading) -> str:
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is frozenset:
        return f"frozenset({{{', '.join(repr(item) for item in sorted(value))}}})"
    # A class, such as numpy.int32, can have `dtype` and `shape` without being an array.
    is_array = not isinstance(value, type) and hasattr(value, "dtype") and hasattr(value, "shape")
    if is_array and getattr(value, "size", 0) > 64:
        # `str` of a large array would copy the array from its device and print all of its values.
        return f"<{value.dtype}{list(value.shape)}>"
    text = reading.printed(value) if is_of_users(kind) else str(value)
    if " at 0x" in text:
        text = _ADDRESS.sub(lambda match: " at 0x" + "X" * len(match.group(1)), text)
    return text


def programs_in(value: Any) -> list[tuple[int, Any, Any]]:
    """Return the programs in a parameter.

    Each is (position in a tuple or -1, jaxpr with the equations, values of the jaxpr's constants).
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return []
    jaxpr = open_jaxpr(value)
    if jaxpr is not None:
        return [(-1, jaxpr, getattr(value, "consts", ()))]
    if not isinstance(value, tuple):
        return []
    programs = ((position, open_jaxpr(item), item) for position, item in enumerate(value))
    return [(position, jaxpr, getattr(item, "consts", ())) for position, jaxpr, item in programs if jaxpr is not None]


def text_around_programs(value: Any, reading: Reading | None = None) -> str | None:
    """Return the text that JAX prints around the programs in a parameter; None if JAX prints only the programs.

    JAX prints a jaxpr, or a plain tuple of jaxprs, as programs. Any other tuple, such as the named tuple of
    custom_linear_solve, is printed by `str`; in that text, `PROGRAM` stands for each program.
    """
    kind = type(value)
    if not issubclass(kind, tuple):
        return None
    items = [PROGRAM if open_jaxpr(item) is not None else parameter_text(_Repr(item), reading) for item in value]
    if type(value) is tuple:
        if all(item is PROGRAM for item in items):
            return None
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    fields = getattr(value, "_fields", None)
    if fields is not None:
        items = [f"{name}={item}" for name, item in zip(fields, items, strict=True)]
    return f"{kind_name(kind)}({', '.join(items)})"


class _Repr:
    """An object with a fixed repr, because `str` of a tuple prints the repr of its items."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __str__(self) -> str:
        return repr(self._value)


# --- JAX's rules, by primitive --------------------------------------------------------------------


def _jit(parameters: Parameters) -> Printed:
    printed = dict(parameters)
    del printed["inline"]
    if not any(printed["donated_invars"]):
        del printed["donated_invars"]
    for key in ("in_shardings", "out_shardings"):
        if all(type(item).__name__ == "UnspecifiedValue" for item in printed[key]):
            del printed[key]
    for key in ("in_layouts", "out_layouts"):
        if all(item is None for item in printed[key]):
            del printed[key]
    for key in ("keep_unused", "compiler_options_kvs"):
        if not printed[key]:
            del printed[key]
    if printed["ctx_mesh"].empty:
        del printed["ctx_mesh"]
    return [("name", printed.pop("name")), *sorted(printed.items())]


def _function_name(function: Any) -> Any:
    return function.debug_info.func_name


def _custom_jvp_call(parameters: Parameters) -> Printed:
    printed = dict(parameters)
    if not printed["num_consts"]:
        del printed["num_consts"]
    printed["jvp"] = _function_name(printed.pop("jvp_jaxpr_fun"))
    return [("name", _called_name(printed)), *sorted(printed.items())]


def _custom_vjp_call(parameters: Parameters) -> Printed:
    printed = dict(parameters)
    if not printed["num_consts"]:
        del printed["num_consts"]
    del printed["out_trees"]
    printed["fwd"] = _function_name(printed.pop("fwd_jaxpr_thunk"))
    printed["bwd"] = _function_name(printed.pop("bwd"))
    return [("name", _called_name(printed)), *sorted(printed.items())]


def _called_name(parameters: Parameters) -> Any:
    called = open_jaxpr(parameters["call_jaxpr"])
    assert called is not None
    return _function_name(called)


def _custom_lin(parameters: Parameters) -> Printed:
    printed = dict(parameters)
    del printed["out_avals"]
    printed["bwd"] = _function_name(printed.pop("bwd"))
    return sorted(printed.items())


def _dot_general(parameters: Parameters) -> Printed:
    printed = {key: value for key, value in parameters.items() if value is not None}
    (left, right), (left_batch, right_batch) = parameters["dimension_numbers"]
    printed["dimension_numbers"] = (
        (list(left), list(right)),
        (list(left_batch), list(right_batch)),
    )
    printed.pop("out_sharding", None)
    return sorted(printed.items())


def _broadcast_in_dim(parameters: Parameters) -> Printed:
    printed = dict(parameters)
    if not printed["broadcast_dimensions"]:
        del printed["broadcast_dimensions"]
    del printed["shape"]
    printed.pop("sharding", None)
    return sorted(printed.items())


def _without(*names: str) -> Callable[[Parameters], Printed]:
    """Return a printing rule that leaves out the parameters with these names."""

    def rule(parameters: Parameters) -> Printed:
        return sorted(item for item in parameters.items() if item[0] not in names)

    return rule


def _without_none(name: str) -> Callable[[Parameters], Printed]:
    """Return a printing rule that omits a parameter if its value is None."""

    def rule(parameters: Parameters) -> Printed:
        return sorted(item for item in parameters.items() if item != (name, None))

    return rule


def _rules(primitives: Iterable[str], rule: Callable[[Parameters], Printed]) -> dict[str, Any]:
    return dict.fromkeys(primitives, rule)


_WITH_ACCURACY = "cbrt cos erfc exp exp2 expm1 log log1p log2 logistic rsqrt sin sqrt tan tanh".split()

_RULES: dict[str, Callable[[Parameters], Printed]] = {
    **_rules(["jit", "pjit"], _jit),
    **_rules(_WITH_ACCURACY, _without_none("accuracy")),
    "broadcast_in_dim": _broadcast_in_dim,
    "check": _without("err_tree"),
    "convert_element_type": _without("sharding"),
    "custom_jvp_call": _custom_jvp_call,
    "custom_lin": _custom_lin,
    "custom_vjp_call": _custom_vjp_call,
    "dot_general": _dot_general,
    "mul": _without_none("out_dtype"),
    "reshard": lambda parameters: [],
}
