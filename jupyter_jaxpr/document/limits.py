"""Declares the largest sizes of a document and of its printed text: the same in Python and TypeScript.

A reader refuses a document above a limit, with a sentence that names the field. The printed text of a document ends at
`LINES` or `CHARACTERS`, and says how much it leaves out. The limits of single lists are at the fields, in `types/`.
`python -m jupyter_jaxpr.schema` writes all limits to `src/protocol/limits.ts`.
"""

from __future__ import annotations

from typing import Final

#: The largest JSON of a document, in bytes; the longest text in a document, in characters.
TEXT: Final = 64_000_000
#: The largest number of entries of one list.
LIST: Final = 20_000_000
#: The largest depth of programs inside each other. JAX gives up earlier, unless Python's recursion limit was raised.
DEPTH: Final = 1_000
#: The largest number of equations of all scopes, with equations that the document does not hold: the browser numbers
#: equations in 31 bits.
EQUATIONS: Final = 2**31 - 2
#: The largest number of equations that a document holds; the kernel sends larger programs in pages.
HELD: Final = 200_000
#: The largest number of equations of a document without a kernel whose programs a diff compares.
COMPARED: Final = 50_000
#: The largest absolute value of integers; JavaScript holds this integer and the next integer exactly.
INTEGER: Final = 2**53 - 2
#: The largest number of seconds, operations or bytes; sums and products of a few such numbers stay finite.
AMOUNT: Final = 1e24
#: The last second of a date, in seconds since 1970.
LAST_SECOND: Final = 253_402_300_799
#: The largest numbers of lines and characters of the programs in one copy or export.
LINES: Final = 150_000
CHARACTERS: Final = 20_000_000
#: The most steps of work (visited variables and programs) for the names of programs in texts. Each program has its own
#: names.
NAMED: Final = 1_000_000

#: The largest number of entries of a list that a view draws or walks; the kernel sends fewer entries.
ROWS: Final = 100_000
FUNCTIONS: Final = 20_000
ARRAYS: Final = 10_000
VARIANTS: Final = 1_000
SENTENCES: Final = 1_000
#: The values of all leaves of a recording; the slots of all cards of a document.
VALUES: Final = 2_000_000
SLOTS: Final = 1_000_000
