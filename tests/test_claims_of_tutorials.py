"""Tests that the document of a tutorial's own cell shows the claim of the curriculum that belongs to the cell.

The cells are copied from four tutorials, without comments, and `%timeit` times only once. `CLAIMS` has a row for each
of the 41 claims: the cell and a check of its document, or a remark that the tutorials have no code for the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import Notebook

from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

pytestmark = pytest.mark.any_jax

Document = dict[str, Any]

LOG2 = """
global_list = []
def log2(x):
  global_list.append(x)
  ln_x = jnp.log(x)
  ln_2 = jnp.log(2.0)
  return ln_x / ln_2
print(jax.make_jaxpr(log2)(3.0))"""
PRINTED = """
def log2_with_print(x):
  print("printed x:", x)
  ln_x = jnp.log(x)
  ln_2 = jnp.log(2.0)
  return ln_x / ln_2
print(jax.make_jaxpr(log2_with_print)(3.))"""
RANK = """
def log2_if_rank_2(x):
  if x.ndim == 2:
    ln_x = jnp.log(x)
    ln_2 = jnp.log(2.0)
    return ln_x / ln_2
  else:
    return x
print(jax.make_jaxpr(log2_if_rank_2)(jax.numpy.array([1, 2, 3])))"""
SELU = """
def selu(x, alpha=1.67, lambda_=1.05):
  return lambda_ * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)
x = jnp.arange(1000000)
%timeit -n 1 -r 1 selu(x).block_until_ready()"""
SELU_JIT = """
selu_jit = jax.jit(selu)
selu_jit(x).block_until_ready()
%timeit -n 1 -r 1 selu_jit(x).block_until_ready()"""
IF = """
def f(x):
  if x > 0:
    return x
  else:
    return 2 * x
f_jit = jax.jit(f)
f_jit(10)  # Should raise an error."""
WHILE = """
def g(x, n):
  i = 0
  while i < n:
    i += 1
  return x + i
g_jit = jax.jit(g)
g_jit(10, 20)  # Should raise an error."""
INNER = """
@jax.jit
def loop_body(prev_i):
  return prev_i + 1
def g_inner_jitted(x, n):
  i = 0
  while i < n:
    i = loop_body(i)
  return x + i
g_inner_jitted(10, 20)"""
STATIC_F = """
f_jit_correct = jax.jit(f, static_argnums=0)
print(f_jit_correct(10))"""
STATIC_G = """
g_jit_correct = jax.jit(g, static_argnames=['n'])
print(g_jit_correct(10, 20))"""
DECORATED = """
from functools import partial
@partial(jax.jit, static_argnames=['n'])
def g_jit_decorated(x, n):
  i = 0
  while i < n:
    i += 1
  return x + i
print(g_jit_decorated(10, 20))"""
IN_LOOPS = """
from functools import partial
def unjitted_loop_body(prev_i):
  return prev_i + 1
def g_inner_jitted_partial(x, n):
  i = 0
  while i < n:
    i = jax.jit(partial(unjitted_loop_body))(i)
  return x + i
def g_inner_jitted_lambda(x, n):
  i = 0
  while i < n:
    i = jax.jit(lambda x: unjitted_loop_body(x))(i)
  return x + i
def g_inner_jitted_normal(x, n):
  i = 0
  while i < n:
    i = jax.jit(unjitted_loop_body)(i)
  return x + i
print("jit called in a loop with partials:")
%timeit -n 1 -r 1 g_inner_jitted_partial(10, 20).block_until_ready()
print("jit called in a loop with lambdas:")
%timeit -n 1 -r 1 g_inner_jitted_lambda(10, 20).block_until_ready()
print("jit called in a loop with caching:")
%timeit -n 1 -r 1 g_inner_jitted_normal(10, 20).block_until_ready()"""
FIRST_CALL = """
import time
@jax.jit
def f(x):
    return jnp.sum(x ** 2 + jnp.sin(x))
x = jnp.arange(1_000_000.0)
t = time.time()
y = f(x).block_until_ready()
print(f"{time.time()-t:.3f}s")
t = time.time()
y = f(x).block_until_ready()
print(f"{time.time()-t:.3f}s")
y = f(jnp.arange(2_000_000.0)).block_until_ready()"""
TRACE_COUNT = """
def trace_count_demo():
    n_traces = 0
    @jax.jit
    def f(x):
        nonlocal n_traces
        n_traces += 1
        return x * 2
    f(jnp.arange(10.))
    f(jnp.arange(10.))
    f(jnp.arange(20.))
    f(jnp.arange(20., dtype=jnp.float64))
    print(f"{n_traces}")"""
