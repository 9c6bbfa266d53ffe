"""Tests the ledger with code as users write it: nnx and equinox models, optax steps, enums, meshes."""

from __future__ import annotations

import enum
import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

pytestmark = pytest.mark.any_jax


def told(ledger: Ledger, name: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the outcome of each miss of a function, with kind and text of its reasons."""
    return [(miss.outcome, [(reason.kind, reason.text) for reason in miss.reasons]) for miss in ledger[name].misses]


class Net(nnx.Module):
    """A model with a dropout layer, whose behaviour depends on the mode: training or evaluation."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.layer = nnx.Linear(4, 3, rngs=rngs)
        self.dropout = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return self.dropout(self.layer(x))


def test_an_nnx_training_loop_with_a_short_last_batch_and_a_switch_to_evaluation() -> None:
    """The structure of an nnx model is long: the reason names only the attribute that differs."""
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)

    @nnx.jit
    def train_step(model: Net, optimizer: Any, x: Any, y: Any) -> Any:
        def loss(model: Net) -> Any:
            return jnp.mean((model(x) - y) ** 2)

        value, gradient = nnx.value_and_grad(loss)(model)
        optimizer.update(model, gradient)
        return value

    with observe() as ledger:
        for batch in (8, 8, 8, 4):
            train_step(model, optimizer, jnp.ones((batch, 4)), jnp.ones((batch, 3)))
        model.eval()
        train_step(model, optimizer, jnp.ones((8, 4)), jnp.ones((8, 3)))
    *steps, (_, evaluation) = told(ledger, "train_step")
    assert steps == [
        ("compiled", [("first_call", "This is the first call of train_step.")]),
        (
            "compiled",
            [
                ("shape", "The type of x changed from f32[8,4] to f32[4,4]."),
                ("shape", "The type of y changed from f32[8,3] to f32[4,3]."),
            ],
        ),
    ]
    assert evaluation == [("static_value", "The static value model.dropout.deterministic changed from False to True.")]


class Scaled(eqx.Module):
    """A module with a static field, a field that holds a number, and an array."""

    weight: jax.Array
    activation: str = eqx.field(static=True)
    scale: Any


def test_an_equinox_model_whose_static_field_and_whose_number_change() -> None:
    @eqx.filter_jit
    def forward(model: Scaled, x: Any) -> Any:
        y = model.weight @ x * model.scale
        return jnp.tanh(y) if model.activation == "tanh" else y

    weight, x = jnp.ones((2, 2)), jnp.ones(2)
    with observe() as ledger:
        for activation, scale in (("tanh", 1.0), ("none", 1.0), ("none", 2.0), ("none", 2.0)):
            forward(Scaled(weight, activation, scale), x)
        forward(Scaled(weight, "none", jnp.float32(2.0)), x)
    assert told(ledger, "forward") == [
        ("compiled", [("first_call", "This is the first call of forward.")]),
        ("compiled", [("static_value", "The static value model.activation changed from 'tanh' to 'none'.")]),
        ("compiled", [("static_value", "The static value model.scale changed from 1.0 to 2.0.")]),
        ("compiled", [("static_value", "The value of model.scale changed from 2.0 to f32[].")]),
    ]


def test_a_learning_rate_given_in_every_way() -> None:
    @jax.jit
    def step(p: Any, lr: Any) -> Any:
        return p - lr * p

    schedule = optax.exponential_decay(0.1, 10, 0.5)
    p = jnp.ones(3)
    with observe() as ledger:
        for rate in (0.1, 0.1 * 0.9, schedule(0), float(schedule(1)), np.float32(0.1), np.float64(0.1), 1):
            step(p, rate)
    assert told(ledger, "step") == [
        ("compiled", [("first_call", "This is the first call of step.")]),
        (
            "dispatch_only",
            [("argument_type", ("The class of lr changed from float to jax.Array; the type weak f32[] is the same."))],
        ),
        ("compiled", [("weak_type", "The type of lr changed from weak f32[] to f32[].")]),
        ("compiled", [("dtype", "The type of lr changed from weak f32[] to weak i32[] (a Python int).")]),
    ]


