"""Reads random damaged documents in Python and in the browser until the time is over: `python tests/fuzz`.

    --seed N        the documents to begin with; without it, others in each run
    --minutes N     how long; by default 10
    --documents N   how many documents, instead of a time
    --document N    only this document of the seed, which is also written to document.json

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

from mutations import document

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BATCH = 500
# The seconds after which a batch is given up.
LONGEST = 1800


def reports(file: Path, folder: Path) -> tuple[list[tuple[str | None, list[str]]], ...]:
    """Run both readers on the documents at the same time, and return their results for each document."""
    python, browser = folder / "python.jsonl", folder / "browser.jsonl"
    environment = {**os.environ, "FUZZ_FILE": str(file), "FUZZ_REPORT": str(browser), "JAX_PLATFORMS": "cpu"}
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


def look_at(seed: int, numbers: range, folder: Path) -> list[str]:
    """Return the findings of some documents of a seed."""
    texts = [document(seed, number) for number in numbers]
    file = folder / "documents.jsonl"
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    python, browser = reports(file, folder)
    findings = []
    for place, number in enumerate(numbers):
        name = f"--seed {seed} --document {number}"
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
    options = parser.parse_args()
    print(f"--seed {options.seed}", flush=True)
    if options.document is not None:
        Path("document.json").write_text(document(options.seed, options.document), encoding="utf-8")
    end = time.monotonic() + 60 * options.minutes if options.documents == sys.maxsize else float("inf")
    documents_read, failures = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while documents_read < options.documents and time.monotonic() < end:
            first = documents_read if options.document is None else options.document
            count = min(BATCH, options.documents - documents_read) if options.document is None else 1
            findings = look_at(options.seed, range(first, first + count), Path(folder))
            documents_read += count
            failures += len(findings)
            print(*findings, f"{documents_read:,} documents, {failures:,} findings", sep="\n", flush=True)
            if options.document is not None:
                break
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
