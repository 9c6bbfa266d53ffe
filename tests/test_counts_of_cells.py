"""Tests cells as users write them: our counts equal the counts of JAX's events, and each cell shows a program.

The cells run one after the other in one shell, as in a notebook, so a cell can hit entries that an earlier one made.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.build import document_of_run as builds
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING
from jupyter_jaxpr.observe.observation import Observation

CELLS = [
    "x = jnp.arange(8.0)",
    "jnp.sin(x) + 1",
    "f = jax.jit(lambda x: jnp.sin(x) * 2); f(x)",
    "f(x); f(x[:3])",
    "jax.grad(lambda x: f(x).sum())(x)",
    "jax.vmap(f)(jnp.ones((3, 4)))",
    "jax.jacfwd(f)(x)",
    "jax.hessian(lambda x: (f(x) ** 2).sum())(x)",
    "jax.jvp(f, (x,), (x,))",
    "jax.linearize(f, x)[1](x)",
    "jax.vjp(f, x)[1](x)",
    "jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))(x)",
    "jax.value_and_grad(lambda x: jnp.sum(jnp.tanh(x)))(x)",
    "lax.associative_scan(jnp.add, x)",
    "lax.map(lambda v: v * 2, x)",
    "lax.switch(1, [jnp.sin, jnp.cos, jnp.tan], x)",
    "lax.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, x)",
    "lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 2), (0, x))",
    (
        "lax.custom_root(lambda v: v ** 2 - 2.0, 1.0, lambda g, v: lax.fori_loop(0, 10, lambda i, y: y - "
        "g(y) / (2 * y), v), lambda g, y: y / g(1.0))"
    ),
    "lax.custom_linear_solve(lambda v: 2 * v, x, lambda mv, b: b / 2)",
    "jax.random.normal(jax.random.key(0), (3,))",
    "jax.random.split(jax.random.PRNGKey(1), 3)",
    "jax.nn.softmax(x) @ x",
    "jnp.linalg.svd(jnp.eye(3))",
    "jnp.fft.fft(x)",
    "x.at[2].add(5.0).at[3].set(1)",
    "jnp.sort(x)[::-1].cumsum()",
    "jax.lax.top_k(x, 2)",
    "jax.eval_shape(f, x)",
    "f.lower(x).compile()(x)",
    "f.trace(x).jaxpr",
    "jax.make_jaxpr(jax.grad(lambda x: f(x).sum()))(x)",
    "with jax.disable_jit(): f(x)",
    "with jax.disable_jit(): y = lax.scan(lambda c, v: (c + v, c), 0.0, x)",
    "jax.jit(jax.vmap(lambda v: v @ v))(jnp.ones((3, 4)))",
    "jax.pmap(lambda v: v * 2)(jnp.ones((1, 3)))",
    "g = jax.jit(lambda x, n: x * n, static_argnums=1); [g(x, i) for i in range(3)]",
    "for i in range(4): jax.jit(lambda v: v + i)(x)",
    "[jax.jit(lambda v: v * 2)(x) for _ in range(3)]",
    'jax.tree.map(lambda v: v * 2, {"a": x, "b": x})',
    "jax.clear_caches(); f(x)",
    "f.clear_cache(); f(x)",
    'jax.jit(lambda x: jax.debug.print("{}", x))(x)',
    "jax.jit(lambda x: jax.pure_callback(lambda v: v, x, x))(x)",
    "import numpy as np; jnp.asarray(np.arange(8)) + f(np.arange(8.0))",
    "h = jax.jit(lambda x: x * 2, donate_argnums=0); h(jnp.ones(5))",
    "jax.device_put(x) + 1",
    "x.block_until_ready(); x.sum().item()",
    "float(f(x)[0]) + 1",
    "print(f(x)[0], x.mean())",
    "%timeit -n 3 -r 2 f(x)",
    "%time f(x)",
    (
        'from functools import partial; p = partial(jax.jit, static_argnames="n")(lambda x, n: x ** n); p(x, '
        "n=2); p(x, n=3)"
    ),
    'jax.named_call(f, name="nc")(x)',
    "jax.custom_jvp(lambda v: v * 2).defjvp(lambda p, t: (p[0] * 2, t[0])); f(x)",
    "sum(f(x * i).sum() for i in range(3))",
    "(lambda v: f(v) + f(v + 1))(x)",
]

#: Cells with libraries, longer functions and nested transforms; they use variables of the first cells in `CELLS`.
LONGER_CELLS = Path(__file__).with_name("counted_cells.txt").read_text().split("\n---\n")


@pytest.fixture
def events() -> Iterator[Counter[str]]:
    """Yield a counter of JAX's duration events, by the name of the stage."""
    counted: Counter[str] = Counter()

    def listen(event: str, seconds: float, **_: Any) -> None:
        counted[event.rpartition("/")[2]] += 1

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield counted
    jax.monitoring.unregister_event_duration_listener(listen)


