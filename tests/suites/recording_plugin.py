"""Records the outcome of each test of another project; with `SUITE_OBSERVE=1` each test runs in `observe()`.

A pytest plugin (`-p recording_plugin`). At the end it writes JSON to `SUITE_RESULTS`: the outcome of each test, how
often the ledgers had each call outcome and each reason, and the failures of our own code.
"""

from __future__ import annotations

import json
import os
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

OBSERVES = os.environ.get("SUITE_OBSERVE") == "1"

outcomes: dict[str, str] = {}
outcome_counts: Counter[str] = Counter()
unknown: list[str] = []
failures: list[str] = []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run the test; inside `observe()` if `SUITE_OBSERVE=1` is set."""
    if not OBSERVES:
        return (yield)
    from jupyter_jaxpr import observe
    from jupyter_jaxpr.observe.process_observer import observer

    with observe() as ledger:
        result = yield
    try:
        read(item.nodeid, ledger)
    except Exception:
        failures.append(f"{item.nodeid}\n{traceback.format_exc()}")
    failures.extend(f"{item.nodeid}\n{''.join(traceback.format_exception(e))}" for e in observer().hooks.failed)
    observer().hooks.failed.clear()
    return result


def read(test: str, ledger: object) -> None:
    """Count the outcomes and reasons in a ledger, and format the ledger as a table."""
    from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger

    assert isinstance(ledger, Ledger)
    assert str(ledger)
    for record in ledger.functions:
        for miss in record.misses:
            outcome_counts[miss.outcome] += 1
            outcome_counts.update(reason.kind for reason in miss.reasons)
            if any(reason.kind == "unknown" for reason in miss.reasons):
                unknown.append(f"{test}: {record.name}: {miss.signature}: {miss.reasons[0].text}")
            if not miss.reasons and miss.outcome not in ("inlined", "raised"):
                failures.append(f"{test}: {record.name}: a miss without a reason, {miss}")
        if record.hits is not None and record.calls is not None and not 0 <= record.hits <= record.calls:
            failures.append(f"{test}: {record.name}: {record.hits} hits of {record.calls} calls")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep the worst result of a test's phases."""
    before = outcomes.get(report.nodeid, "passed")
    if before == "passed":
        outcomes[report.nodeid] = report.outcome if report.when == "call" or report.outcome != "failed" else "error"


def pytest_sessionfinish() -> None:
    """Write the results."""
    report = {"outcomes": outcomes, "ledgers": outcome_counts, "unknown": unknown, "failures": failures}
    Path(os.environ["SUITE_RESULTS"]).write_text(json.dumps(report, indent=1))
