"""Tests that the exports make the same table cells for comparisons and times as the panel.

src/__tests__/measured-tables.spec.ts reads the same expected tables.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from jupyter_jaxpr.document.read.shardings_for_scripts import UNKNOWN_DEVICES
from jupyter_jaxpr.document.types.comparison import VariantComparison
from jupyter_jaxpr.document.types.timing import Sweep, WarmTime
from jupyter_jaxpr.exports.comparison_table import compare_text
from jupyter_jaxpr.exports.terminal_text import NO_PROGRAM
from jupyter_jaxpr.exports.time_tables import calls_sentence, middle_half, time_text

pytestmark = pytest.mark.any_jax

TABLES = json.loads((Path(__file__).parent / "measured_tables.json").read_text())


def plain(rows: list[tuple[str, ...]]) -> list[list[str]]:
    return [[cell.replace("\u00a0", " ") for cell in row] for row in rows]


def test_functions_side_by_side() -> None:
    comparison = msgspec.convert(TABLES["comparison"], VariantComparison)
    compared = compare_text(SimpleNamespace(comparison=comparison))  # type: ignore[arg-type]
    assert compared is not None
    assert plain([("", *compared.head), *compared.rows]) == TABLES["comparison_rows"]
    assert (
        compared.remarks[0]
        == "The number of compiles says how often JAX compiled the function in the sweep of n = 8, 16."
    )


def test_calls_that_were_timed_again() -> None:
    for name, fields in TABLES["times"].items():
        time = msgspec.convert(fields, WarmTime)
        cells = (middle_half(time), calls_sentence("eager", time), calls_sentence("warm", time))
        assert plain([cells]) == [TABLES["time_cells"][name]]


def test_a_sweep() -> None:
    swept = msgspec.convert(TABLES["sweep"], Sweep)
    text = time_text(SimpleNamespace(timings=[], sweep=swept))  # type: ignore[arg-type]
    assert text is not None and text.sweep is not None
    assert plain([text.sweep.head, *text.sweep.rows]) == TABLES["sweep_rows"]


def test_sentences_that_the_panel_words_too() -> None:
    assert {"no_program": NO_PROGRAM, "unknown_devices": UNKNOWN_DEVICES} == TABLES["sentences"]
