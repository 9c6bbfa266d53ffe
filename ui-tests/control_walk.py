"""Uses every control of the extension in a page once, and returns the names of those that it used.

The walk finds controls by their roles (buttons, tabs, menus, options, inputs, links), never by their names, so that
it also uses controls that are added later.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Error, Locator, Page, expect

#: The walk waits for the kernel's long work: if the kernel evaluated a text of the document, the evidence of that would
#: appear only at the end.
WORK_ENDS_WITHIN = 120_000
REACHED_WITHIN = 5_000
#: The walk uses at most this many controls whose names differ only in numbers, such as links to lines.
OF_A_KIND = 1
#: The walk chooses at most this many options of a `select` element.
OPTIONS = 4
TRIES = 3
MOST_STEPS = 600

_FIND = r"""ofAKind => {
  const PASSING = '.lm-Menu, .jp-Dialog, dialog[open]';
  const beside = '.jp-MainAreaWidget:not(.jp-NotebookPanel)';
  const roots = [...document.querySelectorAll(`#jupyter-jaxpr-panel, ${beside}, ${PASSING}`)];
  const selector =
    'button, a[href], summary, input, select, textarea, .lm-Menu-item, ' +
    '[role=button], [role=link], [role=option], [role=checkbox], [role=switch], [role=slider], [role=menuitem]';
  const found = new Map();
  for (const node of new Set(roots.flatMap(root => [...root.querySelectorAll(selector)]))) {
    const box = node.getBoundingClientRect();
    const isTab = node.getAttribute('role') === 'tab';
    const isOff = node.disabled || node.closest('.lm-mod-disabled, [data-type=separator]');
    // Presenting hides the tabs and the other controls until Escape.
    const presents = node.closest('.jp-mod-presenter, [data-command="jupyter-jaxpr:present"]');
    if (isTab || presents || isOff ||
      box.width === 0 || box.height === 0 || !node.checkVisibility({visibilityProperty: true})) {
      continue;
    }
    const name = node.getAttribute('aria-label') ?? node.labels?.[0]?.textContent ?? node.textContent;
    const kind = node.getAttribute('role') ?? node.type ?? node.localName;
    const words = name.replace(/\s+/g, ' ').trim().slice(0, 80);
    const place = node.closest(beside) ? 'beside' : node.closest('[role=tabpanel]') ? 'tab' : 'head';
    const alike = `${place} ${kind} ${words.replace(/[\d.,]+/g, '#')}`;
    const passing = node.closest(place === 'head' ? `${PASSING}, [role=listbox]` : PASSING) !== null;
    for (let nth = 0; nth < ofAKind; nth++) {
      const key = `${alike} ${nth}`;
      if (!found.has(key)) {
        found.set(key, {key, kind, place, words, passing, node});
        break;
      }
    }
  }
  document.querySelectorAll('[data-walked]').forEach(node => node.removeAttribute('data-walked'));
  return [...found.values()].map(({node, ...one}, at) => {
    node.setAttribute('data-walked', String(at));
    return {...one, at};
  });
}"""

_PRESS = """node => {
  const box = node.getBoundingClientRect();
  const [clientX, clientY] = [box.x + box.width / 2, box.y + box.height / 2];
  for (const name of ['pointermove', 'mousemove', 'pointerdown', 'mousedown', 'pointerup', 'mouseup']) {
    const Kind = name.startsWith('pointer') ? PointerEvent : MouseEvent;
    node.dispatchEvent(new Kind(name, {bubbles: true, cancelable: true, view: window, button: 0, clientX, clientY}));
  }
  const click = () =>
    node.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, view: window, clientX, clientY}));
  click();
  if (node.localName === 'summary' && !node.parentElement.open) {
    click(); // what is in it is to be used too
  }
}"""


@dataclass
class ControlWalk:
    """Uses the controls of the panel and of what it opens, tab by tab.

    Args:
        page: The page with JupyterLab.
        panel: The jaxpr panel.
        back: Called before each step; it puts the walked run in view again if a step has changed the view.
    """

    page: Page
    panel: Locator
    back: Callable[[], None]
    used: list[str] = field(default_factory=list)
    #: The controls outside of the tabs that were already used.
    _elsewhere: set[str] = field(default_factory=set)

    def all(self) -> list[str]:
        """Use every control of every tab; return the tab and the name of each used control."""
        self.page.context.on("page", lambda other: other.close())  # closes the page that a link to documentation opens
        self.back()
        for tab in self.panel.get_by_role("tab").evaluate_all("tabs => tabs.map(tab => tab.id)"):
            self._tab(tab)
        return self.used

    def _tab(self, tab: str) -> None:
        done = set(self._elsewhere)
        openers: dict[str, str] = {}
        missed: Counter[str] = Counter()
        last = ""
        for _ in range(MOST_STEPS):
            there = self._there()
            passing = [each["key"] for each in there if each["passing"]]
            if done.issuperset(passing):
                if passing:
                    self.page.keyboard.press("Escape")
                self.back()
                self._choose(tab)
                there = self._there()
            for each in there:
                if each["passing"]:
                    openers.setdefault(each["key"], last)
            left = [each for each in there if each["key"] not in done]
            left.sort(key=lambda each: not each["passing"])
            if left:
                chosen = left[0]
                done.add(chosen["key"])
            else:
                # Each choice closes a menu, so the menu is opened again for each of its entries that is not used yet.
                closed = next((key for key in openers if key not in done), None)
                if closed is None:
                    return
                opener = next((each for each in there if each["key"] == openers[closed]), None)
                if opener is None:
                    done.add(closed)
                    continue
                chosen = opener
                openers.pop(closed)
            last = chosen["key"]
            if self._use(chosen):
                self.used.append(f"{tab.rpartition('-')[2]}: {chosen['words']}")
                if chosen["place"] != "tab":
                    self._elsewhere.add(last)
            elif missed[last] < TRIES:
                missed[last] += 1
                done.discard(last)
        raise AssertionError(f"The walk of the tab {tab} has no end; last used: {self.used[-5:]}")

    def _there(self) -> list[dict[str, Any]]:
        there: list[dict[str, Any]] = self.page.evaluate(_FIND, OF_A_KIND)
        return there

    def _choose(self, tab: str) -> None:
        if not self.panel.is_visible():
            # Opening the wide view, with the levels side by side, closes the panel.
            self.page.evaluate("window.jupyterapp.commands.execute('jupyter-jaxpr:toggle-panel')")
            expect(self.panel).to_be_visible()
        found = self.panel.locator(f"#{tab}")
        if found.count() and found.get_attribute("aria-selected") != "true":
            found.evaluate(_PRESS)
            expect(found).to_have_attribute("aria-selected", "true")
            # The panel loads the code of a view when its tab is first chosen.
            expect(self.panel.get_by_role("tabpanel")).to_have_text(re.compile(r"\S"))

    def _use(self, control: dict[str, Any]) -> bool:
        """Use a control; return False if it is gone, because an answer of the kernel has redrawn its view."""
        node = self.page.query_selector(f'[data-walked="{control["at"]}"]')
        try:
            if node is None:
                return False
            match control["kind"]:
                case "text" | "search" | "textarea" | "number":
                    # Type a letter and delete it, so that the text stays the same.
                    node.focus()
                    self.page.keyboard.press("End")
                    self.page.keyboard.type("x")
                    self.page.keyboard.press("Backspace")
                case "range" | "slider":
                    node.focus()
                    self.page.keyboard.press("ArrowRight")
                case "select-one":
                    for index in range(min(len(node.query_selector_all("option")), OPTIONS)):
                        node.select_option(index=index, timeout=REACHED_WITHIN)
                case _:
                    node.evaluate(_PRESS)  # works even if the control is not scrolled into view
        except Error:
            if node is not None and node.evaluate("node => node.isConnected"):
                raise
            return False
        self._wait_for_work()
        return True

    def _wait_for_work(self) -> None:
        stop = self.panel.get_by_role("button", name="Stop", exact=True)
        if stop.count():
            expect(stop).to_have_count(0, timeout=WORK_ENDS_WITHIN)
