"""Parses the name and the values of a sweep, such as `n=8,16,32`; `--sweep` and the form of the panel use it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .targets_and_array_types import SpecError, Target


@dataclass(frozen=True)
class SweptName:
    """The values that a sweep gives to a name of a target, one after the other.

    Attributes:
        name: A name of the target.
        values: The texts of the values as the user typed them.
    """

    name: str
    values: tuple[str, ...]


def parse_sweep(text: str, target: Target | None) -> SweptName:
    """Parse a name and its values, such as `n=8,16,32`.

    Args:
        text: The text that the user typed.
        target: The call that reads the name.

    Raises:
      SpecError: the text is no name with two or more values, or the target does not read the name.
    """
    example = "Write, for example, n=8,16,32 and a call that uses n, such as f(jnp.ones(n))."
    name, equals, values = text.partition("=")
    name = name.strip()
    source = f"({values},)"
    try:
        parsed = ast.parse(source, mode="eval").body
    except SyntaxError:
        parsed = None
    if not equals or not name.isidentifier() or not isinstance(parsed, ast.Tuple) or not values.strip():
        raise SpecError(f"{text}: a sweep needs a name and its values. {example}")
    if len(parsed.elts) < 2:
        raise SpecError(f"{text}: a sweep needs two or more values. {example}")
    if target is None:
        raise SpecError(
            f"{text}: the line names no call that uses {name}. Write the call after the values, such as "
            f"--sweep {text} f(jnp.ones({name}))."
        )
    if name not in target.names:
        raise SpecError(f"{text}: the arguments of '{target.text}' do not use {name}. {example}")
    return SweptName(name, tuple(ast.get_source_segment(source, value) or ast.unparse(value) for value in parsed.elts))