COUNTED = "\ntrace_count_demo()"
ADD_ONE = """
@jax.jit
def add_one(x):
    print("TRACING!")
    return x + 1
add_one(jnp.array([1.0, 2.0]))
add_one(jnp.array([3.0, 4.0]))
add_one(jnp.array([1.0, 2.0, 3.0]))"""
CLEAR = """
jax.clear_caches()
add_one(jnp.array([1.0, 2.0]))"""
MODE = """
from functools import partial
@partial(jax.jit, static_argnames=("mode",))
def f(x, mode):
    if mode == "train":
        return x * 2
    else:
        return x ** 2
f(jnp.array([1., 2.]), mode="train")
f(jnp.array([1., 2.]), mode="eval")
f(jnp.array([3., 4.]), mode="train")"""
COND = """
import jax.lax as lax
@jax.jit
def f(x):
    return lax.cond(
        x > 0,
        lambda x: x * 2,
        lambda x: x ** 2,
        x,
    )
f(jnp.array(3.0))
f(jnp.array(-2.0))"""
SWITCH_DEF = """
def f(idx, x):
    return lax.switch(
        idx,
        [lambda x: x,
         lambda x: x ** 2,
         lambda x: jnp.sin(x)],
        x,
    )"""
SWITCH = "\nf(1, jnp.array(3.0))"
UNROLL_DEF = """
@jax.jit
def f_unroll(x):
    for _ in range(100):
        x = jnp.sin(x)
    return x
@jax.jit
def f_scan(x):
    def step(carry, _):
        return jnp.sin(carry), None
    final, _ = jax.lax.scan(step, x, jnp.zeros(100))
    return final"""
UNROLL = "\nf_unroll(1.0), f_scan(1.0)"
FORI = """
init_val = 1.0
def body(i, x):
    return x + jnp.sin(x * i)
result = jax.lax.fori_loop(0, 100, body, init_val)
result"""
WHILE_STATE = """
initial_state = {"i": 0, "err": 1.0, "x": 2.0}
def cond(state): return (state["i"] < 100) & (state["err"] > 1e-6)
def body(state):
    x = 0.5 * (state["x"] + 2.0 / state["x"])
    return {"i": state["i"] + 1, "err": jnp.abs(x - state["x"]), "x": x}
final = jax.lax.while_loop(cond, body, initial_state)
final"""
SCAN = """
def step(carry, x):
    new_carry = carry + x
    output = new_carry * 2
    return new_carry, output
xs = jnp.array([1., 2., 3., 4., 5.])
init_carry = 0.0
final_carry, ys = jax.lax.scan(step, init_carry, xs)
print(f"final_carry: {final_carry}")
print(f"ys: {ys}")"""
PYTHON_LOOP = """
carry = init_carry
ys = []
for x in xs:
    carry, y = step(carry, x)
    ys.append(y)
ys = jnp.stack(ys)"""
RNN_DEF = """
def rnn_cell(params, h, x):
    h_new = jnp.tanh(params["W_h"] @ h + params["W_x"] @ x + params["b"])
    return h_new
def rnn_forward(params, h0, xs):
    def step(h, x):
        h_new = rnn_cell(params, h, x)
        return h_new, h_new
    final_h, hs = jax.lax.scan(step, h0, xs)
    return hs"""
