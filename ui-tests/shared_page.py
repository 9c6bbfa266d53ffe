"""Opens one page of JupyterLab, in one browser with one server, which many tests use in turn.

A page of JupyterLab costs several times what a notebook in it costs. After each test the page is put back into the
state in which it was loaded; where that is not possible it is thrown away, and the next test loads another.
"""

from __future__ import annotations

import uuid
from typing import Any

from lab_server import LabServer
from playwright.sync_api import Browser, BrowserContext, Page, expect

LOADS_WITHIN = 60_000  # milliseconds
COLLAPSES_WITHIN = 30_000
THEME = "JupyterLab Light"

# Records the state of a new page, which is restored after each test: the layout of the side areas, and the browser's
# storage.
_REMEMBER = """async () => {
  const { shell, restored } = window.jupyterapp;
  await restored;
  window.atFirst = { layout: shell.saveLayout(), storage: { ...localStorage } };
}"""

# JupyterLab puts a launcher into an empty main area, after a delay; a late launcher would cover the next notebook.
_IS_EMPTY = """() => {
  const shown = [...window.jupyterapp.shell.widgets('main')];
  return shown.length === 1 && shown[0].id.startsWith('launcher');
}"""

_CLOSE_DOCUMENTS = """() => {
  const { shell } = window.jupyterapp;
  document.activeElement?.blur();
  const widgets = [...shell.widgets('main'), ...shell.widgets('down')];
  // Not closed: that would ask whether to save.
  widgets.filter(widget => !widget.id.startsWith('launcher')).forEach(widget => widget.dispose());
  shell.mode = 'multiple-document';
}"""

# JupyterLab's shell, its state database and this extension's panel have no public function that resets them, so this
# script uses private fields. If a field no longer exists, the script raises an error.
_PUT_BACK = """async theme => {
  const { shell, pluginRegistry, commands } = window.jupyterapp;
  const { layout, storage } = window.atFirst;
  const panel = [...shell.widgets('right')].find(widget => widget.id === 'jupyter-jaxpr-panel') ?? {};
  const restorer = shell._layoutRestorer;
  const state = pluginRegistry._plugins.get('@jupyterlab/apputils-extension:state').service;
  if (panel._filling === undefined || panel._shell === undefined || restorer === undefined) {
    throw new Error('A private field that the tests put back is not there any more.');
  }
  await shell.restoreLayout('multiple-document', {
    fetch: async () => ({ ...layout, mainArea: null, downArea: null })
  });
  shell._layoutRestorer = restorer;
  // Tabs, filters, folds, columns: all views are made anew when the panel is next seen.
  await panel._filling;
  panel._shell?.dispose();
  panel._shell = panel._filling = null;
  for (const key of (await state.list('jupyter-jaxpr')).ids) {
    await state.remove(key);
  }
  if (document.body.dataset.jpThemeName !== theme) {
    await commands.execute('apputils:change-theme', { theme });
  }
  document.body.style.height = ''; // axe was given one
  // The choice of heat is kept in the page too, where no test can reach it.
  const reusable = localStorage.getItem('jupyter-jaxpr:heat') === null;
  localStorage.clear();
  sessionStorage.clear();
  Object.entries(storage).forEach(([key, value]) => localStorage.setItem(key, value));
  return reusable;
}"""


class SharedPage:
    """The page of JupyterLab that tests share; it is loaded at the first request.

    Args:
        browser: The browser; the page gets its own browser context.
        options: The options of this context.
        lab: The server.
    """

    def __init__(self, browser: Browser, options: dict[str, Any], lab: LabServer) -> None:
        self._browser = browser
        self._options = options
        self._lab = lab
        self._context: BrowserContext | None = None
        self._page: Page | None = None

    def page(self) -> Page:
        """Return the page with nothing open in it: the page of the previous test, or a new page."""
        if self._page is None:
            self._context = self._browser.new_context(**self._options)
            self._page = self._context.new_page()
            self._page.goto(f"{self._lab.url}/lab/workspaces/{uuid.uuid4().hex[:8]}")
            self._page.wait_for_function("window.jupyterapp?.shell?.widgets !== undefined", timeout=LOADS_WITHIN)
            self._page.wait_for_function(_IS_EMPTY, timeout=LOADS_WITHIN)
            self._page.evaluate(_REMEMBER)
        return self._page

    def put_back(self) -> None:
        """Close all documents, and restore what a test may have changed: layout, theme, panel, storage, window size."""
        if self._page is None or self._context is None:
            return
        reusable = False
        try:
            reusable = self._put_back(self._context, self._page)
        finally:
            if not reusable:
                self.throw_away()

    def _put_back(self, context: BrowserContext, page: Page) -> bool:
        """Restore the state of the page; return whether the page can be used again."""
        for other in context.pages:
            if other is not page:
                other.close()
        page.mouse.move(1, 1)
        # Twice: Escape first closes an open menu that has the focus, and closing a document may open a dialog.
        _escape(page)
        page.evaluate(_CLOSE_DOCUMENTS)
        _escape(page)
        expect(page.locator(".jp-Dialog, .lm-Menu")).to_have_count(0)
        page.wait_for_function(_IS_EMPTY, timeout=COLLAPSES_WITHIN)
        reusable = bool(page.evaluate(_PUT_BACK, THEME))
        expect(page.locator(f'body[data-jp-theme-name="{THEME}"]')).to_be_attached()
        expect(page.locator("#jupyterlab-splash")).to_have_count(0)
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
        page.set_viewport_size(self._options["viewport"])
        return reusable

    def throw_away(self) -> None:
        """Close the page: the next test loads another."""
        if self._context is not None:
            self._context.close()
        self._context = self._page = None


def _escape(page: Page) -> None:
    """Close the dialogs and menus that are open."""
    for _ in range(page.locator(".jp-Dialog, .lm-Menu").count()):
        page.keyboard.press("Escape")
