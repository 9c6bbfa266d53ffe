"""Tests exact links: a tagged twin of a program is compiled, and its instructions name the equations they come from."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import textwrap
import threading
from collections import Counter

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.experimental import io_callback
from observed import built, in_cell, program, traced

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.texts.questions_before_compiling import exact_links_question
from jupyter_jaxpr.measure.compiled_again import compile_for_exact_links
from jupyter_jaxpr.observe.observation import ObservedProgram, StageTimes
from jupyter_jaxpr.program.jaxpr.walk import Walk
from jupyter_jaxpr.program.texts.lines_of_tagged_copy import differing, exact_lines
from jupyter_jaxpr.program.texts.tags_of_tagged_copy import equations_named, tagged, untagged
from jupyter_jaxpr.scripts.exact_links_for_scripts import ExactLinks
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Working

# --- the tags of a twin ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "equations", "without"),
    [
        ("jit(f)/~~0.3~/sin", [(0, 3)], "jit(f)/sin"),
        ("jit(f)/layer~0.12~/dot_general", [(0, 12)], "jit(f)/layer/dot_general"),
        ("jit(f)/jvp~0.1~()/mul", [(0, 1)], "jit(f)/jvp()/mul"),
        ("jit(f)/transpose~0.1~(jvp(layer))/mul", [(0, 1)], "jit(f)/transpose(jvp(layer))/mul"),
        # In the body of a loop, the last tag counts: that of the inner equation.
        ("jit(f)/~~0.1~/while/body/~~2.5~/add", [(2, 5)], "jit(f)/while/body/add"),
        ("jit(f)/jvp~0.1~(while)/body/eval_jaxpr~2.5~/add", [(2, 5)], "jit(f)/jvp(while)/body/eval_jaxpr/add"),
        # The equation 1.0 has no name stack, and is inside of the parentheses of a transform, so the scopes after it
        # belong into the parentheses, too.
        ("jit(f)/jvp~0.6~(~~1.0~)/jit(clip)/~~2.0~/min", [(2, 0)], "jit(f)/jvp(jit(clip))/min"),
        ("jit(f)/jvp~0.6~(~~1.0~)/min", [(1, 0)], "jit(f)/jvp()/min"),
        # XLA merged two instructions into one, whose name lists both.
        ("jit(f)/~~0.3~/sin;jit(f)/~~0.4~/cos", [(0, 3), (0, 4)], "jit(f)/sin;jit(f)/cos"),
        ("jit(f)/~~0.8~", [(0, 8)], "jit(f)"),
        ("jit(f)/sin", [], "jit(f)/sin"),
        ("~/x~y~ 1.2", [], "~/x~y~ 1.2"),
    ],
)
def test_a_name_says_its_equations_and_reads_without_them_as_it_would(name, equations, without):
    assert (equations_named(name), untagged(name)) == (equations, without)


def test_a_twin_is_the_same_program_but_for_its_name_stacks():
    def f(x):
        inner = jax.jit(lambda y: jnp.sin(y) * 2)
        return inner(x) + lax.cond(x[0] > 0, inner, jnp.cos, x)

    trace = traced(f, jnp.ones(3))
    walk = Walk()
    twin = tagged(walk, walk.program(trace.jaxpr), trace.jaxpr)
    assert str(twin) == str(trace.jaxpr)
    # If calls share one jaxpr object in the program, they share one in the twin, so that JAX lowers it only once.
    (first, *further) = [eqn.params["jaxpr"] for eqn in twin.eqns if eqn.primitive.name in ("jit", "pjit")]
    assert all(jaxpr is first for jaxpr in further)
    assert [str(eqn.source_info.name_stack) for eqn in first.eqns] == ["~~1.0~", "~~1.1~"]


def test_only_the_program_that_was_walked_has_a_twin():
    walk = Walk()
    scope = walk.program(traced(jnp.sin, 1.0).jaxpr)
    with pytest.raises(ValueError, match="is not the program that jupyter_jaxpr read"):
        tagged(walk, scope, traced(jnp.cos, 1.0).jaxpr)


def test_what_xla_states_no_equation_for_is_inferred_where_others_tell():
    trace = traced(lambda a, x: jnp.sin(a @ x) * 2, jnp.ones((4, 4)), jnp.ones((4, 4)))
    walk = Walk()
    scope = walk.program(trace.jaxpr)
    text = """\
