"""Tests the panel when the kernel or the connection is lost: it marks the last program as old, until a new run."""

import contextlib
import re

import pytest
from open_notebook import OpenNotebook, open_notebook
from playwright.sync_api import Locator, Page, TimeoutError, WebSocketRoute, expect

TIME = r"\d\d:\d\d"
LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"


def choose(nb: OpenNotebook, shown: str, wanted: str) -> None:
    """Choose another program in the list; try again if the list closes.

    After a reload, JupyterLab moves the focus to the notebook late, which closes the list.
    """
    for _ in range(5):
        nb.panel.get_by_role("button", name=shown).click()
        with contextlib.suppress(TimeoutError):
            nb.panel.get_by_role("option", name=wanted).click(timeout=3_000)
            return


def jitted(name: str, body: str) -> str:
    """Return the text of a cell that jits a function with this name and body, and calls it."""
    return f"%%jaxpr\n@jax.jit\ndef {name}(x):\n    return {body}\n\n{name}(jnp.ones(3))"


DOUBLE = jitted("double", "x * 2")
DOUBLED = "{ lambda ; a:f32[3]x. let b:f32[3] = mul a 2.0:f32[] in (b,) }"
HALVE = jitted("halve", "x / 2")
HALVED = "{ lambda ; a:f32[3]x. let b:f32[3] = div a 2.0:f32[] in (b,) }"


def listing(nb: OpenNotebook, name: str) -> Locator:
    """Return the jaxpr of a function in the panel."""
    return nb.panel.get_by_role("textbox", name=f"jaxpr of {name}")


def stale(nb: OpenNotebook) -> Locator:
    """Return the line of the panel which says that the program is from before a restart or a lost connection."""
    return nb.panel.locator("[data-status=stale] p")


def from_before(what: str, cure: str) -> re.Pattern[str]:
    """Return a pattern of the whole text of this line."""
    return re.compile(rf"^{what} · {TIME} This run was recorded at {TIME}\.\s*{re.escape(cure)}$")


def show_panel(nb: OpenNotebook) -> None:
    """Open the panel by its command."""
    nb.command("jupyter-jaxpr:toggle-panel")
    expect(nb.panel).to_be_visible()


def dismiss(page: Page, button: str) -> None:
    """Answer JupyterLab's question with this button."""
    page.get_by_role("dialog").get_by_role("button", name=button).click()


def test_a_kernel_restarts(notebook):
    nb = notebook(LOAD, DOUBLE)
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)
    expect(stale(nb)).to_have_count(0)

    nb.restart_kernel()
    expect(stale(nb)).to_have_text(
        from_before("Kernel restarted", "Run %load_ext jupyter_jaxpr, then run cell [2] again to refresh the panel.")
    )
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)

    nb.run(0)
    expect(stale(nb)).to_have_text(from_before("Kernel restarted", "Run cell [2] again to refresh the panel."))

    nb.run(1)
    expect(stale(nb)).to_have_count(0)
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)
    # The list of programs still has the run of the earlier kernel.
    nb.panel.get_by_role("button", name="double").click()
    expect(nb.panel.get_by_role("option").filter(has_text="double")).to_have_count(2)


@pytest.mark.slow
def test_one_button_loads_the_extension_and_runs_the_cell_again_after_a_restart(notebook):
    nb = notebook(LOAD, DOUBLE)
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "double")).to_be_visible()
    nb.restart_kernel()

    nb.panel.get_by_role("button", name="Load jupyter_jaxpr and run the cell again").click()

    expect(nb.prompt(1)).to_have_text("[2]:")
    expect(nb.prompt(0)).to_have_text("[1]:")  # the existing cell with `%load_ext` ran again, and no cell was added
    expect(stale(nb)).to_have_count(0)
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)
    expect(nb.page.locator(".jp-NotebookPanel:visible .jp-CodeCell")).to_have_count(2)


@pytest.mark.slow
def test_a_kernel_dies_and_is_started_again(notebook, page):
    nb = notebook(LOAD, DOUBLE, "import os; os._exit(1)")
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "double")).to_be_visible()

    nb.run(2, wait=False)
    expect(page.get_by_role("dialog")).to_contain_text("died", timeout=30_000)
    dismiss(page, "Ok")
    expect(stale(nb)).to_have_text(
        from_before("Kernel restarted", "Run %load_ext jupyter_jaxpr, then run cell [2] again to refresh the panel.")
    )
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)

    nb.wait_until_idle()
    nb.run(0)
    nb.run(1)
    expect(stale(nb)).to_have_count(0)


@pytest.mark.slow
def test_a_kernel_is_shut_down(notebook, lab, page):
    nb = notebook(LOAD, DOUBLE)
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "double")).to_be_visible()

    nb.command("kernelmenu:shutdown")
    expect(stale(nb)).to_have_text(
        from_before("Kernel shut down", "Start a kernel and run the cell again to refresh the panel.")
    )
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)
    # Without a kernel, the panel still shows the StableHLO, which it already has.
    nb.panel.get_by_role("button", name="StableHLO").click()
    expect(nb.panel.get_by_role("tabpanel", name="Program")).to_contain_text("func.func public @main")


@pytest.mark.fresh_page
def test_a_page_is_loaded_again(notebook):
    nb = notebook(LOAD, DOUBLE, HALVE)
    nb.run(0)
    nb.run(1)
    nb.run(2)
    expect(listing(nb, "halve")).to_be_visible()

    nb.reload()
    expect(listing(nb, "halve")).to_have_text(HALVED, use_inner_text=True)
    expect(stale(nb)).to_have_count(0)
    # After the reload, the panel has the earlier runs, and the kernel answers requests about them.
    choose(nb, "halve", "double")
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)


