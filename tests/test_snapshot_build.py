"""Tests the document of an observation: programs, signatures, notes, levels, large programs, requests."""

from __future__ import annotations

import gc

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from jax import lax
from observed import ENVIRONMENT, built, normal, program, traced

from jupyter_jaxpr.build.document_of_run import Unavailable, build
from jupyter_jaxpr.document.check.validate import validate
from jupyter_jaxpr.document.encoding import encode
from jupyter_jaxpr.document.limits import Sent
from jupyter_jaxpr.document.printed_program import program_text
from jupyter_jaxpr.document.types.document import Cell
from jupyter_jaxpr.observe.observation import (
    ArgumentSpec,
    EagerCompile,
    Finding,
    Observation,
    ObservedFunction,
    ObservedProgram,
    Place,
    Printed,
    StageTimes,
)

X = np.ones(4, np.float32)
FILE = "/tmp/ipykernel_1/1.py"


def document_of(observation, **options):
    built_run = build(observation, options.pop("cell", None), environment=ENVIRONMENT, run_id="run", **options)
    validate(built_run.document)
    return built_run.document


def spec(shape=(), dtype="float32", weak=False):
    return jax.ShapeDtypeStruct(shape, dtype, weak_type=weak)


# --- the programs in a document -------------------------------------------------------------------------


def test_a_program_says_what_was_observed_of_it():
    trace = traced(lambda p, n: p["w"] * n, {"w": X, "b": X}, 2.0)
    observed = ObservedProgram(
        "ran",
        trace.jaxpr,
        arguments=(
            ArgumentSpec("p", tree={"b": spec((4,)), "w": spec((4,))}, donated=True),
            ArgumentSpec("n", tree=spec(weak=True)),
            ArgumentSpec("mode", static="'fast'"),
        ),
        result=spec((4,)),
        stages=StageTimes(trace=0.1, lower=0.2, compile=0.3, first_run=0.4, rest=0.5, total=1.5),
        call=Place(FILE, 9, "<module>"),
    )
    function = ObservedFunction(
        "f", Place(FILE, 3, "f"), [observed], top_level=True, calls=3, calls_exact=False, misses=1, compiles=1
    )
    document = document_of(Observation(functions=[function]))
    (shown_program,) = document.programs
    assert (shown_program.name, shown_program.origin, shown_program.equations, shown_program.complete) == (
        "f",
        "ran",
        2,
        True,
    )
    arguments = [
        (argument.name, argument.type, argument.static, argument.donated) for argument in shown_program.arguments
    ]
    assert arguments == [
        ("p", "{b: f32[4], w: f32[4]}", False, True),
        ("n", "f32[] weak", False, False),
        ("mode", "'fast'", True, False),
    ]
    assert shown_program.result is not None and shown_program.result.type == "f32[4]"
    assert shown_program.input_names == ["p['b']", "p['w']", "n"]
    assert document.frames[shown_program.definition].line == 3
    assert document.frames[shown_program.call].line == 9
    assert shown_program.stages is not None and shown_program.activity is not None
    assert (shown_program.stages.trace, shown_program.stages.total, shown_program.stages.from_disk) == (0.1, 1.5, False)
    assert (shown_program.activity.calls, shown_program.activity.calls_exact, shown_program.activity.compiles) == (
        3,
        False,
        1,
    )
    assert shown_program.activity.traces is None


def test_what_was_not_observed_is_unknown():
    observed = ObservedProgram("traced", traced(lambda x: (x, x + 1), X).jaxpr)
    document = document_of(Observation(functions=[ObservedFunction("f", None, [observed])]))
    (shown_program,) = document.programs
    assert (shown_program.definition, shown_program.call, shown_program.stages, shown_program.activity) == (
        -1,
        -1,
        None,
        None,
    )
    assert shown_program.arguments == []
    assert shown_program.result is not None and shown_program.result.type == "(f32[4], f32[4])"
    assert [level.state for level in shown_program.levels] == ["absent", "absent"]


def test_the_focus_is_the_last_function_that_the_cell_itself_called():
    def function(name, *, top_level):
        return ObservedFunction(name, None, [program(traced(lambda x: x + 1, X))], top_level=top_level)

    functions = [
        function("a", top_level=True),
        function("b", top_level=True),
        function("c", top_level=False),
        ObservedFunction("d", None, [], top_level=True),
    ]
    document = document_of(Observation(functions=functions))
    assert [listed_program.name for listed_program in document.programs] == ["a", "b", "c"]
    assert document.programs[document.focus].name == "b"