HloModule jit_f

%fused_computation (param_0: f32[4,4]) -> f32[4,4] {
  %param_0 = f32[4,4]{1,0} parameter(0)
  %constant = f32[] constant(2)
  %broadcast = f32[4,4]{1,0} broadcast(%constant), dimensions={}
  ROOT %mul.0 = f32[4,4]{1,0} multiply(%param_0, %broadcast), metadata={op_name="jit(f)/~~0.2~/mul"}
}

ENTRY %main.1 (a: f32[4,4], x: f32[4,4]) -> f32[4,4] {
  %dot.1 = f32[4,4]{1,0} dot(%a, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %other = f32[4,4]{1,0} negate(%dot.1)
  ROOT %fusion = f32[4,4]{1,0} fusion(%other), kind=kLoop, calls=%fused_computation
}"""
    links = exact_lines(text, walk, scope, "hlo")
    # Three links are inferred: the only product, the fusion with this root, and the literal that the product uses. For
    # the negation no link can be inferred.
    assert links.equations == {5: ((0, 2),), 6: ((0, 2),), 10: ((0, 0),), 12: ((0, 2),)}
    assert links.lines.inferred == [5, 10, 12]
    assert links.instructions == (5, 6, 10, 11, 12)
    assert 'op_name="jit(f)/mul"' in links.lines.text


def test_texts_differ_by_more_than_names_and_metadata():
    line = '  %sin.3 = f32[8]{0} sine(%x), metadata={op_name="jit(f)/a}{\\"b" stack_frame_id=3}'
    line_of_twin = '  %sin = f32[8]{0} sine(%param_0.1), metadata={op_name="jit(f)/sin"}'
    assert differing([line], [line_of_twin]) == 0
    assert differing([line, "  %c = f32[] constant(0)"], [line_of_twin]) == 1
    assert differing([line], [line_of_twin.replace("sine", "cosine")]) == 1


# --- the exact links of instructions --------------------------------------------------------------------------


def exact(function, *arguments, **jitted) -> ExactLinks:
    return jj.inspect(jax.jit(function, **jitted), *arguments).exact_links()


def primitives(links: ExactLinks, opcode: str) -> list[tuple[str, ...]]:
    """Return, for each HLO instruction with this opcode, the primitives of its equations."""
    return [line.primitives for line in links.hlo if f" {opcode}(" in line.text]


def assert_same(links: ExactLinks) -> None:
    assert [(level.name, level.same) for level in links.levels] == [("stablehlo", True), ("hlo", True)]
    assert not any("~" in line.text for line in (*links.stablehlo, *links.hlo))
    assert all(level.instructions >= level.linked >= level.single > 0 for level in links.levels)
    assert links.levels[0].linked >= 0.7 * links.levels[0].instructions


def test_equations_of_one_line_are_told_apart():
    def f(x):
        return jnp.sin(jnp.sin(x)) + jnp.sin(x)

    links = exact(f, jnp.ones(8))
    assert_same(links)
    # By its source line, each instruction would be linked to all three equations.
    assert sorted(line.equations for line in links.hlo if " sine(" in line.text) == [((0, 0),), ((0, 1),)]
    sines = [line.equations for line in links.stablehlo if "stablehlo.sine" in line.text]
    assert sines == [((0, 0),), ((0, 1),), ((0, 2),)]
    assert [line.primitives for line in links.stablehlo if "stablehlo.add" in line.text] == [("add",)]


def test_a_scan_and_what_is_inside_of_it():
    def f(x, ys):
        return lax.scan(lambda c, y: (jnp.sin(c) * y + jnp.cos(c) * y, c), x, ys)

    links = exact(f, 1.0, jnp.ones(5))
    assert_same(links)
    assert primitives(links, "sine") == [("sin",)]
    assert primitives(links, "cosine") == [("cos",)]
    assert primitives(links, "while") == [("scan",)]
    products = [line.equations for line in links.hlo if " multiply(" in line.text]
    assert len(set(products)) == 2  # two products of one source line have different equations
    assert {scope for ((scope, _),) in products} == {1}


def test_the_branches_of_a_condition():
    def f(p, x):
        return lax.cond(p, lambda x: jnp.sin(x) * 2, lambda x: jnp.exp(x) - 1, x)

    links = exact(f, True, jnp.ones(8))
    assert_same(links)
    assert primitives(links, "conditional") == [("cond",)]
    (sine,) = (line.equations for line in links.hlo if " sine(" in line.text)
    (exponential,) = (line.equations for line in links.hlo if " exponential(" in line.text)
    assert {sine[0][0], exponential[0][0]} == {1, 2}  # the scopes differ


def test_a_gradient():
    def loss(w, x):
        return jnp.sum(jnp.tanh(x @ w) ** 2)

    links = exact(jax.grad(loss), jnp.ones((8, 4)), jnp.ones((16, 8)))
    assert_same(links)
    assert primitives(links, "tanh") == [("tanh",)]
    products = [line for line in links.stablehlo if "dot_general" in line.text]
    assert [product.primitives for product in products] == [("dot_general",), ("dot_general",)]
    assert products[0].equations != products[1].equations  # one is the forward product, the other the backward product


def test_a_function_that_is_called_twice_is_one():
    @jax.jit
    def inner(x):
        return jnp.sin(x) * 2

    links = exact(lambda x: inner(x) + inner(inner(x)), jnp.ones(8))
    assert_same(links)
    assert {line.equations for line in links.hlo if " sine(" in line.text} == {((1, 0),)}


def test_custom_derivatives():
    @jax.custom_vjp
    def clipped(x):
        return jnp.minimum(x, 1.0) * 3

    clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (jnp.where(x < 1, g, jnp.sin(g * x)),))

    links = exact(jax.grad(lambda x: clipped(x).sum()), jnp.ones(8))
    assert links.levels[1].same
    assert primitives(links, "sine") == [("sin",)]
    assert_same(exact(lambda x: clipped(x), jnp.ones(8)))


def test_donated_arguments_unused_ones_and_static_ones():
    def f(x, unused, kind):
        return x * 2 if kind == "double" else x

    arguments = jnp.ones(8), jnp.ones(3), "double"
    donated = exact(f, *arguments, donate_argnums=0, static_argnums=2)
    assert_same(donated)
    assert "input_output_alias={ {}: (0, {}, may-alias) }" in donated.hlo[0].text
    assert "entry_computation_layout={(f32[8]{0})->f32[8]{0}}" in donated.hlo[0].text
    unpruned = exact(f, *arguments, keep_unused=True, static_argnums=2)
    assert_same(unpruned)
    assert "entry_computation_layout={(f32[8]{0}, f32[3]{0})->f32[8]{0}}" in unpruned.hlo[0].text


def test_values_of_64_bits():
    with jax.enable_x64(True):
        snapshot = jj.inspect(lambda x: jnp.sin(x) * 2, jnp.ones(8))
    links = snapshot.exact_links()  # at this point, 64-bit types are disabled again
    assert_same(links)
    assert "f64[8]" in links.hlo[0].text


def test_random_numbers_and_what_a_library_makes_come_from_equations_too():
    links = exact(lambda key: jax.random.normal(key, (8,)), jax.random.key(0))
    assert links.levels[0].same
    assert links.levels[1].same
    assert links.levels[1].linked >= 0.8 * links.levels[1].instructions


CORNERS = {
    "a captured constant": lambda x: x.sum() * jnp.sin(LARGE),
    "a callback": lambda x: jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct((8,), jnp.float32), x) * 2,
    "an ordered effect": lambda x: io_callback(lambda a: None, None, x, ordered=True) or x * 2,
    "a checkpoint": jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()),
    "a while loop": lambda x: lax.while_loop(lambda v: v.sum() < 100, lambda v: v * 2 + 1, x),
    "a switch": lambda x: lax.switch(x[0].astype(int), [jnp.sin, jnp.cos, jnp.tan], x),
    "a sort": jnp.argsort,
    "a linear solve": lambda x: jnp.linalg.solve(jnp.outer(x, x) + jnp.eye(8), x),
    "jax.numpy's own that JAX translates": lambda x: jnp.unique(jnp.searchsorted(x, x), size=3),
    "a scatter": lambda x: x.at[jnp.array([1, 2])].add(3.0),
    "a vmap of a scan": jax.vmap(lambda x: lax.scan(lambda c, t: (jnp.sin(c) + t, c), x, jnp.arange(3.0))[0]),
    "a name of the user's": lambda x: jax.named_call(jnp.sin, name="step/(a)~")(x) * 2,
}
LARGE = jnp.arange(1000.0)


@pytest.mark.parametrize("corner", CORNERS)
def test_the_twin_is_what_the_program_is(corner):
    links = exact(CORNERS[corner], jnp.ones(8))
    assert [level.same for level in links.levels] == [True, True], [level.words for level in links.levels]
    assert links.levels[1].linked >= 0.6 * links.levels[1].instructions


def test_the_programs_of_a_linear_solve_are_told_apart():
    def solved(a, b):
        return lax.custom_linear_solve(lambda v: a @ v, b, lambda _, b: jnp.sin(b) / jnp.cos(a[0]), symmetric=True)

    links = exact(solved, jnp.eye(4), jnp.ones(4))
    assert_same(links)
    assert primitives(links, "sine") == [("sin",)]
    assert primitives(links, "cosine") == [("cos",)]


@pytest.mark.skipif(jax.__version_info__ < (0, 11), reason="JAX 0.10 has no primitives that hold functions")
def test_what_jax_would_translate_by_the_users_python_has_no_twin():
    def root(a):
        return lax.custom_root(lambda x: x**2 - a, a, lambda f, x: x - f(x), lambda g, y: y / g(1.0))

    with pytest.raises(ValueError) as raised:
        exact(root, 2.0)
    assert str(raised.value) == (
        "JAX could not lower the tagged copy of the program (TypeError: to lower the program again, JAX would run the "
        "Python of user-defined types or functions). The links that the panel already shows do not change."
    )


def test_a_program_without_equations_has_a_twin_too():
    links = exact(lambda x: x, jnp.ones(8))
    assert [(level.same, level.linked) for level in links.levels] == [(True, 0), (True, 0)]
    assert str(links).endswith("0 of 0 equations have an instruction in the HLO.")


@pytest.mark.any_jax
def test_two_devices(tmp_path):
    script = tmp_path / "story.py"
    script.write_text(
        textwrap.dedent("""
        import jax, jax.numpy as jnp, numpy as np
        import jupyter_jaxpr as jj
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

        mesh = Mesh(np.array(jax.devices()), ("x",))
        spread = NamedSharding(mesh, P("x"))

        def f(a, w):
            return jnp.sum(jnp.sin(a @ w))

        a = jax.device_put(jnp.ones((8, 16)), spread)
        found = jj.inspect(jax.jit(f, in_shardings=(spread, None), out_shardings=NamedSharding(mesh, P())),
                           a, jnp.ones((16, 4))).exact_links()
        print([level.same for level in found.levels])
        print([each.primitives for each in found.hlo if " all-reduce(" in each.text])
        print([each.primitives for each in found.hlo if " sine(" in each.text])
        print("num_partitions=2" in found.hlo[0].text)

        g = jax.shard_map(lambda a: jax.lax.psum(jnp.cos(a), "x"), mesh=mesh, in_specs=P("x"), out_specs=P())
        found = jj.inspect(g, a).exact_links()
        print([level.same for level in found.levels])
        print([each.primitives for each in found.hlo if " all-reduce(" in each.text])
        """)
    )
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    process = subprocess.run(
        [sys.executable, script], env={**os.environ, **flags}, capture_output=True, text=True, timeout=300
    )
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    assert lines[:4] == ["[True, True]", "[('reduce_sum',)]", "[('sin',)]", "True"]
    assert lines[4] == "[True, True]"
    assert lines[5].startswith("[('psum")


def test_what_a_script_prints():
    def f(x):
        return jnp.sin(x) * 2 + 1

    links = exact(f, jnp.ones(8))
    first, *levels, last = str(links).split("\n")
    assert first.startswith("Exact links of f: lowering and compiling the tagged copy took ")
    assert levels[0].startswith("StableHLO: ")
    assert levels[0].endswith(" JAX made the same lines for the tagged copy and for the program.")
    assert levels[1].startswith("HLO: ")
    assert levels[1].endswith(" XLA made the same instructions for the tagged copy and for the program.")
    assert last == "3 of 3 equations have an instruction in the HLO."


def test_a_program_that_was_not_compiled_has_nothing_to_be_compared_with():
    links = jj.inspect(lambda x: jnp.sin(x) * 2, jnp.ones(8), stage="trace").exact_links()
    assert [(level.same, level.words) for level in links.levels] == [
        (None, "The program has no StableHLO, so the lines of the tagged copy cannot be compared."),
        (None, "The program has no HLO, so the instructions of the tagged copy cannot be compared."),
    ]


def test_another_text_is_not_said_to_be_the_same():
    """The text of the executable differs from the twin's, here because the executable belongs to another program."""
    trace = traced(lambda x: jnp.sin(x) * 2, jnp.ones(8))
    observed = program(trace, compiled=True)
    observed.executable = traced(lambda x: jnp.cos(x) * 2, jnp.ones(8)).lower().compile()
    _, answers = kept(built(observed))
    links_found = answers(type="exact_links", confirmed=True).result
    hlo = links_found.levels[1]
    assert hlo.same is False
    assert hlo.words == (
        "XLA made 1 different instruction for the tagged copy. The text below is the tagged copy, not the program that "
        "ran."
    )


def test_a_snapshot_from_a_file_has_no_twin(tmp_path):
    snapshot = jj.inspect(jnp.sin, 1.0)
    with pytest.raises(ValueError, match="read from a file cannot be compiled"):
        jj.Snapshot.from_json(snapshot.to_json()).exact_links()
    with pytest.raises(IndexError):
        snapshot.exact_links(3)


# --- the twin leaves nothing behind ---------------------------------------------------------------------------------


def test_the_functions_python_does_not_run_and_nothing_is_executed():
    calls, printed = Counter[str](), []

    @jax.jit
    def f(x):
        calls["traced"] += 1
        jax.debug.callback(lambda value: printed.append(float(value)), x.sum())
        return jnp.sin(x)

    snapshot = jj.inspect(f, jnp.ones(3))
    assert calls["traced"] == 0  # the trace ran the function, but its change of `calls` was undone
    size = f._cache_size()
    links = snapshot.exact_links()
    assert links.levels[1].linked
    assert (calls["traced"], printed, f._cache_size()) == (0, [], size)


def test_the_cache_on_disk_is_neither_read_nor_written(tmp_path):
    from jax.experimental.compilation_cache import compilation_cache

    before = {name: getattr(jax.config, name) for name in CACHE}
    compilation_cache.reset_cache()
    try:
        for name, value in zip(CACHE, (str(tmp_path), 0.0, -1), strict=True):
            jax.config.update(name, value)
        snapshot = jj.inspect(lambda x: jnp.cos(x) * 3, jnp.ones(5))
        file_names = {path.name for path in tmp_path.iterdir()}
        assert file_names
        snapshot.exact_links()
        assert {path.name for path in tmp_path.iterdir()} == file_names
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()


CACHE = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)


