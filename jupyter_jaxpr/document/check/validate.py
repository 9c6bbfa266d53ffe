"""Reads JSON or data of any origin as a document that is safe to show, or raises an error that says what is wrong.

A saved notebook may have been edited by anyone, so everything is checked: each index is inside its pool, the columns of
a scope have one length, no scope contains itself, and nothing exceeds `limits`. `src/protocol/document.ts` refuses the
same documents.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import Any

import msgspec

from ...plain_text import quoted
from ..limits import DEPTH, EQUATIONS, HELD, LAST_SECOND, SLOTS, TEXT, VALUES
from ..sentences.refused_document_sentences import BROKEN, NEWER, NO_VERSION, NOT_JSON, TOO_LONG
from ..types.control_flow import Control
from ..types.document import VERSION, Program, Scope, Snapshot
from ..types.ledger import Ledger
from ..types.steps import Recording
from ..types.transform import Transform
from .checks_of_costs import check_costs
from .checks_of_diffs import check_diffs
from .checks_of_indices import Damaged, amounts, index, indices, need
from .checks_of_limits import check_bounds
from .checks_of_passes_and_exact_links import check_compiled_again
from .checks_of_shardings import check_shardings
from .checks_of_times import check_times, check_warm

_ROLES = frozenset("fbrtm-")
#: Roles of a recording's leaves that have, in each visit, one value more than the visit has points.
_ONE_MORE = frozenset({"carry", "condition", "compared"})


def read(data: str | bytes | dict[str, Any]) -> Snapshot:
    """Read a document from JSON or from decoded data, and check it.

    Fields that this version does not know are ignored.

    Raises:
        ValueError: The data are no document, a newer document or a damaged document; the message is a sentence for
            the user.
    """
    if isinstance(data, dict):
        fields: Any = data
    else:
        if len(data) > TEXT:
            raise ValueError(TOO_LONG)
        try:
            # The byte order mark that some editors of Windows write is removed.
            text = data.removeprefix("\ufeff") if isinstance(data, str) else data.removeprefix(BOM_UTF8)
            fields = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise ValueError(NOT_JSON) from error
    version = fields.get("version") if isinstance(fields, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ValueError(NO_VERSION)
    if version > VERSION:
        raise ValueError(NEWER.format(theirs=version, ours=VERSION))
    try:
        document = msgspec.convert(fields, Snapshot)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(_broken(error)) from error
    validate(document)
    return document


def validate(document: Snapshot) -> None:
    """Check every index of a document.

    Raises:
        ValueError: An index is out of its range; the message is a sentence for the user.
    """
    try:
        _Check(document).all()
    except Damaged as error:
        raise ValueError(_broken(error)) from None


def _broken(error: Exception) -> str:
    return BROKEN.format(why=quoted(str(error)))


class _Check:
    def __init__(self, document: Snapshot) -> None:
        self._document = document
        #: the scopes that were found to contain all their equations, inner scopes included
        self._whole: set[int] = set()

    def all(self) -> None:
        document = self._document
        need(0 <= document.created <= LAST_SECOND, "created: a date from 1970 to 9999, in seconds")
        index(document.focus, document.programs, "focus", none=True)
        need(all(line >= 1 for line in document.untraced_lines), "untraced_lines: lines")
        self._pools()
        for number, scope in enumerate(document.scopes):
            self._scope(scope, f"scope {number}")
        need(sum(scope.count for scope in document.scopes) <= EQUATIONS, "scopes: too many equations")
        equation_count = sum(len(scope.primitive) for scope in document.scopes)
        need(equation_count <= HELD, f"scopes: more than {HELD:,} equations")
        self._nesting()
        for number, program in enumerate(document.programs):
            self._program(program, f"program {number}")
        for note in document.notes:
            index(note.program, document.programs, "a note's program", none=True)
            index(note.frame, document.frames, "a note's frame", none=True)
            for edits in (note.edits, *(cure.edits for cure in note.cures)):
                for edit in edits:
                    index(edit.frame, document.frames, "an edit's frame")
        if document.retrace is not None:
            index(document.retrace.frame, document.frames, "the line that decided a trace", none=True)
        if document.ledger is not None:
            self._ledger(document.ledger)
        for number, control in enumerate(document.control_flow):
            self._control(control, number, f"card {number}")
        need(sum(len(control.slots) for control in document.control_flow) <= SLOTS, "cards: too many slots")
        for number, recording in enumerate(document.recordings):
            self._recording(recording, f"recording {number}")
        if document.comparison is not None:
            for variant in document.comparison.variants:
                index(variant.program, document.programs, "a variant's program", none=True)
                amounts((variant.trace, variant.lower, variant.compile), "a variant's seconds")
                check_warm(variant.warm, "a variant")
        check_costs(document)
        check_times(document)
        check_compiled_again(document)
        check_diffs(document)
        check_shardings(document)
        for number, transform in enumerate(document.transforms):
            self._transform(transform, f"transform {number}")
        derived = [part.program for transform in document.transforms for part in transform.parts]
        need(len(derived) == len(set(derived)), "transforms: a program is derived twice")
        raised = [call.program for call in document.raised_calls]
        need(len(raised) == len(set(raised)), "raised calls: a program is there twice")
        for call in document.raised_calls:
            index(call.program, document.programs, "a raised call's program")
            scope = document.scopes[document.programs[call.program].scope]
            indices(call.operands, scope.variable_avals, "a raised call's operands")
        for value in document.named_values:
            index(value.frame, document.frames, "a named value's frame")
            indices([value.name, *value.types], document.strings, "a named value's texts")
            index(value.scope, document.scopes, "a named value's scope")
            need(bool(value.types), "named values: one has no type")
            indices(value.variables, document.scopes[value.scope].variable_avals, "a named value's variables")
            if value.promoted != -1:
                index(value.promoted, document.strings, "a named value's promotion")
        check_bounds(document)

    def _transform(self, transform: Transform, path: str) -> None:
        document = self._document
        index(transform.of, document.programs, f"{path}: of")
        need(bool(transform.parts) == (transform.error is None), f"{path}: parts")
        for part in transform.parts:
            index(part.program, document.programs, f"{path}: program")
            need(part.program > transform.of, f"{path}: program")
            for row in part.roles:
                index(row.scope, document.scopes, f"{path}: a scope")
                need(len(row.roles) == document.scopes[row.scope].count, f"{path}: roles")
                need(not set(row.roles) - _ROLES, f"{path}: roles")
            for value in part.kept:
                index(value.scope, document.scopes, f"{path}: a kept value's scope")
                need(0 <= value.equation < document.scopes[value.scope].count, f"{path}: a kept value's equation")
                need(value.output >= 0 and value.bytes >= 0, f"{path}: a kept value")

    def _control(self, control: Control, number: int, path: str) -> None:
        document = self._document
        index(control.program, document.programs, f"{path}: program")
        index(control.scope, document.scopes, f"{path}: scope")
        scope = document.scopes[control.scope]
        need(0 <= control.equation < scope.count, f"{path}: equation")
        need(1 <= control.equations <= scope.count, f"{path}: equations")
        need(-1 <= control.predicate_equation < scope.count, f"{path}: predicate_equation")
        need(-1 <= control.parent < number, f"{path}: parent")
        need(control.depth >= 0 and control.unroll >= 1, f"{path}: depth or unroll")
        need(control.trips is None or control.trips >= 0, f"{path}: trips")
        index(control.frame, document.frames, f"{path}: frame", none=True)
        index(control.body_frame, document.frames, f"{path}: body_frame", none=True)
        index(control.body, document.scopes, f"{path}: body", none=True)
        index(control.condition, document.scopes, f"{path}: condition", none=True)
        literals = len(document.literals)
        variable_count = len(scope.variable_avals)
        variables = variable_count if len(scope.primitive) == scope.count else 2**53
        need(control.no_operand < -literals, f"{path}: no_operand")
        for operand in (control.predicate, *(slot.operand for slot in control.slots)):
            need(operand == control.no_operand or -literals <= operand < variables, f"{path}: operand")
        for slot in control.slots:
            indices((slot.step, slot.whole, slot.out), document.avals, f"{path}: a slot's type")
        for branch in control.branches:
            index(branch.scope, document.scopes, f"{path}: a branch's scope", none=True)
            index(branch.frame, document.frames, f"{path}: a branch's frame", none=True)

    def _recording(self, recording: Recording, path: str) -> None:
        index(recording.control, self._document.control_flow, f"{path}: control")
        points, visits = len(recording.step), recording.visits
        need(sum(len(leaf.texts) for leaf in recording.leaves) <= VALUES, f"{path}: too many values")
        expected = 0
        for visit in visits:
            need(visit.first_point == expected and 0 <= visit.points <= visit.trips, f"{path}: visits")
            expected += visit.points
        need(expected == points and recording.visits_total >= len(visits), f"{path}: points")
        need(len(recording.branch_taken) in (0, points), f"{path}: branch_taken")
        amounts((recording.seconds,), f"{path}: seconds")
        for row in recording.calls.calls if recording.calls is not None else ():
            assert recording.calls is not None
            need(len(row.values) == len(recording.calls.columns), f"{path}: values of a call")
            need(len(row.taken) == len(row.times), f"{path}: branches of a call")
        for leaf in recording.leaves:
            values = len(leaf.texts)
            need(values == points + (len(visits) if leaf.role in _ONE_MORE else 0), f"{path}: a leaf's values")
            columns = (leaf.numbers, leaf.minimum, leaf.mean, leaf.maximum)
            need(all(column is None or len(column) == values for column in columns), f"{path}: a leaf's numbers")
            need(all(len(column) in (0, values) for column in (leaf.nans, leaf.infinities)), f"{path}: a leaf's NaNs")
            need(leaf.pictures is None or len(leaf.pictures) == values, f"{path}: a leaf's pictures")

    def _ledger(self, ledger: Ledger) -> None:
        frames = self._document.frames
        amounts((ledger.seconds, ledger.small_seconds, ledger.cell_seconds), "the ledger's seconds")
        for function in ledger.functions:
            index(function.definition, frames, "ledger: a definition", none=True)
            for miss in function.misses:
                index(miss.frame, frames, "ledger: a miss's frame", none=True)
                index(miss.entry, function.entries, "ledger: a miss's entry", none=True)
                amounts((miss.trace, miss.lower, miss.compile, miss.total), "ledger: a miss's seconds")
                for cure in miss.cures:
                    for edit in cure.edits:
                        index(edit.frame, frames, "ledger: an edit's frame")
            amounts((function.run.seconds, function.kernel.seconds), "ledger: a function's seconds")
        need(all(line.line >= 1 for line in ledger.lines), "ledger: lines")

    def _pools(self) -> None:
        document = self._document
        for aval in document.avals:
            need(all(isinstance(size, str) or size >= 0 for size in aval.shape), "an aval's shape")
        for literal in document.literals:
            index(literal.text, document.strings, "a literal's text")
            index(literal.aval, document.avals, "a literal's aval")
        for parameters in document.parameter_lists:
            for parameter in parameters:
                index(parameter.name, document.strings, "a parameter's name")
                index(parameter.value, document.strings, "a parameter's value", none=True)
        for frame in document.frames:
            index(frame.file, document.files, "a frame's file")
            index(frame.function, document.strings, "a frame's function")
            need(frame.line >= 0 and frame.end_line >= frame.line, "a frame's lines")
            need(frame.column >= -1 and frame.end_column >= -1, "a frame's columns")
        frames_of_stacks = set[int]()
        for stack in document.stacks:
            frames_of_stacks.update(stack.frames, stack.library)
        indices(frames_of_stacks, document.frames, "a stack's frame")

    def _scope(self, scope: Scope, path: str) -> None:
        document = self._document
        equation_count = len(scope.primitive)
        columns = (scope.operands, scope.output_counts, scope.parameters, scope.stack, scope.name_stack)
        need(all(len(column) == equation_count for column in columns), f"{path}: columns of different lengths")
        need(scope.first_equation == 0 and scope.first_variable == 0, f"{path}: first_equation and first_variable")
        need(scope.constants >= 0 and scope.inputs >= 0, f"{path}: inputs")
        need(all(count >= 0 for count in scope.output_counts), f"{path}: output_counts")
        variables = scope.constants + scope.inputs + sum(scope.output_counts)
        need(len(scope.variable_avals) == variables, f"{path}: variable_avals")
        need(scope.names is None or len(scope.names) == variables, f"{path}: names")
        need(equation_count <= scope.count <= scope.total, f"{path}: count")
        need(equation_count == scope.count or scope.names is not None, f"{path}: equations without names")
        index(scope.name, document.strings, f"{path}: name", none=True)
        indices(scope.variable_avals, document.avals, f"{path}: variable_avals")
        need(all(0 <= variable < variables for variable in scope.dropped), f"{path}: dropped")
        indices(scope.primitive, document.strings, f"{path}: primitive")
        indices(scope.name_stack, document.strings, f"{path}: name_stack")
        indices(scope.parameters, document.parameter_lists, f"{path}: parameters", none=True)
        indices(scope.stack, document.stacks, f"{path}: stack", none=True)
        bound = scope.constants + scope.inputs
        literals = len(document.literals)
        for operands, count in zip(scope.operands, scope.output_counts, strict=True):
            need(all(-literals <= operand < bound for operand in operands), f"{path}: operands")
            bound += count
        last = bound if equation_count == scope.count else 2**53
        need(all(-literals <= operand < last for operand in scope.outputs), f"{path}: outputs")
        before = 0
        for child in scope.children:
            need(before <= child.equation < equation_count, f"{path}: a child's equation")
            before = child.equation
            index(child.parameter, document.strings, f"{path}: a child's parameter")
            index(child.scope, document.scopes, f"{path}: a child's scope")
            need(child.position >= -1, f"{path}: a child's position")
        for row in scope.effects:
            need(0 <= row.equation < equation_count, f"{path}: an effect's equation")
            indices(row.effects, document.strings, f"{path}: effects")

    def _nesting(self) -> None:
        """Raise `Damaged` if a scope contains itself, or if scopes are nested too deeply."""
        scopes = self._document.scopes
        depth: dict[int, int] = {}
        for root in range(len(scopes)):
            path = [(root, iter(scopes[root].children))] if root not in depth else []
            on_path = {root}
            while path:
                number, children = path[-1]
                inner = next((child.scope for child in children if child.scope not in depth), None)
                if inner is not None:
                    need(inner not in on_path, f"scope {inner} is inside itself")
                    path.append((inner, iter(scopes[inner].children)))
                    on_path.add(inner)
                    continue
                path.pop()
                on_path.discard(number)
                depth[number] = 1 + max((depth[child.scope] for child in scopes[number].children), default=0)
                need(depth[number] <= DEPTH, f"more than {DEPTH:,} programs inside each other")

    def _program(self, program: Program, path: str) -> None:
        document = self._document
        index(program.scope, document.scopes, f"{path}: scope")
        index(program.definition, document.frames, f"{path}: definition", none=True)
        index(program.call, document.frames, f"{path}: call", none=True)
        need(program.equations >= 0, f"{path}: equations")
        if program.complete:
            self._check_whole(program.scope, path)
        for let in program.lets or []:
            index(let.scope, document.scopes, f"{path}: lets")
            index(let.name, document.strings, f"{path}: lets")
        for level in program.levels:
            if level.state != "held":
                continue
            need(level.text is not None and level.line_stacks is not None, f"{path}: {level.name}")
            assert level.text is not None and level.line_stacks is not None
            lines = level.text.count("\n") + 1
            need(len(level.line_stacks) == lines, f"{path}: {level.name}: line_stacks")
            indices(level.line_stacks, document.stacks, f"{path}: {level.name}", none=True)
            need(all(0 <= line < lines for line in level.inferred_lines), f"{path}: {level.name}: inferred_lines")
            for row in level.other_stacks:
                need(len(row) > 1 and 0 <= row[0] < lines, f"{path}: {level.name}: other_stacks")
                indices(row[1:], document.stacks, f"{path}: {level.name}: other_stacks")
            for row in level.named_equations:
                named = f"{path}: {level.name}: named_equations"
                need(len(row) == 3 and 0 <= row[0] < lines, named)
                index(row[1], document.scopes, named)
                need(0 <= row[2] < document.scopes[row[1]].count, named)

    def _check_whole(self, scope: int, path: str) -> None:
        """Raise `Damaged` if a scope, or a scope inside it, lacks an equation; each scope is checked once."""
        order = [scope]
        for number in order:
            if number not in self._whole:
                self._whole.add(number)
                inner = self._document.scopes[number]
                need(len(inner.primitive) == inner.count, f"{path}: equations are missing")
                order += [child.scope for child in inner.children]
