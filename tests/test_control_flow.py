"""Tests the cards of control flow: one for each construct, with the name the user called, equal on both JAX lines."""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from observed import built, in_cell, program, traced

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.check.validate import validate
from jupyter_jaxpr.document.copies.saved_copy import saved_copy
from jupyter_jaxpr.document.limits import Sent
from jupyter_jaxpr.program.control_flow import EquationCards, Step

sys.path.insert(0, str(Path(__file__).parent / "control_flow"))

import golden  # this module is in the folder of the golden files
from programs import PROGRAMS  # this module is in the folder of the golden files

X = np.float32(1)
KEY = jax.random.key(0)
XS = np.zeros(5, np.float32)


def cards(function, *arguments):
    return jj.inspect(function, *arguments, stage="trace").control_flow


# --- the golden cards -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_cards_are_made_as_before(name):
    document = golden.document_of(name).document
    validate(document)
    assert [note.text for note in document.notes if note.kind == "failed"] == []
    expected = golden.golden_path(name).read_text(encoding="utf-8")
    assert golden.cards_text(document) == expected, "python tests/control_flow/golden.py writes them, on both lines"


@pytest.mark.parametrize("name", golden.DIFFERENT)
def test_a_card_differs_between_the_lines_of_jax_only_where_their_programs_do(name):
    texts = [path.read_text(encoding="utf-8") for path in sorted(golden.GOLDEN.glob(f"{name}-*.txt"))]
    assert len(texts) == 2 and texts[0] != texts[1]
    kinds = [[line for line in text.splitlines() if " (" in line and line[0] != " "] for text in texts]
    assert kinds[0] == kinds[1]


@pytest.mark.any_jax
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_way_to_a_card_leads_to_its_equation(name):
    built_run = golden.document_of(name)
    document = built_run.document
    for index, card in enumerate(document.control_flow):
        path = built_run.sources.control_path(index)
        jaxpr = built_run.sources.observed(path.program).jaxpr
        for step in path.steps:
            jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
            inner = jaxpr.eqns[step.equation].params[step.parameter]
            jaxpr = inner if step.position < 0 else inner[step.position]
        equation = getattr(jaxpr, "jaxpr", jaxpr).eqns[path.equation]
        scope = document.scopes[card.scope]
        assert equation.primitive.name == document.strings[scope.primitive[card.equation]]
        if card.primitive:
            assert equation.primitive.name == card.primitive


@pytest.mark.any_jax
@pytest.mark.parametrize("name", PROGRAMS)
def test_operands_and_branches_are_those_of_the_equation(name):
    document = golden.document_of(name).document
    for card in document.control_flow:
        scope = document.scopes[card.scope]
        if card.primitive in ("scan", "while"):
            operands = [slot.operand for slot in card.slots if slot.role != "ys"]
            assert operands == scope.operands[card.equation]
        if card.primitive == "cond":
            branch_operands = [slot.operand for slot in card.slots if slot.role == "operand"]
            assert [card.predicate, *branch_operands] == scope.operands[card.equation]
            inside = [child.scope for child in scope.children if child.equation == card.equation]
            assert [branch.scope for branch in card.branches] == inside


# --- tests of control flow as scripts read it -----------------------------------------------------------


def test_a_script_reads_a_scan():
    def rnn(p, xs):
        def step(h, x):
            h = jnp.tanh(x @ p["wx"] + h @ p["wh"] + p["b"])
            return h, h

        return lax.scan(step, jnp.zeros(16), xs)

    (card,) = cards(rnn, {"wx": np.zeros((8, 16)), "wh": np.zeros((16, 16)), "b": np.zeros(16)}, np.zeros((100, 8)))
    assert (card.kind, card.primitive, card.name, card.depth, card.trips) == ("scan", "scan", "step", 0, 100)
    assert card.file == __file__
    assert Path(__file__).read_text().splitlines()[card.line - 1].strip() == "return lax.scan(step, jnp.zeros(16), xs)"
    assert card.carry == (("h", "f32[16]", "f32[16]"),)
    assert card.consts == (("p['wx']", "f32[8,16]"), ("p['wh']", "f32[16,16]"), ("p['b']", "f32[16]"))
    assert card.xs == (("xs", "f32[8]", "f32[100,8]"),)
    assert card.ys == (("h", "f32[16]", "f32[100,16]"),)
    assert (card.step_flops, card.library, card.called_by, card.branches) == (800, False, None, ())


