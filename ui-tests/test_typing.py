"""Measures the time of a frame while a user types, with a program of 3,000 equations in view and without the extension.

The test prints the numbers (`-s`) and checks none of them, because they depend on the machine.
"""

from __future__ import annotations

import statistics

import pytest
from open_notebook import OpenNotebook, open_notebook
from playwright.sync_api import CDPSession, expect

LINES = 100
#: The program has two equations for each line, in each of 15 iterations.
PROGRAM = "\n".join(
    [
        "%%jaxpr",
        "@jax.jit",
        "def long(x):",
        "    for _ in range(15):",
        *(f"        x{n + 1} = jnp.sin(x{n or ''}) * {n + 2}.0" for n in range(LINES)),
        f"        x = x{LINES}",
        "    return x",
        "",
        "long(jnp.ones(4)).shape",
    ]
)
KEYS = 200
TYPED = "  # " + "one more word of a remark " * 8

# Records for each key the page's work before the next frame, plus its work to draw this frame.
RECORD = """() => {
  window.jaxprFrames = [];
  const later = act => {
    const channel = new MessageChannel();
    channel.port1.onmessage = act;
    channel.port2.postMessage(0);
  };
  document.addEventListener('keydown', () => {
    const pressed = performance.now();
    let handled = 0;
    document.addEventListener('input', () => later(() => { handled = performance.now() - pressed; }), { once: true });
    requestAnimationFrame(() => {
      const began = performance.now();
      later(() => window.jaxprFrames.push(handled + performance.now() - began));
    });
  }, true);
}"""


def frames(nb: OpenNotebook, line: int) -> tuple[list[float], float]:
    """Type a comment at the end of a line; return the milliseconds of each frame, and the CPU milliseconds per key."""
    nb.lines(1).nth(line).click()
    nb.page.keyboard.press("End")
    nb.page.evaluate(RECORD)
    text = TYPED[:KEYS]
    session = nb.page.context.new_cdp_session(nb.page)
    # The clock counts the CPU time of the page's thread, because on a busy machine a frame also waits for other
    # programs.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _seconds(session)
    for key in text:
        nb.page.keyboard.type(key)
        nb.page.evaluate("new Promise(requestAnimationFrame)")
    expect(nb.lines(1).nth(line)).to_contain_text(text.strip())
    busy = 1000 * (_seconds(session) - before) / KEYS
    return list(nb.page.evaluate("window.jaxprFrames")), busy


def _seconds(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def words(name: str, times: list[float]) -> str:
    tenths = statistics.quantiles(times, n=20)
    return f"{name}: median {statistics.median(times):.1f} ms, 95 % {tenths[-1]:.1f} ms, longest {max(times):.1f} ms"


@pytest.mark.slow
@pytest.mark.fresh_page
def test_typing_in_a_cell_with_3000_equations(notebook, lab):
    nb = notebook("%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp", PROGRAM)
    nb.run_all()
    expect(nb.panel).to_contain_text("3,000 eq")
    nb.equation(2).click()
    expect(nb.typed_lines(1).first).to_be_attached()
    marked, own = frames(nb, 5)
    nb.save()
    with lab.without_labextension():
        plain = open_notebook(nb.page.context.new_page(), lab, nb.name)
        expect(plain.lines(1).first).to_be_visible()
        bare, others = frames(plain, 6)
    print(f"\n{words('with', marked)}\n{words('without', bare)}")
    print(f"a frame takes {statistics.median(marked) - statistics.median(bare):+.1f} ms, in the median")
    print(f"the processor works {own:.1f} ms for a key with, {others:.1f} ms without: {own - others:+.1f} ms")
    assert len(marked) >= KEYS and len(bare) >= KEYS
