"""Tests the reasons and cures for functions that each iteration defines anew, and that read outer variables."""

from __future__ import annotations

import importlib
import random
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger

ROW = np.arange(3, dtype=np.float32)
SCALE = 1.0
ONCE = "Make the function once, before the loop: JAX caches by function object, not by code."
PAD = "Pad the array to one shape, or expect one compile for each shape."


def told(ledger: Ledger, name: str) -> list[tuple[str, str | None]]:
    """Return text and cure of each reason after the first call; the line of the def is removed from the text."""
    line = f" from line {ledger[name].line}"
    return [(reason.text.replace(line, ""), reason.cure) for miss in ledger[name].misses[1:] for reason in miss.reasons]


def test_a_function_that_reads_the_variable_of_the_loop() -> None:
    with observe() as ledger:
        for i in range(3):
            jax.jit(lambda x: x + i)(ROW)  # noqa: B023
    cure = "Pass i to lambda as an argument, and make lambda once. Make i static if lambda needs a Python value."
    assert told(ledger, "<lambda>") == [
        ("This is the second function object of lambda: lambda reads i from outside, and i changed from 0 to 1.", cure),
        ("This is the third function object of lambda: lambda reads i from outside, and i changed from 1 to 2.", cure),
    ]
    cured = jax.jit(lambda x, i: x + i)
    with observe() as ledger:
        for i in range(3):
            np.testing.assert_array_equal(cured(ROW, i), ROW + i)
    assert len(ledger["<lambda>"].misses) == 1


def test_a_function_that_reads_nothing_that_changes() -> None:
    weights = jnp.ones(3)
    with observe() as ledger:
        for _ in range(2):
            jax.jit(lambda x: x * weights + SCALE)(ROW)
    assert told(ledger, "<lambda>") == [
        (("This is the second function object of lambda. Move the jit out of the loop."), ONCE)
    ]


def test_a_function_that_each_call_of_another_makes() -> None:
    def train(n: int) -> Any:
        @jax.jit
        def one(x: Any) -> Any:
            return x + n

        return one(ROW)

    def searched(limit: int) -> Any:
        for _ in range(limit):
            total = jax.jit(lambda x: x - 1)(ROW)
        return total

    with observe() as ledger:
        train(1)
        train(1)
        searched(2)
    assert told(ledger, "one") == [
        (
            "This is the second function object of one: a call of train made a new function object.",
            "Make the function once, outside of train: JAX caches by function object, not by code. "
            "Pass n to the function as an argument.",
        )
    ]
    assert told(ledger, "<lambda>") == [
        (("This is the second function object of lambda. Move the jit out of the loop."), ONCE)
    ]


def test_a_function_that_is_made_anew_without_a_loop() -> None:
    def power(x: Any) -> Any:
        return x**2

    with observe() as ledger:
        first, second = jax.jit(jax.vmap(power)), jax.jit(jax.vmap(power))
        first(ROW), second(ROW)
        while len(ledger["power"].misses) < 4:
            jax.jit(jax.vmap(power))(ROW)
    expected_text = "Keep the function in a variable: JAX caches by function object, not by code."
    assert told(ledger, "power") == [
        ("This is the second function object of jax.vmap(power). Make the function once.", expected_text),
        ("This is the third function object of jax.vmap(power). Move the jit out of the loop.", ONCE),
        ("This is the fourth function object of jax.vmap(power). Move the jit out of the loop.", ONCE),
    ]


def test_a_shape_that_changed_too_is_told_beside_the_function() -> None:
    with observe() as ledger:
        for n in (3, 4):
            jax.jit(lambda x: x * 2)(np.ones(n, np.float32))
    assert told(ledger, "<lambda>") == [
        ("This is the second function object of lambda. Move the jit out of the loop.", ONCE),
        ("The type of x changed from f32[3] to f32[4].", PAD),
    ]


def test_a_factory_that_is_given_another_value() -> None:
    def make(factor: float) -> Any:
        @jax.jit
        def scaled(x: Any) -> Any:
            return x * factor

        return scaled

    with observe() as ledger:
        for factor in (1.0, 2.0):
            make(factor)(ROW)
    assert told(ledger, "scaled") == [
        (
            (
                "This is the second function object of scaled: scaled reads factor from outside, and factor "
                "changed from 1.0 to 2.0."
            ),
            "Pass factor to scaled as an argument, and make scaled once. "
            "Make factor static if scaled needs a Python value.",
        )
    ]


