"""Tests diffs of a program before and after an edit: each row names a change, and other names alone make no row."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from diff_edits import EDITS, Edit, X, first, looped, looped_with_more, plain, reordered, with_a_term, wrapped
from examples import examples
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.diff.match.key_alignment import Budget, align
from jupyter_jaxpr.document.read.printed_diff_for_scripts import Diff
from jupyter_jaxpr.document.types.diff import DiffRow

pytestmark = pytest.mark.any_jax

SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}


def short(row: DiffRow) -> str:
    """Return a short text for a row: its sign, the primitive or the name, and its changes."""
    side = row.after or row.before
    assert side is not None
    if row.what == "equation":
        name = row.primitive
    elif row.what == "argument":
        name = side.text.split("  ")[-1]
    else:
        name = side.text.split()[0].rstrip(":")
    collected = []
    for change in row.changes:
        values = f" {change.before} -> {change.after}" if change.before or change.after else ""
        collected.append(f"{change.kind} {change.name}".rstrip() + values)
    return f"{SIGNS[row.sign]} {name}" + (f": {', '.join(collected)}" if collected else "")


def rows_of(diff: Diff) -> list[str]:
    return [short(row) for row in diff.document.rows if row.sign != "same"]


def both(edit: Edit) -> tuple[jj.Snapshot, jj.Snapshot]:
    after = edit.arguments if edit.arguments_after is None else edit.arguments_after
    return (
        jj.inspect(edit.before, *edit.arguments, stage="trace"),
        jj.inspect(edit.after, *after, stage="trace"),
    )


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_is_told_as_what_it_did(edit: Edit) -> None:
    before, after = both(edit)
    diff = before.diff(after)
    assert rows_of(diff) == edit.rows
    assert diff.remarks == edit.remarks
    assert bool(diff) == bool(edit.rows)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_taken_back_has_the_same_counts(edit: Edit) -> None:
    before, after = both(edit)
    forward, back = before.diff(after), after.diff(before)
    assert len(back.added) == len(forward.removed)
    assert len(back.removed) == len(forward.added)
    assert len(back.changed) == len(forward.changed)
    assert len(back.moved) == len(forward.moved)
    for diff, left, right in ((forward, before, after), (back, after, before)):
        assert left.equations - len(diff.removed) == right.equations - len(diff.added)


def test_a_diff_is_printed_in_80_columns_with_the_names_of_both_sides() -> None:
    diff = jj.inspect(looped, X, stage="trace").diff(jj.inspect(looped_with_more, X, stage="trace"))
    assert (
        str(diff)
        == """\
--- looped
+++ looped_with_more
1 equation was added. 1 argument or result was changed.

  ... 2 equal lines
    jaxpr: c:f32[8]
    d:f32[8] = sin c
    e:f32[8] = mul d 2.0:f32[]
+   f:f32[8] = add e 1.0:f32[]
~-  return e
~+  return f
      operand 1 is another value in the second program
  return b"""
    )


def test_what_was_wrapped_is_said_once_and_shown_at_both_places() -> None:
    diff = jj.inspect(plain, X, stage="trace").diff(jj.inspect(wrapped, X, stage="trace"))
    # JAX 0.10 also prints these two parameters of the scan.
    assert (
        str(diff).replace(" num_carry=1 num_consts=0", "")
        == """\
--- plain
+++ wrapped
1 equation was added. 4 equations were moved. 1 argument or result was changed.
  4 equations moved into scan (length 4).

  a:f32[8]  x
