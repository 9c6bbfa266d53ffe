"""Tests that each type shown for a name is a type that Python's trace function saw, in more than sixty programs.

The programs are the lessons, the programs in `tests/foreign/`, and those in `programs/`, each of which gives names
values in many ways. `-s` prints how many of the names that had an array in a trace have a type.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

HERE = Path(__file__).parent
LESSONS = sorted((HERE.parents[1] / "jupyter_jaxpr" / "lessons" / "en").glob("*.ipynb"))
FOREIGN = HERE.parent / "foreign" / "programs"
OWN = sorted((HERE / "programs").glob("*.py"))
ENDS_WITHIN = 1_800  # seconds, after which a run counts as hung
# Programs and lessons with cells that raise on purpose.
RAISES = {"flax_linen_wrong_shape", *(lesson.stem for lesson in LESSONS)}
# Compiles without optimisation, because the speed of the code does not matter.
UNOPTIMISED = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_backend_optimization_level=0"}

needs_lines = pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not show the lines that run")


def ran(files: list[Path], folder: Path) -> dict[str, Any]:
    """Return the shown and the seen types of each program."""
    out = folder / "types.json"
    command = [sys.executable, str(HERE / "run_programs.py"), str(out), *map(str, files)]
    subprocess.run(command, check=True, env={**os.environ, **UNOPTIMISED}, timeout=ENDS_WITHIN, capture_output=True)
    results: dict[str, Any] = json.loads(out.read_text())
    assert [
        f"{name}: {error}" for name, result in results.items() if name not in RAISES for error in result["errors"]
    ] == []
    return results


def share(results: dict[str, Any], title: str) -> float:
    """Return the share of the names holding an array for which the package shows a type; print the other names."""
    names = sum(result["names"] for result in results.values())
    missing = [f"  {name}, line {line}" for name, result in results.items() for line in result["missing"]]
    programs = sum(result["programs"] for result in results.values())
    print(
        f"\n{title}: {programs} programs, {names - len(missing)} of {names} names with an array have a type; without:"
    )
    print("\n".join(missing))
    return 1 - len(missing) / names


def wrong(results: dict[str, Any]) -> list[str]:
    """Return the types that the package shows, but that Python's trace function did not see."""
    return [f"{name}: {finding}" for name, result in results.items() for finding in result["wrong"]]


@needs_lines
def test_no_type_is_wrong_in_programs_of_many_kinds(tmp_path: Path) -> None:
    results = ran(OWN, tmp_path)
    assert wrong(results) == []
    assert share(results, "here") >= 0.75


@needs_lines
@pytest.mark.slow
def test_no_type_is_wrong_in_the_lessons_and_with_other_libraries(tmp_path: Path) -> None:
    foreign = [path for path in sorted(FOREIGN.glob("*.py")) if not path.stem.startswith("diffrax")]
    results = ran([*LESSONS, *foreign], tmp_path)
    assert wrong(results) == []
    lessons = {path.stem: results.pop(path.stem) for path in LESSONS}
    assert share(lessons, "lessons") >= 0.9
    assert share(results, "other libraries") >= 0.75
    assert sum(result["programs"] for result in [*lessons.values(), *results.values()]) >= 60


@pytest.mark.skipif(HAS_MONITORING, reason="this Python shows the lines that run")
def test_python_311_shows_no_types_of_names(tmp_path: Path) -> None:
    results = ran(OWN, tmp_path)
    assert {name: result["checked"] for name, result in results.items()} == dict.fromkeys(results, 0)
