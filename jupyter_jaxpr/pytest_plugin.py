"""Loads the pytest plugin for `-p jupyter_jaxpr.pytest_plugin`; see `scripts.ledger_fixture`."""

from .scripts.ledger_fixture import jax_ledger, pytest_configure

__all__ = ["jax_ledger", "pytest_configure"]
