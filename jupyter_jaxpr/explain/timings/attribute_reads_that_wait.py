"""Says which reads of an attribute of a result may wait until JAX has computed the result."""

from __future__ import annotations

import ast
from typing import TypeGuard


def may_wait(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Return whether a node reads an attribute that may need the value: not `shape`, `dtype`, `ndim` or `size`."""
    return isinstance(node, ast.Attribute) and node.attr not in ("shape", "dtype", "ndim", "size")
