"""Gives tests a real IPython shell and a real kernel, in which they run cells."""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import re
import signal
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import examples  # noqa: F401  # loads the everyday profile of hypothesis
import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# A process in the background ignores Ctrl-C, and the kernels that it starts would ignore an interrupt, too. The handler
# is set here because kernels start in threads, and only the main thread may set a handler.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

MIME = "application/vnd.jupyter-jaxpr.v1+json"


#: The jitted functions that imports and earlier test files made, and that searches leave out.
_earlier_functions: list[weakref.ref[Any]] = []


@pytest.fixture(scope="module", autouse=True)
def short_searches() -> Iterator[None]:
    """Keep the objects of imports and earlier test files out of searches for jitted functions and out of `gc`.

    The observer searches all Python objects each time it starts. The test process has millions of objects, and the
    observer starts in two thousand tests. The objects stay frozen, because searching or collecting them once for each
    file would take a quarter of the time of all tests.
    """
    from jupyter_jaxpr.jax import facts

    search = facts.jitted_functions
    if not _earlier_functions:
        _freeze(search)

    def found() -> list[Any]:
        return [living for reference in _earlier_functions if (living := reference()) is not None] + search()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facts, "jitted_functions", found)
        yield
    _freeze(search)


def _freeze(search: Callable[[], list[Any]]) -> None:
    """Collect the garbage of a test file, and remove all present objects from later searches and collections."""
    gc.collect()
    _earlier_functions.extend(weakref.ref(function) for function in search())
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def no_hooks_of_other_files() -> Iterator[None]:
    """Remove the hooks after each test file.

    After a block of `observe()` in a script, the hooks stay installed for the next block.
    """
    yield
    from jupyter_jaxpr.observe.process_observer import observer

    if observer.cache_info().currsize:
        observer().hooks.remove()
        observer.cache_clear()


@dataclass
class Ran:
    """The result of a cell, as the user sees it."""

    result: Any
    stdout: str
    stderr: str
    shown: list[dict[str, Any]] = field(default_factory=list)  # the documents that were displayed below the cell

    @property
    def document(self) -> dict[str, Any]:
        (document,) = self.shown
        return document

    @property
    def own_programs(self) -> list[dict[str, Any]]:
        """Return the programs of the document, without those that libraries jitted."""
        return [program for program in self.document["programs"] if not program.get("library")]

    @property
    def programs(self) -> list[str]:
        return [signature(self.document, program) for program in self.own_programs]

    @property
    def notes(self) -> list[str]:
        return [note["kind"] for note in self.document["notes"]]

    def note(self, kind: str) -> dict[str, Any]:
        (note,) = (note for note in self.document["notes"] if note["kind"] == kind)
        return note

    def line_of(self, note: dict[str, Any]) -> int:
        """Return the line of a note."""
        return self.document["frames"][note["frame"]][2]


def signature(document: dict[str, Any], program: dict[str, Any]) -> str:
    """Return a program of a document in one line: origin, name, types, and the primitives of its outermost scope."""
    scope = document["scopes"][program["scope"]]
    primitives = " ".join(document["strings"][primitive] for primitive in scope["primitive"])
    arguments = ", ".join(f"{a['name']}: {a['type']}" if a["name"] else a["type"] for a in program["arguments"])
    return f"{program['origin']} {program['name']}({arguments}) -> {program['result']['type']}: {primitives}"


