"""Holds pairs of programs, one before and one after an edit, with the expected text of their diff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

X = jax.ShapeDtypeStruct((8,), "float32")
SQUARE = jax.ShapeDtypeStruct((8, 8), "float32")


@dataclass(frozen=True)
class Edit:
    """A function, the edited function, and the rows of their diff as short texts."""

    name: str
    before: Callable[..., Any]
    after: Callable[..., Any]
    rows: list[str]
    arguments: tuple[Any, ...] = (X, X)
    arguments_after: tuple[Any, ...] | None = None
    remarks: tuple[str, ...] = ()


def first(x, y):
    a = jnp.sin(x)
    b = jnp.cos(y)
    return a * b + x


def renamed(left, right):
    sine = jnp.sin(left)
    cosine = jnp.cos(right)
    product = sine * cosine

    return product + left


def reordered(x, y):
    b = jnp.cos(y)
    a = jnp.sin(x)
    return a * b + x


def with_a_term(x, y):
    a = jnp.sin(x)
    b = jnp.cos(y)
    return a * b + x + jnp.tanh(y)


def without_a_term(x, y):
    a = jnp.sin(x)
    return a + x


def with_an_argument(w, x, y):
    a = jnp.sin(x)
    b = jnp.cos(y)
    return a * b + x * w


def with_swapped_operands(x, y):
    a = jnp.sin(x)
    b = jnp.cos(y)
    return b * a + x


def another_primitive(x, y):
    a = jnp.tan(x)
    b = jnp.cos(y)
    return a * b + x


def in_the_middle(x, y):
    a = jnp.exp(jnp.sin(x))
    b = jnp.cos(y)
    return a * b + x


def two_results(x, y):
    a = jnp.sin(x)
    b = jnp.cos(y)
    return a * b + x, a


def scaled(x, y):
    return x * 2.0 + y


def scaled_more(x, y):
    return x * 3.0 + y


def powers(x, y):
    return x**2 + y


def higher_powers(x, y):
    return x**3 + y


def summed(x):
    return x.sum(axis=0)


def summed_along_rows(x):
    return x.sum(axis=1)


def converted(x):
    return x.astype("int32") + 1


def converted_wider(x):
    return x.astype("int8") + 1


def looped(x):
    def body(carry, _):
        return jnp.sin(carry) * 2.0, None

    return lax.scan(body, x, None, length=5)[0]


def looped_renamed(value):
    def turn(state, nothing):
        return jnp.sin(state) * 2.0, nothing

    return lax.scan(turn, value, None, length=5)[0]


def looped_longer(x):
    def body(carry, _):
        return jnp.sin(carry) * 2.0, None

    return lax.scan(body, x, None, length=6)[0]


def looped_with_more(x):
    def body(carry, _):
        return jnp.sin(carry) * 2.0 + 1.0, None

    return lax.scan(body, x, None, length=5)[0]


def looped_over(x, y):
    def body(carry, _):
        return jnp.sin(carry) * y, None

    return lax.scan(body, x, None, length=5)[0]


def looped_over_more(x, y):
    def body(carry, _):
        return jnp.sin(carry) * y + x, None

    return lax.scan(body, x, None, length=5)[0]


def unrolled(x):
    for _ in range(3):
        x = jnp.sin(x) * 2.0
    return x


def rolled(x):
    def body(carry, _):
        return jnp.sin(carry) * 2.0, None

    return lax.scan(body, x, None, length=3)[0]


def plain(x):
    return jnp.exp(jnp.sin(x) * 2.0) + 1.0


def wrapped(x):
    def body(carry, _):
        return jnp.exp(jnp.sin(carry) * 2.0) + 1.0, None

    return lax.scan(body, x, None, length=4)[0]


def branched(x):
    return lax.cond(x[0] > 0, lambda v: jnp.sin(v), lambda v: jnp.cos(v), x)


def branched_otherwise(x):
    return lax.cond(x[0] > 0, lambda v: jnp.sin(v) * 2.0, lambda v: jnp.cos(v), x)


def while_below(x):
    return lax.while_loop(lambda v: v.sum() < 10.0, lambda v: v * 2.0, x)


def while_below_more(x):
    return lax.while_loop(lambda v: v.sum() < 20.0, lambda v: v * 2.0, x)


def called(x):
    @jax.jit
    def inner(v):
        return jnp.sin(v) * 2.0

    return inner(x) + 1.0


def called_renamed(x):
    @jax.jit
    def within(value):
        return jnp.sin(value) * 2.0

    return within(x) + 1.0


def called_otherwise(x):
    @jax.jit
    def inner(v):
        return jnp.sin(v) * 4.0

    return inner(x) + 1.0


def scattered(x):
    return x.at[0].add(1.0)


def scattered_by_product(x):
    return x.at[0].multiply(1.0)


EDITS = [
    Edit("rename", first, renamed, []),
    Edit("rename in a scan", looped, looped_renamed, [], (X,)),
    Edit("rename an inner function", called, called_renamed, [], (X,)),
    Edit("reorder", first, reordered, ["> sin", "> sin"]),
    Edit("add a term", first, with_a_term, ["+ tanh", "+ add", "~ return: operand 1"]),
    Edit("remove a term", first, without_a_term, ["- cos", "- mul", "~ add: operand 1"]),
    Edit("put one in the middle", first, in_the_middle, ["+ exp", "~ mul: operand 1"]),
    Edit("add an argument", first, with_an_argument, ["+ w", "+ mul", "~ add: operand 2"], (X, X), (X, X, X)),
    Edit("swap operands", first, with_swapped_operands, ["~ mul: operand 1, operand 2"]),
    Edit("another primitive", first, another_primitive, ["~ tan: primitive sin -> tan"]),
    Edit("another result", first, two_results, ["~ return: results 1 -> 2"]),
    Edit("change a literal", scaled, scaled_more, ["~ mul: operand 2 2.0 -> 3.0"]),
    Edit("change a parameter", powers, higher_powers, ["~ integer_pow: parameter y 2 -> 3"]),
    Edit("change an axis", summed, summed_along_rows, ["~ reduce_sum: parameter axes (0,) -> (1,)"], (SQUARE,)),
    Edit(
        "change a dtype",
        converted,
        converted_wider,
        [
            "~ convert_element_type: parameter new_dtype int32 -> int8, dtype int32 -> int8",
            "~ add: operand 2 1:i32[] -> 1:i8[], dtype int32 -> int8",
        ],
        (X,),
    ),
    Edit(
        "change a shape",
        looped,
        looped,
        [
            "~ x: shape [8] -> [4]",
            "~ scan: shape [8] -> [4]",
            "~ jaxpr: shape [8] -> [4]",
            "~ sin: shape [8] -> [4]",
            "~ mul: shape [8] -> [4]",
        ],
        (X,),
        (jax.ShapeDtypeStruct((4,), "float32"),),
    ),
    Edit("change a length", looped, looped_longer, ["~ scan: parameter length 5 -> 6"], (X,)),
    Edit("add to a scan's body", looped, looped_with_more, ["+ add", "~ return: operand 1"], (X,)),
    Edit(
        "a scan reads one more",
        looped_over,
        looped_over_more,
        ["~ scan: operand 2 none -> ", "~ jaxpr", "+ add", "~ return: operand 1"],
    ),
    Edit(
        "a loop becomes a scan",
        unrolled,
        rolled,
        [
            *("> sin", "> mul", "- sin", "- mul", "- sin", "- mul"),
            *("+ scan", "+ jaxpr", "> sin", "> mul", "+ return"),
            "~ return: operand 1",
        ],
        (X,),
        remarks=("2 equations moved into scan (length 3). The first program has each of the moved equations 3 times.",),
    ),
    Edit(
        "a scan becomes a loop",
        rolled,
        unrolled,
        [
            *("- scan", "- jaxpr", "> sin", "> mul", "- return"),
            *("> sin", "> mul", "+ sin", "+ mul", "+ sin", "+ mul"),
            "~ return: operand 1",
        ],
        (X,),
        remarks=(
            "2 equations moved out of scan (length 3). The second program has each of the moved equations 3 times.",
        ),
    ),
    Edit(
        "wrap in scan",
        plain,
        wrapped,
        [
            *("> sin", "> mul", "> exp", "> add"),
            *("+ scan", "+ jaxpr", "> sin", "> mul", "> exp", "> add", "+ return"),
            "~ return: operand 1",
        ],
        (X,),
        remarks=("4 equations moved into scan (length 4).",),
    ),
    Edit("change a branch", branched, branched_otherwise, ["+ mul", "~ return: operand 1"], (X,)),
    Edit("change a condition", while_below, while_below_more, ["~ lt: operand 2 10.0 -> 20.0"], (X,)),
    Edit("change an inner function", called, called_otherwise, ["~ mul: operand 2 2.0 -> 4.0"], (X,)),
    Edit(
        "change a combiner",
        scattered,
        scattered_by_product,
        ["~ scatter-mul: primitive scatter-add -> scatter-mul"],
        (X,),
    ),
]
