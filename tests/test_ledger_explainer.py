"""Compares the ledger with JAX's own explainer, for misses that the explainer gets wrong or leaves out."""

from __future__ import annotations

import functools
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook

from jupyter_jaxpr import observe


@pytest.fixture
def explained(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    """Yield a function that returns the new messages of JAX's explainer, each on one line."""
    jax.config.update("jax_explain_cache_misses", True)
    caplog.set_level(logging.WARNING)

    def read() -> list[str]:
        texts = [" ".join(r.getMessage().split()) for r in caplog.records if "CACHE MISS" in r.getMessage()]
        caplog.clear()
        return texts

    yield read
    jax.config.update("jax_explain_cache_misses", False)


Explained = Callable[[], list[str]]


def test_row_a_a_context_is_blamed_for_a_new_shape(explained: Explained) -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(3))
        with jax.default_matmul_precision("highest"):
            f(jnp.ones(3))
        explained()
        f(jnp.ones(4))
    (text,) = explained()
    assert "now None and before highest" in text
    assert [str(reason) for reason in ledger["f"].misses[2].reasons] == ["The type of x changed from f32[3] to f32[4]."]


def test_row_d_numpy_makes_an_entry_and_no_compile(explained: Explained) -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(3))
        explained()
        f(np.ones(3, np.float32))
    assert explained() == []
    assert f._cache_size() == 2
    assert ledger["f"].compiles == 1
    assert [str(reason) for reason in ledger["f"].misses[1].reasons] == [
        "The class of x changed from jax.Array to numpy; the type f32[3] is the same."
    ]


def test_row_e_a_static_value_in_terms_of_the_call(explained: Explained) -> None:
    @functools.partial(jax.jit, static_argnames="n")
    def f(x: Any, n: int) -> Any:
        return x * n

    with observe() as ledger:
        f(1.0, n=2)
        explained()
        f(1.0, n=3)
    (text,) = explained()
    assert "with pytree metadata Static(val=3)" in text or text.endswith("cache miss explanation unavailable")
    assert [str(reason) for reason in ledger["f"].misses[1].reasons] == ["The static argument n changed from 2 to 3."]


def test_row_f_a_weak_type_and_what_to_do(explained: Explained) -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x * 2

    with observe() as ledger:
        f(jnp.float32(1))
        explained()
        f(1.0)
    (text,) = explained()
    assert "weak_type=True" in text
    (reason,) = ledger["f"].misses[1].reasons
    assert reason.text == "The type of x changed from f32[] to weak f32[] (a Python float)."
    assert reason.cure == "Pass x as one kind of value every time, such as jnp.asarray(x, dtype=...)."


def test_row_g_passed_by_keyword(explained: Explained) -> None:
    @jax.jit
    def f(a: Any, b: Any) -> Any:
        return a + b

    with observe() as ledger:
        f(1.0, 2.0)
        explained()
        f(a=1.0, b=2.0)
    (text,) = explained()
    assert "different input pytree: * at input path [0], now tuple of length 0 and before tuple of length 2" in text
    assert [str(reason) for reason in ledger["f"].misses[1].reasons] == [
        "The call passes a, b by keyword, not by position; the types and the static values are the same."
    ]


def test_row_h_a_cell_that_is_run_again(notebook: Notebook, explained: Explained) -> None:
    cell = "@jax.jit\ndef run_twice(y):\n    return y + 1\nrun_twice(x)"
    notebook.run(cell)
    explained()
    notebook.run(cell)
    texts = explained()
    assert all("never seen function" in text for text in texts)
    from jupyter_jaxpr.magic.cell_observer import CellObserver

    function = CellObserver.of(notebook.shell).observer.history.full_ledger(1).functions[0]
    (reason,) = function.misses[1].reasons
    assert reason.text == "The cell that defines run_twice was run again, so run_twice is a new function object."
    assert reason.cure == "Put the definition of run_twice in a cell of its own, and run that cell once."


def test_row_i_a_stale_value_is_no_miss(explained: Explained) -> None:
    """The call hits and computes with the old value k = 2: JAX's explainer reports nothing, the ledger has a hit."""
    k = 2.0

    @jax.jit
    def f(x: Any) -> Any:
        return x * k

    with observe() as ledger:
        f(1.0)
        explained()
        k = 3.0
        assert float(f(1.0)) == 2.0
    assert explained() == []
    assert [miss.outcome for miss in ledger["f"].misses] == ["compiled"]


def test_row_j_another_partial(explained: Explained) -> None:
    def p(x: Any, n: int) -> Any:
        return x * n

    with observe() as ledger:
        jax.jit(functools.partial(p, n=2))(1.0)
        explained()
        jax.jit(functools.partial(p, n=3))(1.0)
    assert all("never seen function" in text for text in explained())
    assert [str(reason) for reason in ledger["p"].misses[1].reasons] == [
        "This is another partial of p: n changed from 2 to 3."
    ]


