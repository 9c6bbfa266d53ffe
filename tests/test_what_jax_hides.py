"""Tests notes on what JAX does not report: values that a program keeps, random keys used twice, dropped updates."""

import pytest

from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

pytestmark = pytest.mark.any_jax

KEPT = "A call of f that finds a cache entry does not read {name} again. The call computes with {kept}."


# --- a value that changed since the trace ---


@pytest.mark.parametrize(
    ("setup", "change", "title", "text", "cure", "line"),
    [
        pytest.param(
            "scale = 2.0\n@jax.jit\ndef f(x):\n    return x * scale",
            "scale = 3.0",
            "scale changed after the trace",
            "scale was 2.0 when JAX last traced f, and is 3.0 now. " + KEPT.format(name="scale", kept="2.0"),
            "Pass scale to f as an argument.",
            5,
            id="a global number",
        ),
        pytest.param(
            "def make():\n    rate = 0.5\n    def change():\n        nonlocal rate\n        rate = 0.25\n"
            "    def f(x):\n        return x * rate\n    return jax.jit(f), change\nf, change = make()",
            "change()",
            "rate changed after the trace",
            "rate was 0.5 when JAX last traced f, and is 0.25 now. " + KEPT.format(name="rate", kept="0.5"),
            "Pass rate to f as an argument.",
            8,
            id="a variable of the function around it",
        ),
        pytest.param(
            "config = {'rate': 0.5, 'seen': []}\n@jax.jit\ndef f(x):\n    return x * config['rate']",
            "config['rate'] = 0.1; config['seen'].append(1)",
            "config['rate'] changed after the trace",
            "config['rate'] was 0.5 when JAX last traced f, and is 0.1 now. "
            + KEPT.format(name="config['rate']", kept="0.5"),
            "Pass config['rate'] to f as an argument.",
            5,
            id="an item of a dictionary",
        ),
        pytest.param(
            "class Model:\n    def __init__(self): self.rate = 1.0\n    def f(self, x):\n        return x * self.rate\n"
            "model = Model()\nf = jax.jit(model.f)",
            "model.rate = 7.0",
            "self.rate changed after the trace",
            "self.rate was 1.0 when JAX last traced f, and is 7.0 now. " + KEPT.format(name="self.rate", kept="1.0"),
            "Pass self.rate to f as an argument.",
            5,
            id="an attribute of the object of a method",
        ),
        pytest.param(
            "class Gear:\n    def __init__(self): self.ratio = 2.0\n    def turn(self, x):\n"
            "        return x * self.ratio\ngear = Gear()\n@jax.jit\ndef f(x):\n    return gear.turn(x) + 1",
            "gear.ratio = 5.0",
            "self.ratio changed after the trace",
            "self.ratio was 2.0 when JAX last traced f, and is 5.0 now. " + KEPT.format(name="self.ratio", kept="2.0"),
            "Pass the value of self.ratio, which Gear.turn reads, to f as an argument.",
            5,
            id="an attribute that a method of a global object reads",
        ),
        pytest.param(
            "w = jnp.ones(3)\n@jax.jit\ndef f(x):\n    return x + w",
            "w = jnp.zeros(3)",
            "w changed after the trace",
            "w was Array([1.0, 1.0, 1.0], dtype=float32) when JAX last traced f, and is "
            "Array([0.0, 0.0, 0.0], dtype=float32) now. "
            + KEPT.format(name="w", kept="Array([1.0, 1.0, 1.0], dtype=float32)"),
            "Pass w to f as an argument.",
            5,
            id="an array",
        ),
        pytest.param(
            "key = jax.random.key(0)\n@jax.jit\ndef f(x):\n    return x + jax.random.normal(key)",
            "key = jax.random.split(key)[0]",
            "key changed after the trace",
            "key is another array than when JAX last traced f. "
            + KEPT.format(name="key", kept="the array from the time of the trace"),
            "Pass key to f as an argument.",
            5,
            id="a key of jax.random",
        ),
        pytest.param(
            "def activation(x): return jnp.sin(x)\n@jax.jit\ndef f(x):\n    return activation(x)",
            "def activation(x): return jnp.cos(x)",
            "activation changed after the trace",
            "activation is another function than when JAX last traced f. "
            + KEPT.format(name="activation", kept="the function from the time of the trace"),
            "Run the cell that defines f again. JAX then traces f with the new activation.",
            5,
            id="a function that is defined anew",
        ),
        pytest.param(
            "scale = 2\ndef scaled(x): return x * scale\n@jax.jit\ndef f(x):\n    return scaled(x)",
            "scale = 5",
            "scale changed after the trace",
            "scale was 2 when JAX last traced f, and is 5 now. " + KEPT.format(name="scale", kept="2"),
            "Pass scale to f as an argument. Make the argument static if f needs a Python number, as for a shape or a "
            "range.",
            None,
            id="a number that a called function reads",
        ),
    ],
)
def test_a_value_that_changed_since_the_trace(notebook, setup, change, title, text, cure, line):
    notebook.run("import jax, jax.numpy as jnp")
    first = notebook.run(f"%%jaxpr\n{setup}\nf(jnp.ones(3)); f(jnp.ones(3))")
    assert "stale_value" not in first.notes
    notebook.run(change)
    second_run = notebook.run("%%jaxpr\nf(jnp.ones(3))")
    note = second_run.note("stale_value")
    assert (note["title"], note["text"], note["cure"]) == (title, text, cure)
    if line is not None:
        assert second_run.line_of(note) == line
    # A call with another shape causes another trace, which reads the new value.
    assert "stale_value" not in notebook.run("%%jaxpr\nf(jnp.ones((2, 3)))").notes


