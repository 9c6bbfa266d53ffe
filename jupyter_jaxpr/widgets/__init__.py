"""Shows the panel's views as a widget (anywidget), in hosts of notebooks without the labextension.

- `widget`: makes a widget, for `jupyter_jaxpr.widget`.
- `show`: displays a widget below a cell; `magic/widget_or_static_output.py` decides when.
- `jaxpr_widget`: the class of the widget; a host saves the script `loader.js`, the build makes `views.js` from `src/`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..scripts.last_run import LastRun, last
from ..scripts.snapshot import Snapshot

if TYPE_CHECKING:
    from ..build.document_of_run import Built
    from .jaxpr_widget import JaxprWidget

_NO_ANYWIDGET = (
    "The widget needs anywidget, which the extra `lab` brings. Run `pip install anywidget`, restart the kernel, and "
    "try again."
)
_NO_SNAPSHOT = (
    "A block under observe() has no programs to show. Give the snapshot of a cell or of jupyter_jaxpr.inspect."
)
_NOT_SHOWN = "widget shows a snapshot, not {kind}. Pass jupyter_jaxpr.last() or jupyter_jaxpr.inspect(f, x)."


def widget(snapshot: Snapshot | LastRun | None = None) -> JaxprWidget:
    """Show a run or a snapshot as a widget with the views of the panel, whose requests the kernel answers.

    A snapshot that was read from a file has no kernel behind it: the widget shows what the file holds.

    Args:
        snapshot: A result of `jupyter_jaxpr.inspect`, `jupyter_jaxpr.last` or `Snapshot.from_json`; None for the last
            run, what `jupyter_jaxpr.last()` returns.

    Returns:
        The widget, which a cell displays if it is on the last line. Its traits `program`, `tab`, `level` and
        `selection` follow what the user does, and change what is shown when they are set; `document` is what a host
        saves.

    Raises:
        ImportError: anywidget is not installed; the message contains a cure.
        LookupError: Nothing was observed yet; the message contains a cure.
        ValueError: The last run was a block under `observe()`, which has no snapshot.
        TypeError: The argument is something else.
    """
    if snapshot is None:
        snapshot = last()
    if isinstance(snapshot, LastRun):
        if snapshot.snapshot is None:
            raise ValueError(_NO_SNAPSHOT)
        snapshot = snapshot.snapshot
    if not isinstance(snapshot, Snapshot):
        raise TypeError(_NOT_SHOWN.format(kind=type(snapshot).__name__))
    return _widget_class()(snapshot.document, snapshot.sources)


def _widget_class() -> type[JaxprWidget]:
    try:
        from .jaxpr_widget import JaxprWidget
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("anywidget", "ipywidgets"):
            raise
        raise ImportError(_NO_ANYWIDGET) from error
    return JaxprWidget


def show(built: Built, limit_bytes: int, closes: Any = None) -> JaxprWidget:
    """Display a run as a widget below the cell's output so far.

    Args:
        built: The run.
        limit_bytes: The largest size of the saved document, in bytes.
        closes: The widget of the cell's earlier run, whose output is gone.
    """
    from IPython.display import display

    built_widget = _widget_class()(built.document, built.sources, limit_bytes=limit_bytes)
    if closes is not None:
        closes.close()
    display(built_widget)
    return built_widget
