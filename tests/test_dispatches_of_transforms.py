"""Tests functions under a transform without jit: their programs have the function's name, and state the transform."""

from __future__ import annotations

import math
from functools import partial

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.magic import trace_of_last_call
from jupyter_jaxpr.magic.cells_without_program import WHAT_TO_TYPE
from jupyter_jaxpr.observe.outside_jit import dispatch_recording, recorded_calls, recording_limits

DEFINED = """\
def wave(t):
    return jnp.sin(t) * t
def energy(w, q):
    return jnp.sum(jnp.tanh(w * q))
w = jnp.arange(8.0)
"""


@pytest.fixture(autouse=True)
def no_recording_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the time limit of recordings, which a busy machine may exceed."""
    monkeypatch.setattr(recorded_calls, "Recording", partial(dispatch_recording.Recording, seconds=math.inf))
    monkeypatch.setattr(recording_limits, "FIRST_SECONDS", math.inf)
    monkeypatch.setattr(trace_of_last_call, "_SLOW_CALL", math.inf)


@pytest.fixture
def physics(notebook: Notebook) -> Notebook:
    """Return a notebook with the functions in DEFINED, which are not jitted."""
    notebook.run(DEFINED)
    return notebook


def shown(ran: Ran) -> list[tuple[str, str]]:
    return [(program["name"], program["how"]) for program in ran.own_programs]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("jax.vmap(wave)(x)", [("wave", "as jit would trace vmap"), ("wave", "recorded as it ran under vmap")]),
        (
            "jax.checkpoint(wave)(2.0)",
            [("wave", "as jit would trace checkpoint"), ("wave", "recorded as it ran under checkpoint")],
        ),
        (
            "jax.grad(energy)(w, x)",
            [("energy", "as jit would trace grad"), ("energy", "recorded as it ran under grad")],
        ),
        (
            "slope = jax.value_and_grad(energy)\nv, dw = slope(w, x)\nprint(v)",
            [("energy", "as jit would trace value_and_grad"), ("energy", "recorded as it ran under value_and_grad")],
        ),
        (
            "jax.vmap(jax.grad(wave))(x)",
            [("wave", "as jit would trace vmap(grad)"), ("wave", "recorded as it ran under vmap(grad)")],
        ),
        (
            "jax.jvp(wave, (2.0,), (1.0,))",
            [("wave", "as jit would trace jvp"), ("wave", "recorded as it ran under jvp")],
        ),
        ("y, dy = jax.jvp(jax.vmap(wave), (x,), (x,))", [("wave", "recorded as it ran under jvp(vmap)")]),
        ("y, pull = jax.vjp(wave, 2.0)", [("wave", "recorded as it ran under vjp forward")]),
        (
            "y, pull = jax.vjp(wave, 2.0)\npull(1.0)",
            [
                ("wave", "recorded as it ran under vjp forward"),
                ("wave", "as jit would trace vjp backward"),
                ("wave", "recorded as it ran under vjp backward"),
            ],
        ),
        (
            "y, along = jax.linearize(wave, 2.0)\nalong(1.0)",
            [
                ("wave", "recorded as it ran under linearize"),
                ("wave", "as jit would trace linear part"),
                ("wave", "recorded as it ran under linear part"),
            ],
        ),
        (
            "back = jax.linear_transpose(lambda t: 3 * t, x)\nback(x)",
            [
                ("<lambda>", "as jit would trace linear_transpose"),
                ("<lambda>", "recorded as it ran under linear_transpose"),
            ],
        ),
        ("for _ in range(3):\n    w = w - 0.1 * jax.grad(energy)(w, x)", [("energy", "recorded as it ran under grad")]),
        (
            "@jax.vmap\ndef ripple(t):\n    return jnp.cos(t)\nif True:\n    y = ripple(x)",
            [("ripple", "recorded as it ran under vmap")],
        ),
        ("g = jax.grad(lambda t: wave(t).sum())(x)\ntotal = 1", [("<lambda>", "recorded as it ran under grad")]),
    ],
)
def test_a_function_under_a_transform_has_its_name_and_how_it_ran(
    physics: Notebook, cell: str, expected: list[tuple[str, str]]
) -> None:
    ran = physics.run(f"%%jaxpr\n{cell}")
    assert ran.result.success
    assert shown(ran) == expected


def test_the_forward_and_the_backward_pass_are_two_programs_of_one_function(physics: Notebook) -> None:
    ran = physics.run("%%jaxpr --no-trace\nvalue, pull = jax.vjp(wave, 2.0)\n(slope,) = pull(1.0)")
    forward, backward = ran.own_programs
    assert (forward["name"], forward["definition"]) == (backward["name"], backward["definition"])
    assert [ran.document["frames"][program["call"]][2] for program in (forward, backward)] == [2, 3]
    assert " for the call jax.vjp(wave, 2.0): 2 dispatches," in forward["origin_note"]
    assert " for the call pull(1.0): " in backward["origin_note"]


def test_of_a_loop_the_first_call_is_recorded_and_the_others_are_counted(physics: Notebook) -> None:
    ran = physics.run("%%jaxpr\nfor _ in range(25):\n    w = w - 0.1 * jax.grad(energy)(w, x)")
    (program,) = ran.own_programs
    assert program["origin_note"].endswith("The cell made this call 25 times; the recording is of the first call.")
    assert ran.document["message"] is None


def test_a_call_above_the_last_statement_stands_before_a_loop_that_ran_later(physics: Notebook) -> None:
    lines = [
        "def add(c, v): return c + v, c",
        "first = lax.scan(add, 0.0, x)",
        "out, back = jax.vjp(wave, x)",
        "second = lax.map(wave, x)",
        "jax.grad(energy)(w, x)",
    ]
    assert shown(physics.run("%%jaxpr --no-trace\n" + "\n".join(lines))) == [
        ("scan(add)", "ran as an eager scan"),
        ("wave", "recorded as it ran under vjp forward"),
        ("map(wave)", "ran as an eager map"),
        ("energy", "recorded as it ran under grad"),
    ]


def test_the_trace_of_a_backward_pass_does_not_say_that_the_python_of_the_function_ran(physics: Notebook) -> None:
    ran = physics.run("%%jaxpr\nvalue, pull = jax.vjp(wave, 2.0)\npull(1.0)")
    (traced,) = (program for program in ran.own_programs if program["origin"] == "traced")
    assert traced["origin_note"] == (
        "jupyter_jaxpr traced this program: the cell made the call pull(1.0) without jit. The call ran a function "
        "that JAX derived from wave, and JAX ran this function operation by operation. For the trace, JAX ran this "
        "function a second time, with tracers in place of arrays."
    )


@pytest.mark.parametrize(
    "cell",
    [
        "def later():\n    return jax.grad(energy)(w, x)",
        "later = lambda: jax.vmap(wave)(x)",
        "class Later:\n    def go(self):\n        return jax.vjp(wave, 2.0)",
    ],
)
def test_a_function_that_a_cell_defines_stays_the_users_own(physics: Notebook, cell: str) -> None:
    ran = physics.run(f"%%jaxpr\n{cell}")
    assert ran.result.success
    assert ran.shown == [] or ran.own_programs == []
    physics.run("import types\nfound = later if 'later' in dir() else Later.go")
    assert "__import__" not in physics["found"].__code__.co_names


def test_functions_with_the_names_of_transforms_are_called_once(physics: Notebook) -> None:
    ran = physics.run("%%jaxpr\ncalls = []\ndef vjp(f, v):\n    calls.append(v)\n    return v\ny = vjp(1, 2)\nz = 3")
    assert ran.result.success
    assert physics["calls"] == [2]


@pytest.mark.parametrize(
    "last",
    ["print(y)", "print(y.shape, y)", "y", "f'{y}'", "y, y[0]", "print(y)\nprint(-y)", "y.sum()", "print(y.mean())"],
)
def test_a_cell_that_ends_by_showing_a_value_ends_with_the_call_that_made_it(physics: Notebook, last: str) -> None:
    ran = physics.run(f"%%jaxpr\ny = wave(x)\n{last}")
    assert shown(ran) == [("wave", "as jit would trace it"), ("wave", "recorded as it ran")]


@pytest.mark.parametrize("last", ["print(w)", "print(next(iter([1])))", "y = y + 1", "del y"])
def test_a_cell_that_ends_with_more_than_a_value_does_not(physics: Notebook, last: str) -> None:
    ran = physics.run(f"%%jaxpr\ny = wave(x)\n{last}")
    assert [program["name"] for program in ran.own_programs] == ["cell [3]"]


@pytest.mark.parametrize("within", ["z = lax.sin(x)", "z = jax.grad(lambda t: wave(t).sum())(x)"])
def test_where_jax_checks_for_nan_nothing_is_recorded_and_the_cell_ran_all_the_same(
    physics: Notebook, within: str
) -> None:
    physics.run(within)  # the first run compiles everything, so the second run compiles nothing
    ran = physics.run(f"%%jaxpr\nwith jax.debug_nans(True):\n    {within}")
    assert ran.own_programs == []
    assert ran.document["message"] == (
        f"The cell called no jitted function of yours. {WHAT_TO_TYPE} While JAX checks each result for NaN "
        "(jax_debug_nans), jupyter_jaxpr records nothing of what runs."
    )


@pytest.mark.parametrize(
    ("call", "name", "transform"),
    [
        ("eqx.filter_vmap(layer)(rows)", "Linear", "filter_vmap"),
        ("eqx.filter_grad(cost)(layer)", "cost", "filter_grad"),
        ("eqx.filter_vmap(eqx.filter_value_and_grad(jax.checkpoint(power)))(x)", "power", None),
    ],
)
def test_a_transform_of_equinox_stands_beside_the_function(notebook: Notebook, call, name, transform) -> None:
    pytest.importorskip("equinox")
    notebook.run(
        "import equinox as eqx\nlayer = eqx.nn.Linear(2, 1, key=jax.random.key(0))\nrows = jnp.ones((4, 2))\n"
        "def cost(m):\n    return m(jnp.ones(2)).sum()\ndef power(v):\n    return v ** 3"
    )
    ran = notebook.run(f"%%jaxpr\n{call}")
    assert ran.result.success
    transform = transform or "filter_vmap(filter_value_and_grad(checkpoint))"
    shown = [(program["name"], program["how"]) for program in ran.own_programs]
    assert shown[0] == (name, f"as jit would trace {transform}")
    # a call inside of a library is not recorded
    assert shown[1:] in ([], [(name, f"recorded as it ran under {transform}")])
