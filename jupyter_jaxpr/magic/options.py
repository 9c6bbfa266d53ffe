"""The line of a magic in, what the user wants out; a mistake in it is a `UsageError` before anything runs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic_arguments import MagicArgumentParser, argument, magic_arguments

from ..observe.own_traces import Stage
from ..specs import SpecError, Target, parse_target

STAGES = ("trace", "lower", "compile", "run")

_OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Options:
    """What a line asks for."""

    target: Target | None
    stage: Stage | None
    trace: bool
    title: str | None
    pin: bool


def arguments(magic: Callable[..., Any]) -> Callable[..., Any]:
    """Document and declare the arguments of the magics."""
    for declare in reversed(
        [
            magic_arguments(),
            argument(
                "target",
                nargs="*",
                help="A call to show, with values or with types: f(x, n=3), f(f32[8,128], {'w': bf16[128,4]}). "
                "Without it, %%jaxpr shows every jitted function that the cell calls.",
            ),
            argument(
                "--stage",
                choices=STAGES,
                help="How far to take a target that was not jitted and called: trace (default), lower to StableHLO, "
                "compile to HLO, or run it once.",
            ),
            argument(
                "--no-trace",
                action="store_true",
                help="Do not trace the cell's last call where the cell calls no jitted function.",
            ),
            argument("--title", help="A title for this run in the panel."),
            argument("--pin", action="store_true", help="Keep this run in the panel when the next one comes."),
        ]
    ):
        magic = declare(magic)
    return magic


def parse(parser: MagicArgumentParser, line: str) -> Options:
    """Read a line.

    Raises:
      UsageError: an unknown option, a target that is no call, a type that does not exist.
    """
    found: Namespace = parser.parse_args(words(line))
    text = " ".join(found.target)
    try:
        target = parse_target(text) if text else None
    except SpecError as error:
        raise UsageError(str(error)) from None
    if found.stage == "run" and target is not None and target.has_specs:
        raise UsageError(
            f"--stage run needs values, and '{text}' has types. Write arrays, such as f(jnp.ones(8)), or use "
            "--stage compile."
        )
    if found.stage is not None and target is None:
        raise UsageError(f"--stage {found.stage} is about a target. Write one, such as f(x) --stage {found.stage}.")
    title = found.title.strip("\"'") if found.title else None
    return Options(target, found.stage, not found.no_trace, title, found.pin)


def words(line: str) -> list[str]:
    """Split a line at blanks outside of quotes and brackets; quotes stay, for they may be Python's.

    Raises:
      UsageError: a bracket or a quote is not closed.
    """
    found: list[str] = []
    word = ""
    closing: list[str] = []
    quote = ""
    escaped = False
    for character in line:
        if quote:
            if character == quote and not escaped:
                quote = ""
            escaped = character == "\\" and not escaped
        elif character in "\"'":
            quote = character
        elif character in _OPENING:
            closing.append(_OPENING[character])
        elif closing and character == closing[-1]:
            closing.pop()
        elif character.isspace() and not closing:
            if word:
                found.append(word)
            word = ""
            continue
        word += character
    if quote:
        raise UsageError(f"A {quote} is not closed in: {line.strip()}. Close it.")
    if closing:
        raise UsageError(f"A '{closing[-1]}' is missing in: {line.strip()}. Close the bracket.")
    return [*found, word] if word else found
