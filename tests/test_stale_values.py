"""Tests notes on Python values that a program keeps and that changed since."""

import sys

import pytest

pytestmark = pytest.mark.any_jax

CALL = "f(jnp.ones(3))"
MODEL = "class Model:\n    def __init__(self, k): self.k = k\n"


def changed(name, before, after, function="f"):
    """Return the expected text of the note on a value that changed."""
    return (
        f"{name} was {before} when JAX last traced {function}, and is {after} now. A call of {function} that finds a "
        f"cache entry does not read {name} again. The call computes with {before}."
    )


@pytest.mark.parametrize(
    ("setup", "change", "name", "before", "after", "line"),
    [
        pytest.param(
            "a = np.array([1.0, 2.0, 3.0])\n@jax.jit\ndef f(x):\n    return x * a",
            "a = np.array([1.0, 2.0, 4.0])",
            "a",
            "array([1.0, 2.0, 3.0], dtype=float64)",
            "array([1.0, 2.0, 4.0], dtype=float64)",
            5,
            id="a NumPy array that is rebound",
        ),
        pytest.param(
            "a = np.zeros(3)\n@jax.jit\ndef f(x):\n    return x * a",
            "a[1] = 5.0",
            "a",
            "array([0.0, 0.0, 0.0], dtype=float64)",
            "array([0.0, 5.0, 0.0], dtype=float64)",
            5,
            id="a NumPy array that is changed in place",
        ),
        pytest.param(
            "a = np.zeros((300, 3))\n@jax.jit\ndef f(x):\n    return x * a.sum()",
            "a[0, 0] = 5.0",
            "a",
            "array([0.0, 0.0, ...], shape=(300, 3), dtype=float64)",
            "array([5.0, 0.0, ...], shape=(300, 3), dtype=float64)",
            5,
            id="a long NumPy array whose method is called",
        ),
        pytest.param(
            "def make():\n    a = np.zeros(3)\n    def change():\n        a[0] = 1.0\n    def f(x):\n"
            "        return x + a\n    return jax.jit(f), change\nf, change = make()",
            "change()",
            "a",
            "array([0.0, 0.0, 0.0], dtype=float64)",
            "array([1.0, 0.0, 0.0], dtype=float64)",
            7,
            id="a NumPy array of the function around",
        ),
        pytest.param(
            "rate = np.float32(0.5)\n@jax.jit\ndef f(x):\n    return x * rate",
            "rate = np.float32(0.25)",
            "rate",
            "np.float32(0.5)",
            "np.float32(0.25)",
            5,
            id="a NumPy scalar",
        ),
        pytest.param(
            "weights = [1.0, 2.0]\n@jax.jit\ndef f(x):\n    for w in weights:\n        x = x * w\n    return x",
            "weights[1] = 5.0",
            "weights[1]",
            "2.0",
            "5.0",
            5,
            id="an item of a list that the function goes through",
        ),
        pytest.param(
            "weights = [1.0, 2.0]\n@jax.jit\ndef f(x):\n    return x * sum(weights)",
            "weights.append(3.0)",
            "weights",
            "[1.0, 2.0]",
            "[1.0, 2.0, 3.0]",
            5,
            id="a list that has become longer",
        ),
        pytest.param(
            "table = {'a': 1.0, 'b': 2.0}\nwhich = 'b'\n@jax.jit\ndef f(x):\n    return x * table[which]",
            "table['b'] = 3.0",
            "table['b']",
            "2.0",
            "3.0",
            6,
            id="a dictionary with a key that is a variable",
        ),
        pytest.param(
            "table = {'a': 1.0}\n@jax.jit\ndef f(x):\n    return sum((x * v for v in table.values()), 0.0)",
            "table['b'] = 3.0",
            "table",
            "{'a': 1.0}",
            "{'a': 1.0, 'b': 3.0}",
            5,
            id="the values of a dictionary",
        ),
        pytest.param(
            "a = {'opt': {'lr': 0.1}}\n@jax.jit\ndef f(x):\n    return x * a['opt']['lr']",
            "a['opt']['lr'] = 0.2",
            "a['opt']['lr']",
            "0.1",
            "0.2",
            5,
            id="an item of an item",
        ),
        pytest.param(
            "from types import SimpleNamespace as N\na = N(o=N(rate=0.1))\n@jax.jit\ndef f(x):\n"
            "    return x * a.o.rate",
            "a.o.rate = 0.2",
            "a.o.rate",
            "0.1",
            "0.2",
            6,
            id="an attribute of an attribute",
        ),
        pytest.param(
            "class Config:\n    lr = 0.1\n@jax.jit\ndef f(x):\n    return x * Config.lr",
            "Config.lr = 0.2",
            "Config.lr",
            "0.1",
            "0.2",
            6,
            id="an attribute of a class",
        ),
        pytest.param(
            "class Config:\n    lr = 0.1\nconfig = Config()\n@jax.jit\ndef f(x):\n    return x * config.lr",
            "config.lr = 0.2",
            "config.lr",
            "0.1",
            "0.2",
            7,
            id="an attribute of a class that the object shadows",
        ),
        pytest.param(
            "class Config:\n    __slots__ = ('lr',)\nconfig = Config()\nconfig.lr = 0.1\n@jax.jit\ndef f(x):\n"
            "    return x * config.lr",
            "config.lr = 0.2",
            "config.lr",
            "0.1",
            "0.2",
            8,
            id="a slot",
        ),
        pytest.param(
            "import collections\nConfig = collections.namedtuple('Config', 'lr n')\nconfig = Config(0.1, 3)\n"
            "@jax.jit\ndef f(x):\n    return x * config.lr",
            "config = config._replace(lr=0.2)",
            "config.lr",
            "0.1",
            "0.2",
            7,
            id="a field of a named tuple",
        ),
        pytest.param(
            "params = {'w': jnp.ones(3), 'b': jnp.zeros(3)}\n@jax.jit\ndef f(x):\n    return x * params['w']",
            "params = {'w': jnp.full(3, 2.0), 'b': jnp.zeros(3)}",
            "params['w']",
            "Array([1.0, 1.0, 1.0], dtype=float32)",
            "Array([2.0, 2.0, 2.0], dtype=float32)",
            5,
            id="an array of JAX's in a dictionary",
        ),
        pytest.param(
            "activation = jax.nn.relu\n@jax.jit\ndef f(x):\n    return activation(x)",
            "activation = jax.nn.gelu",
            "activation",
            "relu",
            "gelu",
            5,
            id="a function of a library",
        ),
        pytest.param(
            "dtype = jnp.float32\n@jax.jit\ndef f(x):\n    return x.astype(dtype)",
            "dtype = jnp.bfloat16",
            "dtype",
            "float32",
            "bfloat16",
            5,
            id="a type",
        ),
        pytest.param(
            "import enum\nclass Mode(enum.Enum):\n    FAST = 1\n    SLOW = 2\nmode = Mode.FAST\n@jax.jit\ndef f(x):\n"
            "    return x * 2 if mode is Mode.FAST else x",
            "mode = Mode.SLOW",
            "mode",
            "Mode.FAST",
            "Mode.SLOW",
            9,
            id="a member of an enumeration",
        ),
        pytest.param(
            MODEL + "    def scaled(self, x):\n        return x * self.k\nmodel = Model(2.0)\n@jax.jit\ndef f(x):\n"
            "    return model.scaled(x)",
            "model.k = 3.0",
            "self.k",
            "2.0",
            "3.0",
            5,
            id="an attribute that a method reads",
        ),
        pytest.param(
            "config = {'rate': 1.0}\ndef loss(config, x):\n    return x * config['rate']\n"
            "loss.__name__ = 'f'\nf = jax.jit(functools.partial(loss, config))",
            "config['rate'] = 2.0",
            "config['rate']",
            "1.0",
            "2.0",
            4,
            id="an argument of a partial",
        ),
    ],
)
def test_a_value_that_changed_since_the_trace(notebook, setup, change, name, before, after, line):
    notebook.run("import functools, jax, jax.numpy as jnp, numpy as np")
    first = notebook.run(f"%%jaxpr\n{setup}\n{CALL}; {CALL}")
    assert first.result.success
    assert "stale_value" not in first.notes
    assert notebook.run(change).result.success
    second_run = notebook.run(f"%%jaxpr\n{CALL}")
    note = second_run.note("stale_value")
    assert (note["title"], note["text"]) == (f"{name} changed after the trace", changed(name, before, after))
    assert note["level"] == "advice" if "level" in note else True
    assert second_run.line_of(note) == line
    # A call with another shape causes another trace, which reads the new value.
    assert "stale_value" not in notebook.run("%%jaxpr\nf(jnp.ones((2, 3)))").notes


