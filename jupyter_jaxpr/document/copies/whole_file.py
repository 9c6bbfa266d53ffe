"""Makes the content of a `.jaxpr.json` file: the most complete document that the panel can read without a kernel."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ..encoding import encode
from ..limits import HELD, TEXT
from ..types.document import Snapshot
from .saved_copy import saved_copy
from .without_values import as_saved

#: The ending of the name of a document's file.
SUFFIX = ".jaxpr.json"


def whole_file(make_document: Callable[[bool], Snapshot], focus: int) -> str:
    """Return the document as JSON, not larger than its readers accept.

    Args:
        make_document: Returns the document with all texts; called with True, it includes all equations of large
            programs.
        focus: The program that the panel shows first.
    """
    document = make_document(True)
    if sum(len(scope.primitive) for scope in document.scopes) > HELD:
        document = make_document(False)
    document = as_saved(msgspec.structs.replace(document, focus=focus))
    return encode(saved_copy(document, TEXT)).decode()
