"""Finds donated arguments that a function does not use: JAX removes them from the program, so nothing is donated."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from ...observe.cache.key_texts import paths
from ...observe.cache.types_and_layouts_of_key import Key
from ...observe.cell_run import Run
from ...observe.observation import Finding
from ...observe.programs.programs_of_misses import KeptProgram
from ...observe.reprs_of_users_values import NOTHING_CALLED

_TITLE = "The program of {function} does not read {path}, so JAX does not donate {path}"
_TEXT = (
    "{function} donates {path}{type}, and the program of {function} neither reads nor returns {path}. JAX drops "
    "{path} from the program, so the donation has no effect: {path} keeps its memory. JAX gives no warning."
)
_CURE = (
    "Do not donate {path}. With keep_unused=True, jax.jit keeps {path} as an input of the program, and the call can "
    "use the memory of {path}."
)
_MOST = 4


def unread_donations(run: Run) -> list[Finding]:
    """Return a finding for each donated argument that no program of the function uses.

    The run must have made a program.
    """
    findings = []
    for activity in run.functions.values():
        record = activity.record
        if record.library or record.construct is not None or record.equinox or record.pmap:
            continue
        # Another program, for another static value or other types, may use the argument: then there is no finding.
        kept: list[KeptProgram] = list(record.programs.values())
        unread = [{path for path, _ in _unread(program, program.keys[0])} for program in kept if program.keys]
        in_all = set.intersection(*unread) if unread else set()
        for program, is_new, _ in activity.programs.values():
            if is_new and program.origin == "ran" and any(program.donated) and program.keys:
                paths_left_out = [row for row in _unread(program, program.keys[0]) if row[0] in in_all]
                for path, type_text in paths_left_out[:_MOST]:
                    facts = {"function": record.name, "path": path, "type": type_text}
                    finding = Finding(
                        kind="unused_donation",
                        title=_TITLE.format(**facts),
                        text=_TEXT.format(**facts),
                        cure=_CURE.format(**facts),
                        function=record.name,
                        place=record.definition,
                    )
                    findings.append(finding)
    return list(dict.fromkeys(findings))


def _unread(program: KeptProgram, key: Key) -> Iterator[tuple[str, str]]:
    """Yield (path, type) for each leaf of the donated arguments that a program does not use, such as params['w'].

    Only JAX's own arrays count: JAX cannot donate a NumPy array.
    """
    if key.options.keeps_unused or not key.count:
        return
    unused = _unused_inputs(program.jaxpr)[-key.count :]
    donated = program.donated[-key.count :]
    if len(unused) != key.count or len(donated) != key.count or not any(map(operator.and_, unused, donated)):
        return
    leaves = [
        (path, leaf.describe(), is_unused and is_donated and leaf.holder == "jax.Array")
        for path, leaf, is_unused, is_donated in zip(
            paths(key, NOTHING_CALLED), key.leaves, unused, donated, strict=True
        )
    ]
    for name in key.names:
        of_argument = [leaf for leaf in leaves if leaf[0] == name or leaf[0].startswith((f"{name}[", f"{name}."))]
        if len(of_argument) > 1 and all(is_left_out for *_, is_left_out in of_argument):
            yield name, ""
        else:
            yield from ((path, f" ({kind})") for path, kind, is_left_out in of_argument if is_left_out)


def _unused_inputs(jaxpr: Any) -> list[bool]:
    """Return, for each input of a program, whether it is unused: no equation reads it, and it is no result."""
    inner = getattr(jaxpr, "jaxpr", jaxpr)
    used = {id(operand) for equation in inner.eqns for operand in equation.invars}
    used.update(map(id, inner.outvars))
    return [id(variable) not in used for variable in inner.invars]
