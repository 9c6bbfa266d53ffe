"""Tests the columns of the document's equations, apart from names and source lines."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from observed import traced

from jupyter_jaxpr.program.jaxpr.parameters import parameter_text, printed_parameters, text_around_programs
from jupyter_jaxpr.program.jaxpr.walk import Walk

X = np.ones(4, np.float32)


def walked(fun, *args):
    walk = Walk()
    return walk, walk.program(traced(fun, *args).jaxpr)


def primitives(walk, number):
    return [walk.strings.items[primitive] for primitive in walk.scopes[number].primitive]


def test_columns():
    def f(x):
        return jnp.sin(x) * 2, x

    walk, number = walked(f, X)
    scope = walk.scopes[number]
    assert primitives(walk, number) == ["sin", "mul"]
    assert (scope.constants, scope.inputs, scope.outputs, scope.count) == (0, 1, [2, 0], 2)
    assert scope.operands == [[0], [1, -1]]
    assert scope.output_counts == [1, 1]
    assert [walk.avals[aval].text for aval in scope.variable_avals] == ["f32[4]"] * 3
    assert [(walk.strings.items[text], walk.avals[aval].text) for text, aval in walk.literals] == [("2.0", "f32[]")]


def test_a_shared_jaxpr_is_walked_once():
    double = jax.jit(lambda x: x * 2)
    walk, number = walked(lambda x: double(x) + double(x + 1), X)
    assert len(walk.scopes) == 2
    assert [child for *_, child in walk.scopes[number].children] == [1, 1]
    assert walk.scopes[number].total == 5


def test_programs_of_one_run_share_what_they_have_in_common():
    double = jax.jit(lambda x: x * 2)
    walk = Walk()
    first = walk.program(traced(lambda x: double(x), X).jaxpr)
    second = walk.program(traced(lambda x: double(x) + 1, X).jaxpr)
    assert (first, second) == (0, 2)
    assert [child for *_, child in walk.scopes[second].children] == [1]


def counted(jaxpr, *, combiners):
    """Return the number of equations of a jaxpr and its inner programs, counted by JAX's own objects."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    total = len(jaxpr.eqns)
    for equation in jaxpr.eqns:
        for name, value in equation.params.items():
            if name != "update_jaxpr" or combiners:
                items = value if isinstance(value, tuple) else (value,)
                total += sum(counted(item, combiners=combiners) for item in items if hasattr(item, "eqns"))
    return total


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x),
        lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: c + 1, x),
        lambda x: jax.nn.selu(x),
    ],
)
def test_totals_count_what_is_inside(fun):
    walk, number = walked(fun, X)
    total = counted(traced(fun, X).jaxpr, combiners=True)
    assert walk.scopes[number].total == total > walk.scopes[number].count


def test_totals_do_not_count_combiners():
    def fun(x):
        return x.at[0].add(1.0)

    walk, number = walked(fun, X)
    jaxpr = traced(fun, X).jaxpr
    assert walk.scopes[number].total == counted(jaxpr, combiners=False) < counted(jaxpr, combiners=True)


def test_effects_and_ordering():
    def f(x):
        jax.debug.print("{}", x)
        jax.debug.print("{}", x, ordered=True)
        return x

    walk, number = walked(f, X)
    names = [[walk.strings.items[effect] for effect in effects] for _, effects in walk.scopes[number].effects]
    assert names == [["Debug"], ["OrderedDebug"]]


def test_avals():
    def f(x, key):
        return x, key, 1j * x, x.astype(bool)

    walk, number = walked(f, 1.0, jax.random.key(0))
    rows = [walk.avals[aval] for aval in walk.scopes[number].variable_avals[:2]]
    assert [(row.text, row.shape, row.weak) for row in rows] == [("f32[]", (), True), ("key<fry>[]", (), False)]
    assert [row.dtype for row in rows] == ["float32", "key<fry>"]


class DropVar:
    """A variable for an unused result; the class has the name of JAX's DropVar."""

    def __init__(self, aval):
        self.aval = aval


def test_dropped_outputs():
    def change(equation):
        return SimpleNamespace(
            primitive=equation.primitive,
            invars=equation.invars,
            outvars=[*equation.outvars, DropVar(equation.outvars[0].aval)],
            params={},
            source_info=equation.source_info,
            effects=(),
        )

    walk = Walk()
    scope = walk.scopes[walk.program(jaxpr_with(change))]
    assert scope.output_counts == [1, 2, 1]
    assert scope.dropped == [3]
    assert scope.outputs == [4]


def test_captured_arrays_are_known_by_their_size():
    table, twin = jnp.ones((10, 10)), np.ones(7, np.int32)
    walk, number = walked(lambda x: x + table[0, :4] + twin[:4].sum() + jnp.asarray(twin)[:4], X)
    scope = walk.scopes[number]
    assert scope.constants == len(scope.captured)
    assert (400, "f32[10,10]") in [
        (captured.bytes, walk.avals[scope.variable_avals[captured.operand]].text) for captured in scope.captured
    ]