STATIC = (
    "{static} is a static argument of {function}: JAX compares {static} by its __eq__ and __hash__, which do not show "
    "the change."
)


@pytest.mark.parametrize(
    ("setup", "call", "change", "name", "line"),
    [
        pytest.param(
            MODEL + "    @functools.partial(jax.jit, static_argnums=0)\n    def f(self, x):\n"
            "        return x * self.k\nmodel = Model(2.0)",
            "model.f(1.0)",
            "model.k = 3.0",
            "self.k",
            6,
            id="self",
        ),
        pytest.param(
            MODEL + "    def __hash__(self): return 1\n    def __eq__(self, other): return True\n"
            "@functools.partial(jax.jit, static_argnames='config')\ndef f(x, config):\n    return x * config.k\n"
            "config = Model(2.0)",
            "f(1.0, config=config)",
            "config.k = 3.0",
            "config.k",
            8,
            id="by name, all objects equal",
        ),
        pytest.param(
            MODEL + "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, config):\n"
            "    return jax.lax.fori_loop(0, 3, lambda i, c: c * config.k, x)\nconfig = Model(2.0)",
            "f(1.0, config)",
            "config.k = 3.0",
            "config.k",
            6,
            id="in the body of a loop",
        ),
        pytest.param(
            MODEL + "    def scaled(self, x): return x * self.k\n"
            "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, config):\n    return config.scaled(x)\n"
            "config = Model(2.0)",
            "f(1.0, config)",
            "config.k = 3.0",
            "self.k",
            4,
            id="in a method of the static argument",
        ),
    ],
)
def test_a_static_argument_that_was_changed_in_place(notebook, setup, call, change, name, line):
    notebook.run("import functools, jax, jax.numpy as jnp")
    first = notebook.run(f"%%jaxpr\n{setup}\n{call}; {call}")
    assert "stale_value" not in first.notes
    notebook.run(change)
    second_run = notebook.run(f"%%jaxpr\n{call}")
    note = second_run.note("stale_value")
    assert note["title"] == f"{name} changed after the trace"
    assert note["text"].startswith(f"{name} was 2.0 when JAX last traced")
    assert second_run.line_of(note) == line
    static = name.partition(".")[0]
    if line != 4:  # on line 4 a method reads the object, so the note names no static argument
        assert (
            STATIC.format(static=static, function=second_run.document["programs"][0]["name"].rpartition(".")[2])
            in note["text"]
        )
        assert "__hash__" in note["cure"]


