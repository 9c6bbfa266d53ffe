"""Finds the names of a Python loop: its carries, the taken names, and new names beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...typed.syntax_nodes import in_order
from .bodies import Body, Cannot
from .statements import LoopStatement


class Names:
    """The names of the function around a loop, what it calls JAX's modules, and new names.

    Attributes:
        taken: Names that a sketch may not make anew.
        bound: Names that the text binds.
        lax: What `jax.lax` is called there.
        jnp: What `jax.numpy` is called there.
    """

    def __init__(self, loop: LoopStatement, taken: frozenset[str]) -> None:
        self.taken = (
            {each.id for each in in_order(loop.function) if isinstance(each, ast.Name)}
            | {each.arg for each in in_order(loop.function) if isinstance(each, ast.arg)}
            | {each.name for each in in_order(loop.function) if isinstance(each, ast.FunctionDef | ast.ClassDef)}
            | taken
        )
        everywhere = {each.id for each in in_order(loop.module) if isinstance(each, ast.Name)}
        imported = {
            (name.asname or name.name)
            for each in in_order(loop.module)
            if isinstance(each, ast.Import | ast.ImportFrom)
            for name in each.names
        }
        self.bound = stored_names([loop.module]) | imported
        self.bound |= {each.name for each in in_order(loop.module) if isinstance(each, ast.FunctionDef | ast.ClassDef)}
        self.bound |= {each.arg for each in in_order(loop.module) if isinstance(each, ast.arg)}
        self.lax = "lax" if "lax" in everywhere | imported else "jax.lax"
        self.jnp = "jnp" if "jnp" in everywhere | imported or "jax" not in everywhere else "jax.numpy"

    def new(self, *wanted: str) -> str:
        """A name that nothing else has: the first wanted one that is free."""
        for name in (*wanted, *(f"{wanted[0]}_{i}" for i in range(2, 100))):
            if name not in self.taken:
                self.taken.add(name)
                return name
        raise Cannot("All candidate names for the new function are taken.")


def carried_names(loop: LoopStatement, body: Body, targets: set[str]) -> list[str]:
    """Names whose values go from iteration to iteration, or out of the loop."""
    carry = [name for name in body.writes if name in body.reads_first and name not in targets]
    end = (loop.node.end_lineno or 0, loop.node.end_col_offset or 0)
    inside = set(map(id, in_order(loop.node)))
    names = [each for each in in_order(loop.function) if isinstance(each, ast.Name) and id(each) not in inside]
    around = _outer_loops(loop)
    later = {
        each.id
        for each in names
        if isinstance(each.ctx, ast.Load) and ((each.lineno, each.col_offset) >= end or id(each) in around)
    }
    for name in body.writes:
        if name in later and name not in carry:
            raise Cannot(f"The loop assigns {name} at each iteration, and later code reads {name}.")
    if targets & later:
        raise Cannot(f"Code after the loop reads {', '.join(sorted(targets & later))}.")
    return carry


def is_read_later(loop: LoopStatement, name: str) -> bool:
    """Whether code after a loop reads a name that the loop writes, or code of a loop around does."""
    end = (loop.node.end_lineno or 0, loop.node.end_col_offset or 0)
    inside = set(map(id, in_order(loop.node)))
    around = _outer_loops(loop)
    return any(
        isinstance(each, ast.Name)
        and each.id == name
        and isinstance(each.ctx, ast.Load)
        and id(each) not in inside
        and ((each.lineno, each.col_offset) >= end or id(each) in around)
        for each in in_order(loop.function)
    )


def _outer_loops(loop: LoopStatement) -> set[int]:
    """Nodes of the loops around this one: what they read may be of the iteration before."""
    return set().union(*_loops_around(loop))


def check_starts_empty(loop: LoopStatement, name: str) -> None:
    """Make sure that a list is empty before the loop: it is made there, and nothing uses it in between.

    Raises:
        Cannot: No assignment of an empty list was found, or there is something in the list.
    """
    inside = set(map(id, in_order(loop.node)))
    start = (loop.node.lineno, loop.node.col_offset)
    around = _loops_around(loop)
    made = None
    for each in in_order(loop.function):
        match each:
            case (
                ast.Assign(targets=[ast.Name(id=stored)], value=ast.List(elts=[]))
                | ast.AnnAssign(target=ast.Name(id=stored), value=ast.List(elts=[]))
            ) if stored == name and all(id(each) in nodes for nodes in around):
                made = each
    if made is None:
        raise Cannot(f"No assignment of an empty list to {name} was found.")
    target = set(map(id, in_order(made)))
    for each in in_order(loop.function):
        if isinstance(each, ast.Name) and each.id == name and id(each) not in inside | target:
            if (each.lineno, each.col_offset) < start or any(id(each) in nodes for nodes in around):
                raise Cannot(f"Other code uses {name} before the loop.")


def _loops_around(loop: LoopStatement) -> list[set[int]]:
    """The nodes of each loop around this one."""
    found = []
    for each in in_order(loop.function):
        if isinstance(each, ast.For | ast.While) and each is not loop.node:
            nodes = set(map(id, in_order(each)))
            if id(loop.node) in nodes:
                found.append(nodes)
    return found


def stored_names(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are written in some nodes."""
    return {
        each.id
        for node in nodes
        for each in in_order(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def last_name(text: str) -> str:
    """The last name of an expression: `blocks` of `ps["blocks"]`."""
    words = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split()
    named = [word for word in words if word.isidentifier()]
    return named[-1] if named else "elements"


def singular(text: str, suffix: str) -> str:
    """A name for one element of what an expression holds."""
    word = last_name(text)
    return f"{word[:-1] if len(word) > 1 and word.endswith('s') else word}_{suffix}"
