"""Makes the output below a cell from a document.

JupyterLab with the labextension shows the document itself, other front ends, nbconvert and GitHub the static
HTML, a terminal the two lines of text.
"""

from __future__ import annotations

from ..document.saved_copy import LIMIT_BYTES
from ..document.types.document import Snapshot
from ..exports.bundle import bundle


def show(document: Snapshot, *, limit_bytes: int = LIMIT_BYTES, enabled: bool = True) -> None:
    """Display a document below the cell's output so far; `Out[n]` does not change.

    Args:
        document: The document.
        limit_bytes: The largest size of the saved copy, in bytes.
        enabled: False shows nothing.
    """
    if not enabled:
        return
    from IPython.display import display

    display(bundle(document, limit_bytes), raw=True)
