"""Reads the claims of a lesson in a browser, one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from open_notebook import OpenNotebook
from playwright.sync_api import Locator, expect

import jupyter_jaxpr.lessons

FOLDER = Path(jupyter_jaxpr.lessons.__file__).parent / "en"


class LessonReader:
    """Runs the cells of a lesson from top to bottom, and lets a test check the panel after each cell.

    Args:
        name: The name of the lesson's file, without `.ipynb`.
        notebook: The fixture that opens a notebook of cells.
        subtests: The `subtests` fixture of pytest, with which the test goes on after a claim that fails.
    """

    def __init__(self, name: str, notebook: Callable[..., OpenNotebook], subtests: Any) -> None:
        cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        self.ids = [cell["id"] for cell in code]
        self.read: list[str] = []
        self.nb = notebook(*("".join(cell["source"]) for cell in code))
        self._subtests = subtests
        self.nb.run(0)
        self.nb.command("jupyter-jaxpr:toggle-panel")
        expect(self.nb.panel).to_be_visible()

    @contextmanager
    def claim(self, identifier: str) -> Iterator[int]:
        """Run the next cell, whose id must be this claim; the `with` block then checks the claim."""
        index = 1 + len(self.read)
        assert self.ids[index] == identifier
        self.read.append(identifier)
        self.nb.run(index)
        with self._subtests.test(identifier):
            if "%%jaxpr" in self.nb.editor(index).inner_text():
                expect(self.nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text(f"Cell [{index + 1}]")
            yield index

    def view(self, name: str) -> Locator:
        """Choose the tab whose name starts with this word, and return its view."""
        self.nb.panel.get_by_role("tab", name=re.compile(f"^{name}")).click()
        return self.nb.panel.get_by_role("tabpanel", name=re.compile(f"^{name}"))

    def flow(self) -> Locator:
        """Choose the Control flow tab, and return its view."""
        return self.view("Control flow")

    def steps(self, *, press: bool = True) -> Locator:
        """Return the steps of a construct; if `press` is False, the option `--steps` has already recorded them."""
        steps = self.flow().get_by_role("group", name=re.compile("^Steps of "))
        if press:
            steps.get_by_role("button", name="Record the steps").click()
        expect(steps.locator("h3[data-step]")).to_be_visible()
        return steps

    def finish(self) -> None:
        """Check that the test has read the claim of every cell of the lesson."""
        assert self.read == self.ids[1:]
