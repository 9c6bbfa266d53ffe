"""Measures cells in an IPython shell with the extension, and a comm that accepts every message."""

from __future__ import annotations

import time
from typing import Any

import comm
from comm.base_comm import BaseComm
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output


class TakingComm(BaseComm):
    """A comm for a shell without a front end: it encodes each message, as usual, and drops it."""

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any):
        pass


def open_shell() -> InteractiveShell:
    """Return a shell with JAX imported and the extension loaded."""
    comm.create_comm = TakingComm
    shell = InteractiveShell.instance(colors="nocolor")
    shell.run_cell("import jax, time\nimport jax.numpy as jnp\nfrom jax import lax")
    shell.run_line_magic("load_ext", "jupyter_jaxpr")
    return shell


def run(shell: InteractiveShell, source: str, *, magic: bool) -> float:
    """Run a cell and return its seconds; without the magic, a comment stands in the place of %%jaxpr."""
    cell = source if source.startswith("%%") else ("%%jaxpr\n" if magic else "# without\n") + source
    with capture_output():
        start = time.perf_counter()
        result = shell.run_cell(cell, store_history=True)
        took = time.perf_counter() - start
    result.raise_error()
    return took