def test_the_change_and_the_calls_may_be_in_one_cell(notebook):
    notebook.run("import jax, jax.numpy as jnp")
    ran = notebook.run("%%jaxpr\nscale = 2.0\n@jax.jit\ndef f(x):\n    return x * scale\nf(1.0)\nscale = 3.0\nf(1.0)")
    assert ran.note("stale_value")["title"] == "scale changed after the trace"


@pytest.mark.parametrize(
    ("setup", "change"),
    [
        ("count = 0\n@jax.jit\ndef f(x):\n    global count\n    count += 1\n    return x", "f(jnp.ones(9))"),
        ("seen = []\n@jax.jit\ndef f(x):\n    seen.append(x.shape)\n    return x", "seen.append(1)"),
        ("seen = {'n': 0}\n@jax.jit\ndef f(x):\n    seen['n'] += 1\n    return x", "seen['n'] = 5"),
        ("scale = 2.0\n@jax.jit\ndef f(x, scale):\n    return x * scale", "scale = 3.0"),
        ("scale = 2.0\n@jax.jit\ndef f(x):\n    scale = 4.0\n    return x * scale", "scale = 3.0"),
        ("scale = 2.0\n@jax.jit\ndef f(x):\n    return x * scale", "scale = 2.0"),
        ("def g(x): return x * 2\n@jax.jit\ndef f(x):\n    return g(x)", "g = g"),
        ("class Size:\n    n = 3\nsize = Size()\n@jax.jit\ndef f(x):\n    return x * size.n", "size = Size()"),
        ("@jax.jit\ndef f(x):\n    return x * jnp.pi", "other = 3.0"),
    ],
)
def test_no_alarm(notebook, setup, change):
    call = "f(jnp.ones(3), 1.0)" if "(x, scale)" in setup else "f(jnp.ones(3))"
    notebook.run("import jax, jax.numpy as jnp")
    notebook.run(f"%%jaxpr\n{setup}\n{call}")
    notebook.run(change)
    assert "stale_value" not in notebook.run(f"%%jaxpr\n{call}").notes


def test_a_trace_that_no_cell_observed_leaves_nothing_to_compare_with(notebook):
    notebook.run("import jax, jax.numpy as jnp\nscale = 2.0\n@jax.jit\ndef f(x):\n    return x * scale")
    notebook.run("%%jaxpr\nf(jnp.ones(3))")
    notebook.run("scale = 3.0\nf(jnp.ones(4))")  # this call traced f again, with the new value
    assert "stale_value" not in notebook.run("%%jaxpr\nf(jnp.ones(4))").notes


# --- a random key that is used twice ---

NOT_INDEPENDENT = (
    "Numbers that are drawn from one key are not independent: numbers of the same shape and distribution are equal."
)
SPLITS = "jax.random.split uses a key, too: after a split, draw from the new keys alone."


