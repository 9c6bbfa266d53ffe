"""Tests the answers to the panel's requests: they come from JAX's objects; a refusal has a sentence with a cure."""

import base64
import re
import zlib

import jax
import jax.extend
import jax.numpy as jnp
import msgspec
import pytest

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.wire import base_of_requests
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered, Refused

pytestmark = pytest.mark.any_jax

RUN_AGAIN = "The kernel no longer holds this run: the kernel keeps the last 8 runs. Run the cell again."


def run_of(function, *arguments, stage):
    snapshot = jj.inspect(function, *arguments, stage=stage)
    assert snapshot._sources is not None
    return Built(snapshot.document, snapshot._sources)


def double(x):
    return x * 2.0


def large(x):
    """Compute 400 sines: the program is so large that its document has no texts."""
    for _ in range(400):
        x = jnp.sin(x)
    return x


@pytest.fixture
def runs():
    return Runs()


@pytest.fixture
def ask(runs):
    answers = Answers(runs)

    def ask(run=None, **request):
        if run is not None:
            runs.keep(run)
            request["snapshot"] = run.document.id
        return answers.answer(request)

    return ask


def levels(snapshot):
    return [(level.name, level.state) for level in snapshot.programs[0].levels]


def test_lines_of_a_text(ask):
    run = run_of(large, 1.0, stage="lower")
    reply = ask(run, type="text", id=7, program=0, level="stablehlo", first_line=1, line_count=3)
    assert isinstance(reply, Answered)
    assert reply.id == 7
    page = reply.result
    assert (page.level, page.first_line, page.lines) == ("stablehlo", 1, 405)
    first, *sines = page.text.split("\n")
    assert first.startswith("  func.func public @main(%arg0: tensor<f32>")
    assert sines == [
        "    %0 = stablehlo.sine %arg0 : tensor<f32>",
        "    %1 = stablehlo.sine %0 : tensor<f32>",
    ]


def test_a_page_has_at_most_5000_lines_and_none_before_the_first(ask):
    run = run_of(large, 1.0, stage="lower")
    reply = ask(run, type="text", id=1, program=0, level="stablehlo", first_line=-5, line_count=10**9)
    assert reply.result.first_line == 0
    assert len(reply.result.text.split("\n")) == 405
    none = ask(type="text", id=1, snapshot=run.document.id, program=0, level="stablehlo", first_line=0, line_count=-1)
    assert (none.result.text, none.result.line_stacks) == ("", [])


def test_equations_of_a_scope(ask):
    run = run_of(large, 1.0, stage="trace")
    reply = ask(run, type="scope", id=8, scope=0, first_equation=398, equation_count=5000)
    assert isinstance(reply, Answered)
    assert reply.id == 8
    page = reply.result
    assert [page.strings[name] for name in page.scope.primitive] == ["sin", "sin"]
    assert page.scope.first_equation == 398


def test_a_traced_program_is_lowered_and_compiled_when_the_user_asks(ask, runs):
    run = run_of(double, jnp.ones(3), stage="trace")
    assert levels(run.document) == [("stablehlo", "not_made"), ("hlo", "not_made")]
    lowered = ask(run, type="make", id=1, program=0, level="stablehlo").result
    assert levels(lowered) == [("stablehlo", "on_request"), ("hlo", "not_made")]
    compiled = ask(type="make", id=2, snapshot=run.document.id, program=0, level="hlo").result
    assert levels(compiled) == [("stablehlo", "on_request"), ("hlo", "on_request")]
    # For a page that connects later, the runs have the newer document.
    assert runs.latest() == [compiled]
    page = ask(type="text", id=3, snapshot=run.document.id, program=0, level="hlo", first_line=0, line_count=1)
    assert page.result.text.startswith("HloModule")


def test_what_is_made_is_not_made_again(ask):
    run = run_of(double, jnp.ones(3), stage="trace")
    first = ask(run, type="make", id=1, program=0, level="hlo").result
    second_reply = ask(type="make", id=2, snapshot=run.document.id, program=0, level="hlo")
    assert second_reply.result is first


def test_making_runs_nothing_of_the_user(ask, capsys):
    def speaks(x):
        print("traced")
        jax.debug.print("ran")
        return x + 1

    run = run_of(speaks, jnp.ones(3), stage="trace")
    capsys.readouterr()
    assert isinstance(ask(run, type="make", id=1, program=0, level="hlo"), Answered)
    jax.effects_barrier()
    assert capsys.readouterr() == ("", "")


def test_what_jax_cannot_make_says_why(ask):
    mystery = jax.extend.core.Primitive("mystery")
    mystery.def_abstract_eval(lambda x: x)
    run = run_of(lambda x: mystery.bind(x), jnp.ones(3), stage="trace")
    assert ask(run, type="make", id=4, program=0, level="hlo").reason == (
        "JAX could not lower this program (NotImplementedError: MLIR translation rule for primitive 'mystery' not "
        "found for platform cpu). Run the function in a cell to see the whole error."
    )


def test_a_failure_of_ours_is_a_sentence(ask):
    run = run_of(double, jnp.ones(3), stage="trace")

    def fail(*arguments):
        raise KeyError("column\nof something")

    run.sources.scope_page = fail
    reply = ask(run, type="scope", id=4, scope=0, first_equation=0, equation_count=1)
    expected_text = "The kernel could not answer the request: KeyError: 'column\\nof something'."
    assert reply.reason == f"{expected_text} Run the cell again."


