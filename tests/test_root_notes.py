"""Tests notes on square roots of squares, whose gradient is NaN at 0."""

import pytest

pytestmark = pytest.mark.any_jax

TEXT = (
    "The gradient of this square root of squares is NaN where the squared numbers are 0. The derivative of the square "
    "root is infinite there, and JAX multiplies the derivative by the numbers."
)
CURE = (
    "Keep 0 out of the square root with two selections, where s is the sum of the squares: jnp.where(s > 0, "
    "jnp.sqrt(jnp.where(s > 0, s, 1)), 0). If the code divides by the square root, write 1 in place of the last 0, "
    "and compare s in place of the root with 0."
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
        "return jnp.std(x) + jnp.var(x)",
        "return jnp.std(x, ddof=1) * 2",
        "return jnp.sum(jnp.sqrt(x**2 + (x - 0.0) ** 2))",
    ],
)
@pytest.mark.parametrize("call", ["jax.jit(jax.grad(f))(x)", "jax.jit(jax.vmap(jax.grad(f)))(x[None])"])
def test_the_gradient_of_a_root_of_squares(notebook, body, call):
    ran = notebook.run(f"%%jaxpr\ndef f(x):\n    {body}\nx = jnp.zeros(3)\ng = {call}\nbool(jnp.isnan(g).all())")
    note = ran.note("root_of_squares")
    assert ran.result.result is True  # the computed gradient is NaN
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
        "return jnp.sum(w * data / jnp.linalg.norm(data))",  # the gradient does not go through the root
        # the sigmoid is between 0 and 1, so the difference from 2 is never 0
        "return jnp.sqrt(jnp.mean((jax.nn.sigmoid(w) - 2.0) ** 2))",
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


STEPS = "%%jaxpr\ndef f(rows):\n    def body(total, row):\n        return total + {}, None\n" + (
    "    return jax.lax.scan(body, 0.0, rows, length=3)[0]\n"
)


@pytest.mark.parametrize("value", ["jnp.linalg.norm(row)", "jnp.std(row)", "jnp.sqrt(row[0] ** 2 + row[1] ** 2)"])
@pytest.mark.parametrize("call", ["jax.jit(jax.grad(f))(z)", "jax.grad(jax.jit(f))(z)"])
def test_a_root_in_the_body_of_a_scan(notebook, value, call):
    notebook.run("z = jnp.zeros((3, 2))")
    ran = notebook.run(f"{STEPS.format(value)}g = {call}\nbool(jnp.isnan(g).any())")
    assert ran.result.result is True
    if "row[0]" in value:
        # here the square is of an element of the input, and the search does not follow indexing
        assert "root_of_squares" not in ran.notes
        return
    note = ran.note("root_of_squares")
    assert (note["title"], note["text"], note["cure"]) == ("The gradient can be NaN", TEXT, CURE)
    assert ran.line_of(note) == 4


@pytest.mark.parametrize(
    "value",
    [
        "jnp.linalg.norm(row + 1e-3)",
        "jnp.sqrt(jnp.var(row) + 1e-6)",
        "jnp.sum(row * jax.lax.stop_gradient(jnp.std(row)))",
        "jnp.linalg.norm(total * row + 1.0)",
    ],
)
def test_no_alarm_in_the_body_of_a_scan(notebook, value):
    notebook.run("z = jnp.zeros((3, 2))")
    ran = notebook.run(f"{STEPS.format(value)}g = jax.jit(jax.grad(f))(z)\nbool(jnp.isnan(g).any())")
    assert ran.result.result is False
    assert [note["text"] for note in ran.document["notes"] if note["kind"] in ("root_of_squares", "failed")] == []


def test_the_hypotenuse_where_both_sides_are_0(notebook):
    ran = notebook.run(
        "%%jaxpr\ndef f(a):\n    return jnp.hypot(a, 2 * a)\ng = jax.jit(jax.grad(f))(0.0)\nbool(jnp.isnan(g))"
    )
    # with JAX 0.10 the gradient is finite, so there is no note
    assert ("root_of_squares" in ran.notes) is ran.result.result


def test_the_hypotenuse_away_from_0_and_without_a_gradient(notebook):
    ran = notebook.run(
        "%%jaxpr\ndef f(a):\n    return jnp.hypot(a, 1.0 + a * a)\n"
        "g = jax.jit(jax.grad(f))(0.0)\ny = jax.jit(jnp.hypot)(0.0, 0.0)\nbool(jnp.isnan(g))"
    )
    assert ran.result.result is False
    assert "root_of_squares" not in ran.notes
