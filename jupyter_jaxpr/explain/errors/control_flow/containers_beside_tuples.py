"""Makes the cure for a branch that returns a tuple of values, where the other branch returns one of these values alone.

For example, one branch returns the gradients, a dict, and the other branch returns `gradients, norm`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from .returned_leaves import short_source

_ALONE = "Return {kept} alone from {longer}, without {dropped}, as {shorter} returns one value."
_EITHER = "Return {kept} alone from {longer}, or return {dropped} from {shorter}, too."
_MOST = 6  # a tuple of more values has no trials


def value_alone(
    raised: RaisedAt, results: Sequence[tuple[str, RaisedAt, ast.expr]], explanation: str
) -> FoundCure | None:
    """Return the cure that returns one value of the tuple alone; None if no value, or several, pass their trial.

    Args:
        raised: Where the error was raised.
        results: The name, the place and the result of each branch.
        explanation: The part of JAX's message that compares the results of two branches.
    """
    if len(results) != 2 or explanation.startswith("At path") or " at path " in explanation:
        return None
    if explanation.count("is a tuple") != 1 or "is an array" in explanation:
        return None
    (shorter, of_shorter, other), (longer, of_longer, values) = sorted(
        results, key=lambda named: isinstance(named[2], ast.Tuple)
    )
    if isinstance(other, ast.Tuple) or not isinstance(values, ast.Tuple) or not 2 <= len(values.elts) <= _MOST:
        return None
    if any(isinstance(value, ast.Starred) for value in values.elts):
        return None
    found = []
    for place, value in enumerate(values.elts):
        code = of_longer.source(value)
        dropped = in_a_sentence([short_source(of_longer, part) for part in values.elts if part is not value], _MOST)
        named = {"kept": short_source(of_longer, value), "longer": longer, "dropped": dropped, "shorter": shorter}
        cure = FoundCure("one value", f"return {code}", _ALONE.format(**named))
        if not isinstance(of_longer.parents.get(id(values)), ast.Return):
            cure = replace(cure, code=code)
        tried = passed(raised, [applied(cure, [edit_of(of_longer, over(values, code))])])
        found += [(new, place, named) for new in tried if new.level == "applies"]
    if len(found) != 1:
        return None
    cure, place, named = found[0]
    parts = [of_longer.source(part) for part in values.elts]
    parts[place] = of_shorter.source(other)
    more = f"({', '.join(parts)})"
    added = applied(replace(cure, code=more), [edit_of(of_shorter, over(other, more))])
    if any(new.level == "applies" for new in passed(raised, [added])):
        return FoundCure("same structure", None, _EITHER.format(**named))
    return cure
