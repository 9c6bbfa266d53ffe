"""Finds the Python names that the user's code gave to the results of equations."""

from __future__ import annotations

from collections.abc import Mapping

from ..types.document import Snapshot

#: (scope, number of a variable in it) -> names of the variable.
AssignedNames = Mapping[tuple[int, int], tuple[str, ...]]


def assigned_names(document: Snapshot) -> AssignedNames:
    """Return {variable: all Python names that were assigned to it}, in the order of the document.

    A name belongs to a variable if the Python name held exactly this value while JAX traced: `a = b = x @ w` gives two
    names, and the result of a helper function has a name inside the function and a name outside.
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
