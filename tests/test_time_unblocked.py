"""Tests notes on cells that time a call without waiting for its work."""

from __future__ import annotations

import pytest
import stable_sample
from conftest import Notebook

from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

pytestmark = pytest.mark.any_jax

DEFINED = """
import contextlib, datetime, functools, time, timeit
from datetime import datetime as dt
import equinox as eqx
import numpy as np
from time import perf_counter, time as now

@jax.jit
def f(x):
    return jnp.sin(x) * 2

@jax.jit
def two(x):
    return x, x + 1

@functools.partial(jax.jit, static_argnums=1)
def g(x, n):
    return x * n

class Model:
    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x + 1

model = Model()
halved = functools.partial(g, n=0.5)
filtered = eqx.filter_jit(jnp.cos)
def plain(x):
    return f(x)
def done(x):
    return f(x).block_until_ready()
def operations(x):
    return jnp.sin(x) * 2
def twice(x):
    y = f(x)
    return plain(y)
def bench(fun, *args):
    start = perf_counter()
    out = fun(*args)
    return perf_counter() - start
def bench_well(fun, *args):
    start = perf_counter()
    jax.block_until_ready(fun(*args))
    return perf_counter() - start
def repeated(fun, number=2):
    return timeit.timeit(fun, number=number) / number
def timed(fun):
    @functools.wraps(fun)
    def wrapper(*args):
        start = time.time()
        result = fun(*args)
        print(time.time() - start)
        return result
    return wrapper
_begun = None
laps, clocks = [], {}
def start_watch():
    global _begun
    _begun = perf_counter()
def read_watch(label=''):
    took = perf_counter() - _begun
    print(f'{label} {took}')
    return took
def read_watch_well():
    jax.effects_barrier()
    jax.block_until_ready(laps)
    return perf_counter() - _begun
def push():
    laps.append(time.time())
def pop():
    return time.time() - laps.pop()
def begin():
    clocks['at'] = now()
def end():
    print(f"{now() - clocks['at']:.3f} s")
def seconds():
    return time.monotonic()
def since(begun):
    return seconds() - begun
class Watch:
    def start(self):
        self.at = perf_counter()
    def stop(self, result=None):
        self.took = perf_counter() - self.at
watch, other_watch = Watch(), Watch()
@timed
def logged(x):
    return f(x)
@timed
def logged_well(x):
    return done(x)
class Timer:
    def __enter__(self):
        self.start = perf_counter()
        return self
    def __exit__(self, *error):
        self.took = perf_counter() - self.start
@contextlib.contextmanager
def stopwatch(name):
    start = time.monotonic()
    yield
    print(name, time.monotonic() - start)
@contextlib.contextmanager
def finally_watch():
    start = time.monotonic()
    try:
        yield
    finally:
        print(time.monotonic() - start)
@contextlib.contextmanager
def no_watch():
    yield
class WaitingTimer(Timer):
    def __exit__(self, *error):
        for each in jax.live_arrays():
            each.block_until_ready()
        self.took = perf_counter() - self.start
@jax.jit
def loud(x):
    jax.debug.callback(lambda v: None, x)
    return x
for fun in (f, lambda x: g(x, 2), model.step, two): fun(x)
xs = [x, x + 1]
"""

