"""Tests the magics: jitted functions, last calls and targets, and the messages of runs without a program."""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.magic.cells_without_program import WHAT_TO_TYPE
from jupyter_jaxpr.quantities import duration

pytestmark = pytest.mark.any_jax

F = "@jax.jit\ndef f(x):\n    return jnp.sin(x) * 2\n"


# --- jitted functions ---


def test_the_functions_that_were_jitted_and_called_in_the_order_of_their_calls(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n" + F + "@jax.jit\ndef g(x, n=1):\n    return f(x) + n\ng(x)\nf(x[:4])\nnot_called = jax.jit(len)"
    )
    assert ran.programs == [
        "ran g(x: f32[8]) -> f32[8]: jit add",
        "ran f(x: f32[4]) -> f32[4]: sin mul",
    ]
    assert ran.document["programs"][ran.document["focus"]]["name"] == "f"
    assert ran.document["message"] is None
    f = ran.document["programs"][1]["activity"]
    assert {name: f[name] for name in ("calls", "misses", "traces", "lowerings", "compiles", "inlined", "raised")} == {
        "calls": 2,
        "misses": 1,
        "traces": 1,
        "lowerings": 1,
        "compiles": 1,
        "inlined": 1,
        "raised": 0,
    }


def test_the_cell_runs_once(notebook: Notebook) -> None:
    notebook.run("runs, traces, arguments = [], [], []")
    ran = notebook.run(
        "%%jaxpr\nruns.append(1)\n@jax.jit\ndef f(x):\n    traces.append(1)\n    return x + 1\n"
        "def make():\n    arguments.append(1)\n    return x\nf(make())"
    )
    assert (notebook["runs"], notebook["traces"], notebook["arguments"]) == ([1], [1], [1])
    assert ran.programs == ["ran f(x: f32[8]) -> f32[8]: add"]


def test_lines_and_places(notebook: Notebook) -> None:
    document = notebook.run("%%jaxpr\n" + F + "y = f(x)").document
    (program,) = document["programs"]
    definition, call = (document["frames"][program[name]] for name in ("definition", "call"))
    assert (definition[2], call[2]) == (2, 5)
    assert document["files"][call[0]]["kind"] == "cell"
    scope = document["scopes"][program["scope"]]
    spans = [document["frames"][document["stacks"][stack][0][0]] for stack in scope["stack"]]
    assert [(line, column, end) for _, _, line, column, _, end in spans] == [(4, 11, 21), (4, 11, 25)]
    assert document["cell"]["source"] == "%%jaxpr\n" + F + "y = f(x)"


def test_stages_are_those_of_the_call_that_happened(notebook: Notebook) -> None:
    stages = notebook.run("%%jaxpr\n" + F + "f(x)").document["programs"][0]["stages"]
    parts = [stages[name] for name in ("trace", "lower", "compile", "first_run", "rest")]
    assert all(part is not None and part >= 0 for part in parts)
    assert sum(parts) == pytest.approx(stages["total"])
    assert stages["from_disk"] is False


def test_a_cell_that_only_hits_shows_the_program_that_it_ran(notebook: Notebook) -> None:
    notebook.run(F + "f(x)")
    ran = notebook.run("%%jaxpr\nfor _ in range(5):\n    y = f(x)")
    assert ran.programs == ["seen_before f(x: f32[8]) -> f32[8]: sin mul"]
    (program,) = ran.document["programs"]
    assert program["origin_note"] == "JAX compiled the program earlier and reused the executable."
    assert (program["activity"]["calls"], program["activity"]["misses"], program["activity"]["compiles"]) == (5, 0, 0)


