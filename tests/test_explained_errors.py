"""Tests the notes on errors that a trace raised: the expression, the arguments, and cures with the user's names."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook
from error_table.cards import Cells

from jupyter_jaxpr.build.cures.cure_trials import try_cures
from jupyter_jaxpr.explain.errors.cell_error import trace_error
from jupyter_jaxpr.explain.trials import trial_time_limit
from jupyter_jaxpr.jax.transform_and_inputs_of_tracer import type_of
from jupyter_jaxpr.observe.observation import Finding
from jupyter_jaxpr.observe.process_observer import observer

FILE = "/tmp/ipykernel_1/errors.py"
ONE = jnp.float32(1.5)
ROW = jnp.arange(3.0)


def space_of(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {"jax": jax, "jnp": jnp, "lax": jax.lax, "np": np}
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    exec(compile(source, FILE, "exec"), space)
    return space


def raised(source: str, *arguments: object) -> Finding:
    """Call the function f of a source text under jit, and return the finding on its error."""
    fun = jax.jit(space_of(source)["f"])
    with pytest.raises(Exception) as caught:
        fun(*arguments)
    return trace_error(caught.value, "f")


def marked(source: str, finding: Finding) -> str:
    """Return the expression that a finding marks in the source."""
    place = finding.place
    assert place is not None
    line = source.split("\n")[place.line - 1].encode()
    return line[place.column : place.end_column].decode()


def test_a_script_has_the_argument_and_its_type_too() -> None:
    finding = raised("def f(xs):\n    if xs.sum() > 2:\n        return xs\n    return -xs\n", ROW)
    assert finding.text == (
        "f could not be traced. Python's if, while, and, or and not need a value that is true or false. This value "
        "depends on the argument xs (f32[3]). While JAX traces, arguments have shapes but no values."
    )
    assert finding.cure is None
    assert finding.detail is not None and "TracerBoolConversionError" in finding.detail


def test_grad_alone_runs_what_jit_of_grad_cannot() -> None:
    source = "def g(x):\n    if x > 0:\n        return x * x\n    return -x\ndef f(x):\n    return jax.grad(g)(x)\n"
    assert space_of(source)["f"](1.5) == 3.0
    finding = raised(source, 1.5)
    assert finding.text.endswith(
        "jax.grad without jax.jit can run this line, because jax.grad calls the function with values. Under jax.jit, "
        "arrays have no values."
    )
    assert [cure.name for cure in finding.cures] == ["jax.lax.cond", "jax.numpy.where"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("x * float(x)", id="float() needs a value under grad, too"),
        pytest.param("float(f'{x:.1f}') * x", id="a format needs a value under grad, too"),
    ],
)
def test_grad_alone_cannot_run_what_needs_a_python_number(body: str) -> None:
    source = f"def g(x):\n    return {body}\ndef f(x):\n    return jax.grad(g)(x)\n"
    with pytest.raises(TypeError):
        space_of(source)["f"](1.5)
    assert "jax.grad without jax.jit" not in raised(source, 1.5).text


def test_grad_alone_cannot_run_what_vmap_or_a_loop_traces() -> None:
    body = "def g(x):\n    if x > 0:\n        return x * x\n    return -x\n"
    mapped = "def f(xs):\n    return jax.vmap(jax.grad(g))(xs)\n"
    looped = "def f(x):\n    return jax.lax.scan(lambda c, _: (jax.grad(g)(c), None), x, None, 3)\n"
    assert "jax.grad without jax.jit" not in raised(body + mapped, ROW).text
    assert "jax.grad without jax.jit" not in raised(body + looped, 1.5).text


def test_an_error_that_is_none_of_jaxs_has_its_line_and_no_advice() -> None:
    source = "def f(x):\n    return {}['missing'] + x\n"
    finding = raised(source, ONE)
    assert (finding.title, finding.cures) == (None, ())
    assert finding.text == "f could not be traced. The trace raised KeyError: 'missing'."
    assert marked(source, finding) == "{}['missing']"


def test_an_error_of_a_file_that_is_gone_has_its_line() -> None:
    source = "def f(x):\n    return x if x > 0 else -x\n"
    fun = jax.jit(space_of(source)["f"])
    linecache.cache.pop(FILE)
    with pytest.raises(Exception) as caught:
        fun(ONE)
    finding = trace_error(caught.value, "f")
    assert finding.place is not None and finding.place.line == 2
    assert finding.title == "Python cannot know whether a traced array is true while JAX traces"


def test_a_call_that_raised_and_no_trace_is_said_as_such() -> None:
    with pytest.raises(Exception) as caught:
        jax.jit(lambda x: x)(object())
    finding = trace_error(caught.value, "f")
    assert "could not be traced" not in finding.text
    assert finding.title == "The argument x is not an array: its type is object"


def test_a_method_under_jit_without_static_self() -> None:
    class Model:
        @jax.jit
        def predict(self, x: Any) -> Any:
            return x

    with pytest.raises(TypeError) as caught:
        Model().predict(ROW)
    finding = trace_error(caught.value, "predict")
    assert finding.title == "The argument self is not an array: its type is Model"
    assert [(cure.name, cure.code) for cure in finding.cures] == [
        ("static_argnames", None),  # Python hashes a Model by identity, so the cure is advice without an edit
        ("jax.tree_util.register_dataclass", None),
    ]


CELL = """\
%%jaxpr
@jax.jit
def clip(x, low):
    if x < low:
        return low
    return x