RNN = """
params = {"W_h": jnp.eye(4) * 0.5, "W_x": jnp.ones((4, 3)), "b": jnp.zeros(4)}
rnn_forward(params, jnp.zeros(4), jnp.ones((10, 3))).shape"""
TRAIN = """
def train_step(state, batch):
    loss, g = jax.value_and_grad(lambda w: jnp.mean((batch @ w - 1.0) ** 2))(state)
    return state - 0.1 * g, loss, None
def train_step_for_scan(state, batch):
    new_state, loss, _ = train_step(state, batch)
    return new_state, loss
def get_all_batches(): return jnp.ones((100, 32, 4))
state = jnp.zeros(4)
batches = get_all_batches()
final_state, losses = jax.lax.scan(train_step_for_scan, state, batches)
losses[0], losses[-1]"""
SUMS_DEF = """
def custom_cumsum(xs):
    def step(acc, x):
        new_acc = acc + x
        return new_acc, new_acc
    _, cumulative = jax.lax.scan(step, 0.0, xs)
    return cumulative
def ema(xs, alpha=0.1):
    def step(prev, x):
        new = alpha * x + (1 - alpha) * prev
        return new, new
    _, smooth = jax.lax.scan(step, xs[0], xs[1:])
    return jnp.concatenate([xs[:1], smooth])"""
CUMSUM, EMA = "\ncustom_cumsum(xs)", "\nema(xs)"
NEWTON_DEF = """
def newton_iteration(f, f_prime, x0, n_iter=20):
    def body(i, x):
        return x - f(x) / f_prime(x)
    return jax.lax.fori_loop(0, n_iter, body, x0)
def find_root(f, f_prime, x0, tol=1e-6, max_iter=100):
    def cond(state):
        x, i = state
        return (jnp.abs(f(x)) > tol) & (i < max_iter)
    def body(state):
        x, i = state
        return (x - f(x) / f_prime(x), i + 1)
    final_x, _ = jax.lax.while_loop(cond, body, (x0, 0))
    return final_x"""
NEWTON = "\nnewton_iteration(lambda x: x ** 2 - 2.0, lambda x: 2.0 * x, 1.0)"
ROOT = "\nfind_root(lambda x: x ** 2 - 2.0, lambda x: 2.0 * x, 1.0)"


# --- what the tests read from a document ---


def primitives(document: Document, program: Document) -> list[str]:
    scope = document["scopes"][program["scope"]]
    return [document["strings"][primitive] for primitive in scope["primitive"]]


def own(document: Document, name: str) -> list[Document]:
    return [program for program in document["programs"] if not program["library"] and program["name"] == name]


def kinds(document: Document) -> set[str]:
    return {note["kind"] for note in document["notes"]}


def counts(document: Document, name: str) -> tuple[int, int, int]:
    """Return the calls, hits and compiles of a function in the run."""
    (run,) = (
        function["run"]
        for function in document["ledger"]["functions"]
        if function["name"] == name and function["run"]["misses"]
    )
    return run["calls"], run["hits"], run["compiles"]


def compiles(document: Document) -> list[int]:
    return [function["run"]["compiles"] for function in document["ledger"]["functions"] if function["run"]["compiles"]]


def reasons(document: Document, name: str) -> list[str]:
    """Return the first reason of each miss of a function in the run."""
    functions = [function for function in document["ledger"]["functions"] if function["name"] == name]
    return [miss["reasons"][0]["text"] for function in functions for miss in function["misses"] if miss["this_run"]]


def cards(document: Document) -> list[tuple[str, Any]]:
    return [(card["kind"], card["trips"]) for card in document["control_flow"]]


def slots(document: Document) -> list[tuple[str, str]]:
    return [(slot["role"], slot["path"]) for slot in document["control_flow"][0]["slots"]]


def raised(document: Document) -> tuple[str, int]:
    """Return the first sentence of the note on the error, and the number of its cures."""
    (note,) = (note for note in document["notes"] if note["kind"] == "trace_raised")
    return note["text"].partition(".")[0], len(note["cures"])


def is_counted(check: bool) -> bool:
    """Return the result of a check of counts; always True on Python 3.11, where counts are only lower bounds."""
    return check or not HAS_MONITORING


Check = Callable[[Document], bool]
NO_CODE = "no code in the tutorials"

