"""Tests traces that raised: the document has the equations up to the error."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from conftest import Notebook, Ran
from test_magic_as_without import printed

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.printed_program import program_text
from jupyter_jaxpr.jax.facts import private

NOTE = (
    "The trace of {name} raised {error}. The program shows the equations that JAX had traced before the error. JAX did "
    "not compile or run the program."
)


def raised(ran: Ran) -> str:
    """Return the text of the only program, which raised, with a line break before and after it."""
    document = read(ran.document)
    (program,) = [program for program in document.programs if not program.library]
    assert (program.origin, program.how) == ("traced", "traced until the trace raised an error")
    return f"\n{program_text(document, 0)}\n"


def lines(ran: Ran) -> list[tuple[str, list[int]]]:
    """Return, for each equation, the primitive and the user's lines that led to it, innermost first."""
    document = ran.document
    scope = document["scopes"][document["programs"][0]["scope"]]
    rows = []
    for primitive, stack in zip(scope["primitive"], scope["stack"], strict=True):
        frames = document["stacks"][stack][0]
        rows.append((document["strings"][primitive], [document["frames"][frame][2] for frame in frames]))
    return rows


def test_a_tracer_that_is_asked_for_its_truth(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(v):\n    w = jnp.sin(v)\n    if w.sum() > 0:\n        return w\n    return v\nf(x)"
    )
    expected = """
{ lambda ; a:f32[8]. let
  b:f32[8] = sin a
  c:f32[] = reduce_sum[axes=(0,) out_sharding=None] b
  _:bool[] = gt c 0.0:f32[]
in () }
"""
    assert raised(ran) == expected
    assert lines(ran) == [("sin", [4]), ("reduce_sum", [5]), ("gt", [5])]
    (program,) = ran.document["programs"]
    assert (program["name"], program["group"]) == ("f", "traced")
    assert program["origin_note"] == NOTE.format(name="f", error="TracerBoolConversionError")
    assert [(argument["name"], argument["type"]) for argument in program["arguments"]] == [("v", "f32[8]")]
    assert [level["state"] for level in program["levels"]] == ["absent", "absent"]
    assert program["levels"][0]["reason"] == (
        "JAX did not lower the program, because its trace raised an error. Correct the function and run the cell again."
    )
    assert ran.document["message"] is None
    assert ran.document["focus"] == 0
    assert ran.note("trace_raised")["text"].startswith("f could not be traced.")


def test_the_condition_of_an_eager_loop_that_raises(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\ndef goes_on(state):\n    return state['i'] < 9 and state['e'] > 1e-3\n"
        "def body(state):\n    return {'i': state['i'] + 1, 'e': state['e'] / 2}\n"
        "lax.while_loop(goes_on, body, {'e': 1.0, 'i': 0})"
    )
    expected = """
{ lambda ; a:f32[] b:i32[]. let
  _:bool[] = lt b 9:i32[]
in () }
"""
    assert raised(ran) == expected
    assert lines(ran) == [("lt", [3])]
    (program,) = ran.document["programs"]
    assert (program["name"], program["group"]) == ("goes_on", "traced")
    assert program["origin_note"] == NOTE.format(name="goes_on", error="TracerBoolConversionError")
    assert ran.document["message"] is None
    assert ran.note("trace_raised")["text"].startswith("goes_on could not be traced.")


def test_a_body_that_is_an_object(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nclass Step:\n    def __call__(self, c, e):\n        d = jnp.sin(c)\n"
        "        return (d if d > 0 else c), e\nlax.scan(Step(), jnp.float32(1), x)"
    )
    assert [program["name"] for program in ran.document["programs"] if not program["library"]] == ["Step.__call__"]
    assert lines(ran) == [("sin", [4]), ("gt", [5])]
    assert ran.note("trace_raised")["text"].startswith("Step.__call__ could not be traced.")


