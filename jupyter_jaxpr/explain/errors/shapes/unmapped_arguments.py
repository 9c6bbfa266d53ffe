"""Finds arguments with None in in_axes whose axis 0 has the mapped size: they may explain a shape error."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of, type_of_array
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..transforms.transformed_calls import Applied


@dataclass(frozen=True)
class _Whole:
    """An argument that vmap does not map: its position, its type, and its entry in in_axes."""

    number: int
    type: str
    entry: ast.expr


def with_unmapped(explained: Explained, raised: RaisedAt | None, sizes: Sequence[int]) -> Explained:
    """Return the explanation, with a cure that maps further arguments of vmap if the cure passes its trial.

    Args:
        explained: The explanation of an error about shapes.
        raised: Where the error was raised.
        sizes: The sizes in JAX's message.
    """
    for frame in reversed(raised.callers) if raised is not None else ():
        assert raised is not None
        outer = at_caller(raised, frame)
        call = Applied(outer)
        if call.word != "vmap" or outer.loops is None:
            continue
        wholes = _whole(call, outer, sizes)
        found = [pair for whole in wholes for pair in _tried(call, outer, [whole])]
        found = [pair for pair in found if pair[1].level == "applies"] or found
        if len(found) != 1:
            found = _tried(call, outer, wholes) if len(wholes) > 1 and not found else []
        if len(found) != 1:
            continue
        ((mapped, cure),) = found
        mapped_function = "the mapped function" if call.name.startswith("the ") else call.name
        names = in_a_sentence([call.argument(whole.number) for whole in mapped], 4)
        entries = in_a_sentence([f"in_axes[{whole.number}]" for whole in mapped], 4)
        sentence = f"{entries} of vmap are None, so each call of {mapped_function} receives the whole {names}."
        if len(mapped) == 1:
            type_of_argument = mapped[0].type
            sentence = (
                f"{entries} of vmap is None, so each call of {mapped_function} receives the whole {names}: "
                f"{type_of_argument}."
            )
        cures = (cure,) if cure.level == "applies" else (*explained.cures, cure)
        if any(one.code for one in explained.cures):
            # The explanation has another cure with code, and equal sizes may be chance, so the cure of in_axes is
            # advice.
            cures = (*explained.cures, replace(cure, level="advice", edits=()))
        return replace(explained, text=f"{explained.text} {sentence}".strip(), cures=cures)
    return explained


def _whole(call: Applied, outer: RaisedAt, sizes: Sequence[int]) -> list[_Whole]:
    """Return the arguments with None in in_axes whose axis 0 has the size of the mapped axes.

    JAX's message must name the size.
    """
    axes, nodes = call.option("in_axes"), call.call.args if call.call is not None else []
    if not isinstance(axes, ast.Tuple | ast.List) or len(axes.elts) != len(nodes):
        return []
    entries = enumerate(zip(axes.elts, nodes, strict=True))
    shapes = [(number, entry, shape_of(outer, node) or ()) for number, (entry, node) in entries]
    mapped = {shape[0] for _, entry, shape in shapes if shape and ast.unparse(entry) == "0"}
    if len(mapped) != 1 or not mapped <= set(sizes):
        return []
    return [
        _Whole(number, type_of_array(outer, nodes[number]), entry)
        for number, entry, shape in shapes
        if ast.unparse(entry) == "None" and shape and shape[0] in mapped
    ]


def _tried(call: Applied, outer: RaisedAt, mapped: list[_Whole]) -> list[tuple[list[_Whole], FoundCure]]:
    """Return the arguments, with the cure that maps all of them by 0 in in_axes. Empty if the cure fails its trial."""
    names = in_a_sentence([call.argument(whole.number) for whole in mapped], 4)
    entries = in_a_sentence([f"in_axes[{whole.number}]" for whole in mapped], 4)
    words = f"With 0 in {entries}, each call receives one element of axis 0 of {names}."
    edits = [edit_of(outer, over(whole.entry, "0")) for whole in mapped]
    return [(mapped, one) for one in passed(outer, [applied(FoundCure("in_axes", "0", words), edits)])]
