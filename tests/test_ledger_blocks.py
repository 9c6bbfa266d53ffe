"""Tests `observe()` around any code: nested, threaded, asynchronous, interrupted; no block leaves anything behind."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jupyter_jaxpr import RecompileError, observe
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING
from jupyter_jaxpr.observe.process_observer import observer


def seen(number: int) -> int | None:
    """Return the expected count of calls; None on Python 3.11, which cannot count calls outside of a cell."""
    return number if HAS_MONITORING else None


@jax.jit
def double(x: Any) -> Any:
    return x * 2


@pytest.fixture
def x() -> Any:
    double.clear_cache()
    return jnp.ones(3)


# --- blocks of `observe()` inside other blocks ---


def test_the_public_name_is_the_function_whatever_was_imported_before() -> None:
    import jupyter_jaxpr
    import jupyter_jaxpr.observe.observer

    assert jupyter_jaxpr.observe is observe
    assert isinstance(observe, type)
    script = "import jupyter_jaxpr.observe.observer; from jupyter_jaxpr import observe; print(observe)"
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert process.stdout == "<class 'jupyter_jaxpr.scripts.observing.observe'>\n"


def test_a_block_in_a_block(x: Any) -> None:
    with observe() as outer:
        double(x)
        with observe() as inner:
            double(x)
            double(jnp.ones(4))
        double(x)
    assert (outer["double"].calls, len(outer["double"].misses)) == (seen(4), 2)
    assert (inner["double"].calls, len(inner["double"].misses)) == (seen(2), 1)
    assert [str(reason) for reason in inner["double"].misses[0].reasons] == [
        "The type of x changed from f32[3] to f32[4]."
    ]


def test_blocks_one_after_the_other_compare_with_what_was_between(x: Any) -> None:
    with observe() as first:
        double(x)
    double(jnp.ones(4))
    with observe() as second:
        double(jnp.ones(5))
        double(jnp.ones(4))
    assert [str(reason) for miss in second["double"].misses for reason in miss.reasons] == [
        "The type of x changed from f32[4] to f32[5]."
    ]
    assert (first["double"].calls, second["double"].calls) == (seen(1), seen(2))


def test_a_ledger_is_live_in_its_block_and_stands_still_after_it(x: Any) -> None:
    with observe() as ledger:
        assert list(ledger) == []
        double(x)
        assert (ledger["double"].calls, ledger["double"].compiles) == (seen(1), 1)
        double(jnp.ones(4))
        assert (ledger["double"].calls, ledger["double"].compiles) == (seen(2), 2)
    with observe():
        double(jnp.ones(5))
    assert (ledger["double"].calls, ledger["double"].compiles) == (seen(2), 2)


# --- how blocks of `observe()` end ---


def test_an_exception_in_the_block_passes_and_the_next_block_is_clean(x: Any) -> None:
    with pytest.raises(ZeroDivisionError), observe(max_compiles={"double": 0}) as ledger:
        double(x)
        1 / 0  # noqa: B018  # what raises
    assert ledger["double"].compiles == 1
    assert observer().running() is None
    with observe() as after:
        double(x)
    assert (after["double"].calls if HAS_MONITORING else 1) == 1


def test_an_exception_within_a_trace(x: Any) -> None:
    @jax.jit
    def outer(y: Any) -> Any:
        double(y)
        raise KeyError("in the trace")

    with observe() as ledger:
        for _ in range(2):
            with pytest.raises(KeyError, match="in the trace"):
                outer(x)
        double(x)
    assert [miss.outcome for miss in ledger["outer"].misses] == ["raised", "raised"]
    assert [miss.outcome for miss in ledger["double"].misses] == ["inlined", "inlined", "compiled"]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise an error even if the tests run in the background, where a shell makes processes ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_in_a_trace(x: Any) -> None:
    @jax.jit
    def f(y: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return y

    with pytest.raises(KeyboardInterrupt), observe() as ledger:
        f(x)
    assert [miss.outcome for miss in ledger["f"].misses] == ["raised"]
    assert observer().running() is None
    with observe() as after:
        double(x)
    assert list(after) == ["double"]


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_a_program_runs(x: Any) -> None:
    @jax.jit
    def f(y: Any) -> Any:
        return y + 1

    with pytest.raises(KeyboardInterrupt), observe() as ledger:
        f(x)
        signal.raise_signal(signal.SIGINT)
    assert [miss.outcome for miss in ledger["f"].misses] == ["compiled"]
    assert observer().running() is None


# --- threads, coroutines, generators ---


def test_what_another_thread_calls_is_not_of_this_block(x: Any) -> None:
    with observe():
        double(x)

    def other() -> None:
        for size in (5, 6):
            double(jnp.ones(size))

    with observe() as ledger:
        double(x)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        double(x)
        double(jnp.ones(7))
    assert ledger["double"].calls == seen(3)
    assert [str(miss.reasons[0]) for miss in ledger["double"].misses] == [
        "The type of x changed from f32[6] to f32[7]."
    ]
    assert ledger["double"].compiles == 1


def test_two_threads_each_with_a_block(x: Any) -> None:
    @jax.jit
    def here(y: Any) -> Any:
        return y

    @jax.jit
    def there(y: Any) -> Any:
        return y

    inside, finish = threading.Event(), threading.Event()
    by_name: dict[str, Ledger] = {}

    def other() -> None:
        with observe() as ledger:
            there(1.0)
            inside.set()
            finish.wait(60)
            there(1)
        by_name["there"] = ledger

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(60)
    with observe() as ledger:
        here(1.0)
    finish.set()
    thread.join()
    assert {name: record.compiles for name, record in ledger.items()} == {"here": 1}
    assert {name: record.compiles for name, record in by_name["there"].items()} == {"there": 2}
    assert ledger["here"].calls is None  # the counter of calls is in use by the block of the other thread
    assert "The number of calls is unknown" in str(ledger)


def test_coroutines(x: Any) -> None:
    async def step(size: int) -> None:
        await asyncio.sleep(0)
        double(jnp.ones(size))
        await asyncio.sleep(0)

    async def main() -> Ledger:
        with observe() as ledger:
            await asyncio.gather(step(2), step(3), step(2))
        return ledger

    ledger = asyncio.run(main())
    assert (ledger["double"].calls, ledger["double"].compiles) == (seen(3), 2)


def test_a_block_in_a_generator_that_is_closed_early(x: Any) -> None:
    ledgers = []

    def batches() -> Iterator[Any]:
        with observe() as ledger:
            ledgers.append(ledger)
            for size in (2, 3, 4):
                yield double(jnp.ones(size))

    generator = batches()
    next(generator)
    next(generator)
    generator.close()
    assert ledgers[0]["double"].compiles == 2
    assert observer().running() is None


# --- the names of functions in the ledger ---


def two_of_one_name() -> tuple[Any, Any]:
    def first() -> Any:
        @jax.jit
        def f(y: Any) -> Any:
            return y

        return f

    def second() -> Any:
        @jax.jit
        def f(y: Any) -> Any:
            return -y

        return f

    return first(), second()


def test_functions_of_one_name() -> None:
    first, two = two_of_one_name()
    with observe() as ledger:
        first(1.0)
        two(1.0)
    with pytest.raises(KeyError) as error:
        ledger["f"]
    line = two_of_one_name.__code__.co_firstlineno + 2
    assert error.value.args == (
        f"2 functions have the name 'f'. Use one of ledger['f', {line}], ledger['f', {line + 7}]",
    )
    assert ledger["f", line].compiles == ledger["f", line + 7].compiles == 1
    assert "f" in ledger and ("f", line) in ledger and ("f", line + 1) not in ledger
    with pytest.raises(KeyError) as error:
        ledger["g"]
    assert error.value.args == ("g",)
    with pytest.raises(KeyError) as error:
        ledger["f", 1]
    assert error.value.args == (("f", 1),)


def test_methods_partials_transformations_and_nested_jits_have_the_names_their_author_gave(x: Any) -> None:
    class Model:
        @functools.partial(jax.jit, static_argnums=0)
        def step(self, y: Any) -> Any:
            return y + 1

        def loss(self, y: Any) -> Any:
            return (y**2).sum()

    def scale(y: Any, by: float) -> Any:
        return y * by

    @jax.jit
    def outer(y: Any) -> Any:
        return double(y) + 1

    model = Model()
    with observe() as ledger:
        model.step(x)
        jax.jit(model.loss)(x)
        jax.jit(functools.partial(scale, by=2.0))(x)
        jax.jit(jax.vmap(jax.grad(lambda y: y * y)))(x)
        outer(x)
    assert {name: (record.compiles, record.inlined) for name, record in ledger.items()} == {
        "step": (1, 0),
        "loss": (1, 0),
        "scale": (1, 0),
        "<lambda>": (1, 0),
        "outer": (1, 0),
        "double": (0, 1),
    }


def test_equinox(x: Any) -> None:
    equinox = pytest.importorskip("equinox")

    @equinox.filter_jit
    def apply(model: Any, y: Any, flag: bool) -> Any:
        return jax.vmap(model)(y)

    model = equinox.nn.Linear(3, 2, key=jax.random.key(0))
    with observe() as ledger:
        apply(model, jnp.ones((4, 3)), True)
        apply(model, jnp.ones((4, 3)), True)
        apply(model, jnp.ones((5, 3)), True)
        apply(model, jnp.ones((5, 3)), False)
    assert list(ledger) == ["apply"]
    assert (ledger["apply"].compiles, ledger["apply"].line) == (3, apply.__wrapped__.__code__.co_firstlineno)
    assert [str(reason) for miss in ledger["apply"].misses for reason in miss.reasons] == [
        "This is the first call of apply.",
        "The type of y changed from f32[4,3] to f32[5,3].",
        "The static value flag changed from True to False.",
    ]


def test_flax() -> None:
    nnx = pytest.importorskip("flax.nnx")

    @nnx.jit
    def forward(model: Any, y: Any) -> Any:
        return model(y)

    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    with observe() as ledger:
        forward(model, jnp.ones((4, 3)))
        forward(model, jnp.ones((4, 3)))
        forward(model, jnp.ones((5, 3)))
    assert list(ledger) == ["forward"]
    assert ledger["forward"].compiles == 2
    assert [reason.kind for reason in ledger["forward"].misses[-1].reasons] == ["shape"]
    assert ledger["forward"].misses[-1].reasons[0].text.endswith("from f32[4,3] to f32[5,3].")


# --- the limits of compiles ---


def test_recompile_error() -> None:
    @jax.jit
    def train_step(p: Any, y: Any) -> Any:
        return p["w"] * y

    w = jnp.ones(3)
    with pytest.raises(RecompileError) as error, observe(max_compiles={"train_step": 1, "train_stepp": 0}):
        train_step({"w": w}, w)
        train_step({"w": w}, 1.0)
        train_step({"w": w}, jnp.float32(2))
    line = test_recompile_error.__code__.co_firstlineno + 7
    assert (
        str(error.value)
        == f"""\
