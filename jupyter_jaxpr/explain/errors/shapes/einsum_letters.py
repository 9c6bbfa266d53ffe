"""Explains an einsum in which one letter stands for two sizes, and finds an order of the letters that fits."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of, type_of_slice
from ..failing_code.operand_nodes import operand_types, source_suffix
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape
from .made_operands import made_operand, sentence_on_made, size_cure

_RULE = "In an einsum, each letter stands for one size in all operands."
_SAME_SIZE = (
    "If {letter} is right, give axis {axis} of {operand} and axis {other_axis} of {other} the same size where the code "
    "makes these arrays. Otherwise, write another letter for one of these axes."
)
_MOST_LETTERS = 6


@dataclass(frozen=True)
class _Einsum:
    """An einsum without an ellipsis: its subscripts, and the letters, the expression and the shape of each operand."""

    subscripts: ast.Constant
    text: str
    terms: list[str]
    nodes: list[ast.expr]
    shapes: list[Shape]

    def sizes_without(self, number: int) -> dict[str, int] | None:
        """Return the size of each letter in the operands other than the given one.

        None if a letter has two sizes in them.
        """
        sizes: dict[str, int] = {}
        for place, (term, shape) in enumerate(zip(self.terms, self.shapes, strict=True)):
            for letter, size in zip(term, shape, strict=True) if place != number else ():
                if sizes.setdefault(letter, size) != size:
                    return None
        return sizes


def einsum_error(raised: RaisedAt | None, letter: str, sizes: Sequence[str]) -> Explained:
    """Explains a letter of an einsum that has two sizes.

    Args:
        raised: Where the error was raised.
        letter: The letter.
        sizes: The two sizes in JAX's message, in any order.
    """
    words = "All axes with the same letter need the same size: compare the letters with the sizes of the operands."
    general = FoundCure("one size", None, words)
    einsum = _einsum(raised)
    if raised is None or einsum is None:
        title = f"The letter {letter} stands for the sizes {' and '.join(sizes)}{source_suffix(raised)}"
        return Explained(None, title, f"{_RULE} {operand_types(raised)}".strip(), (general,))
    uses = [
        (node, axis, shape[axis])
        for term, node, shape in zip(einsum.terms, einsum.nodes, einsum.shapes, strict=True)
        for axis, other in enumerate(term)
        if other == letter
    ]
    (first, axis, size), (second, other_axis, other_size) = uses[0], next(use for use in uses if use[2] != uses[0][2])
    operand, other_operand = (" ".join(raised.source(node).split()) for node in (first, second))
    title = f"The letter {letter} is an axis of {size} elements in {operand}, but of {other_size} in {other_operand}"
    if first is second:
        title = f"The letter {letter} names two axes of {operand}, which have {size} and {other_size} elements"
    text = (
        f"{_RULE} {operands(raised, einsum.nodes, type_of_slice)} In '{einsum.text}', {letter} is axis "
        f"{axis} of {operand} and axis {other_axis} of {other_operand}."
    )
    made = [made for node in (first, second) if (made := made_operand(raised, node)) is not None]
    text = " ".join([text, *filter(None, map(sentence_on_made, made))])
    if first is not second:
        words = _SAME_SIZE.format(letter=letter, axis=axis, operand=operand, other_axis=other_axis, other=other_operand)
        general = FoundCure("one size", None, words)
    both = [(first, size, other_size), (second, other_size, size)] if first is not second else []
    numbers = [_size_cure(raised, *of) for of in both]
    certain = [cure for cure in numbers if cure is not None and cure.level == "applies"]
    cures = certain if len(certain) == 1 else _ordered(raised, einsum, letter)
    return Explained(None, title, text, tuple(cures or filter(None, numbers)) or (general,))


def _size_cure(raised: RaisedAt, node: ast.expr, size: int, other: int) -> FoundCure | None:
    made = made_operand(raised, node)
    return size_cure(made, size, other) if made is not None else None


def letters_error(raised: RaisedAt | None, term: str, number: int) -> Explained:
    """Explains an operand of an einsum that has more or fewer axes than its subscripts have letters.

    Args:
        raised: Where the error was raised.
        term: The subscripts of the operand.
        number: The position of the operand, from 0.
    """
    words = "Write one letter for each axis of the operand, or ... for the axes without a letter."
    general = FoundCure("subscripts", None, words)
    call = raised.node if raised is not None else None
    nodes = call.args[1:] if isinstance(call, ast.Call) and called(call) == "einsum" else []
    if raised is None or number >= len(nodes) or any(isinstance(node, ast.Starred) for node in nodes):
        title = f"The subscripts {term} of einsum do not have one letter for each axis of operand {number}"
        return Explained(
            None, title, f"The number of the first operand of einsum is 0. {operand_types(raised)}".strip(), (general,)
        )
    name = " ".join(raised.source(nodes[number]).split())
    shape = shape_of(raised, nodes[number])
    title = f"The subscripts {term} of einsum do not have one letter for each axis of {name}"
    if shape is not None:
        number_of_axes = count(len(shape), "axis", "axes")
        title = (
            f"The subscripts {term} of einsum name {count(len(term), 'axis', 'axes')}, but {name} has {number_of_axes}"
        )
    text = operands(raised, nodes, type_of_slice)
    return Explained(None, title, text, tuple(_fewer_letters(raised, nodes, number, term)) or (general,))


def _fewer_letters(raised: RaisedAt, nodes: list[ast.expr], number: int, term: str) -> list[FoundCure]:
    """Return the advice to leave out the letters that are in no other operand.

    Empty unless the operand then has one letter for each axis.
    """
    call = raised.node
    subscripts = call.args[0] if isinstance(call, ast.Call) else None
    shape = shape_of(raised, nodes[number])
    if not isinstance(subscripts, ast.Constant) or shape is None or not term.isalpha():
        return []
    inputs, arrow, result = str(subscripts.value).replace(" ", "").partition("->")
    terms = inputs.split(",")
    others = "".join(terms[:number] + terms[number + 1 :])
    surplus = [letter for letter in term if letter not in others]
    if len(set(term)) != len(term) or not surplus or len(surplus) != len(term) - len(shape) or len(terms) != len(nodes):
        return []
    terms[number] = "".join(letter for letter in term if letter in others)
    result = "".join(letter for letter in result if letter not in surplus)
    quote = raised.source(subscripts)[0]
    if quote not in "'\"":
        return []
    code = f"{quote}{','.join(terms)}{arrow}{result}{quote}"
    name = " ".join(raised.source(nodes[number]).split())
    letters = in_a_sentence(surplus, 4)
    words = f"If {name} should have no axis {letters}, write these subscripts. Otherwise, give {name} this axis."
    if len(surplus) > 1:
        words = (
            f"If {name} should not have the axes {letters}, write these subscripts. Otherwise, give {name} these axes."
        )
    cure = applied(FoundCure("subscripts", code, words), [edit_of(raised, over(subscripts, code))])
    # Only the user knows whether the array lacks an axis or the subscripts have too many letters.
    return [replace(tried, level="advice", edits=()) for tried in passed(raised, [cure]) if tried.level == "applies"]


def _einsum(raised: RaisedAt | None) -> _Einsum | None:
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or called(call) != "einsum" or len(call.args) < 2:
        return None
    subscripts, *nodes = call.args
    if not isinstance(subscripts, ast.Constant) or not isinstance(subscripts.value, str) or "." in subscripts.value:
        return None
    terms = [term.strip() for term in subscripts.value.partition("->")[0].split(",")]
    shapes = [shape_of(raised, node) for node in nodes]
    known = [shape for shape in shapes if shape is not None]
    if len(known) != len(shapes) or list(map(len, terms)) != list(map(len, known)):
        return None
    einsum = _Einsum(subscripts, subscripts.value, terms, nodes, known)
    return einsum if einsum.sizes_without(-1) is None else None


def _ordered(raised: RaisedAt, einsum: _Einsum, letter: str) -> list[FoundCure]:
    """Return the cure that reorders the letters of one operand.

    Empty unless exactly one operand has exactly one fitting order, with which the rest of the function can run.
    """
    orders: list[tuple[int, str]] = []
    for number, (term, shape) in enumerate(zip(einsum.terms, einsum.shapes, strict=True)):
        sizes = einsum.sizes_without(number)
        if letter not in term or sizes is None or len(term) > _MOST_LETTERS or len(set(term)) != len(term):
            continue
        fitting = [
            "".join(order)
            for order in itertools.permutations(term)
            if all(sizes.get(other, size) == size for other, size in zip(order, shape, strict=True))
        ]
        # A letter of this operand only has no size that could show its axis, unless the operand has two axes only.
        moved = [old for old, new in zip(term, fitting[0], strict=True) if old != new] if fitting else []
        is_shown = sizes.keys() >= set(moved) or (len(set(shape)) == len(shape) and len({*term} - sizes.keys()) == 1)
        orders += [(number, fitting[0])] if len(fitting) == 1 and (len(term) == 2 or is_shown) else []
    if len(orders) != 1:
        return []
    number, order = orders[0]
    inputs, arrow, result = einsum.text.partition("->")
    terms = inputs.split(",")
    terms[number] = terms[number].replace(einsum.terms[number], order)
    quote = raised.source(einsum.subscripts)[0]
    if quote not in "'\"":
        return []
    code = f"{quote}{','.join(terms)}{arrow}{result}{quote}"
    name = " ".join(raised.source(einsum.nodes[number]).split())
    words = f"The letters {order} fit the shape {einsum.shapes[number]} of {name}."
    cure = applied(FoundCure("the letters", code, words), [edit_of(raised, over(einsum.subscripts, code))])
    # The sizes of two axes may be equal by chance: then a later line fails.
    return [tried for tried in passed(raised, [cure]) if tried.level == "applies"]
