"""Tests which files are the user's: this package's own files are not, wherever the package lies."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest

import jupyter_jaxpr
from jupyter_jaxpr.observe.user_or_library.whose_code import is_installed, is_jax

pytestmark = pytest.mark.any_jax


def test_no_file_of_this_package_is_the_users():
    folder = Path(jupyter_jaxpr.__file__).resolve().parent
    assert [path for path in folder.rglob("*.py") if not is_installed(str(path))] == []


def test_packages_are_not_the_users_and_a_cell_is():
    assert (is_installed(jax.__file__), is_jax(jax.__file__)) == (True, True)
    assert (is_installed(np.__file__), is_jax(np.__file__)) == (True, False)
    assert is_installed("<ipython-input-1-0a1b2c>") is False
    assert is_installed("/home/ada/model.py") is False
