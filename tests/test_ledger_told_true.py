"""Tests calls for which the obvious reason would be false; the ledger states the true outcome and reason."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger

ROW = np.arange(3, dtype=np.float32)
ONE_PLACE = "with jax.device_put before the call."


def told(ledger: Ledger, name: str) -> list[tuple[str, str, str | None]]:
    """Return outcome, reasons and cures of each miss."""
    return [
        (
            miss.outcome,
            "; ".join(map(str, miss.reasons)),
            " ".join(reason.cure for reason in miss.reasons if reason.cure) or None,
        )
        for miss in ledger[name].misses
    ]


def test_a_committed_array_after_one_of_numpy_is_compiled_and_said_to_be() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(ROW)
        f(jax.device_put(ROW, jax.devices()[0]))
        f(jnp.asarray(ROW))
    slower = "JAX compiled nothing. To avoid the slower call, pass x as a jax.Array in every call."
    assert told(ledger, "f") == [
        ("compiled", "This is the first call of f.", None),
        (
            "compiled",
            "The value of x changed from a NumPy array to a jax.Array (committed to cpu:0).",
            f"Put x on the same devices every time, {ONE_PLACE}",
        ),
        ("dispatch_only", "The class of x changed from numpy to jax.Array; the type f32[3] is the same.", slower),
    ]


SHARDED = """
import json
import jax, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
from jupyter_jaxpr import observe

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("d",))
row = np.arange(8, dtype=np.float32)

@jax.jit
def f(x):
    return x + 1

with observe() as ledger:
    f(row)
    f(jax.device_put(row, NamedSharding(mesh, P("d"))))
    f(jax.device_put(row, jax.devices()[1]))
    f(jax.numpy.asarray(row))
print(json.dumps([[miss.outcome, *map(str, miss.reasons)] for miss in ledger["f"].misses]))
"""


def test_a_sharded_array_after_one_of_numpy(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SHARDED)
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    process = subprocess.run(
        [sys.executable, script], env={**os.environ, **flags}, capture_output=True, text=True, check=True
    )
    assert json.loads(process.stdout) == [
        ["compiled", "This is the first call of f."],
        ["compiled", "The value of x changed from a NumPy array to a jax.Array (P('d',) over d=2)."],
        ["compiled", "The sharding of x changed: P('d',) over d=2 -> on cpu:1."],
        ["dispatch_only", "The class of x changed from numpy to jax.Array; the type f32[8] is the same."],
    ]


COMMITTED = """
import json
import jax
from jax.sharding import NamedSharding, PartitionSpec as P
from jupyter_jaxpr import observe

mesh = jax.make_mesh((4,), ("d",))
x = jax.numpy.ones(8)
f = jax.jit(lambda x: x + 1)
with observe() as ledger:
    f(x)
    f(jax.device_put(x, NamedSharding(mesh, P("d"))))
    f(jax.device_put(x, jax.devices()[1]))
    f(jax.device_put(x, jax.devices()[0]))
    f(jax.device_put(x, jax.devices()[2]))
print(json.dumps([[miss.outcome, *map(str, miss.reasons)] for miss in ledger["<lambda>"].misses]))
"""


@pytest.mark.any_jax
def test_an_array_that_is_only_committed_is_closer_than_one_on_other_devices(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(COMMITTED)
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    process = subprocess.run(
        [sys.executable, script], env={**os.environ, **flags}, capture_output=True, text=True, check=True
    )
    assert json.loads(process.stdout) == [
        ["compiled", "This is the first call of <lambda>."],
        ["compiled", "The sharding of x changed: on cpu:0 -> P('d',) over d=4."],
        ["compiled", "The device of x changed from cpu:0 to cpu:1, to which x is committed."],
        ["compiled", "The value of x is now committed to cpu:0."],
        ["compiled", "The device of x changed from cpu:0 to cpu:2, to which x is committed."],
    ]


def test_numbers_of_another_kind() -> None:
    @jax.jit
    def f(x: Any, s: Any) -> Any:
        return x * s

    with observe() as ledger:
        f(ROW, 2)
        f(ROW, 2.5)
    assert told(ledger, "f")[1] == (
        "compiled",
        "The type of s changed from weak i32[] (a Python int) to weak f32[] (a Python float).",
        "Pass s as one kind of number every time, such as float(s).",
    )


def test_a_raw_key_after_a_typed_one() -> None:
    @jax.jit
    def draw(key: Any) -> Any:
        return jax.random.normal(key)

    with observe() as ledger:
        draw(jax.random.key(0))
        draw(jax.random.PRNGKey(0))
    assert told(ledger, "draw")[1] == (
        "compiled",
        "The type of key changed from key<fry>[] to u32[2].",
        "Make all random keys with one function: jax.random.key makes typed keys, jax.random.PRNGKey makes raw keys.",
    )


def test_lambdas_of_one_line_are_not_one_lambda() -> None:
    with observe() as ledger:
        for _ in range(2):
            jax.jit(lambda x: x + 1)(ROW), jax.jit(lambda x: x * 2)(ROW)
    line = ledger["<lambda>"].line
    move = "Move the jit out of the loop."
    assert [str(miss.reasons[0]) for miss in ledger["<lambda>"].misses] == [
        "This is the first call of <lambda>.",
        f"This is the first call of another lambda from line {line}.",
        f"This is the second function object of lambda from line {line}. {move}",
        f"This is the second function object of lambda from line {line}. {move}",
    ]


def test_a_transformation_with_other_options_is_another_function() -> None:
    def power(x: Any, n: Any) -> Any:
        return x**n

    with observe() as ledger:
        for axes in ((0, None), (0, 0)):
            jax.jit(jax.vmap(power, in_axes=axes))(ROW, ROW if axes[1] == 0 else 2.0)
        jax.jit(jax.vmap(power, in_axes=(0, None)))(ROW, 2.0)
        for argnums in (0, 1):
            jax.jit(jax.grad(power, argnums=argnums))(2.0, 3.0)
    line = ledger["power"].line
    assert [str(miss.reasons[0]) for miss in ledger["power"].misses] == [
        "This is the first call of power.",
        f"This is the first call of another jax.vmap(power) from line {line}.",
        f"This is the second function object of jax.vmap(power) from line {line}. Make the function once.",
        "This is the first call of jax.grad(power).",
        "This is the first call of jax.grad(power, argnums=1).",
    ]


def test_a_function_after_partials_of_it() -> None:
    """Based on an example in JAX's documentation: a new partial compiles at each iteration, the function only once."""

    def body(i: Any) -> Any:
        return i + 1

    with observe() as ledger:
        for i in range(2):
            jax.jit(functools.partial(body))(i)
        for i in range(2):
            jax.jit(body)(i)
    expected_text = "This is another partial of body that binds the same values."
    assert [(miss.outcome, str(miss.reasons[0])) for miss in ledger["body"].misses] == [
        ("compiled", "This is the first call of body."),
        ("compiled", expected_text),
        ("compiled", "This is the first call of body itself."),
    ]


