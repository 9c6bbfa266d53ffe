"""Tests that Live leaves no array in JAX's caches, and that a stopped trace leaves JAX and Python unchanged."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import jax
import pytest
from conftest import Notebook

from jupyter_jaxpr.document.types.live import LiveProgram
from jupyter_jaxpr.live.live_program import Live
from jupyter_jaxpr.live.trace_request import CellToTrace

pytestmark = pytest.mark.any_jax

#: Functions of an earlier cell. They stay after a live trace, and JAX's caches keep their entries.
HELPERS = {
    "np const": """
@jax.jit
def helper(x):
    return x + jnp.asarray(np.arange(8.0))
""",
    "jnp const": """
@jax.jit
def helper(x):
    return x + jnp.arange(1000.0).sum() + jnp.array([1.0, 2.0]).sum()
""",
    "global": """
big = np.arange(1000.0)
@jax.jit
def helper(x):
    return x + big.sum() + jnp.asarray(big).sum()
""",
    "jarray": """
big = jnp.arange(1000.0)
@jax.jit
def helper(x):
    return x + big.sum()
""",
    "scan": """
def body(c, a):
    return c + jnp.asarray(np.ones(100)).sum(), a
def helper(x):
    return lax.scan(body, 0.0, x)[0]
""",
    "custom rule": """
@jax.custom_vjp
def helper(x):
    return x + np.ones(8)
def fw(x):
    return x, jnp.asarray(np.ones(8))
def bw(r, g):
    return (g * r,)
helper.defvjp(fw, bw)
""",
    "cond": """
def helper(x):
    return lax.cond(x.sum() > 0, lambda y: y + np.ones(8), lambda y: y - jnp.asarray(np.zeros(8)), x)
""",
    "vmap": """
@jax.vmap
def helper(x):
    return x + jnp.asarray(np.ones(3)).sum()
""",
    "checkpoint": """
@jax.checkpoint
def helper(x):
    return x + jnp.asarray(np.ones(8))
""",
    "closure": """
def make():
    w = jnp.ones(8)
    @jax.jit
    def inner(x):
        return x * w + jnp.eye(8)[0]
    return inner
helper = make()
""",
    "random": """
@jax.jit
def helper(x):
    return x + jax.random.normal(jax.random.key(0), (8,))
""",
    "named": """
@partial(jax.jit, static_argnums=1, inline=True)
def helper(x, n=2):
    return x * jnp.float32(n) + jnp.linspace(0, 1, 8)
""",
    "while": """
def cond_(c):
    return (c < jnp.asarray(np.full(8, 3.0))).all()
def body_(c):
    return c + jnp.asarray(np.ones(8))
def helper(x):
    return lax.while_loop(cond_, body_, x)
""",
}
#: Live does not trace `jax.jvp` of these functions, so the test only calls them.
ONLY_CALLED = {"vmap", "checkpoint"}


def trace(notebook: Notebook, live: Live, expression: str, seconds: float = 60.0) -> LiveProgram:
    cell_to_trace = CellToTrace(f"def f(x):\n    return {expression}\nf(x)\n", "cell-1", 1)
    return live.trace(cell_to_trace, notebook.shell.user_ns, lambda name: [], seconds=seconds)


def arrays() -> list[tuple[Any, str]]:
    gc.collect()
    return sorted((array.shape, str(array.dtype)) for array in jax.live_arrays())


@pytest.mark.parametrize("name", HELPERS)
def test_no_array_of_a_helper_stays(notebook: Notebook, name: str) -> None:
    notebook.run("import numpy as np\nfrom functools import partial\nfrom jax import lax\n" + HELPERS[name])
    before = arrays()
    calls = ["helper(x)", "jax.jit(helper)(x)", "jax.jvp(helper, (x,), (x,))"]
    if name == "custom rule":
        del calls[2]  # the function has a rule for reverse mode only, so jvp does not work
    for call in calls[:1] if name in ONLY_CALLED else calls:
        assert trace(notebook, Live(), call).state == "traced"
    assert arrays() == before


def test_what_computes_arrays_while_jax_traces_is_not_traced(notebook: Notebook) -> None:
    notebook.run("""
