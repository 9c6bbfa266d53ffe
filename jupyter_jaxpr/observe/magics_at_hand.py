"""Finds out whether the front end has magics: a sentence advises `%%jaxpr` only where a cell can begin with it."""

from __future__ import annotations

import sys

KEEP_AND_INSPECT = "Keep the arguments in variables, and inspect the call again."


def has_magics() -> bool:
    """Return whether IPython runs in this process; marimo and scripts have no magics. Imports nothing."""
    shells = sys.modules.get("IPython.core.interactiveshell")
    return shells is not None and bool(shells.InteractiveShell.initialized())


def cure(with_magics: str, without: str) -> str:
    """Return `with_magics` if IPython runs in this process, else `without`: two versions of the same cure."""
    return with_magics if has_magics() else without
