"""Makes the MIME bundle of a document, the form in which a cell's output stores it."""

from __future__ import annotations

from typing import Any

import msgspec

from ..document.copies.saved_copy import LIMIT_BYTES, saved_copy
from ..document.copies.without_values import as_saved
from ..document.encoding import encode, printable
from ..document.types.document import Snapshot
from .html_of_saved_output import fragment
from .terminal_text import plain

MIME_TYPE = "application/vnd.jupyter-jaxpr.v1+json"


def bundle(document: Snapshot, limit_bytes: int = LIMIT_BYTES) -> dict[str, Any]:
    """Return the MIME bundle: the document itself for this package's renderer, HTML and plain text for other readers.

    Args:
        document: The document.
        limit_bytes: The largest size of the saved copy in bytes; the programs in the HTML get a quarter of this.
    """
    document = as_saved(document)
    copy = saved_copy(document, limit_bytes)
    return {
        MIME_TYPE: msgspec.json.decode(encode(copy)),
        "text/html": printable(fragment(copy, characters=limit_bytes // 4)),
        "text/plain": printable(plain(document)),
    }
