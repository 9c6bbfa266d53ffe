"""Tests the panel's requests for a sweep: the user's namespace, progress, stop, and the question before effects."""

from __future__ import annotations

import math
import threading
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from conftest import Notebook

from jupyter_jaxpr.measure.times import sweep_point, sweep_time_limit
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered, Refused, Reply, Working

pytestmark = pytest.mark.any_jax

PATIENCE = 120.0
SETUP = """
@jax.jit
def product(a):
    return a @ a

def doubled(a):
    return a * 2

called = []
def shown(x):
    jax.debug.callback(lambda total: called.append(float(total)), x.sum())
    return x

number = 3
"""


class Panel:
    """A page that requests sweeps; the kernel's namespace is that of a notebook."""

    def __init__(self, notebook: Notebook) -> None:
        from jupyter_jaxpr.magic.cell_observer import CellObserver

        self.runs = Runs()
        self.answers = Answers(self.runs, lambda: notebook.shell.user_ns)
        self.replies: list[Reply] = []
        self._came = threading.Condition()
        CellObserver.of(notebook.shell).publisher.publish = self._keep  # type: ignore[method-assign]  # there is no front end
        notebook.run(SETUP)
        notebook.run("%%jaxpr\nproduct(jnp.ones((2, 2)))")

    def _keep(self, built: Any) -> None:
        self.runs.keep(built)
        self.run = built.document.id

    def ask(self, sweep: str, call: str, *functions: str, confirmed: bool = False) -> None:
        request = {
            "type": "sweep",
            "id": 14,
            "snapshot": self.run,
            "sweep": sweep,
            "call": call,
            "functions": list(functions),
            "confirmed": confirmed,
        }
        assert self.answers.answer(request, "page", self._hear) is None

    def stop(self) -> None:
        assert self.answers.answer({"type": "stop", "id": 14}, "page", self._hear) is None

    def _hear(self, reply: Reply) -> None:
        with self._came:
            self.replies.append(reply)
            self._came.notify_all()

    def last(self) -> Reply:
        def found() -> list[Reply]:
            return [reply for reply in self.replies if not isinstance(reply, Working)]

        with self._came:
            assert self._came.wait_for(found, PATIENCE)
        (reply,) = found()
        return reply

    def hears(self, text: str) -> None:
        with self._came:
            assert self._came.wait_for(
                lambda: any(isinstance(reply, Working) and reply.text == text for reply in self.replies),
                PATIENCE,
            )


@pytest.fixture
def panel(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> Panel:
    # seconds for the runs of one call; short, because the times need not be exact
    monkeypatch.setattr(sweep_point, "BUDGET", 0.01)
    # no call is left out, however long it takes on a busy machine
    monkeypatch.setattr(sweep_time_limit, "TOO_LONG", math.inf)
    return Panel(notebook)


def test_a_sweep_is_asked_for_and_comes(panel: Panel, notebook: Notebook) -> None:
    panel.ask("n=number,8", "product(jnp.ones((n, n)))")
    reply = panel.last()
    assert isinstance(reply, Answered)
    sweep = reply.result
    assert sweep is not None
    assert [(point.function, point.value, point.number, point.flops) for point in sweep.points] == [
        ("product", "number", 3.0, 54),
        ("product", "8", 8.0, 1024),
    ]
    first = panel.replies[0]
    assert isinstance(first, Working)
    assert (first.text, first.done, first.total) == ("n=number: making the arguments of the calls", 0, 2)
    run = panel.runs.get(panel.run)
    assert run is not None
    assert run.document.sweep == sweep
    assert "n" not in notebook.shell.user_ns


def test_named_functions_in_one_sweep(panel: Panel) -> None:
    panel.ask("n=4,8", "product(jnp.ones((n, n)))", "product", "doubled")
    sweep = panel.last().result
    assert sweep is not None
    assert [(point.function, point.value) for point in sweep.points] == [
        ("product", "4"),
        ("doubled", "4"),
        ("product", "8"),
        ("doubled", "8"),
    ]


@pytest.mark.parametrize(
    ("sweep", "call", "functions", "message"),
    [
        (
            "n=8",
            "product(jnp.ones(n))",
            (),
            "n=8: a sweep needs two or more values. Write, for example, n=8,16,32 and a call that uses n, such as "
            "f(jnp.ones(n)).",
        ),
        (
            "m=8,16",
            "product(jnp.ones(n))",
            (),
            "m=8,16: the arguments of 'product(jnp.ones(n))' do not use m. Write, for example, n=8,16,32 and a call "
            "that uses n, such as f(jnp.ones(n)).",
        ),
        (
            "n=8,16",
            "product",
            (),
            "'product' is not a call. Write the function with its arguments, such as product(x) or product(f32[8]).",
        ),
        (
            "n=8,16",
            "product(f32[8], n)",
            (),
            "A sweep calls the function and needs values, but the arguments of 'product(f32[8], n)' are types. Write "
            "arrays, such as product(jnp.ones(n)).",
        ),
        (
            "n=8,16",
            "nothing(jnp.ones(n))",
            (),
            "nothing is not defined. Define nothing in this cell or in an earlier cell.",
        ),
        (
            "n=8,16",
            "product(jnp.ones(n))",
            ("product", "number"),
            "number is not a function: its type is int. Name a function.",
        ),
    ],
)
def test_a_mistake_is_told_and_nothing_runs(
    panel: Panel, sweep: str, call: str, functions: tuple[str, ...], message: str
) -> None:
    panel.ask(sweep, call, *functions)
    reply = panel.last()
    assert reply == Refused(id=14, reason=message)


def test_effects_are_asked_about_first(panel: Panel, notebook: Notebook) -> None:
    panel.ask("n=2,3", "shown(jnp.ones(n))")
    reply = panel.last()
    assert reply.question == (
        "shown has effects (Debug). The sweep calls shown many times at each value, and each call repeats the effects. "
        "Run the sweep?"
    )
    assert notebook["called"] == []
    panel.replies.clear()
    panel.ask("n=2,3", "shown(jnp.ones(n))", confirmed=True)
    sweep = panel.last().result
    assert sweep is not None
    assert [point.warm is not None for point in sweep.points] == [True, True]
    jax.effects_barrier()
    assert set(notebook["called"]) == {2.0, 3.0}


def test_stop_keeps_what_is_done(panel: Panel, notebook: Notebook) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def made(n: int) -> Any:
        if n == 8:
            reached.set()
            assert go_on.wait(PATIENCE)
        return jnp.ones((n, n))

    notebook.shell.user_ns["made"] = made
    panel.ask("n=4,8,16", "product(made(n))")
    assert reached.wait(PATIENCE)
    panel.stop()
    go_on.set()
    sweep = panel.last().result
    assert sweep is not None
    assert [(point.value, point.warm is not None, point.eager is not None) for point in sweep.points] == [
        ("4", True, True)
    ]
    assert sweep.stopped == "The sweep was stopped after 1 of 3 points. Run the sweep again for all points."


def test_the_page_is_told_how_far_it_is(panel: Panel, notebook: Notebook) -> None:
    go_on = threading.Event()

    def made(n: int) -> Any:
        if n == 8:
            assert go_on.wait(PATIENCE)
        return jnp.ones((n, n))

    notebook.shell.user_ns["made"] = made
    panel.ask("n=4,8", "product(made(n))")
    panel.hears("n=4: making the arguments of the calls")
    go_on.set()
    assert panel.last().result is not None
