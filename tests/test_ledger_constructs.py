"""Tests the reasons for misses of constructs outside of jit: they name the passed function that is a new object."""

from __future__ import annotations

import gc
import weakref
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger

BY_OBJECT = "JAX caches by function object."
ROW = np.arange(3, dtype=np.float32)


def told(ledger: Ledger, name: str) -> list[tuple[str, str | None]]:
    """Return text and cure of each reason after the first call."""
    return [(reason.text, reason.cure) for miss in ledger[name].misses[1:] for reason in miss.reasons]


def one_more(x: Any) -> Any:
    return x + 1


def one_less(x: Any) -> Any:
    return x - 1


def test_the_branches_of_a_comprehension_are_new_in_each_call() -> None:
    with observe() as ledger:
        for index in range(2):
            lax.switch(index, [lambda x, k=k: x * k for k in range(3)], 1.0)
    assert told(ledger, "switch(<lambda>, <lambda>, <lambda>)") == [
        (
            "JAX traced and compiled the switch again: each <lambda> is a new function object.",
            f"Give each lambda a name outside of the code that calls switch: {BY_OBJECT}",
        )
    ]


def test_the_advice_names_the_argument_that_changed_and_not_the_carry_that_jax_converted() -> None:
    def add(total: Any, x: Any) -> Any:
        return total + x, None

    with observe() as ledger:
        lax.scan(add, 0.0, ROW)
        lax.scan(add, 0.0, ROW.astype(jax.numpy.bfloat16))
        lax.scan(add, np.float32(0), ROW)
    assert told(ledger, "scan(add)") == [
        (
            "The type of carry changed from weak f32[] to bf16[]. JAX converts a carry that begins with a weak type to "
            "the type that the body returns.",
            None,
        ),
        (
            "The type of xs changed from f32[3] to bf16[3].",
            "Convert xs to one dtype before each call, for example with xs.astype(...).",
        ),
        (
            "The type of carry changed from weak f32[] to f32[].",
            "Pass carry as one kind of value every time, such as jnp.asarray(carry, dtype=...).",
        ),
    ]


def test_a_branch_that_stays_is_not_named() -> None:
    with observe() as ledger:
        for _ in range(2):
            lax.cond(True, one_more, lambda x: x - 1, 1.0)
    assert told(ledger, "cond(one_more, <lambda>)") == [
        (
            "JAX traced and compiled the cond again: <lambda> is a new function object.",
            f"Give the lambda a name outside of the code that calls cond: {BY_OBJECT}",
        )
    ]


def test_branches_that_are_other_functions_than_in_the_closest_call() -> None:
    def made(k: int) -> Any:
        return lambda x: x * k

    ones = [lambda x: x, lambda x: -x, made(1)]
    with observe() as ledger:
        for branches in (ones, [*ones[:2], made(1)], [ones[0], ones[0], made(1)]):
            lax.switch(0, branches, 1.0)
    assert [text for text, _ in told(ledger, "switch(<lambda>, <lambda>, <lambda>)")] == [
        "JAX traced and compiled the switch again: <lambda> is a new function object.",
        "JAX traced and compiled the switch again: each <lambda> is a new function object.",
    ]


def test_branches_that_read_another_value() -> None:
    with observe() as ledger:
        for i in range(2):
            lax.cond(True, lambda x: x + i, lambda x: x - i, 1.0)  # noqa: B023
            lax.switch(0, [lambda x, k=k: x * k for k in (5, i)], 1.0)
    assert told(ledger, "cond(<lambda>, <lambda>)") == [
        (
            "JAX traced and compiled the cond again: <lambda> is a new function object that reads i from outside, and "
            "i changed from 0 to 1.",
            "Pass i as an operand, and define the lambdas once.",
        )
    ]
    assert told(ledger, "switch(<lambda>, <lambda>)") == [
        (
            "JAX traced and compiled the switch again: <lambda> is a new function object, and the default value of k "
            "of branches[1] changed from 0 to 1.",
            "Pass k of branches[1] as an operand, and define the lambdas once.",
        )
    ]


def test_branches_that_read_a_value_of_the_function_around_them() -> None:
    """The branches read x, so they can only be defined outside of the function if x becomes an operand."""

    def pick(index: int, x: float) -> Any:
        return lax.cond(index > 0, lambda: x + 1, lambda: x - 1)

    with observe() as ledger:
        for index in range(2):
            pick(index, 1.0)
    assert told(ledger, "cond(<lambda>, <lambda>)") == [
        (
            "JAX traced and compiled the cond again: each <lambda> is a new function object.",
            "Pass x as an operand, and define the lambdas once.",
        )
    ]


