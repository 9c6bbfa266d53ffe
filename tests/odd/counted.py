"""Passes objects to JAX in cells; the objects count the calls of their methods. Prints the counts as JSON.

python counted.py without   # the extension is not loaded
python counted.py loaded    # the extension is loaded, and no cell is observed
python counted.py observed  # each cell is under %%jaxpr
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections import Counter
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from jupyter_jaxpr.observe import reprs_of_users_values as reading

SETUP = """
import functools
import sys
import threading
import jax
import jax.numpy as jnp

x, y, z = jnp.ones(3), jnp.ones(4), jnp.ones(5)

def count(what):
    '''Note a call, and whether it is a line of the extension that makes it.'''
    called[what] += 1
    frame = sys._getframe(2)
    if frame.f_code.co_filename.startswith(extension):
        called["by the extension"] += 1

class Counted:
    '''Counts what is called of it, by class.'''

    def __init__(self, value=1):
        object.__setattr__(self, "value", value)

    def __repr__(self):
        count("repr")
        asked[id(self)] += 1
        held.append(self)
        return f"Counted({self.value})"

    def __str__(self):
        count("str")
        return "text"

    def __format__(self, spec):
        count("format")
        return "text"

    def __hash__(self):
        count("hash")
        return hash(self.value)

    def __eq__(self, other):
        count("eq")
        return type(other) is type(self) and self.value == other.value

    def __lt__(self, other):
        count("lt")
        return self.value < other.value

    def __bool__(self):
        count("bool")
        return True

    def __len__(self):
        count("len")
        return 1

    def __iter__(self):
        count("iter")
        return iter(())

    def __getattr__(self, name):
        count(f"getattr {name}")
        raise AttributeError(name)

    @property
    def __class__(self):
        count("class")
        return Counted
"""

CELLS = {
    "a static argument": """
@functools.partial(jax.jit, static_argnums=1)
def f(x, c):
    return x * c.value
for n in range(3):
    f(x, Counted(n))
same = Counted(7)
f(x, same), f(y, same), f(z, same), f(z, same)
""",
    "a static argument by keyword": """
@functools.partial(jax.jit, static_argnames="c")
def f(x, c):
    return x * c.value
for n in range(3):
    f(x, c=Counted(n))
    f(y, c=Counted(n))
""",
    "in a tuple that is static": """
@functools.partial(jax.jit, static_argnums=1)
def f(x, c):
    return x * c[0].value
one = Counted(1)
f(x, (one, 2)), f(x, (one, 3)), f(y, (one, 2))
""",
    "in a dataclass that is static": """
import dataclasses
@dataclasses.dataclass(frozen=True)
class Config:
    inner: Counted
    n: int
@functools.partial(jax.jit, static_argnums=1)
def f(x, c):
    return x * c.n
inner = Counted(2)
for n in range(3):
    f(x, Config(inner, n))
""",
    "a node of a tree": """
class Node(Counted):
    pass
def flat(node):
    count("flatten")
    return (object.__getattribute__(node, "value"),), Counted(3)
def unflat(aux, children):
    count("unflatten")
    return Node(children[0])
jax.tree_util.register_pytree_node(Node, flat, unflat)
@jax.jit
def f(node):
    return node.value + 1
f(Node(x)), f(Node(y)), f(Node(y))
""",
    "keys of a dictionary": """
@jax.jit
def f(d):
    return sum(d.values())
one, two = Counted(1), Counted(2)
f({one: x, two: x}), f({one: y, two: y})
""",
    "a callable object": """
class Callable(Counted):
    @property
    def __name__(self):
        count("name")
        return "callable"
    @property
    def __wrapped__(self):
        count("wrapped")
        raise AttributeError("__wrapped__")
    def __call__(self, x):
        return x + 1
call = Callable()
f = jax.jit(call)
f(x), f(y), f(x)
""",
    "a bound method": """
class Model(Counted):
    def step(self, x):
        return x + self.value
model = Model(2)
f = jax.jit(model.step)
f(x), f(y)
""",
    "a partial": """
def g(c, x):
    return x * c.value
for n in range(3):
    f = jax.jit(functools.partial(g, Counted(n)))
    f(x), f(y)
""",
    "a closure": """
def make(c):
    def f(x):
        return x * c.value
    return jax.jit(f)
for n in range(3):
    make(Counted(n))(x)