# (the cell, the expected line of the note)
UNBLOCKED = [
    ("%timeit -n 1 -r 1 f(x)", 2),
    ("%timeit -n1 -r1 -q f(x + 1)", 2),
    ("%timeit -n 1 -r 1 y = f(x)", 2),
    ("t = %timeit -o -q -n 1 -r 1 g(x, 3)", 2),
    ("%timeit -n 1 -r 1 model.step(x)", 2),
    ("for n in range(2):\n    %timeit -n 1 -r 1 g(x, 2)", 3),
    ("%timeit -n 1 -r 1 jax.jit(jnp.cos)(x)", 2),
    ("t0 = time.time()\ny = f(x)\nprint(time.time() - t0)", 3),
    ("t0 = perf_counter()\ny = f(x)\nt1 = perf_counter()\nprint(t1 - t0)", 3),
    ("t0 = time.perf_counter()\nfor _ in range(3):\n    y = f(x)\ntook = (time.perf_counter() - t0) / 3", 4),
    ("start = now()\nf(x)\nend = now()\nprint(f'{end - start:.3f} s')\nf(x).block_until_ready()", 3),
    ("for n in range(1, 3):\n    t = time.monotonic()\n    g(x, n)\n    print(n, time.monotonic() - t)", 4),
    ("def bench(x):\n    t = timeit.default_timer()\n    y = f(x)\n    return timeit.default_timer() - t\nbench(x)", 4),
    ("t0 = time.time()\ny = jnp.sum(f(x))\nt1 = time.time()\nprint(y, t1 - t0)", 3),
    ("t0 = time.time()\nys = [f(each) for each in xs]\ntook = time.time() - t0", 3),
    ("y = f(x).block_until_ready()\nt0 = time.time()\nf(y)\nprint('took', time.time() - t0)", 4),
    ("%time f(x)", 2),
    ("%time y = f(x)", 2),
    ("%%time\ny = f(x)", 3),
    ("%timeit -n 1 -r 1 f(x).sum()", 2),
    ("%timeit -n 1 -r 1 halved(x)", 2),
    ("%timeit -n 1 -r 1 filtered(x)", 2),
    ("took = timeit.timeit(lambda: f(x), number=2)", 2),
    ("took = min(timeit.repeat(lambda: f(x) + 1, number=1, repeat=2))", 2),
    # here a Python function calls a jitted function
    ("took = timeit.timeit(lambda: plain(x), number=2)", 2),
    ("%timeit -n 1 -r 1 plain(x)", 2),
    ("t0 = time.time()\ny = twice(x)\nprint(time.time() - t0)", 3),
    # here a function of the user measures the time
    ("print(bench(f, x))", 2),
    ("took = [bench(plain, each) for each in xs]", 2),
    ("took = bench(lambda: f(x))", 2),
    ("took = bench(fun=model.step, *[x]) if False else bench(model.step, x)", 2),
    ("took = repeated(lambda: f(x))", 2),
    ("y = logged(x)", 2),
    # context managers
    ("with Timer() as t:\n    y = f(x)\nprint(t.took)", 3),
    ("t = Timer()\nwith t:\n    f(x)", 4),
    ("with stopwatch('f'):\n    for _ in range(2):\n        y = f(x)", 4),
    ("with finally_watch():\n    y = f(x)", 3),
    # other clocks
    ("t0 = datetime.datetime.now()\ny = f(x)\nprint((datetime.datetime.now() - t0).total_seconds())", 3),
    ("t0 = dt.now()\ny = f(x)\nt1 = dt.now()\nprint(t1 - t0)", 3),
    ("t0 = time.process_time()\ny = f(x)\nprint(time.process_time() - t0)", 3),
    ("took = timeit.timeit('f(x)', globals=globals(), number=2)", 2),
    ("took = timeit.Timer(lambda: f(x)).timeit(2)", 2),
    ("def measure():\n    return timeit.timeit(lambda: f(x), number=2)\nmeasure()", 3),
    # here the readings are inside of a `try`, in attributes, or subtracted in place
    ("t0 = time.time()\ntry:\n    y = f(x)\nfinally:\n    print(time.time() - t0)", 4),
    ("try:\n    t0 = time.time()\n    y = f(x)\n    took = time.time() - t0\nexcept ValueError:\n    pass", 4),
    ("model.begun = now()\ny = f(x)\nmodel.took = now() - model.begun", 3),
    ("model.begun: float = now()\ny = f(x)\nmodel.ended = now()\nprint(model.ended - model.begun)", 3),
    ("took = -perf_counter()\ny = f(x)\ntook += perf_counter()", 3),
    ("took = perf_counter()\ny = f(x)\ntook -= perf_counter()", 3),
    ("took = perf_counter()\ny = f(x)\ntook = perf_counter() - took", 3),
    # here functions of the user read the clock
    ("start_watch()\ny = f(x)\nprint(read_watch())", 3),
    ("start_watch(); y = f(x); read_watch('f')", 2),
    ("push()\ny = f(x)\ntook = pop()", 3),
    ("begin()\nf(x)\nend()", 3),
    ("begun = seconds()\ny = f(x)\nprint(since(begun))", 3),
    ("begun = seconds()\ny = f(x)\nprint(seconds() - begun)", 3),
    ("watch.start()\ny = f(x)\nwatch.stop()\nprint(watch.took)", 3),
    # here `:=` stores a reading of the clock within an expression
    ("(begun := now())\ny = f(x)\nprint(now() - begun)", 3),
    ("print(begun := now())\ny = f(x)\nprint((ended := now()) - begun)", 3),
    ("if (begun := now()):\n    print('on')\ny = f(x)\ntook = now() - begun", 4),
    # here no function is jitted: the code runs operations
    ("t0 = perf_counter()\ny = jnp.sin(x) @ x\nprint(perf_counter() - t0)", 3),
    ("t0 = perf_counter()\ny = (x**2).sum()\ntook = perf_counter() - t0", 3),
    ("t0 = now()\nfor _ in range(3):\n    x = x * 2 + jnp.cos(x)\ntook = now() - t0", 4),
    ("t0 = now()\ny = operations(x)\ntook = now() - t0", 3),
    ("def measure():\n    t0 = now()\n    y = x @ x\n    return now() - t0\nmeasure()", 4),
    ("%timeit -n 1 -r 1 jnp.sin(x)", 2),
    ("%time y = x @ x", 2),
    # here the clock is read before a loop or an `if`, and again inside
    ("t0 = time.time()\nfor _ in range(2):\n    y = f(x)\n    print(time.time() - t0)", 4),
    ("t0 = now()\nfor _ in range(2):\n    y = f(x)\n    t1 = now()\n    print(t1 - t0)\n    t0 = t1", 4),
    ("t0 = now()\nfor i in range(9):\n    x = f(x)\n    if i % 4 == 0:\n        print(i, now() - t0)", 4),
    ("i, took = 0, []\nt0 = now()\nwhile i < 2:\n    i += 1\n    y = f(x)\n    took.append(now() - t0)", 6),
    ("t0 = now()\ny = f(x)\nif xs:\n    print(now() - t0)", 3),
    # here `map` or `tree.map` calls the jitted function
    ("t0 = time.time()\nys = list(map(f, xs))\ntook = time.time() - t0", 3),
    ("t0 = time.time()\nys = tuple(map(lambda v: f(v) + 1, xs))\ntook = time.time() - t0", 3),
    ("t0 = time.time()\ny = jax.tree.map(f, {'a': x, 'b': x})\ntook = time.time() - t0", 3),
    ("t0 = time.time()\ny = jax.tree_util.tree_map(lambda a, b: a - g(b, 2), [x], [x])\ntook = time.time() - t0", 3),
    ("t0 = time.time()\ny = f(x)\nz = jax.tree.map(lambda v: v * 2, [y])\ntook = time.time() - t0", 3),
    ("%timeit -n 1 -r 1 list(map(f, xs))", 2),
    # here the code waits, but not for the result of the timed call
    ("t0 = time.time()\ny = f(x)\njax.effects_barrier()\nprint(time.time() - t0)", 3),
    ("t0 = time.time()\ny = f(x)\nx.block_until_ready()\nprint(time.time() - t0)", 3),
    ("t0 = time.time()\ny = f(x)\njax.block_until_ready(x)\nprint(time.time() - t0)", 3),
    # JAX traces a lambda that a construct gets, so the lambda has no value for which it could wait
    ("t0 = now()\nc, ys = jax.lax.scan(lambda c, v: (c + jnp.sin(v), c), 0.0, x)\nprint(now() - t0)", 3),
    ("t0 = now()\ny = jax.lax.switch(1, [lambda v: v, lambda v: v * 2], x)\nprint(now() - t0)", 3),
    ("%timeit -n 1 -r 1 jax.lax.fori_loop(0, 3, body_fun=lambda i, v: v * i, init_val=x)", 2),
    ("t0 = now()\ny = jax.jit(jax.grad(lambda v: (v * v).sum()))(x)\nprint(now() - t0)", 3),
    ("t0 = now()\ny = jax.jit(lambda p: (p['w'] @ x).mean())({'w': x})\ntook = now() - t0", 3),
    ("t0 = now()\ny = jax.jit(jax.vmap(lambda v: v.sum() * 2))(x[:, None]); print(now() - t0)", 3),
]

