"""Explains an error of `vmap` about the number of entries in in_axes, or about an argument without the mapped axis."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from ....jax.transform_and_inputs_of_tracer import type_of
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, chosen, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import NUMBERS_OF_PYTHON, makes_key
from .in_axes_beside_trees import PASSED_WHOLE
from .in_axes_of_trees import entry_of
from .in_axes_written_out import UNMAPPED_AXIS, entries_without_axis
from .mapped_sizes import BY_NAME, BY_POSITION, entries_code, entries_of_code, only_fitting, sizes_error
from .stacked_trees import stacked_trees
from .transformed_calls import Applied

_SIZES = re.compile(r"^vmap got inconsistent sizes for array axes to be mapped:")
_IN_AXES = re.compile(r"^vmap in_axes must be an int, None, or .*?len\(in_axes\)=(\d+), len\(args\)=(\d+)", re.DOTALL)
_RANK = re.compile(
    r"^vmap was requested to map its argument along axis (-?\d+), which implies that its rank should be at least (\d+)"
    r", but is only (\d+)"
)
_NONE = re.compile(r"^vmap must have at least one non-None value in in_axes")


def vmap_error(call: Applied, text: str) -> Explained | None:
    """Explains an error of vmap about the sizes of the mapped axes, or about the entries in in_axes.

    Args:
        call: The call of the mapped function.
        text: The message of the error.
    """
    if _SIZES.search(text):
        return sizes_error(call, text)
    if match := _IN_AXES.search(text):
        return _in_axes(call, int(match[1]), int(match[2]))
    if match := _RANK.search(text):
        return _rank(call, int(match[1]), int(match[3]))
    if _NONE.search(text):
        return _no_axis(call)
    return None


def _in_axes(call: Applied, entries: int, passed_count: int) -> Explained:
    name = f"{call.name[0].upper()}{call.name[1:]}" if call.name.startswith("the ") else call.name
    text = f"{name} takes {', '.join(call.parameters[:8])}." if call.parameters else ""
    option = call.option("in_axes")
    words = "in_axes has one entry for each argument: the axis that vmap maps, or None."
    text += f" {' '.join(containers)}" if (containers := _containers(call)) else ""
    cure = FoundCure("in_axes", None, words)
    named = [keyword.arg for keyword in call.call.keywords if keyword.arg] if call.call is not None else []
    of_axes = f"in_axes has {count(entries, 'entry', 'entries')}"
    if named and entries > passed_count:
        title = f"{of_axes}, but the call passes {count(passed_count, 'positional argument')}"
        text = f"in_axes has no entry for {named[0]}. {BY_NAME}"
        words = f"Pass {' and '.join(named)} by position, or bind the value before vmap with functools.partial."
        return call.explained(title, text, [FoundCure("by position", None, words)])
    title = f"{of_axes}, but the call passes {count(passed_count, 'argument')}"
    if (fitting := _fitting_entries(call, passed_count)) is not None:
        return Explained(None, title, text, (fitting,))
    transform = call.transform
    # Of two nested vmaps, both need the entry, so one edit does not cure the call.
    is_nested = transform is None or not transform.args or isinstance(transform.args[0], ast.Call)
    if (
        call.raised is not None
        and not is_nested
        and isinstance(option, ast.Tuple | ast.List)
        and entries < passed_count
    ):
        entries_text = [call.raised.source(entry) for entry in option.elts] + ["AXIS"] * (passed_count - entries)
        code = f"in_axes=({', '.join(entries_text)})"
        of_axis = "Set AXIS to 0 to map the argument along axis 0, or to None to pass the whole argument to each call."
        cure = FoundCure("in_axes", code, f"{words} {of_axis}")
        cure = chosen(cure, [edit_of(call.raised, over(option, code.partition("=")[2]))])
    return call.explained(title, text, [cure])


def _fitting_entries(call: Applied, passed_count: int) -> FoundCure | None:
    """Return the cure that adds or removes an entry of in_axes, if exactly one such change passes its trial."""
    raised, option = call.raised, call.option("in_axes")
    if raised is None or not isinstance(option, ast.Tuple | ast.List):
        return None
    texts = [raised.source(entry) for entry in option.elts]
    changed: list[list[str]] = []
    if len(texts) == passed_count + 1:
        changed = [texts[:place] + texts[place + 1 :] for place in range(len(texts))]
    elif len(texts) == passed_count - 1:
        places = range(len(texts) + 1)
        changed = [[*texts[:place], entry, *texts[place:]] for place in places for entry in ("0", "None")]
    cures = []
    for entries in dict.fromkeys(map(tuple, changed)):
        code = entries_code(entries)
        words = f"in_axes has one entry for each argument. With {code}, the call can be traced."
        cures.append(applied(FoundCure("in_axes", code, words), [edit_of(raised, over(option, entries_of_code(code)))]))
    return only_fitting(raised, cures) if len(cures) <= _MOST_TRIALS else None


_MOST_TRIALS = 8


def _containers(call: Applied) -> list[str]:
    """Return sentences on arguments that are containers: each container counts as one argument in in_axes."""
    nodes = call.call.args if call.call is not None else []
    return [
        f"{call.argument(number)} is one argument, although {call.argument(number)} is a {type(value).__name__} of "
        f"{count(len(value), 'element')}."
        for number, node in enumerate(nodes)
        if type(value := call.value(node)) in (list, tuple, dict) and value and number < len(call.parameters)
    ]


def _rank(call: Applied, axis: int, rank: int) -> Explained:
    if (written := entries_without_axis(call, axis, rank)) is not None:
        return written
    culprit = None
    nodes = call.call.args if call.call is not None else []
    option = call.option("in_axes")
    axes: list[int | None] = [0] * len(nodes)
    if isinstance(option, ast.Constant) and type(option.value) is int:
        axes = [option.value] * len(nodes)
    elif isinstance(option, ast.Tuple) and len(option.elts) == len(nodes):
        constants = [entry.value if isinstance(entry, ast.Constant) else None for entry in option.elts]
        axes = [constant if type(constant) is int else None for constant in constants]
    for number, node in enumerate(nodes):
        if axes[number] == axis and (leaf := _flat_leaf(call, number, axes, rank)) is not None:
            return leaf
        shape = getattr(call.value(node), "shape", ())
        has_value = call.value(node) is not None
        if has_value and axes[number] == axis and len(shape) == rank:
            culprit = number
            break
    if culprit is None and (named := _named_without_axis(call, axis, rank)) is not None:
        return named
    unknown = [number for number, node in enumerate(nodes) if axes[number] == axis and call.value(node) is None]
    if culprit is None and len(unknown) == 1 and rank > 0 and call.call is not None and not call.call.keywords:
        culprit = unknown[0]
    if culprit is None and len(nodes) == 1 and call.call is not None and not call.call.keywords:
        culprit = 0
    keys = [number for number, node in enumerate(nodes) if call.raised is not None and makes_key(call.raised, node)]
    if rank == 0 and len(keys) == 1 and axes[keys[0]] == axis and culprit in (None, keys[0]):
        return _one_key(call, keys[0], axis, axes)
    name = f"the argument {call.argument(culprit)}" if culprit is not None else "an argument"
    number_of_axes = "no axis" if rank == 0 else "only 1 axis" if rank == 1 else f"only {rank} axes"
    title = UNMAPPED_AXIS.format(axis=axis, name=name, number_of_axes=number_of_axes)
    cure = FoundCure("in_axes", None, "Write None in in_axes for an argument that vmap does not map.")
    if culprit is None and call.call is not None and call.call.keywords:
        cure = FoundCure("by position", None, BY_POSITION)
    elif len(nodes) == 1 and rank == 0:
        cure = FoundCure("an axis", None, "Pass an array that has an axis, or call the function without vmap.")
    if axis > 0 and rank > 1:
        words = f"Axes count from 0. Write an axis from 0 to {rank - 1} in in_axes."
        cure = FoundCure("in_axes", None, words)
    text = ""
    if culprit is not None:
        kind = _kind(call.value(nodes[culprit])) if call.value(nodes[culprit]) is not None else ""
        text = f"{call.argument(culprit)} is {kind}." if kind and call.parameters else ""
    lacking = _lacking(call, axes)
    if culprit is not None and len(lacking) > 1 and culprit in lacking and rank == 0:
        names = in_a_sentence([call.argument(number) for number in lacking], 4)
        title = f"vmap cannot map axis {axis} of the arguments {names}, which have no axis"
        kinds = [f"{call.argument(number)} is {_kind(call.value(nodes[number]))}." for number in lacking[:4]]
        text = " ".join(kinds) if call.parameters else ""
    whole = lacking if culprit in lacking else [culprit]
    if axis > 0 and rank > 1:
        pass  # the user maps another axis of the argument: an edit with None would compute something else
    elif culprit is not None and len(nodes) > len(whole) and all(entry is None or type(entry) is int for entry in axes):
        entries = ["None" if number in whole else str(entry) for number, entry in enumerate(axes)]
        code = entries_code(entries)
        arguments = [call.argument(number) for number in whole if number is not None]
        listed = in_a_sentence(arguments if call.parameters else [f"the argument {name}" for name in arguments], 4)
        words = PASSED_WHOLE.format(code=code, names=listed)
        if call.raised is not None and option is not None:
            change = over(option, entries_of_code(code))
            cure = applied(FoundCure("in_axes", code, words), [edit_of(call.raised, change)])
        else:
            cure = call.with_option(code, "in_axes", words)
    elif culprit is not None and rank == 1 and option is not None and call.raised is not None:
        words = f"Axis 0 is the only axis of {call.argument(culprit)}."
        cure = applied(FoundCure("in_axes", "0", words), [edit_of(call.raised, over(option, "0"))])
    return call.explained(title, text, [cure])


def _lacking(call: Applied, axes: Sequence[int | None]) -> list[int]:
    """Return the positions of arguments that in_axes maps, although they are numbers or single keys without an axis."""
    nodes = call.call.args if call.call is not None else []
    return [number for number, node in enumerate(nodes) if axes[number] is not None and _is_number(call, node)]


def _kind(value: Any) -> str:
    """Return the type of an argument, such as f32[3] or a Python int."""
    return NUMBERS_OF_PYTHON.get(type(value)) or type_of(value)


def _named_without_axis(call: Applied, axis: int, rank: int) -> Explained | None:
    """Explains a keyword argument without axes: vmap always maps keyword arguments along axis 0."""
    keywords = call.call.keywords if call.call is not None and axis == 0 and rank == 0 else []
    names = [keyword.arg for keyword in keywords if keyword.arg and _is_number(call, keyword.value)]
    if len(names) != 1:
        return None
    title = f"vmap cannot map axis 0 of the argument {names[0]}, which has no axis"
    words = f"Pass {names[0]} by position with None in in_axes, or bind the value before vmap with functools.partial."
    return call.explained(title, BY_NAME, [FoundCure("by position", None, words)])


def _is_number(call: Applied, node: ast.expr) -> bool:
    """Return whether an argument is certainly a number, or an array without axes."""
    value = node.value if isinstance(node, ast.Constant) else call.value(node)
    return type(value) in (bool, int, float, complex) or getattr(value, "shape", None) == ()


def _one_key(call: Applied, number: int, axis: int, axes: Sequence[int | None]) -> Explained:
    """Explains vmap over one random key: split the key, or pass the same key to each call."""
    name = call.argument(number)
    title = f"vmap cannot map axis {axis} of {name}, which is one random key"
    nodes = call.call.args if call.call is not None else []
    arrays = [node for node in nodes if isinstance(node, ast.Name) and getattr(call.value(node), "shape", None)]
    option = call.option("in_axes")
    code = entries = None
    if call.raised is not None and len(arrays) == 1 and option is None and axis == 0:
        code = f"jax.random.split({call.raised.source(nodes[number])}, {call.raised.source(arrays[0])}.shape[0])"
        entries = entries_code(["None" if place == number else "0" for place in range(len(nodes))])
    split = FoundCure(
        "jax.random.split",
        code,
        f"Pass {code or f'jax.random.split({name}, n)'}, a key for each of the {'' if code else 'n '}elements: each "
        "element then draws other numbers.",
    )
    if call.raised is not None and call.call is not None and (edited := _split_key(call, number, axes)) is not None:
        split = next((tried for tried in passed(call.raised, [edited]) if tried.edits), split)
    same = FoundCure("in_axes", entries, f"None in in_axes passes {name} whole: each element draws the same numbers.")
    return Explained(None, title, "", (split, same))


def _split_key(call: Applied, number: int, axes: Sequence[int | None]) -> FoundCure | None:
    """Return the cure that splits a key into one key for each element of another mapped array; None without one."""
    assert call.call is not None and call.raised is not None
    node = call.call.args[number]
    for place, other in enumerate(call.call.args):
        axis = axes[place] if place < len(axes) else None
        if place == number or axis is None or not isinstance(other, ast.Name | ast.Attribute):
            continue
        if len(getattr(call.value(other), "shape", ())) > axis >= 0:
            size = f"{call.raised.source(other)}.shape[{axis}]"
            code = f"jax.random.split({call.raised.source(node)}, {size})"
            words = f"Each of the {size} elements then has a key of its own, and draws other numbers."
            return applied(FoundCure("jax.random.split", code, words), [edit_of(call.raised, over(node, code))])
    return None


def _flat_leaf(call: Applied, number: int, axes: Sequence[int | None], rank: int) -> Explained | None:
    """Explains a container argument of vmap with leaves that have no axis to map, such as a list of numbers."""
    import jax

    assert call.call is not None
    node, axis = call.call.args[number], axes[number]
    value = call.value(node)
    if type(value) not in (list, tuple, dict) or call.raised is None or axis is None:
        return None
    leaves = jax.tree_util.tree_flatten_with_path(value)[0][:1_000]
    flat = [path for path, leaf in leaves if len(getattr(leaf, "shape", ())) == rank]
    if not flat:
        return None
    name = call.argument(number) if call.parameters else call.raised.source(node)
    parts = [f"{name}{jax.tree_util.keystr(path)}" for path in flat]
    first_part = parts[0]
    number_of_axes = "no axis" if rank == 0 else count(rank, "axis", "axes")
    title = UNMAPPED_AXIS.format(axis=axis, name=first_part, number_of_axes=number_of_axes)
    container_type = type(value).__name__
    explanation = f"vmap maps each array in {name}."
    cures: list[FoundCure] = []
    is_flat = type(value) is not dict and jax.tree_util.all_leaves(value)
    if rank == 0 and is_flat and len(flat) == len(leaves):
        explanation = (
            f"{name} is a {container_type} of numbers. vmap maps each array in a {container_type}, and does not map "
            f"the {container_type} itself."
        )
        namespace_ = jnp_name(call.raised)
        source = call.raised.source(node)
        code = f"{namespace_}.asarray({source})"
        words = f"asarray makes one array from the {container_type}, and vmap maps axis 0 of the array."
        edits = [edit_of(call.raised, over(node, code))]
        for place, other in enumerate(call.call.args):
            if place != number and axes[place] is not None and _is_list_of_numbers(call.value(other)):
                edits.append(edit_of(call.raised, over(other, f"{namespace_}.asarray({call.raised.source(other)})")))
        cures = passed(call.raised, [applied(FoundCure(code.partition("(")[0], code, words), edits)])
    if rank == 0 and not cures and (stacked := stacked_trees(call.raised, node, value, name)) is not None:
        explanation, cures = stacked
    if rank == 0 and not cures and (unmapped := _whole_tree(call, number, axes, name)) is not None:
        return Explained(None, title, explanation, (unmapped,))
    whole = _whole_parts(call, number, axes, parts) if rank == 0 and not cures else None
    if whole is not None:
        cures = passed(call.raised, [whole])
    words = (
        f"Write None in in_axes for {first_part}: an entry of in_axes may be a container with the same keys and "
        "elements as the argument."
    )
    return Explained(None, title, explanation, tuple(cures) or (FoundCure("in_axes", None, words),))


def _whole_tree(call: Applied, number: int, axes: Sequence[int | None], name: str) -> FoundCure | None:
    """Return the cure None in in_axes for a tree none of whose arrays has the size of the mapped axes.

    None if another argument shows no size, or if an array of the tree has the size, or if the cure fails its trial.
    """
    import jax

    assert call.call is not None
    sizes: dict[int, set[int]] = {}
    for place, node in enumerate(call.call.args):
        axis, leaves = axes[place], jax.tree_util.tree_leaves(call.value(node))[:1_000]
        shapes = [tuple(getattr(leaf, "shape", ())) for leaf in leaves]
        sizes[place] = {shape[axis] for shape in shapes if axis is not None and len(shape) > axis}
    mapped = set().union(*(found for place, found in sizes.items() if place != number))
    if len(mapped) != 1 or mapped & sizes[number] or call.raised is None or call.call.keywords:
        return None
    entries = ["None" if place == number else str(axis) for place, axis in enumerate(axes)]
    code, option = entries_code(entries), call.option("in_axes")
    words = PASSED_WHOLE.format(code=code, names=name)
    if option is not None:
        cure = applied(FoundCure("in_axes", code, words), [edit_of(call.raised, over(option, entries_of_code(code)))])
    else:
        cure = call.with_option(code, "in_axes", words)
    return next((tried for tried in passed(call.raised, [cure]) if tried.level == "applies"), None)


def _is_list_of_numbers(value: Any) -> bool:
    """Return whether a value is a list or a tuple that holds numbers of Python only."""
    return type(value) in (list, tuple) and all(type(element) in NUMBERS_OF_PYTHON for element in value)


def _whole_parts(call: Applied, number: int, axes: Sequence[int | None], parts: Sequence[str]) -> FoundCure | None:
    """Return the cure with None in in_axes for the numbers in a container.

    None if the other entries are not all known.
    """
    assert call.call is not None and call.raised is not None
    option = call.option("in_axes")
    entry = entry_of(call.value(call.call.args[number]), axes[number] or 0)
    is_known = not isinstance(option, ast.Tuple | ast.List) or all(
        isinstance(part, ast.Constant) for part in option.elts
    )
    if entry is None or not is_known:
        return None
    entries = [entry if place == number else str(axis) for place, axis in enumerate(axes)]
    code = entries_code(entries)
    words = PASSED_WHOLE.format(code=code, names=in_a_sentence(list(parts), 4))
    if option is None:
        return call.with_option(code, "in_axes", words)
    return applied(FoundCure("in_axes", code, words), [edit_of(call.raised, over(option, entries_of_code(code)))])


def _no_axis(call: Applied) -> Explained:
    option = call.option("in_axes")
    words = "in_axes=0 maps the first axis of each argument."
    cure = FoundCure("in_axes", None, words)
    if call.raised is not None and isinstance(option, ast.Constant):
        cure = applied(FoundCure("in_axes", "0", words), [edit_of(call.raised, over(option, "0"))])
    return call.explained("vmap maps no argument: every entry of in_axes is None", "", [cure])
