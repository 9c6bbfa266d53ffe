"""Tells whether the host has magics: a sentence offers `%%jaxpr` only where a cell can begin with it."""

from __future__ import annotations

import sys

KEEP_AND_INSPECT = "Keep the arguments in variables, and inspect the call again."


def has_magics() -> bool:
    """Return whether a shell of IPython runs in this process; marimo and scripts have none. Imports nothing."""
    shells = sys.modules.get("IPython.core.interactiveshell")
    return shells is not None and bool(shells.InteractiveShell.initialized())


def cure(with_magics: str, without: str) -> str:
    """Return the cure for the front end: with a magic, or without one."""
    return with_magics if has_magics() else without
