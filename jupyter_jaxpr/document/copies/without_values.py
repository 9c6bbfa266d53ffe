"""Makes a copy of a document without the user's values; the copy states that values are left out.

The copy keeps what the user wrote and what JAX made of it: source of cells, names, types, sizes, times, equations. It
leaves out every text that may contain a value: static arguments, printed text, old and new values in notes, steps,
results, errors, numbers in a program. Whether a text may contain a value is decided by its field, not by its content.
Of notes and reasons, only the kinds listed below are kept, because these never contain a value.
"""

from __future__ import annotations

import re

import msgspec

from ..types.comparison import Variant, VariantComparison
from ..types.document import Argument, Level, Note, Parameter, Program, Snapshot
from ..types.ledger import Ledger, LedgerEntry, LedgerMiss, LedgerReason
from ..types.timing import ProgramTiming, Sweep
from ..types.transform import Transform
from .saved_copy import compact

#: The text that replaces a value of the user in a copy without values.
NOT_SAVED = "not saved"
LEFT_OUT = "Values are left out by the setting JaxprMagics.values."
_NO_VALUES = "The values of the call are not saved."
_NOTE = "The text of this note is not saved."
_TEXT = "Values are left out by the setting JaxprMagics.values. Run the cell again to see this text."
_STOPPED = "The measurement was stopped. The reason is not saved."
_NO_TRANSFORM = "The transform raised an error. The error is not saved."

#: Kinds of notes whose text contains only expressions of the user, types, sizes and times, and no value.
_PLAIN_NOTES = frozenset(
    {
        "captured_constant",
        "dropped_update",
        "eager_compiles",
        "key_used_twice",
        "leaked_tracer",
        "short_loop",
        "silenced",
        "unblocked_timing",
        "unrolled_loop",
    }
)
#: Kinds of reasons whose text contains only types, argument names and placements of arrays.
_PLAIN_REASONS = frozenset(
    {"shape", "dtype", "weak_type", "committed", "sharding", "layout", "no_fast_path", "transform"}
)
_REASONS = {
    "first_call": "This is a first call.",
    "first_observed": "This is the first observed call.",
    "static_value": "The value of a static argument changed.",
    "static_identity": "A static argument is another object.",
    "pytree": "The structure of an argument changed.",
    "config": "A setting of JAX changed.",
    "new_function": "The function is a new function object.",
    "cell_rerun": "The cell that defines the function ran again.",
    "reloaded": "Python loaded the file of the function again.",
    "redefined": "The function was defined again.",
    "cleared": "The cache was cleared.",
    "call_style": "The call passes its arguments in another way than the earlier call.",
    "argument_type": "The class of an argument changed.",
}
#: Parameters of equations that may contain a string or a function of the user.
_TEXT_PARAMETERS = frozenset({"callback", "err_msg", "error", "fmt", "label", "message", "msg"})
_QUOTED = re.compile(r"'[^']*'?|\"[^\"]*\"?")
_GIVEN = re.compile(r"=[^,(){}\[\]]*")


def as_saved(document: Snapshot) -> Snapshot:
    """Return the document for saving or exporting.

    This is a copy without values if the user set `%config JaxprMagics.values = False`; else it is the document itself.
    """
    return without_values(document) if document.values == "live" else document


def without_values(document: Snapshot) -> Snapshot:
    """Return the document without the user's values; a document that has none is returned unchanged."""
    if document.values == "left_out":
        return document
    hidden = msgspec.structs.replace(
        document,
        values="left_out",
        message=document.message and LEFT_OUT,
        cut=LEFT_OUT if document.cut is None else f"{LEFT_OUT} {document.cut}",
        strings=[*document.strings, "…"],
        literals=[msgspec.structs.replace(literal, text=len(document.strings)) for literal in document.literals],
        programs=[_program(program) for program in document.programs],
        notes=[_note(note) for note in document.notes],
        ledger=document.ledger and _ledger(document.ledger),
        recordings=[],
        diffs=[],
        comparison=document.comparison and _comparison(document.comparison),
        timings=[_timing(timing) for timing in document.timings],
        sweep=document.sweep and _sweep(document.sweep),
        transforms=[_transform(transform) for transform in document.transforms],
        retrace=None,
    )
    # `compact` removes the entries of the pools that no part of the document uses
    return compact(_with_parameters(hidden), hidden.scopes)


