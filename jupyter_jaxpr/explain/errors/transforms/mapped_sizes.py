"""Explains a vmap over axes of different sizes, and finds the in_axes for which the call passes its trial."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....jax.transform_and_inputs_of_tracer import short_type
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import root_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from .in_axes_beside_trees import PASSED_WHOLE, unmappable_trees, whole_trees
from .in_axes_written_out import entry_of_other_size
from .odd_mapped_arguments import number_of_axes, odd_argument
from .transformed_calls import Applied

_SIZE = re.compile(
    r"one axis had size (\d+): axis (-?\d+) of (?:argument )?(\S+?)(?: of type ([\w\[\],]+))?(?=[;,.]?\s|[;,.]?$)"
)
_SIZE_MANY = re.compile(
    r"(?:most|some) axes .*? had size (\d+), e\.g\. axis (-?\d+) of (?:argument )?(\S+?) of type ([\w\[\],]+)"
)
_AXIS_SIZE = re.compile(r"the `axis_size` argument was (\d+)")
BY_NAME = "vmap maps an argument that is passed by name along axis 0, whatever in_axes is."
BY_POSITION = (
    f"{BY_NAME} If vmap must not map an argument, pass the argument by position with None in in_axes, or bind its "
    "value before vmap with functools.partial."
)


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


def sizes_error(call: Applied, message: str) -> Explained:
    """Explains a vmap over axes of different sizes.

    Args:
        call: The call of the mapped function.
        message: The message of the error.
    """
    text = _with_names_of_arguments(call, message)
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
    if call.call is not None and not any(isinstance(part, ast.Starred) for part in call.call.args):
        names = names[: len(call.call.args)]
    if other_size := entry_of_other_size(call):
        return call.explained(title, " ".join(sentences), [other_size])
    whole = whole_trees(call, axes_of_arrays)
    if whole and whole[0].level == "applies":
        return call.explained(title, " ".join(sentences), whole)
    cure = FoundCure("in_axes", None, "Write None in in_axes for an argument that is the same for all elements.")
    if call.call is not None and call.call.keywords:
        cure = FoundCure("by position", None, BY_POSITION)
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
    if (written_axis := _other_axis_without_option(call, axes_of_arrays)) is not None:
        return call.explained(title, " ".join(sentences), [written_axis])
    if (unmappable := unmappable_trees(call, axes_of_arrays)) is not None:
        return call.explained(title, " ".join([*sentences, unmappable[0]]), [unmappable[1]])
    equal = FoundCure("same size", None, "Cut or pad the arrays to one size along the mapped axis.")
    whole_array = _whole_array(call, axes_of_arrays)
    are_equal = len({number_of_axes(type_) for *_, type_ in axes_of_arrays}) == 1
    if len(axes_of_arrays) == 2 and (other_axis := _other_axis(call, axes_of_arrays)) is not None:
        cures = [other_axis, equal, cure] if whole_array is None or are_equal else [whole_array, other_axis]
        return call.explained(title, " ".join(sentences), cures)
    if whole_array is not None and len(axes_of_arrays) == 2 and not are_equal:
        return call.explained(title, " ".join(sentences), [whole_array])
    if whole_array is None and (odd := odd_argument(call, text, _SIZE.findall(text))) is not None:
        sentences.append(odd[0])
        return call.explained(title, " ".join(sentences), [odd[1], equal if odd[1].name == cure.name else cure])
    cure = whole_array or cure
    return call.explained(title, " ".join(sentences), [cure, equal] if are_equal else [cure])


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
        code = entries_code(["None" if name in whole else entry for name, entry in entries.items()])
        words = _WHOLE_FIRST.format(one=whole[0], all=mapped[0])
        if len(others) > 1:
            words = PASSED_WHOLE.format(code=code, names=in_a_sentence(whole, 4))
        edits = [edit_of(raised, over(option, entries_of_code(code)))]
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


def _other_axis(call: Applied, axes_of_arrays: Sequence[tuple[str, str, str, str]]) -> FoundCure | None:
    """Return the advice to map another axis of one array, with the size of the other array's mapped axis.

    None if there is no such axis, or if the call fails its trial with this axis.
    """
    raised, option = call.raised, call.option("in_axes")
    if option is None:
        return None
    for path, place, advice in _axes_of_one_size(axes_of_arrays):
        number = call.parameters.index(path) if path in call.parameters else None
        if raised is None or number is None or not isinstance(option, ast.Tuple) or number >= len(option.elts):
            return advice
        entries = [str(place) if entry is option.elts[number] else raised.source(entry) for entry in option.elts]
        code = entries_code(entries)
        edits = [edit_of(raised, over(option, entries_of_code(code)))]
        tried = passed(raised, [applied(replace(advice, code=code), edits)])
        if tried:
            return replace(tried[0], level="advice", edits=())
    return None


def _other_axis_without_option(call: Applied, axes_of_arrays: Sequence[tuple[str, str, str, str]]) -> FoundCure | None:
    """Return the advice to write in_axes with another axis of one array, for a vmap of positional arguments alone.

    None unless the call passes its trial with this axis.
    """
    raised, transform, node = call.raised, call.transform, call.call
    if raised is None or transform is None or node is None or node.func is not transform or len(axes_of_arrays) != 2:
        return None
    if len(transform.args) != 1 or transform.keywords or node.keywords:
        return None
    if any(isinstance(part, ast.Starred) for part in [*node.args, *transform.args]):
        return None
    for path, place, advice in _axes_of_one_size(axes_of_arrays):
        if path not in call.parameters[: len(node.args)]:
            continue
        number = call.parameters.index(path)
        code = entries_code([str(place) if at == number else "0" for at in range(len(node.args))])
        edit = edit_of(raised, over(transform.args[0], f"{raised.source(transform.args[0])}, {code}"))
        tried = passed(raised, [applied(replace(advice, code=code), [edit])])
        if tried and tried[0].level == "applies":
            return replace(tried[0], level="advice", edits=())
    return None


def _axes_of_one_size(axes_of_arrays: Sequence[tuple[str, str, str, str]]) -> Iterator[tuple[str, int, FoundCure]]:
    """Yield each array whose only other axis of the other array's size is known: its path, the axis and the advice."""
    for (size, *_), (_, axis, path, type_) in (axes_of_arrays, axes_of_arrays[::-1]):
        sizes = re.findall(r"\d+", type_.partition("[")[2])
        places = [place for place, axis_size in enumerate(sizes) if axis_size == size and str(place) != axis]
        if len(places) == 1:
            words = f"Map axis {places[0]} of {path}, which also has {size} elements."
            yield path, places[0], FoundCure("in_axes", None, words)


def only_fitting(raised: RaisedAt, cures: Sequence[FoundCure]) -> FoundCure | None:
    """Return the only cure that passes its trial; None if no cure passes, or more than one."""
    tried = passed(raised, cures)
    return tried[0] if len(tried) == 1 and tried[0].level == "applies" else None


def entries_code(entries: Sequence[str]) -> str:
    """Return the code of the option in_axes with these entries."""
    return f"in_axes=({', '.join(entries)}{',' if len(entries) == 1 else ''})"


def entries_of_code(option: str) -> str:
    """Return the value in the code of the option in_axes, such as (0, None) of in_axes=(0, None)."""
    return option.partition("=")[2]
