"""A page in; every control of the extension in it is used once; the names of the controls that were used go out.

Controls are found by what they are (buttons, tabs, menus, options, inputs, links), never by their names, so that a
control which is added later is used too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError, expect

#: What is long is worth waiting for: the marker of a document that was evaluated would come at its end.
WORK_ENDS_WITHIN = 120_000
CLICKED_WITHIN = 1_500
#: Of controls that differ in numbers only, such as the links to lines, so many are used.
OF_A_KIND = 2
MOST_STEPS = 600

_FIND = r"""ofAKind => {
  const roots = [
    ...document.querySelectorAll('.jp-JaxprPanel, .jp-MainAreaWidget:has([class*="jp-Jaxpr"]), .lm-Menu, .jp-Dialog')
  ].filter(root => !root.classList.contains('jp-NotebookPanel'));
  const selector =
    'button, a[href], summary, input, select, textarea, .lm-Menu-item, ' +
    '[role=button], [role=link], [role=option], [role=checkbox], [role=switch], [role=slider], [role=menuitem]';
  const found = new Map();
  for (const node of new Set(roots.flatMap(root => [...root.querySelectorAll(selector)]))) {
    const box = node.getBoundingClientRect();
    const isOff = node.disabled || node.closest('.lm-mod-disabled') || node.getAttribute('role') === 'tab';
    if (isOff || box.width === 0 || box.height === 0 || !node.checkVisibility({visibilityProperty: true})) {
      continue;
    }
    const name = node.getAttribute('aria-label') ?? node.labels?.[0]?.textContent ?? node.textContent;
    const kind = node.getAttribute('role') ?? node.type ?? node.localName;
    const words = name.replace(/\s+/g, ' ').trim().slice(0, 80);
    const place = node.closest('.lm-Menu') ? 'menu' : node.closest('.jp-JaxprPanel') ? 'panel' : 'beside';
    const alike = `${place} ${kind} ${words.replace(/[\d.,]+/g, '#')}`;
    const passing = node.closest('.lm-Menu, .jp-Dialog, [role=listbox]') !== null;
    for (let nth = 0; nth < ofAKind; nth++) {
      const key = `${alike} ${nth}`;
      if (!found.has(key)) {
        found.set(key, {key, kind, words, passing, node});
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

    def all(self) -> list[str]:
        """Use every control of every tab; gives the names of those used, each with its tab."""
        self.page.context.on("page", lambda other: other.close())  # a link to documentation
        self.back()
        for tab in self.panel.get_by_role("tab").evaluate_all("tabs => tabs.map(tab => tab.id)"):
            self._tab(tab)
        return self.used

    def _tab(self, tab: str) -> None:
        done: set[str] = set()
        openers: dict[str, str] = {}
        last = ""
        for _ in range(MOST_STEPS):
            if not self.page.locator(".lm-Menu, .jp-Dialog, [role=listbox]").count():
                self.back()
                self._choose(tab)
            there: list[dict[str, Any]] = self.page.evaluate(_FIND, OF_A_KIND)
            for each in there:
                if each["passing"]:
                    openers.setdefault(each["key"], last)
            left = [each for each in there if each["key"] not in done]
            left.sort(key=lambda each: not each["passing"])
            if left:
                chosen = left[0]
                done.add(chosen["key"])
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

    def _choose(self, tab: str) -> None:
        found = self.panel.locator(f"#{tab}")
        if found.count() and found.get_attribute("aria-selected") != "true":
            found.click()

    def _use(self, control: dict[str, Any]) -> None:
        node = self.page.locator(f'[data-walked="{control["at"]}"]')
        try:
            match control["kind"]:
                case "text" | "search" | "textarea" | "number":
                    # A change that leaves the text as it was.
                    node.press("End", timeout=CLICKED_WITHIN)
                    node.press("x", timeout=CLICKED_WITHIN)
                    node.press("Backspace", timeout=CLICKED_WITHIN)
                case "range" | "slider":
                    node.press("ArrowRight", timeout=CLICKED_WITHIN)
                case "select-one":
                    for index in range(min(node.locator("option").count(), 4)):
                        node.select_option(index=index, timeout=CLICKED_WITHIN)
                case _:
                    node.click(timeout=CLICKED_WITHIN)
        except TimeoutError:
            if node.count():  # something covers it: a mouse cannot reach it, a keyboard can
                node.first.evaluate("node => node.click()")
        self._wait_for_work()

    def _wait_for_work(self) -> None:
        stop = self.panel.get_by_role("button", name="Stop", exact=True)
        if stop.count():
            expect(stop).to_have_count(0, timeout=WORK_ENDS_WITHIN)
