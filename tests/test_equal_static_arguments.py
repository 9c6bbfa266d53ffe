"""Tests notes on calls that hit the program of another static value, because JAX considers the two values equal."""

import sys

import pytest

from jupyter_jaxpr.observe.calls.hits_with_equal_statics import StaticHits

CLASS = (
    "class Model:\n    def __init__(self, k, mode='a'): self.k, self.mode = k, mode\n"
    "    def __eq__(self, other): return {equal}\n    def __hash__(self): return 1\n"
)
ALL_EQUAL = CLASS.format(equal="isinstance(other, Model)")
BY_MODE = CLASS.format(equal="self.mode == other.mode")
BY_K = CLASS.format(equal="self.k == other.k")
BY_TOLERANCE = CLASS.format(equal="abs(self.k - other.k) < 1")
TIMES_K = "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, c):\n    return x * c.k\n"
COPY_SIGN = "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, s):\n    return jnp.copysign(x, s)\n"
ITEMS = "@functools.partial(jax.jit, static_argnames='s')\ndef f(x, *, s):\n    return x * s[0]\n"
PART = "Two values of the static argument c are equal, and c.k differs"
OBJECT = (
    "c.k was {0} when JAX traced f, and is {1} in this call. The __eq__ of Model says that the two objects are equal, "
    "so JAX used the cached program for {0}."
)
TELL_APART = (
    "If the difference matters, let the __eq__ of Model tell the two values apart, or pass c.k to f as an argument."
)
COMPARE = "Let the __eq__ of Model compare c.k, or pass c.k to f as an argument."
VALUE = (
    "JAX traced f with s = {0}. This call passes s = {1}. The two values are equal in Python, so JAX used the cached "
    "program for {0}."
)
SIGN = "If the sign of zero matters, pass s as an argument that is not static."
TYPES = "If the types of the numbers matter, pass s with numbers of one type in every call."


@pytest.mark.parametrize(
    ("setup", "calls", "title", "text", "cure"),
    [
        pytest.param(
            ALL_EQUAL + TIMES_K,
            ["f(x, Model(2))", "f(x, Model(3))"],
            PART,
            OBJECT.format(2, 3),
            COMPARE,
            id="an __eq__ that compares nothing",
        ),
        pytest.param(
            BY_MODE + TIMES_K,
            ["f(x, Model(2)), f(x, Model(2, 'b'))", "f(x, Model(2.0))"],
            PART,
            OBJECT.format(2, "2.0"),
            COMPARE,
            id="the type of the attribute alone, and another entry with the same attribute",
        ),
        pytest.param(
            BY_MODE + TIMES_K,
            ["f(x, Model(2)), f(x, Model(3, 'b'))", "f(x, Model(4))"],
            PART,
            "c.k is 4 in this call, but JAX used a cached program with one of these earlier values of c.k: 2 and 3. "
            "JAX chose that program because its static argument is equal to the static argument of this call.",
            COMPARE,
            id="several entries with other attributes",
        ),
        pytest.param(
            BY_TOLERANCE + TIMES_K,
            ["f(x, Model(2))", "f(x, Model(2.5))"],
            PART,
            OBJECT.format(2, 2.5),
            TELL_APART,
            id="an __eq__ with a tolerance",
        ),
        pytest.param(
            BY_K + TIMES_K,
            ["h = Model(2)\nf(x, h)\nh.k = 3", "f(x, Model(3))"],
            PART,
            "c.k was 2 when JAX traced f, and is 3 in this call. After the trace, the code changed the static argument "
            "in place. JAX still has the cached program of that trace, and the changed object is equal to the argument "
            "of this call. So the call used that program, which computes with 2.",
            "Replace a static object by a new object in place of changing it, or pass c.k to f as an argument.",
            id="the object of the trace was changed in place",
        ),
        pytest.param(
            COPY_SIGN,
            ["f(x, 0.0)", "f(x, -0.0)"],
            "JAX treats -0.0 and 0.0 as one value of the static argument s",
            VALUE.format("0.0", "-0.0"),
            SIGN,
            id="the sign of zero",
        ),
        pytest.param(
            ITEMS,
            ["f(x, s=(1, 'a'))", "f(x, s=(True, 'a'))"],
            "JAX treats (True, 'a') and (1, 'a') as one value of the static argument s",
            VALUE.format("(1, 'a')", "(True, 'a')"),
            TYPES,
            id="the type of a number in a tuple",
        ),
        pytest.param(
            ITEMS,
            ["f(x, s=(1,))\nf(jnp.ones((2, 3)), s=(1,))", "f(x, s=(1.0,))"],
            "JAX treats (1.0,) and (1,) as one value of the static argument s",
            VALUE.format("(1,)", "(1.0,)"),
            TYPES,
            id="two programs with the same value",
        ),
    ],
)
@pytest.mark.parametrize("in_one_cell", [True, False])
def test_an_equal_static_value(notebook, setup, calls, title, text, cure, in_one_cell):
    first, second = calls
    notebook.run("import functools, jax, jax.numpy as jnp\nx = jnp.ones(3)")
    notebook.run(f"%%jaxpr\n{setup}")
    if in_one_cell:
        ran = notebook.run(f"%%jaxpr\n{first}\n{second}")
    else:
        assert "equal_static" not in notebook.run(f"%%jaxpr\n{first}").notes
        ran = notebook.run(f"%%jaxpr\n{second}")
    note = ran.note("equal_static")
    assert (note["title"], note["text"], note["cure"]) == (title, text, cure)
    assert ran.line_of(note) == (first.count("\n") + 3 if in_one_cell else 2)
    assert [note["text"] for note in ran.document["notes"] if note["kind"] == "failed"] == []


