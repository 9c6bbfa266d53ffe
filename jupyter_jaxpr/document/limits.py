"""Declares the limits of a document, of its printed text, and of the lists, texts and trials that the kernel makes.

A reader refuses a document above a limit, with a sentence that names the field. The printed text of a document ends
after `LINES` lines or `CHARACTERS` characters, and says how much is left out. The fields in `types/` name the limits of
single lists. `python -m jupyter_jaxpr.schema` writes the limits that TypeScript has, too, to `src/protocol/limits.ts`.

What the kernel sends is smaller: the classes `Sent`, `Listed`, `Characters` and `Tried`. A list may become as long as
its field allows, so raise both. Limits of recordings are in `measure/steps/step_limits.py`.
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
LINES: Final = 40_000
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


class Refused:
    """Lists with more entries than this are refused by a reader; the fields in `types/` have these limits."""

    #: The rows of a diff.
    DIFF_ROWS = FUNCTIONS
    #: The misses of a function in the ledger; the kernel lists `Listed.MISSES_OF_FUNCTION` of them.
    MISSES_OF_FUNCTION = SENTENCES


class Sent:
    """The largest programs, texts and pictures that the kernel sends with a document; the panel requests the rest."""

    #: A program with at most this many equations is sent completely.
    WHOLE_PROGRAM = 20_000
    #: All completely sent programs of a run have at most this many equations together.
    WHOLE_PROGRAMS_OF_RUN = 60_000
    #: Of a program with more equations, the document has this many; the panel requests the other equations.
    FIRST_PAGE = 5_000
    #: A diff with at most this many rows is sent with all equal rows; a longer one only with equal rows near a
    #: difference.
    WHOLE_DIFF = 2_000
    #: The rows of a longer diff that are sent.
    DIFF_ROWS = 5_000
    #: The bytes of a saved output, unless the user sets `%config JaxprMagics.output_bytes`.
    SAVED_OUTPUT_BYTES = 256_000
    #: The document contains texts of StableHLO and HLO only if the run has at most this many equations.
    EQUATIONS_WITH_TEXTS = 300
    #: A StableHLO or HLO text with more characters than this is left out.
    CHARACTERS_OF_TEXT = 60_000
    #: The costs are counted while the document is built if the programs of the run have at most this many equations
    #: together; otherwise the panel requests them later.
    EQUATIONS_WITH_COSTS = 500
    #: XLA is asked for its own count only for a program of at most this many equations.
    EQUATIONS_WITH_XLA_COSTS = 300
    #: All pictures of a recording may have this many characters together.
    CHARACTERS_OF_PICTURES = 1_000_000


class Listed:
    """The most entries of lists that the kernel makes; the rest is counted or left out."""

    #: The types of one name beside the code; later types are left out.
    TYPES_OF_NAME = 8
    #: The names of a document that have types beside the code; later names are left out.
    NAMES = 2_000
    #: The newest misses of a function in the ledger.
    MISSES_OF_FUNCTION = 64
    #: The operands and results of each call in the table of calls of a cond or switch; the panel has no room for more.
    OPERANDS_OF_CALL = 3
    RESULTS_OF_CALL = 2
    #: The static fields that tell programs with equal signatures apart.
    DISTINGUISHING_FIELDS = 3
    #: The equations that XLA's count lacks, in the comparison of counts.
    REMOVED_EQUATIONS = 3
    #: The silenced notes that the note on them lists.
    SILENCED_NOTES = 50
    #: The notes whose raw facts a merged note keeps.
    DETAILS_OF_MERGED_NOTE = 10
    #: The cards of control flow in a document, and of one program.
    CARDS_OF_RUN = 600
    CARDS_OF_PROGRAM = 300
    #: The differences of one row of a diff; an equation may have 100,000 operands.
    CHANGES_OF_DIFF_ROW = 1_000
    #: The indices that a note on an index out of bounds names.
    INDICES_OF_NOTE = 4
    #: The equations of a source place that caused a collective.
    EQUATIONS_OF_CAUSE = 50
    #: The collectives of a program.
    COLLECTIVES = 1_000
    #: If a program uses more devices than this, the document does not list the parts that each device holds.
    DEVICES = 256
    #: The arrays of a program with their shardings.
    SHARDED_ARRAYS = 400
    #: The largest live arrays at the memory peak.
    LIVE_ARRAYS = 20
    #: The nodes of a tree of costs, which are the bars of the icicle plot.
    BARS_OF_COSTS = 400
    #: The primitives that the sentence on operations which XLA adds names.
    PRIMITIVES_XLA_EXPANDS = 5
    #: The elements of a constant that StableHLO prints; larger constants are elided.
    ELEMENTS_OF_CONSTANT = 16
    #: The user frames, and the library frames, of a stack.
    USER_FRAMES = 16
    LIBRARY_FRAMES = 4
    #: The arguments passed by keyword that the sentence above a derivative names.
    ARGUMENTS_LEFT_OUT = 6
    #: A file with at most this many lines is sent completely; of a longer file, only the functions that ran, with some
    #: lines around each. The limit for files of libraries is lower.
    SOURCE_LINES = 2_000
    LIBRARY_SOURCE_LINES = 200
    #: The lines that are sent of a longer file.
    CUT_SOURCE_LINES = 4_000


class Characters:
    """The most characters of texts that the kernel shortens."""

    #: The type of one argument in a signature.
    ARGUMENT_TYPE = 1_000
    #: The type of one argument in the list of programs.
    ARGUMENT_IN_PROGRAM_LIST = 24
    #: One type beside the code; this is enough for a container of sixty arrays.
    TYPE_OF_NAME = 1_200
    #: The type of a name beside a line; `src/model/named-types.ts` has the same limit.
    TYPE_BESIDE_LINE = 48
    #: A value in the description of a change in a diff.
    VALUE_IN_DIFF = 120
    #: An index expression in a note on an index out of bounds.
    INDEX_IN_NOTE = 60
    #: An expression of the user's source on a card of control flow.
    SOURCE_ON_CARD = 80
    #: An expression that stands in for the name of an operand on a card.
    OPERAND_ON_CARD = 40
    #: The reason of JAX why it cannot derive a program.
    JAX_REFUSAL = 300


class Tried:
    """The most that one request tries, and that is kept for later requests."""

    #: The misses whose cures are tried, newest first. A function that misses often usually has one reason.
    MISSES = 32
    #: The unrolled loops whose rewrites are tried, in the order of their notes.
    LOOPS = 8
    #: The notes whose edits are tried.
    NOTES = 8
    #: The constructs whose compiled steppers are kept.
    STEPPERS_KEPT = 8
    #: The ways to assign values of equal types where a forward and a backward program are joined.
    ASSIGNMENTS_OF_EQUAL_TYPES = 16
    #: In a program with more equations, the calls are not replaced by their bodies.
    INLINED_EQUATIONS = 20_000
