"""Objects that no one expects, given to JAX: their cell, and every later one, is shown whole.

Names that are no plain `str`, texts of any length, values whose `__repr__` raises, waits or calls jitted functions.
Nothing is called of them while the extension is merely loaded; in an observed cell each is asked once.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.encoding import refused
from jupyter_jaxpr.snapshot.validate import read

COUNTED = Path(__file__).parent / "odd" / "counted.py"

SETUP = """
import collections, dataclasses, enum, functools, threading
import jax, jax.numpy as jnp, numpy as np
from functools import partial
x = jnp.ones(3)
class Text(str): pass
class Hostile(str):
    def __getitem__(self, key): raise RuntimeError("asked")
    def __len__(self): raise RuntimeError("asked")
    def __format__(self, spec): raise RuntimeError("asked")
    def __str__(self): raise RuntimeError("asked")
"""

_numbers = itertools.count()


def clean() -> tuple[str, list[str]]:
    """A cell with nothing odd in it, a function no other test has, and what the cell says."""
    name = f"clean_{next(_numbers)}"
    cell = f"%%jaxpr\n@jax.jit\ndef {name}(x):\n    return x * 2\n{name}(x)"
    return cell, [f"ran {name}(x: f32[3]) -> f32[3]: mul", f"{name}(x: f32[3]) compiled: first call of {name}"]


@pytest.fixture
def notebook(make_notebook: Callable[..., Notebook]) -> Notebook:
    made = make_notebook()
    made.run(SETUP)
    return made


def told(ran: Ran) -> list[str]:
    """The programs of a cell, what its ledger says of each miss of this run, and what failed."""
    found = list(ran.programs)
    for function in ran.document["ledger"]["functions"]:
        for miss in function["misses"]:
            if miss["this_run"]:
                reasons = "; ".join(reason["text"] for reason in miss["reasons"])
                found.append(f"{function['name']}({miss['signature']}) {miss['outcome']}: {reasons}")
    return found + [note["text"] for note in ran.document["notes"] if note["kind"] == "failed"]


def check(ran: Ran) -> None:
    """The cell ran, nothing of ours failed, and the document is safe to show."""
    assert ran.result.success, ran.result.error_in_exec
    assert ran.stderr == ""
    read(ran.document)


# What a cell does; what it says under the magic. In each, f is what is odd about it.
ODD = {
    "a name of NumPy's": (
        """
def f(x):
    return x + 1
f.__name__ = np.array(["layer0"])[0]
jax.jit(f)(x)
""",
        ["ran layer0(x: f32[3]) -> f32[3]: add", "layer0(x: f32[3]) compiled: first call of layer0"],
    ),
    "a name of ten million letters": (
        """
def f(x):
    return x + 1
f.__name__ = "f" * 10_000_000
jax.jit(f)(x)
""",
        [
            f"ran {'f' * 199}…(x: f32[3]) -> f32[3]: add",
            f"{'f' * 199}…(x: f32[3]) compiled: first call of {'f' * 199}…",
        ],
    ),
    "a name that is half a letter": (
        """
def f(x):
    return x + 1
f.__qualname__ = np.str_("\\ud800")
@partial(jax.jit, static_argnums=1)
def g(x, c):
    return f(x)
g(x, "\\ud800")
""",
        [
            r"ran g(x: f32[3], c: '\ud800') -> f32[3]: add",
            r"g(x: f32[3], c='\ud800') compiled: first call of g",
        ],
    ),
    "a file whose name is of a class of one's own": (
        """
code = compile("@jax.jit\\ndef f(x):\\n    return x + 1\\nf(x)", Text("own.py"), "exec")
exec(code, globals())
""",
        [
            "ran f(x: f32[3]) -> f32[3]: add",
            "f(x: f32[3]) compiled: second new f from line 1: move the jit out of the loop",
        ],
    ),
    "keyword arguments whose names are of a class of one's own": (
        """
@jax.jit
def f(*, a, n):
    return a + n
f(**{np.str_("a"): x, Text("n"): 2.0})
""",
        [
            "ran f(a: f32[3], n: f32[] weak) -> f32[3]: convert_element_type add",
            "f(a: f32[3], n: f32[] weak) compiled: first call of f",
        ],
    ),
    "keys of a dictionary": (
        """
class Key(str):
    __hash__ = str.__hash__
    def __repr__(self): raise RuntimeError("asked")
@jax.jit
def f(d):
    return d["a"] + 1
try:
    f({Key("a"): x})
except RuntimeError:  # JAX's own
    f({np.str_("a"): x})
""",
        [
            "ran f(d: {a: f32[3]}) -> f32[3]: add",
            "f(d[<Key>]: f32[3]) raised: ",
            "f(d[np.str_('a')]: f32[3]) compiled: first call of f",
        ],
    ),
    "a name that is no text": (
        """
class Call:
    __name__ = 5
    def __call__(self, x): return x + 1
def f(x):
    return x + 1
f.__wrapped__ = 7
jax.jit(f)(x)
""",
        ["ran f(argument 0: f32[3]) -> f32[3]: add", "f(argument 0: f32[3]) compiled: first call of f"],
    ),
    "a name that is a property": (
        """
class Call:
    @property
    def __name__(self): return "of_property"
    def __call__(self, x): return x + 1
f = Call()
jax.jit(f)(x)
""",
        ["ran Call(x: f32[3]) -> f32[3]: add", "Call(x: f32[3]) compiled: first call of Call"],
    ),
    "static values that print badly": (
        """
