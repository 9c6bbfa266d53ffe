"""Measures whether this extension keeps its time and size budgets; prints a table, and writes JSON on request.

    python tests/benchmarks                         all of them
    python tests/benchmarks --only cells snapshots  some of them
    python tests/benchmarks --json out.json         figures of every measurement, too

Each budget is a ratio, measured in one run on one machine: our time relative to JAX's own work. For short times it is
the median of alternating pairs. Each group runs in its own process. A budget that is not met is marked OVER, and does
not make the run fail.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rows import Row, table

GROUPS = {
    "first-call": ("cells", "first_call"),
    "warm-calls": ("cells", "warm_calls"),
    "hooks": ("cells", "idle_hooks"),
    "miss": ("cells", "miss_record"),
    "tracing": ("cells", "tracing"),
    "recordings": ("recordings", "recordings"),
    "warm-times": ("warm_times", "warm_times"),
    "snapshot": ("documents", "costs"),
    "growth": ("documents", "growth"),
    "costs": ("costs", "equations"),
    "diff": ("diffs", "edits"),
    "links": ("links", "shares"),
    "live": ("live", "requests"),
    "live-page": ("live_page", "keys"),
    "typing": ("typed_keys", "burst"),
    "panel": ("panel", "paint"),
    "cards": ("flow", "cards"),
    "scale": ("scale", "sizes"),
    "long-text": ("scale", "long_text"),
    "beside-jax": ("beside_jax", "pages"),
    "memory": ("beside_jax", "memory"),
    "slow-cells": ("slow_cells", "slow_cells"),
}


def main() -> None:
    """Run the groups that the command line names."""
    parser = argparse.ArgumentParser(description="Measure the budgets of jupyter_jaxpr.")
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS), help="which to measure")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--here", action="store_true", help="measure in this process")
    arguments = parser.parse_args()
    if arguments.here:
        rows = [row for group in arguments.only for row in measure(group)]
    else:
        rows = [row for group in arguments.only for row in measure_apart(group)]
        print(f"{about()['text']}\n\n{table(rows)}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"about": about(), "rows": [row.to_dict() for row in rows]}, indent=1))


def measure(group: str) -> list[Row]:
    """Measure a group in this process."""
    module, function = GROUPS[group]
    rows = []
    for row in getattr(importlib.import_module(module), function)():
        print(f"  {row.what}: {row.measured}", file=sys.stderr, flush=True)
        rows.append(row)
    return rows


def measure_apart(group: str) -> list[Row]:
    """Measure a group in a process of its own."""
    print(f"measuring {group} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        command = [sys.executable, str(Path(__file__).parent), "--here", "--only", group, "--json", str(out)]
        environment = {"JAX_PLATFORMS": "cpu"} | os.environ | {"IPYTHONDIR": folder}
        if subprocess.run(command, env=environment).returncode:
            return [Row(f"{group}: could not be measured, see above", "", "", None, None, {})]
        return [Row(**fields) for fields in json.loads(out.read_text())["rows"]]


def about() -> dict[str, Any]:
    """Return facts on the machine, and the versions."""
    from importlib.metadata import version

    versions = {name: version(name) for name in ("jax", "jaxlib")}
    text = f"Python {platform.python_version()}, JAX {versions['jax']}, {os.cpu_count()} cores, {platform.machine()}"
    return {"text": text, "python": platform.python_version(), "cores": os.cpu_count(), **versions}


if __name__ == "__main__":
    main()
