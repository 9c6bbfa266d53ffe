"""Compares our page and panel with the page that JAX itself writes (`jaxpr_html`), for programs of several sizes.

JAX writes such a page at each lowering if `JAX_DUMP_IR_TO` and `JAX_DUMP_IR_MODES=jaxpr_html` are set: a file with the
text, its colours and the tracebacks, which draws the lines near the visible part. Our page is written by
`Snapshot.save`.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import jax
import jax.numpy as jnp
from documents import observed, snapshot
from pages import load_all, open_page, shown_after
from rows import Row, milliseconds
from sized_programs import mixed

import jupyter_jaxpr

SIZES = (100, 1_000, 10_000, 100_000)
MEMORY_BUDGET = 400e6
EQUATIONS_A_ROUND = 9
# The number of times that each page is opened.
PAINTED = 25
# The number of times that each program is opened in the panel.
IN_PANEL = 9
# A cell with the function whose program is shown in the pages.
CELL = """\
def mixed_{count}_{run}(x):
    w = x
    for _ in range({rounds}):
        y = jnp.sin(x) * 2.0
        z = y + w
        w = lax.max(z, 0.5)
        v = lax.dot_general(w, x, (((0,), (0,)), ((), ())))
        u = lax.broadcast_in_dim(v, x.shape, ())
        t = lax.select_n(lax.gt(u, y), y, w)
        x = lax.cumsum(t, axis=0)
    return x
