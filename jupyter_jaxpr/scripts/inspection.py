"""Inspects a function with its arguments as a `Snapshot`: for scripts, tests and hosts without a panel."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from ..build.build import Built, Sources, Unavailable, build
from ..build.diff import diff_runs
from ..build.environment import environment
from ..build.levels import Platform
from ..build.steps import construct_of, recording_document
from ..build.timing import time_focus
from ..build.transform import transform_program
from ..document.check.validate import read
from ..document.diff.rows import WHOLE_IN_SCRIPTS
from ..document.encoding import encode
from ..document.facts import TRANSFORM_KINDS
from ..document.read.control_flow import ControlFlow, constructs, control_flow
from ..document.read.costs import Cost, cost_of
from ..document.read.diff import Diff
from ..document.read.named_types import NamedType, types_of
from ..document.read.shardings import Shardings, shardings_of
from ..document.text import program_text
from ..document.types import document as schema
from ..document.types.steps import Recording
from ..document.types.timing import ProgramTiming
from ..document.types.transform import Transform, TransformKind
from ..document.whole_file import SUFFIX, whole_file
from ..document.without_values import as_saved, without_values
from ..exports.bundle import bundle
from ..exports.markdown import markdown
from ..exports.page import page
from ..exports.terminal_text import plain
from ..measure.steps.equations import Unsteppable
from ..observe.calls.call_values import ValuesGone
from ..observe.observation import Observation
from ..observe.own_traces import trace_call
from ..observe.process_observer import observer
from ..plain_text import quoted
from ..quantities import count
from .exact_links import ExactLinks, exact_links_of

Stage = Literal["trace", "lower", "compile", "run"]
LevelName = Literal["jaxpr", "stablehlo", "hlo"]

_NO_STAGE = "stage={stage!r} is not a stage. Take one of 'trace', 'lower', 'compile', 'run'."
_NO_VALUES = (
    "stage='run' executes the function and needs values, not jax.ShapeDtypeStruct. "
    "Give arrays, or take stage='compile'."
)
_TIME_RUNS = "time=True runs the function. Pass stage='run' too."
_NO_LEVEL = "There is no level {level!r}. Take one of 'jaxpr', 'stablehlo', 'hlo'."
_NO_PROGRAM = "This snapshot holds no program. {message}"
_NOT_HELD = "This snapshot does not hold the {title}. {reason}"
_NOT_MADE = "JAX has not made the text. Inspect with stage='{stage}'."
_NOT_LOWERED_FOR = "Only StableHLO is lowered for a platform. Take text('stablehlo', platform='{platform}')."
_NO_COST = "This snapshot does not hold the cost of {name}. Inspect the function again."
_NO_TRANSFORM = "There is no transform {kind!r}. Take one of {kinds}."
_NOT_IN = "There is no program {index}: this snapshot has {count}."
_NO_SHARDINGS = (
    "This snapshot does not hold the shardings of {name}: the program ran on one device, or was not compiled. Inspect "
    "the function again."
)
_NO_SNAPSHOT = "diff takes a snapshot, not {kind}. Pass the later one, such as jupyter_jaxpr.inspect(f, x)."
_NO_FORMAT = "{name} cannot be written: a snapshot is saved as .jaxpr.json, .json, .html or .md."


@dataclass(frozen=True)
class Note:
    """Something a person should know about a program.

    Attributes:
        kind: Such as ``captured_constant`` or ``printed_while_tracing``.
        line: The line of the user's code it is about, from 1; None where there is none.
        text: What was seen.
        cure: What to do about it; None where there is nothing to do.
        detail: The raw fact, such as the text that was printed.
        bytes: A size, where the note is about one.
        repetitions: Of an ``unrolled_loop`` or ``short_loop``: how often Python ran it, at least; None for
            others.
        carried: Of such a loop: each turn needs the one before; None for others.
        code: What to write instead, in the user's own names; None where there is no sketch.
        share: Of such a loop: its part of the program's equations, from 0 to 1; None for others.
        price: What was measured that belongs to it, as sentences.
    """

    kind: str
    line: int | None
    text: str
    cure: str | None
    detail: str | None
    bytes: int | None
    repetitions: int | None = None
    carried: bool | None = None
    code: str | None = None
    share: float | None = None
    price: tuple[str, ...] = ()


class Snapshot:
    """What one inspection or one run of a cell showed.

    A snapshot that `inspect` returned holds on to what JAX made, so that it can print every level. One that was
    read from a file has what was saved.
    """

    def __init__(self, document: schema.Snapshot, sources: Sources | None = None) -> None:
        """Wrap a document.

        Args:
            document: The plain data.
            sources: The live handles behind it, if there are any.
        """
        self._document = document
        self._sources = sources

    @property
    def document(self) -> schema.Snapshot:
        """The plain data, as `jupyter_jaxpr.document.types.document` defines it."""
        return self._document

    @property
    def programs(self) -> tuple[schema.Program, ...]:
        """The programs, in call order."""
        return tuple(self._document.programs)

    @property
    def equations(self) -> int:
        """Equations of the program in focus, over all its scopes, each scope counted once; 0 where there is none."""
        if self._document.focus < 0:
            return 0
        return self._document.programs[self._document.focus].equations

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a person should know, in the order of the code's lines."""
        frames = self._document.frames
        return tuple(
            Note(
                kind=note.kind,
                line=frames[note.frame].line if note.frame >= 0 else None,
                text=note.text,
                cure=note.cure,
                detail=note.detail,
                bytes=note.bytes,
                repetitions=note.repetitions,
                carried=note.carried,
                code=note.code,
                share=note.share,
                price=tuple(note.price),
            )
            for note in self._document.notes
        )

    @property
    def control_flow(self) -> tuple[ControlFlow, ...]:
        """The control flow of all programs, each construct at any depth, in the order of the source."""
        return control_flow(self._document)

    def steps(self, card: int = 0, *, repeat_effects: bool = False) -> Recording:
        """Run a construct once more, on the values of the call that was inspected, and record each step.

        The function runs twice: recorded, and as it is, for its results to be compared bit for bit. A loop that does
        not end within 10 seconds or a million steps is stopped; what was recorded until then is returned.

        Args:
            card: Index into `control_flow`.
            repeat_effects: The function has effects, such as prints, and they may happen again.

        Raises:
            IndexError: There is no such card.
            ValueError: It cannot be run: its arguments are gone, it has effects, or it is of a kind that has no steps.
                The message says what to do.
        """
        found = constructs(self._document)
        if not 0 <= card < len(found):
            raise IndexError(f"There is no card {card}: this snapshot has {count(len(found), 'card')}.")
        index = found[card]
        if self._sources is None:
            raise ValueError("A snapshot that was read from a file cannot be run. Inspect the function again.")
        why = self._document.control_flow[index].steppable
        if why is not None:
            raise ValueError(why)
        try:
            construct = construct_of(self._sources, index)
            if construct.question is not None and not repeat_effects:
                raise ValueError(f"{construct.question} If yes, pass repeat_effects=True.")
            with observer().looking_away():
                return recording_document(self._document, index, construct.run())
        except (Unsteppable, ValuesGone) as error:
            raise ValueError(str(error)) from error

    @property
    def cost(self) -> Cost:
        """What one call of the program in focus costs; see `Cost` for what is counted, and how.

        Raises:
            ValueError: There is no program, or its costs are not held; the message says what to do.
        """
        return self.cost_of()

    def cost_of(self, program: int | None = None) -> Cost:
        """What one call of a program costs; nothing runs, and nothing is compiled for it.

        Args:
            program: Index into `programs`; the one in focus where it is None.

        Raises:
            ValueError: There is no program, or its costs are not held; the message says what to do.
            IndexError: There is no such program.
        """
        index = self._index(program)
        name = quoted(self._document.programs[index].name)
        if self._sources is not None:
            return cost_of(self._document, self._sources.cost(index))
        held = next((each for each in self._document.costs if each.program == index), None)
        if held is None:
            raise ValueError(_NO_COST.format(name=name))
        return cost_of(self._document, held)

    @property
    def timings(self) -> tuple[ProgramTiming, ...]:
        """What programs took when they ran again, where that was asked for: by `inspect(..., time=True)`, `--time`."""
        return tuple(self._document.timings)

    def shardings(self, program: int | None = None) -> Shardings:
        """How a compiled program is spread over devices: each array with a picture, each collective with its cause.

        Args:
            program: Index into `programs`; the one in focus where it is None.

        Raises:
            ValueError: There is no program, or it was not compiled; the message says what to do.
            IndexError: There is no such program.
        """
        index = self._index(program)
        name = quoted(self._document.programs[index].name)
        if self._sources is not None:
            try:
                found = self._sources.shardings(index)
            except Unavailable as error:
                raise ValueError(str(error)) from error
            return shardings_of(self._sources.document, found)
        held = next((each for each in self._document.shardings if each.program == index), None)
        if held is None:
            raise ValueError(_NO_SHARDINGS.format(name=name))
        return shardings_of(self._document, held)

    @property
    def transforms(self) -> tuple[Transform, ...]:
        """What was derived from the programs, by `transform` or `--transform`; each says which equations are what."""
        return tuple(self._document.transforms)

    def transform(self, kind: TransformKind, program: int | None = None) -> Snapshot:
        """Let JAX derive a program by ``grad``, ``vmap``, ``jvp`` or ``linearize``, on the types of the call.

        JAX transforms the program that it has: the function does not run again, nothing is compiled or executed.
        ``grad`` differentiates the float arrays of positional arguments; where the result is no real scalar it is the
        vjp, with a cotangent of the result's type as an input. ``vmap`` adds a batch of 8 in front of every array.
        ``jvp`` takes tangents of the same types. ``linearize`` gives two programs, the primal one, which is in focus,
        and the linear one after it.

        Args:
            kind: The transform.
            program: Index into `programs`; the one in focus where it is None.

        Returns:
            The same run with the derived program in focus, so that ``inspect(f, x).transform("grad").text()`` prints it
            and transforms follow each other.

        Raises:
            ValueError: There is no such transform, or JAX refuses it; the message says why.
            IndexError: There is no such program.
        """
        if kind not in TRANSFORM_KINDS:
            raise ValueError(_NO_TRANSFORM.format(kind=kind, kinds=", ".join(map(repr, TRANSFORM_KINDS))))
        index = self._index(program)
        if self._sources is None:
            raise ValueError("A snapshot that was read from a file cannot be transformed. Inspect the function again.")
        document = transform_program(observer(), self._sources, index, kind)
        made = next(each for each in document.transforms if each.kind == kind and each.of == index)
        if made.error is not None:
            raise ValueError(made.error)
        return Snapshot(msgspec.structs.replace(document, focus=made.parts[0].program), self._sources)

    def types(self, program: int | None = None) -> tuple[NamedType, ...]:
        """What the names of the Python code had while JAX traced a program, in the order of the code.

        A name is there for each place that gives the name a traced array, or a container with one. Python 3.12 or
        later is needed; on Python 3.11 there is none.

        Args:
            program: Index into `programs`; the program in focus if None.

        Raises:
            IndexError: There is no such program.
        """
        return types_of(self._document, self._index(program))

    def text(self, level: LevelName = "jaxpr", program: int | None = None, *, platform: Platform | None = None) -> str:
        """A program as text.

        Args:
            level: ``jaxpr``: the tokens of ``print(jaxpr)``, one equation a line. ``stablehlo``, ``hlo``: as JAX and
                XLA print them, large constants elided.
            program: Index into `programs`; the one in focus where it is None.
            platform: Of ``stablehlo``: ``cpu``, ``cuda``, ``rocm`` or ``tpu``: lowered for it, whether or not there is
                one. The program that ran where it is None.

        Raises:
            ValueError: The level is not held and cannot be had; the message says why and what to do.
            IndexError: There is no such program.
        """
        if level not in get_args(LevelName):
            raise ValueError(_NO_LEVEL.format(level=level))
        index = self._index(program)
        shown = self._document.programs[index]
        if platform is not None:
            return self._for_platform(level, index, platform)
        if level == "jaxpr":
            return self._sources.jaxpr_text(index) if self._sources else program_text(self._document, index)
        held = next((each for each in shown.levels if each.name == level), None)
        if held is not None and held.text is not None:
            return held.text
        title = "StableHLO" if level == "stablehlo" else "HLO"
        self._need(level, index)
        if self._sources is None:
            reason = quoted((held and held.reason) or "Inspect the function again.")
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
        """What became of a program of this snapshot in one of another; names play no part. `print` the result.

        Args:
            other: The later snapshot; one that was read from a file will do.
            program: Index into `programs`; the one in focus where it is None.
            other_program: Index into the programs of `other`; where it is None, the first of the same name, and the
                one in focus where there is none.
            level: ``jaxpr``: equation by equation, aware of scopes. ``stablehlo``, ``hlo``: line by line, numbering
                left out.

        Raises:
            TypeError: `other` is not a snapshot.
            ValueError: There is no program, or it is not held whole; the message says what to do.
            IndexError: There is no such program.
        """
        if not isinstance(other, Snapshot):
            raise TypeError(_NO_SNAPSHOT.format(kind=type(other).__name__))
        if level not in get_args(LevelName):
            raise ValueError(_NO_LEVEL.format(level=level))
        mine = self._index(program)
        if other_program is None:
            name = self._document.programs[mine].name
            alike = (index for index, each in enumerate(other._document.programs) if each.name == name)
            other_program = next(alike, None)
        theirs = other._index(other_program)
        if level != "jaxpr":
            self._need(level, mine)
            other._need(level, theirs)
        try:
            found = diff_runs(
                (self._document, self._sources),
                mine,
                (other._document, other._sources),
                theirs,
                level,
                whole=WHOLE_IN_SCRIPTS,
            )
        except Unavailable as error:
            raise ValueError(str(error)) from error
        return Diff(found)

    def exact_links(self, program: int | None = None) -> ExactLinks:
        """Which equations each line of StableHLO and HLO comes from, exactly; `print` the result for the shares.

        The other links go by source lines: an instruction belongs to all equations of its line. For these, JAX lowers
        and XLA compiles a twin: the same program, in which every equation has a number that its instructions carry.
        That takes as long as lowering and compiling the program does. The twin is no more than a twin: what ran is
        another executable, and the result says whether both have the same instructions. The function does not run,
        nothing is executed, and nothing of it is kept in JAX's caches or counted.

        Args:
            program: Index into `programs`; the one in focus where it is None.

        Raises:
            ValueError: There is no program, it cannot be lowered again, or JAX or XLA refuses it; the message says
                what to do.
            IndexError: There is no such program.
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
        """The document as plain dictionaries and lists, with the texts of all levels that JAX has made."""
        data: dict[str, Any] = json.loads(encode(self._whole()))
        return data

    def to_json(self) -> str:
        """The document as JSON, with the texts of all levels that JAX has made."""
        return encode(self._whole()).decode()

    @classmethod
    def from_json(cls, data: str | bytes) -> Snapshot:
        """Read what `to_json` or the panel wrote; fields that this version does not know are ignored.

        Raises:
            ValueError: It is not a snapshot, or a newer or a damaged one; the message says what to do.
        """
        return cls(read(data))

    def save(self, path: str | Path) -> None:
        """Write a file that can be read without a kernel: ``.jaxpr.json``, ``.json``, ``.html`` or ``.md``.

        JupyterLab opens a ``.jaxpr.json`` file in the panel's views.

        Raises:
            ValueError: The name ends otherwise.
        """
        path = Path(path)
        if path.name.endswith(SUFFIX):
            text = whole_file(lambda equations: self._whole(equations=equations), self._document.focus)
            path.write_text(text, encoding="utf-8")
            return
        writers: dict[str, Callable[[], str]] = {
            ".json": lambda: encode(self._whole()).decode(),
            ".html": lambda: page(self._whole(equations=True)),
            ".md": lambda: markdown(self._whole()),
        }
        if path.suffix not in writers:
            raise ValueError(_NO_FORMAT.format(name=path.name))
        path.write_text(writers[path.suffix](), encoding="utf-8")

    def __repr__(self) -> str:
        return plain(self._saved(self._document))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return bundle(self._saved(self._document))

    def _index(self, program: int | None) -> int:
        """The index of a program, that of the one in focus for None."""
        index = self._document.focus if program is None else program
        if program is not None and not 0 <= index < len(self._document.programs):
            raise IndexError(_NOT_IN.format(index=index, count=count(len(self._document.programs), "program")))
        if index < 0:
            raise ValueError(_NO_PROGRAM.format(message=quoted(self._document.message or "Inspect a function first.")))
        return index

    def _need(self, level: LevelName, program: int) -> None:
        """Refuse a text that JAX was not asked to make."""
        held = next((each for each in self._document.programs[program].levels if each.name == level), None)
        if held is not None and held.state == "not_made" and self._sources is not None:
            title, stage = ("StableHLO", "lower") if level == "stablehlo" else ("HLO", "compile")
            raise ValueError(_NOT_HELD.format(title=title, reason=_NOT_MADE.format(stage=stage)))

    def _whole(self, *, equations: bool = False) -> schema.Snapshot:
        """The document with the texts of its levels; with all equations of large programs, too, where that is asked."""
        if self._sources is None:
            return self._saved(self._document)
        whole = self._sources.with_texts(whole=equations)
        return self._saved(msgspec.structs.replace(whole, focus=self._document.focus))

    def without_values(self) -> Snapshot:
        """What may leave the kernel: this snapshot, or a copy without values under ``%config JaxprMagics.values``."""
        saved = self._saved(self._document)
        return self if saved is self._document else Snapshot(saved)

    def _saved(self, document: schema.Snapshot) -> schema.Snapshot:
        magic = sys.modules.get("jupyter_jaxpr.magic.session")  # loads nothing
        hides = magic is not None and not magic.Session.all_save_values()
        return without_values(document) if hides else as_saved(document)


def inspect(
    fun: Callable[..., Any],
    *args: Any,
    stage: Stage = "compile",
    time: bool = False,
    allow_effects: bool = False,
    **kwargs: Any,
) -> Snapshot:
    """Show what JAX makes of a call ``fun(*args, **kwargs)``.

    The Python of the function runs once, symbolically, unless JAX has traced this call before. What the Python changes
    meanwhile (globals, closures, attributes, containers, random generators) is put back. Nothing is executed but at
    ``stage="run"``.

    Args:
        fun: A function, jitted or not.
        *args: Its arguments: values, or `jax.ShapeDtypeStruct` for their types alone.
        stage: How far to go: ``trace``, ``lower``, ``compile`` or ``run``, which executes once.
        time: With ``stage="run"``: run it again as often as a fraction of a second holds, and its Python without jit;
            `Snapshot.timings` has what it took. A program with effects, or of over a second, is not repeated: a note
            says so. To hand an argument of the name ``time`` to the function, use `functools.partial`.
        allow_effects: Trace the function although its Python does what cannot be undone, such as writing to a file.
        **kwargs: Its keyword arguments.

    Raises:
        ValueError: The stage is none, or ``run`` was asked for without values.
        EffectsError: The function's Python does what cannot be undone; the message names the line.
        Exception: Whatever the function raises while it is traced, compiled or run.
    """
    if stage not in get_args(Stage):
        raise ValueError(_NO_STAGE.format(stage=stage))
    if time and stage != "run":
        raise ValueError(_TIME_RUNS)
    import jax

    if stage == "run" and any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in jax.tree.leaves((args, kwargs))):
        raise ValueError(_NO_VALUES)
    # Only JAX's events tell what the stages of that call take, and whether JAX had its program before.
    with observer().hooks.for_a_while():
        own = trace_call(
            observer(),
            fun,
            args,
            kwargs,
            "jupyter_jaxpr.inspect traced this program.",
            stage,
            keep_values=time,
            allow_effects=allow_effects,
        )
    if own.error is not None:
        raise own.error
    if stage == "run" and own.program is not None:
        own.program.origin, own.program.origin_note = "ran", None
    observation = Observation(
        functions=[own.function] if own.function is not None else [],
        printed=list(own.printed),
        named_values=observer().named_values,
    )
    built: Built = build(observation, None, environment=environment(), run_id=uuid.uuid4().hex)
    if time:
        time_focus(built.sources)
        built.sources.let_go_of_values()
    return Snapshot(built.sources.document, built.sources)
