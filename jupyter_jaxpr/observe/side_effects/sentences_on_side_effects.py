"""Holds the sentences on side effects: of a refused trace, and of a line, such as "Line 9 prints to a file."."""

from __future__ import annotations

from .limits_of_saved_state import BYTES_AT_MOST, SECONDS_AT_MOST

#: Stands for the text of the line in the sentence of a side effect: the text depends on the cell that the user sees.
LINE_OF_SIDE_EFFECT = "{line_of_side_effect}"

#: `why` is the sentence on the line.
IRREVERSIBLE = "The Python code of {name} did not run again. {why} This side effect cannot be undone."
TOO_LARGE_TO_UNDO = (
    "The Python code of {name} did not run again. {why} To undo this side effect, jupyter_jaxpr saves the objects that "
    f"the call can reach. Saving these objects exceeds the limit of {BYTES_AT_MOST // 1_000_000} MB or "
    f"{SECONDS_AT_MOST * 1_000:.0f} ms."
)

# lines that the analysis of the code refuses

ASSIGNS_OUTSIDE_VARIABLE = "{line_of_side_effect} assigns {name}, a variable outside of the function."
COMPUTES_ARRAYS = "{line_of_side_effect} calls jax.{name}, which computes arrays while JAX traces."
SUPER_OF_UNKNOWN_CLASS = "{line_of_side_effect} calls super() of a class that is unknown."
UNKNOWN_ATTRIBUTE_NAME = (
    "{line_of_side_effect} calls {call} with an attribute name that is unknown before the code runs."
)
METHOD_OF_FILE = "{line_of_side_effect} calls {call}, a method of a file object."
MAY_CHANGE_ITS_OBJECT = "{line_of_side_effect} calls {call}, a method that may change its object."
UNKNOWN_METHOD = "{line_of_side_effect} calls {call}, a method whose side effects are unknown."
ADVANCES_ITERATOR = "{line_of_side_effect} calls {call}, which advances an iterator."
CHANGES_CONTEXT_VARIABLE = "{line_of_side_effect} calls {call}, which changes a context variable."
CHANGES_ATTRIBUTE = "{line_of_side_effect} calls {call}, which changes an attribute."
CALL_CHANGES_OBJECT = "{line_of_side_effect} calls {call}, which changes an object that existed before the call."
UNKNOWN_FUNCTION = "{line_of_side_effect} calls {call}, which is unknown before the code runs."
CALL_MAY_CHANGE_OBJECT = "{line_of_side_effect} calls {call}, which may change an object that existed before the call."
CALL_MAY_STORE_OBJECT = "{line_of_side_effect} calls {call}, which may store an object that existed before the call."
MAY_WRITE_INTO_ARRAY = "{line_of_side_effect} calls {call}, which may write into an array."
UNKNOWN_WRAPPER = "{line_of_side_effect} calls {name} through a wrapper of a library whose side effects are unknown."
WRITES_INTO_OUT = "{line_of_side_effect} calls {name} with out=, which changes an array in place."
ADVANCES_GENERATOR = "{line_of_side_effect} calls {name}, which advances a random generator."
CHANGES_IN_PLACE = "{line_of_side_effect} calls {name}, which changes an array in place."
CHANGES_SETTINGS = "{line_of_side_effect} calls {name}, which changes settings of the Python process."
KEEPS_RESULTS = "{line_of_side_effect} calls {name}, which keeps its results in a cache."
CALLS_OUTSIDE = "{line_of_side_effect} calls {name}, which may change files, processes, connections, queues or threads."
READS_FILE = "{line_of_side_effect} calls {name}, which reads a file."
SETS_ATTRIBUTES_OF_ARGUMENT = "{line_of_side_effect} calls {name}, which sets attributes of its argument."
UNKNOWN_EFFECTS = "{line_of_side_effect} calls {name}, whose side effects are unknown."
WITHOUT_SOURCE = "{line_of_side_effect} calls {name}, whose source code is not available."
CATCHES_ALL = "{line_of_side_effect} catches every exception, so that Live could not stop the trace."
CHANGES_BY_PROPERTY = "{line_of_side_effect} changes {name} through a property or a descriptor."
CHANGES_PART = "{line_of_side_effect} changes {name}, part of an object that existed before the call."
MAY_CHANGE_PART = "{line_of_side_effect} changes {name}, part of an object that may have existed before the call."
CHANGES_TARGET_IN_PLACE = (
    "{line_of_side_effect} changes {target} in place, and the object may have existed before the call."
)
MAY_COMPUTE_CACHED_PROPERTY = (
    "{line_of_side_effect} may compute the cached property {name}, which stores its value in the object."
)
COMPUTES_CACHED_PROPERTY = (
    "{line_of_side_effect} computes the cached property {name}, which stores its value in the object."
)
STATEMENT_NOT_ANALYSED = "{line_of_side_effect} contains a statement that cannot be analysed."
EXPRESSION_NOT_ANALYSED = "{line_of_side_effect} contains an expression that cannot be analysed."
USERS_METACLASS = "{line_of_side_effect} creates a {kind}, a class with a user-defined metaclass."
DEFINES_ASYNC_FUNCTION = "{line_of_side_effect} defines {name}, an asynchronous function."
DELETES_OUTSIDE_VARIABLE = "{line_of_side_effect} deletes {name}, a variable outside of the function."
ENTERS_CONTEXT_MANAGER = (
    "{line_of_side_effect} enters {manager}, a context manager that existed before the call and whose "
    "side effects are unknown."
)
IMPORTS_MODULE = "{line_of_side_effect} imports the module {module}."
IMPORTS_NAME = "{line_of_side_effect} imports {name} from {module}."
TOO_DEEP = "{line_of_side_effect} nests calls of functions too deeply to be analysed."
PASSES_ITERATOR = (
    "{line_of_side_effect} passes an iterator that existed before the call to a function, which may take "
    "elements from it."
)
UNKNOWN_METHOD_OF_FLAX = "{line_of_side_effect} passes method= to a Flax module, so the method that runs is unknown."
PRINTS_TO_FILE = "{line_of_side_effect} prints to a file."
MAY_ADD_MISSING_KEYS = "{line_of_side_effect} may read a dict that adds missing keys."
MAY_READ_BY_GETATTR = (
    "{line_of_side_effect} may read the attribute {name} through a __getattr__ or __getattribute__ of "
    "{owner}, whose side effects are unknown."
)
READS_DEFAULTDICT = "{line_of_side_effect} reads a defaultdict, which may add a key."
NO_ATTRIBUTE_OF_SUPER = "{line_of_side_effect} reads super().{name}, an attribute that could not be found."
READS_BY_GETATTRIBUTE = (
    "{line_of_side_effect} reads the attribute {name} through a user-defined __getattribute__, whose "
    "side effects are unknown."
)
READS_BY_DESCRIPTOR = (
    "{line_of_side_effect} reads the attribute {name} through a user-defined descriptor, whose side "
    "effects are unknown."
)
NO_ATTRIBUTE_OF_MODULE = "{line_of_side_effect} reads the attribute {name}, which the module does not have."
NO_ATTRIBUTE_OF_OBJECT = "{line_of_side_effect} reads the attribute {name}, which the object does not have."
WITHOUT_VALUE = "{line_of_side_effect} reads {name}, which has no value."
STORES_OBJECT = "{line_of_side_effect} stores in {name} an object that may have existed before the call."
MAY_TAKE_ELEMENTS = "{line_of_side_effect} may take elements from an iterator that existed before the call."
TAKES_ELEMENTS = "{line_of_side_effect} takes elements from an iterator that existed before the call."
CAN_CHANGE_ANYTHING = "{line_of_side_effect} uses {name}, which can change anything."
REACHES_ALL_VARIABLES = "{line_of_side_effect} uses {name}, which gives access to all variables."