train_step: 3 compiles, limit 1.
  line {line}: This is the first call of train_step.
  line {line + 1}: The type of y changed from f32[3] to weak f32[] (a Python float).
  line {line + 2}: The type of y changed from weak f32[] (a Python float) to f32[].
  Pass arrays with the same number of axes in every call, or expect one compile for each shape.
  Pass y as one kind of value every time, such as jnp.asarray(y, dtype=...).
No jitted function has the name 'train_stepp'. Did you mean 'train_step'?"""
    )
    assert isinstance(error.value, AssertionError)


def test_a_limit_for_a_name_that_no_function_has() -> None:
    @jax.jit
    def update(p: Any) -> Any:
        return p + 1

    with pytest.raises(ValueError, match=re.escape("name 'updaet'. Did you mean 'update'?")), observe({"updaet": 1}):
        update(1.0)

    @jax.jit
    def never_called(p: Any) -> Any:
        return p

    with observe(max_compiles={"update": 0, "never_called": 0}):
        pass
    with pytest.raises(ZeroDivisionError), observe({"zzz": 1}):
        raise ZeroDivisionError
    with pytest.raises(ValueError, match=re.escape("No jitted function has the name 'zzz'. Correct the name in")):
        with observe({"zzz": 1}):
            pass


def test_the_compiles_of_all_threads_count_for_the_limit() -> None:
    @jax.jit
    def update(p: Any) -> Any:
        return p + 1

    def work() -> None:
        update(jnp.ones(2))
        update(jnp.ones(3))

    with pytest.raises(RecompileError, match="update: 2 compiles, limit 1"), observe(max_compiles={"update": 1}):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def test_a_limit_that_is_kept(x: Any) -> None:
    with observe(max_compiles={"double": 1}):
        double(x)
        double(x)


EAGER = """
import contextlib, json
import jax, jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
from jupyter_jaxpr import observe

compiled = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **facts: compiled.append(event) if event.endswith("backend_compile_duration") else None
)
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("d",))
x = jax.device_put(jnp.arange(4.0), NamedSharding(mesh, P("d")))
body = jax.shard_map(lambda x: jax.lax.psum(jnp.sin(x), "d"), mesh=mesh, in_specs=P("d"), out_specs=P())
counts = []
for around in (contextlib.nullcontext, observe, contextlib.nullcontext):
    jax.clear_caches()
    compiled.clear()
    with around():
        body(x)
        body(x)
    counts.append(len(compiled))
print(json.dumps(counts))
"""


def test_jax_compiles_as_often_for_an_eager_shard_map_within_a_block_as_without(tmp_path: Path) -> None:
    """JAX makes new functions for each eager shard_map; a block keeps none alive, so JAX compiles them again."""
    script = tmp_path / "script.py"
    script.write_text(EAGER)
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    process = subprocess.run(
        [sys.executable, script], env={**os.environ, **flags}, capture_output=True, text=True, check=True
    )
    before, within, after = json.loads(process.stdout)
    assert before > 0
    assert (within, after) == (before, before)
