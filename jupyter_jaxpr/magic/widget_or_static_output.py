"""Decides whether `%%jaxpr` displays a widget below its cell."""

from __future__ import annotations

import importlib.util
import os
import sys


def shows_widget(choice: str, has_panel: bool) -> bool:
    """Return whether the run of a cell is shown as a widget; otherwise the output is static HTML.

    Args:
        choice: The setting `JaxprMagics.widget`: "auto", "always" or "never".
        has_panel: True if a page with the labextension has sent a message to this kernel.
    """
    if choice == "never" or (choice == "auto" and (has_panel or not is_without_panel())):
        return False
    return importlib.util.find_spec("anywidget") is not None


def is_without_panel() -> bool:
    """Return whether the host is known to show widgets and to lack the labextension: Colab and VS Code.

    VS Code's environment variable alone is not enough, because JupyterLab or nbconvert started from VS Code passes it
    on to its kernels. But Jupyter tells a kernel which process started it, and VS Code, which starts kernels itself,
    does not.
    """
    if "google.colab" in sys.modules:
        return True
    return "VSCODE_PID" in os.environ and "JPY_PARENT_PID" not in os.environ
