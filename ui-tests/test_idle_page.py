"""Tests that an idle labextension does nothing: no timer, no frame, no request, no message, no change of the page."""

import pytest
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"
RUN = "%%jaxpr\nf = jax.jit(lambda x: jnp.sin(x) * 2)\nf(1.0)\nf(2.0)"
# JupyterLab itself requests the list of kernels every ten seconds; the test lasts this many requests
JUPYTERLAB_ASKS = 3

# Replaces all browser functions that schedule or send something, and records each call from the labextension's code.
NOTE_WORK = """() => {
  window.work = [];
  const note = (holder, name) => {
    const original = holder[name];
    holder[name] = function (...given) {
      const stack = new Error().stack;
      if (stack.includes('/extensions/jupyter-jaxpr/')) {
        window.work.push(`${name} ${stack.split('\\n').find(line => line.includes('/extensions/jupyter-jaxpr/'))}`);
      }
      return original.apply(this, given);
    };
  };
  for (const name of ['setTimeout', 'setInterval', 'requestAnimationFrame', 'requestIdleCallback', 'fetch']) {
    note(window, name);
  }
  note(WebSocket.prototype, 'send');
}"""
NOTE_CHANGES = """() => {
  window.work.length = 0;
  window.changes = [];
  const note = changes => changes.forEach(change => window.changes.push(`${change.type} ${change.target.className}`));
  const watched = { attributes: true, characterData: true, childList: true, subtree: true };
  const watch = new MutationObserver(note);
  for (const place of document.querySelectorAll('#jupyter-jaxpr-panel, .jp-Notebook')) {
    watch.observe(place, watched);
  }
}"""
#: Wait for a frame in which the labextension made no recorded call: nothing more is to be drawn.
IS_AT_REST = """() => new Promise(done => {
  const asked = window.work.length;
  requestAnimationFrame(() => setTimeout(() => done(window.work.length === asked)));
})"""


@pytest.mark.slow
@pytest.mark.fresh_page
def test_an_idle_page_does_no_work(notebook, page):
    page.add_init_script(f"({NOTE_WORK})()")
    messages = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda sent: messages.append(("sent", sent))))
    page.on("websocket", lambda socket: socket.on("framereceived", lambda got: messages.append(("received", got))))
    nb = notebook(LOAD, RUN)
    nb.run_all()
    expect(nb.listing()).to_contain_text("sin")
    expect(nb.lines(1).last).to_contain_text("1 call")  # waits for the counts beside the lines of the cell
    # Put the focus outside of the cell, because the editor works while its caret blinks.
    page.get_by_role("tab", name="Cost").click()
    expect(nb.panel.get_by_role("tabpanel")).to_be_visible()
    nb.wait_until_idle()
    # the run of the cell caused calls, which shows that they are recorded
    assert page.evaluate("window.work.length") > 0
    page.wait_for_function(f"async () => await ({IS_AT_REST})()")
    page.evaluate(f"({NOTE_CHANGES})()")
    messages.clear()
    for _ in range(JUPYTERLAB_ASKS):
        with page.expect_request("**/api/kernels?*"):
            pass
    assert page.evaluate("window.work") == []
    assert [change for change in page.evaluate("window.changes") if "jp-Jaxpr" in change] == []
    assert [text for text in map(str, messages) if "comm_" in text or "jaxpr" in text] == []
