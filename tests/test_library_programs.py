"""Tests the programs that libraries jitted: their own group in the list of programs, and the line that called each."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.exports.html_of_saved_output import fragment
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.terminal_text import plain

pytestmark = pytest.mark.any_jax

JITTED = "jax.clear_caches()\n@jax.jit\ndef f(x):\n    return x + 1\nx = jnp.ones(3)"


def libraries(ran: Ran) -> list[tuple[str, str | None, int]]:
    """Return the name, the origin and the line of the call, for each program of a library."""
    programs = [program for program in ran.document["programs"] if program.get("library")]
    frames = ran.document["frames"]
    return [(output["name"], output["how"], frames[output["call"]][2]) for output in programs]


def test_they_stand_behind_the_users_program_with_the_line_that_called_them(notebook: Notebook) -> None:
    notebook.run(JITTED)
    ran = notebook.run("%%jaxpr\ny = f(x)\nz = jnp.linspace(0, 1, 7)\nfor n in (4, 9):\n    jnp.sort(jnp.zeros(n))")
    assert ran.programs == ["ran f(x: f32[3]) -> f32[3]: add"]
    assert ran.document["focus"] == 0
    assert libraries(ran) == [
        ("_linspace", "jitted by jax, line 3", 3),
        ("broadcast_in_dim", "jitted by jax, line 5", 5),
        ("sort", "jitted by jax, line 5", 5),
        ("broadcast_in_dim", "jitted by jax, line 5", 5),
        ("sort", "jitted by jax, line 5", 5),
    ]
    called = [function["name"] for function in ran.document["ledger"]["functions"] if function["run"]["calls"]]
    assert called == ["f"]


def test_their_texts_and_times_are_those_of_jax(notebook: Notebook) -> None:
    notebook.run(JITTED)
    ran = notebook.run("%%jaxpr\nz = jnp.linspace(0, 1, 7)\ny = f(x)")
    program = next(program for program in ran.document["programs"] if program.get("library"))
    assert [level["state"] for level in program["levels"]] == ["on_request", "on_request"]
    assert [name for name, seconds in program["stages"].items() if seconds] == ["trace", "lower", "compile"]


def test_a_program_that_jax_had_already_is_none_of_this_cell(notebook: Notebook) -> None:
    notebook.run(JITTED)
    cell = "%%jaxpr\ny = f(x)\nz = jnp.linspace(0, 1, 7)"
    assert libraries(notebook.run(cell)) == [("_linspace", "jitted by jax, line 3", 3)]
    assert libraries(notebook.run(cell)) == []
    longer = "%%jaxpr\ny = f(x)\nz = jnp.linspace(0, 1, 8)"
    assert libraries(notebook.run(longer)) == [("_linspace", "jitted by jax, line 3", 3)]


@pytest.mark.parametrize(
    "cell",
    [
        "@jax.jit\ndef g(v):\n    return jnp.sort(jnp.linspace(0, 1, 6)) + v.sum()\ng(x)",
        "jax.make_jaxpr(lambda v: jnp.sort(v))(x)",
        "def g(v):\n    return jnp.sort(v) + jnp.linspace(0, 1, 3)\ny = g(x)",
    ],
    ids=["within jit", "within a trace", "within a recording"],
)
def test_what_another_program_holds_is_not_shown_twice(notebook: Notebook, cell: str) -> None:
    notebook.run("jax.clear_caches()\nx = jnp.ones(3)")
    assert libraries(notebook.run(f"%%jaxpr\n{cell}")) == []


def test_of_a_recorded_cell_none_is_shown_twice(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\nz = [jnp.sort(jnp.linspace(0, 1, n)) for n in (4, 5)]")
    assert (ran.programs[0].split("(")[0], libraries(ran)) == ("recorded cell [2]", [])


def test_a_packages_own_function(notebook: Notebook, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages"
    package.mkdir()
    (package / "lovely.py").write_text(
        "import jax\n@jax.jit\ndef scaled(x):\n    return x * 2\ndef twice(x):\n    return scaled(scaled(x))\n"
    )
    monkeypatch.syspath_prepend(str(package))
    notebook.run(JITTED + "\nimport lovely")
    ran = notebook.run("%%jaxpr\nfor _ in range(3):\n    lovely.twice(x)\nf(x)")
    assert libraries(ran) == [("scaled", "jitted by lovely, line 3", 3)]


def test_under_a_transform_outside_of_jit_jax_derives_them(notebook: Notebook) -> None:
    notebook.run(JITTED)
    ran = notebook.run(
        "%%jaxpr\ndef slopes():\n    return jax.grad(lambda v: jnp.linalg.norm(v) + v[0])(x)\nslopes()\nf(x)"
    )
    derived = [
        program for program in ran.document["programs"] if program.get("library") and program["origin"] == "derived"
    ]
    assert "norm" in [function["name"] for function in derived]
    assert {function["how"] for function in derived} == {"jitted by a library, line 3"}
    assert ran.notes == ["eager_compiles"]


def test_of_many_each_has_its_stages_and_no_compile_is_lost(notebook: Notebook) -> None:
    """Even if many programs are compiled, each gets its stage times; JAX's events are kept until a call takes them."""
    notebook.run(JITTED)
    ran = notebook.run("%%jaxpr\nf(x)\nfor n in range(50):\n    jnp.zeros(n + 140)\n    jax.make_jaxpr(lambda v: v)(x)")
    programs = [program for program in ran.document["programs"] if program.get("library")]
    for program in programs:
        assert [name for name, seconds in program["stages"].items() if seconds] == ["trace", "lower", "compile"]
    assert ran.note("eager_compiles")["text"].startswith("JAX compiled 50 small programs in ")


def test_one_is_put_into_view_by_its_name(notebook: Notebook) -> None:
    notebook.run(JITTED)
    ran = notebook.run("%%jaxpr --focus _linspace\nf(x)\nz = jnp.linspace(0, 1, 7)")
    assert ran.document["programs"][ran.document["focus"]]["name"] == "_linspace"


def test_of_very_many_the_first_are_shown_and_the_others_counted(notebook: Notebook) -> None:
    notebook.run(JITTED)
    ran = notebook.run("%%jaxpr\nf(x)\nfor n in range(30):\n    jnp.zeros(n + 40)")
    assert len(libraries(ran)) == 20
    assert ran.note("library_programs")["text"] == (
        "Libraries jitted 10 more programs in this run. The list of programs holds the first 20."
    )


def test_exports_leave_them_to_the_panel(notebook: Notebook) -> None:
    notebook.run(JITTED)
    document = read(notebook.run("%%jaxpr\nf(x)\nz = jnp.linspace(0, 1, 7)").document)
    sentence = "The panel shows 1 more program, which libraries jitted"
    for text in (markdown(document), fragment(document, characters=4_000), page(document)):
        assert sentence in text
        assert "linspace (" not in text
    assert "more program" not in plain(document)


def test_the_programs_of_libraries_are_counted_nowhere_else(notebook: Notebook) -> None:
    notebook.run(JITTED)
    ran = notebook.run("%%jaxpr\nf(x)\nz = jnp.linspace(0, 1, 11)")
    (function,) = [function for function in ran.document["ledger"]["functions"] if function["run"]["calls"]]
    assert (function["name"], function["run"]["misses"]) == ("f", 1)
    assert [cost["program"] for cost in ran.document["costs"]] == [0]
