"""Pairs the lines of two StableHLO or HLO texts; the numbers that XLA gave to instructions do not matter.

The names of values and functions (%5, %arg0, @inner, %fusion.3) are compared by the lines that define them, if these
are known; metadata and locations are ignored. So two texts that differ only in numbers are equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from ...hlo_tables import HLO_TABLES
from .key_alignment import Budget, Pairs, align, by_occurrence, rising

_NAME = re.compile(r"[%@][\w.$\-]+(?:#\d+)?|\b[\w.\-]+(?=: [a-z][a-z0-9]*\[)")
_METADATA = re.compile(r",? metadata=\{(?:[^{}\"]|\"[^\"]*\")*\}|\s*loc\((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*\)")
_MODULE = re.compile(r"(?<=^HloModule )[^,]+")
_LOCATION = re.compile(rf"^#loc|^\s*$|^({'|'.join(HLO_TABLES)})$|^\d+ (\"|\{{)")
_BOUND = re.compile(r"^\s*(?:ROOT )?(%[\w.$\-]+)(?::\d+)? =|^\s*(?:ENTRY )?(%[\w.$\-]+) \(")
_OPERATION = re.compile(
    r"= (?:\([^=]*?\)|[\w\[\],{}:/ ]+?) ([a-z][\w\-]*)\(|\b((?:stablehlo|func|chlo|sdy|mhlo)\.[\w.]+)"
)
_TOKEN = re.compile(r"[%@]?[\w.$#\-]+|\S")


@dataclass
class Line:
    """A line, prepared for the comparison.

    Attributes:
        plain: the line without names, metadata and locations.
        uses: for each name that the line uses: (number of the line that defines the name, -1 if no line defines it; the
            name).
        bound: name in the line -> the number of the line that defines the name.
        silent: true for a line with nothing to compare, such as a location or an empty line.
    """

    plain: str
    uses: list[tuple[int, str]]
    operation: str
    bound: dict[str, int]
    silent: bool


@dataclass
class TextsDiff:
    """The result of comparing two texts.

    Attributes:
        changed: the lines of a that differ from their partners.
        bound_a: for each line of text a: name -> the number of the line that defines the name; `bound_b` has the same
            for the lines of text b.
    """

    partner_a: list[int]
    partner_b: list[int]
    moved: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    silent_a: set[int] = field(default_factory=set)
    silent_b: set[int] = field(default_factory=set)
    bound_a: list[dict[str, int]] = field(default_factory=list)
    bound_b: list[dict[str, int]] = field(default_factory=list)
    coarse: bool = False


def compare_texts(a: Sequence[str], b: Sequence[str], budget: Budget | None = None) -> TextsDiff:
    """Compare two texts of the same level, line by line."""
    budget = budget or Budget()
    parsed: dict[str, _Parsed] = {}
    lines_a, lines_b = _read_lines(a, parsed), _read_lines(b, parsed)
    difference = TextsDiff([-1] * len(a), [-1] * len(b))
    difference.silent_a = {i for i, line in enumerate(lines_a) if line.silent}
    difference.silent_b = {j for j, line in enumerate(lines_b) if line.silent}
    difference.bound_a = [line.bound for line in lines_a]
    difference.bound_b = [line.bound for line in lines_b]
    numbers: dict[Hashable, int] = {}
    values_a, values_b = _values(lines_a, numbers), _values(lines_b, numbers)
    pairs = [(i, j) for i, j in by_occurrence(values_a, values_b) if not lines_a[i].silent]
    pairs_in_order = rising(pairs)
    for i, j in pairs_in_order:
        _pair(difference, i, j)
    # A line only counts as moved if its text is unique and it has a name; a lone brace does not count.
    for i, j in set(pairs) - set(pairs_in_order):
        if lines_a[i].operation and values_a.count(values_a[i]) == values_b.count(values_b[j]) == 1:
            _pair(difference, i, j)
            difference.moved.add(i)
    passes: list[tuple[Callable[[Line], Hashable], bool]] = [
        (lambda line: line.plain, True),
        (lambda line: line.operation, False),
        # Pair lines that are equal except for the operation.
        (lambda line: line.plain.replace(line.operation, "", 1), False),
    ]
    for key, empty in passes:
        for left, right in _gaps(difference, lines_a, lines_b):
            for i, j in align([key(lines_a[i]) for i in left], [key(lines_b[j]) for j in right], budget):
                if empty or lines_a[left[i]].operation:
                    _pair(difference, left[i], right[j])
    for i, j in enumerate(difference.partner_a):
        if j >= 0 and not _same(lines_a[i], lines_b[j], difference, values_a, values_b):
            difference.changed.add(i)
    difference.coarse = budget.exceeded
    return difference


def changed_parts(
    texts_diff: TextsDiff, i: int, before: str, j: int, after: str
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the spans of line i of a and of line j of b that are in one of the two lines only.

    Names are compared by their definitions.

    Args:
        texts_diff: The compared texts.
        i: The index of a line of a.
        before: The shown text of this line.
        j: The index of a line of b.
        after: The shown text of this line.
    """
    tokens_a, tokens_b = list(_TOKEN.finditer(before)), list(_TOKEN.finditer(after))
    keys_a: list[Hashable] = []
    for token in tokens_a:
        line = texts_diff.bound_a[i].get(token.group())
        partner = texts_diff.partner_a[line] if line is not None else -1
        keys_a.append(token.group() if line is None else partner if partner >= 0 else ("gone", line))
    keys_b: list[Hashable] = [texts_diff.bound_b[j].get(token.group(), token.group()) for token in tokens_b]
    pairs = align(keys_a, keys_b, Budget(100_000))
    kept_a, kept_b = {i for i, _ in pairs}, {j for _, j in pairs}
    return (
        [token.span() for at, token in enumerate(tokens_a) if at not in kept_a],
        [token.span() for at, token in enumerate(tokens_b) if at not in kept_b],
    )


