"""Finds the names that a loop carries and the names that are in use, and chooses new names for the loop's rewrite."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...typed.syntax_nodes import in_order
from .kinds_of_python_loops import LoopStatement
from .refused_loop_bodies import Body, Cannot


class Names:
    """The names that are in use around a loop, the user's names for JAX's modules, and new names.

    Attributes:
        taken_names: Names that the rewrite may not use for new variables.
        bound: Names that the source code assigns, imports or defines.
        lax: The user's name for `jax.lax`.
        jnp: The user's name for `jax.numpy`.
    """

    def __init__(self, loop: LoopStatement, taken_names: frozenset[str]) -> None:
        self.taken_names = (
            {name_node.id for name_node in loop.nodes_of_function if isinstance(name_node, ast.Name)}
            | {parameter.arg for parameter in loop.nodes_of_function if isinstance(parameter, ast.arg)}
            | {
                definition.name
                for definition in loop.nodes_of_function
                if isinstance(definition, ast.FunctionDef | ast.ClassDef)
            }
            | taken_names
        )
        everywhere = {name_node.id for name_node in loop.nodes_of_module if isinstance(name_node, ast.Name)}
        imported = {
            (name.asname or name.name)
            for imports in loop.nodes_of_module
            if isinstance(imports, ast.Import | ast.ImportFrom)
            for name in imports.names
        }
        self.bound = _stored(loop.nodes_of_module) | imported
        self.bound |= {
            definition.name
            for definition in loop.nodes_of_module
            if isinstance(definition, ast.FunctionDef | ast.ClassDef)
        }
        self.bound |= {parameter.arg for parameter in loop.nodes_of_module if isinstance(parameter, ast.arg)}
        self.lax = "lax" if "lax" in everywhere | imported else "jax.lax"
        self.jnp = "jnp" if "jnp" in everywhere | imported or "jax" not in everywhere else "jax.numpy"

    def new(self, *candidates: str) -> str:
        """Return the first candidate that the function does not use yet, and mark the name as used."""
        for name in (*candidates, *(f"{candidates[0]}_{i}" for i in range(2, 100))):
            if name not in self.taken_names:
                self.taken_names.add(name)
                return name
        raise Cannot("All candidate names for the new function are taken.")


def carried_names(loop: LoopStatement, body: Body, targets: set[str]) -> list[str]:
    """Return the names whose values the loop passes from one iteration to the next, or to the code after the loop."""
    carry = [name for name in body.writes if name in body.reads_first and name not in targets]
    end = (loop.node.end_lineno or 0, loop.node.end_col_offset or 0)
    inside = set(map(id, loop.nodes))
    names = [
        name_node
        for name_node in loop.nodes_of_function
        if isinstance(name_node, ast.Name) and id(name_node) not in inside
    ]
    around = _outer_loops(loop)
    later = {
        name_node.id
        for name_node in names
        if isinstance(name_node.ctx, ast.Load)
        and ((name_node.lineno, name_node.col_offset) >= end or id(name_node) in around)
    }
    for name in body.writes:
        if name in later and name not in carry:
            raise Cannot(f"The loop assigns {name} at each iteration, and later code reads {name}.")
    if targets & later:
        targets_read = ", ".join(sorted(targets & later))
        raise Cannot(
            f"Later code reads {targets_read}, which the for statement assigns and the rewrite does not assign."
        )
    return carry


def is_read_later(loop: LoopStatement, name: str) -> bool:
    """Return whether a name that the loop assigns is read after the loop, or in an outer loop's next iteration."""
    end = (loop.node.end_lineno or 0, loop.node.end_col_offset or 0)
    inside = set(map(id, loop.nodes))
    around = _outer_loops(loop)
    return any(
        isinstance(name_node, ast.Name)
        and name_node.id == name
        and isinstance(name_node.ctx, ast.Load)
        and id(name_node) not in inside
        and ((name_node.lineno, name_node.col_offset) >= end or id(name_node) in around)
        for name_node in loop.nodes_of_function
    )


def _outer_loops(loop: LoopStatement) -> set[int]:
    """Return the ids of the nodes of the outer loops.

    In the next iteration of an outer loop, these nodes may read a value that the inner loop assigned.
    """
    return set().union(*_loops_around(loop))


def check_starts_empty(loop: LoopStatement, name: str) -> None:
    """Check that a list is empty before the loop: the code assigns `[]`, and does not use the name before the loop.

    Raises:
        Cannot: There is no assignment of an empty list, or the list may have elements.
    """
    inside = set(map(id, loop.nodes))
    start = (loop.node.lineno, loop.node.col_offset)
    around = _loops_around(loop)
    creation = None
    for part in loop.nodes_of_function:
        match part:
            case (
                ast.Assign(targets=[ast.Name(id=stored)], value=ast.List(elts=[]))
                | ast.AnnAssign(target=ast.Name(id=stored), value=ast.List(elts=[]))
            ) if stored == name and all(id(part) in nodes for nodes in around):
                creation = part
    if creation is None:
        raise Cannot(f"No statement {name} = [] was found before the loop.")
    target = set(map(id, in_order(creation)))
    for part in loop.nodes_of_function:
        if isinstance(part, ast.Name) and part.id == name and id(part) not in inside | target:
            if (part.lineno, part.col_offset) < start or any(id(part) in nodes for nodes in around):
                raise Cannot(f"Other code uses {name} before the loop, so the list {name} may have elements.")


def _loops_around(loop: LoopStatement) -> list[set[int]]:
    """Return, for each loop around the given loop, the ids of the syntax nodes in the outer loop."""
    node_sets = []
    for part in loop.nodes_of_function:
        if isinstance(part, ast.For | ast.While) and part is not loop.node:
            nodes = set(map(id, in_order(part)))
            if id(loop.node) in nodes:
                node_sets.append(nodes)
    return node_sets


def stored_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names to which the code in some syntax nodes assigns."""
    return _stored(part for node in nodes for part in in_order(node))


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def last_name(text: str) -> str:
    """Return the last name of an expression: `blocks` of `ps["blocks"]`."""
    words = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split()
    named = [word for word in words if word.isidentifier()]
    return named[-1] if named else "elements"


def singular(text: str, suffix: str) -> str:
    """Return a name for one element of a collection: `block` for an element of `blocks`."""
    word = last_name(text)
    return f"{word[:-1] if len(word) > 1 and word.endswith('s') else word}_{suffix}"
