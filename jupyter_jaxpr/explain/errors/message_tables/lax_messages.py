"""The table of error messages of `jax.lax`, einsum and custom derivatives, with titles and cures."""

from __future__ import annotations

from .jax_messages import KEY_WITHOUT_VALUE, NUMBER_OF_AXES, TYPE_OF_TANGENT, Message

OPERANDS_OF_LAX = "Functions of jax.lax do not convert their operands to a common {dtype_or_shape}."
ONE_DTYPE = OPERANDS_OF_LAX.format(dtype_or_shape="dtype")
CONVERTED_OPERAND = ("one dtype", "Convert one operand to the dtype of the other with .astype.")
TWO_DTYPES = "lax.{function} takes operands of one dtype, but gets {first_dtype} and {second_dtype}"
TYPE_OF_RESULT_TANGENT = "A tangent of the result has the shape and the type of the result."
TANGENT_OF_OTHER_TYPE = (
    "The rule of a custom_jvp returns the tangent {type_of_tangent}, but the result is {type_of_result}"
)
EQUAL_ROWS = "All rows of an array have the same length."
PADDED_ROWS = (
    "one length",
    "Pad the rows to one length, and keep the original lengths, or a mask of the padding, in a second array.",
)
AXES_OF_UPDATE = "The update needs as many axes as the array."
ADDED_AXES = ("the axes", "Give the update an axis of size 1 for each axis of the array that the update lacks.")

