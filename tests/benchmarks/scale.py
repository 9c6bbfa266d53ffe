"""Measures the panel with programs of 100 to 100,000 equations (paint, search, fold, diff), and with long texts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import median
from typing import Any

from pages import load_all, open_page, shown_after
from rows import Row, milliseconds

from panel import scrolled

SIZES = (100, 1_000, 10_000, 100_000)
# Each iteration jits a program of a hundred equations; its number makes the program different from the others.
PROGRAM = """\
def sized_{name}(x):
    for number in range({blocks}):
        def block(x, number=number):
            w = x * {first}.0
            for _ in range(11):
                y = jnp.sin(x) * 2.0
                z = y + w
                w = lax.max(z, number + 0.5)
                v = lax.dot_general(w, x, (((0,), (0,)), ((), ())))
                u = lax.broadcast_in_dim(v, x.shape, ())
                t = lax.select_n(lax.gt(u, y), y, w)
                x = lax.cumsum(t, axis=0)
            return x
        x = jax.jit(block)(x)
    return x
%jaxpr sized_{name}(f32[8])
"""
# The optimised HLO is a text of 6 MB, because XLA cannot fuse the sorts.
LONG_TEXT = """\
%%jaxpr
@jax.jit
def texts(x):
    for _ in range(1_650):
        x = lax.sort(jnp.cumsum(x @ x, axis=0) * 0.5)
    return x

_ = texts(jnp.ones((4, 4)))
"""
COMPILED_WITHIN = 300_000  # milliseconds
RUNS = 5
# Returns the time of a key or a click, and of the paint of the element that it makes.
PRESSED = """look => {
  window.pressed = new Promise(done => {
    for (const kind of ['pointerdown', 'input']) {
      document.addEventListener(kind, event => done(event.timeStamp), {capture: true, once: true});
    }
  });
  window.done = window.painted(new Function(`return ${look}`));
}"""
SHOWN = "[...document.querySelectorAll('.jp-JaxprPanel {selector}')].some(each => each.offsetHeight)"


def sizes() -> Iterator[Row]:
    """Measure programs of each size, in one page of JupyterLab."""
    with open_page() as notebook:
        for count in SIZES:
            yield from _size(notebook, count)
            if count == 10_000:
                yield from _text(notebook, count)


def long_text() -> Iterator[Row]:
    """Measure how long it takes to choose, search and scroll an HLO text of 6 MB."""
    from open_notebook import NUMBERED
    from playwright.sync_api import expect

    with open_page() as notebook:
        notebook.write(1, LONG_TEXT)
        notebook.run(1, wait=False)
        expect(notebook.prompt(1)).to_have_text(NUMBERED, timeout=COMPILED_WITHIN)
        yield from _hlo(notebook)


def _cell(count: int, version: int, first: int) -> str:
    return PROGRAM.format(name=f"{count}_{version}", blocks=max(1, count // 100), first=first)


def _run(notebook: Any, count: int, version: int) -> float:
    first = f'[aria-label^="jaxpr of sized_{count}_{version}"] .cm-line[data-number="1"]'
    return shown_after(notebook, first, _cell(count, version, 1))[0]


def _after(notebook: Any, look: str, act: Any) -> float:
    """Return the seconds from an action's click or input to the frame in which the JavaScript text `look` is true."""
    notebook.page.evaluate(PRESSED, look)
    act()
    pressed, painted = notebook.page.evaluate("async () => [await window.pressed, await window.done]")
    return float(painted - pressed) / 1000