@pytest.mark.parametrize(
    ("setup", "change"),
    [
        ("a = np.zeros(3)\n@jax.jit\ndef f(x):\n    return x + a", "a = np.zeros(3)"),
        ("a = np.zeros(3)\n@jax.jit\ndef f(x):\n    return x + a", "a[0] = -0.0 + 0.0"),
        ("a = np.zeros(200_000)\n@jax.jit\ndef f(x):\n    return x + a.sum()", "a = np.zeros(200_000)"),
        ("a = np.zeros(3)\n@jax.jit\ndef f(x):\n    return x + 1", "a[0] = 3"),
        ("w = jnp.ones(3)\n@jax.jit\ndef f(x):\n    return x + w", "w = jnp.ones(3)"),
        ("w = {'a': jnp.ones(3)}\n@jax.jit\ndef f(x):\n    return x + w['a']", "w = {'a': jnp.ones(3)}"),
        ("w = jnp.ones(3) / 0 * 0\n@jax.jit\ndef f(x):\n    return x + w", "w = jnp.ones(3) / 0 * 0"),
        (
            "key = jax.random.key(0)\n@jax.jit\ndef f(x):\n    return x + jax.random.normal(key)",
            "key = jax.random.key(0)",
        ),
        ("c = np.float32(1)\n@jax.jit\ndef f(x):\n    return x + c", "c = np.float32(1)"),
        ("c = float('nan')\n@jax.jit\ndef f(x):\n    return x + c", "c = float('nan')"),
        ("l = [1.0, 2.0]\n@jax.jit\ndef f(x):\n    return x + sum(l)", "l = [1.0, 2.0]"),
        ("l = [1.0, 2.0]\n@jax.jit\ndef f(x):\n    return x + l[0]", "l.append(3.0); l[1] = 7.0"),
        ("log = []\n@jax.jit\ndef f(x):\n    log.append(x.shape)\n    return x + len(log) * 0", "log.append(1)"),
        (
            "log = []\ndef note(l, x): l.append(x.shape)\n@jax.jit\ndef f(x):\n    note(log, x)\n    return x",
            "log.append(1)",
        ),
        (
            "memo = {}\n@jax.jit\ndef f(x):\n    k = str(x.shape)\n"
            "    if k not in memo:\n        memo[k] = 1\n    return x",
            "memo.clear()",
        ),
        ("n = {'c': 0}\n@jax.jit\ndef f(x):\n    n['c'] = n['c'] + 1\n    return x", "n['c'] = 0"),
        ("class C:\n    n = 0\n@jax.jit\ndef f(x):\n    C.n += 1\n    return x", "C.n = 0"),
        (
            "class C:\n    n = 0\n    def f(self, x):\n        self.n += 1\n        return x\n"
            "c = C()\nf = jax.jit(c.f)",
            "c.n = 0",
        ),
        (
            "debug = False\nextra = 1\n@jax.jit\ndef f(x):\n    if debug:\n        return x + extra\n    return x",
            "extra = 2",
        ),
        (
            "s = [1.0]\n@jax.jit\ndef f(x):\n    return jax.pure_callback("
            "lambda v: np.float32(v * s[0]), jax.ShapeDtypeStruct((3,), 'f'), x)",
            "s[0] = 2.0",
        ),
        (
            "s = 1.0\ndef show(v):\n    print(v * s)\n@jax.jit\ndef f(x):\n    "
            "jax.debug.callback(show, x)\n    return x",
            "s = 2.0",
        ),
        ("class C:\n    k = 2.0\n    other = 1.0\nc = C()\n@jax.jit\ndef f(x):\n    return x * c.k", "c.other = 4.0"),
        (
            "class C:\n    def __init__(self): self._k = 2.0\n    @property\n"
            "    def k(self): return self._k\nc = C()\n@jax.jit\ndef f(x):\n    return x * 3",
            "c._k = 4.0",
        ),
        ("a = {'o': {'lr': 1, 'n': 2}}\n@jax.jit\ndef f(x):\n    return x * a['o']['lr']", "a['o']['n'] = 4.0"),
        ("a = {'o': {'lr': 1}}\n@jax.jit\ndef f(x):\n    return x * a['o']['lr']", "a = {'o': {'lr': 1}}"),
        (
            "class P:\n    def __eq__(self, o): return True\np = [P()]\n@jax.jit\ndef f(x):\n    return x * len(p)",
            "p[0] = P()",
        ),
        (
            "def g(x): return x * 2\ntable = {'g': g}\n@jax.jit\ndef f(x):\n    return table['g'](x)",
            "def g(x): return x * 3",
        ),
        ("class C:\n    pass\n@jax.jit\ndef f(x):\n    c = C()\n    return x", "class C:\n    pass"),
        ("r = 1.0\n@jax.jit\ndef f(x):\n    r = 2.0\n    return x * r", "r = 3.0"),
        ("r = 1.0\n@jax.jit\ndef f(x):\n    return (lambda r: x * r)(2.0)", "r = 3.0"),
        ("rs = (1.0, [2.0])\n@jax.jit\ndef f(x):\n    return x * rs[0]", "rs[1][0] = 3.0"),
        ("it = iter([1.0, 2.0, 3.0])\n@jax.jit\ndef f(x):\n    return x * next(it)", "it = iter([1.0])"),
        ("f = jax.jit(lambda x: x * 2)", "x = 3"),
    ],
)
def test_no_alarm(notebook, setup, change):
    notebook.run("import functools, jax, jax.numpy as jnp, numpy as np")
    ran = notebook.run(f"%%jaxpr\n{setup}\n{CALL}; {CALL}")
    assert ran.result.success
    assert "stale_value" not in ran.notes
    assert notebook.run(change).result.success
    second_run = notebook.run(f"%%jaxpr\n{CALL}")
    assert second_run.result.success
    assert [note["text"] for note in second_run.document["notes"] if note["kind"] in ("stale_value", "failed")] == []