def test_a_function_compiled_before_the_extension_was_loaded(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook(False)
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.arange(8.0)\n" + F + "f(x)")
    notebook.run("%load_ext jupyter_jaxpr")
    last = notebook.run("%%jaxpr\nf(x)")
    assert last.programs == ["traced f(x: f32[8]) -> f32[8]: sin mul"]
    assert last.document["programs"][0]["origin_note"] == (
        "JAX compiled this program before the extension was loaded, and holds the program for the cell's last call."
    )
    assigned = notebook.run("%%jaxpr\ny = f(x)")
    assert assigned.programs == last.programs
    not_last = notebook.run("%%jaxpr\ny = f(x)\nz = 1")
    assert not_last.document["message"] == (
        "The cell called f and reused a program that JAX compiled before %load_ext jupyter_jaxpr, so the program is "
        "not known. Load the extension before the first call, or write %%jaxpr f(x)."
    )


def test_functions_of_jax_compiled_before_the_extension_was_loaded(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook(False)
    cell = "y = sparse.BCOO.fromdense(jnp.eye(9)) @ x[:9]\ny = jnp.hypot(x, x)"
    notebook.run("import jax, jax.numpy as jnp\nfrom jax.experimental import sparse\nx = jnp.arange(12.0)\n" + cell)
    notebook.run("%load_ext jupyter_jaxpr")
    document = notebook.run("%%jaxpr --no-trace\n" + cell).document
    assert [(program["name"], program["origin"]) for program in document["programs"]] == [("cell [3]", "recorded")]
    assert document["message"] is None
    assert document["programs"][0]["origin_note"].endswith(
        f" The cell called no jitted function of yours. {WHAT_TO_TYPE}"
    )


def test_jax_imported_by_the_observed_cell_itself(tmp_path: object) -> None:
    import subprocess
    import sys

    program = """
from IPython.core.interactiveshell import InteractiveShell
import sys
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jupyter_jaxpr")
assert "jax" not in sys.modules
shell.run_cell("%%jaxpr\\nimport os\\nos.environ['JAX_ENABLE_X64'] = '1'\\nimport jax\\n"
               "@jax.jit\\ndef f(x):\\n    return x * 2\\ny = [f(1.0), f(1.0)]")
assert not any(type(finder).__module__.startswith("jupyter_jaxpr") for finder in sys.meta_path)
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert process.stdout.splitlines()[:1] == ["f (f64[] weak) → f64[] weak"], process.stderr
    assert "2 calls, 1 compile" in process.stdout


def test_loading_it_compiles_nothing_again() -> None:
    import subprocess
    import sys

    program = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell()
shell.run_cell("import jax, jax.numpy as jnp\\n@jax.jit\\ndef f(x):\\n    return jnp.sin(x) * 2")
shell.run_cell("x = jnp.ones(3)\\ny = f(x)")
compiled = []
import jax
from jax._src import config
names = list(config.trace_context_names())
jax.monitoring.register_event_duration_secs_listener(
    lambda event, *_, **keys: compiled.append(keys.get("fun_name")) if "backend_compile" in event else None)
counts = []
def call_again():
    compiled.clear()
    shell.run_cell("y = f(x)")
    counts.append(len(compiled))
shell.run_line_magic("load_ext", "jupyter_jaxpr")
call_again()
shell.run_cell("%%jaxpr --transform grad,vmap --time\\ny = f(x)")
call_again()
shell.run_cell("import jupyter_jaxpr\\nseen = jupyter_jaxpr.inspect(f, x)\\n(seen.cost, seen.exact_links());")
call_again()
print(counts, list(config.trace_context_names()) == names)
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert process.stdout.splitlines()[-1:] == ["[0, 0, 0] True"], process.stdout + process.stderr


def test_errors_still_show_what_ran_before(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\n" + F + "f(x)\n1 / 0")
    assert repr(ran.result.error_in_exec) == "ZeroDivisionError('division by zero')"
    assert ran.programs == ["ran f(x: f32[8]) -> f32[8]: sin mul"]


def test_a_trace_that_raises_is_counted_and_shows_the_equations_until_it_raised(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    if x.sum() > 0:\n        return x\n    return -x\n"
        "try:\n    f(x)\nexcept jax.errors.TracerBoolConversionError:\n    print('caught')"
    )
    assert ran.stdout.startswith("caught\n")
    assert ran.programs == ["traced f(x: f32[8]) -> (): reduce_sum gt"]
    assert ran.document["message"] is None
    (program,) = ran.document["programs"]
    assert program["how"] == "traced until the trace raised an error"
    assert program["origin_note"] == (
        "The trace of f raised TracerBoolConversionError. The program shows the equations that JAX had traced before "
        "the error. JAX did not compile or run the program."
    )
    counts = ("calls", "misses", "traces", "lowerings", "compiles", "raised")
    assert [program["activity"][name] for name in counts] == [1, 1, 1, 0, 0, 1]
    assert [level["state"] for level in program["levels"]] == ["absent", "absent"]


# --- the last call ---


def test_a_plain_function_is_recorded_and_traced_after_the_cell(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef log2(x):\n    return jnp.log(x) / jnp.log(2.0)\nlog2(3.0)")
    assert ran.programs == [
        "traced log2(x: f32[] weak) -> f32[] weak: log log div",
        "recorded log2(x: 3.0) -> f32[] weak: jit jit jit",
    ]
    traced, recorded = ran.document["programs"]
    assert traced["origin_note"] == (
        "jupyter_jaxpr traced this program: the cell called log2 without jit, so JAX ran log2 operation by operation. "
        "For the trace, the Python of log2 ran a second time, with tracers in place of arrays."
    )
    assert recorded["origin_note"].startswith(
        "jupyter_jaxpr recorded what JAX ran for the call log2(3.0): 3 dispatches"
    )
    assert (traced["stages"], recorded["stages"]) == (None, None)
    assert [level["state"] for level in traced["levels"]] == ["not_made", "not_made"]
    assert [level["state"] for level in recorded["levels"]] == ["absent", "absent"]


def test_what_the_second_run_prints_is_not_printed_again(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef g(x):\n    print('x is', x)\n    return x + 1\ng(x)")
    assert ran.stdout.count("x is") == 1
    assert "JitTracer" in ran.note("printed_while_tracing")["detail"]


def test_a_later_jit_is_traced_as_if_we_had_not_been_there(notebook: Notebook) -> None:
    notebook.run("%%jaxpr\ndef g(x):\n    print('traced')\n    return x + 1\ng(x)")
    ran = notebook.run("%%jaxpr\njax.jit(g)(x)")
    assert ran.stdout.startswith("traced\n")
    assert ran.document["programs"][0]["activity"]["traces"] == 1


@pytest.mark.parametrize("way", ["%%jaxpr --no-trace\n", "%config JaxprMagics.auto_trace = False"])
def test_the_second_run_can_be_turned_off(notebook: Notebook, way: str) -> None:
    notebook.run("seen = []")
    if way.startswith("%config"):
        notebook.run(way)
        way = "%%jaxpr\n"
    ran = notebook.run(way + "def g(x):\n    seen.append(1)\n    return x + 1\ng(x)")
    assert notebook["seen"] == [1]
    assert ran.programs == ["recorded g(x: f32[8]) -> f32[8]: jit"]
    assert ran.document["message"] is None
    ran = notebook.run(way + "def h(x):\n    return x\nh(x)")  # h dispatches nothing, so there is no recording
    assert ran.programs == []
    assert ran.document["message"] == (
        "h is not jitted, and tracing is turned off. To trace the call, write %jaxpr h(x)."
    )


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (
            "1 + 1",
            "The cell ran no program that JAX compiled. Call a function under @jax.jit in the cell, end the cell with "
            "a call such as f(x), or write %%jaxpr f(x) or %%jaxpr f(f32[8]).",
        ),
        (
            F,
            "The cell defines the jitted function f and does not call f. Call f, or write %jaxpr f(f32[8]).",
        ),
        (
            F + "import threading\nthread = threading.Thread(target=f, args=(x,))\nthread.start()\nthread.join()\nx",
            "Calls in other threads are not counted here: f missed the cache in another thread. Call the function in "
            "this thread to see what the call does.",
        ),
        (
            F + "import threading\nthread = threading.Thread(target=f, args=(x,))\nthread.start()\nthread.join()",
            "Calls in other threads are not counted here: f missed the cache in another thread. Call the function in "
            "this thread to see what the call does.",
        ),
        (
            "len([x])",
            "The cell ends with a call of len, which is not a function that JAX can trace. Call a function under "
            "@jax.jit in the cell, end the cell with a call such as f(x), or write %%jaxpr f(x) or %%jaxpr f(f32[8]).",
        ),
        (
            "def main():\n    return 1\nmain()",
            "The cell ends with main(). The call has no array among its arguments, so the call was not traced. Call a "
            "function under @jax.jit in the cell, end the cell with a call such as f(x), or write %%jaxpr f(x) or "
            "%%jaxpr f(f32[8]).",
        ),
        (
            "def mean(values):\n    return sum(values) / len(values)\nmean([1.0, 2.0])",
            "The cell ends with mean([1.0, 2.0]). The call returned no JAX array, so the call was not traced. To "
            "trace the call anyway, write %jaxpr mean([1.0, 2.0]).",
        ),
        (
            "1 / 0",
            "The cell raised ZeroDivisionError before a jitted function ran. Correct the cell and run the cell again.",
        ),
    ],
)
def test_where_nothing_shows_a_sentence_says_what_to_type(
    kernel_documents: Callable[[str], list[dict[str, object]]], cell: str, message: str
) -> None:
    (document,) = kernel_documents("%%jaxpr\n" + cell)
    assert document["programs"] == []
    assert document["message"] == message


def test_where_only_a_recording_shows_its_note_says_what_to_type(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef main():\n    return x + 1\nmain()")
    assert ran.programs == ["recorded main() -> f32[8]: jit"]
    assert ran.document["message"] is None
    assert ran.document["programs"][0]["origin_note"].endswith(
        " The cell ends with main(). The call has no array among its arguments, so the call was not "
        "traced. " + WHAT_TO_TYPE
    )


def test_a_plain_function_that_cannot_be_traced_is_a_note_with_its_line(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef g(x):\n    if x[0] >= 0:\n        return x\n    return -x\ng(x)")
    assert ran.result.success
    assert ran.programs == ["recorded g(x: f32[8]) -> f32[8]: dynamic_slice squeeze jit"]
    note = ran.note("untraceable")
    assert note["text"].startswith("g ran, but cannot be traced. Tracing g raised TracerBoolConversionError:")
    assert note["cure"] == "To turn off the trace of the cell's last call, write %%jaxpr --no-trace."
    assert ran.line_of(note) == 3


# --- targets ---


def test_a_target_is_shown_first(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr f(f32[2,3])\n" + F + "@jax.jit\ndef g(x):\n    return x\ng(x)")
    assert ran.programs == ["ran g(x: f32[8]) -> f32[8]: ", "traced f(x: f32[2,3]) -> f32[2,3]: sin mul"]
    assert ran.document["focus"] == 1


def test_a_target_that_ran_in_the_cell_is_the_program_that_ran(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr f(x)\n" + F + "f(x)\nf(x[:2])")
    assert ran.programs == ["ran f(x: f32[8]) -> f32[8]: sin mul", "ran f(x: f32[2]) -> f32[2]: sin mul"]
    assert ran.document["focus"] == 0


def test_the_line_magic_runs_nothing(notebook: Notebook) -> None:
    notebook.run("ran = []\ndef g(x, n):\n    jax.debug.callback(lambda: ran.append(1))\n    return x * n")
    ran = notebook.run("%jaxpr g(f32[8,128], n=3)")
    assert ran.programs == [
        "traced g(x: f32[8,128], n: i32[] weak) -> f32[8,128]: debug_callback convert_element_type mul"
    ]
    assert notebook["ran"] == []
    assert ran.result.result is None
    assert ran.document["programs"][0]["origin_note"] == (
        "jupyter_jaxpr traced this program for %jaxpr g(f32[8,128], n=3). Nothing was executed."
    )
    evaluated = notebook.run("%jaxpr g(x, n=x[0])")
    assert evaluated.document["programs"][0]["origin_note"] == (
        "jupyter_jaxpr traced this program for %jaxpr g(x, n=x[0]). The arguments were evaluated; the function "
        "was not executed."
    )


@pytest.mark.parametrize(
    ("stage", "levels", "runs"),
    [
        ("trace", ["not_made", "not_made"], 0),
        ("lower", ["held", "not_made"], 0),
        ("compile", ["held", "held"], 0),
        ("run", ["held", "held"], 1),
    ],
)
def test_how_far_a_target_is_taken(notebook: Notebook, stage: str, levels: list[str], runs: int) -> None:
    notebook.run("ran = []\ndef g(x):\n    jax.debug.callback(lambda: ran.append(1))\n    return x * 2")
    document = notebook.run(f"%jaxpr g(x) --stage {stage}").document
    notebook.run("jax.effects_barrier()")
    assert [level["state"] for level in document["programs"][0]["levels"]] == levels
    assert len(notebook["ran"]) == runs


def test_statics_of_a_jitted_target_and_strings_of_a_plain_one(notebook: Notebook) -> None:
    notebook.run(
        "import functools\n@functools.partial(jax.jit, static_argnames='n')\ndef h(x, n):\n    return x * n\n"
        "def k(x, mode):\n    return x + 1 if mode == 'up' else x - 1"
    )
    assert notebook.run("%jaxpr h(f32[3], n=2)").programs == ["traced h(x: f32[3], n: 2) -> f32[3]: mul"]
    assert notebook.run("%jaxpr k(f32[3], mode='up')").programs[0].endswith("-> f32[3]: add")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("g(x)", "'g(x)' could not be traced. g is not defined. Define g in this cell or in an earlier cell."),
        (
            "f(none)",
            "'f(none)' could not be traced. none is not defined. Define none in this cell or in an earlier cell.",
        ),
        ("x(1)", "'x(1)' could not be traced. x is a ArrayImpl, not a function. Write the name of a function."),
        (
            "f(x, 1 / 0)",
            "'f(x, 1 / 0)' could not be traced. The arguments of the call raised ZeroDivisionError: division by zero. "
            "Correct the call after %%jaxpr.",
        ),
    ],
)
def test_what_turns_out_to_be_missing_is_a_line_and_no_exception(notebook: Notebook, line: str, message: str) -> None:
    notebook.run(F)
    ran = notebook.run(f"%%jaxpr {line}\n41 + 1")
    assert ran.result.result == 42
    assert ran.result.success
    assert ran.document["message"] == message
    assert ran.note("target")["text"] == message


def test_a_function_that_needs_arguments_it_was_not_given(notebook: Notebook) -> None:
    notebook.run(F)
    ran = notebook.run("%%jaxpr f()\n41 + 1")
    assert ran.result.success
    assert ran.document["message"] == (
        "'f()' could not be traced. Tracing f raised TypeError: f() missing 1 required positional argument: 'x'"
    )


# --- mistakes in the magic's line ---


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--memory", "unrecognized arguments: --memory"),
        ("--stage fly f(x)", "argument --stage: invalid choice: 'fly' (choose from"),
        ("--stage lower", "--stage needs a target. Write a call, such as f(x) --stage lower."),
        ("f", "'f' is not a call. Write the function with its arguments, such as f(x) or f(f32[8])."),
        ("f(f33[8])", "'f33[8]': there is no dtype f33. Did you mean f32? Write, for example, f32, bf16, i32 or bool."),
        ("f(x", "A ')' is missing in: f(x. Close the bracket."),
        ("f('x)", "The quote ' is not closed in: f('x). Close the quote."),
        (
            "f(f32[8]) --stage run",
            "--stage run needs values, but the arguments of 'f(f32[8])' are types. Write arrays, such as "
            "f(jnp.ones(8)), or use --stage compile.",
        ),
    ],
)
@pytest.mark.parametrize("magic", ["%jaxpr {}", "%%jaxpr {}\nran.append(1)"])
def test_a_mistake_is_named_and_the_cell_is_not_run(notebook: Notebook, magic: str, line: str, message: str) -> None:
    notebook.run("ran = []")
    ran = notebook.run(magic.format(line))
    assert type(ran.result.error_in_exec).__name__ == "UsageError"
    assert str(ran.result.error_in_exec).startswith(message)
    assert notebook["ran"] == []
    assert ran.shown == []


def test_an_empty_cell_and_an_empty_line(notebook: Notebook) -> None:
    for empty in ("%%jaxpr", "%%jaxpr\n", "%%jaxpr\n   \n\n", "\n%%jaxpr --title nothing\n"):
        ran = notebook.run(empty)
        assert ran.result.success
        assert ran.document["message"] == (
            "The cell has no code below %%jaxpr. Write Python code in the cell, or trace one call with %jaxpr f(x)."
        )
    notebook.run("def double(v):\n    return v * 2")
    assert notebook.run("%%jaxpr double(x)\n   \n").programs == ["traced double(v: f32[8]) -> f32[8]: mul"]
    assert str(notebook.run("get_ipython().run_cell_magic('jaxpr', '', '  ')").result.error_in_exec) == (
        "The cell is empty below %%jaxpr. To trace one call, write %jaxpr f(x) with one %."
    )
    assert str(notebook.run("%%jaxpr --sweep n=8,16").result.error_in_exec) == (
        "--sweep n=8,16: the line names no call that uses n. Write the call after the values, such as --sweep n=8,16 "
        "f(jnp.ones(n))."
    )
    assert str(notebook.run("%jaxpr").result.error_in_exec) == (
        "%jaxpr needs a call to trace, such as %jaxpr f(x) or %jaxpr f(f32[8,128]). To watch a whole cell, put %%jaxpr "
        "on its first line."
    )


def test_options_are_documented(notebook: Notebook) -> None:
    from jupyter_jaxpr.magic.magics_and_settings import JaxprMagics

    text = JaxprMagics.jaxpr.__doc__ or ""
    for option in ("target", "--stage", "--no-trace", "--title", "--pin"):
        assert option in text
    assert "--stage" in notebook.run("%%jaxpr?").stdout


# --- the options for title and pin, and the settings ---


def test_title_and_pin(notebook: Notebook) -> None:
    document = notebook.run('%%jaxpr --title "my first jit" --pin\n' + F + "f(x)").document
    assert (document["title"], document["pinned"]) == ("my first jit", True)


def test_the_output_can_be_turned_off_or_capped(notebook: Notebook) -> None:
    cell = "%%jaxpr\n@jax.jit\ndef f(x):\n    for _ in range(500):\n        x = jnp.sin(x)\n    return x\nf(x)"
    import json

    full_document = notebook.run(cell).document
    notebook.run("%config JaxprMagics.output_bytes = 5000")
    capped = notebook.run(cell).document
    texts = [json.dumps(document, separators=(",", ":"), ensure_ascii=False) for document in (capped, full_document)]
    sizes = [len(text.encode()) for text in texts]
    assert sizes[0] <= 5000 < sizes[1]
    assert full_document["cut"] is None
    assert capped["cut"]
    notebook.run("%config JaxprMagics.output = False")
    assert notebook.run(cell).shown == []


# --- notes ---


def test_prints_of_a_trace_reach_the_reader_and_are_noted(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    print('x is', x, end='!\\n')\n    return x + 1\n"
        "print('before')\nf(x)\nf(x)\nprint('after')"
    )
    tracer = ran.note("printed_while_tracing")["detail"].removeprefix("x is ").removesuffix("!")
    assert ran.stdout.splitlines()[:3] == ["before", f"x is {tracer}!", "after"]
    assert "JitTracer" in tracer
    assert ran.line_of(ran.note("printed_while_tracing")) == 4
    assert "printed_while_tracing" not in notebook.run("%%jaxpr\nf(x)").notes


def test_a_tracer_that_was_kept_is_noted_with_its_line(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\nkept = []\n@jax.jit\ndef f(x):\n    kept.append(x)\n    return x\nf(x)")
    note = ran.note("leaked_tracer")
    assert note["text"] == (
        "1 tracer (f32[8]) stayed in kept after the trace of f. A tracer stands for an array only during the trace, "
        "and has no value afterwards. A later call changes kept only if JAX traces f again."
    )
    assert note["cure"] == "Return the value from f instead of keeping it in kept."
    assert ran.line_of(note) == 5


@pytest.mark.parametrize("holder", ["kept = {}|kept['a'] = x", "class S: pass\nkept = S()|kept.a = x"])
def test_whatever_holds_it(notebook: Notebook, holder: str) -> None:
    definition, keep = holder.split("|")
    ran = notebook.run(f"%%jaxpr\n{definition}\n@jax.jit\ndef f(x):\n    {keep}\n    return x\nf(x)")
    assert "leaked_tracer" in ran.notes


def leaks(ran: Ran) -> list[str]:
    """Return the first sentence of each note on a leaked tracer."""
    texts = [note["text"] for note in ran.document["notes"] if note["kind"] == "leaked_tracer"]
    return [text.partition(". ")[0] for text in texts]


def test_a_tracer_that_an_earlier_cell_kept_is_not_of_this_one(notebook: Notebook) -> None:
    notebook.run("kept = []\n@jax.jit\ndef f(x):\n    kept.append(x)\n    return x\nf(x)")
    assert leaks(notebook.run("%%jaxpr\nf(x[:4])")) == ["1 tracer (f32[4]) stayed in kept after the trace of f"]
    assert leaks(notebook.run("%%jaxpr\nf(x[:4])")) == []
    quiet = "%%jaxpr\n@jax.jit\ndef g(x):\n    return x * len(kept)\ng(x)"
    assert leaks(notebook.run(quiet)) == []
    assert leaks(notebook.run("%%jaxpr\nf(x[:2]), f(x[:3])")) == [
        "2 tracers (f32[2], f32[3]) stayed in kept after the trace of f"
    ]


def test_tracers_of_several_functions_in_one_list_are_each_told_once(notebook: Notebook) -> None:
    loop = "for _ in range(3):\n    @jax.jit\n    def f(x):\n        kept.append(x)\n        return x\n    f(x)\n"
    ran = notebook.run(
        "%%jaxpr\nkept = []\n" + loop + "@jax.jit\ndef g(x):\n    kept.append(x * 2)\n    return x\ng(x[:4])"
    )
    assert leaks(ran) == [
        "3 tracers (f32[8]) stayed in kept after the trace of f",
        "1 tracer (f32[4]) stayed in kept after the trace of g",
    ]


def test_no_leak_where_arrays_are_kept(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\nkept = [x]\n@jax.jit\ndef f(x):\n    return x + kept[0]\nf(x)")
    assert ran.notes == []


def test_lines_that_no_trace_reached(notebook: Notebook) -> None:
    from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

    ran = notebook.run(
        "%%jaxpr\ndef helper(x):\n    if x.ndim == 2:\n        return x @ x\n    return x\n"
        "@jax.jit\ndef f(x):\n    y = helper(x)\n    if x.ndim > 1:\n        y = y + 1\n        y = y + 2\n"
        "    return y\nf(x)"
    )
    # On Python 3.11, this package does not watch lines, so the list of lines that no trace reached is empty.
    assert ran.document["untraced_lines"] == ([4, 10, 11] if HAS_MONITORING else [])


def test_eager_operations_that_were_compiled(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --no-trace\njax.clear_caches()\ny = jnp.tan(x) + jnp.arcsin(x) * jnp.cosh(x) - jnp.tanh(x)\ny.sum();"
    )
    note = ran.note("eager_compiles")
    assert note["detail"] == "line 3: tan, arcsin, cosh, multiply, add, tanh, subtract; line 4: _reduce_sum"
    # The note and the ledger speak of the same small programs, so their numbers and times are equal.
    ledger = ran.document["ledger"]
    took = duration(ledger["small_seconds"])
    assert note["text"] == f"JAX compiled 8 small programs in {took} for operations outside any jitted function."
    remaining = duration(ledger["cell_seconds"] - ledger["small_seconds"])
    assert ledger["lead"] == (
        "No call of a jitted function of yours was seen. Compiling 8 small programs for operations outside of jitted "
        f"functions took {took}. The rest of the cell took {remaining}."
    )


def test_small_programs_of_a_jitted_function_under_disable_jit(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\njax.clear_caches()\n@jax.jit\ndef f(x):\n    return jnp.tan(x) + jnp.arcsin(x) * jnp.cosh(x)\n"
        "with jax.disable_jit():\n    f(x)"
    )
    note = ran.note("eager_compiles")
    took = duration(ran.document["ledger"]["small_seconds"])
    assert (note["text"], note["cure"], note["detail"]) == (
        f"JAX compiled 5 small programs in {took} for operations that it ran one by one. jax.disable_jit was on for "
        "calls of this cell, and a jitted function then runs one operation after the other.",
        "Turn jax.disable_jit off: JAX then compiles a jitted function as one program.",
        "line 5: tan, asin, cosh, mul, add",
    )


def test_what_is_compiled_while_a_function_is_traced_is_in_the_price_of_the_function(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\njax.clear_caches()\n@jax.jit\ndef f(x):\n    with jax.ensure_compile_time_eval():\n"
        "        c = jnp.tan(2.0) * jnp.cosh(2.0) - jnp.tanh(2.0) + jnp.sinh(1.0)\n    return x * c\nf(x)"
    )
    ledger = ran.document["ledger"]
    assert (ledger["small_programs"], ledger["small_seconds"]) == (0, 0.0)
    assert all(note["kind"] != "eager_compiles" for note in ran.document["notes"])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (
            "%%bash\ntrue",
            "%%bash takes the text below it, and jupyter_jaxpr saw no program of JAX. Write %%jaxpr above Python code "
            "of this kernel.",
        ),
        (
            "%%html\n<b>x</b>",
            "%%html takes the text below it, and jupyter_jaxpr saw no program of JAX. Write %%jaxpr above Python code "
            "of this kernel.",
        ),
        (
            "# to be done",
            "The cell has no code below %%jaxpr. Write Python code in the cell, or trace one call with %jaxpr f(x).",
        ),
        (
            "%%time\n",
            "The cell has no code below %%time. Write Python code in the cell, or trace one call with %jaxpr f(x).",
        ),
        (
            "%%capture\n# no",
            "The cell has no code below %%capture. Write Python code in the cell, or trace one call with %jaxpr f(x).",
        ),
        ("%pwd", "The cell ran no program that JAX compiled. " + WHAT_TO_TYPE),
    ],
)
def test_a_cell_without_python_says_so_in_one_sentence(notebook: Notebook, cell: str, message: str) -> None:
    ran = notebook.run(f"%%jaxpr\n{cell}")
    assert (ran.document["message"], ran.document["programs"]) == (message, [])


def test_what_was_printed_in_three_traces_is_one_note(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    print('shape', x.shape)\n    return x\nf(x), f(x[:3]), f(x[:4])"
    )
    [note] = [note for note in ran.document["notes"] if note["kind"] == "printed_while_tracing"]
    assert note["text"] == (
        "f printed while JAX traced f. Python's print runs once for each trace, not for each call. This happened 3 "
        "times in this run."
    )
    assert note["detail"] == "shape (8,)\nshape (3,)\nshape (4,)"


# --- errors of this package ---


def test_a_failure_of_ours_is_one_line_and_the_cell_is_unharmed(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jupyter_jaxpr.build import document_of_run

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(document_of_run, "build", broken)
    ran = notebook.run("%%jaxpr\n" + F + "f(x)")
    assert ran.result.success
    assert float(ran.result.result[0]) == 0.0
    assert ran.stderr == (
        "jupyter_jaxpr could not show the run. The cell itself ran as always. (RuntimeError: a mistake of ours)\n"
    )
    monkeypatch.undo()
    assert notebook.run("%%jaxpr\nf(x[:3])").programs == ["ran f(x: f32[3]) -> f32[3]: sin mul"]


def test_a_failure_at_the_end_leaves_nothing_at_work(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_jaxpr.observe.cell_run import Run
    from jupyter_jaxpr.observe.observer import Observer

    end = Observer.end

    def fail(observer: Observer, run: Run) -> None:
        end(observer, run)  # removes the hooks, which would otherwise stay for all later tests
        raise RuntimeError("broken")

    def at_work() -> int:
        return sum(thread.name == "jupyter_jaxpr heartbeat" for thread in threading.enumerate())

    def ours() -> list[str]:
        return [name for name in vars(builtins) if name.startswith("__jaxpr")]

    cell = "%%jaxpr\njax.jit(lambda x: x + 1)(1.0)"
    notebook.run(cell)
    before, names = list(notebook.shell.ast_transformers), ours()
    with monkeypatch.context() as broken:
        broken.setattr(Observer, "end", fail)
        notebook.run(cell)
    assert notebook.shell.ast_transformers == before
    assert ours() == names
    for thread in threading.enumerate():
        if thread.name == "jupyter_jaxpr heartbeat":
            thread.join(10)
    assert at_work() == 0


@pytest.mark.parametrize("method", ["missed", "traced", "executed", "stage_started", "stage_ended"])
def test_a_failure_inside_a_hook_is_a_note(notebook: Notebook, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    from jupyter_jaxpr.magic.cell_observer import CellObserver

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(CellObserver.of(notebook.shell).observer, method, broken)
    ran = notebook.run("%%jaxpr\n" + F + "f(x)")
    assert ran.result.success
    assert "a mistake of ours" in next(n["detail"] for n in ran.document["notes"] if n["kind"] == "failed")


def test_a_cleared_cache_runs_no_python_of_the_user_again(notebook: Notebook) -> None:
    """The values of the last call are looked up only in cache entries that JAX still holds; nothing is traced again."""
    notebook.run("runs = []\n@jax.jit\ndef counted(y):\n    runs.append(1)\n    return y + 1\ncounted(x)")
    notebook.run("%%jaxpr --steps\ncounted(x * 2)\njax.clear_caches()")
    assert notebook.shell.user_ns["runs"] == [1]
