"""A notebook open in a browser: the actions of a person, and the state of the screen after them."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any, Literal

from lab_server import LabServer
from playwright.sync_api import Locator, Page, TimeoutError, expect

# The first kernel of a run reads JupyterLab, IPython and JAX from a cold disk.
KERNEL_STARTS_WITHIN = 60_000  # milliseconds
CELL_ENDS_WITHIN = 60_000
LINKS_WITHIN = 30_000
LAYOUT_IS_SAVED_WITHIN = 30_000
NUMBERED = re.compile(r"^\[\d+\]:$")
# Ends once nothing inside an element has moved for three frames: pictures and signatures are drawn anew for a new
# width after the width has changed.
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
    """A notebook in a page of the browser. Cells are counted from 0."""

    page: Page
    lab: LabServer
    name: str

    # --- what is on the screen ----------------------------------------------------------------

    @property
    def panel(self) -> Locator:
        """The jaxpr panel, in the side area or in the main one."""
        return self.page.locator(".jp-JaxprPanel")

    def listing(self, level: Literal["jaxpr", "StableHLO", "HLO"] = "jaxpr") -> Locator:
        """The text of the program in the panel."""
        return self.panel.get_by_role("textbox", name=re.compile(f"^{level} of "))

    def equation(self, number: int) -> Locator:
        """An equation of the jaxpr in the panel, by its number there."""
        return self.listing().locator(f'.cm-line[data-number="{number}"]')

    def cell(self, index: int) -> Locator:
        """A cell with its prompt, editor and output."""
        return self._notebook.locator(".jp-Cell").nth(index)

    def editor(self, index: int) -> Locator:
        """A cell's text, as an editable region."""
        return self.cell(index).locator(".jp-InputArea .cm-content")

    def lines(self, index: int) -> Locator:
        """The lines of a cell's text."""
        return self.cell(index).locator(".jp-InputArea .cm-line")

    def outputs(self, index: int) -> Locator:
        """A cell's outputs, one element each, without their prompts."""
        return self.cell(index).locator(".jp-OutputArea-output")

    def prompt(self, index: int) -> Locator:
        """A cell's prompt: `[ ]:`, `[*]:` while it runs, `[3]:` afterwards."""
        return self.cell(index).locator(".jp-InputArea-prompt")

    @property
    def _notebook(self) -> Locator:
        # A hidden tab's notebook stays in the page.
        return self.page.locator(".jp-NotebookPanel:visible .jp-Notebook")

    # --- what a person does -------------------------------------------------------------------

    def run(self, index: int, *, wait: bool = True) -> None:
        """Run a cell by Ctrl+Enter; wait for its end unless told not to."""
        before = self.prompt(index).inner_text()
        self.enter(index)
        self.page.keyboard.press("Control+Enter")
        if wait:
            self.wait_for_end(index, before=before)
        else:
            expect(self.prompt(index)).to_have_text("[*]:")

    def enter(self, index: int) -> None:
        """Put the caret into a cell's text, at the start of the line in the middle.

        In the middle of the line may stand a mark of the panel, and a press on the mark opens another view.
        """
        editor = self.editor(index)
        editor.scroll_into_view_if_needed()
        box = editor.bounding_box()
        assert box is not None
        editor.click(position={"x": 2, "y": box["height"] / 2})

    def run_all(self) -> None:
        """Run all cells and wait for the last one, or for the first that raises."""
        self.command("notebook:run-all-cells")

    def wait_for_end(self, index: int, *, before: str = "[*]:") -> None:
        """Wait until a cell that was started has ended, whether well or with an error."""
        if NUMBERED.match(before):
            expect(self.prompt(index)).not_to_have_text(before, timeout=CELL_ENDS_WITHIN)
        expect(self.prompt(index)).to_have_text(NUMBERED, timeout=CELL_ENDS_WITHIN)

    def write(self, index: int, source: str) -> None:
        """Replace a cell's text, all at once: no completion, no indentation of its own."""
        self.enter(index)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source)

    def save(self) -> dict[str, Any]:
        """Save the notebook, and read the file."""
        self.command("docmanager:save")
        return self.lab.read(self.name)

    def restart_kernel(self) -> None:
        """Restart the kernel, as the menu does once its question is answered."""
        self.page.evaluate(
            """() => {
              window.restarted = window.jupyterapp.commands.execute('notebook:restart-kernel');
            }"""
        )
        self.page.get_by_role("button", name="Confirm Kernel Restart").click()
        self.page.evaluate("window.restarted")
        self.wait_until_idle()

    def reload(self, *, wait: bool = True) -> None:
        """Reload the page once JupyterLab has saved its layout and its state; the kernel lives on."""
        self._wait_until_the_workspace_is_saved()
        self.page.reload()
        if wait:
            self.wait_until_idle()

    def _wait_until_the_workspace_is_saved(self) -> None:
        # JupyterLab saves the workspace a while after the last change, and not at all when the page is left before.
        # The saved state is whole: where it has the mark, it has all that was kept before the mark.
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
        """Wait until what JupyterLab saved of the workspace fulfils a condition: JavaScript, data in, boolean out."""
        workspace = self.page.url.split("/workspaces/")[1].split("/")[0]
        # (wait_for_function would take the promise of a request for a yes.)
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
        """Point at a line of the listing; move the mouse away first, so that no other explanation covers the line."""
        self.page.mouse.move(1, 1)
        line.hover(**where)

    def command(self, command: str, **arguments: Any) -> Any:
        """Run one of JupyterLab's commands, wait until it is done, and give its result if plain."""
        return self.page.evaluate(
            """async ([command, args]) => {
              const result = await window.jupyterapp.commands.execute(command, args);
              return ['boolean', 'number', 'string'].includes(typeof result) ? result : null;
            }""",
            [command, arguments],
        )

    def theme(self, theme: Literal["light", "dark"]) -> None:
        """Switch JupyterLab's theme and wait until it is on."""
        name = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}[theme]
        self.command("apputils:change-theme", theme=name)
        expect(self.page.locator(f'body[data-jp-theme-name="{name}"]')).to_be_attached()
        expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)  # it covers all while a theme loads

    def set_panel_width(self, width: int) -> None:
        """Drag the panel's edge until the panel is so wide, in pixels."""
        # The last one is between the notebook and the right side area.
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
        # The notebook's own indicator says idle before there is a kernel.
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
    """Open a file of the server in a page of JupyterLab that is loaded, with nothing beside it."""
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