class Notebook:
    """An IPython shell that runs cells one after the other."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell

    def builds(self) -> list[Any]:
        """Return a list to which each document built later is added, even if it is not displayed."""
        from jupyter_jaxpr.magic.cell_observer import CellObserver

        built: list[Any] = []
        publisher = CellObserver.of(self.shell).publisher
        publish = publisher.publish

        def listen(document: Any) -> None:
            built.append(document)
            publish(document)

        publisher.publish = listen  # type: ignore[method-assign]  # listens in: a shell has no front end
        return built

    def run(self, cell: str, store_history: bool = True) -> Ran:
        from IPython.utils.capture import capture_output

        with capture_output() as captured:
            result = self.shell.run_cell(cell, store_history=store_history)
        documents = [output.data[MIME] for output in captured.outputs if MIME in output.data]
        return Ran(result, captured.stdout, captured.stderr, documents)

    def __getitem__(self, name: str) -> Any:
        return self.shell.user_ns[name]


@pytest.fixture(scope="module", autouse=True)
def no_machine_of_other_files() -> Iterator[None]:
    """Forget the measured speed of the device after each test file; otherwise all later documents would contain it."""
    yield
    from jupyter_jaxpr.measure.times import machine_speeds

    machine_speeds._measured_machines.clear()


@pytest.fixture(autouse=True)
def the_host_has_magics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sentences suggest magics in all tests; in the product, they do so only in a process with an IPython shell."""
    from jupyter_jaxpr.observe import advice_without_magics

    monkeypatch.setattr(advice_without_magics, "has_magics", lambda: True)


@pytest.fixture(autouse=True)
def no_text_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the time limit of `__repr__`, which a busy machine may exceed."""
    from jupyter_jaxpr.observe import reprs_of_users_values

    monkeypatch.setattr(reprs_of_users_values, "SLOW", 60.0)


@pytest.fixture(autouse=True)
def no_recording_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the time limit of recordings, which a busy machine may exceed."""
    from jupyter_jaxpr.observe.outside_jit import dispatch_recording, recorded_calls, recording_limits

    monkeypatch.setattr(recorded_calls, "Recording", partial(dispatch_recording.Recording, seconds=60.0))
    monkeypatch.setattr(recording_limits, "FIRST_SECONDS", 60.0)


@pytest.fixture(autouse=True)
def no_trial_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the time limit of cure trials, which a busy machine may exceed."""
    from jupyter_jaxpr.explain.trials import trial_time_limit

    monkeypatch.setattr(trial_time_limit, "SECONDS", 60.0)
    monkeypatch.setattr(trial_time_limit, "SECONDS_AT_ERROR", 60.0)


def new_shell(tracebacks: bool = False) -> Any:
    """Start the shell of this process.

    Args:
        tracebacks: Whether an error is printed with IPython's default traceback: to format one takes as long as the
            rest of a small test.
    """
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    settings = {"colors": "nocolor", "xmode": "Context" if tracebacks else "Minimal"}
    config = Config({"HistoryManager": {"hist_file": ":memory:"}, "InteractiveShell": settings})
    return InteractiveShell.instance(config=config)


def end_shell(shell: Any) -> None:
    """Unload the extension, if the shell has loaded it, and end the shell of this process."""
    if "jupyter_jaxpr" in shell.extension_manager.loaded:
        shell.run_line_magic("unload_ext", "jupyter_jaxpr")
    shell.restore_sys_module_state()
    type(shell).clear_instance()


@pytest.fixture
def make_notebook() -> Iterator[Callable[..., Notebook]]:
    """Return a function that makes notebooks one after the other.

    `extension` says whether to load the extension, and `tracebacks` how errors are printed: see `new_shell`.
    """
    shells: list[Any] = []

    def close() -> None:
        while shells:
            end_shell(shells.pop())

    def make(extension: bool = True, tracebacks: bool = False) -> Notebook:
        close()
        shell = new_shell(tracebacks)
        shells.append(shell)
        if extension:
            shell.run_line_magic("load_ext", "jupyter_jaxpr")
        return Notebook(shell)

    yield make
    close()


@pytest.fixture(scope="module")
def notebook_of_module() -> Iterator[Notebook]:
    """Return one notebook with the extension for all tests of a file: no cell needs the state of another."""
    shell = new_shell()
    shell.run_line_magic("load_ext", "jupyter_jaxpr")
    yield Notebook(shell)
    end_shell(shell)


@pytest.fixture
def notebook(make_notebook: Callable[..., Notebook]) -> Notebook:
    """Return a notebook with the extension, JAX imported, and an array `x` of eight numbers."""
    new_notebook = make_notebook()
    new_notebook.run("import jax, jax.numpy as jnp\nfrom jax import lax\nx = jnp.arange(8.0)")
    return new_notebook


def plain(text: str) -> str:
    """Return a text without colours, addresses and durations."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    return re.sub(r"\d+(\.\d+)? (s|ms|μs|µs|us|ns)\b", "TIME", text)


