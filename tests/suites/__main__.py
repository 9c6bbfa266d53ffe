"""Runs other projects' tests with and without `observe()`: passes and failures must be the same.

    python tests/suites                       optax's, from its source distribution of the installed version
    python tests/suites --jax CHECKOUT        JAX's own, too, from a checkout of its repository
    python tests/suites --only "JAX's control flow" --jax CHECKOUT
    python tests/suites --dated               prints the line for CONTRIBUTING.md

JAX's source distribution has no tests, so JAX's tests need a checkout of its repository, at the tag `jax-v<installed>`.
Each suite runs in two processes, with and without `observe()`. The exit status is 1 if the outcome of a test differs
between them, or if our own code failed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OPTAX = ("optax/transforms", "optax/_src/update_test.py", "optax/_src/linesearch_test.py", "optax/tree_utils")
JAX: dict[str, tuple[str, ...]] = {
    "JAX's control flow": ("lax_control_flow_test.py",),
    "JAX's C++ jit": ("jax_jit_test.py",),
    "JAX's transforms": ("api_test.py",),
    "JAX's pjit": ("pjit_test.py",),
    "JAX's custom derivatives": ("custom_api_test.py",),
}


def main() -> int:
    """Run the suites that the command line names."""
    parser = argparse.ArgumentParser(description="Run other projects' tests with and without the observer.")
    parser.add_argument("--jax", type=Path, help="a checkout of JAX's repository")
    parser.add_argument("--only", choices=["optax", *JAX], help="run this suite alone")
    parser.add_argument("--dated", action="store_true", help="print each result as a line with the date")
    arguments = parser.parse_args()
    are_equal = True
    with tempfile.TemporaryDirectory() as folder:
        suites = []
        if arguments.only in (None, "optax"):
            suites.append(("optax", source("optax", Path(folder)), OPTAX))
        if arguments.jax is not None:
            chosen = [name for name in JAX if arguments.only in (None, name)]
            suites += [(name, arguments.jax / "tests", JAX[name]) for name in chosen]
        for name, source_folder, tests in suites:
            plain, observed = (run(source_folder, tests, Path(folder), observes) for observes in (False, True))
            text, fine = compared(name, plain, observed)
            are_equal &= fine
            print(dated(text) if arguments.dated else text, flush=True)
    return 0 if are_equal else 1


def source(name: str, folder: Path) -> Path:
    """Return the unpacked source distribution of an installed package."""
    expected = f"{name}=={version(name)}"
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--no-binary",
        name,
        "-d",
        str(folder),
        expected,
    ]
    subprocess.run(command, check=True)
    (archive,) = folder.glob(f"{name}-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def run(source_folder: Path, tests: tuple[str, ...], folder: Path, observes: bool) -> dict[str, Any]:
    """Run the tests, and return the result of each test and the counts from the ledgers."""
    results = folder / "results.json"
    results.unlink(missing_ok=True)
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    environment = {"JAX_PLATFORMS": "cpu"} | os.environ | {"PYTHONPATH": path, "SUITE_RESULTS": str(results)}
    environment["SUITE_OBSERVE"] = str(int(observes))
    options = ["-q", "-p", "no:cacheprovider", "-p", "recording_plugin", "-W", "ignore", f"--rootdir={source_folder}"]
    command = [sys.executable, "-m", "pytest", *options, "--continue-on-collection-errors", *tests]
    process = subprocess.run(command, cwd=source_folder, env=environment, capture_output=True, text=True)
    if not results.exists():
        raise RuntimeError(f"{' '.join(tests)} did not run:\n{process.stdout[-3000:]}\n{process.stderr[-3000:]}")
    results_of_suite: dict[str, Any] = json.loads(results.read_text())
    return results_of_suite


def compared(name: str, plain: dict[str, Any], observed: dict[str, Any]) -> tuple[str, bool]:
    """Return the sentence on a suite, followed by the tests that differ, and whether all results agree."""
    before, after = plain["outcomes"], observed["outcomes"]
    differs = [test for test in before | after if before.get(test) != after.get(test)]
    counts = ", ".join(f"{times} {outcome}" for outcome, times in sorted(Counter(before.values()).items()))
    misses = sum(observed["ledgers"].get(outcome, 0) for outcome in ("compiled", "lowered", "dispatch_only"))
    text = f"{name}: {counts}; {len(differs)} differ under the observer, "
    text += f"{misses} misses in its ledgers, {len(observed['unknown'])} with an unknown reason"
    lines = [f"  {test}: {before.get(test)} -> {after.get(test)}" for test in differs]
    lines += [f"  {note}" for note in (*observed["unknown"][:20], *observed["failures"][:20])]
    return "\n".join([text, *lines]), bool(before) and not differs and not observed["failures"]


def dated(text: str) -> str:
    """Return a text with the date and the versions in front of it."""
    today = datetime.date.today().isoformat()
    return f"{today}, Python {platform.python_version()}, JAX {version('jax')}: {text}"


if __name__ == "__main__":
    sys.exit(main())
