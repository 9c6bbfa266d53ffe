"""Tests the fixture `jax_ledger` and its marker in a project's own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_jax

TESTS = """
import jax, jax.numpy as jnp, pytest

@jax.jit
def train_step(x):
    return x + 1

def test_holds(jax_ledger):
    for _ in range(3):
        train_step(jnp.ones(3))
    assert jax_ledger["train_step"].compiles == 1

@pytest.mark.jax_max_compiles(train_step=1)
def test_is_broken(jax_ledger):
    train_step(jnp.ones(4))
    train_step(jnp.ones(5))

@pytest.mark.jax_max_compiles(train_step=1)
def test_holds_by_the_marker(jax_ledger):
    train_step(jnp.ones(6))
    train_step(jnp.ones(6))

def test_that_does_not_ask_for_it():
    from jupyter_jaxpr.observe.process_observer import observer
    assert observer().running() is None
"""


def test_the_fixture(tmp_path: Path) -> None:
    (tmp_path / "test_project.py").write_text(TESTS)
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    process = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--strict-markers",
            "-p",
            "jupyter_jaxpr.pytest_plugin",
            "test_project.py",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert "4 passed, 1 error" in process.stdout, process.stdout
    error_lines = [line.removeprefix("E").strip() for line in process.stdout.splitlines() if line.startswith("E  ")]
    assert error_lines == [
        "jupyter_jaxpr.scripts.observing.RecompileError: train_step: 2 compiles, limit 1.",
        "line 15: The type of x changed from f32[3] to f32[4].",
        "line 16: The type of x changed from f32[4] to f32[5].",
        "Pad the array to one shape, or expect one compile for each shape.",
    ]
