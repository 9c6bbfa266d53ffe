"""Tests ways of calling JAX with and without the magic: JAX's events are the same, and the panel has the programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CORNER = Path(__file__).parent / "corner"
sys.path.insert(0, str(CORNER))

from cases import CASES  # noqa: E402  # lies beside the script that runs the cases in processes of their own

# For each case, its programs: origin, function, types of arguments and result, primitives of the outermost scope, and
# the numbers of calls and compiles.
SHOWN: dict[str, list[str]] = {
    "plain": [
        "ran <lambda>(x: f32[8]) -> f32[8]: add [1 calls, 1 compiled]",
    ],
    "static by keyword": [
        "ran <lambda>(x: f32[8], n: 3) -> f32[8]: mul [1 calls, 1 compiled]",
    ],
    "static by position": [
        "ran <lambda>(n: 3, x: f32[8]) -> f32[8]: mul [1 calls, 1 compiled]",
    ],
    "keyword": [
        "ran <lambda>(x: f32[8], y: f32[] weak) -> f32[8]: convert_element_type sub [1 calls, 1 compiled]",
    ],
    "default not given": [
        "ran <lambda>(x: f32[8]) -> f32[8]: sub [1 calls, 1 compiled]",
    ],
    "Python scalar": [
        "ran <lambda>(x: f32[8], s: f32[] weak) -> f32[8]: convert_element_type mul [1 calls, 1 compiled]",
    ],
    "NumPy argument": [
        "ran <lambda>(x: f32[5]) -> f32[5]: mul [1 calls, 1 compiled]",
    ],
    "weakly typed": [
        "ran <lambda>(x: f32[] weak) -> f32[] weak: mul [1 calls, 1 compiled]",
    ],
    "donated": [
        "ran <lambda>(a: f32[8]) -> f32[8]: add [1 calls, 1 compiled]",
    ],
    "typed PRNG key": [
        "ran <lambda>(k: key<fry>[]) -> f32[3]: jit [1 calls, 1 compiled]",
    ],
    "raw PRNG key": [
        "ran <lambda>(k: u32[2]) -> f32[3]: random_wrap jit [1 calls, 1 compiled]",
    ],
    "pytree": [
        "ran <lambda>(p: {a: f32[8], n: None, t: (f32[8], [f32[8]])}) -> f32[8]: mul [1 calls, 1 compiled]",
    ],
    "own pytree node": [
        "ran <lambda>(p: Point([<flat index 0>]: f32[8], [<flat index 1>]: f32[] weak)) -> Point([<flat "
        "index 0>]: f32[] weak, [<flat index 1>]: f32[8]):  [1 calls, 1 compiled]",
    ],
    "method": [
        "ran step(self: <Model>, x: f32[8]) -> f32[8]: add [1 calls, 1 compiled]",
    ],
    "callable object": [
        "ran __call__(self: <Model>, x: f32[8]) -> f32[8]: mul [1 calls, 1 compiled]",
    ],
    "partial": [
        "ran <lambda>(x: f32[8]) -> f32[8]: mul [1 calls, 1 compiled]",
    ],
    "jit of grad": [
        "ran loss(v: f32[8]) -> f32[8]: integer_pow mul reduce_sum broadcast_in_dim mul [1 calls, 1 compiled]",
    ],
    "jit of vmap of grad": [
        "ran loss(v: f32[4,8]) -> (f32[4], f32[4,8]): integer_pow mul reduce_sum broadcast_in_dim "
        "broadcast_in_dim mul [1 calls, 1 compiled]",
    ],
    "grad around a jit": [
        "derived inner(f32[8]) -> [f32[], f32[8]]: sin cos reduce_sum [1 calls, 2 compiled]",
        "derived inner(f32[8], f32[]) -> [f32[8]]: broadcast_in_dim mul [1 calls, 2 compiled]",
        "traced inner(v: f32[8]) -> f32[8]: jit jit",
        "recorded inner(v: f32[8]) -> f32[8]: jit convert_element_type jit",
    ],
    "vmap around a jit": [
        "derived inner(f32[4,8]) -> [f32[4]]: sin reduce_sum [1 calls, 1 compiled]",
        "traced inner(v: f32[4,8]) -> f32[4]: jit",
    ],
    "jit in jit": [
        "ran <lambda>(v: f32[8]) -> f32[]: jit add [1 calls, 1 compiled]",
    ],
    "jit in make_jaxpr": ["traced <lambda>(v: f32[8]) -> f32[]: jit add"],
    "ahead of time": ["traced <lambda>(v: f32[8]) -> f32[8]: sub"],
    "custom_vjp": [
        "ran <lambda>(v: f32[8]) -> f32[8]: reduce_sum broadcast_in_dim jit [1 calls, 1 compiled]",
    ],
    "remat": [
        "ran <lambda>(v: f32[8]) -> f32[8]: sin sin reduce_sum broadcast_in_dim remat2 [1 calls, 1 compiled]",
    ],
    "debug.print": [
        "ran shout(x: f32[8]) -> f32[8]: slice squeeze debug_print mul [2 calls, 1 compiled]",
    ],
    "pure_callback": [
        "ran <lambda>(v: f32[8]) -> f32[8]: pure_callback [1 calls, 1 compiled]",
    ],
    "ordered io_callback": [
        "ran <lambda>(v: f32[8]) -> f32[8]: io_callback [1 calls, 1 compiled]",
    ],
    "sharded": [
        "ran <lambda>(v: f32[8]) -> f32[]: reduce_sum [1 calls, 1 compiled]",
    ],
    "in_shardings": [
        "ran <lambda>(v: f32[8]) -> f32[8]: mul [1 calls, 1 compiled]",
    ],
    "shard_map": [
        "ran <lambda>(v: f32[8]) -> f32[1]: shard_map [1 calls, 1 compiled]",
    ],
    "pmap": [
        "ran <lambda>(v: f32[8,3]) -> f32[8,3]: shard_map [1 calls, 1 compiled]",
    ],
    "x64": [
        "ran <lambda>(v: f64[3]) -> f64[3]: mul [1 calls, 1 compiled]",
    ],
    "mesh": [
        "ran <lambda>(v: f32[8]) -> f32[8]: mul [1 calls, 1 compiled]",
    ],
    "matmul precision": [
        "ran <lambda>(m: f32[4,8]) -> f32[4,4]: transpose dot_general [1 calls, 1 compiled]",
    ],
    "pallas interpreted": [
        "ran <lambda>(v: f32[8]) -> f32[8]: pallas_call [1 calls, 1 compiled]",
    ],
    "scan with a jitted body": [
        "ran <lambda>(xs: f32[8]) -> (f32[], f32[8]): scan [1 calls, 1 compiled]",
    ],
    "JAX's own function": [
        "ran softmax(x: f32[8]) -> f32[8]: reduce_max max broadcast_in_dim stop_gradient sub exp reduce_sum "
        "broadcast_in_dim div [1 calls, 1 compiled]",
    ],
    "eager": [
        "recorded cell [1]() -> f32[8]: jit jit",
    ],
    "hit": [
        "seen_before <lambda>(v: f32[8]) -> f32[8]: mul [3 calls, 0 compiled]",
    ],
    "two shapes": [
        "ran <lambda>(v: f32[8]) -> f32[8]: mul [2 calls, 2 compiled]",
        "ran <lambda>(v: f32[4]) -> f32[4]: mul [2 calls, 2 compiled]",
    ],
    "equinox filter_jit": [
        "ran forward(model: MLP(layers[0].weight: f32[8,4], layers[0].bias: f32[8], layers[1].weight: "
        "f32[2,8], layers[1].bias: f32[2]), x: f32[3,4]) -> f32[3,2]: dot_general transpose broadcast_in_dim "
        "add custom_jvp_call dot_general transpose broadcast_in_dim add [1 calls, 1 compiled]",
    ],
    "equinox partition": [
        "ran <lambda>(p: MLP(layers[0].weight: f32[8,4], layers[0].bias: f32[8], layers[1].weight: f32[2,8], "
        "layers[1].bias: f32[2]), v: f32[4]) -> f32[2]: dot_general add custom_jvp_call dot_general add [1 "
        "calls, 1 compiled]",
    ],
    "flax nnx": [
        "ran <lambda>(m: Linear(bias: f32[3], kernel: f32[4,3]), v: f32[3,4]) -> "
        "((Linear(bias: f32[3], kernel: f32[4,3]), None), {}, f32[3,3]): dot_general "
        "reshape add [1 calls, 1 compiled]",
    ],
    "flax linen": [
        "ran apply(variables: {params: {bias: f32[3], kernel: f32[4,3]}}, args[0]: f32[3,4]) -> f32[3,3]: "
        "dot_general reshape add [1 calls, 1 compiled]",
    ],
    "optax": [
        "ran update_fn(updates: f32[8], state: (EmptyState(), EmptyState())) -> (f32[8], (EmptyState(), "
        "EmptyState())): mul [1 calls, 1 compiled]",
    ],
}

# These cases call a transform of a jitted function; JAX ran the function's program only inside of another program.
TRACED_BY_US = {"grad around a jit": "inner", "vmap around a jit": "inner"}


@pytest.fixture(scope="module")
def both_ways() -> tuple[dict[str, Any], dict[str, Any]]:
    """Run all cases in one process with the magic and in one without it; return the results of both."""
    ways = [
        subprocess.Popen([sys.executable, CORNER / "run.py", way], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for way in ("with", "without")
    ]
    collected = []
    for process in ways:
        out, err = process.communicate()
        assert process.returncode == 0, err.decode()
        collected.append(json.loads(out))
    return collected[0], collected[1]


@pytest.mark.parametrize("case", CASES)
def test_jax_does_the_same_work_as_without_the_magic(both_ways: tuple[dict[str, Any], ...], case: str) -> None:
    observed, unobserved = both_ways
    expected = list(unobserved[case]["events"])
    if case in TRACED_BY_US:
        expected.append(["jaxpr_trace_duration", TRACED_BY_US[case]])
    assert observed[case]["events"] == expected


@pytest.mark.parametrize("case", CASES)
def test_the_cell_shows_and_returns_what_it_does_without_the_magic(
    both_ways: tuple[dict[str, Any], ...], case: str
) -> None:
    observed, unobserved = both_ways
    assert observed[case]["output"] == unobserved[case]["output"]
    assert observed[case]["value"] == unobserved[case]["value"]


@pytest.mark.parametrize("case", CASES)
def test_the_programs_shown_are_those_that_jax_ran(both_ways: tuple[dict[str, Any], ...], case: str) -> None:
    observed, _ = both_ways
    assert observed[case]["failures"] == []
    assert observed[case]["shown"] == SHOWN[case]


@pytest.mark.parametrize("case", SHOWN)
def test_what_ran_has_all_three_levels(both_ways: tuple[dict[str, Any], ...], case: str) -> None:
    observed, _ = both_ways
    for line, levels in zip(SHOWN[case], observed[case]["levels"], strict=True):
        if line.startswith("traced"):
            assert levels == ["not_made", "not_made"]
        elif line.startswith("recorded"):  # JAX compiled each dispatch of a recording separately, so there are no texts
            assert levels == ["absent", "absent"]
        elif case == "pallas interpreted":
            # The first use of Pallas changes a setting of JAX during lowering, so another request for StableHLO would
            # lower again.
            assert levels in (["held", "held"], ["not_made", "held"])
        else:
            assert levels == ["held", "held"]


def test_without_a_jitted_function_a_sentence_says_what_to_type(both_ways: tuple[dict[str, Any], ...]) -> None:
    observed, _ = both_ways
    assert {case: facts["message"] for case, facts in observed.items() if facts["message"] != [None]} == {}
    assert observed["eager"]["origin_notes"] == [
        "jupyter_jaxpr recorded what JAX ran for the cell outside of jit: 2 dispatches, in this order. JAX compiled "
        "each dispatch by itself. The cell called no jitted function of yours. Call a function under @jax.jit in the "
        "cell, end the cell with a call such as f(x), or write %%jaxpr f(x) or %%jaxpr f(f32[8])."
    ]
