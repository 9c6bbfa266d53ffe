"""A construct that JAX compiled outside of jit in, why JAX compiled the construct again out.

JAX keeps one jitted function for each body that JAX traced, so the key of the new call is compared with the keys of
all earlier calls. Where no part differs, JAX traced the body again: the body is another function object.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jax.eager import Construct
from ..value_texts import Reading
from .history import FunctionHistory, MissEvent
from .key_differences import Reason, closest


def construct_reasons(
    event: MissEvent, earlier: Sequence[MissEvent], history: FunctionHistory, reading: Reading
) -> tuple[Reason, ...]:
    """Why JAX compiled a construct.

    Args:
        event: The call that compiled; its `construct` is known.
        earlier: The calls before it that made an entry, oldest first.
        history: Of the construct.
        reading: What may be called of the user's objects.
    """
    construct = event.construct
    assert construct is not None
    before = [old for old in earlier if old.construct is not None and old.key is not None]
    if not before or event.key is None:
        return (Reason("first_call", f"first call of {history.name}"),)
    _, reasons = closest(event.key, [old.key for old in before if old.key is not None], reading)
    if reasons:
        return reasons
    settings = [old for old in before if old.construct is not None and old.construct.settings != construct.settings]
    if len(settings) == len(before):
        return _other_settings(settings[-1].construct, construct)
    return (_other_body(event, before, construct),)


def _other_settings(old: Construct | None, new: Construct) -> tuple[Reason, ...]:
    earlier = {} if old is None else dict(old.settings)
    return tuple(
        Reason("static_value", f"{name}: {earlier.get(name)} -> {value}", name, earlier.get(name), value)
        for name, value in new.settings
        if earlier.get(name) != value
    )


def _other_body(event: MissEvent, before: Sequence[MissEvent], construct: Construct) -> Reason:
    bodies = " and ".join(body.name for body in construct.bodies) or "the body"
    function = None if construct.function is None else construct.function()
    same = [old for old in before if old.construct is not None and old.construct.function is not None]
    if function is not None and any(
        old.construct is not None and old.construct.function is not None and old.construct.function() is function
        for old in same
    ):
        text = (
            f"JAX no longer holds the program of {construct.title}: the caches were cleared, or JAX evicted the entry"
        )
        return Reason("cleared", text, cure="Do not call jax.clear_caches() between calls.")
    if event.rerun:
        text = f"this cell ran again, so {bodies} is a new function object, and JAX compiled the {construct.name} again"
        return Reason("cell_rerun", text, cure=f"Define {bodies} in a cell of its own, and run that cell once.")
    if function is None and construct.function is None:
        text = f"JAX traced {bodies} again: a new function object, or the caches were cleared"
        return Reason(
            "new_function", text, cure=f"Define the functions once, outside of the code that calls {construct.name}."
        )
    text = f"{bodies} is a new function object, so JAX traced and compiled the {construct.name} again"
    cure = f"Define {bodies} once, outside of the code that calls {construct.name}: JAX caches by function object."
    if bodies == "<lambda>":
        cure = f"Give the lambda a name outside of the code that calls {construct.name}: JAX caches by function object."
    return Reason("new_function", text, cure=cure)
