"""What JAX does without a word: values that a program keeps, random keys used twice, updates that are lost."""

import sys

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Explicitly requested dtype", "ignore:Some donated buffers")

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
            "w = jnp.ones(3)\n@jax.jit\ndef f(x):\n    return x + w",
            "w = jnp.zeros(3)",
            "w changed after the trace",
            "w is another array than when JAX last traced f. " + KEPT.format(name="w", kept="the array of the trace"),
            "Pass w to f as an argument.",
            5,
            id="an array",
        ),
        pytest.param(
            "def activation(x): return jnp.sin(x)\n@jax.jit\ndef f(x):\n    return activation(x)",
            "def activation(x): return jnp.cos(x)",
            "activation changed after the trace",
            "activation is another function than when JAX last traced f. "
            + KEPT.format(name="activation", kept="the function of the trace"),
            "Run the cell that defines f again. JAX then traces f with the new activation.",
            5,
            id="a function that is defined anew",
        ),
        pytest.param(
            "scale = 2\ndef scaled(x): return x * scale\n@jax.jit\ndef f(x):\n    return scaled(x)",
            "scale = 5",
            "scale changed after the trace",
            "scale was 2 when JAX last traced f, and is 5 now. " + KEPT.format(name="scale", kept="2"),
            "Pass scale to f as an argument.",
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
    again = notebook.run("%%jaxpr\nf(jnp.ones(3))")
    note = again.note("stale_value")
    assert (note["title"], note["text"], note["cure"]) == (title, text, cure)
    if line is not None:
        assert again.line_of(note) == line
    # Another shape is another trace, which reads the new value.
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
    notebook.run("scale = 3.0\nf(jnp.ones(4))")  # the newest program has the newest value
    assert "stale_value" not in notebook.run("%%jaxpr\nf(jnp.ones(4))").notes


# --- a random key that is used twice ---

NOT_INDEPENDENT = (
    "Numbers that are drawn from one key are not independent: numbers of the same shape and distribution are equal."
)


@pytest.mark.parametrize("key", ["jax.random.key(0)", "jax.random.PRNGKey(0)"])
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
            "@jax.jit\ndef f(key):\n    parts = jax.random.split(key)\n    return jax.random.normal(key), parts\n"
            "f(key)",
            f"Line 4 and line 5 use the same random key. {NOT_INDEPENDENT}",
            5,
        ),
        (
            "@jax.jit\ndef f(key):\n    def step(c, x):\n        return c + jax.random.normal(key), x\n"
            "    return jax.lax.scan(step, 0.0, jnp.arange(5.0))\nf(key)",
            "Each step of this scan draws from the same random key, so each step draws the same numbers.",
            6,
        ),
    ],
)
def test_a_key_used_twice(notebook, key, cell, text, line):
    notebook.run(f"import jax, jax.numpy as jnp\nkey = {key}")
    ran = notebook.run(f"%%jaxpr\n{cell}")
    note = ran.note("key_used_twice")
    assert note["text"] == text
    assert ran.line_of(note) == line


def test_a_key_used_twice_outside_of_jit(notebook):
    notebook.run("import jax, jax.numpy as jnp\nkey = jax.random.key(0)")
    ran = notebook.run("%%jaxpr\na = jax.random.normal(key, (2,))\nb = jax.random.normal(key, (2,))")
    assert ran.note("key_used_twice")["text"] == f"Line 2 and line 3 use the same random key. {NOT_INDEPENDENT}"


