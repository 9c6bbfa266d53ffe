"""Names JAX's effects, such as `Debug` or `OrderedIO`.

JAX counts more among the effects than happens outside of a program, and prints some with addresses that are others in
every trace. They are read by their attributes; nothing of JAX is imported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from ..plain_text import kind_name, text_of

#: That an axis has to be there: `jax.interpreters.partial_eval.dce_jaxpr` counts it as no effect either.
_NO_EFFECT = frozenset({"NamedAxisEffect"})
#: Nor is it one to anybody outside that a program makes references of its own. These are names of their own, too.
INSIDE = _NO_EFFECT | {"InternalMutableArrayEffect"}
#: The variable of a reference, which has no name yet: Read<Var(id=140215315742048):Ref{float32[8]}>.
_VARIABLE = re.compile(r"Var\(id=\d+\):")


def equation_effects(effects: Iterable[Any]) -> list[str]:
    """What an equation does besides its results; each once, sorted."""
    return _names(effects, _NO_EFFECT)


def program_effects(jaxpr: Any) -> list[str]:
    """What would happen again if a program, a Jaxpr or ClosedJaxpr, ran again; each once, sorted."""
    return _names(getattr(jaxpr, "effects", ()), INSIDE)


def _names(effects: Iterable[Any], without: Collection[str]) -> list[str]:
    return sorted({_name(effect) for effect in effects if kind_name(type(effect)) not in without})


def _name(effect: Any) -> str:
    kind = kind_name(type(effect))
    text = _VARIABLE.sub("", text_of(effect))
    # Some effects print as bare objects: <… object at 0x7f…>.
    return kind if " object at 0x" in text or not text else text
