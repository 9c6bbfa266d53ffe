"""Explains an error of `vmap` about in_axes, and finds the in_axes for which the call passes its trial."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....jax.transform_and_inputs_of_tracer import short_type, type_of
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, chosen, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import NUMBERS_OF_PYTHON, makes_key, root_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from .in_axes_beside_trees import PASSED_WHOLE, unmappable_trees, whole_trees
from .in_axes_of_trees import entry_of
from .in_axes_written_out import UNMAPPED_AXIS, entries_without_axis, entry_of_other_size
from .odd_mapped_arguments import number_of_axes, odd_argument
from .stacked_trees import stacked_trees
from .transformed_calls import Applied

_SIZES = re.compile(r"^vmap got inconsistent sizes for array axes to be mapped:")
_SIZE = re.compile(
    r"one axis had size (\d+): axis (-?\d+) of (?:argument )?(\S+?)(?: of type ([\w\[\],]+))?(?=[;,.]?\s|[;,.]?$)"
)
_SIZE_MANY = re.compile(
    r"(?:most|some) axes .*? had size (\d+), e\.g\. axis (-?\d+) of (?:argument )?(\S+?) of type ([\w\[\],]+)"
)
_AXIS_SIZE = re.compile(r"the `axis_size` argument was (\d+)")
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
        return _sizes(call, _with_names_of_arguments(call, text))
    if match := _IN_AXES.search(text):
        return _in_axes(call, int(match[1]), int(match[2]))
    if match := _RANK.search(text):
        return _rank(call, int(match[1]), int(match[3]))
    if _NONE.search(text):
        return _no_axis(call)
    return None


def _with_names_of_arguments(call: Applied, text: str) -> str:
    """Return the message with the names of the arguments, where equinox.filter_vmap has names of its own."""
    raised, call_node = call.raised, call.call
    if "_dynamic_args[" not in text or raised is None or call_node is None:
        return text
    wrapped = behind_name(raised, call_node.func)
    node = wrapped.args[0] if isinstance(wrapped, ast.Call) and wrapped.args else call_node.func
    definition = function_of_text(raised, node)
    names = [part.arg for part in definition.args.args] if definition is not None else []
    if definition is None:
        names = [node.id if isinstance(node, ast.Name) else "" for node in call_node.args]

    def name(path: re.Match[str]) -> str:
        place = int(path[1])
        return names[place] if place < len(names) and names[place] else path[0]

    return re.sub(r"_dynamic_args\[(\d+)\]", name, text)


def _sizes(call: Applied, text: str) -> Explained:
    axes_of_arrays = []
    for row in _SIZE_MANY.finditer(text):
        axes_of_arrays.append((row[1], row[2], row[3], row[4]))
    for row in _SIZE.finditer(text):
        axes_of_arrays.append((row[1], row[2], row[3], row[4] or ""))
    axis_size = _AXIS_SIZE.search(text)
    sizes = list(dict.fromkeys([*([axis_size[1]] if axis_size else []), *(row[0] for row in axes_of_arrays)]))
    title = (
        f"vmap maps axes of different sizes: {in_a_sentence(sizes)}" if sizes else "vmap maps axes of different sizes"
    )
    sentences = [
        f"{path} ({short_type(type_)}) has {count(int(size), 'element')} along axis {axis}."
        if type_
        else f"{path} has {count(int(size), 'element')} along axis {axis}."
        for size, axis, path, type_ in axes_of_arrays[:4]
    ]
    if axis_size is not None:
        sentences.insert(0, f"axis_size is {axis_size[1]}.")
        cure = FoundCure("axis_size", None, "Leave axis_size out: vmap takes the size from the arrays.")
        return call.explained(title, " ".join(sentences), [cure])
    names = call.parameters
    if other_size := entry_of_other_size(call):
        return call.explained(title, " ".join(sentences), [other_size])
    whole = whole_trees(call, axes_of_arrays)
    if whole and whole[0].level == "applies":
        return call.explained(title, " ".join(sentences), whole)
    cure = FoundCure("in_axes", None, "Write None in in_axes for an argument that is the same for all elements.")
    if call.call is not None and call.call.keywords:
        cure = FoundCure("by position", None, _BY_POSITION)
    elif len({root_of(row[2]) for row in axes_of_arrays}) == 1 and axes_of_arrays:
        root = root_of(axes_of_arrays[0][2])
        words = f"Write None in in_axes for the parts of {root} that are the same for all elements."
        cure = FoundCure("in_axes", None, words)
    if (
        len(names) == 2
        and len({root_of(row[2]) for row in axes_of_arrays}) == len(axes_of_arrays) == 2
        and call.raised is not None
        and call.option("in_axes") is None
    ):
        numbers_of_axes = {root_of(path): number_of_axes(type_) for _, _, path, type_ in axes_of_arrays}
        first, second = (numbers_of_axes.get(name, 0) for name in names)
        if tried := _whole_or_pairs(call, names, first_whole=first < second and not whole):
            return call.explained(title, " ".join(sentences), [*whole, *tried])
        if tried is None:
            cure = FoundCure("in_axes", "in_axes=(0, None)", _WHOLE.format(one=names[0], all=names[1]))
    if whole:
        return call.explained(title, " ".join(sentences), whole)
    if (unmappable := unmappable_trees(call, axes_of_arrays)) is not None:
        return call.explained(title, " ".join([*sentences, unmappable[0]]), [unmappable[1]])
    equal = FoundCure("same size", None, "Cut or pad the arrays to one size along the mapped axis.")
    whole_array = _whole_array(call, axes_of_arrays)
    if (
        len(axes_of_arrays) == 2
        and call.option("in_axes") is not None
        and (in_axes_words := _other_axis(axes_of_arrays)) is not None
    ):
        other_axis = FoundCure("in_axes", None, in_axes_words)
        are_equal = len({number_of_axes(type_) for *_, type_ in axes_of_arrays}) == 1
        cures = [other_axis, equal, cure] if whole_array is None or are_equal else [whole_array, other_axis, equal]
        return call.explained(title, " ".join(sentences), cures)
    if whole_array is None and (odd := odd_argument(call, text, _SIZE.findall(text))) is not None:
        sentences.append(odd[0])
        return call.explained(title, " ".join(sentences), [odd[1], equal if odd[1].name == cure.name else cure])
    cure = whole_array or cure
    return call.explained(title, " ".join(sentences), [cure, equal])


_WHOLE_FIRST = "With this in_axes, vmap passes the whole {one} and one element of {all} to each call."
_WHOLE = "With this in_axes, vmap passes one element of {one} and the whole {all} to each call."
_PAIRS = "Two vmaps call {function} for each pair of an element of {one} and an element of {all}."


def _whole_array(call: Applied, axes_of_arrays: Sequence[tuple[str, str, str, str]]) -> FoundCure | None:
    """Return the advice to write None in in_axes for one of two arrays; None unless the advice passes its trial.

    The array is the one with fewer axes: with this array whole, the results have the size of the other array's mapped
    axis, such as the size of a batch. Of two arrays with equal numbers of axes, only one may pass the trial. JAX's
    message may name one array for several of the same size, which then are all whole, or are all mapped.
    """
    raised, option, names = call.raised, call.option("in_axes"), call.parameters
    if raised is None or not isinstance(option, ast.Tuple | ast.List) or len(axes_of_arrays) != 2:
        return None
    if len(names) < len(option.elts):
        return None
    entries = dict(zip(names, map(raised.source, option.elts), strict=False))
    first, second = (root_of(path) for *_, path, _ in axes_of_arrays)
    if first == second or not {first, second} <= set(entries):
        return None
    others = [name for name, entry in entries.items() if entry != "None" and name != second]
    numbers_of_axes = [number_of_axes(type_) for *_, type_ in axes_of_arrays]
    groups = [(others, [second]), ([second], others)]
    if len(others) == 1 and numbers_of_axes[0] != numbers_of_axes[1]:
        groups = groups[:1] if numbers_of_axes[0] < numbers_of_axes[1] else groups[1:]
    cures = []
    for whole, mapped in groups:
        code = _entries(["None" if name in whole else entry for name, entry in entries.items()])
        words = _WHOLE_FIRST.format(one=whole[0], all=mapped[0])
        if len(others) > 1:
            words = PASSED_WHOLE.format(code=code, names=in_a_sentence(whole, 4))
        edits = [edit_of(raised, over(option, _value_text(code)))]
        cures.append(applied(FoundCure("in_axes", code, words), edits))
    fitting = only_fitting(raised, cures)
    return None if fitting is None else replace(fitting, level="advice", edits=())


def _whole_or_pairs(call: Applied, names: Sequence[str], *, first_whole: bool) -> list[FoundCure] | None:
    """Return the advice for two arguments of different sizes.

    Some cures map only one argument, the other maps each pair of their elements; each must pass its trial. None if the
    vmap is not in the failing expression, so that nothing can be tried.

    Args:
        call: The call of the mapped function.
        names: The two parameters.
        first_whole: Whether the first cure passes the first argument whole.
    """
    raised, transform = call.raised, call.transform
    if raised is None or transform is None or call.call is None or call.call.func is not transform:
        return None
    if len(transform.args) != 1 or transform.keywords:
        return None
    vmap, function = raised.source(transform.func), raised.source(transform.args[0])
    words = {"function": call.name, "one": names[0], "all": names[1]}
    cures = []
    passing_first_whole = ("in_axes", f"{vmap}({function}, in_axes=(None, 0))", _WHOLE_FIRST)
    for name, code, text in (
        *([passing_first_whole] if first_whole else []),
        ("in_axes", f"{vmap}({function}, in_axes=(0, None))", _WHOLE),
        ("two vmaps", f"{vmap}({vmap}({function}, in_axes=(None, 0)), in_axes=(0, None))", _PAIRS),
    ):
        cure = FoundCure(name, code, text.format(**words))
        fitting = only_fitting(raised, [applied(cure, [edit_of(raised, over(transform, code))])])
        cures += [] if fitting is None else [replace(cure, level="advice", edits=())]
    return cures


def _other_axis(axes_of_arrays: list[tuple[str, str, str, str]]) -> str | None:
    """Return a sentence that suggests another axis of one array, with the size of the other array's mapped axis.

    None if there is none.
    """
    for (size, *_), (_, axis, path, type_) in (axes_of_arrays, axes_of_arrays[::-1]):
        sizes = re.findall(r"\d+", type_.partition("[")[2])
        places = [place for place, axis_size in enumerate(sizes) if axis_size == size and str(place) != axis]
        if len(places) == 1:
            return f"Map axis {places[0]} of {path}, which also has {size} elements."
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
        text = f"in_axes has no entry for {named[0]}. {_BY_NAME}"
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
        code = _entries(entries)
        words = f"in_axes has one entry for each argument. With {code}, the call can be traced."
        cures.append(applied(FoundCure("in_axes", code, words), [edit_of(raised, over(option, _value_text(code)))]))
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


def only_fitting(raised: RaisedAt, cures: Sequence[FoundCure]) -> FoundCure | None:
    """Return the only cure that passes its trial; None if no cure passes, or more than one."""
    tried = passed(raised, cures)
    return tried[0] if len(tried) == 1 and tried[0].level == "applies" else None


def _entries(entries: Sequence[str]) -> str:
    """Return the code of the option in_axes with these entries."""
    return f"in_axes=({', '.join(entries)}{',' if len(entries) == 1 else ''})"


def _value_text(option: str) -> str:
    return option.partition("=")[2]


_BY_NAME = "vmap maps an argument that is passed by name along axis 0, whatever in_axes is."
_BY_POSITION = (
    f"{_BY_NAME} If vmap must not map an argument, pass the argument by position with None in in_axes, or bind its "
    "value before vmap with functools.partial."
)


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
        return _one_key(call, keys[0], axis)
    name = f"the argument {call.argument(culprit)}" if culprit is not None else "an argument"
    number_of_axes = "no axis" if rank == 0 else "only 1 axis" if rank == 1 else f"only {rank} axes"
    title = UNMAPPED_AXIS.format(axis=axis, name=name, number_of_axes=number_of_axes)
    cure = FoundCure("in_axes", None, "Write None in in_axes for an argument that vmap does not map.")
    if culprit is None and call.call is not None and call.call.keywords:
        cure = FoundCure("by position", None, _BY_POSITION)
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
        code = _entries(entries)
        arguments = [call.argument(number) for number in whole if number is not None]
        listed = in_a_sentence(arguments if call.parameters else [f"the argument {name}" for name in arguments], 4)
        words = PASSED_WHOLE.format(code=code, names=listed)
        if call.raised is not None and option is not None:
            change = over(option, _value_text(code))
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
    return call.explained(title, _BY_NAME, [FoundCure("by position", None, words)])


def _is_number(call: Applied, node: ast.expr) -> bool:
    """Return whether an argument is certainly a number, or an array without axes."""
    value = node.value if isinstance(node, ast.Constant) else call.value(node)
    return type(value) in (bool, int, float, complex) or getattr(value, "shape", None) == ()


def _one_key(call: Applied, number: int, axis: int) -> Explained:
    """Explains vmap over one random key: split the key, or pass the same key to each call."""
    name = call.argument(number)
    title = f"vmap cannot map axis {axis} of {name}, which is one random key"
    split = FoundCure(
        "jax.random.split",
        None,
        f"Pass jax.random.split({name}, n), a key for each of the n elements: each element then draws other numbers.",
    )
    same = FoundCure("in_axes", None, f"None in in_axes passes {name} whole: each element draws the same numbers.")
    return Explained(None, title, "", (split, same))


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
    whole = _whole_parts(call, number, axes, parts) if rank == 0 and not cures else None
    if whole is not None:
        cures = passed(call.raised, [whole])
    words = (
        f"Write None in in_axes for {first_part}: an entry of in_axes may be a container with the same keys and "
        "elements as the argument."
    )
    return Explained(None, title, explanation, tuple(cures) or (FoundCure("in_axes", None, words),))


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
    code = _entries(entries)
    words = PASSED_WHOLE.format(code=code, names=in_a_sentence(list(parts), 4))
    if option is None:
        return call.with_option(code, "in_axes", words)
    return applied(FoundCure("in_axes", code, words), [edit_of(call.raised, over(option, _value_text(code)))])


def _no_axis(call: Applied) -> Explained:
    option = call.option("in_axes")
    words = "in_axes=0 maps the first axis of each argument."
    cure = FoundCure("in_axes", None, words)
    if call.raised is not None and isinstance(option, ast.Constant):
        cure = applied(FoundCure("in_axes", "0", words), [edit_of(call.raised, over(option, "0"))])
    return call.explained("vmap maps no argument: every entry of in_axes is None", "", [cure])
