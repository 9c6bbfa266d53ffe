"""Tests the equations of a line of HLO or StableHLO, stated by XLA or inferred."""

from __future__ import annotations

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jupyter_jaxpr.program.jaxpr.walk import Walk
from jupyter_jaxpr.program.texts.hlo_inference import inferred_origins
from jupyter_jaxpr.program.texts.hlo_instructions import computations, count
from jupyter_jaxpr.program.texts.hlo_of_executable import executable_text, hlo_lines
from jupyter_jaxpr.program.texts.stablehlo_of_lowered import lowered_text, stablehlo_lines
from jupyter_jaxpr.program.texts.text_links import linked, primitives

MODULE = """\
HloModule jit_f, is_scheduled=true

%fused_computation (p0: f32[8], p1: f32[]) -> f32[8] {
  %p0 = f32[8]{0} parameter(0)
  %c = f32[] constant(2)
  %b = f32[8]{0} broadcast(%c), dimensions={}
  ROOT %m = f32[8]{0} multiply(%p0, %b), metadata={op_name="jit(f)/mul"}
}

%body (s: (s32[], f32[8])) -> (s32[], f32[8]) {
  %s = (s32[], f32[8]{0}) parameter(0)
  ROOT %t = (s32[], f32[8]{0}) tuple(%s, %s)
}

ENTRY %main.3 (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0), metadata={op_name="x"}
  %w = (s32[], /*index=1*/f32[8]{0}) while(%x), condition=%cond, body=%body, backend_config={"n":"3"}
  %d = f32[8]{0} conditional(%x), branch_computations={%one, %two}
  ROOT %fusion = f32[8]{0} fusion(%x, %w), kind=kLoop, calls=%fused_computation
}""".split("\n")


def test_a_module_is_read_line_by_line():
    module = computations(MODULE)
    assert [(part.name, part.is_entry, len(part.instructions)) for part in module] == [
        ("fused_computation", False, 4),
        ("body", False, 2),
        ("main.3", True, 4),
    ]
    assert count(MODULE) == 10
    x, w, d, fusion = module[2].instructions
    assert (x.line, x.opcode, x.operands, x.op_name) == (15, "parameter", (), "x")
    assert (w.opcode, w.operands, w.called) == ("while", ("x",), ("cond", "body"))
    assert d.called == ("one", "two")
    assert (fusion.name, fusion.is_root, fusion.called) == ("fusion", True, ("fused_computation",))


def test_lines_that_are_no_instructions_are_left_out():
    assert computations(["not HLO", "  at all", "%f (", "  %a = f32[", "}"]) == []


# --- lines whose equations are inferred ---


def inferred(stated: dict[int, int], only: dict[str, int] | None = None, module: list[str] = MODULE) -> dict[str, int]:
    """Return {name of an instruction: its stack} for the lines of a module whose stack is inferred."""
    stacks = [stated.get(line, -1) for line in range(len(module))]
    origins = inferred_origins(module, stacks, lambda primitive: (only or {}).get(primitive, -1))
    return {module[line].strip().removeprefix("ROOT ").split(" ")[0]: stack for line, stack in origins.items()}


def test_a_fusion_is_where_its_root_is_and_a_literal_where_it_is_used():
    assert inferred({6: 5}) == {"%fusion": 5, "%b": 5}


def test_a_root_is_where_the_only_fusion_is_that_calls_it():
    assert inferred({18: 4}) == {"%m": 4, "%b": 4}


def test_a_root_that_two_fusions_call_stays_unknown():
    text = [*MODULE[:-1], "  %again = f32[8]{0} fusion(%x, %w), kind=kLoop, calls=%fused_computation", "}"]
    assert inferred({18: 4}, module=text) == {}


def test_a_literal_that_two_places_use_stays_unknown():
    collected = [*MODULE[:6], "  %n = f32[8]{0} negate(%b)", *MODULE[6:]]
    assert inferred({6: 1, 7: 2}, module=collected) == {"%fusion": 2}


def test_what_is_no_literal_stays_unknown():
    assert inferred({6: 5}, module=[line.replace("constant(2)", "parameter(1)") for line in MODULE]) == {"%fusion": 5}


