"""Holds the fixtures of the browser tests: all tests share a server and a page of JupyterLab; each has a notebook.

How to write a test:

- Take `notebook`, and call it with the cells. It opens them in the page that all tests of this process share, in a
  kernel of their own. Whatever the test changes there (layout, widths, theme, tabs, filters, settings, what is open)
  is put back after it.
- Take `shared_notebook` where several tests of a module only look at what the same cells made. The cells run once for
  the module; each test has the notebook opened anew, with a panel as it is after a page was loaded. A test that asks
  the kernel for more than texts (a measurement, a second compilation, another run) takes `notebook`.
- Mark with `fresh_page` a test of the page itself: loading, reloading, two tabs, Notebook 7, a cut connection, a
  server of its own, what is fetched, settings that a page reads at its start.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest
from lab_server import Cell, LabServer, running_lab
from open_notebook import OpenNotebook, open_in_page, open_notebook
from playwright.sync_api import Browser, Error, Page, expect
from shared_page import SharedPage

# The tests wait for states of the page; on a busy machine with two cores, a state may take long to appear.
expect.set_options(timeout=30_000)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Choose the Chromium that the variable CHROMIUM names; else the one on PATH; else the one of playwright."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    return {
        **browser_type_launch_args,
        **({"executable_path": found} if found else {}),
        "args": [
            "--no-sandbox",  # Chromium's sandbox does not work for root; the tests only visit their own server
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
    """Run one JupyterLab server for all tests of the run."""
    with running_lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


@dataclass(frozen=True)
class Kept:
    """A shared notebook of a module, after its run. Its recorded files can be restored for the next test."""

    name: str
    text: str
    kernel: str  # its id
    written: dict[Path, tuple[bytes, int]]  # path -> (content, time of the last change)

    def restore(self, root: Path) -> None:
        """Write the recorded text of the notebook, and each recorded file that a test has changed."""
        (root / self.name).write_text(self.text)
        for path, (content, changed) in self.written.items():
            if path.read_bytes() != content or path.stat().st_mtime_ns != changed:
                path.write_bytes(content)
                os.utime(path, ns=(changed, changed))


KeptNotebooks = dict[tuple[Any, ...], Kept]


@pytest.fixture(scope="module")
def kept_notebooks() -> KeptNotebooks:
    """Return the shared notebooks of the module: (cells, `prepare`) -> notebook."""
    return {}


@pytest.fixture
def lab(lab_server: LabServer, kept_notebooks: KeptNotebooks) -> Iterator[LabServer]:
    """Return the server without kernels, files and settings of earlier tests, except those of shared notebooks."""
    lab_server.remove_notebooks()
    yield lab_server
    kept = kept_notebooks.values()
    lab_server.forget({each.kernel for each in kept}, {path for each in kept for path in each.written})


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker `fresh_page`, for tests that do not use the shared page."""
    config.addinivalue_line("markers", "fresh_page: the test has a page, and a browser context, of its own")


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Record whether a test has failed, so that the fixtures of the test can read it."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def shared_page(browser: Browser, browser_context_args: dict[str, Any], lab_server: LabServer) -> Iterator[SharedPage]:
    """Return the object that opens the shared page of JupyterLab; most tests use this page, one after the other."""
    shared = SharedPage(browser, browser_context_args, lab_server)
    yield shared
    shared.throw_away()


@pytest.fixture
def page(request: pytest.FixtureRequest, lab: LabServer, shared_page: SharedPage, output_path: str) -> Iterator[Page]:
    """Return the shared page of JupyterLab; for a test marked `fresh_page`, an empty page for this test alone."""
    if request.node.get_closest_marker("fresh_page"):
        yield request.getfixturevalue("context").new_page()
        return
    page = shared_page.page()
    yield page
    if not request.node.stash.get(_FAILED, False):
        shared_page.put_back()
        return
    # A failed test leaves the page in an unknown state, so the next test gets a new page.
    if request.config.getoption("--screenshot") in ("on", "only-on-failure"):
        page.screenshot(path=Path(output_path) / "test-failed-1.png")
    shared_page.throw_away()


@pytest.fixture(autouse=True)
def no_own_error_in_the_page(page: Page) -> Iterator[None]:
    """Check after each test that the page reported no uncaught exception of the labextension."""
    own: list[str] = []

    def collect(error: Error) -> None:
        if "jupyter-jaxpr" in (error.stack or ""):
            own.append(error.stack or "")

    page.on("pageerror", collect)
    yield
    page.remove_listener("pageerror", collect)
    assert own == []


