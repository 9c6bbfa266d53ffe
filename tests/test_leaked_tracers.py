"""Tests notes on leaked tracers: the note names the object that holds the tracer, and the line that stored it."""

from __future__ import annotations

import pytest
from conftest import Notebook, Ran


def leaks(ran: Ran) -> list[tuple[str, int]]:
    """Return the first sentence of each note on a leaked tracer, and its line."""
    notes = [note for note in ran.document["notes"] if note["kind"] == "leaked_tracer"]
    return [(note["text"].partition(". ")[0], ran.line_of(note)) for note in notes]


CELLS = {
    "an attribute of the object of a method": (
        """class Model:
    def __init__(self):
        self.last = None
    def step(self, x):
        y = jnp.sin(self.scale * x)
        self.last = x
        return y
    scale = 2.0
model = Model()
step = jax.jit(model.step)
step(x)""",
        [("1 tracer (f32[8]) stayed in self.last after the trace of step", 7)],
    ),
    "a static argument": (
        """from functools import partial
class Model:
    def __init__(self):
        self.seen = {}
    @partial(jax.jit, static_argnums=0)
    def apply(self, x):
        print(len(self.seen))
        self.seen["x"] = x
        return x
model, other = Model(), Model()
model.apply(x)
other.apply(x)""",
        [("2 tracers (f32[8]) stayed in self.seen after the trace of apply", 9)],
    ),
    "a list of an object": (
        """class Buffer:
    def __init__(self):
        self.items = []
buffer = Buffer()
@jax.jit
def push(x):
    n = len(buffer.items)
    buffer.items.append(x)
    return x + n
push(x)""",
        [("1 tracer (f32[8]) stayed in buffer.items after the trace of push", 9)],
    ),
    "an attribute of a class": (
        """class Last:
    value = None
@jax.jit
def f(x):
    y = x + 1
    Last.value = y
    return y
f(x)""",
        [("1 tracer (f32[8]) stayed in Last.value after the trace of f", 7)],
    ),
    "entries of one dict": (
        """kept = {}
@jax.jit
def f(x):
    kept["sum"] = x.sum()
    kept.setdefault("all", []).append(x)
    return x
f(x)""",
        [
            ("1 tracer (f32[]) stayed in kept after the trace of f", 5),
            ("1 tracer (f32[8]) stayed in kept['all'] after the trace of f", 6),
        ],
    ),
    "a function that the traced function calls": (
        """from collections import defaultdict
log = defaultdict(list)
def record(name, value):
    log[name].append(value)
    return value
@jax.jit
def f(x):
    return record("in", x) * 2
f(x)""",
        [("1 tracer (f32[8]) stayed in log['in'] after the trace of f", 5)],
    ),
    "a global name": (
        """total = 0.0
@jax.jit
def f(x):
    global total
    total = total + x.sum()
    return x
f(x)""",
        [("1 tracer (f32[]) stayed in total after the trace of f", 6)],
    ),
    "a name that a helper also has as a local": (
        """kept = []
def helper(x):
    kept = [x, x]
    return kept[0]
@jax.jit
def f(x):
    kept.append(x)
    return helper(x)
f(x)""",
        [("1 tracer (f32[8]) stayed in kept after the trace of f", 8)],
    ),
    "a list that another function reads": (
        """kept = []
@jax.jit
def f(x):
    kept.append(x)
    return x
@jax.jit
def g(x):
    return x * len(kept)
f(x), g(x), f(x[:2])""",
        [("2 tracers (f32[8], f32[2]) stayed in kept after the trace of f", 5)],
    ),
    "a vmap outside of any jit": (
        """kept = []
@jax.jit
def f(x):
    return x * len(kept)
f(x)
jax.vmap(lambda v: kept.append(v) or v)(x)""",
        [],
    ),
    "arrays alone": (
        """class Model:
    def __init__(self):
        self.weights, self.calls = {"w": [x]}, []
    def __call__(self, x):
        self.calls.append(1)
        return x * self.weights["w"][0]
model = Model()
jax.jit(model)(x)""",
        [],
    ),
}


@pytest.mark.parametrize("holder", CELLS)
def test_the_holder_and_the_line_of_a_leak(notebook: Notebook, holder: str) -> None:
    cell, expected = CELLS[holder]
    assert leaks(notebook.run(f"%%jaxpr\n{cell}")) == expected


def test_the_object_of_a_method_ends_with_the_users_last_reference(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nimport gc, weakref\nclass Model:\n    def step(self, x):\n        return x\n"
        "model = Model()\nalive = weakref.ref(model)\njax.jit(model.step)(x)\ndel model\njax.clear_caches()\n"
        "gc.collect()\nprint(alive())"
    )
    assert ran.stdout.splitlines()[0] == "None"


def test_the_closure_of_a_helper_ends_with_the_users_last_reference(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nimport gc, weakref\nclass Big: pass\ndef make():\n    big = Big()\n    def helper(x):\n"
        "        return x if big else x\n    return helper, weakref.ref(big)\nhelper, alive = make()\n"
        "@jax.jit\ndef f(x):\n    return helper(x)\nf(x)\ndel helper, f\njax.clear_caches()\ngc.collect()\n"
        "print(alive())"
    )
    assert ran.stdout.splitlines()[0] == "None"


def test_a_state_that_a_method_updates(notebook: Notebook) -> None:
    ran = notebook.run(
        """%%jaxpr
class Average:
    def __init__(self):
        self.mean = jnp.zeros(8)
    def update(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x
        return x - self.mean
average = Average()
@jax.jit
def centred(x):
    return average.update(x)
centred(x)"""
    )
    assert leaks(ran) == [("1 tracer (f32[8]) stayed in average.mean after the trace of centred", 6)]
    (cure,) = [note["cure"] for note in ran.document["notes"] if note["kind"] == "leaked_tracer"]
    assert cure == (
        "centred reads average.mean, too. Pass average.mean to centred as an argument, return the new value from "
        "centred, and assign the result to average.mean after the call."
    )
