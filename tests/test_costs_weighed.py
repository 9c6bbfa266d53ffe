"""Tests shares of the cost, in which a transcendental operation weighs 20 operations, and the upper bounds of rows."""

from __future__ import annotations

import pytest
from observed import built, in_cell, program

from jupyter_jaxpr.exports.cost_table import cost_text

pytestmark = pytest.mark.any_jax


def costed(cell, call, compiled=False):
    built_run, trace = in_cell(cell, call)
    document = built(program(trace, compiled=True)).document if compiled else built_run.document
    [cost] = document.costs
    return document, cost, [text.replace("\xa0", " ") for text in cost.lead]


def test_a_program_of_functions_has_operations():
    _, cost, lead = costed("@jax.jit\ndef f(x):\n    return jnp.exp(jnp.sin(x))\n", "f(jnp.ones(12))")
    assert (cost.flops, cost.transcendentals) == (0, 24)
    assert lead == [
        "24 transcendental operations per call.",
        "100 % of the transcendental operations are on line 3.",
    ]


def test_operations_on_integers_are_no_floating_point_operations():
    cost_document, _, lead = costed("@jax.jit\ndef f(i):\n    return (i + 1) * 2\n", "f(jnp.arange(12))")
    assert lead == ["24 operations per call.", "100 % of the operations are on line 3."]
    assert cost_text(cost_document).rows == [("3", "return (i + 1) * 2", "24\xa0op", "", "192\xa0B", "100\xa0%")]


def test_the_logarithms_of_a_logarithm_are_most_of_it():
    cell = "@jax.jit\ndef f(x):\n    a = jnp.log(x)\n    b = jnp.log(2.0)\n    return a / b\n"
    cost_document, _, lead = costed(cell, "f(jnp.float32(8))")
    assert lead == [
        "1 operation and 2 transcendental operations per call.",
        "49 % of the operations are on line 3, where a transcendental operation counts as 20 operations.",
    ]
    assert [(row[0], row[-1]) for row in cost_text(cost_document).rows] == [
        ("3", "49\xa0%"),
        ("4", "49\xa0%"),
        ("5", "2\xa0%"),
    ]


def test_the_branch_with_most_work_is_the_most_expensive_one():
    cell = """
@jax.jit
def f(p, x):
    return lax.cond(
        p,
        lambda x: jnp.sin(x),
        lambda x: x * 2 + 1,
        x)
"""
    _, cost, lead = costed(cell, "f(True, jnp.ones(12))", compiled=True)
    assert (cost.flops, cost.transcendentals) == (1, 12)  # the one operation converts the predicate to an index
    assert lead == [
        "1 to 25 operations and 0 to 12 transcendental operations per call.",
        "With the most expensive branches, 100 % of the operations are on line 6, where a transcendental operation "
        "counts as 20 operations.",
    ]
    # XLA takes the maximum over the branches for each number separately, and so does the compared count.
    assert cost.xla.text == "XLA and jupyter_jaxpr both count 25 operations."
    assert cost.xla.differences == []


def test_a_cond_on_one_line_costs_at_most_its_most_expensive_branch():
    cell = "@jax.jit\ndef f(p, x):\n    return lax.cond(p, lambda x: x * 2, lambda x: x + x, x)\n"
    cost_document, cost, _ = costed(cell, "f(True, jnp.ones(8))")
    [row] = cost.by_line
    assert (row.flops, row.flops_min, row.if_taken) == (9, 9, 9)
    assert cost_text(cost_document).rows[0][2] == "9\xa0op"

    cell = "@jax.jit\ndef f(p, x):\n    return lax.cond(p, lambda x: x * 2, lambda x: x + x + x, x) + 1\n"
    cost_document, cost, _ = costed(cell, "f(True, jnp.ones(8))")
    [row] = cost.by_line
    assert (row.flops, row.flops_min, row.if_taken) == (1 + 16 + 8, 1 + 8 + 8, 1 + 16 + 8)
    assert cost_text(cost_document).rows[0][2] == "17 to 25\xa0op"
    assert {row.label: row.if_taken for row in cost.by_primitive} == {"add": 24, "mul": 8, "convert_element_type": 1}


def test_a_row_costs_at_most_what_the_branches_of_nested_conds_allow():
    cell = """
@jax.jit
def f(i, x):
    def deep(x):
        return lax.cond(x[0] > 0, lambda x: x * 2, lambda x: x * x * x, x)
    return lax.fori_loop(0, 3, lambda _, x: lax.switch(i, [deep, jnp.sin, lambda x: x * 2], x), x)
"""
    _, cost, _ = costed(cell, "f(1, jnp.ones(8))")
    assert {row.label: row.if_taken for row in cost.by_primitive if row.label == "mul"} == {"mul": 3 * 16}
    assert (cost.transcendentals, cost.transcendentals_most) == (24, 24)
    assert cost.flops_most == cost.flops + 3 * (16 + 2)  # the branch `deep` also compares and converts


def test_calls_within_calls_of_jax_count_once():
    # std is a jitted function that calls the jitted var, and the equations between the two have no line of the user's.
    cell = "@jax.jit\ndef f(x):\n    return (x - x.mean(0)) / (x.std(0) + 1e-6)\n"
    cost_document, cost, _ = costed(cell, "f(jnp.ones((32, 8)))")
    [row] = cost.by_line
    assert row.flops == row.flops_min == row.if_taken == cost.flops > 1000
    assert "to" not in cost_text(cost_document).rows[0][2]
