"""The pytest plugin `-p jupyter_jaxpr.pytest_plugin`; see `scripts.pytest_plugin`."""

from .scripts.pytest_plugin import *  # noqa: F403
