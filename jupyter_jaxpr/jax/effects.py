"""Names JAX's effects, such as `Debug` or `OrderedIO`.

JAX counts more among the effects than happens outside of a program, and prints some with addresses that are others in
every trace. They are read by their attributes; nothing of JAX is imported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from ..plain_text import kind_name, text_of

# An effect that requires an axis; `jax.interpreters.partial_eval.dce_jaxpr` does not count it either.
_NO_EFFECT = frozenset({"NamedAxisEffect"})
# References that a program makes for itself have no effect outside of the program, either.
INSIDE = _NO_EFFECT | {"InternalMutableArrayEffect"}
# The variable of a reference without a name: Read<Var(id=140215315742048):Ref{float32[8]}>.
_VARIABLE = re.compile(r"Var\(id=\d+\):")


def equation_effects(effects: Iterable[Any]) -> list[str]:
    """Return the effects of an equation, sorted, without repetition."""
    return _names(effects, _NO_EFFECT)


def program_effects(jaxpr: Any) -> list[str]:
    """Return the effects that a second run of a program (Jaxpr or ClosedJaxpr) would repeat, sorted."""
    return _names(getattr(jaxpr, "effects", ()), INSIDE)


def _names(effects: Iterable[Any], without: Collection[str]) -> list[str]:
    return sorted({_name(effect) for effect in effects if kind_name(type(effect)) not in without})


def _name(effect: Any) -> str:
    kind = kind_name(type(effect))
    text = _VARIABLE.sub("", text_of(effect))
    # Some effects print as plain objects: <… object at 0x7f…>.
    return kind if " object at 0x" in text or not text else text
