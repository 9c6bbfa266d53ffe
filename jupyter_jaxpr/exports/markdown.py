"""Prints a document as GitHub's Markdown; all texts of the document are escaped."""

from __future__ import annotations

from ..document.copies.without_values import as_saved
from ..document.limits import CHARACTERS
from ..document.printed_program import Budget
from ..document.types.document import Note, Program, Snapshot
from . import control_flow_tables, cost_table, sharding_tables, short_texts_of_run, time_tables
from .comparison_table import CompareText, compare_text
from .control_flow_tables import ControlFlowText, control_flow_text
from .cost_table import CostText, cost_text
from .ledger_tables import HEAD, CacheText, cache_text
from .markdown_writer import Markdown, block, code, heading, item, items, labelled, page, table, text
from .program_texts_of_output import Listing, listings
from .sharding_tables import ShardingsText, shardings_text
from .time_tables import TimeText, time_text


def markdown(document: Snapshot) -> str:
    """Return the complete document as Markdown; its texts are not cut."""
    document = as_saved(document)
    blocks = [heading(1, text(document.title or "Programs"))]
    if document.message:
        blocks.append(text(document.message))
    compared = compare_text(document)
    if compared is not None:
        blocks += _compared(compared)
    budget = Budget()
    for index in short_texts_of_run.exported(document):
        blocks += _program(document, document.programs[index], listings(document, index, CHARACTERS, budget))
    left = short_texts_of_run.of_libraries(document)
    if left is not None:
        blocks.append(text(left))
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
        blocks.append(_section("Notes"))
        blocks += [_note(document, note) for note in document.notes]
    if document.cut:
        blocks.append(text(document.cut))
    blocks.append(text(short_texts_of_run.made_with(document)))
    return page(blocks) + "\n"


def _program(document: Snapshot, program: Program, texts: list[Listing]) -> list[Markdown]:
    blocks = [
        heading(2, code(str(short_texts_of_run.signature(program)))),
        text(short_texts_of_run.counts(document, program)),
    ]
    if program.origin_note:
        blocks.append(text(program.origin_note))
    full = str(short_texts_of_run.signature(program, full=True))
    if full != str(short_texts_of_run.signature(program)):
        blocks.append(code(full))
    times = short_texts_of_run.stages(program)
    if times:
        blocks.append(table([name for name, _ in times], [[time for _, time in times]], left=0))
    for listing in texts:
        blocks.append(heading(3, text(listing.title)))
        if listing.text is not None:
            blocks.append(block(listing.text))
        if listing.note:
            blocks.append(text(listing.note))
    return blocks


def _compared(compared: CompareText) -> list[Markdown]:
    return [
        _section("Compare"),
        items(compared.verdict),
        table(["", *compared.head], compared.rows),
        items(compared.remarks),
        text(compared.call),
    ]


def _control_flow(flow: ControlFlowText) -> list[Markdown]:
    blocks = [_section("Control flow"), table(control_flow_tables.HEAD, flow.rows)]
    if flow.left_out:
        blocks.append(text(flow.left_out))
    for card in flow.cards:
        blocks.append(heading(3, text(card.title)))
        if card.values:
            blocks.append(table(card.head, card.values))
        blocks.append(items(card.branches))
        blocks += [text(fact) for fact in card.facts]
    return blocks


def _times(times: TimeText) -> list[Markdown]:
    blocks = [_section("Time")]
    for program in times.programs:
        blocks.append(labelled(code(program.name), program.sentence))
        if program.rows:
            blocks.append(table(time_tables.HEAD, program.rows))
        blocks.append(items(program.remarks))
    if times.sweep is not None:
        sweep = times.sweep
        blocks += [heading(3, text(sweep.title)), table(sweep.head, sweep.rows), items(sweep.remarks)]
    return blocks


def _cost(costs: CostText) -> list[Markdown]:
    blocks = [_section("Cost"), labelled(code(costs.name), costs.sentence)]
    if costs.rows:
        blocks.append(table(cost_table.HEAD, costs.rows))
    blocks += [text(words) for words in (costs.left_out, costs.xla) if words]
    return [*blocks, items(costs.differences), text(costs.memory or "")]


def _shardings(spread: ShardingsText) -> list[Markdown]:
    blocks = [
        _section(f"Shardings of {spread.title}"),
        text(spread.sentence),
        table(sharding_tables.HEAD, spread.rows),
    ]
    for name, picture in spread.pictures:
        blocks += [text(name), block(picture)]
    if spread.collectives:
        blocks.append(table(sharding_tables.COLLECTIVES, spread.collectives))
    return [*blocks, *map(text, spread.remarks)]


def _cache(cache: CacheText) -> list[Markdown]:
    blocks = [_section("Cache"), text(cache.sentence), table(HEAD, cache.rows, left=1), items(cache.misses)]
    return [*blocks, *(text(words) for words in (cache.left_out, cache.note) if words)]


def _note(document: Snapshot, note: Note) -> Markdown:
    place = short_texts_of_run.where(document, note)
    title = f"{note.title}." if note.title else None
    words = " ".join(filter(None, [f"{place[0].upper()}{place[1:]}:" if place else "", title, note.text, note.cure]))
    blocks = [text(words)]
    if note.code:
        blocks.append(block(note.code))
        if note.level == "applies":
            blocks.append(text(short_texts_of_run.USABLE_CODE))
    for cure in note.cures:
        blocks.append(text(f"{cure.name}{short_texts_of_run.LEVELS[cure.level]}: {cure.text}"))
        if cure.code:
            blocks.append(block(cure.code))
    blocks += [text(words) for words in note.price]
    if note.detail:
        blocks.append(block(note.detail))
    return item(blocks)


def _section(title: str) -> Markdown:
    return heading(2, text(title))