def test_an_exit_of_the_users_code_does_not_end_the_thread_of_the_requests(ask):
    run = run_of(double, jnp.ones(3), stage="trace")

    def leave(*arguments):
        raise SystemExit(3)

    run.sources.scope_page = leave
    reply = ask(run, type="scope", id=4, scope=0, first_equation=0, equation_count=1)
    assert reply.reason == "The kernel could not answer the request: SystemExit: 3. Run the cell again."


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (
            {"type": "text", "program": 0, "level": "hlo", "first_line": 0, "line_count": 1},
            "JAX has not compiled this function. Compile the function to see its HLO. The compile takes about as long "
            "as a first call.",
        ),
        (
            {"type": "text", "program": 5, "level": "hlo", "first_line": 0, "line_count": 1},
            "This run does not have the requested program. Run the cell again.",
        ),
        (
            {"type": "make", "program": -1, "level": "hlo"},
            "This run does not have the requested program. Run the cell again.",
        ),
        (
            {"type": "scope", "scope": 99, "first_equation": 0, "equation_count": 1},
            "This run does not have the requested scope. Run the cell again.",
        ),
        (
            {"type": "dance", "program": 0},
            "The kernel's jupyter_jaxpr does not understand the request of the panel (Invalid value 'dance' - at "
            "`$.type`). Install the same version of jupyter_jaxpr for JupyterLab and for the kernel, then restart "
            "JupyterLab and the kernel.",
        ),
        (
            {"type": "make", "program": "rnn", "level": "hlo"},
            "The kernel's jupyter_jaxpr does not understand the request of the panel (Expected `int`, got `str` - at "
            "`$.program`). Install the same version of jupyter_jaxpr for JupyterLab and for the kernel, then restart "
            "JupyterLab and the kernel.",
        ),
    ],
)
def test_what_cannot_be_answered_gets_a_sentence(ask, request_, sentence):
    reply = ask(run_of(double, jnp.ones(3), stage="trace"), id=9, **request_)
    assert reply == Refused(id=9, reason=sentence)


def test_a_run_that_is_no_longer_held(ask):
    oldest = run_of(double, jnp.ones(3), stage="trace")
    request = {"type": "make", "program": 0, "level": "hlo", "snapshot": oldest.document.id}
    assert isinstance(ask(oldest, id=1, **request), Answered)
    for size in range(1, 9):
        ask(run_of(double, jnp.ones(size), stage="trace"), id=1)
    assert ask(id=2, **request).reason == RUN_AGAIN


def test_fields_that_a_newer_browser_added_are_ignored(ask):
    run = run_of(double, jnp.ones(3), stage="trace")
    assert isinstance(ask(run, type="make", id=1, program=0, level="hlo", hurry=True), Answered)


@pytest.mark.parametrize("data", [None, [], "text", {}, {"type": "text"}, {"type": "text", "id": "seven"}])
def test_what_has_no_id_has_no_reply(runs, data):
    assert Answers(runs).answer(data) is None


def test_a_run_as_a_page_of_its_own(ask):
    run = run_of(large, 1.0, stage="lower")
    assert [level.state for level in run.document.programs[0].levels] == ["on_request", "not_made"]
    reply = ask(run, type="export", id=3, program=0)
    assert isinstance(reply, Answered)
    assert reply.result.startswith("<!doctype html>")
    packed = re.findall('<script type="application/octet-stream">([^<]*)<', reply.result)
    text = "".join(zlib.decompress(base64.b64decode(packed_text)).decode() for packed_text in packed)
    # The document has no StableHLO, but the exported page has all 400 lines, either as HTML or compressed.
    assert len(re.findall(r"%\d+ = stablehlo\.sine %\d+ ", reply.result + text)) == 400
    assert (
        ask(run, type="export", id=4, program=9).reason
        == "This run does not have the requested program. Run the cell again."
    )


def test_an_answer_about_a_run_that_was_traced_anew_meanwhile_is_refused(ask, runs):
    run = run_of(double, jnp.ones(3), stage="trace")
    anew = run_of(double, jnp.ones(3), stage="trace")
    anew = Built(msgspec.structs.replace(anew.document, id=run.document.id), anew.sources)
    count = run.sources.cost

    def counted(program):
        runs.keep(anew)
        return count(program)

    run.sources.cost = counted
    assert ask(run, type="cost", id=5, program=0) == Refused(
        id=5,
        reason="The call was traced again while the kernel worked on the request, so the answer is about the earlier "
        "programs. Start the request again.",
    )
    assert runs.latest() == [anew.document]


def test_a_request_whose_module_cannot_be_imported_gets_a_sentence(ask, monkeypatch):
    def fails(name):
        raise ImportError(f"{name} is shadowed")

    monkeypatch.setattr(base_of_requests.importlib, "import_module", fails)
    run = run_of(double, jnp.ones(3), stage="trace")
    assert ask(run, type="cost", id=6, program=0) == Refused(
        id=6,
        reason="The kernel could not answer the request: ImportError: jupyter_jaxpr.wire.requests.cost_request is "
        "shadowed. Run the cell again.",
    )
