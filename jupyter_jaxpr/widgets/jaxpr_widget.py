"""Defines the class of the widget; importing this module imports anywidget."""

from __future__ import annotations

import base64
import gzip
import hashlib
import sys
import uuid
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import msgspec
import traitlets

from ..build.document_of_run import Built, Sources
from ..document.copies.saved_copy import LIMIT_BYTES, saved_copy
from ..document.copies.without_values import as_saved
from ..document.encoding import encode, printable
from ..document.types.document import Snapshot
from ..exports.parts_of_saved_output import bundle
from ..exports.terminal_text import plain
from ..interruptions import not_of_a_signal
from ..wire.connection_to_panel import publisher_of
from ..wire.messages_of_widget import WidgetMessages, own_messages

FOLDER = Path(__file__).parent
VIEWS = FOLDER / "views.js"
#: The tabs of the panel; `src/panel/shell/view-names.ts` has the same names.
TABS = ("program", "flow", "cache", "time", "cost", "diff", "compare", "notes")
LEVELS = ("jaxpr", "stablehlo", "hlo")

_NOT_BUILT = "The views of the widget are not built: {path} is missing. Run `jlpm build` in the checkout."


class JaxprWidget(anywidget.AnyWidget):
    """A widget that shows one run or one inspection.

    Attributes:
        document: The document, as a saved output has it; a host saves it with the notebook.
        program: Index into the programs of the document; -1 without a program.
        tab: The view that is shown, such as "program" or "cache".
        level: The text of the program that is shown: "jaxpr", "stablehlo" or "hlo".
        selection: The selection of the user; None without a selection.
    """

    _esm = (FOLDER / "loader.js").read_text(encoding="utf-8")
    _views = traitlets.Unicode().tag(sync=True)  # The version of the script with the views that fits this kernel.
    _summary = traitlets.Unicode().tag(sync=True)  # A text that the widget shows until the views are loaded.
    document = traitlets.Dict(read_only=True).tag(sync=True)
    program = traitlets.Int(-1).tag(sync=True)
    tab = traitlets.Enum(TABS, default_value="program").tag(sync=True)
    level = traitlets.Enum(LEVELS, default_value="jaxpr").tag(sync=True)
    selection = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)

    def __init__(
        self, document: Snapshot, sources: Sources | None = None, *, limit_bytes: int = LIMIT_BYTES, **traits: Any
    ) -> None:
        """Show a document.

        Args:
            document: The document.
            sources: The objects behind the document, with which the kernel answers what the widget asks; None for a
                document that was read from a file.
            limit_bytes: The largest size of the trait `document`, in bytes.
            traits: Values of traits, such as `layout`.
        """
        self._limit_bytes = limit_bytes
        self._saves: Snapshot | None = None  # the document of which the trait `document` is a copy
        self._messages: WidgetMessages | None = None
        self._page = uuid.uuid4().hex  # the id of this widget as a page: it can stop only its own requests
        version, _ = views()
        # The traits must be set before the widget opens its comm, so that the first message has the document.
        self._renew(document)
        super().__init__(**{"_views": version, "program": document.focus, **traits})
        if sources is not None:
            self._messages = self._answering(Built(document, sources))
        self.on_msg(self._on_message)
        self._answer_beside_cells()

    def _answering(self, built: Built) -> WidgetMessages:
        """Return the kernel's side of the widget.

        For a run of a cell it is made by the publisher, which also has the earlier runs.
        """
        on_worker = not _is_marimo()
        holder = publisher_of(built.document.id, built.sources)
        if holder is not None:
            return holder.widget(built.document, self.send, self._renew, on_worker=on_worker)
        return own_messages(built, _names_of_main, self.send, self._renew, on_worker=on_worker)

    def close(self) -> None:
        """Close the widget, and stop its requests."""
        if self._messages is not None:
            self._messages.leave(self._page)
        super().close()

    def _renew(self, document: Snapshot) -> None:
        """Put the document into the trait that the host saves."""
        if document is self._saves:
            return
        self._saves = document
        copy = saved_copy(as_saved(document), self._limit_bytes)
        self._summary = printable(plain(document))
        self.set_trait("document", msgspec.json.decode(encode(copy)))

    def _on_message(self, _: Any, data: object, buffers: object) -> None:
        if isinstance(data, dict) and data.get("type") == "views":
            version, compressed = views()
            self.send({"type": "views", "version": version, "gzip": compressed})
        elif self._messages is not None:
            self._messages.receive(data, self._page)

    def _answer_beside_cells(self) -> None:
        """Handle messages of the widget without IPython's events before and after a cell.

        ipykernel triggers these events around each message of a comm. On a subshell, in the middle of a cell, they
        would show the cell's figures too early.
        """
        comm = self.comm
        if comm is None or not type(comm).__module__.startswith("ipykernel."):
            return
        with_events = comm.handle_msg

        def handle_msg(message: dict[str, Any]) -> None:
            data = message["content"]["data"]
            if data.get("method") == "custom":
                self._handle_msg(message)
            else:
                with_events(message)

        comm.handle_msg = handle_msg

    def _repr_mimebundle_(self, **formats: Any) -> Any:
        """Return the MIME bundle that a host displays: the widget, or static output if the host shows no widgets."""
        mime_bundle = super()._repr_mimebundle_(**formats)
        if mime_bundle is None:
            return None
        data, metadata = mime_bundle
        static = {} if self._saves is None else bundle(self._saves, self._limit_bytes)
        return {**data, **static}, metadata


@cache
def views() -> tuple[str, str]:
    """Return the version of the script with the views, and the script itself (gzip, in base64).

    Raises:
        FileNotFoundError: The script was not built; the message contains a cure.
    """
    try:
        script = VIEWS.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFoundError(_NOT_BUILT.format(path=VIEWS)) from error
    compressed = gzip.compress(script, 9, mtime=0)
    return hashlib.sha256(script).hexdigest()[:16], base64.b64encode(compressed).decode()


def _is_marimo() -> bool:
    """Return whether marimo runs this code; widgets in marimo can send messages only from the thread of a cell."""
    marimo = sys.modules.get("marimo")
    try:
        return marimo is not None and bool(marimo.running_in_notebook())
    except not_of_a_signal(Exception):
        return False


def _names_of_main() -> dict[str, Any]:
    """Return the user's namespace, which is needed for text that the user types in a view."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    if shell is not None:
        names: dict[str, Any] = shell.user_ns
        return names
    main = sys.modules.get("__main__")
    return vars(main) if main is not None else {}
