"""Tests notes on silent changes by JAX: calls that run once, other dtypes, donated arguments, converted carries."""

import builtins
import sys

import pytest

pytestmark = [
    pytest.mark.any_jax,
    pytest.mark.filterwarnings("ignore:Explicitly requested dtype", "ignore:Some donated buffers"),
]

# --- a call whose result the program keeps ---

SEES_CALLS = pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 does not show calls")
KEEPS = (
    "{name} ran while JAX traced f. Later calls of f that use the compiled program do not run {name} again. If "
    "the program depends on the result of {name}, all these calls use the result of the trace."
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
        ("import time", "return x * float(time.strftime('%S'))", "time.strftime", "clock"),
        ("import os", "return x * len(os.listdir('.'))", "os.listdir", "data"),
        ("import os", "return x * os.path.exists('.')", "os.path.exists", "data"),
        ("import glob", "return x * len(glob.glob('*'))", "glob.glob", "data"),
        ("from pathlib import Path", "return x * Path('.').exists()", "Path.exists", "data"),
        ("import os\nhandle = open(os.devnull)", "return x * len(handle.read())", "TextIOWrapper.read", "data"),
        (
            "def input(prompt=None): return '3'\nimport builtins; builtins.input = input",
            "return x * len(input())",
            "input",
            "answer",
        ),
        ("import subprocess", "return x * len(subprocess.check_output(['true']))", "subprocess.check_output", "result"),
        ("import os", "return x * os.getpid()", "os.getpid", "result"),
        ("rates = (rate for rate in (1.0, 2.0))", "return x * next(rates)", "next", "taken"),
        ("rates = iter([1.0, 2.0])", "return x * next(rates)", "next", "taken"),
        ("import itertools\nnumbers = itertools.count()", "return x * next(numbers)", "next", "taken"),
    ],
)
def test_a_value_that_is_read_once(notebook, setup, body, name, cure, monkeypatch):
    monkeypatch.setattr(builtins, "input", input)  # `monkeypatch` then restores `input` after the cell has replaced it
    notebook.run(f"import jax, jax.numpy as jnp\n{setup}")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\nf(jnp.ones(3)); f(jnp.ones(3))")
    note = ran.note("frozen_call")
    cures = {
        "clock": "Read the clock outside of f, and pass the time to f as an argument.",
        "data": "Read from the file system outside of f, and pass the data to f as an argument.",
        "variable": "Read the environment variable outside of f, and pass the value to f as an argument.",
        "answer": "Ask for the input outside of f, and pass the answer to f as an argument.",
        "result": f"Call {name} outside of f, and pass the result to f as an argument.",
        "taken": "Take the value from the iterator outside of f, and pass the value to f as an argument.",
    }
    assert note["title"] == f"{name} was called only while JAX traced f"
    assert (note["text"], note["cure"]) == (KEEPS.format(name=name), cures.get(cure, cure))
    assert ran.line_of(note) == (3 if "draw" in setup else 4)
    assert "frozen_call" not in notebook.run("%%jaxpr\nf(jnp.ones(3))").notes


@SEES_CALLS
@pytest.mark.parametrize(
    ("call", "name"),
    [("log.warning('called %s', x.shape)", "Logger.warning"), ("logging.info('called')", "logging.info")],
)
def test_a_line_that_logs_only_while_jax_traces(notebook, call, name):
    notebook.run("import jax, jax.numpy as jnp, logging\nlog = logging.getLogger('quiet'); log.setLevel('CRITICAL')")
    cell = f"%%jaxpr\n@jax.jit\ndef f(x):\n    {call}\n    return x\nf(jnp.ones(3)); f(jnp.ones(3))"
    note = notebook.run(cell).note("frozen_call")
    assert (note["title"], note["text"], note["cure"]) == (
        f"{name} was called only while JAX traced f",
        f"{name} ran while JAX traced f. Later calls of f that use the compiled program do not run {name} again, so "
        "this line logs nothing in these calls.",
        f"To log in each call, use jax.debug.callback with a function that calls {name}.",
    )
    assert "frozen_call" not in notebook.run("%%jaxpr\nf(jnp.ones(3))").notes