@jax.jit
def helper(x):
    with jax.ensure_compile_time_eval():
        weights = jnp.ones(8) * 2
    return x + weights
""")
    before = arrays()
    answer = trace(notebook, Live(), "helper(x)")
    assert (answer.state, answer.line) == ("not_traced", 1)
    assert answer.text is not None
    assert answer.text.endswith(
        "calls jax.ensure_compile_time_eval, which computes arrays while JAX traces. Run the cell to see the program."
    )
    assert arrays() == before


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 tells nobody that a function begins")
def test_a_library_that_computes_arrays_while_jax_traces_is_stopped_before(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Live assumes that functions of optax have no side effects, so the test makes a package with this name.
    folder = tmp_path / "site-packages" / "optax"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(
        "import jax\nimport jax.numpy as jnp\ndef scaled(x):\n"
        "    with jax.ensure_compile_time_eval():\n        weights = jnp.ones(8) * 2\n    return x + weights\n"
    )
    monkeypatch.syspath_prepend(str(folder.parent))
    for name in [name for name in sys.modules if name.partition(".")[0] == "optax"]:
        monkeypatch.delitem(sys.modules, name)
    notebook.run("import optax")
    before = arrays()
    answer = trace(notebook, Live(), "optax.scaled(x)")
    assert (answer.state, answer.line, answer.text) == (
        "not_traced",
        2,
        "f is not traced live. Line 2 calls code that computes arrays while JAX traces (as "
        "jax.ensure_compile_time_eval does). Run the cell to see the program.",
    )
    assert arrays() == before
    assert trace(notebook, Live(), "jnp.sin(x)").state == "traced"
    monkeypatch.delitem(sys.modules, "optax")


# --- a trace that takes too long ---

LOOP = "    for _ in iter(int, 1):\n        x = x + 1\n    return x\n"
CALLS = {
    "jit": "jax.jit(forever)(x)",
    "vmap": "jax.vmap(forever)(x)",
    "grad": "jax.grad(lambda x: rule(x).sum())(x)",
    "scan": "lax.scan(lambda c, a: (forever(c), a), x, x)",
    "while": "lax.while_loop(lambda c: True, forever, x)",
    "custom rule": "custom(x)",
}
BASE = (
    "from jax import lax\ndef forever(x):\n"
    + LOOP
    + """
custom = jax.custom_vjp(forever)
custom.defvjp(lambda x: (forever(x), None), lambda r, g: (g,))
@jax.custom_jvp
def rule(x):
    return x
@rule.defjvp
def rule_jvp(p, t):
    return forever(p[0]), t[0]
"""
)


@pytest.mark.parametrize("name", CALLS)
def test_a_stop_in_what_jax_calls_back(notebook: Notebook, name: str) -> None:
    notebook.run(BASE)
    live = Live()
    assert trace(notebook, live, CALLS[name], seconds=0.2).state == "stopped"
    assert trace(notebook, live, "jnp.sin(x)").state == "traced"
    events = []

    def follow(frame: Any, event: str, argument: Any) -> Any:
        events.append(event)
        return follow

    def count() -> None:
        for _ in range(100):
            pass

    # If a pending exception had been cancelled, functions would hang under `sys.settrace` on Python 3.11.
    sys.settrace(follow)
    try:
        count()
    finally:
        sys.settrace(None)
    assert "return" in events and len(events) < 1_000
    assert (jax.jit(lambda x: x + 1)(1), float(jax.grad(lambda x: x * x)(3.0))) == (2, 6.0)
    assert notebook.run("%%jaxpr\njax.jit(lambda x: x * 2)(x)").document["programs"]