def test_a_script_reads_a_cond_false_first():
    def loud(x):
        return x * 2

    def quiet(x):
        return x

    (card,) = cards(lambda x: lax.cond(x > 0, loud, quiet, x), X)
    assert [(branch.label, branch.name, branch.equations) for branch in card.branches] == [
        ("False", "quiet", 0),
        ("True", "loud", 1),
    ]
    assert (card.predicate, card.choice) == ("x > 0", "branch")


def test_a_predicate_that_is_one_of_several_results_has_the_name_of_the_result():
    def pay(path):
        alive, _ = lax.scan(lambda alive, price: (alive & (price < 120.0), price), True, path)
        return lax.cond(alive, lambda p: p, lambda p: 0.0, path[-1])

    assert cards(pay, np.zeros(4, np.float32))[1].predicate == "alive"


@pytest.mark.parametrize(
    ("construct", "constant", "kind"),
    [
        (lambda x: lax.cond(False, jnp.sin, jnp.cos, x), "False", "cond"),
        (lambda x: lax.switch(2, [jnp.sin, jnp.cos, jnp.tan], x), "2", "switch"),
    ],
)
def test_a_branch_that_a_constant_chooses(construct, constant, kind):
    """A constant is no argument: to make it static changes nothing."""
    (card,) = cards(construct, X)
    assert (card.choice, card.choice_reason) == (
        "flag",
        f"{constant} is a constant in the code, so the {kind} takes the same branch in each run. Python's if or match "
        "needs no program for the other branches.",
    )


@pytest.mark.parametrize(
    ("cell", "choices"),
    [
        ("lax.cond(jnp.sum(jnp.ones(3)) > 2, lambda: 1.0, lambda: 2.0)", ["branch"]),
        ("lax.cond(True, lambda: 1.0, lambda: 2.0)", ["flag"]),
        # the variable may have a number of Python or an array
        ("s = 1\nlax.switch(s, [lambda x: x, lambda x: x * 2], 5.0)", [None]),
        ("lax.fori_loop(0, 50, lambda i, x: x * 2, 1.0)", ["long"]),
    ],
)
def test_the_row_of_a_construct_outside_of_jit(notebook, cell, choices):
    """The predicate is an input of the program of the construct, but no argument of a function of the user's."""
    cards = notebook.run(f"%%jaxpr\n{cell}").document["control_flow"]
    assert [card.get("choice") for card in cards] == choices


def test_a_construct_that_a_transform_makes_outside_of_jit_has_no_row(notebook):
    notebook.run("def body(c, _):\n    return jnp.sin(c), None\ndef f(x): return lax.scan(body, x, None, length=3)[0]")
    document = notebook.run("%%jaxpr\nslope = jax.grad(f)(1.0)").document
    made = {number for number, program in enumerate(document["programs"]) if "derived" in (program["how"] or "")}
    assert made
    assert [card.get("choice") for card in document["control_flow"] if card["program"] in made] == [None, None]


def test_the_index_and_the_bound_of_a_fori_loop_are_not_of_the_users_carry():
    (traced_bound,) = cards(lambda n, x: lax.fori_loop(0, n, lambda i, x: x + i, x), 3, X)
    assert (traced_bound.primitive, traced_bound.trips) == ("while", None)
    assert traced_bound.carry == (("x", "f32[]", "f32[]"),)
    assert (traced_bound.lower, traced_bound.upper) == ("0", "n")
    (fixed,) = cards(lambda x: lax.fori_loop(1, 4, lambda i, x: x + i, x), X)
    assert (fixed.primitive, fixed.trips, fixed.lower, fixed.upper) == ("scan", 3, "1", "4")
    assert fixed.carry == (("x", "f32[]", "f32[]"),)