> line moved from here: b:f32[8] = sin a
> line moved from here: c:f32[8] = mul b 2.0:f32[]
> line moved from here: d:f32[8] = exp c
> line moved from here: e:f32[8] = add d 1.0:f32[]
+ b:f32[8] = scan[length=4 reverse=False unroll=1] a
+   jaxpr: c:f32[8]
>   line moved to here: d:f32[8] = sin c
>   line moved to here: e:f32[8] = mul d 2.0:f32[]
>   line moved to here: f:f32[8] = exp e
>   line moved to here: g:f32[8] = add f 1.0:f32[]
+   return g
~-return e
~+return b
    operand 1 is another value in the second program"""
    )


def test_a_moved_equation_is_one_in_two_places() -> None:
    diff = jj.inspect(first, X, X, stage="trace").diff(jj.inspect(reordered, X, X, stage="trace"))
    (moved,) = diff.moved
    assert (moved.before, moved.after) == ("c:f32[8] = sin a", "d:f32[8] = sin a")
    assert not diff.added and not diff.removed and not diff.changed


def test_saved_snapshots_are_compared_as_live_ones() -> None:
    before, after = (jj.inspect(fun, X, X, stage="trace") for fun in (first, with_a_term))
    saved = jj.Snapshot.from_json(before.to_json()), jj.Snapshot.from_json(after.to_json())
    assert str(saved[0].diff(saved[1])) == str(before.diff(after))


def test_the_program_of_the_same_name_is_the_one_compared() -> None:
    before, after = (jj.inspect(fun, X, X, stage="trace") for fun in (first, with_a_term))
    with pytest.raises(IndexError, match="There is no program 3: this snapshot has 1"):
        before.diff(after, program=3)
    with pytest.raises(ValueError, match="There is no level 'llvm'"):
        before.diff(after, level="llvm")  # type: ignore[arg-type]  # what a user may type
    with pytest.raises(TypeError, match=r"^diff takes a snapshot, not int\. Pass the later snapshot,"):
        before.diff(3)  # type: ignore[arg-type]  # the same


# --- diffs of StableHLO and HLO ---------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["stablehlo", "hlo"])
@pytest.mark.parametrize("edit", EDITS[:3], ids=lambda edit: edit.name)
def test_texts_in_which_only_names_and_numbers_differ_are_equal(edit: Edit, level: str) -> None:
    before, after = (jj.inspect(fun, *edit.arguments) for fun in (edit.before, edit.after))
    diff = before.diff(after, level=level)  # type: ignore[arg-type]  # one of two literals
    assert str(diff).splitlines()[2] == "All lines are equal except for names."


def test_an_added_line_of_stablehlo_renumbers_nothing() -> None:
    before, after = (jj.inspect(fun, X, X, stage="lower") for fun in (first, with_a_term))
    diff = before.diff(after, level="stablehlo")
    assert [row.after.strip() for row in diff.added if row.after is not None] == [
        "%4 = stablehlo.tanh %arg1 : tensor<8xf32>",
        "%5 = stablehlo.add %3, %4 : tensor<8xf32>",
    ]
    assert not diff.removed and not diff.moved
    (result,) = diff.changed
    assert (result.before, result.after) == (
        "    return %3 : tensor<8xf32>",
        "    return %5 : tensor<8xf32>",
    )


def test_a_text_that_was_not_made_is_asked_for_in_a_sentence() -> None:
    traced, compiled = jj.inspect(first, X, X, stage="trace"), jj.inspect(first, X, X)
    expected_text = "This snapshot does not hold the HLO. JAX has not made the text. Inspect with stage='compile'."
    for left, right in ((traced, compiled), (compiled, traced)):
        with pytest.raises(ValueError) as error:
            left.diff(right, level="hlo")
        assert str(error.value) == expected_text


# --- diffs of random programs -----------------------------------------------------------------------------

STEPS = {
    "sin": jnp.sin,
    "cos": jnp.cos,
    "double": lambda value: value * 2.0,
    "shift": lambda value: value + 1.0,
    "called": lambda value: jax.jit(lambda inner: jnp.exp(inner) * 0.5)(value),
    "looped": lambda value: jax.lax.scan(lambda carry, _: (jnp.tanh(carry) + 1.0, None), value, None, length=3)[0],
}
PROGRAMS = st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 4)), min_size=1, max_size=10)


def made(steps: list[tuple[str, int]]) -> jj.Snapshot:
    """Return a program that applies each step to one of its earlier values, and adds two of the values."""

    def program(x: jax.Array) -> jax.Array:
        values = [x]
        for name, back in steps:
            values.append(STEPS[name](values[-1 - back % len(values)]))
        return values[-1] + values[len(values) // 2]

    return jj.inspect(program, X, stage="trace")


@settings(max_examples=examples(25), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(PROGRAMS)
def test_a_program_differs_in_nothing_from_itself_made_again(steps: list[tuple[str, int]]) -> None:
    diff = made(steps).diff(made(steps))
    assert not diff
    assert str(diff).splitlines()[2] == "All equations are equal except for names."


@settings(max_examples=examples(25), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(PROGRAMS, PROGRAMS)
def test_two_programs_differ_in_as_much_both_ways(left: list[tuple[str, int]], right: list[tuple[str, int]]) -> None:
    a, b = made(left), made(right)
    forward, back = a.diff(b), b.diff(a)
    for diff, before, after in ((forward, a, b), (back, b, a)):
        rows_by_side = {"before": 0, "after": 0}
        for row in diff.document.rows:
            if row.what == "equation":
                rows_by_side["before"] += row.before is not None
                rows_by_side["after"] += row.after is not None
        assert rows_by_side["before"] == before.equations
        assert rows_by_side["after"] == after.equations
    assert bool(forward) == bool(back)


KEYS = st.lists(st.integers(0, 3), max_size=12)


def longest(a: list[int], b: list[int]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@settings(max_examples=examples(300))
@given(KEYS, KEYS)
def test_an_alignment_is_the_longest_there_is(a: list[int], b: list[int]) -> None:
    pairs = align(a, b, Budget())
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in zip(pairs, pairs[1:], strict=False))
    assert len(pairs) == longest(a, b)


@given(KEYS, KEYS)
def test_beyond_its_budget_an_alignment_is_still_right(a: list[int], b: list[int]) -> None:
    budget = Budget(steps=0)
    pairs = align(a, b, budget)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in zip(pairs, pairs[1:], strict=False))


def clipped(rule: float):
    @jax.custom_vjp
    def clip(x):
        return jnp.sin(x)

    clip.defvjp(lambda x: (clip(x), x), lambda residual, cotangent: (cotangent * rule * residual,))

    @jax.custom_jvp
    def same(x):
        return x

    same.defjvp(lambda values, tangents: (values[0], tangents[0] * rule))
    return lambda x: jax.nn.relu(same(clip(x)))


def test_what_stands_outside_of_the_equations_is_not_compared_and_the_diff_says_so() -> None:
    def scaled(table, added):
        def call(x):
            jax.debug.callback(lambda value: added, x)
            return jax.pure_callback(lambda value: value + added, x, x) * table

        return call

    eight = np.arange(8, dtype=np.float32)
    before = jj.inspect(scaled(eight, 1), X, stage="trace")
    diff = before.diff(jj.inspect(jax.jit(scaled(eight + 1, 2), donate_argnums=0), X, stage="trace"))
    assert not diff
    assert str(diff) == (
        "--- call\n"
        "+++ call\n"
        "All equations are equal except for names.\n"
        "  The diff does not compare the values of 1 constant: a program holds only the\n"
        "      types of its constants. If the values of a constant change, pass the\n"
        "      constant as an argument.\n"
        "  The diff does not compare the Python functions of pure_callback,\n"
        "      debug_callback: a program does not hold their code.\n"
        "  Calls of the second program donate x. Calls of the first program do not donate\n"
        "      the same arguments."
    )
    # The texts of StableHLO and HLO do not contain the values of large constants, so a remark says so.
    tables = [np.cos(np.arange(80, dtype=np.float32) + offset) for offset in (0, 1)]
    snapshot, after = (jj.inspect(lambda x, table=table: x[0] * table, X) for table in tables)
    for level in ("stablehlo", "hlo"):
        assert str(snapshot.diff(after, level=level)) == (
            "--- <lambda>\n"
            "+++ <lambda>\n"
            "All lines are equal except for names.\n"
            "  The diff does not compare the values of 1 large constant: the texts do not\n"
            "      print the values. If the values of a constant change, pass the constant as\n"
            "      an argument."
        )
    # If only one of the programs has constants or callbacks, the rows show this, so there is no remark.
    assert before.diff(jj.inspect(lambda x: x * 2, X, stage="trace")).remarks == ()


def test_a_weak_literal_is_told_from_a_strong_one() -> None:
    before, after = (jj.inspect(lambda x: x * 2, value, stage="trace") for value in (2.0, jnp.float32(2)))
    [row] = before.diff(after).changed
    assert [(change.kind, change.before, change.after) for change in row.changes] == [
        ("operand", "2.0:f32[]{weak}", "2.0:f32[]"),
        ("weak_type", "weak", "strong"),
    ]


def test_rules_of_custom_derivatives_are_not_compared_and_the_diff_says_so() -> None:
    before, after = jj.inspect(clipped(1.0), X, stage="trace"), jj.inspect(clipped(2.0), X, stage="trace")
    diff = before.diff(after)
    assert rows_of(diff) == []
    # The remark does not name relu, because its derivative rule is JAX's own.
    assert diff.remarks == (
        "The diff does not compare the derivative rules of custom_vjp clip, custom_jvp same: a program holds only the "
        "names of the rules. Compare the programs of jax.grad to see a change of a rule.",
    )
    assert "does not compare" in str(diff)

    # In the programs of the gradients, the rules are equations, so they are compared.
    gradients = [
        jj.inspect(jax.grad(lambda x, rule=rule: clipped(rule)(x).sum()), X, stage="trace") for rule in (1.0, 2.0)
    ]
    assert rows_of(gradients[0].diff(gradients[1])) != []


def test_a_custom_derivative_of_a_library_is_no_remark() -> None:
    snapshot = jj.inspect(lambda x: jax.nn.relu(x) + jax.nn.silu(x), X, stage="trace")
    assert snapshot.diff(snapshot).remarks == ()


def test_a_row_with_very_many_differences_lists_a_thousand_and_counts_the_others() -> None:
    arguments = [np.float32(1)] * 1_202
    before = jj.inspect(lambda *xs: xs, *arguments, stage="trace")
    after = jj.inspect(lambda *xs: xs[::-1], *arguments, stage="trace")
    [row] = [row for row in before.diff(after).document.rows if row.sign == "changed"]
    assert len(row.changes) == 1_001
    assert row.changes[999].text == "operand 1000 is another value in the second program"
    assert row.changes[1_000].text == "202 more differences"
    assert row.after is not None
    assert row.after.text.endswith(", … 202 more results")


def test_the_marks_of_a_row_count_a_character_as_javascript_does() -> None:
    def scaled(x: jax.Array, by: float) -> jax.Array:
        return x * by

    scaled.__name__ = "\U0001d6fd"  # two units in JavaScript
    times = jax.jit(scaled)
    before = jj.inspect(lambda x: times(x, 2.0), X, stage="trace")
    after = jj.inspect(lambda x: times(x, 3.0), X, stage="trace")
    [row] = [row for row in before.diff(after).document.rows if row.sign == "changed"]
    assert row.after is not None
    [start, end] = row.after.marks
    units = row.after.text.encode("utf-16-le")
    assert "\U0001d6fd" in row.after.text[:start]
    assert units[2 * start : 2 * end].decode("utf-16-le") == "3.0:f32[]"
