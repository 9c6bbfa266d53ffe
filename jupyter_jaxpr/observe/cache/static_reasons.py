"""Compares two values of a static argument and makes the reason for their difference."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from ...plain_text import exact, kind_name
from .. import advice_without_magics
from ..reprs_of_users_values import is_of_users
from .reason import Reason, names_text
from .static_values import StaticValue

if TYPE_CHECKING:
    from ..outside_values.kept_contents import Difference


_NEW_OBJECT = "{subject} is a new {kind} object that does not equal the earlier object."


def static_reason(subject: str, path: str, before: StaticValue, after: StaticValue, cure: str) -> Reason:
    """Return the reason for a static value that differs from the value in an earlier call.

    Args:
        subject: The words with which the reason's text begins, such as `The static argument n`.
        path: The path of the argument.
        before: The earlier value.
        after: The value of this call.
        cure: The cure for values that Python compares by their contents, such as numbers.
    """
    kind = kind_name(after.type)
    if before.is_changed(after):
        text = f"{subject} is the same {kind} object, but its hash changed."
        cure = f"Do not modify a static object: make a new {kind} for other contents."
        return Reason("static_identity", text, path, before.text, after.text, cure)
    if is_defined_again(before.type, after.type) and before.text == after.text:
        text = f"{subject} is an object of another class of the name {kind}: {kind} was defined again."
        return Reason("static_identity", text, path, before.text, after.text, defined_once(after.type))
    if not (before.read and after.read):
        return _unread(subject, path, before, after, cure)
    if before.text == after.text or (after.by_identity and not _named_otherwise(before, after)):
        text = _NEW_OBJECT.format(subject=subject, kind=kind)
        from ..outside_values.kept_contents import difference  # an import at the top of the file would be circular

        changed = difference(before.attributes, after.attributes)
        if kind in ("function", "method", "partial"):
            return _another_function(subject, path, before, after)
        elif changed is not None and changed.path and (after.by_identity or _is_only_difference(before, after)):
            return _other_contents(subject, path, before, after, changed)
        elif after.by_identity:
            cure = _cure_by_equality(before, after)
        elif not after.by_identity:
            cure = f"Reuse the object: the __eq__ of {kind} says that the two objects differ, so JAX compiles again."
        return Reason("static_identity", text, path, before.text, after.text, cure)
    text = f"{subject} changed from {before.text} to {after.text}."
    if _differ_in_type_alone(before, after):
        text = f"{subject} changed from {before.text} to {after.text}: JAX compares the types of static values, too."
        cure = f"Pass {path} as one type in every call."
    if after.by_identity:  # functions, classes and enum members are compared by identity: the cure names the same value
        cure = f"Pass the same value for {path} in every call, or expect one compile for each value."
    return Reason("static_value", text, path, before.text, after.text, cure)


def is_defined_again(before: type, after: type) -> bool:
    """Return whether a class was defined again: the two classes have the same module and the same name."""
    names = [(exact(kind.__module__), exact(kind.__qualname__)) for kind in (before, after)]
    return before is not after and names[0] == names[1]


def defined_once(defined: type) -> str:
    """Return the cure for a class that was defined again, which says where to define the class."""
    kind = kind_name(defined)
    if "<locals>" in exact(defined.__qualname__):
        return f"Define the class {kind} once, outside of the function."
    return f"Put the class {kind} in a cell of its own, and run that cell once."


def _differ_in_type_alone(before: StaticValue, after: StaticValue) -> bool:
    """Return whether two values are equal in Python but have different types, such as 2 and 2.0."""
    values = before.comparable, after.comparable
    if before.type is after.type or any(value is None for value in values):
        return False
    return bool(values[0] == values[1])


def _another_function(subject: str, path: str, before: StaticValue, after: StaticValue) -> Reason:
    """Return the reason for a static function or partial that is a new object.

    The cure depends on whether the two functions have different code, read different outside values, or are alike.
    """
    from .changed_outside_values import (  # an import at the top of the file would be circular
        changed_values,
        contents_as_arguments,
        unread_values,
    )

    kind = kind_name(after.type)
    text = _NEW_OBJECT.format(subject=subject, kind=kind)
    cure = f"Make the {kind} once, before the calls, and reuse the {kind}."
    if before.reads is None or after.reads is None:
        return Reason("static_identity", text, path, before.text, after.text, cure)
    if not before.reads.has_code_of(after.reads):
        text = f"{subject} is another {kind}, with other code."
        cure = f"Expect one compile for each {kind} with other code."
        return Reason("static_value", text, path, before.text, after.text, cure)
    changed = changed_values(before.reads.outside, after.reads.outside)
    if changed:
        names = names_text([value.name for value in changed])
        text = f"{subject} is a new {kind} object, and {changed[0].described()}."
        argument_or_arguments = "an argument" if len(changed) == 1 else "arguments"
        passed = f"Pass {names} as {argument_or_arguments} through the jitted function."
        if kind == "partial":
            cure = f"Make the {kind} once, without {names}. {passed}"
        elif len(changed) == 1:
            cure = f"Make the {kind} once, and let the {kind} take {names} as a parameter. {passed}"
        else:
            cure = f"Make the {kind} once, and let the {kind} take {names} as parameters. {passed}"
        return Reason("static_value", text, path, before.text, after.text, cure)
    unread = unread_values(before.reads.outside, after.reads.outside)
    if unread:
        cure = f"{cure} {contents_as_arguments(unread)}"
    return Reason("static_identity", text, path, before.text, after.text, cure)


def _is_only_difference(before: StaticValue, after: StaticValue) -> bool:
    """Return whether exactly one attribute of the two objects differs.

    The `__eq__` of the class says that the objects differ. Then the `__eq__` must compare the attribute that differs,
    and a changed value of this attribute explains the miss.
    """
    from ..outside_values.kept_contents import are_surely_equal  # an import at the top of the file would be circular

    if before.attributes is None or after.attributes is None:
        return False
    old, new = before.attributes.parts or {}, after.attributes.parts or {}
    return old.keys() == new.keys() and sum(not are_surely_equal(part, new[name]) for name, part in old.items()) == 1


def _cure_by_equality(before: StaticValue, after: StaticValue) -> str:
    """Return the cure for two objects of a class that compares by identity: reuse the object, or define an `__eq__`."""
    kind = kind_name(after.type)
    from ..outside_values.kept_contents import are_surely_equal  # an import at the top of the file would be circular

    if not is_of_users(after.type):
        return "Reuse the object."
    if are_surely_equal(before.attributes, after.attributes):
        return f"Reuse the object, or give {kind} an __eq__ and a __hash__ that compare its contents."
    return (
        f"Reuse the object. If the two objects have equal contents, give {kind} an __eq__ and a __hash__ that compare "
        "the contents."
    )


def _other_contents(subject: str, path: str, before: StaticValue, after: StaticValue, changed: Difference) -> Reason:
    """Return the reason for a static object whose contents differ from those of the earlier object."""
    place = f"{path}{changed.path}"
    kind = kind_name(after.type)
    text = f"{subject} is another {kind} object: {place} changed from {changed.before.text} to {changed.after.text}."
    # Arrays and functions with different contents can have equal texts, which would not show the change.
    if changed.before.text == changed.after.text:
        text = f"{subject} is another {kind} object, and the contents of {place} changed."
    cure = f"Expect one compile for objects with other contents: the __eq__ of {kind} says that the two objects differ."
    if after.by_identity:
        cure = (
            f"JAX compiles once for each {kind} object. With an __eq__ and a __hash__ that compare the contents, JAX "
            f"compiles once for objects with equal contents."
        )
    if {changed.before.kind, changed.after.kind} <= _NUMBERS:
        cure += f" Pass {place} as an argument that is not static if the function only computes with {place}."
    return Reason("static_identity", text, path, before.text, after.text, cure)


_NUMBERS = frozenset({"int", "float", "complex", "Array", "ndarray"})


def _unread(subject: str, path: str, before: StaticValue, after: StaticValue, cure: str) -> Reason:
    """Return the reason for a static object if one of the two calls was outside of observed cells.

    In such a call the `__eq__` and the `__hash__` of the object were not called, so the difference is not certain.
    """
    kind = kind_name(after.type)
    if after.type is not before.type:
        text = f"{subject} changed from {before.text} to {after.text}."
        return Reason("static_value", text, path, before.text, after.text, cure)
    if not before.is_surely_other(after):
        text = (
            f"{subject} may have changed: outside of an observed cell or block, jupyter_jaxpr does not compare "
            f"{kind} objects."
        )
    elif after.by_identity:
        text = f"{subject} is another {kind} object, and {kind} compares by identity."
    else:
        text = (
            f"{subject} is another {kind} object, possibly an equal object: outside of an observed cell or block, "
            f"jupyter_jaxpr does not compare {kind} objects."
        )
    return Reason("static_identity", text, path, before.text, after.text, f"Reuse the object. {_see_values()} {cure}")


def _see_values() -> str:
    return advice_without_magics.cure(
        "To see what differs, make both calls in a %%jaxpr cell or within observe().",
        "To see what differs, make both calls within observe().",
    )


def _named_otherwise(before: StaticValue, after: StaticValue) -> bool:
    """Return whether two objects have different names, such as two functions, which Python compares by identity."""
    if before.type is not after.type:
        return True
    named = issubclass(after.type, enum.Enum | type) or kind_name(after.type) in ("function", "PjitFunction")
    return named and "<lambda>" not in before.text + after.text
