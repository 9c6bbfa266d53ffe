"""Lets a Jupyter server compare saved documents, for pages without a kernel.

Every Jupyter server imports this module at its start, so the code of the comparison is only imported at the first
request.
"""

from __future__ import annotations

from typing import Any

ADDRESS = "jupyter-jaxpr/diff"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "jupyter_jaxpr.server"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Register the address of the comparison; a Jupyter server calls this function at its start."""
    from jupyter_server.utils import url_path_join

    from .diff_handler import DiffHandler

    base = server.web_app.settings["base_url"]
    server.web_app.add_handlers(".*$", [(url_path_join(base, ADDRESS), DiffHandler)])
