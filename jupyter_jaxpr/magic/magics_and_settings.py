"""Declares `%%jaxpr` and `%jaxpr`, the magics that IPython registers, with their settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, output_can_be_silenced
from traitlets import Bool, Enum, Int, List

from ..document.silenceable_notes import ALL_NOTES, SILENCEABLE_NOTES
from . import magic_line_options
from .cells_without_program import EMPTY_CELL

if TYPE_CHECKING:
    from .cell_observer import CellObserver


@magics_class
class JaxprMagics(Magics):
    """Show what JAX makes of a cell. Settings: `%config JaxprMagics`."""

    output = Bool(
        True, help="Show two lines below the cell. The lines open the panel and are saved with the notebook."
    ).tag(config=True)
    widget = Enum(
        ("auto", "always", "never"),
        default_value="auto",
        help="Show the views of the panel as a widget below the cell, in place of the two lines that open the panel: "
        "'always', 'never', or 'auto' in Colab and in VS Code. The widget needs anywidget.",
    ).tag(config=True)
    output_bytes = Int(
        256_000,
        min=0,
        help="Largest size, in bytes, of the document that is saved below a cell. A larger document is cut.",
    ).tag(config=True)
    auto_trace = Bool(
        True,
        help="If a cell calls no jitted function, trace its last call. The Python of the called function then runs a "
        "second time, with tracers in place of arrays.",
    ).tag(config=True)

    ignore = List(
        Enum((*SILENCEABLE_NOTES, ALL_NOTES)),
        help="Notes that are not shown: a list such as ['captured_constant', 'short_loop'], or ['all']. The panel says "
        "how many notes are silenced.",
    ).tag(config=True)

    values = Bool(
        True,
        help="Save the values of a run: static arguments, values in notes, steps and results, and numbers in programs. "
        "False keeps these values out of saved outputs and exports; the panel still shows them.",
    ).tag(config=True)

    host_copies = Bool(
        False,
        help="At the end of a cell, copy the arguments of each program's last call to the host, as long as they exist: "
        "at most 8 MB for a call and 64 MB in all, until the next run. The steps and the times of a program can then "
        "use arguments that your code did not keep. For donated arguments use --steps.",
    ).tag(config=True)

    types = Bool(
        True,
        help=(
            "Read, while JAX traces, which type each name of your functions has; the panel shows the types beside the "
            "code. Reading takes some microseconds for each line that runs. The setting needs Python 3.12 or later."
        ),
    ).tag(config=True)

    def __init__(self, cell_observer: CellObserver) -> None:
        super().__init__(cell_observer.shell)
        self._cell_observer = cell_observer

    @property
    def parser(self) -> Any:
        """The parser of the magics' line, which the decorators of `jaxpr` store."""
        return vars(type(self))["jaxpr"].parser

    @output_can_be_silenced
    @line_cell_magic
    @magic_line_options.arguments
    def jaxpr(self, line: str, cell: str | None = None) -> Any:
        """Show the programs that JAX makes of a cell, or of one call.

        `%%jaxpr` on the first line of a cell: the cell runs once, as always, and the panel shows the program of every
        jitted function that the cell calls. `%jaxpr f(x)` traces the call `f(x)`: only the code that computes the
        arguments is executed.
        """
        parsed = magic_line_options.parse(self.parser, line)
        if cell is None:
            if parsed.target is None and parsed.compare:
                raise UsageError(
                    f"%jaxpr --compare needs a call to take the arguments from, such as %jaxpr --compare "
                    f"{','.join(parsed.compare)} {parsed.compare[0]}(x)."
                )
            if parsed.target is None:
                raise UsageError(
                    "%jaxpr needs a call to trace, such as %jaxpr f(x) or %jaxpr f(f32[8,128]). To watch a whole "
                    "cell, put %%jaxpr on its first line."
                )
            self._cell_observer.trace_target(parsed)
            return None
        if not cell.strip():
            raise UsageError(EMPTY_CELL)
        return self._cell_observer.run_nested(parsed, cell)
