"""Finds the in_axes for a vmap over a batch and a tree, such as a dict of parameters, which must not be mapped."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import dtype_of, root_of
from ..failing_code.return_values import function_of_text
from .transformed_calls import Applied

PASSED_WHOLE = "With {code}, vmap passes {names} whole to each call."


def whole_trees(call: Applied, axes_of_arrays: Sequence[tuple[str, str, str, str]]) -> list[FoundCure]:
    """Return the cure of in_axes with which each call gets some arguments whole, among them a tree of arrays.

    Empty unless exactly one such in_axes passes its trial. The cure has an edit only if the arrays of the first
    argument have different sizes along axis 0, so that vmap cannot map it, and all other arrays have one size.

    Args:
        call: The call of the mapped function.
        axes_of_arrays: Size, axis, path and type of arrays that vmap maps, as JAX's message names them.
    """
    raised, nodes = call.raised, call.call.args if call.call is not None else []
    names = (call.parameters or _inner_parameters(call))[: len(nodes)]
    if raised is None or call.transform is None or call.call is None or call.call.keywords:
        return []
    option = call.option("in_axes")
    options = [keyword for keyword in call.transform.keywords if keyword.arg != "in_axes"]
    if len(names) < len(nodes) or any(isinstance(node, ast.Starred) for node in nodes) or options:
        return []
    if option is not None and not _maps_all(option):
        return []
    sizes: dict[str, set[str]] = {}
    for size, _, path, _ in axes_of_arrays:
        sizes.setdefault(root_of(path), set()).add(size)
    in_trees = {root_of(path) for _, _, path, _ in axes_of_arrays if root_of(path) != path}
    trees = {name for name, node in zip(names, nodes, strict=True) if name in in_trees or _is_tree(call, node)}
    unmappable = {name for name in names if len(sizes.get(name, ())) > 1}
    mapped_sizes = sorted(set().union(*(sizes.get(name, set()) for name in names if name not in unmappable)))
    fitting = []
    if not trees:
        return []
    for mapped_size in mapped_sizes:
        whole = [name for name in names if name in unmappable or sizes.get(name, {mapped_size}) != {mapped_size}]
        entries = ["None" if name in whole else "0" for name in names]
        code = f"in_axes=({', '.join(entries)})"
        words = PASSED_WHOLE.format(code=code, names=in_a_sentence(whole, 4))
        cure = call.with_option(code, "in_axes", words)
        if option is not None:
            value = code.partition("=")[2]
            cure = applied(FoundCure("in_axes", value, words), [edit_of(raised, over(option, value))])
        cures = passed(raised, [cure])
        fitting += [cure for cure in cures if cure.level == "applies"]
    if len(fitting) != 1:
        return []
    # A tree that is not the first argument may be a batch with arrays of wrong sizes, so the cure is advice.
    is_certain = unmappable == {names[0]} and len(mapped_sizes) == 1
    return fitting if is_certain else [replace(fitting[0], level="advice", edits=())]


def unmappable_trees(
    call: Applied, axes_of_arrays: Sequence[tuple[str, str, str, str]]
) -> tuple[str, FoundCure] | None:
    """Return the sentence and the advice for arguments whose own arrays have different sizes along axis 0.

    None unless all other arguments have one size. This serves where another cell or file has the code of the vmap.
    """
    sizes: dict[str, set[str]] = {}
    for size, _, path, _ in axes_of_arrays:
        sizes.setdefault(root_of(path), set()).add(size)
    whole = [name for name in call.parameters if len(sizes.get(name, ())) > 1]
    others = set().union(*(sizes[name] for name in sizes if name not in whole))
    if not whole or len(others) != 1 or any(axis != "0" for _, axis, _, _ in axes_of_arrays):
        return None
    names, (size,) = in_a_sentence(whole, 4), others
    sentence = _OWN_SIZES.format(names=names)
    nodes = call.call.args if call.call is not None else []
    entries = ["None" if name in whole else "0" for name in call.parameters[: len(nodes)]]
    is_known = call.call is not None and not call.call.keywords and set(entries) == {"None", "0"}
    mapped = [name for name in call.parameters[: len(nodes)] if name not in whole]
    is_known = is_known and all(name in sizes for name in mapped)
    code = f"in_axes=({', '.join(entries)})" if is_known else None
    return sentence, FoundCure("in_axes", code, _OF_VMAP.format(names=names, size=size))


_OWN_SIZES = "The arrays in {names} have different sizes along axis 0, so vmap cannot map {names}."
_OF_VMAP = "Write None for {names} in in_axes of the vmap: each of the {size} calls then gets {names} whole."


def _maps_all(option: ast.expr) -> bool:
    """Return whether in_axes says to map axis 0 of each argument."""
    entries = option.elts if isinstance(option, ast.Tuple) else [option]
    return all(isinstance(entry, ast.Constant) and entry.value == 0 for entry in entries)


def _inner_parameters(call: Applied) -> list[str]:
    """Return the parameters of f for jax.vmap(jax.grad(f))."""
    node = call.transform.args[0] if call.transform is not None and call.transform.args else None
    if call.raised is None or not isinstance(node, ast.Call) or not node.args:
        return []
    function = function_of_text(call.raised, node.args[0])
    return [parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args]] if function else []


def _is_tree(call: Applied, node: ast.expr) -> bool:
    """Return whether an argument is a container of arrays, or an object such as a module."""
    import jax

    value = call.value(node)
    if value is None or dtype_of(value):
        return False
    leaves = jax.tree_util.tree_leaves(value)
    return not (len(leaves) == 1 and leaves[0] is value)
