"""Tests the cure of a miss between numbers and arrays: both calls share an entry, and keep their values."""

from __future__ import annotations

import itertools
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jupyter_jaxpr as jj

pytestmark = pytest.mark.any_jax

VALUES: dict[str, Any] = {
    "True": True,
    "3": 3,
    "2.5": 2.5,
    "1j": 1j,
    "f32[]": jnp.float32(1.5),
    "i32[]": jnp.int32(4),
    "u8[]": jnp.uint8(4),
    "bool[]": jnp.bool_(True),
    "bf16[]": jnp.bfloat16(1.5),
    "weak f32[]": jnp.asarray(2.5),
    "NumPy f32[]": np.float32(1.5),
    "NumPy i32[]": np.int32(7),
}
PAIRS = list(itertools.permutations(VALUES, 2))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_cure_gives_both_calls_one_entry(first: str, second: str) -> None:
    @jax.jit
    def step(x: Any) -> Any:
        return x * 2

    with jj.observe() as ledger:
        step(VALUES[first])
        step(VALUES[second])
    misses = [miss for miss in ledger["step"].misses if miss.outcome == "compiled"]
    if len(misses) < 2:  # both values have the same type, so the second call hits
        return
    (reason,) = misses[1].reasons
    assert reason.cure is not None
    match = re.search(r"(?:such as|for example with) (.+?)\.$", reason.cure)
    assert match is not None, reason.cure

    @jax.jit
    def cured(x: Any) -> Any:
        return x * 2

    dtype = str(jnp.result_type(VALUES[first], VALUES[second]))
    expression = match[1].replace("dtype=...", f"dtype={dtype!r}").replace("astype(...)", f"astype({dtype!r})")
    results = []
    with jj.observe() as ledger:
        for name in (first, second):
            x = VALUES[name]
            results.append(cured(eval(expression, {"x": x, "jnp": jnp})))
            np.testing.assert_allclose(np.asarray(results[-1], dtype=complex), 2 * complex(x))
    assert ledger["cured"].compiles == 1, (expression, ledger["cured"].misses)


def test_a_number_after_a_strong_scalar_is_told_to_become_an_array() -> None:
    @jax.jit
    def step(x: Any) -> Any:
        return x + 1

    with jj.observe() as ledger:
        step(jnp.float32(1))
        step(3)
    (reason,) = ledger["step"].misses[1].reasons
    assert (reason.text, reason.cure) == (
        "The type of x changed from f32[] to weak i32[] (a Python int).",
        "Pass x as an array of one dtype every time, such as jnp.asarray(x, dtype=jnp.float32).",
    )