def test_named_scopes_are_no_control_flow_for_a_script_and_what_they_hold_is_at_its_own_depth():
    @jax.jit
    def inner(x):
        return lax.while_loop(lambda x: x < 10, lambda x: x * 2, x)

    def outer(x):
        return lax.fori_loop(0, 3, lambda i, x: inner(x), x)

    outermost, loop = cards(outer, X)
    assert [(card.kind, card.depth, card.parent, card.part) for card in (outermost, loop)] == [
        ("fori_loop", 0, None, ""),
        ("while_loop", 1, 0, "body"),
    ]


def test_a_loop_that_no_line_of_the_users_called_is_the_librarys():
    cards_of_program = cards(lambda rates: jax.random.poisson(jax.random.key(0), rates), XS)
    assert {(card.kind, card.library, card.called_by) for card in cards_of_program} == {
        ("while_loop", True, "jax.random.poisson")
    }


def test_cards_are_in_the_order_of_the_source():
    def late(x):
        return lax.fori_loop(0, 3, lambda i, x: x + i, x)

    def f(x):
        y, _ = lax.scan(lambda y, _: (y * 2, None), x, None, length=2)
        return lax.cond(y > 0, late, lambda x: x, y)

    assert [card.kind for card in cards(f, X)] == ["scan", "cond", "fori_loop"]
    assert [card.line for card in cards(f, X)] == sorted(card.line for card in cards(f, X) if card.depth == 0) + [
        card.line for card in cards(f, X) if card.depth == 1
    ]


def test_what_the_stepper_cannot_reach_says_so():
    def solved(b):
        def matrix(x):
            return lax.fori_loop(0, 3, lambda i, x: x * 2, x)

        return lax.custom_linear_solve(matrix, b, lambda matvec, b: matvec(b) / 64, symmetric=True)

    def decided(x):
        return lax.while_loop(lambda x: lax.fori_loop(0, 3, lambda i, x: x * 2, x) < 10, lambda x: x + 1, x)

    inside, *_ = built(program(traced(solved, X))).document.control_flow
    assert inside.steppable == (
        "The construct is inside custom_linear_solve, which the stepper does not enter. Step through a copy of the "
        "construct outside custom_linear_solve."
    )
    loop, condition = built(program(traced(decided, X))).document.control_flow
    assert (loop.kind, loop.steppable, condition.parent_part) == ("while_loop", None, "condition")
    assert condition.steppable == (
        "The construct is in the condition of a while loop, which the stepper does not enter. "
        "Step through the loop itself."
    )


def test_a_library_function_as_the_body_of_a_users_loop_is_the_librarys():
    built_run = built(program(traced(lambda rates: lax.map(lambda rate: jax.random.poisson(KEY, rate), rates), XS)))
    mapped, *inside = built_run.document.control_flow
    assert (mapped.kind, mapped.library) == ("map", None)
    assert {card.library for card in inside} == {"jax.random.poisson"}


# --- tests of cards in a notebook -----------------------------------------------------------------------


def test_in_a_cell_the_users_text_is_that_of_the_cell():
    built_run, _ = in_cell(
        "\n".join(
            [
                "%%jaxpr",
                "@jax.jit",
                "def größe(x):",
                "    y = lax.cond(x > 0, lambda x: x, lambda x: -x, x)",
                "    return lax.while_loop(lambda z: z < 10., lambda z: z * 2, y)",
            ]
        ).replace("%%jaxpr", "# a comment"),
        "größe(1.)",
    )
    cond, loop = built_run.document.control_flow
    frames = built_run.document.frames
    assert (cond.predicate_text, frames[cond.frame].line) == ("x > 0", 4)
    assert [slot.path for slot in cond.slots] == ["x", "y"]
    assert (loop.condition_text, frames[loop.frame].line) == ("z < 10.", 5)
    assert [slot.path for slot in loop.slots] == ["z"]