clip(x[0], x[1])"""


def test_an_operand_of_the_users_is_not_asked_for_its_type() -> None:
    called: list[str] = []

    class Own:
        def __getattr__(self, name: str) -> Any:
            called.append(name)
            raise AttributeError(name)

        def __repr__(self) -> str:
            called.append("repr")
            return "Own()"

    assert [type_of(value) for value in (Own(), [Own()], ROW, 1)] == ["", "", "f32[3]", "i32[]"]
    assert called == []


def test_the_type_of_an_array_of_the_text_is_found_unheard() -> None:
    heard: list[str] = []

    def listener(event: str, duration_secs: float, **facts: Any) -> None:
        heard.append(event)

    with pytest.raises(TypeError) as caught:
        jax.jit(space_of("def f(x):\n    return jnp.zeros(2) + x\n")["f"])(ROW)
    jax.monitoring.register_event_duration_secs_listener(listener)
    finding = trace_error(caught.value, "f")
    jax.monitoring.unregister_event_duration_listener(listener)
    assert "jnp.zeros(2) is f32[2]." in finding.text
    assert heard == []


def test_in_a_cell_the_note_marks_the_expression(kernel_documents: Callable[[str], list[dict[str, Any]]]) -> None:
    (document,) = kernel_documents(CELL)
    (note,) = [note for note in document["notes"] if note["kind"] == "trace_raised"]
    _, _, *span = document["frames"][note["frame"]]
    assert span == [4, 7, 4, 14]
    assert note["title"] == "Python cannot know whether x < low is true while JAX traces"
    # There is no cure that makes x[0] or x[1] static, because they are arrays.
    assert [(cure["name"], cure["code"], cure["level"]) for cure in note["cures"]] == [
        ("jax.lax.cond", "return jax.lax.cond(x < low, lambda: low, lambda: x)", "applies"),
        ("jax.numpy.where", "return jax.numpy.where(x < low, low, x)", "applies"),
    ]
    (edit,) = note["cures"][0]["edits"]
    _, _, *span = document["frames"][edit["frame"]]
    assert (span, edit["text"]) == ([4, 4, 6, 12], "return jax.lax.cond(x < low, lambda: low, lambda: x)")


def test_a_plain_function_that_cannot_be_traced_has_ways_out_too(
    kernel_documents: Callable[[str], list[dict[str, Any]]],
) -> None:
    (document,) = kernel_documents("%%jaxpr\ndef g(x):\n    if x[0] >= 0:\n        return x\n    return -x\ng(x)")
    (note,) = [note for note in document["notes"] if note["kind"] == "untraceable"]
    assert note["title"] == "Python cannot know whether x[0] >= 0 is true while JAX traces"
    assert note["cures"][0]["code"] == "return jax.lax.cond(x[0] >= 0, lambda: x, lambda: -x)"


EFFECTS = """\
%%jaxpr
seen = []

