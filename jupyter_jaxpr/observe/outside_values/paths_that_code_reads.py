"""Finds the expressions through which a function reads values that are not its arguments.

Such an expression is a path: `scale`, `config["opt"]["rate"]`, `self.layers`. A path begins with a global name, a
variable of an enclosing function or a parameter, and continues with attributes and constant items. No code of the user
runs: only bytecode is read.
"""

from __future__ import annotations

import dis
import functools
import math
from collections.abc import Mapping
from types import CodeType
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, file_of, function_of
from ..observation import Place

_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_CELLS = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_CONSTANTS = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})
_BINDS = ("STORE_GLOBAL", "STORE_NAME", "STORE_DEREF", "DELETE_GLOBAL", "DELETE_DEREF")
# Methods of Python's and NumPy's containers that change the container in place.
CHANGING_METHODS = frozenset(
    "add append appendleft clear discard extend extendleft insert move_to_end pop popitem popleft remove reverse "
    "rotate setdefault sort update fill put itemset".split()
)


class Step(NamedTuple):
    """One part of a path: an attribute or an item with a constant key.

    Attributes:
        key: the name of the attribute, or the constant key.
    """

    is_item: bool
    key: Any


class Read(NamedTuple):
    """One place in the code that reads a path.

    Attributes:
        root: The name at the start of the path.
        is_parameter: True if the name is a parameter of the function rather than a name from outside.
        method: The method that the code calls on the value of the path; None without a call.
        place: The place of the expression.
        code: The code object that reads the path: of the function or of a function inside it.
        is_in_branch: True if a branch of the code, or a return before the read, can skip the read.
        is_in_branch_of_line: True if such a branch or return is on the line of the read, as in `a if flag else b`: that
            the line ran does not say that the read ran.
    """

    root: str
    is_parameter: bool
    steps: tuple[Step, ...]
    method: str | None
    place: Place
    code: CodeType
    is_in_branch: bool
    is_in_branch_of_line: bool = False

    @property
    def name(self) -> str:
        """The path as the user wrote it, such as config['opt'].rate."""
        return self.root + "".join(f"[{step.key!r}]" if step.is_item else f".{step.key}" for step in self.steps)


class Reads(NamedTuple):
    """The paths that a function and its inner functions read from outside, and the paths that they change in place.

    Attributes:
        changes: each changed path once, at the place of its first change.
    """

    reads: tuple[Read, ...]
    changes: tuple[Read, ...]

    def is_changed(self, read: Read) -> bool:
        """Return whether the code changes the value of the path that `read` reads.

        A change of a value inside it, or of a value on the way to it, counts, too.
        """
        return any(
            change.root == read.root
            and (change.steps[: len(read.steps)] == read.steps or read.steps[: len(change.steps)] == change.steps)
            for change in self.changes
        )


class _ThisCode:
    """Wraps a code object, so that a cache compares code objects by identity.

    A cell that runs twice makes two equal code objects, and a trace runs only one of them.
    """

    __slots__ = ("code",)

    def __init__(self, code: CodeType) -> None:
        self.code = code

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ThisCode) and other.code is self.code

    def __hash__(self) -> int:
        return id(self.code)


def reads_of(code: CodeType) -> Reads:
    """Return the paths that a code object reads and changes; no paths if `dis` cannot read the code object."""
    return _reads_of(_ThisCode(code))


@functools.lru_cache(maxsize=64)  # a small cache: it keeps code objects of deleted functions alive
def _reads_of(this_code: _ThisCode) -> Reads:
    code = this_code.code
    count = code.co_argcount + code.co_kwonlyargcount
    parameters = set(code.co_varnames[:count])
    reads: dict[Read, None] = {}
    changes: dict[tuple[str, tuple[Step, ...]], Read] = {}
    cells: dict[str, bool] = dict.fromkeys(code.co_freevars, False)
    try:
        _read(code, parameters - _rebound(code), cells, reads, changes)
    except not_of_a_signal(*FAILURES):
        return Reads((), ())
    return Reads(tuple(reads), tuple(changes.values()))