DEVICES = """
import json, logging, os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
from jupyter_jaxpr import observe

said = []
class Listen(logging.Handler):
    def emit(self, record):
        if "CACHE MISS" in record.getMessage():
            said.append(" ".join(record.getMessage().split()))
logging.getLogger("jax").addHandler(Listen())
logging.getLogger("jax").propagate = False
jax.config.update("jax_explain_cache_misses", True)

def explained():
    texts = list(said)
    said.clear()
    return texts

def told(record):
    def fields(r):
        return [r.kind, r.text, r.argument, r.before, r.after, r.cure]
    return [[miss.outcome, [fields(reason) for reason in miss.reasons]] for miss in record.misses]

mesh = jax.make_mesh((8,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
square = jax.make_mesh((4, 2), ("i", "j"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
one, zero = jax.devices()[1], jax.devices()[0]
found = {}

@jax.jit
def f(x):
    return x + 1
with observe() as ledger:
    f(jnp.ones(3)); f(jnp.ones(8)); explained()
    f(jax.device_put(jnp.ones(8), NamedSharding(mesh, P("i"))))
found["row b"] = explained(), told(ledger["f"])[2:]

@jax.jit
def g(x):
    return x + 1
x = jnp.ones(3)
with observe() as ledger:
    g(jax.device_put(x, one)); explained()
    g(jax.device_put(x, zero))
    g(x)
found["row c"] = explained(), told(ledger["g"])[1:]

@jax.jit
def h(x):
    return x + 1
with observe() as ledger:
    for sharding in (NamedSharding(square, P("i")), NamedSharding(square, P("i", "j")), NamedSharding(square, P())):
        h(jax.device_put(jnp.ones((8, 8)), sharding))
found["sharding"] = explained(), told(ledger["h"])

@jax.jit
def m(x):
    return x + 1
with observe() as ledger:
    m(x)
    with jax.set_mesh(mesh):
        m(x)
    with jax.set_mesh(square):
        m(x)
found["mesh"] = explained(), told(ledger["m"])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the messages of JAX's explainer and the ledger in a process with eight devices."""
    script = tmp_path_factory.mktemp("devices") / "script.py"
    script.write_text(DEVICES)
    process = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, env=environment()
    )
    results: dict[str, Any] = json.loads(process.stdout)
    return results


def environment() -> dict[str, str]:
    root = str(Path(__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}


ONE_SHARDING = "Give the argument one sharding every time, with jax.device_put before the calls."
ONE_DEVICE = "Keep the argument on one device, or expect one compile for each device."


def test_row_b_a_sharding_and_the_shape_it_belongs_to(devices: dict[str, Any]) -> None:
    (explained,), reasons_told = devices["row b"]
    assert "before f32[3]" in explained
    before, after = "on cpu:0", "P('i',) over i=8"
    assert reasons_told == [
        [
            "compiled",
            [["sharding", f"The sharding of x changed: {before} -> {after}.", "x", before, after, ONE_SHARDING]],
        ]
    ]


def test_row_c_another_device(devices: dict[str, Any]) -> None:
    explained, reasons_told = devices["row c"]
    assert explained == []
    text = "The value of x is no longer committed to cpu:0."
    cure = "Commit the array in every call or in no call: jax.device_put with a device commits an array."
    assert reasons_told == [
        [
            "compiled",
            [
                [
                    "committed",
                    ("The device of x changed from cpu:1 to cpu:0, to which x is committed."),
                    "x",
                    "cpu:1",
                    "cpu:0",
                    ONE_DEVICE,
                ]
            ],
        ],
        ["compiled", [["committed", text, "x", "committed", "not committed", cure]]],
    ]


def test_sharding(devices: dict[str, Any]) -> None:
    _, reasons_told = devices["sharding"]
    rows, by_both, copies = "P('i',) over i=4, j=2", "P('i', 'j') over i=4, j=2", "P() over i=4, j=2"
    assert reasons_told == [
        ["compiled", [["first_call", "This is the first call of h.", None, None, None, None]]],
        [
            "compiled",
            [["sharding", f"The sharding of x changed: {rows} -> {by_both}.", "x", rows, by_both, ONE_SHARDING]],
        ],
        [
            "compiled",
            [
                [
                    "sharding",
                    f"The sharding of x changed: {by_both} -> {copies}.",
                    "x",
                    by_both,
                    copies,
                    ONE_SHARDING,
                ]
            ],
        ],
    ]


def test_mesh(devices: dict[str, Any]) -> None:
    _, reasons_told = devices["mesh"]
    cure = "Set the mesh once, before the first call."
    assert reasons_told[1:] == [
        ["compiled", [["config", "The mesh changed from none to i=8.", "mesh", "none", "i=8", cure]]],
        ["compiled", [["config", "The mesh changed from i=8 to i=4, j=2.", "mesh", "i=8", "i=4, j=2", cure]]],
    ]
