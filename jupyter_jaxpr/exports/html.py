"""Prints a document as an HTML fragment for a notebook's output.

The fragment has no script and no style: headings, tables and details read well on white and on dark, and also
where a host strips class names (GitHub, an untrusted notebook). Text of the document is never markup.
"""

from __future__ import annotations

from ..document.text import Budget
from ..document.types.document import Note, Program, Snapshot
from . import control_flow, cost, shardings, time, wording
from .cache import HEAD, CacheText, cache_text
from .compare import CompareText, compare_text
from .control_flow import ControlFlowText, control_flow_text
from .cost import CostText, cost_text
from .html_writer import Markup, element
from .listings import Listing, listings
from .shardings import ShardingsText, shardings_text
from .time import TimeText, time_text


def fragment(document: Snapshot, *, characters: int, heading: int = 4) -> str:
    """Return the document as one `div`.

    Args:
        document: The document.
        characters: The length of all texts of the programs together, in characters.
        heading: The level of the headings.
    """
    programs = [(index, document.programs[index]) for index in wording.exported(document)]
    texts = sum(1 + sum(level.text is not None for level in program.levels) for _, program in programs)
    characters_each = characters // max(1, texts)
    parts: list[Markup] = []
    if document.title:
        parts.append(element(f"h{heading}", document.title, class_="jjx-title"))
    parts += before(document, heading)
    budget = Budget()
    for index, program in programs:
        shown = [_listing(listing) for listing in listings(document, index, characters_each, budget)]
        parts.append(element("section", *about(document, program, heading), *shown, class_="jjx-program"))
    return element("div", *parts, *after(document, heading), class_="jjx-static").source


def before(document: Snapshot, heading: int) -> list[Markup]:
    """Return the elements above the programs: the comparison and the run's message."""
    parts = []
    compared = compare_text(document)
    if compared is not None:
        parts.append(_compared(compared, f"h{heading}"))
    if document.message:
        parts.append(element("p", document.message, class_="jjx-message"))
    return parts


def after(document: Snapshot, heading: int) -> list[Markup]:
    """Return the elements below the programs: control flow, times, costs, cache, notes, origin."""
    parts: list[Markup] = []
    left = wording.of_libraries(document)
    if left is not None:
        parts.append(element("p", left))
    flow = control_flow_text(document)
    if flow is not None:
        parts.append(_control_flow(flow, f"h{heading}"))
    times = time_text(document)
    if times is not None:
        parts.append(_times(times, f"h{heading}"))
    costs = cost_text(document)
    if costs is not None:
        parts.append(_cost(costs, f"h{heading}"))
    parts += [_shardings(spread, f"h{heading}") for spread in shardings_text(document)]
    cache = cache_text(document)
    if cache is not None:
        parts.append(_cache(cache, f"h{heading}"))
    if document.notes:
        parts.append(_notes(document, f"h{heading}"))
    if document.cut:
        parts.append(element("p", document.cut, class_="jjx-cut"))
    parts.append(element("p", element("small", wording.made_with(document)), class_="jjx-made-with"))
    return parts


def about(document: Snapshot, program: Program, heading: int) -> list[Markup]:
    """Return the elements that describe a program, without its texts."""
    parts = [
        element(f"h{heading}", element("code", str(wording.signature(program)))),
        element("p", wording.counts(document, program), class_="jjx-counts"),
    ]
    if program.origin_note:
        parts.append(element("p", program.origin_note, class_="jjx-origin"))
    full = str(wording.signature(program, full=True))
    if full != str(wording.signature(program)):
        parts.append(element("p", element("code", full), class_="jjx-signature"))
    times = wording.stages(program)
    if times:
        parts.append(
            element(
                "table",
                element("caption", "Stages of the call that made the program"),
                element("thead", element("tr", *(element("th", name, scope="col") for name, _ in times))),
                element("tbody", element("tr", *(element("td", time) for _, time in times))),
                class_="jjx-stages",
            )
        )
    return parts


