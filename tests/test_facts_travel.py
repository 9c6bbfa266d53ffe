"""Tests that no code compares, parses or searches a text for users: code decides by facts, and words the facts."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType

import pytest
from sentences import ROOT

pytestmark = pytest.mark.any_jax

#: The names of attributes and variables that hold a text for users.
TEXTS = frozenset(
    "title sentence need reason reasons verdict remark remarks question cure outcome_text origin_note message".split()
)
#: The names of objects whose attribute `text` is a text for users.
OWNERS = frozenset("reason note finding effect remark cure card miss found_cure difference cell".split())
SEARCHES = frozenset("startswith endswith find rfind index count split rsplit partition rpartition splitlines".split())
PATTERNS = frozenset("search match fullmatch findall finditer split sub".split())
#: The code in this folder reads the messages of JAX's errors.
READS_ERRORS_OF_JAX = "explain/errors/"
#: `message` is left out, because errors of JavaScript have this attribute, too.
_NAMES = "|".join(sorted(TEXTS - {"message"}))
_HELD = rf"(?:\b(?:{_NAMES})|\b(?:{'|'.join(sorted(OWNERS))})\??\.text)\b!?"
#: Matches a literal that is a text, not the name of a kind: it has a blank, a capital or a special character.
_WORDS = r"(?:'[^']*[ A-Z–…][^']*'|`)"
#: Finds such code in TypeScript: a comparison with a text, a search in a text, or a pattern applied to a text.
IN_TYPESCRIPT = re.compile(
    rf"{_HELD}\s*[!=]==\s*{_WORDS}"
    rf"|{_WORDS}\s*[!=]==\s*[\w.]*{_HELD}"
    rf"|{_HELD}\??\.(?:startsWith|endsWith|includes|indexOf|match|search|split)\("
    rf"|/\w*\.(?:test|exec)\([\w.]*{_HELD}\)"
)


def is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return any(map(is_text, node.elts))
    if isinstance(node, ast.Name):
        return node.id in TEXTS
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    return node.attr in TEXTS or (node.attr == "text" and owner in OWNERS)


def is_words(node: ast.expr) -> bool:
    """Return whether an expression is a fixed text: a literal, an f-string or a constant."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value != ""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(is_words, node.elts))
    if isinstance(node, ast.Subscript):
        return is_words(node.value)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Name) and node.id.strip("_").isupper())


def is_variable(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def is_sentence(node: ast.expr) -> bool:
    """Return whether an expression contains a string of at least four words, such as a sentence for users."""
    if isinstance(node, ast.JoinedStr):
        return any(map(is_sentence, node.values))
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(is_sentence, node.elts))
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return len(re.findall(r"[A-Za-z]{2,}", node.value)) >= 4 and " " in node.value


