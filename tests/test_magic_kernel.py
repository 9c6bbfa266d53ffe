"""Tests the magic in a real kernel: messages to the panel, interrupts, await, and notebooks without a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import MIME, Kernel, contents, plain, sent

pytestmark = pytest.mark.any_jax

F = "@jax.jit\ndef f(x):\n    return jnp.sin(x) * 2\n"


def snapshots(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message["snapshot"] for message in sent(messages) if message["type"] == "snapshot"]


def test_a_cell_s_program_is_sent_and_saved_below_it(kernel: Kernel) -> None:
    messages = kernel.run("%%jaxpr\n" + F + "f(x)", cell_id="cell-7")
    (snapshot,) = snapshots(messages)
    (result,) = contents(messages, "execute_result")
    (display,) = contents(messages, "display_data")
    assert result["data"]["text/plain"].startswith("Array([ 0.")
    assert display["data"][MIME]["id"] == snapshot["id"]
    assert display["data"]["text/plain"].startswith("f (f32[8]) → f32[8]\n")
    cell = snapshot["cell"]
    assert (cell["id"], cell["execution_count"]) == ("cell-7", result["execution_count"])
    assert cell["source"] == "%%jaxpr\n" + F + "f(x)"
    assert [file["path"] for file in snapshot["files"] if file["kind"] == "cell"] == [cell["file"]]


def test_an_error_has_the_cell_s_own_lines(kernel: Kernel) -> None:
    (error,) = contents(kernel.run("%%jaxpr\n\ndef g():\n    return 1 / 0\ng()"), "error")
    text = plain("\n".join(error["traceback"]))
    assert "line 5" in text
    assert "line 4, in g()" in text
    assert "jupyter_jaxpr" not in text


def test_await_in_the_kernel_s_own_event_loop(kernel: Kernel) -> None:
    messages = kernel.run("%%jaxpr\nimport asyncio\nawait asyncio.sleep(0)\n" + F + "f(x[:3])")
    assert len(contents(messages, "execute_result")) == 1
    (snapshot,) = snapshots(messages)
    assert [program["name"] for program in snapshot["programs"] if not program.get("library")] == ["f"]


def test_an_interrupt_stops_the_cell_and_shows_what_ran(kernel: Kernel) -> None:
    request = kernel.start("%%jaxpr\n" + F + "y = f(x)\nprint('now')\nwhile True:\n    pass")
    kernel.until(lambda message: message["msg_type"] == "stream" and "now" in message["content"]["text"])
    messages = kernel.interrupt(request)
    (error,) = contents(messages, "error")
    assert error["ename"] == "KeyboardInterrupt"
    assert "line 7" in plain("\n".join(error["traceback"])) or "line 8" in plain("\n".join(error["traceback"]))
    (snapshot,) = snapshots(messages)
    assert [program["name"] for program in snapshot["programs"] if not program.get("library")] == ["f"]
    (result,) = contents(kernel.run("1 + 1"), "execute_result")
    assert result["data"]["text/plain"] == "2"


def test_an_interrupt_of_a_trace(kernel: Kernel) -> None:
    request = kernel.start(
        # The trace sleeps, because IPython may fail to print the traceback if the interrupt comes between two lines of
        # JAX.
        "%%jaxpr\nimport time\n@jax.jit\ndef endless(x):\n    x = jnp.sin(x)\n    print('tracing')\n"
        "    time.sleep(60)\n    return x\nendless(x)"
    )
    kernel.until(lambda message: message["msg_type"] == "stream" and "tracing" in message["content"]["text"])
    messages = kernel.interrupt(request)
    assert [error["ename"] for error in contents(messages, "error")] == ["KeyboardInterrupt"]
    assert [note["kind"] for note in snapshots(messages)[0]["notes"]] == ["printed_while_tracing"]
    messages = kernel.run("%%jaxpr\n" + F + "f(x)")
    assert [program["name"] for program in snapshots(messages)[0]["programs"] if not program.get("library")] == ["f"]


def test_a_long_trace_says_where_it_is(kernel: Kernel, tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    request = kernel.start(
        f"%%jaxpr\nimport os\n@jax.jit\ndef slow(x):\n    while not os.path.exists({str(go_on)!r}):\n        pass\n"
        "    return x + 1\nslow(x)",
        cell_id="cell-8",
    )
    waited = kernel.until(lambda m: any(p["type"] == "progress" and p["stage"] == "trace" for p in sent([m])))
    *_, progress = [message for message in sent(waited) if message["type"] == "progress"]
    assert (progress["function"], progress["cell_id"], progress["interruptible"]) == ("slow", "cell-8", True)
    assert 0 < progress["elapsed"] <= progress["total_elapsed"]
    go_on.touch()
    (snapshot,) = snapshots(kernel.finish(request))
    assert snapshot["id"] == progress["run"]


def test_a_trace_of_an_unrolled_loop_says_how_many_equations_it_has_and_which_loop_it_is_in(
    kernel: Kernel, tmp_path: Path
) -> None:
    go_on = tmp_path / "go on"
    request = kernel.start(
        "%%jaxpr\nimport itertools, os, time\n@jax.jit\ndef deep(x):\n    x = jnp.tanh(x)\n"
        "    for step in itertools.count():\n        x = x * step\n        time.sleep(0.01)\n"
        f"        if os.path.exists({str(go_on)!r}):\n            return x\ndeep(x)",
    )
    in_loop = (lambda p: p["loop"] is not None) if sys.version_info >= (3, 13) else (lambda p: p["stage"] == "trace")
    waited = kernel.until(lambda m: any(p["type"] == "progress" and in_loop(p) for p in sent([m])))
    *_, progress = [message for message in sent(waited) if message["type"] == "progress"]
    go_on.touch()
    (snapshot,) = snapshots(kernel.finish(request))
    assert (progress["function"], progress["stage"]) == ("deep", "trace")
    # before Python 3.13, reading the local variables of a frame would keep JAX's tracers alive
    if sys.version_info < (3, 13):
        assert (progress["equations"], progress["loop"]) == (None, None)
        return
    assert 20 < progress["equations"] <= next(p["equations"] for p in snapshot["programs"] if p["name"] == "deep")
    assert progress["loop"] == {"kind": "for", "line": 6, "file": None}


def test_a_scan_outside_of_jit_says_the_function_that_jax_traces_and_the_loop_that_grows_it(
    kernel: Kernel, tmp_path: Path
) -> None:
    go_on = tmp_path / "go on"
    request = kernel.start(
        "%%jaxpr\nimport itertools, os, time\nfrom jax import lax\ndef sim(x):\n    def step(c, _):\n"
        "        for i in itertools.count():\n            c = jnp.sin(c)\n            time.sleep(0.01)\n"
        f"            if os.path.exists({str(go_on)!r}):\n                return c, None\n"
        "    return lax.scan(step, x, length=3)\nsim(1.0);",
    )
    in_loop = (lambda p: p["loop"] is not None) if sys.version_info >= (3, 13) else (lambda p: p["stage"] == "trace")
    waited = kernel.until(lambda m: any(p["type"] == "progress" and in_loop(p) for p in sent([m])))
    *_, progress = [message for message in sent(waited) if message["type"] == "progress"]
    go_on.touch()
    kernel.finish(request)
    assert (progress["function"], progress["stage"]) == ("scan(step)", "trace")
    assert 0 <= progress["elapsed"] <= progress["total_elapsed"]
    if sys.version_info < (3, 13):
        assert (progress["equations"], progress["loop"]) == (None, None)
        return
    assert progress["equations"] > 20
    assert progress["loop"] == {"kind": "for", "line": 6, "file": None}


def test_a_compile_says_the_loop_that_made_the_program_large(kernel: Kernel) -> None:
    request = kernel.start(
        "%%jaxpr\nimport jax.monitoring, time\n@jax.jit\ndef deep(x):\n    for i in range(300):\n"
        "        x = jnp.sin(x) * i\n    return x\n"
        "from jax._src import compiler\nbefore = compiler.backend_compile_and_load\n"
        "def wait(*args, **kwargs):\n    time.sleep(1.5)\n    return before(*args, **kwargs)\n"
        "compiler.backend_compile_and_load = wait\n"
        "try:\n    deep(1.0)\nfinally:\n    compiler.backend_compile_and_load = before"
    )
    waited = kernel.until(lambda m: any(p["type"] == "progress" and p["stage"] == "compile" for p in sent([m])))
    *_, progress = [message for message in sent(waited) if message["type"] == "progress"]
    kernel.finish(request)
    assert (progress["function"], progress["equations"]) == ("deep", 600)
    assert progress["loop"] == {"kind": "for", "line": 5, "file": None}


def test_what_jax_does_for_itself_is_named_after_no_function_of_the_users(kernel: Kernel) -> None:
    messages = kernel.run(
        "%%jaxpr\nimport time\nfrom jax import monitoring\n"
        "def wait(event, *_, **__):\n    if 'trace' in event:\n        time.sleep(1.3)\n"
        "x.sum()\ntime.sleep(1.2)"
    )
    names = {message["function"] for message in sent(messages) if message["type"] == "progress"}
    assert names == {None}


def test_a_notebook_run_without_a_browser(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    cells = [
        "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nx = jnp.arange(8.0)",
        "%%jaxpr\n" + F + "f(x)",
        "%jaxpr f(f32[2])",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
    kinds = [[output["output_type"] for output in cell["outputs"]] for cell in notebook["cells"]]
    assert kinds == [[], ["execute_result", "display_data"], ["display_data"]]
    data = notebook["cells"][2]["outputs"][0]["data"]
    assert data["text/plain"].startswith("f (f32[2]) → f32[2]\n")
    assert set(data) == {MIME, "text/html", "text/plain"}
    nbformat.validate(notebook)