def test_a_new_condition_of_a_while_loop() -> None:
    """Only the condition is a new function object; the body is the same function in both iterations."""
    with observe() as ledger:
        for _ in range(2):
            lax.while_loop(lambda carry: carry < 5, one_more, 0)
    assert told(ledger, "while_loop(one_more)") == [
        (
            "JAX traced and compiled the while_loop again: the condition <lambda> is a new function object.",
            f"Give the lambda a name outside of the code that calls while_loop: {BY_OBJECT}",
        )
    ]


def test_equal_branches_after_a_clear() -> None:
    with observe() as ledger:
        for _ in range(2):
            lax.cond(True, one_more, one_less, 1.0)
            jax.clear_caches()
    assert told(ledger, "cond(one_more, one_less)") == [
        (
            "JAX no longer holds cond(one_more, one_less): jax.clear_caches() cleared the caches.",
            "Do not call jax.clear_caches() between calls.",
        )
    ]


def test_methods_partials_and_objects() -> None:
    class Model:
        def step(self, carry: Any, x: Any) -> Any:
            return carry + x, x

    class Scale:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __call__(self, x: Any) -> Any:
            return x * self.factor

    def weighed(weight: float, carry: Any, x: Any) -> Any:
        return carry + weight * x, x

    model = Model()
    with observe() as ledger:
        for _ in range(2):
            lax.scan(model.step, 0.0, ROW)
            lax.scan(partial(weighed, 2.0), 0.0, ROW)
            lax.cond(True, Scale(2.0), Scale(3.0), 1.0)
    assert told(ledger, "scan(step)") == [
        (
            "JAX traced and compiled the scan again: step is a new function object.",
            "Keep the method in a variable: Python makes a new method object each time that the code reads step.",
        )
    ]
    assert told(ledger, "scan(weighed)") == [
        (
            "JAX traced and compiled the scan again: weighed is a new function object.",
            f"Make the partial once, outside of the code that calls scan: {BY_OBJECT}",
        )
    ]
    assert told(ledger, "cond(Scale, Scale)") == [
        (
            "JAX traced and compiled the cond again: each Scale is a new function object.",
            f"Make each object once, outside of the code that calls cond: {BY_OBJECT}",
        )
    ]


def test_the_history_keeps_no_branch_alive() -> None:
    def made() -> Any:
        return lambda x: x * 2

    branches = [made(), made()]
    references = [weakref.ref(branch) for branch in branches]
    with observe() as ledger:
        lax.switch(0, branches, 1.0)
        lax.cond(True, *branches, 1.0)
    del branches
    jax.clear_caches()
    gc.collect()
    assert [reference() for reference in references] == [None, None]
    assert len(ledger.functions) == 2


def test_a_setting_that_changed_between_two_equal_calls() -> None:
    def add(carry: Any, x: Any) -> tuple[Any, Any]:
        return carry + x, carry

    with observe() as ledger:
        lax.scan(add, 0.0, ROW)
        with jax.default_matmul_precision("float32"):
            lax.scan(add, 0.0, ROW)
            lax.scan(add, 0.0, ROW)
        with jax.set_mesh(jax.make_mesh((1,), ("d",))):
            lax.scan(add, 0.0, ROW)
    name = "jax_default_matmul_precision"
    assert told(ledger, "scan(add)") == [
        (f"The setting {name} changed from None to float32.", f"Set {name} once, before the first call."),
        ("The mesh changed from none to d=1.", "Set the mesh once, before the first call."),
    ]


def test_a_new_body_under_a_setting_that_changed() -> None:
    with observe() as ledger:
        for precision in (None, "float32"):
            with jax.default_matmul_precision(precision):
                lax.scan(lambda carry, x: (carry + x, carry), 0.0, ROW)
    name = "jax_default_matmul_precision"
    cure = f"Give the lambda a name outside of the code that calls scan: {BY_OBJECT}"
    assert told(ledger, "scan(<lambda>)") == [
        ("JAX traced and compiled the scan again: <lambda> is a new function object.", cure),
        (f"The setting {name} changed from None to float32.", f"Set {name} once, before the first call."),
    ]
