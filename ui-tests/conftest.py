"""The fixtures of the browser tests: one server and one page of JupyterLab for all, a notebook for each.

How to write a test:

- Take `notebook`, and call it with the cells. It opens them in the page that all tests of this process share, in a
  kernel of their own. Whatever the test changes there (layout, widths, theme, tabs, filters, settings, what is open)
  is put back after it.
- Take `shared_notebook` where several tests of a module only look at what the same cells made. The cells run once for
  the module; each test has the notebook opened anew, with a panel as it is after a page was loaded. A test that asks
  the kernel for more than texts (a measurement, a second compilation, another run) takes `notebook`.
- Mark with `fresh_page` what is about a page itself: loading, reloading, two tabs, Notebook 7, a cut connection, a
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

# A state is waited for; on a busy machine of two cores a while.
expect.set_options(timeout=30_000)

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


@dataclass(frozen=True)
class Kept:
    """A notebook whose cells have run, for the tests of a module, with the files that its cells wrote."""

    name: str
    text: str
    kernel: str  # its id
    written: dict[Path, tuple[bytes, int]]  # with the time of each file's last change

    def restore(self, root: Path) -> None:
        """Put the notebook's text and the other files back, where a test has changed them."""
        (root / self.name).write_text(self.text)
        for path, (content, changed) in self.written.items():
            if path.read_bytes() != content or path.stat().st_mtime_ns != changed:
                path.write_bytes(content)
                os.utime(path, ns=(changed, changed))


KeptNotebooks = dict[tuple[Any, ...], Kept]


@pytest.fixture(scope="module")
def kept_notebooks() -> KeptNotebooks:
    """The notebooks that `shared_notebook` keeps for the module, by their cells."""
    return {}


@pytest.fixture
def lab(lab_server: LabServer, kept_notebooks: KeptNotebooks) -> Iterator[LabServer]:
    """The server, with no notebook, no kernel and no setting left from another test, but those that a module keeps."""
    lab_server.remove_notebooks()
    yield lab_server
    kept = kept_notebooks.values()
    lab_server.forget({each.kernel for each in kept}, {path for each in kept for path in each.written})


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker of tests that do not use the page of the others."""
    config.addinivalue_line("markers", "fresh_page: the test has a page, and a browser context, of its own")


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Keep whether a test has failed, for its fixtures."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def shared_page(browser: Browser, browser_context_args: dict[str, Any], lab_server: LabServer) -> Iterator[SharedPage]:
    """The page of JupyterLab that most tests use, one after the other."""
    shared = SharedPage(browser, browser_context_args, lab_server)
    yield shared
    shared.throw_away()


@pytest.fixture
def page(request: pytest.FixtureRequest, lab: LabServer, shared_page: SharedPage, output_path: str) -> Iterator[Page]:
    """The page that the tests share; where a test is marked with `fresh_page`, an empty one of its own."""
    if request.node.get_closest_marker("fresh_page"):
        yield request.getfixturevalue("context").new_page()
        return
    page = shared_page.page()
    yield page
    if not request.node.stash.get(_FAILED, False):
        shared_page.put_back()
        return
    # A failed test leaves the page in an unknown state: the next test gets another page.
    if request.config.getoption("--screenshot") in ("on", "only-on-failure"):
        page.screenshot(path=Path(output_path) / "test-failed-1.png")
    shared_page.throw_away()


@pytest.fixture(autouse=True)
def no_own_error_in_the_page(page: Page) -> Iterator[None]:
    """No exception of the labextension goes uncaught in the page, whatever the test is about."""
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
    """Make a notebook of these cells, open it, and wait until its kernel is idle.

    The fixture closes an earlier notebook, whose kernel goes on: one notebook is open at a time, as on a new page.
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
    """Open a notebook whose cells have run, once for all tests of the module that ask for the same ones.

    The first test makes it, by `prepare`, and it is saved. A later one opens the saved file, which has its kernel: the
    panel gets the runs from there, as after a page was loaded. So a test sees nothing of an earlier one but what the
    kernel keeps: whoever runs a cell ends the sharing (the next test makes a new notebook), and who asks the kernel
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
    """The folder of the installed lessons."""
    import jupyter_jaxpr

    return Path(jupyter_jaxpr.__file__).parent / "lessons"
