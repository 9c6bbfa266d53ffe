"""Finds the reason why JAX compiled an eager construct (such as `lax.scan` outside of jit) again.

JAX makes one jitted function for each body that it traced, so the key of the new call is compared with the keys of all
earlier calls of the construct. If the keys do not differ, the body is a new function object, which JAX had to trace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...jax.constructs_outside_jit import Construct, PassedFunction
from ...joined_names import in_a_sentence
from ..reprs_of_users_values import Reading
from ..user_or_library.whose_code import is_installed
from .changed_outside_values import CHANGE_OF_CODE, ChangedValue, contents_as_arguments
from .closest_key import closest
from .function_object_reasons import CODE_CHANGED, FIRST_CALL, defines_again
from .history_of_one_function import EarlierDefinition, FunctionHistory, MissEvent
from .reason import Reason, names_text, one_compile_each

NO_CLEARING = "Do not call {call} between calls."


def construct_reasons(
    event: MissEvent, earlier: Sequence[MissEvent], history: FunctionHistory, reading: Reading
) -> tuple[Reason, ...]:
    """Return the reasons why JAX compiled a construct.

    Args:
        event: The call that compiled; its `construct` is set.
        earlier: The earlier calls that made an entry, oldest first.
        history: The history of the construct.
        reading: Says which methods of the user's objects may be called.
    """
    construct = event.construct
    assert construct is not None
    before = [old for old in earlier if old.construct is not None and old.construct.derived == construct.derived]
    before = [old for old in before if old.key is not None]
    if construct.derived:
        text = f"A transform such as grad or vmap derived this program from {construct.title}."
        return (Reason("first_call", text, after="a derived program"),)
    if event.rerun and not before:
        return (_rerun(event, construct),)
    if event.redefines is not None:
        return (_defined_again(event, event.redefines, construct, history),)
    if not before or event.key is None:
        return (Reason("first_call", FIRST_CALL.format(called=history.name)),)
    closest_reasons = closest(event.key, [old.key for old in before if old.key is not None], reading).reasons
    reasons = _with_converted_carries([reason for reason in closest_reasons if reason.kind != "config"])
    if reasons and not _is_another_function(construct, before):
        return reasons
    if reasons:
        return (_other_body(event, before, construct), *reasons)
    settings = [old for old in before if old.construct is not None and old.construct.settings != construct.settings]
    if len(settings) == len(before):
        differences = [_other_settings(old.construct, construct) for old in reversed(settings)]
        other = min(differences, key=len)
        return (*other, _other_body(event, before, construct)) if _is_another_function(construct, before) else other
    if closest_reasons and (construct.name == "map" or before[-1].clears != event.clears):
        text = "The reason is unknown: JAX evaluated the construct in another context, such as another mesh."
        return (Reason("unknown", text),)
    # A change of JAX's settings is the reason if an earlier call with the same function objects differs in nothing
    # else.
    same = [old.key for old in before if _new_functions(construct, [old]) == [] and old.key is not None]
    same_reasons = closest(event.key, same, reading).reasons if same else ()
    if same_reasons and all(reason.kind == "config" for reason in same_reasons):
        return same_reasons
    if closest_reasons:
        return (_other_body(event, before, construct), *closest_reasons)
    return (_other_body(event, before, construct),)


def _with_converted_carries(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Leave out the cure of a carry whose type may follow from another argument, and say why.

    The key holds the type to which JAX converted a carry that began with a weak type, such as the number 0.0.
    """
    if not any(reason.argument is not None and not _is_carry(reason) for reason in reasons):
        return tuple(reasons)
    return tuple(
        replace(reason, text=f"{reason.text} {_CONVERTED}", cure=None) if _may_be_converted(reason) else reason
        for reason in reasons
    )


_CONVERTED = "JAX converts a carry that begins with a weak type to the type that the body returns."


def _is_carry(reason: Reason) -> bool:
    return _CARRY.match(reason.argument or "") is not None


def _may_be_converted(reason: Reason) -> bool:
    is_weak = [(text or "").startswith("weak ") for text in (reason.before, reason.after)]
    return _is_carry(reason) and reason.kind in ("dtype", "weak_type") and is_weak[0] != is_weak[1]


_CARRY = re.compile(r"carry\b")


def _is_another_function(construct: Construct, before: Sequence[MissEvent]) -> bool:
    """Return whether the construct certainly got a function object that no earlier call passed."""
    if construct.name == "map":
        return True  # lax.map wraps the user's function in a new function object at each call
    return bool(_new_functions(construct, before))


def _new_functions(construct: Construct, before: Sequence[MissEvent]) -> list[PassedFunction] | None:
    """Return the functions of a call that the closest earlier call did not pass as the same function objects.

    The list is empty if an earlier call passed the same function objects; None if this is unknown.
    """
    closest: list[PassedFunction] | None = None
    for event in reversed(before):
        old = () if event.construct is None else event.construct.functions
        functions = (*old, *construct.functions)
        if not old or len(old) != len(construct.functions) or any(passed.reference is None for passed in functions):
            return None
        # Python keeps one plain weak reference per object. So two references are identical exactly if they belong to
        # the same function, even if the function was deleted.
        new = [
            passed
            for passed, earlier in zip(construct.functions, old, strict=True)
            if passed.reference is not earlier.reference
        ]
        if closest is None or len(new) < len(closest):
            closest = new
    return closest