# Claim of the curriculum -> (cells that run before, the cell, a function that checks the claim in the document).
CLAIMS: dict[str, tuple[list[str], str, Check] | str] = {
    "A1 a function becomes a jaxpr": (
        [],
        LOG2,
        lambda d: primitives(d, d["programs"][0]) == ["log", "log", "div"],
    ),
    "A2 side effects are not in the jaxpr": ([], LOG2, lambda d: "leaked_tracer" in kinds(d)),
    "A3 print runs while JAX traces": ([], PRINTED, lambda d: "printed_while_tracing" in kinds(d)),
    "A4 the jaxpr has only the branch that was taken": (
        [],
        RANK,
        lambda d: primitives(d, d["programs"][0]) == [] and is_counted(d["untraced_lines"] == [4, 5, 6]),
    ),
    "A5 eager launches kernels, jit makes one program": (
        [SELU],
        SELU_JIT,
        lambda d: counts(d, "selu")[2] == 1 and len(own(d, "selu")) == 1,
    ),
    "A6 calls return before the work is done": NO_CODE,  # each timing in the tutorial waits for the result
    "A7 first call slow, second fast, another shape slow again": (
        [],
        FIRST_CALL,
        lambda d: (
            is_counted(counts(d, "f") == (3, 1, 2))
            and reasons(d, "f")
            == ["This is the first call of f.", "The type of x changed from f32[1000000] to f32[2000000]."]
        ),
    ),
    "A8 the cache key": (
        [],
        MODE,
        lambda d: reasons(d, "f")[1] == "The static argument mode changed from 'train' to 'eval'.",
    ),
    "A9 four calls trace twice": ([TRACE_COUNT], COUNTED, lambda d: compiles(d) == [2]),
    "A10 static values compile once each": ([], MODE, lambda d: counts(d, "f") == (3, 1, 2)),
    "A11 too many static values": NO_CODE,
    "A12 jit of a small body compiles once": (
        [],
        INNER,
        lambda d: counts(d, "loop_body")[2] == 1 and is_counted(counts(d, "loop_body")[0] == 20),
    ),
    "A13 jit does not always pay": (
        [WHILE],
        STATIC_G,
        lambda d: counts(d, "g")[2] == 1 and primitives(d, own(d, "g")[0]) == ["add"],
    ),
    "A14 jit in a loop on a partial or a lambda": (
        [],
        IN_LOOPS,
        lambda d: max(compiles(d)) >= 20 and "partial" in " ".join(reasons(d, "unjitted_loop_body")),
    ),
    "A15 the smaller last batch": NO_CODE,
    "A16 clear_caches": (
        [ADD_ONE],
        CLEAR,
        lambda d: "is gone: jax.clear_caches() cleared the caches" in reasons(d, "add_one")[0],
    ),
    "A17 matmul at several sizes": NO_CODE,
    "A18 another device": NO_CODE,
    "B1 if on a traced value raises": ([], IF, lambda d: raised(d) == ("f could not be traced", 3)),
    "B2 while on a traced value raises": ([], WHILE, lambda d: raised(d)[0] == "g could not be traced"),
    "B3 static arguments cure it": ([WHILE, STATIC_G], DECORATED, lambda d: counts(d, "g_jit_decorated")[2] == 1),
    "B4 grad alone traces less strictly": NO_CODE,
    "B5 cond: both branches in one program": (
        [],
        COND,
        lambda d: (
            is_counted(counts(d, "f") == (2, 1, 1))
            and [branch["label"] for branch in d["control_flow"][0]["branches"]] == ["False", "True"]
        ),
    ),
    "B6 switch": (
        ["from jax import lax", SWITCH_DEF],
        SWITCH,
        lambda d: any(len(card["branches"]) == 3 for card in d["control_flow"]),
    ),
    "B7 a cond under vmap": NO_CODE,
    "B8 where computes both sides": (
        [SELU],
        SELU_JIT,
        lambda d: {"exp", "select_n"} <= set(d["strings"]),
    ),
    "B9 a Python for loop unrolls, a scan does not": (
        [UNROLL_DEF],
        UNROLL,
        lambda d: (
            "unrolled_loop" in kinds(d)
            and own(d, "f_unroll")[0]["equations"] == 100
            and own(d, "f_scan")[0]["equations"] == 3
        ),
    ),
    "B10 where unrolling stops to pay": NO_CODE,
    "B11 fori_loop with fixed bounds is a scan": ([], FORI, lambda d: cards(d) == [("fori_loop", 100)]),
    "B12 while_loop with a state in a dict": (
        [],
        WHILE_STATE,
        lambda d: (
            {path for _, path in slots(d)} >= {"state['err']", "state['i']", "state['x']"}
            or {path.rpartition("[")[2] for _, path in slots(d)} >= {"'err']", "'i']", "'x']"}
        ),
    ),
    "B13 which to choose": NO_CODE,
    "C1 step(carry, x) -> (carry, y)": (
        [],
        SCAN,
        lambda d: cards(d) == [("scan", 5)] and [role for role, _ in slots(d)] == ["carry", "xs", "ys"],
    ),
    "C2 a scan means the Python loop": (
        [SCAN],
        PYTHON_LOOP,
        lambda d: [program["origin"] for program in d["programs"] if not program["library"]] == ["recorded"],
    ),
    "C3 the length does not change the program": NO_CODE,
    "C4 an RNN is a scan over time": (
        [RNN_DEF],
        RNN,
        lambda d: ("scan", 10) in cards(d) and {"carry", "xs", "ys"} <= {role for role, _ in slots(d)},
    ),
    "C5 a training epoch is a scan": ([], TRAIN, lambda d: ("scan", 100) in cards(d)),
    "C6 cumulative sums and moving averages": (
        [SCAN, SUMS_DEF, CUMSUM],
        EMA,
        lambda d: ("scan", 4) in cards(d),
    ),
    "C7 Newton's method and root finding": (
        [NEWTON_DEF, NEWTON],
        ROOT,
        lambda d: ("while_loop", None) in cards(d),
    ),
    "C8 carry types must not change": NO_CODE,
    "C9 a scan's length is fixed": NO_CODE,
    "C10 operations of a loop are its body times its steps": (
        [],
        SCAN,
        lambda d: d["costs"][0]["flops"] == 10 and d["costs"][0]["xla"]["flops"] != 10,
    ),
}