def _read_lines(texts: Sequence[str], parsed: dict[str, _Parsed]) -> list[Line]:
    """Return the lines of a text, prepared for the comparison.

    Args:
        texts: The lines of the text.
        parsed: The lines that were parsed before, which are added to; the texts of a diff share most of their lines.
    """
    bound: dict[str, int] = {}
    read = []
    for number, text in enumerate(texts):
        line = parsed.get(text)
        if line is None:
            line = parsed[text] = _parsed(text)
        if line.silent:
            read.append(Line("", [], "", {}, True))
            continue
        uses = []
        bound_names: dict[str, int] = {} if line.name is None else {line.name: number}
        for name_in_text in line.names:
            if name_in_text != line.name:
                base = name_in_text.partition("#")[0]
                uses.append((bound.get(base, -1), name_in_text))
                if base in bound:
                    bound_names[name_in_text] = bound[base]
        if line.name is not None:
            bound[line.name] = number
        read.append(Line(line.plain, uses, line.operation, bound_names, False))
    return read


@dataclass(slots=True)
class _Parsed:
    """The facts of a line that its text alone gives.

    Attributes:
        silent: True for a line with nothing to compare; the other attributes are then empty.
        name: The name that the line binds; None if it binds none.
        names: All names in the line, in their order.
        operation: The operation, or a word that stands for the line.
        plain: The line without names, metadata and locations.
    """

    silent: bool
    name: str | None = None
    names: Sequence[str] = ()
    operation: str = ""
    plain: str = ""


def _parsed(text: str) -> _Parsed:
    if _LOCATION.match(text):
        return _Parsed(True)
    stripped = _MODULE.sub("", without_metadata(text)) if text.startswith("HloModule ") else without_metadata(text)
    binds = _BOUND.match(stripped)
    name = (binds.group(1) or binds.group(2)) if binds else None
    operation = _OPERATION.search(stripped)
    word = (operation.group(1) or operation.group(2)) if operation else _keyword(stripped)
    return _Parsed(False, name, _NAME.findall(stripped), word, _NAME.sub("%", stripped))


def without_metadata(text: str) -> str:
    """Return a line without metadata and locations, which state only its source."""
    return _METADATA.sub("", text) if "metadata={" in text or "loc(" in text else text


def _keyword(text: str) -> str:
    """Return a word that stands for a line without an operation."""
    if text.rstrip().endswith("{") and "->" in text:
        return "computation"
    return "return" if text.lstrip().startswith("return") else ""


def _values(lines: list[Line], numbers: dict[Hashable, int]) -> list[int]:
    values: list[int] = []
    for line in lines:
        # Names that no line of the text defines are distinguished only by their order in the line.
        uses = tuple([values[number] if number >= 0 else -1 for number, _ in line.uses])
        values.append(numbers.setdefault((line.plain, uses), len(numbers)))
    return values


def _same(a: Line, b: Line, texts_diff: TextsDiff, values_a: list[int], values_b: list[int]) -> bool:
    if a.plain != b.plain or len(a.uses) != len(b.uses):
        return False
    for (use_a, _), (use_b, _) in zip(a.uses, b.uses, strict=True):
        if (use_a < 0) != (use_b < 0):
            return False
        if use_a >= 0 and texts_diff.partner_a[use_a] != use_b and values_a[use_a] != values_b[use_b]:
            return False
    return True


def _pair(texts_diff: TextsDiff, i: int, j: int) -> None:
    texts_diff.partner_a[i], texts_diff.partner_b[j] = j, i


def _gaps(texts_diff: TextsDiff, a: list[Line], b: list[Line]) -> list[tuple[list[int], list[int]]]:
    gaps = []
    start_a = start_b = 0
    anchors: Pairs = [(i, j) for i, j in enumerate(texts_diff.partner_a) if j >= 0 and i not in texts_diff.moved]
    for i, j in [*anchors, (len(a), len(b))]:
        left = [
            line_number
            for line_number in range(start_a, i)
            if texts_diff.partner_a[line_number] < 0 and not a[line_number].silent
        ]
        right = [
            line_number
            for line_number in range(start_b, j)
            if texts_diff.partner_b[line_number] < 0 and not b[line_number].silent
        ]
        if left and right:
            gaps.append((left, right))
        start_a, start_b = i + 1, j + 1
    return gaps