def test_a_default_value_and_a_global_are_read_from_outside_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with observe() as ledger:
        for k in range(2):
            jax.jit(lambda x, k=k: x + k)(ROW)
        for scale in (3.0, 4.0):
            monkeypatch.setitem(globals(), "SCALE", scale)

            @jax.jit
            def scaled(x: Any) -> Any:
                return x * SCALE

            scaled(ROW)
    assert [text for text, _ in told(ledger, "<lambda>")] == [
        "This is the second function object of lambda: the default value of k changed from 0 to 1."
    ]
    assert [text for text, _ in told(ledger, "scaled")] == [
        (
            "This is the second function object of scaled: scaled reads SCALE from outside, and SCALE changed "
            "from 3.0 to 4.0."
        )
    ]


def test_a_function_of_the_loop_that_the_jitted_one_calls() -> None:
    with observe() as ledger:
        for k in range(2):

            def helper(x: Any) -> Any:
                return x * k  # noqa: B023

            def unchanged(x: Any) -> Any:
                return x + 1

            @jax.jit
            def outer(x: Any) -> Any:
                return helper(unchanged(x))

            outer(ROW)
    assert [text for text, _ in told(ledger, "outer")] == [
        "This is the second function object of outer: outer reads k from outside, and k changed from 0 to 1."
    ]


def test_another_array_and_an_object_that_may_have_changed() -> None:
    class Config:
        rate = 0.1

    config, weights = Config(), jnp.ones(3)
    with observe() as ledger:
        for _ in range(2):
            step = jax.jit(lambda x: x - config.rate * weights)  # noqa: B023
            weights = step(weights)
        for _ in range(2):

            @jax.jit
            def moved(x: Any) -> Any:
                return x - config.rate

            moved(ROW)
    assert told(ledger, "<lambda>") == [
        (
            (
                "This is the second function object of lambda: lambda reads weights from outside, and weights is "
                "another array."
            ),
            "Pass weights to lambda as an argument, and make lambda once.",
        )
    ]
    assert told(ledger, "moved") == [
        (
            "This is the second function object of moved. Move the jit out of the loop.",
            f"{ONCE} If the contents of config change between the calls, pass the contents as arguments.",
        )
    ]


def test_a_transformed_function_that_reads_the_variable_of_the_loop() -> None:
    with observe() as ledger:
        for k in range(2):

            def loss(p: Any) -> Any:
                return (p * k).sum()  # noqa: B023

            jax.jit(jax.grad(loss))(ROW)
    assert [text for text, _ in told(ledger, "loss")] == [
        "This is the second function object of jax.grad(loss): loss reads k from outside, and k changed from 0 to 1."
    ]


def test_the_body_of_a_scan_that_reads_the_variable_of_the_loop() -> None:
    with observe() as ledger:
        for k in range(2):

            def step(carry: Any, x: Any) -> Any:
                return carry + k, x  # noqa: B023

            jax.lax.scan(step, 0, np.arange(3))
    assert told(ledger, "scan(step)") == [
        (
            (
                "JAX traced and compiled the scan again: step is a new function object that reads k from outside, "
                "and k changed from 0 to 1."
            ),
            "Pass k as a part of the carry, and define step once.",
        )
    ]


def test_a_function_within_a_transformation_is_no_new_function() -> None:
    mesh = jax.make_mesh((1,), ("d",))
    spec = jax.sharding.PartitionSpec()

    def body(x: Any) -> Any:
        return x * 2

    with observe() as ledger:
        jax.jit(body)(ROW)
        jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec))(ROW)
        jax.jit(jax.jacfwd(body))(ROW)
    assert told(ledger, "body") == [
        ("This is the first call of jax.shard_map(body).", None),
        ("This is the first call of jax.jacfwd(body).", None),
    ]


STEPS = """\
import jax

@jax.jit
def step(x):
    return x + 1
"""


def test_a_module_that_was_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "steps_of_mine.py"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file.write_text(STEPS)
    with observe() as ledger:
        module = importlib.import_module(file.stem)
        module.step(ROW)
        importlib.reload(module).step(ROW)
    expected_text = "Python loaded steps_of_mine.py again, by a reload or by %run, so step is a new function object."
    cure = "Expect one compile of step for each time that Python loads steps_of_mine.py."
    assert told(ledger, "step") == [(f"{expected_text} The code of step did not change.", cure)]
    for text, change in (
        (f"# A line more\n{STEPS}", "The code of step did not change."),
        (f"# A line more\n{STEPS.replace('x + 1', 'x + 2')}", "The code of step changed."),
    ):
        file.write_text(text)
        with observe() as ledger:
            importlib.reload(module).step(np.ones(4, np.float32))
        reasons = [(reason.kind, reason.text) for reason in ledger["step"].misses[-1].reasons]
        assert reasons == [("reloaded", f"{expected_text} {change}")]
    monkeypatch.delitem(sys.modules, file.stem)


