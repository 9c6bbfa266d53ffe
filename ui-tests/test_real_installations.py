"""Tests server and kernel in different environments, with different versions of the package and of JAX."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from kernel_environment import make_kernel_environment
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"
INCREMENT = "%%jaxpr\njax.jit(lambda x: x + 1)(1.0)"
ALONE = {"PYTHONPATH": "", "PYTHONNOUSERSITE": "1"}


@pytest.fixture(scope="session")
def kernel_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with the kernel side alone: no JAX, no JupyterLab."""
    return make_kernel_environment(tmp_path_factory.mktemp("kernel") / "alone")


@pytest.fixture(scope="session")
def kernel_with_old_jax(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with JAX 0.4.35, which is older than the oldest supported version."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not here, which installs an old JAX beside the new one")
    python = make_kernel_environment(tmp_path_factory.mktemp("kernel") / "old")
    install = [uv, "pip", "install", "--quiet", "--python", str(python), "jax==0.4.35"]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"JAX 0.4.35 cannot be installed here: {done.stderr.strip()}")
    return python


def test_a_kernel_of_another_environment_without_jax(notebook, lab, kernel_alone):
    lab.add_kernel("alone", python=kernel_alone, env=ALONE)
    nb = notebook(
        "import importlib.util as u\n[u.find_spec(name) for name in ('jax', 'jupyterlab', 'jupyter_server')]",
        "%load_ext jupyter_jaxpr",
        "%%jaxpr\nprint('ran')\n1 + 1",
        "%jaxpr f(f32[8])",
        kernel="alone",
    )
    nb.run(0)
    expect(nb.outputs(0)).to_have_text("[None, None, None]")
    nb.run(1)
    nb.command("jupyter-jaxpr:toggle-panel")
    expect(nb.panel.get_by_role("heading")).to_have_text("No usable JAX")
    install = "JAX is not installed in this kernel. Run `pip install -U jax` and restart the kernel."
    expect(nb.panel).to_contain_text(install)

    # The magic runs the cell although there is no JAX.
    nb.run(2)
    expect(nb.outputs(2).nth(0)).to_have_text("ran")
    expect(nb.outputs(2).nth(1)).to_have_text("2")
    expect(nb.outputs(2).nth(2)).to_have_text(install)
    expect(nb.panel.get_by_text(install)).to_have_count(1)
    nb.run(3)
    expect(nb.outputs(3)).to_have_text(install)


