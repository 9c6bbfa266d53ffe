"""Loads the pytest plugin for `-p jupyter_jaxpr.pytest_plugin`; see `scripts.pytest_plugin`."""

from .scripts.pytest_plugin import jax_ledger, pytest_configure

__all__ = ["jax_ledger", "pytest_configure"]