def _read(
    code: CodeType,
    parameters: set[str],
    cells: Mapping[str, bool],
    reads: dict[Read, None],
    changes: dict[tuple[str, tuple[Step, ...]], Read],
) -> None:
    """Collect the reads and changes of one code object and of its inner functions.

    Args:
        code: The code.
        parameters: The parameters that are roots of paths; empty for an inner function.
        cells: variable of an enclosing function that can begin a path -> True if the variable is a parameter.
        reads: Receives the reads.
        changes: Receives the first change of each path.
    """
    own_cells = {name: True for name in code.co_cellvars if name in parameters}
    instructions = _instructions(code)
    branches = _branches(instructions)
    for at, load in enumerate(instructions):
        if load.opname in _BINDS and (load.opname.endswith(("GLOBAL", "NAME")) or cells.get(load.argval) is False):
            place = _place(code, load, load)
            change = Read(load.argval, False, (), None, place, code, bool(_branches_around(branches, load.offset)))
            changes.setdefault((change.root, change.steps), change)
        root = _root(load, parameters, {**cells, **own_cells})
        if root is None:
            continue
        steps, end = _path(instructions, at)
        changing = _changed_at(instructions, end)
        method = _method(instructions[end]) if end < len(instructions) else None
        place = _place(code, instructions[at], instructions[end - 1])
        around = _branches_around(branches, load.offset)
        in_line = _line_of(load) in around
        read = Read(root[0], root[1], steps, method, place, code, bool(around), in_line)
        if changing is None:
            reads[read] = None
        else:
            change = read._replace(steps=steps + changing, method=None)
            changes.setdefault((change.root, change.steps), change)
    visible = {**cells, **own_cells}
    for constant in code.co_consts:
        if type(constant) is CodeType:
            inner = {name: visible[name] for name in constant.co_freevars if name in visible}
            _read(constant, set(), inner, reads, changes)


def _instructions(code: CodeType) -> list[dis.Instruction]:
    skipped = ("CACHE", "EXTENDED_ARG", "NOP", "NOT_TAKEN")
    return [instruction for instruction in dis.get_instructions(code) if instruction.opname not in skipped]


def _rebound(code: CodeType) -> set[str]:
    """Return the local names that a code object, or a function inside it, assigns or deletes."""
    names: set[str] = set()
    for instruction in _instructions(code):
        if instruction.opname.startswith(("STORE_FAST", "DELETE_FAST", "STORE_DEREF", "DELETE_DEREF")):
            argument = instruction.argval
            if type(argument) is not tuple:
                names.add(argument)
            else:  # the instruction has two variables, such as STORE_FAST_LOAD_FAST or STORE_FAST_STORE_FAST
                names.update(argument[:1] if "LOAD" in instruction.opname else argument)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            names |= _rebound(constant) & set(constant.co_freevars)
    return names


def _root(load: dis.Instruction, parameters: set[str], cells: Mapping[str, bool]) -> tuple[str, bool] | None:
    """Return (name, whether the name is a parameter) if the instruction loads the first name of a path; else None."""
    name = load.argval
    if load.opname in _GLOBALS:
        return name, False
    if load.opname in _CELLS:
        return (name, cells[name]) if name in cells else None
    if "LOAD_FAST" in load.opname and "CLEAR" not in load.opname:
        # Newer Pythons load two variables with one instruction; the path continues from the second variable.
        name = name[-1] if type(name) is tuple else name
        return (name, True) if name in parameters else None
    return None


def _path(instructions: list[dis.Instruction], at: int) -> tuple[tuple[Step, ...], int]:
    """Return the steps of the path that begins at the instruction with index `at`.

    The second result is the index of the instruction after the path.
    """
    steps: list[Step] = []
    end = at + 1
    while end < len(instructions):
        following = instructions[end]
        if following.opname == "LOAD_ATTR" and "NULL|self" not in following.argrepr:
            steps.append(Step(False, following.argval))
            end += 1
        elif (
            following.opname in _CONSTANTS
            and end + 1 < len(instructions)
            and _is_item(instructions[end + 1])
            and type(following.argval) in (str, int)
        ):
            steps.append(Step(True, following.argval))
            end += 2
        else:
            break
    return tuple(steps), end


