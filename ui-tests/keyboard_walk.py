"""Walks the panel by keyboard: Tab from region to region, Right from control to control inside of a region."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

REGIONS = 16
CONTROLS = 20

_NAME = """() => {
  const focused = document.activeElement;
  return focused.closest('.jp-JaxprPanel') ? focused.ariaLabel ?? focused.textContent : null;
}"""
_IN_AN_EDITOR = "document.activeElement.closest('.cm-editor') !== null"


def reached_by_keyboard(page: Page) -> list[str]:
    """Return the names of the controls that the keyboard reaches from the focused control, in the order of the walk."""
    names: list[str] = []
    for _ in range(REGIONS):
        for _ in range(CONTROLS):
            name = page.evaluate(_NAME)
            if name is None or name in names:
                break
            names.append(name)
            if page.evaluate(_IN_AN_EDITOR):
                break
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
    return names


def controls_on_screen(panel: Locator) -> set[str]:
    """Return the names of the panel's visible controls, all of which the keyboard must reach."""
    controls = panel.locator("button:visible, [role=tab]:visible, [role=textbox]:visible, [tabindex='0']:visible")
    return set(controls.evaluate_all("controls => controls.map(control => control.ariaLabel ?? control.textContent)"))