KEYS = ["jax.random.key(0)", pytest.param("jax.random.PRNGKey(0)", marks=pytest.mark.slow)]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("cell", "text", "line"),
    [
        (
            "@jax.jit\ndef f(key):\n    a = jax.random.normal(key)\n    return a + jax.random.uniform(key)\nf(key)",
            f"Line 4 and line 5 use the same random key. {NOT_INDEPENDENT}",
            5,
        ),
        (
            "@jax.jit\ndef f(key):\n    return jax.random.normal(key) * jax.random.normal(key)\nf(key)",
            f"Line 4 uses the same random key twice. {NOT_INDEPENDENT}",
            4,
        ),
        (
            "@jax.jit\ndef f(key):\n    return sum([jax.random.normal(key) for _ in range(5)])\nf(key)",
            f"Line 4 uses the same random key 5 times. {NOT_INDEPENDENT}",
            4,
        ),
        (
            "@jax.jit\ndef f(key):\n    parts = jax.random.split(key)\n    return jax.random.normal(key), parts\n"
            "f(key)",
            f"Line 4 and line 5 use the same random key. {NOT_INDEPENDENT} {SPLITS}",
            5,
        ),
        (
            "@jax.jit\ndef f(key):\n    def step(c, x):\n        return c + jax.random.normal(key), x\n"
            "    return jax.lax.scan(step, 0.0, jnp.arange(5.0))\nf(key)",
            "Each step of this scan draws from the same random key, so each step draws the same numbers.",
            6,
        ),
        (
            "@jax.jit\ndef f(key):\n    def add(i, x):\n        return x + jax.random.normal(key)\n"
            "    return jax.lax.fori_loop(0, 4, add, 0.0)\nf(key)",
            "Each step of this fori_loop draws from the same random key, so each step draws the same numbers.",
            6,
        ),
        (
            "@jax.jit\ndef f(key):\n    keys = jax.random.split(key, 3)\n    a = jax.random.normal(keys[0])\n"
            "    b = jax.random.normal(keys[1])\n    return a, b, jax.random.normal(keys[0])\nf(key)",
            f"Line 5 and line 7 use the same random key. {NOT_INDEPENDENT}",
            7,
        ),
        (
            "@jax.jit\ndef draw(key, i):\n    a = jax.random.normal(jax.random.fold_in(key, i))\n"
            "    return a + jax.random.normal(jax.random.fold_in(key, i))\ndraw(key, 2)",
            f"Line 4 and line 5 use the same random key. {NOT_INDEPENDENT}",
            5,
        ),
        (
            "@jax.jit\ndef f(key):\n    a = jax.random.normal(jax.random.fold_in(key, 1))\n"
            "    return a + jax.random.normal(jax.random.fold_in(key, 1))\nf(key)",
            f"Line 4 and line 5 use the same random key. {NOT_INDEPENDENT}",
            5,
        ),
    ],
)
def test_a_key_used_twice(notebook, key, cell, text, line):
    notebook.run(f"import jax, jax.numpy as jnp\nkey = {key}")
    ran = notebook.run(f"%%jaxpr\n{cell}")
    note = ran.note("key_used_twice")
    assert note["text"] == text
    assert ran.line_of(note) == line


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("one, other = jax.random.split(key)\na = jax.random.normal(key, (2,))", "Line 2 and line 3 use"),
        ("a = jax.random.normal(key, (2,))\nkey, other = jax.random.split(key)", "Line 2 and line 3 use"),
        ("_, a = jax.random.split(key)\nb = a\n_, a = jax.random.split(key)", "Line 2 and line 4 use"),
    ],
)
def test_a_key_that_operations_outside_of_jit_split_and_use_again(notebook, key, cell, lines):
    notebook.run(f"import jax, jax.numpy as jnp\nkey = {key}")
    ran = notebook.run(f"%%jaxpr\n{cell}\nc = jax.random.normal(jax.random.key(1), (2,))")
    assert ran.note("key_used_twice")["text"] == f"{lines} the same random key. {NOT_INDEPENDENT} {SPLITS}"


@pytest.mark.parametrize("key", KEYS)
def test_keys_that_operations_outside_of_jit_split_and_use_once_have_no_note(notebook, key):
    notebook.run(f"import jax, jax.numpy as jnp\nkey = {key}")
    cell = "for _ in range(3):\n    key, one = jax.random.split(key)\n    a = jax.random.normal(one, (2,))"
    ran = notebook.run(f"%%jaxpr\n{cell}\nb = jax.random.normal(jax.random.fold_in(key, 1), (2,))")
    assert [note for note in ran.document["notes"] if note["kind"] == "key_used_twice"] == []


@pytest.mark.parametrize("key", ["jax.random.key(0)", "jax.random.PRNGKey(0)"])
def test_a_key_used_twice_outside_of_jit(notebook, key):
    notebook.run(f"import jax, jax.numpy as jnp\nkey = {key}")
    ran = notebook.run("%%jaxpr\na = jax.random.normal(key, (2,))\nb = jax.random.normal(key, (2,))")
    assert ran.note("key_used_twice")["text"] == f"Line 2 and line 3 use the same random key. {NOT_INDEPENDENT}"


