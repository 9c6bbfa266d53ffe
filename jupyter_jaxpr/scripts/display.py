"""Displays a document as the output below a cell.

JupyterLab with the labextension shows the document itself; other front ends, nbconvert and GitHub show the static HTML;
a terminal shows two lines of text.
"""

from __future__ import annotations

from ..document.copies.saved_copy import LIMIT_BYTES
from ..document.types.document import Snapshot
from ..exports.parts_of_saved_output import bundle


def show(document: Snapshot, *, limit_bytes: int = LIMIT_BYTES, enabled: bool = True) -> None:
    """Display a document below the present output of the cell; `Out[n]` does not change.

    Args:
        document: The document.
        limit_bytes: The largest size of the saved copy, in bytes.
        enabled: False to display nothing.
    """
    if not enabled:
        return
    from IPython.display import display

    display(bundle(document, limit_bytes), raw=True)
