"""Numbers the equations of a program as the panel does: in printed order.

Inner programs that occur twice are numbered once.
"""

from __future__ import annotations

from ..printed_variable_names import Pools
from ..types.document import Scope, Snapshot

#: Primitive -> parameter whose inner program only combines two values; the panel gives these equations no numbers.
_COMBINERS = {"reduce": "jaxpr", "reduce_window": "jaxpr"}


def equation_numbers(document: Snapshot, program: int, pools: Pools) -> dict[tuple[int, int], int]:
    """Return {(scope, index): number from 1} for the equations of a program; {} if equations are missing.

    Args:
        document: The document.
        program: The index of the program.
        pools: The parts of the document, as `pools_of` makes them.
    """
    program_entry = document.programs[program]
    if not program_entry.complete:
        return {}
    strings, scopes = document.strings, document.scopes
    numbers: dict[tuple[int, int], int] = {}
    seen_scopes = {program_entry.scope}
    waiting = [(program_entry.scope, 0)]
    while waiting:
        scope, first = waiting.pop()
        children = pools.children(scope)
        for equation in range(first, len(scopes[scope].output_counts)):
            numbers[scope, equation] = len(numbers) + 1
            programs = children.get(equation)
            if programs is None or seen_scopes.issuperset(inner_scope for _, _, inner_scope in programs):
                continue
            inner = _printed(pools, strings, scopes[scope], equation, programs)
            new = [inner_scope for inner_scope in dict.fromkeys(inner) if inner_scope not in seen_scopes]
            if new:
                seen_scopes.update(new)
                waiting.append((scope, equation + 1))
                waiting.extend((inner_scope, 0) for inner_scope in reversed(new))
                break
    return numbers if len(numbers) == program_entry.equations else {}


def _printed(
    pools: Pools, strings: list[str], scope: Scope, equation: int, children: list[tuple[int, int, int]]
) -> list[int]:
    """Return the inner programs of an equation whose equations get numbers, in printed order."""
    primitive = strings[scope.primitive[equation]]
    return [
        inner
        for parameter, _ in pools.parameters(scope, equation)
        for name, _, inner in children
        if name == parameter and not _combines(primitive, strings[name])
    ]


def _combines(primitive: str, parameter: str) -> bool:
    return (
        _COMBINERS.get(primitive) == parameter
        or primitive == "select_and_scatter"
        or (primitive.startswith("scatter") and parameter == "update_jaxpr")
    )