class CompilesLogged(logging.Handler):
    """Counts the compiles that JAX logs under `jax_log_compiles`."""

    def __init__(self) -> None:
        super().__init__()
        self.number = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.number += record.getMessage().startswith("Finished XLA compilation of ")


@pytest.fixture
def logged() -> Iterator[CompilesLogged]:
    """Yield a handler that counts the compiles in JAX's log."""
    handler = CompilesLogged()
    log = logging.getLogger("jax._src.dispatch")
    log.addHandler(handler)
    with jax.log_compiles():
        yield handler
    log.removeHandler(handler)


@pytest.mark.parametrize("cells", [CELLS, pytest.param([*CELLS[:3], *LONGER_CELLS], marks=pytest.mark.slow)])
def test_each_compile_is_counted_once_and_each_cell_shows_a_program(
    notebook: Notebook, events: Counter[str], logged: CompilesLogged, monkeypatch: pytest.MonkeyPatch, cells: list[str]
) -> None:
    observed: list[Observation] = []
    build = builds.build

    def observing(observation: Observation, *args: Any, **kwargs: Any) -> Any:
        observed.append(observation)
        return build(observation, *args, **kwargs)

    monkeypatch.setattr(builds, "build", observing)
    notebook.run("from functools import partial\nfrom jax import lax")
    wrong = []
    for cell in cells:
        events.clear()
        observed.clear()
        logged.number = 0
        ran = notebook.run(f"%%jaxpr\n{cell}")
        assert ran.result.error_in_exec is None, cell
        (observation,) = observed
        functions, eager = observation.functions, len(observation.eager_compiles)
        compiles = sum((function.compiles or 0) + (function.from_disk or 0) for function in functions) + eager
        programs = sum(len(function.programs) for function in functions)
        compiled, traced = events["backend_compile_duration"], events["jaxpr_trace_duration"]
        if not compiles == compiled == logged.number or ((compiled or traced) and not programs) or observation.failures:
            wrong.append((cell, compiled, logged.number, compiles, programs, observation.failures))
    assert wrong == []


def test_a_jit_made_for_each_call_does_not_slow_the_count_of_the_next_calls() -> None:
    from jupyter_jaxpr.observe.calls.call_counter import CallCounter

    counter = CallCounter()
    # each object ends at once, so that Python may give its address to the next one
    references = [counter._refer(jax.jit(abs)) for _ in range(500)]
    assert len({hash(reference) for reference in references}) == 500
    jitted = jax.jit(abs)
    assert counter._refer(jitted) is counter._refer(jitted)


def called(ran: Ran) -> dict[str, Any]:
    """Return the only function that the cell called."""
    [function] = [function for function in ran.document["ledger"]["functions"] if function["run"]["calls"]]
    return function


def test_a_miss_of_another_thread_is_no_miss_of_the_run(notebook: Notebook) -> None:
    notebook.run("import threading\n@jax.jit\ndef f(x):\n    return x + 1\nf(jnp.ones(3))")
    ran = notebook.run(
        "%%jaxpr\ndef work():\n    f(jnp.ones(4)), f(jnp.ones(5))\nthread = threading.Thread(target=work)\n"
        "thread.start()\nthread.join()\nf(jnp.ones(4))"
    )
    ledger = ran.document["ledger"]
    function = called(ran)
    assert [(miss["signature"], miss["this_run"]) for miss in function["misses"]] == [
        ("x: f32[3]", False),
        ("x: f32[4]", False),
        ("x: f32[5]", False),
    ]
    assert ledger["lead"].startswith("No jitted function of yours compiled in this thread. ")
    assert "Calls in other threads are not counted here: f missed the cache in another thread." in ledger["lead"]


CALLS_FROM_JAX = {
    "a trace by make_jaxpr": ("jax.make_jaxpr(f)(jnp.ones(5))", 3, 2),
    "a vmap after another vmap": ("jax.vmap(lambda v: v + 1)(jnp.ones((2, 3))), jax.vmap(f)(jnp.ones((2, 3)))", 3, 2),
    "two vmaps": ("jax.vmap(lambda v: v + 1)(jnp.ones((2, 3))), jax.vmap(jax.vmap(f))(jnp.ones((2, 2, 3)))", 3, 2),
}


@pytest.mark.parametrize("calls", CALLS_FROM_JAX)
def test_a_call_from_inside_jax_is_counted_once(notebook: Notebook, calls: str) -> None:
    """JAX calls `f` from a line of its own code, from which it has called another function before."""
    notebook.run("@jax.jit\ndef f(x):\n    return jnp.sin(x)\nf(jnp.ones(3))")
    code, expected_calls, expected_hits = CALLS_FROM_JAX[calls]
    ran = notebook.run(f"%%jaxpr\nf(jnp.ones(3)), f(jnp.ones(3))\n{code}")
    counts = called(ran)["run"]
    assert (counts["calls"], counts["calls_exact"], counts["hits"]) == (expected_calls, HAS_MONITORING, expected_hits)