@SEES_CALLS
@pytest.mark.parametrize(
    ("call", "construct"),
    [
        ("lax.scan(body, 0.0, jnp.ones(3))", "scan(body)"),
        ("lax.fori_loop(0, 3, lambda i, c: body(c, i)[0], 0.0)", "fori_loop(<lambda>)"),
        ("lax.while_loop(lambda c: c < 3, lambda c: body(c, 1.0)[0], 0.0)", "while_loop(<lambda>)"),
        ("lax.map(lambda x: body(x, x), jnp.ones(3))", "map(<lambda>)"),
        ("lax.cond(k, body, other, 0.0, 1.0)", "cond(body, other)"),
        ("lax.scan(lambda c, x: lax.scan(body, c, jnp.ones(3)), 0.0, jnp.ones(2))", "scan(<lambda>)"),
    ],
)
def test_calls_in_the_body_of_a_construct_outside_of_jit(notebook, call, construct):
    """JAX traces the body, so these calls run once, and not in each step."""
    notebook.run(
        "from jax import lax\nimport time\nk = jnp.float32(1.0) > 0\ndef other(c, x):\n    return c, x\n"
        "def body(c, x):\n    print('step', end='')\n    return c + x * (time.time() > 0), x"
    )
    ran = notebook.run(f"%%jaxpr\nr = {call}")
    notes = [note for note in ran.document["notes"] if note["kind"] == "frozen_call"]
    assert [(note["title"], note["text"], note["cure"], ran.line_of(note)) for note in notes] == [
        (
            f"print was called only while JAX traced {construct}",
            f"print ran while JAX traced {construct}. The compiled program of {construct} does not run print, so this "
            "line prints nothing when the program runs.",
            "To print when the program runs, use jax.debug.print.",
            7,
        ),
        (
            f"time.time was called only while JAX traced {construct}",
            f"time.time ran while JAX traced {construct}. Later calls of {construct} that use the compiled program do "
            "not run time.time again. If the program depends on the result of time.time, all these calls use the "
            "result of the trace.",
            f"Read the clock outside of {construct}, and pass the time to {construct} as an argument.",
            8,
        ),
    ]


@SEES_CALLS
def test_a_print_in_a_body_has_one_note_where_the_cell_ends_with_the_call(notebook):
    """The call is traced again, to show its program."""
    notebook.run("from jax import lax\ndef body(c, x):\n    print('step')\n    return c + x, x")
    ran = notebook.run("%%jaxpr\ndef total(xs):\n    return lax.scan(body, 0.0, xs)[0]\ntotal(jnp.ones(3))")
    kinds = [note["kind"] for note in ran.document["notes"] if note["kind"] in ("frozen_call", "printed_while_tracing")]
    assert kinds == ["frozen_call"]


@SEES_CALLS
@pytest.mark.parametrize(
    "call",
    [
        "jax.vmap(lambda x: body(x, x))(jnp.ones(3))",
        "jax.grad(lambda x: body(x, x)[0])(1.0)",
        "body(1.0, 1.0)",
        "lax.scan(lambda c, x: (c, jax.debug.callback(body, c, x)), 0.0, jnp.ones(3))",
    ],
)
def test_calls_that_run_in_no_body_of_a_construct(notebook, call):
    notebook.run(
        "from jax import lax\nimport time\n"
        "def body(c, x):\n    print('step', end='')\n    return c + x * (time.time() > 0), x"
    )
    ran = notebook.run(f"%%jaxpr\nr = {call}")
    assert ran.result.success
    assert "frozen_call" not in ran.notes