def with_code() -> Iterator[Any]:
    for claim, row in CLAIMS.items():
        if not isinstance(row, str):
            yield pytest.param(row, id=claim)


def test_each_of_the_41_claims_has_its_row() -> None:
    assert len(CLAIMS) == 41
    assert [claim.split()[0] for claim in CLAIMS] == [
        *(f"A{number}" for number in range(1, 19)),
        *(f"B{number}" for number in range(1, 14)),
        *(f"C{number}" for number in range(1, 11)),
    ]


@pytest.mark.parametrize("row", with_code())
def test_the_claim_is_in_the_document_of_the_tutorials_own_cell(
    notebook: Notebook, row: tuple[list[str], str, Check]
) -> None:
    before, cell, check = row
    built = notebook.builds()
    notebook.run("import jax\nimport jax.numpy as jnp")
    for each in before:
        notebook.run(f"%%jaxpr\n{each}")
    notebook.run(f"%%jaxpr{cell}")
    import msgspec

    document = msgspec.to_builtins(built[-1].document)
    assert check(document), [
        [(program["name"], program["origin"], program["equations"]) for program in document["programs"]],
        [(note["kind"], note["text"][:60]) for note in document["notes"]],
        [(function["name"], function["run"], texts_of(function)) for function in document["ledger"]["functions"]],
        cards(document),
        slots(document) if document["control_flow"] else None,
        document["untraced_lines"],
        [(cost["flops"], (cost["xla"] or {}).get("flops")) for cost in document["costs"]],
    ]


def texts_of(function: Document) -> list[str]:
    return [miss["reasons"][0]["text"] for miss in function["misses"] if miss["this_run"] and miss["reasons"]]