BLOCKED = [
    "start_watch()\ny = f(x)\nprint(read_watch_well())",
    "start_watch()\ny = f(x).block_until_ready()\nread_watch()",
    "start_watch()\ny = f(x)\nread_watch(y)",
    "start_watch()\ny = f(x)\nprint(y.sum(), read_watch())",
    "watch.start()\ny = f(x)\nother_watch.stop() if False else None\n",
    "watch.start()\ny = f(x)\nwatch.stop(jax.block_until_ready(y))",
    "push()\nf(x)\nlaps.clear()",
    "(begun := now())\ny = f(x).block_until_ready()\nprint(now() - begun)",
    "t0 = now()\nfor _ in range(2):\n    y = f(x).block_until_ready()\n    print(now() - t0)",
    "t0 = now()\nfor _ in range(2):\n    print(now() - t0)\n    y = f(x)",
    "t0 = now()\nfor _ in range(2):\n    y = f(x)\n    print(now() - t0)\n    print(y)",
    "t0 = now()\nfor _ in range(2):\n    y = f(x)\n    if y[0] < 9:\n        print(now() - t0)",
    "t0 = now()\ny = x\nwhile y[1] < 9:\n    y = f(y) + 9\n    print(now() - t0)",
    "t0 = now()\nfor _ in range(2):\n    y = f(x)\n    t1 = now()\n    t0 = t1\n    y.block_until_ready()",
    "t0 = now()\ny = f(x)\ny.block_until_ready()\nif xs:\n    print(now() - t0)",
    "(begun := now())\ny = f(x)\nprint(float(y[0]), (ended := now()) - begun)",
    "t0 = time.time()\nys = list(map(done, xs))\ntook = time.time() - t0",
    "t0 = time.time()\nys = list(map(float, f(x)))\ntook = time.time() - t0",
    "t0 = time.time()\nys = map(f, xs)\ntook = time.time() - t0",
    "t0 = time.time()\ny = jax.tree.map(lambda v: float(f(v)[0]), [x])\ntook = time.time() - t0",
    "t0 = time.time()\ny = jax.tree.map(f, [x])\njax.block_until_ready(y)\ntook = time.time() - t0",
    "t0 = time.time()\ny = f(x)\njax.tree.map(np.asarray, [y])\ntook = time.time() - t0",
    "t0 = now()\ny = f(x)\nz = jax.lax.map(lambda v: v * y.tolist()[0], x)\nprint(now() - t0)",
    "t0 = now()\ny = jax.lax.map(lambda v: v * 2, x).block_until_ready()\nprint(now() - t0)",
    "t0 = now()\ny = jax.jit(jax.grad(lambda v: (v * v).sum()))(x).block_until_ready()\nprint(now() - t0)",
    "t0 = now()\ny = f(x)\nz = jax.jit(jax.grad(lambda v: (v * y.item(0)).sum()))(x)\nprint(now() - t0)",
    "t0 = now()\nys = list(map(lambda v: v, jax.lax.map(lambda v: v * 2, x)))\nprint(now() - t0)",
    "%timeit -n 1 -r 1 f(x).block_until_ready()",
    "%timeit -n 1 -r 1 jax.block_until_ready(f(x))",
    "%timeit -n 1 -r 1 np.asarray(f(x))",
    "%timeit -n 1 -r 1 float(f(x)[0])",
    "%timeit -n 1 -r 1 f(x)[0].item()",
    "%time f(x).block_until_ready()",
    "%time print(f(x))",
    "%%time\ny = f(x)\ny.block_until_ready()",
    "%%time\ny = f(x)\nprint(y)",
    "%timeit -n 1 -r 1 f(x).sum().item()",
    "%timeit -n 1 -r 1 float(f(x).sum())",
    "%timeit -n 1 -r 1 filtered(x).block_until_ready()",
    "took = timeit.timeit(lambda: f(x).block_until_ready(), number=2)",
    "timing = lambda: timeit.timeit(lambda: f(x), number=2)\nf(x)",
    "%timeit -n 1 -r 1 done(x)",
    "%timeit -n 1 -r 1 jnp.sin(x).block_until_ready()",
    "t0 = now()\ny = (x @ x).block_until_ready()\ntook = now() - t0",
    "t0 = now()\ny = x @ x\nprint(y)\ntook = now() - t0",
    "t0 = now()\ny = float((x**2).sum())\ntook = now() - t0",
    "t0 = now()\ny = np.ones(3) @ np.ones(3)\nn = x.shape[0] * 2\ntook = now() - t0",
    "t0 = now()\nz = jnp.zeros(3), jnp.asarray(np.ones(3)), jax.random.key(0), jnp.shape(x)\ntook = now() - t0",
    "@jax.jit\ndef traced(x):\n    t0 = now()\n    y = jnp.sin(x)\n    took = now() - t0\n    return y\ntraced(x)",
    "def traced(x):\n    t0 = now()\n    y = jnp.sin(x)\n    now() - t0\n    return y.sum()\njax.grad(traced)(x)",
    "%timeit -n 1 -r 1 sum(range(10))",
    "# %timeit f(x)\nf(x)",
    "text = '''\n%timeit f(x)\n'''\nf(x)",
    "t0 = time.time()\nf(x).block_until_ready()\nprint(time.time() - t0)",
    "t0 = time.time()\ny = f(x)\ny.block_until_ready()\nprint(time.time() - t0)",
    "t0 = time.time()\ny = f(x)\njax.block_until_ready(y)\nt1 = time.time()\nprint(t1 - t0)",
    "t0 = time.time()\ny = f(x)\nprint(y)\nprint(time.time() - t0)",
    "t0 = time.time()\ny = f(x)\nprint(f'{y} after {time.time() - t0}')",
    "t0 = time.time()\ny = f(x)\nprint(np.sum(y), time.time() - t0)",
    "t0 = time.time()\ny = f(x)\nif y[0] > 0:\n    y = -y\nprint(time.time() - t0)",
    "t0 = time.time()\nfor each in f(x):\n    f(each)\nprint(time.time() - t0)",
    "total = np.zeros(8)\nt0 = time.time()\ntotal += f(x)\nprint(time.time() - t0)",
    "out = np.zeros((1, 8))\nt0 = time.time()\nout[0] = f(x)\nprint(time.time() - t0)",
    "t0 = time.time()\njnp.nonzero(f(x))\nprint(time.time() - t0)",
    "t0 = time.time()\nt0 = time.time()\nprint(time.time() - t0)\nf(x)",
    "seed = int(time.time())\nf(x + seed)",
    "t0 = time.time()\ny = f(x)\nstamp = time.time()",
    "def bench(f, x):\n    t = time.time()\n    f(x)\n    return time.time() - t\nbench(done, x)",
    "def outer(f):\n    def bench():\n        t = time.time()\n        f(x)\n        return time.time() - t\n"
    "    return bench()\nouter(done)\nf(x)",
    "print(bench(done, x))",
    "print(bench_well(f, x))",
    "took = repeated(lambda: done(x))",
    "y = logged_well(x)",
    "with Timer() as t:\n    y = f(x).block_until_ready()",
    "with WaitingTimer() as t:\n    y = f(x)",
    "with no_watch():\n    y = f(x)",
    "took = timeit.timeit('f(x).block_until_ready()', globals=globals(), number=2)",
    "took = timeit.timeit(done, number=1) if False else 0\nf(x)",
    "t0 = time.time()\ny = loud(x)\njax.effects_barrier()\nprint(time.time() - t0)",
    "ys = []\nt0 = time.time()\nys.append(f(x))\njax.block_until_ready(ys)\nprint(time.time() - t0)",
    "t0 = time.time()\nfor _ in range(2):\n    x = f(x)\njax.block_until_ready(x)\nprint(time.time() - t0)",
    "t0 = time.time()\ntry:\n    y = f(x)\nfinally:\n    jax.block_until_ready(y)\n    print(time.time() - t0)",
    "t0 = time.time()\ntry:\n    y = f(x).block_until_ready()\nfinally:\n    print(time.time() - t0)",
    "model.begun = now()\ny = f(x)\ny.block_until_ready()\nmodel.took = now() - model.begun",
    "took = -perf_counter()\njax.block_until_ready(f(x))\ntook += perf_counter()",
    "took = perf_counter()\ny = f(x)\ntook += perf_counter()",
    "t0 = datetime.datetime.now()\ny = f(x).block_until_ready()\nprint(datetime.datetime.now() - t0)",
]


