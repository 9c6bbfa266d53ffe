"""Compares the static arguments of a hit with those of the trace that made the program.

JAX finds a cache entry by the `__eq__` and `__hash__` of a static value, so a hit may run a program that was traced
with a different value: -0.0 equals 0.0, (1,) equals (True,), and a user's `__eq__` may ignore attributes. Only JAX's
hook after each call receives the static values of a hit. The hook is installed when a function with such static values
is about to be called, and removed after the first calls of each function, so that later calls are not slower. No method
of the user's objects runs, and no object is kept alive.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import imported
from ...jax.post_hook import Results
from ...plain_text import FAILURES, kind_name
from ..cache.key_texts import positional_names
from ..cache.static_argument_places import by_name, static_places
from ..cache.static_values import is_plain
from ..observation import Place
from ..reprs_of_users_values import NOTHING_CALLED
from ..user_or_library.users_line_of_call import call_place

if TYPE_CHECKING:
    from ..cell_run import Run
    from ..functions.jitted_functions import FunctionRecord
    from ..programs.programs_of_misses import KeptProgram

_LOOKS = 32  # How many hits of one function are examined.
_REPORTS = 1_000  # After this many calls of other functions that JAX's hook reported, the hook is removed for good.
_FOUND = 50


class StaticHit(NamedTuple):
    """A static argument of a hit that differs from the argument at the trace, as a whole or in an attribute.

    Attributes:
        function: The name of the function.
        static: The name of the static argument.
        name: The path that differs, such as c.k; the name of the static argument if the whole value differs.
        before: The value's text at the trace; several texts if it is unknown which of several traces made the program.
        after: The value's text at the hit.
        kind: The name of the class of the static argument.
        relation: How the object at the hit relates to the object at the trace; `value` if the whole value differs.
        is_named_by_eq: True if the `__eq__` of the class mentions the attribute that differs.
        types_differ: True if the two values have different types, such as 1 and True.
        read: The place at which the function reads the path; None if the whole value differs.
        call: The place of the hit.
    """

    function: str
    static: str
    name: str
    before: tuple[str, ...]
    after: str
    kind: str
    relation: Literal["value", "same", "other", "changed"]
    is_named_by_eq: bool
    types_differ: bool
    read: Place | None
    call: Place | None


class StaticHits:
    """Examines the static arguments of the first hits of each function in a run.

    Args:
        run: The run.
        record_of: Returns the record of a jitted function.
    """

    def __init__(self, run: Run, record_of: Callable[[Any], FunctionRecord | None]) -> None:
        self._run = run
        self._record_of = record_of
        self._results: Results | None = None
        self._left: dict[FunctionRecord, int] = {}  # function record -> how many hits remain to be examined
        self._reports = 0
        self.found: dict[tuple[str, ...], StaticHit] = {}

    def about_to_call(self, called: Any) -> None:
        """Install the hook before the next call of `called`, if a static value may equal a different static value."""
        if self._results is None:
            record = self._record_of(getattr(called, "_fun", None))
            if record is not None:
                self.made_program(record)

    def before_calls(self, records: Iterable[FunctionRecord]) -> None:
        """Install the hook if one of these functions may be called and has a static value that equals different values.

        Needed on Python 3.11, which does not report a call before the call runs.
        """
        for record in records:
            self.made_program(record)

    def made_program(self, record: FunctionRecord) -> None:
        """Install the hook if a later hit of the function may pass a static value that is equal but different."""
        if self._results is not None or self._reports >= _REPORTS or not imported() or not self._run.keeps_programs:
            return
        if self._left.get(record, _LOOKS) and _may_equal_others(record):
            results = Results(self._hit, lambda: None)
            try:
                results.start()
            except AttributeError:  # this version of JAX has no such hook: static values of hits stay unknown
                self._reports = _REPORTS
                return
            self._results = results

    def stop(self) -> None:
        """Remove the hook that reports hits."""
        if self._results is not None:
            self._results.stop()
            self._results = None

    def _hit(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], _: Any) -> None:
        record = self._record_of(getattr(called, "_fun", None))
        self._reports += 1
        left = 0 if record is None else self._left.get(record, _LOOKS)
        if record is not None and left and _may_equal_others(record):
            self._left[record] = left - 1
            try:
                for hit in _differing(record, _statics_of(called, args, kwargs)):
                    mark = (hit.function, hit.static, hit.name, *hit.before, hit.after)
                    if mark not in self.found and len(self.found) < _FOUND:
                        self.found[mark] = hit._replace(call=call_place(sys._getframe()))
            except not_of_a_signal(*FAILURES) as error:
                self._left[record] = 0
                self._run.fail(error)
        if self._reports >= _REPORTS or (self._left and not any(self._left.values())):
            self.stop()


def _may_equal_others(record: FunctionRecord) -> bool:
    """Return whether a static value of the function's programs may equal a different value, or may change in place."""
    if record.library or record.construct is not None or record.equinox or record.pmap or record.unkept:
        return False
    programs: list[KeptProgram] = list(record.programs.values())
    return any(
        _has_equals(value.plain)
        if is_plain(value.plain) and value.plain is not None
        else program.at_trace is not None and program.at_trace.reads_static(name)
        for program in programs
        for name, value in (program.keys[0].statics.items() if program.keys else ())
    )


