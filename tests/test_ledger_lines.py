"""Tests the calls, hits and compiles of each line of a cell, as its gutter shows them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache import history_of_all_functions, history_of_one_function
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING


def lines(ran: Ran) -> list[tuple[int, str, str, int]]:
    """Return (line, calls, hits, compiles) for each line, with counts as the panel shows them."""
    ledger_lines = ran.document["ledger"]["lines"]
    return [
        (
            line["line"],
            shown(line["calls"], line["calls_exact"]),
            shown(line["hits"], line["calls_exact"]),
            line["compiles"],
        )
        for line in ledger_lines
    ]


def shown(count: int | None, exact: bool) -> str:
    return "unknown" if count is None else f"{'' if exact else '≥'}{count}"


def sure(*expected: tuple[int, int, int, int]) -> list[tuple[int, str, str, int]]:
    """Return the expected rows, for lines whose calls are all seen; on Python 3.11 the counts have the sign ≥."""
    bound = "" if HAS_MONITORING else "≥"
    return [(line, f"{bound}{calls}", f"{bound}{hits}", compiles) for line, calls, hits, compiles in expected]


def test_a_loop_of_calls(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(y):\n    return y + 1\n"
        "f(x)\nfor _ in range(20):\n    y = f(x)\nf(x[:4])\nf(\n    x[:4],\n)"
    )
    assert lines(ran) == sure((5, 1, 0, 1), (7, 20, 20, 0), (8, 1, 0, 1), (9, 1, 1, 0))


def test_two_calls_at_one_line(notebook: Notebook) -> None:
    notebook.run("f, g = jax.jit(lambda y: y + 1), jax.jit(lambda y: y - 1)\nf(x)")
    ran = notebook.run("%%jaxpr\nf(x), g(x), f(x)\n[f(g(x)) for _ in range(3)]")
    assert lines(ran) == sure((2, 3, 2, 1), (3, 6, 6, 0))


def test_a_cell_that_only_hits(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef f(y):\n    return y + 1\nf(x)")
    assert lines(notebook.run("%%jaxpr\nfor _ in range(1000):\n    f(x)")) == sure((3, 1000, 1000, 0))


@pytest.mark.any_jax
def test_a_line_that_makes_a_new_function_each_time(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line has more misses than the ledger keeps as single misses, but its counts are exact."""
    monkeypatch.setattr(
        history_of_one_function, "EVENTS_PER_FUNCTION", history_of_one_function.EVENTS_PER_FUNCTION // 8
    )
    monkeypatch.setattr(history_of_all_functions, "ENDED", history_of_all_functions.ENDED // 8)
    ran = notebook.run("%%jaxpr\nfor k in range(75):\n    jax.jit(lambda y: y + 1)(x)")
    assert lines(ran) == sure((3, 75, 0, 75))


def test_calls_in_functions_and_classes_of_the_cell_stand_at_their_own_line(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nclass Model:\n    step = jax.jit(lambda self, y: y + 1, static_argnums=0)\n"
        "    def run(self, n):\n        for _ in range(n):\n            self.step(x)\nModel().run(3)"
    )
    assert lines(ran) == sure((6, 3, 2, 1))


def test_a_call_within_a_trace_is_a_call_and_no_hit(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef inner(y):\n    return y + 1\n"
        "@jax.jit\ndef outer(y):\n    return inner(inner(y))\nouter(x)"
    )
    assert lines(ran) == sure((7, 2, 0, 0), (8, 1, 0, 1))
    inner, outer = ran.document["ledger"]["functions"][1::-1]
    assert [function["run"]["calls"] for function in (inner, outer)] == [2, 1]


def test_lines_of_another_cell_or_file_are_not_of_this_one(notebook: Notebook, tmp_path: Any) -> None:
    (tmp_path / "module.py").write_text("def thrice(f, x):\n    return f(f(f(x)))\n")
    notebook.run(
        f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom module import thrice\n"
        "@jax.jit\ndef f(y):\n    return y + 1"
    )
    notebook.run("%%jaxpr\n\n\n\n\ndef earlier():\n    f(x)\n    f(x)\nearlier()")
    ran = notebook.run("%%jaxpr\nearlier()\nthrice(f, x)\nf(x)")
    assert lines(ran) == sure((4, 1, 1, 0))


def test_calls_that_raise_are_no_hits(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(y):\n    if y.ndim > 1: raise TypeError\n    return y + 1\n"
        "for y in (x, x, x[None], x[None]):\n    try:\n        f(y)\n    except TypeError:\n        pass"
    )
    assert lines(ran) == sure((8, 4, 1, 1))


@pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not know of calls that raise before JAX has seen them")
def test_calls_that_raise_before_jax_looks_for_an_entry_are_no_hits(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nf = jax.jit(lambda y, n: y, static_argnums=1)\nf(x, 1)\n"
        "for n in (1, [], 1):\n    try:\n        f(x, n)\n    except ValueError:\n        pass"
    )
    assert lines(ran) == sure((3, 1, 0, 1), (6, 3, 2, 0))


def test_dispatch_without_a_fast_path_is_a_hit(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(y):\n    jax.debug.callback(lambda: None)\n    return y\nfor _ in range(5):\n    f(x)"
    )
    assert lines(ran) == sure((7, 5, 4, 1))


@pytest.mark.parametrize(
    "statement", ["list(map(f, [x] * 4))", "functools.reduce(f2, [x] * 5)", "list(filter(f, x[1:5]))"]
)
def test_calls_that_c_code_makes_are_a_lower_bound(notebook: Notebook, statement: str) -> None:
    """All calls of f by C code hit. From Python 3.12 on, none of them is seen; on 3.11 JAX reports each hit."""
    notebook.run(
        "import functools\nf, f2 = jax.jit(lambda y: y + 1), jax.jit(lambda y, z: y + z)\nf(x), f2(x, x), f(x[0])"
    )
    ran = notebook.run(f"%%jaxpr\nf(x)\n{statement}\nf(x)")
    if HAS_MONITORING:
        assert lines(ran) == [(2, "1", "1", 0), (3, "≥0", "≥0", 0), (4, "1", "1", 0)]
    else:
        assert lines(ran) == [(2, "≥1", "≥1", 0), (3, "≥4", "≥4", 0), (4, "≥1", "≥1", 0)]
    name = "f2" if "f2" in statement else "f"
    with observe() as ledger:
        exec(statement, notebook.shell.user_ns)
        notebook[name](*[notebook["x"]] * len(name))
    # Python 3.11 does not count calls outside of a cell.
    assert [(function.calls, function.calls_exact) for function in ledger.functions] == [
        (1 if HAS_MONITORING else None, False)
    ]


def test_what_only_looks_at_a_function_makes_no_count_uncertain(notebook: Notebook) -> None:
    notebook.run("f = jax.jit(lambda y: y + 1)")
    ran = notebook.run("%%jaxpr\nf(x)\nrepr(f), id(f), isinstance(f, type), callable(f), hash(f), [].append(f), {f: 1}")
    assert lines(ran) == sure((2, 1, 0, 1))


def test_calls_through_a_library_stand_at_the_users_line(notebook: Notebook) -> None:
    equinox = pytest.importorskip("equinox")
    notebook.shell.user_ns["eqx"] = equinox
    notebook.run(
        "@eqx.filter_jit\ndef step(y, flag):\n    return y + 1\n@eqx.filter_jit\ndef other(y):\n    return y - 1"
    )
    ran = notebook.run(
        "%%jaxpr\nfor _ in range(5):\n    step(x, True)\nother(x)\nother(x), step(x, True), other(x)\n"
        "jax.tree.map(jax.jit(lambda y: y * 2), [x, x, x])"
    )
    assert lines(ran) == sure((3, 5, 4, 1), (4, 1, 0, 1), (5, 3, 3, 0), (6, 3, 2, 1))


def test_jaxs_own_functions_are_not_counted(notebook: Notebook) -> None:
    notebook.run("f = jax.jit(lambda y: y + 1)\nf(x)")
    ran = notebook.run("%%jaxpr\nfor _ in range(3):\n    y = jnp.sin(f(x)).sum() + jnp.where(x > 1, x, 0).mean()")
    assert lines(ran) == sure((3, 3, 3, 0))


def test_programs_that_jax_derives_are_compiled_by_the_line_that_asked(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\n@jax.jit\ndef f(y):\n    return (y * y).sum()\njax.grad(f)(x)\njax.grad(f)(x)")
    function = ran.document["ledger"]["functions"][0]
    per_line = {line: compiles for line, _, _, compiles in lines(ran)}
    assert per_line == {5: function["run"]["compiles"], 6: 0}


@pytest.mark.parametrize("magic", ["%%time", "%%capture"])
def test_lines_below_another_magic(notebook: Notebook, magic: str) -> None:
    notebook.run("f = jax.jit(lambda y: y + 1)")
    ran = notebook.run(f"%%jaxpr\n{magic}\n\nf(x)\nfor _ in range(3):\n    f(x)")
    by_name = {(line, compiles) for line, _, _, compiles in lines(ran)}
    assert (4, 1) in by_name
    if HAS_MONITORING:
        assert lines(ran) == sure((4, 1, 0, 1), (6, 3, 3, 0))


def test_top_level_await(notebook: Notebook) -> None:
    notebook.run(
        "f = jax.jit(lambda y: y + 1)\nf(x)\nimport asyncio\nasync def step():\n    await asyncio.sleep(0)\n    f(x)"
    )
    ran = notebook.run("%%jaxpr\nawait asyncio.gather(step(), step())\nf(x)")
    assert lines(ran) == sure((3, 1, 1, 0))


def test_jax_imported_by_the_cell_itself(kernel_documents: Any) -> None:
    (document,) = kernel_documents(
        "%%jaxpr\nimport jax\nf = jax.jit(lambda y: y + 1)\nf(1.0)\nfor _ in range(4):\n    f(1.0)"
    )
    assert document["ledger"] is not None, json.dumps(document["notes"])
    rows = [(line["line"], line["calls"], line["hits"], line["compiles"]) for line in document["ledger"]["lines"]]
    assert rows == [(4, 1, 0, 1), (6, 4, 4, 0)]


def test_the_sum_over_the_lines_is_that_of_the_functions(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nf = jax.jit(lambda y: y + 1)\ng = jax.jit(lambda y: f(y) * 2)\n"
        "for n in (2, 3, 2, 3, 2):\n    f(x[:n])\n    g(x[:n])\n    g(x); f(x)"
    )
    ledger = ran.document["ledger"]
    for count in ("calls", "hits", "compiles"):
        total = sum(line[count] for line in ledger["lines"])
        assert total == sum(function["run"][count] or 0 for function in ledger["functions"])


def test_a_call_while_jit_is_disabled_is_no_hit(notebook: Notebook) -> None:
    cell = (
        "%%jaxpr --no-trace\n@jax.jit\ndef f(x):\n    return x + 1\n\nf(x)\n"
        "with jax.disable_jit():\n    f(x)\n    f(x)\nf(x);"
    )
    (function,) = [
        function for function in notebook.run(cell).document["ledger"]["functions"] if function["run"]["misses"]
    ]
    assert (function["run"]["calls"], function["run"]["hits"], function["run"]["compiles"]) == (2, 1, 1)