def _listing(listing: Listing) -> Markup:
    if listing.text is None:
        return element("p", f"{listing.title}: {listing.note}", class_="jjx-listing")
    note = [element("p", listing.note)] if listing.note else []
    return element(
        "details",
        element("summary", listing.title),
        element("pre", element("code", listing.text)),
        *note,
        class_="jjx-listing",
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


def _control_flow(flow: ControlFlowText, heading: str) -> Markup:
    parts = [
        element(heading, "Control flow"),
        _table("Constructs in the order of the source", control_flow.HEAD, flow.rows, "jjx-control-flow"),
    ]
    if flow.left_out:
        parts.append(element("p", flow.left_out))
    for card in flow.cards:
        inside = [_table("Values by path", card.head, card.values, "jjx-values")] if card.values else []
        inside += [element("ul", *(element("li", branch) for branch in card.branches))] if card.branches else []
        inside += [element("p", fact) for fact in card.facts]
        if inside:
            parts.append(element("details", element("summary", card.title), *inside, class_="jjx-card"))
    return element("section", *parts, class_="jjx-flow")


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


def _times(times: TimeText, heading: str) -> Markup:
    parts = [element(heading, "Time")]
    for program in times.programs:
        parts += [element("p", element("code", program.name), f": {program.sentence}")]
        if program.rows:
            parts.append(_table("The same call, again", time.HEAD, program.rows, "jjx-time"))
        parts.append(element("ul", *(element("li", remark) for remark in program.remarks)))
    if times.sweep is not None:
        sweep = times.sweep
        parts.append(_table(sweep.title, sweep.head, sweep.rows, "jjx-sweep"))
        parts.append(element("ul", *(element("li", remark) for remark in sweep.remarks)))
    return element("section", *parts, class_="jjx-times")


def _cost(costs: CostText, heading: str) -> Markup:
    parts = [element(heading, "Cost"), element("p", element("code", costs.name), f": {costs.sentence}")]
    if costs.rows:
        parts.append(_table("Cost by source line, with all steps of loops", cost.HEAD, costs.rows, "jjx-cost"))
    parts += [element("p", text) for text in (costs.left_out, costs.xla) if text]
    if costs.differences:
        parts.append(element("ul", *(element("li", difference) for difference in costs.differences)))
    if costs.memory:
        parts.append(element("p", costs.memory))
    return element("section", *parts, class_="jjx-costs")


def _shardings(spread: ShardingsText, heading: str) -> Markup:
    parts = [element(heading, f"Shardings of {spread.title}")]
    parts += [element("p", spread.sentence)] if spread.sentence else []
    parts.append(_table("How each array is split", shardings.HEAD, spread.rows, "jjx-sharded"))
    for name, picture in spread.pictures:
        parts.append(element("details", element("summary", name), element("pre", picture), class_="jjx-shards"))
    if spread.collectives:
        caption = "Data that the devices exchange, from the optimised HLO"
        parts.append(_table(caption, shardings.COLLECTIVES, spread.collectives, "jjx-collectives"))
    parts += [element("p", text) for text in spread.remarks]
    return element("section", *parts, class_="jjx-shardings")


def _cache(cache: CacheText, heading: str) -> Markup:
    parts = [element(heading, "Cache"), element("p", cache.sentence)]
    parts.append(_table("Jitted functions of this run", HEAD, cache.rows, "jjx-cache"))
    if cache.misses:
        parts.append(element("ul", *(element("li", miss) for miss in cache.misses)))
    parts += [element("p", text) for text in (cache.left_out, cache.note) if text]
    return element("section", *parts, class_="jjx-ledger")


def _notes(document: Snapshot, heading: str) -> Markup:
    items = element("ul", *(_note(document, note) for note in document.notes))
    return element("section", element(heading, "Notes"), items, class_="jjx-notes")


def _note(document: Snapshot, note: Note) -> Markup:
    parts: list[str | Markup] = []
    line = wording.where(document, note)
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
            parts.append(element("p", "The rewrite applies as it stands."))
    for cure in note.cures:
        parts.append(element("p", element("strong", cure.name), f"{wording.LEVELS[cure.level]}: {cure.text}"))
        if cure.code:
            parts.append(element("pre", element("code", cure.code)))
    parts += [element("p", text) for text in note.price]
    if note.detail:
        parts.append(element("details", element("summary", "Detail"), element("pre", element("code", note.detail))))
    return element("li", *parts)
