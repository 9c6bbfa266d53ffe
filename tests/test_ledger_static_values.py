"""Tests the reasons of misses by a static argument: its value, or another object."""

from __future__ import annotations

import functools
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from misses_told import first, told

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.reason import Reason


def test_static_value() -> None:
    @functools.partial(jax.jit, static_argnames="n")
    def f(x: Any, n: int) -> Any:
        return x * n

    with observe() as ledger:
        f(1.0, n=2)
        f(1.0, n=3)
        f(1.0, n=2)
    cure = "JAX compiles once for each value of n. Make n a traced argument if the function only computes with it."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("static_value", "The static argument n changed from 2 to 3.", "n", "2", "3", cure),)),
    ]


class Config:
    """A class without `__eq__`, whose objects compare by identity."""


def test_static_identity() -> None:
    @functools.partial(jax.jit, static_argnames="config")
    def f(x: Any, config: Config) -> Any:
        return x * 2

    with observe() as ledger:
        f(1.0, config=Config())
        f(1.0, config=Config())
    text = "The static argument config is a new Config object that does not equal the earlier object."
    cure = "Reuse the object, or give Config an __eq__ and a __hash__ that compare its contents."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("static_identity", text, "config", "<Config>", "<Config>", cure),)),
    ]


def test_static_identity_and_another_way_to_pass_the_object() -> None:
    """To reuse the object alone would not help: a keyword is a part of the cache key."""

    @functools.partial(jax.jit, static_argnames="config")
    def f(x: Any, config: Config) -> Any:
        return x * 2

    with observe() as ledger:
        f(1.0, Config())
        f(1.0, config=Config())
    reasons = told(ledger, "f")[1][1]
    assert [(reason.kind, reason.text) for reason in reasons] == [
        (
            "static_identity",
            "The static argument config is a new Config object that does not equal the earlier object.",
        ),
        ("call_style", "The call passes config by keyword, not by position."),
    ]


class Schedule:
    """A class without `__eq__`, whose objects have attributes."""

    def __init__(self, **contents: Any) -> None:
        self.__dict__.update(contents)


def scheduled(number: int) -> Any:
    """Return a function in its own file, so that neither JAX nor the ledger knows a function with the same code."""
    space: dict[str, Any] = {}
    code = f"def scheduled_{number}(x, schedule):\n    return x * 2"
    exec(compile(code, f"schedule_{number}.py", "exec"), space)
    return space[f"scheduled_{number}"]


ONES = jnp.ones(300)


@pytest.mark.parametrize(
    ("function", "before", "after", "text", "cure"),
    [
        (
            scheduled(1),
            {"rate": 0.1, "name": "sgd"},
            {"rate": 0.01, "name": "sgd"},
            "The static argument schedule is another Schedule object: schedule.rate changed from 0.1 to 0.01.",
            "JAX compiles once for each Schedule object. With an __eq__ and a __hash__ that compare the contents, JAX "
            "compiles once for objects with equal contents. Pass schedule.rate as an argument that is not static "
            "if the function only computes with schedule.rate.",
        ),
        (
            scheduled(2),
            {"kinds": ("warm", "cos")},
            {"kinds": ("warm", "exp")},
            "The static argument schedule is another Schedule object: schedule.kinds[1] changed from 'cos' to 'exp'.",
            "JAX compiles once for each Schedule object. With an __eq__ and a __hash__ that compare the contents, JAX "
            "compiles once for objects with equal contents.",
        ),
        (
            scheduled(3),
            {"rate": 0.1, "kinds": ["warm"]},
            {"rate": 0.1, "kinds": ["warm"]},
            "The static argument schedule is a new Schedule object that does not equal the earlier object.",
            "Reuse the object, or give Schedule an __eq__ and a __hash__ that compare its contents.",
        ),
        (
            scheduled(5),
            {"bias": ONES},
            {"bias": ONES},
            "The static argument schedule is a new Schedule object that does not equal the earlier object.",
            "Reuse the object, or give Schedule an __eq__ and a __hash__ that compare its contents.",
        ),
        (
            scheduled(6),
            {"bias": ONES},
            {"bias": jnp.ones(300)},
            "The static argument schedule is a new Schedule object that does not equal the earlier object.",
            "Reuse the object. If the two objects have equal contents, give Schedule an __eq__ and a __hash__ that "
            "compare the contents.",
        ),
        (
            scheduled(7),
            {"act": partial(pow, 2)},
            {"act": partial(pow, 3)},
            "The static argument schedule is a new Schedule object that does not equal the earlier object.",
            "Reuse the object. If the two objects have equal contents, give Schedule an __eq__ and a __hash__ that "
            "compare the contents.",
        ),
        (
            scheduled(4),
            {"inner": Config()},
            {"inner": Config()},
            "The static argument schedule is a new Schedule object that does not equal the earlier object.",
            "Reuse the object. If the two objects have equal contents, give Schedule an __eq__ and a __hash__ that "
            "compare the contents.",
        ),
    ],
    ids=[
        "a number",
        "a text",
        "equal",
        "the same array",
        "arrays that only JAX can compare",
        "functions with the same code",
        "unknown",
    ],
)
def test_static_identity_of_objects_with_contents(
    function: Any, before: dict[str, Any], after: dict[str, Any], text: str, cure: str
) -> None:
    f = jax.jit(function, static_argnames="schedule")
    with observe() as ledger:
        f(1.0, schedule=Schedule(**before))
        f(1.0, schedule=Schedule(**after))
    assert told(ledger, function.__name__) == [
        first(function.__name__),
        ("compiled", (Reason("static_identity", text, "schedule", "<Schedule>", "<Schedule>", cure),)),
    ]


def test_static_identity_of_a_function() -> None:
    @functools.partial(jax.jit, static_argnames="g")
    def f(x: Any, g: Any) -> Any:
        return g(x)

    with observe() as ledger:
        for _ in range(2):
            f(1.0, g=lambda x: x)
    text_of_lambda = "<test_static_identity_of_a_function.<locals>.<lambda>>"
    text = "The static argument g is a new function object that does not equal the earlier object."
    cure = "Make the function once, before the calls, and reuse the function."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("static_identity", text, "g", text_of_lambda, text_of_lambda, cure),)),
    ]


def test_scalars_of_numpy_with_the_value_of_a_plain_one() -> None:
    """JAX also compares the types of static values: JAX compiles for each type, although the value is the same."""
    f = jax.jit(lambda x, k: x, static_argnames="k")
    with observe() as ledger:
        for k in (1, np.int32(1), np.int64(1), np.int64(1), np.int64(2)):
            f(1.0, k=k)
        for k in ("a", np.str_("a")):
            f(1.0, k=k)
    types = "JAX compares the types of static values, too."
    assert [[reason.text for reason in miss.reasons] for miss in ledger["<lambda>"].misses[1:]] == [
        [f"The static argument k changed from 1 to np.int32(1): {types}"],
        [f"The static argument k changed from np.int32(1) to np.int64(1): {types}"],
        ["The static argument k changed from np.int64(1) to np.int64(2)."],
        ["The static argument k changed from np.int64(2) to 'a'."],
        [f"The static argument k changed from 'a' to np.str_('a'): {types}"],
    ]
