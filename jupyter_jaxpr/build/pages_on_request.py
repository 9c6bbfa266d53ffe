"""Makes pages of what the document of a run leaves out: lines of a text, equations, or a source file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CodeType

from ..document.copies.needed_pool_entries import Part
from ..document.limits import Listed
from ..document.types.pages import ScopeEquations, ScopePage, TextPage
from ..document.types.source_pages import SourcePage, SourceStretch
from ..program.jaxpr.walk import Walk
from ..program.source.cut_source_text import NoText, source_text
from ..program.source.positions import SourceFile
from .programs import pools_from_jaxprs
from .programs.equations_of_scope import scope_of_columns
from .programs.programs_of_run import first_equations
from .texts.lines_linked_to_equations import Text
from .texts.stablehlo_and_hlo import LevelName


def text_page(text: Text, level: LevelName, first_line: int, line_count: int) -> TextPage:
    """Return `line_count` lines of a text, or fewer if the text is shorter."""
    part = Part(text.pools)
    lines = text.lines[first_line : first_line + line_count]
    stacks = text.line_stacks[first_line : first_line + line_count]
    page_lines = range(first_line, first_line + len(lines))
    return TextPage(
        level=level,
        characters=len(text.text),
        lines=len(text.lines),
        sha256=text.sha256,
        first_line=first_line,
        text="\n".join(lines),
        line_stacks=[part.stack(stack) for stack in stacks],
        inferred_lines=[line for line in text.inferred_lines if line in page_lines],
        other_stacks=[
            [line, *map(part.stack, more_stacks)] for line, *more_stacks in text.other_stacks if line in page_lines
        ],
        named_equations=[row for row in text.named_equations if row[0] in page_lines],
        line_equations=None if text.equations is None else [row for row in text.equations if row[0] in page_lines],
        **part.pools.text_fields(),
    )


def scope_page(
    walk: Walk,
    cell_file: str | None,
    names_by_scope: Mapping[int, Sequence[str | None]],
    scope: int,
    first_equation: int,
    equation_count: int,
) -> ScopePage:
    """Return equations of a scope, with the equations of their inner scopes.

    Args:
        walk: The `Walk` that has read the equations of the run's programs.
        cell_file: The file name of the cell that ran.
        names_by_scope: Scope -> the names of its variables.
        scope: The index of the scope in the document.
        first_equation: The index of the first equation in the scope.
        equation_count: The largest number of equations to return, with the equations inside of them; at least 1.
    """
    part = Part(pools_from_jaxprs.of_walk(walk, cell_file))

    def page(number: int, first: int, count: int) -> ScopeEquations:
        columns, names = walk.scopes[number], names_by_scope.get(number)
        equations = scope_of_columns(
            columns, first=first, count=count, names=names or [None] * len(columns.variable_avals)
        )
        end = equations.first_variable + len(equations.variable_avals)
        outside = sorted(
            {
                operand
                for operands in [*equations.operands, equations.outputs]
                for operand in operands
                if operand >= 0 and not equations.first_variable <= operand < end
            }
        )
        return ScopeEquations(
            number=number,
            scope=part.scope(equations),
            operands=outside,
            operand_names=[(names[operand] if names else None) or "…" for operand in outside],
        )

    counts = first_equations(walk, scope, first_equation, equation_count)
    page_of_scope = page(scope, first_equation, counts.pop(scope))
    return ScopePage(
        scope=page_of_scope.scope,
        operands=page_of_scope.operands,
        operand_names=page_of_scope.operand_names,
        inner=[
            page(number, 0, count)
            for number, count in counts.items()
            if number in names_by_scope and (count or not walk.scopes[number].count)
        ],
        **part.pools.fields(),
    )


def source_page(source: SourceFile, codes: Sequence[CodeType]) -> SourcePage:
    """Return the text of a source file of the run, or why it cannot be shown."""
    try:
        lines_shown = Listed.LIBRARY_SOURCE_LINES if source.kind == "library" else Listed.SOURCE_LINES
        read = source_text(source.name, codes, lines_shown, unfiled=source.unfiled, lines_only=source.lines_only)
    except NoText as why:
        return SourcePage(path=source.path, lines=0, stretches=[], missing=str(why))
    stretches = [
        SourceStretch(first_line=stretch.first_line, text="\n".join(stretch.lines)) for stretch in read.stretches
    ]
    return SourcePage(path=source.path, lines=read.lines, stretches=stretches, missing=None)
