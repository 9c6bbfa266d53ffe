"""Declares the limits of a document and of its printed text; TypeScript has the same limits.

A reader refuses a document above a limit, with a sentence that names the field. The printed text of a document ends
after `LINES` lines or `CHARACTERS` characters, and says how much is left out. Limits of single lists are declared at
the fields, in `types/`. `python -m jupyter_jaxpr.schema` writes all limits to `src/protocol/limits.ts`.
"""

from __future__ import annotations

from typing import Final

#: The most bytes of a document's JSON, and the most characters of one string in it.
TEXT: Final = 64_000_000
#: The most entries of one list of a document.
LIST: Final = 20_000_000
#: The deepest nesting of programs. JAX fails at a smaller depth, unless Python's recursion limit was raised.
DEPTH: Final = 1_000
#: The most equations of all scopes together, including equations that the document leaves out: the browser numbers
#: equations in 31 bits.
EQUATIONS: Final = 2**31 - 2
#: The most equations inside of a document; of larger programs, the kernel sends pages.
HELD: Final = 200_000
#: The most equations of a document that is compared without a kernel.
COMPARED: Final = 50_000
#: The largest absolute value of an integer; JavaScript represents this integer and the next one exactly.
INTEGER: Final = 2**53 - 2
#: The largest number of seconds, operations or bytes; sums and products of a few such numbers are still finite.
AMOUNT: Final = 1e24
#: The latest date, in seconds since 1970.
LAST_SECOND: Final = 253_402_300_799
#: The most lines, and the most characters, of the programs in one copy or export.
LINES: Final = 60_000
CHARACTERS: Final = 20_000_000
#: The most steps (variables and programs visited) for finding the names of programs that are printed inside texts; each
#: such program has its own names.
NAMED: Final = 300_000

#: The most entries of a list that a view draws or searches; the kernel sends fewer.
ROWS: Final = 100_000
FUNCTIONS: Final = 20_000
ARRAYS: Final = 10_000
VARIANTS: Final = 1_000
SENTENCES: Final = 1_000
#: The most values of all leaves in a recording, and the most slots of all cards in a document.
VALUES: Final = 2_000_000
SLOTS: Final = 1_000_000
