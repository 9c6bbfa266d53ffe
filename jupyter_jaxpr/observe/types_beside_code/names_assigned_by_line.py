"""Finds the names that each line of a code object assigns, and whether an executed line assigned them."""

from __future__ import annotations

import dis
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import CodeType
from typing import Any


def stores_and_returns(code: CodeType) -> tuple[dict[int, tuple[str, ...]], dict[int, int]]:
    """Return {line: names that the line assigns} and {offset of a return instruction: its line}.

    The bytecode is read directly, because `dis` takes twenty times as long and JAX's trace waits for this function.
    """
    name_of: Callable[[int], str] = code._varname_from_oparg  # type: ignore[attr-defined]  # of CPython, not in typeshed
    written = code.co_code
    stores: dict[int, tuple[str, ...]] = {}
    returns: dict[int, int] = {}
    twice: set[tuple[int, str]] = set()
    lines = code.co_lines()
    end, line = 0, None
    for found in _STORE_OR_RETURN.finditer(written[::2]):
        unit = found.start()
        while end <= 2 * unit:
            _, end, line = next(lines)
        if line is None:
            continue
        operation = written[2 * unit]
        if operation in _STORES:
            argument = _argument(written, unit)
            for shift, mask in _STORES[operation]:
                name = name_of(argument >> shift & mask)
                stored = stores.get(line)
                if stored is None:
                    stores[line] = (name,)
                elif name in stored:
                    twice.add((line, name))
                else:
                    stores[line] = (*stored, name)
        else:
            returns[2 * unit] = line
    for line, name in twice:
        # If a line assigns a name twice, it is unknown which of the two values the name had, so the name is left out.
        # The compiler may write the condition of a loop twice, with one place in the source: this counts as one
        # assignment.
        if len(_places(code, written, line, name)) > 1:
            stores[line] = tuple(stored_name for stored_name in stores[line] if stored_name != name)
    return stores, returns


def _argument(written: bytes, unit: int) -> int:
    argument, shift = written[2 * unit + 1], 8
    while unit > 0 and written[2 * unit - 2] == _EXTENDED:
        unit -= 1
        argument |= written[2 * unit + 1] << shift
        shift += 8
    return argument


def _places(code: CodeType, written: bytes, line: int, name: str) -> set[Any]:
    """Return the source positions at which a line assigns a name."""
    name_of: Callable[[int], str] = code._varname_from_oparg  # type: ignore[attr-defined]  # of CPython, not in typeshed
    places = set()
    for unit, position in enumerate(code.co_positions()):
        if position[0] == line and written[2 * unit] in _STORES:
            argument = _argument(written, unit)
            if any(name_of(argument >> shift & mask) == name for shift, mask in _STORES[written[2 * unit]]):
                places.add(position)
    return places


def has_jumps(code: CodeType) -> bool:
    """Return whether a code object has jumps."""
    return _JUMP.search(code.co_code[::2]) is not None


