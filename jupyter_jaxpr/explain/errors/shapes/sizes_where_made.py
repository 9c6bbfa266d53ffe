"""Finds where the operands with unequal sizes were made, and the size there that the code should have written.

A size is replaced by another size of the same statement, two sizes are exchanged, or a number is replaced by the
number that fits. An edit is offered only if JAX can trace the cell with the edit, and with no other such edit.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, shown
from ..failing_code.expression_shapes import made_of
from ..failing_code.made_leaves import MadeLeaf
from ..failing_code.place_of_error import RaisedAt, at_caller
from .axes_where_made import made_along_another_axis, other_axis_cure
from .unequal_operands import contains, made_of_operand, operands_of, sources_of_size, unequal_operands
from .written_sizes import Candidate, Unequal, exchanged_sizes, other_names_of_sizes, other_numbers

_MOST_TRIED = 8
_MOST_NAMED = 3
_MADE = "{name} comes from {code} ({where})."
_MADE_IN = "{name} comes from {where}."
_CHANGED = "With {new} in place of {old} in {where}, {name} has {size} elements along axis {axis}."
_CHANGE_ONE = (
    "Give {left} the size {left_size} along axis {left_axis} in {left_where}, or {right} the size {right_size} along "
    "axis {right_axis} in {right_where}."
)
_CHANGE_OTHER = (
    "Give {left} the size {left_size} along axis {left_axis} in {left_where}, or give {right} the size {right_size}."
)
_LONGEST_NAME = 40
_CHANGE = "Give {left} the size {left_size} along axis {left_axis} in {left_where}."


def with_sizes(explained: Explained, raised: RaisedAt | None, text: str) -> Explained:
    """Return the explanation with the lines that made the operands, and the cures that mend a size there.

    Args:
        explained: The explanation of an error about unequal sizes.
        raised: Where the error was raised.
        text: The message of JAX.
    """
    if raised is None or raised.frame is None:
        return explained
    unequal = unequal_operands(raised, text)
    if (cure := other_axis_cure(raised, unequal)) is not None:
        return replace(explained, cures=(cure,))
    if any(cure.level == "applies" and cure.name != ".T" for cure in explained.cures):
        return explained
    if any(cure.level == "applies" for cure in explained.cures):
        exchanged = _cures(
            raised, [(part, leaf) for part in unequal if (leaf := made_of_operand(raised, part))], (exchanged_sizes,)
        )
        return replace(explained, cures=tuple(exchanged or explained.cures))
    if (joined := made_along_another_axis(raised)) is not None:
        return replace(explained, cures=(joined,))
    unequal = [inner for part in unequal for inner in sources_of_size(raised, part)]
    if any(_is_on_both_sides(raised, part, unequal) for part in unequal):
        return explained
    made = [(part, leaf) for part in unequal if (leaf := made_of_operand(raised, part)) is not None]
    if not made:
        return explained
    others = [cure for cure in explained.cures if cure.name not in _GENERAL or cure.code is not None]
    cures = _cures(raised, made, (other_names_of_sizes,) if others else (other_names_of_sizes, other_numbers))
    if others and not cures:
        return explained
    sentences = [_sentence(raised, part, leaf) for part, leaf in made if leaf.node is not part.node]
    text = " ".join([explained.text, *[*dict.fromkeys(sentences)][:_MOST_NAMED]]).strip()
    if cures and cures[0].level == "applies":
        return replace(explained, text=text, cures=tuple(cures))
    general = FoundCure("one size", None, _general(raised, made))
    return replace(explained, text=text, cures=(*(cures or [general]), *others))


#: Names of cures in general words, which the names of the lines that made the operands replace.
_GENERAL = frozenset({"same shape", "same size", "channels"})


def _is_on_both_sides(raised: RaisedAt, part: Unequal, unequal: Sequence[Unequal]) -> bool:
    """Return whether the other operand is made of slices of the same array, so that another array would not help."""
    code = ast.unparse(part.node)
    others = [made for other in unequal if other.wanted == part.size for made in made_of(raised, other.node)]
    sliced = [node.value for made in others for node in ast.walk(made) if isinstance(node, ast.Subscript)]
    return any(ast.unparse(node) == code for node in sliced)


def _general(raised: RaisedAt, made: Sequence[tuple[Unequal, MadeLeaf]]) -> str:
    alone = [pair for pair in made if sum(part.wanted == pair[0].wanted for part, _ in made) == 1]
    (left, leaf), *others = alone or made
    words = {"left": short_code(raised, left.node), "left_size": left.wanted, "left_axis": left.axis}
    if not others and (unknown := _other_operand(raised, left)) is not None:
        return _CHANGE_OTHER.format(**words, left_where=leaf.where, right=unknown, right_size=left.size)
    if not alone or not others:
        return _CHANGE.format(**words, left_where=leaf.where)
    right, other = others[0]
    return _CHANGE_ONE.format(
        **words,
        left_where=leaf.where,
        right=short_code(raised, right.node),
        right_size=right.wanted,
        right_axis=right.axis,
        right_where=other.where,
    )


def _other_operand(raised: RaisedAt, part: Unequal) -> str | None:
    """Return the code of the other operand, whose code is not found; None for long code."""
    codes = [short_code(raised, node) for node in operands_of(raised) if not contains(node, part.node)]
    return codes[0] if len(codes) == 1 and len(codes[0]) <= _LONGEST_NAME else None


def short_code(raised: RaisedAt, node: ast.expr) -> str:
    """Return the code of an expression on one line."""
    return " ".join(raised.source(node).split())


def _sentence(raised: RaisedAt, part: Unequal, leaf: MadeLeaf) -> str:
    if leaf.code:
        return _MADE.format(name=short_code(raised, part.node), code=leaf.code, where=leaf.where)
    return _MADE_IN.format(name=short_code(raised, part.node), where=leaf.where)


def _cures(
    raised: RaisedAt,
    made: Sequence[tuple[Unequal, MadeLeaf]],
    kinds: Sequence[Callable[[Unequal, MadeLeaf], Iterator[Candidate]]],
) -> list[FoundCure]:
    """Return the edits of sizes that pass their trial: an edit that applies, if it is the only one; else advice.

    Args:
        raised: Where the error was raised.
        made: The operands, with the code that made them.
        kinds: The functions that yield edits. If an edit of one function passes, the next functions are not asked.
    """
    outer = at_caller(raised, raised.callers[0]) if raised.callers else raised
    for candidates in kinds:
        tried: list[FoundCure] = []
        for part, leaf in made:
            for old, changes in list(candidates(part, leaf))[:_MOST_TRIED]:
                new = changes[0][2]
                words = _CHANGED.format(
                    new=new,
                    old=old,
                    where=leaf.where,
                    name=short_code(raised, part.node),
                    size=part.wanted,
                    axis=part.axis,
                )
                cure = applied(FoundCure("the size", None, words), [edit_of(leaf.at, change) for change in changes])
                tried += [one for one in passed(outer, [cure]) if one.level == "applies"]
        codes = {shown(cure).code: cure for cure in reversed(tried)}
        if len(codes) == 1:
            return list(codes.values())
        if codes and len(codes) <= _MOST_SHOWN:
            return [replace(shown(cure), level="advice", edits=()) for cure in reversed(codes.values())]
    return []


_MOST_SHOWN = 2