@pytest.mark.parametrize(
    ("setup", "calls"),
    [
        pytest.param(ALL_EQUAL + TIMES_K, "f(x, Model(2)); f(x, Model(2, 'b'))", id="an attribute that is not read"),
        pytest.param(ALL_EQUAL + TIMES_K, "c = Model(2); f(x, c); f(x, c); f(x, Model(2))", id="equal attributes"),
        pytest.param(BY_K + TIMES_K, "f(x, Model(2)); f(x, Model(3)); f(x, Model(2)); f(x, Model(3))", id="two"),
        pytest.param(
            BY_MODE + TIMES_K,
            "f(x, Model(2)); f(x, Model(3, 'b')); f(x, Model(3, 'b')); f(x, Model(2))",
            id="an entry of each attribute",
        ),
        pytest.param(
            ALL_EQUAL + TIMES_K.replace("x * c.k", "x * c.k if x.ndim > 1 else x"),
            "f(x, Model(2)); f(x, Model(3))",
            id="a branch that the trace did not take",
        ),
        pytest.param(
            ALL_EQUAL + TIMES_K,
            "f(x, Model(2)); f(jnp.ones((2, 3)), Model(3)); f(jnp.ones((2, 3)), Model(3))",
            id="traces of other types with other objects",
        ),
        pytest.param(
            "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Model:\n    k: float\n"
            "    name: str = dataclasses.field(default='', compare=False)\n" + TIMES_K,
            "f(x, Model(2, 'a')); f(x, Model(2, 'b')); f(x, Model(3, 'b'))",
            id="a field that f does not read",
        ),
        pytest.param(
            CLASS.format(equal="True").replace("self.k, self.mode = k, mode", "self.k = jnp.asarray(k)") + TIMES_K,
            "f(x, Model(2)); f(x, Model(3))",
            id="an array, which is not compared",
        ),
        pytest.param(COPY_SIGN, "f(x, 0.0); f(x, 0.0); f(x, 1.0); f(x, -1.0)", id="the same zero"),
        pytest.param(COPY_SIGN, "f(x, 1); f(x, True); f(x, 1.0); f(x, 1)", id="types that JAX compares"),
        pytest.param(ITEMS, "f(x, s=(1, 2.0)); f(x, s=(1, 2.0)); f(x, s=(2, 2.0))", id="the same numbers"),
        pytest.param(
            "@jax.jit\ndef f(x, s): return x * s\n",
            "f(x, 0.0); f(x, -0.0); f(x, 0.0)",
            id="not static",
        ),
    ],
)
def test_no_alarm(notebook, setup, calls):
    notebook.run(f"import functools, jax, jax.numpy as jnp\nx = jnp.ones(3)\n{setup}")
    for _ in range(2):
        ran = notebook.run("%%jaxpr\n" + calls.replace("; ", "\n"))
        assert ran.result.success
        assert [note["text"] for note in ran.document["notes"] if note["kind"] in ("equal_static", "failed")] == []


FOUND_BY_HASH = (
    "c is a static argument of f: for the same object, JAX compares only the __hash__, which did not change."
)
NEW_HASH = (
    "Pass c.k to f as an argument. Or give the class of c a __hash__ that depends on c.k, and make a new object in "
    "place of changing c."
)


