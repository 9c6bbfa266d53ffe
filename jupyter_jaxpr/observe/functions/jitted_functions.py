"""Keeps a record of each jitted function.

A record has the function's name, the line of its def, its programs, and whether the user or a library jitted it.

- `function_inside_wrappers`: finds the user's function inside an argument of `jax.jit`.
- `library_functions`: decides whether JAX or a package jitted a function for itself.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Mapping
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from ...jax.constructs_outside_jit import Construct, construct_of
from ...jax.facts import stored_jit_name
from ...jax.missed_calls import pmap_call
from ...jax.pallas_kernels import kernel_of
from ...plain_text import exact, file_of
from ..observation import Place
from ..user_or_library.library_functions import asked_by_jax, is_library
from ..user_or_library.users_line_of_call import call_place, frame_outside
from ..user_or_library.whose_code import is_installed, is_jax, is_users_code_of, is_users_frame
from .equinox_filter_jit import _EQUINOX_JIT, equinox_wrapper
from .function_inside_wrappers import code_of, name_of, place_of

if TYPE_CHECKING:
    from ..cache.history_of_one_function import FunctionHistory, MissEvent


class FunctionRecord:
    """The record of one jitted function, which exists as long as the function.

    Attributes:
        name: the name of the user's function, without wrappers.
        jit_name: the name of the function in JAX's events and programs; None until JAX reports it.
        shared: true for equinox's inner jitted function, which runs all user functions of one name.
        equinox: true if equinox calls the function; the record of one user function has `equinox` set and `shared` not
            set.
        missed: true if this function object had a miss; its properties were read then.
        first_miss: the first miss in the history.
        construct: the construct that JAX compiled by itself, outside of jit.
        pmap: true for a function under `jax.pmap`; the functions that JAX makes of it share one record.
        replayable: false if asking JAX's caches for the stages of a program once made JAX compile or lower.
        programs: the programs of the newest observed misses, the newest last.
        compiled_before: true if JAX compiled a program of the function before this package began to keep programs.
        unkept: true if JAX may hold programs of the function that `programs` does not have.
        at_trace: `ValuesAtTrace` of the last trace; None if no run saw the trace.
        history: (history, index of this function object in the history, whether a rerun of the cell made this function
            object).
    """

    __slots__ = (
        "__weakref__",
        "at_trace",
        "construct",
        "definition",
        "equinox",
        "first_miss",
        "compiled_before",
        "history",
        "jit_name",
        "programs",
        "library",
        "missed",
        "name",
        "pmap",
        "replayable",
        "shared",
        "unkept",
    )

    def __init__(
        self, name: str, jit_name: str | None, definition: Place | None, library: bool, shared: bool = False
    ) -> None:
        self.name = name
        self.jit_name = jit_name
        self.definition = definition
        self.library = library
        self.shared = shared
        self.equinox = shared
        self.missed = False
        self.first_miss: MissEvent | None = None
        self.construct: Construct | None = None
        self.pmap = False
        self.replayable = True
        self.programs: dict[Any, Any] = {}
        self.compiled_before = False
        self.unkept = False
        self.at_trace: Any = None
        self.history: tuple[FunctionHistory, int, bool] | None = None

    @property
    def has_several(self) -> bool:
        """True if a hit of the function may run one of several programs."""
        return len(self.programs) > 1 or self.unkept


class Functions:
    """The records of all jitted functions; the record of a deleted function is dropped.

    Attributes:
        library: id of a library function -> the number of its misses.
    """

    def __init__(self) -> None:
        self._records: dict[int, FunctionRecord] = {}
        # (id of equinox's jitted function, id of the user's code object) -> record; dropped with the code object
        self._by_user_code: dict[tuple[int, int], tuple[weakref.ref[CodeType], FunctionRecord]] = {}
        self._by_pmapped: dict[int, tuple[weakref.ref[Any], FunctionRecord]] = {}
        self._alive: dict[int, weakref.ref[Any]] = {}
        self.library: dict[int, int] = {}

    def find(self, fun: Any, frame: FrameType) -> FunctionRecord:
        """Return the record of a function that misses the cache; `frame` is JAX's frame that handles the miss."""
        record = self._records.get(id(fun))
        if record is None:
            record = self._make(fun, frame)
        return self._of_user(fun, record, frame) if record.shared else record

    def find_traced(self, fun: Any, frame: FrameType) -> FunctionRecord | None:
        """Return the record of a function that the user traces without a call; `frame` is JAX's frame of the trace.

        Return None if the function was not called yet and its code is JAX's, or if JAX requests the trace:
        `jax.eval_shape` and `jax.make_jaxpr` jit their argument, but the user jitted nothing.
        """
        if id(fun) not in self._records:
            code = code_of(fun)
            if code is None or is_jax(file_of(code)) or asked_by_jax(frame):
                return None
        return self.find(fun, frame)

    def library_names(self, before: Mapping[int, int]) -> list[tuple[str, int]]:
        """Return (name, misses) for each library function that missed after `before`, an earlier copy of `library`."""
        since: Counter[str] = Counter()
        for key, times in list(self.library.items()):
            record = self._records.get(key)
            if record is not None and times > before.get(key, 0):
                since[record.name] += times - before.get(key, 0)
        return since.most_common()

    def record_of(self, fun: Any) -> FunctionRecord | None:
        """Return the record of a function.

        Return None if the function was not seen before, or if it runs several user functions, which have records of
        their own.
        """
        record = self._records.get(id(fun))
        if record is None or not record.shared:
            return record
        users = [user for (key, _), (_, user) in self._by_user_code.items() if key == id(fun)]
        return users[0] if len(users) == 1 else None

    def of_users(self) -> list[FunctionRecord]:
        """Return the records of the functions that the user's own code jitted."""
        return [record for record in list(self._records.values()) if not record.library]

    def have_several(self) -> bool:
        """Return whether a hit of some user function may run one of several programs."""
        return any(record.has_several for record in self.of_users())

    def is_shared(self, fun: Any) -> bool:
        """Return whether the jitted function runs several user functions, so that their calls cannot be told apart."""
        record = self._records.get(id(fun))
        return record is not None and record.shared

    def by_code(self, fun: Any) -> FunctionRecord:
        """Return the record of a function that had no observed miss.

        The file of its code decides whether the function belongs to a library.
        """
        record = self._records.get(id(fun))
        if record is None:
            code = code_of(fun)
            library = code is None or is_installed(file_of(code))
            record = FunctionRecord(name_of(fun), stored_jit_name(fun), place_of(code), library)
            self._remember(fun, record)
        return record

    def drop_dead(self, records: dict[str, tuple[FunctionRecord, Any, Place | None]]) -> None:
        """Drop the records of deleted functions from `records`, because a record keeps programs alive."""
        indirect_records = [
            record for kind in (self._by_user_code, self._by_pmapped) for _, record in list(kind.values())
        ]
        alive = set(map(id, [*list(self._records.values()), *indirect_records]))
        for name in [name for name, (record, *_) in records.items() if id(record) not in alive]:
            del records[name]

    def _make(self, fun: Any, frame: FrameType) -> FunctionRecord:
        place = place_of(fun.__code__) if type(fun) is FunctionType else None
        if place is not None and is_users_code_of(fun) and "__wrapped__" not in vars(fun):
            # This short path is for a user's function without wrappers: the general path takes ten times as long.
            name = exact(fun.__name__)
            record = FunctionRecord(name, name, place, library=False)
        elif (pmapped := pmap_call(frame)) is not None:
            record = self._pmapped(pmapped.fun, stored_jit_name(fun))
        elif (construct := construct_of(fun, frame)) is not None:
            record = _of_construct(construct, frame)
        elif (kernel := kernel_of(fun)) is not None:
            library = is_library(fun, fun.__code__, frame)
            name = f"pallas_call({name_of(kernel)})"
            record = FunctionRecord(name, stored_jit_name(fun), place_of(code_of(kernel)), library)
        else:
            code = code_of(fun)
            record = FunctionRecord(
                name_of(fun),
                stored_jit_name(fun),
                place_of(code),
                is_library(fun, code, frame),
                shared=code is not None and file_of(code).endswith(_EQUINOX_JIT),
            )
        self._remember(fun, record)
        return record

    def _pmapped(self, user: Any, jit_name: str | None) -> FunctionRecord:
        key = id(user)
        if key not in self._by_pmapped:
            code = code_of(user)
            library = code is not None and is_installed(file_of(code))
            record = FunctionRecord(name_of(user), jit_name, place_of(code), library)
            record.pmap = True
            reference = weakref.ref(user, lambda _: self._by_pmapped.pop(key, None))
            self._by_pmapped[key] = reference, record
        return self._by_pmapped[key][1]

    def _remember(self, fun: Any, record: FunctionRecord) -> None:
        key = id(fun)

        def forget(_: object) -> None:
            self._records.pop(key, None)
            self._alive.pop(key, None)
            self.library.pop(key, None)
            for pair in [pair for pair in self._by_user_code if pair[0] == key]:
                del self._by_user_code[pair]

        self._alive[key] = weakref.ref(fun, forget)
        self._records[key] = record

    def _of_user(self, fun: Any, record: FunctionRecord, frame: FrameType) -> FunctionRecord:
        wrapper = equinox_wrapper(frame)
        user = getattr(wrapper, "__wrapped__", None)
        code = code_of(user)
        if code is None:
            return record
        key = (id(fun), id(code))
        if key not in self._by_user_code:
            library = record.library or is_library(user, code, frame)
            users_record = FunctionRecord(name_of(user), record.jit_name, place_of(code), library)
            users_record.equinox = True
            reference = weakref.ref(code, lambda _: self._by_user_code.pop(key, None))
            self._by_user_code[key] = reference, users_record
        return self._by_user_code[key][1]


def _of_construct(construct: Construct, frame: FrameType) -> FunctionRecord:
    """Return the record of a construct outside of jit.

    The construct counts as the user's if user code called `jax.lax`.
    """
    caller = frame_outside(frame, is_jax)
    library = caller is None or not is_users_frame(caller)
    # The body alone does not identify the construct: two calls of `cg` on two lines run the same body of the library.
    bodies = [body for body in construct.bodies if body.file]
    own_body = next((body for body in bodies if not is_installed(body.file)), bodies[0] if bodies else None)
    definition = call_place(frame) if own_body is None else Place(own_body.file, own_body.line, own_body.name)
    record = FunctionRecord(construct.title, construct.primitive, definition, library)
    record.construct = construct
    return record
