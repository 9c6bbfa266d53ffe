"""Prints a document as an HTML fragment for a notebook's output.

The fragment has no script and no style: headings, tables and details read well on white and on dark, and also if a host
strips class names (GitHub, an untrusted notebook). All texts of the document are escaped. The text of the first program
is open; tall parts are folded, so that the output takes little space in a notebook.
"""

from __future__ import annotations

from ..document.printed_program import Budget
from ..document.types.document import Note, Program, Snapshot
from . import control_flow_tables, cost_table, sharding_tables, short_texts_of_run, time_tables
from .comparison_table import CompareText, compare_text
from .control_flow_tables import ControlFlowText, control_flow_text
from .cost_table import CostText, cost_text
from .html_writer import Markup, element
from .ledger_tables import HEAD, CacheText, cache_text
from .program_texts_of_output import Listing, listings
from .sharding_tables import ShardingsText, shardings_text
from .time_tables import TimeText, time_text

#: A text with more lines than this is folded at first.
_OPEN_LINES = 40


def fragment(document: Snapshot, *, characters: int, heading: int = 4) -> str:
    """Return the document as one `div`.

    Args:
        document: The document.
        characters: The largest length of all programs' texts together, in characters.
        heading: The level of the headings.
    """
    programs = [(index, document.programs[index]) for index in short_texts_of_run.exported(document)]
    texts = sum(1 + sum(level.text is not None for level in program.levels) for _, program in programs)
    characters_each = characters // max(1, texts)
    parts: list[Markup] = []
    if document.title:
        parts.append(element(f"h{heading}", document.title, class_="jjx-title"))
    parts += before(document, heading)
    budget = Budget()
    above = len(parts)
    for index, program in programs:
        first, *more_listings = listings(document, index, characters_each, budget)
        is_open = len(parts) == above and (first.text or "").count("\n") < _OPEN_LINES
        listing_elements = [_listing(first, is_open), *(_listing(listing) for listing in more_listings)]
        parts.append(
            element("section", *about(document, program, heading, folded=True), *listing_elements, class_="jjx-program")
        )
    return element("div", *parts, *after(document, heading, folded=True), class_="jjx-static").source


def before(document: Snapshot, heading: int) -> list[Markup]:
    """Return the elements above the programs: the comparison, and the message of a run without a program."""
    parts = []
    compared = compare_text(document)
    if compared is not None:
        parts.append(_compared(compared, f"h{heading}"))
    if document.message:
        parts.append(element("p", document.message, class_="jjx-message"))
    return parts


def after(document: Snapshot, heading: int, *, folded: bool = False) -> list[Markup]:
    """Return the elements below the programs: control flow, times, costs, cache, notes, origin.

    Args:
        document: The document.
        heading: The level of the headings.
        folded: True to use closed `details` elements in place of headings.
    """
    parts: list[Markup] = []

    def add(title: str, inside: list[Markup], class_: str) -> None:
        if folded:
            parts.append(element("details", element("summary", title), *inside, class_=class_))
        else:
            parts.append(element("section", element(f"h{heading}", title), *inside, class_=class_))

    left = short_texts_of_run.of_libraries(document)
    if left is not None:
        parts.append(element("p", left))
    flow = control_flow_text(document)
    if flow is not None:
        add("Control flow", _control_flow(flow), "jjx-flow")
    times = time_text(document)
    if times is not None:
        add("Time", _times(times), "jjx-times")
    costs = cost_text(document)
    if costs is not None:
        add("Cost", _cost(costs), "jjx-costs")
    for spread in shardings_text(document):
        add(f"Shardings of {spread.title}", _shardings(spread), "jjx-shardings")
    cache = cache_text(document)
    if cache is not None:
        add("Cache", _cache(cache), "jjx-ledger")
    if document.notes:
        # Notes are never folded, because the output of a cell that raised has little else.
        items = element("ul", *(_note(document, note) for note in document.notes))
        parts.append(element("section", element(f"h{heading}", "Notes"), items, class_="jjx-notes"))
    if document.cut:
        parts.append(element("p", document.cut, class_="jjx-cut"))
    parts.append(element("p", element("small", short_texts_of_run.made_with(document)), class_="jjx-made-with"))
    return parts


def about(
    document: Snapshot, program: Program, heading: int, *, named: bool = True, folded: bool = False
) -> list[Markup]:
    """Return the elements that describe a program, without its texts.

    Args:
        document: The document of the program.
        program: A program of the document.
        heading: The level of the heading.
        named: True if the heading is the name of the program, False if it is the signature.
        folded: True if the times of the stages are folded at first.
    """
    parts = [element(f"h{heading}", element("code", program.name))] if named else []
    short, full = (short_texts_of_run.signature(program, full=full).types for full in (False, True))
    signature = element("code", short) if named else element(f"h{heading}", element("code", short))
    if short != full:
        summary = element("summary", signature)
        parts.append(element("details", summary, element("code", full), class_="jjx-signature"))
    else:
        parts.append(element("p", signature, class_="jjx-signature") if named else signature)
    parts.append(element("p", short_texts_of_run.counts(document, program), class_="jjx-counts"))
    if program.origin_note:
        parts.append(element("p", program.origin_note, class_="jjx-origin"))
    times = short_texts_of_run.stages(program)
    if times:
        title = "Times of the stages of the call that made the program"
        table = [
            element("thead", element("tr", *(element("th", name, scope="col") for name, _ in times))),
            element("tbody", element("tr", *(element("td", time) for _, time in times))),
        ]
        if folded:
            inside = element("table", *table)
            parts.append(element("details", element("summary", title), inside, class_="jjx-stages"))
        else:
            parts.append(element("table", element("caption", title), *table, class_="jjx-stages"))
    return parts


