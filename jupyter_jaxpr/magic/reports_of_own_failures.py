"""Reports failures of this package in the panel and on stderr.

The user's cell runs as if the package were not there.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..interruptions import is_of_a_signal
from ..observe.report_to_developers import REPORT_WITH_DETAILS
from ..observe.silenced_warnings import silenced_warnings

if TYPE_CHECKING:
    from ..wire.connection_to_panel import Publisher

_OWN_DEPTH = 1_000
_INTERRUPTED = "jupyter_jaxpr was interrupted, so the panel does not show this cell."


class OwnFailures:
    """Runs steps of this package in the user's cells, so that their errors never reach the user's code."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher

    @contextmanager
    def guard(self, failure: str) -> Iterator[None]:
        """Report an error of this package that is raised in the block; `failure` says what did not work.

        Warnings are silenced: the package parses the user's code again, and Python has already shown its warnings.
        """
        limit = sys.getrecursionlimit()
        is_low = limit < _OWN_DEPTH  # the user's code may have set a recursion limit that is too low for this package
        if is_low:
            sys.setrecursionlimit(_OWN_DEPTH)
        try:
            with silenced_warnings():
                yield
        except Exception as error:
            if is_of_a_signal(error):
                self._report(_INTERRUPTED, None)
            else:
                self._report(f"{failure} The cell itself ran as always.", traceback.format_exc())
        except KeyboardInterrupt:
            self._report(_INTERRUPTED, None)
        finally:
            if is_low and sys.getrecursionlimit() == _OWN_DEPTH:
                sys.setrecursionlimit(limit)

    def _report(self, text: str, detail: str | None) -> None:
        cure = REPORT_WITH_DETAILS if detail else "Run the cell again to see the program."
        self._publisher.fail(text, cure, detail)
        last_line = f" ({detail.strip().splitlines()[-1]})" if detail else ""
        print(text + last_line, file=sys.stderr)
