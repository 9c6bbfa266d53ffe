"""Explains a convolution whose input has another number of channels than its kernel takes."""

from __future__ import annotations

import ast
import re

from ...observe.observation import FoundCure
from ...plain_text import message_of
from .constructs import called
from .edits import applied, edit_of, over
from .explanation import Explained
from .origins import operands, value_of
from .raised import RaisedAt
from .trial_of_cure import passed

_CHANNELS = re.compile(
    r"^conv_general_dilated lhs feature dimension size divided by feature_group_count must equal the rhs input "
    r"feature dimension size, but (?P<input>\d+) // \d+ != (?P<kernel>\d+)"
)
_ORDER = (
    "The order of the axes is that of dimension_numbers, by default (batch, channel, height, width) for the input and "
    "(out, in, height, width) for the kernel."
)
_LAYOUT = 'dimension_numbers=("NHWC", "HWIO", "NHWC")'


def convolution_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains the numbers of channels; the cure names the axes if the channels of both arrays come last."""
    match = _CHANNELS.match(message_of(error).strip())
    if match is None:
        return None
    title = f"The input of the convolution has {match['input']} channels, but the kernel takes {match['kernel']}"
    words = (
        f"Make the kernel for {match['input']} input channels. A kernel of one channel for each input channel needs "
        f"feature_group_count={match['input']}."
    )
    channels = FoundCure("channels", None, words)
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call):
        return Explained(None, title, _ORDER, (channels,))
    explanation = f"{_ORDER} {operands(raised, call.args[:2])}".strip()
    if not _has_channels_last(raised, call):
        return Explained(None, title, explanation, (channels,))
    code = f"{raised.source(call)[:-1].rstrip().rstrip(',')}, {_LAYOUT})"
    words = "NHWC: batch, height, width, channel. HWIO: height, width, channels of the input, channels of the result."
    cure = applied(FoundCure("dimension_numbers", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, explanation, tuple(passed(raised, [cure])) or (channels,))


def _has_channels_last(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether the arrays of a call without dimension_numbers fit as images (NHWC) and a kernel (HWIO)."""
    if called(call) != "conv_general_dilated" or len(call.args) < 2 or len(call.args) > 7:
        return False
    if any(keyword.arg in (None, "dimension_numbers") for keyword in call.keywords):
        return False
    images, kernel = (getattr(value_of(raised, argument), "shape", None) for argument in call.args[:2])
    return images is not None and kernel is not None and len(images) == len(kernel) == 4 and images[-1] == kernel[-2]
