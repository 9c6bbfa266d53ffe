"""Tests static fields of arguments: the reason names the field, its values and a cure."""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import Any

import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jupyter_jaxpr import observe
from jupyter_jaxpr.jax.leaves_and_context_of_key import leaf_facts
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger

ROW = np.arange(3, dtype=np.float32)
FIELD = "JAX compiles once for each value of {0}. Make {0} a field with an array if the function only computes with it."
MODE = "Expect one compile for each value of {0}, such as one for train() and one for eval()."


def told(ledger: Ledger, name: str) -> list[tuple[str, str, str | None]]:
    """Return kind, sentence and cure of each miss but the first."""
    return [
        (reason.kind, reason.text.replace("<locals>.", ""), reason.cure)
        for miss in ledger[name].misses[1:]
        for reason in miss.reasons
    ]


@functools.partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["mode", "width"])
@dataclasses.dataclass
class Layer:
    w: Any
    width: int = 3
    mode: str = "train"


def test_meta_fields_of_a_registered_dataclass() -> None:
    @jax.jit
    def f(p: Any) -> Any:
        return p["layers"][0].w

    with observe() as ledger:
        for layer in (Layer(ROW), Layer(ROW, 4), Layer(ROW, 5, "test")):
            f({"layers": [layer]})
    width, mode = "p['layers'][0].width", "p['layers'][0].mode"
    assert told(ledger, "f") == [
        ("static_value", f"The static value {width} changed from 3 to 4.", FIELD.format(width)),
        (
            "static_value",
            f"The static value {mode} changed from 'train' to 'test'.",
            f"Expect one compile for each value of {mode}.",
        ),
        ("static_value", f"The static value {width} changed from 4 to 5.", FIELD.format(width)),
    ]
    assert [(reason.argument, reason.before, reason.after) for reason in ledger["f"].misses[1].reasons] == [
        (width, "3", "4")
    ]


@flax.struct.dataclass
class State:
    w: Any
    apply: Any = flax.struct.field(pytree_node=False, default=None)


def tanh(x: Any) -> Any:
    return jnp.tanh(x)


def test_a_function_in_a_state_of_flax() -> None:
    @jax.jit
    def f(state: Any) -> Any:
        return state.w

    with observe() as ledger:
        for apply in (None, tanh, lambda x: x, lambda x: x):
            f(State(ROW, apply))
    advice = "Pass the same value for state.apply in every call, or expect one compile for each value."
    assert told(ledger, "f") == [
        ("static_value", "The static value state.apply changed from None to <tanh>.", advice),
        (
            "static_value",
            "The static value state.apply is another function, with other code.",
            "Expect one compile for each function with other code.",
        ),
        (
            "static_identity",
            "The static value state.apply is a new function object that does not equal the earlier object.",
            "Make the function once, before the calls, and reuse the function.",
        ),
    ]


class Module(eqx.Module):
    w: Any
    depth: int = eqx.field(static=True)


