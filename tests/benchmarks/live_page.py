"""Measures the wait of a user who types with Live on: from the last key to the new program and its types.

Live waits a quarter of a second after the last key; the figures and the budget include this pause. `make_jaxpr` is
measured in the same kernel; for a busy kernel, while a thread loops as a running cell would.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from pages import open_page
from rows import Row, milliseconds

SIZES = {10: 5, 300: 5, 3_000: 5}  # number of equations -> number of keys that are measured
PAUSE = 0.250
MORE = 0.150
#: The most lines of the function; for more equations, the function has a Python loop.
LINES = 100
MAKE = """\
import threading, time
import jax, jax.numpy as jnp
live_goes = {busy}
def live_loop():
    while live_goes:
        sum(range(1_000))
threading.Thread(target=live_loop).start()
live_seconds = []
for live_number in range(5):
    live_space = {{"jnp": jnp}}
    exec({text!r}, live_space)
    live_begin = time.perf_counter()
    jax.make_jaxpr(live_space["f"])(jnp.ones(8))
    live_seconds.append(time.perf_counter() - live_begin)
live_goes = False
"""
LOOP = "live_goes = True\nlive_loop()"

EXECUTE = """async ([code, wait]) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const asked = kernel.requestExecute({
    code, store_history: false, user_expressions: {seconds: 'sorted(live_seconds)[2]'}
  });
  if (!wait) {
    return null;
  }
  const { content } = await asked.done;
  return Number(content.user_expressions.seconds.data['text/plain']);
}"""
INTERRUPT = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt()"
# The test watches the first equation, but after a run the panel keeps its scroll position, so the text is scrolled up.
SCROLL_TO_TOP = "() => document.querySelectorAll('.jp-JaxprPanel .cm-scroller').forEach(node => node.scrollTo(0, 0))"
# Measures the time from the key until the first equation has the new number and all types in the cell are up to date.
TYPED = """number => {
  window.pressed = null;
  document.addEventListener('keydown', () => { window.pressed = performance.now(); }, {capture: true});
  window.shown = window.painted(() => {
    const [first] = document.querySelectorAll('.jp-JaxprPanel .cm-line[data-number="1"]');
    const types = [...document.querySelectorAll('.jp-Cell [data-jaxpr-types]')];
    return first?.textContent.includes(number) && types.length > 0
      && types.every(each => !each.classList.contains('jp-mod-changed'));
  });
}"""


def _cell(equations: int) -> str:
    lines = min(equations - 1, LINES)
    body = "        x = jnp.sin(x)\n" * lines
    rounds = round((equations - 1) / lines)
    return f"def f(x):\n    x = x * 2\n    for _ in range({rounds}):\n{body}    return x\n"


def keys() -> Iterator[Row]:
    """Measure all sizes, both while the kernel is idle and while a cell runs."""
    with open_page() as notebook:
        for equations, count in SIZES.items():
            for busy in (False, True):
                yield _row(notebook, equations, count, busy)


def _row(notebook: Any, equations: int, count: int, busy: bool) -> Row:
    page = notebook.page
    text = _cell(equations)
    notebook.write(1, f"%%jaxpr\n{text}x = jnp.ones(8)\njax.jit(f)(x);")
    notebook.run(1)
    make_seconds = page.evaluate(EXECUTE, [MAKE.format(busy=busy, text=text), True])
    switch = notebook.panel.get_by_role("switch", name="Live")
    if switch.get_attribute("aria-checked") != "true":
        switch.click()
    if busy:
        page.evaluate(EXECUTE, [LOOP, False])
    notebook.lines(1).nth(2).click()
    page.keyboard.press("End")
    page.evaluate(SCROLL_TO_TOP)
    number, seconds = "2", []
    for key in "1234567"[: count + 1]:
        number += key
        page.evaluate(TYPED, f" {number}.0")
        page.keyboard.press(key)
        painted, pressed = page.evaluate("async () => [await window.shown, window.pressed]")
        seconds.append((painted - pressed) / 1000)
    if busy:
        page.evaluate(INTERRUPT)
        notebook.wait_until_idle()
    # the first trace is not counted: it loads code, and the panel changes from a run to the live program
    took = median(seconds[1:])
    return Row(
        what=f"live, {equations:,} equations, kernel {'busy' if busy else 'idle'}: key to program and types",
        budget=f"{milliseconds(PAUSE + MORE)} + make_jaxpr",
        measured=f"{milliseconds(took)} ({milliseconds(took - PAUSE - make_seconds)} beside pause and make_jaxpr)",
        ratio=None,
        ok=took <= PAUSE + MORE + make_seconds,
        figures={"seconds": seconds, "make_jaxpr": make_seconds, "pause": PAUSE},
    )