def noted(y):
    seen.append(y)
    print("a word")
    return y

@jax.jit
def f(x):
    if x[0] > 0:
        return noted(x)
    return -x

f(x)"""


def test_a_cure_whose_trial_would_change_something_is_not_tried(notebook: Notebook) -> None:
    ran = notebook.run(EFFECTS)
    assert notebook["seen"] == [] and "a word\n" not in ran.stdout.replace('print("a word")\n', "")
    (note,) = [note for note in ran.document["notes"] if note["kind"] == "trace_raised"]
    assert [(cure["name"], cure.get("level", "advice"), cure["code"]) for cure in note["cures"]] == [
        ("jax.lax.cond", "advice", None),
        ("jax.numpy.where", "advice", None),
    ]


def test_a_trial_leaves_no_trace_of_a_jitted_function(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef g(y):\n    return y * 2")
    notebook.run("%%jaxpr\n@jax.jit\ndef f(y):\n    if y[0] > 0:\n        return g(y)\n    return -y\n\nf(x)")
    ran = notebook.run("%%jaxpr\ng(x)")
    (row,) = [row for row in ran.document["ledger"]["functions"] if row["name"] == "g"]
    assert {key: row["run"][key] for key in ("calls", "misses", "traces", "compiles")} == {
        "calls": 1,
        "misses": 1,
        "traces": 1,
        "compiles": 1,
    }


RAISES = ["jnp.ones(3) + jnp.ones(4)", "x[0] = 3", CELL.partition("\n")[2]]


@pytest.mark.parametrize("cell", RAISES)
def test_a_cell_that_raises_has_its_card_below(notebook: Notebook, cell: str) -> None:
    ran = notebook.run(f"%%jaxpr\n{cell}")
    plain = notebook.run(cell)
    assert str(ran.result.error_in_exec).partition(".")[0] == str(plain.result.error_in_exec).partition(".")[0]
    (note,) = [note for note in ran.document["notes"] if note["kind"] in ("trace_raised", "raised")]
    assert note["title"] is not None


def test_an_error_object_that_a_library_raises_again_is_explained_at_its_new_line(notebook: Notebook) -> None:
    # checkify raises one error object in each call, so the traceback of the second error ends with the first cell.
    cells = Cells(notebook)
    cells.card(
        "from jax.experimental import checkify\n"
        "def positive(x):\n"
        "    checkify.check(x > 0, 'not positive')\n"
        "    return x\n"
        "jax.jit(positive)(1.0)"
    )
    second = cells.card(
        "@jax.jit\n"
        "def divided(a, b):\n"
        "    checkify.check(jnp.all(b != 0), 'division by zero')\n"
        "    return a / b\n"
        "divided(2.0, jnp.ones(3))"
    )
    assert second == (
        "marks: checkify.check(jnp.all(b != 0), 'division by zero')\n"
        "title: checkify.check works only within checkify.checkify\n"
        "text: Line 6 calls divided without checkify.checkify. checkify.checkify makes a function that returns two "
        "values:\n"
        "    the error of a failed check, and the result.\n"
        "cure: checkify.checkify (advice)\n"
        "    | error, result = checkify.checkify(divided)(2.0, jnp.ones(3))\n"
        "    | error.throw()\n"
        "    checkify also takes a jitted function. error.throw() raises the error of a failed check."
    )


def test_an_error_of_python_alone_has_no_output(notebook: Notebook) -> None:
    assert notebook.run("%%jaxpr\n1 / 0").shown == []


@pytest.mark.parametrize("loop", ["for i in range(n):\n        x = x + i", "while 0 < n:\n        n = n - 1"])
def test_a_trial_that_would_take_too_long_ends(notebook: Notebook, monkeypatch: pytest.MonkeyPatch, loop: str) -> None:
    monkeypatch.setattr(trial_time_limit, "SECONDS_AT_ERROR", 0.2)
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x, n):\n    {loop}\n    return x\nf(1.0, 10**9)")
    cures = {cure["name"]: cure.get("level", "advice") for cure in ran.note("trace_raised")["cures"]}
    assert "static_argnames" not in cures
    assert cures["scan with a mask"] == "advice"
    assert sys.gettrace() is None


def test_a_cure_that_was_not_tried_in_time_is_tried_when_the_panel_asks(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.run("import jax, jax.numpy as jnp")
    built = notebook.builds()
    levels = []
    for after in ("", "1 / 0"):
        monkeypatch.setattr(trial_time_limit, "SECONDS_AT_ERROR", 0.0)
        notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    return x[x > 1].sum()\nf(jnp.ones(3))")
        run = built[-1]
        notebook.run(after)
        for document in (run.document, try_cures(observer(), run.sources, notebook.shell.user_ns)):
            (note,) = [note for note in document.notes if note.kind == "trace_raised"]
            levels.append([(cure.name, cure.level, cure.code) for cure in note.cures])
    applies = [("jnp.where", "applies", "return jnp.where(x > 1, x, 0).sum()")]
    untried = [("jnp.where", "advice", None)]
    # Python keeps only the last error of a cell, so the cures of the other errors cannot be tried.
    assert levels == [untried, applies, untried, untried]


def test_an_explanation_that_needs_a_trial_comes_when_the_panel_asks(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_time_limit, "SECONDS_AT_ERROR", 0.0)
    built = notebook.builds()
    notebook.run("%%jaxpr\njax.jit(lambda x: lax.reduce(x, 0.0, lax.add, 0))(x)")
    cards = []
    for seconds in (0.0, 60.0):
        monkeypatch.setattr(trial_time_limit, "SECONDS", seconds)
        document = try_cures(observer(), built[-1].sources, notebook.shell.user_ns)
        (note,) = [note for note in document.notes if note.kind == "trace_raised"]
        cards.append((note.title, note.text, [(cure.name, cure.level, cure.code) for cure in note.cures]))
    untried = "<lambda> could not be traced. The trace raised TypeError: 'int' object is not iterable."
    assert cards == [
        (None, untried, []),
        (
            "reduce takes a tuple of integers, but 0 is one integer",
            "<lambda> could not be traced. A function of JAX takes the numbers of all axes as one tuple.",
            [("a tuple", "applies", "jax.jit(lambda x: lax.reduce(x, 0.0, lax.add, (0,)))(x)")],
        ),
    ]


def test_an_explanation_outside_of_jit_that_needs_a_trial_comes_with_the_error(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_time_limit, "SECONDS_AT_ERROR", 0.0)
    monkeypatch.setattr(trial_time_limit, "SECONDS", 60.0)
    note = notebook.run("%%jaxpr\nlax.reduce(x, 0.0, lax.add, 0)").note("raised")
    assert note["title"] == "reduce takes a tuple of integers, but 0 is one integer"
    assert [cure["name"] for cure in note["cures"]] == ["a tuple"]


@pytest.mark.parametrize("made", ["partial(f, 2.0)", "jax.vmap(f, in_axes=(None, 0, None))"])
def test_a_trial_of_a_static_argument_leaves_no_trace_of_an_inner_function(notebook: Notebook, made: str) -> None:
    built = notebook.builds()
    arguments = "x, 3" if made.startswith("partial") else "2.0, x, 3"
    notebook.run(
        "%%jaxpr\nfrom functools import partial\n@jax.jit\ndef inner(y):\n    return y * 2\n"
        "def f(a, y, n):\n    return jnp.ones(n).sum() * a * inner(y)\n"
        f"jax.jit({made})({arguments})"
    )
    (note,) = [note for note in built[-1].document.notes if note.kind == "trace_raised"]
    assert (note.cures[0].name, note.cures[0].level) == ("static_argnames", "applies")
    notebook.run("%%jaxpr\ninner(x)\ninner(x[0])")
    runs = [function.run for function in built[-1].document.ledger.functions if function.name == "inner"]
    assert [(run.misses, run.traces, run.compiles) for run in runs if run.misses] == [(2, 2, 2)]


def test_no_trial_takes_the_place_of_a_debugger(notebook: Notebook) -> None:
    events = []

    def debugger(frame: Any, event: str, argument: Any) -> None:
        if frame.f_code.co_name == "root_of_text":
            events.append(event)

    cell = "@jax.jit\ndef root_of_text(x):\n    return x if x > 0 else -x\nroot_of_text(1.0)"
    sys.settrace(debugger)
    try:
        ran = notebook.run(f"%%jaxpr\n{cell}")
        tracer = sys.gettrace()
    finally:
        sys.settrace(None)
    assert tracer is debugger
    assert events == ["call"]
    assert [cure.get("level", "advice") for cure in ran.note("trace_raised")["cures"]] == ["advice", "advice"]


_RULE = """import jax, jax.numpy as jnp
@jax.custom_vjp
def norm(x, limit):
    return jnp.minimum(jnp.linalg.norm(x), limit)

