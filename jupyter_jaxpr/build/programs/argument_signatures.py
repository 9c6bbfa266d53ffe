"""Prints trees of argument types as texts, such as ``p: {b: f32[16], wx: f32[8,16]}``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...document.limits import Characters
from ...document.types.document import Argument
from ...interruptions import not_of_a_signal
from ...observe.cache.key_texts import step_text
from ...observe.cache.static_fields_of_pytrees import nnx_module
from ...observe.observation import ArgumentSpec
from ...observe.reprs_of_users_values import Reading
from ...plain_text import FAILURES, could_not, exact, kind_name, text_of
from ...quantities import count


def argument(spec: ArgumentSpec, reading: Reading | None = None) -> Argument:
    """Return the document's `Argument` of an argument of a call.

    Args:
        spec: The name and the types of the argument.
        reading: The methods of the user's objects that may be called; objects can be keys of the tree.
    """
    try:
        return _argument_of(spec, reading or Reading())
    except not_of_a_signal(*FAILURES) as error:  # if describing one argument fails, the others are still described
        return _undescribed(spec.name, error)


def _argument_of(spec: ArgumentSpec, reading: Reading) -> Argument:
    if spec.tree is None and spec.static is not None:
        return Argument(
            name=spec.name,
            type=exact(spec.static, Characters.ARGUMENT_TYPE),
            summary=exact(spec.static, Characters.ARGUMENT_IN_PROGRAM_LIST),
            static=True,
            donated=spec.donated,
        )
    return _argument(spec.name, spec.tree, reading, donated=spec.donated)


def _undescribed(name: str, error: BaseException) -> Argument:
    return Argument(name=name, type=could_not(error), summary="…", static=False, donated=False)


def result(tree: Any, reading: Reading | None = None) -> Argument:
    """Return the document's `Argument` of a result, from the tree of its types."""
    try:
        return _argument("", tree, reading or Reading(), donated=False)
    except not_of_a_signal(*FAILURES) as error:
        return _undescribed("", error)


def flat_result(types: Iterable[str]) -> Argument:
    """Return the document's `Argument` of a result whose leaf types are known, but not its tree structure."""
    texts = list(types)
    text = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
    return Argument(
        name="",
        type=exact(text, Characters.ARGUMENT_TYPE),
        summary=text if len(text) <= Characters.ARGUMENT_IN_PROGRAM_LIST else count(len(texts), "array"),
        static=False,
        donated=False,
    )


def _argument(name: str, tree: Any, reading: Reading, *, donated: bool) -> Argument:
    return Argument(
        name=name,
        type=exact(tree_text(tree, reading), Characters.ARGUMENT_TYPE),
        summary=summary_text(tree, reading),
        static=False,
        donated=donated,
    )


def tree_text(tree: Any, reading: Reading | None = None) -> str:
    """Print the types of a tree in its structure, such as ``{b: f32[16], layers: (f32[8,8], f32[8,8])}``."""
    return _tree(tree, leaf_text, reading or Reading())


def summary_text(tree: Any, reading: Reading | None = None) -> str:
    """Print a tree of types in full if the text is short enough, else its keys or its number of arrays.

    A long type of a single leaf is cut.
    """
    reading = reading or Reading()
    text = tree_text(tree, reading)
    if len(text) <= Characters.ARGUMENT_IN_PROGRAM_LIST:
        return text
    if isinstance(tree, dict):
        keys = "{" + ", ".join(_key(key, reading) for key in tree) + "}"
        if len(keys) <= Characters.ARGUMENT_IN_PROGRAM_LIST:
            return keys
    if _is_leaf(tree):
        return exact(text, Characters.ARGUMENT_IN_PROGRAM_LIST)
    kind = "" if isinstance(tree, dict | tuple | list) else f"{kind_name(type(tree))}: "
    return exact(f"{kind}{count(len(_leaves(tree)), 'array')}", Characters.ARGUMENT_IN_PROGRAM_LIST)


def leaf_text(leaf: Any) -> str:
    """Print the type of one array, such as ``f32[8,4]`` or ``f32[] weak``."""
    shape = ",".join(text_of(axis) for axis in leaf.shape)
    weak = " weak" if getattr(leaf, "weak_type", False) else ""
    return f"{dtype_text(leaf.dtype)}[{shape}]{weak}"


def dtype_text(dtype: Any) -> str:
    """Print a dtype in JAX's short form, such as f32, bf16, i8, key<fry>."""
    name = text_of(getattr(dtype, "name", dtype))
    if "<" in name:
        return name
    for long, short in (("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c")):
        name = name.replace(long, short)
    return name


def _is_leaf(tree: Any) -> bool:
    return hasattr(tree, "shape") and hasattr(tree, "dtype")


def _key(key: Any, reading: Reading) -> str:
    return exact(key) if issubclass(type(key), str) else reading.text(key)


def _tree(tree: Any, leaf: Callable[[Any], str], reading: Reading) -> str:
    if tree is None:
        return "None"
    if _is_leaf(tree):
        return leaf(tree)
    if isinstance(tree, dict):
        return (
            "{" + ", ".join(f"{_key(key, reading)}: {_tree(value, leaf, reading)}" for key, value in tree.items()) + "}"
        )
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        items = zip(tree._fields, tree, strict=True)
        inside = ", ".join(f"{_key(key, reading)}: {_tree(value, leaf, reading)}" for key, value in items)
        return f"{kind_name(type(tree))}({inside})"
    if isinstance(tree, tuple):
        items_text = ", ".join(_tree(value, leaf, reading) for value in tree)
        return f"({items_text},)" if len(tree) == 1 else f"({items_text})"
    if isinstance(tree, list):
        return "[" + ", ".join(_tree(value, leaf, reading) for value in tree) + "]"
    paths = _paths(tree, reading)
    module = _nnx_module(tree, reading)
    if module is not None:
        name, variables = module
        arrays = [array for _, array in paths]
        if len(arrays) == len(variables):
            inside = ", ".join(f"{path}: {leaf(array)}" for path, array in zip(variables, arrays, strict=True))
            return f"{name}({inside})"
    if paths:
        inside = ", ".join(f"{path}: {_tree(value, leaf, reading)}" for path, value in paths)
        return f"{kind_name(type(tree))}({inside})"
    return kind_name(type(tree))


def _nnx_module(tree: Any, reading: Reading) -> tuple[str, list[str]] | None:
    """Return the class name and the variables of a flax.nnx module; None for other trees."""
    import jax

    if kind_name(type(tree)) != "NodeStates":
        return None
    return nnx_module(jax.tree_util.tree_structure(tree), reading)


def _leaves(tree: Any) -> list[Any]:
    import jax

    return [leaf for leaf in jax.tree_util.tree_leaves(tree) if _is_leaf(leaf)]


def _paths(tree: Any, reading: Reading) -> list[tuple[str, Any]]:
    """Return (path, leaf) for the leaves of a registered pytree node; a path is such as layers[0].weight."""
    import jax

    leaves = jax.tree_util.tree_leaves_with_path(tree)
    if len(leaves) == 1 and leaves[0][1] is tree:
        return []
    return [
        ("".join(step_text(step, reading) for step in path).lstrip("."), leaf)
        for path, leaf in leaves
        if _is_leaf(leaf)
    ]
