"""Builds the document of a live trace, which refers to no live object of the trace."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..build.document_of_run import build
from ..build.versions_and_devices import environment
from ..document.types.document import Cell, Snapshot
from ..observe.observation import Finding, Observation
from ..observe.own_traces.trace_for_live import LiveTrace
from ..observe.process_observer import observer
from .cost_since_last_run import cost_since
from .last_level import TEXT_LIMIT, TEXTS_UP_TO, Texts
from .sentences_on_live_programs import NO_STEPS
from .trace_request import TraceRequest


def live_document(
    request: TraceRequest,
    function: str,
    cell: Cell,
    live: LiveTrace,
    findings: Sequence[Finding] = (),
    texts: Texts | None = None,
) -> tuple[Snapshot, str | None]:
    """Return the document of a trace, and a sentence on the cost of its program.

    Args:
        request: The request for the trace.
        function: The name of the traced function.
        cell: The cell, with its source as written.
        live: The trace.
        findings: The findings on the trace, such as an error.
        texts: The texts that JAX made of the program; None if JAX made none.
    """
    observation = Observation(
        functions=[] if live.function is None else [live.function],
        printed=list(live.printed),
        findings=list(findings),
        named_values=live.named_values,
    )
    cell_to_trace = request.cell_to_trace
    texts = texts or Texts(cell_to_trace.last_level)
    has_texts = texts.last != "jaxpr"
    with observer().looking_away():
        built = build(
            observation,
            cell,
            environment=environment(observer().hooks.support),
            run_id=f"live {cell_to_trace.cell_id}",
            cells=request.cells,
            texts_up_to=TEXTS_UP_TO if has_texts else -1,
            text_limit=TEXT_LIMIT,
            rewrites_loops=False,  # a user who types waits for the answer
        )
    cost = None if live.function is None else cost_since(built, request.last_run(function))
    return _without_kernel(built.document, texts), cost


def _without_kernel(document: Snapshot, texts: Texts) -> Snapshot:
    """Return the document without references to live objects; each missing text and each missing step has a reason."""
    programs = [
        msgspec.structs.replace(program, levels=[texts.described(level) for level in program.levels])
        for program in document.programs
    ]
    cards = [
        card if card.steppable is not None else msgspec.structs.replace(card, steppable=NO_STEPS)
        for card in document.control_flow
    ]
    return msgspec.structs.replace(document, programs=programs, control_flow=cards)