def test_the_first_call_that_did_not_raise_is_not_the_first_call() -> None:
    @jax.jit
    def product(x: Any, y: Any) -> Any:
        return x @ y

    with observe() as ledger:
        with contextlib.suppress(TypeError):
            product(jnp.ones((2, 3)), jnp.ones((2, 3)))
        product(jnp.ones((2, 3)), jnp.ones((3, 2)))
    assert told(ledger, "product") == [
        ("raised", "", None),
        ("compiled", "This is the first call of product that did not raise an error.", None),
    ]


def test_the_first_call_outside_of_another_function_is_not_the_first_call() -> None:
    @jax.jit
    def inner(x: Any) -> Any:
        return jnp.sin(x)

    @jax.jit
    def outer(x: Any) -> Any:
        return inner(x)

    with observe() as ledger:
        outer(1.0)
        inner(1.0)
    assert told(ledger, "inner") == [
        ("inlined", "", None),
        ("compiled", "This is the first call of inner outside of the trace of another function.", None),
    ]


def test_what_raised_and_was_caught_has_no_program(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    return 1 / 0\n\ntry:\n    f(x)\nexcept ZeroDivisionError:\n    pass"
    )
    assert ran.document["message"] == (
        "The call of f raised an error, and the cell caught the error, so no program is known. Remove the code that "
        "catches the error, and run the cell again to see the error."
    )


def test_what_jax_traces_for_itself_was_not_traced_by_the_user(notebook: Notebook) -> None:
    notebook.run("from jax.experimental import sparse\nM = sparse.BCOO.fromdense(jnp.eye(8))\ny = M @ x")
    ran = notebook.run("%%jaxpr --no-trace\nM2 = sparse.BCOO.fromdense(jnp.eye(8) * 2)\ny = M2.T @ x")
    assert [(program["name"], program["origin"]) for program in ran.document["programs"]] == [("cell [3]", "recorded")]
    assert ran.document["message"] is None
    assert ran.document["programs"][0]["origin_note"].endswith(
        " The cell called no jitted function of yours. Call a function under @jax.jit in the cell, end the cell with a "
        "call such as f(x), or write %%jaxpr f(x) or %%jaxpr f(f32[8])."
    )
    assert [
        function
        for function in ran.document["ledger"]["functions"]
        if function["run"]["misses"] or function["run"]["traces"]
    ] == []


