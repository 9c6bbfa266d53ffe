"""Names the custom derivative rules that the diff of two programs cannot compare.

A jaxpr has only the names of the rules of `custom_jvp` and `custom_vjp`, not their programs, because JAX traces a rule
only when it differentiates. So a rule may have changed although the program is equal.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...joined_names import listed
from ..types.document import Scope, Snapshot

_CUSTOM = {"custom_jvp_call": "custom_jvp", "custom_vjp_call": "custom_vjp", "custom_vjp_call_jaxpr": "custom_vjp"}
#: The most functions that a sentence names; the others are counted.
_NAMED = 3


def uncompared_rules(before: Snapshot, program_before: int, after: Snapshot, program_after: int) -> str | None:
    """Return a sentence on the derivative rules of functions that are in both programs; None if there are none.

    Rules of libraries are left out: they change with the library, not from run to run.
    """
    earlier = _rules(before, program_before)
    shared = [f"{kind} {name}" for kind, name in _rules(after, program_after) if (kind, name) in earlier]
    if not shared:
        return None
    return (
        f"The diff does not compare the derivative rules of {listed(shared, _NAMED)}: a program holds only the names "
        "of the rules. Compare the programs of jax.grad to see a change of a rule."
    )


def _rules(document: Snapshot, program: int) -> dict[tuple[str, str], None]:
    """Return (kind, name) of the user's functions with derivative rules, as ordered keys of a dict."""
    rules: dict[tuple[str, str], None] = {}
    for scope in scopes_of(document, document.programs[program].scope):
        for at, number in enumerate(scope.primitive):
            kind = _CUSTOM.get(document.strings[number])
            if kind is None:
                continue
            bodies = [child.scope for child in scope.children if child.equation == scope.first_equation + at]
            name = _name(document, scope.parameters[at])
            if all(_is_own(document, document.scopes[body], name) for body in bodies):
                rules[kind, name] = None
    return rules


def scopes_of(document: Snapshot, root: int) -> Iterator[Scope]:
    """Yield a scope and its inner scopes, each once, in the order of the program."""
    seen_scopes, pending = {root}, [root]
    while pending:
        scope = document.scopes[pending.pop()]
        yield scope
        for child in reversed(scope.children):
            if child.scope not in seen_scopes:
                seen_scopes.add(child.scope)
                pending.append(child.scope)


def _name(document: Snapshot, parameters: int) -> str:
    for parameter in document.parameter_lists[parameters] if parameters >= 0 else ():
        if document.strings[parameter.name] == "name" and parameter.value >= 0:
            return document.strings[parameter.value]
    return "a function"


def _is_own(document: Snapshot, body: Scope, name: str) -> bool:
    """Return whether the user, not a library, wrote a function with derivative rules.

    This holds if the function's scope has no equations, or if the innermost user frame of an equation is in
    the function.
    """
    stacks = [document.stacks[number] for number in body.stack if number >= 0]
    frames = [document.frames[stack.frames[0]] for stack in stacks if stack.frames]
    functions = {document.strings[frame.function].rpartition(".")[2] for frame in frames}
    return body.count == 0 or name.rpartition(".")[2] in functions
