"""The magics: `%%jaxpr` on a cell runs it under the observer, `%jaxpr f(x)` traces a call.

- `options`: parses the magic's line into options.
- `magics`: the magics themselves and their settings.
- `cell_observer`: one for each shell; begins and ends the observation of a cell, and publishes its document.
- `heartbeat`: reports once a second which stage of a long call JAX is in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magics and start the observer."""
    from .cell_observer import CellObserver

    CellObserver.of(shell).load()


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Remove the magics and the observer."""
    from .cell_observer import CellObserver

    CellObserver.of(shell).unload()
