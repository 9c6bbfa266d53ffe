"""Counts the operations of a convolution.

The operations are two for each pair of a kernel element and an input element that are multiplied.
"""

from __future__ import annotations

import math
from typing import Any


def convolution(equation: Any) -> int:
    """Count the operations of a `conv_general_dilated`, as XLA's `HandleConvolution` counts them.

    The formula is: 2 x (input features / groups) x output features x (batch / batch groups) x P for each spatial axis.
    P is the number of pairs of a kernel position and an output position that fall on an element of the input. Padding
    and the holes of a dilated input are not counted.
    """
    parameters = equation.params
    numbers = parameters["dimension_numbers"]
    left, kernel, result = (variable.aval.shape for variable in (*equation.invars[:2], equation.outvars[0]))
    batch, features, *left_axes = numbers.lhs_spec
    _, _, *kernel_axes = numbers.rhs_spec
    _, result_features, *result_axes = numbers.out_spec
    products: int = (
        int(left[features])
        // parameters["feature_group_count"]
        * int(result[result_features])
        * (int(left[batch]) // parameters["batch_group_count"])
    )
    axes = zip(
        left_axes,
        kernel_axes,
        result_axes,
        parameters["window_strides"],
        parameters["padding"],
        parameters["lhs_dilation"],
        parameters["rhs_dilation"],
        strict=True,
    )
    operations: int = 2 * products
    for a, b, c, stride, padding, holes, spread in axes:
        operations *= meetings(int(left[a]), int(kernel[b]), int(result[c]), stride, padding[0], holes, spread)
    return operations


def meetings(size: int, kernel: int, result: int, stride: int, padding: int, holes: int, spread: int) -> int:
    """Count the pairs of a kernel element and an output position that fall on an input element, along one axis.

    Args:
        size: The size of the input.
        kernel: The size of the kernel.
        result: The size of the output.
        stride: The stride of the window.
        padding: The padding before the input.
        holes: The dilation of the input.
        spread: The dilation of the kernel.
    """
    return sum(_meeting(size, result, stride, tap * spread - padding, holes) for tap in range(kernel))


def _meeting(size: int, result: int, stride: int, shift: int, holes: int) -> int:
    """Count the outputs o < `result` for which o * stride + shift is an input element rather than a hole."""
    first = max(0, -(shift // stride))  # the least o for which o * stride + shift is not negative
    last = min(result - 1, ((size - 1) * holes - shift) // stride)
    if last < first:
        return 0
    divisor = math.gcd(stride, holes)
    if shift % divisor:
        return 0
    period = holes // divisor
    if period == 1:
        return last - first + 1
    start = -shift // divisor * pow(stride // divisor, -1, period) % period
    return (last - start) // period - (first - 1 - start) // period