def test_nothing_of_it_is_counted(notebook):
    """The compile of a twin counts neither in the ledger nor in the stage times nor in the jit cache."""
    built = notebook.builds()
    notebook.run("@jax.jit\ndef twinned(x):\n    return jnp.sin(x) * 2\nf = twinned")
    notebook.run("%%jaxpr\nf(x)")
    size = notebook.run("f._cache_size()").result.result
    runs = Runs()
    runs.keep(built[-1])
    stages = built[-1].document.programs[0].stages
    request = {"type": "exact_links", "id": 1, "snapshot": built[-1].document.id, "program": 0, "confirmed": True}
    replies = queue.Queue()
    assert Answers(runs).answer(request, send=replies.put) is None  # returns None, because a worker will answer later
    collected = []
    while isinstance(reply := replies.get(timeout=60), Working):
        collected.append(reply.text)
    assert collected == ["lowering the tagged copy", "compiling the tagged copy"]
    assert reply.result.levels[1].same
    assert built[-1].sources.document.programs[0].stages == stages
    assert notebook.run("f._cache_size()").result.result == size
    second_run = notebook.run("%%jaxpr\nf(x)")
    (function,) = [function for function in second_run.document["ledger"]["functions"] if function["name"] == "twinned"]
    assert (function["run"]["compiles"], function["kernel"]["compiles"]) == (0, 1)
    assert (function["run"]["lowerings"], function["kernel"]["lowerings"]) == (0, 1)
    assert (function["run"]["traces"], function["kernel"]["traces"]) == (0, 1)


