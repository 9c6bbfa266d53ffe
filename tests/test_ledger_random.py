"""Tests the ledger at random: counts equal JAX's events and an own count; one changed ingredient gives its reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from examples import examples

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "ledger"))

from at_random import Call, functions, make, prepared  # noqa: E402  # lies beside the tests, to be a script as well


def test_calls_at_random_equal_what_jax_and_the_test_counted() -> None:
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    number = max(examples(18), 8)  # with fewer examples, some reasons would not occur
    process = subprocess.run(
        [sys.executable, str(HERE / "ledger" / "at_random.py"), str(number)],
        capture_output=True,
        text=True,
        env={**os.environ, **flags, "PYTHONPATH": path},
    )
    assert process.returncode == 0, process.stderr
    counted = json.loads(process.stdout)
    assert counted["calls"] >= 111 * number
    assert set(counted) >= {
        *("compiled", "dispatch_only", "raised", "inlined", *(["fast_hit"] if HAS_MONITORING else [])),
        *("first_call", "shape", "dtype", "weak_type", "pytree", "static_value", "call_style"),
        *("committed", "config", "no_fast_path", "cleared"),
    }


# case: (the changed ingredients of a call, the only expected reason: kind, argument, before, after)
FLIPS: dict[str, tuple[dict[str, Any], tuple[str, str | None, str, str]]] = {
    "shape": ({"shape": (3,)}, ("shape", "x", "f32[2]", "f32[3]")),
    "rank": ({"shape": (2, 1)}, ("shape", "x", "f32[2]", "f32[2,1]")),
    "dtype": ({"dtype": "int32"}, ("dtype", "x", "f32[2]", "i32[2]")),
    "numpy": ({"holder": "numpy"}, ("argument_type", "x", "jax.Array", "numpy")),
    "committed": ({"device": 0}, ("committed", "x", "not committed", "committed")),
    "new key": ({"tree": "more"}, ("pytree", "p", "{'w': *}", "{'b': *, 'w': *}")),
    "None": ({"tree": "none"}, ("pytree", "p", "{'w': *}", "{'b': None, 'w': *}")),
    "tuple": ({"tree": "tuple"}, ("pytree", "p", "{'w': *}", "(*,)")),
    "static": ({"n": 2}, ("static_value", "n", "1", "2")),
    "static tuple": ({"n": (1, "a")}, ("static_value", "n", "1", "(1, 'a')")),
    "static float": ({"n": 1.0}, ("static_value", "n", "1", "1.0")),
    "static bool": ({"n": True}, ("static_value", "n", "1", "True")),
    "keyword": (
        {"keyword": True},
        ("call_style", "x", "2 by position, n by keyword", "1 by position, n, x by keyword"),
    ),
    "static by position": (
        {"static_keyword": False},
        ("call_style", "n", "2 by position, n by keyword", "3 by position"),
    ),
    "precision": ({"precision": "highest"}, ("config", "jax_default_matmul_precision", "None", "highest")),
    "x64": ({"x64": True}, ("config", "jax_enable_x64", "False", "True")),
}
SCALARS: dict[str, tuple[Call, Call, tuple[str, str, str, str]]] = {
    "weak": (
        Call(scalar="strong"),
        Call(scalar="python"),
        ("weak_type", "x", "f32[]", "weak f32[] (a Python float)"),
    ),
    "strong": (
        Call(scalar="python"),
        Call(scalar="strong"),
        ("weak_type", "x", "weak f32[] (a Python float)", "f32[]"),
    ),
}


@pytest.mark.parametrize("flip", FLIPS)
@pytest.mark.parametrize("earlier_calls", [0, 3])
def test_one_ingredient_flipped_gives_exactly_its_reason(flip: str, earlier_calls: int) -> None:
    """Earlier calls, which differ in more ingredients, do not change the reason."""
    changes, expected = FLIPS[flip]
    base = Call()
    calls = [Call(shape=(9, 9), dtype="float16", n=k + 5, tree="list") for k in range(earlier_calls)]
    assert_reason([*calls, base, replace(base, **changes)], expected)


@pytest.mark.parametrize("flip", SCALARS)
def test_weakness_flipped_gives_exactly_its_reason(flip: str) -> None:
    before, after, expected = SCALARS[flip]
    assert_reason([before, after], expected)


def assert_reason(calls: list[Call], expected: tuple[str, str | None, str, str]) -> None:
    plain = functions()["plain"]
    arguments = [prepared(call) for call in calls]
    with observe() as ledger:
        for call, (x, p) in zip(calls, arguments, strict=True):
            make(call, plain, x, p)
    reasons = ledger["plain"].misses[-1].reasons
    assert [(r.kind, r.argument, r.before, r.after) for r in reasons] == [expected]
    assert len(ledger["plain"].misses) == len(calls)