@pytest.mark.parametrize(
    ("body", "name", "column"),
    [
        ("return x * (os.environ['PATH'] != '')", "os.environ['PATH']", 16),
        ("return x * ('PATH' in os.environ)", "os.environ", 26),
        ("return x * len(dict(os.environ))", "os.environ", 24),
    ],
)
def test_an_environment_variable_that_is_read_once(notebook, body, name, column):
    notebook.run("import jax, jax.numpy as jnp, os")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\nf(jnp.ones(3)); f(jnp.ones(3))")
    note = ran.note("frozen_call")
    assert (note["title"], note["cure"]) == (
        f"{name} was read only while JAX traced f",
        "Read the variable outside of f, and pass the value to f as an argument.",
    )
    assert ran.document["frames"][note["frame"]][2:4] == [4, column]


@SEES_CALLS
@pytest.mark.parametrize(
    ("setup", "body"),
    [
        ("import time\nt = time.localtime(0)", "return x * float(time.strftime('%S', t)) + len(time.ctime(3))"),
        ("", "rates = (rate for rate in (1.0, 2.0))\n    return x * next(rates)"),
        ("import io", "return x * len(io.StringIO('text').read())"),
        ("import os", "os.environ['SOME'] = '1'\n    return x * len(os.path.join('a', 'b'))"),
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
        ("import numpy as np\nrng = np.random.default_rng(0)\ndef rate(r): return 3.0", "return x * rate(rng)"),
        (
            "class Proxy:\n    @property\n    def __class__(self): raise ValueError('asked')\n"
            "proxy = Proxy()\ndef rate(p): return 3.0",
            "return x * rate(proxy)",
        ),
    ],
)
def test_what_the_program_does_not_keep(notebook, setup, body):
    notebook.run(f"import jax, jax.numpy as jnp\n{setup}")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\nf(jnp.ones(3)); f(jnp.ones(3))")
    assert ran.result.success
    assert "frozen_call" not in ran.notes


@pytest.mark.parametrize(
    ("setup", "body", "name", "before", "after"),
    [
        ("count = 0", "global count\n    count += 1", "count", "0", "1"),
        ("log = []", "log.append('called')", "log", "[]", "['called']"),
        ("log = {'n': 2}", "log['n'] = 3", "log['n']", "2", "3"),
        ("class Log: n = 0\nlog = Log()", "log.n += 1", "log.n", "0", "1"),
        ("log = {'n': 2}\ndef count():\n    log['n'] += 1", "count()", "log['n']", "2", "3"),
    ],
)
def test_a_value_that_changes_only_while_jax_traces(notebook, setup, body, name, before, after):
    notebook.run(f"import jax, jax.numpy as jnp\n{setup}")
    cell = f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\n    return x\nf(jnp.ones(3)); f(jnp.ones(3))"
    note = notebook.run(cell).note("frozen_change")
    assert (note["title"], note["text"], note["cure"]) == (
        f"{name} changed only while JAX traced f",
        f"{name} changed from {before} to {after} while JAX traced f. A call of f that finds a cache entry does not "
        f"run this line, so {name} stays as it is.",
        f"Return the new value from f, or change {name} outside of f. To run Python code in each call, use "
        "jax.debug.callback.",
    )
    assert "frozen_change" not in notebook.run("%%jaxpr\nf(jnp.ones(3))").notes


@pytest.mark.parametrize(
    ("setup", "body", "name", "value"),
    [
        ("log = {}", "log['shape'] = x.shape", "log['shape']", "(3,)"),
        ("class Log: pass\nlog = Log()", "log.n = 2", "log.n", "2"),
        ("pass", "global count\n    count = 1", "count", "1"),
        ("class C:\n    def tick(self): self.n = 1\na = C()", "a.tick()", "self.n", "1"),
    ],
)
def test_a_value_that_first_exists_while_jax_traces(notebook, setup, body, name, value):
    notebook.run(f"import jax, jax.numpy as jnp\n{setup}")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\n    return x\nf(jnp.ones(3)); f(jnp.ones(3))")
    assert ran.note("frozen_change")["text"] == (
        f"{name} got the value {value} while JAX traced f, and had no value before. A call of f that finds a cache "
        f"entry does not run this line, so {name} stays as it is."
    )
    assert "frozen_change" not in notebook.run("%%jaxpr\nf(jnp.ones(3))").notes


