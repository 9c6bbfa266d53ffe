"""A page in; every control of the extension in it is used once; the names of the controls that were used go out.

Controls are found by what they are (buttons, tabs, menus, options, inputs, links), never by their names, so that a
control which is added later is used too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, expect

#: What is long is worth waiting for: the marker of a document that was evaluated would come at its end.
WORK_ENDS_WITHIN = 120_000
REACHED_WITHIN = 5_000
#: Of controls whose names differ in numbers only, such as the links to lines, so many are used.
OF_A_KIND = 1
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
    const isOff = node.disabled || node.closest('.lm-mod-disabled, [data-type=separator]') || node.getAttribute('role') === 'tab';
    if (isOff || box.width === 0 || box.height === 0 || !node.checkVisibility({visibilityProperty: true})) {
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
  node.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, view: window, clientX, clientY}));
}"""


@dataclass
class ControlWalk:
    """Uses the controls of the panel and of what it opens, tab by tab.

    Args:
        page: With JupyterLab in it.
        panel: The jaxpr panel.
        back: Called before each step; puts in view what the walk is about, where a step has put something else there.
    """

    page: Page
    panel: Locator
    back: Callable[[], None]
    used: list[str] = field(default_factory=list)
    #: What was used and is not of one tab.
    _elsewhere: set[str] = field(default_factory=set)

    def all(self) -> list[str]:
        """Use every control of every tab; gives the names of those used, each with its tab."""
        self.page.context.on("page", lambda other: other.close())  # a link to documentation
        self.back()
        for tab in self.panel.get_by_role("tab").evaluate_all("tabs => tabs.map(tab => tab.id)"):
            self._tab(tab)
        return self.used

    def _tab(self, tab: str) -> None:
        done = set(self._elsewhere)
        openers: dict[str, str] = {}
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
                if chosen["place"] != "tab":
                    self._elsewhere.add(chosen["key"])
                self.used.append(f"{tab.rpartition('-')[2]}: {chosen['words']}")
            else:
                # What a menu had and was not used: open that menu again, once for each.
                again = next((key for key in openers if key not in done), None)
                chosen = next((each for each in there if again and each["key"] == openers[again]), None)
                if again is None:
                            return
                if chosen is None:
                    done.add(again)
                    continue
                openers.pop(again)
            last = chosen["key"]
            self._use(chosen)
        raise AssertionError(f"The walk of the tab {tab} has no end; last used: {self.used[-5:]}")

    def _there(self) -> list[dict[str, Any]]:
        there: list[dict[str, Any]] = self.page.evaluate(_FIND, OF_A_KIND)
        return there

    def _choose(self, tab: str) -> None:
        found = self.panel.locator(f"#{tab}")
        if found.count() and found.get_attribute("aria-selected") != "true":
            found.evaluate(_PRESS)
            expect(found).to_have_attribute("aria-selected", "true")
            # A view is fetched when it is first chosen.
            expect(self.panel.get_by_role("tabpanel")).to_have_text(re.compile(r"\S"))

    def _use(self, control: dict[str, Any]) -> None:
        node = self.page.locator(f'[data-walked="{control["at"]}"]')
        match control["kind"]:
            case "text" | "search" | "textarea" | "number":
                # A change that leaves the text as it was.
                node.focus()
                self.page.keyboard.press("End")
                self.page.keyboard.type("x")
                self.page.keyboard.press("Backspace")
            case "range" | "slider":
                node.focus()
                self.page.keyboard.press("ArrowRight")
            case "select-one":
                for index in range(min(node.locator("option").count(), 4)):
                    node.select_option(index=index, timeout=REACHED_WITHIN)
            case _:
                node.evaluate(_PRESS)  # whether or not it is scrolled into view
        self._wait_for_work()

    def _wait_for_work(self) -> None:
        stop = self.panel.get_by_role("button", name="Stop", exact=True)
        if stop.count():
            expect(stop).to_have_count(0, timeout=WORK_ENDS_WITHIN)