def test_no_code_of_the_user_runs(notebook):
    notebook.run("import jax, jax.numpy as jnp, numpy as np\nasked = []")
    notebook.run(
        "class Odd:\n    def __getattr__(self, name): asked.append(name); return 2.0\n"
        "    @property\n    def k(self): asked.append('k'); return 2.0\n"
        "    def __eq__(self, other): asked.append('eq'); return True\n    def __hash__(self): return 1\n"
        "    def __repr__(self): asked.append('repr'); return ''\n"
        "    def __len__(self): asked.append('len'); return 0\n"
        "odd = Odd()\nholder = {'odd': odd, odd: 1.0}\n"
        "@jax.jit\ndef f(x):\n    return x * odd.k * odd.other * len([*holder])"
    )
    notebook.run("f(jnp.ones(3)); plain = list(asked); asked.clear(); f.clear_cache()")
    notebook.run("%%jaxpr\nf(jnp.ones(3)); f(jnp.ones(3)); traced = list(asked); asked.clear()")
    notebook.run("%%jaxpr\nf(jnp.ones(3))")
    assert notebook["traced"] == notebook["plain"]
    assert notebook["asked"] == []


MOVED = "class Model:\n    def __init__(self, k): self.k = k\n    @partial(jax.jit, static_argnums=0)\n"
TIMES_K = "k = 2\n@jax.jit\ndef f(x): return x * k"


@pytest.mark.parametrize(
    ("cells", "value", "text"),
    [
        pytest.param(
            [
                f"{MOVED}    def f(self, x): return x * self.k\none, other = Model(2), Model(5)",
                "%%jaxpr\none.f(jnp.ones(3)), other.f(jnp.ones(3))",
                "other.k = 6",
                "%%jaxpr\ny = one.f(jnp.ones(3))",
            ],
            2.0,
            None,
            id="the object of the entry did not change",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\nf(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\nf(jnp.ones(3))",
                "k = 6",
                "%%jaxpr\ny = f(jnp.ones(2))",
            ],
            2.0,
            "k was 2 in one of the traces of f, and is 6 now. A call of f in this run used this trace: the call did "
            "not read k "
            "again and computed with 2.",
            id="the entry of an earlier trace",
        ),
        pytest.param(
            [TIMES_K, "f(jnp.ones(2))", "k = 5", "%%jaxpr\nf(jnp.ones(3))", "k = 6", "%%jaxpr\ny = f(jnp.ones(2))"],
            2.0,
            None,
            id="no run saw the trace of the entry",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\nf(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\nf(jnp.ones(3))",
                "k = 6",
                "%%jaxpr\ny = f(jax.device_put(jnp.ones(2), jax.devices()[0]))",
            ],
            2.0,
            "k was 2 in one of the traces of f, and is 6 now. A call of f in this run used this trace: the call did "
            "not read k "
            "again and computed with 2.",
            id="a miss without a trace",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\nf(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\n@jax.jit\ndef g(x): return f(x) + 1\ny = g(jnp.ones(2))",
            ],
            3.0,
            "k was 2 in one of the traces of f, and is 5 now. JAX took this trace of f from its cache when JAX traced "
            "g, so g "
            "computes with 2.",
            id="a new caller of a cached trace",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\nf(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\n@jax.jit\ndef g(x): return f(x) + 1\ng(jnp.ones(2))",
                "k = 6",
                "%%jaxpr\ny = g(jnp.ones(2))",
            ],
            3.0,
            "k was 2 in one of the traces of f, and is 6 now. JAX took this trace of f from its cache when JAX traced "
            "g, so g "
            "computes with 2.",
            id="a hit of a caller of a cached trace",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\n@jax.jit\ndef g(x): return f(x) + 1\ng(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\n@jax.jit\ndef h(x): return f(x) + 2\nh(jnp.ones(2))",
                "k = 6",
                "%%jaxpr\ny = h(jnp.ones(2))",
            ],
            4.0,
            None,
            id="it is unknown which trace was in the cache",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\n@jax.jit\ndef g(x): return f(x) + 1\ng(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\ny = g(jnp.ones(2))",
            ],
            3.0,
            # Before Python 3.12, it is unknown that g's trace ran f, so there is no note.
            "k was 2 when JAX last traced g, and is 5 now. A call of g that finds a cache entry does not read k again. "
            "The call computes with 2."
            if sys.version_info >= (3, 12)
            else None,
            id="a called function that was traced with its caller",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\nf(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\n@jax.jit\ndef g(x): return jax.lax.fori_loop(0, 2, lambda i, c: f(c), x)\ny = g(jnp.ones(2))",
            ],
            4.0,
            "k was 2 in one of the traces of f, and is 5 now. JAX took this trace of f from its cache when JAX traced "
            "g, so g "
            "computes with 2.",
            id="a cached trace in the body of a loop",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\n@jax.jit\ndef g(x): return f(x) + 1\ng(jnp.ones(2))",
                TIMES_K,
                "%%jaxpr\n@jax.jit\ndef g(x): return f(x) + 1\ng(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\ny = g(jnp.ones(2))",
            ],
            3.0,
            "k was 2 when JAX last traced g, and is 5 now. A call of g that finds a cache entry does not read k again. "
            "The call computes with 2."
            if sys.version_info >= (3, 12)
            else None,
            id="cells that ran twice",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\nf(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\ny = jax.vmap(f)(jnp.ones((3, 2)))[0]",
            ],
            2.0,
            "k was 2 in one of the traces of f, and is 5 now. A call of f in this run used this trace: the call did "
            "not read k "
            "again and computed with 2.",
            id="vmap of a cached trace",
        ),
        pytest.param(
            [
                TIMES_K,
                "%%jaxpr\nf(jnp.ones(2))",
                "k = 5",
                "%%jaxpr\ny = jax.grad(lambda x: f(x).sum())(jnp.ones(2))",
            ],
            2.0,
            "k was 2 in one of the traces of f, and is 5 now. A call of f in this run used this trace: the call did "
            "not read k "
            "again and computed with 2.",
            id="grad of a cached trace",
        ),
        pytest.param(
            [
                "def scale(x): return 2 * x\n@jax.jit\ndef f(x): return scale(x)",
                "%%jaxpr\nf(jnp.ones(2))",
                "def scale(x): return 5 * x",
                "%%jaxpr\n@jax.jit\ndef g(x): return f(x) + 1\ny = g(jnp.ones(2))",
            ],
            3.0,
            "scale is now another function than when JAX made one of the traces of f. JAX took this trace of f "
            "from its cache when JAX traced g, so g computes with the function from the time of the trace.",
            id="another function",
        ),
    ],
)
def test_the_value_is_that_of_the_trace_which_the_call_used(notebook, cells, value, text):
    notebook.run("import jax, jax.numpy as jnp\nfrom functools import partial")
    *earlier, last = cells
    for cell in earlier:
        notebook.run(cell)
    ran = notebook.run(last)
    assert float(notebook["y"][0]) == value
    assert [note["text"] for note in ran.document["notes"] if note["kind"] == "stale_value"] == ([text] if text else [])