def test_a_program_that_jax_derived_as_it_ran(notebook):
    built = notebook.builds()
    notebook.run("@jax.jit\ndef loss(x):\n    return (jnp.sin(x) * x).sum()")
    notebook.run("%%jaxpr\njax.grad(loss)(x)")
    runs = Runs()
    runs.keep(built[-1])
    document = built[-1].document
    rows = []
    for number, observed_program in enumerate(document.programs):
        request = {"type": "exact_links", "id": 1, "snapshot": document.id, "program": number, "confirmed": True}
        answer = Answers(runs).answer(request)
        if observed_program.origin == "recorded":
            rows.append((observed_program.origin, answer.reason))
            continue
        assert answer.result.reached
        rows.append((observed_program.origin, [level.same for level in answer.result.levels]))
    # JAX ran the forward and the backward program (derived); the function itself was only traced; the gradient was
    # recorded.
    assert rows == [
        ("derived", [True, True]),
        ("derived", [True, True]),
        ("traced", [None, None]),
        (
            "recorded",
            "The program is a recording: JAX compiled each of its equations by itself. To see the StableHLO and HLO of "
            "one program, call the function under jax.jit.",
        ),
    ]


# --- the panel's requests --------------------------------------------------------------------------------

CELL = """\
@jax.jit
def f(x):
    return lax.fori_loop(0, 10, lambda i, c: jnp.sin(c) * 2, x)
"""