def told(notebook: Notebook, cell: str) -> list[int]:
    ran = notebook.run(f"%%jaxpr\n{cell}")
    assert ran.result.success
    notes = [note for document in ran.shown for note in document["notes"] if note["kind"] == "unblocked_timing"]
    return [ran.line_of(note) for note in notes]


@pytest.fixture
def defined(notebook: Notebook) -> Notebook:
    assert notebook.run(DEFINED).result.success
    return notebook


@pytest.mark.parametrize(
    ("cell", "line"), [pytest.param(*row, marks=stable_sample.marks(row, newest=2)) for row in UNBLOCKED]
)
def test_a_timing_that_does_not_wait_is_told_of(defined: Notebook, cell: str, line: int) -> None:
    assert told(defined, cell) == [line]


@pytest.mark.parametrize("cell", [pytest.param(cell, marks=stable_sample.marks(cell, newest=2)) for cell in BLOCKED])
def test_no_false_alarm(defined: Notebook, cell: str) -> None:
    assert told(defined, cell) == []


def test_the_cell_magic(defined: Notebook) -> None:
    assert told(defined, "%%timeit -n 1 -r 1\ny = f(x)\nz = f(y)") == [4]
    assert told(defined, "%%timeit -n 1 -r 1\nf(x).block_until_ready()") == []
    assert told(defined, "%%time\nt0 = time.time()\ny = f(x)\ntook = time.time() - t0") == [4]