def is_written(node: ast.expr, names: Container[str]) -> bool:
    """Return whether an expression gives a sentence that the code has written.

    Args:
        node: The expression.
        names: The names of constants and variables that hold a sentence, or a table of sentences.
    """
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.IfExp(body=body, orelse=other):
            return is_written(body, names) or is_written(other, names)
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(is_written(part, names) for part in parts)
        case ast.Dict(values=values):
            return any(is_written(value, names) for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return is_written(left, names) or is_written(right, names)
        case ast.Subscript(value=table):
            return is_written(table, names)
        case ast.Call(func=ast.Attribute(value=on, attr="format" | "get"), args=arguments):
            return is_written(on, names) or any(is_written(argument, names) for argument in arguments)
    return is_sentence(node) and bool(re.search("[A-Z]", ast.unparse(node))) and r"\n" not in ast.unparse(node)


def written_names(tree: ast.AST, names: frozenset[str]) -> frozenset[str]:
    """Return the given names and those to which the statements of a module or a function assign a sentence."""
    body = tree.body if isinstance(tree, ast.Module) else list(ast.walk(tree))
    for node in body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if is_written(value, names):
                names |= {name}
    return names


def in_python(
    tree: ast.Module, reads_jax: bool = False, imported: Mapping[str, frozenset[str]] = MappingProxyType({})
) -> Iterator[int]:
    """Yield the lines that compare, parse or search a text for users.

    Args:
        tree: The code.
        reads_jax: Whether the code searches the messages of JAX's errors, which a variable `message` then holds.
        imported: Last part of the name of a module -> its constants that hold a sentence.
    """
    names = written_names(tree, _imported(tree, imported))
    if reads_jax:
        yield from _in_python(tree, names, lambda node: is_text(node) and not is_message(node), sentences=False)
    else:
        yield from _in_python(tree, names, is_text, sentences=True)


def _imported(tree: ast.Module, constants: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset(
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in constants.get((node.module or "").rpartition(".")[2], ())
    )


def is_message(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "message"


def _in_python(
    tree: ast.AST, names: frozenset[str], is_text: Callable[[ast.expr], bool], sentences: bool
) -> Iterator[int]:
    for function in _outermost_functions(tree):
        yield from _reads_in(function, written_names(function, names), is_text, sentences)
    yield from _reads_in(tree, names, is_text, sentences)


def _elements(node: ast.expr) -> Sequence[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else ()


def is_placeholder(node: ast.expr) -> bool:
    """Return whether an expression is a constant, such as LINE, that stands for a value in a sentence."""
    return isinstance(node, ast.Name) and node.id.isupper()


def _outermost_functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield node
        else:
            yield from _outermost_functions(node)


def _outside_of_functions(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef):
            yield from _outside_of_functions(node)


def _reads_in(
    tree: ast.AST, names: frozenset[str], is_text: Callable[[ast.expr], bool], sentences: bool
) -> Iterator[int]:
    def has_sentence(nodes: Sequence[ast.expr]) -> bool:
        return sentences and any(map(is_sentence, nodes))

    def is_read(node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript) or is_sentence(node):
            return False
        return is_text(node) or is_written(node, names)

    for node in ast.walk(tree) if isinstance(tree, ast.FunctionDef) else _outside_of_functions(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            read = any(map(is_text, sides)) and any(map(is_words, sides))
            if isinstance(node.ops[0], ast.Eq | ast.NotEq):
                read = read or (any(map(is_read, sides)) and all(map(is_variable, sides)))
            elif isinstance(node.ops[0], ast.In | ast.NotIn):
                read = read or any(map(is_read, [node.left, *_elements(node.comparators[0])]))
            if read or sum(map(is_text, sides)) > 1 or has_sentence(sides):
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            attribute, on = node.func.attr, node.func.value
            if attribute in SEARCHES and ((node.args and is_read(on)) or has_sentence(node.args)):
                yield node.lineno
            elif attribute == "replace" and (is_read(on) or is_sentence(on)) and not is_placeholder(node.args[0]):
                yield node.lineno
            elif attribute in PATTERNS and any(map(is_read, node.args)):
                yield node.lineno
        elif isinstance(node, ast.MatchValue) and has_sentence([node.value]):
            yield node.lineno


def test_no_python_code_reads_a_text_for_users() -> None:
    trees = {path: ast.parse(path.read_text()) for path in sorted((ROOT / "jupyter_jaxpr").rglob("*.py"))}
    constants: dict[str, frozenset[str]] = {}
    for path, tree in trees.items():
        constants[path.stem] = constants.get(path.stem, frozenset()) | written_names(tree, frozenset())
    lines = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, tree in trees.items()
        for line in in_python(tree, READS_ERRORS_OF_JAX in path.as_posix(), constants)
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
if message in RAN_NOTHING: pass
if message == RAN_NOTHING[0]: pass
if (card.kind, card.title) == (found.kind, found.title): pass
if words == "The cell called no jitted function.": pass
match words:
    case "The cell called no jitted function.": pass
if (card.kind, card.detail) == (found.kind, found.detail): pass
UNUSED = "No equation reads the result."
NEEDS = {"axis": "Python needs the number of an axis."}
if name in NEEDS: pass
if UNUSED not in card.facts: pass
if any(sentence == need for sentence in NEEDS.values()): pass
if need.startswith("NumPy"): pass
def advice(name):
    words = "Write the name of the function."
    found = NEEDS.get(name, words)
    if found == words: pass
    if found in (words, UNUSED): pass
    found.replace("name", name)
    title.replace(NAME, name)
"""
    assert sorted(in_python(ast.parse(python))) == [2, 3, 4, 5, 7, 8, 9, 10, 12, 17, 18, 19, 23, 24, 25]
    typescript = (
        "if (note.title === 'Twice' || cell.text !== '–') {} reason.text.startsWith('the '); "
        "/of/.test(state.reason); kind === 'x'"
    )
    assert [place[0] for place in IN_TYPESCRIPT.finditer(typescript)] == [
        "title === 'Twice'",
        "cell.text !== '–'",
        "reason.text.startsWith(",
        "/.test(state.reason)",
    ]
