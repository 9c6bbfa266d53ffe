"""Is the pytest plugin: gives a project's tests the ledger of their jitted functions, the fixture `jax_ledger`.

    def test_one_compile(jax_ledger):
        train()
        assert jax_ledger["train_step"].compiles == 1

or, with every reason in the failure's message:

    @pytest.mark.jax_max_compiles(train_step=1)
    def test_one_compile(jax_ledger):
        train()
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .observe.cache.ledger_for_scripts import Ledger


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker `jax_max_compiles`."""
    config.addinivalue_line(
        "markers", "jax_max_compiles(**limits): the most compiles in this test of each jitted function, such as f=1"
    )


@pytest.fixture
def jax_ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    """Return the ledger of this test while the test runs; the marker `jax_max_compiles` sets limits."""
    from .scripts.observing import observe

    marker = request.node.get_closest_marker("jax_max_compiles")
    with observe(max_compiles=marker.kwargs if marker is not None else None) as ledger:
        yield ledger