@pytest.mark.slow
@pytest.mark.fresh_page
def test_a_page_is_loaded_again_while_a_cell_runs(notebook, lab):
    go = lab.root / "go-on"
    nb = notebook(
        LOAD,
        jitted("slow", "wait() or x + 1").replace(
            "@jax.jit", "import pathlib\ndef wait():\n    while not pathlib.Path('go-on').exists(): pass\n@jax.jit"
        ),
    )
    nb.run(0)
    show_panel(nb)
    nb.run(1, wait=False)
    expect(nb.panel.get_by_role("status").filter(has_text="Tracing")).to_be_visible()

    nb.reload(wait=False)
    expect(nb.panel.get_by_role("status").filter(has_text="Tracing")).to_be_visible(timeout=30_000)
    go.touch()
    expect(listing(nb, "slow")).to_have_text(
        "{ lambda ; a:f32[3]x. let b:f32[3] = add a 1.0:f32[] in (b,) }", use_inner_text=True
    )


@pytest.mark.slow
def test_two_notebooks_in_a_window_keep_what_is_theirs(notebook):
    name = notebook(LOAD, HALVE).name
    nb = notebook(LOAD, DOUBLE)
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "double")).to_be_visible()

    nb.command("docmanager:open", path=name)
    nb.wait_until_idle()
    expect(nb.panel.get_by_role("heading", name="jupyter_jaxpr is not loaded")).to_be_visible()
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "halve")).to_have_text(HALVED, use_inner_text=True)

    nb.page.get_by_role("tab", name=nb.name).click()
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)
    nb.page.get_by_role("main").get_by_role("tab", name=name).click()
    expect(listing(nb, "halve")).to_have_text(HALVED, use_inner_text=True)


@pytest.mark.slow
@pytest.mark.fresh_page
def test_two_browser_tabs_on_one_notebook_show_the_same(notebook, lab, page):
    nb = notebook(LOAD, DOUBLE, "print(1)")
    other = open_notebook(page.context.new_page(), lab, nb.name)
    other.wait_until_idle()
    show_panel(other)
    expect(other.panel.get_by_role("heading", name="jupyter_jaxpr is not loaded")).to_be_visible()

    nb.run(0)
    expect(other.panel.get_by_role("heading", name="No program yet")).to_be_visible()
    nb.run(1)
    for each in (nb, other):
        expect(listing(each, "double")).to_have_text(DOUBLED, use_inner_text=True)
        each.panel.get_by_role("button", name="HLO", exact=True).click()
        expect(each.panel.get_by_role("textbox", name="HLO of double")).to_contain_text("HloModule jit_double")

    nb.restart_kernel()
    nb.run(2)  # the other tab may not notice the restart itself, but it receives the messages of the new kernel
    for each in (nb, other):
        expect(stale(each)).to_have_text(
            from_before(
                "Kernel restarted", "Run %load_ext jupyter_jaxpr, then run cell [2] again to refresh the panel."
            )
        )


@pytest.mark.slow
def test_a_console_beside_the_notebook_shares_its_kernel(notebook):
    nb = notebook(LOAD, DOUBLE)
    nb.command("notebook:create-console")
    expect(nb.page.locator(".jp-CodeConsole")).to_be_visible()
    nb.page.get_by_role("tab", name=nb.name).first.click()
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)


class Cable:
    """Cuts and restores the websockets between a page and its kernels."""

    def __init__(self, page: Page) -> None:
        self._pulled = False
        self._routes: list[WebSocketRoute] = []
        page.route_web_socket(re.compile(r"/channels"), self._connect)

    def _connect(self, route: WebSocketRoute) -> None:
        if self._pulled:
            route.close(code=NO_NETWORK)
        else:
            route.connect_to_server()
            self._routes.append(route)

    def pull(self, code: int) -> None:
        self._pulled = True
        while self._routes:
            self._routes.pop().close(code=code)

    def put_in(self) -> None:
        self._pulled = False


NO_NETWORK = 3000  # A close code without a special meaning.
GOING_AWAY = 1001  # The close code of a server that ends normally: JupyterLab does not connect again.


@pytest.mark.fresh_page
def test_what_ran_while_the_connection_was_down_is_sent_again(notebook, lab, page):
    cable = Cable(page)
    waiting = "import pathlib\nwhile not pathlib.Path('connection-lost').exists(): pass\nhalve(jnp"
    nb = notebook(LOAD, DOUBLE, HALVE.replace("halve(jnp", waiting))
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "double")).to_be_visible()
    nb.run(2, wait=False)

    cable.pull(NO_NETWORK)
    expect(stale(nb)).to_have_text(
        from_before("Connection lost", "The panel reconnects by itself when the server answers again.")
    )
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)
    (lab.root / "connection-lost").touch()

    cable.put_in()
    expect(listing(nb, "halve")).to_have_text(HALVED, use_inner_text=True, timeout=30_000)
    expect(stale(nb)).to_have_count(0)


@pytest.mark.slow
@pytest.mark.fresh_page
def test_where_jupyterlab_does_not_reconnect_the_panel_says_how(notebook, page):
    cable = Cable(page)
    nb = notebook(LOAD, DOUBLE)
    nb.run(0)
    nb.run(1)
    expect(listing(nb, "double")).to_be_visible()

    cable.pull(GOING_AWAY)
    expect(stale(nb)).to_have_text(
        from_before("Connection lost", "Choose Reconnect to Kernel in the Kernel menu, or reload the page.")
    )
    cable.put_in()
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Reconnect to Kernel").click()
    expect(stale(nb)).to_have_count(0)
    expect(listing(nb, "double")).to_have_text(DOUBLED, use_inner_text=True)