""",
    "equinox": """
import equinox
class Node(Counted):
    pass
def flat(node):
    count("flatten")
    return (object.__getattribute__(node, "value"),), None
def unflat(aux, children):
    count("unflatten")
    return Node(children[0])
jax.tree_util.register_pytree_node(Node, flat, unflat)
class Linear(equinox.Module):
    w: jax.Array
    kind: Counted = equinox.field(static=True)
    def __call__(self, x):
        return self.w * x
@equinox.filter_jit
def f(model, node, c):
    return model(node.value)
kind, c = Counted(2), Counted(3)
for size in (3, 4):
    f(Linear(jnp.ones(size), kind), Node(jnp.ones(size)), c)
g = equinox.filter_jit(Linear(x, kind))
g(x), g(1.0)
""",
    "equinox, by keyword": """
import equinox
class Node(Counted):
    pass
def flat(node):
    count("flatten")
    return (object.__getattribute__(node, "value"),), None
def unflat(aux, children):
    count("unflatten")
    return Node(children[0])
jax.tree_util.register_pytree_node(Node, flat, unflat)
@equinox.filter_jit
def f(node, other=None, *, last):
    return node.value
f(node=Node(x), last=Node(y)), f(Node(x), other=Node(y), last=1)
""",
    "pmap": """
class Node(Counted):
    pass
def flat(node):
    count("flatten")
    return (object.__getattribute__(node, "value"),), None
def unflat(aux, children):
    count("unflatten")
    return Node(children[0])
jax.tree_util.register_pytree_node(Node, flat, unflat)
f = jax.pmap(lambda node: node.value + 1)
f(Node(x[None])), f(Node(x[None, :2]))
""",
    "beside the leaves of a structure that changes": """
kept = Counted(3)
class Many(Counted):
    pass
def flat(many):
    count("flatten")
    return tuple(object.__getattribute__(many, "value")), kept
def unflat(aux, children):
    count("unflatten")
    return Many(list(children))
jax.tree_util.register_pytree_node(Many, flat, unflat)
@jax.jit
def f(many):
    return many.value[0] + 1
for size in (1, 2, 3, 4):
    f(Many([x] * size))
""",
    "a trace that raises": """
@functools.partial(jax.jit, static_argnums=1)
def f(x, c):
    raise ValueError("no")
for n in range(3):
    try:
        f(x, Counted(n))
    except ValueError:
        pass
""",
    "under grad and vmap": """
@functools.partial(jax.jit, static_argnums=1)
def f(x, c):
    return (x * c.value).sum()
c = Counted(4)
jax.grad(f)(x, c), jax.vmap(f, in_axes=(0, None))(jnp.ones((2, 3)), c)
""",
    "ahead of a call": """
@functools.partial(jax.jit, static_argnums=1)
def f(x, c):
    return x * c.value
c = Counted(5)
f.lower(x, c).compile()(x)
f.eval_shape(x, c)
""",
    "another thread": """
@functools.partial(jax.jit, static_argnums=1)
def f(x, c):
    return x * c.value
thread = threading.Thread(target=lambda: [f(x, Counted(n)) for n in range(3)])
thread.start()
thread.join()
""",
}


def main(mode: str) -> None:
    config = Config({"HistoryManager": {"hist_file": ":memory:"}, "InteractiveShell": {"colors": "nocolor"}})
    shell = InteractiveShell.instance(config=config)
    reading.SLOW = 60  # seconds that a `__repr__` may take; on a busy machine, the usual limit is too short
    called: Counter[str] = Counter()
    repr_counts: Counter[int] = Counter()
    extension = os.path.join(os.path.dirname(importlib.util.find_spec("jupyter_jaxpr").origin), "")
    shell.user_ns.update(called=called, asked=repr_counts, held=[], extension=extension)

    def run(cell: str) -> None:
        with capture_output():
            result = shell.run_cell(cell)
        result.raise_error()

    if mode != "without":
        run("%load_ext jupyter_jaxpr")
    run(SETUP)
    counts: dict[str, Any] = {}
    for name, cell in CELLS.items():
        called.clear()
        repr_counts.clear()
        run(f"%%jaxpr\n{cell}" if mode == "observed" else cell)
        counts[name] = {**called, "most reprs of one object": max(repr_counts.values(), default=0)}
    print(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1])
