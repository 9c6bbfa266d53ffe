"""Measures the user's waits in the panel: from a message to the program, from the mouse to the marks, and scrolling."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from labextension import size
from pages import load_all, open_page, shown_after
from rows import Row, milliseconds
from sized_programs import LESSON

LONG = """\
def long_{number}(x):
    w = x
    for _ in range({rounds}):
        y = jnp.sin(x) * 2.0
        z = lax.add(y, w)
        w = lax.max(z, 0.5)
        v = lax.dot_general(w, x, (((0,), (0,)), ((), ())))
        u = lax.broadcast_in_dim(v, x.shape, ())
        t = lax.select_n(lax.gt(u, y), y, w)
        x = lax.cumsum(t, axis=0)
    return x
%jaxpr long_{number}(f32[8])
"""
EQUATIONS_A_ROUND = 9
FRAMES = 180
LONG_RUNS = 5
PASSES = 5


def paint() -> Iterator[Row]:
    """Measure all displays of the panel, in one page of JupyterLab."""
    urls: list[str] = []
    with open_page(urls) as notebook:
        yield from size(urls)
        yield from _lesson(notebook)
        yield from _long(notebook)
        yield from _hover(notebook)


def _shown_after(notebook: Any, name: str, source: str) -> tuple[float, int]:
    return shown_after(notebook, f'[aria-label^="jaxpr of {name}"] .cm-line[data-number="1"]', source)


def _lesson(notebook: Any) -> Iterator[Row]:
    first, _ = _shown_after(notebook, "step_0", "%%jaxpr" + LESSON.format(number=0))
    paints = [_shown_after(notebook, f"step_{n}", "%%jaxpr" + LESSON.format(number=n)) for n in range(1, 21)]
    seconds = [duration for duration, _ in paints]
    yield Row(
        what="message to paint, a lesson",
        budget="50 ms",
        measured=f"{milliseconds(median(seconds))} (the very first, views loaded with it: {milliseconds(first)})",
        ratio=None,
        ok=median(seconds) <= 0.050,
        figures={"median": median(seconds), "max": max(seconds), "first": first, "bytes": paints[-1][1], "runs": 20},
    )


def _long(notebook: Any) -> Iterator[Row]:
    rounds = 100_000 // EQUATIONS_A_ROUND + 1
    paints = [_shown_after(notebook, f"long_{n}", LONG.format(number=n, rounds=rounds)) for n in range(LONG_RUNS)]
    seconds = [duration for duration, _ in paints]
    yield Row(
        what="message to paint, 100,000 equations",
        budget="300 ms",
        measured=f"{milliseconds(median(seconds))} ({paints[-1][1] / 1000:.0f} kB)",
        ratio=None,
        ok=median(seconds) <= 0.300,
        figures={"median": median(seconds), "max": max(seconds), "bytes": paints[-1][1], "runs": LONG_RUNS},
    )
    page = notebook.page
    lines = load_all(notebook)
    yield from scrolled(page, f"{lines:,} lines")


def scrolled(page: Any, view: str) -> Iterator[Row]:
    """Measure the frames while the listing of the panel scrolls from its top."""
    idle = page.evaluate(SCROLL, 0)
    page.evaluate(SCROLL, 120)  # the first scroll is not counted, because the browser has not optimised the code yet
    for way, share in (("by the wheel, 120 pixels a frame", 120), ("by the bar, from end to end", None)):
        passes = [page.evaluate(SCROLL, share) for _ in range(PASSES)]
        p50, p95, longest = (median(figures[key] for figures in passes) for key in ("p50", "p95", "max"))
        yield Row(
            what=f"scrolling {view} {way}",
            budget="no frame over 50 ms",
            measured=f"p50 {p50:.0f}, p95 {p95:.0f}, max {longest:.0f} ms (standing still: max {idle['max']:.0f} ms)",
            ratio=p50 / idle["p50"],
            ok=longest <= 50,
            figures={"milliseconds": passes, "idle": idle},
        )


# Scrolls down in steps of `share` pixels, or over the whole text for null; returns the time of each of 180 frames.
SCROLL = """async share => {
  const scroller = [...document.querySelectorAll('.jp-JaxprPanel .cm-scroller')].find(each => each.offsetHeight);
  const frame = () => new Promise(done => requestAnimationFrame(done));
  scroller.scrollTop = 0;
  for (let n = 0; n < 10; n++) {
    await frame();
  }
  const step = share ?? (scroller.scrollHeight - scroller.clientHeight) / FRAMES;
  const times = [];
  let before = await frame();
  for (let n = 1; n <= FRAMES; n++) {
    scroller.scrollTop = n * step;
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  const slowest = times.indexOf(Math.max(...times));
  times.sort((a, b) => a - b);
  return {slowest, p50: times[FRAMES / 2], p95: times[Math.floor(FRAMES * 0.95)], max: times[FRAMES - 1]};
}""".replace("FRAMES", str(FRAMES))


def _hover(notebook: Any) -> Iterator[Row]:
    _shown_after(notebook, "long_9", LONG.format(number=9, rounds=5_000 // EQUATIONS_A_ROUND + 1))
    page = notebook.page
    seconds = []
    for number in [1, 3, 4, 5, 6, 7] * 4:
        notebook.cell(0).hover()
        page.evaluate(
            """number => {
              window.moved = new Promise(done => {
                document.addEventListener('mousemove', event => {
                  if (event.target.closest?.(`.jp-JaxprPanel .cm-line[data-number="${number}"]`)) {
                    done(event.timeStamp);
                  }
                }, {capture: true});
              });
              window.marked = window.painted(() =>
                document.querySelector(`.cm-line[data-number="${number}"][data-linked="true"]`) &&
                document.querySelector('.jp-Cell .jp-JaxprCell-span'));
            }""",
            number,
        )
        notebook.equation(number).hover()
        moved, marked = page.evaluate("async () => [await window.moved, await window.marked]")
        seconds.append((marked - moved) / 1000)
    yield Row(
        what="hover to the marks in the cell, 5,000 equations",
        budget="50 ms",
        measured=milliseconds(median(seconds)),
        ratio=None,
        ok=median(seconds) <= 0.050,
        figures={"median": median(seconds), "max": max(seconds), "hovers": len(seconds)},
    )
