"""Tests the ledger with models of equinox and nnx: reasons name the parts of a model as the user's code does."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger

pytestmark = pytest.mark.any_jax

ROWS = np.ones((2, 3), np.float32)


def told(ledger: Ledger, name: str) -> list[list[tuple[str, str]]]:
    """Return kind and text of the reasons of each miss after the first."""
    return [[(reason.kind, reason.text) for reason in miss.reasons] for miss in ledger[name].misses[1:]]


class Net(nnx.Module):
    def __init__(self, width: int, bias: bool = True) -> None:
        self.layer = nnx.Linear(3, width, use_bias=bias, rngs=nnx.Rngs(0))
        self.scale = 1.0

    def __call__(self, x: Any) -> Any:
        return self.layer(x) * self.scale


def test_an_nnx_model_without_a_bias_and_a_wider_one() -> None:
    @nnx.jit
    def f(model: Net, x: Any) -> Any:
        return model(x)

    with observe() as ledger:
        f(Net(4), ROWS)
        f(Net(4, bias=False), ROWS)
    assert ledger["f"].misses[0].signature == "model.layer.bias: f32[4], model.layer.kernel: f32[3,4], x: f32[2,3]"
    assert told(ledger, "f") == [[("pytree", "The structure of model lost model.layer.bias.")]]
    with observe() as ledger:
        f(Net(5, bias=False), ROWS)
    assert [(reason.kind, reason.text) for reason in ledger["f"].misses[0].reasons] == [
        ("static_value", "The static value model.layer.out_features changed from 4 to 5."),
        ("shape", "The type of model.layer.kernel changed from f32[3,4] to f32[3,5]."),
    ]


def test_a_number_of_an_nnx_model() -> None:
    @nnx.jit
    def f(model: Net, x: Any) -> Any:
        return model(x)

    model = Net(4)
    with observe() as ledger:
        f(model, ROWS)
        model.scale = 2.0
        f(model, ROWS)
    (reason,) = ledger["f"].misses[1].reasons
    assert (reason.text, reason.cure) == (
        "The static value model.scale changed from 1.0 to 2.0.",
        "Expect one compile for each value of model.scale. "
        "Make model.scale an nnx.Variable if the function only computes with the value.",
    )


def test_two_nnx_objects_in_one_call() -> None:
    import optax

    @nnx.jit
    def step(models: dict[str, Any], optimizer: Any, x: Any) -> None:
        grads = nnx.grad(lambda model: (model(x) ** 2).mean())(models["net"])
        optimizer.update(models["net"], grads)

    net = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(net, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
    with observe() as ledger:
        step({"net": net}, optimizer, ROWS)
    names = [argument.partition(":")[0] for argument in ledger["step"].misses[0].signature.split(", ")]
    assert names == [
        "models['net'].bias",
        "models['net'].kernel",
        "optimizer.opt_state[0].trace.bias",
        "optimizer.opt_state[0].trace.kernel",
        "optimizer.step",
        "x",
    ]


def test_equinox_applies_the_default_of_an_argument_that_a_call_left_out() -> None:
    @eqx.filter_jit
    def f(x: Any, n: int = 2, *, flip: bool = True) -> Any:
        return x * n if flip else -x

    with observe() as ledger:
        f(ROWS)
        f(ROWS, 2)
        f(ROWS, 3)
        f(ROWS, flip=False)
        f(ROWS, jnp.float32(3))
    assert told(ledger, "f") == [
        [("call_style", "The call passes n, which the earlier call left out: the value is the default.")],
        [("static_value", "The static value n changed from 2 to 3.")],
        [("static_value", "The static value flip changed from True to False.")],
        [("static_value", "The value of n changed from 3 to f32[].")],
    ]
    assert ledger["f"].misses[-1].reasons[0].cure == (
        "Pass n as an array in every call: JAX compiles once for each value that is not an array."
    )


def test_what_libraries_jit_for_themselves_is_no_row() -> None:
    with observe() as ledger:
        model = eqx.nn.MLP(3, 2, 4, 1, key=jax.random.key(0))
        eqx.filter_jit(eqx.filter_grad(lambda model, x: jax.vmap(model)(x).sum()))(model, ROWS)
        nnx.jit(lambda model, x: model(x))(Net(2), ROWS)
    assert {record.name for record in ledger.functions} == {"<lambda>"}