def test_the_words(defined: Notebook) -> None:
    ran = defined.run("%%jaxpr\nt0 = time.time()\ny = f(x)\nprint(time.time() - t0)\n%timeit -n 1 -r 1 -q two(x)")
    notes = [note for note in ran.document["notes"] if note["kind"] == "unblocked_timing"]
    assert [(note["title"], note["text"], note["cure"]) for note in notes] == [
        (
            "The clock stops before the work is done",
            "The clock around this call stops when f returns. JAX returns before the work is done. The measured time "
            "includes only the dispatch, which may take far less time than the computation.",
            "Call y.block_until_ready() before the clock is read again.",
        ),
        (
            "The clock stops before the work is done",
            "%timeit stops when two returns. JAX returns before the work is done. The measured time includes only the "
            "dispatch, which may take far less time than the computation.",
            "Time jax.block_until_ready(two(x)) instead.",
        ),
    ]


def test_the_words_for_operations(defined: Notebook) -> None:
    assert defined.run("y = x * 3; z = y @ y").result.success
    ran = defined.run(
        "%%jaxpr\nt0 = time.time()\nx * 3\nprint(time.time() - t0)\n%timeit -n 1 -r 1 -q y = x * 3; y @ y"
    )
    notes = [note for note in ran.document["notes"] if note["kind"] == "unblocked_timing"]
    assert [(note["title"], note["text"], note["cure"]) for note in notes] == [
        (
            "The clock stops before the work is done",
            "The clock around this operation stops when x * 3 returns. JAX returns before the work is done. The "
            "measured time includes only the dispatch, which may take far less time than the computation.",
            "Write jax.block_until_ready(x * 3) in place of the operation.",
        ),
        (
            "The clock stops before the work is done",
            "%timeit stops when y @ y returns. JAX returns before the work is done. The measured time includes only "
            "the dispatch, which may take far less time than the computation.",
            "Time jax.block_until_ready(y @ y) instead.",
        ),
    ]
    # here the first run of an operation compiles
    ran = defined.run("%%jaxpr\nt0 = time.time()\ny = jnp.tan(x[:3])\nprint(time.time() - t0)")
    assert ran.note("unblocked_timing")["text"] == (
        "The clock around this call stops when tan returns. JAX returns before the work is done. The measured time "
        "does not include the whole computation."
    )


