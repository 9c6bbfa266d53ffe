"""Finds the Python names that the user's assignments gave to the results of equations."""

from __future__ import annotations

from collections.abc import Mapping

from ..types.document import Snapshot

#: The names of a variable, by its scope and its number there.
VariableNames = Mapping[tuple[int, int], tuple[str, ...]]


def names_of_variables(document: Snapshot) -> VariableNames:
    """Return the names of the assignments that stored a variable, all of them, in the order of the document.

    A name is here because Python's variable held this very value while JAX traced: `a = b = x @ w` gives two names, and
    the result of a helper function has its name inside of the function and its name outside.
    """
    names: dict[tuple[int, int], tuple[str, ...]] = {}
    for value in document.named_values:
        if value.kind != "assigned":
            continue
        name = document.strings[value.name]
        for variable in value.variables:
            known_names = names.get((value.scope, variable), ())
            if name not in known_names:
                names[value.scope, variable] = (*known_names, name)
    return names
