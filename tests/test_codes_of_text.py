"""Tests that compiled code is found in the syntax tree it was compiled from, and only if the text is the same."""

from __future__ import annotations

import ast
import linecache
from types import CodeType

import pytest

from jupyter_jaxpr.observe.side_effects import source_of_code_objects
from jupyter_jaxpr.observe.side_effects.source_of_code_objects import codes_of_text, function_node
from jupyter_jaxpr.typed.kept_syntax_trees import tree_of

pytestmark = pytest.mark.any_jax

FILE = "<cell of known codes>"
TEXT = """\
@(lambda f: f)
def outer(x, key=lambda v: -v): return [(lambda a: a + 1)(x), (lambda a: a + 2)(x)]
class Net:
    @staticmethod
    def call(x):
        def inner(): return x
        return inner
"""


def codes_in(code: CodeType) -> list[CodeType]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [*inner, *(deeper for code in inner for deeper in codes_in(code))]


def test_the_definition_of_each_code_is_the_one_that_another_compile_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(linecache.cache, FILE, (len(TEXT), None, TEXT.splitlines(keepends=True), FILE))
    tree = tree_of(TEXT)
    assert tree is not None
    whole = compile(tree, FILE, "exec", dont_inherit=True)
    functions = [code for code in codes_in(whole) if code.co_name != "Net"]
    compiled = [function_node(code) for code in functions]
    assert [ast.unparse(node).splitlines()[-1].strip() for node in compiled if node is not None] == [
        "lambda f: f",
        "lambda v: -v",
        "return [(lambda a: a + 1)(x), (lambda a: a + 2)(x)]",
        "lambda a: a + 1",
        "lambda a: a + 2",
        "return inner",
        "return x",
    ]
    with codes_of_text(TEXT) as codes:
        codes.add(whole)
        monkeypatch.setattr(source_of_code_objects, "_codes", lambda *arguments: {})
        assert [function_node(code) for code in functions] == compiled
        # The file's text was edited after the compile, so the code is not found in it.
        edited = TEXT.replace("a + 1", "a + 3")
        monkeypatch.setitem(linecache.cache, FILE, (len(edited), None, edited.splitlines(keepends=True), FILE))
        assert [function_node(code) for code in functions] == [None] * len(functions)
    monkeypatch.setitem(linecache.cache, FILE, (len(TEXT), None, TEXT.splitlines(keepends=True), FILE))
    assert [function_node(code) for code in functions] == [None] * len(functions)
