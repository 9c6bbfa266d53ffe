"""Describes what our package has switched on in this process after a cell; the shell or kernel of a fault imports it.

- `at_rest`: which parts of the package are still switched on; an empty list after every cell.
- `frames_in`: how many calls of the package's functions a plain cell makes when it hits the cache.
- `watch_panel`: keeps what is sent to the panel, in a few words.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

panel: list[str] = []
failures: list[str] = []


def package() -> str:
    return str(Path(sys.modules["jupyter_jaxpr"].__file__ or "").parent) + "/"


def is_ours(value: Any) -> bool:
    """Return whether a function or an object consists of code of this package."""
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    file = code.co_filename if isinstance(code, CodeType) else None
    if file is None:
        return (type(value).__module__ or "").startswith("jupyter_jaxpr")
    return file.startswith(package())


def at_rest(shell: Any) -> list[str]:
    """Return the parts of this package that are still switched on although no observed cell runs."""
    if "jupyter_jaxpr.magic.cell_observer" not in sys.modules:
        return []
    import signal

    from jupyter_jaxpr.magic.cell_observer import CellObserver
    from jupyter_jaxpr.observe.process_observer import observer

    cells, watch = CellObserver.of(shell), observer()
    state_by_name = {
        "a run": watch._watching,
        "a state of a thread that is watched": [
            _thread for _thread in watch._threads.values() if _thread.run is not None
        ],
        "a cell": cells._active,
        "the depth of a cell": {thread: depth for thread, depth in cells._depth.items() if depth > 1},
        "a recording": watch.hooks.ran is not None or watch.hooks.put is not None,
        "a question to JAX": watch.hooks.asking_thread
        or any(_thread.looking_away for _thread in watch._threads.values()),
        "a rewriter of cells": [transformer for transformer in shell.ast_transformers if is_ours(transformer)],
        "a trace function": is_ours(sys.gettrace()) or is_ours(sys.getprofile()),
        "a callback of the collector": [callback for callback in gc.callbacks if is_ours(callback)],
        "a signal handler": [
            valid_signal for valid_signal in signal.valid_signals() if is_ours(signal.getsignal(valid_signal))
        ],
        "a write of stdout": is_ours(getattr(sys.stdout, "write", None)),
        "a thread": [thread.name for thread in threading.enumerate() if is_ours(getattr(thread, "_target", None))],
    }
    monitoring = vars(sys).get("monitoring")
    if monitoring is not None:
        tool_numbers = [number for number in range(6) if "jupyter_jaxpr" in str(monitoring.get_tool(number))]
        state_by_name["an event of sys.monitoring"] = [
            number for number in tool_numbers if monitoring.get_events(number)
        ]
    if "jax._src.pjit" in sys.modules:
        jax = {name: sys.modules[f"jax._src.{name}"] for name in ("api", "dispatch", "stages", "config", "compiler")}
        state_by_name["a hook after each call"] = is_ours(jax["api"]._post_hook_state.get_local())
        state_by_name["a hook of operations"] = is_ours(jax["dispatch"].xla_primitive_callable)
        state_by_name["a hook of traces"] = is_ours(jax["stages"].Traced.__dict__["__init__"])
        state_by_name["a watch on the check for NaN"] = is_ours(jax["config"].debug_nans._update_thread_local_hook)
        state_by_name["a compilation beside the disk cache"] = is_ours(jax["compiler"]._resolve_compilation_strategy)
    return [name for name, value in state_by_name.items() if value]


def frames_in(run: Callable[[], Any]) -> int:
    """Return the number of calls of the package's functions while `run` ran."""
    if "jupyter_jaxpr" not in sys.modules:
        return 0
    calls, folder = 0, package()

    def profile(frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename.startswith(folder)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(before)
    return calls


def watch_panel(shell: Any) -> None:
    """Keep the programs and the failures of each document that is sent to the panel."""
    from jupyter_jaxpr.magic.cell_observer import CellObserver

    publisher = CellObserver.of(shell).publisher
    publish, fail = publisher.publish, publisher.fail

    def published(built: Any) -> None:
        document = built.document
        # The name of a recorded cell's program contains the cell's number, which is removed.
        panel.extend(program.name.partition(" [")[0] for program in document.programs)
        panel.extend(f"message: {document.message}" for _ in [0] if document.message and not document.programs)
        failures.extend(f"{note.text} {note.detail}" for note in document.notes if note.kind == "failed")
        publish(built)

    def failed(text: str, cure: str, detail: str | None) -> None:
        panel.append(f"failure: {text}")
        if detail is not None:
            failures.append(f"{text} {detail}")
        fail(text, cure, detail)

    publisher.publish = published  # type: ignore[method-assign]  # listens in: a shell has no front end
    publisher.fail = failed  # type: ignore[method-assign]  # likewise


def told(shell: Any) -> dict[str, Any]:
    """Return, after each cell, the results of the other functions as plain data, and reset them for the next cell."""
    facts = {
        "names": sorted(name for name in shell.user_ns if not name.startswith("_i")),
        "count": shell.execution_count,
        "inputs": len(shell.user_ns["In"]),
        "outputs": sorted(shell.user_ns["Out"]),
        "panel": list(panel),
        "failures": list(failures),
        "at_rest": at_rest(shell),
    }
    panel.clear()
    failures.clear()
    return facts
