"""Tests the names in programs and sentences for functions that flax made: they are the user's names."""

from __future__ import annotations

from conftest import Notebook


def test_a_module_of_nnx_is_shown_by_its_class_and_the_names_of_its_variables(notebook: Notebook) -> None:
    notebook.run(
        "import jax.numpy as jnp\nfrom flax import nnx\nnet = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\nx = jnp.ones((4, 3))"
    )
    ran = notebook.run("%%jaxpr\n@nnx.jit\ndef step(net, x):\n    return net(x).sum()\ny = step(net, x)")
    (program,) = ran.own_programs
    assert [(argument["name"], argument["type"]) for argument in program["arguments"]] == [
        ("net", "Linear(bias: f32[2], kernel: f32[3,2])"),
        ("x", "f32[4,3]"),
    ]


def test_a_function_that_flax_made_has_the_users_text(notebook: Notebook) -> None:
    notebook.run(
        "import jax.numpy as jnp\nfrom flax import nnx\nnet = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\n"
        "x = jnp.ones((4, 3))\ndef loss(net, x): return net(x).sum()"
    )
    ran = notebook.run("%%jaxpr\nnnx.grad(loss)(net, x)")
    assert ran.note("not_traced")["text"] == (
        "nnx.grad(loss) ran without jit and was not traced, because a trace runs the Python of nnx.grad(loss) a second "
        "time. Line 5 of the cell that defines loss calls Linear, whose side effects are unknown. To see the program, "
        "call nnx.grad(loss) under jax.jit, or write %jaxpr nnx.grad(loss)(net, x)."
    )
