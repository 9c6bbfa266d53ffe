"""Tests that a program's text has the tokens of `print(jaxpr)`: every name and parameter, in the same order."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax
from observed import binders, built, normal, program, traced

from jupyter_jaxpr.build.programs.variable_naming_rules import learn_naming
from jupyter_jaxpr.document.printed_program import program_text
from jupyter_jaxpr.document.types.document import Naming

pytestmark = pytest.mark.any_jax

X = np.ones(8, np.float32)
TABLE = np.arange(80.0, dtype=np.float32)


@jax.jit
def twelve(x):
    for _ in range(12):
        x = jnp.sin(x)
    return x


@jax.jit
def double(x):
    return x * 2


@jax.custom_jvp
def with_jvp(x):
    return jnp.sin(x)


with_jvp.defjvp(lambda primals, tangents: (jnp.sin(primals[0]), tangents[0]))


@jax.custom_vjp
def with_vjp(x):
    return jnp.sin(x)


with_vjp.defvjp(lambda x: (jnp.sin(x), x), lambda residual, g: (g * residual,))

CORPUS: dict[str, Callable[..., Any]] = {}


def example(fun):
    CORPUS[fun.__name__] = fun
    return fun


@example
def nothing(x):
    return x


@example
def only_literals(x):
    return 1.0, x


@example
def literals(x):
    return x * True, x + 1, x - 0.0, x + jnp.float16(0.1), -0.0 * x, 0.0 * x, jnp.bfloat16(1) * x, x * 1j


@example
def more_than_26_names(x):
    for _ in range(60):
        x = jnp.sin(x)
    return x


@example
def unused(x):
    jnp.sin(x)
    lax.scan(lambda c, y: (c + y, c), 0.0, x)
    return x


@example
def nested_jit(x):
    return jax.jit(lambda y: jax.jit(lambda z: z + y)(y * 2))(x)


@example
def shared_jit(x):
    return double(x) + double(x + 1)


@example
def long_jit(x):
    return twelve(x) + 1


@example
def names_of_lambdas(x):
    f, g = jax.jit(lambda y: y + 1), jax.jit(lambda y: y * 3)
    return f(x) + f(x * 2) + g(x) + g(x * 2)


@example
def cond(x):
    return lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x)


@example
def switch(x):
    return lax.switch(x.sum().astype(int), [jnp.sin, twelve, double, lambda y: y], x)


@example
def scan(x):
    return lax.scan(lambda c, y: (c + y, c * y), 0.0, x)


@example
def scan_in_scan(x):
    return lax.scan(lambda c, y: lax.scan(lambda d, z: (d * z, d + y), c, x), 1.0, x)


@example
def while_loop(x):
    return lax.while_loop(lambda c: c.sum() < 100, lambda c: c * 2, x)


@example
def fori_loop(x):
    return lax.fori_loop(0, 10, lambda i, c: twelve(c) + i, x)


@example
def custom_derivatives(x):
    return with_jvp(x) + with_vjp(x)


@example
def grad_of_custom_derivatives(x):
    return jax.grad(lambda y: (with_jvp(y) + with_vjp(y)).sum())(x)


@example
def remat(x):
    return jax.grad(lambda y: jax.checkpoint(lambda z: jnp.sin(jnp.sin(z)))(y).sum())(x)


@example
def activations(x):
    return jax.nn.selu(x), jax.nn.relu(x), jax.nn.softmax(x), jax.nn.gelu(x), jax.nn.silu(x)


@example
def random_numbers(x):
    first, second = jax.random.split(jax.random.key(0))
    old = jax.random.uniform(jax.random.PRNGKey(1), (3,))
    return jax.random.normal(first, (3,)), old, jax.random.permutation(second, x)


@example
def sort(x):
    return jnp.sort(x), jnp.argsort(x), jnp.median(x)


@example
def scatter(x):
    return x.at[0].set(1.0), x.at[jnp.array([1, 2])].add(2.0), x.at[1].max(3.0)


@example
def solve(x):
    return jnp.linalg.solve(jnp.outer(x, x) + jnp.eye(8), x)


@example
def decompositions(x):
    square = jnp.outer(x, x)
    return jnp.linalg.svd(square)[0], jnp.linalg.inv(square), jnp.linalg.eigh(square)


@example
def vmap_of_grad(x):
    return jax.vmap(jax.value_and_grad(lambda w: jnp.tanh(w @ x).sum()))(x[:, None] * x)


@example
def grad_of_scan(x):
    return jax.grad(lambda y: lax.scan(lambda c, _: (jnp.sin(c), None), y, None, length=5)[0].sum())(x)


@example
def jvp_and_hessian(x):
    primal = jax.jvp(lambda y: jax.nn.gelu(y) * twelve(y), (x,), (x,))
    return primal, jax.hessian(lambda y: (jnp.sin(y) * y).sum())(x)


@example
def callbacks(x):
    jax.debug.print("{}", x)
    return jax.pure_callback(lambda y: y, x, x)


@example
def name_scopes(x):
    with jax.named_scope("encoder"):
        y = jnp.sin(x)
    return jax.named_call(lambda z: z * 2, name="layer")(y)


@example
def array_operations(x):
    window = lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "SAME")
    convolved = lax.conv(x[None, None], x[None, None], (1,), "SAME")
    return jnp.einsum("i,j->ij", x, x), jnp.pad(x, 2), x[::2], x[x.argmax()], window, convolved


@example
def reductions(x):
    product = lax.reduce(x, 0.0, lambda a, b: a * b + 1, (0,))
    return lax.associative_scan(jnp.add, x), jnp.cumsum(x), lax.map(lambda y: y * 2, x), product


@example
def fourier(x):
    return jnp.fft.fft(x), jnp.convolve(x, x)


@example
def captured(x):
    return x @ jnp.ones((8, 8)) + TABLE[:8] + jnp.asarray(TABLE)[x.astype(int)]


@pytest.mark.parametrize("name", CORPUS)
def test_text_is_that_of_print(name):
    trace = traced(CORPUS[name], X)
    document = built(program(trace)).document
    assert normal(program_text(document, 0)) == normal(str(trace.jaxpr))


def references(x):
    reference = jax.new_ref(x)
    reference[...] = reference[...] + 1
    reference[0] += 2
    return reference[...]


def test_names_are_those_of_print_where_the_printing_rule_is_not_ours():
    """JAX prints reads and writes of a reference as arrows, this package as other equations; the names are equal."""
    trace = traced(references, X)
    text = program_text(built(program(trace)).document, 0)
    assert "c:f32[8] = get[" in text
    names = [name for name in binders(text) if name != "_"]
    assert names == binders(str(trace.jaxpr))


def test_layout():
    @jax.jit
    def f(x):
        y = double(x) + double(x + 1)
        return lax.cond(x.sum() > 0, lambda z: z, double, y), lax.fori_loop(0, 3, lambda i, c: c + 1, x)

    trace = traced(f, X)
    assert program_text(built(program(trace)).document, 0) == FORMATTED.removeprefix("\n")


FORMATTED = """
let double = { lambda ; a:f32[8]. let
  b:f32[8] = mul a 2.0:f32[]
in (b,) } in
{ lambda ; c:f32[8]. let
  d:f32[8] = jit[name=double jaxpr=double] c
  e:f32[8] = add c 1.0:f32[]
  f:f32[8] = jit[name=double jaxpr=double] e
  g:f32[8] = add d f
  h:f32[] = reduce_sum[axes=(0,) out_sharding=None] c
  i:bool[] = gt h 0.0:f32[]
  j:i32[] = convert_element_type[new_dtype=int32 weak_type=False] i
  k:f32[8] = cond[
    branches=(
      { lambda ; l:f32[8]. let
        m:f32[8] = jit[name=double jaxpr=double] l
      in (m,) }
      { lambda ; n:f32[8]. let
      in (n,) }
    )
  ] j g
  _:i32[] o:f32[8] = scan[
    PARAMETERS_BEFOREjaxpr={ lambda ; p:i32[] q:f32[8]. let
      r:i32[] = add p 1:i32[]
      s:f32[8] = add q 1.0:f32[]
    in (r, s) }
    length=3 PARAMETERS_AFTERreverse=False unroll=1
  ] 0:i32[] c
in (k, o) }"""
if jax.__version_info__ < (0, 11):
    FORMATTED = FORMATTED.replace("PARAMETERS_BEFORE", "").replace("PARAMETERS_AFTER", "num_carry=2 num_consts=0 ")
else:
    FORMATTED = FORMATTED.replace(
        "PARAMETERS_BEFORE", "ft_in=((), (None, None), ()) ft_out=((None, None), ())\n    "
    ).replace("PARAMETERS_AFTER", "")


def test_the_rules_of_this_jax_are_learned():
    assert learn_naming() == Naming(share_jit_names=True, hoist_above=10)


def test_the_rules_are_learned_where_jax_prints_in_colour():
    """In a notebook's kernel JAX prints in colour: it recognises the kernel by the class name of the shell."""
    code = (
        "import builtins\n"
        "class ZMQInteractiveShell: pass\n"
        "builtins.get_ipython = ZMQInteractiveShell\n"
        "import jax\n"
        "assert '\\x1b[' in str(jax.make_jaxpr(jax.numpy.sin)(1.0))\n"
        "from jupyter_jaxpr.build.programs.variable_naming_rules import learn_naming\n"
        "print(learn_naming())\n"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout == "Naming(share_jit_names=True, hoist_above=10)\n", process.stderr


def test_the_rules_are_not_learned_where_nothing_is_jitted():
    """While `jax.disable_jit` is on, the naming rules cannot be learned; they are learned later."""
    code = (
        "import jax\n"
        "from jupyter_jaxpr.build.programs import variable_naming_rules as names\n"
        "with jax.disable_jit():\n"
        "    assert names.learn_naming() == names.NAMING\n"
        "assert not names._learned\n"
        "assert names.learn_naming() == names.NAMING\n"
        "assert names._learned\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_learning_the_rules_starts_no_backend():
    code = (
        "from jupyter_jaxpr.build.programs.variable_naming_rules import learn_naming\n"
        "learn_naming()\n"
        "from jupyter_jaxpr.jax.facts import backend_started\n"
        "assert not backend_started()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- random programs -----------------------------------------------------------------------

STEPS = st.deferred(
    lambda: st.lists(
        st.one_of(
            st.sampled_from(["sin", "drop", "literal", "square", "double", "twelve"]),
            st.tuples(st.just("jit"), STEPS),
            st.tuples(st.just("named"), STEPS),
            st.tuples(st.just("cond"), STEPS, STEPS),
            st.tuples(st.just("scan"), STEPS),
            st.tuples(st.just("while"), STEPS),
            st.tuples(st.just("remat"), STEPS),
            st.tuples(st.just("grad"), STEPS),
        ),
        max_size=4,
    )
)


def interpret(steps, x):
    """Apply steps, each by its name, to an array; return the result."""
    for step in steps:
        match step:
            case "sin":
                x = jnp.sin(x)
            case "drop":
                jnp.cos(x)
            case "literal":
                x = x + 1.5
            case "square":
                x = x * x
            case "double":
                x = double(x)
            case "twelve":
                x = twelve(x)
            case ("jit", inner):
                x = jax.jit(partial(interpret, inner))(x)
            case ("named", inner):
                shared = jax.jit(lambda y, inner=inner: interpret(inner, y))
                x = shared(x) + shared(x)
            case ("cond", yes, no):
                x = lax.cond(x[0] > 0, partial(interpret, yes), partial(interpret, no), x)
            case ("scan", inner):
                x, _ = lax.scan(lambda c, _, inner=inner: (interpret(inner, c), c), x, None, length=2)
            case ("while", inner):
                x = lax.while_loop(lambda c: c.sum() < 9, partial(interpret, inner), x)
            case ("remat", inner):
                x = jax.checkpoint(partial(interpret, inner))(x)
            case ("grad", inner):
                without_while = [step for step in inner if "while" not in str(step)]
                x = jax.grad(lambda y, steps=without_while: interpret(steps, y).sum())(x)
    return x


@settings(max_examples=examples(40))
@given(STEPS)
def test_text_is_that_of_print_for_any_program(steps):
    trace = jax.jit(partial(interpret, steps)).trace(X)
    document = built(program(trace)).document
    assert normal(program_text(document, 0)) == normal(str(trace.jaxpr))
