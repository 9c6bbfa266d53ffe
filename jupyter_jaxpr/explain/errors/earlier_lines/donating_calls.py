"""Finds the calls that donate an array, by jit's options of the called function or by its code."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ....jax.options_of_jit import jit_options
from ....observe.functions.function_inside_wrappers import code_of, name_of
from ....observe.user_or_library.whose_code import is_installed
from ....plain_text import file_of
from ...loops.kinds_of_python_loops import parsed
from ..arguments.static_argument_edits import parameters_of
from ..failing_code.origins import value_in, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text

_OPTIONS = ("donate_argnums", "donate_argnames")
_REUSES_BY_OPTION = "The option {option} lets the call reuse the memory of {name} ({type})."
_REUSES = "The call donates this argument, so the call may reuse the memory of {name} ({type})."


@dataclass(frozen=True)
class Donation:
    """A call that donates an argument.

    Attributes:
        call: The call.
        argument: The expression of the donated argument.
        option: The option of jit that donates the argument; empty if the code does not show it.
        inside: The donating call, if `call` calls a function that makes the donating call; else None.
    """

    call: ast.Call
    argument: ast.expr
    option: str
    inside: ast.Call | None = None


def reuse_of_memory(donation: Donation, name: str, type_: str) -> str:
    """Return the sentence on the memory of a donated array."""
    reuses = _REUSES_BY_OPTION if donation.option else _REUSES
    return reuses.format(option=donation.option, name=name, type=type_)


def donations_of_call(raised: RaisedAt, call: ast.Call, name: str) -> Iterator[Donation]:
    """Yield the donated arguments of a call that are the given array, or a container with it."""
    jitted = value_of(raised, call.func)
    if (known := jit_options(jitted)) is not None:
        parameters = parameters_of(jitted)
        arguments = [(n, parameters[n] if n < len(parameters) else "", node) for n, node in enumerate(call.args)]
        arguments += [(-1, keyword.arg or "", keyword.value) for keyword in call.keywords]
        for number, parameter, node in arguments:
            if _is_array(raised, node, name) and known.is_donated(number, parameter, len(call.args)):
                yield Donation(call, node, _written_option(raised, call, jitted))
                return
        return
    if inside := _donated_inside(jitted):
        for parameter, node in zip(parameters_of(jitted), call.args, strict=False):
            if parameter in inside and _is_array(raised, node, name):
                yield Donation(call, node, "", inside[parameter])
                return
        return
    function, options, is_method = _jitted(raised, call.func)
    names = [] if function is None else [part.arg for part in [*function.args.posonlyargs, *function.args.args]]
    if is_method:
        names = names[1:]
    by_place = [(place, names[place] if place < len(names) else "", node) for place, node in enumerate(call.args)]
    by_name = [
        (names.index(keyword.arg) if keyword.arg in names else -1, keyword.arg or "", keyword.value)
        for keyword in call.keywords
    ]
    for option, value in options:
        donated = _constants(value)
        for place, parameter, node in (*by_place, *by_name):
            if _is_array(raised, node, name) and (
                donated is None or parameter in donated or place + is_method in donated
            ):
                yield Donation(call, node, option)
                return


def _is_array(raised: RaisedAt, node: ast.expr, name: str) -> bool:
    """Return whether an argument is the array with this code, such as state['w'], or a container with the array."""
    source = raised.source(node)
    is_named = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    return is_named and (source == name or name.startswith((f"{source}[", f"{source}.")))


def _written_option(raised: RaisedAt, call: ast.Call, jitted: Any) -> str:
    """Return the option that donates arguments in the code of a jitted function; empty if the code is not found."""
    code, name = code_of(jitted), name_of(jitted)
    loops = parsed("".join(linecache.getlines(file_of(code)))) if code is not None else None
    modules = [source.module for source in (loops, raised.loops) if source is not None]
    options: set[str] = set()
    for node in [part for module in modules for part in ast.walk(module)]:
        makers: list[ast.expr] = []
        if isinstance(node, ast.FunctionDef) and node.name == name:
            makers = node.decorator_list
        elif isinstance(node, ast.Assign) and any(ast.unparse(part) == ast.unparse(call.func) for part in node.targets):
            makers = [node.value]
        elif isinstance(node, ast.Call) and any(ast.unparse(part).rpartition(".")[2] == name for part in node.args):
            makers = [node]
        keywords = [option.arg for maker in makers if isinstance(maker, ast.Call) for option in maker.keywords]
        options |= {option for option in keywords if option in _OPTIONS}
    return options.pop() if len(options) == 1 else ""


def _donated_inside(function: Any) -> dict[str, ast.Call]:
    """Return the parameters of a user's function that the function itself passes to a donating call, with the call."""
    if type(function) is not FunctionType or is_installed(file_of(function.__code__)):
        return {}
    loops = parsed("".join(linecache.getlines(file_of(function.__code__))))
    definitions = [
        node
        for node in (ast.walk(loops.module) if loops is not None else ())
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__
    ]
    donated = {}
    for call in ast.walk(definitions[0]) if len(definitions) == 1 else ():
        if not isinstance(call, ast.Call):
            continue
        jitted = value_in(function.__globals__, call.func)
        options = jit_options(jitted)
        parameters = parameters_of(jitted) if options is not None else []
        for number, node in enumerate(call.args):
            parameter = parameters[number] if number < len(parameters) else ""
            if isinstance(node, ast.Name) and options is not None:
                if options.is_donated(number, parameter, len(call.args)):
                    donated[node.id] = call
    return donated


def _constants(node: ast.expr) -> list[object] | None:
    """Return the numbers or names in an option such as donate_argnums=(0, 1); None for other code."""
    nodes = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return (
        [part.value for part in nodes if isinstance(part, ast.Constant)]
        if all(isinstance(part, ast.Constant) for part in nodes)
        else None
    )


def _jitted(raised: RaisedAt, node: ast.expr) -> tuple[AnyFunction | None, list[tuple[str, ast.expr]], bool]:
    """Return the called jitted function, the options of its jit that donate arguments, and whether it is a method."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
    function = function_of_text(raised, name)
    makers: list[ast.expr] = list(function.decorator_list) if isinstance(function, ast.FunctionDef) else []
    is_method = isinstance(node, ast.Attribute) and isinstance(raised.parents.get(id(function)), ast.ClassDef)
    for part in ast.walk(raised.loops.module) if raised.loops is not None and name is not None else ():
        if isinstance(part, ast.Assign) and any(ast.unparse(target) == ast.unparse(node) for target in part.targets):
            makers.append(part.value)
            if isinstance(part.value, ast.Call) and part.value.args:
                function, is_method = function_of_text(raised, part.value.args[0]), False
    options = [
        (option.arg, option.value)
        for maker in makers
        if isinstance(maker, ast.Call)
        for option in maker.keywords
        if option.arg in _OPTIONS
    ]
    return function, options, is_method