class Mode(enum.Enum):
    """An enum whose members are static arguments."""

    TRAIN = 1
    TEST = 2


def test_a_static_enum_and_a_static_function_are_told_by_name() -> None:
    @functools.partial(jax.jit, static_argnames=("mode", "activation"))
    def f(x: Any, mode: Any, activation: Any) -> Any:
        return activation(x)

    with observe() as ledger:
        f(1.0, mode="train", activation=jnp.sin)
        f(1.0, mode=Mode.TRAIN, activation=jnp.sin)
        f(1.0, mode=Mode.TEST, activation=jnp.sin)
        f(1.0, mode=Mode.TEST, activation=jnp.cos)
    assert told(ledger, "f")[1:] == [
        ("compiled", [("static_value", "The static argument mode changed from 'train' to <Mode.TRAIN: 1>.")]),
        ("compiled", [("static_value", "The static argument mode changed from <Mode.TRAIN: 1> to <Mode.TEST: 2>.")]),
        ("compiled", [("static_value", "The static argument activation changed from <sin> to <cos>.")]),
    ]
    cure = "Pass the same value for mode in every call, or expect one compile for each value."
    assert ledger["f"].misses[2].reasons[0].cure == cure


class Sized:
    """A class with a jitted method whose `self` is static; its objects compare by size."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sized) and self.size == other.size

    def __hash__(self) -> int:
        return hash(self.size)

    @functools.partial(jax.jit, static_argnums=0)
    def scaled(self, x: Any) -> Any:
        return x * self.size


def test_a_static_self_that_compares_by_its_contents() -> None:
    """The class already has an `__eq__`, so the cure does not advise to add one."""
    with observe() as ledger:
        for size in (2, 2, 3):
            Sized(size).scaled(1.0)
    first, second = ledger["scaled"].misses
    assert first.reasons[0].text == "This is the first call of scaled."
    assert [(reason.kind, reason.text, reason.cure) for reason in second.reasons] == [
        (
            "static_identity",
            "The static argument self is another Sized object: self.size changed from 2 to 3.",
            "Expect one compile for objects with other contents: the __eq__ of Sized says that the two objects differ. "
            "Pass self.size as an argument that is not static if the function only computes with self.size.",
        )
    ]


def test_one_mesh_after_another() -> None:
    first, second = (
        jax.make_mesh((1,), (name,), axis_types=(jax.sharding.AxisType.Auto,)) for name in ("data", "model")
    )

    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = np.ones(4, np.float32)
    with observe() as ledger:
        with jax.set_mesh(first):
            f(x)
        with jax.set_mesh(second):
            f(x)
    assert told(ledger, "f")[1:] == [("compiled", [("config", "The mesh changed from data=1 to model=1.")])]


def test_the_batch_of_a_vmap_around_a_jit() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x * 2

    with observe() as ledger:
        for batch in (3, 3, 4):
            jax.vmap(f)(jnp.ones((batch, 2)))
    text = "The batch size of vmap around f changed from 3 to 4."
    transformed = "The function f was called under vmap: such calls have no fast path."
    assert told(ledger, "f") == [
        ("compiled", [("first_call", "This is the first call of f.")]),
        ("dispatch_only", [("no_fast_path", transformed)]),
        ("compiled", [("transform", text)]),
    ]


def test_the_transforms_around_a_jit() -> None:
    """Each reason names the new ingredient: the axes that vmap maps, the transform, or the cleared caches."""

    @jax.jit
    def dot(a: Any, b: Any) -> Any:
        return a @ b

    row, many = jnp.ones(8), jnp.ones((4, 8))
    with observe() as ledger:
        jax.vmap(dot, in_axes=(0, None))(many, row)
        jax.vmap(dot, in_axes=(None, 0))(row, many)
        jax.vmap(jax.vmap(dot, in_axes=(0, None)), in_axes=(None, 0))(many, many)
        jax.grad(dot)(row, row)
        jax.jvp(dot, (row, row), (row, row))
        jax.clear_caches()
        jax.grad(dot)(row, row)
        dot(row, row)
        jax.vmap(dot)(many, many)
    another = "JAX derives a program for each transform"
    assert told(ledger, "dot") == [
        ("compiled", [("first_call", "This is the first call of dot.")]),
        (
            "compiled",
            [
                (
                    "transform",
                    "The axes that vmap around dot maps changed: a from axis 0 to no axis, b from no axis to axis 0.",
                )
            ],
        ),
        ("compiled", [("transform", f"This is the first call of dot under vmap of vmap. {another}.")]),
        (
            "compiled",
            [("transform", (f"This is the first call of dot under reverse-mode differentiation. {another}."))],
        ),
        (
            "compiled",
            [("transform", (f"This is the first call of dot under forward-mode differentiation. {another}."))],
        ),
        (
            "compiled",
            [
                (
                    "cleared",
                    (
                        "JAX no longer holds the program of dot under reverse-mode differentiation: the caches "
                        "were cleared."
                    ),
                )
            ],
        ),
        (
            "compiled",
            [
                (
                    "transform",
                    ("This is the first call of dot outside any transform. JAX makes another program for such calls."),
                )
            ],
        ),
        ("compiled", [("transform", "The axes that vmap around dot maps changed: a from no axis to axis 0.")]),
    ]


def test_pmap() -> None:
    """pmap jits a new function of JAX for each structure and number of devices; the ledger names the user's own."""

    def f(p: Any, x: Any) -> Any:
        return p["w"] * x

    x = jnp.ones((1, 3))
    with observe() as ledger:
        mapped = jax.pmap(f)
        for width in (3, 3, 4):
            mapped({"w": jnp.ones((1, width))}, jnp.ones((1, width)))
        jax.pmap(f)({"w": x}, x)  # a hit, because JAX's cache belongs to the function f, not to the pmap object
        jax.pmap(f, in_axes=(None, 0))({"w": x[0]}, x)
        mapped({"w": x, "b": x}, x)
        mapped({"w": x}, x=x)
    assert told(ledger, "f") == [
        ("compiled", [("first_call", "This is the first call of f.")]),
        (
            "compiled",
            [
                ("shape", "The type of p['w'] changed from f32[1,3] to f32[1,4]."),
                ("shape", "The type of x changed from f32[1,3] to f32[1,4]."),
            ],
        ),
        ("compiled", [("first_call", "This is the first call of f with these options for pmap.")]),
        ("compiled", [("pytree", "The structure of p gained p['b'].")]),
        (
            "compiled",
            [
                (
                    "call_style",
                    "The call passes x by keyword, not by position; the types and the static values are the same.",
                )
            ],
        ),
    ]
    assert (ledger["f"].compiles, ledger["f"].line) == (5, f.__code__.co_firstlineno)
    if HAS_MONITORING:
        assert (ledger["f"].calls, ledger["f"].hits) == (7, 2)


def test_pmap_in_a_loop_and_with_a_static_argument() -> None:
    x = jnp.ones((1, 3))
    with observe() as ledger:
        scaled = jax.pmap(lambda x, n: x * n, static_broadcasted_argnums=1)
        for n in (1, 2, 2):
            scaled(x, n)
    assert told(ledger, "<lambda>")[1:] == [
        ("compiled", [("static_value", "The static argument n changed from 1 to 2.")])
    ]
    with observe() as ledger:
        for _ in range(2):
            jax.pmap(lambda x: x + 1)(x)
    line = ledger["<lambda>"].line
    text = f"This is the second function object of lambda from line {line}. Move the pmap out of the loop."
    assert told(ledger, "<lambda>")[1:] == [("compiled", [("new_function", text)])]
