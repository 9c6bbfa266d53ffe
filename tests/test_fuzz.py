"""Tests damaged and hostile documents, the same in each run; `nox -s fuzz` tests random ones until it is stopped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))

from mutations import begun, document
from python_side import attempt, findings, limited_memory
from worst import is_read, worst

pytestmark = pytest.mark.any_jax

BATCH = 50


@pytest.mark.parametrize(
    "first", [0, 50, *(pytest.param(first, marks=pytest.mark.slow) for first in range(100, 500, BATCH))]
)
def test_no_document_makes_a_reader_or_an_export_fail_or_wait(first):
    for number in range(first, first + BATCH):
        with limited_memory():
            found_findings = list(findings(document(1, number, everyday=True)))
        assert found_findings == [], f"--seed 1 --document {number}, everyday"


def fails():
    raise ZeroDivisionError("no")


def refuses():
    raise ValueError("This snapshot is damaged (why) and cannot be shown.")


def refuses_without_a_sentence():
    raise ValueError("no")


def takes_much():
    bytearray(600_000_000)


def works_on():
    while True:
        pass


def test_the_fuzzer_finds_what_goes_wrong(monkeypatch):
    monkeypatch.setattr("python_side.STOPPED", 0.1)
    monkeypatch.setattr("python_side.SLOW", 0.05)
    assert list(attempt("it", refuses)) == []
    assert [finding.what for finding in attempt("it", refuses_without_a_sentence)] == ["ValueError: no"]
    assert [finding.what for finding in attempt("it", fails)] == [
        f"ZeroDivisionError: no test_fuzz.py:{fails.__code__.co_firstlineno + 1}"
    ]
    with limited_memory():
        (memory,) = attempt("it", takes_much)
    assert memory.what.startswith("MemoryError: ")
    stopped, slow = attempt("it", works_on)
    assert stopped.what.startswith("Stopped: stopped after 0.1 s ")
    assert slow.what.startswith("took 0.1 s")


def test_the_worst_documents_have_a_large_amount_of_something_and_are_read() -> None:
    numbers = worst(seed=12, count=3, among=40)
    kinds = [begun(12, number)[2].__name__ for number in numbers]  # type: ignore[union-attr]  # it has a large amount
    assert len(set(kinds)) == len(numbers) == 3
    assert all(is_read(document(12, number)) for number in numbers)
    assert not is_read('{"version": NaN}')