def _with_parameters(document: Snapshot) -> Snapshot:
    """Return the document with the user's strings removed from the parameters of equations.

    In the text of a parameter, the strings are recognised by their quotes.
    """
    strings = list(document.strings)
    numbers: dict[str, int] = {}

    def row(parameter: Parameter) -> Parameter:
        if parameter.value < 0:
            return parameter
        text = strings[parameter.value]
        plain = "…" if strings[parameter.name] in _TEXT_PARAMETERS else _QUOTED.sub("'…'", text)
        if plain == text:
            return parameter
        if plain not in numbers:
            numbers[plain] = len(strings)
            strings.append(plain)
        return msgspec.structs.replace(parameter, value=numbers[plain])

    lists = [[row(parameter) for parameter in parameters] for parameters in document.parameter_lists]
    return msgspec.structs.replace(document, strings=strings, parameter_lists=lists)


def _program(program: Program) -> Program:
    return msgspec.structs.replace(
        program,
        arguments=[_argument(argument) for argument in program.arguments],
        result=program.result and _argument(program.result),
        levels=[_level(level) for level in program.levels],
    )


def _argument(argument: Argument) -> Argument:
    if argument.static:
        return msgspec.structs.replace(argument, type=NOT_SAVED, summary="…")
    return msgspec.structs.replace(argument, type=_type(argument.type), summary=_type(argument.summary))


def _type(text: str) -> str:
    """Return the text of a type, without texts that objects of the user print."""
    return _GIVEN.sub("=…", _QUOTED.sub("'…'", text))


def _level(level: Level) -> Level:
    """Return a level without its text, because the text contains constants."""
    if level.text is None:
        return level
    return msgspec.structs.replace(
        level,
        state="on_request",
        text=None,
        line_stacks=None,
        inferred_lines=[],
        other_stacks=[],
        named_equations=[],
        reason=_TEXT,
    )


def _note(note: Note) -> Note:
    if note.kind in _PLAIN_NOTES:
        return msgspec.structs.replace(note, detail=None, cures=[])
    return msgspec.structs.replace(
        note,
        title=None,
        text=_NOTE,
        cure=None,
        detail=None,
        code=None,
        price=[],
        trial=None,
        level="advice",
        edits=[],
        cures=[],
    )


def _ledger(ledger: Ledger) -> Ledger:
    functions = [
        msgspec.structs.replace(
            record,
            entries=[_entry(entry) for entry in record.entries],
            misses=[_miss(miss) for miss in record.misses],
        )
        for record in ledger.functions
    ]
    return msgspec.structs.replace(ledger, functions=functions)


def _entry(entry: LedgerEntry) -> LedgerEntry:
    return msgspec.structs.replace(entry, signature=_signature(entry.signature))


def _miss(miss: LedgerMiss) -> LedgerMiss:
    reasons = [_reason(reason) for reason in miss.reasons]
    return msgspec.structs.replace(miss, signature=_signature(miss.signature), reasons=reasons, cures=[])


def _signature(signature: str) -> str:
    """Return the argument types of a signature, cut before the static arguments, which may contain any character."""
    types, is_static, _ = signature.partition("=")
    return f"{types}=…" if is_static else signature


def _reason(reason: LedgerReason) -> LedgerReason:
    if reason.kind in _PLAIN_REASONS:
        return reason
    text = _REASONS.get(reason.kind, "The reason of the miss is not saved.")
    is_change = reason.before is not None and reason.after is not None
    return msgspec.structs.replace(
        reason,
        text=f"{text} {_NO_VALUES}",
        before=NOT_SAVED if is_change else None,
        after=NOT_SAVED if is_change else None,
        cure=None,
    )


def _comparison(comparison: VariantComparison) -> VariantComparison:
    return msgspec.structs.replace(
        comparison,
        variants=[_variant(variant) for variant in comparison.variants],
        verdict=[],
        stopped=comparison.stopped and _STOPPED,
        sweep=comparison.sweep and NOT_SAVED,
        arguments="",
    )


def _variant(variant: Variant) -> Variant:
    return msgspec.structs.replace(
        variant,
        result=variant.result and NOT_SAVED,
        difference=variant.difference and NOT_SAVED,
        differentiable_note=variant.differentiable_note and NOT_SAVED,
        error=variant.error and NOT_SAVED,
        notes=[],
        remarks=[],
    )


def _timing(timing: ProgramTiming) -> ProgramTiming:
    return msgspec.structs.replace(timing, notes=[], stopped=timing.stopped and _STOPPED)


def _sweep(sweep: Sweep) -> Sweep:
    points = [msgspec.structs.replace(point, error=point.error and NOT_SAVED) for point in sweep.points]
    return msgspec.structs.replace(sweep, points=points, notes=[], stopped=sweep.stopped and _STOPPED)


def _transform(transform: Transform) -> Transform:
    return msgspec.structs.replace(transform, error=transform.error and _NO_TRANSFORM)
