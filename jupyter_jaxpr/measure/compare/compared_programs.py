"""Runs several observed programs on the arguments of one call, and compares times and results (a button of the panel).

JAX's executable of each program runs on the argument values of the first program's call. The Python of the functions
does not run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...jax.effect_names import program_effects
from ...jax.made_programs import jaxpr_as_fun
from ...jax.transform_and_inputs_of_tracer import short_type
from ...observe.advice_without_magics import KEEP_AND_INSPECT, cure
from ...observe.calls.held_or_gone_values import ValuesGone
from ...observe.observation import ObservedFunction, ObservedProgram
from ...observe.observer import Observer
from ..times.repeated_calls import Stop
from ..times.timing_questions_and_remarks import NO_EXECUTABLE
from .compared_functions import Candidate, Comparison, Report, Trial, Variant, carry_out
from .differentiation import Differentiable, differentiability

_NO_VALUES = "The recorded argument values of {name} are gone, so the programs cannot run. {cure}"
_KEEP_OR_NAME = "Keep the arguments in variables and run the cell again, or name the functions: %%jaxpr --compare f,g."
_OTHER_INPUTS = (
    "This program takes {types_of_program}, but {first_program} takes {types_of_first}, so the two programs cannot "
    "run on the same values. Choose programs with the same argument types."
)
EFFECTS = (
    "Some of these programs have effects ({effects}): {names}. The comparison runs each program many times, and each "
    "run repeats the effects. Run the programs?"
)

Named = tuple[str, ObservedProgram]


def question(programs: Sequence[Named]) -> str | None:
    """Return the question that the user must confirm before programs run again; None if no program has effects."""
    effects = {name: program_effects(program.jaxpr) for name, program in programs}
    with_effects = [name for name, program_effect_names in effects.items() if program_effect_names]
    if not with_effects:
        return None
    words = ", ".join(sorted({effect for program_effect_names in effects.values() for effect in program_effect_names}))
    return EFFECTS.format(names=", ".join(with_effects), effects=words)


def compare_programs(observer: Observer, programs: Sequence[Named], *, report: Report, stop: Stop) -> Comparison:
    """Run programs on the argument values of the first program's call, and compare times and results.

    Args:
        observer: The observer; it records nothing during the comparison.
        programs: Two or more programs, with the names of their functions.
        report: Called with a text on the present step, the number of finished steps and the number of all steps.
        stop: Called between steps and runs; returns True to stop and keep the results so far.

    Raises:
        ValuesGone: The argument values no longer exist; the message contains a cure.
    """
    first_name, first = programs[0]
    try:
        leaves = first.values.get() if first.values is not None else None
    except ValuesGone:  # this message has a cure for the stepper; the message below has one for the comparison
        leaves = None
    if leaves is None:
        raise ValuesGone(_NO_VALUES.format(name=first_name, cure=cure(_KEEP_OR_NAME, KEEP_AND_INSPECT)))
    variants = [Variant(name) for name, _ in programs]
    comparison = Comparison(f"the call of {first_name} whose values were recorded", variants)
    trials = []
    for variant, (name, program) in zip(variants, programs, strict=True):
        variant.function = ObservedFunction(name, None, [program])
        if _types(program) != _types(first):
            types, first_types = (", ".join(_types(compared_program)) for compared_program in (program, first))
            variant.notes.append(
                _OTHER_INPUTS.format(types_of_program=types, first_program=first_name, types_of_first=first_types)
            )
        else:
            trials.append(_ProgramTrial(observer, variant, program, leaves, stop))
    carry_out(observer, comparison, trials, None, report, stop)
    return comparison


def _types(program: ObservedProgram) -> list[str]:
    """Return the types of a program's inputs, without weak types, because the same values fit both."""
    return [short_type(f"{aval.dtype}[{','.join(map(str, aval.shape))}]") for aval in program.jaxpr.in_avals]


class _ProgramTrial(Trial):
    """Runs and times the executable of one program of a comparison."""

    def __init__(
        self, observer: Observer, variant: Variant, program: ObservedProgram, leaves: list[Any], stop: Stop
    ) -> None:
        super().__init__(observer, Candidate(variant.name), variant, (), {}, True, stop)
        self._program = program
        self._leaves = leaves

    def _first(self) -> Any:
        import jax

        program = self._program
        with self._observer.listening(_event_name(program)) as stages, self._observer.looking_away():
            if program.executable is None and program.traced is not None:
                lowered = program.lowered or program.traced.lower()
                program.lowered, program.executable = lowered, lowered.compile()
        executable = program.executable
        if executable is None:
            raise ValuesGone(NO_EXECUTABLE)
        if program.stages is not None:
            self._take(program.stages)
        elif stages.compiles:
            self._take(stages.stages_only())
        call_leaves = self._leaves[len(self._leaves) - executable.in_tree.num_leaves :]
        self._args, self._kwargs = jax.tree_util.tree_unflatten(executable.in_tree, call_leaves)
        self._call = executable
        result, _ = self._run(executable, "")
        return result

    def _differentiability(self) -> Differentiable:
        return differentiability(jaxpr_as_fun(self._program.jaxpr), self._leaves, {})


def _event_name(program: ObservedProgram) -> str:
    return str(getattr(program.traced, "fun_name", ""))
