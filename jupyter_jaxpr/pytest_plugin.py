"""Loads the pytest plugin for `-p jupyter_jaxpr.pytest_plugin`; see `scripts.pytest_fixture`."""

from .scripts.pytest_fixture import jax_ledger, pytest_configure

__all__ = ["jax_ledger", "pytest_configure"]
