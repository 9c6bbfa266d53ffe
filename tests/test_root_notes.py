"""Tests notes on square roots of squares, whose gradient is NaN at 0."""

import pytest

TEXT = (
    "The gradient of this square root of squares is NaN where the squared numbers are 0. The derivative of the square "
    "root is infinite there, and JAX multiplies the derivative by the numbers."
)
CURE = (
    "Keep 0 out of the square root with two selections, where s is the sum of the squares: jnp.where(s > 0, "
    "jnp.sqrt(jnp.where(s > 0, s, 1)), 0). If the code divides by the square root, write 1 in place of the last 0."
)


@pytest.mark.parametrize(
    "body",
    [
        "return jnp.linalg.norm(x)",
        "return jnp.linalg.norm(x - 0.0) ** 2",
        "return jnp.sqrt(jnp.sum(x * x))",
        "return 3.0 * jnp.sqrt(jnp.mean(x**2))",
        "return jnp.sqrt(jnp.sum((x - jnp.zeros(3)) ** 2))",
        "return jnp.sum(jnp.sqrt(jnp.square(x)))",
    ],
)
@pytest.mark.parametrize("call", ["jax.jit(jax.grad(f))(x)", "jax.jit(jax.vmap(jax.grad(f)))(x[None])"])
def test_the_gradient_of_a_root_of_squares(notebook, body, call):
    ran = notebook.run(f"%%jaxpr\ndef f(x):\n    {body}\nx = jnp.zeros(3)\ng = {call}\nbool(jnp.isnan(g).all())")
    note = ran.note("root_of_squares")
    assert ran.result.result is True  # the gradient of the run is NaN
    assert (note["title"], note["text"], note["cure"]) == ("The gradient can be NaN", TEXT, CURE)
    assert ran.line_of(note) == 3


@pytest.mark.parametrize(
    "body",
    [
        "return jnp.sqrt(jnp.sum(x * x) + 1e-6)",
        "return jnp.linalg.norm(x + 1e-6)",
        "s = jnp.sum(x * x)\n    return jnp.where(s > 0, jnp.sqrt(jnp.where(s > 0, s, 1)), 0)",
        "s = jnp.sum(x * x)\n    return jnp.sqrt(jnp.maximum(s, 1e-6))",
        "return jnp.sum(x * x)",
        "return jnp.sum(x / jnp.sqrt(jnp.sum(jax.lax.stop_gradient(x * x)) + 1.0))",
        "return jnp.sum(jnp.sqrt(jnp.abs(x) + 1.0))",
        "return jnp.sum(x * jax.lax.stop_gradient(jnp.linalg.norm(x)))",
    ],
)
def test_no_alarm(notebook, body):
    cell = f"def f(x):\n    {body}\ng = jax.jit(jax.grad(f))(jnp.zeros(3))\nbool(jnp.isnan(g).any())"
    ran = notebook.run(f"%%jaxpr\n{cell}")
    assert ran.result.result is False
    assert [note["text"] for note in ran.document["notes"] if note["kind"] in ("root_of_squares", "failed")] == []


def test_no_alarm_without_a_gradient(notebook):
    ran = notebook.run("%%jaxpr\ny = jax.jit(lambda x: x / jnp.linalg.norm(x))(jnp.zeros(3))")
    assert "root_of_squares" not in ran.notes


@pytest.mark.parametrize(
    "body",
    [
        "return jnp.sum(w * data / jnp.linalg.norm(data))",  # the root is not differentiated
        "return jnp.sqrt(jnp.mean((jax.nn.sigmoid(w) - 2.0) ** 2))",  # the difference is never 0
        "return jnp.sqrt(jnp.sum((jnp.stack([jnp.cos(w[0]), jnp.sin(w[0])]) - np.array([3.0, 0.0])) ** 2))",
        "return jnp.linalg.norm(jnp.exp(w) - (-1.0))",
    ],
)
def test_no_alarm_where_the_gradient_is_finite(notebook, body):
    notebook.run("import numpy as np\ndata = np.array([1.0, 2.0, 3.0])")
    ran = notebook.run(
        f"%%jaxpr\ndef f(w):\n    {body}\ng = jax.jit(jax.grad(f))(jnp.zeros(3))\nbool(jnp.isnan(g).any())"
    )
    assert ran.result.result is False
    assert "root_of_squares" not in ran.notes


def test_one_note_for_one_line(notebook):
    ran = notebook.run(
        "%%jaxpr\ndef f(x):\n    s = jnp.sum(x * x)\n    return jnp.where(s > 0, jnp.sqrt(s), 0.0)\n"
        "jax.jit(jax.grad(f))(jnp.zeros(3))"
    )
    assert ran.note("masked_derivative")["title"] == "The gradient can be NaN"
    assert "root_of_squares" not in ran.notes
