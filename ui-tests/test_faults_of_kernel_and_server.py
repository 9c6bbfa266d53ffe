"""Tests the panel when a kernel is killed during a measurement, when a server ends and returns, and with a debugger."""

import os
import re
import signal

import pytest
from lab_server import running_lab
from open_notebook import OpenNotebook, open_notebook
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.slow

LOAD = """\
%load_ext jupyter_jaxpr
import os, pathlib, jax, jax.numpy as jnp
pathlib.Path('pid').write_text(str(os.getpid()));"""
DOUBLE = "%%jaxpr\n@jax.jit\ndef double(x):\n    return x * 2\n\ndouble(jnp.ones(3))"
DOUBLED = "{ lambda ; a:f32[3]x. let b:f32[3] = mul a 2.0:f32[] in (b,) }"
# While a file named `wait` exists, each call waits. The file does not exist at the first call.
WAITING = """\
%%jaxpr
def until_told(x):
    while pathlib.Path('wait').exists(): pathlib.Path('waits').touch()
    return x
@jax.jit
def waiting(x):
    return jax.pure_callback(until_told, x, x) + 1

x = jnp.ones(3)
waiting(x)"""
SERVER_IS_MISSED_WITHIN = 120_000  # milliseconds; JupyterLab asks less and less often while no server answers
LOST = r"Connection lost · .*\s*The panel reconnects by itself when the server answers again\."
ENDED = r"Kernel (died|shut down) · .*\s*Start a kernel and run the cell again to refresh the panel\."
GONE = re.compile(
    r"^Kernel restarted · .*\s*Run %load_ext jupyter_jaxpr, then run cell "
    r"\[2\] again to refresh the panel\.Load jupyter_jaxpr and run the cell again$"
)


def stale(nb: OpenNotebook) -> Locator:
    """Return the line of the panel which says that the program is from an earlier kernel."""
    return nb.panel.locator("[data-status=stale]")


def kill_kernel_when_it_waits(nb: OpenNotebook, page: Page) -> None:
    """Kill the kernel's process as soon as the function waits, and close JupyterLab's dialog about it."""
    waits = nb.lab.root / "waits"
    while not waits.exists():
        page.wait_for_timeout(50)
    os.kill(int((nb.lab.root / "pid").read_text()), signal.SIGKILL)
    dialog = page.get_by_role("dialog").filter(has_text="died")
    expect(dialog).to_be_visible(timeout=60_000)
    dialog.get_by_role("button", name="Ok").click()
    for name in ("wait", "waits"):
        (nb.lab.root / name).unlink()
    nb.wait_until_idle()


def runs_again(nb: OpenNotebook) -> None:
    """Run the cells in the new kernel, and check that the panel shows their program."""
    nb.run(0)
    nb.run(1)
    expect(stale(nb)).to_have_count(0)
    nb.panel.get_by_role("tab", name="Program").click()
    expect(nb.listing()).to_contain_text("pure_callback")


def test_a_kernel_killed_while_a_call_runs_again(notebook, page):
    nb = notebook(LOAD, WAITING)
    nb.run(0)
    nb.run(1)
    (nb.lab.root / "wait").touch()
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_role("button", name="Time the calls").click()
    expect(nb.panel.get_by_role("button", name="Stop")).to_be_visible()

    kill_kernel_when_it_waits(nb, page)
    expect(stale(nb)).to_have_text(GONE)
    # The panel no longer waits for the measurement of the old kernel.
    expect(nb.panel.get_by_role("button", name="Stop")).to_have_count(0)
    runs_again(nb)


def test_a_kernel_killed_in_the_middle_of_a_sweep(notebook, page):
    nb = notebook(LOAD, WAITING)
    nb.run(0)
    nb.run(1)
    (nb.lab.root / "wait").touch()
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_text("Sweep over sizes …").click()
    nb.panel.get_by_role("textbox", name="Values").fill("n=1,2")
    nb.panel.get_by_role("textbox", name="Call").fill("waiting(jnp.ones(n))")
    nb.panel.get_by_role("button", name="Run the sweep").click()
    expect(nb.panel.get_by_role("button", name="Stop")).to_be_visible()

    kill_kernel_when_it_waits(nb, page)
    expect(stale(nb)).to_have_text(GONE)
    expect(nb.panel.get_by_role("button", name="Stop")).to_have_count(0)
    runs_again(nb)


@pytest.mark.fresh_page
def test_a_server_that_goes_and_comes_back(tmp_path, page):
    with running_lab(tmp_path / "first") as first:
        nb = open_notebook(page, first, first.write([LOAD, DOUBLE]))
        nb.wait_until_idle()
        nb.run(0)
        nb.run(1)
        expect(nb.listing()).to_have_text(DOUBLED, use_inner_text=True)
        port = int(first.url.rpartition(":")[2])
    # The last program stays. The page may first notice the end of the kernel or the end of the server.
    expect(stale(nb)).to_have_text(re.compile(f"^({LOST}|{ENDED})$"), timeout=SERVER_IS_MISSED_WITHIN)
    expect(nb.listing()).to_have_text(DOUBLED, use_inner_text=True)

    with running_lab(tmp_path / "second", port=port) as second:
        # The kernel ended together with the first server.
        expect(stale(nb)).to_have_text(re.compile(f"^{ENDED}$"), timeout=SERVER_IS_MISSED_WITHIN)
        expect(nb.listing()).to_have_text(DOUBLED, use_inner_text=True)
        # After a reload, the page opens the saved notebook, and the cells run as before.
        second.write([LOAD, DOUBLE], name=nb.name)
        later = open_notebook(page, second, nb.name)
        later.wait_until_idle()
        later.run(0)
        later.run(1)
        expect(later.listing()).to_have_text(DOUBLED, use_inner_text=True)
        expect(stale(later)).to_have_count(0)


def test_a_cell_under_the_debugger(notebook, page):
    nb = notebook(LOAD, DOUBLE, "1 + 1")
    nb.run(0)
    page.get_by_role("button", name="Enable Debugger").click()
    expect(page.get_by_role("button", name="Disable Debugger")).to_be_visible()
    nb.run(1)
    expect(nb.listing()).to_have_text(DOUBLED, use_inner_text=True)
    page.get_by_role("button", name="Disable Debugger").click()
    nb.run(2)
    expect(nb.outputs(2)).to_have_text(re.compile(r"\b2\s*$"))
