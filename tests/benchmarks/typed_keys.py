"""Measures the cost of typing in a long cell: the frames while keys are pressed, with this extension and without it.

The time of a frame is the work of the page's main thread for the key and for drawing the frame; the wait for the
screen between them is left out. The same keys are pressed several times, alternately in both pages; for each key, the
shortest frame counts. In the page without the extension, the keys are pressed twice as often: the difference between
the two halves, which measure the same page, shows how exact the measurement is.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from pages import beside_without_labextension, open_page
from rows import Row, milliseconds

EQUATIONS = 3_000
MORE = 0.004
#: The lines after which the keys are pressed. A document has the types of the first 2,000 names, so all are below
#: 2,000.
LINES = (1_500, 1_000, 1_800, 500, 1_200)
WRITTEN = "y = jnp.tanh(x * 0.5) + jnp.cos(x) ** 2  # one"
#: 200 keys, as a user types: a line of code, three backspaces, and the same again.
KEYS = ((["Enter", *WRITTEN] + ["Backspace"] * 3) * 4)[:200]

CELL = "%%jaxpr\ndef f(x):\n{lines}    return x\nf(jnp.ones(8));"
RECORD = """() => {
  window.frames = [];
  const after = done => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now());
    channel.port2.postMessage(null);
  };
  document.addEventListener('keydown', () => {
    const pressed = performance.now();
    const frame = {key: 0, paint: 0};
    after(now => { frame.key = now - pressed; });
    requestAnimationFrame(() => {
      const begin = performance.now();
      after(now => {
        frame.paint = now - begin;
        window.frames.push(frame.key + frame.paint);
      });
    });
  }, {capture: true});
}"""
PUT_CARET = """line => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = 1;
  content.mode = 'edit';
  const { editor } = content.activeCell;
  editor.setCursorPosition({line, column: editor.getLine(line).length});
  editor.revealPosition({line, column: 0});
  editor.focus();
}"""


def burst() -> Iterator[Row]:
    """Type in a cell whose program has 3,000 equations and whose names have types."""
    with open_page() as notebook, beside_without_labextension(notebook) as plain:
        for each in (plain, notebook):
            each.write(1, CELL.format(lines="    x = jnp.sin(x)\n" * EQUATIONS))
            each.run(1)
            each.page.evaluate(RECORD)
        notebook.page.evaluate(PUT_CARET, LINES[0])
        notebook.page.locator(".jp-Cell [data-jaxpr-types]").first.wait_for(state="attached")
        bursts: dict[str, list[list[float]]] = {"without": [], "with": [], "control": []}
        for line in LINES:
            bursts["without"].append(_typed(plain.page, line))
            bursts["with"].append(_typed(notebook.page, line))
            bursts["control"].append(_typed(plain.page, line))
    without, with_it, control = (list(map(min, zip(*each, strict=True))) for each in bursts.values())
    more, more_of_control = ([b - a for a, b in zip(without, other, strict=True)] for other in (with_it, control))
    yield Row(
        what=f"typing, {EQUATIONS:,} equations: the frame of a key, against JupyterLab without the extension",
        budget=f"no frame more than {milliseconds(MORE)} longer",
        measured=(
            f"{milliseconds(max(more))} longer at most (median {milliseconds(median(more))} longer than"
            f" {milliseconds(median(without))}; the same page without the extension, measured again:"
            f" {milliseconds(max(more_of_control))} longer at most)"
        ),
        ratio=median(with_it) / median(without),
        ok=max(more) <= MORE,
        figures={"without": without, "with": with_it, "control": control, "bursts": bursts},
    )


def _typed(page: Any, line: int) -> list[float]:
    """Press the keys at the end of a line; return the seconds of each key's frame."""
    page.bring_to_front()
    page.evaluate(PUT_CARET, line)
    page.evaluate("() => { window.frames = []; }")
    for number, key in enumerate(KEYS):
        page.keyboard.press(key)
        page.wait_for_function("count => window.frames.length > count", arg=number)
    return [each / 1000 for each in page.evaluate("() => window.frames")]