def test_a_change_in_place_that_the_end_of_the_cell_does_not_show(notebook):
    notebook.run(f"import functools, jax, jax.numpy as jnp\nx = jnp.ones(3)\n{BY_K}{TIMES_K}")
    ran = notebook.run("%%jaxpr\nh = Model(10)\nf(x, h)\nh.k = 11\nf(x, h)\nh.k = 10")
    note = ran.note("stale_value")
    assert (note["title"], note["text"], note["cure"]) == (
        "c.k changed after the trace",
        "c.k was 10 when JAX traced f, and was 11 at a later call of this run. "
        f"{FOUND_BY_HASH} The later call found the entry of that trace, did not read c.k again and computed with 10.",
        NEW_HASH,
    )
    ran = notebook.run("%%jaxpr\nh = Model(20)\nf(x, h)\nh.k = 21\nf(x, h)\nf(x, Model(20))")
    assert ran.note("stale_value")["text"] == (
        "A later call of this run, at which c.k was 21, used a cached program with one of these earlier values of c.k: "
        f"10 and 20. {FOUND_BY_HASH}"
    )


def test_a_change_in_place_that_only_the_hash_hides(notebook):
    notebook.run(f"import functools, jax, jax.numpy as jnp\nx = jnp.ones(3)\n{BY_K}{TIMES_K}")
    note = notebook.run("%%jaxpr\nh = Model(10)\nf(x, h)\nh.k = 11\nf(x, h)").note("stale_value")
    assert (note["text"], note["cure"]) == (
        f"c.k was 10 when JAX last traced f, and is 11 now. {FOUND_BY_HASH} A call of f that finds a cache entry does "
        "not read c.k again. The call computes with 10.",
        NEW_HASH,
    )


def test_the_hook_calls_and_keeps_nothing_of_the_user(notebook):
    notebook.run(
        f"import functools, gc, jax, jax.numpy as jnp, weakref\nx = jnp.ones(3)\nasked = []\n{TIMES_K}"
        "class Model:\n    def __init__(self, k): self.k = k\n"
        "    def __eq__(self, other): asked.append('eq'); return True\n"
        "    def __hash__(self): asked.append('hash'); return 1\n"
        "    def __repr__(self): asked.append('repr'); return ''\n"
        "    def __getattr__(self, name): asked.append(name); raise AttributeError(name)"
    )
    notebook.run("%%jaxpr\ny = f(x, Model(2))")
    notebook.run("c = Model(3)\nasked.clear(); y = f(x, c); plain = list(asked); del c")
    notebook.run("%%jaxpr\nc = Model(3)\nasked.clear(); y = f(x, c); seen = list(asked); gone = weakref.ref(c); del c")
    assert notebook["seen"] == notebook["plain"]
    notebook.run("gc.collect()")
    assert notebook["gone"]() is None


def test_the_hook_ends_after_the_first_hits(notebook, monkeypatch):
    hits = []
    hit = StaticHits._hit
    monkeypatch.setattr(StaticHits, "_hit", lambda self, *call: (hits.append(call), hit(self, *call)))
    notebook.run(f"import functools, jax, jax.numpy as jnp\nx = jnp.ones(3)\n{ALL_EQUAL}{TIMES_K}")
    ran = notebook.run("%%jaxpr\nfor _ in range(200):\n    f(x, Model(2))\nf(x, Model(3))")
    assert "equal_static" not in ran.notes
    assert len(hits) == 32
    if sys.version_info < (3, 12):
        return  # on Python 3.11, calls are not reported, so the hook stays installed until a call of f
    notebook.run("%%jaxpr\ng = jax.jit(lambda x: x + 1)\nfor _ in range(200):\n    g(x)")
    assert len(hits) == 32


def test_an_eq_that_compares_the_attribute_is_not_told_to_compare_it(notebook):
    notebook.run("from dataclasses import dataclass")
    ran = notebook.run(
        "%%jaxpr\n@dataclass(frozen=True)\nclass Cfg:\n    n: int\n"
        "f = jax.jit(lambda x, c: x * c.n, static_argnums=1)\n"
        "f(jnp.ones(2), Cfg(1)), f(jnp.ones(2), Cfg(True))"
    )
    assert ran.note("equal_static")["cure"] == (
        "If the difference matters, let the __eq__ of Cfg tell the two values apart, or pass c.n to <lambda> as an "
        "argument."
    )


def test_a_hash_that_shows_the_change_is_no_stale_value(notebook):
    ran = notebook.run(
        "%%jaxpr\nclass H:\n    def __init__(self, k):\n        self.k = k\n    def __hash__(self):\n"
        "        return hash(self.k)\n    def __eq__(self, other):\n        return self.k == other.k\n"
        "f = jax.jit(lambda x, c: x * c.k, static_argnums=1)\nh = H(2.0)\nf(jnp.ones(2), h)\nh.k = 3.0\n"
        "f(jnp.ones(2), h)\nh.k = 2.0\nf(jnp.ones(2), h)"
    )
    assert "stale_value" not in ran.notes