def test_a_library_s_function_that_raises_is_no_program_of_the_user(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\njax.make_jaxpr(jnp.vdot)(x, x[:2])")
    assert [program["how"] for program in ran.document["programs"]] == ["recorded as it ran"]


def test_the_body_of_a_loop_that_raises(notebook: Notebook) -> None:
    notebook.run("table = jnp.ones(8)")
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef outer(v, *, k):\n    w = v + table\n"
        "    def body(c, e):\n        raise ValueError('no')\n    return lax.scan(body, k, w)\nouter(x, k=2.0)"
    )
    expected = """
{ lambda ; a:f32[8] b:f32[8] c:f32[]. let
  _:f32[8] = add b a
in () }
"""
    assert raised(ran) == expected
    (program,) = ran.document["programs"]
    assert [(argument["name"], argument["type"]) for argument in program["arguments"]] == [
        ("v", "f32[8]"),
        ("k", "f32[] weak"),
    ]
    assert program["origin_note"] == NOTE.format(name="outer", error="ValueError")


def test_a_jitted_function_within_a_jitted_function(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef inner(v):\n    w = v * 2\n    raise KeyError(w)\n"
        "@jax.jit\ndef outer(v):\n    return inner(jnp.sin(v))\nouter(x)"
    )
    assert [program["name"] for program in ran.document["programs"]] == ["outer"]
    expected = """
{ lambda ; a:f32[8]. let
  _:f32[8] = sin a
in () }
"""
    assert raised(ran) == expected


def test_an_error_that_the_cell_catches(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(v):\n    w = jnp.sin(v)\n    return w[v]\n"
        "try:\n    f(x)\nexcept Exception as error:\n    print(type(error).__name__)"
    )
    assert ran.stdout == "TypeError\n"
    expected = """
{ lambda ; a:f32[8]. let
  _:f32[8] = sin a
in () }
"""
    assert raised(ran) == expected
    assert ran.result.success


def test_the_newest_of_several_traces_that_raised(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(v):\n    w = jnp.cos(v)\n    raise ValueError(v.shape)\n"
        "for n in (3, 5):\n    try:\n        f(x[:n])\n    except ValueError:\n        pass"
    )
    expected = """
{ lambda ; a:f32[5]. let
  _:f32[5] = cos a
in () }
"""
    assert raised(ran) == expected


def test_a_function_that_raises_once_and_then_runs(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nready = False\n@jax.jit\ndef f(v):\n    w = v * 3\n    if not ready:\n        raise ValueError\n"
        "    return w\ntry:\n    f(x)\nexcept ValueError:\n    ready = True\nf(x)"
    )
    assert ran.programs == ["traced f(v: f32[8]) -> (): mul", "ran f(v: f32[8]) -> f32[8]: mul"]
    assert [program["how"] for program in ran.document["programs"]] == ["traced until the trace raised an error", None]


