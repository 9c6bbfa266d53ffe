"""Runs every corner case in one process, and prints JSON: JAX's events, and what the panel shows.

    python run.py with|without

A real IPython shell runs the same cells in the same order both times. `with` loads the extension and puts `%%jaxpr`
on the first line; `without` puts a comment there. So if JAX's events differ, the extension is the cause.
"""

import contextlib
import io
import json
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, os.path.dirname(__file__))

from cases import CASES, SETUP  # imported after the environment variables are set
from IPython.core.interactiveshell import InteractiveShell  # imported after the environment variables are set
from traitlets.config import Config  # imported after the environment variables are set


def main(way: str) -> None:
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    built = []
    if way == "with":
        shell.run_line_magic("load_ext", "jupyter_jaxpr")
        from jupyter_jaxpr.magic.cell_observer import CellObserver

        CellObserver.of(shell).magics.output = False
        # there is no front end, so the published documents are kept in a list
        CellObserver.of(shell).publisher.publish = built.append
    run(shell, SETUP)
    import jax

    events: list[list[object]] = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, seconds, **facts: events.append([event.rsplit("/", 1)[-1], facts.get("fun_name")])
    )
    results = {}
    for name, (setup, cell) in CASES.items():
        run(shell, setup)
        events.clear()
        built.clear()
        output, result = run(shell, ("%%jaxpr\n" if way == "with" else "# nothing\n") + cell)
        results[name] = {
            "events": [event for event in events if event[0].endswith("duration")],
            "value": repr(result.result),
            "output": output,
            "shown": [line for built_run in built for line in shown(built_run)],
            "notes": [note.kind for built_run in built for note in built_run.document.notes],
            "failures": [
                note.detail for built_run in built for note in built_run.document.notes if note.kind == "failed"
            ],
            "message": [built_run.document.message for built_run in built],
            "origin_notes": [p.origin_note for program in built for p in own(program)],
            "levels": [[level.state for level in p.levels] for program in built for p in own(program)],
        }
    json.dump(results, sys.__stdout__)


def run(shell, text):
    shown_text = io.StringIO()
    with contextlib.redirect_stdout(shown_text), contextlib.redirect_stderr(shown_text):
        result = shell.run_cell(text, store_history=False)
    result.raise_error()
    return shown_text.getvalue(), result


def own(built):
    """Return the programs of a document, except those that libraries jitted."""
    return [program for program in built.document.programs if not program.library]


def shown(built):
    document = built.document
    for program in own(built):
        scope = document.scopes[program.scope]
        primitives = " ".join(document.strings[p] for p in scope.primitive)
        arguments = ", ".join(f"{a.name}: {a.type}" if a.name else a.type for a in program.arguments)
        result = program.result.type if program.result else "?"
        activity = program.activity
        count = (
            ""
            if activity is None or activity.calls is None
            else f" [{activity.calls} calls, {activity.compiles} compiled]"
        )
        yield f"{program.origin} {program.name}({arguments}) -> {result}: {primitives}{count}"


main(sys.argv[1])
