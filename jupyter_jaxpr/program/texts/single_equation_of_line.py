"""Finds, for some lines of HLO that are linked to several equations, the single equation that the line comes from.

One place in the source can give many equations (a group). Besides the place, XLA states the path to an instruction's
equation, such as `jit(f)/while/body/closed_call/mul`, and the type. A line is assigned to an equation if no other
equation of its group has the same path, primitive included, and if a result of the equation has the line's type. The
primitive alone is not enough: the operations to which a primitive is lowered also have names of primitives
(`random_bits` becomes `add` and `xor`), so a third of the lines would be wrong. The path is not enough either, if the
group contains an equation with this path that is lowered to other operations.

If no equation has the path, and the path continues inside the loop of the only scan, the line belongs to the
implementation of the scan, such as its counter.

This is a guess that XLA does not confirm. tests/benchmarks/links.py measures how often the found equation is right, by
comparison with a tagged twin.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ..jaxpr.walk import Equation, Walk
from .equations_by_place import Groups
from .hlo_instructions import TRIVIAL
from .stablehlo_of_lowered import LinesOfText

#: The parts of a path; `transpose(jvp(while))` and `transpose(jvp())/while` have the same parts.
_Path = tuple[str, ...]
_Type = tuple[str, tuple[int, ...]]

_SEPARATORS = re.compile(r"[/()]+")
_TYPED = re.compile(r" = (\w+)\[([\d,]*)\]\S* ([\w-]+)\(")
_LOOP_OR_CONDITION = re.compile(r" = \(.*\) (?:while|conditional)\(")
_LOWERED_AS = {"scan": "while"}
_OF_SEVERAL_RESULTS = frozenset({"scan", "while", "cond"})
_REMATERIALISED = frozenset({"remat2", "checkpoint", "remat"})
_DTYPES = {
    "pred": "bool",
    **{f"s{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    "bf16": "bfloat16",
    "c64": "complex64",
    "c128": "complex128",
}
#: If a program can be reached by more paths than this, no line is assigned.
_MOST_WAYS = 20_000


def named_equations(
    lines: LinesOfText, walk: Walk, scope: int, groups: Groups, to_others: Collection[str]
) -> dict[int, Equation]:
    """Return {line: its equation} for lines whose group has several equations and of which the rules leave only one.

    Args:
        lines: The lines, as `text_links.linked` returned them.
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program.
        groups: The equations of the program, grouped by source stack.
        to_others: The primitives that are lowered to other operations, so that no line has their name.
    """
    paths = _Paths(walk, scope, to_others)
    if not paths.complete:
        return {}
    texts = lines.text.split("\n")
    tops = Counter(name.partition("/")[0] for name in lines.op_names.values())
    [(top, _)] = tops.most_common(1) or [("", 0)]
    named: dict[int, Equation] = {}
    # A cache, because many lines of an unrolled loop need the same candidate.
    candidates: dict[tuple[str, tuple[int, ...]], _Candidate | None] = {}
    for line, op_name in lines.op_names.items():
        stacks = (lines.line_stacks[line], *lines.other_stacks.get(line, ()))
        key = op_name, stacks
        if key not in candidates:
            group = groups.of(*stacks)
            matches = {paths.candidate(part, top, group) for part in op_name.split(";")} if len(group) > 1 else {None}
            candidates[key] = matches.pop() if len(matches) == 1 else None
        candidate = candidates[key]
        if candidate is not None and (candidate.is_machinery or paths.fits(candidate.equation, texts[line])):
            named[line] = candidate.equation
    return named


@dataclass(frozen=True)
class _Candidate:
    """The only equation at a path.

    Attributes:
        is_machinery: true if the path leads into the loop to which the equation is lowered; the types in that loop are
            different.
    """

    equation: Equation
    is_machinery: bool


class _Paths:
    """The equations of a program, grouped by path."""

    def __init__(self, walk: Walk, scope: int, to_others: Collection[str]) -> None:
        self._walk = walk
        self._names_of_others = to_others
        self._of: dict[_Path, set[Equation]] = defaultdict(set)
        #: path of a scope -> the scans in this scope
        self._scans: dict[_Path, set[Equation]] = defaultdict(set)
        #: path of a scope -> the equations in this scope that are lowered to operations of other names
        self._to_others: dict[_Path, set[Equation]] = defaultdict(set)
        self.complete = self._index(scope)

    def _index(self, program: int) -> bool:
        walk, strings = self._walk, self._walk.strings.items
        pending: list[tuple[int, _Path]] = [(program, ())]
        visited = set(pending)
        while pending:
            number, prefix = pending.pop()
            columns = walk.scopes[number]
            children = defaultdict(list)
            for holder, held_by, position, child in columns.children:
                children[holder].append((strings[held_by], position, child))
            around: dict[int, _Path] = {}
            for equation, (primitive, name_stack) in enumerate(zip(columns.primitive, columns.name_stack, strict=True)):
                path = around.get(name_stack)
                if path is None:
                    path = around[name_stack] = prefix + (_pieces(strings[name_stack]) if name_stack >= 0 else ())
                name = strings[primitive]
                self._of[(*path, _LOWERED_AS.get(name, name))].add((number, equation))
                if name == "scan":
                    self._scans[path].add((number, equation))
                if name in self._names_of_others:
                    self._to_others[path].add((number, equation))
                for parameter, position, child in children.get(equation, ()):
                    for inside in self._inside(name, parameter, position, child):
                        way = child, path + inside
                        if way not in visited:
                            visited.add(way)
                            pending.append(way)
            if len(visited) > _MOST_WAYS:
                return False
        return True

    def _inside(self, primitive: str, parameter: str, position: int, child: int) -> Iterator[_Path]:
        """Yield the path parts that lie between an equation and its inner program; () if unknown."""
        if primitive in ("jit", "pjit"):
            name = self._walk.scopes[child].name
            if name >= 0:
                yield ("jit", *_pieces(self._walk.strings.items[name]))
        elif primitive == "scan":
            yield ("while", "body", "closed_call")
            yield ("while", "body", "eval_jaxpr")
        elif primitive == "while" and parameter == "cond_jaxpr":
            yield ("while", "cond")
            yield ("while", "body_pred")
        elif primitive == "while":
            yield ("while", "body")
        elif primitive == "cond":
            yield ("cond", f"branch_{position}_fun")
        elif primitive in _REMATERIALISED:
            yield ("checkpoint",)
        elif primitive.startswith("custom_"):
            yield ()

    def candidate(self, op_name: str, top: str, group: set[Equation]) -> _Candidate | None:
        """Return the equation of a group at the path of an op_name; None if none, or more than one, is possible."""
        first, _, remainder = op_name.partition("/")
        path = _pieces(remainder)
        if first != top or not path:
            return None
        if any(self._to_others.get(path[:length], set()) & group for length in range(len(path))):
            return None
        alike = self._of.get(path, set()) & group
        is_machinery = not alike
        if is_machinery:
            alike = self._of_machinery(path) & group
        return _Candidate(next(iter(alike)), is_machinery) if len(alike) == 1 else None

    def _of_machinery(self, path: _Path) -> set[Equation]:
        """Return the scans to whose lowered loop a path leads, if only one name follows, such as `while/body/add`."""
        *around, loop, part, _ = ("", "", "", *path)
        if loop != "while" or part not in ("body", "cond"):
            return set()
        return self._scans.get(tuple(around[3:]), set())

    def fits(self, equation: Equation, text: str) -> bool:
        """Return whether the type of a line is the type of one of an equation's results."""
        scope, index = equation
        typed = _TYPED.search(text)
        if typed is None:
            primitive = self._walk.strings.items[self._walk.scopes[scope].primitive[index]]
            return primitive in _OF_SEVERAL_RESULTS and _LOOP_OR_CONDITION.search(text) is not None
        dtype, axes, opcode = typed.groups()
        if opcode in TRIVIAL or dtype not in _DTYPES:
            return False
        stated = _DTYPES[dtype], _counted(int(size) for size in axes.split(",") if size)
        return any(stated == _type(variable.aval) for variable in self._walk.jaxprs[scope].eqns[index].outvars)


def _pieces(name: str) -> _Path:
    return tuple(piece for piece in _SEPARATORS.split(name) if piece)


def _type(aval: Any) -> _Type | None:
    try:
        return str(aval.dtype), _counted(aval.shape)
    except (AttributeError, TypeError):  # a token has no dtype, a size may be symbolic: no type to compare
        return None


def _counted(shape: Any) -> tuple[int, ...]:
    """Return the sizes of the axes larger than 1, sorted, because XLA adds, drops and permutes axes."""
    return tuple(sorted(int(size) for size in shape if size != 1))
