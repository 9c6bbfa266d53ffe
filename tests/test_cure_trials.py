"""Tests that the trial of a cure leaves the user's values, the kernel and JAX's caches unchanged."""

import pytest

pytestmark = pytest.mark.any_jax

# A branch on a traced value, for which two cures exist; a trial decides whether each of them applies.
CHOICE = "    if x.sum() > 0:\n        y = x\n    else:\n        y = -x\n"


def levels(ran):
    (note,) = [note for note in ran.document["notes"] if note["kind"] in ("trace_raised", "raised")]
    return {cure["name"]: cure.get("level") or "advice" for cure in note["cures"]}


def failing(after, before=""):
    """Return a cell whose function raises at its branch, so that the lines after the branch did not run."""
    return f"%%jaxpr\n@jax.jit\ndef f(x):\n{before}{CHOICE}{after}    return y\nf(jnp.ones(3))"


@pytest.fixture
def cell(notebook):
    notebook.run("import jax, jax.numpy as jnp, numpy as np\nfrom jax import lax")
    return notebook.run


@pytest.mark.parametrize(
    ("setup", "before", "after"),
    [
        ("kept = np.zeros(3)", "    total = kept\n", "    total += 1.0\n"),
        ("kept = [1]", "    values = kept\n", "    values += [2]\n"),
        ("kept = [[1]]", "    values = kept\n", "    values[0].append(2)\n    values = None\n"),
        ("kept = {'a': 1}", "    values = kept\n", "    values['b'] = 2\n    values = None\n"),
    ],
)
def test_the_trial_changes_no_value_of_the_users(cell, notebook, setup, before, after):
    cell(setup)
    value_text = repr(notebook["kept"])
    levels(cell(failing(after, before)))
    assert repr(notebook["kept"]) == value_text


@pytest.mark.parametrize(
    ("setup", "after"),
    [
        ("", "    if y.shape[0] == 3: raise SystemExit('stop here')\n"),
        ("", "    for i in range(10**9):\n        try: y = jnp.sin(y)\n        except: pass\n"),
        ("big = np.zeros((1_000, 1_000))", "    y = y + np.linalg.eigh(big)[0][0]\n"),
        ("rows = [0.5] * 3_000_000", "    y = y * len(rows)\n"),
    ],
)
def test_there_is_no_trial_of_what_could_not_be_ended(cell, setup, after):
    cell(setup)
    assert levels(cell(failing(after))) == {"jax.lax.cond": "advice", "jnp.where": "advice"}


STEP = "@jax.jit\ndef step(v):\n    print('Python runs')\n    return v + 1\n"


@pytest.mark.parametrize(
    ("setup", "call"),
    [
        (f"{STEP}class Model:\n    step = staticmethod(step)", "Model.step"),
        (f"{STEP}steps = [step]", "steps[0]"),
        (f"{STEP}mapped = jax.vmap(step)", "mapped"),
        (STEP, "step"),
    ],
)
def test_a_jitted_function_of_the_users_has_no_trace_of_a_trial(cell, setup, call):
    cell(setup)
    assert "Python runs" not in cell(failing(f"    y = {call}(y)\n")).stdout
    assert "Python runs" in cell(f"%%jaxpr\n{call}(jnp.ones(3))").stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "def f(x):\n    if x.ndim > 2: y = x[0]\n    elif x.sum() > 0: y = 2 * x\n    else: y = -x\n    return y",
            {"jax.lax.cond": "advice", "jnp.where": "advice"},
            id="an elif",
        ),
        pytest.param(
            "def f(x):\n    return x[x[:, 0] > 2].sum()",
            {"jnp.where": "advice"},
            id="a mask of rows",
        ),
        pytest.param(
            "def f(x):\n    return x[x > 2].sum()",
            {"jnp.where": "applies"},
            id="a mask of elements",
        ),
        pytest.param(
            "def f(x):\n    return lax.cond(x.sum() > 0, lambda: False, lambda: 5)",
            {"return int32": "applies"},
            id="a bool and an integer",
        ),
        pytest.param(
            "def f(x):\n    return lax.fori_loop(0, 3, lambda i, c: i * 2, 0.5)",
            {"start with int32": "advice"},
            id="a carry that would be cut",
        ),
        pytest.param(
            "def f(x, v=0):\n    return x if v is not None and x.sum() > 0 else -x",
            {"jax.lax.cond": "advice", "jnp.where": "advice"},
            id="an operand that guards the next one",
        ),
    ],
)
def test_a_cure_that_applies_keeps_what_the_text_means(cell, text, expected):
    assert levels(cell(f"%%jaxpr\n@jax.jit\n{text}\nf(jnp.ones((3, 3)))")) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "def fib(n): return fib(n - 1) + fib(n - 2)\nfib(3)",
            marks=pytest.mark.slow,  # IPython takes ten seconds to print the traceback
        ),
        "[0] * 2.5",
        "np.array([2**70], dtype=np.int64)",
        "np.uint8(300)",
        "@jax.jit\ndef f(x):\n    return bool(x[0])\ntry:\n    f(jnp.ones(3))\nexcept Exception:\n    pass\n1 / 0",
    ],
)
def test_an_error_in_which_jax_has_no_part_is_not_explained(cell, text):
    ran = cell(f"%%jaxpr\n{text}")
    assert not ran.result.success
    assert not ran.shown or not {"raised", "trace_raised"} & set(ran.notes)
