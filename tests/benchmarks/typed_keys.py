"""Measures the cost of typing in a long cell: the frames while keys are pressed, with this extension and without it.

The time of a frame is the processor time of the page's main thread for the key and for drawing the frame. The wait for
the screen is left out, and so is the time in which other processes have the processor. The keys come at the pace of a
fast typist, so that the browser has the same time as with a user for the work that it puts off, such as parsing the
rest of the cell. The same keys are pressed several times in the same text, alternately in both pages; for each key, the
shortest frame counts. In the page without the extension, the keys are pressed twice as often: the difference between
the two halves, which measure the same page, shows how exact the measurement is.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from pages import beside_without_labextension, open_page
from rows import Row, milliseconds

EQUATIONS = 3_000
MORE = 0.004
#: The lines after which the keys are pressed. A document has the types of the first 2,000 names, so all are below
#: 2,000.
LINES = (1_500, 1_000, 1_800, 500, 1_200, 1_700, 700, 1_400)
#: The seconds from a key to the next key: about 200 words a minute.
PACE = 0.06
#: The seconds before the first key of a burst.
REST = 1.5
WRITTEN = "y = jnp.tanh(x * 0.5) + jnp.cos(x) ** 2  # one"
#: 200 keys, as a user types: a line of code, three backspaces, and the same again.
KEYS = ((["Enter", *WRITTEN] + ["Backspace"] * 3) * 4)[:200]

CELL = "%%jaxpr\ndef f(x):\n{lines}    return x\nf(jnp.ones(8));"
#: Marks the times of a frame: the key, the end of the key's work, the start of drawing, and the end of drawing.
MARKS = ("key", "handled", "begin", "drawn")
RECORD = """() => {
  window.frames = 0;
  window.drawn = count => new Promise(done => {
    const look = () => window.frames > count ? done() : setTimeout(look, 5);
    look();
  });
  const after = done => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(null);
  };
  document.addEventListener('keydown', () => {
    performance.mark('key');
    after(() => performance.mark('handled'));
    requestAnimationFrame(() => {
      performance.mark('begin');
      after(() => {
        performance.mark('drawn');
        window.frames += 1;
      });
    });
  }, {capture: true});
}"""
WRITE = """text => {
  const model = window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel;
  if (model.getSource() !== text) {
    model.setSource(text);
  }
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
        text = CELL.format(lines="    x = jnp.sin(x)\n" * EQUATIONS)
        for each in (plain, notebook):
            each.write(1, text)
            each.run(1)
            each.page.evaluate(RECORD)
        notebook.page.evaluate(PUT_CARET, LINES[0])
        notebook.page.locator(".jp-Cell [data-jaxpr-types]").first.wait_for(state="attached")
        bursts: dict[str, list[list[float]]] = {"without": [], "with": [], "control": []}
        for line in LINES:
            bursts["without"].append(_typed(plain.page, text, line))
            bursts["with"].append(_typed(notebook.page, text, line))
            bursts["control"].append(_typed(plain.page, text, line))
    without, with_it, control = (list(map(min, zip(*each, strict=True))) for each in bursts.values())
    more, more_of_control = ([b - a for a, b in zip(without, other, strict=True)] for other in (with_it, control))
    over, over_of_control = (sum(each > MORE for each in keys) for keys in (more, more_of_control))
    yield Row(
        what=f"typing, {EQUATIONS:,} equations: the frame of a key, against JupyterLab without the extension",
        budget=f"no frame more than {milliseconds(MORE)} longer",
        measured=(
            f"{milliseconds(max(more))} longer at most, {over} of {len(more)} keys over the budget (median"
            f" {milliseconds(median(more))} longer than {milliseconds(median(without))}; the same page without the"
            f" extension, measured again: {milliseconds(max(more_of_control))} longer at most, {over_of_control} keys"
            " over the budget)"
        ),
        ratio=median(with_it) / median(without),
        ok=max(more) <= MORE,
        figures={"without": without, "with": with_it, "control": control, "bursts": bursts},
    )


def _typed(page: Any, text: str, line: int) -> list[float]:
    """Press the keys at the end of a line of the text; return the seconds of each key's frame."""
    page.bring_to_front()
    page.evaluate(WRITE, text)
    page.evaluate(PUT_CARET, line)
    time.sleep(REST)
    page.evaluate("() => { window.frames = 0; }")
    with _recorded_marks(page) as marks:
        for number, key in enumerate(KEYS):
            pressed = time.monotonic()
            page.keyboard.press(key)
            page.evaluate("count => window.drawn(count)", number)
            time.sleep(max(0.0, pressed + PACE - time.monotonic()))
    times = {name: [mark["tts"] / 1e6 for mark in marks if mark["name"] == name] for name in MARKS}
    return [
        handled - key + drawn - max(begin, handled) for key, handled, begin, drawn in zip(*times.values(), strict=True)
    ]


@contextlib.contextmanager
def _recorded_marks(page: Any) -> Iterator[list[dict[str, Any]]]:
    """Record the marks that the page sets; each has the processor time of the page's main thread in microseconds."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ends: list[Any] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda data: ends.append(data))
    config = {"includedCategories": ["blink.user_timing"]}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
    try:
        yield events
    finally:
        session.send("Tracing.end")
        while not ends:
            page.wait_for_timeout(10)
        session.detach()
