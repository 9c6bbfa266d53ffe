"""Explains a convolution whose input does not have the number of channels that its kernel expects."""

from __future__ import annotations

import ast
import re
import sys

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..arguments.jit_arguments import packages_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.module_names import jnp_name
from ..failing_code.only_assignments import only_value
from ..failing_code.origins import operands, value_of
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax
from .convolution_layouts import WITHOUT_NUMBERS, group_cures, is_of_each_channel, layout_cures, layout_of, reading_of

_CHANNELS = re.compile(
    r"^conv_general_dilated lhs feature dimension size divided by feature_group_count must equal the rhs input "
    r"feature dimension size, but (?P<input>\d+) // (?P<groups>\d+) != (?P<kernel>\d+)"
)
_ORDER = (
    "The option dimension_numbers gives the order of the axes. The default order is (batch, channel, height, width) "
    "for the input and (out, in, height, width) for the kernel."
)
_LAYOUT = 'dimension_numbers=("NHWC", "HWIO", "NHWC")'


def convolution_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error about the number of channels.

    The cure adds dimension_numbers if the channels of both arrays come last.
    """
    if raised is not None and raised.frame is not None and (few := _too_few_axes(error, raised)) is not None:
        return few
    match = _CHANNELS.match(message_of(error).strip())
    if match is None:
        return None
    channels_of_input = match["input"]
    title = (
        f"The input of the convolution has {count(int(channels_of_input), 'channel')}, but the kernel takes "
        f"{match['kernel']}"
    )
    words = (
        f"Make a kernel for {count(int(channels_of_input), 'input channel')}. A kernel that computes each channel by "
        f"itself takes 1 input channel, and needs feature_group_count={channels_of_input}."
    )
    if (groups := int(match["groups"])) > 1:
        of_group = int(match["input"]) // groups
        title = (
            f"With feature_group_count={groups}, the kernel must take {count(of_group, 'channel')}, but takes "
            f"{match['kernel']}"
        )
        words = (
            f"Make the kernel for {count(of_group, 'channel')}, which is the number of input channels, "
            f"{match['input']}, divided by feature_group_count."
        )
    channels = FoundCure("channels", None, words)
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call):
        return Explained(None, title, _ORDER, (channels,))
    if "equinox" in packages_of(value_of(raised, call.func)):
        return _of_equinox(raised, call, title, int(match["kernel"]))
    explanation = f"{_ORDER} {operands(raised, call.args[:2])}".strip()
    if not _has_channels_last(raised, call):
        layout = layout_of(raised, groups)
        if layout is None:
            return Explained(None, title, explanation, (channels,))
        if layout.numbers is not None:
            explanation = f"{reading_of(raised, layout)} {operands(raised, call.args[:2])}"
        if is_of_each_channel(layout):
            # A larger kernel would run, but would mix the channels: with_sizes keeps a cure of this name.
            advice = FoundCure("feature_group_count", None, words)
            return Explained(None, title, explanation, tuple(group_cures(raised, layout)) or (advice,))
        return Explained(None, title, explanation, tuple(layout_cures(raised, layout)) or (channels,))
    arguments = [*map(raised.source, call.args), *map(raised.source, call.keywords), _LAYOUT]
    code = f"{ast.unparse(_module(call))}.conv_general_dilated({', '.join(arguments)})"
    if called(call) == "conv_general_dilated":
        code = f"{raised.source(call)[:-1].rstrip().rstrip(',')}, {_LAYOUT})"
    words = (
        "NHWC is the order batch, height, width, channel. HWIO is the order height, width, channels of the input, "
        "channels of the result."
    )
    cure = applied(FoundCure("dimension_numbers", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, explanation, tuple(passed(raised, [cure])) or (channels,))


def _of_equinox(raised: RaisedAt, call: ast.Call, title: str, channels: int) -> Explained:
    """Explains a convolution of equinox whose input has its channels last."""
    text = (
        "A convolution of equinox takes one input without a batch axis. The first axis of the input is the axis of "
        "the channels."
    )
    words = f"Pass an input whose first axis has {channels} channels."
    cure = FoundCure("channels", None, words)
    shape = shape_of(raised, call.args[0]) if len(call.args) == 1 else None
    if shape is not None and shape[-1] == channels:
        jnp, source = jnp_name(raised), raised.source(call.args[0])
        code = f"{jnp}.moveaxis({source}, -1, 0)"
        words = f"{jnp}.moveaxis makes the last axis of {source} the first axis."
        moved = applied(FoundCure(f"{jnp}.moveaxis", code, words), [edit_of(raised, over(call.args[0], code))])
        return Explained(None, title, text, tuple(passed(raised, [moved])) or (cure,))
    return Explained(None, title, text, (cure,))


def _too_few_axes(error: BaseException, raised: RaisedAt) -> Explained | None:
    """Explains a convolution of lax whose input has no batch axis or no channel axis; None for another call."""
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) not in WITHOUT_NUMBERS or len(call.args) < 2:
        return None
    if not was_raised_in_jax(error) or value_of(raised, _module(call)) is not sys.modules.get("jax.lax"):
        return None
    image, kernel = (shape_of(raised, part) for part in call.args[:2])
    if image is None or kernel is None or min(len(image), len(kernel)) > 2:
        return None
    title = f"{called(call)} takes an input and a kernel with two more axes than the convolution has spatial axes"
    words = (
        "Give the input a batch axis and a channel axis, as in image[None, None], and the kernel an axis for the "
        "output channels and an axis for the input channels, as in kernel[None, None]."
    )
    text = f"{_ORDER} {operands(raised, call.args[:2])}".strip()
    return Explained(None, title, text, (FoundCure("[None, None]", None, words),))


def kernel_sentence(raised: RaisedAt, node: ast.expr) -> str:
    """Return the sentence on how lax.conv read its kernel.

    Return an empty string if the operand is no result of lax.conv.

    Args:
        raised: Where an operation on the result of the convolution raised the error.
        node: The operand.
    """
    call = _maker(raised, node)
    if not isinstance(call, ast.Call) or called(call) not in WITHOUT_NUMBERS or len(call.args) < 2:
        return ""
    if value_of(raised, _module(call)) is not sys.modules.get("jax.lax") and ast.unparse(_module(call)) != "jax.lax":
        return ""
    if len(call.args) > _OPTIONS or any(keyword.arg in (None, "dimension_numbers") for keyword in call.keywords):
        return ""
    kernel, result = shape_of(raised, call.args[1]), shape_of(raised, node)
    if kernel is None or result is None or not len(kernel) == len(result) == 4 or kernel[0] != result[1]:
        return ""
    return (
        f"Line {call.lineno} computes {raised.source(node)} with {ast.unparse(call.func)}, which reads the kernel as "
        f"(out, in, height, width). {raised.source(call.args[1])} has the shape {kernel}, so {raised.source(node)} has "
        f"{count(kernel[0], 'channel')} along axis 1."
    )


def kernel_cures(raised: RaisedAt, node: ast.expr, other: ast.expr) -> list[FoundCure]:
    """Return the cure for a kernel of lax.conv whose output channels are its last axis.

    The other operand of the failing operation shows the number of output channels.

    Args:
        raised: Where an operation on the result of the convolution raised the error.
        node: The result of lax.conv.
        other: The other operand, which has one element for each output channel, such as a bias.
    """
    call = _maker(raised, node) if kernel_sentence(raised, node) else None
    if not isinstance(call, ast.Call) or called(call) != "conv" or len(call.args) != 4 or call.keywords:
        return []
    image, kernel, bias = (shape_of(raised, part) for part in (*call.args[:2], other))
    if image is None or kernel is None or bias is None or len(kernel) != 4 or bias != kernel[3:]:
        return []
    if (
        image[1] != kernel[2]
        or kernel[0] == kernel[3]
        or not isinstance(other, ast.Name | ast.Attribute | ast.Subscript)
    ):
        return []
    option = 'dimension_numbers=("NCHW", "HWIO", "NCHW")'
    function = f"{ast.unparse(_module(call))}.conv_general_dilated"
    code = f"{function}({', '.join([*map(raised.source, call.args), option])})"
    words = (
        f"HWIO says that the kernel has the axes height, width, in, out. So the result has {kernel[3]} channels along "
        f"axis 1. "
        f"{raised.source(other)}[:, None, None] has one element for each channel."
    )
    edits = [edit_of(raised, over(call, code)), edit_of(raised, over(other, f"{raised.source(other)}[:, None, None]"))]
    return passed(raised, [applied(FoundCure("dimension_numbers", code, words), edits)])


def _maker(raised: RaisedAt, node: ast.expr) -> ast.expr | None:
    """Return the expression that the failing function assigns to a name. None if there is no assignment, or several."""
    return only_value(raised.function, node.id) if isinstance(node, ast.Name) else None


_OPTIONS = 6
"""The number of positional arguments of conv_general_dilated before dimension_numbers."""


def _module(call: ast.Call) -> ast.expr:
    """Return the module in the code of a call, such as `lax` in `lax.conv(...)`."""
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


def _has_channels_last(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether the arrays of a call without dimension_numbers fit as images (NHWC) and a kernel (HWIO)."""
    # The fifth argument of conv is its precision, which conv_general_dilated takes at another place.
    most = 4 if called(call) == "conv" else _OPTIONS
    if called(call) not in WITHOUT_NUMBERS or not isinstance(call.func, ast.Attribute):
        return False
    if not 2 <= len(call.args) <= most:
        return False
    if any(keyword.arg in (None, "dimension_numbers") for keyword in call.keywords):
        return False
    images, kernel = (getattr(value_of(raised, argument), "shape", None) for argument in call.args[:2])
    return images is not None and kernel is not None and len(images) == len(kernel) == 4 and images[-1] == kernel[-2]