def test_the_focus_is_what_was_asked_for_by_name():
    first, second = program(traced(lambda x: x + 1, X)), program(traced(lambda x: x + 2, X))
    functions = [ObservedFunction("a", None, [first]), ObservedFunction("b", None, [second], top_level=True)]
    assert document_of(Observation(functions=functions, focus=first)).focus == 0


def test_no_program():
    document = document_of(Observation(), message="Call a jitted function.")
    assert (document.programs, document.focus, document.message) == ([], -1, "Call a jitted function.")


def test_one_bad_program_hides_no_other():
    functions = [
        ObservedFunction("bad", None, [ObservedProgram("ran", object())], top_level=True),
        ObservedFunction("good", None, [program(traced(lambda x: x + 1, X))], top_level=True),
    ]
    document = document_of(Observation(functions=functions))
    assert [listed_program.name for listed_program in document.programs] == ["good"]
    (note,) = document.notes
    assert note.kind == "failed"
    assert "TypeError" in (note.detail or "")


def test_the_garbage_collector_is_left_as_it_was():
    assert gc.isenabled()
    built(program(traced(lambda x: x + 1, X)))
    assert gc.isenabled()
    gc.disable()
    try:
        built(program(traced(lambda x: x + 1, X)))
        assert not gc.isenabled()
    finally:
        gc.enable()


# --- the signatures in a document -----------------------------------------------------------------------


class Layer:
    """A class that is registered as a pytree node."""

    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias


jax.tree_util.register_pytree_with_keys(
    Layer,
    lambda layer: (
        [(jax.tree_util.GetAttrKey("weight"), layer.weight), (jax.tree_util.GetAttrKey("bias"), layer.bias)],
        None,
    ),
    lambda _, children: Layer(*children),
)


@pytest.mark.parametrize(
    ("tree", "text", "short"),
    [
        (spec((8, 4)), "f32[8,4]", "f32[8,4]"),
        (spec((), "int32", weak=True), "i32[] weak", "i32[] weak"),
        (spec((2,), "bfloat16"), "bf16[2]", "bf16[2]"),
        (spec((2,), "uint8"), "u8[2]", "u8[2]"),
        (spec((2,), "complex64"), "c64[2]", "c64[2]"),
        (spec((2,), bool), "bool[2]", "bool[2]"),
        (jax.ShapeDtypeStruct((), jax.random.key(0).dtype), "key<fry>[]", "key<fry>[]"),
        ((spec(),), "(f32[],)", "(f32[],)"),
        ([spec(), None], "[f32[], None]", "[f32[], None]"),
        ({"w": spec((128, 256)), "b": spec((256,))}, "{w: f32[128,256], b: f32[256]}", "{w, b}"),
        (tuple(spec((n,)) for n in range(9)), f"({', '.join(f'f32[{n}]' for n in range(9))})", "9 arrays"),
        (Layer(spec((8, 8)), spec((8,))), "Layer(weight: f32[8,8], bias: f32[8])", "Layer: 2 arrays"),
    ],
)
def test_signatures(tree, text, short):
    observed = ObservedProgram("ran", traced(lambda x: x, X).jaxpr, arguments=(ArgumentSpec("x", tree=tree),))
    document = document_of(Observation(functions=[ObservedFunction("f", None, [observed])]))
    (argument,) = document.programs[0].arguments
    assert (argument.type, argument.summary) == (text, short)


# --- the notes in a document ----------------------------------------------------------------------------


