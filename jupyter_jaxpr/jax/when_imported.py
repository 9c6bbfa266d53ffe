"""Watches Python's import system and reports when a module such as JAX has been imported."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from typing import Any

from ..interruptions import not_of_a_signal


class WhenImported:
    """An import finder that finds no module; it calls a function after other code has imported a certain module.

    If this package imported JAX, JAX would read the environment variables before the user's cell sets them.
    """

    def __init__(self, name: str, call: Callable[[], None]) -> None:
        self._name = name
        self._call = call
        self._looking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the module spec that the other finders give.

        Its loader calls the function after the module has run.
        """
        if name != self._name or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking = False
        loader = spec.loader if spec is not None else None
        if loader is None or not hasattr(loader, "exec_module"):
            return spec
        run = loader.exec_module

        def exec_module(module: Any) -> None:
            # Delete this function from the loader, so that the method of the loader's class is no longer hidden.
            del loader.exec_module
            run(module)
            self.stop()
            # An error of this package must not break the user's import; the next cell tries again.
            try:
                self._call()
            except not_of_a_signal(Exception):
                return

        loader.exec_module = exec_module  # type: ignore[method-assign]  # on this one loader, until it has run
        return spec

    def stop(self) -> None:
        """Remove this finder from Python's import system."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