PRODUCT = [
    "ENTRY %main (a: f32[4,4]) -> f32[4,4] {",
    "  %a = f32[4,4]{1,0} parameter(0)",
    "  %dot = f32[4,4]{1,0} dot(%a, %a), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    '  %call = f32[4,4]{1,0} custom-call(%a, %a), custom_call_target="__onednn$matmul"',
    '  ROOT %own = f32[4,4]{1,0} custom-call(%a, %a), custom_call_target="mine"',
    "}",
]


def test_a_product_is_where_the_only_product_of_the_program_is():
    assert inferred({}, {"dot_general": 9}, PRODUCT) == {"%dot": 9, "%call": 9}
    assert inferred({}, {}, PRODUCT) == {}


# --- the equations of an instruction ---


def groups(function, *arguments, level="hlo"):
    """Return, for each instruction with a place: its operation, the primitives at the place, and the source lines."""
    traced = jax.jit(function).trace(*arguments)
    walk = Walk()
    scope = walk.program(traced.jaxpr)
    lowered = traced.lower()
    if level == "hlo":
        read = hlo_lines(executable_text(lowered.compile()), walk.positions)
    else:
        read = stablehlo_lines(lowered_text(lowered), walk.positions)
    lines = linked(read, walk, scope, is_hlo=level == "hlo")
    strings, positions = walk.strings.items, walk.positions
    of_stack: dict[int, set[str]] = {}
    for columns in walk.scopes:
        for primitive, stack in zip(columns.primitive, columns.stack, strict=True):
            of_stack.setdefault(stack, set()).add(strings[primitive])
    rows = []
    for number, line in enumerate(lines.text.split("\n")):
        stack = lines.line_stacks[number]
        if stack >= 0 and positions.stacks[stack][0]:
            stacks = [stack, *lines.other_stacks.get(number, ())]
            names = set().union(*(of_stack.get(stack, set()) for stack in stacks))
            rows.append((line.strip(), names, positions.frames[positions.stacks[stack][0][0]]))
    return rows


def of_operation(rows, text):
    (names,) = {frozenset(names) for line, names, _ in rows if text in line}
    return set(names)


def test_each_instruction_of_a_library_s_function_has_its_own_equation():
    rows = groups(lambda x: jax.nn.softmax(x), jnp.ones(8))
    assert "exp" in of_operation(rows, " exponential(")
    assert "div" not in of_operation(rows, " exponential(")
    rows = groups(lambda x: jax.nn.softmax(x), jnp.ones(8), level="stablehlo")
    assert "exp" in of_operation(rows, "stablehlo.exponential")
    assert of_operation(rows, "stablehlo.divide") == {"div"}


def test_expressions_that_begin_at_the_same_column_are_told_apart_by_their_primitive():
    """The sum and its first operand begin at the same column; XLA stores one place for both, with the operand's end."""

    def f(x, a, b):
        return jnp.sin(x @ a + x @ b)

    rows = groups(f, jnp.ones((70, 90)), jnp.ones((90, 80)), jnp.ones((90, 80)))
    assert of_operation(rows, " sine(") == {"sin"}
    assert of_operation(rows, " add(") == {"add"}


def test_places_that_cannot_be_told_apart_are_all_taken():
    def f(x):
        return x * 2.5 * x

    rows = groups(f, jnp.ones(8))
    assert of_operation(rows, " multiply(") == {"mul"}


def test_the_counter_of_a_loop_belongs_to_the_loop():
    def f(x):
        return lax.fori_loop(0, 3, lambda i, c: jnp.sin(c), x)

    rows = groups(f, jnp.ones(8))
    assert of_operation(rows, " while(") == {"scan"}
    assert of_operation(rows, " sine(") == {"sin"}
    assert of_operation(rows, " compare(") == {"scan"}


@pytest.mark.parametrize(
    ("op_name", "expected"),
    [
        ("jit(f)/sin", {"sin"}),
        ("jit(f)/transpose(jvp(g))/mul;jit(f)/broadcast_in_dim", {"mul", "broadcast_in_dim"}),
        ("x", {"x"}),
        ("", {""}),
    ],
)
def test_the_primitives_of_a_name(op_name, expected):
    assert primitives(op_name) == expected