def test_notes_are_in_the_order_of_the_lines():
    source = "%%jaxpr\n\n@jax.jit\ndef f(x):\n    print(x)\n    return x + table\n"
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    space = {"jax": jax, "table": np.ones(500, np.float32)}
    exec(compile("\n" + source.split("\n", 1)[1], FILE, "exec"), space | {"print": lambda x: None})
    space |= {"print": lambda x: None}
    exec(compile("\n" + source.split("\n", 1)[1], FILE, "exec"), space)
    observation = Observation(
        functions=[ObservedFunction("f", None, [program(space["f"].trace(np.ones(500, np.float32)))])],
        printed=[Printed("f", "JitTracer(float32[500])\n", Place(FILE, 5, "f"))],
        findings=[Finding("leaked_tracer", "A tracer leaked.", "Return it.", function="f", place=Place(FILE, 3))],
        eager_compiles=[EagerCompile("convert", 0.02)] * 6,
        failures=["Traceback ..."],
    )
    document = document_of(observation, cell=cell)
    rows = [
        (note.kind, document.frames[note.frame].line if note.frame >= 0 else None, note.program)
        for note in document.notes
    ]
    assert rows == [
        ("leaked_tracer", 3, 0),
        ("printed_while_tracing", 5, 0),
        ("captured_constant", 6, 0),
        ("eager_compiles", None, -1),
        ("failed", None, -1),
    ]
    captured = document.notes[2]
    assert captured.bytes == 2000
    assert captured.text == (
        "The function reads an array of 2.0\u00a0kB (f32[500]) that is not an argument, so the array is a constant of "
        "the program. After an assignment to the array's variable, calls that reuse the program still compute with "
        "the old array."
    )
    assert captured.cure == "Pass the array as an argument."
    assert document.notes[1].detail == "JitTracer(float32[500])\n"
    assert document.notes[3].text == (
        "JAX compiled 6 small programs in 120\u00a0ms for operations outside any jitted function."
    )


def test_one_operation_outside_of_jit_is_no_note_however_long_it_took():
    observation = Observation(functions=[], eager_compiles=[EagerCompile("broadcast_in_dim", 0.3)])
    assert document_of(observation).notes == []


def test_small_constants_are_no_news():
    document = built(program(traced(lambda x: x + np.ones(4, np.float32), X))).document
    assert document.notes == []


def test_an_array_that_is_captured_twice_is_one_note():
    table = jnp.ones((20, 20))
    inner = jax.jit(lambda x: table[0, :4] + x)
    document = built(program(traced(lambda x: inner(x) + table[1, :4], X))).document
    assert [(note.kind, note.bytes) for note in document.notes] == [("captured_constant", 1600)]


def test_a_few_eager_operations_are_no_news():
    assert document_of(Observation(eager_compiles=[EagerCompile("add", 0.01)])).notes == []


# --- the levels of a program: jaxpr, StableHLO, HLO -----------------------------------------------------


def test_a_small_program_brings_its_texts():
    document = built(program(traced(lambda x: jnp.sin(x), X), compiled=True)).document
    stablehlo, hlo = document.programs[0].levels
    assert (stablehlo.state, hlo.state) == ("held", "held")
    assert stablehlo.text is not None and "stablehlo.sine" in stablehlo.text
    assert hlo.text is not None and hlo.text.startswith("HloModule")
    assert stablehlo.lines == stablehlo.text.count("\n") + 1 == len(stablehlo.line_stacks or [])
    assert hlo.characters == len(hlo.text)


def long(x):
    for i in range(400):
        x = jnp.sin(x) + i
    return x


def test_a_larger_one_has_them_on_request():
    built_run = built(program(traced(long, X), compiled=True))
    assert [level.state for level in built_run.document.programs[0].levels] == ["on_request", "on_request"]
    page = built_run.sources.text_page(0, "stablehlo", 100, 20)
    text = built_run.sources.text(0, "stablehlo")
    assert page.text == "\n".join(text.text.split("\n")[100:120])
    assert (page.first_line, len(page.line_stacks)) == (100, 20)
    assert (page.lines, page.characters, page.sha256) == (len(text.lines), len(text.text), text.sha256)
    sines = [
        page.frames[page.stacks[stack].frames[0]].line
        for line, stack in zip(page.text.split("\n"), page.line_stacks, strict=True)
        if "stablehlo.sine" in line
    ]
    assert len(sines) > 3
    assert set(sines) == {long.__code__.co_firstlineno + 2}
    assert built_run.sources.text_page(0, "stablehlo", 10**6, 20).text == ""


def test_a_traced_program_is_lowered_and_compiled_when_asked_and_not_before():
    built_run = built(program(traced(lambda x: x * 3, X)))
    assert [level.state for level in built_run.document.programs[0].levels] == ["not_made", "not_made"]
    with pytest.raises(Unavailable, match="JAX has not compiled this function. Compile the function to see its HLO"):
        built_run.sources.text_page(0, "hlo", 0, 10)
    document = built_run.sources.make(0, "hlo")
    assert document.id == built_run.document.id
    assert [level.state for level in document.programs[0].levels] == ["on_request", "on_request"]
    assert built_run.sources.text_page(0, "hlo", 0, 1).text.startswith("HloModule")


