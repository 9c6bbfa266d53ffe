"""Reports traces that no call causes: `jax.make_jaxpr`, `jax.eval_shape`, `f.trace()`, `f.lower()`, `jax.export`.

`print_saved_residuals(f, x)` traces the forward pass of `f`, too.

All these calls pass through one function of JAX, which makes a `jax.stages.Traced`.

- `TracedAhead`: one such trace.
- `TracesAhead`: reports each such trace.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any

from ..interruptions import not_of_a_signal
from ..plain_text import FAILURES
from .facts import jax_directory, private
from .stand_ins_in_modules import TellingMethod

_RESIDUALS = "print_saved_residuals"
_ASKED = {
    "make_jaxpr_f": "jax.make_jaxpr",
    "eval_shape": "jax.eval_shape",
    "jit_eval_shape": "eval_shape",
    "jit_lower": "lower",
    "jit_trace": "trace",
    "do_export": "jax.export",
    "print_saved_residuals": _RESIDUALS,
    "saved_residuals": _RESIDUALS,
}
"""The name of the JAX function that the user's code called -> the text that the user wrote."""


@dataclass(frozen=True)
class TracedAhead:
    """One trace that no call caused.

    Attributes:
        traced: JAX's `jax.stages.Traced`; set when JAX has finished the trace.
        fun: The traced function.
        options: JAX's record of the function's jit; `jax.make_jaxpr`, too, jits its argument.
        args: The positional arguments of the traced call.
        kwargs: The keyword arguments of the traced call.
        by: The public function that the user called, such as `jax.make_jaxpr`.
    """

    traced: Any
    fun: Any
    options: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    by: str


def asked_by(frame: FrameType | None) -> str | None:
    """Return the public function by which the user asked for a trace, such as `jax.make_jaxpr`; None if JAX asked."""
    request = None
    while frame is not None and frame.f_code.co_filename.startswith(jax_directory()):
        if not frame.f_code.co_filename.endswith(_PASSING_ON):
            request = _ASKED.get(frame.f_code.co_name)
        frame = frame.f_back
    return request


_PASSING_ON = ("traceback_util.py", "xla_metadata.py")
"""The modules whose frames only pass the user's call on: those around each entry point, and those of a decorator."""


def _function_of_residuals(frame: FrameType | None) -> Any:
    """Return the function whose saved residuals the user asked for; JAX traces a wrapper of it."""
    while frame is not None and frame.f_code.co_name != "saved_residuals":
        frame = frame.f_back
    return None if frame is None else frame.f_locals["f"]


def jitted_as_by_make_jaxpr(fun: Any) -> Any:
    """Return the jitted function inside a result of `jax.make_jaxpr(f)`: `jax.jit` of `f` with its static arguments.

    Args:
        fun: Any object.

    Returns:
        The jitted function; `fun` itself if it is no result of `jax.make_jaxpr`.
    """
    import jax

    unwrapped = _captured(fun).get("fun", fun)  # JAX wraps each public function once more, in `api_boundary`
    code = getattr(unwrapped, "__code__", None)
    captured = _captured(unwrapped)
    if code is None or code.co_name != "make_jaxpr_f" or not {"fun", "static_argnums"} <= captured.keys():
        return fun
    return jax.jit(captured["fun"], static_argnums=captured["static_argnums"])


def _captured(fun: Any) -> dict[str, Any]:
    if type(fun) is not FunctionType or not fun.__code__.co_filename.startswith(jax_directory()):
        return {}
    cells = fun.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(fun.__code__.co_freevars, cells, strict=True)}


class TracesAhead:
    """Reports each trace that no call causes.

    Args:
        tell: Called with the trace and JAX's frame.
        fail: Receives an error of this package.
    """

    def __init__(self, tell: Callable[[TracedAhead, FrameType], None], fail: Callable[[BaseException], None]) -> None:
        self._tell = tell
        self._fail = fail
        self._method: TellingMethod | None = None

    def start(self) -> None:
        """Start reporting traces that no call causes.

        Raises:
            AttributeError: This version of JAX traces ahead of a call in another way.
        """
        if self._method is not None:
            return
        code = inspect.unwrap(private("pjit").jit_trace).__code__
        tell, fail = self._tell, self._fail

        def note_traced(traced: Any, frame: FrameType) -> None:
            if frame.f_code is not code:
                return
            try:
                variables = frame.f_locals
                jitted = variables["jit_func"]
                by = asked_by(frame)
                if by is not None:
                    fun = (_function_of_residuals(frame) if by == _RESIDUALS else None) or jitted._fun
                    ahead = TracedAhead(traced, fun, jitted._jit_info, variables["args"], variables["kwargs"], by)
                    tell(ahead, frame)
            except not_of_a_signal(*FAILURES) as error:
                fail(error)

        self._method = TellingMethod(private("stages").Traced, "__init__", note_traced)

    def stop(self) -> None:
        """Stop reporting the traces, and restore the method of JAX that was replaced."""
        if self._method is not None:
            self._method.put_back()
            self._method = None
