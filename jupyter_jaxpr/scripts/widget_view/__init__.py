"""Makes an anywidget of a snapshot for hosts without a labextension: program, levels, stages and cache.

VS Code, Colab and other hosts that show widgets load view.js from the kernel. What it shows is printed here; the
view asks the kernel for nothing, so it also works with a kernel that is busy.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...exports import wording
from ...exports.cache import HEAD, cache_text
from ...exports.listings import Listing, cut
from ...interruptions import not_of_a_signal
from ...quantities import count, duration
from ..last import LastRun, last

if TYPE_CHECKING:
    from ...document.types.document import Program
    from ..snapshot import LevelName, Snapshot

FOLDER = Path(__file__).parent
# Longer texts make a browser slow; Snapshot.text and files have them.
CHARACTERS = 1_000_000

_NO_ANYWIDGET = "The widget needs anywidget. Run `pip install anywidget`, restart the kernel, and try again."
_NO_SNAPSHOT = (
    "A block under observe() has no programs to show. Give the snapshot of a cell or of jupyter_jaxpr.inspect."
)
_LEVELS: tuple[tuple[LevelName, str], ...] = (("stablehlo", "StableHLO"), ("hlo", "HLO"))


def widget(snapshot: Snapshot | LastRun | None = None) -> Any:
    """Show a snapshot as a widget, in hosts without JupyterLab's panel.

    Args:
        snapshot: A result of `jupyter_jaxpr.inspect`, `jupyter_jaxpr.last` or `Snapshot.from_json`; None for the last
            run, what `jupyter_jaxpr.last()` returns.

    Returns:
        The widget, which a cell displays if it is on the last line.

    Raises:
        ImportError: anywidget is not installed; the message contains a cure.
        LookupError: Nothing was observed yet; the message contains a cure.
        ValueError: The last run was a block under `observe()`, which has no snapshot.
    """
    if snapshot is None:
        snapshot = last()
    if isinstance(snapshot, LastRun):
        if snapshot.snapshot is None:
            raise ValueError(_NO_SNAPSHOT)
        snapshot = snapshot.snapshot
    return _widget_class()(shown=shown(snapshot))


def shown(snapshot: Snapshot) -> dict[str, Any]:
    """Return the data of the view as plain dictionaries; view.js reads them."""
    snapshot = snapshot.without_values()  # a notebook may be saved with the state of its widgets
    document = snapshot.document
    cached = cache_text(document)
    return {
        "title": document.title,
        "message": document.message,
        "focus": document.focus,
        "programs": [
            {
                "signature": str(wording.signature(program)),
                "full_signature": str(wording.signature(program, full=True)),
                "counts": wording.counts(document, program),
                "origin": program.origin_note,
                "stages": _stages(program),
                "levels": [_plain(listing) for listing in _levels(snapshot, index, program)],
            }
            for index, program in enumerate(document.programs)
        ],
        "notes": [
            {"where": wording.where(document, note), "text": note.text, "cure": note.cure, "detail": note.detail}
            for note in document.notes
        ],
        "cache": None if cached is None else {"head": HEAD, **asdict(cached)},
        "made_with": wording.made_with(document),
    }


def _stages(program: Program) -> list[dict[str, Any]]:
    times = program.stages
    if times is None:
        return []
    stages = [
        ("trace", "trace", times.trace),
        ("lower", "lower", times.lower),
        ("compile", "compile (from the cache on disk)" if times.from_disk else "compile", times.compile),
        ("run", "first run", times.first_run),
        ("rest", "rest", times.rest),
    ]
    return [
        {"kind": kind, "name": name, "seconds": seconds, "time": duration(seconds)}
        for kind, name, seconds in stages
        if seconds is not None
    ]


def _levels(snapshot: Snapshot, index: int, program: Program) -> list[Listing]:
    listings = [cut("jaxpr", snapshot.text("jaxpr", index), CHARACTERS)]
    for name, title in _LEVELS:
        try:
            text = snapshot.text(name, index)
        except not_of_a_signal(ValueError) as error:  # the text does not exist; the error has the reason
            listings.append(Listing(title, None, str(error)))
        else:
            listings.append(cut(title, text, CHARACTERS))
    return listings


def _plain(listing: Listing) -> dict[str, Any]:
    lines = None if listing.text is None else count(listing.text.count("\n") + 1, "line")
    return {"title": listing.title, "text": listing.text, "note": listing.note, "lines": lines}


@cache
def _widget_class() -> Any:
    """Return the widget's class, made at the first request, because anywidget may be missing."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError(_NO_ANYWIDGET) from error

    class JaxprWidget(anywidget.AnyWidget):
        """A widget that shows one snapshot."""

        _esm = (FOLDER / "view.js").read_text(encoding="utf-8")
        _css = (FOLDER / "view.css").read_text(encoding="utf-8")
        shown = traitlets.Dict().tag(sync=True)

    return JaxprWidget