def test_source_that_is_gone_leaves_what_jax_knows():
    space = {"lax": lax}
    text = "def f(xs):\n    return lax.scan(lambda h, x: (h + x, h), 0., xs)\n"
    exec(compile(text, "/gone/away.py", "exec"), space)
    (card,) = built(program(traced(space["f"], XS))).document.control_flow
    assert [(slot.role, slot.path) for slot in card.slots] == [("carry", "h"), ("xs", "xs"), ("ys", "")]


# --- the number of steps of a while loop -------------------------------------------------------


def counting(x):
    return lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x))


def counting_to(n, x):
    """Count up to n + 1; the bound is an equation of the jaxpr, and a constant for XLA."""
    return lax.while_loop(lambda c: c[0] < lax.add(n, 1), lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x))


def test_a_while_that_counts_from_a_constant_to_a_constant_has_its_steps():
    (card,) = built(program(traced(counting, X))).document.control_flow
    assert (card.trips, card.trips_from, card.choice) == (10, "bounds", None)
    assert card.facts == [
        "The loop counts from a constant to a constant, so the loop always takes 10 steps. Reverse-mode grad does "
        "not work through a while loop, but works through a scan of this length."
    ]
    (never,) = cards(lambda x: lax.while_loop(lambda c: c[0] < -3, lambda c: (c[0] + 1, c[1] * x), (0, x)), X)
    assert (never.trips, never.choice, never.facts) == (
        0,
        None,
        ("The loop has no steps: the carry comes out unchanged.",),
    )


def test_a_counter_that_its_type_does_not_hold_tells_no_steps():
    def counting_by(step, bound, dtype):
        begin = dtype(0)
        return cards(lambda x: lax.while_loop(lambda c: c[0] < bound, lambda c: (c[0] + step, c[1] * x), (begin, x)), X)

    ((fitting,), (wrapped,)) = counting_by(np.int8(20), np.int8(120), np.int8), counting_by(np.int8(50), 120, np.int8)
    # i takes the values 0, 50, 100, -106, because an int8 wraps around
    assert (fitting.trips, wrapped.trips) == (6, None)
    ((first,), (second,)) = counting_by(np.uint8(5), 250, np.uint8), counting_by(np.uint8(7), 250, np.uint8)
    assert (first.trips, second.trips) == (50, 36)


def test_a_while_has_the_trips_that_xla_counted_where_its_text_is_held_anyway():
    (card,) = built(program(traced(lambda x: counting_to(8, x), X), compiled=True)).document.control_flow
    assert (card.trips, card.trips_from, card.choice) == (9, "xla", None)
    assert card.facts == [
        "XLA found that the loop always takes 9 steps. Reverse-mode grad does not work through a while loop, but "
        "works through a scan of this length."
    ]


def test_nothing_is_compiled_for_a_trip_count():
    (card,) = built(program(traced(lambda x: counting_to(8, x), X))).document.control_flow
    assert (card.trips, card.trips_from, card.choice) == (None, None, "open")


def test_two_loops_on_one_line_that_xla_counts_apart_are_not_mixed_up():
    def both(x):
        return counting_to(10, x), counting_to(20, x)

    document = built(program(traced(both, X), compiled=True)).document
    assert [card.trips for card in document.control_flow] == [None, None]


# --- failures, and large programs -----------------------------------------------------------------------


def test_a_construct_that_cannot_be_read_hides_no_other(monkeypatch):
    read = EquationCards.control

    def broken(self, place, primitive, *arguments):
        if primitive == "while":
            raise RuntimeError("another JAX")
        return read(self, place, primitive, *arguments)

    monkeypatch.setattr(EquationCards, "control", broken)

    def f(x):
        x = lax.while_loop(lambda x: x < 10, lambda x: x * 2, x)
        return lax.cond(x > 0, lambda x: x, lambda x: -x, x)

    document = built(program(traced(f, X))).document
    assert [card.kind for card in document.control_flow] == ["cond"]
    (note,) = [note for note in document.notes if note.kind == "failed"]
    assert "another JAX" in note.detail