def kept(built_run):
    runs = Runs()
    runs.keep(built_run)
    answers_of_runs = Answers(runs)
    return runs, lambda **request: answers_of_runs.answer(
        {"id": 1, "snapshot": built_run.document.id, "program": 0, **request}
    )


@pytest.fixture(scope="module")
def runs_and_answers():
    _, trace = in_cell(CELL, "f(jnp.ones((8, 8)))")
    return kept(built(program(trace, compiled=True)))


def test_the_panel_is_asked_first_and_told_the_price():
    _, answers = kept(in_cell(CELL, "f(jnp.ones((8, 8)))")[0])
    assert answers(type="exact_links", confirmed=False).question == (
        "JAX lowers and XLA compiles a tagged copy of f0: each equation of the copy has a number, and the instructions "
        "carry the number. "
        "The duration is unknown. Nothing runs. Stop has no effect while XLA compiles. Compile the tagged copy?"
    )
    page = {"type": "text", "level": "hlo", "first_line": 0, "line_count": 9, "twin": True}
    assert answers(**page).reason == (
        "The kernel does not hold the exact links of this program. Ask for the exact links again."
    )
    assert answers(type="exact_links", program=7, confirmed=True).reason == (
        "This run does not have the requested program. Run the cell again."
    )


@pytest.mark.parametrize(
    ("stages", "price"),
    [
        (
            StageTimes(lower=0.021, compile=0.169),
            "The tagged copy takes about 190\u00a0ms, the time that lowering and compiling the program took.",
        ),
        (
            StageTimes(compile=0.169),
            "The tagged copy takes more than 169\u00a0ms, the time that compiling the program took.",
        ),
        (
            StageTimes(lower=0.02, compile=0.0068, from_disk=True),
            "Reading the executable from the persistent cache took 6.8\u00a0ms; compiling takes longer.",
        ),
        (StageTimes(lower=0.02), "The duration is unknown."),
        (None, "The duration is unknown."),
    ],
)
def test_the_price_is_what_the_program_took(stages, price):
    question = exact_links_question(ObservedProgram("ran", None, stages=stages), "rnn")
    assert question == (
        "JAX lowers and XLA compiles a tagged copy of rnn: each equation of the copy has a number, and the "
        "instructions carry the number. "
        f"{price} Nothing runs. Stop has no effect while XLA compiles. Compile the tagged copy?"
    )