class Refusing:
    """Stands in for a traced program that JAX cannot lower."""

    def __init__(self, jaxpr):
        self.jaxpr = jaxpr

    def lower(self):
        raise NotImplementedError("no rule for cpu.\nMore lines.")


def test_a_program_that_jax_refuses_is_a_sentence():
    refusing = Refusing(traced(lambda x: x, X).jaxpr)
    built_run = built(ObservedProgram("traced", refusing.jaxpr, traced=refusing))
    expected = (
        "JAX could not lower this program (NotImplementedError: no rule for cpu). "
        "Run the function in a cell to see the whole error."
    )
    with pytest.raises(Unavailable) as caught:
        built_run.sources.make(0, "stablehlo")
    assert str(caught.value) == expected


class Silent:
    """Stands in for an executable whose text the backend does not give."""

    def as_text(self):
        return None


def test_a_backend_without_texts_fails_nothing():
    built_run = built(ObservedProgram("ran", traced(lambda x: x, X).jaxpr, executable=Silent()))
    assert built_run.document.notes == []
    with pytest.raises(Unavailable, match="JAX could not print the HLO of this program: this backend gives no text"):
        built_run.sources.text(0, "hlo")


# --- large programs -------------------------------------------------------------------------------------


@pytest.fixture
def small_pages(monkeypatch):
    monkeypatch.setattr(Sent, "WHOLE_PROGRAM", 30)
    monkeypatch.setattr(Sent, "FIRST_PAGE", 10)


def large(x):
    for _ in range(20):
        x = jnp.sin(x) * 2
    x = lax.fori_loop(0, 3, lambda i, c: c + i, x)
    return jax.jit(lambda y: y + 1)(x)


def joined(built_run, scope):
    """Return all equations of a scope, page after page, each with its names."""
    document = built_run.document
    rows = []
    pages = [(document.scopes[scope], document)]
    while pages[-1][0].first_equation + len(pages[-1][0].primitive) < document.scopes[scope].count:
        last = pages[-1][0]
        page = built_run.sources.scope_page(scope, last.first_equation + len(last.primitive), 10)
        pages.append((page.scope, page))
    by_name = {}
    for part, pools in pages:
        names = part.names or []
        by_name |= {part.first_variable + offset: name for offset, name in enumerate(names)}
        if pools is not document:
            other_names = dict(zip(pools.operands, pools.operand_names, strict=True))
            used = {operand for operands in part.operands for operand in operands if operand >= 0}
            assert {variable: by_name[variable] for variable in used & set(other_names)} == {
                variable: name for variable, name in other_names.items() if variable in used
            }
            assert used <= set(other_names) | set(by_name)
        variable = part.first_variable
        if part.first_equation == 0:
            variable += part.constants + part.inputs
        for index, primitive in enumerate(part.primitive):
            outputs = [by_name[variable + offset] for offset in range(part.output_counts[index])]
            variable += part.output_counts[index]
            operands = [by_name[operand] for operand in part.operands[index] if operand >= 0]
            rows.append((outputs, pools.strings[primitive], operands))
    return rows


@pytest.mark.usefixtures("small_pages")
def test_a_large_program_comes_by_pages_with_the_names_of_the_whole():
    trace = traced(large, X)
    built_run = built(program(trace))
    validate(built_run.document)
    (shown_program,) = built_run.document.programs
    assert not shown_program.complete
    assert shown_program.lets == []
    top = built_run.document.scopes[shown_program.scope]
    assert (len(top.primitive), top.count) == (10, 42)
    text = normal(str(trace.jaxpr))
    for outputs, primitive, operands in joined(built_run, shown_program.scope):
        if primitive in ("sin", "mul"):
            literal = " 2.0:f32[]" if primitive == "mul" else ""
            assert f"{outputs[0]}:f32[4] = {primitive} {operands[0]}{literal} " in text
    assert normal(built_run.sources.jaxpr_text(0)) == text


def nested(x):
    for number in range(8):

        def block(x, number=number):
            for _ in range(6):
                x = jnp.sin(x)
            return lax.cond(x[0] > number, jnp.cos, jnp.tanh, x)

        x = jax.jit(block)(x)
    return x


def taken(scopes):
    return {number: len(scope.primitive) for number, scope in enumerate(scopes) if scope.primitive}