def test_a_static_field_of_an_equinox_module_under_jit_and_filter_jit() -> None:
    def f(model: Any) -> Any:
        return model[0].w

    with observe() as ledger:
        for jit in (jax.jit, eqx.filter_jit):
            jitted = jit(f)
            for depth in (1, 2):
                jitted([Module(jnp.asarray(ROW), depth)])
    static = ("static_value", "The static value model[0].depth changed from 1 to 2.", FIELD.format("model[0].depth"))
    assert told(ledger, "f") == [
        (static[0], f"This is a call of f itself. {static[1]}", static[2]),
        ("first_call", "This is the first call of equinox.filter_jit(f).", None),
        (static[0], f"This is a call of equinox.filter_jit(f). {static[1]}", static[2]),
    ]


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.first = nnx.Dropout(0.5, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.rest = nnx.List([nnx.Dropout(0.1, rngs=rngs) for _ in range(2)])

    def __call__(self, x: Any) -> Any:
        return self.rest[0](self.norm(self.first(x)))


def test_modes_of_many_layers_are_one_sentence() -> None:
    @nnx.jit
    def f(model: Any, x: Any) -> Any:
        return model(x)

    model, x = Net(nnx.Rngs(0)), jnp.ones((2, 3))
    with observe() as ledger:
        f(model, x)
        model.eval()
        f(model, x)
    first, norm = "model.first.deterministic", "model.norm.use_running_average"
    assert told(ledger, "f") == [
        (
            "static_value",
            f"The static value {first} (one of 3 that changed in the same way) changed from False to True.",
            MODE.format(first),
        ),
        ("static_value", f"The static value {norm} changed from False to True.", MODE.format(norm)),
    ]


class Node:
    def __init__(self, child: Any, data: Any) -> None:
        self.child, self.data = child, data


jax.tree_util.register_pytree_node(
    Node, lambda node: ((node.child,), node.data), lambda data, child: Node(*child, data)
)


def test_auxiliary_data_of_a_node_of_ones_own() -> None:
    @jax.jit
    def f(node: Any) -> Any:
        return node.child

    with observe() as ledger:
        for data in ("a", "b"):
            f(Node(ROW, data))
        for data in (1, 2):
            f(Node(ROW, data))
    each = "Expect one compile for each value of the auxiliary data."
    child = (
        "JAX compiles once for each value of the auxiliary data. "
        "Make the value a child of Node if the function only computes with it."
    )
    assert told(ledger, "f") == [
        ("static_value", "The auxiliary data of Node at node changed from 'a' to 'b'.", each),
        ("static_value", "The auxiliary data of Node at node changed from 'b' to 1.", child),
        ("static_value", "The auxiliary data of Node at node changed from 1 to 2.", child),
    ]


class Order(enum.Enum):
    FIRST = 1
    SECOND = 2


@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Setting:
    order: Order


def test_a_static_node() -> None:
    @jax.jit
    def f(x: Any, setting: Any) -> Any:
        return x

    with observe() as ledger:
        for order in Order:
            f(ROW, Setting(order))
    before, after = (f"Setting(order={order!r})" for order in Order)
    cure = "Expect one compile for each value of setting."
    assert told(ledger, "f") == [("static_value", f"The static value setting changed from {before} to {after}.", cure)]


class Options:
    """Objects that compare by their attribute n, which can change."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self.n == other.n

    def __hash__(self) -> int:
        return hash(self.n)


def test_a_static_object_that_was_changed_between_two_calls() -> None:
    @functools.partial(jax.jit, static_argnames="options")
    def f(x: Any, options: Any) -> Any:
        return x * options.n

    options = Options(2)
    with observe() as ledger:
        f(ROW, options=options)
        options.n = 3
        f(ROW, options=options)
    text = "The static argument options is the same Options object, but its hash changed."
    cure = "Do not modify a static object: make a new Options for other contents."
    assert told(ledger, "f") == [("static_identity", text, cure)]


def test_a_key_of_another_implementation() -> None:
    @jax.jit
    def draw(key: Any) -> Any:
        return jax.random.normal(key)

    with observe() as ledger:
        draw(jax.random.key(0))
        draw(jax.random.key(0, impl="rbg"))
    cure = (
        "Make all random keys with one implementation: the same impl in jax.random.key, the same jax_default_prng_impl."
    )
    assert told(ledger, "draw") == [("dtype", "The type of key changed from key<fry>[] to key<rbg>[].", cure)]


def test_the_signature_of_an_entry_has_the_static_fields() -> None:
    @jax.jit
    def apply(layers: Any, x: Any, scale: float = 1.0) -> Any:
        return x * layers["first"].w * scale

    class Block(eqx.Module):
        w: Any
        kind: str = eqx.field(static=True)

    with observe() as ledger:
        apply({"first": Layer(ROW, 3, "train")}, ROW)
        apply({"first": Layer(ROW, 3, "eval")}, ROW)
        apply({"first": Block(ROW, "dense")}, ROW)
        apply({f"{n}": Layer(ROW, n) for n in range(4)} | {"first": Layer(ROW)}, ROW)
    arrays = "layers['first'].w: f32[3], x: f32[3]"
    assert [entry.signature for entry in ledger["apply"].entries] == [
        f"{arrays}, layers['first'].mode='train', layers['first'].width=3",
        f"{arrays}, layers['first'].mode='eval', layers['first'].width=3",
        f"{arrays}, layers['first'].kind='dense'",
        "layers['0'].w: f32[3], layers['1'].w: f32[3], layers['2'].w: f32[3], layers['3'].w: f32[3], "
        f"{arrays}, layers['0'].mode='train', layers['0'].width=0, layers['1'].mode='train', layers['1'].width=1, "
        "layers['2'].mode='train', layers['2'].width=2, and 4 more static fields",
    ]


def test_an_array_beside_an_object_of_the_user_has_its_own_aval() -> None:
    facts = leaf_facts([jnp.ones((2, 3)), Layer(ROW)], True, lambda: [None, None])
    assert [(str(aval), kind) for aval, kind, *_ in facts] == [("float32[2,3]", "jax.Array"), ("None", "Layer")]