def test_the_panel_gets_the_shares_and_pages_of_the_twin(runs_and_answers):
    runs, answers = runs_and_answers
    links_found = answers(type="exact_links", confirmed=True).result
    # the links are in the document, for a page that is loaded later
    assert runs.latest()[0].exact_links == [links_found]
    # a second request returns the existing links without a question
    assert answers(type="exact_links", confirmed=False).result == links_found
    assert links_found.equations == 4
    for level in links_found.levels:
        twin_page = answers(type="text", level=level.name, first_line=0, line_count=5000, twin=True).result
        own_page = answers(type="text", level=level.name, first_line=0, line_count=5000).result
        assert own_page.line_equations is None
        assert twin_page.lines == level.lines == twin_page.text.count("\n") + 1
        assert "~" not in twin_page.text
        if level.name == "stablehlo":
            assert twin_page.text == own_page.text
        lines = [row[0] for row in twin_page.line_equations]
        assert lines == sorted(set(lines))
        page = answers(type="text", level=level.name, first_line=lines[3], line_count=3, twin=True).result
        assert page.text.split("\n") == twin_page.text.split("\n")[lines[3] : lines[3] + 3]
        assert page.line_equations == [row for row in twin_page.line_equations if lines[3] <= row[0] < lines[3] + 3]
        # A line with equations has a source stack, too.
        for row in twin_page.line_equations:
            assert len(row) % 2 == 1
            assert twin_page.line_stacks[row[0]] >= 0


