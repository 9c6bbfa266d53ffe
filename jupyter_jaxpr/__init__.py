"""Loads each public name of the package when a program first uses the name.

Importing this package imports neither JAX nor the rest of the package, so a Jupyter server without JAX can
read the labextension's path from it, and a kernel without JAX can still say what is missing.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from .observe.side_effects.refused_and_undone_traces import EffectsError
    from .scripts.inspection import inspect
    from .scripts.last_run import LastRun, last
    from .scripts.observing import RecompileError, observe
    from .scripts.snapshot import Snapshot
    from .widgets import widget

__all__ = [
    "EffectsError",
    "LastRun",
    "RecompileError",
    "Snapshot",
    "__version__",
    "inspect",
    "last",
    "observe",
    "widget",
]

_HOMES = {
    "EffectsError": ".observe.side_effects.refused_and_undone_traces",
    "LastRun": ".scripts.last_run",
    "RecompileError": ".scripts.observing",
    "Snapshot": ".scripts.snapshot",
    "inspect": ".scripts.inspection",
    "last": ".scripts.last_run",
    "observe": ".scripts.observing",
    "widget": ".widgets",
    # not a public name: the code of rewritten cells imports this function from the package
    "last_call": ".typed.observed_cell",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module at its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


class _Package(ModuleType):
    """The class of this package's module object.

    Importing the subpackage `observe` would replace the function `observe`; this class prevents it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "observe" or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "jupyter-jaxpr"}]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Do what ``%load_ext jupyter_jaxpr`` asks for: register the magics."""
    from . import magic

    magic.load_ipython_extension(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Do what ``%unload_ext jupyter_jaxpr`` asks for: remove the magics, hooks and comms."""
    from . import magic

    magic.unload_ipython_extension(shell)
