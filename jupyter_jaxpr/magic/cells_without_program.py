"""Makes the sentence that the panel shows for a cell without a program: what happened, and what the user can type."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from ..explain.errors.cell_error import is_of_call
from ..jax.facts import imported, is_jitted, jit_disabled
from ..observe.cache.printed_ledger import not_counted
from ..observe.calls.sys_monitoring import HAS_MONITORING
from ..observe.functions.function_inside_wrappers import code_of, name_of
from ..observe.observation import Observation
from ..observe.user_or_library.library_functions import is_of_jax
from ..plain_text import file_of, kind_name
from ..typed.kept_syntax_trees import tree_of
from ..typed.magics_below_jaxpr import PYTHON_CELL_MAGICS

if TYPE_CHECKING:
    from .cell_states import ActiveCell

CALL_IT_ITSELF = (
    "To see the program, call the function under jax.jit, not its .lower() or .compile(), or write %jaxpr f(x)."
)
WHAT_TO_TYPE = (
    "Call a function under @jax.jit in the cell, end the cell with a call such as f(x), or write %%jaxpr f(x) or "
    "%%jaxpr f(f32[8])."
)
UNDER_JIT = "Call the function under jax.jit to see the program that runs."
CORRECT = "Correct the cell and run the cell again."
_COMPILED_BEFORE = (
    "The cell called {names} and reused a program that JAX compiled before %load_ext jupyter_jaxpr, so the program is "
    "not known. Load the extension before the first call, or write %%jaxpr f(x)."
)
COMPILED_BEFORE = "JAX compiled {names} before %load_ext jupyter_jaxpr, so the program is not known."
_NOT_KNOWN = "No program of the cell is known: jupyter_jaxpr did not see the calls that reuse a program."
CALLED_NONE = f"The cell called no jitted function of yours. {WHAT_TO_TYPE}"
NOTHING_RECORDED = "While JAX checks each result for NaN (jax_debug_nans), jupyter_jaxpr records nothing of what runs."
_JIT_IS_OFF = (
    "Where jax.disable_jit or the setting jax_disable_jit turns jit off, JAX runs a jitted function operation by "
    "operation, as plain Python. To see the program of the function, call the function with jit on."
)
_HANDED = (
    "The cell passes {names} to C code such as map(), which may have called {name} and reused a program: such calls "
    "are not seen. To see the program, call {called} in Python, such as in [{code}(x) for x in xs], or write "
    "%jaxpr {code}(x)."
)
_NAMED = (
    "The cell names the jitted function {name}, and no call of {name} was seen. A call in another thread or by C code "
    "that reuses a program is not seen. {more}To see the program, call {name} in the cell itself, or write %jaxpr "
    "{name}(x)."
)
_RAISED = (
    ""
    if HAS_MONITORING
    else "On Python 3.11, a call that raises before JAX looks for a cache entry is not seen either. "
)
EMPTY_CELL = "The cell is empty below %%jaxpr. To trace one call, write %jaxpr f(x) with one %."
_CODE_THERE = "Write Python code in the cell, or trace one call with %jaxpr f(x)."


def no_python(source: str) -> str | None:
    """Return a sentence for a cell whose lines contain no Python code; None for a cell with code."""
    lines = [line for line in source.splitlines() if line.strip()]
    magic_name = "%%jaxpr"
    while lines and (magic := re.match(r"%%(\w+)", lines[0])):
        magic_name = magic[0]
        if magic[1] not in {"jaxpr", *PYTHON_CELL_MAGICS}:
            return (
                f"{magic_name} takes the text below it, and jupyter_jaxpr saw no program of JAX. Write %%jaxpr "
                "above Python code of this kernel."
            )
        lines = lines[1:]
    if all(line.lstrip().startswith("#") for line in lines):
        return f"The cell has no code below {magic_name}. {_CODE_THERE}"
    return None


def called_compiled_before(active: ActiveCell, observation: Observation) -> list[str]:
    """Return the functions that the cell called, if JAX had compiled each of them before this package observed them."""
    names = [function.name for function in observation.functions if function.calls]
    before = {activity.record.name for activity in active.run.functions.values() if activity.record.compiled_before}
    return names if before.issuperset(names) else []


def why_no_program(
    namespace: dict[str, Any], active: ActiveCell, observation: Observation, error: BaseException | None
) -> str | None:
    """Return a sentence on why a run has no program, such as an error in the cell; None if no cause is known."""
    # Near Python's recursion limit the hooks may have missed a call, even if the cell raised no error.
    is_at_end = isinstance(error, RecursionError)
    is_unsure = not active.run.counted or active.run.counter.lost is not None or is_at_end
    if is_unsure and isinstance(error, KeyboardInterrupt):
        return "The cell was interrupted, and no program of the cell is known. Run the cell again to see the program."
    if is_unsure and error is not None:
        return f"The cell raised {kind_name(type(error))}, and no program of the cell is known. {CORRECT}"
    if isinstance(error, KeyboardInterrupt):
        return "The cell was interrupted before a jitted function ran. Run the cell again to see the program."
    if error is not None:
        kind = kind_name(type(error))
        for function in observation.functions:
            if function.raised and isinstance(error, Exception) and is_of_call(error, function.name):
                return f"The call of {function.name} raised {kind} before JAX ran a program of the call. {CORRECT}"
        return f"The cell raised {kind} before a jitted function ran. {CORRECT}"
    unseen = [called for called in active.run.unseen if not is_of_jax(called)]
    if unseen:
        return _COMPILED_BEFORE.format(names=", ".join(dict.fromkeys(name_of(called) for called in unseen[:5])))
    if active.run.ahead:
        names = ", ".join(sorted(active.run.ahead)[:5])
        stages = "(by .trace, .lower or jax.make_jaxpr)"
        return (
            f"The cell only traced or lowered {names} ahead of time {stages} and did not call {names}. {CALL_IT_ITSELF}"
        )
    unseen_call = may_have_called(namespace, active, observation)
    if unseen_call is not None and any(function.handed for function in observation.functions):
        return unseen_call
    inlined = [function.name for function in observation.functions if not function.top_level]
    if inlined:
        return (
            f"The cell called {', '.join(inlined[:5])} only while JAX traced another program, such as the program of "
            f"jax.make_jaxpr. The call became a part of that program. {WHAT_TO_TYPE}"
        )
    raised = [function.name for function in observation.functions if function.raised]
    raised += [name_of(called) for called in active.run.raised_unseen if not is_of_jax(called)]
    if raised:
        return (
            f"The call of {', '.join(raised[:5])} raised an error, and the cell caught the error, so no program is "
            "known. Remove the code that catches the error, and run the cell again to see the error."
        )
    constructs = [function.name for function in observation.functions if function.construct]
    if constructs:
        return f"{COMPILED_BEFORE.format(names=', '.join(constructs[:5]))} Load the extension before the first call."
    called = [function.name for function in observation.functions]
    if compiled_before := called_compiled_before(active, observation):
        return _COMPILED_BEFORE.format(names=", ".join(compiled_before[:5]))
    if called:
        return f"The cell called {', '.join(called[:5])}, but no program is known. Run the cell again."
    if active.run.ledger is not None and active.run.ledger.elsewhere:
        return not_counted(active.run.ledger.elsewhere)
    if is_unsure:
        return f"{_NOT_KNOWN} {active.run.calls_note()} {WHAT_TO_TYPE}"
    uncalled = _jitted_here(namespace, active.cell.file)
    if uncalled:
        name = uncalled[0]
        return (
            f"The cell defines the jitted function {name} and does not call {name}. Call {name}, or write %jaxpr "
            f"{name}(f32[8])."
        )
    if jit_disabled() or "disable_jit" in active.cell.source:
        return _JIT_IS_OFF
    return unseen_call


def ran_no_program(observation: Observation) -> str:
    """Return the sentence for a cell without a program for which `why_no_program` found no cause."""
    if observation.eager_compiles:
        return f"The cell ran JAX operation by operation and called no jitted function of yours. {WHAT_TO_TYPE}"
    return f"The cell ran no program that JAX compiled. {WHAT_TO_TYPE}"


def may_have_called(namespace: dict[str, Any], active: ActiveCell, observation: Observation) -> str | None:
    """Return a sentence on a jitted function that the cell may have called without a report; None if there is none."""
    if not imported():
        return None
    handed = [function.name for function in observation.functions if function.handed]
    if handed:
        of_name = [
            name for name in _jitted_names(namespace, active.cell.source) if name_of(namespace[name]) == handed[0]
        ]
        code = of_name[0] if len(of_name) == 1 else "f"
        called = code if len(of_name) == 1 else "the function"
        return _HANDED.format(names=", ".join(handed[:5]), name=handed[0], called=called, code=code)
    if observation.functions or (active.run.ledger is not None and active.run.ledger.elsewhere) or jit_disabled():
        return None
    named = [name for name in _jitted_names(namespace, active.cell.source) if not _is_defined(name, namespace, active)]
    return _NAMED.format(name=named[0], more=_RAISED) if named else None


def _is_defined(name: str, namespace: dict[str, Any], active: ActiveCell) -> bool:
    """Return whether the cell itself makes a jitted function, so that no earlier call can have compiled it."""
    code = code_of(namespace[name])
    return code is not None and file_of(code) == active.cell.file


def _jitted_names(namespace: dict[str, Any], source: str) -> list[str]:
    """Return the names of jitted functions that the cell's code reads, in alphabetical order."""
    lines = ["" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()]
    tree = tree_of("\n".join(lines))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree is not None else set()
    return sorted(name for name in names if is_jitted(namespace.get(name)) and not is_of_jax(namespace[name]))


def _jitted_here(namespace: dict[str, Any], file: str) -> list[str]:
    """Return the names of the jitted functions whose def is in the file of the cell."""
    names = []
    for name, value in list(namespace.items()):
        if is_jitted(value) and not name.startswith("_"):
            code = code_of(value)
            if code is not None and file_of(code) == file:
                names.append(name)
    return names
