"""Tests that no option keeps a function of the user's alive: JAX finds cache entries of living equal functions."""

from __future__ import annotations

import pytest
from conftest import Notebook

CELLS = (
    """\
import jax, jax.numpy as jnp

class Net:
    def __init__(self):
        self.train = True
    def forward(self, x):
        return x * (2.0 if self.train else 1.0)
    def __call__(self, x):
        return jax.jit(self.forward)(x)

class Scaled:
    def __init__(self, scale):
        self.scale = scale
    def __eq__(self, other):
        return isinstance(other, Scaled)
    def __hash__(self):
        return 7
    def __call__(self, x):
        return x * self.scale

x, net = jnp.ones(2), Net()
numbers = [float(net(x)[0]), float(jax.jit(Scaled(2.0))(x)[0])]
net.train = False
numbers += [float(net(x)[0]), float(jax.jit(Scaled(3.0))(x)[0])]
net(x)""",
    """\
net.train = True
numbers += [float(net(x)[0]), float(jax.jit(Scaled(4.0))(x)[0])]
net(x)""",
)


@pytest.mark.any_jax
@pytest.mark.parametrize("options", ["", "--steps", "--time", "--per-entry", "--eager", "--transform grad"])
def test_a_method_that_equals_a_dropped_one_is_traced_again_as_without_the_extension(
    notebook: Notebook, options: str
) -> None:
    for cell in CELLS:
        notebook.run(f"%%jaxpr {options}\n{cell}")
    assert notebook.shell.user_ns["numbers"] == [2.0, 2.0, 1.0, 3.0, 2.0, 4.0]