def test_one_function_that_is_wrapped_again_was_not_loaded_again() -> None:
    with observe() as ledger:
        for _ in range(2):
            jax.jit(jax.vmap(doubled))(ROW)
    assert told(ledger, "doubled") == [
        ("This is the second function object of jax.vmap(doubled). Move the jit out of the loop.", ONCE)
    ]


def doubled(x: Any) -> Any:
    return x * 2


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return x * self.factor


def test_an_object_that_is_called_and_holds_another_value() -> None:
    with observe() as ledger:
        for factor in (1.0, 2.0):
            jax.jit(Scaler(factor))(ROW)
    assert told(ledger, "Scaler") == [
        (
            (
                "This is the second function object of Scaler: Scaler reads self.factor from outside, and "
                "self.factor changed from 1.0 to 2.0."
            ),
            "Pass self.factor to Scaler as an argument, and make Scaler once. "
            "Make self.factor static if Scaler needs a Python value.",
        )
    ]


def test_text_that_is_executed_again_is_in_no_loop() -> None:
    text = "@jax.jit\ndef executed(x):\n    return x + 1\nexecuted(x)"
    with observe() as ledger:
        for _ in range(2):
            exec(text, {"jax": jax, "x": ROW})
    assert told(ledger, "executed") == [
        (
            "This is the second function object of executed. Make the function once.",
            "Keep the function in a variable: JAX caches by function object, not by code.",
        )
    ]


CONFIG = {"rate": 1.0}


def rated(x: Any) -> Any:
    return x * CONFIG["rate"]


def rated_twice(x: Any) -> Any:
    return rated(rated(x))


class Layer:
    factor = 1.0

    def __init__(self) -> None:
        self.training = True

    def forward(self, x: Any) -> Any:
        return x * 2 if self.training else x

    def scaled(self, x: Any) -> Any:
        return x * self.factor

    @staticmethod
    def rated(x: Any) -> Any:
        return rated(x)


def changed_value(name: str, before: Any, after: Any, function: str = "lambda") -> list[tuple[str, str]]:
    """Return the expected text and cure of the second function object of a lambda that reads a changed value."""
    return [
        (
            f"This is the second function object of {function}: {function} reads {name} from outside, and {name} "
            f"changed from {before} to {after}.",
            f"Pass {name} to {function} as an argument, and make {function} once. Make {name} static if {function} "
            "needs a Python value.",
        )
    ]


def test_a_dict_that_a_called_function_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    for call in (lambda: jax.jit(lambda x: rated_twice(x))(ROW), lambda: jax.jit(lambda x: Layer.rated(x))(ROW)):
        with observe() as ledger:
            for rate in (1.0, 2.0):
                monkeypatch.setitem(CONFIG, "rate", rate)
                call()
        assert told(ledger, "<lambda>") == changed_value("CONFIG['rate']", 1.0, 2.0)
    with observe() as ledger:
        for _ in range(2):
            jax.jit(lambda x: rated_twice(x))(ROW)
    assert told(ledger, "<lambda>") == [
        (
            "This is the second function object of lambda. Move the jit out of the loop.",
            f"{ONCE} If the contents of CONFIG change between the calls, pass the contents as arguments.",
        )
    ]


def test_attributes_that_methods_and_classes_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = Layer()

    def applied(x: Any) -> Any:
        return layer.forward(x)

    with observe() as ledger:
        for training in (True, False):
            layer.training = training
            jax.jit(lambda x: applied(x))(ROW)
    assert told(ledger, "<lambda>") == changed_value("self.training in Layer.forward", True, False)
    with observe() as ledger:
        for factor in (1.0, 3.0):
            monkeypatch.setattr(Layer, "factor", factor)
            jax.jit(lambda x: x * Layer.factor)(ROW)
    assert told(ledger, "<lambda>") == changed_value("Layer.factor", 1.0, 3.0)
    with observe() as ledger:
        for factor in (3.0, 4.0):
            monkeypatch.setattr(Layer, "factor", factor)
            jax.jit(layer.scaled)(ROW)
    assert told(ledger, "scaled") == [
        (
            "This is another jit of the method scaled of the same object. The earlier jitted function no longer "
            "exists, and JAX dropped the cache entries of the function. scaled reads self.factor from outside, and "
            "self.factor changed from 3.0 to 4.0.",
            "Pass self.factor to scaled as an argument, and make scaled once. Make self.factor static if scaled needs "
            "a Python value.",
        )
    ]