# --- the tagged twin of a program ---


@pytest.mark.parametrize("name", ["control", "scan_of_scan", "vmap_of_grad", "rnn", "losses", "random_numbers"])
def test_every_group_contains_the_equation_that_a_tagged_twin_names(name, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent / "benchmarks")
    import linked_programs
    import links

    counts = links.look_at(getattr(linked_programs, name)())
    assert counts.compared > 20
    assert counts.right == counts.compared
    assert counts.named_right == counts.named > 0
    assert counts.with_line >= 0.8 * counts.instructions


def test_what_a_lowering_makes_of_other_primitives_keeps_its_equation(monkeypatch):
    """Parts of `random_gamma` are lowered to calls of functions that the program also uses elsewhere."""
    monkeypatch.syspath_prepend(Path(__file__).parent / "benchmarks")
    import links

    def f(key, x):
        noise = jax.random.gamma(key, x) + jax.random.normal(key, x.shape)
        y = jax.nn.sigmoid(x) + noise
        z = jax.scipy.special.gammaln(x) + jax.scipy.special.betainc(x, y, x / 2)
        return z + jnp.nonzero(x > 1, size=4)[0].sum()

    counts = links.look_at((f, (jax.random.key(0), jnp.ones(8))))
    assert counts.compared > 500
    assert counts.right >= 0.995 * counts.compared
    assert counts.named_right == counts.named


# --- lines linked to one of several equations ---


def named(function, *arguments):
    """Return, for HLO instructions linked to one of several equations: opcode, primitive, and type of the result."""
    traced = jax.jit(function).trace(*arguments)
    walk = Walk()
    scope = walk.program(traced.jaxpr)
    lines = linked(hlo_lines(executable_text(traced.lower().compile()), walk.positions), walk, scope, is_hlo=True)
    texts = lines.text.split("\n")
    rows = set()
    for line, (number, index) in lines.named.items():
        equation = walk.jaxprs[number].eqns[index]
        types = " ".join(str(outvar.aval.str_short(True)) for outvar in equation.outvars)
        opcode = re.search(r" ([a-z-]+)\(", texts[line])[1]
        rows.add((opcode, equation.primitive.name, types))
    return rows


def test_a_line_is_the_one_equation_with_its_path_and_its_type():
    assert named(lambda x: jax.nn.softmax(x), jnp.ones((4, 8))) == {
        ("broadcast", "sub", "f32[4,8]"),
        ("subtract", "sub", "f32[4,8]"),
        ("exponential", "exp", "f32[4,8]"),
        ("fusion", "exp", "f32[4,8]"),
        ("reduce", "reduce_max", "f32[4]"),
        ("fusion", "reduce_max", "f32[4]"),
        ("reduce", "reduce_sum", "f32[4]"),
    }


def test_the_counter_of_a_scan_is_the_scan_s_though_the_line_adds_too():
    def f(x, w):
        def step(c, _):
            return jnp.tanh(c @ w), None

        return lax.scan(step, x, None, length=3)[0] + x

    rows = named(f, jnp.ones((4, 4)), jnp.ones((4, 4)))
    assert {row for row in rows if row[0] in ("add", "compare", "while")} == {
        ("add", "add", "f32[4,4]"),
        ("add", "scan", "f32[4,4]"),
        ("compare", "scan", "f32[4,4]"),
        ("while", "scan", "f32[4,4]"),
    }


def test_lines_of_several_equations_with_one_path_are_not_named():
    def f(x):
        for _ in range(4):
            x = jnp.sin(x) * 2
        return x

    assert named(f, jnp.ones(8)) == set()


def test_what_a_lowering_makes_is_not_taken_for_an_equation_of_its_primitive():
    """For a uniform number, JAX makes many shifts and additions that are no equations of the program."""
    rows = named(lambda key: jax.random.uniform(key, (8,)), jax.random.key(0))
    assert {types for opcode, _, types in rows if opcode == "xor"} == set()
    assert {primitive for opcode, primitive, _ in rows if opcode == "subtract"} <= {"sub"}