@pytest.mark.parametrize("key", ["jax.random.key(0)", "jax.random.PRNGKey(0)"])
@pytest.mark.parametrize(
    "cell",
    [
        "key, a = jax.random.split(key)\n    key, b = jax.random.split(key)\n"
        "    return jax.random.normal(a) + jax.random.normal(b)",
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
        "x.at[0].set(9.0) gives a new array and leaves x as it is. The statement gives the new array no name, so the "
        "update is lost.",
        "Write x = x.at[0].set(9.0).",
    )
    assert ran.line_of(note) == 4


def test_the_result_that_a_cell_shows_is_not_lost(notebook):
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.arange(4.0)")
    assert "dropped_update" not in notebook.run("%%jaxpr\nx.at[0].set(9.0)").notes


# --- a call whose result the program keeps ---

SEES_CALLS = pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 does not show calls")
KEEPS = (
    "{name} was called while JAX traced f. A call of f that finds a cache entry does not call {name} again. A value "
    "of {name} that reached the program is a constant of the program."
)
DRAW = (
    "Draw with jax.random from a key that is an argument of f, or draw outside of f and pass the numbers as an "
    "argument."
)


@SEES_CALLS
@pytest.mark.parametrize(
    ("setup", "body", "name", "cure"),
    [
        ("import time", "return x * time.time()", "time.time", "clock"),
        ("from time import perf_counter as now", "return x * now()", "time.perf_counter", "clock"),
        ("import datetime", "return x * datetime.datetime.now().hour", "datetime.now", "clock"),
        ("import random", "return x * random.random()", "random.random", DRAW),
        ("import random", "return x * random.uniform(1, 2)", "random.uniform", DRAW),
        ("import numpy as np", "return x * np.random.normal(size=3)", "np.random.normal", DRAW),
        ("import numpy as np", "return x * np.random.default_rng().normal()", "np.random.default_rng", DRAW),
        (
            "import numpy as np\nrng = np.random.default_rng(0)",
            "return x * rng.normal(size=3)",
            "Generator.normal",
            DRAW,
        ),
        ("import random\ndef draw(): return random.gauss(0, 1)", "return x * draw()", "random.gauss", DRAW),
        ("import os", "return x * len(open(os.devnull).read())", "open", "data"),
        ("import os", "return x * (os.environ.get('SOME') == 'x')", "os.environ.get", "variable"),
    ],
)
def test_a_value_that_is_read_once(notebook, setup, body, name, cure):
    notebook.run(f"import jax, jax.numpy as jnp\n{setup}")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\nf(jnp.ones(3)); f(jnp.ones(3))")
    note = ran.note("frozen_call")
    cures = {
        "clock": "Read the clock outside of f, and pass the time to f as an argument.",
        "data": "Read outside of f, and pass the data to f as an argument.",
        "variable": "Read the variable outside of f, and pass the value to f as an argument.",
    }
    assert note["title"] == f"{name} was called once, while JAX traced f"
    assert (note["text"], note["cure"]) == (KEEPS.format(name=name), cures.get(cure, cure))
    assert ran.line_of(note) == (3 if "draw" in setup else 4)
    assert "frozen_call" not in notebook.run("%%jaxpr\nf(jnp.ones(3))").notes


@SEES_CALLS
@pytest.mark.parametrize(
    ("setup", "body"),
    [
        ("import time\nstart = time.time()", "return x * start"),
        ("import time", "return time.time() * x if x.ndim > 1 else x"),
        ("def time(): return 3", "return x * time()"),
        ("import random", "random = jax.random.key(0)\n    return x + jax.random.normal(random)"),
        ("import numpy as np", "return x * np.random.default_rng(0).normal(size=3)"),
        ("import numpy as np", "rng = np.random.RandomState(0)\n    return x * rng.normal(size=3)"),
        ("import numpy as np", "np.random.seed(0)\n    return x * np.random.normal(size=3)"),
        ("import random", "return x * random.Random(0).random()"),
        (
            "import time\nnp_time = lambda v: v + time.time()",
            "return jax.pure_callback(np_time, jax.ShapeDtypeStruct(x.shape, x.dtype), x)",
        ),
        ("import time\ndef show(v): print(time.time() > 0, end='')", "jax.debug.callback(show, x)\n    return x"),
        ("class Clock:\n    def time(self): return 1.0\ntime = Clock()", "return x * time.time()"),
        ("import time", "def later(): return time.time()\n    return x"),
    ],
)
def test_what_the_program_does_not_keep(notebook, setup, body):
    notebook.run(f"import jax, jax.numpy as jnp\n{setup}")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\nf(jnp.ones(3)); f(jnp.ones(3))")
    assert ran.result.success
    assert "frozen_call" not in ran.notes


@SEES_CALLS
def test_a_clock_outside_of_the_trace_is_no_matter(notebook):
    notebook.run("import jax, jax.numpy as jnp, time\n@jax.jit\ndef f(x):\n    return x * 2")
    ran = notebook.run("%%jaxpr\nt = time.time()\nf(jnp.ones(3)).block_until_ready()\ntook = time.time() - t")
    assert ran.notes == []


# --- a type that JAX does not give ---


@pytest.mark.parametrize(
    ("expression", "asked", "taken"),
    [
        ("jnp.zeros(3, dtype=jnp.float64)", "float64", "float32"),
        ("jnp.array([1.0], dtype='float64')", "float64", "float32"),
        ("jnp.arange(3.0).astype('float64')", "float64", "float32"),
        ("jnp.arange(3, dtype=jnp.int64)", "int64", "int32"),
        ("jnp.ones(3, jnp.complex128)", "complex128", "complex64"),
    ],
)
@pytest.mark.parametrize("where", ["f = jax.jit(lambda: {})\nf()", "y = {}"])
def test_a_type_that_was_not_given(notebook, expression, asked, taken, where):
    ran = notebook.run("%%jaxpr\n" + where.format(expression))
    note = ran.note("truncated_type")
    assert (note["title"], note["text"], note["cure"]) == (
        f"{asked} was asked for, {taken} was given",
        f"This expression asks for {asked}. JAX takes {taken} in its place, because jax_enable_x64 is off.",
        f"Write {taken}, or turn 64-bit types on before anything else uses JAX: "
        'jax.config.update("jax_enable_x64", True).',
    )
    file, _, line, column, end_line, end_column = ran.document["frames"][note["frame"]]
    text = where.format(expression).split("\n")[line - 2][column:end_column]
    assert text == expression


@pytest.mark.parametrize(
    "expression",
    [
        "jnp.zeros(3, float)",
        "jnp.array(2.5)",
        "jnp.asarray(np.ones(3))",
        "jnp.asarray(np.arange(3, dtype='int64'))",
        "jnp.zeros(3, jnp.float32)",
        "np.zeros(3, np.float64)",
        "jnp.arange(3) * 2.0",
    ],
)
def test_a_type_that_nobody_asked_for(notebook, expression):
    notebook.run("import numpy as np")
    assert "truncated_type" not in notebook.run(f"%%jaxpr\ny = jax.jit(lambda: {expression})()").notes


def test_a_type_that_a_package_asked_for(notebook, tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "asks_for_doubles.py"
    package.parent.mkdir()
    package.write_text("import jax.numpy as jnp\ndef zeros(n): return jnp.zeros(n, jnp.float64)\n")
    monkeypatch.syspath_prepend(str(package.parent))
    ran = notebook.run("%%jaxpr\nimport asks_for_doubles\ny = asks_for_doubles.zeros(3) + jax.jit(jnp.sin)(x[:3])")
    assert ran.result.success
    assert "truncated_type" not in ran.notes


def test_the_warnings_are_those_of_a_plain_cell(make_notebook):
    """Also where a filter of the user's turns one into an error."""
    shown = []
    for magic in ("", "%%jaxpr\n"):
        notebook = make_notebook(extension=bool(magic))
        notebook.run("import warnings, jax, jax.numpy as jnp\nf = jax.jit(lambda x: x.sum(), donate_argnums=0)")
        notebook.run(
            f"{magic}with warnings.catch_warnings(record=True) as seen:\n    warnings.simplefilter('default')\n"
            "    for _ in range(2):\n        jnp.zeros(3, 'float64') + f(jnp.ones(3))"
        )
        lines = [each.lineno - bool(magic) * ("jax" not in each.filename) for each in notebook["seen"]]
        ran = notebook.run(f"{magic}with warnings.catch_warnings(action='error'):\n    jnp.zeros(3, 'float64')")
        shown.append(([str(each.message) for each in notebook["seen"]], lines, repr(ran.result.error_in_exec)))
    assert shown[0] == shown[1]
    assert [text.split(":")[0][:40] for text in shown[0][0]] == [
        "Explicitly requested dtype float64 reque",
        "Some donated buffers were not usable",
    ]
    assert "Explicitly requested dtype float64" in shown[0][2]


# --- a donated argument without use ---


@pytest.mark.parametrize(
    ("body", "donated", "call", "path", "text", "cure"),
    [
        (
            "return x.sum()",
            "0",
            "f(jnp.ones(3))",
            "x",
            "f donates x (f32[3]), and JAX cannot use the memory of x for a result. No result has the type f32[3]: the "
            "result is f32[].",
            "Do not donate x, or return an array of the type f32[3], such as the new x.",
        ),
        (
            "return x['w'] * 2, x['b'].sum()",
            "0",
            "f({'w': jnp.ones(3), 'b': jnp.ones((2, 2))})",
            "x['b']",
            "f donates x['b'] (f32[2,2]), and JAX cannot use the memory of x['b'] for a result. No result has the type "
            "f32[2,2]: the results are f32[3], f32[].",
            "Do not donate x['b'], or return an array of the type f32[2,2], such as the new x['b'].",
        ),
        (
            "return x + y",
            "(0, 1)",
            "f(jnp.ones(3), jnp.ones(3))",
            "y",
            "f donates y (f32[3]), and JAX cannot use the memory of y for a result. Each result of this type uses the "
            "memory of another donated argument.",
            "Do not donate y.",
        ),
    ],
)
def test_a_donated_argument_that_no_result_uses(notebook, body, donated, call, path, text, cure):
    notebook.run("from functools import partial")
    arguments = "x, y" if donated == "(0, 1)" else "x"
    ran = notebook.run(f"%%jaxpr\n@partial(jax.jit, donate_argnums={donated})\ndef f({arguments}):\n    {body}\n{call}")
    note = ran.note("unused_donation")
    assert note["title"] == f"The memory of {path} could not be donated"
    assert (note["text"], note["cure"]) == (text, cure)
    assert ran.line_of(note) == 2


@pytest.mark.parametrize(
    ("body", "donated"),
    [("return x * 2", "0"), ("return (x + y).sum(), x, y", "(0, 1)"), ("return x.sum() + y", "1")],
)
def test_donated_arguments_that_results_use(notebook, body, donated):
    notebook.run("from functools import partial")
    cell = f"@partial(jax.jit, donate_argnums={donated})\ndef f(x, y):\n    {body}\nf(jnp.ones(3), jnp.ones(3))"
    assert "unused_donation" not in notebook.run(f"%%jaxpr\n{cell}").notes


# --- an index that is out of bounds ---

OUTSIDE = "{} is out of bounds: axis 0 of the array has the size 3. JAX raises no error. "
NOT_CHECKED = "JAX takes for granted that the index is in bounds, so the value that the program reads is not defined."


@pytest.mark.parametrize(
    ("expression", "outcome"),
    [
        ("v[10]", "The program reads the element 2 of the axis."),
        ("v[-5]", "The program reads the element 0 of the axis."),
        ("m[3, 1]", "The program reads the element 2 of the axis."),
        ("v[np.array([0, 5])]", NOT_CHECKED),
        ("v.at[7].set(1.0)", "The program drops the update."),
        ("v.at[np.array([0, 7])].add(1.0)", "The program drops the update."),
        (
            "jnp.take(v, 9)",
            "The result is a fill value in its place: NaN, or the least or the largest number of an integer type.",
        ),
        ("lax.dynamic_index_in_dim(v, 9)", "The program reads the element 2 of the axis."),
    ],
)
def test_an_index_out_of_bounds(notebook, expression, outcome):
    notebook.run("import numpy as np\nv = jnp.arange(3.0); m = jnp.ones((3, 4))")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(v, m):\n    return {expression}\nf(v, m)")
    note = ran.note("out_of_bounds")
    assert (note["text"], note["cure"]) == (OUTSIDE.format(expression) + outcome, "Use an index from -3 to 2.")
    assert ran.line_of(note) == 4


def test_a_slice_that_reaches_beyond_the_end(notebook):
    ran = notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    return lax.dynamic_slice(x, (6,), (4,))\nf(x)")
    note = ran.note("out_of_bounds")
    assert (note["text"], note["cure"]) == (
        "lax.dynamic_slice(x, (6,), (4,)) is out of bounds: the slice has the length 4, and axis 0 of the array has "
        "the size 8. JAX raises no error. The slice begins at 4.",
        "Begin the slice at 4 or before.",
    )


def test_an_index_in_the_body_of_a_loop(notebook):
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    def step(c, _):\n        return c + x[8], None\n"
        "    return lax.scan(step, 0.0, length=3)[0]\nf(x)"
    )
    assert ran.line_of(ran.note("out_of_bounds")) == 5


@pytest.mark.parametrize(
    "body",
    [
        "return x[7] + x[-8] + x[-1]",
        "return x[2:99]",
        "return x.at[9].set(1.0, mode='drop')",
        "return x.at[9].get(mode='fill', fill_value=0.0)",
        "return jnp.take(x, 9, mode='clip')",
        "i = 9\n    return jnp.where(i < 8, x[i], 0.0)",
        "i = jnp.argmax(x) + 100\n    return x[i]",
        "return lax.fori_loop(0, 20, lambda i, c: c + x[i], 0.0)",
        "return jnp.roll(x, 3) + jnp.pad(x, 2)[2:10] + jnp.sort(x)[::-1]",
        "return jnp.nonzero(x, size=12, fill_value=99)[0]",
        "return jax.nn.one_hot(jnp.array([9]), 8)",
        "return jax.ops.segment_sum(x, np.arange(8) % 4, num_segments=2)",
        "return jax.grad(lambda v: v[3] * v[-1])(x)",
        "return jax.vmap(lambda v: v[-1] + v[0])(x.reshape(2, 4))",
        "return lax.dynamic_slice(x, (4,), (4,)) + lax.dynamic_slice_in_dim(x, 0, 4)",
        "return lax.dynamic_update_slice(x, jnp.ones(2), (6,))",
    ],
)
def test_indices_that_are_in_bounds_or_outside_on_purpose(notebook, body):
    notebook.run("import numpy as np")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\nf(x)")
    assert ran.result.success
    assert "out_of_bounds" not in ran.notes


# --- a carry that JAX converts ---


@pytest.mark.parametrize(
    ("loop", "began", "returned", "dtype"),
    [
        ("lax.fori_loop(0, 8, lambda i, c: c + x[i], 0)", "i32[]", "f32[]", "float32"),
        ("lax.scan(lambda c, v: (c + v, None), 0, x)", "i32[]", "f32[]", "float32"),
        ("lax.while_loop(lambda c: c < 9, lambda c: c + x.max(), 1)", "i32[]", "f32[]", "float32"),
        ("lax.while_loop(lambda c: c[0] < 9, lambda c: (c[0] + 1, c[1] * 0.5), (0, 8))", "i32[]", "f32[]", "float32"),
    ],
)
@pytest.mark.parametrize("where", ["f = jax.jit(lambda x: {})\nf(x)", "y = {}"])
def test_a_carry_that_jax_converts(notebook, where, loop, began, returned, dtype):
    ran = notebook.run("%%jaxpr\n" + where.format(loop))
    note = ran.note("promoted_carry")
    assert (note["title"], note["text"], note["cure"]) == (
        f"A carry of this loop changes from {began} to {returned}",
        f"A carry of this loop begins as {began} with a weak type, as a Python number does, and the body returns "
        f"{returned}. JAX converts the carry to {dtype} before the first step, and traces the body a second time.",
        f"Begin the carry with the type {dtype}, such as jnp.asarray(value, jnp.{dtype}).",
    )
    *_, line, column, end_line, end_column = ran.document["frames"][note["frame"]]
    assert where.format(loop).split("\n")[line - 2][column:end_column] == loop


@pytest.mark.parametrize(
    "loop",
    [
        "lax.fori_loop(0, 8, lambda i, c: c + x[i], 0.0)",
        "lax.fori_loop(0, 8, lambda i, c: c + x[i], jnp.asarray(0, jnp.float32))",
        "lax.fori_loop(0, 8, lambda i, c: c + i, 0)",
        "lax.scan(lambda c, v: (c + 1, v), 0, x)",
        "lax.scan(lambda c, v: (c + v, None), 0.0, x.astype(jnp.bfloat16))",
        "lax.while_loop(lambda c: c[0] < 9, lambda c: (c[0] + 1, c[1] * 0.5), (0, 8.0))",
        "lax.map(lambda v: v * 2, x)",
        "jnp.cumsum(x) + jax.random.poisson(jax.random.key(0), 3.0, (8,)) + jnp.linalg.norm(x)",
    ],
)
def test_carries_that_keep_their_types(notebook, loop):
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    return {loop}\nf(x)")
    assert ran.result.success
    assert "promoted_carry" not in ran.notes


# --- a gradient that can be NaN ---


@pytest.mark.parametrize(
    "selection",
    [
        "jnp.where(x > 0, jnp.log(x), 0.0)",
        "jnp.where(x != 0, 1 / x, 0.0)",
        "jnp.where(x == 0, 0.0, 1 / x)",
        "jnp.where(x > 1, jnp.sqrt(x), x)",
        "jnp.where(x <= 0, 0.0, jnp.log(x) * 3.0)",
        "lax.select(x > 0, jnp.log(x), jnp.zeros_like(x))",
    ],
)
@pytest.mark.parametrize("transform", ["jax.grad", "jax.value_and_grad"])
def test_a_gradient_that_is_nan_at_zero(notebook, transform, selection):
    ran = notebook.run(f"%%jaxpr\ndef f(x):\n    return {selection}.sum()\ng = jax.jit({transform}(f))(x)")
    note = ran.note("masked_derivative")
    assert (note["title"], note["text"], note["cure"]) == (
        "The gradient can be NaN",
        "The gradient of this selection is NaN where the compared value is 0. The branch that is not taken there has "
        "an infinite derivative, and JAX multiplies the derivative by zero.",
        "Keep 0 out of the branch with a second selection: jnp.where(c, f(jnp.where(c, x, 1)), y) in place of "
        "jnp.where(c, f(x), y).",
    )
    assert ran.line_of(note) == 3
    gradient = notebook["g"][1] if "value" in transform else notebook["g"]
    assert notebook["jnp"].isnan(gradient[0])  # x[0] is 0


@pytest.mark.parametrize(
    "selection",
    [
        "jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0)",
        "jnp.where(x > -1, jnp.log1p(x), 0.0)",
        "jnp.where(x > 0, jnp.log(x + 1e-6), 0.0)",
        "jnp.where(x > 0, jnp.log(jnp.maximum(x, 1e-6)), 0.0)",
        "jnp.where(x > 0, jnp.exp(x), x)",
        "jnp.where(x > 0, x**2, x**3)",
        "jnp.where(x > 0, x / 2, 0.0)",
        "jax.nn.relu(x) + jax.nn.softplus(x) + jax.nn.selu(x) + jax.nn.gelu(x) + jax.nn.log_sigmoid(x)",
        "jnp.sinc(x) + jnp.abs(x) + jnp.clip(x, 0, 1)",
    ],
)
def test_a_gradient_that_is_a_number(notebook, selection):
    ran = notebook.run(f"%%jaxpr\ndef f(x):\n    return ({selection}).sum()\ng = jax.jit(jax.grad(f))(x)")
    assert ran.result.success
    assert "masked_derivative" not in ran.notes
    assert not notebook["jnp"].isnan(notebook["g"]).any()


def test_a_selection_without_a_gradient(notebook):
    ran = notebook.run("%%jaxpr\ny = jax.jit(lambda x: jnp.where(x > 0, jnp.log(x), 0.0))(x)")
    assert "masked_derivative" not in ran.notes