def test_a_variable_of_an_enclosing_function_that_a_called_function_reads() -> None:
    step = 0

    def shifted(x: Any) -> Any:
        return x + step

    def advance() -> None:
        nonlocal step
        step += 1

    with observe() as ledger:
        for _ in range(2):
            jax.jit(lambda x: shifted(x))(ROW)
            advance()
    assert told(ledger, "<lambda>") == changed_value("step", 0, 1)


def test_a_default_value_that_changes_in_place_and_the_random_numbers_of_python() -> None:
    def shifted(x: Any, by: Any = [1.0]) -> Any:  # noqa: B006
        return x + by[0]

    with observe() as ledger:
        for _ in range(2):
            jax.jit(lambda x: shifted(x))(ROW)
    assert told(ledger, "<lambda>") == [
        (
            "This is the second function object of lambda. Move the jit out of the loop.",
            f"{ONCE} If the contents of by change between the calls, pass the contents as arguments.",
        )
    ]
    with observe() as ledger:
        for _ in range(2):
            jax.jit(lambda x: x * random.random())(ROW)
    assert told(ledger, "<lambda>") == [
        (
            "This is the second function object of lambda. Move the jit out of the loop.",
            f"{ONCE} If the values of random.random() change between the calls, pass the values as arguments.",
        )
    ]


class Energy:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def loss(self, x: Any) -> Any:
        return (x * self.rate).sum()


def test_the_gradient_of_a_method_of_another_object() -> None:
    first, second = Energy(1.0), Energy(2.0)
    with observe() as ledger:
        for energy in (first, second):
            jax.jit(jax.grad(energy.loss))(ROW)
        jax.jit(jax.grad(second.loss))(ROW)
    assert told(ledger, "loss") == [
        (
            "This is the second function object of jax.grad(loss): loss is a method of another object. loss reads "
            "self.rate from outside, and self.rate changed from 1.0 to 2.0.",
            "Keep one jitted function for each object, or jit a function with the object as an argument.",
        ),
        (
            "This is the third function object of jax.grad(loss). Make the function once.",
            "Keep the function in a variable: JAX caches by function object, not by code. Pass attributes of the "
            "object that change as arguments, because the program keeps the attributes that the method read when JAX "
            "traced the method.",
        ),
    ]


def test_a_value_that_returns_to_an_earlier_one_is_still_an_argument() -> None:
    def sums(n: int) -> Any:
        def add(carry: Any, x: Any) -> Any:
            return carry + n * x, x

        return jax.jit(lambda x: jax.lax.scan(add, 0.0, x)[0])

    with observe() as ledger:
        for i in (1, 2, 1):
            jax.jit(lambda x: x + i)(ROW)  # noqa: B023
    assert told(ledger, "<lambda>")[1:] == [
        (
            "This is the third function object of lambda. Move the jit out of the loop.",
            f"{ONCE} Pass i to the function as an argument.",
        )
    ]
    with observe() as ledger:
        for n in (1, 2, 1):
            sums(n)(ROW)
    assert told(ledger, "<lambda>")[1:] == [
        (
            "This is the third function object of lambda: a call of sums made a new function object.",
            "Make the function once, outside of sums: JAX caches by function object, not by code. Pass n to the "
            "function as an argument.",
        )
    ]


def test_a_function_or_an_object_as_an_argument_is_static() -> None:
    with observe() as ledger:
        for activation in (lambda x: x, lambda x: -x):
            jax.jit(lambda x: activation(x))(ROW)  # noqa: B023
    assert told(ledger, "<lambda>") == [
        (
            "This is the second function object of lambda: lambda reads activation from outside, and activation is "
            "another function object.",
            "Pass activation to lambda as an argument, and make lambda once. Make activation static, because JAX "
            "cannot trace a function as an argument.",
        )
    ]
    with observe() as ledger:
        for layer in (Layer(), Layer()):
            jax.jit(lambda x: layer.forward(x))(ROW)  # noqa: B023
    assert told(ledger, "<lambda>") == [
        (
            "This is the second function object of lambda: lambda reads layer from outside, and layer is another Layer "
            "object.",
            "Pass layer to lambda as an argument, and make lambda once. As an argument, layer must be a pytree of "
            "arrays, or static and hashable.",
        )
    ]
