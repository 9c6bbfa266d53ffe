"""Tests the package as such: the effect of its import, and its names."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import jupyter_jaxpr

pytestmark = pytest.mark.any_jax

ROOT = Path(__file__).parents[1]


def imported_by(statement: str) -> set[str]:
    """Return the top-level modules that a new Python process has loaded after a statement."""
    program = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(process.stdout.split())


WITHOUT_JAX = """
import importlib.machinery as machinery

find = machinery.PathFinder.find_spec
gone = ("jax", "jaxlib", "numpy")  # a kernel without JAX may have no NumPy either
machinery.PathFinder.find_spec = staticmethod(
    lambda name, path=None, target=None: None if name.split(".")[0] in gone else find(name, path, target)
)

from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jupyter_jaxpr")
shell.run_cell("%%jaxpr\\nprint('ran')")
shell.run_cell("%jaxpr f(f32[8])")
"""


def test_a_kernel_without_jax_and_numpy(tmp_path):
    environment = os.environ | {"IPYTHONDIR": str(tmp_path)}
    command = [sys.executable, "-c", WITHOUT_JAX]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    install = "JAX is not installed in this kernel. Run `pip install -U jax` and restart the kernel."
    assert ran.stdout.splitlines() == ["ran", install, install]
    assert ran.stderr == ""


DOCUMENT_WITHOUT_JAX = """
import importlib, pathlib, pkgutil, sys

sys.modules.update(jax=None, jaxlib=None, numpy=None)  # an import of them raises

import jupyter_jaxpr.document, jupyter_jaxpr.exports

for room in (jupyter_jaxpr.document, jupyter_jaxpr.exports):
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        importlib.import_module(module.name)

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.exports.html_page import page

document = read(pathlib.Path(sys.argv[1]).read_bytes())
print(len(document.programs), "<html" in page(document))
"""


def test_a_document_is_read_and_exported_where_jax_cannot_be_imported():
    fixture = ROOT / "tests" / "fixtures" / "rnn-0.12.json"
    command = [sys.executable, "-c", DOCUMENT_WITHOUT_JAX, str(fixture)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.stdout == "1 True\n", ran.stderr


def test_a_jupyter_server_imports_the_comparison_at_its_first_request():
    assert "msgspec" in imported_by("import jupyter_jaxpr.server.diff_request")
    assert "msgspec" not in imported_by("import jupyter_jaxpr.server")


def test_importing_the_package_imports_neither_jax_nor_ipython():
    new = imported_by("import jupyter_jaxpr") - imported_by("pass")
    assert {"jupyter_jaxpr"} <= new
    assert new.isdisjoint({"jax", "jaxlib", "numpy", "IPython", "ipykernel", "msgspec", "comm"})


def test_the_measurement_of_the_test_above_sees_imports():
    assert {"jax", "jaxlib", "numpy"} <= imported_by("import jax")


def test_the_version_is_that_of_package_json():
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    assert jupyter_jaxpr.__version__ == package["version"]


def test_the_public_names_are_there():
    assert jupyter_jaxpr.__all__ == [
        "EffectsError",
        "LastRun",
        "RecompileError",
        "Snapshot",
        "__version__",
        "inspect",
        "last",
        "observe",
        "widget",
    ]
    assert jupyter_jaxpr.inspect.__module__ == "jupyter_jaxpr.scripts.inspection"
    assert jupyter_jaxpr.last.__module__ == "jupyter_jaxpr.scripts.last_run"
    assert (jupyter_jaxpr.Snapshot.__name__, jupyter_jaxpr.LastRun.__name__) == ("Snapshot", "LastRun")
    assert set(jupyter_jaxpr.__all__) <= set(dir(jupyter_jaxpr))


def test_a_name_it_has_not_is_an_attribute_error():
    with pytest.raises(AttributeError, match="^module 'jupyter_jaxpr' has no attribute 'inspct'$"):
        jupyter_jaxpr.inspct  # noqa: B018 - reading it is what raises
