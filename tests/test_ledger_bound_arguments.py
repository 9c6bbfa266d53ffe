"""Tests that the ledger compares arguments by parameter:

Python binds positions, keywords and default values to them.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger

ROW = np.arange(3, dtype=np.float32)
LONG = np.arange(4, dtype=np.float32)
PAD = "Pad the array to one shape, or expect one compile for each shape."


def told(ledger: Ledger, name: str) -> list[tuple[str, str, str | None, str | None]]:
    """Return kind, text and the two values of each reason after the first call."""
    return [
        (reason.kind, reason.text, reason.before, reason.after)
        for miss in ledger[name].misses[1:]
        for reason in miss.reasons
    ]


def cures(ledger: Ledger, name: str) -> list[str | None]:
    return [reason.cure for miss in ledger[name].misses[1:] for reason in miss.reasons]


def test_a_static_default_that_a_call_replaces_is_another_static_value() -> None:
    @functools.partial(jax.jit, static_argnames="training")
    def net(x: Any, training: bool = True) -> Any:
        return x * 2 if training else x

    with observe() as ledger:
        net(ROW)
        net(ROW, training=False)
        net(ROW, False)
    assert told(ledger, "net") == [
        ("static_value", "The static argument training changed from True to False.", "True", "False"),
        (
            "call_style",
            "The call passes training by position, not by keyword; the types and the static values are the same.",
            "1 by position, training by keyword",
            "2 by position",
        ),
    ]


def test_a_static_argument_that_a_call_leaves_out_has_its_default() -> None:
    @functools.partial(jax.jit, static_argnums=1)
    def power(x: Any, n: int = 2) -> Any:
        return x**n

    with observe() as ledger:
        power(ROW, 3)
        power(ROW)
        power(ROW, 2)
    assert told(ledger, "power") == [
        ("static_value", "The static argument n changed from 3 to 2.", "3", "2"),
        (
            "call_style",
            "The call passes n, which the earlier call left out: the value is the default.",
            "1 by position",
            "2 by position",
        ),
    ]
    assert cures(ledger, "power")[1] == (
        "Pass n in every call or in no call: the cache key holds which arguments a call passes."
    )


def test_the_closest_of_equal_calls_passes_the_most_arguments_alike() -> None:
    @jax.jit
    def weigh(x: Any, by: Any = None) -> Any:
        return x if by is None else x * by

    with observe() as ledger:
        weigh(ROW)
        weigh(ROW, None)
        weigh(x=ROW)
    assert told(ledger, "weigh")[1] == (
        "call_style",
        "The call passes x by keyword, not by position; the types and the static values are the same.",
        "1 by position",
        "0 by position, x by keyword",
    )


def test_none_as_the_default_of_an_array() -> None:
    @jax.jit
    def opt(x: Any, y: Any = None) -> Any:
        return x if y is None else x + y

    with observe() as ledger:
        opt(ROW)
        opt(ROW, ROW)
        opt(ROW, None)
        opt(ROW)  # this call hits
    assert told(ledger, "opt") == [
        ("pytree", "The value of y changed from None, the default, to f32[3].", "None", "f32[3]"),
        (
            "call_style",
            "The call passes y, which the earlier call left out: the value is the default.",
            "1 by position",
            "2 by position",
        ),
    ]
    assert (
        cures(ledger, "opt")[0]
        == "Expect one compile for the calls that pass y and one for the calls that leave y out."
    )


def test_a_call_that_leaves_out_an_array_again() -> None:
    @jax.jit
    def opt(x: Any, *, y: Any = None) -> Any:
        return x if y is None else x + sum(y.values())

    with observe() as ledger:
        opt(ROW, y={"a": ROW})
        opt(ROW)
    assert told(ledger, "opt") == [
        ("pytree", "The value of y changed from {'a': *} to None, the default.", "{'a': *}", "None"),
    ]


def test_a_number_as_the_default_of_a_traced_argument_was_a_constant() -> None:
    @jax.jit
    def scale(x: Any, n: float = 1.5) -> Any:
        return x * n

    with observe() as ledger:
        scale(ROW)
        scale(ROW, n=3.0)
    assert told(ledger, "scale") == [
        (
            "pytree",
            "This call passes n, but the earlier call used the default 1.5, which is a constant of the earlier "
            "program.",
            "1.5",
            "weak f32[]",
        ),
    ]
    assert cures(ledger, "scale") == ["Pass n in every call, or leave n out in every call."]
    with observe() as cured:
        scale(ROW, n=7.0)
    assert cured["scale"].misses == ()
    with observe() as ledger:

        @jax.jit
        def scale(x: Any, n: float = 1.5) -> Any:
            return x * n

        scale(ROW, n=3.0)
        scale(ROW)
    assert ledger["scale"].misses[1].reasons[0].text == (
        "The call leaves out n, which the earlier call passed: the default 1.5 is a constant of the program."
    )


def test_several_values_for_args() -> None:
    @jax.jit
    def total(*values: Any) -> Any:
        return sum(values)

    with observe() as ledger:
        total(ROW)
        total(ROW, ROW)
        total(LONG, ROW[:1])
    assert told(ledger, "total") == [
        ("pytree", "The call passes 2 values for *values, the earlier call passed 1.", "1 value", "2 values"),
        ("shape", "The type of values[0] changed from f32[3] to f32[4].", "f32[3]", "f32[4]"),
        ("shape", "The type of values[1] changed from f32[3] to f32[1].", "f32[3]", "f32[1]"),
    ]
    assert cures(ledger, "total")[0] == "Expect one compile for each different number of values."


def test_keywords_that_have_no_parameter() -> None:
    @jax.jit
    def total(x: Any, **keywords: Any) -> Any:
        return x + sum(keywords.values())

    with observe() as ledger:
        total(ROW, b=ROW)
        total(ROW, c=ROW)
        total(ROW)
    assert told(ledger, "total") == [
        ("pytree", "The call passes c, where the earlier call passed b.", "b", "c"),
        ("pytree", "The call does not pass c, which the earlier call passed.", "c", "not passed"),
    ]


def test_a_value_that_differs_is_told_and_not_how_it_was_passed() -> None:
    @jax.jit
    def add(x: Any, y: Any) -> Any:
        return x.sum() + y.sum()

    with observe() as ledger:
        add(ROW, ROW)
        add(ROW, y=LONG)
    assert told(ledger, "add") == [("shape", "The type of y changed from f32[3] to f32[4].", "f32[3]", "f32[4]")]
    with observe() as ledger:
        add(x=ROW, y=jnp.ones((2, 2)))
    assert [(reason.kind, reason.text) for reason in ledger["add"].misses[0].reasons] == [
        ("shape", "The type of y changed from f32[4] to f32[2,2]."),
        ("call_style", "The call passes x by keyword, not by position."),
    ]


def test_of_two_calls_as_close_the_one_that_differs_in_the_later_ingredient() -> None:
    @functools.partial(jax.jit, static_argnames="n")
    def f(x: Any, n: int) -> Any:
        return x.sum() * n

    with observe() as ledger:
        f(LONG, n=2)
        f(ROW, n=1)
        f(LONG, n=1)
    assert told(ledger, "f")[-1] == ("static_value", "The static argument n changed from 2 to 1.", "2", "1")


def test_one_difference_is_closer_than_two_whatever_they_are() -> None:
    @jax.jit
    def f(x: Any, y: Any) -> Any:
        return x.sum() + y.sum()

    with observe() as ledger:
        f(ROW, ROW)
        f(LONG.astype(np.int32), ROW)
        f(LONG, LONG)
        f(LONG.astype(np.int32), LONG)
    assert told(ledger, "f")[-1] == ("dtype", "The type of x changed from f32[4] to i32[4].", "f32[4]", "i32[4]")


def test_another_holder_is_no_reason_where_jax_compiled() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(ROW)
        f.clear_cache()
        f(jnp.asarray(ROW))
    (reason,) = ledger["f"].misses[1].reasons
    assert (reason.kind, reason.text) == (
        "cleared",
        "The cache entry is gone: clear_cache() cleared the entries of f.",
    )


def test_another_structure_is_farther_than_another_type_of_one_leaf() -> None:
    @jax.jit
    def f(p: Any) -> Any:
        return sum(p)

    with observe() as ledger:
        f((ROW, ROW))
        f((ROW, ROW, ROW))
        f((ROW, ROW, ROW.astype(np.int32)))
        f([ROW, ROW])
    assert told(ledger, "f") == [
        ("pytree", "The structure of p gained p[2].", "(*, *)", "(*, *, *)"),
        ("dtype", "The type of p[2] changed from f32[3] to i32[3].", "f32[3]", "i32[3]"),
        ("pytree", "The structure of p changed from (*, *) to [*, *].", "(*, *)", "[*, *]"),
    ]


def test_a_static_value_that_cannot_be_traced_has_no_such_cure() -> None:
    @functools.partial(jax.jit, static_argnums=1)
    def f(x: Any, mode: Any) -> Any:
        return x

    with observe() as ledger:
        for mode in ("a", "b", 1, 2, True):
            f(ROW, mode)
    advice = "Expect one compile for each value of mode."
    number = (
        "JAX compiles once for each value of mode. Make mode a traced argument if the function only computes with it."
    )
    assert cures(ledger, "f") == [advice, number, number, advice]


def test_arguments_of_a_checked_function_have_the_names_of_the_function() -> None:
    def scaled(a: Any, n: int = 2) -> Any:
        return a * n

    checked = jax.jit(checkify.checkify(scaled))
    with observe() as ledger:
        checked(ROW)
        checked(LONG)
        checked(LONG, 3)
    assert [entry.signature for entry in ledger["scaled"].entries] == [
        "a: f32[3]",
        "a: f32[4]",
        "a: f32[4], n: i32[] weak",
    ]
    assert told(ledger, "scaled")[0] == ("shape", "The type of a changed from f32[3] to f32[4].", "f32[3]", "f32[4]")
