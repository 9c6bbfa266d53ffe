"""Finds out whether `%%jaxpr` shows a widget below its cell by itself."""

from __future__ import annotations

import importlib.util
import os
import sys


def shows_widget(choice: str, has_panel: bool) -> bool:
    """Return whether the run of a cell is shown as a widget; otherwise the output is static HTML.

    Args:
        choice: The setting `JaxprMagics.widget`: "auto", "always" or "never".
        has_panel: True if a page with the labextension has talked to this kernel.
    """
    if choice == "never" or (choice == "auto" and (has_panel or not is_without_panel())):
        return False
    return importlib.util.find_spec("anywidget") is not None


def is_without_panel() -> bool:
    """Return whether the kernel knows that its host shows widgets and has no labextension: Colab and VS Code.

    JupyterLab and nbconvert that were started in VS Code may give VS Code's variable on to their kernels. Jupyter tells
    a kernel the process that started the kernel; VS Code, which starts kernels itself, does not.
    """
    if "google.colab" in sys.modules:
        return True
    return "VSCODE_PID" in os.environ and "JPY_PARENT_PID" not in os.environ
