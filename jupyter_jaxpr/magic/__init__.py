"""The magics: `%%jaxpr` on a cell runs it under the observer, `%jaxpr f(x)` traces a call.

- `options`: the magic's line -> what the user wants.
- `magics`: the magics themselves and their settings.
- `session`: one a shell; begins and ends the observation of a cell, and publishes what came of it.
- `heartbeat`: says once a second where a long call is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magics and start the observer."""
    from .session import Session

    Session.of(shell).load()


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Remove the magics and the observer."""
    from .session import Session

    Session.of(shell).unload()