def lines_that_store(code: CodeType, stores: Mapping[int, tuple[str, ...]]) -> tuple[frozenset[int], dict[int, int]]:
    """Return the lines that certainly assign their names, and the instructions to observe for the other lines.

    The instructions, as {offset: line}, are the assignments of a line such as `if c: y = a`. After such a line, the
    code continues at the same instruction whether or not the assignment ran.

    Args:
        code: The code.
        stores: Line -> the names that the line assigns.
    """
    operations = code.co_code[::2]
    protected = _protected(code)
    if not protected and _JUMP.search(operations) is None:
        return _lines_that_run_once(code, stores), {}
    runs: dict[int, list[tuple[int, int]]] = {}
    last = None
    for start, end, line in code.co_lines():
        if line is not None and stores.get(line):
            parts = runs.setdefault(line, [])
            if line == last:
                parts[-1] = parts[-1][0], end // 2
            else:
                parts.append((start // 2, end // 2))
        last = line
    sure, observed, flow = [], {}, None
    for line, parts in runs.items():
        operations_of_line = [operations[start:end] for start, end in parts]
        start, end = parts[0]
        while len(parts) == 1 and operations[end - 1] not in _STORES:
            end -= 1
        if len(parts) == 1 and _JUMPS.isdisjoint(operations[start:end]):
            if not protected or not any(first < end and start < beyond for first, beyond, _ in protected):
                sure.append(line)
            continue
        if any(not _BRANCHES.isdisjoint(part) for part in operations_of_line):
            flow = flow or LineFlow(code)
            if any(flow.is_open(start, stores[line]) for start, _ in parts):
                units = [unit for start, end in parts for unit in range(start, end)]
                begin = {start for start, _ in parts}
                observed.update(
                    {2 * unit: line for unit in units if unit not in begin and _is_short_store(operations, unit)}
                )
    return frozenset(sure), observed


def _lines_that_run_once(code: CodeType, stores: Mapping[int, tuple[str, ...]]) -> frozenset[int]:
    """Return the lines with assignments that run only once, in a code object without jumps."""
    once: set[int] = set()
    again: set[int] = set()
    last = None
    for _, _, line in code.co_lines():
        if line is not None and line != last and line in stores:
            (again if line in once else once).add(line)
        last = line
    return frozenset(line for line in once - again if stores[line])


def _is_short_store(operations: bytes, unit: int) -> bool:
    return operations[unit] in _STORES and (unit == 0 or operations[unit - 1] != _EXTENDED)


class LineFlow:
    """The control flow between the instructions of one line."""

    def __init__(self, code: CodeType) -> None:
        self._written = code.co_code
        self._operations = self._written[::2]
        self._name_of: Callable[[int], str] = code._varname_from_oparg  # type: ignore[attr-defined]  # of CPython
        self._protected = _protected(code)
        self._lines: list[int | None] = [None] * len(self._operations)
        for start, end, line in code.co_lines():
            self._lines[start // 2 : end // 2] = [line] * ((end - start) // 2)
        self._answers: dict[tuple[str, int, int, bool], bool | None] = {}

    def is_stored(self, name: str, start: int, end: int, observed: Collection[int]) -> bool | None:
        """Return whether the line assigned a name between two instruction offsets; None if both are possible.

        Args:
            name: The name.
            start: The offset of the first instruction that ran.
            end: The offset at which the next line began.
            observed: Offsets of instructions that Python reports: none of them ran between `start` and `end`.
        """
        key = name, start, end, bool(observed)
        if key not in self._answers:
            ends = self._ends(start // 2, name, end // 2, observed)
            answers = {is_stored for at, is_stored in ends if at == end // 2}
            self._answers[key] = answers.pop() if len(answers) == 1 else None
        return self._answers[key]

    def is_open(self, start: int, names: tuple[str, ...]) -> bool:
        """Return whether the place at which a line ends does not show if the line assigned one of the names.

        `start` is the instruction at which the line begins.
        """
        for name in names:
            ends = self._ends(start, name)
            if any((at, not is_stored) in ends for at, is_stored in ends):
                return True
        return False

    def _ends(self, start: int, name: str, end: int = -1, observed: Collection[int] = ()) -> set[tuple[int, bool]]:
        """Return each way through a line as (instruction at which it ends, whether it assigned the name).

        Args:
            start: The first instruction of the line that runs.
            name: The name.
            end: The instruction at which the line ended. If `end` is given, jumps to `except` blocks are followed, too.
            observed: The offsets of instructions that end the line.
        """
        line = self._lines[start]
        ends: set[tuple[int, bool]] = set()
        if self._operations[start] in _RETURNS:
            ends.add((start, False))
        catches = end >= 0
        visited: set[tuple[int, bool]] = set()
        waiting = self._after(start, name, is_stored=False, catches=catches)
        while waiting:
            state = waiting.pop()
            if state in visited:
                continue
            visited.add(state)
            unit, is_stored = state
            if unit == end or self._lines[unit] not in (line, None) or 2 * unit in observed:
                ends.add(state)
                continue
            if self._operations[unit] in _RETURNS:
                ends.add(state)
            waiting += self._after(unit, name, is_stored=is_stored, catches=catches)
        return ends

    def _after(self, unit: int, name: str, *, is_stored: bool, catches: bool) -> list[tuple[int, bool]]:
        operation = self._operations[unit]
        is_stored = is_stored or (operation in _STORES and self._stores(unit, name))
        following = list(self._following(unit))
        if catches and operation not in _WITHOUT_ERRORS:
            following += [target for first, beyond, target in self._protected if first <= unit < beyond]
        return [(target, is_stored) for target in following]

    def _stores(self, unit: int, name: str) -> bool:
        argument = _argument(self._written, unit)
        return any(self._name_of(argument >> shift & mask) == name for shift, mask in _STORES[self._operations[unit]])

    def _following(self, unit: int) -> Iterator[int]:
        operation = self._operations[unit]
        following = unit + 1
        if operation in _JUMPS:
            caches = following
            while caches < len(self._operations) and self._operations[caches] == _CACHE:
                caches += 1
            distance = _argument(self._written, unit)
            target = caches + (-distance if operation in _BACKWARD else distance)
            targets = [target]
            while operation in _FOR and self._operations[targets[-1]] in _ENDS_OF_FOR:
                # Python runs one, several or none of the instructions that end a `for` loop, depending on Python's
                # version
                targets.append(targets[-1] + 1)
            yield from targets
        if operation not in _WITHOUT_NEXT and following < len(self._operations):
            yield following


def _protected(code: CodeType) -> list[tuple[int, int, int]]:
    """Return (first instruction, instruction after the last, handler) for each block inside a `try` or a `with`."""
    if not code.co_exceptiontable:
        return []
    entries: Iterable[Any] = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]  # not in typeshed
    return [(entry.start // 2, entry.end // 2, entry.target // 2) for entry in entries]


def _numbers(*names: str) -> frozenset[int]:
    return frozenset(dis.opmap[name] for name in names if name in dis.opmap)


_EXTENDED = dis.opmap["EXTENDED_ARG"]
_RETURN = dis.opmap["RETURN_VALUE"]
_JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs, *getattr(dis, "hasjump", ())})
_JUMP = re.compile(b"[%s]" % b"".join(re.escape(bytes([each])) for each in sorted(_JUMPS & set(range(256)))))
_WHOLE = ((0, -1),)
# instruction -> (shift, mask) for each variable index in its argument: in newer Pythons, one instruction may assign two
# variables.
_BITS = {
    "STORE_FAST": _WHOLE,
    "STORE_DEREF": _WHOLE,
    "STORE_FAST_MAYBE_NULL": _WHOLE,
    "STORE_FAST_STORE_FAST": ((4, 15), (0, 15)),
    "STORE_FAST_LOAD_FAST": ((4, 15),),
}
_STORES = {dis.opmap[name]: bits for name, bits in _BITS.items() if name in dis.opmap}
_FOUND = sorted({*_STORES, _RETURN} & set(range(256)))
_STORE_OR_RETURN = re.compile(b"[%s]" % b"".join(re.escape(bytes([each])) for each in _FOUND))
_CACHE = dis.opmap.get("CACHE", 0)
_BACKWARD = frozenset(number for name, number in dis.opmap.items() if "JUMP_BACKWARD" in name)
_FORWARD = _numbers("JUMP_FORWARD")
_RETURNS = _numbers("RETURN_VALUE", "RETURN_CONST")
_WITHOUT_NEXT = _BACKWARD | _FORWARD | _RETURNS | _numbers("RAISE_VARARGS", "RERAISE")
_FOR, _ENDS_OF_FOR = _numbers("FOR_ITER"), _numbers("END_FOR", "POP_TOP", "POP_ITER")
# Jumps that can leave a line before its assignments, or repeat the assignments. The jump out of a `for` loop is left
# out: it always leads to another line.
_BRANCHES = _JUMPS - _numbers("FOR_ITER", "SEND", "JUMP_BACKWARD_NO_INTERRUPT")
_WITHOUT_ERRORS = (
    frozenset(_STORES)
    | _FORWARD
    | _numbers("CACHE", "NOP", "EXTENDED_ARG", "LOAD_FAST", "LOAD_CONST", "POP_TOP", "COPY", "SWAP", "PUSH_NULL")
)
