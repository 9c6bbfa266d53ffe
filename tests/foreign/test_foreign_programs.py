"""Tests programs in the style of the documentation of equinox, flax, optax, diffrax and JAX under `%%jaxpr`.

Each program runs twice, each time in its own process: plain, without an import of the extension, and under the magic.
Only the panel may differ.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.types.document import Program, Snapshot

HERE = Path(__file__).parent
ENDS_WITHIN = 1_800  # seconds for the programs of one library, after which they count as hung
# Both runs compile without optimisation, because the speed of the code does not matter here; it saves a quarter of the
# compile time.
UNOPTIMISED = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_backend_optimization_level=0"}

# The names in the panel's list of programs, in call order: one for each program that JAX compiled.
LISTED = {
    "equinox_mlp_training": ["make_step"],
    "equinox_gru_scan": ["make_step"],
    "equinox_while_loops": ["newton_sqrt", "power", "power", "collatz"],
    "equinox_ensemble": ["train", "evaluate_ensemble"],
    "flax_nnx_mlp_training": ["train_step", "eval_step"],
    "flax_nnx_scan_over_layers": ["step"],
    "flax_linen_cnn_train_state": ["apply_model", "update_model"],
    "flax_linen_lstm": ["init", "loss", "loss"],
    "flax_linen_wrong_shape": ["predict"],
    "optax_fit": ["step", "step", "fit"],
    "optax_scan_epochs": ["train"],
    "optax_lbfgs": ["solve"],
    "diffrax_ode": ["diffeqsolve"],
    "diffrax_adjoint": ["gradient", "gradient"],
    "diffrax_neural_ode": ["make_step"],
    "diffrax_sde": ["path"],
    "optimistix_root_finding": ["implicit_euler", "fit", "solve"],
    "jax_metropolis": ["chain", "chain", "draw", "bits"],
    "jax_per_example_gradients": ["loss", "<lambda>", "sin", "predict", "hvp"],
    "jax_transform_outside_jit": [*["selu"] * 11, "total"],
    "jax_game_of_life": ["evolve", "<lambda>", "<lambda>", "first_repetition"],
}
LOOPS = {
    "equinox_gru_scan": ["scan"],
    "equinox_while_loops": ["while", "scan"],
    "equinox_ensemble": ["scan"],
    "flax_nnx_scan_over_layers": ["scan"],
    "flax_linen_lstm": ["scan"],
    "optax_scan_epochs": ["scan"],
    "optax_lbfgs": ["while"],
    "diffrax_ode": ["while"],
    "diffrax_adjoint": ["while"],
    "diffrax_neural_ode": ["while"],
    "diffrax_sde": ["while"],
    "optimistix_root_finding": ["while"],
    "jax_metropolis": ["scan"],
    "jax_game_of_life": ["while", "cond"],
}

# On the older JAX line, these programs run only in `full`: JAX's own program of transforms runs each day on both lines.
ON_ONE_LINE = ("equinox", "flax", "optax")
# On both lines these run only in `full`: the programs of diffrax and optimistix take a third of the time of all
# libraries, and another program makes the same calls of equinox, flax and JAX each day.
LONG = (
    "diffrax",
    "optimistix",
    "equinox_ensemble",
    "equinox_gru_scan",
    "equinox_mlp_training",
    "optax_fit",
    "flax_nnx_mlp_training",
    "flax_nnx_scan_over_layers",
    "flax_linen_cnn_train_state",
    "jax_per_example_gradients",
    "jax_metropolis",
    "jax_game_of_life",
)
MARKS = {**dict.fromkeys(ON_ONE_LINE, pytest.mark.any_jax), **dict.fromkeys(LONG, pytest.mark.slow)}
PROGRAMS = [pytest.param(name, marks=MARKS.get(name, MARKS.get(name.partition("_")[0], ()))) for name in LISTED]

Runs = Callable[[str], tuple[dict[str, Any], dict[str, Any]]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Runs:
    """Return the results of a program, plain and under the magic.

    The first request for a program of a library runs all programs of the library that this session tests.
    """
    folder = tmp_path_factory.mktemp("foreign")
    tested = {
        item.callspec.params["program"]
        for item in request.session.items
        if item.path == request.path and hasattr(item, "callspec") and "program" in item.callspec.params
    }

    @functools.cache
    def library(name: str) -> dict[str, dict[str, Any]]:
        programs = [
            str(HERE / "programs" / f"{program}.py")
            for program in LISTED
            if program.startswith(name) and program in tested
        ]
        ways = {}
        for way in ("plain", "magic"):
            out = folder / f"{name}-{way}.json"
            environment = os.environ | UNOPTIMISED | {"IPYTHONDIR": str(folder / f"{name}-{way}")}
            command = [sys.executable, str(HERE / "run_cells.py"), way, str(out), *programs]
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            ways[way] = (process, out)
        results = {}
        for way, (process, out) in ways.items():
            printed, _ = process.communicate(timeout=ENDS_WITHIN)
            assert process.returncode == 0, printed
            results[way] = json.loads(out.read_text())
        return results

    def of(program: str) -> tuple[dict[str, Any], dict[str, Any]]:
        results = library(program.split("_")[0])
        return results["plain"][program], results["magic"][program]

    return of


def published(magic: dict[str, Any]) -> Snapshot:
    """Return the only snapshot that a cell sent to the panel."""
    assert [message for message in magic["messages"] if message["type"] == "failed"] == []
    (message,) = [message for message in magic["messages"] if message["type"] == "snapshot"]
    return read(message["snapshot"])


def own(snapshot: Snapshot) -> list[Program]:
    """Return the programs of a snapshot, except those that libraries jitted."""
    return [program for program in snapshot.programs if not program.library]


def test_every_program_of_the_folder_is_tested() -> None:
    assert sorted(LISTED) == sorted(path.stem for path in (HERE / "programs").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_magic_alters_nothing(program: str, ran: Runs) -> None:
    plain, magic = ran(program)

    assert magic["error"] == plain["error"]
    assert magic["out"] == plain["out"]
    assert magic["history"] == plain["history"]
    assert magic["displayed"] == plain["displayed"]
    assert magic["variables"] == plain["variables"]
    assert magic["stderr"] == plain["stderr"]
    # IPython prints how many frames it hides; under the magic, one more frame is hidden.
    hidden = re.compile(r"skipping hidden \d+ frame")
    assert hidden.sub("hidden", magic["printed"]) == hidden.sub("hidden", plain["printed"])


@pytest.mark.parametrize("program", PROGRAMS)
def test_jax_does_no_more_than_without_the_magic(program: str, ran: Runs) -> None:
    plain, magic = ran(program)

    assert magic["events"] == plain["events"]
    assert sum(plain["events"].values()) >= 3


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_panel_gets_what_ran(program: str, ran: Runs) -> None:
    _, magic = ran(program)
    snapshot = published(magic)

    assert [program.name for program in own(snapshot)] == LISTED[program]
    assert {program.origin for program in own(snapshot)} <= {"ran", "derived", "recorded"}
    assert all(program.equations > 0 for program in own(snapshot))
    assert snapshot.message is None
    assert [note for note in snapshot.notes if note.kind == "failed"] == []
    # The loops of these programs are loops of JAX, or short, so no note advises a rewrite.
    assert [note.text for note in snapshot.notes if note.kind == "unrolled_loop"] == []
    # These programs read no value that changes later, so no note says that a value is stale.
    assert [note.text for note in snapshot.notes if note.kind in ("stale_value", "frozen_call")] == []
    primitives = {snapshot.strings[primitive] for scope in snapshot.scopes for primitive in scope.primitive}
    assert set(LOOPS.get(program, [])) <= primitives


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_notebook_saves_it(program: str, ran: Runs) -> None:
    plain, magic = ran(program)

    assert plain["saved"] == []
    (bundle,) = magic["saved"]
    saved = read(bundle["application/vnd.jupyter-jaxpr.v1+json"])
    assert [program.name for program in own(saved)] == LISTED[program]
    assert set(bundle) == {"application/vnd.jupyter-jaxpr.v1+json", "text/html", "text/plain"}


@pytest.mark.any_jax
def test_a_mistake_of_the_user_is_told_as_ever(ran: Runs) -> None:
    plain, magic = ran("flax_linen_wrong_shape")

    assert plain["error"] is not None and magic["error"] is not None
    assert magic["error"][0] == "ScopeParamShapeError"
    assert "(2, 5)" in magic["printed"]
    assert "\nnot reached" not in magic["printed"]
    (predict,) = own(published(magic))
    assert predict.activity is not None
    assert (predict.activity.compiles, predict.activity.raised) == (1, 1)
