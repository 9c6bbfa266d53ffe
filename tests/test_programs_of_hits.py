"""Tests cells that only hit: the document has the programs that the calls ran."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Notebook

from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

DEFINE = """\
import functools
@jax.jit
def s(x):
    return x + 1
@functools.partial(jax.jit, static_argnames="n")
def power(x, n):
    return x * n if n < 3 else x - n
@functools.partial(jax.jit, donate_argnums=0)
def given(x):
    return x * 2
two, five = jnp.ones(2), jnp.ones(5)
for made in (two, five):
    s(made), given(made + 0)
power(two, n=2), power(two, n=4)
s(2.0), s(jnp.float32(2))
shapes = [two, five]
"""


def shown(ran: Any) -> list[str]:
    """Return the argument types and the origin of each program that is no recording."""
    return [
        " ".join(filter(None, [", ".join(a["type"] for a in own_program["arguments"]), own_program.get("how")]))
        for own_program in ran.own_programs
        if own_program["origin"] != "recorded"
    ]


@pytest.fixture
def ready(notebook: Notebook) -> Notebook:
    assert notebook.run("%%jaxpr\n" + DEFINE).result.success
    return notebook


CELLS = [
    ("y = s(two)\nprint(1)", ["f32[2]"]),
    ("for _ in range(3):\n    y = s(two)", ["f32[2]"]),
    ("with jax.default_device(None):\n    y = s(five)\nprint(1)", ["f32[5]"]),
    ("ys = [s(each) for each in shapes[:1]]\nprint(1)", ["f32[2]"]),
    ("ys = [s(each) for each in shapes]\nprint(1)", ["f32[2]", "f32[5]"]),
    ("ys = [s(each) for each in shapes[::-1]]\nprint(1)", ["f32[5]", "f32[2]"]),
    ("def go():\n    return s(two)\ngo()", ["f32[2]"]),
    ("try:\n    s(two)\nfinally:\n    print(1)", ["f32[2]"]),
    ("ys = list(map(s, [two]))\nprint(1)", ["f32[2]"]),
    ("for _ in range(3):\n    y = power(two, n=2)\nprint(1)", ["f32[2], 2"]),
    ("for _ in range(3):\n    y = given(two + 0)\nprint(1)", ["f32[2]"]),
    ("for _ in range(3):\n    y = s(2.0)\nprint(1)", ["f32[] weak"]),
    ("for _ in range(3):\n    y = s(jnp.float32(2))\nprint(1)", ["f32[]"]),
    ("y = s(jnp.ones(7))\nz = s(two)\nprint(1)", ["f32[7]", "f32[2]"]),
    ("z = s(two)\ny = s(jnp.ones(7))\nprint(1)", ["f32[2]", "f32[7]"]),
]


@pytest.mark.parametrize(("cell", "expected"), CELLS)
def test_the_programs_are_those_of_the_calls(ready: Notebook, cell: str, expected: list[str]) -> None:
    ran = ready.run("%%jaxpr\n" + cell)
    assert ran.result.success
    assert shown(ran) == expected


def test_hits_before_the_second_program_ran_the_first(notebook: Notebook) -> None:
    notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    return x + 1\nf(jnp.ones(2))")
    ran = notebook.run("%%jaxpr\nfor size in (2, 2, 3):\n    y = f(jnp.ones(size))\nprint(1)")
    assert shown(ran) == ["f32[2]", "f32[3]"]


def test_function_objects_of_one_line_each_show_theirs(notebook: Notebook) -> None:
    notebook.run("%%jaxpr\nfs = [jax.jit(lambda x: x + i) for i in range(3)]\nfor f in fs:\n    f(jnp.ones(4))")
    ran = notebook.run("%%jaxpr\nfor f in fs[:2]:\n    f(jnp.ones(4))\nprint(1)")
    assert shown(ran) == ["f32[4]", "f32[4]"]


def test_one_trace_compiled_for_two_placements_is_told_by_the_placement(ready: Notebook) -> None:
    ready.run("put = jax.device_put(two, jax.devices()[0])\ns(put)")
    ran = ready.run("%%jaxpr\nfor _ in range(3):\n    y = s(put)\nprint(1)")
    assert shown(ran) == ["f32[2]"]


CANDIDATE = (
    "It is unknown which program of f ran for 3 calls of this cell. This program is a candidate. From earlier "
    "compiles, jupyter_jaxpr knows 2 programs of f."
)


def test_where_jax_checks_for_nan_each_program_is_a_candidate(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef f(x):\n    return x + 1\nf(jnp.ones(2)), f(jnp.ones(5)); two = jnp.ones(2)")
    ran = notebook.run("%%jaxpr\nwith jax.debug_nans(True):\n    for _ in range(3):\n        y = f(two)\nprint(1)")
    if not HAS_MONITORING:  # on Python 3.11, calls are not counted while JAX checks for NaN
        assert shown(ran) == []
    else:
        assert shown(ran) == [
            "f32[2] one of 2 programs that may have run",
            "f32[5] one of 2 programs that may have run",
        ]
        assert [own_program["origin_note"] for own_program in ran.own_programs] == [CANDIDATE, CANDIDATE]


def test_a_program_of_a_cleared_entry_is_no_candidate(notebook: Notebook) -> None:
    notebook.run(
        "@jax.jit\ndef f(x):\n    return x - 1\ntwo, five = jnp.ones(2), jnp.ones(5)\n"
        "for _ in range(3):\n    f(two)\n    f.clear_cache()\nf(two), f(five)"
    )
    ran = notebook.run("%%jaxpr\nwith jax.debug_nans(True):\n    for _ in range(3):\n        y = f(two)\nprint(1)")
    if HAS_MONITORING:
        assert shown(ran) == [
            "f32[2] one of 2 programs that may have run",
            "f32[5] one of 2 programs that may have run",
        ]
        assert [own_program["origin_note"] for own_program in ran.own_programs] == [CANDIDATE, CANDIDATE]


def test_a_program_that_surely_ran_is_in_focus_before_candidates(notebook: Notebook) -> None:
    notebook.run(
        "import functools\nclass Mode:\n    def __init__(self, k): self.k = k\n    def __hash__(self): return 7\n"
        "    def __eq__(self, other): return type(other) is Mode and self.k == other.k\n"
        "class Other(Mode):\n    def __hash__(self): return 7\n"
        "    def __eq__(self, other): return type(other) is Other\n"
        "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, mode):\n    return x * mode.k\n"
        "two = jnp.ones(2)\nf(two, Mode(2)), f(two, Mode(3));"
    )
    document = notebook.run("%%jaxpr\ny = f(two, Other(4)), f(two, Other(4))").document
    in_focus = document["programs"][document["focus"]]
    assert (in_focus["origin"], in_focus["arguments"][1]["summary"]) == ("ran", "<Other>")


UNKNOWN = (
    "The cell called f and reused a program that JAX compiled before %load_ext jupyter_jaxpr, so the program is not "
    "known. Load the extension before the first call, or write %%jaxpr f(x)."
)
HELD = "JAX compiled this program before the extension was loaded, and holds the program for the cell's last call."
BEFORE = {
    "without the extension": "f(two);",
    "in a block": "import jupyter_jaxpr as jj\nwith jj.observe():\n    f(two)",
}


@pytest.mark.parametrize("before", BEFORE)
def test_a_program_of_other_types_is_not_taken_for_the_one_compiled_before_the_extension_came(
    notebook: Notebook, before: str
) -> None:
    notebook.run("%unload_ext jupyter_jaxpr")
    notebook.run(f"@jax.jit\ndef f(x):\n    return x + 1\ntwo, five = jnp.ones(2), jnp.ones(5)\n{BEFORE[before]}")
    notebook.run("%load_ext jupyter_jaxpr")
    notebook.run("f(five);")
    ran = notebook.run("%%jaxpr\nfor _ in range(3):\n    y = f(two)\nprint(1)")
    assert shown(ran) == []
    assert ran.document["message"] == UNKNOWN
    (function,) = [each for each in ran.document["ledger"]["functions"] if each["run"]["calls"]]
    assert function["run"]["hits"] == 3
    assert [entry["hits"] for entry in function["entries"] if entry["signature"] == "x: f32[5]"] == [None]
    ran = notebook.run("%%jaxpr\nfor _ in range(3):\n    y = f(five)\nprint(1)")
    assert shown(ran) == ["f32[5]"]
    ran = notebook.run("%%jaxpr\nf(two)")
    assert shown(ran) == ["f32[2]"]
    assert ran.own_programs[0]["origin_note"] == HELD


def test_a_program_of_equal_types_is_a_candidate(notebook: Notebook) -> None:
    """f was traced twice with equal types but different settings of JAX, and only the second trace was observed."""
    notebook.run("%unload_ext jupyter_jaxpr")
    notebook.run("@jax.jit\ndef f(x):\n    return x @ x\neye, five = jnp.eye(2), jnp.eye(5)\nf(eye);")
    notebook.run("%load_ext jupyter_jaxpr")
    notebook.run("with jax.default_matmul_precision('highest'):\n    f(eye), f(five)")
    ran = notebook.run("%%jaxpr\nfor _ in range(3):\n    y = f(eye)\nprint(1)")
    assert shown(ran) == ["f32[2,2] may be the program that ran"]
    assert ran.own_programs[0]["origin_note"] == (
        "It is unknown which program of f ran for 3 calls of this cell. This program is a candidate. From earlier "
        "compiles, jupyter_jaxpr knows 1 program of f with the argument types of these calls. JAX may hold more "
        "programs."
    )


def test_calls_that_come_too_fast_are_counted_in_the_note(ready: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_jaxpr.observe.calls import hit_programs

    monkeypatch.setattr(hit_programs, "_SHARE", 1e9)
    ran = ready.run("%%jaxpr\nfor _ in range(100):\n    y = s(two)\nprint(1)")
    assert shown(ran) == ["f32[2]"]
    assert ran.own_programs[0]["origin_note"] == (
        "JAX compiled the program earlier and reused the executable. jupyter_jaxpr did not look at the "
        "arguments of 68 calls of s, because the calls came too fast. These calls may have run another program of s."
    )


def test_jax_is_left_as_it_was(ready: Notebook) -> None:
    ready.run("%%jaxpr\nfor each in shapes:\n    s(each)\nprint(1)")
    assert ready.run("from jax._src import api\nprint(api._post_hook_state.value)").stdout == "None\n"


@pytest.mark.skipif(not HAS_MONITORING, reason="on Python 3.11 the hook counts the calls")
def test_a_block_that_shows_no_programs_looks_at_no_call(ready: Notebook) -> None:
    ran = ready.run(
        "import jupyter_jaxpr as jj\nfrom jax._src import api\nwith jj.observe():\n    y = s(two)\n"
        "    print(api._post_hook_state.value)"
    )
    assert ran.stdout == "None\n"


def test_a_slow_hit_of_a_program_that_an_earlier_call_compiled(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n"
        "from jax.sharding import Mesh, NamedSharding, PartitionSpec as P\n"
        "mesh = Mesh(jax.devices()[:1], ('rows',))\n"
        "g = jax.jit(lambda x: x * 3)\n"
        "for spec in (P('rows'), P()):\n"
        "    y = g(jax.device_put(jnp.ones((4, 2)), NamedSharding(mesh, spec)))\n"
        "print(1)"
    )
    assert shown(ran) == ["f32[4,2]", "f32[4,2] compiled earlier"]
    ran = notebook.run("%%jaxpr\nh = jax.jit(lambda x: x * 4)\nh.lower(2.0).compile()\ny = h(2.0)\nprint(1)")
    assert shown(ran) == ["f32[] weak compiled before a call ran it"]
