"""Tests the facts on which loops remain: in the lowered program, in the optimised HLO, and in rules that do not run."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from observed import built, program, traced

import jupyter_jaxpr as jj

pytestmark = pytest.mark.any_jax

X = np.float32(1)
XS = np.zeros(5, np.float32)


def cards(function, *arguments):
    return jj.inspect(function, *arguments, stage="trace").control_flow


NO_HLO_LOOP = (
    "The optimised HLO has no loop for this construct: XLA wrote the steps without a loop, or removed the steps."
)


@pytest.mark.parametrize(
    ("length", "unroll", "facts"),
    [
        (10, 1, []),
        (
            10,
            5,
            ["JAX unrolls the loop when JAX lowers the program. The lowered loop has 2 iterations of 5 steps."],
        ),
        (
            10,
            4,
            [
                "JAX unrolls the loop when JAX lowers the program. "
                "The lowered loop has 2 iterations of 4 steps, and 2 steps after the loop."
            ],
        ),
        (
            10,
            6,
            [
                "JAX unrolls the loop when JAX lowers the program. "
                "The lowered loop has 1 iteration of 6 steps, and 4 steps after the loop.",
                NO_HLO_LOOP,
            ],
        ),
        *(
            (
                10,
                all_,
                ["JAX unrolls the loop when JAX lowers the program: 10 steps follow each other, and no loop is left."],
            )
            for all_ in (10, 25, True)
        ),
        (1, 1, [NO_HLO_LOOP]),
    ],
)
@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_says_of_the_compiled_loop_what_the_hlo_says(length, unroll, facts, reverse):
    def summed(xs):
        return lax.scan(lambda c, x: (c * 1.1 + x, jnp.sin(c)), 0.0, xs, unroll=unroll, reverse=reverse)

    built_run = built(program(traced(summed, np.zeros(length, np.float32)), compiled=True)).document
    (card,) = built_run.control_flow
    (hlo,) = (level.text for level in built_run.programs[0].levels if level.name == "hlo")
    iterations = re.findall(r'known_trip_count":{"n":"(\d+)"', hlo)
    assert (card.trips, card.facts) == (length, facts)
    assert iterations == ([str(length // int(unroll))] if length // int(unroll) > 1 and unroll is not True else [])


def test_a_loop_that_nothing_needs_is_not_in_the_hlo():
    def forgetful(x):
        lax.while_loop(lambda y: y < 3, lambda y: y + x, x)
        return x + 1

    (card,) = built(program(traced(forgetful, X), compiled=True)).document.control_flow
    assert card.facts[0] == "No equation uses a result of this construct, so XLA removes the construct."
    assert NO_HLO_LOOP not in card.facts


def test_a_fori_loop_whose_bounds_leave_no_step_keeps_its_bounds():
    (card,) = cards(lambda x: lax.fori_loop(5, 2, lambda i, x: x + i, x), X)
    assert (card.trips, card.lower, card.upper) == (0, "5", "2")
    assert card.facts == (
        "The bounds 5 and 2 are known when JAX traces, so fori_loop became a scan of length 0. Grad works through a "
        "scan.",
        "The loop has no steps: the carry comes out unchanged.",
    )
    (mapped,) = cards(lambda xs: lax.map(jnp.sin, xs), XS[:0])
    assert mapped.facts[1:] == ("The loop has no steps.",)


def test_a_rule_for_a_derivative_that_does_not_run_has_no_card():
    def solved(b):
        def matrix(x):
            return lax.fori_loop(0, 3, lambda i, x: x * 2, x)

        def solve(matvec, b):
            return lax.fori_loop(0, 5, lambda i, x: x - 0.1 * (x - b), b)

        def transposed(vecmat, b):
            return lax.while_loop(lambda x: x < 3, lambda x: x + 1, b)

        return lax.custom_linear_solve(matrix, b, solve, transposed)

    # JAX evaluates `matrix` to find its transpose; the loop of this evaluation stays in the jaxpr without a use
    leftover, solving = cards(solved, X)
    assert leftover.facts[0] == "No equation uses a result of this construct, so XLA removes the construct."
    assert (solving.kind, solving.trips) == ("fori_loop", 5)
    backward = cards(jax.grad(solved), X)
    assert [card.kind for card in backward if "transpose" in card.name_stack or card.kind == "while_loop"] == [
        "while_loop"
    ]
    conjugate = cards(lambda b: jax.scipy.sparse.linalg.cg(lambda x: 3 * x, b)[0], XS)
    assert [(card.kind, card.called_by) for card in conjugate] == [("while_loop", "jax.scipy.sparse.linalg.cg")]