@pytest.mark.parametrize(
    ("setup", "body"),
    [
        ("log = []", "log.append(x)"),  # no note of this kind, because leaked tracers have their own note
        ("log = []", "jax.debug.callback(lambda v: log.append(1), x)"),
        (
            "class C:\n    def tick(self): self.n = 1\na, b = C(), C()\na.n = 1; b.n = 10",
            "a.tick()\n    b.tick() if x.ndim > 5 else 0",
        ),
        ("log = []", "log = []\n    log.append(1)"),
        ("log = {}", "if 'n' not in log:\n        log['n'] = 1"),  # made once, and kept on purpose
        ("log = {}", "log.setdefault('n', 1) if x.ndim > 1 else None"),
        ("def make():\n    n = 0\n    n += 1\n    return n", "x = x + make()"),
    ],
)
def test_what_a_trace_does_not_change(notebook, setup, body):
    notebook.run(f"import jax, jax.numpy as jnp\n{setup}")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\n    return x\nf(jnp.ones(3))")
    assert ran.result.success
    assert "frozen_change" not in ran.notes


@SEES_CALLS
def test_a_clock_outside_of_the_trace_is_no_matter(notebook):
    notebook.run("import jax, jax.numpy as jnp, time\n@jax.jit\ndef f(x):\n    return x * 2")
    ran = notebook.run("%%jaxpr\nt = time.time()\nf(jnp.ones(3)).block_until_ready()\ntook = time.time() - t")
    assert ran.notes == []


# --- a dtype that JAX does not provide ---


@pytest.mark.parametrize(
    ("expression", "requested", "used"),
    [
        ("jnp.zeros(3, dtype=jnp.float64)", "float64", "float32"),
        ("jnp.array([1.0], dtype='float64')", "float64", "float32"),
        ("jnp.arange(3.0).astype('float64')", "float64", "float32"),
        ("jnp.arange(3, dtype=jnp.int64)", "int64", "int32"),
        ("jnp.ones(3, jnp.complex128)", "complex128", "complex64"),
    ],
)
@pytest.mark.parametrize("place", ["f = jax.jit(lambda: {})\nf()", pytest.param("y = {}", marks=pytest.mark.slow)])
def test_a_type_that_was_not_given(notebook, expression, requested, used, place):
    ran = notebook.run("%%jaxpr\n" + place.format(expression))
    note = ran.note("truncated_type")
    assert (note["title"], note["text"], note["cure"]) == (
        f"The code asks for {requested}, but JAX uses {used}",
        f"This expression asks for {requested}, but JAX uses {used}: 64-bit types need the setting jax_enable_x64.",
        f"Write {used}, or turn 64-bit types on before anything else uses JAX: "
        'jax.config.update("jax_enable_x64", True).',
    )
    file, _, line, column, end_line, end_column = ran.document["frames"][note["frame"]]
    text = place.format(expression).split("\n")[line - 2][column:end_column]
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


# --- a value that does not fit the dtype that JAX uses ---

CHANGED_VALUES = [
    ("jnp.asarray(np.array([1, 2**40]))", "int64", "int32", "1099511627776", "0", ""),
    (
        "jnp.array(np.array([2**31, 5, -(2**50)]))",
        "int64",
        "int32",
        "2147483648",
        "-2147483648",
        " 1 more value changed.",
    ),
    ("jnp.asarray(np.uint64(2**32 + 7))", "uint64", "uint32", "4294967303", "7", ""),
    ("jnp.asarray(np.array([1e300, 1.0]))", "float64", "float32", "1e+300", "inf", ""),
    ("double(np.array([2**40 + 1]))", "int64", "int32", "1099511627777", "1", ""),
    ("jax.device_put(np.array([2**40]))", "int64", "int32", "1099511627776", "0", ""),
    ("jax.device_put({'a': np.arange(3), 'b': np.float64(1e300)})", "float64", "float32", "1e+300", "inf", ""),
]


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize(("expression", "given", "taken", "value", "became", "others"), CHANGED_VALUES)
def test_a_value_that_does_not_fit(notebook, expression, given, taken, value, became, others):
    notebook.run("import numpy as np\ndouble = jax.jit(lambda n: n * 2)")
    note = notebook.run(f"%%jaxpr\ny = {expression}").note("changed_value")
    assert (note["title"], note["text"], note["cure"]) == (
        f"JAX converts {given} to {taken}, and a value does not fit into {taken}",
        f"JAX takes a NumPy array here as {taken}: 64-bit types need the setting jax_enable_x64. The value {value} "
        f"does not fit into {taken} and becomes {became}.{others}",
        f"Use values that fit into {taken}, or turn 64-bit types on before anything else uses JAX: "
        'jax.config.update("jax_enable_x64", True).',
    )


