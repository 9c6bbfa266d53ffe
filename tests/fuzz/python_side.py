"""Reads hostile documents with the Python code; reports slow operations, and errors other than a proper refusal.

`python tests/fuzz/python_side.py FILE REPORT` reads a document from each line of FILE, and writes a line of REPORT for
it: why it was refused (null if it was not), and the findings.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_jaxpr.document.copies.saved_copy import saved_copy
from jupyter_jaxpr.document.copies.without_values import without_values
from jupyter_jaxpr.document.encoding import encode
from jupyter_jaxpr.document.merged_answers import merged
from jupyter_jaxpr.document.read.printed_diff_for_scripts import Diff
from jupyter_jaxpr.document.sentences.program_summary_line import summarised
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.scripts.snapshot import Snapshot

# The CPU seconds after which an operation counts as slow, and the seconds after which it is stopped.
SLOW, STOPPED = 2.0, 20.0
# The bytes that an operation may use beyond the memory after the imports.
MEMORY = 500_000_000
# Matches a proper refusal: one or more sentences, short enough to be shown.
SENTENCES = re.compile(r"[A-Z][^\n]{5,1500}")
SOUND = Path(__file__).parent / "documents" / "everything-0.12.json"
# The fields of a document into which later answers of the kernel are merged.
MERGED = ("costs", "timings", "shardings", "passes", "exact_links", "recordings", "diffs")


@dataclass(frozen=True)
class Finding:
    """An operation that failed on a document."""

    operation: str
    what: str


class Stopped(BaseException):
    """Raised if an operation takes too long; it is no `Exception`, so that no handler of ours catches it."""


def operations(snapshot: Snapshot) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield every operation on a document that was read."""
    document = snapshot.document
    yield "repr", lambda: repr(snapshot)
    yield "notes", lambda: snapshot.notes
    yield "control_flow", lambda: [str(construct) for construct in snapshot.control_flow]
    yield "cost", lambda: str(snapshot.cost)
    yield "shardings", lambda: str(snapshot.shardings())
    yield "equations", lambda: snapshot.equations
    for level in ("jaxpr", "stablehlo", "hlo"):
        yield f"text {level}", lambda level=level: snapshot.text(level)
    yield "texts", lambda: [snapshot.text(program=index) for index in range(min(3, len(document.programs)))]
    yield "html", lambda: page(document)
    yield "markdown", lambda: markdown(document)
    yield "bundle", lambda: snapshot._repr_mimebundle_()
    yield "saved copy", lambda: saved_copy(document, 3_000)
    yield "without values", lambda: page(without_values(document))
    yield "json", lambda: snapshot.to_json()
    yield "dict", lambda: snapshot.to_dict()
    yield "summary", lambda: summarised(document, range(len(document.programs)))
    for field in MERGED:
        for answer in getattr(document, field)[:1]:
            yield f"merge {field}", lambda field=field, answer=answer: merged(document, field, answer)
    sound = Snapshot.from_json(SOUND.read_bytes())
    for level in ("jaxpr", "stablehlo"):
        yield from diffs(f"{level} with itself", snapshot, snapshot, level)
        yield from diffs(f"{level} from another", sound, snapshot, level)
        yield from diffs(f"{level} to another", snapshot, sound, level)


def diffs(name: str, first: Snapshot, second: Snapshot, level: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield a diff, and the text of the diff."""
    diffs_made: list[Diff] = []
    yield f"diff of {name}", lambda: diffs_made.append(first.diff(second, level=level))
    yield f"text of the diff of {name}", lambda: list(map(str, diffs_made))


def findings(text: str) -> Iterator[Finding]:
    """Yield the failed operations on a document; none if the document is refused with a sentence."""
    snapshots: list[Snapshot] = []
    yield from attempt("read", lambda: snapshots.append(Snapshot.from_json(text)))
    for snapshot in snapshots:
        for name, operation in operations(snapshot):
            yield from attempt(name, operation)
        yield from attempt("read again", lambda snapshot=snapshot: Snapshot.from_json(encode(snapshot.document)))


def attempt(name: str, operation: Callable[[], Any]) -> Iterator[Finding]:
    """Run an operation; a refusal with a sentence is no finding."""
    start = time.process_time()
    try:
        with at_most(STOPPED):
            operation()
    except ValueError as error:
        if not SENTENCES.fullmatch(str(error)) or type(error) is not ValueError:
            yield Finding(name, f"{type(error).__name__}: {str(error)[:300]}")
    except (Exception, Stopped) as error:
        yield Finding(name, f"{type(error).__name__}: {str(error)[:300]} {_where(error)}")
    seconds = time.process_time() - start
    if seconds > SLOW:
        yield Finding(name, f"took {seconds:.1f} s")


def _where(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop the block after so many seconds."""

    def stop(*_: Any) -> None:
        raise Stopped(f"stopped after {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextlib.contextmanager
def limited_memory() -> Iterator[None]:
    """Raise a MemoryError if the block uses more than `MEMORY` bytes in addition to what the process used before."""
    status = Path("/proc/self/status")
    if not status.exists():
        yield
        return
    address_space = int(re.search(r"VmSize:\s+(\d+)", status.read_text())[1]) * 1024
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (address_space + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def main(path: str, report: str) -> None:
    """Read each document, and write the result of each."""
    with open(path, encoding="utf-8") as file, open(report, "w", encoding="utf-8") as lines, limited_memory():
        for text in file:
            all_findings = [] if os.environ.get("FUZZ_ONLY_READ") else list(findings(text))
            lines.write(
                json.dumps([refusal(text), [f"{finding.operation}: {finding.what}" for finding in all_findings]]) + "\n"
            )
            lines.flush()


def refusal(text: str) -> str | None:
    """Return why a document is refused; None if it is accepted."""
    try:
        Snapshot.from_json(text)
    except Exception as error:
        return str(error)
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
