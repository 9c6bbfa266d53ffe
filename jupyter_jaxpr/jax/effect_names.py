"""Names JAX's effects, such as `Debug` or `OrderedIO`.

Effects that do not reach outside of a program are left out. Some of JAX's effects print with an address that differs in
every trace; their names have no address. Effects are read by their attributes; JAX is not imported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from ..plain_text import kind_name, text_of

# The effect which only says that an equation needs a named axis; `jax.interpreters.partial_eval.dce_jaxpr` ignores this
# effect, too.
_NO_EFFECT = frozenset({"NamedAxisEffect"})
# Effects without a consequence outside of the program, such as writes to a reference that the program itself makes.
INSIDE = _NO_EFFECT | {"InternalMutableArrayEffect"}
# Matches the address of a reference without a name: Read<Var(id=140215315742048):Ref{float32[8]}>.
_VARIABLE = re.compile(r"Var\(id=\d+\):")


def equation_effects(effects: Iterable[Any]) -> list[str]:
    """Return the names of an equation's effects, sorted, each once."""
    return _names(effects, _NO_EFFECT)


def program_effects(jaxpr: Any) -> list[str]:
    """Return the names of the effects that running a program (Jaxpr or ClosedJaxpr) again would repeat, sorted."""
    return _names(getattr(jaxpr, "effects", ()), INSIDE)


def _names(effects: Iterable[Any], without: Collection[str]) -> list[str]:
    return sorted({_name(effect) for effect in effects if kind_name(type(effect)) not in without})


def _name(effect: Any) -> str:
    kind = kind_name(type(effect))
    text = _VARIABLE.sub("", text_of(effect))
    # Some effects have Python's default repr, <… object at 0x7f…>: the class name is used instead.
    return kind if " object at 0x" in text or not text else text
