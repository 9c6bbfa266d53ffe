"""The line of a magic in, what the user wants out; a mistake in it is a `UsageError` before anything runs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic_arguments import MagicArgumentParser, argument, magic_arguments

from ..document.facts import TRANSFORM_KINDS
from ..document.types.transform import TransformKind
from ..observe.own_traces import Stage
from ..typed.specs import SpecError, SweptName, Target, parse_sweep, parse_target

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
    compare: tuple[str, ...] = ()
    sweep: SweptName | None = None
    steps: bool = False
    time: bool = False
    transform: tuple[TransformKind, ...] = ()

    @property
    def keeps_values(self) -> bool:
        """Whether something is to run again after the cell."""
        return self.steps or self.time


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
            argument(
                "--compare",
                metavar="F,G,...",
                help="Call each of these functions with the arguments of the target, or else of the cell's last call, "
                "and show side by side what they cost and give. It calls them: once, then as often as a fraction of a "
                "second holds.",
            ),
            argument(
                "--sweep",
                metavar="N=8,16,...",
                help="Give each of these values to a name of the target, and show what the call costs at each: eager, "
                "the first call with its compilation, warm, and the size of its program. Write for example "
                "--sweep n=64,256,1024 f(jnp.ones(n)), with --compare f,g for several functions.",
            ),
            argument(
                "--steps",
                action="store_true",
                help="Run every loop and branch of the program in focus once more and record its steps, on the values "
                "of the last call. What has effects is left to the panel, which asks first.",
            ),
            argument(
                "--time",
                action="store_true",
                help="Run the program in focus again, as often as a fraction of a second holds, on the values of the "
                "last call, and its Python without jit: what a warm call takes beside the first one. What has effects, "
                "or takes over a second, is left to the panel, which asks first.",
            ),
            argument(
                "--transform",
                metavar="grad,vmap,jvp,linearize",
                help="Show beside the program in focus what JAX derives from it by these transforms, on its types: the "
                "function does not run again, nothing is compiled or executed.",
            ),
            argument("--title", help="A title for this run in the panel."),
            argument("--pin", action="store_true", help="Keep this run in the panel when the next one comes."),
        ]
    ):
        magic = declare(magic)
    return magic


# Options that do not go together, and why.
_APART = (
    ("--sweep", "--steps", "--steps is about one call"),
    ("--sweep", "--stage", "--sweep compiles and runs"),
    ("--compare", "--steps", "--steps is about one program"),
    ("--compare", "--stage", "--compare compiles and runs"),
    ("--compare", "--time", "--compare times what it calls"),
    ("--sweep", "--time", "--sweep times each call"),
)

# Options that call the function: what each does, and an argument that it can be called with.
_RUN = (
    ("--compare", "calls the functions", "jnp.ones(8)"),
    ("--sweep", "calls the function", "jnp.ones({name})"),
    ("--steps", "runs the function", "jnp.ones(8)"),
    ("--time", "runs the function", "jnp.ones(8)"),
)


def _need_values(given: Mapping[str, bool], stage: str | None, text: str, target: Target, name: str) -> None:
    """Refuse types as arguments where an option calls the function.

    Args:
        given: Which options are there.
        stage: Of `--stage`.
        text: The target as it was typed.
        target: The same, read.
        name: The name that a sweep is over.

    Raises:
        UsageError: An option calls the function.
    """
    for option, does, argument_text in _RUN:
        if given[option]:
            raise UsageError(
                f"{option} {does} and needs values, and '{text}' has types. Write arrays, such as "
                f"{target.function_text}({argument_text.format(name=name)})."
            )
    if stage == "run":
        raise UsageError(
            f"--stage run needs values, and '{text}' has types. Write arrays, such as f(jnp.ones(8)), or use "
            "--stage compile."
        )


def parse(parser: MagicArgumentParser, line: str) -> Options:
    """Read a line.

    Raises:
      UsageError: an unknown option, a target that is no call, a type that does not exist.
    """
    found: Namespace = parser.parse_args(_closed_up(words(line)))
    compare = _compare(found.compare)
    text = " ".join(found.target)
    try:
        target = parse_target(text) if text else None
    except SpecError as error:
        raise UsageError(str(error)) from None
    sweep = _sweep(found.sweep, target)
    given = {
        "--compare": bool(compare),
        "--sweep": sweep is not None,
        "--steps": bool(found.steps),
        "--time": bool(found.time),
        "--stage": found.stage is not None,
    }
    if target is not None and target.has_specs:
        _need_values(given, found.stage, text, target, "n" if sweep is None else sweep.name)
    for one, other, why in _APART:
        if given[one] and given[other]:
            raise UsageError(f"{one} and {other} do not go together: {why}. Leave one out.")
    if found.time and found.stage not in (None, "run"):
        raise UsageError(f"--time and --stage {found.stage} do not go together: --time runs. Leave one out.")
    if found.stage is not None and target is None:
        raise UsageError(f"--stage {found.stage} is about a target. Write one, such as f(x) --stage {found.stage}.")
    transform = _transform(found.transform)
    title = found.title.strip("\"'") if found.title else None
    return Options(
        target,
        found.stage,
        not found.no_trace,
        title,
        found.pin,
        compare,
        sweep,
        found.steps,
        found.time,
        transform,
    )


def _closed_up(found: list[str]) -> list[str]:
    """Lists such as `grad, vmap`, written with blanks, as one word each; a target has its commas within brackets."""
    whole: list[str] = []
    for word in found:
        if whole and (whole[-1].endswith(",") or word.startswith(",")):
            whole[-1] += word
        else:
            whole.append(word)
    return whole


def _compare(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    example = "Write the names of two or more functions with commas, such as --compare f,g,h."
    names = text.split(",")
    for name in names:
        if not name:
            raise UsageError(f"--compare {text}: a name is missing beside a comma. {example}")
        if not all(part.isidentifier() for part in name.split(".")):
            raise UsageError(f"--compare {text}: '{name}' is no name of a function. {example}")
    if len(names) == 1:
        raise UsageError(f"--compare {text}: there is nothing to compare {text} with. {example}")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"--compare {text}: {twice[0]} is there twice. {example}")
    return tuple(names)


def _transform(text: str | None) -> tuple[TransformKind, ...]:
    if text is None:
        return ()
    names = text.split(",")
    for name in names:
        if name not in TRANSFORM_KINDS:
            raise UsageError(
                f"--transform {text}: there is no transform '{name}'. Write one or more of "
                f"{', '.join(TRANSFORM_KINDS)} with commas, such as --transform grad,vmap."
            )
    return tuple(kind for kind in dict.fromkeys(names) if kind in TRANSFORM_KINDS)


def _sweep(text: str | None, target: Target | None) -> SweptName | None:
    if text is None:
        return None
    try:
        return parse_sweep(text, target)
    except SpecError as error:
        raise UsageError(f"--sweep {error}") from None


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