def test_times_that_become_equal(notebook):
    notebook.run("import numpy as np")
    ran = notebook.run("%%jaxpr\nt = jnp.asarray(1.7e9 + np.arange(4.0))\nd = jnp.asarray(np.arange(4.0))")
    note = ran.note("changed_value")
    assert (note["title"], note["text"], note["cure"], ran.line_of(note)) == (
        "JAX converts float64 to float32, and different values become equal",
        "JAX takes a NumPy array here as float32: 64-bit types need the setting jax_enable_x64. The array has 4 "
        "different values in float64 and 1 in float32: 1700000000.0 and 1700000001.0 become equal.",
        "Subtract a common value from the array before JAX takes the array, such as the first time of a series, or "
        'turn jax_enable_x64 on before anything else uses JAX: jax.config.update("jax_enable_x64", True).',
        2,
    )


def test_a_value_that_does_not_fit_under_jit(notebook):
    notebook.run("import numpy as np\nlarge = np.array([2**40])")
    ran = notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    return x + jnp.asarray(large)\ny = f(1)")
    assert ran.document["frames"][ran.note("changed_value")["frame"]][2] == 4


@pytest.mark.parametrize(
    "expression",
    [
        "jnp.asarray(np.array([2**31 - 1, -(2**31)]))",
        "jnp.asarray(np.array([0.1, 1e-300, np.inf, np.nan]))",
        "jnp.asarray(np.array([2**40]), dtype=jnp.float32)",
        "jnp.asarray(np.array([], dtype='int64'))",
        "jax.jit(lambda n: n * 2)(np.array([7]))",
        "jnp.asarray(np.random.default_rng(0).normal(size=512)), jnp.asarray(np.array([1.0, 1.0, np.nan, np.nan]))",
    ],
)
def test_values_that_fit_or_are_rounded(notebook, expression):
    notebook.run("import numpy as np")
    assert "changed_value" not in notebook.run(f"%%jaxpr\ny = {expression}").notes


def test_values_that_fit_with_64_bits(notebook):
    notebook.run("import numpy as np")
    cell = "%%jaxpr\nwith jax.enable_x64(True):\n    y = jnp.asarray(np.array([2**40]))"
    assert "changed_value" not in notebook.run(cell).notes


def test_the_warnings_are_those_of_a_plain_cell(make_notebook):
    """The cell gets the same warnings as without the magic, even if a filter of the user turns one into an error."""
    outputs = []
    for magic in ("", "%%jaxpr\n"):
        notebook = make_notebook(extension=bool(magic))
        notebook.run("import warnings, jax, jax.numpy as jnp\nf = jax.jit(lambda x: x.sum(), donate_argnums=0)")
        notebook.run(
            f"{magic}with warnings.catch_warnings(record=True) as seen:\n    warnings.simplefilter('default')\n"
            "    for _ in range(2):\n        jnp.zeros(3, 'float64') + f(jnp.ones(3))"
        )
        lines = [warning.lineno - bool(magic) * ("jax" not in warning.filename) for warning in notebook["seen"]]
        ran = notebook.run(f"{magic}with warnings.catch_warnings(action='error'):\n    jnp.zeros(3, 'float64')")
        outputs.append(([str(warning.message) for warning in notebook["seen"]], lines, repr(ran.result.error_in_exec)))
    assert outputs[0] == outputs[1]
    assert [text.split(":")[0][:40] for text in outputs[0][0]] == [
        "Explicitly requested dtype float64 reque",
        "Some donated buffers were not usable",
    ]
    assert "Explicitly requested dtype float64" in outputs[0][2]