def test_a_kernel_with_a_jax_that_is_too_old(notebook, lab, kernel_with_old_jax):
    lab.add_kernel("old", python=kernel_with_old_jax, env=ALONE)
    nb = notebook(LOAD, INCREMENT, kernel="old")
    nb.run(0)
    expect(nb.outputs(0)).to_have_count(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    upgrade = (
        "jupyter_jaxpr needs JAX 0.10.2 or newer, and this kernel has JAX 0.4.35. Run `pip install -U jax` and restart "
        "the kernel."
    )
    expect(nb.panel.get_by_role("heading")).to_have_text("No usable JAX")
    expect(nb.panel).to_contain_text(upgrade)
    nb.run(1)
    expect(nb.outputs(1)).to_have_text(["Array(2., dtype=float32, weak_type=True)", upgrade])
    expect(nb.panel.get_by_text(upgrade)).to_have_count(1)


def test_a_kernel_without_the_extension(notebook, lab):
    lab.add_kernel("without", prelude="import sys; sys.modules['jupyter_jaxpr'] = None")
    nb = notebook("%load_ext jupyter_jaxpr", kernel="without")
    nb.command("jupyter-jaxpr:toggle-panel")
    expect(nb.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded")
    expect(nb.panel).to_contain_text(
        "If the kernel does not find jupyter_jaxpr, run this line first: %pip install jupyter_jaxpr"
    )
    nb.run(0)
    expect(nb.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded")


def kernel_of_version(version: str, **changed: int) -> str:
    """Return the text of a cell that gives the kernel side another version and other constants."""
    constants = "\n".join(f"{name.replace('__', '.')} = {value}" for name, value in changed.items())
    return (
        "from jupyter_jaxpr import version\nfrom jupyter_jaxpr.document.types import document\n"
        "from jupyter_jaxpr.wire import messages\n"
        f"version.__version__ = '{version}'\n{constants}"
    )


def test_two_versions_that_do_not_fit_together(notebook):
    nb = notebook(kernel_of_version("0.9.0", messages__PROTOCOL=3), LOAD, INCREMENT)
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    apart = (
        "The kernel has jupyter_jaxpr 0.9.0 and JupyterLab has 0.1.0. These versions do not work together. Run "
        '"pip install jupyter_jaxpr==0.9.0" where JupyterLab is installed, restart JupyterLab and reload this page.'
    )
    expect(nb.panel.get_by_role("status")).to_have_text("The panel cannot show the program." + apart)
    nb.run(2)
    # The outputs of the cell itself are shown although the panel cannot show the program.
    expect(nb.outputs(2).first).to_have_text("Array(2., dtype=float32, weak_type=True)")
    expect(nb.panel.get_by_role("status")).to_have_text("The panel cannot show the program." + apart)


def test_two_versions_that_fit_together(notebook):
    nb = notebook(kernel_of_version("0.1.9"), LOAD, INCREMENT)
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    apart = (
        "The kernel has jupyter_jaxpr 0.1.9 and JupyterLab has 0.1.0. These versions work together. Install the same "
        "version in both to have all features."
    )
    expect(nb.panel.get_by_role("heading")).to_have_text("No program yet")
    expect(nb.panel.get_by_text(apart)).to_have_count(1)
    nb.run(2)
    expect(nb.listing()).to_contain_text("b:f32[]weak = add a 1.0:f32[]")
    expect(nb.panel.get_by_text(apart)).to_have_count(1)


def test_a_document_of_a_version_that_is_not_known_yet(notebook):
    nb = notebook(kernel_of_version("0.1.9", document__VERSION=2), LOAD, INCREMENT)
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    nb.run(2)
    newer = (
        "A newer version of jupyter_jaxpr made the document (format 2; this panel reads format 1). Update "
        "jupyter_jaxpr where JupyterLab is installed and reload this page."
    )
    expect(nb.panel.get_by_role("alert")).to_contain_text("The program of the last run cannot be shown.")
    expect(nb.panel.get_by_role("alert")).to_contain_text(newer)
    expect(nb.outputs(2)).to_have_text(
        ["Array(2., dtype=float32, weak_type=True)", "This output cannot be shown." + newer]
    )


def test_a_jax_whose_inside_has_changed_shows_programs_and_names_what_is_missing(notebook):
    nb = notebook(
        "import jax, jax.numpy as jnp\nfrom jax._src import pjit\ninfer = pjit._infer_params\n"
        "pjit._infer_params = lambda *args: infer(*args)",
        "%load_ext jupyter_jaxpr",
        "%%jaxpr\n@jax.jit\ndef double(x):\n    return x * 2\n\ndouble(jnp.ones(3))",
    )
    nb.run(0)
    nb.run(1)
    nb.command("jupyter-jaxpr:toggle-panel")
    changed = "jupyter_jaxpr counts traces and compiles, but cannot tell which call caused a trace or a compile."
    expect(nb.panel).to_contain_text(changed)
    nb.run(2)
    expect(nb.outputs(2).first).to_have_text("Array([2., 2., 2.], dtype=float32)")
    expect(nb.listing()).to_contain_text("b:f32[3] = mul a 2.0:f32[]")
    expect(nb.panel.get_by_text(changed)).to_have_count(1)


@pytest.mark.fresh_page
def test_a_server_without_the_labextension_shows_static_html(notebook, lab):
    with lab.without_labextension():
        nb = notebook(LOAD, INCREMENT)
        nb.run(0)
        expect(nb.outputs(0)).to_have_count(0)
        nb.run(1)
        nb.run(1)
        expect(nb.panel).to_have_count(0)
        expect(nb.outputs(1).nth(0)).to_have_text("Array(2., dtype=float32, weak_type=True)")
        static = nb.outputs(1).nth(1)
        expect(static.get_by_role("heading").first).to_have_text("<lambda>")
        expect(static.get_by_text("(f32[] weak) → f32[] weak").first).to_be_visible()
        expect(static.get_by_text("b:f32[] = add a 1.0:f32[]")).to_be_visible()
        expect(nb.outputs(1)).to_have_count(2)


@pytest.mark.fresh_page
def test_what_the_labextension_costs_when_jupyterlab_starts(notebook, page):
    """Before a notebook or the panel is opened, JupyterLab loads only the small entry script of the labextension."""
    fetched: list[str] = []
    page.on("response", lambda response: fetched.append(response.url))
    nb = notebook("1")
    nb.run(0)
    ours = [url.partition("jupyter-jaxpr/static/")[2].partition("?")[0] for url in fetched if "/jupyter-jaxpr/" in url]
    heavy = [name for name in ours if "panel_program" in name or "panel_shell" in name or "saved-output" in name]
    assert any(name.startswith("remoteEntry.") for name in ours), json.dumps(ours)
    assert heavy == []
    nb.command("jupyter-jaxpr:toggle-panel")
    expect(nb.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded")
    assert any("panel_shell" in url for url in fetched)
    assert not any("panel_program" in url for url in fetched)