def _size(notebook: Any, count: int) -> Iterator[Row]:
    page, panel = notebook.page, notebook.panel
    painted = [_run(notebook, count, version) for version in range(RUNS)]
    yield _row("message to paint", count, painted, 0.300)
    if count > 10_000:  # a large program is sent in parts, so the other equations are loaded first
        load_all(notebook, least=count * 98 // 100)
    unfold, fold = (panel.get_by_role("button", name=name, exact=True) for name in ("Unfold all", "Fold all"))
    opened, closed = (
        SHOWN.format(selector=f'.jp-JaxprProgram-marker[aria-expanded="{state}"]') for state in ("true", "false")
    )
    folds = []
    for _ in range(RUNS):
        _after(notebook, opened, unfold.click)
        folds.append(_after(notebook, f"{closed} && !({opened})", fold.click))
    yield _row("fold all", count, folds)
    _after(notebook, opened, unfold.click)
    panel.get_by_role("button", name="Find in program").click()
    texts = ("dot_general", "cumsum", "select_n", "cumsum", "select_n")
    yield _row("search, from the last letter to the marks", count, _searches(notebook, texts))
    page.keyboard.press("Escape")
    notebook.write(1, _cell(count, RUNS - 1, 2))
    notebook.run(1)
    show, compare = (
        panel.get_by_role("button", name=name) for name in ("Show the diff", "Compare with the previous run")
    )
    show.or_(compare).wait_for()
    # A large program is compared only when the user asks for it.
    (compare if compare.is_visible() else show).click()
    rows = SHOWN.format(selector='[aria-label="Both programs, line by line"] [role="option"]')
    page.evaluate("look => window.painted(new Function(`return ${look}`))", rows)
    tabs = (panel.get_by_role("tab", name="Program"), panel.get_by_role("tab", name="Diff"))
    later_times = []
    for _ in range(RUNS):
        tabs[0].click()
        later_times.append(_after(notebook, rows, tabs[1].click))
    tabs[0].click()
    yield _row("diff of two versions, from its tab to its rows", count, later_times)


def _searches(notebook: Any, texts: tuple[str, ...]) -> list[float]:
    """Return the seconds from typing a search text to its marked match, for each text but the first."""
    field = notebook.panel.get_by_role("textbox", name="Find in program")
    match = SHOWN.format(selector=".cm-searchMatch")
    seconds = []
    for text in texts:
        look = f"{match} && document.querySelector('.jp-JaxprPanel .cm-searchMatch').textContent === '{text}'"
        seconds.append(_after(notebook, look, partial(field.fill, text)))
    return seconds[1:]


def _text(notebook: Any, count: int) -> Iterator[Row]:
    """Measure the time until the StableHLO of a program is painted, when the user chooses it again after the jaxpr."""
    levels = notebook.panel.get_by_role("group", name="Level")
    stablehlo, jaxpr = (levels.get_by_role("button", name=name) for name in ("StableHLO", "jaxpr"))
    look = SHOWN.format(selector='[data-level="stablehlo"] .cm-line')
    stablehlo.click()
    notebook.panel.get_by_role("button", name="Lower", exact=True).click()
    notebook.page.evaluate("look => window.painted(new Function(`return ${look}`))", look)
    lines = notebook.panel.locator(".jp-JaxprProgram-count").get_attribute("title")
    seconds = []
    for _ in range(RUNS):
        jaxpr.click()
        seconds.append(_after(notebook, look, stablehlo.click))
    jaxpr.click()
    yield _row(f"StableHLO ({lines}), from the press to the text", count, seconds, 0.300)


def _hlo(notebook: Any) -> Iterator[Row]:
    panel = notebook.panel
    levels = panel.get_by_role("group", name="Level")
    hlo, jaxpr = (levels.get_by_role("button", name=name, exact=True) for name in ("HLO", "jaxpr"))
    look = SHOWN.format(selector='[data-level="hlo"] .cm-line')
    hlo.click()
    notebook.page.evaluate("look => window.painted(new Function(`return ${look}`))", look)
    count = panel.locator(".jp-JaxprProgram-count").get_attribute("title")
    seconds = []
    for _ in range(RUNS):
        jaxpr.click()
        seconds.append(_after(notebook, look, hlo.click))
    yield _row(f"HLO of 6 MB ({count}), from the press to the text", None, seconds, 0.300)
    panel.get_by_role("button", name="Find in program").click()
    notebook.page.wait_for_function(
        "() => !/Loading/.test(document.querySelector('.jp-JaxprProgram-messages').textContent)", timeout=120_000
    )
    yield _row(f"HLO of 6 MB ({count}), search", None, _searches(notebook, ("sort", "fusion", "parameter")))
    notebook.page.keyboard.press("Escape")
    yield from scrolled(notebook.page, "an HLO of 6 MB")


def _row(action: str, count: int | None, seconds: list[float], budget: float | None = None) -> Row:
    middle = median(seconds)
    return Row(
        what=action if count is None else f"{action}, {count:,} equations",
        budget="" if budget is None else milliseconds(budget),
        measured=milliseconds(middle),
        ratio=None,
        ok=None if budget is None else middle <= budget,
        figures={"seconds": seconds},
    )
