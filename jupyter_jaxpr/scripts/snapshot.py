"""Gives scripts a run as one object: a `Snapshot` prints, times, derives, compares and saves the programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from ..build.document_of_run import Sources, Unavailable
from ..build.programs.derived_programs import transform_program
from ..build.steps.recording_of_steps import construct_of, recording_document
from ..build.texts.diff_of_two_programs import diff_runs
from ..build.texts.stablehlo_and_hlo import Platform
from ..document.check.validate import read
from ..document.copies.whole_file import SUFFIX, whole_file
from ..document.copies.without_values import as_saved, without_values
from ..document.diff.program_diff import WHOLE_IN_SCRIPTS
from ..document.encoding import encode
from ..document.printed_program import program_text
from ..document.read.cards_for_scripts import ControlFlow, constructs, control_flow
from ..document.read.costs_for_scripts import Cost, cost_of
from ..document.read.named_types_for_scripts import NamedType, types_of
from ..document.read.notes_for_scripts import Note, notes_of
from ..document.read.printed_diff_for_scripts import Diff
from ..document.read.shardings_for_scripts import Shardings, shardings_of
from ..document.types import document as schema
from ..document.types.source_pages import SourcePage
from ..document.types.steps import Recording
from ..document.types.timing import ProgramTiming
from ..document.types.transform import TRANSFORM_KINDS, Transform, TransformKind
from ..exports.html_page import page
from ..exports.markdown import markdown
from ..exports.parts_of_saved_output import bundle
from ..exports.terminal_text import plain
from ..measure.steps.jaxpr_evaluation import Unsteppable
from ..observe.calls.held_or_gone_values import ValuesGone
from ..observe.process_observer import observer
from ..plain_text import quoted
from ..quantities import count
from .exact_links_for_scripts import ExactLinks, exact_links_of

LevelName = Literal["jaxpr", "stablehlo", "hlo"]

_NO_LEVEL = "There is no level {level!r}. Take one of 'jaxpr', 'stablehlo', 'hlo'."
_NO_PROGRAM = "This snapshot holds no program. {message}"
_NOT_HELD = "This snapshot does not hold the {title}. {reason}"
_NOT_MADE = "JAX has not made the text. Inspect with stage='{stage}'."
_NOT_LOWERED_FOR = "JAX makes only the StableHLO for a chosen platform. Take text('stablehlo', platform='{platform}')."
_NO_COST = "This snapshot does not hold the cost of {name}. Inspect the function again."
_NO_TRANSFORM = "There is no transform {kind!r}. Take one of {kinds}."
_NOT_IN = "There is no program {index}: this snapshot has {count}."
_NO_SHARDINGS = (
    "This snapshot does not hold the shardings of {name}: the program ran on one device, or was not compiled. Inspect "
    "the function again."
)
_NO_SNAPSHOT = "diff takes a snapshot, not {kind}. Pass the later snapshot, such as jupyter_jaxpr.inspect(f, x)."
_NO_FORMAT = "{name} cannot be written: a snapshot is saved as .jaxpr.json, .json, .html or .md."


class Snapshot:
    """The programs, notes and measurements of one inspection or of one run of a cell.

    A snapshot from `inspect` keeps JAX's objects, so that it can print every level. A snapshot from a file has only the
    saved texts.
    """

    def __init__(self, document: schema.Snapshot, sources: Sources | None = None) -> None:
        """Wrap a document.

        Args:
            document: The document.
            sources: The live objects behind the document, if they exist.
        """
        self._document = document
        self._sources = sources

    @property
    def document(self) -> schema.Snapshot:
        """The document, as `jupyter_jaxpr.document.types.document` defines it."""
        return self._document

    @property
    def sources(self) -> Sources | None:
        """The live objects behind the document; None for a snapshot that was read from a file."""
        return self._sources

    @property
    def programs(self) -> tuple[schema.Program, ...]:
        """The programs, in call order."""
        return tuple(self._document.programs)

    @property
    def equations(self) -> int:
        """The number of equations in all scopes of the program in focus, each scope once; 0 without a program."""
        if self._document.focus < 0:
            return 0
        return self._document.programs[self._document.focus].equations

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes, in the order of the code's lines."""
        return notes_of(self._document)

    @property
    def control_flow(self) -> tuple[ControlFlow, ...]:
        """The constructs of all programs at any depth, in the order of the source."""
        return control_flow(self._document)

    def steps(self, card: int = 0, *, repeat_effects: bool = False) -> Recording:
        """Run a construct once more, on the argument values of the inspected call, and record each step.

        The function runs twice: once recorded, and once unchanged, to compare the results bit for bit. A loop that does
        not end within 10 seconds or a million steps is stopped; the steps until then are returned.

        Args:
            card: Index into `control_flow`.
            repeat_effects: True if effects of the function, such as prints, may happen again.

        Raises:
            IndexError: The index is out of range.
            ValueError: The construct cannot run: its arguments are gone, it has effects, or it has no steps.
                The message contains a cure.
        """
        cards = constructs(self._document)
        if not 0 <= card < len(cards):
            raise IndexError(f"There is no card {card}: this snapshot has {count(len(cards), 'card')}.")
        index = cards[card]
        if self._sources is None:
            raise ValueError("A snapshot that was read from a file cannot be run. Inspect the function again.")
        why = self._document.control_flow[index].steppable
        if why is not None:
            raise ValueError(why)
        try:
            construct = construct_of(self._sources, index)
            if construct.question is not None and not repeat_effects:
                raise ValueError(f"{construct.question} To run the function, pass repeat_effects=True.")
            with observer().looking_away():
                return recording_document(self._document, index, construct.run())
        except (Unsteppable, ValuesGone) as error:
            raise ValueError(str(error)) from error

    @property
    def cost(self) -> Cost:
        """The cost of one call of the program in focus; see `Cost` for the counted quantities.

        Raises:
            ValueError: The snapshot has no program or no costs; the message contains a cure.
        """
        return self.cost_of()

    def cost_of(self, program: int | None = None) -> Cost:
        """Return the cost of one call of a program; nothing runs or is compiled.

        Args:
            program: Index into `programs`; None for the program in focus.

        Raises:
            ValueError: The snapshot has no program or no costs; the message contains a cure.
            IndexError: The index is out of range.
        """
        index = self._index(program)
        name = quoted(self._document.programs[index].name)
        if self._sources is not None:
            return cost_of(self._document, self._sources.cost(index))
        saved = next((cost for cost in self._document.costs if cost.program == index), None)
        if saved is None:
            raise ValueError(_NO_COST.format(name=name))
        return cost_of(self._document, saved)

    @property
    def timings(self) -> tuple[ProgramTiming, ...]:
        """The times of programs that ran again, by `inspect(..., time=True)` or `--time`."""
        return tuple(self._document.timings)

    def shardings(self, program: int | None = None) -> Shardings:
        """Return the shardings of a compiled program: each array with a picture, each collective with its cause.

        Args:
            program: Index into `programs`; None for the program in focus.

        Raises:
            ValueError: The snapshot has no program, or the program was not compiled; the message contains a cure.
            IndexError: The index is out of range.
        """
        index = self._index(program)
        name = quoted(self._document.programs[index].name)
        if self._sources is not None:
            try:
                shardings = self._sources.shardings(index)
            except Unavailable as error:
                raise ValueError(str(error)) from error
            return shardings_of(self._sources.document, shardings)
        saved = next((sharding for sharding in self._document.shardings if sharding.program == index), None)
        if saved is None:
            raise ValueError(_NO_SHARDINGS.format(name=name))
        return shardings_of(self._document, saved)

    @property
    def transforms(self) -> tuple[Transform, ...]:
        """The programs that `transform` or `--transform` derived, with the roles of their equations."""
        return tuple(self._document.transforms)

    def transform(self, kind: TransformKind, program: int | None = None) -> Snapshot:
        """Let JAX derive a program by ``grad``, ``vmap``, ``jvp`` or ``linearize``, on the types of the call.

        JAX transforms the existing program: the function does not run again, nothing is compiled or executed. ``grad``
        differentiates by the float arrays of positional arguments; for a result that is no real scalar it is the vjp,
        with a cotangent of the result's type as an input. ``vmap`` adds a batch axis of 8 in front of every array.
        ``jvp`` takes tangents of the same types. ``linearize`` derives two programs: the primal program, which is in
        focus, and the linear program after it.

        Args:
            kind: The transform.
            program: Index into `programs`; None for the program in focus.

        Returns:
            The same run with the derived program in focus, so that ``inspect(f, x).transform("grad").text()`` prints it
            and transforms follow each other.

        Raises:
            ValueError: The transform is unknown, or JAX refuses it; the message contains the reason.
            IndexError: The index is out of range.
        """
        if kind not in TRANSFORM_KINDS:
            raise ValueError(_NO_TRANSFORM.format(kind=kind, kinds=", ".join(map(repr, TRANSFORM_KINDS))))
        index = self._index(program)
        if self._sources is None:
            raise ValueError("A snapshot that was read from a file cannot be transformed. Inspect the function again.")
        document = transform_program(observer(), self._sources, index, kind)
        transform = next(
            candidate for candidate in document.transforms if candidate.kind == kind and candidate.of == index
        )
        if transform.error is not None:
            raise ValueError(transform.error)
        return Snapshot(msgspec.structs.replace(document, focus=transform.parts[0].program), self._sources)

    def types(self, program: int | None = None) -> tuple[NamedType, ...]:
        """Return the types of the Python names while JAX traced a program, in the order of the code.

        A name is listed for each place where it gets a traced array or a container with one. This needs Python 3.12 or
        later; on Python 3.11 the result is empty.

        Args:
            program: Index into `programs`; None for the program in focus.

        Raises:
            IndexError: The index is out of range.
        """
        return types_of(self._document, self._index(program))

    def text(self, level: LevelName = "jaxpr", program: int | None = None, *, platform: Platform | None = None) -> str:
        """Return a program as text.

        Args:
            level: ``jaxpr``: the tokens of ``print(jaxpr)``, one equation a line. ``stablehlo``, ``hlo``: the text
                that JAX or XLA prints, without large constants.
            program: Index into `programs`; None for the program in focus.
            platform: For ``stablehlo``: ``cpu``, ``cuda``, ``rocm`` or ``tpu``: the program is lowered for it, also
                without such a device. None for the program that ran.

        Raises:
            ValueError: The level is missing and cannot be made; the message contains the reason and a cure.
            IndexError: The index is out of range.
        """
        if level not in get_args(LevelName):
            raise ValueError(_NO_LEVEL.format(level=level))
        index = self._index(program)
        program_data = self._document.programs[index]
        if platform is not None:
            return self._for_platform(level, index, platform)
        if level == "jaxpr":
            return self._sources.jaxpr_text(index) if self._sources else program_text(self._document, index)
        saved = next((candidate for candidate in program_data.levels if candidate.name == level), None)
        if saved is not None and saved.text is not None:
            return saved.text
        title = "StableHLO" if level == "stablehlo" else "HLO"
        self._need(level, index)
        if self._sources is None:
            reason = quoted((saved and saved.reason) or "Inspect the function again.")
            raise ValueError(_NOT_HELD.format(title=title, reason=reason))
        try:
            return self._sources.text(index, level).text
        except Unavailable as error:
            raise ValueError(_NOT_HELD.format(title=title, reason=error)) from error

    def diff(
        self,
        other: Snapshot,
        program: int | None = None,
        other_program: int | None = None,
        *,
        level: LevelName = "jaxpr",
    ) -> Diff:
        """Return the diff of a program of this snapshot and a program of another; names play no part.

        Use `print` to read the result.

        Args:
            other: The later snapshot, which may come from a file.
            program: Index into `programs`; None for the program in focus.
            other_program: Index into the programs of `other`; None for the first program of the same name, and for the
                program in focus where no name is equal.
            level: ``jaxpr``: equation by equation, with scopes. ``stablehlo``, ``hlo``: line by line, without
                numbering.

        Raises:
            TypeError: `other` is no snapshot.
            ValueError: A snapshot has no program, or only a part of it; the message contains a cure.
            IndexError: The index is out of range.
        """
        if not isinstance(other, Snapshot):
            raise TypeError(_NO_SNAPSHOT.format(kind=type(other).__name__))
        if level not in get_args(LevelName):
            raise ValueError(_NO_LEVEL.format(level=level))
        mine = self._index(program)
        if other_program is None:
            name = self._document.programs[mine].name
            alike = (index for index, candidate in enumerate(other._document.programs) if candidate.name == name)
            other_program = next(alike, None)
        other_index = other._index(other_program)
        if level != "jaxpr":
            self._need(level, mine)
            other._need(level, other_index)
        try:
            diff = diff_runs(
                (self._document, self._sources),
                mine,
                (other._document, other._sources),
                other_index,
                level,
                whole=WHOLE_IN_SCRIPTS,
            )
        except Unavailable as error:
            raise ValueError(str(error)) from error
        return Diff(diff)

    def exact_links(self, program: int | None = None) -> ExactLinks:
        """Return the equations of each line of StableHLO and HLO, exactly; `print` the result for the shares.

        The other links use source lines: an instruction belongs to all equations of its line. For exact links, JAX
        lowers and XLA compiles a twin: the same program, in which every equation has a number that its instructions
        carry. This takes as long as lowering and compiling the program. Another executable ran: the result says whether
        both have the same instructions. The function does not run, nothing is executed, and JAX's caches and counts do
        not change.

        Args:
            program: Index into `programs`; None for the program in focus.

        Raises:
            ValueError: The snapshot has no program, it cannot be lowered again, or JAX or XLA refuses it; the message
                contains a cure.
            IndexError: The index is out of range.
        """
        index = self._index(program)
        if self._sources is None:
            raise ValueError("A snapshot that was read from a file cannot be compiled. Inspect the function again.")
        try:
            with observer().looking_away():
                return exact_links_of(self._sources, index)
        except Unavailable as error:
            raise ValueError(str(error)) from error

    def _for_platform(self, level: LevelName, program: int, platform: Platform) -> str:
        if level != "stablehlo":
            raise ValueError(_NOT_LOWERED_FOR.format(platform=platform))
        if self._sources is None:
            raise ValueError("A snapshot that was read from a file cannot be lowered. Inspect the function again.")
        try:
            with observer().looking_away():
                return self._sources.text(program, level, platform).text
        except Unavailable as error:
            raise ValueError(str(error)) from error

    def to_dict(self) -> dict[str, Any]:
        """Return the document as plain dictionaries and lists, with the texts of all levels that JAX has made."""
        data: dict[str, Any] = json.loads(encode(self._full_document()))
        return data

    def to_json(self) -> str:
        """Return the document as JSON, with the texts of all levels that JAX has made."""
        return encode(self._full_document()).decode()

    @classmethod
    def from_json(cls, data: str | bytes) -> Snapshot:
        """Read a document that `to_json` or the panel wrote; unknown fields are ignored.

        Raises:
            ValueError: The data is no snapshot, or a newer or a damaged one; the message contains a cure.
        """
        return cls(read(data))

    def save(self, path: str | Path) -> None:
        """Write a file that can be read without a kernel: ``.jaxpr.json``, ``.json``, ``.html`` or ``.md``.

        JupyterLab opens a ``.jaxpr.json`` file in the panel's views.

        Raises:
            ValueError: The name has another ending.
        """
        path = Path(path)
        if path.name.endswith(SUFFIX):
            text = whole_file(lambda equations: self._full_document(equations=equations), self._document.focus)
            path.write_text(text, encoding="utf-8")
            return
        writers: dict[str, Callable[[], str]] = {
            ".json": lambda: encode(self._full_document()).decode(),
            ".html": lambda: page(self._full_document(equations=True), self._source_of),
            ".md": lambda: markdown(self._full_document()),
        }
        if path.suffix not in writers:
            raise ValueError(_NO_FORMAT.format(name=path.name))
        path.write_text(writers[path.suffix](), encoding="utf-8")

    def _source_of(self, path: str) -> SourcePage | None:
        """Return the text of a source file of the run, as it was when the run saw it."""
        return None if self._sources is None else self._sources.source_page(path)

    def __repr__(self) -> str:
        return plain(self._saved(self._document))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return bundle(self._saved(self._document))

    def _index(self, program: int | None) -> int:
        """Return the index of a program; None stands for the program in focus."""
        index = self._document.focus if program is None else program
        if program is not None and not 0 <= index < len(self._document.programs):
            raise IndexError(_NOT_IN.format(index=index, count=count(len(self._document.programs), "program")))
        if index < 0:
            raise ValueError(_NO_PROGRAM.format(message=quoted(self._document.message or "Inspect a function first.")))
        return index

    def _need(self, level: LevelName, program: int) -> None:
        """Raise `ValueError` if JAX has not made the text of a level.

        A document from a file, which has no live objects, raises no error here.
        """
        saved = next(
            (candidate for candidate in self._document.programs[program].levels if candidate.name == level), None
        )
        if saved is not None and saved.state == "not_made" and self._sources is not None:
            title, stage = ("StableHLO", "lower") if level == "stablehlo" else ("HLO", "compile")
            raise ValueError(_NOT_HELD.format(title=title, reason=_NOT_MADE.format(stage=stage)))

    def _full_document(self, *, equations: bool = False) -> schema.Snapshot:
        """Return the document with the texts of its levels.

        With `equations=True`, also with all equations of large programs.
        """
        if self._sources is None:
            return self._saved(self._document)
        document = self._sources.with_texts(whole=equations)
        return self._saved(msgspec.structs.replace(document, focus=self._document.focus))

    def without_values(self) -> Snapshot:
        """Return this snapshot, or a copy without values where ``%config JaxprMagics.values`` is off."""
        saved = self._saved(self._document)
        return self if saved is self._document else Snapshot(saved)

    def _saved(self, document: schema.Snapshot) -> schema.Snapshot:
        # an `import` would load the magics into a script that does not use them
        magic = sys.modules.get("jupyter_jaxpr.magic.cell_observer")
        hides = magic is not None and not magic.CellObserver.all_save_values()
        return without_values(document) if hides else as_saved(document)