class Raises:
    def __repr__(self): raise RuntimeError("no text")
class NoText:
    def __repr__(self): return 5
class Exits:
    def __repr__(self): raise SystemExit
class Long:
    def __repr__(self): return "long " * 20_000_000
class Own:
    def __repr__(self): return Hostile("own")
@partial(jax.jit, static_argnums=1)
def f(x, c):
    return x + 1
for c in (Raises(), NoText(), Exits(), Own(), Long(), Own()):
    f(x, c)
""",
        [
            "ran f(x: f32[3], c: <Raises>) -> f32[3]: add",
            "ran f(x: f32[3], c: <NoText>) -> f32[3]: add",
            "ran f(x: f32[3], c: <Exits>) -> f32[3]: add",
            "ran f(x: f32[3], c: own) -> f32[3]: add",
            "ran f(x: f32[3], c: long long long long long long long long long long long long…) -> f32[3]: add",
            "ran f(x: f32[3], c: <Own>) -> f32[3]: add",
            "f(x: f32[3], c=<Raises>) compiled: first call of f",
            "f(x: f32[3], c=<NoText>) compiled: static c: <Raises> -> <NoText>",
            "f(x: f32[3], c=<Exits>) compiled: static c: <NoText> -> <Exits>",
            "f(x: f32[3], c=own) compiled: static c: <Exits> -> own",
            "f(x: f32[3], c=long long long long long long long long long long long long…) compiled: "
            "static c: own -> long long long long long long long long long long long long…",
            "f(x: f32[3], c=<Own>) compiled: "
            "static c: long long long long long long long long long long long long… -> <Own>",
        ],
    ),
    "static values of many kinds": (
        """
class Mode(enum.Enum):
    TRAIN = 1
class Width(enum.IntEnum):
    WIDE = 4
Pair = collections.namedtuple("Pair", "a b")
@dataclasses.dataclass(frozen=True, slots=True)
class Config:
    width: int
    name: str = "long" * 100
@partial(jax.jit, static_argnums=1)
def f(x, c):
    return x + 1
for c in (np.float32(1.5), Mode.TRAIN, Width.WIDE, Pair(1, "z"), Config(3), jnp.tanh, 10**5000, float("nan"), np.int8,
          np.dtype("bfloat16"), (1, (2, "q")), b"bytes", "s" * 10_000_000, None, ..., print, Mode, Config.__repr__):
    f(x, c)
""",
        None,
    ),
    "a tree that cannot be built of types": (
        """
class Strict:
    def __init__(self, a):
        if type(a) is int: raise RuntimeError("no integers")
        self.a = a
jax.tree_util.register_pytree_node(Strict, lambda node: ((node.a,), Text("aux")), lambda aux, c: Strict(*c))
@jax.jit
def f(node):
    return node.a + 1
f(Strict(x))
f(Strict(jnp.ones(4)))
""",
        [
            "ran f(node: Strict([<flat index 0>]: f32[3])) -> f32[3]: add",
            "ran f(node: Strict([<flat index 0>]: f32[4])) -> f32[4]: add",
            "f(leaf 0: f32[3]) compiled: first call of f",
            "f(leaf 0: f32[4]) compiled: leaf 0: f32[3] -> f32[4]",
        ],
    ),
    "named scopes, axes and primitives": (
        """
@jax.jit
def f(x):
    with jax.named_scope(np.str_("scope" * 1000)):
        x = jax.vmap(lambda a: a + jax.lax.axis_index(Text("axis")), axis_name=Text("axis"))(x)
    return x + 1
f(x)
""",
        ["ran f(x: f32[3]) -> f32[3]: iota convert_element_type add add", "f(x: f32[3]) compiled: first call of f"],
    ),
    "attributes that raise": (
        """
class Raises:
    def __getattribute__(self, name): raise RuntimeError(name)
    def __hash__(self): return 1
    def __eq__(self, other): raise RuntimeError("eq")
held = Raises()
@partial(jax.jit, static_argnums=1)
def f(x, c):
    return x + 1
f(x, held)
f(jnp.ones(4), held)
""",
        [
            "ran f(x: f32[3], c: <Raises>) -> f32[3]: add",
            "ran f(x: f32[4], c: <Raises>) -> f32[4]: add",
            "f(x: f32[3], c=<Raises>) compiled: first call of f",
            "f(x: f32[4], c=<Raises>) compiled: x: f32[3] -> f32[4]",
        ],
    ),
    "an error that says nothing": (
        """
class Silent(Exception):
    def __str__(self): raise RuntimeError("asked")
@jax.jit
def f(x):
    raise Silent
try:
    f(x)
except Silent:
    pass
g = jax.jit(lambda x: x + 1)
g(x)
""",
        [
            "ran <lambda>(x: f32[3]) -> f32[3]: add",
            "f(x: f32[3]) raised: ",
            "<lambda>(x: f32[3]) compiled: first call of <lambda>",
        ],
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_object_is_told_of_and_the_next_cell_is_whole(notebook: Notebook, name: str) -> None:
    odd, expected = ODD[name]
    built = notebook.builds()
    assert notebook.run(odd).result.success  # where only the extension is loaded
    ran = notebook.run(f"%%jaxpr{odd}")
    check(ran)
    if expected is not None:
        assert told(ran) == expected
    cell, expected = clean()
    ran = notebook.run(cell)
    check(ran)
    assert told(ran) == expected
    assert [refused(each.document) for each in built] == [None, None]
