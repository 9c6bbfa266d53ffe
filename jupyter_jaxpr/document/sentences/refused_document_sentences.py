"""Holds the sentences for a document that a reader refuses: too long, no document, newer, or damaged."""

from __future__ import annotations

from ..limits import TEXT

TOO_LONG = f"This is not a snapshot of jupyter_jaxpr: the text is longer than {TEXT // 1_000_000} MB."
NOT_JSON = "This is not a snapshot of jupyter_jaxpr: the text is not JSON."
NO_VERSION = "This is not a snapshot of jupyter_jaxpr: the field `version` is missing or is not a number from 1."
NEWER = (
    "This snapshot was written by a newer jupyter_jaxpr (format {theirs}; this version reads format {ours}). "
    "Upgrade with `pip install -U jupyter_jaxpr`."
)
BROKEN = "This snapshot is damaged ({why}) and cannot be shown. Run the cell again."
