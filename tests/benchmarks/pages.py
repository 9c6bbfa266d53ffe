"""Opens JupyterLab in a browser page with a clock that records when a snapshot arrived and when it was painted."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "ui-tests"))

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax"

# Records when each snapshot arrives, and when the element for which the test waits is painted.
CLOCK = """
const Plain = window.WebSocket;
window.arrivals = [];
window.WebSocket = class extends Plain {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', event => {
      const now = performance.now();
      const data = event.data;
      const bytes = typeof data === 'string' ? data.length : data.byteLength;
      const head = typeof data === 'string' ? data : new TextDecoder().decode(data.slice(0, 65536));
      if (head.includes('comm_msg') && (head.includes('"type":"snapshot"') || head.includes('"type": "snapshot"')
          || head.includes('"type": "buffer"') || head.includes('"type":"buffer"'))) {
        window.arrivals.push({now, bytes});
      }
    });
  }
};
window.painted = look => new Promise((done, fail) => {
  const late = setTimeout(() => {
    observer.disconnect();
    fail(new Error(`Not painted within 5 minutes: ${look}`));
  }, 300_000);
  const found = () => {
    if (!look()) {
      return false;
    }
    observer.disconnect();
    clearTimeout(late);
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => done(performance.now());
      channel.port2.postMessage(null);
    });
    return true;
  };
  const observer = new MutationObserver(found);
  if (!found()) {
    observer.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  }
});
"""


@contextlib.contextmanager
def open_page(urls: list[str] | None = None, width: int = 1400) -> Iterator[Any]:
    """Open a notebook with two cells; the first cell has run `%load_ext`.

    Args:
        urls: A list to which the addresses that the page loads are added.
        width: The width of the window, in pixels.
    """
    from lab_server import running_lab
    from open_notebook import open_notebook
    from playwright.sync_api import sync_playwright

    browser_path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_lab(Path(folder)) as lab,
        sync_playwright() as playwright,
        contextlib.closing(playwright.chromium.launch(executable_path=browser_path, args=ARGUMENTS)) as browser,
    ):
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.add_init_script(CLOCK)
        if urls is not None:
            page.on("request", lambda request: urls.append(request.url))
        notebook = open_notebook(page, lab, lab.write([LOAD, ""]))
        notebook.wait_until_idle()
        notebook.run(0)
        yield notebook


@contextlib.contextmanager
def beside_without_labextension(notebook: Any) -> Iterator[Any]:
    """Open an equal notebook in another page of the browser, without the labextension."""
    from open_notebook import open_notebook

    lab = notebook.lab
    with lab.without_labextension():
        page = notebook.page.context.browser.new_page(viewport=notebook.page.viewport_size)
        plain = open_notebook(page, lab, lab.write([LOAD, ""]))
    plain.wait_until_idle()
    plain.run(0)
    yield plain
    page.close()


def shown_after(notebook: Any, selector: str, source: str) -> tuple[float, int]:
    """Run a cell; return the seconds from the arrival of its snapshot to its first paint, and the snapshot's bytes."""
    notebook.write(1, source)
    page = notebook.page
    page.evaluate(
        """selector => {
          window.arrivals = [];
          window.shown = window.painted(() => document.querySelector(selector));
        }""",
        selector,
    )
    notebook.run(1)
    painted, arrivals = page.evaluate("async () => [await window.shown, window.arrivals]")
    arrival = next(arrival for arrival in reversed(arrivals) if arrival["now"] < painted)
    return (painted - arrival["now"]) / 1000, arrival["bytes"]


def load_all(notebook: Any, least: int = 100_000) -> int:
    """Fetch every equation, as a search does, and return the number of lines."""
    page = notebook.page
    notebook.equation(1).click()
    page.keyboard.press("Control+f")
    page.wait_for_function(
        "() => !/Loading/.test(document.querySelector('.jp-JaxprProgram-messages').textContent)"
        " && !document.querySelector('.jp-JaxprProgram-more')",
        timeout=120_000,
    )
    page.keyboard.press("Escape")
    page.keyboard.press("Control+End")
    last = page.wait_for_function(
        """least => {
          const numbers = [...document.querySelectorAll('.jp-JaxprPanel .cm-line[data-number]')]
            .map(line => Number(line.dataset.number));
          return Math.max(...numbers) >= least && Math.max(...numbers);
        }""",
        arg=least,
    )
    return int(last.json_value())
