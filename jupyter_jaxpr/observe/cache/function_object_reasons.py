"""Finds the reasons of a miss that is the first call of a function object: why the object is new."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..observation import Place
from ..reprs_of_users_values import Reading
from .changed_outside_values import (
    CHANGE_OF_CODE,
    contents_as_arguments,
    cure_of_changed,
    reads_another,
    sentence_of_outside,
)
from .closest_key import MOST_COMPARED, closest
from .function_named_in_reason import is_same_kind
from .history_of_one_function import EarlierDefinition, FunctionHistory, MissEvent
from .reason import Reason, names_text
from .wrappers_named_in_reasons import equinox_wrappers, written

FIRST_CALL = "This is the first call of {called}."
CODE_CHANGED = "The code of {names} changed."
_PASS_ATTRIBUTES = (
    "Pass attributes of the object that change as arguments, because the program keeps the attributes that the method "
    "read when JAX traced the method."
)
_JIT_ONCE = f"Jit the method once, and keep the jitted function in a variable. {_PASS_ATTRIBUTES}"
_KEEP_OBJECT = "Keep one {kind} object, and jit the object once."
_WRAPPED = "{name} with this wrapper around it"
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def function_object_reasons(
    event: MissEvent, earlier: Sequence[MissEvent], history: FunctionHistory, reading: Reading
) -> tuple[Reason, ...]:
    """Return the reasons why the first call of a function object missed.

    The first reason is the new function object; further reasons are differences from an earlier call.
    """
    name = history.name
    number = event.function_object
    if event.held_before:
        return (
            Reason("first_observed", f"This is the first observed call of {name}. JAX had compiled {name} before."),
        )
    if event.redefines is not None:
        return _defined_again(event, event.redefines, history, reading)
    if number == 0 and not event.rerun and not event.reloaded:
        return (Reason("first_call", _first_call(event, history, name)),)
    if event.rerun:
        return (_cell_run_again(event, name), *_beside(event, earlier, reading))
    if event.reloaded and history.definition is not None:
        file = os.path.basename(history.definition.file)
        text = f"Python loaded {file} again, by a reload or by %run, so {name} is a new function object."
        if event.same_code is not None:
            code = f"The code of {name} did not change." if event.same_code else CODE_CHANGED.format(names=name)
            text = f"{text} {code}"
        cure = f"Expect one compile of {name} for each time that Python loads {file}."
        return (Reason("reloaded", text, cure=cure), *_beside(event, earlier, reading))
    expression = written(event.wrappers, name.strip("<>"))
    if event.alike == 0:
        called = _text_of_object(event, history, expression)
        after = None if called == name else called
        return (Reason("first_call", _first_call(event, history, called), after=after),)
    return (_made_anew(event, history, expression), *_beside(event, earlier, reading))


def _first_call(event: MissEvent, history: FunctionHistory, called: str) -> str:
    """Return the sentence on the first call of a function object that made a program.

    An earlier call may have raised an error, or JAX may have inlined the call into the trace of another function.
    """
    outcomes = {
        old.outcome
        for old in history.events
        if old.number < event.number and old.function_object == event.function_object
    }
    if "raised" in outcomes:
        return f"This is the first call of {called} that did not raise an error."
    if "inlined" in outcomes:
        return f"This is the first call of {called} outside of the trace of another function."
    return FIRST_CALL.format(called=called)


def _cell_run_again(event: MissEvent, name: str) -> Reason:
    text = f"The cell that defines {name} was run again, so {name} is a new function object."
    cure = f"Put the definition of {name} in a cell of its own, and run that cell once."
    if event.same_code is False:
        text = f"{text} {CODE_CHANGED.format(names=name)}"
        cure = CHANGE_OF_CODE.format(names=name)
    elif event.changed:
        text += f" {sentence_of_outside(name, event.changed)}"
        cure = cure_of_changed(name, event.changed)
    else:
        cure = _with_contents(cure, event)
    return Reason("cell_rerun", text, cure=cure)


def _with_contents(cure: str, event: MissEvent) -> str:
    """Return an advice to keep one function object, with the values whose changes the function would not see."""
    # the advice on a method or an object names the attributes as a whole
    differing = sorted(name for name in event.varying if not name.startswith("self."))
    if differing:
        cure = f"{cure} {_pass_to_function(differing)}"
    return f"{cure} {contents_as_arguments(event.unread)}" if event.unread else cure


def _pass_to_function(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"Pass {names[0]} to the function as an argument."
    return f"Pass {names_text(names)} to the function as arguments."


def _defined_again(
    event: MissEvent, before: EarlierDefinition, history: FunctionHistory, reading: Reading
) -> tuple[Reason, ...]:
    """Return the reasons of the first call of a function that another cell, or an earlier line, had defined before."""
    name = history.name
    events = [] if (earlier := before.history()) is None else list(earlier.events)
    calls = [old for old in events if old.number < event.number and old.made_entry and old.key is not None]
    calls = [old for old in calls if is_same_kind(old, event)]
    key = event.key
    same_options = key is not None and any(old.key is not None and old.key.options.equals(key.options) for old in calls)
    called = written(event.wrappers, name) or name
    text = f"{defines_again(event, before, history, name)}, so {called} is a new function object."
    cure = None
    if not event.same_code:
        # The code differs, so the two functions may have only the name in common: differences from calls of the earlier
        # function are no reasons.
        calls = []
        cure = CHANGE_OF_CODE.format(names=name)
    elif event.changed:
        text += f" {sentence_of_outside(name, event.changed)}"
        cure = cure_of_changed(name, event.changed)
    elif not same_options:
        if key is not None and calls:
            text += f" The options of {key.options.by} changed."
    elif event.partial is None and not event.method:
        made = name if called == name else f"{name} and {called}"
        cure = _with_contents(f"Define {made} once: JAX caches by function object, not by code.", event)
    return (Reason("redefined", text, cure=cure), *_beside(event, calls, reading))


def defines_again(event: MissEvent, before: EarlierDefinition, history: FunctionHistory, name: str) -> str:
    """Return a clause on a second definition: Line 2 defines f again, with the same code as line 4 of cell [1].

    Args:
        event: The first miss of the function of the second definition.
        before: The first definition.
        history: The history of the function of the second definition.
        name: The name of the function.
    """
    place = event.definition or history.definition
    where = None if place is None else _line_of(place, event.definition_cell, event)
    defines = f"The cell defines {name}" if where is None else f"{where[:1].upper()}{where[1:]} defines {name}"
    was_where = _line_of(before.place, before.cell, event)
    # Two cells with equal texts have one file name in a notebook's kernel.
    is_equal_cell = place is not None and before.place.file == place.file and before.place.line == place.line
    if is_equal_cell and before.cell is not None:
        was_where = f"line {before.place.line} of cell [{before.cell}]"
    earlier = was_where or "the earlier definition"
    if event.same_code:
        return f"{defines} again, with the same code as {earlier}"
    return f"{defines} again, with other code than {earlier}"


def _made_anew(event: MissEvent, history: FunctionHistory, expression: str | None) -> Reason:
    name = history.name
    if event.partial is not None:
        old = _closest_partial(event, history)
        if old is not None:
            return _new_partial(event, old, history)
    if (event.method or event.may_equal) and event.outcome == "dispatch_only":
        return reason_of_equal_object(event, history)
    if event.method:
        return _new_method(event, history)
    plain = name.strip("<>")
    new_function_object = (
        f"the {_ordinal(event.alike)} function object of {expression or plain}{_defined_at(history, event)}"
    )
    wraps_method = bool(event.wrappers) and event.bound_method is not None
    if wraps_method and not _wraps_method_of_earlier_object(event, history):
        text = f"This is {new_function_object}: {plain} is a method of another object."
        if event.changed:
            text = f"{text} {sentence_of_outside(plain, event.changed)}"
        cure = "Keep one jitted function for each object, or jit a function with the object as an argument."
        return Reason("new_function", text, cure=cure)
    if event.changed:
        return reads_another(new_function_object, plain, event.changed)
    if event.callable_class:
        if event.callable_class == "PjitFunction":
            text = f"This is a new jit of {name}, which is jitted already: each jax.jit makes a new function object."
            return Reason(
                "new_function",
                text,
                cure="Keep the new jitted function in a variable, and call the function in the variable again.",
            )
        text = f"This is another {event.callable_class} object: each object has cache entries of its own."
        if event.may_equal:
            text = f"This is another {event.callable_class} object."
            if event.is_compared:
                kind = event.callable_class
                text = f"This is another {kind} object, and no {kind} object that has cache entries equals the object."
        cure = f"Keep one {event.callable_class} object, or pass its values to a function as arguments."
        return Reason("new_function", text, cure=_with_contents(cure, event))
    by = "jit" if event.key is None else event.key.options.by
    text, cure = _where_made(new_function_object, event, by)
    if wraps_method:
        cure = f"{cure} {_PASS_ATTRIBUTES}"
    return Reason("new_function", text, cure=_with_contents(cure, event))


def _wraps_method_of_earlier_object(event: MissEvent, history: FunctionHistory) -> bool:
    """Return whether an earlier function object wraps the same method of the same object, in the same wrappers."""
    mine = event.bound_method
    return mine is not None and any(
        old.bound_method is not None and old.wrappers == event.wrappers and mine.equals(old.bound_method)
        for old in history.events
        if old.number < event.number
    )


def _closest_partial(event: MissEvent, history: FunctionHistory) -> MissEvent | None:
    """Return the first miss of the earlier partial that binds the most equal values; the latest of several."""
    partials = [old for old in reversed(history.events) if old.number < event.number and old.partial is not None]
    return min(partials, key=lambda old: len(_changed_bindings(event, old)), default=None)


def _changed_bindings(event: MissEvent, old: MissEvent) -> list[str]:
    bound, before = event.partial or {}, old.partial or {}
    return [name for name in bound if before.get(name) != bound[name]]


def reason_of_equal_object(event: MissEvent, history: FunctionHistory) -> Reason:
    """Return the reason of the first call of a function object that equals an earlier one, whose program JAX reused."""
    name = history.name
    if event.method or (event.first is not None and event.first.method):
        text = (
            f"This is another method object of the same method {name}{_defined_at(history, event)}: Python makes a "
            f"new method object each time that the code reads object.{name}. JAX compiled nothing."
        )
        return Reason("new_function", text, cure=_JIT_ONCE)
    kind = event.callable_class or name
    text = f"This is another {kind} object, which equals an earlier {kind} object. JAX compiled nothing."
    return Reason("new_function", text, cure=_KEEP_OBJECT.format(kind=kind))


def reason_of_entry_of_equal_object(event: MissEvent, history: FunctionHistory) -> Reason:
    """Return the reason of a miss whose entry JAX dropped together with an equal function object.

    Args:
        event: The earlier call with the same key, for which JAX reused the program of the equal object.
        history: The history of the function.
    """
    first = event.first or event
    kind = f"{history.name} method" if first.method else first.callable_class or history.name
    text = (
        f"The program of these arguments belonged to an earlier {kind} object, which equals this object. The earlier "
        "object no longer exists, and JAX dropped its cache entries."
    )
    cure = _JIT_ONCE if first.method else _KEEP_OBJECT.format(kind=kind)
    return Reason("cleared", text, cure=cure)


def _new_method(event: MissEvent, history: FunctionHistory) -> Reason:
    method = f"{history.name}{_defined_at(history, event)}"
    mine = event.bound_method
    with_entries = {old.function_object for old in history.events if old.number < event.number and old.made_entry}
    is_jitted_before = mine is not None and any(
        old.method
        and old.bound_method is not None
        and mine.equals(old.bound_method)
        and not history.is_alive(old.function_object)
        for old in history.events
        if old.function_object in with_entries and old.number < event.number
    )
    if is_jitted_before:
        text = (
            f"This is another jit of the method {method} of the same object. The earlier jitted function no longer "
            "exists, and JAX dropped the cache entries of the function."
        )
        if event.changed:
            name = history.name
            text = f"{text} {sentence_of_outside(name, event.changed)}"
            return Reason("new_function", text, cure=cure_of_changed(name, event.changed))
        return Reason("new_function", text, cure=_with_contents(_JIT_ONCE, event))
    text = f"This is another method {method}: each object.{history.name} is a function object of its own."
    cure = "Jit the method once and keep the jitted function, or jit a function with the object as an argument."
    return Reason("new_function", text, cure=cure)


def _where_made(new_function_object: str, event: MissEvent, by: str) -> tuple[str, str]:
    """Return two texts: why the function object is new, and the cure."""
    making = event.making
    if making is None or (making.function is None and not making.in_loop):
        text = f"This is {new_function_object}. Make the function once."
        cure = "Keep the function in a variable: JAX caches by function object, not by code."
    elif making.in_loop:
        text = f"This is {new_function_object}. Move the {by} out of the loop."
        cure = "Make the function once, before the loop: JAX caches by function object, not by code."
    else:
        text = f"This is {new_function_object}: a call of {making.function} made a new function object."
        cure = f"Make the function once, outside of {making.function}: JAX caches by function object, not by code."
    captured = [] if making is None or making.in_loop else [n for n in event.captured if n not in event.varying]
    return text, f"{cure} {_pass_to_function(captured)}" if captured else cure


def _beside(event: MissEvent, earlier: Sequence[MissEvent], reading: Reading) -> tuple[Reason, ...]:
    """Return the differences from the closest call of an earlier function object with the same wrappers, as reasons.

    The function objects with the fewest changed outside values are the closest.
    """
    if event.key is None:
        return ()
    calls = [
        old
        for old in earlier[-MOST_COMPARED:]
        if old.key is not None
        and old.key.traced == event.key.traced
        and old.key.options.equals(event.key.options)
        and is_same_kind(old, event)
    ]
    calls = [old for old in calls if old.function_object in event.closest_objects] or calls
    keys = [old.key for old in calls if old.key is not None]
    if not keys:
        return ()
    nearest = closest(event.key, keys, reading)
    return nearest.reasons if nearest.compiles else ()


def _text_of_object(event: MissEvent, history: FunctionHistory, expression: str | None) -> str:
    """Return the text that names the function object of a miss.

    The text is the function's name or, if the history holds objects with several wrappers, the name with the wrapper
    of this object, such as jax.grad(loss) or a partial of loss.
    """
    if len(history.wrapped) < 2:
        return history.name
    if event.callable_class == "PjitFunction":
        return f"a second jax.jit around {history.name}"
    if event.another:
        return f"another {expression or 'lambda'}{_defined_at(history, event)}"
    if event.partial is not None:
        return f"a partial of {history.name}"
    if expression is None:
        return _WRAPPED.format(name=history.name)
    return expression if event.wrappers else f"{history.name} itself"


def new_equinox_reason(event: MissEvent, earlier: Sequence[MissEvent], history: FunctionHistory) -> Reason:
    """Return the reason of a miss of a jitted function of equinox, whose key holds a function object."""
    name = history.name.strip("<>")
    kind = event.key.function.type if event.key is not None and event.key.function is not None else None
    alike = [old for old in earlier if old.key is not None and old.key.function and old.key.function.type is kind]
    if not alike:
        expression = None if kind is None else written(("equinox.filter_jit", *equinox_wrappers(kind)), name)
        called = expression or _WRAPPED.format(name=name)
        return Reason("first_call", FIRST_CALL.format(called=called), after=called)
    text, _ = _where_made(f"another function object of {name}{_defined_at(history, event)}", event, "filter_jit")
    cure = "Make the function once, before the calls: the function is part of the cache key."
    cure = _with_contents(cure, event)
    return Reason("new_function", text, cure=cure)


def _new_partial(event: MissEvent, old: MissEvent, history: FunctionHistory) -> Reason:
    bound, before = event.partial or {}, old.partial or {}
    changed = _changed_bindings(event, old)
    name = history.name
    if not changed and event.changed:
        return reads_another(f"another partial of {name}", name, event.changed)
    if not changed:
        text = f"This is another partial of {name}."
        if event.partial_read and old.partial_read:
            text = f"This is another partial of {name} that binds the same values."
        cure = (
            "Make the partial once, before the calls: JAX caches by function object. Pass values that "
            f"{name} reads from outside and that change as arguments."
        )
        return Reason("new_function", text, cure=cure)
    first = changed[0]
    was = before.get(first, "not bound")
    text = f"This is another partial of {name}: {first} changed from {was} to {bound[first]}."
    cure = f"Jit {name} itself and pass {first} as an argument; make {first} static if {first} must be a Python value."
    return Reason("new_function", text, first, was, bound[first], cure)


def _defined_at(history: FunctionHistory, event: MissEvent) -> str:
    """Return the line of a function's def as text, such as ` from line 4`.

    The text also has the cell or the module if the call is in another cell or module.
    """
    place = event.definition or history.definition
    line = None if place is None else _line_of(place, event.definition_cell, event)
    return "" if line is None else f" from {line}"


def _line_of(place: Place, cell: int | None, event: MissEvent) -> str | None:
    """Return the line of a def as text, such as `line 4`, with its cell or module if the call `event` is elsewhere.

    Args:
        place: The place of the def.
        cell: The n of In [n] of the cell that contains the def; None if unknown.
        event: The call that missed.
    """
    if not place.line:
        return None
    line = f"line {place.line}"
    if event.place is None or event.place.file == place.file:
        return line
    if not is_cell(place):
        return f"{line} of {os.path.basename(place.file)}"
    return f"{line} of another cell" if cell is None else f"{line} of cell [{cell}]"


def is_cell(place: Place) -> bool:
    """Return whether a place is in a cell of a notebook."""
    return "ipykernel" in place.file or place.file.startswith("<ipython-input-")


def _ordinal(index: int) -> str:
    if index < len(_ORDINALS):
        return _ORDINALS[index]
    number = index + 1
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
