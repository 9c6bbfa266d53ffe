"""Prints the cards of a document as a text that a person can check; `python tests/control_flow/golden.py` writes them.

The text has no numbers of scopes, equations, operands or frames; it quotes the source line instead. It is the same for
both lines of JAX. If they make different programs of the same source, each has its own file, `NAME-0.10.txt` and
`NAME-0.12.txt`, and `DIFFERENT` says why.
"""

from __future__ import annotations

import inspect
import linecache
import sys
from pathlib import Path

import jax

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER)]

from observed import built, program, traced  # noqa: E402  # both lie beside what they are for
from programs import PROGRAMS  # noqa: E402  # likewise

from jupyter_jaxpr.build.document_of_run import Built  # noqa: E402  # after the paths
from jupyter_jaxpr.document.types.control_flow import Control  # noqa: E402  # likewise
from jupyter_jaxpr.document.types.document import Snapshot  # noqa: E402  # likewise

GOLDEN = FOLDER / "golden"
LINE = ".".join(jax.__version__.split(".")[:2])

DIFFERENT = {
    "grad_of_cond": "the backward cond of jax 0.12 takes x, that of 0.10 what the forward one kept of it",
    "grad_of_scan": "jax 0.10 keeps two values of tanh for its derivative, 0.12 one, by its primitive one_minus_square",
    "library_loop": "jax 0.12 draws the random numbers of a Poisson variable in fewer equations",
}


def document_of(name: str) -> Built:
    """Return the document of one of the programs."""
    function, arguments = PROGRAMS[name]
    return built(program(traced(function, *arguments)))


def golden_path(name: str) -> Path:
    """Return the file of a program's cards for this line of JAX."""
    return GOLDEN / (f"{name}-{LINE}.txt" if name in DIFFERENT else f"{name}.txt")


def cards_text(document: Snapshot) -> str:
    """Return the text of all cards of a document."""
    return "\n".join(line for card in document.control_flow for line in _card(document, card)) + "\n"


def _card(document: Snapshot, card: Control) -> list[str]:
    def line(frame: int) -> str:
        if frame < 0:
            return "unknown"
        row = document.frames[frame]
        return linecache.getline(document.files[row.file].path, row.line).strip()

    def aval(number: int) -> str:
        return document.avals[number].text

    primitive_text = card.primitive or f"{card.equations} equations"
    head = f"{card.kind} ({primitive_text}) {card.title}".rstrip()
    rows = [
        f"at      {line(card.frame)}",
        f"in      {card.parent_part} of {document.control_flow[card.parent].kind}" if card.parent >= 0 else None,
        f"by      {card.library}" if card.library is not None else None,
        f"stack   {card.name_stack}" if card.name_stack else None,
        f"def     {line(card.body_frame)}" if card.body_frame >= 0 else None,
        f"body    {document.scopes[card.body].total} equations" if card.body >= 0 else None,
        f"while   {card.condition_text}" if card.condition >= 0 else None,
        f"on      {card.predicate_text}" if card.branches else None,
        f"bounds  {card.lower} to {card.upper}" if card.kind == "fori_loop" else None,
        f"trips   {card.trips} by {card.trips_from}" if card.trips is not None else None,
        "reverse" if card.reverse else None,
        f"unroll  {card.unroll}" if card.unroll > 1 else None,
        f"flops   {card.step_flops}",
    ]
    for slot in card.slots:
        types = aval(slot.step)
        if slot.whole != slot.step:
            types += f" of {aval(slot.whole)}"
        if aval(slot.out) != aval(slot.step):
            types += f" -> {aval(slot.out)}"
        rows.append(f"{slot.role:<8}{slot.path or '?'}: {types}{', kept' if slot.kept else ''}")
    for branch in card.branches:
        program = f"{branch.equations} equations" + ("" if branch.scope >= 0 else ", dissolved")
        place = f" at {line(branch.frame)}" if branch.frame >= 0 else ""
        rows.append(f"branch  {branch.label} {branch.name}: {program}, {branch.flops} flops{place}")
    rows += [f"effect  {effect}" for effect in card.effects]
    rows += [f"fact    {fact}" for fact in card.facts]
    if card.choice is not None:
        rows.append(f"choose  {card.choice}: {card.choice_reason}")
    if card.steppable is not None:
        rows.append(f"no step {card.steppable}")
    indent = "    " * _around(document, card)
    return [f"{indent}{head}", *(f"{indent}  {row}" for row in rows if row is not None)]


def _around(document: Snapshot, card: Control) -> int:
    return 0 if card.parent < 0 else 1 + _around(document, document.control_flow[card.parent])


def _write() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name in PROGRAMS:
        golden_path(name).write_text(cards_text(document_of(name).document), encoding="utf-8")
        print(name, inspect.getsourcefile(PROGRAMS[name][0]) and golden_path(name).name)


if __name__ == "__main__":
    _write()
