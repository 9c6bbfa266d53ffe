"""The fixtures of the browser tests: one server for all, a page and a notebook for each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest
from lab_server import Cell, LabServer, running_lab
from open_notebook import OpenNotebook, open_notebook
from playwright.sync_api import Error, Page, expect

# A state is waited for; on a busy machine of two cores a while.
expect.set_options(timeout=15_000)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Take the Chromium of the variable CHROMIUM, of PATH, or playwright's own, in this order."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    return {
        **browser_type_launch_args,
        **({"executable_path": found} if found else {}),
        "args": [
            "--no-sandbox",  # it cannot be had as root, and only our own server is visited
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--force-color-profile=srgb",
        ],
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1400, "height": 800}}


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """One JupyterLab for the whole run."""
    with running_lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture
def lab(lab_server: LabServer) -> Iterator[LabServer]:
    """The server, with no notebook, no kernel and no setting left from another test."""
    lab_server.remove_notebooks()
    yield lab_server
    lab_server.forget()


@pytest.fixture(autouse=True)
def no_own_error_in_the_page(page: Page) -> Iterator[None]:
    """No exception of the labextension goes uncaught in the page, whatever the test is about."""
    own: list[str] = []

    def collect(error: Error) -> None:
        if "jupyter-jaxpr" in (error.stack or ""):
            own.append(error.stack or "")

    page.on("pageerror", collect)
    yield
    assert own == []


class MakeNotebook(Protocol):
    """What the fixture `notebook` is: cells in, an open notebook with an idle kernel out."""

    def __call__(
        self,
        *cells: Cell,
        name: str | None = None,
        kernel: str | None = "python3",
        app: Literal["lab", "notebook"] = "lab",
        page: Page | None = None,
    ) -> OpenNotebook: ...


@pytest.fixture
def notebook(lab: LabServer, page: Page) -> MakeNotebook:
    """Make a notebook of these cells, open it, and wait until its kernel is idle."""

    def make(
        *cells: Cell,
        name: str | None = None,
        kernel: str | None = "python3",
        app: Literal["lab", "notebook"] = "lab",
        page: Page = page,
    ) -> OpenNotebook:
        opened = open_notebook(page, lab, lab.write(cells, name=name, kernel=kernel), app)
        if kernel:
            opened.wait_until_idle()
        else:
            page.get_by_role("dialog").get_by_role("button", name="No Kernel").click()
        return opened

    return make


@pytest.fixture
def lessons() -> Path:
    """The folder of the installed lessons."""
    import jupyter_jaxpr

    return Path(jupyter_jaxpr.__file__).parent / "lessons"