# effects outside of the process, which end a trace
REMOVES_FILE = "{line_of_side_effect} removes a file."
RENAMES_FILE = "{line_of_side_effect} renames a file."
CREATES_FOLDER = "{line_of_side_effect} creates a folder."
REMOVES_FOLDER = "{line_of_side_effect} removes a folder."
TRUNCATES_FILE = "{line_of_side_effect} truncates a file."
CREATES_LINK = "{line_of_side_effect} creates a file link on the disk."
SENDS_DATA = "{line_of_side_effect} sends data over a network connection."
CHANGES_PERMISSIONS = "{line_of_side_effect} changes the permissions of a file."
CHANGES_OWNER = "{line_of_side_effect} changes the owner of a file."
CHANGES_TIMES = "{line_of_side_effect} changes the times of a file."
SETS_ENVIRONMENT = "{line_of_side_effect} sets an environment variable."
REMOVES_ENVIRONMENT = "{line_of_side_effect} removes an environment variable."
STARTS_PROCESS = "{line_of_side_effect} starts a process."
SENDS_SIGNAL = "{line_of_side_effect} sends a signal to a process."
OPENS_CONNECTION = "{line_of_side_effect} opens a network connection."
BINDS_SOCKET = "{line_of_side_effect} binds a network socket to an address."
OPENS_DATABASE = "{line_of_side_effect} opens a database."
ASKS_FOR_INPUT = "{line_of_side_effect} asks the user for input."
OPENS_BROWSER = "{line_of_side_effect} opens a web browser."
WRITES_TO_FILE = "{line_of_side_effect} writes to a file."


def sentence(template: str, **names: str) -> str:
    """Return a sentence of this module with the names of the user's code, still without the text of the line.

    Args:
        template: One of the sentences of this module.
        names: The text of each placeholder.
    """
    return template.format(line_of_side_effect=LINE_OF_SIDE_EFFECT, **names)