class Unprintable:
    def __str__(self):
        raise RuntimeError("no text")

    def __hash__(self):
        raise RuntimeError("no hash")


class Broken:
    """Stands in for an equation whose operands cannot be read."""

    def __init__(self, equation):
        self.primitive = equation.primitive
        self.outvars = equation.outvars
        self.params = equation.params
        self.source_info = equation.source_info
        self.effects = equation.effects

    @property
    def invars(self):
        raise RuntimeError("no operands")


def jaxpr_with(change):
    """Return a jaxpr of three equations as plain data, after `change` was applied to its second equation."""
    jaxpr = traced(lambda x: jnp.cos(jnp.sin(x) * 2), X).jaxpr
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    equations = list(jaxpr.eqns)
    equations[1] = change(equations[1])
    return SimpleNamespace(constvars=jaxpr.constvars, invars=jaxpr.invars, outvars=jaxpr.outvars, eqns=equations)


def test_one_parameter_that_cannot_be_printed_hides_no_equation():
    def change(equation):
        return SimpleNamespace(
            primitive=equation.primitive,
            invars=equation.invars,
            outvars=equation.outvars,
            params={"bad": Unprintable()},
            source_info=equation.source_info,
            effects=(),
        )

    walk = Walk()
    number = walk.program(jaxpr_with(change))
    assert primitives(walk, number) == ["sin", "mul", "cos"]
    ((name, value),) = walk.parameter_lists[walk.scopes[number].parameters[1]]
    assert (walk.strings.items[name], walk.strings.items[value]) == ("bad", "<Unprintable>")


def test_one_equation_that_cannot_be_read_hides_no_other():
    walk = Walk()
    number = walk.program(jaxpr_with(Broken))
    scope = walk.scopes[number]
    assert primitives(walk, number) == ["sin", "mul", "cos"]
    assert scope.operands == [[0], [], [2]]
    assert scope.output_counts == [1, 1, 1]
    assert len(scope.stack) == len(scope.name_stack) == len(scope.parameters) == 3
    assert scope.outputs == [3]


def test_parameters_that_are_equal_and_print_differently_stay_apart():
    """1 == 1.0 == True and 0.0 == -0.0, but JAX prints each of these values differently, so they must not be merged."""

    def equation(value):
        return SimpleNamespace(
            primitive=SimpleNamespace(name="p"),
            invars=[],
            outvars=[],
            params={"k": value},
            source_info=SimpleNamespace(traceback=None, name_stack=""),
            effects=(),
        )

    values = [1, 1.0, True, 0.0, -0.0, (0, (1,)), (0, (np.int64(1),)), (0, (True,)), (0.0,), (-0.0,)]
    walk = Walk()
    number = walk.program(
        SimpleNamespace(constvars=[], invars=[], outvars=[], eqns=[equation(value) for value in values])
    )
    lists = [walk.parameter_lists[index] for index in walk.scopes[number].parameters]
    assert [walk.strings.items[row[0][1]] for row in lists] == [
        *("1", "1.0", "True", "0.0", "-0.0"),
        *("(0, (1,))", "(0, (np.int64(1),))", "(0, (True,))", "(0.0,)", "(-0.0,)"),
    ]


def test_texts_of_parameters():
    assert parameter_text("a\n  b") == "a b"
    assert parameter_text(frozenset({3, 1})) == "frozenset({1, 3})"
    assert parameter_text(test_texts_of_parameters).endswith(" at 0xXXXXXXXXXXXX>")
    assert parameter_text("x" * 301) == "x" * 299 + "…"
    assert parameter_text(np.ones((100, 3), np.float32)) == "<float32[100, 3]>"
    assert parameter_text(Unprintable()) == "<Unprintable>"
    assert parameter_text(np.int32) == "<class 'numpy.int32'>"


def test_a_rule_that_does_not_fit_gives_way_to_the_plain_order():
    assert printed_parameters("jit", {"b": 1, "a": 2}) == [("a", 2), ("b", 1)]
    assert printed_parameters("dot_general", {"b": 1}) == [("b", 1)]
    assert printed_parameters("made up", {"b": 1, "a": 2}) == [("a", 2), ("b", 1)]


def test_programs_inside_a_text():
    jaxpr = SimpleNamespace(eqns=[], invars=[])
    assert text_around_programs((jaxpr, jaxpr)) is None
    assert text_around_programs((jaxpr, None)) == "(\ufffc, None)"
    assert text_around_programs((None,)) == "(None,)"


def test_not_a_jaxpr():
    with pytest.raises(TypeError, match="a jaxpr is needed, not int"):
        Walk().program(3)


def test_the_walk_needs_no_jax():
    code = "import jupyter_jaxpr.program.jaxpr.walk, sys; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
