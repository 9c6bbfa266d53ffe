"""Holds the sentences that ask the user to report a failure of this package to its developers."""

from __future__ import annotations

#: The cure of an error of this package whose traceback is shown: see `Observation.failures`.
REPORT_WITH_DETAILS = "Report this failure to the developers of jupyter_jaxpr, with the details below."
REPORT = "Report this failure to the developers of jupyter_jaxpr."
