"""No code of ours compares, parses or searches a text for users: a fact decides, and the text is made of the fact."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from sentences import ROOT

pytestmark = pytest.mark.any_jax

#: Attributes and variables that hold a text for users.
TEXTS = frozenset("title sentence reason reasons verdict remark remarks question cure outcome_text origin_note".split())
#: What has such a text in its attribute `text`, and holds a text of a program nowhere.
OWNERS = frozenset("reason note finding effect remark cure card miss found_cure difference".split())
SEARCHES = frozenset("startswith endswith find rfind index count split rsplit partition rpartition splitlines".split())
PATTERNS = frozenset("search match fullmatch findall finditer split sub".split())
_NAMES = "|".join(sorted(TEXTS))
_HELD = rf"(?:\b(?:{_NAMES})|\b(?:{'|'.join(sorted(OWNERS))})\??\.text)\b!?"
#: The same in TypeScript: a text beside a literal that is no name of a kind, a text that is searched, or a pattern that
#: is tried on a text.
IN_TYPESCRIPT = re.compile(
    rf"{_HELD}\s*[!=]==\s*(?:'[^']*[ A-Z][^']*'|`)"
    rf"|(?:'[^']*[ A-Z][^']*'|`)\s*[!=]==\s*[\w.]*{_HELD}"
    rf"|{_HELD}\??\.(?:startsWith|endsWith|includes|indexOf|match|search|split)\("
    rf"|/\w*\.(?:test|exec)\([\w.]*{_HELD}\)"
)


def is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return node.id in TEXTS
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    return node.attr in TEXTS or (node.attr == "text" and owner in OWNERS)


def is_words(node: ast.expr) -> bool:
    """Whether an expression is a text that we wrote: a literal that is not empty, or a constant by its name."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value != ""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Name) and node.id.strip("_").isupper())


def in_python(tree: ast.Module) -> Iterator[int]:
    """The lines that compare, parse or search a text for users."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(is_text, sides)) and any(map(is_words, sides)):
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            attribute, on = node.func.attr, node.func.value
            if (attribute in SEARCHES and is_text(on)) or (attribute in PATTERNS and any(map(is_text, node.args))):
                yield node.lineno


def test_no_python_code_reads_a_text_for_users() -> None:
    lines = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "jupyter_jaxpr").rglob("*.py"))
        for line in in_python(ast.parse(path.read_text()))
    ]
    assert lines == []


def test_no_typescript_code_reads_a_text_for_users() -> None:
    lines = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, place.start()) + 1}"
        for path in sorted((ROOT / "src").rglob("*.ts*"))
        if "__tests__" not in path.parts
        for text in [path.read_text()]
        for place in IN_TYPESCRIPT.finditer(text)
    ]
    assert lines == []


def test_code_that_reads_a_text_is_found() -> None:
    python = """
if note.title == "A random key is used twice": pass
if "to f32" in reason.text: pass
returned = re.search(PATTERN, title)
first = finding.cure.partition(". ")
if reason.kind == "shape": pass
"""
    assert list(in_python(ast.parse(python))) == [2, 3, 4, 5]
    typescript = "if (note.title === 'Twice') {} reason.text.startsWith('the '); /of/.test(state.reason); kind === 'x'"
    assert [place[0] for place in IN_TYPESCRIPT.finditer(typescript)] == [
        "title === 'Twice'",
        "reason.text.startsWith(",
        "/.test(state.reason)",
    ]