def norm_forward(x, limit):
    return norm(x, limit), x

def norm_backward(x, g):
    return g * x

norm.defvjp(norm_forward, norm_backward)"""
IN_ANOTHER_CELL = [
    (
        "import jax\n\ndef share(v):\n    return v / jax.lax.psum(v, 'cells')\n\n"
        "step = jax.jit(jax.vmap(share, axis_name='cell'))",
        "step(jax.numpy.ones(3))",
        "jax.lax.psum(v, 'cells')",
        ("applies", 'step = jax.jit(jax.vmap(share, axis_name="cells"))'),
    ),
    (
        "import jax, jax.numpy as jnp\n\ndef is_fast(v):\n    return jnp.abs(v) > 1.0",
        "jax.lax.while_loop(is_fast, lambda v: v / 2, jnp.ones(3))",
        "jnp.abs(v) > 1.0",
        ("choice", "return REDUCTION(jnp.abs(v) > 1.0)"),
    ),
    (
        "import jax, jax.numpy as jnp\n\ndef step(carry, v):\n    a, b = carry\n    return a + v, b * v",
        "jax.lax.scan(step, (0.0, 1.0), jnp.ones(3))[0]",
        "a + v, b * v",
        ("applies", "return (a + v, b * v), None"),
    ),
    (_RULE, "jax.grad(norm)(jnp.ones(3), 10.0)", "g * x", ("applies", "return g * x, None")),
]


@pytest.mark.parametrize(("first", "second", "marks", "cure"), IN_ANOTHER_CELL)
def test_a_card_edits_a_function_of_another_cell(
    notebook: Notebook, first: str, second: str, marks: str, cure: tuple[str, str]
) -> None:
    notebook.run(first)
    document = notebook.run(f"%%jaxpr\n{second}").document
    (note,) = [note for note in document["notes"] if note["kind"] in ("trace_raised", "raised")]
    file, _, line, column, _, end_column = document["frames"][note["frame"]]
    assert document["files"][file]["source"].splitlines()[line - 1][column:end_column] == marks
    assert [(made["level"], made["code"]) for made in note["cures"]] == [cure]


def test_the_parameters_of_a_body_of_another_cell_are_exchanged(notebook: Notebook) -> None:
    notebook.run("import jax, jax.numpy as jnp\n\ndef halve(x, i):\n    a, b = x\n    return a, b.at[i].set(a / 2)")
    document = notebook.run("%%jaxpr\njax.lax.fori_loop(0, 2, halve, (1.0, jnp.zeros(2)))").document
    (note,) = [note for note in document["notes"] if note["kind"] in ("trace_raised", "raised")]
    assert note["title"] == (
        "fori_loop passes the index first, and then the carry, but the first parameter of the body is x"
    )
    assert document["frames"][note["frame"]][2:] == [2, 0, 2, 51]
    assert [(made["level"], made["code"]) for made in note["cures"]] == [("applies", "def halve(i, x):")]
