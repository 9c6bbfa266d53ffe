"""Tests randomly edited cells: live traces leave the kernel unchanged, and the cell runs as usual."""

from __future__ import annotations

import gc
import linecache
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from conftest import Notebook, plain
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_jaxpr.jax.facts import is_jitted
from jupyter_jaxpr.live.live_program import Live
from jupyter_jaxpr.live.trace_request import CellToTrace
from jupyter_jaxpr.wire.requests.live_request import _observed

pytestmark = pytest.mark.any_jax

BASE = """
import random, warnings, functools
import numpy as np
w = jnp.ones((8, 3))
log = []
counter = {'n': 0}
class Model:
    def __init__(self):
        self.scale = 2.0
        self.calls = 0
model = Model()
@jax.jit
def helper(x):
    print('helper is traced')
    return jnp.tanh(x)
"""

CELLS = [
    "%%jaxpr\n@jax.jit\ndef f(x):\n    y = helper(x)\n    return y @ w\nf(x)\n",
    "def f(x, n=2):\n    for i in range(n):\n        x = jnp.sin(x) * i\n    return x\nf(x)\n",
    "def f(x):\n    log.append(1)\n    counter['n'] += 1\n    return x + model.scale\ny = f(x)\n",
    "def f(x):\n    model.calls += 1\n    return lax.scan(lambda c, a: (c + a, c), 0.0, x)\nf(x)\n",
    "n = 3\ng = lambda x: x * n\nh = jax.grad(lambda x: g(x).sum())\ndef f(x):\n    return h(x)\nf(x)\n",
    "def f(x):\n    print('tracing', x.shape)\n    random.random()\n    return x + np.random.rand()\nf(x)\n",
    "@functools.partial(jax.jit, static_argnames='k')\ndef f(x, k):\n    warnings.warn('mine')\n"
    "    return x.astype('float64') ** k\nf(x, k=2)\n",
    "class Point:\n    def __init__(self, x):\n        self.x = x\n    def norm(self):\n"
    "        return jnp.sum(self.x ** 2)\ndef f(x):\n    return Point(x).norm()\nf(x)\n",
]
LINES = [
    "    x = x + 1",
    "    return w",
    "    open('written', 'w')",
    "    global w; w = x",
    "    helper(x)",
    "    raise ValueError('mine')",
    "    while x.sum() > 0: x = x - 1",
    "@functools.cache",
    "@log.append",
    "x = jnp.ones(4)",
    "del w",
    "log.clear()",
    "%timeit -n 1 -r 1 1",
    "import this_module_is_not_there",
    "f = helper",
    "w.at[0].set(3.0",
    "jax.clear_caches()",
]


@st.composite
def edited_cells(draw: Any) -> list[str]:
    """Return the text of a cell, followed by its texts after one to four random edits."""
    text: str = draw(st.sampled_from(CELLS))
    texts = [text]
    for _ in range(draw(st.integers(1, 4))):
        lines = text.split("\n")
        place = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["insert", "delete", "character", "swap"])):
            case "insert":
                lines.insert(place, draw(st.sampled_from(LINES)))
            case "delete":
                del lines[place]
            case "swap":
                second_place = draw(st.integers(0, len(lines) - 1))
                lines[place], lines[second_place] = lines[second_place], lines[place]
            case _:
                line = lines[place]
                column = draw(st.integers(0, len(line)))
                lines[place] = line[:column] + draw(st.sampled_from("()xyw.1+ :=")) + line[column + 1 :]
        text = "\n".join(lines)
        texts.append(text)
    return texts


#: The names of the functions that XLA compiled, in order.
COMPILES: list[str] = []


@pytest.fixture(autouse=True, scope="module")
def _hear_compiles() -> Iterator[None]:
    def hear(event: str, duration: float, **facts: Any) -> None:
        if event == "/jax/core/compile/backend_compile_duration":
            COMPILES.append(str(facts.get("fun_name")))

    jax.monitoring.register_event_duration_secs_listener(hear)
    yield
    jax.monitoring.unregister_event_duration_listener(hear)


def state_of(names: dict[str, Any]) -> dict[str, Any]:
    """Return the state of the objects that the user's code can reach."""
    gc.collect()
    return {
        "names": {name: id(value) for name, value in names.items() if not name.startswith("_")},
        "arrays": len(jax.live_arrays()),
        "entries": {name: value._cache_size() for name, value in names.items() if is_jitted(value)},
        "values": (list(names["log"]), dict(names["counter"]), dict(vars(names["model"]))),
        "random": (random.getstate(), np.random.get_state()[1].tolist()),
        "files": sorted(os.listdir()),
        "filters": list(warnings.filters),
        "out": sys.stdout.__dict__.get("write"),
        "texts": {file for file in linecache.cache if "as written" in file},
    }


def outcome(notebook: Notebook, cell: str) -> tuple[Any, ...]:
    """Run a cell, and return what a reader of the notebook sees: result, error, output and variables."""
    ran = notebook.run(cell if cell.startswith("%%") else f"%%jaxpr\n{cell}", store_history=False)
    error = ran.result.error_in_exec or ran.result.error_before_exec
    names = {
        name: repr(value) for name, value in notebook.shell.user_ns.items() if name in ("x", "w", "log", "counter")
    }
    ledgers = [document["ledger"] for document in ran.shown if document.get("ledger")]
    counts = [
        (function["name"], {key: count for key, count in function["run"].items() if type(count) is int})
        for ledger in ledgers
        for function in ledger["functions"]
    ]
    return plain(ran.stdout), repr(ran.result.result), type(error), str(error), names, counts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(texts=edited_cells())
def test_a_cell_that_was_traced_live_runs_as_ever(
    make_notebook: Callable[..., Notebook], folder: Path, texts: list[str]
) -> None:
    begin = "import jax, jax.numpy as jnp\nfrom jax import lax\nx = jnp.arange(8.0)\nimport random\nrandom.seed(0)\n"
    seeds = begin + BASE + "np.random.seed(0)"
    without = make_notebook(tracebacks=True)
    without.run(seeds)
    expected = outcome(without, texts[-1])
    Path("written").unlink(missing_ok=True)

    notebook = make_notebook(tracebacks=True)
    notebook.run(seeds)
    names = notebook.shell.user_ns
    before = state_of(names)
    live = Live()
    COMPILES.clear()
    for text in texts:
        for line in (None, 1, 3):
            live.trace(
                CellToTrace(text, "cell-1", line), names, lambda name: _observed(name, names, _no_runs()), seconds=20.0
            )
    assert COMPILES == []
    assert state_of(names) == before
    assert outcome(notebook, texts[-1]) == expected
    Path("written").unlink(missing_ok=True)


def _no_runs() -> Any:
    from jupyter_jaxpr.wire.kept_runs import Runs

    return Runs()