def _listing(listing: Listing, is_open: bool = False) -> Markup:
    if listing.text is None:
        return element("p", f"{listing.title}: {listing.note}", class_="jjx-listing")
    note = [element("p", listing.note)] if listing.note else []
    return element(
        "details",
        element("summary", listing.title),
        element("pre", element("code", listing.text)),
        *note,
        class_="jjx-listing",
        open=is_open,
    )


def _compared(compared: CompareText, heading: str) -> Markup:
    parts = [element(heading, "Compare"), element("ul", *(element("li", sentence) for sentence in compared.verdict))]
    head = element("tr", element("td"), *(element("th", name, scope="col") for name in compared.head))
    rows = (
        element("tr", element("th", label, scope="row"), *(element("td", cell) for cell in cells))
        for label, *cells in compared.rows
    )
    table = element("table", element("thead", head), element("tbody", *rows), class_="jjx-compare")
    parts += [
        table,
        element("ul", *(element("li", remark) for remark in compared.remarks)),
        element("p", compared.call),
    ]
    return element("section", *parts, class_="jjx-comparison")


def _control_flow(flow: ControlFlowText) -> list[Markup]:
    parts = [
        _table(
            "Control-flow constructs in the order of the source",
            control_flow_tables.HEAD,
            flow.rows,
            "jjx-control-flow",
        ),
    ]
    if flow.left_out:
        parts.append(element("p", flow.left_out))
    for card in flow.cards:
        inside = [_table("Values of the construct", card.head, card.values, "jjx-values")] if card.values else []
        inside += [element("ul", *(element("li", branch) for branch in card.branches))] if card.branches else []
        inside += [element("p", fact) for fact in card.facts]
        if inside:
            parts.append(element("details", element("summary", card.title), *inside, class_="jjx-card"))
    return parts


def _table(caption: str, head: tuple[str, ...], rows: list[tuple[str, ...]], class_: str) -> Markup:
    return element(
        "table",
        element("caption", caption),
        element(
            "thead", element("tr", *(element("th", name, scope="col") if name else element("td") for name in head))
        ),
        element("tbody", *(element("tr", *(element("td", cell) for cell in row)) for row in rows)),
        class_=class_,
    )


def _times(times: TimeText) -> list[Markup]:
    parts: list[Markup] = []
    for program in times.programs:
        parts += [element("p", element("code", program.name), f": {program.sentence}")]
        if program.rows:
            parts.append(_table("Times of eager and warm calls", time_tables.HEAD, program.rows, "jjx-time"))
        parts.append(element("ul", *(element("li", remark) for remark in program.remarks)))
    if times.sweep is not None:
        sweep = times.sweep
        parts.append(_table(sweep.title, sweep.head, sweep.rows, "jjx-sweep"))
        parts.append(element("ul", *(element("li", remark) for remark in sweep.remarks)))
    return parts


def _cost(costs: CostText) -> list[Markup]:
    parts = [element("p", element("code", costs.name), f": {costs.sentence}")]
    if costs.rows:
        parts.append(_table("Cost by source line, with all steps of loops", cost_table.HEAD, costs.rows, "jjx-cost"))
    parts += [element("p", text) for text in (costs.left_out, costs.xla) if text]
    if costs.differences:
        parts.append(element("ul", *(element("li", difference) for difference in costs.differences)))
    if costs.memory:
        parts.append(element("p", costs.memory))
    return parts


def _shardings(spread: ShardingsText) -> list[Markup]:
    parts = [element("p", spread.sentence)] if spread.sentence else []
    parts.append(_table("How each array is split over the devices", sharding_tables.HEAD, spread.rows, "jjx-sharded"))
    for name, picture in spread.pictures:
        parts.append(element("details", element("summary", name), element("pre", picture), class_="jjx-shards"))
    if spread.collectives:
        caption = "Data that the devices exchange, from the optimised HLO"
        parts.append(_table(caption, sharding_tables.COLLECTIVES, spread.collectives, "jjx-collectives"))
    parts += [element("p", text) for text in spread.remarks]
    return parts


def _cache(cache: CacheText) -> list[Markup]:
    parts = [element("p", cache.sentence)]
    parts.append(_table("Jitted functions of this run", HEAD, cache.rows, "jjx-cache"))
    if cache.misses:
        parts.append(element("ul", *(element("li", miss) for miss in cache.misses)))
    parts += [element("p", text) for text in (cache.left_out, cache.note) if text]
    return parts


def _note(document: Snapshot, note: Note) -> Markup:
    parts: list[str | Markup] = []
    line = short_texts_of_run.where(document, note)
    if line:
        parts += [element("strong", f"{line[0].upper()}{line[1:]}"), ": "]
    if note.title:
        parts += [element("strong", f"{note.title}."), " "]
    parts.append(note.text)
    if note.cure:
        parts.append(f" {note.cure}")
    if note.code:
        parts.append(element("pre", element("code", note.code)))
        if note.level == "applies":
            parts.append(element("p", short_texts_of_run.USABLE_CODE))
    for cure in note.cures:
        parts.append(
            element("p", element("strong", cure.name), f"{short_texts_of_run.LEVELS[cure.level]}: {cure.text}")
        )
        if cure.code:
            parts.append(element("pre", element("code", cure.code)))
    parts += [element("p", text) for text in note.price]
    if note.detail:
        parts.append(element("details", element("summary", "Detail"), element("pre", element("code", note.detail))))
    return element("li", *parts)