@pytest.fixture
def kernel_documents(make_notebook: Callable[..., Notebook]) -> Callable[[str], list[dict[str, Any]]]:
    """Return a function that runs a cell and returns the documents sent to the panel, displayed or not."""
    import msgspec

    notebook = make_notebook()
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.arange(8.0)")
    built = notebook.builds()

    def run(cell: str) -> list[dict[str, Any]]:
        built.clear()
        notebook.run(cell)
        return [msgspec.to_builtins(built_run.document) for built_run in built]

    return run


class Kernel:
    """A real kernel in its own process, with the messages on its channels."""

    def __init__(self) -> None:
        from jupyter_client.manager import start_new_kernel

        self.manager, self.client = start_new_kernel(kernel_name="python3")

    def start(self, code: str, cell_id: str | None = None) -> str:
        """Send a cell to the kernel, as JupyterLab does, and return the id of the request."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        metadata = {} if cell_id is None else {"cellId": cell_id}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def until(self, expected: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """Return the messages up to and including the first message that `expected` accepts."""
        collected = []
        while True:
            collected.append(self.client.get_iopub_msg(timeout=120))
            if expected(collected[-1]):
                return collected

    def finish(self, request: str) -> list[dict[str, Any]]:
        """Return the messages of a cell, up to its end."""
        return self.until(lambda message: _ends(message, request))

    def run(self, code: str, cell_id: str | None = None) -> list[dict[str, Any]]:
        return self.finish(self.start(code, cell_id))

    def interrupt(self, request: str) -> list[dict[str, Any]]:
        """Interrupt a cell and return the messages up to its end; if a callback of JAX drops it, interrupt again."""
        collected: list[dict[str, Any]] = []
        self.manager.interrupt_kernel()
        sent_at = time.monotonic()
        while not (collected and _ends(collected[-1], request)):
            # If the interrupt was dropped, there may be no message about it; messages on the progress continue.
            swallowed = time.monotonic() - sent_at > 5
            with contextlib.suppress(queue.Empty):
                collected.append(self.client.get_iopub_msg(timeout=1))
                swallowed = swallowed or _ignored(collected[-1])
            if swallowed and not contents(collected, "error"):
                assert self.manager.is_alive(), "The kernel died while it was interrupted."
                self.manager.interrupt_kernel()
                sent_at = time.monotonic()
        return collected

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def _ends(message: dict[str, Any], request: str) -> bool:
    idle = message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"
    return idle and message["parent_header"].get("msg_id") == request


def _ignored(message: dict[str, Any]) -> bool:
    return message["msg_type"] == "stream" and "Exception ignored in" in message["content"]["text"]


def contents(messages: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [message["content"] for message in messages if message["msg_type"] == kind]


def sent(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages that the kernel sent to the panel."""
    import json

    collected = []
    for message in messages:
        if message["msg_type"] in ("comm_open", "comm_msg"):
            data = message["content"]["data"]
            collected.append(json.loads(bytes(message["buffers"][0])) if data.get("type") == "buffer" else data)
    return collected


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    """Return a kernel with the extension loaded and JAX imported."""
    started = Kernel()
    started.run("%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nx = jnp.arange(8.0)")
    yield started
    started.stop()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the table of faults: the numbers of rows that were tried, that survived and that failed."""
    outcomes = {
        outcome: sum("faults/test_faults.py" in report.nodeid for report in terminalreporter.stats.get(outcome, []))
        for outcome in ("passed", "failed", "error")
    }
    failed = outcomes["failed"] + outcomes["error"]
    if tried := outcomes["passed"] + failed:
        terminalreporter.write_line(f"Faults: {tried} tried, {outcomes['passed']} survived, {failed} failed")