def test_several_uses_of_a_key_on_one_line_have_one_note(notebook):
    notebook.run("import jax, jax.numpy as jnp\nkey = jax.random.key(0)")
    ran = notebook.run(
        "%%jaxpr\na = jax.random.normal(key, (2,))\nb = jax.random.normal(key, (2,)), jax.random.uniform(key, (3,))"
    )
    texts = [note["text"] for note in ran.document["notes"] if note["kind"] == "key_used_twice"]
    assert texts == [f"Line 2 and line 3 use the same random key. {NOT_INDEPENDENT}"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "cell",
    [
        "key, a = jax.random.split(key)\n    key, b = jax.random.split(key)\n"
        "    return jax.random.normal(a) + jax.random.normal(b)",
        "keys = jax.random.split(key, 3)\n    return jax.random.normal(keys[0]) + jax.random.normal(keys[1])",
        "a, b = (jax.random.fold_in(key, i) for i in range(2))\n    return jax.random.normal(a) + jax.random.normal(b)",
        "keys = jax.random.split(key, 3)\n    return jax.vmap(jax.random.normal)(keys).sum() + keys.shape[0]",
        "which = jax.random.bits(jax.random.fold_in(key, 1)) > 3\n"
        "    return jax.lax.cond(which, jax.random.normal, jax.random.uniform, key)",
        "return jax.lax.scan(lambda c, k: (c + jax.random.normal(k), None), 0.0, jax.random.split(key, 4))[0]",
        "def loss(v):\n        return jax.checkpoint(lambda v: jnp.sin(v * jax.random.normal(key)))(v)\n"
        "    return jax.grad(loss)(2.0)",
        "return jax.random.permutation(key, 8)",
        "return jax.random.gamma(key, 2.0)",
        "return jax.random.choice(key, 10, (3,), replace=False)",
        "return jax.random.multivariate_normal(key, jnp.zeros(2), jnp.eye(2))",
        "return jax.random.dirichlet(key, jnp.ones(3))",
        "return jax.random.binomial(key, 5, 0.5)",
        "return jax.random.randint(key, (3,), 0, 9)",
    ],
)
def test_keys_that_are_used_once(notebook, key, cell):
    notebook.run(f"import jax, jax.numpy as jnp\nkey = {key}")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(key):\n    {cell}\nf(key)")
    assert ran.result.success
    assert ran.notes == []


# --- an update whose result is dropped ---


def test_an_update_that_is_lost(notebook):
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.arange(4.0)")
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    x.at[0].set(9.0)\n    y = x.at[1].set(1.0)\n    return x * y\n\nf(x)"
    )
    note = ran.note("dropped_update")
    assert (note["title"], note["text"], note["cure"]) == (
        "The result of an update is not used",
        "x.at[0].set(9.0) returns a new array and does not change x. The code does not assign the new array to a name, "
        "so the update is lost.",
        "Write x = x.at[0].set(9.0).",
    )
    assert ran.line_of(note) == 4


@pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not report calls")
def test_an_update_that_is_lost_in_a_function_of_an_earlier_cell(notebook):
    notebook.run(
        "import jax, jax.numpy as jnp\n"
        "def walls(u, left):\n    u.at[0].set(left)\n    return u\n"
        "def never(u):\n    u.at[1].set(0.0)\n"
        "heat = jax.jit(lambda u: walls(2.0 * u, 1.0))"
    )
    ran = notebook.run("%%jaxpr\nheat(jnp.ones(3))")
    note = ran.note("dropped_update")
    assert ran.notes.count("dropped_update") == 1
    assert (note["text"], note["cure"], ran.line_of(note)) == (
        "u.at[0].set(left) returns a new array and does not change u. The code does not assign the new array to a "
        "name, so the update is lost.",
        "Write u = u.at[0].set(left).",
        3,
    )


@pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not report calls")
def test_an_update_of_a_reference_is_not_lost(notebook):
    notebook.run("import timeit, jax, jax.numpy as jnp\nx = jnp.arange(4.0)\nr = jax.new_ref(x)")
    ran = notebook.run(
        "%%jaxpr\nr.at[0].set(9.0)\ntimeit.timeit('x.at[0].set(1.0)', globals=globals(), number=2)\nprint(r[0])"
    )
    assert (ran.result.success, "dropped_update" in ran.notes) == (True, False)


def test_the_result_that_a_cell_shows_is_not_lost(notebook):
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.arange(4.0)")
    assert "dropped_update" not in notebook.run("%%jaxpr\nx.at[0].set(9.0)").notes
