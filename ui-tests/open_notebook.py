"""Lets a test use a notebook that is open in a browser: the actions of a user, and what the screen then shows."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any, Literal

from lab_server import LabServer
from playwright.sync_api import Locator, Page, TimeoutError, expect

# The first kernel of a test run starts slowly: JupyterLab, IPython and JAX are not yet in the system's file cache.
KERNEL_STARTS_WITHIN = 60_000  # milliseconds
CELL_ENDS_WITHIN = 60_000
LINKS_WITHIN = 30_000
LAYOUT_IS_SAVED_WITHIN = 30_000
NUMBERED = re.compile(r"^\[\d+\]:$")
# Ends when no element inside of the given one has moved for three frames: after a change of the width, the panel
# redraws its pictures and signatures.
STANDS_STILL = """async selector => {
  const frame = () => new Promise(requestAnimationFrame);
  const places = () => [...document.querySelectorAll(`${selector} *`)].map(node => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return [x, y, width, height].map(Math.round).join();
  }).join(';');
  let before = '';
  for (let still = 0, tries = 0; still < 3 && tries < 200; tries++) {
    await frame();
    const now = places();
    still = now === before ? still + 1 : 0;
    before = now;
  }
}"""


@dataclass(frozen=True)
class OpenNotebook:
    """A notebook in a page of the browser. Its methods count cells from 0."""

    page: Page
    lab: LabServer
    name: str

    # --- the parts of the page ----------------------------------------------------------------

    @property
    def panel(self) -> Locator:
        """Return the jaxpr panel, in the side area or in the main area."""
        return self.page.locator(".jp-JaxprPanel")

    def listing(self, level: Literal["jaxpr", "StableHLO", "HLO"] = "jaxpr") -> Locator:
        """Return the text of the program in the panel, at this level."""
        return self.panel.get_by_role("textbox", name=re.compile(f"^{level} of "))

    def equation(self, number: int) -> Locator:
        """Return the line of the equation with this number in the panel's jaxpr."""
        return self.listing().locator(f'.cm-line[data-number="{number}"]')

    def cell(self, index: int) -> Locator:
        """Return a cell: prompt, editor and output."""
        return self._notebook.locator(".jp-Cell").nth(index)

    def editor(self, index: int) -> Locator:
        """Return the editable text of a cell."""
        return self.cell(index).locator(".jp-InputArea .cm-content")

    def lines(self, index: int) -> Locator:
        """Return the lines of a cell's text."""
        return self.cell(index).locator(".jp-InputArea .cm-line")

    def typed_lines(self, index: int) -> Locator:
        """Return the lines of a cell that have types at their end; the description of a line holds its types."""
        return self.cell(index).locator(".cm-line[data-jaxpr-types]")

    def outputs(self, index: int) -> Locator:
        """Return the outputs of a cell, without their prompts."""
        return self.cell(index).locator(".jp-OutputArea-output")

    def prompt(self, index: int) -> Locator:
        """Return the prompt of a cell: `[ ]:` before a run, `[*]:` during a run, `[3]:` afterwards."""
        return self.cell(index).locator(".jp-InputArea-prompt")

    @property
    def _notebook(self) -> Locator:
        # The page also contains the notebooks of hidden tabs.
        return self.page.locator(".jp-NotebookPanel:visible .jp-Notebook")

    # --- the actions of a user ----------------------------------------------------------------

    def run(self, index: int, *, wait: bool = True) -> None:
        """Run a cell by Ctrl+Enter, and wait for its end unless `wait` is False."""
        before = self.prompt(index).inner_text()
        self.enter(index)
        self.page.keyboard.press("Control+Enter")
        if wait:
            self.wait_for_end(index, before=before)
        else:
            expect(self.prompt(index)).to_have_text("[*]:")

    def enter(self, index: int) -> None:
        """Click into a cell's text, at the start of the line in the middle.

        A click further right could hit a mark of the panel, which opens another view.
        """
        editor = self.editor(index)
        editor.scroll_into_view_if_needed()
        box = editor.bounding_box()
        assert box is not None
        editor.click(position={"x": 2, "y": box["height"] / 2})

    def run_all(self) -> None:
        """Run all cells, and wait for the last cell or for the first cell that raises."""
        self.command("notebook:run-all-cells")

    def wait_for_end(self, index: int, *, before: str = "[*]:") -> None:
        """Wait until a started cell has ended, with or without an error."""
        if NUMBERED.match(before):
            expect(self.prompt(index)).not_to_have_text(before, timeout=CELL_ENDS_WITHIN)
        expect(self.prompt(index)).to_have_text(NUMBERED, timeout=CELL_ENDS_WITHIN)

    def write(self, index: int, source: str) -> None:
        """Replace a cell's text in one step, so that JupyterLab neither completes nor indents code."""
        self.enter(index)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source)

    def save(self) -> dict[str, Any]:
        """Save the notebook, and read the file."""
        self.command("docmanager:save")
        return self.lab.read(self.name)

    def restart_kernel(self) -> None:
        """Restart the kernel as the menu does, and confirm JupyterLab's question."""
        self.page.evaluate(
            """() => {
              window.restarted = window.jupyterapp.commands.execute('notebook:restart-kernel');
            }"""
        )
        self.page.get_by_role("button", name="Confirm Kernel Restart").click()
        self.page.evaluate("window.restarted")
        self.wait_until_idle()

    def reload(self, *, wait: bool = True) -> None:
        """Wait until JupyterLab has saved its layout and its state, then reload the page; the kernel keeps running."""
        self._wait_until_the_workspace_is_saved()
        self.page.reload()
        if wait:
            self.wait_until_idle()

    def _wait_until_the_workspace_is_saved(self) -> None:
        # JupyterLab saves the workspace some time after the last change, and never if the page is left earlier. It
        # saves the whole state at once, so a saved mark shows that all earlier changes are saved, too.
        mark = uuid.uuid4().hex
        self.page.evaluate(
            """async mark => {
              const { pluginRegistry } = window.jupyterapp;
              const tokens = [...pluginRegistry._services.keys()];
              const token = tokens.find(({ name }) => name === '@jupyterlab/coreutils:IStateDB');
              await (await pluginRegistry.resolveRequiredService(token)).save('ui-tests:mark', mark);
            }""",
            mark,
        )
        self.wait_until_workspace(
            f"""data => {{
              const saved = data['layout-restorer:data']?.right;
              const {{ currentWidget, collapsed }} = window.jupyterapp.shell.saveLayout().rightArea;
              const isLayoutSaved = saved?.current === currentWidget?.id && saved?.collapsed === collapsed;
              return isLayoutSaved && data['ui-tests:mark'] === '{mark}';
            }}"""
        )

    def wait_until_workspace(self, condition: str) -> None:
        """Wait until the saved workspace fulfils `condition`, a JavaScript function that takes the data."""
        workspace = self.page.url.split("/workspaces/")[1].split("/")[0]
        # Playwright's `wait_for_function` would count the promise of the request as true.
        self.page.evaluate(
            f"""async ([address, within]) => {{
              const fulfils = {condition};
              const deadline = Date.now() + within;
              while (!fulfils((await (await fetch(address)).json()).data)) {{
                if (Date.now() > deadline) throw new Error('JupyterLab did not save its layout.');
                await new Promise(done => setTimeout(done, 100));
              }}
            }}""",
            [f"{self.lab.url}/lab/api/workspaces/{workspace}", LAYOUT_IS_SAVED_WITHIN],
        )

    def point_at(self, line: Locator, **where: Any) -> None:
        """Move the mouse to a line of a listing; first move it away, so that no other tip covers the line."""
        self.page.mouse.move(1, 1)
        line.hover(**where)

    def command(self, command: str, **arguments: Any) -> Any:
        """Run a command of JupyterLab, wait for its end, and return its result if it is a boolean, number or string."""
        return self.page.evaluate(
            """async ([command, args]) => {
              const result = await window.jupyterapp.commands.execute(command, args);
              return ['boolean', 'number', 'string'].includes(typeof result) ? result : null;
            }""",
            [command, arguments],
        )

    def theme(self, theme: Literal["light", "dark"]) -> None:
        """Switch JupyterLab's theme, and wait until the page shows it."""
        name = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}[theme]
        self.command("apputils:change-theme", theme=name)
        expect(self.page.locator(f'body[data-jp-theme-name="{name}"]')).to_be_attached()
        # while a theme loads, the splash screen covers the page
        expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)

    def set_panel_width(self, width: int) -> None:
        """Drag the edge of the panel until the panel has this width in pixels."""
        # The last handle is between the main area and the right side area.
        edge = self.page.locator("#jp-main-split-panel > .lm-SplitPanel-handle:visible").last
        edge.hover()
        box, panel = edge.bounding_box(), self.panel.bounding_box()
        assert box and panel
        self.page.mouse.down()
        x = box["x"] + box["width"] / 2 + panel["width"] - width
        self.page.mouse.move(x, box["y"] + box["height"] / 2, steps=4)
        self.page.mouse.up()
        self.page.wait_for_function(
            "([selector, width]) => Math.abs(document.querySelector(selector).clientWidth - width) <= 2",
            arg=[".jp-JaxprPanel", width],
        )
        self.page.evaluate(STANDS_STILL, ".jp-JaxprPanel")

    def expect_linked(self, index: int, text: str) -> None:
        """Wait until exactly this text of a cell is underlined; the editor may hold it in pieces."""
        underlined = "cell => [...cell.querySelectorAll('.jp-JaxprCell-span')].map(each => each.textContent).join('')"
        cell = self.cell(index).element_handle()
        try:
            self.page.wait_for_function(
                f"([cell, text]) => ({underlined})(cell) === text", arg=[cell, text], timeout=LINKS_WITHIN
            )
        except TimeoutError:
            found = self.page.evaluate(underlined, cell)
            raise AssertionError(f"{found!r} is underlined, not {text!r}") from None

    def wait_until_idle(self) -> None:
        """Wait until the notebook is shown and its kernel waits for work."""
        expect(self._notebook).to_be_visible(timeout=KERNEL_STARTS_WITHIN)
        # JupyterLab's own indicator says "idle" even before there is a kernel, so the connection is checked.
        try:
            self.page.wait_for_function(f"({_KERNEL})()?.join(' ') === 'connected idle'", timeout=KERNEL_STARTS_WITHIN)
        except TimeoutError:
            seen = self.page.evaluate(_KERNEL)
            running = self.lab.request("GET", "sessions")
            raise AssertionError(f"The page sees a kernel that is {seen}; the server has {running}") from None


_KERNEL = """() => {
  const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
  return kernel ? [kernel.connectionStatus, kernel.status] : null;
}"""


def open_notebook(page: Page, lab: LabServer, name: str, app: Literal["lab", "notebook"] = "lab") -> OpenNotebook:
    """Open a file of the server in JupyterLab, in a workspace of its own, or in Notebook 7."""
    if app == "lab":
        page.goto(f"{lab.url}/lab/workspaces/{uuid.uuid4().hex[:8]}/tree/{name}")
    else:
        page.goto(f"{lab.url}/notebooks/{name}")
    return OpenNotebook(page, lab, name)


def open_in_page(page: Page, lab: LabServer, name: str) -> OpenNotebook:
    """Open a file of the server in a loaded page of JupyterLab, and close all other tabs of the main area."""
    page.evaluate(
        """async path => {
          const { commands, serviceManager, shell } = window.jupyterapp;
          await serviceManager.kernelspecs.refreshSpecs(); // a test may have added a kernel
          const opened = await commands.execute('docmanager:open', { path });
          [...shell.widgets('main')].filter(widget => widget !== opened).forEach(widget => widget.dispose());
        }""",
        name,
    )
    return OpenNotebook(page, lab, name)
