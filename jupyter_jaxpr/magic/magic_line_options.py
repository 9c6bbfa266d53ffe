"""Parses the line of a magic; a mistake raises `UsageError` before any code runs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic_arguments import MagicArgumentParser, argument, magic_arguments

from ..document.silenceable_notes import ALL_NOTES, SILENCEABLE_NOTES
from ..document.types.transform import TRANSFORM_KINDS, TransformKind
from ..observe.own_traces.trace_of_call import Stage
from ..typed.sweep_values import SweptName, parse_sweep
from ..typed.targets_and_array_types import SpecError, Target, parse_target

STAGES = ("trace", "lower", "compile", "run")

_OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Options:
    """The options of a magic's line."""

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
    eager: bool = False
    focus: str | None = None
    per_entry: bool = False
    ignore: tuple[str, ...] = ()

    @property
    def keeps_values(self) -> bool:
        """True if an option calls the function again after the cell, so that its argument values must be kept."""
        return self.steps or self.time


def arguments(magic: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the arguments of the magics, with their help texts. This function is a decorator."""
    for declare in reversed(
        [
            magic_arguments(),
            argument(
                "target",
                nargs="*",
                help="A call to trace, with values or with types: f(x, n=3), f(f32[8,128], {'w': bf16[128,4]}). "
                "Without a target, %%jaxpr shows every jitted function that the cell calls.",
            ),
            argument(
                "--stage",
                choices=STAGES,
                help="The last stage for the target: trace (default), lower to StableHLO, compile to HLO, or run once.",
            ),
            argument(
                "--no-trace",
                action="store_true",
                help="Do not trace the cell's last call if the cell calls no jitted function.",
            ),
            argument(
                "--compare",
                metavar="F,G,...",
                help="Compare these functions: costs, times and results side by side. Each function is called with the "
                "arguments of the target or, without a target, of the cell's last call: once, then repeatedly for a "
                "fraction of a second.",
            ),
            argument(
                "--sweep",
                metavar="N=8,16,...",
                help="Call the target at each of these values of one name. The panel shows, for each value, the "
                "time of an eager call, of the first call with its compilation and of a warm call, and the size of the "
                "program. Example: --sweep n=64,256,1024 f(jnp.ones(n)). Add --compare f,g for several functions.",
            ),
            argument(
                "--steps",
                action="store_true",
                help=(
                    "Run every loop and branch of the program that the panel shows first once more, on the values of "
                    "the last call, and show the steps. A construct with effects does not run: the panel offers to "
                    "run the construct and asks first."
                ),
            ),
            argument(
                "--time",
                action="store_true",
                help=(
                    "Time the program that the panel shows first, and the same function without jit, on the values of "
                    "the last call: both run repeatedly for a fraction of a second. The panel shows the time of a "
                    "warm call beside the first call. A program that has effects or takes over a second is not "
                    "repeated: the panel offers to run the program and asks first."
                ),
            ),
            argument(
                "--transform",
                metavar="grad,vmap,jvp,linearize",
                help="Show the programs that JAX derives by these transforms from the program that the panel shows "
                "first. JAX needs the types only: the function does not run again, and JAX compiles nothing.",
            ),
            argument(
                "--eager",
                action="store_true",
                help="Record what JAX runs for the whole cell outside of jit, operation by operation, up to 20,000 "
                "dispatches. The cell takes up to 20 times as long. Without --eager, the calls of the last "
                "statement are recorded.",
            ),
            argument(
                "--per-entry",
                action="store_true",
                help=(
                    "Count the hits of each cache entry. A call of a jitted function takes 10 to 100 microseconds "
                    "longer in this cell."
                ),
            ),
            argument(
                "--focus",
                metavar="NAME",
                help="Show the program of this function first; the beginning of its name is enough. Example: --focus "
                "train_step.",
            ),
            argument(
                "--ignore",
                metavar="NOTE,...",
                help=(
                    "Do not show these notes on the cell: names separated by commas, or 'all'. A comment '# jaxpr: "
                    "ignore' at the end of a line silences all notes on the line; '# jaxpr: ignore key_used_twice' "
                    f"silences the notes of one kind. The notes are: {', '.join(SILENCEABLE_NOTES)}."
                ),
            ),
            argument("--title", help="A title for this run in the panel."),
            argument("--pin", action="store_true", help="Keep this run in view when the next run comes."),
        ]
    ):
        magic = declare(magic)
    return magic


# Options that exclude each other: (option, excluded option, error message).
_APART = (
    (
        "--sweep",
        "--steps",
        "--sweep and --steps exclude each other: --steps records one call. Leave out one of the two options.",
    ),
    (
        "--sweep",
        "--stage",
        "--sweep and --stage exclude each other: --sweep always runs the function. Leave out one of the two options.",
    ),
    (
        "--compare",
        "--steps",
        "--compare and --steps exclude each other: --steps records one program. Leave out one of the two options.",
    ),
    (
        "--compare",
        "--stage",
        "--compare and --stage exclude each other: --compare always runs the functions. Leave out one of the two "
        "options.",
    ),
    (
        "--compare",
        "--time",
        "--compare and --time exclude each other: --compare times each function. Leave out one of the two options.",
    ),
    (
        "--sweep",
        "--time",
        ("--sweep and --time exclude each other: --sweep times each call. Leave out one of the two options."),
    ),
)

# Options that call the function: (option, example of an argument).
_RUN = (
    ("--compare", "jnp.ones(8)"),
    ("--sweep", "jnp.ones({name})"),
    ("--steps", "jnp.ones(8)"),
    ("--time", "jnp.ones(8)"),
)


def _need_values(is_given: Mapping[str, bool], stage: str | None, text: str, target: Target, name: str) -> None:
    """Raise an error if an option has to call the function, but the target has array types in place of values.

    Args:
        is_given: Option -> True if the line has it.
        stage: The value of `--stage`.
        text: The target as the user typed it.
        target: The parsed target.
        name: The name of the sweep.

    Raises:
        UsageError: An option has to call the function with values.
    """
    for option, argument_text in _RUN:
        if is_given[option]:
            raise UsageError(
                f"{option} calls the function and needs values, but the arguments of '{text}' are types. Write arrays, "
                f"such as {target.function_text}({argument_text.format(name=name)})."
            )
    if stage == "run":
        raise UsageError(
            f"--stage run needs values, but the arguments of '{text}' are types. Write arrays, such as "
            "f(jnp.ones(8)), or use --stage compile."
        )


def parse(parser: MagicArgumentParser, line: str) -> Options:
    """Parse the line of a magic into its options.

    Raises:
      UsageError: an unknown option, a target that is no call, or an unknown type.
    """
    namespace: Namespace = parser.parse_args(_closed_up(words(line)))
    compare = _compare(namespace.compare)
    text = " ".join(namespace.target)
    try:
        target = parse_target(text) if text else None
    except SpecError as error:
        raise UsageError(str(error)) from None
    sweep = _sweep(namespace.sweep, target)
    present = {
        "--compare": bool(compare),
        "--sweep": sweep is not None,
        "--steps": bool(namespace.steps),
        "--time": bool(namespace.time),
        "--stage": namespace.stage is not None,
    }
    if target is not None and target.has_specs:
        _need_values(present, namespace.stage, text, target, "n" if sweep is None else sweep.name)
    for first, second, why in _APART:
        if present[first] and present[second]:
            raise UsageError(why)
    if namespace.time and namespace.stage not in (None, "run"):
        raise UsageError(
            f"--time and --stage {namespace.stage} exclude each other: --time always runs the function. Leave out one "
            "of the two options."
        )
    if namespace.stage is not None and target is None:
        raise UsageError(f"--stage needs a target. Write a call, such as f(x) --stage {namespace.stage}.")
    if namespace.eager and target is not None:
        raise UsageError(
            "--eager records a cell that runs, and a target is only traced. Leave out the option or the target."
        )
    if namespace.per_entry and target is not None:
        raise UsageError(
            "--per-entry counts the calls of a cell, and a target is only traced. Leave out the option or the target."
        )
    transform = _transform(namespace.transform)
    title = namespace.title.strip("\"'") if namespace.title else None
    return Options(
        target,
        namespace.stage,
        not namespace.no_trace,
        title,
        namespace.pin,
        compare,
        sweep,
        namespace.steps,
        namespace.time,
        transform,
        namespace.eager,
        namespace.focus,
        namespace.per_entry,
        _ignore(namespace.ignore),
    )


def _closed_up(split_words: list[str]) -> list[str]:
    """Join words that a blank after a comma separated, such as `grad, vmap`, into one word."""
    joined_words: list[str] = []
    for word in split_words:
        if joined_words and (joined_words[-1].endswith(",") or word.startswith(",")):
            joined_words[-1] += word
        else:
            joined_words.append(word)
    return joined_words


def _compare(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    example = "Write the names of two or more functions, separated by commas, such as --compare f,g,h."
    names = text.split(",")
    for name in names:
        if not name:
            raise UsageError(f"--compare {text}: a function name is missing before or after a comma. {example}")
        if not all(part.isidentifier() for part in name.split(".")):
            raise UsageError(f"--compare {text}: '{name}' is not a function name. {example}")
    if len(names) == 1:
        raise UsageError(f"--compare {text} names only one function. {example}")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"--compare {text} names {twice[0]} twice. {example}")
    return tuple(names)


def _transform(text: str | None) -> tuple[TransformKind, ...]:
    if text is None:
        return ()
    names = text.split(",")
    for name in names:
        if name not in TRANSFORM_KINDS:
            raise UsageError(
                f"--transform {text}: there is no transform '{name}'. Write one or more of "
                f"{', '.join(TRANSFORM_KINDS)}, separated by commas, such as --transform grad,vmap."
            )
    return tuple(kind for kind in dict.fromkeys(names) if kind in TRANSFORM_KINDS)


def _ignore(text: str | None) -> tuple[str, ...]:
    kinds = () if text is None else tuple(text.split(","))
    for kind in kinds:
        if kind not in (*SILENCEABLE_NOTES, ALL_NOTES):
            raise UsageError(
                f"--ignore {text}: there is no note '{kind}'. Write one or more of {', '.join(SILENCEABLE_NOTES)}, "
                f"separated by commas, or {ALL_NOTES}."
            )
    return kinds


def _sweep(text: str | None, target: Target | None) -> SweptName | None:
    if text is None:
        return None
    try:
        return parse_sweep(text, target)
    except SpecError as error:
        raise UsageError(f"--sweep {error}") from None


def words(line: str) -> list[str]:
    """Split a line at blanks outside of quotes and brackets. Quotes are kept, because they may belong to Python code.

    Raises:
      UsageError: a bracket or a quote is not closed.
    """
    parts: list[str] = []
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
                parts.append(word)
            word = ""
            continue
        word += character
    if quote:
        raise UsageError(f"The quote {quote} is not closed in: {line.strip()}. Close the quote.")
    if closing:
        raise UsageError(f"A '{closing[-1]}' is missing in: {line.strip()}. Close the bracket.")
    return [*parts, word] if word else parts
