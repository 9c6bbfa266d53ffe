"""Finds out whether a front end has IPython's magics: a text may advise `%%jaxpr` only if a cell can begin with it."""

from __future__ import annotations

import sys

KEEP_AND_INSPECT = "Keep the arguments in variables, and inspect the call again."


def has_magics() -> bool:
    """Return whether IPython runs in this process: marimo and scripts have no magics.

    The function imports nothing.
    """
    shells = sys.modules.get("IPython.core.interactiveshell")
    return shells is not None and bool(shells.InteractiveShell.initialized())


def cure(with_magics: str, without: str) -> str:
    """Return the cure for a front end with magics if IPython runs in this process, else the cure without magics."""
    return with_magics if has_magics() else without
