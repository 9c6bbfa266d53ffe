"""Tests that each module of the package can be the first one that a process imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "jupyter_jaxpr"
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if "labextension" not in path.parts and path.name != "__main__.py"
)

# JAX and the libraries are imported once; each module is then imported in a process that has only these.
IMPORT_EACH = """
import os, sys
import IPython, anywidget, jax.numpy, pytest
for module in sys.argv[1:]:
    process = os.fork()
    if not process:
        try:
            __import__(module)
        except BaseException as error:
            print(f"{module}: {type(error).__name__}: {error}", flush=True)
        os._exit(0)
    os.waitpid(process, 0)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_each_module_can_be_imported_first() -> None:
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IMPORT_EACH, *MODULES], capture_output=True, text=True
    )
    assert (process.stdout, process.returncode, len(MODULES) > 700) == ("", 0, True)