def test_the_words_for_a_construct_that_compiles(defined: Notebook) -> None:
    ran = defined.run("%%jaxpr\nt0 = now()\nc, ys = jax.lax.scan(lambda c, v: (c - v, c), 0.0, x)\nprint(now() - t0)")
    note = ran.note("unblocked_timing")
    assert (note["text"], note["cure"]) == (
        "The clock around this call stops when scan returns. JAX returns before the work is done. The measured time "
        "includes the dispatch and the compilation of a first call, but not the computation.",
        "Write jax.block_until_ready(jax.lax.scan(lambda c, v: (c - v, c), 0.0, x)) in place of the call.",
    )


def test_the_words_for_a_call_after_a_call_that_compiled(defined: Notebook) -> None:
    ran = defined.run(
        "%%jaxpr\ng = jax.jit(lambda v: v * v)\ng(x).block_until_ready()\nt0 = now()\nr = g(x)\nprint(now() - t0)"
    )
    assert ran.note("unblocked_timing")["text"] == (
        "The clock around this call stops when g returns. JAX returns before the work is done. The measured time does "
        "not include the whole computation."
    )
    ran = defined.run(
        "%%jaxpr\n@jax.jit\ndef squared(v):\n    return v * v\nsquared(x).block_until_ready()\nt0 = now()\n"
        "r = squared(x)\nprint(now() - t0)"
    )
    assert ran.note("unblocked_timing")["text"] == (
        "The clock around this call stops when squared returns. JAX returns before the work is done. The measured time "
        "includes the dispatch, and the compilation if the measured call compiled a program, but not the computation."
    )