def test_the_program_that_ran_is_shown_before_the_trace_that_raised(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef f(v):\n    w = v * 3\n    if not ready:\n        raise ValueError\n    return w")
    ran = notebook.run("%%jaxpr\nready = False\ntry:\n    f(x)\nexcept ValueError:\n    ready = True\nf(x)")
    assert ran.document["programs"][ran.document["focus"]]["origin"] == "ran"


def test_a_trace_that_raised_is_not_shown_by_a_later_cell(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef f(v):\n    w = v * 3\n    if v.ndim:\n        raise ValueError\n    return w")
    notebook.run("%%jaxpr\nf(x)")
    ran = notebook.run("%%jaxpr\nf(2.0)")
    assert ran.programs == ["ran f(v: f32[] weak) -> f32[] weak: mul"]


def test_static_arguments_and_trees(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nfrom functools import partial\n@partial(jax.jit, static_argnames='n')\n"
        "def f(p, n):\n    w = p['w'] * p['b'][0] * n\n    raise ValueError\n"
        "f({'w': x, 'b': (2.0, 3)}, n=4)"
    )
    expected = """
{ lambda ; a:f32[] b:i32[] c:f32[8]. let
  d:f32[] = convert_element_type[new_dtype=float32 weak_type=False] a
  e:f32[8] = mul c d
  _:f32[8] = mul e 4.0:f32[]
in () }
"""
    assert raised(ran) == expected
    (program,) = ran.document["programs"]
    assert [(argument["name"], argument["type"]) for argument in program["arguments"]] == [
        ("p['b'][0]", "f32[] weak"),
        ("p['b'][1]", "i32[] weak"),
        ("p['w']", "f32[8]"),
    ]


def test_a_plain_call_of_a_function_whose_trace_raises(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef g(v):\n    w = jnp.cos(v)\n    raise ValueError\n"
        "def f(v):\n    return g(lax.neg(v))\nf(x)"
    )
    assert ran.programs == ["traced g(v: f32[8]) -> (): cos", "recorded f(v: f32[8]) -> (): neg"]
    notes = [program["origin_note"] for program in ran.document["programs"]]
    assert notes[0] == NOTE.format(name="g", error="ValueError")
    assert notes[1].endswith(" The call raised an error; the recording covers what JAX ran until then.")


@pytest.mark.parametrize(
    ("cell", "name", "inputs"),
    [
        ("jax.make_jaxpr(f)(x)", "f", "f32[8]"),
        ("lax.scan(lambda c, e: f(c), x, x)", "<lambda>", "f32[8]"),
        ("jax.eval_shape(f, x)", "f", "f32[8]"),
        ("jax.jit(f).lower(x)", "f", "f32[8]"),
        ("jax.jit(f).trace(x)", "f", "f32[8]"),
    ],
)
def test_a_trace_without_a_call_that_raises(notebook: Notebook, cell: str, name: str, inputs: str) -> None:
    ran = notebook.run(f"%%jaxpr\ndef f(v):\n    w = jnp.cos(v)\n    raise ValueError\n{cell}")
    assert isinstance(ran.result.error_in_exec, ValueError)
    assert ran.document["message"] is None
    (program,) = ran.document["programs"]
    assert (program["name"], program["arguments"][0]["type"]) == (name, inputs)
    assert program["origin_note"] == NOTE.format(name=name, error="ValueError")
    assert lines(ran) == [("cos", [3] if name == "f" else [3, 5])]


def test_traces_outside_of_jit_whose_errors_the_cell_catches(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\ndef f(v):\n    w = jnp.cos(v)\n    raise ValueError\ndef g(v):\n    return jnp.sin(v)\n"
        "try:\n    jax.make_jaxpr(f)(x)\nexcept ValueError:\n    pass\n"
        "jax.make_jaxpr(g)(x)"
    )
    assert [(program["name"], program["how"]) for program in ran.document["programs"]] == [
        ("g", "traced by make_jaxpr, line 11"),
        ("f", "traced until the trace raised an error"),
    ]
    assert "trace_raised" not in ran.notes


def test_the_error_of_another_trace_ends_the_cell(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\ndef f(v):\n    w = jnp.cos(v)\n    raise ValueError\ndef g(c, e):\n    c = jnp.sin(c)\n"
        "    raise ValueError\ntry:\n    jax.make_jaxpr(f)(x)\nexcept ValueError:\n    pass\n"
        "lax.scan(g, 1.0, x)"
    )
    assert [(program["name"], program["how"]) for program in ran.document["programs"]] == [
        ("f", "traced until the trace raised an error"),
        ("g", "traced until the trace raised an error"),
    ]
    assert ran.note("trace_raised")["text"].startswith("g could not be traced.")


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit", "MemoryError", "RecursionError", "StopIteration"])
def test_each_kind_of_error(notebook: Notebook, error: str) -> None:
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(v):\n    w = jnp.cos(v)\n    raise {error}\nf(x)")
    expected = """
{ lambda ; a:f32[8]. let
  _:f32[8] = cos a
in () }
"""
    assert raised(ran) == expected
    assert ran.document["programs"][0]["origin_note"] == NOTE.format(name="f", error=error)


def test_an_error_class_of_the_users_is_not_asked(notebook: Notebook) -> None:
    notebook.run(
        "asked = []\nclass Own(Exception):\n    def __str__(self):\n        asked.append(1)\n        return 'own'\n"
        "    def __getattr__(self, name):\n        asked.append(name)\n        raise AttributeError(name)\n"
        "@jax.jit\ndef f(v):\n    w = jnp.cos(v)\n    raise Own"
    )
    plain = notebook.run("try:\n    f(x)\nexcept Own:\n    pass\nbefore = list(asked); asked.clear()")
    ran = notebook.run("%%jaxpr\ntry:\n    f(x)\nexcept Own:\n    pass")
    assert plain.result.success and notebook["asked"] == notebook["before"]
    assert ran.document["programs"][0]["origin_note"] == NOTE.format(name="f", error="Own")


def test_the_error_is_as_without_the_magic(make_notebook: Any) -> None:
    cell = "@jax.jit\ndef f(v):\n    w = jnp.sin(v)\n    if w.sum() > 0:\n        return w\nf(x)"
    outputs = []
    for extension in (True, False):
        notebook = make_notebook(extension, tracebacks=True)
        notebook.run("import jax, jax.numpy as jnp\nx = jnp.arange(8.0)")
        ran = notebook.run(("%%jaxpr\n" if extension else "# %%jaxpr\n") + cell)
        # Lines that contain the cell's file name differ between the two runs, so they are left out.
        outputs.append([line for line in printed(ran.stdout) if "Cell In" not in line and "ipython-input" not in line])
    assert outputs[0] == outputs[1]


def test_the_arguments_of_a_trace_that_raised_are_not_held(notebook: Notebook) -> None:
    notebook.run(
        "import gc, weakref\ndef make():\n    global gone\n    made = jnp.ones(5)\n    gone = weakref.ref(made)\n"
        "    return made\n@jax.jit\ndef f(v):\n    w = jnp.cos(v)\n    raise ValueError"
    )
    notebook.run("%%jaxpr\ntry:\n    f(make())\nexcept ValueError:\n    pass")
    notebook.run("gc.collect()")
    assert notebook["gone"]() is None


def test_an_option_that_needs_a_whole_program_says_why_there_is_none(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef f(v):\n    w = jnp.cos(v)\n    raise ValueError")
    ran = notebook.run("%%jaxpr --time\ntry:\n    f(x)\nexcept ValueError:\n    pass")
    note = ran.note("time")
    assert (note["text"], note["cure"]) == (
        "f was not timed.",
        "JAX did not run the program, because its trace raised an error. Correct the function, then run the cell "
        "again.",
    )


@pytest.mark.parametrize(
    ("transform", "type_of_v"),
    [
        ("jax.vmap(f)(x)", "f32[]"),
        ("jax.grad(lambda v: f(v).sum())(x)", "f32[8]"),
        ("jax.jvp(f, (x,), (x,))", "f32[8]"),
        ("jax.linearize(f, x)", "f32[8]"),
        ("jax.vmap(jax.grad(f))(x)", "f32[]"),
    ],
)
def test_a_trace_under_a_transform_that_raises(notebook: Notebook, transform: str, type_of_v: str) -> None:
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(v):\n    w = jnp.cos(v)\n    raise ValueError\n{transform}")
    expected = f"""
{{ lambda ; a:{type_of_v}. let
  _:{type_of_v} = cos a
in () }}
"""
    assert raised(ran) == expected
    (program,) = ran.document["programs"]
    assert program["origin_note"] == NOTE.format(name="f", error="ValueError")
    assert [(argument["name"], argument["type"]) for argument in program["arguments"]] == [("v", type_of_v)]
    assert ran.document["frames"][program["call"]][2] == 6


def test_the_outer_of_two_functions_under_a_transform(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef inner(v):\n    raise KeyError\n"
        "@jax.jit\ndef outer(v):\n    return inner(jnp.sin(v))\njax.vmap(outer)(x)"
    )
    expected = """
{ lambda ; a:f32[]. let
  _:f32[] = sin a
in () }
"""
    assert raised(ran) == expected
    assert [program["name"] for program in ran.document["programs"]] == ["outer"]


def test_an_interrupt_while_jax_traces(notebook: Notebook) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ran = notebook.run(
            "%%jaxpr\nimport signal\n@jax.jit\ndef slow(v):\n    w = jnp.cos(v)\n"
            "    signal.raise_signal(signal.SIGINT)\n    return w\nslow(x)"
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert isinstance(ran.result.error_in_exec, KeyboardInterrupt)
    assert ran.document["programs"][0]["origin_note"] == NOTE.format(name="slow", error="KeyboardInterrupt")
    expected = """
{ lambda ; a:f32[8]. let
  _:f32[8] = cos a
in () }
"""
    assert raised(ran) == expected
    assert notebook.run("slow.__wrapped__.__name__").result.result == "slow"


# --- calls that were traced and did not return ---------------------------------------------------------------

UNFINISHED = (
    "A call of {name} did not return: an error or an interrupt ended the call. The program is what JAX had made for "
    "the call until then."
)


def unfinished(ran: Ran) -> list[tuple[str, str, str, list[str]]]:
    """Return, for each program, its name, its origin, its origin note, and the levels with a text."""
    return [
        (
            program["name"],
            program["how"],
            program["origin_note"],
            [level["name"] for level in program["levels"] if level["state"] in ("held", "on_request")],
        )
        for program in ran.document["programs"]
    ]


def test_an_interrupt_while_xla_compiles_keeps_what_was_traced_and_lowered(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = private("compiler")

    def interrupted(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    notebook.run("@jax.jit\ndef deep(v):\n    return jnp.sin(v) @ v\n")
    with monkeypatch.context() as patch:
        patch.setattr(compiler, "compile_or_get_cached", interrupted)
        ran = notebook.run("%%jaxpr\ndeep(x)")
    assert isinstance(ran.result.error_in_exec, KeyboardInterrupt)
    assert ran.document["message"] is None
    assert unfinished(ran) == [
        ("deep", "the call did not return", UNFINISHED.format(name="deep"), ["stablehlo"]),
    ]
    assert ran.programs == ["traced deep(v: f32[8]) -> f32[]: sin dot_general"]
    # When the cell runs again, the call returns, and its program is an ordinary one.
    second_run = notebook.run("%%jaxpr\ndeep(x)")
    assert [(program["origin"], program["how"]) for program in second_run.document["programs"]] == [("ran", None)]


def test_an_error_of_a_callback_leaves_the_whole_program(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\ndef broken(v):\n    raise ValueError('no')\n@jax.jit\ndef called(v):\n"
        "    return jax.pure_callback(broken, v, v) * 2\n"
        "try:\n    called(x).block_until_ready()\nexcept Exception:\n    pass"
    )
    assert unfinished(ran) == [
        ("called", "the call did not return", UNFINISHED.format(name="called"), ["stablehlo", "hlo"]),
    ]


def test_a_call_that_returned_later_takes_the_place_of_one_that_did_not(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nbad = [True]\ndef once(v):\n    if bad.pop():\n        bad.append(False)\n"
        "        raise ValueError('no')\n    return v\n@jax.jit\ndef called(v):\n"
        "    return jax.pure_callback(once, v, v) * 2\n"
        "try:\n    called(x).block_until_ready()\nexcept Exception:\n    pass\ncalled(x).block_until_ready()"
    )
    assert [(program["origin"], program["how"]) for program in ran.document["programs"]] == [("ran", None)]


FAILING = {
    "a truth value": ("    if jnp.sin(x).sum() > low:\n        return x\n    return -x", ["gt"]),
    "a call with two operands": ("    return jnp.dot(jnp.sin(x), jax.lax.slice(x, (0,), (2,)))", ["sin", "slice"]),
    "a list of operands": ("    return jnp.concatenate([jnp.sin(x), low])", ["sin", "convert_element_type"]),
    "an operator": ("    return x + jax.lax.slice(x, (0,), (2,))", ["x", "slice"]),
    "a row under vmap": ("    return jax.vmap(lambda v: v if jnp.sin(v) > 0 else -v)(x)", ["gt"]),
    "the user's own raise": ("    raise ValueError(jnp.sin(x))", None),
    "a body inside": ("    return jax.lax.map(lambda v: v if v > 0 else -v, jnp.sin(x))", None),
}


@pytest.mark.parametrize("name", FAILING)
def test_the_operands_of_the_call_that_raised_are_known(notebook: Notebook, name: str) -> None:
    body, operands = FAILING[name]
    cell = f"%%jaxpr\ndef f(x, low):\n{body}\njax.jit(f)(jnp.arange(3.0), 1.0)"
    document = read(notebook.run(cell).document)
    if operands is None:
        assert document.raised_calls == []
        return
    (call,) = document.raised_calls
    program = document.programs[call.program]
    scope = document.scopes[program.scope]
    # In these programs each equation has one result, so the index of a variable is the index of its equation.
    names_of_results = [*program.input_names, *(document.strings[primitive] for primitive in scope.primitive)]
    assert [names_of_results[number] for number in call.operands] == operands