def _is_item(instruction: dis.Instruction) -> bool:
    return instruction.opname == "BINARY_SUBSCR" or (instruction.opname == "BINARY_OP" and instruction.argrepr == "[]")


class _Branch(NamedTuple):
    """An instruction that can skip the instructions between two offsets."""

    begin: int
    end: float
    line: int | None


def _branches(instructions: list[dis.Instruction]) -> list[_Branch]:
    branches = []
    ends_of_loops = {jump.argval: jump.offset for jump in instructions if jump.opname.startswith("JUMP_BACKWARD")}
    for jump in instructions:
        name, line = jump.opname, _line_of(jump)
        if ("JUMP_FORWARD" in name or "JUMP_IF" in name) and type(jump.argval) is int:
            branches.append(_Branch(jump.offset, jump.argval, line))
        elif name in ("RETURN_VALUE", "RETURN_CONST"):
            branches.append(_Branch(jump.offset, math.inf, line))
        elif jump.argval in ends_of_loops and name.startswith("JUMP_BACKWARD"):  # such as `continue`
            branches.append(_Branch(jump.offset, ends_of_loops[jump.argval], line))
    return branches


def _branches_around(branches: list[_Branch], offset: int) -> set[int | None]:
    """Return the lines of the branches and returns that can skip the instruction at an offset."""
    return {branch.line for branch in branches if branch.begin < offset < branch.end}


def _line_of(instruction: dis.Instruction) -> int | None:
    return None if instruction.positions is None else instruction.positions.lineno


def _method(instruction: dis.Instruction) -> str | None:
    """Return the name of the method that the instruction looks up for a call; None for another instruction."""
    is_method = instruction.opname == "LOAD_METHOD" or (
        instruction.opname == "LOAD_ATTR" and "NULL|self" in instruction.argrepr
    )
    return str(instruction.argval) if is_method else None


def _changed_at(instructions: list[dis.Instruction], end: int) -> tuple[Step, ...] | None:
    """Return the steps from the value of a path to the part that the code changes.

    Return None if the code only reads the path.
    """
    names = [instruction.opname for instruction in instructions[end : end + 3]] + [""] * 3
    if not names[0]:
        return None
    following = instructions[end]
    if _method(following) in CHANGING_METHODS:
        return ()
    if names[0] in ("STORE_ATTR", "DELETE_ATTR"):
        return (Step(False, following.argval),)
    if names[0] == "COPY":  # the code is an in-place operation, such as config.steps += 1
        return (Step(False, instructions[end + 1].argval),) if names[1] == "LOAD_ATTR" else ()
    if names[0].startswith("LOAD_") and names[1] in ("STORE_SUBSCR", "DELETE_SUBSCR", "COPY"):
        # The code below recognises statements such as config["steps"] = 1 and config["steps"] += 1.
        if names[1] == "COPY" and names[2] != "COPY":
            return None
        return (Step(True, following.argval),) if names[0] in _CONSTANTS else ()
    return None


def _place(code: CodeType, first: dis.Instruction, last: dis.Instruction) -> Place:
    file, function = file_of(code), function_of(code)
    begin, end = first.positions, last.positions
    if begin is None or begin.lineno is None:
        return Place(file, code.co_firstlineno, function)
    if end is None or begin.col_offset is None or end.end_col_offset is None or end.end_lineno is None:
        return Place(file, begin.lineno, function)
    # the instruction loads two variables, and the path starts at the second one, whose columns are unknown
    if type(first.argval) is tuple or begin.end_col_offset is None:
        return Place(file, end.lineno or begin.lineno, function)
    return Place(file, begin.lineno, function, begin.col_offset, end.end_lineno, end.end_col_offset)
