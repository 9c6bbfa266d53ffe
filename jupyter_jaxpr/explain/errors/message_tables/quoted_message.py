"""Explains an error without a row in the tables: quotes the message, and adds the arguments with their types.

The module explains only errors of a `raise` statement in JAX or a JAX library, because other errors inside a library
describe its internals.
"""

from __future__ import annotations

import dis
import re
from types import TracebackType

from ....observe.observation import FoundCure
from ....plain_text import message_of, quoted
from ..explanation import Explained
from ..failing_code.operand_nodes import operand_nodes
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt, is_of_jax, was_raised_in_jax
from .names_in_messages import cures_by_names, sentences_on_names

_LONGEST = 140
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`'\"])|\n\s*\n|\n(?=\s*[A-Z*])")
_HINT = re.compile(
    r"^(?:Use|Try|Please|Did you|Consider|You (?:can|may|should)|To fix|Instead|Pass|Call|Set|Make sure|Maybe|If you)\b"
)
_HINTS = 2
_SENTENCES = 2
_CHANGING = re.compile(r" at 0x[0-9a-f]+|<ipython-input-[^>]*>|\s*\(?https?://\S+")


def quoted_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error that a `raise` statement of JAX or a JAX library raised, and that no other module explains."""
    if raised is None or raised.node is None or raised.text is None or not _is_stated(error):
        return None
    parts = error.args if len(error.args) != 1 or type(error.args[0]) is not tuple else error.args[0]
    is_split = len(parts) > 1 and all(type(part) is str for part in parts)
    message = _CHANGING.sub("", "".join(parts) if is_split else message_of(error)).strip()
    phrases = [" ".join(phrase.split()) for phrase in _SENTENCE.split(message) if phrase and phrase.strip()]
    if not phrases or len(phrases[0]) < 10:
        return None
    title = quoted(phrases[0].rstrip(".:"), _LONGEST)
    hints = [phrase for phrase in phrases[1:] if _HINT.search(phrase) and len(phrase) < 300][:_HINTS]
    cures: tuple[FoundCure, ...] = (
        (FoundCure("as the message of the error says", None, " ".join(hints)),) if hints else ()
    )
    further_phrases = [phrase for phrase in phrases[1:] if phrase not in hints and len(phrase) < 300][:_SENTENCES]
    explanation = [
        phrase if phrase.endswith((".", "!", "?")) else f"{phrase.rstrip(':,;')}." for phrase in further_phrases
    ]
    named = sentences_on_names(raised, message)
    explanation += [named] if named else []
    cures = (*cures_by_names(raised, message), *cures)
    of_operands = operands(raised, operand_nodes(raised))
    explanation += [of_operands] if of_operands not in named else []
    return Explained(None, title, " ".join(explanation).strip(), cures)


def _is_stated(error: BaseException) -> bool:
    """Return whether a `raise` statement of JAX or of a JAX library, such as flax, raised the error."""
    last: TracebackType | None = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or not (was_raised_in_jax(error) or is_of_jax(error)):
        return False
    code = last.tb_frame.f_code
    return is_of_jax(error) or dis.opname[code.co_code[last.tb_lasti]] == "RAISE_VARARGS"
