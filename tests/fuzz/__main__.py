"""Reads random damaged documents in Python and in the browser until the time is over: `python tests/fuzz`.

    --seed N        the documents to begin with; without it, others in each run
    --minutes N     how long; by default 10
    --documents N   how many documents, instead of a time
    --document N    only this document of the seed, which is also written to document.json
    --fields        in place of random documents: a document for each field and each wrong value of the field, only read

Each finding names the seed and the document. Python's reader and the browser's reader must refuse the same documents.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from changed_fields import documents as documents_with_changed_fields
from mutations import document

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BATCH = 500
# The seconds after which a batch is given up.
LONGEST = 1800


def reports(file: Path, folder: Path, *, only_read: bool = False) -> tuple[list[tuple[str | None, list[str]]], ...]:
    """Run both readers on the documents at the same time, and return their results for each document.

    With `only_read`, documents are only read; otherwise, every operation runs on the documents that were read.
    """
    python, browser = folder / "python.jsonl", folder / "browser.jsonl"
    environment = {**os.environ, "FUZZ_FILE": str(file), "FUZZ_REPORT": str(browser), "JAX_PLATFORMS": "cpu"}
    if only_read:
        environment["FUZZ_ONLY_READ"] = "1"
    browser.unlink(missing_ok=True)
    commands = (
        [sys.executable, str(HERE / "python_side.py"), str(file), str(python)],
        ["jlpm", "test", "src/__tests__/fuzz"],
    )
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen(command, cwd=ROOT, env=environment, **silent) for command in commands]
    for process in running:
        try:
            process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
    return tuple([json.loads(line) for line in path.read_text().splitlines()] for path in (python, browser))


def look_at(named: dict[str, str], folder: Path, *, only_read: bool = False) -> list[str]:
    """Return the findings of some documents; `named` is {name of a document: its text}."""
    file = folder / "documents.jsonl"
    file.write_text("\n".join(named.values()) + "\n", encoding="utf-8")
    python, browser = reports(file, folder, only_read=only_read)
    findings = []
    for place, name in enumerate(named):
        for side, report in (("Python", python), ("browser", browser)):
            if place >= len(report):
                findings.append(f"{name}: {side}: the process ended")
                break
            findings += [f"{name}: {side}: {finding}" for finding in report[place][1]]
        else:
            sides = [report[place][0] for report in (python, browser)]
            if (sides[0] is None) != (sides[1] is None):
                findings.append(f"{name}: Python: {sides[0] or 'read'}; the browser: {sides[1] or 'read'}")
    return findings


def main() -> int:
    """Check documents until the time is over; return the exit status, 1 if there was a finding."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--documents", type=int, default=sys.maxsize)
    parser.add_argument("--document", type=int)
    parser.add_argument("--fields", action="store_true")
    options = parser.parse_args()
    if options.fields:
        named = {f"changed field {number}": text for number, text in enumerate(documents_with_changed_fields())}
        with tempfile.TemporaryDirectory() as folder:
            findings = look_at(named, Path(folder), only_read=True)
        print(*findings, f"{len(named):,} documents, {len(findings):,} findings", sep="\n", flush=True)
        return min(len(findings), 1)
    print(f"--seed {options.seed}", flush=True)
    if options.document is not None:
        Path("document.json").write_text(document(options.seed, options.document), encoding="utf-8")
    end = time.monotonic() + 60 * options.minutes if options.documents == sys.maxsize else float("inf")
    documents_read, failures = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while documents_read < options.documents and time.monotonic() < end:
            first = documents_read if options.document is None else options.document
            count = min(BATCH, options.documents - documents_read) if options.document is None else 1
            named = {
                f"--seed {options.seed} --document {number}": document(options.seed, number)
                for number in range(first, first + count)
            }
            findings = look_at(named, Path(folder))
            documents_read += count
            failures += len(findings)
            print(*findings, f"{documents_read:,} documents, {failures:,} findings", sep="\n", flush=True)
            if options.document is not None:
                break
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
