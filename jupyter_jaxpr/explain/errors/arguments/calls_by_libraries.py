"""Explains a function of the user's that a library calls with more or fewer arguments than the function takes."""

from __future__ import annotations

import ast
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from ....observe.observation import FoundCure
from ....observe.user_or_library.whose_code import is_users_frame
from ....plain_text import own_name
from ....quantities import count
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, innermost

_NAMES_OF_LIBRARIES = {"jax": "JAX"}


class _LibraryCall(NamedTuple):
    """A call of the user's function in the code of a library.

    Attributes:
        library: The name of the library, such as diffrax.
        node: The syntax node of the call.
        function: The called function; None if unknown.
    """

    library: str
    node: ast.Call
    function: Any


def called_with_too_many(
    error: BaseException, raised: RaisedAt | None, name: str, given: str, takes: str
) -> Explained | None:
    """Explains a function with fewer parameters than a library passes arguments, such as the vector field of a solver.

    Args:
        error: The error of Python about the number of arguments.
        raised: Where the user's code called the library.
        name: The name of the function in the message.
        given: The number of arguments that the call passes, as in the message.
        takes: The number of arguments that the function takes, as in the message.

    Returns:
        The explanation; None if the arguments may be those of the user's own call, as in a call of a jitted function.
    """
    call = _call_by_library(error, raised, name)
    if call is None:
        return _handed_on(error, raised, name, given, takes)
    if type(call.function) is MethodType:
        if not takes.isdecimal():
            return None
        takes = str(int(takes) - 1)  # the message counts self
    word = "the lambda" if name == "<lambda>" else name
    number = count(_number_passed(call.node), "positional argument")
    title = f"{call.library} calls {word} with {number}, but {word} takes {takes}"
    words = f"Give {word} {count(_number_passed(call.node), 'parameter')}"
    if type(call.function) is MethodType:
        words = f"{words} after self"
    parameters = _parameters(call)
    if parameters:
        code = f"lambda {parameters}" if name == "<lambda>" else f"def {name}({parameters})"
        words = f"{words}, such as {code}"
    return Explained(None, title, "", (FoundCure("the parameters", None, f"{words}."),))


def _handed_on(error: BaseException, raised: RaisedAt | None, name: str, given: str, takes: str) -> Explained | None:
    """Explains a function that the user's code passes to a library, such as pend in odeint(pend, y0, t).

    The library calls the function with arguments that may be its own or those of the user's call, as in jax.vjp(f, x).
    """
    at = innermost(error)
    if at is None or at.frame is None or is_users_frame(at.frame) or raised is None or raised.frame is None:
        return None
    passed_functions = [
        part for part in (raised.node.args if isinstance(raised.node, ast.Call) else ()) if isinstance(part, ast.Name)
    ]
    values = [value_of(raised, part) for part in passed_functions]
    library_function = called(raised.node)
    if not library_function or not any(type(value) is FunctionType and own_name(value) == name for value in values):
        return None
    title = f"{library_function} passes {count(int(given), 'positional argument')} to {name}, but {name} takes {takes}"
    words = (
        f"Give {name} {count(int(given), 'parameter')}. If {library_function} got some of these arguments in the call, "
        "you can also leave those out of the call."
    )
    return Explained(None, title, "", (FoundCure("the parameters", None, words),))


def called_with_too_few(error: BaseException, raised: RaisedAt | None, name: str, missing: str) -> Explained | None:
    """Explains a function with more required parameters than a library passes arguments.

    Args:
        error: The error of Python about the missing arguments.
        raised: Where the user's code called the library.
        name: The name of the function in the message.
        missing: The names of the parameters that get no argument.

    Returns:
        The explanation; None if the arguments may be those of the user's own call, as in a call of a jitted function.
    """
    call = _call_by_library(error, raised, name)
    if call is None:
        return None
    word = "the lambda" if name == "<lambda>" else name
    number = count(_number_passed(call.node), "positional argument")
    title = f"{call.library} calls {word} with {number}, and leaves out {missing}"
    words = f"Give {missing} a default value in the definition of {word}."
    if type(call.function) is FunctionType and name != "<lambda>" and missing.isidentifier():
        words = (
            f"Pass functools.partial({name}, {missing}=value) in place of {name}, or give {missing} a default value in "
            f"the definition of {name}."
        )
    return Explained(None, title, "", (FoundCure("the parameters", None, words),))


def _number_passed(call: ast.Call) -> int:
    return sum(not isinstance(part, ast.Starred) for part in call.args)


def _call_by_library(error: BaseException, raised: RaisedAt | None, name: str) -> _LibraryCall | None:
    """Return the call in the code of a library that passed the wrong number of arguments; None if unknown.

    A call such as fun(*args) only hands on arguments, perhaps those of the user's own call. So each argument must be
    written out in the call of the library. The call may also hand on no further arguments, as fun(x, *args) does with
    empty args, if the user's code passes the function itself to the library.
    """
    at = innermost(error)
    call = at.node if at is not None else None
    if at is None or at.frame is None or not isinstance(call, ast.Call) or is_users_frame(at.frame):
        return None
    function = value_of(at, call.func)
    if type(function) not in (FunctionType, MethodType):
        function = None
    elif own_name(function) != name:
        return None
    stars = [part.value for part in call.args if isinstance(part, ast.Starred)]
    if not _number_passed(call) or call.keywords or any(value_of(at, part) != () for part in stars):
        return None
    if stars and not _is_passed(raised, function):
        return None
    library = str(at.frame.f_globals.get("__name__", "")).partition(".")[0]
    return _LibraryCall(_NAMES_OF_LIBRARIES.get(library, library), call, function) if library else None


def _is_passed(raised: RaisedAt | None, function: Any) -> bool:
    """Return whether the failing call in the user's code passes a function as an argument."""
    if raised is None or raised.frame is None or not isinstance(raised.node, ast.Call) or function is None:
        return False
    return any(value_of(raised, part) is function for part in raised.node.args)


def _parameters(call: _LibraryCall) -> str:
    """Return the parameters that the function needs: its own, then those named as the library's arguments.

    Empty if the library passes an argument without a name, or if the function has other parameters than positional
    ones.
    """
    if type(call.function) is not FunctionType:
        return ""
    code = call.function.__code__
    own_parameters = list(code.co_varnames[: code.co_argcount])
    further = [part.id for part in call.node.args[len(own_parameters) :] if isinstance(part, ast.Name)]
    names = [*own_parameters, *further]
    is_plain = not code.co_kwonlyargcount and not call.function.__defaults__ and len(set(names)) == len(names)
    return ", ".join(names) if is_plain and further and len(names) == _number_passed(call.node) else ""