def test_what_xla_refuses_is_a_sentence(monkeypatch):
    def refuse(*_):
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory.\nmore")

    monkeypatch.setattr(compile_for_exact_links, "executable_text", refuse)
    _, answers = kept(in_cell(CELL, "f(jnp.ones((8, 8)))")[0])
    assert answers(type="exact_links", confirmed=True).reason == (
        "JAX could not print the tagged copy of the program (RuntimeError: RESOURCE_EXHAUSTED: Out of memory). "
        "The links that the panel already shows do not change."
    )


def test_a_program_that_cannot_be_lowered_again_has_no_twin():
    observed = program(traced(jnp.sin, 1.0), compiled=True)
    observed.traced = None
    _, answers = kept(built(observed))
    assert answers(type="exact_links", confirmed=True).reason == (
        "JAX keeps no trace of this call. Run jax.clear_caches(), then run the cell again."
    )


def test_stop_ends_it_before_the_compilation(monkeypatch):
    reached, go = threading.Event(), threading.Event()
    lower = compile_for_exact_links.lower_twin

    def slowly(*arguments):
        reached.set()
        assert go.wait(60)
        return lower(*arguments)

    monkeypatch.setattr(compile_for_exact_links, "lower_twin", slowly)
    built_run, _ = in_cell(CELL, "f(jnp.ones((8, 8)))")
    runs = Runs()
    runs.keep(built_run)
    answers_of_runs, replies = Answers(runs), queue.Queue()
    request = {"type": "exact_links", "id": 1, "snapshot": built_run.document.id, "program": 0, "confirmed": True}
    answers_of_runs.answer(request, send=replies.put)
    assert reached.wait(60)
    answers_of_runs.answer({"type": "stop", "id": 1})
    go.set()
    while isinstance(reply := replies.get(timeout=60), Working):
        assert reply.text == "lowering the tagged copy"
    assert reply.reason == "The request was stopped before XLA compiled the tagged copy. Ask for the exact links again."