@pytest.mark.usefixtures("small_pages")
def test_a_page_counts_the_equations_of_programs_inside():
    trace = traced(nested, X)
    built_run = built(program(trace))
    document = built_run.document
    validate(document)
    (shown_program,) = document.programs
    sent = taken(document.scopes)
    assert sum(sent.values()) == 10
    assert (sent[shown_program.scope], document.scopes[shown_program.scope].count) == (1, 8)
    page = built_run.sources.scope_page(shown_program.scope, 1, 40)
    inner = {inner_page.number: len(inner_page.scope.primitive) for inner_page in page.inner}
    assert len(page.scope.primitive) + sum(inner.values()) == 40
    assert not set(inner) & set(sent)
    columns = {shown_program.scope: page.scope} | {inner_page.number: inner_page.scope for inner_page in page.inner}
    met = {shown_program.scope}
    for number, scope in columns.items():
        assert number in met  # a scope comes after the equation that contains it
        met |= {child.scope for child in scope.children}
    cut = [number for number, scope in columns.items() if len(scope.primitive) < scope.count]
    # only these may have further equations: the scope of the last call, its block, and a branch of the block
    assert len(cut) <= 3
    text = normal(str(trace.jaxpr))
    sines = [inner_page for inner_page in page.inner if page.strings[inner_page.scope.primitive[0]] == "sin"]
    for sine in sines:
        names = sine.scope.names
        assert f"{names[1]}:f32[4] = sin {names[0]} " in text


@pytest.mark.usefixtures("small_pages")
def test_the_text_says_what_is_missing():
    built_run = built(program(traced(large, X)))
    lines = program_text(built_run.document, 0).split("\n")
    assert lines[1] == "  b:f32[4] = sin a"
    assert lines[-2:] == ["  … 32 more equations", "in (…,) }"]


@pytest.mark.usefixtures("small_pages")
def test_a_scope_that_only_a_missing_equation_calls_has_its_names_on_its_page():
    trace = traced(large, X)
    built_run = built(program(trace))
    inner = next(number for number, scope in enumerate(built_run.document.scopes) if scope.count == 1)
    assert built_run.document.scopes[inner].primitive == []
    page = built_run.sources.scope_page(inner, 0, 10)
    names, avals = page.scope.names, page.scope.variable_avals
    binders = [f"{name}:{page.avals[aval].text}" for name, aval in zip(names, avals, strict=True)]
    assert f"{{lambda {binders[0]}. let {binders[1]} = add" in normal(str(trace.jaxpr))


@pytest.mark.usefixtures("small_pages")
def test_what_is_hoisted_out_of_a_large_program_is_stated():
    @jax.jit
    def twelve(x):
        for _ in range(12):
            x = jnp.tanh(x)
        return x

    def fun(x):
        return large(twelve(x))

    trace = traced(fun, X)
    document = built(program(trace)).document
    (let,) = document.programs[0].lets
    assert document.strings[let.name] == "twelve"
    assert str(trace.jaxpr).startswith("let twelve = ")
    assert program_text(document, 0).startswith("let twelve = { lambda ; a:f32[4]. let\n  b:f32[4] = tanh a\n")


@pytest.mark.usefixtures("small_pages")
def test_a_large_program_shares_no_scope_with_a_small_one():
    double = jax.jit(lambda x: x * 2)
    small, huge = traced(lambda x: double(x), X), traced(lambda x: large(double(x)), X)
    built_run = built(program(small), program(huge), program(small))
    validate(built_run.document)
    assert [listed_program.complete for listed_program in built_run.document.programs] == [True, False, True]
    first, second, third = (listed_program.scope for listed_program in built_run.document.programs)
    inside = [
        {child.scope for child in built_run.document.scopes[number].children} for number in (first, second, third)
    ]
    assert not inside[0] & inside[1]
    assert not inside[1] & inside[2]
    assert normal(program_text(built_run.document, 2)) == normal(str(small.jaxpr))


# --- the size of a document -----------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["sine", "mixed"])
def test_bytes_an_equation(pattern):
    def fun(x):
        for _ in range(2_000):
            if pattern == "sine":
                x = jnp.sin(jnp.sin(jnp.sin(jnp.sin(jnp.sin(x)))))
            else:
                x = jnp.sin(x) * 2.0 + x[:2].sum()
        return x

    document = built(program(traced(fun, X))).document
    assert document.programs[0].equations == 10_000
    assert len(encode(document)) / 10_000 <= 45


def test_a_document_survives_the_wire():
    document = built(program(traced(large, X), compiled=True)).document
    assert msgspec.json.decode(encode(document), type=type(document)) == document
