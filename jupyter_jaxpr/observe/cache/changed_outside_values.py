"""Finds the values from outside that differ between two function objects, and words the differences for reasons.

`closed_over.py` reads the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..functions.function_inside_wrappers import same_code
from ..outside_values.kept_contents import are_surely_equal, difference
from .closed_over import Outside
from .reason import Reason, names_text

CHANGE_OF_CODE = "Expect one compile for each change of the code of {names}."
_STATIC = frozenset({"NoneType", "bool", "int", "float", "complex", "str", "bytes", "tuple", "frozenset"})


def is_same(before: Outside, after: Outside) -> bool | None:
    """Return whether a value is the same as in an earlier function object; None if unknown."""
    if difference(before.contents, after.contents) is not None:
        return False
    if before.contents is not None and after.contents is not None and after.is_path:
        return True if after.may_change is None and are_surely_equal(before.contents, after.contents) else None
    if before.reference is not None and after.reference is not None:
        value_before, value_now = before.reference(), after.reference()
        if value_before is value_now is not None and before.code is not None and not before.fixed:
            return _is_same_inside(before.inside or {}, after.inside or {})
        if value_before is value_now is not None:
            return True if before.fixed else None
        if before.code is not None and after.code is not None and before.code == after.code:
            return _is_same_inside(before.inside or {}, after.inside or {})
        return False
    if before.text is not None and after.text is not None:
        is_equal = before.value is after.value or before.value == after.value or before.is_nan and after.is_nan
        if before.kind == after.kind and is_equal and after.may_change is not None:
            return None
        return bool(before.kind == after.kind and is_equal)
    if before.text is None and after.text is None and before.reference is after.reference is None:
        return None
    return False


def _is_same_inside(before: Mapping[str, Outside], after: Mapping[str, Outside]) -> bool | None:
    """Return whether a function reads the same values from outside as before; None if this is unknown."""
    if changed_values(before, after):
        return False
    return None if unread_values(before, after) else True


class ChangedValue(NamedTuple):
    """A name that a function reads from outside, with two different values in two function objects."""

    name: str
    before: Outside
    after: Outside

    @property
    def is_edited_function(self) -> bool:
        """True if both values are functions of one name with other code, such as those of an edited cell."""
        before, after = self.before.code, self.after.code
        if before is None or after is None or not after.co_qualname.isidentifier():
            return False
        return before.co_qualname == after.co_qualname and not same_code(before, after)

    def described(self) -> str:
        """Return the change as text, such as: i changed from 0 to 1."""
        if self.after.is_default:
            return (
                f"the default value of {self.name} changed from {self.before.described()} to {self.after.described()}"
            )
        if self.after.text is None and self.before.kind == self.after.kind:
            return f"{self.name} is another {self.after.kind}{' object' * (self.after.kind != 'array')}"
        return f"{self.name} changed from {self.before.described()} to {self.after.described()}"


def changed_values(before: Mapping[str, Outside], after: Mapping[str, Outside]) -> list[ChangedValue]:
    """Return the names whose values certainly differ between two function objects with the same code.

    If a name refers to another function that was itself made again from the same code, the changed names inside that
    function are returned instead.
    """
    changes: list[ChangedValue] = []
    for name, current in after.items():
        old = before.get(name)
        if old is None or is_same(old, current) is not False:
            continue
        if old.code is not None and old.code == current.code:
            changes += changed_values(old.inside or {}, current.inside or {})
        else:
            changes.append(ChangedValue(name, old.with_text(), current.with_text()))
    return _without_parts([*{change.name: change for change in reversed(changes)}.values()][::-1])


def _without_parts(changes: list[ChangedValue]) -> list[ChangedValue]:
    """Leave out the paths into an object, or into the object of a called method, if the object itself is another."""
    names = [change.name for change in changes if not change.after.is_path]
    return [
        change
        for change in changes
        if not change.after.is_path
        or not (change.after.is_of_method and names or any(change.name.startswith((f"{n}.", f"{n}[")) for n in names))
    ]


def unread_values(before: Mapping[str, Outside], after: Mapping[str, Outside]) -> list[str]:
    """Return the names of values that cannot be compared, such as lists: the values may have changed.

    The values that a called function reads count, too.
    """
    names: list[str] = []
    for name, current in after.items():
        old = before.get(name)
        if old is None or is_same(old, current) is not None:
            continue
        if old.code is not None and old.code == current.code:
            names += unread_values(old.inside or {}, current.inside or {})
        else:
            names.append(current.may_change or name)
    return list(dict.fromkeys(names))


def reads_another(called: str, name: str, changed: Sequence[ChangedValue]) -> Reason:
    """Return the reason for a new function object that reads a changed outside value.

    Args:
        called: A text that names the function object, such as: the second function object of g from line 3.
        name: The name of the function.
        changed: The changed values, at least one.
    """
    first = _without_defaults(changed)[0]
    text = f"This is {called}: {change_of_outside(name, changed)}"
    cure = cure_of_changed(name, changed)
    return Reason("new_function", text, first.name, first.before.described(), first.after.described(), cure)


def change_of_outside(name: str, changed: Sequence[ChangedValue]) -> str:
    """Return the text of changed outside values, such as: f reads i from outside, and i changed from 0 to 1.

    Args:
        name: The name of the function.
        changed: The changed values, at least one.
    """
    changed = _without_defaults(changed)
    if changed[0].after.is_default:
        return f"{changed[0].described()}."
    names = names_text([value.name for value in changed])
    return f"{name} reads {names} from outside, and {changed[0].described()}."


def contents_as_arguments(names: Sequence[str]) -> str:
    """Return the cure of a function that reads values from outside whose contents are unknown.

    The names of functions end with ().
    """
    contents = "values" if all(name.endswith("()") for name in names) else "contents"
    return f"If the {contents} of {names_text(names)} change between the calls, pass the {contents} as arguments."


def sentence_of_outside(name: str, changed: Sequence[ChangedValue]) -> str:
    """Return the text of changed outside values as a sentence of its own; arguments as `change_of_outside`."""
    text = change_of_outside(name, changed)
    # the other text begins with the name of the function, which stays as the code writes it
    return f"{text[0].upper()}{text[1:]}" if _without_defaults(changed)[0].after.is_default else text


def cure_of_changed(name: str, changed: Sequence[ChangedValue]) -> str:
    """Return the cure of a new function object that reads changed outside values; arguments as `change_of_outside`."""
    changed = _without_defaults(changed)
    first = changed[0]
    if first.after.is_default:
        return f"Define {name} once, and pass {first.name} to {name} in each call."
    if len(changed) == 1 and first.is_edited_function:
        return CHANGE_OF_CODE.format(names=first.name)
    names = names_text([value.name for value in changed])
    cure = f"Pass {names} to {name} as arguments, and make {name} once."
    if len(changed) == 1:
        cure = f"Pass {names} to {name} as an argument, and make {name} once."
    if first.after.is_function:
        cure += f" Make {first.name} static, because JAX cannot trace a function as an argument."
    elif first.after.is_object:
        cure += f" As an argument, {first.name} must be a pytree of arrays, or static and hashable."
    elif first.after.kind in _STATIC:
        cure += f" Make {first.name} static if {name} needs a Python value."
    return cure


def _without_defaults(changed: Sequence[ChangedValue]) -> Sequence[ChangedValue]:
    return [value for value in changed if not value.after.is_default] or changed
