"""Tests the browser's memory after many notebooks: closed notebooks leave no more behind than without the extension.

Twenty notebooks are opened on five kernels, each runs a cell, and all are closed. The page then holds no more than a
page of JupyterLab without the labextension after the same work, within 5 %; no comm and no temporary folder is left.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from lab_server import LabServer
from open_notebook import OpenNotebook
from playwright.sync_api import Browser, BrowserType, Page, expect
from shared_page import LOADS_WITHIN
from test_idle_page import IS_AT_REST, JUPYTERLAB_ASKS, NOTE_CHANGES, NOTE_WORK

pytestmark = [pytest.mark.slow, pytest.mark.fresh_page]

NOTEBOOKS, KERNELS = 20, 5
#: This many notebooks are opened and closed before the first measurement, because they load JupyterLab's and our code.
FIRST = 2
#: The tolerance, relative to the page's bytes, and to the nodes and listeners that remain without the extension.
WITHIN = 0.05
#: V8 compiles a function to machine code after some calls. This memory does not grow with the notebooks, but would blur
#: the figures, so the option prevents it.
NO_MACHINE_CODE = "--js-flags=--no-sparkplug --no-maglev --no-turbofan"
KERNEL = "with-its-own-temporary-folder"
LOAD = "import jax, jax.numpy as jnp"
FUNCTION = "@jax.jit\ndef f{0}(x):\n    return jnp.sin(x) * {0}\n\nf{0}(1.0), f{0}(jnp.ones(3))"

OPEN = """async ([path, kernel]) => {
  const { commands, shell } = window.jupyterapp;
  const opened = await commands.execute('docmanager:open', { path, ...(kernel && { kernel: { id: kernel } }) });
  await opened.context.sessionContext.ready;
  shell.activateById(opened.id);
}"""
CLOSE_ALL = """async () => {
  const { shell } = window.jupyterapp;
  document.activeElement?.blur();
  // Not closed: that would ask whether to save.
  [...shell.widgets('main')].filter(widget => !widget.id.startsWith('launcher')).forEach(widget => widget.dispose());
}"""
IS_EMPTY = """() => {
  const shown = [...window.jupyterapp.shell.widgets('main')];
  return shown.length === 1 && shown[0].id.startsWith('launcher');
}"""
PRINTED = """async ([id, code]) => {
  const kernel = window.jupyterapp.serviceManager.kernels.connectTo({ model: { id, name: '' } });
  let printed = '';
  const future = kernel.requestExecute({ code, store_history: false });
  future.onIOPub = message => { printed += message.content.text ?? message.content.evalue ?? ''; };
  await future.done;
  kernel.dispose();
  return printed.trim();
}"""
COMMS = "import comm\nprint(sorted(each.target_name for each in comm.get_comm_manager().comms.values()))"

Figures = dict[str, float]


class ManyNotebooks:
    """A page of JupyterLab in which the test opens, runs and closes notebooks, with or without the extension."""

    def __init__(self, page: Page, lab: LabServer, observed: bool) -> None:
        self.page = page
        self.lab = lab
        self.observed = observed
        self.kernels: list[str] = []
        self.devtools = page.context.new_cdp_session(page)
        self.devtools.send("Performance.enable")
        page.goto(f"{lab.url}/lab/workspaces/{uuid.uuid4().hex[:8]}")
        page.wait_for_function("window.jupyterapp?.shell?.widgets !== undefined", timeout=LOADS_WITHIN)
        page.wait_for_function(IS_EMPTY, timeout=LOADS_WITHIN)

    def open(self, numbers: range) -> None:
        """Open a notebook for each number, run its cells, and wait for its program in the panel."""
        for number in numbers:
            load, cell = LOAD, FUNCTION.format(number)
            if self.observed:
                load, cell = f"%load_ext jupyter_jaxpr\n{LOAD}", f"%%jaxpr\n{cell}"
            name = self.lab.write([load, cell], kernel=KERNEL)
            is_first = len(self.kernels) < KERNELS
            self.page.evaluate(OPEN, [name, None if is_first else self.kernels[number % KERNELS]])
            nb = OpenNotebook(self.page, self.lab, name)
            nb.wait_until_idle()
            if is_first:
                self.kernels.append(self.lab.kernel_of(name))
            nb.run_all()
            nb.wait_for_end(1)
            if self.observed:
                expect(nb.panel.get_by_role("textbox", name=f"jaxpr of f{number}")).to_contain_text("sin")
                nb.panel.get_by_role("tab", name="Cost" if number % 2 else "Cache").click()
                nb.panel.get_by_role("tab", name="Program").click()

    def close(self) -> None:
        """Close all notebooks; their kernels keep running."""
        self.page.evaluate(CLOSE_ALL)
        self.page.wait_for_function(IS_EMPTY)

    def figures(self) -> Figures:
        """Return the page's bytes, nodes and event listeners after a garbage collection."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        for _ in range(3):  # finalisers of a collection may release more objects
            self.devtools.send("HeapProfiler.collectGarbage")
        metrics = {each["name"]: each["value"] for each in self.devtools.send("Performance.getMetrics")["metrics"]}
        return {name: metrics[name] for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners")}

    def printed(self, kernel: str, code: str) -> str:
        """Run code in a kernel that no notebook shows, and return what it prints."""
        return str(self.page.evaluate(PRINTED, [kernel, code]))

    def end_kernels(self) -> None:
        """Shut the kernels down."""
        for kernel in self.kernels:
            self.lab.request("DELETE", f"kernels/{kernel}")
        self.kernels.clear()


@contextlib.contextmanager
def many_notebooks(
    browser: Browser, options: dict[str, Any], lab: LabServer, observed: bool
) -> Iterator[ManyNotebooks]:
    """Open a page of JupyterLab, with the labextension or without it."""
    with (
        contextlib.nullcontext() if observed else lab.without_labextension(),
        browser.new_context(**options) as context,
    ):
        yield ManyNotebooks(context.new_page(), lab, observed)


def growth(day: ManyNotebooks) -> tuple[Figures, Figures]:
    """Return what the page holds after the first notebooks are closed, and after all notebooks are closed."""
    day.open(range(FIRST))
    day.close()
    before = day.figures()
    day.open(range(FIRST, NOTEBOOKS))
    if day.observed:
        does_no_work(day.page)
    day.close()
    return before, day.figures()


def does_no_work(page: Page) -> None:
    """Check that nothing of the labextension runs while all notebooks are open and nothing happens."""
    page.evaluate(NOTE_WORK)
    page.get_by_role("tab", name="Cost").click()
    expect(page.locator(".jp-JaxprPanel").get_by_role("tabpanel")).to_be_visible()
    assert page.evaluate("window.work.length") > 0  # choosing the tab caused calls, which shows that they are recorded
    page.wait_for_function(f"async () => await ({IS_AT_REST})()")
    page.evaluate(NOTE_CHANGES)
    for _ in range(JUPYTERLAB_ASKS):
        with page.expect_request("**/api/kernels?*"):
            pass
    assert page.evaluate("window.work") == []
    assert [change for change in page.evaluate("window.changes") if "jp-Jaxpr" in change] == []


@pytest.fixture
def interpreting_browser(browser_type: BrowserType, browser_type_launch_args: dict[str, Any]) -> Iterator[Browser]:
    """Start a browser that compiles no JavaScript to machine code."""
    args = [*browser_type_launch_args["args"], NO_MACHINE_CODE]
    with browser_type.launch(**{**browser_type_launch_args, "args": args}) as browser:
        yield browser


def test_many_notebooks(interpreting_browser, browser_context_args, lab, tmp_path):
    browser = interpreting_browser
    lab.add_kernel(KERNEL, env={"TMPDIR": str(tmp_path)})
    with many_notebooks(browser, browser_context_args, lab, observed=False) as day:
        plain_before, plain = growth(day)
        day.end_kernels()
    left_without = sorted(tmp_path.iterdir())
    with many_notebooks(browser, browser_context_args, lab, observed=True) as day:
        before, after = growth(day)
        # The comm that the kernel opened stays until `%unload_ext`; the comms that the page opened are closed.
        for kernel in day.kernels:
            assert day.printed(kernel, COMMS) == "['jupyter_jaxpr']"
            assert day.printed(kernel, f"%unload_ext jupyter_jaxpr\n{COMMS}") == "[]"
        day.end_kernels()
    for name in plain:
        print(f"{name}: {plain_before[name]:,} to {plain[name]:,} without, {before[name]:,} to {after[name]:,} with it")
    assert sorted(tmp_path.iterdir()) == left_without == []
    grown = {name: after[name] - before[name] for name in after}
    without = {name: plain[name] - plain_before[name] for name in plain}
    assert grown["JSHeapUsedSize"] <= without["JSHeapUsedSize"] + WITHIN * plain["JSHeapUsedSize"]
    # JupyterLab itself keeps some nodes and listeners of closed notebooks.
    for name in ("Nodes", "JSEventListeners"):
        assert grown[name] <= without[name] * (1 + WITHIN), name
