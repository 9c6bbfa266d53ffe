"""Tests that the tree of an edited text, made from the tree of the earlier text, equals the tree that Python parses."""

import ast
import linecache
import warnings
from pathlib import Path

import pytest
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

import jupyter_jaxpr
from jupyter_jaxpr.program.source import name_places
from jupyter_jaxpr.typed import kept_syntax_trees, tree_of_edited_text

pytestmark = pytest.mark.any_jax

ROOM = Path(jupyter_jaxpr.__file__).parent
TEXTS = [path.read_text() for path in sorted((ROOM / "typed").glob("*.py")) + sorted((ROOM / "live").glob("*.py"))]
#: A text with all compound statements, and with lines that belong to the statement of another line.
FORMS = '''\
import jax
@jax.jit
@partial(jax.vmap,
         in_axes=0)
def f(x, y=1):
    """A text
    of two lines"""
    # a comment
    a = x; b = y
    for i in range(3):
        a = a + (b
                 * 2)
        if i:
            b = 1
        elif a: b = 2
        else:
            b = 3
    else:
        b = 4
    with a as c, b:
        c = 1 + \\
            2

        d = lambda z: z
    try:
        e = [w for w in c]
    except E: pass
    finally:
        e = """
        text
"""
    while e:
        e = g(
            h)
    if e: return (a
                  )
    return b;
class C:
    k: int = 1
    async def m(self): return self.k
y = f(1)
'''
#: Texts that an edit inserts: they begin, end or continue a statement.
TYPED = ["x", "1", " ", "    ", "\t", ";", ":", "(", ")", "\\", '"', '"""', "#", "@", "=", "else:", "if x: ", "é", ", "]
EDITS = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 3), st.sampled_from(["", *TYPED])), min_size=1, max_size=4
)


def parsed(text: str) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.dump(ast.parse(text), include_attributes=True)
        except (SyntaxError, ValueError):
            return None


def edited(text: str, at: int, gone: int, typed: str) -> str:
    at %= len(text) + 1
    return text[:at] + typed + text[at + gone :]


@given(number=st.integers(0, len(TEXTS)), edits=EDITS)
@example(number=len(TEXTS), edits=[(FORMS.index("a = x; b"), 1, "c")])
@example(number=len(TEXTS), edits=[(FORMS.index("# a comment"), 11, "+ 1        ")])
@settings(max_examples=examples(1_000), deadline=None)
def test_an_edited_text_has_the_tree_that_python_parses(number: int, edits: list[tuple[int, int, str]]) -> None:
    text = ([*TEXTS, FORMS])[number]
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(tree_of_edited_text, "_SHORTEST", 0)
        for edit in [(0, 0, ""), *edits]:
            text = edited(text, *edit)
            tree = kept_syntax_trees.tree_of(text)
            assert (None if tree is None else ast.dump(tree, include_attributes=True)) == parsed(text)


@given(line=st.integers(3, 500), typed=st.sampled_from(["y = 2", "x = y = x", "return x", "x = lambda z, x=1: z", "#"]))
@settings(max_examples=examples(200), deadline=None)
def test_the_names_of_an_edited_text_have_their_places(line: int, typed: str) -> None:
    lines = ["def f(x):", *["    x = g(x)"] * 500, "y = f(1)", ""]
    places = []
    for written in ("x = 1", typed):
        lines[line] = f"    {written}"
        text = "\n".join(lines)
        linecache.cache["<cell>"] = (len(text), None, text.splitlines(keepends=True), "<cell>")
        places.append(name_places.name_places("<cell>"))
    del linecache.cache["<cell>"]
    tree = ast.parse(text)
    expected = name_places.NamePlaces(ast.walk(tree))
    assert places[1] is not None
    assert places[1].assigned == expected.assigned
    assert places[1].parameters == expected.parameters
    assert places[1].returned == expected.returned


def test_a_key_in_a_long_function_parses_one_line() -> None:
    """The trees before and after the edit share the statement objects of all other lines."""
    lines = ["def f(x):", *[f"    x = g(x, {number})" for number in range(1_000)], "    return x", "y = f(1)"]
    before = kept_syntax_trees.tree_of("\n".join(lines))
    lines[500] += "  + x * 2"
    text = "\n".join(lines)
    after, edit = kept_syntax_trees.tree_of(text), kept_syntax_trees.edit_of(text)
    assert before is not None and after is not None and edit is not None
    assert (edit.first, edit.last, [ast.unparse(each) for each in edit.statements]) == (
        501,
        501,
        ["x = g(x, 499) + x * 2"],
    )
    (old, _), (new, _) = before.body, after.body
    assert isinstance(old, ast.FunctionDef) and isinstance(new, ast.FunctionDef)
    assert [at for at in range(1_001) if old.body[at] is not new.body[at]] == [499]
    assert ast.dump(after, include_attributes=True) == parsed(text)
