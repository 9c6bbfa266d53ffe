"""Finds the generator whose local variable keeps a traced value after the trace, such as a stream of random keys."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from types import GeneratorType
from typing import Any, NamedTuple

from ....jax.facts import is_tracer_type
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....plain_text import file_of
from ..failing_code.module_names import namespace
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text

_KEEPS = " {maker} is a generator: its local variables keep their values from one call of next to the following call."


class LeakingGenerator(NamedTuple):
    """The sentence and the cure for a generator that ran during the trace.

    Attributes:
        sentence: The sentence about the generator.
        cure: The cure; None if it is unknown which generator keeps the value.
    """

    sentence: str
    cure: FoundCure | None


def leaking_generator(
    raised: RaisedAt, traced: str | None, ran: Collection[tuple[str, str]]
) -> LeakingGenerator | None:
    """Return the generator that was running when JAX made the leaked value; None if no generator was running.

    Args:
        raised: Where the code used the value, or called the function that used the value.
        traced: The name of the function that JAX traced when the value was made; None if unknown.
        ran: (file, name) of the functions that computed the value.
    """
    makers = {name for file, name in ran if file == raised.place.file and _is_generator(raised, name)}
    if len(makers) != 1:
        return None
    (maker,) = makers
    sentence = _KEEPS.format(maker=maker)
    found = {
        id(generator): name
        for name, generator in _generators(raised)
        if (file_of(generator.gi_code), generator.gi_code.co_name) in ran and _keeps_tracer(raised, generator)
    }
    if len(found) != 1 or traced is None:
        return LeakingGenerator(sentence, None)
    (name,) = found.values()
    function = traced.rpartition(".")[2]
    if not _is_made_before(raised, function, maker, name):
        return LeakingGenerator(sentence, None)
    words = (
        f"Call next({name}) outside of {function}, and pass the value to {function} as an argument. Before this call, "
        f"make the generator {name} again, because its local variables hold a traced value."
    )
    return LeakingGenerator(sentence, FoundCure("an argument", None, words))


def _is_generator(raised: RaisedAt, name: str) -> bool:
    """Return whether the only def with a name has a yield of its own, not only in an inner function."""
    function = function_of_text(raised, name)
    nodes: list[ast.AST] = list(function.body) if isinstance(function, ast.FunctionDef) else []
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            nodes += ast.iter_child_nodes(node)
    return False


def _generators(raised: RaisedAt) -> Iterator[tuple[str, GeneratorType[Any, Any, Any]]]:
    """Yield the generators that the failing code can name: variables, and fields of the object of a called method."""
    for name, value in namespace(raised).items():
        if type(value) is GeneratorType and not name.startswith("_"):
            yield name, value
    match raised.node:
        case ast.Call(func=ast.Attribute(value=holder)) if raised.frame is not None:
            for name, value in instance_dict(value_of(raised, holder)).items():
                if type(value) is GeneratorType:
                    yield f"{raised.source(holder)}.{name}", value


def _keeps_tracer(raised: RaisedAt, generator: GeneratorType[Any, Any, Any]) -> bool:
    """Return whether a tracer is in a local variable of a generator, or was when the error ended the generator."""
    frame = generator.gi_frame
    if frame is None and raised.frame is not None and raised.frame.f_code is generator.gi_code:
        frame = raised.frame
    return frame is not None and any(is_tracer_type(type(value)) for value in frame.f_locals.values())


def _is_made_before(raised: RaisedAt, function: str, maker: str, name: str) -> bool:
    """Return whether the code makes the generator outside of the traced function.

    Args:
        raised: Where the error was raised.
        function: The name of the traced function.
        maker: The name of the function with the yield.
        name: The expression that reads the generator.
    """
    traced, generator_function = function_of_text(raised, function), function_of_text(raised, maker)
    if traced is None or generator_function is None or raised.loops is None:
        return False
    inside = list(ast.walk(traced))
    variable = name.rpartition(".")[2]
    stored = [part.id for part in inside if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    stored += [part.attr for part in inside if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)]
    shared = [part for part in ast.walk(raised.loops.module) if isinstance(part, ast.Global | ast.Nonlocal)]
    return (
        generator_function not in inside
        and variable not in stored
        and not any(variable in statement.names for statement in shared)
    )