def test_a_list_of_an_option_may_have_blanks(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --transform grad, vmap\n@jax.jit\ndef f(x):\n    return (x * x).sum()\n\nf(x)")
    assert ran.result.error_in_exec is None
    assert [transform["kind"] for transform in ran.document["transforms"]] == ["grad", "vmap"]


def reasons(ledger: Ledger, name: str) -> list[str]:
    """Return the first reason of each miss."""
    return [str(miss.reasons[0]) for miss in ledger[name].misses]


def test_functions_of_a_factory_are_made_by_its_calls() -> None:
    def make() -> Any:
        @jax.jit
        def scaled(x: Any) -> Any:
            return x * 2

        return scaled

    with observe() as ledger:
        first, second = make(), make()
        first(ROW)
        second(ROW)
        for _ in range(2):
            make()(ROW)
    line = ledger["scaled"].line
    assert reasons(ledger, "scaled") == [
        "This is the first call of scaled.",
        *(
            f"This is the {which} function object of scaled from line {line}: a call of make made a new function "
            "object."
            for which in ("second", "third", "fourth")
        ),
    ]


class Model:
    def step(self, x: Any) -> Any:
        return x + 1


def test_a_method_is_jitted_again_after_its_jitted_function_was_deleted() -> None:
    """JAX finds the entries of an equal method, but drops the entries when the earlier method object is deleted."""
    first, second = Model(), Model()
    with observe() as ledger:
        for model in (first, second, first):
            jax.jit(model.step)(ROW)
    line = ledger["step"].line
    another = f"This is another method step from line {line}: each object.step is a function object of its own."
    cure = "Jit the method once and keep the jitted function, or jit a function with the object as an argument."
    assert told(ledger, "step") == [
        ("compiled", "This is the first call of step.", None),
        ("compiled", another, cure),
        (
            "compiled",
            f"This is another jit of the method step from line {line} of the same object. The earlier jitted function "
            "no longer exists, and JAX dropped the cache entries of the function.",
            "Jit the method once, and keep the jitted function in a variable. Pass attributes of the object that "
            "change as arguments, because the program keeps the attributes that the method read when JAX traced the "
            "method.",
        ),
    ]


class Layer(eqx.Module):
    w: jax.Array
    activation: Any


def test_static_leaves_of_an_equinox_module() -> None:
    """The lambdas have the same repr in all calls, but are different functions."""

    @eqx.filter_jit
    def forward(layer: Layer) -> Any:
        return layer.activation(layer.w)

    with observe() as ledger:
        for activation in (lambda w: w + 1, lambda w: w * 2, jnp.tanh):
            forward(Layer(jnp.asarray(ROW), activation))
    text_of_lambda = "test_static_leaves_of_an_equinox_module.<locals>.<lambda>"
    assert told(ledger, "forward") == [
        ("compiled", "This is the first call of forward.", None),
        (
            "compiled",
            "The static value layer.activation is another function, with other code.",
            "Expect one compile for each function with other code.",
        ),
        (
            "compiled",
            f"The static value layer.activation changed from <{text_of_lambda}> to <tanh>.",
            "Pass the same value for layer.activation in every call, or expect one compile for each value.",
        ),
    ]


def test_what_is_around_a_function_in_filter_jit() -> None:
    def norm(x: Any) -> Any:
        return (x * x).sum()

    x = jnp.asarray(ROW)
    with observe() as ledger:
        for wrap in (lambda f: f, eqx.filter_vmap, eqx.filter_grad):
            eqx.filter_jit(wrap(norm))(x if wrap is not eqx.filter_vmap else x[None])
    assert reasons(ledger, "norm") == [
        "This is the first call of norm.",
        "This is the first call of equinox.filter_jit(equinox.filter_vmap(norm)).",
        "This is the first call of equinox.filter_jit(equinox.filter_grad(norm)).",
    ]


def test_another_precision_of_all_numbers_is_not_cured_by_a_conversion() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(np.int64(1))
        with jax.enable_x64(True):
            f(np.int64(1))
    advice = "Set jax_enable_x64 once, before the first call."
    assert told(ledger, "f")[1:] == [
        (
            "compiled",
            "The type of x changed from i32[] to i64[].; The setting jax_enable_x64 changed from False to True.",
            advice,
        )
    ]


ORDER = """
import json
import jax, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
from jupyter_jaxpr import observe

row = np.arange(8, dtype=np.float32)
mesh, reverse = (jax.sharding.Mesh(np.array(devices), ("d",)) for devices in (jax.devices(), jax.devices()[::-1]))
placed = [
    jax.device_put(row, sharding)
    for sharding in (
        NamedSharding(mesh, P("d")),
        NamedSharding(reverse, P("d")),
        NamedSharding(mesh, P("d"), memory_kind="pinned_host"),
        NamedSharding(mesh, P("d"), memory_kind="unpinned_host"),
    )
]
f = jax.jit(lambda x: x + 1)
with observe() as ledger:
    for x in placed:
        f(x)
print(json.dumps([[miss.outcome, *map(str, miss.reasons)] for miss in ledger["<lambda>"].misses]))
"""


@pytest.mark.any_jax
def test_a_sharding_that_differs_in_the_order_of_its_devices_or_its_memory(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(ORDER)
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    process = subprocess.run(
        [sys.executable, script], env={**os.environ, **flags}, capture_output=True, text=True, check=True
    )
    over = "P('d',) over d=2"
    assert json.loads(process.stdout) == [
        ["compiled", "This is the first call of <lambda>."],
        ["compiled", f"The sharding of x changed: {over}, devices 0, 1 -> {over}, devices 1, 0."],
        ["compiled", f"The sharding of x changed: {over} -> {over} in pinned_host."],
        ["compiled", f"The sharding of x changed: {over} in pinned_host -> {over}."],
    ]
