"""Tests that a user text is a whole sentence or a label: code neither joins parts nor writes plurals by hand."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator

import pytest
from sentences import NOT_READ, ROOT, of_kernel, of_panel

pytestmark = pytest.mark.any_jax

# Files whose strings are code in Python or HTML, or the text of a program, and therefore no sentences.
CODE = (
    "explain/loops/",
    "explain/timings/sentences_on_timings.py",
    "program/costs/cost_trees_of_icicle.py",
    "program/jaxpr/",
    "document/printed_program.py",
    "exports/html_page.py",
    "build/programs/argument_signatures.py",
)


def glued(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each part of a sentence that code joins to another text.

    A whole sentence may follow another sentence: it begins with a capital or a placeholder, and ends with a full stop.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for choice in (part for value in node.values for part in ast.walk(value) if isinstance(part, ast.IfExp)):
                for text in map(text_of, (choice.body, choice.orelse)):
                    if text is not None and (re.search(r"[a-z]{2}", outside(text)) or text in ("s", "i", "e")):
                        yield node.lineno, text
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add):
            behind = node.right if isinstance(node, ast.BinOp) else node.value
            branches = (behind.body, behind.orelse) if isinstance(behind, ast.IfExp) else (behind,)
            for text in map(text_of, branches):
                if text is not None and is_part(text):
                    yield node.lineno, text


def text_of(node: ast.expr) -> str | None:
    """Return the text of a string literal, with {} for each placeholder of an f-string; None for other expressions."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def outside(text: str) -> str:
    return text.replace("{}", "")


def is_part(text: str) -> bool:
    """Return whether a text has several words, but is no whole sentence; one word may be a unit or a name."""
    return (
        bool(re.search(r"[a-z]{2}", outside(text)))
        and bool(re.search(r"\W", text))
        and not re.match(r"\s*[A-Z{].*[.?]\s*$", text, re.DOTALL)
    )


@functools.cache
def texts_of_kernel() -> list[tuple[str, int, str]]:
    """Return the file, line and text of each text of the kernel: to find them takes seconds."""
    return list(of_kernel())


def test_the_kernel_joins_no_parts_of_a_sentence() -> None:
    collected = []
    for path in sorted((ROOT / "jupyter_jaxpr").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if not any(part in name for part in (*NOT_READ, *CODE)):
            collected += [f"{name}:{line}: {text}" for line, text in glued(ast.parse(path.read_text()))]
    assert collected == []


def test_parts_of_a_sentence_are_seen() -> None:
    source = """
f"{number} leaf{'s' if number > 1 else ''}"
f"Pass {names} as {'an argument' if one else 'arguments'}."
title = "A list takes an integer" + (f", not {dtype}" if dtype else "")
said += f" of the cell's {time}"
said += f" The loop is on line {line}."
said += " NumPy needs the values."
"""
    assert [text for _, text in sorted(glued(ast.parse(source)))] == [
        "s",
        "an argument",
        "arguments",
        ", not {}",
        " of the cell's {}",
    ]


# Words for which the glossary has another term, and phrases such as "is told", which hide the subject.
NO_TERMS = re.compile(
    r"\b(?:trips?|retraces?|retraced|dear|dearest|(?:is|are|was|were) (?:told|said))\b", re.IGNORECASE
)
# The strings in this file are names of JAX and texts for developers.
OWN = ("jax/private_names.py",)


def test_user_texts_have_one_word_for_each_thing() -> None:
    texts = [*of_panel(), *texts_of_kernel()]
    collected = [
        f"{name}:{line}: {text}"
        for name, line, text in texts
        if NO_TERMS.search(re.sub(r"\{.*?\}", "", text)) and not name.endswith(OWN)
    ]
    assert collected == []


def test_the_glossary_is_short_and_has_each_term_once() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    table = guide[guide.index("## Glossary") : guide.index("User texts:")]
    rows = re.findall(r"^\| (.+?) +\| (.+?) +\|$", table, re.MULTILINE)[1:]
    terms = [term for row, _ in rows if not row.startswith("--") for term in row.split(", ")]
    assert 60 < len(terms)
    assert len(rows) - 1 <= 78
    assert len(terms) == len(set(terms))


def in_several_places(texts: Iterable[tuple[str, int, str]], words: int) -> dict[str, list[str]]:
    """Return the texts of so many words that stand in two or more places, with {} for each placeholder."""
    places: dict[str, list[str]] = {}
    for name, line, text in texts:
        places.setdefault(text, []).append(f"{name}:{line}")
    return {
        text: found
        for text, found in places.items()
        if len(found) > 1 and len(re.findall(r"[A-Za-z][\w.]*", outside(text))) >= words
    }


def test_the_kernel_words_a_fact_in_one_place() -> None:
    texts = [(name, line, re.sub(r"\{[^{}]*\}", "{}", text)) for name, line, text in of_kernel()]
    sentences = [(name, line, sentence) for name, line, text in texts for sentence in re.split(r"(?<=[.?]) ", text)]
    # In a shorter text or sentence, equal words can be a chance, as in two labels.
    assert in_several_places(texts, words=6) == {}
    assert in_several_places(sentences, words=10) == {}


def test_a_fact_that_is_worded_twice_is_seen() -> None:
    texts = [
        ("one.py", 3, "The shapes {} do not fit together."),
        ("one.py", 9, "pass the missing argument"),
        ("two.py", 5, "The shapes {} do not fit together."),
        ("two.py", 7, "pass the missing argument"),
    ]
    assert in_several_places(texts, words=6) == {"The shapes {} do not fit together.": ["one.py:3", "two.py:5"]}


# Files whose texts a host without magics never shows: they are on runs of cells, on options of the magic, or code for a
# new cell.
OF_MAGIC_CELLS = (
    "/magic/",
    "typed/observed_cell.py",
    "build/times/timing_after_cell.py",
    "explain/loops/comparison_cell.py",
    "observe/outside_jit/sentences_on_recordings.py",
)


def test_a_text_that_names_a_magic_has_another_text_for_hosts_without_magics() -> None:
    files = {name for name, _, text in texts_of_kernel() if re.search(r"%%?jaxpr", text)}
    collected = [
        name
        for name in sorted(files)
        if not any(part in name for part in OF_MAGIC_CELLS) and "advice_without_magics" not in (ROOT / name).read_text()
    ]
    assert collected == []
