"""Compares the pytree structures of one argument in two calls and yields a reason for each difference."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from ...plain_text import kind_name
from ..reprs_of_users_values import Reading
from .reason import Reason, names_text, one_compile_each
from .static_fields_of_pytrees import Changed, changed, is_same, is_same_tree, structure_text
from .static_reasons import defined_once, is_defined_again, static_reason
from .static_values import StaticValue


def structure_difference(
    name: str,
    before: Any,
    after: Any,
    old_paths: Collection[str],
    new_paths: Collection[str],
    reading: Reading,
) -> Iterator[tuple[int, Reason]]:
    """Yield (number of differences, reason) for the differences between the pytree structures of one argument.

    One reason can cover several differences, such as all added leaves.

    Args:
        name: The name of the argument.
        before: The structure of the argument in the earlier call.
        after: The structure of the argument in this call.
        old_paths: The paths of all leaves of the earlier call.
        new_paths: The paths of all leaves of this call.
        reading: Says which methods of the user's objects may be called.
    """
    if is_same_tree(before, after):
        return
    inside = changed(name, before, after, reading)
    if inside:
        for reason in _fields(inside, reading):
            yield 1, reason
        return
    added = [path for path in new_paths if _is_part_of(path, name) and path not in old_paths]
    lost = [path for path in old_paths if _is_part_of(path, name) and path not in new_paths]
    was, became = _tree_texts(before, after, reading)
    text = f"The structure of {name} changed from {was} to {became}."
    again = _class_defined_again(before, after) if not added and not lost else None
    if again is not None:
        kind = kind_name(again)
        text = f"The structure of {name} has another class of the name {kind}: {kind} was defined again."
        yield 1, Reason("pytree", text, name, was, became, defined_once(again))
        return
    if _is_another_container(before, after):
        pass  # all paths differ, so the text with both structures says more than lists of paths
    elif (added or lost) and _differ_in_none(before, after):
        text = _values_of_none(added, lost)
    elif added and lost:
        text = f"The structure of {name} gained {names_text(added)} and lost {names_text(lost)}."
    elif added == [name]:
        text = _values_of_none(added, [])
    elif lost == [name]:
        text = _values_of_none([], lost)
    elif added:
        text = f"The structure of {name} gained {names_text(added)}."
    elif lost:
        text = f"The structure of {name} lost {names_text(lost)}."
    cure = "Pass the same structure every time: the same keys, the same containers, None in the same places."
    is_same_but_none = (added or lost) and _has_same_containers(before, after)
    containers = 0 if is_same_but_none else max(_containers_that_differ(before, after), 1)
    yield len(added) + len(lost) + containers, Reason("pytree", text, name, was, became, cure)


def _class_defined_again(before: Any, after: Any) -> type | None:
    """Return the first container class that was defined again between two calls; None if there is none."""
    old, new = before.node_data(), after.node_data()
    if old is None or new is None:
        return None
    if is_defined_again(old[0], new[0]):
        defined: type = new[0]
        return defined
    inside = map(_class_defined_again, before.children(), after.children())
    return next((again for again in inside if again is not None), None)


def _has_same_containers(before: Any, after: Any) -> bool:
    """Return whether the two structures have the same containers with the same keys.

    Such structures differ only in which leaves are None.
    """
    old, new = before.node_data(), after.node_data()
    if any(node is None or node[0] is type(None) for node in (old, new)):
        return True
    children = before.children(), after.children()
    if not is_same(old, new) or len(children[0]) != len(children[1]):
        return False
    return all(map(_has_same_containers, *children))


def _differ_in_none(before: Any, after: Any) -> bool:
    """Return whether two structures differ only in leaves that are None in one of them."""
    old, new = before.node_data(), after.node_data()
    if old is None or new is None:
        return all(node is None or node[0] is type(None) for node in (old, new))
    children = before.children(), after.children()
    if old[0] is not new[0] or not is_same(old, new) or len(children[0]) != len(children[1]):
        return False
    return all(map(_differ_in_none, *children))


def _values_of_none(added: Sequence[str], lost: Sequence[str]) -> str:
    """Return the text on leaves that were None in the earlier call, and on leaves that are None in this call."""
    texts = []
    if added:
        values, was, are = ("value", "was", "is") if len(added) == 1 else ("values", "were", "are")
        texts.append(
            f"The {values} of {names_text(added)} {was} None in the earlier call and {are} not None in this call."
        )
    if lost:
        values, was, are = ("value", "was", "is") if len(lost) == 1 else ("values", "were", "are")
        texts.append(
            f"The {values} of {names_text(lost)} {was} not None in the earlier call and {are} None in this call."
        )
    return " ".join(texts)


def _containers_that_differ(before: Any, after: Any) -> int:
    """Return the number of differences between the containers of two structures, in their classes and in their keys."""
    old, new = before.node_data(), after.node_data()
    if old is None or new is None:
        return int(old is not new)
    children = before.children(), after.children()
    is_as_long = len(children[0]) == len(children[1])
    is_of_class = old[0] is new[0]
    differences = int(not is_of_class) + int(not is_as_long or (is_of_class and not is_same(old, new)))
    return differences + (sum(map(_containers_that_differ, *children)) if is_as_long else 0)


def _is_another_container(before: Any, after: Any) -> bool:
    """Return whether the outermost containers have different classes, such as tuple and dict; None does not count."""
    classes = [None if node is None else node[0] for node in (before.node_data(), after.node_data())]
    return classes[0] is not classes[1] and type(None) not in classes


def _is_part_of(path: str, name: str) -> bool:
    return path == name or (path.startswith(name) and path[len(name)] in "[.<")


_TREE_CHARACTERS = 80
_TREE_PRINTED = 100_000


def _tree_texts(before: Any, after: Any, reading: Reading) -> tuple[str, str]:
    """Return the texts of two structures as JAX prints them; of long texts, the part around the first difference."""
    was, became = (structure_text(tree, reading, _TREE_PRINTED) for tree in (before, after))
    common = len(os.path.commonprefix([was, became]))
    start = 0 if common < _TREE_CHARACTERS // 2 else common - _TREE_CHARACTERS // 4
    return _part(was, start), _part(became, start)


def _part(text: str, start: int) -> str:
    if len(text) <= _TREE_CHARACTERS:
        return text
    end = start + _TREE_CHARACTERS - 2
    return "…" * (start > 0) + text[start:end] + "…" * (end < len(text))


_FIELDS = 4


def _fields(changes: Sequence[Changed], reading: Reading) -> Iterable[Reason]:
    """Yield a reason for each static field that changed.

    Fields with the same name and the same change share one reason.
    """
    alike: dict[tuple[str, str, str], list[Changed]] = {}
    for change in changes:
        texts = reading.text(change.before), reading.text(change.after)
        alike.setdefault((change.path.rpartition(".")[2] if change.library else change.path, *texts), []).append(change)
    for together in list(alike.values())[:_FIELDS]:
        change, path = together[0], together[0].path
        alike_count = len(together)
        among = f" (one of {alike_count} that changed in the same way)" if alike_count > 1 else ""
        subject = f"The static value {path}{among}"
        # Only a number can be passed as an array instead; for a string, for example, each value needs its own program.
        cure = one_compile_each(path)
        is_number = type(change.after) in (int, float, complex)
        if is_number:
            cure = (
                f"JAX compiles once for each value of {path}. "
                f"Make {path} a field with an array if the function only computes with it."
            )
        if change.library == "nnx":
            cure = f"Expect one compile for each value of {path}, such as one for train() and one for eval()."
            if is_number:
                advice = f"Make {path} an nnx.Variable if the function only computes with the value."
                cure = f"{one_compile_each(path)} {advice}"
        if not change.field:
            subject = f"The auxiliary data of {change.owner} at {path}{among}"
            cure = one_compile_each("the auxiliary data")
            if is_number:
                cure = (
                    "JAX compiles once for each value of the auxiliary data. "
                    f"Make the value a child of {change.owner} if the function only computes with it."
                )
        yield static_reason(
            subject, path, StaticValue(change.before, reading), StaticValue(change.after, reading), cure
        )
