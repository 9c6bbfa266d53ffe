"""Tests the request to compare programs of a run: which programs run, on which values, and why a program does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Notebook

from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered, Refused, Reply

pytestmark = pytest.mark.any_jax

Ask = Callable[..., Reply]

LOOPS = """%%jaxpr
@jax.jit
def scanned(x):
    return lax.scan(lambda c, _: (jnp.sin(c), None), x, length=20)[0]

@jax.jit
def whiled(x):
    return lax.while_loop(lambda c: c[1] < 20, lambda c: (jnp.sin(c[0]), c[1] + 1), (x, 0))[0]

@jax.jit
def shorter(x):
    return x[:2]

a = scanned(x)
b = whiled(x)
c = shorter(x[:4])
"""


@pytest.fixture
def ask_after(notebook: Notebook) -> Callable[[str], Ask]:
    """Return a function that runs a cell and returns a function that asks to compare its programs."""
    from jupyter_jaxpr.magic.cell_observer import CellObserver

    runs = Runs()
    answers = Answers(runs)
    run_ids: list[str] = []

    def keep(built: Any) -> None:
        runs.keep(built)
        run_ids.append(built.document.id)

    def after(cell: str) -> Ask:
        CellObserver.of(notebook.shell).publisher.publish = keep  # type: ignore[method-assign]  # a shell has no front end
        notebook.run(cell)

        def ask(*programs: int, confirmed: bool = False) -> Reply:
            reply = answers.answer(
                {
                    "type": "compare",
                    "id": 11,
                    "snapshot": run_ids[-1],
                    "programs": list(programs),
                    "confirmed": confirmed,
                }
            )
            assert reply is not None
            return reply

        return ask

    return after


def test_programs_run_on_the_values_of_the_first_ones_call(ask_after: Callable[[str], Ask]) -> None:
    reply = ask_after(LOOPS)(0, 1)
    assert isinstance(reply, Answered)
    comparison = reply.result
    assert comparison is not None
    assert comparison.call == "the call of scanned whose values were recorded"
    assert [
        (
            variant.name,
            variant.program,
            variant.equations,
            variant.mode,
            variant.agrees,
            variant.differentiable,
            variant.error,
        )
        for variant in comparison.variants
    ] == [
        ("scanned", 0, 2, "jitted", "same_bits", "reverse", None),
        ("whiled", 1, 4, "jitted", "same_bits", "forward", None),
    ]
    for variant in comparison.variants:
        assert variant.warm is not None
        assert variant.warm.runs > 1
        assert variant.compile is not None
    assert comparison.verdict[-1] == "jax.grad cannot differentiate whiled; jax.jvp can."


def test_the_python_of_the_functions_does_not_run_again(notebook: Notebook, ask_after: Callable[[str], Ask]) -> None:
    notebook.run("traced = []")
    ask = ask_after(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    traced.append('f')\n    return x\n"
        "@jax.jit\ndef g(x):\n    traced.append('g')\n    return x\na, b = f(x), g(x)"
    )
    assert ask(0, 1).result is not None
    assert notebook["traced"] == ["f", "g"]


def test_a_program_that_takes_other_arguments_is_not_run(ask_after: Callable[[str], Ask]) -> None:
    comparison = ask_after(LOOPS)(0, 2).result
    assert comparison is not None
    second = comparison.variants[1]
    assert (second.error, second.calls) == (None, 0)
    assert second.remarks == [
        "This program takes f32[4], but scanned takes f32[8], so the two programs cannot run on the same values. "
        "Choose programs with the same argument types."
    ]


def test_one_program_and_programs_that_are_not_there(ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after(LOOPS)
    assert ask(1, 1).reason == "A comparison needs two or more programs. Choose two or more programs."
    assert ask(0, 9).reason == "This run does not have the requested program. Run the cell again."


def test_values_that_are_gone(notebook: Notebook, ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after("%%jaxpr\nf, g = jax.jit(lambda x: x), jax.jit(lambda x: -x)\ny = x + 1\nf(y)\ng(y)\ndel y")
    reply = ask(0, 1)
    assert isinstance(reply, Refused)
    assert reply.reason == (
        "The recorded argument values of <lambda> (1) are gone, so the programs cannot run. Keep the arguments "
        "in variables and run the cell again, or name the functions: %%jaxpr --compare f,g."
    )


def test_effects_are_asked_about_first(notebook: Notebook, ask_after: Callable[[str], Ask]) -> None:
    notebook.run("told = []")
    ask = ask_after(
        "%%jaxpr\n@jax.jit\ndef loud(x):\n    jax.debug.callback(lambda v: told.append(1), x[0])\n    return x\n"
        "quiet = jax.jit(lambda x: x)\na, b = loud(x), quiet(x)\njax.effects_barrier()"
    )
    assert ask(0, 1).question == (
        "Some of these programs have effects (Debug): loud. The comparison runs each program many times, and each run "
        "repeats the effects. Run the programs?"
    )
    notebook.run("jax.effects_barrier()")
    assert len(notebook["told"]) == 1
    comparison = ask(0, 1, confirmed=True).result
    assert comparison is not None
    assert comparison.variants[0].warm is not None
    notebook.run("jax.effects_barrier()")
    assert len(notebook["told"]) > 1