def _has_equals(value: Any, depth: int = 16) -> bool:
    """Return whether a number, a string or a tuple of these can equal a different value: 0.0 equals -0.0.

    JAX compares the type of the outermost value, too, but not the types of values inside a tuple: (1,) equals (True,).
    """
    kind = type(value)
    if kind is tuple or kind is frozenset:
        return depth > 0 and any(type(part) in _NUMBERS or _has_equals(part, depth - 1) for part in value)
    return value == 0 and (kind is float or kind is complex)


_NUMBERS = frozenset({bool, int, float, complex})


def _statics_of(called: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return {parameter name: static value} for a call."""
    options = called._jit_info
    positions, names = static_places(options, len(args))
    parameters = positional_names(getattr(options, "fun_signature", None), len(args))
    statics = {parameters[position]: args[position] for position in positions if position < len(args)}
    return statics | {name: value for name, value in by_name(kwargs).items() if name in names}


def _differing(record: FunctionRecord, statics: Mapping[str, Any]) -> Iterator[StaticHit]:
    """Yield the certain differences between the static values of a hit and those of the trace that made its program.

    Several programs are possible if the function was traced for several array types or static values. A difference is
    certain if every possible program was traced with a different value.
    """
    candidates = [program for program in _traced(record) if _is_possible(program, statics)]
    differences = [{hit.name: hit for hit in _differences(record.name, program, statics)} for program in candidates]
    for name, hit in differences[0].items() if differences else ():
        if not all(name in others for others in differences):
            continue
        hits = [others[name] for others in differences]
        relations = {hit.relation for hit in hits}
        if "same" in relations:
            hit = next(hit for hit in hits if hit.relation == "same")
        elif len(relations) > 1:
            continue
        yield hit._replace(before=tuple(dict.fromkeys(before for hit in hits for before in hit.before)))


def _traced(record: FunctionRecord) -> list[KeptProgram]:
    """Return one program for each trace of the function: the program that the trace made first.

    The first key of this program has the static values of the trace.
    """
    first: dict[int, KeptProgram] = {}
    programs: list[KeptProgram] = list(record.programs.values())
    for program in sorted(programs, key=lambda program: program.seen_at):
        first.setdefault(id(program.jaxpr), program)
    return [program for program in first.values() if program.keys]


def _is_possible(program: KeptProgram, statics: Mapping[str, Any]) -> bool:
    """Return whether a hit with these static values can have run a program.

    Static values are compared only if the comparison runs no user code.
    """
    traced = program.keys[0].statics
    if traced.keys() != statics.keys():
        return False
    for name, value in statics.items():
        if traced[name].type is not type(value):
            return False
        if is_plain(value) and traced[name].plain is not None and traced[name].plain != value:
            return False
    return True


def _differences(function: str, program: KeptProgram, statics: Mapping[str, Any]) -> Iterator[StaticHit]:
    for name, value in statics.items():
        key = program.key_of_trace
        before = None if key is None else key.statics[name].plain
        if before is not None and is_plain(value) and not _is_same(before, value):
            old, new = NOTHING_CALLED.text(before), NOTHING_CALLED.text(value)
            differ = not _have_same_types(before, value)
            if old != new:
                kind = kind_name(type(value))
                yield StaticHit(function, name, name, (old,), new, kind, "value", False, differ, None, None)
    objects = {name: value for name, value in statics.items() if not is_plain(value)}
    if program.at_trace is not None and objects:
        for change, relation in program.at_trace.differs_from(objects):
            static = change.of_static or ""
            old, new = change.before.text, change.after.text
            if old != new:
                kind, named = kind_name(type(objects[static])), change.is_named_by_eq
                place = change.place
                yield StaticHit(function, static, change.name, (old,), new, kind, relation, named, False, place, None)


def _is_same(before: Any, after: Any) -> bool:
    """Return whether two equal values have the same type and content, unlike 0.0 and -0.0; True if unknown."""
    kind = type(before)
    if kind is not type(after):
        return False
    if kind is tuple:
        return len(before) == len(after) and all(map(_is_same, before, after))
    if kind is float:
        return math.copysign(1.0, before) == math.copysign(1.0, after)
    if kind is complex:
        return _is_same(before.real, after.real) and _is_same(before.imag, after.imag)
    return True


def _have_same_types(before: Any, after: Any) -> bool:
    if type(before) is tuple and type(after) is tuple:
        return all(map(_have_same_types, before, after))
    return type(before) is type(after)
