"""Tests that the fast walk over a syntax tree finds the nodes of `ast.walk`."""

import ast
from pathlib import Path

import pytest

import jupyter_jaxpr
from jupyter_jaxpr.typed.kept_syntax_trees import tree_of
from jupyter_jaxpr.typed.syntax_nodes import nodes_of

pytestmark = pytest.mark.any_jax

LEAVES = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
#: Statements and expressions that do not occur in this package's own files.
MORE = """
async def f(*a: int, b=(yield), **c) -> "list":
    async with open(a) as b, c: pass
    async for x in await y: del x[1:2, ::3]
    match a:
        case {"k": [1, *rest], **others} | Point(x=0) | None as whole if rest: global g
    try: raise E from e
    except* (A, B) as e: assert e, f"{e!r:>{width}}"
    return lambda x, /, *, y=1: {**x, y: [-z for z in x if not z < 1 <= 2]}
"""


def test_every_node_is_found() -> None:
    room = Path(jupyter_jaxpr.__file__).parent
    for text in [MORE, *(path.read_text() for path in sorted((room / "observe").glob("*.py")))]:
        tree = tree_of(text)
        assert tree is not None and tree is tree_of(text)
        expected = [node for node in ast.walk(tree) if not isinstance(node, LEAVES)]
        assert sorted(map(id, nodes_of(tree))) == sorted(map(id, expected))


def test_what_is_no_python_has_no_tree() -> None:
    assert tree_of("def f(") is None
    assert tree_of("\0") is None
