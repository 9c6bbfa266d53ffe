"""A document in, Markdown out, as GitHub reads it. Text of the document is never markup."""

from __future__ import annotations

import re

from ..document.types.document import Note, Program, Snapshot
from . import control_flow, cost, shardings, summary, time
from .cache import HEAD, CacheText, cache_text
from .compare import CompareText, compare_text
from .control_flow import ControlFlowText, control_flow_text
from .cost import CostText, cost_text
from .listings import Listing, listings
from .shardings import ShardingsText, shardings_text
from .time import TimeText, time_text

_FILE_CHARACTERS = 50_000_000
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$])")
_LANGUAGE = "text"


def markdown(document: Snapshot) -> str:
    """The whole document, texts in full."""
    blocks = [f"# {_text(document.title or 'Programs')}"]
    if document.message:
        blocks.append(_text(document.message))
    compared = compare_text(document)
    if compared is not None:
        blocks += _compared(compared)
    for index, program in enumerate(document.programs):
        blocks += _program(document, program, listings(document, index, _FILE_CHARACTERS))
    flow = control_flow_text(document)
    if flow is not None:
        blocks += _control_flow(flow)
    times = time_text(document)
    if times is not None:
        blocks += _times(times)
    costs = cost_text(document)
    if costs is not None:
        blocks += _cost(costs)
    for spread in shardings_text(document):
        blocks += _shardings(spread)
    cache = cache_text(document)
    if cache is not None:
        blocks += _cache(cache)
    if document.notes:
        blocks.append("## Notes")
        blocks += [_note(document, note) for note in document.notes]
    if document.cut:
        blocks.append(_text(document.cut))
    blocks.append(_text(summary.made_with(document)))
    return "\n\n".join(blocks) + "\n"


def _program(document: Snapshot, program: Program, texts: list[Listing]) -> list[str]:
    blocks = [f"## {_code(str(summary.signature(program)))}", _text(summary.counts(document, program))]
    if program.origin_note:
        blocks.append(_text(program.origin_note))
    full = str(summary.signature(program, full=True))
    if full != str(summary.signature(program)):
        blocks.append(_code(full))
    times = summary.stages(program)
    if times:
        rows = [[name for name, _ in times], ["---:"] * len(times), [time for _, time in times]]
        blocks.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    for listing in texts:
        blocks.append(f"### {_text(listing.title)}")
        if listing.text is not None:
            blocks.append(_block(listing.text))
        if listing.note:
            blocks.append(_text(listing.note))
    return blocks


def _compared(compared: CompareText) -> list[str]:
    rows = [["", *compared.head], *compared.rows]
    head, *others = [f"| {' | '.join(map(_text, row))} |" for row in rows]
    blocks = ["## Compare", "\n".join(f"- {_text(each)}" for each in compared.verdict)]
    blocks.append("\n".join([head, f"|{' --- |' * len(rows[0])}", *others]))
    blocks.append("\n".join(f"- {_text(each)}" for each in compared.remarks))
    return [*filter(None, blocks), _text(compared.call)]


def _control_flow(flow: ControlFlowText) -> list[str]:
    blocks = ["## Control flow", _table(control_flow.HEAD, flow.rows)]
    if flow.left_out:
        blocks.append(_text(flow.left_out))
    for card in flow.cards:
        blocks.append(f"### {_text(card.title)}")
        if card.values:
            blocks.append(_table(card.head, card.values))
        if card.branches:
            blocks.append("\n".join(f"- {_text(branch)}" for branch in card.branches))
        blocks += [_text(fact) for fact in card.facts]
    return blocks


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *(tuple(map(_text, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _times(times: TimeText) -> list[str]:
    blocks = ["## Time"]
    for program in times.programs:
        blocks.append(f"{_code(program.name)}: {_text(program.sentence)}")
        if program.rows:
            blocks.append(_table(time.HEAD, program.rows))
        blocks.append("\n".join(f"- {_text(each)}" for each in program.remarks))
    if times.sweep is not None:
        sweep = times.sweep
        blocks += [f"### {_text(sweep.title)}", _table(sweep.head, sweep.rows)]
        blocks.append("\n".join(f"- {_text(each)}" for each in sweep.remarks))
    return [*filter(None, blocks)]


def _cost(costs: CostText) -> list[str]:
    blocks = ["## Cost", f"{_code(costs.name)}: {_text(costs.sentence)}"]
    if costs.rows:
        blocks.append(_table(cost.HEAD, costs.rows))
    blocks += [_text(text) for text in (costs.left_out, costs.xla) if text]
    blocks.append("\n".join(f"- {_text(each)}" for each in costs.differences))
    return [*filter(None, blocks), *([_text(costs.memory)] if costs.memory else [])]


def _shardings(spread: ShardingsText) -> list[str]:
    blocks = [
        f"## {_text(f'Shardings of {spread.title}')}",
        _text(spread.sentence),
        _table(shardings.HEAD, spread.rows),
    ]
    blocks += [f"{_text(name)}\n\n{_block(picture)}" for name, picture in spread.pictures]
    if spread.collectives:
        blocks.append(_table(shardings.COLLECTIVES, spread.collectives))
    return [*filter(None, blocks), *map(_text, spread.remarks)]


def _cache(cache: CacheText) -> list[str]:
    rows = [[*HEAD], ["---", *["---:"] * (len(HEAD) - 1)], *([_text(cell) for cell in row] for row in cache.rows)]
    blocks = ["## Cache", _text(cache.sentence), "\n".join(f"| {' | '.join(row)} |" for row in rows)]
    if cache.misses:
        blocks.append("\n".join(f"- {_text(miss)}" for miss in cache.misses))
    return [*blocks, *(_text(text) for text in (cache.left_out, cache.note) if text)]


def _note(document: Snapshot, note: Note) -> str:
    line = summary.where(document, note)
    title = f"{note.title}." if note.title else None
    words = " ".join(filter(None, [f"{line[0].upper()}{line[1:]}:" if line else "", title, note.text, note.cure]))
    blocks = [_text(words)]
    if note.code:
        blocks.append(_block(note.code))
    for cure in note.cures:
        blocks.append(_text(f"{cure.name}: {cure.text}"))
        if cure.code:
            blocks.append(_block(cure.code))
    blocks += [_text(text) for text in note.price]
    if note.detail:
        blocks.append(_block(note.detail))
    first, *others = "\n\n".join(blocks).split("\n")
    return "\n".join([f"- {first}", *(f"  {row}".rstrip() for row in others)])


def _text(text: str) -> str:
    """Text on one line, with what Markdown or HTML would read as markup escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split(None)))


def _code(text: str) -> str:
    """Text as a code span, fenced by more backticks than it holds in a row."""
    text = " ".join(text.split())
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _block(text: str) -> str:
    """Text as a code block, fenced by more backticks than it holds in a row."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{_LANGUAGE}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
