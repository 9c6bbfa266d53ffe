"""Finds the order of axes in which the input or the kernel of a convolution has the channels that the call expects."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.origins import value_of
from ..failing_code.passing_calls import Passing, passing_calls
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape

_DEFAULT = ("NCHW", "OIHW", "NCHW")
_KERNELS = ("OIHW", "HWIO", "OHWI")
_PLACE = 6
"""The position of dimension_numbers in the arguments of conv_general_dilated."""
#: The convolutions of jax.lax. The order of their axes without dimension_numbers is that of _DEFAULT.
WITHOUT_NUMBERS = frozenset({"conv", "conv_with_general_padding", "conv_general_dilated"})
_READ = (
    "The call reads {image} as {image_letters} and {kernel} as {kernel_letters}: N is the batch, C the channels, H the "
    "height, W the width, I the channels of the input and O the channels of the result."
)
_MOVED = (
    "{image} has {channels} along axis {axis}. {code} moves the channels to axis {expected}, where the "
    "convolution reads the channels."
)
_KERNEL_ORDER = "{kernel} has the shape {shape}: in the order {letters}, the kernel takes {channels} of the input."

_GROUPS = (
    "{kernel} takes one input channel. With {option}, the convolution computes each channel of the input by itself."
)


@dataclass(frozen=True)
class Layout:
    """A convolution of images, with the orders of axes in which the call reads its arrays.

    Attributes:
        call: The call of conv_general_dilated, conv or conv_with_general_padding.
        letters: The orders of the axes of the input, the kernel and the result, such as NHWC, HWIO and NHWC.
        numbers: The expression of the option dimension_numbers; None without the option.
        image: The shape of the input.
        kernel: The shape of the kernel.
        groups: The number in feature_group_count.
    """

    call: ast.Call
    letters: tuple[str, str, str]
    numbers: ast.Tuple | None
    image: Shape
    kernel: Shape
    groups: int

    @property
    def expected(self) -> int:
        """The number of input channels that the kernel expects."""
        return self.kernel[self.letters[1].index("I")] * self.groups

    @property
    def channels(self) -> int:
        """The number of channels that the call reads in the input."""
        return self.image[self.letters[0].index("C")]


def layout_of(raised: RaisedAt, groups: int) -> Layout | None:
    """Return the orders in which the failing convolution reads its arrays; None if the code does not show them.

    Args:
        raised: Where the convolution raised the error.
        groups: The number in feature_group_count.
    """
    call = raised.node
    if not isinstance(call, ast.Call) or len(call.args) < 2 or any(isinstance(part, ast.Starred) for part in call.args):
        return None
    numbers: ast.expr | None = next((part.value for part in call.keywords if part.arg == "dimension_numbers"), None)
    if called(call) == "conv_general_dilated" and len(call.args) > _PLACE:
        numbers = call.args[_PLACE]
    if any(keyword.arg is None for keyword in call.keywords) or called(call) not in WITHOUT_NUMBERS:
        return None
    letters = _letters(raised, numbers)
    image, kernel = (shape_of(raised, part) for part in call.args[:2])
    if letters is None or image is None or kernel is None or not len(image) == len(kernel) == len(letters[0]):
        return None
    return Layout(call, letters, numbers if isinstance(numbers, ast.Tuple) else None, image, kernel, groups)


def _letters(raised: RaisedAt, numbers: ast.expr | None) -> tuple[str, str, str] | None:
    value = value_of(raised, numbers) if numbers is not None else _DEFAULT
    if isinstance(numbers, ast.Tuple):
        value = tuple(part.value if isinstance(part, ast.Constant) else None for part in numbers.elts)
    if numbers is not None and isinstance(numbers, ast.Constant) and numbers.value is None:
        value = _DEFAULT
    if type(value) is not tuple or len(value) != 3 or any(type(part) is not str for part in value):
        return None
    image, kernel, result = value
    if sorted(image) != sorted("NCHW") or sorted(kernel) != sorted("OIHW") or sorted(result) != sorted("NCHW"):
        return None
    return image, kernel, result


def reading_of(raised: RaisedAt, layout: Layout) -> str:
    """Return the sentence on the orders in which the call reads its arrays."""
    image, kernel = (" ".join(raised.source(part).split()) for part in layout.call.args[:2])
    letters = {"image_letters": layout.letters[0], "kernel_letters": layout.letters[1]}
    return _READ.format(image=image, kernel=kernel, **letters)


def layout_cures(raised: RaisedAt, layout: Layout) -> list[FoundCure]:
    """Return the cures for an input or a kernel in another order of axes; empty unless one passes its trial.

    An input in another order gets its order at the outermost call that passes the input, so that a convolution in a
    loop, whose later inputs are results of the loop, keeps its code.
    """
    place, batch = layout.letters[0].index("C"), layout.letters[0].index("N")
    fitting = [axis for axis, size in enumerate(layout.image) if size == layout.expected and axis not in (place, batch)]
    others = [letters for letters in _KERNELS if _kernel_fits(layout, letters)]
    if len(fitting) == 1 and not others:
        return _moved(raised, layout, fitting[0], place)
    if len(others) == 1 and not fitting:
        return _kernel_order(raised, layout, others[0])
    return []


def is_of_each_channel(layout: Layout) -> bool:
    """Return whether a kernel takes one channel, and its results are a multiple of the channels of the input."""
    inputs, results = (layout.kernel[layout.letters[1].index(letter)] for letter in "IO")
    return layout.groups == 1 and inputs == 1 and layout.channels > 1 and results % layout.channels == 0


def group_cures(raised: RaisedAt, layout: Layout) -> list[FoundCure]:
    """Return the cure for a kernel of each channel by itself; empty unless the cure passes its trial."""
    call = layout.call
    if called(call) != "conv_general_dilated" or len(call.args) > _PLACE + 1:
        return []
    if any(keyword.arg == "feature_group_count" for keyword in call.keywords):
        return []
    option = f"feature_group_count={layout.channels}"
    code = f"{raised.source(call)[:-1].rstrip().rstrip(',')}, {option})"
    words = _GROUPS.format(kernel=" ".join(raised.source(call.args[1]).split()), option=option)
    cure = applied(FoundCure("feature_group_count", option, words), [edit_of(raised, over(call, code))])
    return [tried for tried in passed(raised, [cure]) if tried.level == "applies"]


def _kernel_fits(layout: Layout, letters: str) -> bool:
    """Return whether a kernel in this order takes the channels of the input, and has as many rows as columns."""
    sizes = dict(zip(letters, layout.kernel, strict=True))
    return letters != layout.letters[1] and sizes["I"] * layout.groups == layout.channels and sizes["H"] == sizes["W"]


def _moved(raised: RaisedAt, layout: Layout, axis: int, place: int) -> list[FoundCure]:
    axes = [other for other in range(len(layout.image)) if other != axis]
    axes.insert(place, axis)
    image = layout.call.args[0]
    outermost = [Passing(raised, image), *passing_calls(raised, image)][-1]
    if not _has_shape(outermost, layout.image):
        return []
    at, source = outermost.at, " ".join(outermost.at.source(outermost.node).split())
    code = f"{source}.transpose({', '.join(map(str, axes))})"
    words = _MOVED.format(
        image=source, channels=count(layout.expected, "channel"), axis=axis, code=code, expected=place
    )
    cure = applied(FoundCure("transpose", code, words), [edit_of(at, over(outermost.node, code))])
    return [tried for tried in passed(at, [cure]) if tried.level == "applies"]


def _has_shape(passing: Passing, shape: Shape) -> bool:
    """Return whether an expression is an array of a shape, and can stand before .transpose without parentheses."""
    is_simple = isinstance(passing.node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    return is_simple and shape_of(passing.at, passing.node) == shape


def _kernel_order(raised: RaisedAt, layout: Layout, letters: str) -> list[FoundCure]:
    image, _, result = layout.letters
    numbers = f'("{image}", "{letters}", "{result}")'
    kernel = " ".join(raised.source(layout.call.args[1]).split())
    words = _KERNEL_ORDER.format(
        kernel=kernel, shape=layout.kernel, letters=letters, channels=count(layout.channels, "channel")
    )
    code = f"dimension_numbers={numbers}"
    if layout.numbers is not None:
        change = over(layout.numbers, numbers)
    elif called(layout.call) == "conv_general_dilated" and len(layout.call.args) <= _PLACE:
        change = over(layout.call, f"{raised.source(layout.call)[:-1].rstrip().rstrip(',')}, {code})")
    else:
        return []
    cure = applied(FoundCure("dimension_numbers", code, words), [edit_of(raised, change)])
    return [tried for tried in passed(raised, [cure]) if tried.level == "applies"]
