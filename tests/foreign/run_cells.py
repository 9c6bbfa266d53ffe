"""Runs cells and reports for each: results, printed text, errors, variables, JAX's own events, and the snapshots.

    python run_cells.py plain|magic OUT.json PROGRAM.py...

`plain` and `magic` run in separate processes, so that neither uses cache entries of the other. `plain` never imports
the extension. There is no front end: the comm keeps the messages instead.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import comm
import jax
import numpy as np
from comm.base_comm import BaseComm
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
FIRST_LINE = {"plain": "# This line is as long a line as the magic's.", "magic": "%%jaxpr"}


class KeptComm(BaseComm):
    """A comm that keeps its messages as the JSON that a kernel would send."""

    messages: list[dict[str, Any]] = []

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any):
        if msg_type == "comm_msg":
            self.messages.append(json.loads(buffers[0]) if buffers else json.loads(json.dumps(data)))


def leaves(value: Any) -> list[str]:
    """Return a text for each leaf of a value, with its path: the bits of an array, a plain value, else the type."""
    texts = []
    for path, leaf in jax.tree_util.tree_leaves_with_path(value):
        place = jax.tree_util.keystr(path)
        if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            place, leaf = f"{place} {leaf.dtype}", jax.random.key_data(leaf)
        if isinstance(leaf, jax.Array | np.ndarray | np.generic):
            if isinstance(leaf, jax.Array) and leaf.is_deleted():
                texts.append(f"{place}: donated")
                continue
            array = np.asarray(leaf)
            weak = getattr(leaf, "weak_type", None)
            bits = hashlib.sha256(array.tobytes()).hexdigest()[:16]
            texts.append(f"{place}: {type(leaf).__name__} {array.dtype}{list(array.shape)} weak={weak} {bits}")
        elif isinstance(leaf, str | int | float | complex):
            texts.append(f"{place}: {leaf!r}")
        else:
            texts.append(f"{place}: {type(leaf).__name__}")
    return texts


def run(shell: InteractiveShell, source: str, way: str, events: Counter[str]) -> dict[str, Any]:
    """Run a cell in an empty namespace."""
    shell.reset()
    KeptComm.messages.clear()
    events.clear()
    with capture_output() as captured:
        result = shell.run_cell(f"{FIRST_LINE[way]}\n{source}", store_history=True)
    counts = dict(events)
    hidden = shell.user_ns_hidden
    variables = {
        name: leaves(value)
        for name, value in shell.user_ns.items()
        if not name.startswith("_") and hidden.get(name, hidden) is not value
    }
    error = result.error_before_exec or result.error_in_exec
    return {
        "out": leaves(result.result),
        "history": leaves(shell.user_ns["Out"]),
        "displayed": [output.data for output in captured.outputs if not is_ours(output.data)],
        "printed": without_addresses(captured.stdout),
        "stderr": without_addresses(captured.stderr),
        "error": None if error is None else [type(error).__name__, str(error)],
        "variables": variables,
        "events": counts,
        "saved": [output.data for output in captured.outputs if is_ours(output.data)],
        "messages": list(KeptComm.messages),
    }


def is_ours(bundle: dict[str, Any]) -> bool:
    return "application/vnd.jupyter-jaxpr.v1+json" in bundle


def without_addresses(text: str) -> str:
    """Return a text without memory addresses and other parts that differ between two processes."""
    text = text.replace(FIRST_LINE["plain"], "").replace(FIRST_LINE["magic"], "")
    return re.sub(r"0x[0-9a-f]+", "0x…", text)


def main(way: str, out: str, *programs: str) -> None:
    comm.create_comm = KeptComm
    shell = InteractiveShell.instance(colors="nocolor")
    events: Counter[str] = Counter()

    def count(event: str, seconds: float, **keys: Any) -> None:
        if event in STAGES:
            events[f"{STAGES[event]} {keys.get('fun_name')}"] += 1

    jax.monitoring.register_event_duration_secs_listener(count)
    if way == "magic":
        shell.run_line_magic("load_ext", "jupyter_jaxpr")
    # This cell does the work that JAX or the extension does once, so that it does not count for the first program.
    run(shell, "import jax\njax.jit(lambda x: x + 1)(1.0)", way, events)
    results = {Path(program).stem: run(shell, Path(program).read_text(), way, events) for program in programs}
    Path(out).write_text(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
