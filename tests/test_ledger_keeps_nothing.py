"""Tests that a block of `observe()` keeps no object of the user's alive, and leaves nothing behind in JAX."""

from __future__ import annotations

import functools
import gc
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jupyter_jaxpr import observe


class Held:
    """A static argument that nothing else keeps alive."""


def test_no_argument_is_kept_alive() -> None:
    @functools.partial(jax.jit, static_argnames="held")
    def f(p: Any, y: Any, held: Any) -> Any:
        return y

    @jax.jit
    def g(y: Any) -> Any:
        raise KeyError("raised")

    array, argument, captured, keyword = jnp.ones(10), jnp.ones(20), jnp.ones(30), Held()
    references = [weakref.ref(value) for value in (array, argument, captured, keyword)]
    with observe() as ledger:
        f({"w": array}, argument, held=keyword)
        with pytest.raises(KeyError):
            g(captured)
        assert len(ledger["f"].misses) == 1
    f.clear_cache()
    del array, argument, captured, keyword
    jax.clear_caches()
    gc.collect()
    assert [reference() for reference in references] == [None] * 4
    assert ledger["f"].misses[0].signature == "p['w']: f32[10], y: f32[20], held=<Held>"


def test_no_function_is_kept_alive() -> None:
    def make() -> Any:
        def f(y: Any) -> Any:
            return y

        return f

    f = make()
    reference = weakref.ref(f)
    with observe() as ledger:
        jax.jit(f)(1.0)
    del f
    jax.clear_caches()
    gc.collect()
    assert reference() is None
    assert ledger["f"].compiles == 1


def test_a_block_keeps_no_constant_alive() -> None:
    """Even before its end, a block of `observe()` keeps no constant alive, as JAX's own tests of leaks require."""

    def live() -> int:
        gc.collect()
        return len(jax.live_arrays())

    def make() -> None:
        data = jnp.ones(1024) + 1

        def f() -> Any:
            return jax.lax.cond(True, jax.jit(lambda: data[0]), lambda: data[1])

        jitted = jax.jit(f)
        jitted().block_until_ready()
        jitted.clear_cache()

    before = live()
    with observe() as ledger:
        make()
        assert live() <= before
    assert ledger["f"].compiles == 1


class Default:
    """A class for default values of parameters; the test checks that an instance ends."""


def test_no_default_value_of_a_parameter_is_kept_alive() -> None:
    default = Default()
    reference = weakref.ref(default)

    def make(default_value: Any) -> Any:
        def f(y: Any, held: Any = default_value) -> Any:
            return y

        return f

    with observe() as ledger:
        jax.jit(make(default))(1.0)
        del default
        jax.clear_caches()
        gc.collect()
        assert reference() is None
    assert ledger["f"].compiles == 1


CLEAN = """
import sys
import jupyter_jaxpr
assert "jax" not in sys.modules
import jax, jax.monitoring
from jax._src import monitoring, pjit
def state():
    kinds = ("event_duration", "event", "scalar")
    listeners = [list(getattr(monitoring, f"get_{kind}_listeners")()) for kind in kinds]
    return pjit._infer_params, pjit._get_fastpath_data, listeners
from jax import jit
before = state()
jupyter_jaxpr.observe
assert state() == before, "importing installs nothing"
f = jit(lambda x: x)
with jupyter_jaxpr.observe() as ledger:
    f(1.0)
assert state() != before, "the hooks stay"
from jupyter_jaxpr.observe.process_observer import observer
observer().hooks.remove()
assert state() == before, "nothing is left"
if sys.version_info >= (3, 12):
    assert [sys.monitoring.get_tool(n) for n in range(6)] == [None] * 6
assert not any("jupyter_jaxpr" in type(each).__module__ for each in sys.meta_path)
f(1)
assert ledger["<lambda>"].compiles == 1
with jupyter_jaxpr.observe() as again:
    f(True)
assert again["<lambda>"].compiles == 1
print("clean")
"""


def test_importing_installs_nothing_and_removing_leaves_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(CLEAN)
    process = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert (process.stdout, process.stderr) == ("clean\n", "")