LAX_MESSAGES = (
    Message(
        r"(?:The )?[Dd]erivatives of non-symmetric eigenvectors are",
        "JAX does not differentiate the eigenvectors of a matrix that may not be symmetric",
        "jnp.linalg.eig computes eigenvectors of any square matrix.",
        ("jnp.linalg.eigh", "Write jnp.linalg.eigh for a symmetric matrix: JAX differentiates its eigenvectors."),
        with_operands=True,
    ),
    Message(
        r"ppermute sources and destinations must be unique, got (.+?)\.?$",
        "Two pairs of ppermute have the same source or the same destination: {1}",
        "A pair names the source and the destination of a value.",
        ("perm", "Write pairs in which each source stands once, and each destination stands once."),
    ),
    Message(
        r"lax\.(?P<function>\w+) requires arguments to have the same dtypes, got (?P<first_dtype>\w+), "
        r"(?P<second_dtype>\w+)\.",
        TWO_DTYPES,
        ONE_DTYPE,
        CONVERTED_OPERAND,
        with_operands=True,
    ),
    Message(
        r"(?P<function>\w+): arrays must have the same number of dimensions, got \{(?P<numbers_of_axes>.*?)\}",
        "lax.{function} takes operands with one number of axes, but the operands have {numbers_of_axes} axes",
        "The functions of lax add no axis to an operand.",
        (
            "the operator",
            "Write an operator of Python, such as + or *, which adds missing axes, or add an axis with y[None].",
        ),
        with_operands=True,
    ),
    Message(
        r"dot_general requires lhs batch dimensions and rhs batch dimensions to have the same shape, got "
        r"(?P<first_sizes>\(.*?\)) and (?P<second_sizes>\(.*?\))",
        "The batch axes of dot_general have the sizes {first_sizes} and {second_sizes}, but must have the same sizes",
        "dimension_numbers is ((axes to sum over), (batch axes)), each with the axes of both operands.",
        ("batch axes", "Pass operands with equal sizes along the batch axes, or name other axes in dimension_numbers."),
        with_operands=True,
    ),
    Message(
        r"select `which` must be boolean or integer type, got (?P<dtype>\w+)",
        "The condition of lax.select must be boolean, but its dtype is {dtype}",
        "",
        ("a comparison", "Write a comparison, such as x > 0, as the first argument of lax.select."),
        with_operands=True,
    ),
    Message(
        r"(?P<function>\w+) does not accept dtype (?P<dtype>u?int\d+|bool)\. Accepted dtypes are subtypes of "
        r"(?:floating|inexact|complex)",
        "lax.{function} takes floats, but gets {dtype}",
        "Functions of jax.lax do not convert their operands to floats.",
        ("a float", "Convert the array first, for example with x.astype(float), or use the function of jax.numpy."),
        with_operands=True,
    ),
    Message(
        r"(?:\w+ )?slice_sizes must be less than or equal to operand shape, got slice_sizes "
        r"(?P<sizes>\(.*?\)) for operand shape (?P<shape>\(.*?\))",
        "A slice of the sizes {sizes} does not fit into an array of the shape {shape}",
        "",
        ("sizes", "Pass sizes of the slice that are at most the sizes of the array."),
        with_operands=True,
    ),
    Message(
        r"(?P<function>\w+) update must have the same rank as operand, got update shape "
        r"(?P<shape_of_update>\(.*?\)) for operand shape (?P<shape>\(.*?\))",
        "The update that {function} gets has the shape {shape_of_update}, but the array has the shape {shape}",
        AXES_OF_UPDATE,
        ADDED_AXES,
        with_operands=True,
    ),
    Message(
        r"safe_map\(\) argument 2 is (longer|shorter) than argument 1",
        "The start indices and the sizes of a slice have different lengths",
        "A slice has one start index and one size for each axis of the array.",
        ("each axis", "Pass as many sizes as start indices: one for each axis of the array."),
        raised_in_jax=True,
        with_operands=True,
        calls=("dynamic_slice",),
    ),
    Message(
        r"safe_(?:map|zip)\(\) argument 2 is (?:longer|shorter) than argument 1",
        "lax.slice takes one start, one limit and one stride for each axis of the array",
        "",
        ("each axis", "Write in each argument of lax.slice as many numbers as the array has axes."),
        raised_in_jax=True,
        with_operands=True,
        calls=("slice",),
    ),
    Message(
        r"Output character '(?P<letter>\w)' did not appear in the input",
        "The letter {letter} of the result is in no operand of einsum",
        "A letter of the result stands for an axis of an operand.",
        ("subscripts", "After -> in the subscripts, write only letters that the subscripts of an operand have."),
    ),
    Message(
        r"jvp called with different primal and tangent shapes;\s*Got primal shape "
        r"(?P<shape_of_argument>\(.*?\)) and tangent shape as (?P<shape_of_tangent>\(.*?\))",
        "The tangent of jvp has the shape {shape_of_tangent}, but the argument has the shape {shape_of_argument}",
        TYPE_OF_TANGENT,
        ("same shape", "Give a tangent of the shape {shape_of_argument}, such as jnp.ones_like(x)."),
    ),
    Message(
        r"Transpose rule \(for reverse-mode differentiation\) for '(?P<operation>\w+)' not implemented",
        "JAX cannot transpose the operation {operation}",
        "Only a linear function has a transpose. The backward pass of jax.grad needs transposes, too.",
        ("jax.vjp", "For a function that is not linear, y, backward = jax.vjp(f, x) gives the backward pass."),
    ),
    Message(
        r"Custom JVP rule must produce primal and tangent outputs with corresponding shapes and dtypes\. "
        r"Expected (\S+) \(tangent type of (?P<type_of_result>\S+)\) but got (?P<type_of_tangent>\S+)\.",
        TANGENT_OF_OTHER_TYPE,
        TYPE_OF_RESULT_TANGENT,
        (
            "same type",
            "Compute the tangent of the result from the tangents of the arguments, which JAX passes to the rule.",
        ),
    ),
    Message(
        r"setting an array element with a sequence\. The requested array has an inhomogeneous shape after",
        "The rows of the list have different lengths",
        EQUAL_ROWS,
        PADDED_ROWS,
        of_others=True,
    ),
    Message(
        r"dynamic_update_slice update shape must be smaller than operand shape, got update shape "
        r"(?P<shape_of_update>\(.*?\)) for operand shape (?P<shape>\(.*?\))",
        "An update of the shape {shape_of_update} does not fit into an array of the shape {shape}",
        "",
        ("a smaller update", "Pass an update that is at most as long as the array along each axis."),
        with_operands=True,
    ),
    Message(
        r"pad operand and padding_value must be same dtype: got (?P<dtype_of_array>\w+) and "
        r"(?P<dtype_of_value>\w+)",
        "lax.pad cannot pad an array of the dtype {dtype_of_array} with a value of the dtype {dtype_of_value}",
        ONE_DTYPE,
        ("one dtype", "Pass a padding value of the dtype {dtype_of_array}, such as jnp.{dtype_of_array}(0)."),
        with_operands=True,
    ),
    Message(
        r"Arguments to sort must have equal shapes, got: (?P<shapes>.+)",
        "lax.sort takes arrays of one shape, but gets arrays of the shapes {shapes}",
        "lax.sort puts the elements of all arrays into the order of the sorted first array.",
        ("one shape", "Pass arrays of one shape, or sort the arrays in separate calls."),
        with_operands=True,
    ),
    Message(
        r"JAX does not support string indexing; got idx=(?P<index>'.*?')",
        "An array cannot be indexed with the string {index}",
        "The indexed value is an array, not a dict.",
        ("an integer", "Index with integers, or keep the arrays in a dict, which jax.jit takes as an argument."),
        with_operands=True,
    ),
    Message(
        r"len\(\) of unsized object",
        "A single number has no length",
        "Python takes the length along the first axis, but this array has no axes.",
        (".size", "Write x.size, which is the number of elements of x, also without axes."),
        of_others=True,
    ),
    Message(
        r"can only convert an array of size 1 to a Python scalar",
        "item() takes an array of one element",
        "This array has no elements, or more than one element.",
        ("one element", "Take one element first, such as x[0].item(), or all elements with x.tolist()."),
        of_others=True,
    ),
    Message(
        r"Only scalar arrays can be converted to Python scalars; got arr\.ndim=(?P<number_of_axes>\d+)",
        "Python cannot make one number from an array with axes",
        f"float(), int() and complex() take a single number. {NUMBER_OF_AXES}",
        ("one number", "Take one element first, such as float(x[0]), or reduce the array, such as float(x.sum())."),
        with_operands=True,
    ),
    Message(
        r"Too (few|many) leaves for PyTreeDef; expected (?P<number_of_leaves>\d+), got (?P<passed_number>\d+)",
        "The number of leaves for tree.unflatten must be {number_of_leaves}, but is {passed_number}",
        "tree.unflatten takes the leaves in the order in which tree.flatten returns the leaves.",
        ("the leaves", "Pass exactly {number_of_leaves} leaves to tree.unflatten."),
    ),
    Message(
        r"key array cannot be converted to boolean",
        "A key of jax.random is neither true nor false",
        KEY_WITHOUT_VALUE,
        ("is not None", "Write key is not None to ask whether there is a key."),
    ),
    Message(
        r"x must be an integer or at least 1-dimensional",
        "permutation takes an integer or an array with axes",
        "An integer n stands for the numbers from 0 to n - 1.",
        ("an integer", "Pass an integer, or the array whose elements permutation shuffles."),
    ),
    Message(
        r"p must be None or a 1D vector with the same size as a\.shape\[axis\]\. p has shape "
        r"(?P<shape_of_p>\(.*?\)) and a\.shape\[axis\] is (?P<number_of_elements>\d+)",
        "choice draws from {number_of_elements} elements, but p has the shape {shape_of_p}",
        "p holds one probability for each element.",
        ("p", "Pass {number_of_elements} probabilities as p."),
    ),
    Message(
        r"Dimension must be (?:either 2 or )?3 for cross product",
        "A cross product takes vectors of three elements",
        "Each row along the last axis of an array is one vector.",
        ("three elements", "Pass arrays whose last axis has three elements, or pass another axis with axis=."),
        with_operands=True,
    ),
    Message(
        r"indices and arr must have the same number of dimensions; (?P<axes_of_indices>\d+) vs\. "
        r"(?P<axes_of_array>\d+)",
        "take_along_axis takes indices with as many axes as the array: the array has {axes_of_array}, the "
        "indices have {axes_of_indices}",
        "",
        (
            "[:, None]",
            "Give the indices the missing axis, and remove the axis from the result: "
            "jnp.take_along_axis(x, indices[:, None], axis=1)[:, 0].",
        ),
        with_operands=True,
    ),
    Message(
        r"Inconsistent number of elements: (?P<number_of_axes>\d+) vs (?P<number_of_positions>\d+)",
        "moveaxis gets different numbers of axes to move and of new positions: {number_of_axes} and "
        "{number_of_positions}",
        "",
        ("places", "Pass one new position for each axis that moves."),
        of_others=True,
    ),
)
