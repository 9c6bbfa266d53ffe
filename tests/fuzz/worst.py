"""Chooses the documents of a seed that take the most work to show: those with a very large list or text.

A refused document is only one sentence on a page, so only documents that the reader accepts are chosen.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict

from mutations import begun, document

from jupyter_jaxpr.scripts.snapshot import Snapshot

HOSTILE = ("<script", "onerror", "javascript:", "<img", "__proto__")


def worst(seed: int, count: int, among: int) -> list[int]:
    """Return the numbers of the `count` worst documents among the first `among` documents.

    The kinds of very large parts take turns; each gives first its documents with the most hostile strings, then its
    longest.
    """
    by_kind: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for number in range(among):
        if (change := begun(seed, number)[2]) is not None:
            text = document(seed, number)
            hostile = sum(text.count(string) for string in HOSTILE)
            by_kind[change.__name__].append((-hostile, -len(text), number))
    kinds = (sorted(documents) for _, documents in sorted(by_kind.items()))
    numbers = (entry[-1] for row in itertools.zip_longest(*kinds) for entry in row if entry is not None)
    return list(itertools.islice((number for number in numbers if is_read(document(seed, number))), count))


def is_read(text: str) -> bool:
    """Return whether a text is a document that the reader accepts, and is JSON without NaN."""
    try:
        # JupyterLab cannot open a notebook with NaN; `int("NaN")` raises a ValueError
        json.loads(text, parse_constant=int)
        Snapshot.from_json(text)
    except ValueError:
        return False
    return True
