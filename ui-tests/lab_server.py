"""Starts a JupyterLab server of its own on a folder."""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

STARTS_WITHIN = 180  # seconds
ENDS_WITHIN = 30
Cell = str | Mapping[str, Any]


@dataclass(frozen=True)
class LabServer:
    """A running Jupyter server: its address, its folders and its log file."""

    url: str
    root: Path
    config: Path
    data: Path
    settings: Path
    log: Path

    def write(
        self,
        cells: Sequence[Cell],
        *,
        name: str | None = None,
        kernel: str | None = "python3",
    ) -> str:
        """Put a notebook into the server's folder.

        Args:
            cells: A text is a code cell; any other object is a cell of nbformat 4.5.
            name: The name of the file; by default a new name.
            kernel: The name of the kernel; None for a notebook that opens without a kernel.

        Returns:
            The file's name.
        """
        name = name or f"{uuid.uuid4().hex[:8]}.ipynb"
        metadata = {}
        if kernel:
            metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
        document = {
            "cells": [
                {**(code(cell) if isinstance(cell, str) else cell), "id": f"cell-{index}"}
                for index, cell in enumerate(cells)
            ],
            "metadata": metadata,
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (self.root / name).write_text(json.dumps(document))
        return name

    def read(self, name: str) -> dict[str, Any]:
        """Return a notebook as it was last saved; the source of each cell is one string, not a list of lines."""
        return nbformat.read(self.root / name, as_version=4)

    def add_kernel(
        self, name: str, *, prelude: str = "", env: Mapping[str, str] = {}, python: str | Path = sys.executable
    ) -> None:
        """Add a kernel that runs the code `prelude` before ipykernel starts, with additional environment variables.

        `prelude="import sys; sys.modules['jax'] = None"` makes a kernel without JAX.
        """
        folder = self.data / "kernels" / name
        folder.mkdir(parents=True, exist_ok=True)
        start = f"{prelude}\nfrom ipykernel.kernelapp import launch_new_instance as run; run()"
        spec = {
            "argv": [str(python), "-c", start, "-f", "{connection_file}"],
            "display_name": name,
            "language": "python",
            "env": dict(env),
        }
        (folder / "kernel.json").write_text(json.dumps(spec))

    def request(self, method: str, path: str) -> Any:
        """Call the server's REST interface and read its answer."""
        request = urllib.request.Request(f"{self.url}/api/{path}", method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def kernel_of(self, name: str) -> str:
        """Return the id of the kernel that a notebook uses."""
        (session,) = [s for s in self.request("GET", "sessions") if s["path"] == name]
        return session["kernel"]["id"]

    @contextmanager
    def without_labextension(self) -> Iterator[None]:
        """Within the block, newly opened pages have JupyterLab without this labextension."""
        config = self.config / "labconfig" / "page_config.json"
        config.parent.mkdir(exist_ok=True)
        config.write_text('{"disabledExtensions": {"jupyter-jaxpr": true}}')
        try:
            yield
        finally:
            config.unlink()

    def remove_notebooks(self) -> None:
        """Delete the notebooks of earlier tests; at a test's end this is too early, because its page has them open."""
        for each in self.root.glob("*.ipynb"):
            each.unlink()

    def files(self) -> list[Path]:
        """Return the files that cells wrote: all files in the server's folder except notebooks."""
        return [each for each in self.root.iterdir() if each.is_file() and each.suffix != ".ipynb"]

    def forget(self, kernels: Set[str] = frozenset(), files: Set[Path] = frozenset()) -> None:
        """End the kernels, restore the settings, and delete the files that cells wrote.

        Args:
            kernels: The ids of the kernels that keep running. files: The files that stay.
        """
        for kernel in self.request("GET", "kernels"):
            if kernel["id"] not in kernels:
                self.request("DELETE", f"kernels/{kernel['id']}")
        for each in self.files():
            if each not in files:
                each.unlink()
        write_settings(self.settings)


def code(source: str, outputs: Sequence[Mapping[str, Any]] = (), count: int | None = None) -> dict:
    """Return a code cell, optionally with the outputs and the execution count of an earlier run."""
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": list(outputs),
        "execution_count": count,
    }


def markdown(source: str) -> dict:
    """Return a Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def write_settings(folder: Path) -> None:
    """Write the settings with which every test starts: no question about JupyterLab's news (it can cover the panel)."""
    shutil.rmtree(folder, ignore_errors=True)
    plugin = folder / "@jupyterlab" / "apputils-extension"
    plugin.mkdir(parents=True)
    (plugin / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')


def isolated(folder: Path) -> dict[str, str]:
    """Return environment variables that let a server and its kernels read and write only in `folder`."""
    for name in ("config", "data", "ipython", "settings", "workspaces"):
        (folder / name).mkdir()
    write_settings(folder / "settings")
    return os.environ | {
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }


@contextmanager
def running_server(folder: Path, *command: str, port: int | None = None) -> Iterator[str]:
    """Run a command that starts a Jupyter server, in `folder` and without a token.

    Args:
        folder: The folder for all files that the server and its kernels write.
        command: The command without the options that all servers have.
        port: The port of the server; None for a free port.

    Yields:
        The address that it prints for a person to open.
    """
    port = port or free_port()
    # macOS allows 103 characters for the path of a kernel's socket; a temporary folder of pytest or of the system may
    # have a longer path. After the server has ended, a kernel may still write into the folder.
    short = "/tmp" if os.path.isdir("/tmp") else None
    with tempfile.TemporaryDirectory(prefix="jupyter", dir=short, ignore_cleanup_errors=True) as runtime:
        yield from _running(folder, command, port, runtime)


def free_port() -> int:
    """Return the number of a port that no process listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


def _running(folder: Path, command: Sequence[str], port: int, runtime: str) -> Iterator[str]:
    process = subprocess.Popen(
        [
            *command,
            *("--no-browser", "--allow-root", "--IdentityProvider.token="),
            *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
            # Over TCP, another process may take a kernel's port after Jupyter has chosen it and before the kernel opens
            # it.
            "--KernelManager.transport=ipc",
        ],
        cwd=folder,  # not the repository, because the kernels must import the installed package
        env=isolated(folder) | {"JUPYTER_RUNTIME_DIR": runtime},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    addresses: queue.Queue[str | None] = queue.Queue()
    log = folder / "server.log"
    reader = threading.Thread(target=keep_log, args=(process, log, addresses))
    reader.start()
    try:
        address = addresses.get(timeout=STARTS_WITHIN)
        if address is None:
            raise RuntimeError(f"The server did not start:\n{log.read_text()}")
        wait_until_it_listens(port, log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()  # the kernels end by themselves when the server is gone
            process.wait()
        reader.join()


def wait_until_it_listens(port: int, log: Path) -> None:
    """Wait until the server accepts connections; it prints its address earlier."""
    last = time.monotonic() + STARTS_WITHIN
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > last:
                raise RuntimeError(f"The server does not listen on port {port}:\n{log.read_text()}") from None
            time.sleep(0.05)
        else:
            return


def keep_log(process: subprocess.Popen[str], log: Path, addresses: queue.Queue[str | None]) -> None:
    """Copy the server's output into a file, and put each address in it into a queue; at its end, put None."""
    assert process.stdout
    with log.open("w") as file:
        for line in process.stdout:
            file.write(line)
            file.flush()
            if found := re.search(r"http://127\.0\.0\.1:\d+/\S*", line):
                addresses.put(found[0])
    addresses.put(None)


@contextmanager
def running_lab(folder: Path, port: int | None = None) -> Iterator[LabServer]:
    """Run a JupyterLab whose files, settings, workspaces and kernels are in `folder`, on `port` or on a free port."""
    root = folder / "root"
    root.mkdir(parents=True)
    command = [
        *(sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"),
        *("--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"),
        "--ServerApp.disable_check_xsrf=True",
    ]
    with running_server(folder, *command, port=port) as address:
        yield LabServer(
            url=address.removesuffix("/lab"),
            root=root,
            config=folder / "config",
            data=folder / "data",
            settings=folder / "settings",
            log=folder / "server.log",
        )
