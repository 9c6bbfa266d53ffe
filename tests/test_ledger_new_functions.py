"""Tests the reasons for misses by a new function object, such as a lambda, a nested def, a partial or another jit."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from conftest import Notebook
from misses_told import first, told

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.reason import Reason
from jupyter_jaxpr.observe.cache.wrappers_named_in_reasons import wrappers_of, written

ONCE = "Make the function once, before the loop: JAX caches by function object, not by code."


def test_new_lambda() -> None:
    with observe() as ledger:
        for _ in range(3):
            jax.jit(lambda x: x + 1)(1.0)
    line = ledger["<lambda>"].line
    assert told(ledger, "<lambda>") == [
        first("<lambda>"),
        (
            "compiled",
            (
                Reason(
                    "new_function",
                    f"This is the second function object of lambda from line {line}. Move the jit out of the loop.",
                    cure=ONCE,
                ),
            ),
        ),
        (
            "compiled",
            (
                Reason(
                    "new_function",
                    f"This is the third function object of lambda from line {line}. Move the jit out of the loop.",
                    cure=ONCE,
                ),
            ),
        ),
    ]
    assert ledger["<lambda>"].function_objects == 3


def test_new_nested_def() -> None:
    def step(x: Any) -> Any:
        @jax.jit
        def inner(y: Any) -> Any:
            return y + 1

        return inner(x)

    with observe() as ledger:
        step(1.0)
        step(1.0)
    line = ledger["inner"].line
    text = f"This is the second function object of inner from line {line}: a call of step made a new function object."
    cure = "Make the function once, outside of step: JAX caches by function object, not by code."
    assert told(ledger, "inner") == [first("inner"), ("compiled", (Reason("new_function", text, cure=cure),))]


def test_new_partial() -> None:
    def f(x: Any, n: int) -> Any:
        return x * n

    with observe() as ledger:
        for n in (2, 3, 3):
            jax.jit(functools.partial(f, n=n))(1.0)
    cure = "Jit f itself and pass n as an argument; make n static if n must be a Python value."
    advice = (
        "Make the partial once, before the calls: JAX caches by function object. Pass values that f reads from outside "
        "and that change as arguments."
    )
    assert told(ledger, "f") == [
        first("f"),
        (
            "compiled",
            (Reason("new_function", "This is another partial of f: n changed from 2 to 3.", "n", "2", "3", cure),),
        ),
        (
            "compiled",
            (
                Reason(
                    "new_function",
                    "This is another partial of f that binds the same values.",
                    cure=advice,
                ),
            ),
        ),
    ]


def test_jit_of_the_same_function_object_in_a_loop_is_no_miss() -> None:
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        for _ in range(3):
            jax.jit(f)(1.0)
    assert told(ledger, "f") == [first("f")]


def test_another_jit_of_the_same_function_is_compared_with_the_first() -> None:
    """JAX keeps the cache entries by function, so the second jit of f hits the entries of the first."""

    def f(x: Any) -> Any:
        return x + 1

    arrays = [jnp.ones(2), jnp.ones(3)]
    with observe() as ledger:
        for x in (*arrays, *arrays):
            jax.jit(f)(x)
        jax.jit(f, donate_argnums=0)(jnp.ones(3))
    pad = "Pad the array to one shape, or expect one compile for each shape."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("shape", "The type of x changed from f32[2] to f32[3].", "x", "f32[2]", "f32[3]", pad),)),
        (
            "compiled",
            (
                Reason(
                    "first_call",
                    "This is the first call of f with these options for jit: donate_argnums changed from none to "
                    "0 (x).",
                    after="other options of jit",
                    cure="JAX compiles f once for each set of options. Call one jitted function every time.",
                ),
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("options", "changes", "has_shape"),
    [
        ({"donate_argnames": "p"}, "donate_argnums changed from none to 0 (p)", True),
        ({"donate_argnums": 0, "keep_unused": True, "inline": True}, "donate_argnums changed from none to 0 (p)", True),
        ({"static_argnums": 1}, "static_argnums changed from none to 1 (n)", False),
        (
            {"compiler_options": {"xla_cpu_enable_fast_math": True}, "donate_argnums": 0},
            "donate_argnums changed from none to 0 (p) and compiler_options changed from none to "
            "{'xla_cpu_enable_fast_math': True}",
            True,
        ),
        (
            {"out_shardings": jax.sharding.SingleDeviceSharding(jax.devices()[0])},
            "out_shardings changed",
            True,
        ),
    ],
)
def test_the_options_of_another_jit_are_named(options: Any, changes: str, has_shape: bool) -> None:
    """Where the static arguments differ, the types of the arguments cannot be compared."""

    def f(p: Any, n: Any) -> Any:
        return p * n

    with observe() as ledger:
        jax.jit(f)(jnp.ones(3), 2)
        jax.jit(f, **options)(jnp.ones(4), 2)
    first_call = (
        "first_call",
        f"This is the first call of f with these options for jit: {changes}.",
        "JAX compiles f once for each set of options. Call one jitted function every time.",
    )
    shape = (
        "shape",
        "The type of p changed from f32[3] to f32[4].",
        "Pad the array to one shape, or expect one compile for each shape.",
    )
    reasons_told = [(reason.kind, reason.text, reason.cure) for reason in told(ledger, "f")[1][1]]
    assert reasons_told == ([first_call, shape] if has_shape else [first_call])


@pytest.mark.parametrize("options", [{"keep_unused": True}, {"inline": True}])
def test_options_without_which_jax_finds_an_entry_are_no_reason(options: Any) -> None:
    def f(p: Any) -> Any:
        return p * 2

    with observe() as ledger:
        jax.jit(f)(jnp.ones(3))
        jax.jit(f, **options)(jnp.ones(3))  # a hit
        jax.jit(f, **options)(jnp.ones(4))
    _, *later = told(ledger, "f")
    assert [[reason.kind for reason in reasons] for _, reasons in later] == [["shape"]]


def test_each_miss_and_entry_names_the_transform_where_a_record_has_several() -> None:
    """JAX caches by function object, so calls of the gradient are compared only with calls of the gradient."""

    def loss(w: Any) -> Any:
        return (w**2).sum()

    value, gradient = jax.jit(loss), jax.jit(jax.grad(loss))
    with observe() as ledger:
        for size in (3, 4):
            value(jnp.ones(size))
            gradient(jnp.ones(size + 7))
    texts = [[reason.text for reason in miss.reasons] for miss in ledger["loss"].misses]
    assert texts == [
        ["This is the first call of loss."],
        ["This is the first call of jax.grad(loss)."],
        ["This is a call of loss itself. The type of w changed from f32[3] to f32[4]."],
        ["This is a call of jax.grad(loss). The type of w changed from f32[10] to f32[11]."],
    ]
    signatures = [
        "loss(w: f32[3])",
        "jax.grad(loss)(w: f32[10])",
        "loss(w: f32[4])",
        "jax.grad(loss)(w: f32[11])",
    ]
    assert [miss.signature for miss in ledger["loss"].misses] == signatures
    assert [entry.signature for entry in ledger["loss"].entries] == signatures


def test_the_labels_of_two_gradients_of_a_function_have_their_argnums() -> None:
    def loss(w: Any, b: Any) -> Any:
        return ((w + b) ** 2).sum()

    by_w, by_b = jax.jit(jax.grad(loss)), jax.jit(jax.value_and_grad(loss, argnums=1))
    by_both = jax.jit(jax.grad(jax.grad(lambda w, b: loss(w, b), argnums=(0,)), argnums=(1,)))
    with observe() as ledger:
        for size in (3, 4):
            by_w(jnp.ones(size), 1.0)
            by_b(jnp.ones(size), 1.0)
            jax.jit(jax.grad(loss, argnums=(0, 1)))(jnp.ones(size), 1.0)
    texts = [miss.reasons[0].text for miss in ledger["loss"].misses]
    assert texts[:5] == [
        "This is the first call of loss.",
        "This is the first call of jax.value_and_grad(loss, argnums=1).",
        "This is the first call of jax.grad(loss, argnums=(0, 1)).",
        "This is a call of jax.grad(loss). The type of w changed from f32[3] to f32[4].",
        "This is a call of jax.value_and_grad(loss, argnums=1). The type of w changed from f32[3] to f32[4].",
    ]
    assert texts[5].startswith("This is the second function object of jax.grad(loss, argnums=(0, 1)) from line ")
    assert written(wrappers_of(by_both.__wrapped__), "f") == "jax.grad(jax.grad(f, argnums=(0,)), argnums=(1,))"


def test_a_gradient_that_is_made_again_is_not_compared_with_the_function_itself() -> None:
    def loss(w: Any) -> Any:
        return (w**2).sum()

    value = jax.jit(loss)
    with observe() as ledger:
        for size in (3, 4):
            value(jnp.ones(size + 1))
            jax.jit(jax.grad(loss))(jnp.ones(size))
    *_, last = ledger["loss"].misses
    assert [(reason.kind, reason.before, reason.after) for reason in last.reasons] == [
        ("new_function", None, None),
        ("shape", "f32[3]", "f32[4]"),
    ]
    assert last.reasons[0].text.startswith("This is the second function object of jax.grad(loss) from line ")


class EqualScale:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualScale) and other.scale == self.scale

    def __hash__(self) -> int:
        return hash(self.scale)

    def __call__(self, x: Any) -> Any:
        return x * self.scale


def test_the_program_of_an_equal_object_that_no_longer_exists(notebook: Notebook) -> None:
    notebook.shell.user_ns["EqualScale"] = EqualScale
    ran = notebook.run(
        "%%jaxpr\n"
        "import jax, jax.numpy as jnp\n"
        "first, second = jax.jit(EqualScale(2.0)), jax.jit(EqualScale(2.0))\n"
        "first(jnp.ones(3)), second(jnp.ones(3))\n"
        "del first\n"
        "second(jnp.ones(4))\n"
        "third = jax.jit(EqualScale(2.0))\n"
        "third(jnp.ones(4)), third(jnp.ones(3))"
    )
    (function,) = [each for each in ran.document["ledger"]["functions"] if each["name"] == "EqualScale"]
    reasons = [(miss["outcome"], reason["text"]) for miss in function["misses"] for reason in miss["reasons"]]
    equal = "This is another EqualScale object, which equals an earlier EqualScale object. JAX compiled nothing."
    assert reasons == [
        ("compiled", "This is the first call of EqualScale."),
        ("dispatch_only", equal),
        ("compiled", "The type of x changed from f32[3] to f32[4]."),
        ("dispatch_only", equal),
        (
            "compiled",
            "The program of these arguments belonged to an earlier EqualScale object, which equals this object. The "
            "earlier object no longer exists, and JAX dropped its cache entries.",
        ),
    ]
