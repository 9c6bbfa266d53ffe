"""Trees of argument types in, the texts of a signature out: ``p: {b: f32[16], wx: f32[8,16]}``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..observe.observation import ArgumentSpec
from .document import Argument

#: Longest text of one argument, in characters, and in its short form.
TYPE_LIMIT = 1_000
SUMMARY_LIMIT = 24


def argument(spec: ArgumentSpec) -> Argument:
    """An argument of a call."""
    if spec.tree is None and spec.static is not None:
        return Argument(
            name=spec.name,
            type=_cut(spec.static, TYPE_LIMIT),
            summary=_cut(spec.static, SUMMARY_LIMIT),
            static=True,
            donated=spec.donated,
        )
    return _argument(spec.name, spec.tree, donated=spec.donated)


def result(tree: Any) -> Argument:
    """A result by the tree of its types."""
    return _argument("", tree, donated=False)


def flat_result(types: Iterable[str]) -> Argument:
    """A result of which only the leaves' types are known."""
    texts = list(types)
    text = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
    return Argument(
        name="",
        type=_cut(text, TYPE_LIMIT),
        summary=text if len(text) <= SUMMARY_LIMIT else f"{len(texts)} arrays",
        static=False,
        donated=False,
    )


def _argument(name: str, tree: Any, *, donated: bool) -> Argument:
    return Argument(
        name=name,
        type=_cut(tree_text(tree), TYPE_LIMIT),
        summary=summary_text(tree),
        static=False,
        donated=donated,
    )


def tree_text(tree: Any) -> str:
    """The types of a tree in its structure, such as ``{b: f32[16], layers: (f32[8,8], f32[8,8])}``."""
    return _tree(tree, leaf_text)


def summary_text(tree: Any) -> str:
    """The same in few letters: a leaf's type, the keys of a dictionary, else how many arrays it holds."""
    text = tree_text(tree)
    if len(text) <= SUMMARY_LIMIT:
        return text
    if isinstance(tree, dict):
        keys = "{" + ", ".join(str(key) for key in tree) + "}"
        if len(keys) <= SUMMARY_LIMIT:
            return keys
    if _is_leaf(tree):
        return _cut(text, SUMMARY_LIMIT)
    count = len(_leaves(tree))
    kind = "" if isinstance(tree, dict | tuple | list) else f"{type(tree).__name__}: "
    return _cut(f"{kind}{count} array{'' if count == 1 else 's'}", SUMMARY_LIMIT)


def leaf_text(leaf: Any) -> str:
    """The type of one array, such as ``f32[8,4]`` or ``f32[] weak``."""
    shape = ",".join(str(axis) for axis in leaf.shape)
    weak = " weak" if getattr(leaf, "weak_type", False) else ""
    return f"{dtype_text(leaf.dtype)}[{shape}]{weak}"


def dtype_text(dtype: Any) -> str:
    """A dtype in JAX's short form, such as f32, bf16, i8, key<fry>."""
    name = str(getattr(dtype, "name", dtype))
    if "<" in name:
        return name
    for long, short in (("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c")):
        name = name.replace(long, short)
    return name


def _is_leaf(tree: Any) -> bool:
    return hasattr(tree, "shape") and hasattr(tree, "dtype")


def _tree(tree: Any, leaf: Callable[[Any], str]) -> str:
    if tree is None:
        return "None"
    if _is_leaf(tree):
        return leaf(tree)
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key}: {_tree(value, leaf)}" for key, value in tree.items()) + "}"
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        items = zip(tree._fields, tree, strict=True)
        inside = ", ".join(f"{key}: {_tree(value, leaf)}" for key, value in items)
        return f"{type(tree).__name__}({inside})"
    if isinstance(tree, tuple):
        items_text = ", ".join(_tree(value, leaf) for value in tree)
        return f"({items_text},)" if len(tree) == 1 else f"({items_text})"
    if isinstance(tree, list):
        return "[" + ", ".join(_tree(value, leaf) for value in tree) + "]"
    paths = _paths(tree)
    if paths:
        inside = ", ".join(f"{path}: {_tree(value, leaf)}" for path, value in paths)
        return f"{type(tree).__name__}({inside})"
    return type(tree).__name__


def _leaves(tree: Any) -> list[Any]:
    import jax

    return [leaf for leaf in jax.tree_util.tree_leaves(tree) if _is_leaf(leaf)]


def _paths(tree: Any) -> list[tuple[str, Any]]:
    """Leaves of a registered node with their paths, such as layers[0].weight."""
    import jax

    leaves = jax.tree_util.tree_leaves_with_path(tree)
    if len(leaves) == 1 and leaves[0][1] is tree:
        return []
    return [(jax.tree_util.keystr(path).lstrip("."), leaf) for path, leaf in leaves if _is_leaf(leaf)]


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
