"""Tests that each kind of cure has a row in one of the tables, where a test applies the cure and runs the cell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import jupyter_jaxpr
from jupyter_jaxpr.explain.errors.message_tables.argument_messages import ARGUMENT_MESSAGES
from jupyter_jaxpr.explain.errors.message_tables.call_messages import CALL_MESSAGES
from jupyter_jaxpr.explain.errors.message_tables.device_messages import DEVICE_MESSAGES
from jupyter_jaxpr.explain.errors.message_tables.jax_messages import ARRAY_MESSAGES, MESSAGES
from jupyter_jaxpr.explain.errors.message_tables.lax_messages import LAX_MESSAGES
from jupyter_jaxpr.explain.errors.message_tables.numpy_messages import NUMPY_MESSAGES
from jupyter_jaxpr.explain.errors.message_tables.program_messages import PROGRAM_MESSAGES
from jupyter_jaxpr.explain.errors.message_tables.setting_messages import SETTING_MESSAGES
from jupyter_jaxpr.explain.loops.scan_and_vmap_code import Form
from jupyter_jaxpr.explain.note_cures.cures_of_notes import MAKERS as KINDS_OF_NOTES

pytestmark = pytest.mark.any_jax

TESTS = Path(__file__).parent
EXPLAIN = Path(jupyter_jaxpr.__file__).parent / "explain"
# The names of the functions that make a cure; each gets the name of the cure as an argument.
MAKERS = frozenset({"FoundCure", "_cure", "jit_with"})
TABLES = (
    *ARGUMENT_MESSAGES,
    *ARRAY_MESSAGES,
    *CALL_MESSAGES,
    *DEVICE_MESSAGES,
    *LAX_MESSAGES,
    *MESSAGES,
    *NUMPY_MESSAGES,
    *PROGRAM_MESSAGES,
    *SETTING_MESSAGES,
)
# The messages that no row can cause: they need several devices (test_errors_on_devices.py has some of them), or a tree
# that JAX itself builds.
NO_ROW = frozenset(
    {
        "Axis {axis} has {size} elements, which cannot be split evenly over {number_of_devices} devices",
        "in_shardings of jit says P({spec}), but the argument {argument} is split as P({present_spec})",
        "Axis {axis} of an argument has {size} elements, which cannot be split evenly over {number_of_devices} devices",
        "The arguments {first_argument} and {second_argument} of {function} are on different devices",
        "The arrays of the call are on different devices",
        "Two trees of the call have different structures",
    }
)


def table(name: str) -> str:
    return "\n".join(path.read_text() for path in sorted((TESTS / name).glob("*.txt")))


def kinds(room: str) -> Iterator[tuple[str, str]]:
    """Yield, for each call that makes a cure in this folder, its place and a pattern of the cure's name.

    A name may be a constant of the module. Calls with the name in another variable are left out.
    """
    for path in sorted((EXPLAIN / room).rglob("*.py")):
        module = ast.parse(path.read_text())
        constants = {ast.unparse(node.targets[0]): node.value for node in module.body if isinstance(node, ast.Assign)}
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and node.args:
                maker = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                name = node.args[3] if maker == "jit_with" and len(node.args) > 3 else node.args[0]
                name = constants.get(ast.unparse(name), name)
                if maker in MAKERS and isinstance(name, ast.Constant):
                    yield f"{path.name}, {ast.unparse(node)[:80]}", re.escape(str(name.value))
                elif maker in MAKERS and isinstance(name, ast.JoinedStr):
                    parts = [re.escape(str(e.value)) if isinstance(e, ast.Constant) else ".+" for e in name.values]
                    yield f"{path.name}, {ast.unparse(node)[:80]}", "".join(parts)


@pytest.mark.parametrize(("room", "name"), [("errors", "error_table"), ("misses", "miss_table")])
def test_every_kind_of_cure_has_a_row(room: str, name: str) -> None:
    names = set(re.findall(r"^ *cure: (.*) \(\w+\)$", table(name), re.MULTILINE))
    kinds_found = list(kinds(room))
    missing = [place for place, pattern in kinds_found if not any(re.fullmatch(pattern, name) for name in names)]
    assert kinds_found
    assert missing == []


def test_every_name_of_a_cure_of_a_miss_by_its_reasons_has_a_row() -> None:
    names = set(re.findall(r"^ *cure: (.*) \(\w+\)$", table("miss_table"), re.MULTILINE))
    assert {"arguments passed in the same way in every call", "one structure", "one type"} <= names


def test_every_message_has_a_row() -> None:
    titles = set(re.findall(r"^title: (.*)$", table("error_table"), re.MULTILINE))
    missing = set()
    for message in TABLES:
        pattern = re.sub(r"\\\{\w+\\\}", ".+", re.escape(message.title))
        if not any(re.fullmatch(pattern, title) for title in titles):
            missing.add(message.title)
    assert missing == NO_ROW


def test_every_form_of_a_rewritten_loop_has_a_row_that_applies() -> None:
    loops = re.findall(r"^code \(applies\):\n((?:    \|.*\n)+)", table("loop_table"), re.MULTILINE)
    errors = re.findall(r"^cure: .* \(applies\)\n((?:    \|.*\n)+)", table("error_table"), re.MULTILINE)
    text = "".join([*loops, *errors])
    assert [form for form in get_args(Form) if f".{form}(" not in text] == []


def test_every_kind_of_note_with_an_edit_has_a_row_that_applies() -> None:
    rows = re.findall(
        r"^note: (\w+), .*\n(?:advice: .*\n|    .*\n)*cure: .* \(applies\)$", table("note_table"), re.MULTILINE
    )
    assert set(rows) == set(KINDS_OF_NOTES)