def test_where_the_entries_of_the_hits_are_unknown_the_note_says_so(notebook):
    """With many calls and several entries, only some calls are examined, so the note states this uncertainty."""
    notebook.run(f"import jax, jax.numpy as jnp\n{TIMES_K}")
    notebook.run("%%jaxpr\nf(jnp.ones(2))")
    notebook.run("k = 5")
    notebook.run("%%jaxpr\nf(jnp.ones(3))")
    notebook.run("k, x = 6, jnp.ones(2)")
    ran = notebook.run("%%jaxpr\nfor _ in range(5_000):\n    y = f(x)")
    assert float(notebook["y"][0]) == 2.0
    assert [note["text"] for note in ran.document["notes"] if note["kind"] == "stale_value"] == [
        "k was 2 in one of the traces of f, and is 6 now. A call of f in this run used this trace: the call did not "
        "read k "
        "again and computed with 2.",
        "k was 5 when JAX last traced f, and is 6 now. A call of f that finds a cache entry does not read k again. "
        "JAX may have several cached programs of f: a call that uses the program of this trace computes with 5.",
    ]


def test_a_function_that_is_called_through_its_module_and_changed(notebook, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = tmp_path / "layers_of_stale_test.py"
    module.write_text("def norm(x):\n    return x + 1\n")
    notebook.run("import importlib, jax, jax.numpy as jnp\nimport layers_of_stale_test as layers")
    notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    return layers.norm(x)\nf(jnp.ones(3))")
    assert "stale_value" not in notebook.run(f"%%jaxpr\nimportlib.reload(layers)\n{CALL}").notes
    # an edit that moves the function to other lines does not change the function
    module.write_text("# a comment\n\n\ndef norm(x):\n    # another one\n    return x + 1\n")
    assert "stale_value" not in notebook.run(f"%%jaxpr\nimportlib.reload(layers)\n{CALL}").notes
    module.write_text("def norm(x):\n    return x + 2000\n")
    ran = notebook.run(f"%%jaxpr\nimportlib.reload(layers)\n{CALL}")
    note = ran.note("stale_value")
    assert (note["title"], note["text"], note["cure"], ran.line_of(note)) == (
        "layers.norm changed after the trace",
        "layers.norm is another function than when JAX last traced f. A call of f that finds a cache entry does not "
        "read layers.norm again. The call computes with the function from the time of the trace.",
        "Run the cell that defines f again. JAX then traces f with the new layers.norm.",
        4,
    )


@pytest.mark.parametrize(
    ("later", "is_another"),
    [
        ("# moved\n\ndef norm(x):\n    return [x + k for k in (1, 2.0)]", False),
        ("def norm(x): return [x + k for k in (1, 2.0)]", False),
        ("def norm(x):\n    return [x + k for k in (1, 2)]", True),
        ("def norm(x):\n    return [x + k for k in (True, 2.0)]", True),
        ("def norm(y):\n    return [y + k for k in (1, 3.0)]", True),
    ],
)
def test_a_function_that_is_defined_again(notebook, later, is_another):
    notebook.run("import jax, jax.numpy as jnp\ndef norm(x):\n    return [x + k for k in (1, 2.0)]")
    notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    return norm(x)\nf(jnp.ones(3))")
    notebook.run(later)
    assert ("stale_value" in notebook.run("%%jaxpr\nf(jnp.ones(3))").notes) is is_another


SET_BACK = [
    pytest.param("{}\nfor k in (1.0, 2.0, 1.0):\n    f(x)", "k", id="a loop over a global name"),
    pytest.param("k = 1.0\n{}\nf(x)\nk = 2.0\nf(x)\nk = 1.0\nf(x)", "k", id="assignments"),
    pytest.param(
        "def all_of():\n    {}\n    for k in (1.0, 2.0, 1.0):\n        f(x)\nall_of()", "k", id="a local name"
    ),
    pytest.param(
        "def change(k):\n    o['k'] = k\no = {{'k': 1.0}}\n{}\nf(x)\nchange(2.0)\nf(x)\nchange(1.0)",
        "o['k']",
        id="a dict",
    ),
    pytest.param(
        "import contextlib\nclass O: k = 1.0\no = O()\n@contextlib.contextmanager\ndef changed(k):\n    o.k = k\n"
        "    yield\n    o.k = 1.0\n{}\nf(x)\nwith changed(2.0):\n    f(x)",
        "o.k",
        id="an attribute in a context manager",
    ),
    pytest.param(
        "class O:\n    k = 1.0\n    def __enter__(self): self.k = 2.0\n    def __exit__(self, *_): self.k = 1.0\n"
        "o = O()\n{}\nf(x)\nwith o:\n    f(x)",
        "o.k",
        id="an attribute in a context manager that is a class",
    ),
    pytest.param("{}\nfor k in (1.0, 2.0, 1.0):\n    f(x); f(jnp.ones((2, 3)))", "k", id="several programs"),
    pytest.param(
        "{}\nfor k in (1.0, 2.0, 1.0):\n    f(jax.device_put(x, jax.devices()[0]))\n    f(x)",
        "k",
        id="another placement",
    ),
]


@pytest.mark.parametrize(("cell", "name"), SET_BACK)
def test_a_value_that_the_cell_sets_back(notebook, cell, name):
    """At the end of the cell, the value is the one that the program has."""
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.ones(3)")
    jitted = f"f = jax.jit(lambda x: x * {name})"
    note = notebook.run(f"%%jaxpr\n{cell.format(jitted)}").note("stale_value")
    assert (note["title"], note["text"]) == (
        f"{name} changed after the trace",
        f"{name} was 1.0 when JAX traced <lambda>, and was 2.0 at a later call of this run. The later call found the "
        f"entry of that trace, did not read {name} again and computed with 1.0.",
    )


@pytest.mark.parametrize(
    ("definition", "is_read"),
    [
        ("def f(x): return x * (a if flag else b)", False),
        ("def f(x): return x * (flag or a)", False),
        ("g = lambda x: x * a if flag else x * b\ndef f(x): return g(x)", False),
        ("def f(x):\n    for k in (1.0, 2.0):\n        if k > 1.0: continue; x = x * b\n    return x + a", True),
        ("def f(x):\n    return x * (b if not flag else\n        a)", sys.version_info >= (3, 12)),
        (
            "class M:\n    @property\n    def k(self):\n        if flag:\n            return 1.0\n        return a\n"
            "m = M()\ndef f(x):\n    return x * m.k",
            False,
        ),
        ("def f(x):\n    y = x * a if flag else x\n    return x * a", True),
    ],
)
def test_a_value_that_a_trace_may_have_skipped_has_no_note(notebook, definition, is_read):
    """Python 3.12 and later tell which lines a trace ran, not which part of a line."""
    notebook.run("import jax, jax.numpy as jnp\nflag, a, b = True, 1.0, 2.0")
    notebook.run(f"%%jaxpr\n{definition}\ng = jax.jit(f)\ng(1.0)")
    notes = notebook.run("%%jaxpr\na, b = 5.0, 7.0\ng(1.0)").document["notes"]
    found = [note["title"] for note in notes if note["kind"] == "stale_value"]
    assert found == ["a changed after the trace"] * is_read


def test_a_value_that_a_property_reads(notebook):
    definition = "class M:\n    _k = 1.0\n    @property\n    def k(self):\n        return self._k\nm = M()\n"
    notebook.run("import jax, jax.numpy as jnp")
    ran = notebook.run(f"%%jaxpr\n{definition}f = jax.jit(lambda x: x * m.k)\nf(1.0)\nm._k = 2.0\nf(1.0)")
    note = ran.note("stale_value")
    assert (note["text"], note["cure"], ran.line_of(note)) == (
        changed("self._k", "1.0", "2.0", "<lambda>"),
        "Pass the value of self._k, which M.k reads, to <lambda> as an argument.",
        6,
    )


@pytest.mark.parametrize(
    ("parameters", "use", "change", "name", "before", "after", "parameter"),
    [
        ("k=[1.0, 2.0]", "sum(k)", "f.__defaults__[0].append(3.0)", "k", "[1.0, 2.0]", "[1.0, 2.0, 3.0]", "k"),
        ("*, o=o", "o['k']", "o['k'] = 2.0", "o['k']", "1.0", "2.0", "o"),
    ],
)
def test_a_default_value_that_changes(notebook, parameters, use, change, name, before, after, parameter):
    notebook.run("import jax, jax.numpy as jnp\no = {'k': 1.0}; x = jnp.ones(3)")
    definition = f"def f(x, {parameters}):\n    return x * {use}\ng = jax.jit(f)"
    ran = notebook.run(f"%%jaxpr\n{definition}\ng(x)\n{change}\ng(x)")
    note = ran.note("stale_value")
    cure = f"Pass {parameter} to f in each call, in place of the default value."
    assert (note["text"], note["cure"], ran.line_of(note)) == (changed(name, before, after), cure, 3)
    # a call that passes the argument does not read the default value
    passed = f"{parameter}={{'k': 1.0}}" if parameter == "o" else "[1.0, 2.0]"
    ran = notebook.run(f"%%jaxpr\n{definition}\ng(x, {passed})\n{change}\ng(x, {passed})")
    assert "stale_value" not in ran.notes


def test_a_function_that_the_cell_sets_back(notebook):
    notebook.run("import jax, jax.numpy as jnp\ndef one(x): return x\ndef two(x): return x + 1\ng = one")
    cell = "f = jax.jit(lambda x: g(x))\nfor g in (one, two, one):\n    for _ in range(100):\n        f(1.0)"
    note = notebook.run(f"%%jaxpr\n{cell}").note("stale_value")
    assert note["text"] == (
        "g was one when JAX traced <lambda>, and was two at a later call of this run. The later call found the entry "
        "of that trace, did not read g again and computed with one."
    )
    assert note["cure"] == "Pass g to <lambda> as a static argument: JAX compiles once for each value."


@pytest.mark.parametrize(
    "calls",
    [
        "for _ in range(300):\n    f(x)\nk = 2.0\nf(x)",
        "def run():\n    for _ in range(60):\n        f(x)\nrun()\nk = 2.0\nrun()",
        "for _ in range(60):\n    f(x)\nk = 3.0\nf(x)\nk = 2.0",
    ],
)
def test_a_value_that_changes_between_many_calls(notebook, calls):
    notebook.run("import jax, jax.numpy as jnp\nx, k = jnp.ones(3), 1.0")
    ran = notebook.run(f"%%jaxpr\ndef f(x):\n    return x * k\nf = jax.jit(f)\n{calls}")
    assert (ran.note("stale_value")["text"], ran.notes.count("stale_value")) == (changed("k", "1.0", "2.0"), 1)


def test_an_array_that_the_cell_sets_back(notebook):
    notebook.run("import jax, jax.numpy as jnp\nx, one, zero = jnp.ones(3), jnp.ones(2), jnp.zeros(2)")
    ran = notebook.run("%%jaxpr\nf = jax.jit(lambda x: x * w.sum())\nfor w in (one, zero, one):\n    f(x)")
    assert ran.note("stale_value")["text"] == (
        "w was Array([1.0, 1.0], dtype=float32) when JAX traced <lambda>, and was Array([0.0, 0.0], dtype=float32) at "
        "a later call of this run. The later call found the entry of that trace, did not read w again and computed "
        "with Array([1.0, 1.0], dtype=float32)."
    )


@pytest.mark.parametrize(
    "cell",
    [
        "f = jax.jit(lambda x, k: x * k)\nfor k in (1.0, 2.0, 1.0):\n    f(x, k)",
        "for k in (1.0, 2.0, 1.0):\n    f = jax.jit(lambda x: x * k)\n    f(x); f(x)",
        "f = jax.jit(lambda x: x * k)\nfor k in (1, 2, 1):\n    f(jnp.ones(k))",
        "f = jax.jit(lambda x: x * k)\nk = 1.0\nf(x)\nk = 2.0\nk = 1.0\nf(x)",
        "f = jax.jit(lambda x: x * k)\nfor k in (1.0, 2.0, 1.0):\n    jax.clear_caches()\n    f(x)",
        "one, k = jnp.ones(3), jnp.ones(3)\nf = jax.jit(lambda x: x * k)\nfor k in (k, one, k):\n    f(x)",
        # no call follows the change
        "f = jax.jit(lambda x: x * k)\nk = 1.0\nfor _ in range(300):\n    f(x)\nk = 2.0\nk * 3.0",
        "f = jax.jit(lambda x: x * k)\nk = 1.0\nf(x); f(x); f(x[:2]); f(x)\nk = 2.0",
        "o = {'k': 1.0}\nf = jax.jit(lambda x: x * o['k'])\nf(x); f(x)\no['k'] = 2.0",
        "class O: k = 1.0\no = O()\nf = jax.jit(lambda o, x: x * o.k, static_argnums=0)\nf(o, x); f(o, x)\no.k = 2.0",
        "w = jnp.ones(3)\nf = jax.jit(lambda x: x * w)\nf(x); f(x)\nw = jnp.zeros(3)",
        "k = 1.0\nf = jax.jit(lambda x: x * k)\ng = jax.jit(lambda x: f(x) + 1.0)\nf(x); g(x)\nk = 2.0",
        "def f(x, k=[1.0]):\n    return x * sum(k)\ng = jax.jit(f)\ng(x); g(x)\nf.__defaults__[0].append(3.0)",
    ],
)
def test_a_cell_that_calls_with_no_old_value(notebook, cell):
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.ones(3)")
    ran = notebook.run(f"%%jaxpr\n{cell}")
    assert ran.result.success
    assert "stale_value" not in ran.notes


BODY = "def body(c, x):\n    return c + scale * x, None\n"
SCAN = "lax.scan(body, 0.0, jnp.ones(3))[0]"


@pytest.mark.parametrize(
    ("setup", "change", "call", "expected", "line"),
    [
        pytest.param(
            f"scale = 2.0\n{BODY}",
            "scale = 10.0",
            SCAN,
            (changed("scale", "2.0", "10.0", "scan(body)"), "Make scale a part of the carry of scan(body)"),
            4,
            id="a number in the body of a scan",
        ),
        pytest.param(
            "limit = 3\ndef below(i):\n    return i < limit\ndef next_(i):\n    return i + 1",
            "limit = 8",
            "lax.while_loop(below, next_, 0)",
            (
                changed("limit", "3", "8", "while_loop(next_)"),
                "Make limit a part of the carry of while_loop(next_)",
            ),
            4,
            id="a number in the condition of a while_loop",
        ),
        pytest.param(
            "w = jnp.array([1.0, 2.0])\ndef step(i, s):\n    return s + w.sum()",
            "w = jnp.array([5.0, 5.0])",
            "lax.fori_loop(0, 3, step, 0.0)",
            (
                changed(
                    "w",
                    "Array([1.0, 2.0], dtype=float32)",
                    "Array([5.0, 5.0], dtype=float32)",
                    "fori_loop(step)",
                ),
                "Make w a part of the carry of fori_loop(step)",
            ),
            4,
            id="an array in the body of a fori_loop",
        ),
        pytest.param(
            "class Options:\n    k = 3\no = Options()\ndef yes(v):\n    return v * o.k\ndef no(v):\n    return v",
            "o.k = 4",
            "lax.cond(True, yes, no, 1.0)",
            (changed("o.k", "3", "4", "cond(yes, no)"), "Pass o.k to cond(yes, no) as an operand"),
            6,
            id="an attribute in a branch",
        ),
    ],
)
@pytest.mark.parametrize("cells", [1, 2])
def test_a_construct_outside_of_jit_computes_with_an_old_value(notebook, setup, change, call, expected, line, cells):
    first, again = f"%%jaxpr\n{setup}\nold = {call}\n", f"{change}\nnew = {call}"
    if cells == 1:
        ran = notebook.run(first + again)
        assert ran.line_of(ran.note("stale_value")) == line
    else:
        assert "stale_value" not in notebook.run(first).notes
        ran = notebook.run(f"%%jaxpr\n{again}")
    note = ran.note("stale_value")
    text, cure = expected
    assert (note["text"], note["cure"]) == (text, f"{cure}, which JAX gets anew in each call.")
    assert bool(notebook.shell.user_ns["new"] == notebook.shell.user_ns["old"])


@pytest.mark.parametrize(
    "cell",
    [
        # a new function object is traced again
        "scale = 2.0\na = lax.scan(lambda c, x: (c + scale * x, None), 0.0, jnp.ones(3))\nscale = 3.0\n"
        "a = lax.scan(lambda c, x: (c + scale * x, None), 0.0, jnp.ones(3))",
        f"scale = 2.0\n{BODY}a = {SCAN}\na = {SCAN}",
        f"scale = 2.0\n{BODY}a = {SCAN}\nscale = 3.0",
        f"scale = 2.0\n{BODY}a = {SCAN}\nscale = 3.0\na = jax.jit(lambda x: x)(1.0)",
    ],
)
def test_a_construct_outside_of_jit_without_an_old_value(notebook, cell):
    ran = notebook.run(f"%%jaxpr\n{cell}")
    assert ran.result.success
    assert "stale_value" not in ran.notes


def test_a_construct_outside_of_jit_whose_value_the_cell_sets_back(notebook):
    ran = notebook.run(f"%%jaxpr\n{BODY}for scale in (1.0, 5.0, 1.0):\n    {SCAN}")
    assert (ran.note("stale_value")["text"], ran.note("stale_value")["cure"]) == (
        "scale was 1.0 when JAX traced scan(body), and was 5.0 at a later call of this run. The later call found the "
        "entry of that trace, did not read scale again and computed with 1.0.",
        "Make scale a part of the carry of scan(body), which JAX gets anew in each call.",
    )


def test_a_value_that_the_program_of_a_construct_does_not_show_has_no_note(notebook):
    """JAX may have traced the body before, with another value, and says nothing of the trace."""
    notebook.run(f"scale = 2.0\n{BODY}jax.jit(lambda xs: lax.scan(body, 0.0, xs))(jnp.ones(3))\nscale = 3.0")
    ran = notebook.run(f"%%jaxpr\na = {SCAN}\nscale = 4.0\na = {SCAN}")
    assert "stale_value" not in ran.notes


def test_the_method_of_an_object_that_jax_did_not_trace_last(notebook):
    """Each object has a jitted method of its own, with a trace of its own."""
    notebook.run(f"{MODEL}    def scaled(self, x): return x * self.k\none, other = Model(1.0), Model(2.0)")
    notebook.run("%%jaxpr\nf, g = jax.jit(one.scaled), jax.jit(other.scaled)\nf(1.0); g(1.0)")
    ran = notebook.run("%%jaxpr\none.k = 5.0\ng(1.0); f(1.0)")
    assert ran.note("stale_value")["text"] == (
        "self.k was 1.0 in one of the traces of scaled, and is 5.0 now. A call of scaled in this run used this trace: "
        "the call did not read self.k again and computed with 1.0."
    )


@pytest.mark.parametrize(
    ("before", "after", "use", "cure"),
    [
        ("True", "False", "x * 2 if k else x", "Pass k to f as a static argument: JAX compiles once for each value."),
        ("'a'", "'b'", "x if k == 'a' else -x", "Pass k to f as a static argument: JAX compiles once for each value."),
        (
            "2",
            "3",
            "sum(x for _ in range(k))",
            "Pass k to f as an argument. Make the argument static if f needs a Python number, as for a shape or a "
            "range.",
        ),
        ("2.0", "3.0", "x * k", "Pass k to f as an argument."),
    ],
)
def test_the_cure_of_a_value_that_only_python_can_read(notebook, before, after, use, cure):
    notebook.run(f"%%jaxpr\nk = {before}\n@jax.jit\ndef f(x):\n    return {use}\n{CALL}")
    assert notebook.run(f"%%jaxpr\nk = {after}\n{CALL}").note("stale_value")["cure"] == cure


def test_a_construct_outside_of_jit_of_another_length_computes_with_an_old_value(notebook):
    """JAX makes another program for the other length, of the trace of the body that JAX kept."""
    notebook.run(f"%%jaxpr\nscale = 2.0\n{BODY}a = {SCAN}")
    ran = notebook.run("%%jaxpr\nscale = 10.0\na = lax.scan(body, 0.0, jnp.ones(4))[0]")
    note = ran.note("stale_value")
    assert (note["text"], note["cure"]) == (
        "scale was 2.0 in one of the traces of body, and is 10.0 now. JAX took this trace of body from its cache when "
        "JAX traced scan(body), so scan(body) computes with 2.0.",
        "Make scale a part of the carry of scan(body), which JAX gets anew in each call.",
    )
    assert float(notebook["a"]) == 8.0
    # a carry of another type has a trace of its own
    assert "stale_value" not in notebook.run("%%jaxpr\na = lax.scan(body, jnp.float32(0), jnp.ones(5))[0]").notes
    assert float(notebook["a"]) == 50.0
