"""Makes the StableHLO and HLO texts of a program, each with the source stack of every line; each text is made once."""

from __future__ import annotations

from typing import Any, Literal

from ...document.sentences.missing_part_sentences import NO_TEXT_KEPT, NOT_COMPILED, NOT_LOWERED
from ...document.types.document import Level
from ...interruptions import not_of_a_signal
from ...observe.observation import ObservedProgram
from ...plain_text import kind_name, message_of
from ...program.source.positions import Positions
from ...program.texts.hlo_of_executable import executable_text, hlo_lines
from ...program.texts.stablehlo_of_lowered import LinesOfText, lowered_text, stablehlo_lines

LevelName = Literal["stablehlo", "hlo"]

Platform = Literal["cpu", "cuda", "rocm", "tpu"]

#: The platforms that JAX can lower a program for, even without such a device.
PLATFORMS: tuple[Platform, ...] = ("cpu", "cuda", "rocm", "tpu")

LEVELS: tuple[LevelName, ...] = ("stablehlo", "hlo")


class Unavailable(Exception):
    """Raised if a request cannot be answered; the message is a sentence for the user that says what to do."""


def text_of(observed: ObservedProgram, level: LevelName, positions: Positions) -> LinesOfText:
    """Return the StableHLO or HLO of a program that JAX has lowered or compiled.

    Raises:
        Unavailable: JAX did not make the text, or this backend does not print the text.
    """
    try:
        if level == "stablehlo" and observed.lowered is not None:
            return stablehlo_lines(lowered_text(observed.lowered), positions)
        if level == "hlo" and observed.executable is not None:
            return hlo_lines(executable_text(observed.executable), positions)
    # on some backends JAX or XLA cannot print the text; the panel then shows the error
    except not_of_a_signal(Exception) as error:
        raise Unavailable(
            f"JAX could not print the {title(level)} of this program: {error}. The other levels are not affected."
        ) from error
    raise Unavailable(state_of(observed, level)[1] or "")


def platform_text(observed: ObservedProgram, platform: str, positions: Positions) -> LinesOfText:
    """Lower a program for any platform and return the StableHLO; nothing is compiled.

    Raises:
        Unavailable: The platform is unknown, or JAX cannot lower this program for the platform.
    """
    if platform not in PLATFORMS:
        raise Unavailable(f"JAX cannot lower a program for {platform}. Choose one of {', '.join(PLATFORMS)}.")
    traced = traced_of(observed)
    try:
        return stablehlo_lines(lowered_text(traced.lower(lowering_platforms=(platform,))), positions)
    except not_of_a_signal(Exception) as error:  # JAX refuses some programs, for example with a callback
        first_line = message_of(error).strip().partition("\n")[0].rstrip(".")
        raise Unavailable(
            f"JAX could not lower this program for {platform} ({kind_name(type(error))}: {first_line}). Choose "
            "another platform."
        ) from error


def state_of(
    observed: ObservedProgram, level: LevelName
) -> tuple[Literal["on_request", "not_made", "absent"], str | None]:
    """Return whether the text of a level exists, can be made or cannot be had; in the last case also why."""
    if level == "stablehlo":
        if observed.lowered is not None:
            return "on_request", None
        if observed.traced is not None:
            return "not_made", NOT_LOWERED
    else:
        if observed.executable is not None:
            return "on_request", None
        if observed.traced is not None or observed.lowered is not None:
            return "not_made", NOT_COMPILED
    return "absent", observed.no_text or NO_TEXT_KEPT.format(level=title(level))


def level_document(observed: ObservedProgram, level: LevelName) -> Level:
    """Return the document's struct of a level, without the text."""
    state, reason = state_of(observed, level)
    return Level(
        name=level,
        state=state,
        reason=reason,
        characters=None,
        lines=None,
        sha256=None,
        text=None,
        line_stacks=None,
    )


def make(observed: ObservedProgram, level: LevelName) -> None:
    """Let JAX lower or compile a program that was only traced; nothing runs.

    Raises:
        Unavailable: JAX cannot lower or compile the program.
    """
    try:
        lowered_of(observed)
        if level == "hlo" and observed.executable is None:
            observed.executable = lowered_of(observed).compile()
    except Unavailable:
        raise
    # JAX may refuse to lower or compile the user's program, for example an unsupported operation
    except not_of_a_signal(Exception) as error:
        lower_or_compile = "lower" if observed.lowered is None else "compile"
        first_line = message_of(error).strip().partition("\n")[0].rstrip(".")
        raise Unavailable(
            f"JAX could not {lower_or_compile} this program ({kind_name(type(error))}: {first_line}). Run the "
            "function in a cell to see the whole error."
        ) from error


def lowered_of(observed: ObservedProgram) -> Any:
    """Return the `jax.stages.Lowered` of a program; lower the program now if it was only traced.

    Raises:
        Unavailable: JAX kept neither the lowered nor the traced form.
    """
    if observed.lowered is None:
        observed.lowered = traced_of(observed).lower()
    return observed.lowered


def traced_of(observed: ObservedProgram) -> Any:
    """Return the `jax.stages.Traced` of a program.

    Raises:
        Unavailable: JAX did not keep the traced form.
    """
    if observed.traced is None:
        raise Unavailable(observed.no_text or NO_TEXT_KEPT.format(level="trace"))
    return observed.traced


def title(level: LevelName) -> str:
    """Return the name of a level as the user reads it, such as StableHLO."""
    return "StableHLO" if level == "stablehlo" else "HLO"
