"""Tests a function with hundreds of entries: the fast comparison of two keys agrees with the full one."""

from __future__ import annotations

import functools
from itertools import permutations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache import miss_reasons
from jupyter_jaxpr.observe.cache.closest_key import difference, kinds_of_values
from jupyter_jaxpr.observe.process_observer import observer
from jupyter_jaxpr.observe.reprs_of_users_values import NOTHING_CALLED

pytestmark = pytest.mark.any_jax


def keys_of(name: str) -> list[Any]:
    (history,) = [function for function in observer().history.functions.values() if function.name == name]
    return [event.key for event in history.events if event.key is not None]


def test_two_keys_compared_in_short_and_in_whole() -> None:
    @functools.partial(jax.jit, static_argnames=("mode", "size"))
    def many(x: Any, y: Any = 1.0, *, mode: Any = "a", size: int = 3) -> Any:
        return x

    values = [
        jnp.ones(3),
        jnp.ones((2, 2)),
        jnp.ones(3, jnp.int32),
        jnp.asarray(1.0),
        1.0,
        1,
        np.ones(3, np.float32),
        {"a": jnp.ones(3)},
        {"a": jnp.ones(4)},
        {"b": jnp.ones(3)},
        jax.device_put(jnp.ones(3), jax.devices()[0]),
        jax.random.key(0),
    ]
    with observe():
        for x in values:
            many(x)
            many(x, 2.0)
            many(x, y=2)
            many(x, mode="b")
            many(x, mode=1, size=4)
            many(x, mode=True, size=4)
        with jax.numpy_dtype_promotion("strict"):
            many(values[0])
            many(values[1])
    keys = keys_of("many")
    assert len(keys) >= 60
    short = 0
    for old, new in permutations(keys, 2):
        kinds = kinds_of_values(old, new)
        if kinds is not None:
            short += 1
            assert kinds == difference(old, new, NOTHING_CALLED).kinds
    assert short > len(keys)


@pytest.mark.parametrize("sweep", ["static values", "shapes", "keys of a dict"])
def test_entries_are_compared_with_few_others(sweep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing each entry with all others would make reading the ledger of a long session take minutes."""

    @functools.partial(jax.jit, static_argnames="n")
    def swept(x: Any, n: int = 0) -> Any:
        return n

    compared = 0

    def counted(old: Any, new: Any, reading: Any) -> Any:
        nonlocal compared
        compared += 1
        return compare(old, new, reading)

    compare = miss_reasons.is_equal
    monkeypatch.setattr(miss_reasons, "is_equal", counted)
    with observe() as ledger:
        for number in range(60):
            if sweep == "static values":
                swept(1.0, n=number)
            elif sweep == "shapes":
                swept(np.zeros(number))
            else:
                swept({"a": 1.0, f"b{number}": 1.0})
    assert len(ledger["swept"].entries) == 60
    assert compared <= 60
