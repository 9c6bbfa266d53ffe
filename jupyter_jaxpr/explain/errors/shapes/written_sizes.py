"""Finds the sizes in the code that made an array, such as n of jnp.zeros(n), and other sizes to write there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..failing_code.called_names import called
from ..failing_code.edits import Change, over
from ..failing_code.made_leaves import MadeLeaf

Candidate = tuple[str, list[Change]]
"""The code of a size, and the changes of an edit, of which the first replaces this size."""


@dataclass(frozen=True)
class Unequal:
    """An operand with another size along an axis than the other operand.

    Attributes:
        node: The operand.
        axis: The axis, from 0.
        axes: The number of axes.
        size: The size of the operand.
        wanted: The size of the other operand.
        exchanged: The axis of the other channels of a kernel of a convolution, which may be exchanged with the axis.
    """

    node: ast.expr
    axis: int
    axes: int
    size: int
    wanted: int
    exchanged: int | None = None


def sizes_of(part: Unequal, leaf: MadeLeaf) -> list[ast.expr]:
    """Return the expressions of the sizes in the code that made an array, if the code writes one for each axis."""
    found: list[list[ast.expr]] = []
    for node in ast.walk(leaf.node):
        if not isinstance(node, ast.Call) or called(node) in _WITHOUT_SIZES:
            continue
        keywords = [keyword.value for keyword in node.keywords if keyword.arg in ("shape", "size")]
        for argument in [*node.args, *keywords]:
            if (
                isinstance(argument, ast.Tuple | ast.List)
                and len(argument.elts) == part.axes
                and _are_sizes(argument.elts)
            ):
                found.append(argument.elts)
        if called(node) in _OF_SIZES and part.axes == 1 and node.args and _are_sizes(node.args[:1]):
            found.append([node.args[0]])
        if called(node) in ("eye", "identity") and len(node.args) == 1:
            found.append([node.args[0]] * 2)
    return found[0] if len(found) == 1 else []


#: Functions whose tuples are no sizes: an array of numbers, or axes.
_WITHOUT_SIZES = frozenset("array asarray transpose stack concatenate reshape".split())
_OF_SIZES = frozenset("zeros ones full empty arange".split())


def _are_sizes(nodes: Sequence[ast.expr]) -> bool:
    return all(
        isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp)
        or (isinstance(node, ast.Constant) and type(node.value) is int)
        for node in nodes
    )


def exchanged_sizes(part: Unequal, leaf: MadeLeaf) -> Iterator[Candidate]:
    """Yield the edit that exchanges two named sizes of a function that made a matrix."""
    sizes = sizes_of(part, leaf)
    if (
        isinstance(leaf.scope, ast.FunctionDef)
        and len(sizes) == 2
        and all(isinstance(size, ast.Name) for size in sizes)
    ):
        first, second = (leaf.at.source(size) for size in sizes)
        if first != second:
            yield first, [over(sizes[0], second), over(sizes[1], first)]


def other_names_of_sizes(part: Unequal, leaf: MadeLeaf) -> Iterator[Candidate]:
    """Yield the edits that exchange two sizes, or write another size of the same statement."""
    sizes = sizes_of(part, leaf)
    if not sizes:
        return
    old = leaf.at.source(sizes[part.axis])
    is_square = len(sizes) == 2 and sizes[0] is sizes[1]
    for place, other in enumerate(sizes):
        code = leaf.at.source(other)
        is_number = isinstance(other, ast.Constant) or isinstance(sizes[part.axis], ast.Constant)
        if place != part.axis and code != old and not is_square and not is_number:
            yield old, [over(sizes[part.axis], code), over(other, old)]
    for name in _other_names(leaf, sizes):
        if name != old and not isinstance(sizes[part.axis], ast.Constant):
            yield old, [over(sizes[part.axis], name)]
    for name in _other_names(leaf, sizes) if part.wanted > part.size else ():
        # the input of a recurrent cell, x beside h, has the sum of their sizes
        if name != old and isinstance(sizes[part.axis], ast.Name):
            yield old, [over(sizes[part.axis], f"{old} + {name}")]


def _other_names(leaf: MadeLeaf, sizes: Sequence[ast.expr]) -> list[str]:
    """Return the code of the other sizes in the statement that made an array, and of those in the loop around it."""
    statement: ast.AST | None = leaf.at.statement_of(leaf.node)
    found = [leaf.at.source(size) for size in sizes if isinstance(size, ast.Name | ast.Attribute | ast.Subscript)]
    found += [part.id for size in sizes for part in ast.walk(size) if isinstance(part, ast.Name)]
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and called(node) not in _WITHOUT_SIZES:
            for argument in node.args:
                elements = argument.elts if isinstance(argument, ast.Tuple) else [argument]
                if isinstance(argument, ast.Tuple) or called(node) in _OF_SIZES:
                    found += [leaf.at.source(part) for part in elements if isinstance(part, ast.Name)]
    for node in ast.walk(leaf.scope) if isinstance(leaf.scope, ast.FunctionDef) else ():
        if isinstance(node, ast.Call) and called(node) not in _WITHOUT_SIZES:
            tuples = [argument.elts for argument in node.args if isinstance(argument, ast.Tuple)]
            tuples += [node.args[:1]] if called(node) in (*_OF_SIZES, "eye") else []
            elements = [element for elements in tuples if _are_sizes(elements) for element in elements]
            found += [element.id for element in elements if isinstance(element, ast.Name)]
    for node in ast.walk(leaf.scope) if isinstance(leaf.scope, ast.FunctionDef) else ():
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=elements)], value=ast.Attribute(attr="shape")):
                found += [element.id for element in elements if isinstance(element, ast.Name)]
    around: ast.AST | None = leaf.node
    while around is not None and not isinstance(around, ast.FunctionDef | ast.Module):
        if isinstance(around, ast.For):
            found += [part.id for part in ast.walk(around.target) if isinstance(part, ast.Name)]
        if isinstance(around, ast.ListComp | ast.DictComp):
            targets = [generator.target for generator in around.generators]
            found += [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        around = leaf.at.parents.get(id(around))
    return list(dict.fromkeys(found))


def other_numbers(part: Unequal, leaf: MadeLeaf) -> Iterator[Candidate]:
    """Yield the edit that writes the size of the other operand in place of a number."""
    sizes = sizes_of(part, leaf)
    size = sizes[part.axis] if sizes else None
    if not isinstance(size, ast.Constant) or size.value != part.size:
        return
    if isinstance(leaf.scope, ast.Module) and _is_data(leaf.node) and part.exchanged is None:
        return
    other = sizes[part.exchanged] if part.exchanged is not None else None
    if other is not None and _is_number(other, part.wanted):
        yield str(part.size), [over(size, str(part.wanted)), over(other, str(part.size))]
        return
    yield str(part.size), [over(size, str(part.wanted))]
    statement = leaf.at.statement_of(leaf.node)
    equal = [node for node in ast.walk(statement) if _is_number(node, part.size)] if statement is not None else []
    if len(equal) > 1:
        first = [node for node in equal if node is size]
        others = [node for node in equal if node is not size]
        yield str(part.size), [over(node, str(part.wanted)) for node in first + others]


def _is_data(node: ast.expr) -> bool:
    """Return whether code makes data, such as random numbers, whose number is hardly the mistake."""
    return any("random" in ast.unparse(part.func) for part in ast.walk(node) if isinstance(part, ast.Call))


def _is_number(node: ast.AST, number: int) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == number
