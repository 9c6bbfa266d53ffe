"""Explains an input of a convolution or a pooling of flax that has no axis for the channels."""

from __future__ import annotations

import ast
from typing import Any

from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....observe.user_or_library.whose_code import is_installed
from ....plain_text import file_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import dtype_of
from ..failing_code.place_of_error import RaisedAt

_CHANNELS = "flax takes the channels along the last axis. The axes before the channels are the axes of the window."


def spatial_input_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains nn.Conv(8, (3, 3)) and nn.max_pool(x, (2, 2)) of an image without an axis for its channels."""
    if raised is None or not isinstance(error, ValueError | AssertionError):
        return None
    found = _input_and_window(error)
    if found is None:
        return None
    inputs, window = found
    number = len(inputs.shape)
    if number > window:
        return None
    axes = "1 axis" if window == 1 else f"{window} axes"
    title = f"The window has {axes}, so the input needs {window + 1} axes, but the input has the shape {inputs.shape}"
    cure = FoundCure("an axis for the channels", None, "Write x[..., None] for an image x of one channel.")
    call = raised.node
    if number == window and isinstance(call, ast.Call):
        node = _argument(call)
        if node is not None:
            simple = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
            code = f"{raised.source(node) if simple else f'({raised.source(node)})'}[..., None]"
            words = "[..., None] adds a last axis with one channel."
            tried = passed(raised, [applied(FoundCure(cure.name, code, words), [edit_of(raised, over(node, code))])])
            return Explained(None, title, _CHANNELS, tuple(tried) or (cure,))
    return Explained(None, title, _CHANNELS, (cure,))


def _argument(call: ast.Call) -> ast.expr | None:
    """Return the input in a call of a module or a pooling: the last argument of init, else the first argument."""
    if call.keywords and called(call) not in ("max_pool", "avg_pool", "min_pool"):
        return None
    if called(call) in ("init", "apply", "init_with_output", "tabulate"):
        return call.args[1] if len(call.args) == 2 else None
    return call.args[0] if call.args else None


def _input_and_window(error: BaseException) -> tuple[Any, int] | None:
    """Return the input of the innermost convolution or pooling of flax, and the number of axes of its window."""
    traceback, found = error.__traceback__, None
    while traceback is not None:
        frame = traceback.tb_frame
        module = frame.f_globals.get("__name__")
        if type(module) is str and module.startswith("flax.") and is_installed(file_of(frame.f_code)):
            names = frame.f_locals
            window = names.get("window_shape", instance_dict(names.get("self")).get("kernel_size"))
            inputs = names.get("inputs")
            if dtype_of(inputs) and (type(window) is int or isinstance(window, tuple | list)):
                found = inputs, 1 if isinstance(window, int) else len(window)
        traceback = traceback.tb_next
    return found
