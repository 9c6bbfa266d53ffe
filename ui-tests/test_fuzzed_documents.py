"""Tests damaged and hostile documents as saved outputs of a notebook: each is opened, and each of its tabs is shown.

The documents are the 300 worst of 10,000 documents of `nox -s fuzz` with one seed. No script of a document runs,
no error is uncaught, nothing is fetched from another server, and no operation takes more than two seconds of the
page's CPU time.
"""

from __future__ import annotations

import functools
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest
from lab_server import code
from open_notebook import OpenNotebook
from playwright.sync_api import CDPSession, Dialog, Page, expect

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fuzz"))

from mutations import document  # after the path
from worst import worst  # likewise

MIME_TYPE = "application/vnd.jupyter-jaxpr.v1+json"
SEED = 12
AMONG, DOCUMENTS, BATCH = 10_000, 300, 10
SECONDS = 2.0
HEAP = 500_000_000  # bytes of the browser's heap after a garbage collection
#: Wait until the page has finished the action and has drawn the result.
DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


@dataclass
class Watch:
    """Records the errors of a page: scripts that ran, uncaught errors, requests to other servers, slow actions."""

    page: Page
    where: str = "at the start"
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.devtools: CDPSession = self.page.context.new_cdp_session(self.page)
        self.devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.page.on("dialog", self._dialog)
        self.page.on("pageerror", lambda error: self._note(f"uncaught: {error.stack}"))
        self.page.on("request", lambda request: self._request(request.url))

    def _note(self, what: str) -> None:
        self.wrong.append(f"{self.where}: {what[:600]}")

    def _dialog(self, dialog: Dialog) -> None:
        self._note(f"a script ran: {dialog.message}")
        dialog.dismiss()

    def _request(self, url: str) -> None:
        place = urlparse(url)
        if place.scheme not in ("data", "blob") and place.hostname not in ("127.0.0.1", "localhost"):
            self._note(f"fetched {url}")

    def metric(self, name: str) -> float:
        found = self.devtools.send("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in found if metric["name"] == name))

    def does(self, where: str, operation: Any) -> None:
        """Do an action, and record errors that occur meanwhile, and the action itself if it took too long."""
        self.where = where
        before = self.metric("TaskDuration")
        operation()
        self.page.evaluate(DRAWN)
        seconds = self.metric("TaskDuration") - before
        if seconds > SECONDS:
            self._note(f"took {seconds:.1f} s")


@functools.cache
def chosen() -> list[int]:
    """Return the numbers of the chosen documents; choosing them takes two minutes."""
    return worst(SEED, DOCUMENTS, AMONG)


def open_all(nb: OpenNotebook, numbers: list[int], watch: Watch) -> int:
    """Open each output in the panel and choose each tab; return the number of refused documents."""
    refused = 0
    for index, number in enumerate(numbers):
        name = f"--seed {SEED} --document {number}"
        output = nb.outputs(index)
        expect(output).to_have_count(1)
        button = output.get_by_role("button")
        if not button.count():
            expect(output).to_contain_text(".")  # the output has the sentence of the refusal
            refused += 1
            continue
        watch.does(f"{name}: open", button.first.click)
        expect(nb.panel).to_contain_text("saved copy")
        for tab in nb.panel.get_by_role("tab").all():
            watch.does(f"{name}: {tab.inner_text()}", tab.click)
    return refused


@pytest.mark.slow
@pytest.mark.fresh_page
@pytest.mark.parametrize("first", range(0, DOCUMENTS, BATCH))
def test_fuzzed_documents(notebook, page, first):
    numbers = chosen()[first : first + BATCH]
    data = [{MIME_TYPE: json.loads(document(SEED, number))} for number in numbers]
    cells = [code("%%jaxpr", [{"output_type": "display_data", "data": each, "metadata": {}}], 1) for each in data]
    watch = Watch(page)
    nb = notebook(*cells, kernel=None)
    refused = open_all(nb, numbers, watch)
    watch.devtools.send("HeapProfiler.collectGarbage")
    if (heap := watch.metric("JSHeapUsedSize")) > HEAP:
        watch.wrong.append(f"documents {first} to {first + BATCH}: {heap:,} bytes are held")
    print(
        f"documents {first} to {first + BATCH - 1}: {len(numbers)} opened, {refused} refused, {len(watch.wrong)} wrong"
    )
    assert watch.wrong == []


@pytest.mark.fresh_page
def test_the_watch_sees_what_goes_wrong(page, monkeypatch):
    # The loop ends by the clock, and on a busy machine it gets little CPU time until then.
    monkeypatch.setattr(sys.modules[__name__], "SECONDS", 0.1)
    watch = Watch(page)
    watch.does("a sum", lambda: page.evaluate("1 + 1"))
    assert watch.wrong == []
    busy = "() => { for (const end = performance.now() + 5000; performance.now() < end; ); }"
    watch.does("a loop", lambda: page.evaluate(busy))
    watch.does("a script", lambda: page.evaluate("alert(1)"))
    watch.does("an error", lambda: page.evaluate("setTimeout(() => { throw new Error('no') })"))
    watch.does("a picture", lambda: page.evaluate("new Image().src = 'https://evil.example/x.png'"))
    (took, *others) = [line.partition("\n")[0] for line in watch.wrong]
    assert took.startswith("a loop: took ")
    assert others == [
        "a script: a script ran: 1",
        "an error: uncaught: Error: no",
        "a picture: fetched https://evil.example/x.png",
    ]