def test_a_scope_called_twice_has_its_cards_twice_each_by_its_own_way():
    @jax.jit
    def inner(x):
        return lax.fori_loop(0, 3, lambda i, x: x + i, x)

    def f(x):
        y = inner(x)
        return inner(y)

    built_run = built(program(traced(f, X)))
    loops = [index for index, card in enumerate(built_run.document.control_flow) if card.kind == "fori_loop"]
    first, second = (built_run.sources.control_path(index) for index in loops)
    assert (first.steps, second.steps) == ((Step(0, "jaxpr", -1),), (Step(1, "jaxpr", -1),))


def test_each_scan_of_a_transformers_training_step_has_a_card():
    document = built(program(traced(*transformer_step()))).document
    scans = [card for card in document.control_flow if card.kind == "scan"]
    assert (len(scans), {card.depth for card in scans}) == (48, {0, 1})


def transformer_step(layers=12, width=32):
    """Return a training step with 12 layers, in each of which the attention is a scan inside of a scan."""
    square, wide, narrow = (np.ones(shape, np.float32) for shape in ((width, width), (width, 128), (128, width)))
    layer = {"q": square, "k": square, "v": square, "up": wide, "down": narrow}

    def attention(p, x):
        q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]

        def row(_, query):
            def column(carry, pair):
                weight, total = carry
                key, value = pair
                score = jnp.exp(query @ key)
                return (weight + score, total + score * value), None

            (weight, total), _ = lax.scan(column, (0.0, jnp.zeros(width)), (k, v))
            return None, total / weight

        return lax.scan(row, None, q)[1]

    def loss(parameters, x):
        for p in parameters:
            x = x + attention(p, x)
            x = x + jax.nn.relu(x @ p["up"]) @ p["down"]
        return x.sum()

    def step(parameters, x):
        value, gradients = jax.value_and_grad(loss)(parameters, x)
        return value, jax.tree.map(lambda p, g: p - 1e-3 * g, parameters, gradients)

    return step, [dict(layer) for _ in range(layers)], np.ones((8, width), np.float32)


def test_a_program_of_very_many_constructs_has_the_first_and_says_so():
    def f(x):
        for _ in range(400):
            x, _ = lax.scan(lambda x, _: (x * 2, None), x, None, length=2)
        return x

    document = built(program(traced(f, X))).document
    validate(document)
    assert len(document.control_flow) == 300
    (note,) = [note for note in document.notes if note.kind == "control_flow_cut"]
    assert note.text == "f0 has more than 300 control-flow constructs. Only the first 300 have a card."


def test_sharing_that_doubles_at_every_level_stays_small():
    def twice(function):
        return jax.jit(lambda x: function(function(x)))

    function = jax.jit(lambda x: lax.cond(x > 0, lambda x: x, lambda x: -x, x))
    for _ in range(30):
        function = twice(function)
    # This would take 2**30 steps if each call examined the called program again.
    document = built(program(traced(function, X))).document
    assert len(document.control_flow) == 300


def test_a_program_that_is_sent_in_pages_has_all_its_cards(monkeypatch):
    monkeypatch.setattr(Sent, "WHOLE_PROGRAM", 50)
    monkeypatch.setattr(Sent, "FIRST_PAGE", 10)

    def f(x):
        for _ in range(60):
            x = jnp.sin(x)
        return lax.while_loop(lambda x: x < 10, lambda x: x * 2, x)

    document = built(program(traced(f, X))).document
    validate(document)
    assert not document.programs[0].complete
    (card,) = document.control_flow
    assert (card.kind, card.equation, card.condition_text) == ("while_loop", 60, "x < 10")


@pytest.mark.parametrize("limit", [40_000, 20_000, 8_000, 3_000])
def test_a_saved_copy_that_is_cut_keeps_cards_whose_every_index_holds(limit):
    document = golden.document_of("diffrax_solve").document
    copy = saved_copy(document, limit)
    validate(copy)
    assert len(copy.control_flow) in (0, len(document.control_flow))
    for before, after in zip(document.control_flow, copy.control_flow, strict=False):
        assert before.kind == after.kind
        assert [slot.path for slot in before.slots] == [slot.path for slot in after.slots]
        types = [
            [owner.avals[slot.whole].text for slot in card.slots] for owner, card in ((document, before), (copy, after))
        ]
        assert types[0] == types[1]
