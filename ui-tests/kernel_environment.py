"""Makes a Python environment for a kernel, with only the packages that the kernel side of the extension needs.

The packages are copied from the environment of the tests, so no network is needed. JAX, JupyterLab and the
labextension are not copied.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import venv
from importlib import metadata
from pathlib import Path

import jupyter_jaxpr

PACKAGE = "jupyter_jaxpr"
_NAME = re.compile(r"^[A-Za-z0-9._-]+")


def make_kernel_environment(folder: Path) -> Path:
    """Make a virtual environment that holds the kernel side of the extension.

    Args:
        folder: The folder in which the environment is made.

    Returns:
        Its Python.
    """
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    target = site_packages(python)
    for distribution in _required(PACKAGE):
        _copy(distribution, target)
    ours = Path(jupyter_jaxpr.__file__).parent
    shutil.copytree(ours, target / PACKAGE, ignore=shutil.ignore_patterns("labextension", "__pycache__"))
    return python


def site_packages(python: Path) -> Path:
    """Return the site-packages folder of an environment."""
    command = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def _required(name: str) -> list[metadata.Distribution]:
    """Return the installed distributions that a distribution requires, directly and indirectly."""
    found: dict[str, metadata.Distribution] = {}
    names = [name]
    while names:
        distribution = metadata.distribution(names.pop())
        for requirement in distribution.requires or ():
            key = _NAME.match(requirement)
            if "extra ==" in requirement or key is None or key[0].lower() in found:
                continue
            try:
                found[key[0].lower()] = metadata.distribution(key[0])
            except metadata.PackageNotFoundError:
                continue  # the requirement is for another platform or another Python version
            names.append(key[0])
    return list(found.values())


def _copy(distribution: metadata.Distribution, target: Path) -> None:
    source = Path(str(distribution.locate_file(""))).resolve()
    for file in distribution.files or ():
        path = Path(str(file.locate())).resolve()
        if not path.is_relative_to(source) or not path.is_file():
            continue  # scripts and data files are outside of site-packages and are not copied
        copied = target / path.relative_to(source)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)
