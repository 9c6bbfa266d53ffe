"""Makes a copy of a document that is small enough to be saved in a notebook; the copy states what it leaves out.

Parts are left out in this order until the copy is small enough: (1) diffs; (2) functions of the ledger that this run
did not call; (3) HLO; (4) StableHLO; (5) types of names; (6) of more than `_MANY` programs, those farthest from the
program in focus; (7) the equations of each scope beyond the first ones, with their costs (the sums by line stay);
(8) the long texts of notes; (9) the ledger; (10) the costs; (11) all programs except the program in focus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from ...joined_names import in_a_sentence
from ...quantities import count, size
from ..encoding import encode
from ..limits import Sent
from ..pools_of_documents_and_pages import of_document
from ..printed_variable_names import Names, name_program, pools_of
from ..sentences.cache_tab_sentences import in_run
from ..types.cost import ProgramCost
from ..types.cures import Cure, Edit
from ..types.document import Cell, Let, Level, NamedValue, Program, RaisedCall, Scope, Snapshot
from ..types.ledger import Ledger
from .fewer_programs import with_programs
from .needed_pool_entries import Part

#: The most bytes of a saved output, unless the user sets `%config JaxprMagics.output_bytes`.
LIMIT_BYTES = Sent.SAVED_OUTPUT_BYTES
#: How many equations of each scope to keep, tried from left to right until the copy is small enough.
_PAGES = (2_000, 500, 100, 20, 0)
#: If a document has more programs than this, programs are left out before equations.
_MANY = 20
#: How many programs of a document with more than `_MANY` programs to keep, tried from left to right.
_KEPT_PROGRAMS = (100, 50, 20, 5, 1)
#: A lower bound of the bytes of a scope in JSON; even a scope without equations has 271 bytes or more.
_SCOPE = 250
_OTHERS = "the cache entries of functions of other cells"
_OTHER_COSTS = "the costs of the programs that the panel does not show first"
_LEFT_OUT = (
    "This saved copy leaves out the text of this level to keep the notebook small. Run the cell again to see the text."
)


def saved_copy(document: Snapshot, limit_bytes: int) -> Snapshot:
    """Return the document, or the most complete copy of it whose JSON has at most `limit_bytes` bytes.

    The smallest copy has no programs; it may still exceed a limit of a few kilobytes.
    """
    if len(encode(document)) <= limit_bytes:
        return document
    # A copy with programs has every scope, even without equations. If the document has very many scopes, no such copy
    # can be small enough.
    copies = _smaller(document, limit_bytes) if len(document.scopes) * _SCOPE <= limit_bytes else ()
    for copy in copies:
        if len(encode(copy)) <= limit_bytes:
            return copy
    return _without_programs(document, limit_bytes)


def _cut(copy: Snapshot, limit_bytes: int, left_out: list[str]) -> Snapshot:
    reason = f"To keep the notebook under {size(limit_bytes)}, this saved copy leaves out {in_a_sentence(left_out)}."
    reason = f"{reason} Run the cell again to see everything."
    # if the copy is one without values, `copy.cut` already has the sentence that says so
    before = f"{copy.cut} " if copy.values == "left_out" else ""
    return msgspec.structs.replace(copy, cut=f"{before}{reason}")


def _smaller(document: Snapshot, limit_bytes: int) -> Iterator[Snapshot]:
    """Yield copies of the document, each smaller than the previous copy."""
    left_out: list[str] = []

    def cut(copy: Snapshot) -> Snapshot:
        return _cut(copy, limit_bytes, left_out)

    if document.diffs:
        document = msgspec.structs.replace(document, diffs=[])
        left_out.append("diffs")
        yield cut(document)
    if document.ledger is not None and not all(map(in_run, document.ledger.functions)):
        functions = [function for function in document.ledger.functions if in_run(function)]
        ledger = msgspec.structs.replace(document.ledger, functions=functions)
        document = compact(msgspec.structs.replace(document, ledger=ledger), document.scopes)
        left_out.append(_OTHERS)
        yield cut(document)
    for level, title in (("hlo", "HLO"), ("stablehlo", "StableHLO")):
        if any(
            each_level.name == level and each_level.text
            for program in document.programs
            for each_level in program.levels
        ):
            document = _without_level(document, level)
            left_out.append(title)
            yield cut(document)
    if document.named_values:
        document = compact(msgspec.structs.replace(document, named_values=[]), document.scopes)
        left_out.append("the types of the names in your code")
        yield cut(document)
    whole_programs = list(left_out)
    for number in _KEPT_PROGRAMS if len(document.programs) > _MANY else ():
        if number < len(document.programs):
            fewer = _fewer_programs(document, number)
            left_out[:] = [*whole_programs, _other_programs(document, fewer)]
            yield cut(fewer)
    yield from _without_equations_and(document, limit_bytes, whole_programs)
    if len(document.programs) > 1 and document.focus >= 0:
        only = _fewer_programs(document, 1)
        yield from _without_equations_and(only, limit_bytes, [*whole_programs, _other_programs(document, only)])


def _without_equations_and(document: Snapshot, limit_bytes: int, without: Sequence[str]) -> Iterator[Snapshot]:
    """Yield copies without some of the equations, then also without other parts of the programs.

    Args:
        document: The document.
        limit_bytes: The largest size in bytes.
        without: The names of the parts that were already left out.
    """
    left_out = list(without)

    def cut(copy: Snapshot) -> Snapshot:
        return _cut(copy, limit_bytes, left_out)

    def replace(old_part: str, part: str) -> None:
        """In the list of left-out parts, replace `old_part` by `part`, which includes it."""
        left_out[:] = [*(part for part in left_out if part != old_part), part]

    left_out.append("equations")
    # The names are made once for all copies: naming the variables of a large program takes half a second.
    names = _names(document, document.focus)
    for page in _PAGES:
        least = _first_equations(document, page, names)
        yield cut(least)
    left_out.append("long texts")
    yield cut(_short_texts(least))
    if any(cost.program != least.focus for cost in least.costs):
        left_out.append(_OTHER_COSTS)
        costs = [cost for cost in least.costs if cost.program == least.focus]
        least = msgspec.structs.replace(least, costs=costs)
        yield cut(_short_texts(compact(least, least.scopes)))
    if least.ledger is not None:
        replace(_OTHERS, "the ledger")
        least = msgspec.structs.replace(least, ledger=None)
        yield cut(_short_texts(least))
    if least.costs:
        replace(_OTHER_COSTS, "costs")
        least = msgspec.structs.replace(least, costs=[])
        yield cut(_short_texts(compact(least, least.scopes)))
    if least.shardings:
        left_out.append("shardings")
        least = msgspec.structs.replace(least, shardings=[])
        yield cut(_short_texts(least))
    if least.recordings or least.control_flow:
        left_out.append("control flow")
        least = msgspec.structs.replace(least, recordings=[], control_flow=[])
        yield cut(_short_texts(compact(least, least.scopes)))


def _fewer_programs(document: Snapshot, number: int) -> Snapshot:
    """Return the document with only the `number` user programs nearest to the program in focus, without transforms."""
    derived = {part.program for transform in document.transforms for part in transform.parts}
    indices = [index for index in range(len(document.programs)) if index not in derived or index == document.focus]

    def distance(index: int) -> tuple[bool, int]:
        return document.programs[index].library and index != document.focus, abs(index - document.focus)

    fewer = with_programs(document, sorted(sorted(indices, key=distance)[:number]))
    return compact(fewer, fewer.scopes)


def _other_programs(document: Snapshot, fewer: Snapshot) -> str:
    return count(len(document.programs) - len(fewer.programs), "other program")


def _without_programs(document: Snapshot, limit_bytes: int) -> Snapshot:
    nothing = msgspec.structs.replace(
        document,
        ledger=None,
        costs=[],
        programs=[],
        scopes=[],
        focus=-1,
        notes=[],
        control_flow=[],
        recordings=[],
        comparison=None,
        timings=[],
        sweep=None,
        transforms=[],
        shardings=[],
        passes=[],
        exact_links=[],
    )
    return _cut(_short_texts(compact(nothing, [])), limit_bytes, ["all programs"])


def _without_level(document: Snapshot, name: str) -> Snapshot:
    def drop(level: Level) -> Level:
        if level.name != name or level.text is None:
            return level
        return msgspec.structs.replace(
            level,
            state="on_request",
            text=None,
            line_stacks=None,
            inferred_lines=[],
            other_stacks=[],
            named_equations=[],
            reason=_LEFT_OUT,
        )

    return compact(_with_levels(document, drop), document.scopes)


def _with_levels(document: Snapshot, change: Callable[[Level], Level]) -> Snapshot:
    programs = [
        msgspec.structs.replace(program, levels=[change(level) for level in program.levels])
        for program in document.programs
    ]
    return msgspec.structs.replace(document, programs=programs)


def _first_equations(document: Snapshot, page: int, names: Names) -> Snapshot:
    """Return the document with just the first `page` equations of each scope of the program in focus."""
    strings = list(document.strings)
    programs: list[Program] = []
    for index, program in enumerate(document.programs):
        lets: list[Let] = []
        if index == document.focus:
            for scope, name in names.lets.items():
                lets.append(Let(scope=scope, name=len(strings)))
                strings.append(name)
        programs.append(msgspec.structs.replace(program, complete=False, lets=lets))
    scopes = [
        _cut_scope(scope, page if number in names.variables else 0, names.variables.get(number))
        for number, scope in enumerate(document.scopes)
    ]
    costs = [_without_equations(cost, scopes) for cost in document.costs]
    shorter = msgspec.structs.replace(document, programs=programs, strings=strings, costs=costs)
    return compact(shorter, scopes)


def _without_equations(cost: ProgramCost, scopes: list[Scope]) -> ProgramCost:
    """Return a cost in which the columns of incomplete scopes are removed."""
    complete = [costs for costs in cost.scopes if len(scopes[costs.scope].primitive) == len(costs.flops)]
    return msgspec.structs.replace(cost, scopes=complete)


def _names(document: Snapshot, focus: int) -> Names:
    if focus < 0:
        return Names({}, {})
    program = document.programs[focus]
    if program.complete:
        pools = pools_of(document)
        return name_program(pools, program.scope, document.naming)
    variables: dict[int, list[str | None]] = {
        number: list(scope.names) for number, scope in enumerate(document.scopes) if scope.names is not None
    }
    lets = {let.scope: document.strings[let.name] for let in program.lets or []}
    return Names(variables, lets)


def _cut_scope(scope: Scope, page: int, names: list[str | None] | None) -> Scope:
    equation_count = min(page, len(scope.primitive))
    end = scope.constants + scope.inputs + sum(scope.output_counts[:equation_count])
    named = names or []
    return msgspec.structs.replace(
        scope,
        variable_avals=scope.variable_avals[:end],
        dropped=[variable for variable in scope.dropped if variable < end],
        names=[(named[variable] if variable < len(named) else None) or "…" for variable in range(end)],
        primitive=scope.primitive[:equation_count],
        operands=scope.operands[:equation_count],
        output_counts=scope.output_counts[:equation_count],
        parameters=scope.parameters[:equation_count],
        stack=scope.stack[:equation_count],
        name_stack=scope.name_stack[:equation_count],
        children=[child for child in scope.children if child.equation < equation_count],
        effects=[row for row in scope.effects if row.equation < equation_count],
    )


def compact(document: Snapshot, scopes: list[Scope]) -> Snapshot:
    """Return the document with these scopes; pool entries to which nothing refers any more are removed."""
    part = Part(of_document(document))
    cut_scopes = [part.scope(scope) for scope in scopes]
    programs = [_compact_program(program, part) for program in document.programs]
    notes = [
        msgspec.structs.replace(
            note,
            frame=part.frame(note.frame),
            edits=_edits(note.edits, part),
            cures=[_cure(cure, part) for cure in note.cures],
        )
        for note in document.notes
    ]
    ledger = None if document.ledger is None else _ledger(document.ledger, part)
    cards = [part.control(control) for control in document.control_flow]
    costs = [part.cost(cost) for cost in document.costs]
    return msgspec.structs.replace(
        document,
        scopes=cut_scopes,
        programs=programs,
        notes=notes,
        ledger=ledger,
        control_flow=cards,
        costs=costs,
        named_values=[_named(name, part, cut_scopes) for name in document.named_values if programs],
        raised_calls=[_raised(call, programs, cut_scopes) for call in document.raised_calls if programs],
        **part.pools.fields(),
    )


def _named(value: NamedValue, part: Part, scopes: Sequence[Scope]) -> NamedValue:
    """Return a named value with the new pool indices; variables that the copy lacks are removed."""
    variable_count = len(scopes[value.scope].variable_avals)
    return msgspec.structs.replace(
        value,
        frame=part.frame(value.frame),
        name=part.string(value.name),
        types=[part.string(text) for text in value.types],
        promoted=part.string(value.promoted),
        variables=[number for number in value.variables if number < variable_count],
    )


def _raised(call: RaisedCall, programs: Sequence[Program], scopes: Sequence[Scope]) -> RaisedCall:
    """Return a call that raised; operands that the copy lacks are removed."""
    variable_count = len(scopes[programs[call.program].scope].variable_avals)
    return msgspec.structs.replace(call, operands=[number for number in call.operands if number < variable_count])


def _cure(cure: Cure, part: Part) -> Cure:
    """Return a cure whose edits have the new pool indices of their places."""
    return msgspec.structs.replace(cure, edits=_edits(cure.edits, part))


def _edits(edits: Sequence[Edit], part: Part) -> list[Edit]:
    return [msgspec.structs.replace(edit, frame=part.frame(edit.frame)) for edit in edits]


def _ledger(ledger: Ledger, part: Part) -> Ledger:
    """Return the ledger with the new pool indices of its lines."""
    functions = []
    for function in ledger.functions:
        misses = [
            msgspec.structs.replace(
                miss, frame=part.frame(miss.frame), cures=[_cure(cure, part) for cure in miss.cures]
            )
            for miss in function.misses
        ]
        definition = part.frame(function.definition)
        functions.append(msgspec.structs.replace(function, definition=definition, misses=misses))
    return msgspec.structs.replace(ledger, functions=functions)


def _compact_program(program: Program, part: Part) -> Program:
    def moved(level: Level) -> Level:
        if level.line_stacks is None:
            return level
        return msgspec.structs.replace(
            level,
            line_stacks=[part.stack(stack) for stack in level.line_stacks],
            other_stacks=[[line, *map(part.stack, more_stacks)] for line, *more_stacks in level.other_stacks],
        )

    lets = program.lets
    if lets is not None:
        lets = [Let(scope=let.scope, name=part.string(let.name)) for let in lets]
    return msgspec.structs.replace(
        program,
        definition=part.frame(program.definition),
        call=part.frame(program.call),
        levels=[moved(level) for level in program.levels],
        lets=lets,
    )


def _short_texts(document: Snapshot) -> Snapshot:
    notes = [
        msgspec.structs.replace(
            note,
            text=_short(note.text),
            detail=_short(note.detail) if note.detail else None,
            # A rewrite that was cut would be useless, so it is left out.
            code=note.code if note.code == _short(note.code or "") else None,
            trial=note.trial if note.trial == _short(note.trial or "") else None,
            edits=note.edits if note.code == _short(note.code or "") else [],
            level=note.level if note.code == _short(note.code or "") else "advice",
            cures=[] if len(note.cures) > 10 else note.cures,
            price=[_short(text) for text in note.price[:10]],
        )
        for note in document.notes[:100]
    ]
    files = [msgspec.structs.replace(file, source=None) for file in document.files]
    cell: Cell | None = document.cell
    if cell is not None and len(cell.source) > 20_000:
        cell = msgspec.structs.replace(cell, source="")
    return msgspec.structs.replace(document, notes=notes, files=files, cell=cell)


def _short(text: str) -> str:
    return text if len(text) <= 500 else text[:499] + "…"