%jaxpr mixed_{count}_{run}(f32[8])
"""
# Returns the seconds from the start of the page's navigation to the first frame with an element that matches a
# selector.
FIRST = """
window.first = selector => new Promise(done => {
  const look = () => {
    if (document.querySelector(selector)?.textContent) {
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now() / 1000);
        channel.port2.postMessage(null);
      });
    } else {
      requestAnimationFrame(look);
    }
  };
  look();
});
"""


def pages() -> Iterator[Row]:
    """Measure the time to write, the bytes, and the time to paint, for each size."""
    with open_page() as notebook, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in SIZES:
            times = 15 if count <= 1_000 else 5 if count <= 10_000 else 2
            jax_pages = [_dumped(count, folder / f"jax-{count}-{run}") for run in range(times)]
            our_pages = [_saved(count, folder / f"ours-{count}.html") for _ in range(times)]
            opened = _opened(notebook, jax_pages[-1][1], our_pages[-1][1])
            # the first run loads the code of the view and is not counted
            panel = [_in_panel(notebook, count, run) for run in range(IN_PANEL + 1)][1:]
            yield from _rows(count, jax_pages, [_document(count) for _ in range(times)], our_pages, opened, panel)


def _rows(
    count: int,
    jax_pages: list[tuple[float, Path]],
    documents: list[tuple[float, int]],
    our_pages: list[tuple[float, Path]],
    opened: dict[str, list[float]],
    panel: list[float],
) -> Iterator[Row]:
    jax_write, jax_bytes = median(duration for duration, _ in jax_pages), jax_pages[-1][1].stat().st_size
    jax_paint = median(opened["jax"])
    figures = {
        "jax": {"write": [duration for duration, _ in jax_pages], "bytes": jax_bytes, "paint": opened["jax"]},
        "panel": {"write": [duration for duration, _ in documents], "bytes": documents[-1][1], "paint": panel},
        "page": {
            "write": [duration for duration, _ in our_pages],
            "bytes": our_pages[-1][1].stat().st_size,
            "paint": opened["ours"],
        },
    }

    def row(figure: str, mine: float, of_jax: float, unit: Callable[[float], str]) -> Row:
        return Row(
            what=f"{figure}, {count:,} equations",
            budget="ahead of JAX's",
            measured=f"{unit(mine)}, JAX's page {unit(of_jax)}",
            ratio=mine / of_jax,
            ok=mine < of_jax,
            figures=figures,
        )

    def kilobytes(size: float) -> str:
        return f"{size / 1e3:.0f} kB"

    yield row("panel: time to write", median(duration for duration, _ in documents), jax_write, milliseconds)
    yield row("panel: bytes", documents[-1][1], jax_bytes, kilobytes)
    yield row("panel: time to paint", median(panel), jax_paint, milliseconds)
    yield row("saved page: time to write", median(duration for duration, _ in our_pages), jax_write, milliseconds)
    yield row("saved page: bytes", our_pages[-1][1].stat().st_size, jax_bytes, kilobytes)
    yield row("saved page: time to paint", median(opened["ours"]), jax_paint, milliseconds)


def _opened(notebook: Any, jax_page: Path, our_page: Path) -> dict[str, list[float]]:
    """Return, for both pages, the seconds until a page shows a line of the jaxpr.

    The pages load alternately, because the speed of the machine changes from second to second. They load in one tab,
    because starting a tab's process takes as long as either page, and varies by more than the pages differ.
    """
    pages = {"jax": (jax_page, "#visible-lines-container .line"), "ours": (our_page, '[data-level="jaxpr"] li')}
    times_by_page: dict[str, list[float]] = {page_name: [] for page_name in pages}
    tab = notebook.page.context.browser.new_page(viewport={"width": 1400, "height": 800})
    tab.add_init_script(FIRST)
    for run in range(PAINTED + 1):
        for page_name, (path, selector) in pages.items():
            tab.goto(path.as_uri(), wait_until="commit")
            seconds = float(tab.evaluate("selector => window.first(selector)", selector))
            if run > 0:  # in the first run, the process of the tab starts
                times_by_page[page_name].append(seconds)
    tab.close()
    return times_by_page


def _document(count: int) -> tuple[float, int]:
    """Build the document of a traced program; return the seconds until its message is encoded, and the bytes."""
    observation = observed(jax.jit(mixed(count)).trace(jnp.ones(8)), "mixed")
    gc.collect()
    start = time.perf_counter()
    _, message = snapshot(observation)
    return time.perf_counter() - start, len(message)


def _dumped(count: int, folder: Path) -> tuple[float, Path]:
    """Return the additional seconds of a lowering during which JAX writes its page, and the path of the page."""
    folder.mkdir()

    def lowering() -> float:
        traced = jax.jit(mixed(count)).trace(jnp.ones(8))
        gc.collect()
        start = time.perf_counter()
        traced.lower()
        return time.perf_counter() - start

    plain = lowering()
    jax.config.update("jax_dump_ir_to", str(folder))
    jax.config.update("jax_dump_ir_modes", "jaxpr_html")
    try:
        dumping = lowering()
    finally:
        jax.config.update("jax_dump_ir_to", "")
        jax.config.update("jax_dump_ir_modes", "stablehlo")
    (page,) = folder.glob("*mixed*.html")
    return dumping - plain, page


def _saved(count: int, path: Path) -> tuple[float, Path]:
    """Save our page of a traced program; return the seconds that this takes, and the path of the page."""
    inspected = jupyter_jaxpr.inspect(mixed(count), jnp.ones(8), stage="trace")
    gc.collect()
    start = time.perf_counter()
    inspected.save(path)
    return time.perf_counter() - start, path


def _in_panel(notebook: Any, count: int, run: int) -> float:
    source = CELL.format(count=count, run=run, rounds=count // EQUATIONS_A_ROUND + 1)
    first = f'[aria-label^="jaxpr of mixed_{count}_{run}"] .cm-line[data-number="1"]'
    return shown_after(notebook, first, source)[0]


def memory() -> Iterator[Row]:
    """Measure the browser's memory with 100,000 equations open, with all loaded, and after the close."""
    with open_page() as notebook:
        page = notebook.page
        session = page.context.new_cdp_session(page)
        notebook.write(1, "1 + 1")
        notebook.run(1)
        before = _used(session)
        _in_panel(notebook, 100_000, 0)
        load_all(notebook)
        opened = _used(session)
        page.evaluate("window.jupyterapp.shell.currentWidget.close()")
        page.get_by_role("button", name="Discard").click()
        page.wait_for_function("() => !document.querySelector('.jp-NotebookPanel')")
        after = _used(session)
    yield Row(
        what="browser memory with 100,000 equations open (JavaScript and what it holds)",
        budget="400 MB",
        measured=f"{opened / 1e6:.0f} MB (before {before / 1e6:.0f}, after it is closed {after / 1e6:.0f})",
        ratio=None,
        ok=opened <= MEMORY_BUDGET and after <= before * 1.2,
        figures={"before": before, "open": opened, "after": after},
    )


def _used(session: Any) -> float:
    session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Runtime.getHeapUsage")
    return float(metrics["usedSize"]) + float(metrics.get("backingStorageSize", 0))