def test_the_words_for_a_function_that_times_and_for_a_block(defined: Notebook) -> None:
    ran = defined.run("%%jaxpr\nprint(bench(f, x))\nwith Timer():\n    y = f(x)")
    notes = [note for note in ran.document["notes"] if note["kind"] == "unblocked_timing"]
    assert [(note["text"], note["cure"]) for note in notes] == [
        (
            "The clock in bench stops when f returns. JAX returns before the work is done. The measured time includes "
            "only the dispatch, which may take far less time than the computation.",
            "In bench, call jax.block_until_ready on the result before bench reads the clock again.",
        ),
        (
            "The clock around this with block stops when f returns. JAX returns before the work is done. The measured "
            "time includes only the dispatch, which may take far less time than the computation.",
            "Call jax.block_until_ready(y) at the end of the with block.",
        ),
    ]


def test_what_is_said_of_a_whole_expression_of_a_first_call_and_of_a_cell(defined: Notebook) -> None:
    ran = defined.run("%%jaxpr\n%%time\nz = jax.jit(lambda x: x * 3)\n%timeit -n 1 -r 1 -q [f(each) for each in xs]")
    notes = [note for note in ran.document["notes"] if note["kind"] == "unblocked_timing"]
    assert [note["cure"] for note in notes] == ["Time jax.block_until_ready([f(each) for each in xs]) instead."]
    ran = defined.run("%%jaxpr\n%%time\ny = two(x[:3])")
    [note] = [note for note in ran.document["notes"] if note["kind"] == "unblocked_timing"]
    # Python 3.11 does not report calls, so the measured call may be one of several.
    compiled = (
        " and the compilation of a first call"
        if HAS_MONITORING
        else (", and the compilation if the measured call compiled a program")
    )
    assert (note["text"], note["cure"]) == (
        "%%time stops when two returns. JAX returns before the work is done. The measured time includes the dispatch"
        f"{compiled}, but not the computation.",
        "Add jax.block_until_ready(y) at the end of the cell.",
    )
