"""Tests the ledger as printed text: its table, and its sentences if nothing was called."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING
from jupyter_jaxpr.observe.process_observer import observer

pytestmark = pytest.mark.any_jax

TABLE = """\
import functools, jax, jax.numpy as jnp, numpy as np
from jupyter_jaxpr import observe

@jax.jit
def a_function_with_quite_a_long_name(params, x):
    return params["w"] @ x

@functools.partial(jax.jit, static_argnames="n")
def g(x, n=1):
    return x * n

w, x = jnp.ones((8, 8)), jnp.ones(8)
with observe() as ledger:
    for _ in range(1000):
        a_function_with_quite_a_long_name({"w": w}, x)
    a_function_with_quite_a_long_name({"w": w, "b": x}, x.astype(jnp.float16))
    a_function_with_quite_a_long_name({"w": w}, np.ones(8, np.float32))
    for n in range(2):
        g(x, n=n)
    list(map(g, [x, x]))
    jax.jit(lambda y: g(y, n=7))(x)
print(ledger)
"""
PRINTED = """\
function                         calls    hits  entries  compiles      price
--------------------------------------------------------------------------------
a_function_with_quite_a_long… {counts[0]}        3         2       TIME
    line 15 · compiled · TIME
        This is the first call of a_function_with_quite_a_long_name.
    line 16 · compiled · TIME
        The structure of params gained params['b'].
        The type of x changed from f32[8] to f16[8].
    line 17 · slow hit
        The class of x changed from jax.Array to numpy; the type f32[8] is the
            same.
g (line 8)                    {counts[1]}        3         3       TIME
    line 19 · compiled · TIME
        This is the first call of g.
    line 19 · compiled · TIME
        The static argument n changed from 0 to 1.
    line 20 · compiled · TIME
        The call leaves out n, which the earlier call passed: the value is the
            default.
    JAX inlined 1 call into the trace of another function.
<lambda> (line 21)            {counts[2]}        0         1       TIME
    line 21 · compiled · TIME
        This is the first call of <lambda>.
"""
COUNTS = ("    1002    1000", "      ≥4 unknown", "       1       0") if HAS_MONITORING else (" unknown unknown",) * 3
WHY_NOT = """\
The number of calls is unknown: on Python 3.11, jupyter_jaxpr counts calls only
in a %%jaxpr cell. Use Python 3.12 or later to count calls here.
"""
WHY_NOT_IN_SCRIPT = """\
The number of calls is unknown: on Python 3.11, jupyter_jaxpr does not count
calls in a block under observe(). Use Python 3.12 or later to count calls here.
"""
NONE = "No call of a jitted function of yours was seen." + ("" if HAS_MONITORING else f"\n{WHY_NOT.rstrip()}")


def test_the_table_fits_80_columns(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(TABLE)
    process = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert max(map(len, process.stdout.splitlines())) <= 80
    assert plain(process.stdout) == PRINTED.format(counts=COUNTS) + ("" if HAS_MONITORING else WHY_NOT_IN_SCRIPT)


def test_nothing_called() -> None:
    with observe() as ledger:
        pass
    assert str(ledger) == NONE
    assert repr(ledger) == "<Ledger of 0 functions, 0 compiles>"
    assert len(ledger) == 0


def test_calls_of_a_function_that_jax_compiled_before_the_observation_are_not_denied() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.arange(3.0)
    observer().hooks.remove()
    f(x)
    with observe() as outer:
        f(x)
        with observe() as inner:
            f(x), f(x)
    if not HAS_MONITORING:
        assert str(inner) == NONE
        return
    assert str(inner) == ("The ledger leaves out 2 calls of f: JAX compiled f before the observation began.")
    assert str(outer) == ("The ledger leaves out 3 calls of f: JAX compiled f before the observation began.")


def test_what_another_thread_called_is_not_counted_and_not_denied() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    @jax.jit
    def g(x: Any) -> Any:
        return x * 2

    def call(function: Any) -> None:
        thread = threading.Thread(target=function, args=(jnp.arange(3.0),))
        thread.start()
        thread.join()

    with observe() as ledger:
        call(f)
    assert str(ledger) == (
        "No call of a jitted function of yours was seen in this thread.\n"
        + ("" if HAS_MONITORING else WHY_NOT)
        + "Calls in other threads are not counted here: f missed the cache in another\n"
        "thread. Call the function in this thread to see what the call does."
    )
    with observe() as ledger:
        g(jnp.arange(3.0))
        call(f)
        call(g)  # this call hits
        call(jax.jit(lambda x: x - 1))
    assert ledger.elsewhere == ("<lambda>",)
    assert str(ledger).endswith(
        "Calls in other threads are not counted here: <lambda> missed the cache in\n"
        "another thread. Call the function in this thread to see what the call does."
    )
    if HAS_MONITORING:
        assert (ledger["g"].calls, ledger["g"].calls_exact) == (1, False)
        assert ledger.note == (
            "The numbers of calls and compiles of g are lower bounds: calls in other threads are not counted, and the "
            "compiles of these calls are not counted."
        )


def plain(text: str) -> str:
    text = re.sub(r"(line \d+ · \w+ ·) [\d.]+ m?s", r"\1 TIME", text)
    return re.sub(r" {2,}[\d.]+ m?s$", "       TIME", text, flags=re.MULTILINE)