class MakeNotebook(Protocol):
    """The type of the fixture `notebook`: it takes cells, and returns an open notebook with an idle kernel."""

    def __call__(
        self,
        *cells: Cell,
        name: str | None = None,
        kernel: str | None = "python3",
        app: Literal["lab", "notebook"] = "lab",
    ) -> OpenNotebook: ...


@pytest.fixture
def notebook(request: pytest.FixtureRequest, lab: LabServer, page: Page, shared_page: SharedPage) -> MakeNotebook:
    """Return a function that makes a notebook of cells, opens it, and waits until its kernel is idle.

    A second call closes the first notebook, but its kernel keeps running: only one notebook is open at a time.
    """
    fresh = request.node.get_closest_marker("fresh_page") is not None
    opened: list[str] = []

    def make(
        *cells: Cell,
        name: str | None = None,
        kernel: str | None = "python3",
        app: Literal["lab", "notebook"] = "lab",
    ) -> OpenNotebook:
        path = lab.write(cells, name=name, kernel=kernel)
        if fresh:
            made = open_notebook(page, lab, path, app)
        else:
            assert app == "lab", "Mark the test with fresh_page: the page that tests share is one of JupyterLab."
            if opened:
                shared_page.put_back()
            made = open_in_page(page, lab, path)
        opened.append(path)
        if kernel:
            made.wait_until_idle()
        else:
            page.get_by_role("dialog").get_by_role("button", name="No Kernel").click()
            expect(page.get_by_role("dialog")).to_have_count(0)
        return made

    return make


class ShareNotebook(Protocol):
    """The type of the fixture `shared_notebook`: it takes cells, and returns an open notebook whose cells have run."""

    def __call__(
        self, *cells: Cell, prepare: Callable[[OpenNotebook], object] = OpenNotebook.run_all
    ) -> OpenNotebook: ...


_COUNTS = """path => {
  const [opened] = [...window.jupyterapp.shell.widgets('main')].filter(each => each.context?.path === path);
  return opened ? [...opened.content.model.cells].map(cell => cell.executionCount ?? null) : null;
}"""


@pytest.fixture
def shared_notebook(
    request: pytest.FixtureRequest,
    notebook: MakeNotebook,
    lab: LabServer,
    page: Page,
    kept_notebooks: KeptNotebooks,
) -> Iterator[ShareNotebook]:
    """Return a function that opens a notebook whose cells have run; tests of a module with equal cells share it.

    The first test makes the notebook, runs its cells with `prepare`, and saves it. A later test opens the saved file
    with the running kernel, and the panel gets the runs from the kernel, as after a reload. So the tests share only the
    state of the kernel. After a test that runs a cell, the next test gets a new notebook. A test that asks the kernel
    for a measurement or a compilation takes `notebook` instead.
    """
    assert not request.node.get_closest_marker("fresh_page"), "The kernel of a test with a page of its own is its own."
    taken: list[tuple[Any, ...]] = []

    def share(*cells: Cell, prepare: Callable[[OpenNotebook], object] = OpenNotebook.run_all) -> OpenNotebook:
        key = (*map(repr, cells), prepare)
        kept = kept_notebooks.get(key)
        if kept is None:
            opened = notebook(*cells)
            prepare(opened)
            opened.save()
            text = (lab.root / opened.name).read_text()
            written = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in lab.files()}
            kept_notebooks[key] = Kept(opened.name, text, lab.kernel_of(opened.name), written)
        else:
            kept.restore(lab.root)
            opened = open_in_page(page, lab, kept.name)
            opened.wait_until_idle()
            opened.command("jupyter-jaxpr:toggle-panel")
            expect(opened.panel).to_be_visible()
        taken.append(key)
        return opened

    yield share
    for key in taken:
        kept = kept_notebooks[key]
        counts = [cell.get("execution_count") for cell in json.loads(kept.text)["cells"]]
        if request.node.stash.get(_FAILED, False) or page.evaluate(_COUNTS, kept.name) != counts:
            del kept_notebooks[key]


@pytest.fixture
def lessons() -> Path:
    """Return the folder of the installed lessons."""
    import jupyter_jaxpr

    return Path(jupyter_jaxpr.__file__).parent / "lessons"
