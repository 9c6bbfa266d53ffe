"""The table of error messages of `jax.lax`, einsum and custom derivatives, with titles and cures."""

from __future__ import annotations

from .jax_messages import Message

LAX_MESSAGES = (
    Message(
        r"lax\.(\w+) requires arguments to have the same dtypes, got (\w+), (\w+)\.",
        "lax.{1} takes operands of one dtype, but gets {2} and {3}",
        "Functions of jax.lax do not convert their operands to a common dtype.",
        ("one dtype", "Convert one operand to the dtype of the other with .astype."),
        with_operands=True,
    ),
    Message(
        r"(\w+): arrays must have the same number of dimensions, got \{(.*?)\}",
        "lax.{1} takes operands with equally many axes, but gets arrays of {2} axes",
        "The functions of lax add no axis to an operand.",
        (
            "the operator",
            "Write an operator of Python, such as + or *, which adds axes, or give the operand an axis, as in y[None].",
        ),
        with_operands=True,
    ),
    Message(
        r"select `which` must be boolean or integer type, got (\w+)",
        "The condition of lax.select must be boolean, not {1}",
        "",
        ("a comparison", "Write a comparison, such as x > 0, as the first argument."),
        with_operands=True,
    ),
    Message(
        r"(\w+) does not accept dtype (u?int\d+|bool)\. Accepted dtypes are subtypes of (?:floating|inexact|complex)",
        "lax.{1} takes floats, but gets {2}",
        "Functions of jax.lax do not convert their operands to floats.",
        ("a float", "Convert the array first, for example with x.astype(float), or use the function of jax.numpy."),
        with_operands=True,
    ),
    Message(
        r"(?:\w+ )?slice_sizes must be less than or equal to operand shape, got slice_sizes (\(.*?\)) for operand "
        r"shape (\(.*?\))",
        "A slice of the sizes {1} does not fit into an array of the shape {2}",
        "",
        ("sizes", "Give sizes that are at most the sizes of the array."),
        with_operands=True,
    ),
    Message(
        r"(\w+) update must have the same rank as operand, got update shape (\(.*?\)) for operand shape (\(.*?\))",
        "The update of {1} has the shape {2}, but the array has the shape {3}",
        "The update needs as many axes as the array.",
        ("the axes", "Give the update an axis of size 1 for each axis of the array that the update lacks."),
        with_operands=True,
    ),
    Message(
        r"safe_map\(\) argument 2 is (longer|shorter) than argument 1",
        "The start indices and the sizes of a slice have different lengths",
        "A slice has one start index and one size for each axis of the array.",
        ("each axis", "Give as many sizes as start indices: one for each axis."),
        raised_in_jax=True,
        with_operands=True,
        calls=("dynamic_slice",),
    ),
    Message(
        r"Output character '(\w)' did not appear in the input",
        "The letter {1} of the result is in no operand of einsum",
        "A letter of the result stands for an axis of an operand.",
        ("subscripts", "Write behind -> only letters that the subscripts of an operand have."),
    ),
    Message(
        r"jvp called with different primal and tangent shapes;\s*Got primal shape (\(.*?\)) and tangent shape as "
        r"(\(.*?\))",
        "The tangent of jvp has the shape {2}, but the argument has the shape {1}",
        "A tangent has the shape and the type of its argument.",
        ("same shape", "Give a tangent of the shape {1}, such as jnp.ones_like(x)."),
    ),
    Message(
        r"Transpose rule \(for reverse-mode differentiation\) for '(\w+)' not implemented",
        "JAX cannot transpose {1}",
        "Only a linear function has a transpose. The backward pass of jax.grad needs transposes, too.",
        ("jax.vjp", "For a function that is not linear, y, backward = jax.vjp(f, x) gives the backward pass."),
    ),
    Message(
        r"Custom JVP rule must produce primal and tangent outputs with corresponding shapes and dtypes\. Expected "
        r"(\S+) .*?but got (\S+)\.",
        "The rule of a custom_jvp returns the tangent {2}, but the result is {1}",
        "A tangent has the shape and the type of the result.",
        ("same type", "Compute the tangent of the result from the tangents that the rule gets."),
    ),
    Message(
        r"expected function with aux output to return a two-element tuple, but got type",
        "With has_aux=True the function must return a pair: the number and an auxiliary value",
        "The function returns something other than a tuple of two elements.",
        ("a pair", "Return the pair (loss, aux) from the function, or leave has_aux=True out."),
    ),
    Message(
        r"setting an array element with a sequence\. The requested array has an inhomogeneous shape after",
        "The rows of the list have different lengths",
        "An array has one length along each axis.",
        (
            "one length",
            "Pad the rows to one length, and keep the original lengths, or a mask of the padding, in a second array.",
        ),
        of_others=True,
    ),
    Message(
        r"dynamic_update_slice update shape must be smaller than operand shape, got update shape (\(.*?\)) for operand "
        r"shape (\(.*?\))",
        "An update of the shape {1} does not fit into an array of the shape {2}",
        "",
        ("a smaller update", "Give an update that is at most as long as the array along each axis."),
        with_operands=True,
    ),
    Message(
        r"pad operand and padding_value must be same dtype: got (\w+) and (\w+)",
        "lax.pad cannot fill an array of {1} with a value of {2}",
        "Functions of jax.lax do not convert their operands to a common dtype.",
        ("one dtype", "Give the padding value the dtype {1}, such as jnp.{1}(0)."),
        with_operands=True,
    ),
    Message(
        r"Arguments to sort must have equal shapes, got: (.+)",
        "lax.sort takes arrays of one shape, but gets {1}",
        "lax.sort orders all arrays by the first array.",
        ("one shape", "Give arrays of one shape, or sort the arrays one after the other."),
        with_operands=True,
    ),
    Message(
        r"JAX does not support string indexing; got idx=('.*?')",
        "An array cannot be indexed with a string: {1}",
        "The indexed value is an array, not a dict.",
        ("an integer", "Index with integers, or keep the arrays in a dict, which jax.jit takes as an argument."),
        with_operands=True,
    ),
    Message(
        r"len\(\) of unsized object",
        "A single number has no length",
        "The array has no axes.",
        (".size", "x.size is the number of elements, also of an array without axes."),
        of_others=True,
    ),
    Message(
        r"can only convert an array of size 1 to a Python scalar",
        "item() takes an array of one element",
        "The array has no elements, or more than one element.",
        ("one element", "Take one element first, such as x[0].item(), or all elements with x.tolist()."),
        of_others=True,
    ),
    Message(
        r"Only scalar arrays can be converted to Python scalars; got arr\.ndim=(\d+)",
        "Python cannot make one number from an array with axes",
        "float(), int() and complex() take a single number. Number of axes of the array: {1}.",
        ("one number", "Take one element first, such as float(x[0]), or reduce the array, such as float(x.sum())."),
        with_operands=True,
    ),
    Message(
        r"Too (few|many) leaves for PyTreeDef; expected (\d+), got (\d+)",
        "The number of leaves for tree.unflatten must be {2}, but is {3}",
        "tree.unflatten takes the leaves in the order of tree.flatten.",
        ("the leaves", "Give exactly {2} leaves."),
    ),
    Message(
        r"key array cannot be converted to boolean",
        "A key of jax.random is neither true nor false",
        "A key has no value to compute with: the functions of jax.random use a key to draw numbers.",
        ("is not None", "Write key is not None to ask whether there is a key."),
    ),
    Message(
        r"x must be an integer or at least 1-dimensional",
        "permutation takes an integer or an array with axes",
        "An integer n stands for the numbers from 0 to n - 1.",
        ("an integer", "Pass an integer, or the array whose elements are to be permuted."),
    ),
    Message(
        r"p must be None or a 1D vector with the same size as a\.shape\[axis\]\. p has shape (\(.*?\)) and "
        r"a\.shape\[axis\] is (\d+)",
        "choice draws from {2} elements, but p has the shape {1}",
        "p is the probability of each element.",
        ("p", "Give {2} probabilities."),
    ),
    Message(
        r"Dimension must be (?:either 2 or )?3 for cross product",
        "A cross product takes vectors of three elements",
        "The last axis holds the vectors.",
        ("three elements", "Give arrays whose last axis has three elements, or name another axis with axis=."),
        with_operands=True,
    ),
    Message(
        r"indices and arr must have the same number of dimensions; (\d+) vs\. (\d+)",
        "take_along_axis takes indices with as many axes as the array: the array has {2}, the indices have {1}",
        "",
        (
            "[:, None]",
            "Give the indices the missing axis, and remove the axis from the result: "
            "jnp.take_along_axis(x, indices[:, None], axis=1)[:, 0].",
        ),
        with_operands=True,
    ),
    Message(
        r"Inconsistent number of elements: (\d+) vs (\d+)",
        "moveaxis gets different numbers of axes to move and of new positions: {1} and {2}",
        "",
        ("places", "Write one new position for each axis that moves."),
        of_others=True,
    ),
)