def _other_settings(old: Construct | None, new: Construct) -> tuple[Reason, ...]:
    earlier = {} if old is None else dict(old.settings)
    return tuple(
        _other_setting(new, name, earlier.get(name), value)
        for name, value in new.settings
        if earlier.get(name) != value
    )


def _other_setting(construct: Construct, name: str, before: str | None, after: str) -> Reason:
    if name == "length" and construct.name == "fori_loop":
        text = f"The number of iterations of the fori_loop changed from {before} to {after}."
        cure = (
            "Call lax.fori_loop within a function under jax.jit, and pass the bounds to that function as arguments: "
            "JAX compiles the function once for all bounds."
        )
        return Reason("static_value", text, name, before, after, cure)
    text = f"The setting {name} of the {construct.name} changed from {before} to {after}."
    cure = one_compile_each(name)
    return Reason("static_value", text, name, before, after, cure)


def _rerun(event: MissEvent, construct: Construct) -> Reason:
    names = list(dict.fromkeys(body.name for body in construct.bodies)) or ["the body"]
    bodies = in_a_sentence(names)
    are_new = "is a new function object" if len(names) == 1 else "are new function objects"
    text = (
        f"JAX compiled the {construct.name} again, because the cell that defines {bodies} was run again: {bodies} "
        f"{are_new}."
    )
    changed = _with_other_code(event, construct)
    if changed:
        return Reason(
            "cell_rerun", f"{text} {CODE_CHANGED.format(names=in_a_sentence(changed))}", cure=_change_of_code(changed)
        )
    own = "its own" if len(names) == 1 else "their own"
    cure = f"Define {_functions([body.name for body in construct.bodies])} in a cell of {own}, and run that cell once."
    if event.unread:
        cure = f"{cure} {contents_as_arguments(event.unread)}"
    return Reason("cell_rerun", text, cure=cure)


def _defined_again(
    event: MissEvent, before: EarlierDefinition, construct: Construct, history: FunctionHistory
) -> Reason:
    """Return the reason for a body that another cell, or a later line, defines again."""
    if event.same_code and event.changed and not event.other_codes:
        return _reads_another(construct, _bodies(construct), event.changed[0])
    body = "the body" if history.definition is None else history.definition.function
    text = f"{defines_again(event, before, history, body)}, so JAX traced and compiled the {construct.name} again."
    changed = _with_other_code(event, construct)
    others = [name for name in changed if name != body]
    if others:
        text += f" The code of {in_a_sentence(others)} changed, too."
    if not event.same_code:
        return Reason("redefined", text, cure=_change_of_code([*others, body]))
    if others:
        return Reason("redefined", text, cure=_change_of_code(others))
    earlier = before.history()
    new = _new_functions(construct, [] if earlier is None else [old for old in earlier.events if old.construct])
    names = [passed.name for passed in new or ()] or [body]
    return Reason("redefined", text, cure=f"Define {_functions(names)} once: JAX caches by function object.")


def _with_other_code(event: MissEvent, construct: Construct) -> list[str]:
    """Return the names of the functions that the user wrote anew, with other code, since the previous call."""
    return list(dict.fromkeys(construct.functions[index].name for index in event.other_codes))


def _change_of_code(names: Sequence[str]) -> str:
    return CHANGE_OF_CODE.format(names=in_a_sentence(names))


def _bodies(construct: Construct) -> str:
    return " and ".join(dict.fromkeys(body.name for body in construct.bodies)) or "the body"


_MAP = (
    "JAX traced and compiled this lax.map again: each call of lax.map wraps {bodies} in a new function object, and JAX "
    "caches programs by function object."
)
_MAP_CURE = "Call lax.map within a function under jax.jit: JAX compiles that function once."


