"""Checks a page: what axe-core finds, and what is cut off at the right edge."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

_CUT = """(panel, [inside, except]) => {
  const edge = panel.getBoundingClientRect().right + 0.5;
  return [...panel.querySelectorAll(inside)]
    .filter(one => !except || !one.closest(except))
    .filter(one => one.getClientRects().length && one.getBoundingClientRect().right > edge)
    .map(one => one.outerHTML);
}"""


# axe knows no top layer: it takes a modal window for covered by what lies below the window.
_ONLY_THE_MODAL = """
  :root:has(dialog:modal) * { visibility: hidden; }
  dialog:modal, dialog:modal * { visibility: visible !important; }
"""


def violations(page: Page, *selectors: str) -> list[str]:
    """What axe-core has against what is inside of these (by default the panel): the rule, and the element."""
    # JupyterLab's body has no height, and axe takes what is in such a body for hidden.
    page.evaluate("document.body.style.height = '100vh'")
    style = page.add_style_tag(content=_ONLY_THE_MODAL)
    found = Axe().run(page, context={"include": [[selector] for selector in selectors or (".jp-JaxprPanel",)]})
    style.evaluate("style => style.remove()")
    assert "color-contrast" in {rule["id"] for rule in found.response["passes"]}  # it has looked
    return [
        f"{rule['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


def cut(panel: Locator, inside: str, scrolls: str = "") -> list[str]:
    """What stands out of the panel on the right.

    Args:
        panel: Its right edge counts.
        inside: A selector of what is looked at.
        scrolls: A selector of what may be wider: it has a scroll bar of its own.
    """
    return list(panel.evaluate(_CUT, [inside, scrolls]))


def clipboard(page: Page) -> str:
    """What was copied."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return str(page.evaluate("navigator.clipboard.readText()"))
