"""Prints random texts from those that users see; a reader who has not seen the code then says what each one means.

    python tests/sentences.py                 sixty, with the seed that chose them
    python tests/sentences.py --seed 7        the sixty of a seed
    python tests/sentences.py --all           all of them, with file and line

Half of the texts are the panel's, in `trans.__` and `trans._n`, and half the kernel's: strings of three words and more
that are no docstring, no schema description, no pattern, no message of JAX's that the code looks for, no key of a table
and no code. A shorter string of the kernel is a name or a part of a sentence that is in the list as a whole.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Files with other strings: descriptions for the schema, checks of documents, code that is written for the user, the
#: reasons why the package uses a private name of JAX, and code that the schema writes.
NOT_READ = (
    "document/types/",
    "document/check/",
    "jax/private_names.py",
    "wire/schema_and_typescript.py",
    "jupyter_jaxpr/schema.py",
    "/lessons/",
    "labextension/",
)
#: Calls whose strings are descriptions for the schema, or errors that only developers read.
_NOT_READ_CALLS = ("_text", "described", "TypeError", "AssertionError")
_CALL = re.compile(r"\b_?trans\s*\.\s*(?:__|_n)\(\s*('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
#: Matches strings of code: a Python statement, or a line that JAX or XLA writes.
_CODE = re.compile(r"^\s*(?:#|def |return |import |from \w+ import|[\w.{}]+ = )|^-- ")
_PATTERN = re.compile(r"[\\^$|]|\?P<|\[\^|^<|^[a-z_0-9 ]{60,}$")


def of_panel() -> Iterator[tuple[str, int, str]]:
    """Yield the file, line and text of each translated string."""
    for path in sorted((ROOT / "src").rglob("*.ts*")):
        if "__tests__" not in path.parts:
            text = path.read_text()
            for call in _CALL.finditer(text):
                yield (
                    str(path.relative_to(ROOT)),
                    text.count("\n", 0, call.start()) + 1,
                    ast.literal_eval(call[1]),
                )


def of_kernel() -> Iterator[tuple[str, int, str]]:
    """Yield the file, line and text of each string of the package that reads like words."""
    for path in sorted((ROOT / "jupyter_jaxpr").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if not any(part in name for part in NOT_READ):
            for line, text in _strings(ast.parse(path.read_text())):
                if _reads_like_words(text):
                    yield name, line, text


def _reads_like_words(text: str) -> bool:
    words = re.findall(r"(?<![\w.(=/-])[A-Za-z]{2,}(?![\w(=/-]|\.\w)", re.sub(r"\{.*?\}", "", text))
    return len(words) >= 3 and " " in text and not _PATTERN.search(text) and not _CODE.search(text)


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _NOT_READ_CALLS:
            # these strings are descriptions for the schema, or errors that only developers read
            skipped.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.Call) and _takes_a_pattern(node.func) and node.args:
            # these strings are parts of JAX's messages, which the code looks for
            skipped.update(map(id, ast.walk(node.args[0])))
        elif isinstance(node, ast.Compare | ast.MatchValue):
            skipped.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.Dict):
            skipped.update(map(id, filter(None, node.keys)))
        elif isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal":
            skipped.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.Attribute) and node.attr == "split" and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))  # names in a row
        elif isinstance(node, ast.JoinedStr) and id(node) not in skipped:
            skipped.update(map(id, ast.walk(node)))
            yield node.lineno, "".join(_part(value) for value in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def _takes_a_pattern(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return getattr(function.value, "id", "") == "re" or function.attr in ("startswith", "endswith")
    return getattr(function, "id", "") == "Message"


def _part(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return str(value.value)
    assert isinstance(value, ast.FormattedValue)
    return "{" + ast.unparse(value.value) + "}"


def main() -> None:
    """Print the texts that the command line asks for."""
    parser = argparse.ArgumentParser(description="Choose texts that users read.")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--all", action="store_true", help="print all of them, with file and line")
    options = parser.parse_args()
    panel, kernel = list(of_panel()), list(of_kernel())
    if options.all:
        print("\n".join(f"{file}:{line}: {text}" for file, line, text in [*panel, *kernel]))
        return
    chosen = random.Random(options.seed)
    half = options.count // 2
    print(f"seed {options.seed}; {len(panel)} texts of the panel, {len(kernel)} of the kernel")
    texts = [*chosen.sample(panel, half), *chosen.sample(kernel, options.count - half)]
    print("\n".join(f"{number}. {text}" for number, (_, _, text) in enumerate(texts, 1)))


if __name__ == "__main__":
    main()