def _other_body(event: MissEvent, before: Sequence[MissEvent], construct: Construct) -> Reason:
    bodies = _bodies(construct)
    new = None if construct.name == "map" else _new_functions(construct, before)
    is_cleared = before[-1].clears != event.clears
    if new == [] and not is_cleared:
        text = f"JAX no longer holds {construct.title}: the caches were cleared, or JAX evicted the entry."
        return Reason("cleared", text, cure=NO_CLEARING.format(call="jax.clear_caches()"))
    if construct.name == "map":
        return Reason("new_function", _MAP.format(bodies=bodies), cure=_MAP_CURE)
    if is_cleared and not new:
        text = f"JAX no longer holds {construct.title}: jax.clear_caches() cleared the caches."
        return Reason("cleared", text, cure=NO_CLEARING.format(call="jax.clear_caches()"))
    if construct.within is not None:
        return _made_by(construct, bodies)
    if any(is_installed(body.file) for body in construct.bodies if body.file):
        return Reason(
            "new_function", f"The library makes {bodies} anew in each call: {bodies} is a new function object."
        )
    # the change of a value comes first: with the advice to run the definition once, the body would read the old value
    if event.changed and not event.other_codes:
        return _reads_another(construct, bodies, event.changed[0])
    if event.rerun:
        return _rerun(event, construct)
    if not new:
        text = f"JAX traced {bodies} again: a function of the {construct.name} is new, or JAX evicted the entry."
        cure = f"Define the functions once, outside of the code that calls {construct.name}."
        return Reason("new_function", text, cure=cure)
    text = _text_of_new_functions(construct, new)
    names_of_new = {passed.name for passed in new}
    changed = [name for name in _with_other_code(event, construct) if name in names_of_new]
    if changed:
        text = f"{text} {CODE_CHANGED.format(names=in_a_sentence(changed))}"
        return Reason("redefined", text, cure=_change_of_code(changed))
    names = " and ".join(dict.fromkeys(passed.name for passed in new))
    functions = _functions([passed.name for passed in new])
    cure = f"Define {functions} once, outside of the code that calls {construct.name}: JAX caches by function object."
    outside = list(dict.fromkeys([*event.captured, *sorted(event.varying)]))
    if outside:
        cure = _pass_and_define_once(construct, names_text(outside), functions)
    elif {passed.kind for passed in new} == {"method"}:
        cure = f"Keep the method in a variable: Python makes a new method object each time that the code reads {names}."
    elif {passed.kind for passed in new} == {"partial"}:
        cure = f"Make the partial once, outside of the code that calls {construct.name}: JAX caches by function object."
    elif {passed.kind for passed in new} == {"object"}:
        cure = f"Make each object once, outside of the code that calls {construct.name}: JAX caches by function object."
    elif names == "<lambda>":
        lambdas = "the lambda" if len(new) == 1 else "each lambda"
        cure = f"Give {lambdas} a name outside of the code that calls {construct.name}: JAX caches by function object."
    if event.unread:
        cure = f"{cure} {contents_as_arguments(event.unread)}"
    return Reason("new_function", text, cure=cure)


def _functions(names: Sequence[str]) -> str:
    """Return the functions as words of a sentence, such as `step and the lambda`: a lambda has no name."""
    lambdas = "the lambda" if names.count("<lambda>") == 1 else "the lambdas"
    return " and ".join(dict.fromkeys(lambdas if name == "<lambda>" else name for name in names)) or "the body"


def _text_of_new_functions(construct: Construct, functions: Sequence[PassedFunction]) -> str:
    """Return the sentence that says which functions of a construct are new function objects."""
    names = dict.fromkeys(
        f"the condition {passed.name}" if passed.parameter == "cond_fun" else passed.name for passed in functions
    )
    if len(names) > 1:
        new_names = " and ".join(names)
        return f"JAX traced and compiled the {construct.name} again: {new_names} are new function objects."
    name = next(iter(names))
    if len(functions) > 1:
        return f"JAX traced and compiled the {construct.name} again: each {name} is a new function object."
    return f"JAX traced and compiled the {construct.name} again: {name} is a new function object."


def _made_by(construct: Construct, bodies: str) -> Reason:
    """Return the reason for a body that a JAX function, such as `cg`, makes again at each of its calls."""
    text = (
        f"JAX traced and compiled the {construct.name} again: {bodies} is a new function object in each call of "
        f"{construct.within}."
    )
    cure = f"Call {construct.within} within a function under jax.jit: JAX compiles that function once."
    return Reason("new_function", text, cure=cure)


def _reads_another(construct: Construct, bodies: str, changed: ChangedValue) -> Reason:
    """Return the reason for a body that reads a changed outside value, so that defining the body once is no cure."""
    change = changed.described()
    text = (
        f"JAX traced and compiled the {construct.name} again: {bodies} is a new function object that reads "
        f"{changed.name} from outside, and {change}."
    )
    if changed.after.is_default:
        text = f"JAX traced and compiled the {construct.name} again: {bodies} is a new function object, and {change}."
    functions = _functions([body.name for body in construct.bodies])
    cure = _pass_and_define_once(construct, changed.name, functions)
    if changed.after.is_function or changed.after.is_object:  # a carry holds arrays and numbers
        cure = one_compile_each(changed.name)
    if changed.is_edited_function:
        cure = CHANGE_OF_CODE.format(names=changed.name)
    before, after = changed.before.described(), changed.after.described()
    return Reason("new_function", text, changed.name, before, after, cure)


def _pass_and_define_once(construct: Construct, names: str, functions: str) -> str:
    """Return the cure for functions of a construct that read values from outside."""
    if construct.primitive == "cond":
        return f"Pass {names} as an operand, and define {functions} once."
    return f"Pass {names} as a part of the carry, and define {functions} once."