# --- a donated argument without use ---


@pytest.mark.parametrize(
    ("body", "donated", "call", "path", "text", "cure"),
    [
        (
            "return x.sum()",
            "0",
            "f(jnp.ones(3))",
            "x",
            "f donates x (f32[3]), but no result can use the memory of x. No result has the type f32[3]. The result "
            "has the type f32[].",
            "Do not donate x, or return an array of the type f32[3], such as the new x.",
        ),
        (
            "return x['w'] * 2, x['b'].sum()",
            "0",
            "f({'w': jnp.ones(3), 'b': jnp.ones((2, 2))})",
            "x['b']",
            "f donates x['b'] (f32[2,2]), but no result can use the memory of x['b']. No result has the type f32[2,2]. "
            "The results have the types f32[3], f32[].",
            "Do not donate x['b'], or return an array of the type f32[2,2], such as the new x['b'].",
        ),
        (
            "return x.astype(jnp.bfloat16)",
            "0",
            "f(jnp.ones(3))",
            "x",
            "f donates x (f32[3]), but no result can use the memory of x. No result has the type f32[3]. The result "
            "has the type bf16[3].",
            "Do not donate x, or return an array of the type f32[3], such as the new x.",
        ),
        (
            "return x + y",
            "(0, 1)",
            "f(jnp.ones(3), jnp.ones(3))",
            "y",
            "f donates y (f32[3]), but no result can use the memory of y. Each result of this type uses the "
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
    assert note["title"] == f"No result uses the memory of {path}, which f donates"
    assert (note["text"], note["cure"]) == (text, cure)
    assert ran.line_of(note) == 2


@pytest.mark.parametrize(
    ("signature", "body", "call", "path", "type_text"),
    [
        ("z, y", "return y * 2", "f(jnp.ones(3), jnp.ones(3))", "z", " (f32[3])"),
        ("z, y", "z = 0\n    return y * 2", "f(jnp.ones(3), y=jnp.ones(3))", "z", " (f32[3])"),
        ("z, y", "return y + z['a']", "f({'a': jnp.ones(3), 'b': jnp.ones(2)}, 1.0)", "z['b']", " (f32[2])"),
        ("z, y", "return y * 2", "f({'a': jnp.ones(3), 'b': jnp.ones(2)}, jnp.ones(3))", "z", ""),
    ],
)
def test_a_donated_argument_that_the_function_does_not_use(notebook, signature, body, call, path, type_text):
    notebook.run("from functools import partial")
    cell = f"%%jaxpr\n@partial(jax.jit, donate_argnums=0)\ndef f({signature}):\n    {body}\n{call}"
    ran = notebook.run(cell)
    note = ran.note("unused_donation")
    assert (note["title"], note["text"], note["cure"]) == (
        f"The program of f does not read {path}, so JAX does not donate {path}",
        f"f donates {path}{type_text}, and the program of f neither reads nor returns {path}. JAX drops {path} from "
        f"the program, so the donation has no effect: {path} keeps its memory. JAX gives no warning.",
        f"Do not donate {path}. With keep_unused=True, jax.jit keeps {path} as an input of the program, and the call "
        f"can use the memory of {path}.",
    )
    assert ran.line_of(note) == 2
    assert "unused_donation" not in notebook.run(f"%%jaxpr\n{call}").notes


def test_a_donated_argument_that_another_program_of_the_function_uses(notebook):
    notebook.run("from functools import partial")
    ran = notebook.run(
        "%%jaxpr\n@partial(jax.jit, donate_argnums=0, static_argnums=1)\ndef f(a, use, x):\n"
        "    return a + x if use else x + 1\nf(jnp.ones(3), True, jnp.ones(3))\nf(jnp.ones(3), False, jnp.ones(3))"
    )
    assert "unused_donation" not in ran.notes


def test_the_array_of_an_unused_donated_argument_stays(notebook):
    ran = notebook.run(
        "%%jaxpr\nz = jnp.ones(3)\nf = jax.jit(lambda z, y: y * 2, donate_argnums=0)\nf(z, jnp.ones(3))\nz.is_deleted()"
    )
    assert ran.result.result is False
    assert ran.note("unused_donation")["title"] == "The program of <lambda> does not read z, so JAX does not donate z"


@pytest.mark.parametrize(
    "cell",
    [
        "jax.jit(lambda z, y: y * 2, donate_argnums=0, keep_unused=True)(jnp.ones(3), jnp.ones(3))",
        "jax.jit(lambda z, y: (z, y * 2), donate_argnums=0)(jnp.ones(3), jnp.ones(3))",
        "jax.jit(lambda z, y: y * 2, donate_argnums=1)(jnp.ones(3), jnp.ones(3))",
        "jax.jit(lambda z, y: y * 2)(jnp.ones(3), jnp.ones(3))",
        "jax.jit(lambda z, y: y * 2, donate_argnums=0)(2.0, jnp.ones(3))",
        "jax.jit(lambda z: (z.astype(jnp.int8), z.astype(jnp.int32)), donate_argnums=0)(jnp.ones(3))",
        "jax.jit(lambda z, y: jax.jit(lambda a: a + 1)(z) + y, donate_argnums=0)(jnp.ones(3), jnp.ones(3))",
    ],
)
def test_donated_arguments_that_the_function_uses(notebook, cell):
    ran = notebook.run(f"%%jaxpr\n{cell}")
    assert ran.result.success
    assert [note["text"] for note in ran.document["notes"] if note["kind"] in ("unused_donation", "failed")] == []


@pytest.mark.parametrize(
    ("body", "donated"),
    [("return x * 2", "0"), ("return (x + y).sum(), x, y", "(0, 1)"), ("return x.sum() + y", "1")],
)
def test_donated_arguments_that_results_use(notebook, body, donated):
    notebook.run("from functools import partial")
    cell = f"@partial(jax.jit, donate_argnums={donated})\ndef f(x, y):\n    {body}\nf(jnp.ones(3), jnp.ones(3))"
    assert "unused_donation" not in notebook.run(f"%%jaxpr\n{cell}").notes


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
@pytest.mark.parametrize("place", ["f = jax.jit(lambda x: {})\nf(x)", pytest.param("y = {}", marks=pytest.mark.slow)])
def test_a_carry_that_jax_converts(notebook, place, loop, began, returned, dtype):
    ran = notebook.run("%%jaxpr\n" + place.format(loop))
    note = ran.note("promoted_carry")
    assert (note["title"], note["text"], note["cure"]) == (
        f"The type of a carry of this loop changes from {began} to {returned}",
        f"The initial carry of this loop is {began} with a weak type, like a Python number, and the body returns "
        f"{returned}. JAX converts the initial carry to {dtype}, and traces the body a second time.",
        f"Begin the carry with the type {dtype}, such as jnp.asarray(value, jnp.{dtype}).",
    )
    *_, line, column, end_line, end_column = ran.document["frames"][note["frame"]]
    assert place.format(loop).split("\n")[line - 2][column:end_column] == loop


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


# --- a Python number that does not fit the dtype of an array ---


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize(
    ("expression", "number", "taken", "became"),
    [
        ("u + 300", "300", "uint8", "44"),
        ("u.at[0].set(300)", "300", "uint8", "44"),
        ("jnp.where(u > 0, u, 0x12C)", "300", "uint8", "44"),
        ("h.at[1:].set(1e6)", "1000000.0", "float16", "inf"),
        ("i * 200", "200", "int8", "-56"),
        ("u == 300", "300", "uint8", "44"),
        ("jnp.full(3, 300, jnp.uint8)", "300", "uint8", "44"),
        ("h + 70000.0", "70000.0", "float16", "inf"),
        ("h * 1e-09", "1e-09", "float16", "0.0"),
        ("jnp.float32(1e39)", "1e+39", "float32", "inf"),
        ("jnp.asarray(-1e300)", "-1e+300", "float32", "-inf"),
        ("jnp.array(70000.0, dtype=jnp.float16)", "70000.0", "float16", "inf"),
        ("jax.jit(lambda x: x + jnp.float16(1e-9))(u)", "1e-09", "float16", "0.0"),
        ("jax.jit(lambda x: x + 300)(u)", "300", "uint8", "44"),
        ("jax.jit(lambda x: jnp.where(x > 0, x, 300))(u)", "300", "uint8", "44"),
        ("jax.jit(lambda x: x + n)(u)", "300", "uint8", "44"),
        ("jax.jit(lambda x: jnp.clip(x, 0, 300) + 1)(u)", "300", "uint8", "44"),
    ],
)
def test_a_python_number_that_does_not_fit(notebook, expression, number, taken, became):
    arrays = "u = jnp.zeros(3, jnp.uint8); i = jnp.zeros(3, jnp.int8); h = jnp.zeros(3, jnp.float16); n = 300"
    notebook.run(arrays)
    ran = notebook.run(f"%%jaxpr\ny = {expression}\nz = 1")
    note = ran.note("changed_value")
    assert (note["title"], note["text"], note["cure"], ran.line_of(note)) == (
        f"The number {number} does not fit into {taken}",
        f"JAX converts the number {number} to {taken} without an error. {number} does not fit into {taken} and becomes "
        f"{became}.",
        f"Use a number that fits into {taken}, or convert the array to a wider type first.",
        2,
    )


@pytest.mark.parametrize("end", ["u.at[1].set(999)", "w = u + 999\njax.jit(jnp.sum)(u)", "w = u + 999\nhalf(u)"])
def test_a_number_that_does_not_fit_in_a_cell_that_shows_another_program(notebook, end):
    notebook.run("u = jnp.zeros(3, jnp.uint8)\ndef half(x):\n    return x / 2")
    for _ in range(2):  # JAX compiles nothing in the second run
        ran = notebook.run(f"%%jaxpr\n{end}")
        note = ran.note("changed_value")
        assert (note["text"], ran.line_of(note)) == (
            "JAX converts the number 999 to uint8 without an error. 999 does not fit into uint8 and becomes 231.",
            2,
        )


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize(
    "expression",
    [
        "u + 255 - 1, u ^ -1, i + 127, i & -128, h * 1e-4, h + 65504.0, h * 0.0, h * jnp.inf",
        "jax.jit(lambda x: (x + 255, x ^ -1, jnp.where(x > 0, x, 7), x.astype(jnp.float16) + 1e-3))(u)",
        "jax.random.uniform(key, (3,), jnp.float16), jax.random.bits(key, (3,), jnp.uint8)",
        "jax.nn.softmax(h), jnp.std(h), jnp.linalg.norm(h), jnp.max(i), jnp.argmin(u), jnp.sort(u)",
        "jax.jit(lambda x: (jax.nn.softmax(x), jnp.std(x), jax.nn.gelu(x), jnp.where(x > 0, x, -jnp.inf)))(h)",
        "u + jnp.int32(300), u.astype(jnp.int32) + 300, u * 1.5",
        "jnp.float32(1e38), jnp.float32(float('inf')), jnp.asarray(0.1), jnp.float16(65504.0), jnp.bfloat16(1e38)",
        "jnp.asarray([1.0, 2.0]), jnp.float32(16777217), jnp.asarray(1e300, dtype=jnp.complex64) * 0",
    ],
)
def test_numbers_that_fit(notebook, expression):
    arrays = "u = jnp.zeros(3, jnp.uint8); i = jnp.zeros(3, jnp.int8); h = jnp.zeros(3, jnp.float16)"
    notebook.run(f"key = jax.random.key(0); {arrays}")
    ran = notebook.run(f"%%jaxpr\ny = {expression}\nz = 1")
    assert ran.result.success
    assert [kind for kind in ran.notes if kind in ("changed_value", "failed")] == []
