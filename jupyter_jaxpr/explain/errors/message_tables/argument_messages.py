"""The table of error messages about shapes, sizes and options of single arguments, with titles and cures.

The messages are those of `jax.numpy`, `jax.lax`, `jax.nn`, `jax.image`, `jax.random`, checkify, jit and shard_map.
"""

from __future__ import annotations

from .device_messages import SHARDING_WITH_MESH
from .jax_messages import UNKNOWN_ARGUMENT, Message
from .lax_messages import CONVERTED_OPERAND, ONE_DTYPE

TUPLE_OF_INTEGERS = ("a tuple", "Write a tuple with one integer for each axis, also for a single axis.")
_AXIS_OF_INDICES = (
    "the indices",
    "Give the indices a last axis of the size {number_of_axes}, such as i[:, None] for the size 1.",
)
_LIMITS = ("limit_indices", "Write limits that are at least the starts. lax.dynamic_slice takes sizes.")
_INITIALIZER_OF_BIAS = (
    "another initializer",
    "For a bias, use jax.nn.initializers.zeros or jax.nn.initializers.normal(), which take any shape.",
)
_ARGUMENTS_OF_DEFINITION = ("the arguments", "Pass to {function} only the arguments that its definition has.")

ARGUMENT_MESSAGES = (
    # --- jax.numpy ---
    Message(
        r"Array\.__contains__: search array must be one-dimensional, got arr\.shape=(?P<shape>\(.*?\))",
        "The operator in searches an array of one axis, but the array has the shape {shape}",
        "",
        ("jnp.any", "Write jnp.any(x == value), which compares with the elements along all axes."),
    ),
    Message(
        r"Array\.__contains__: query value must be a scalar",
        "The operator in searches an array for a single number, not for an array",
        "",
        ("jnp.isin", "Write jnp.isin(values, x), which is true for each value that x contains."),
    ),
    Message(
        r"rot90 requires its first argument to have ndim at least two, but got first argument of shape "
        r"(?P<shape>\(.*?\))",
        "rot90 takes an array of at least 2 axes, but the array has the shape {shape}",
        "",
        ("a matrix", "Pass an array of at least 2 axes."),
        with_operands=True,
    ),
    Message(
        r"diff requires input that is at least one dimensional",
        "diff takes differences along an axis, and a single number has no axes",
        "",
        ("an axis", "Pass an array with at least one axis."),
        with_operands=True,
    ),
    Message(
        r"Shape of array too small to calculate a numerical gradient",
        "gradient needs at least 2 elements along each axis",
        "jnp.gradient computes differences of neighbouring elements. jax.grad computes the derivative of a function.",
        (
            "axis",
            "Pass an array with at least 2 elements along each axis, or name with axis= other axes.",
        ),
        with_operands=True,
    ),
    Message(
        r"with (?P<number_of_conditions>\d+) condition\(s\), either \d+ or \d+ functions are expected; got "
        r"(?P<number_of_functions>\d+)",
        "The number of functions of piecewise is {number_of_functions}, but the number of conditions is "
        "{number_of_conditions}",
        "",
        (
            "one function",
            "Pass one function or number for each condition, and at most one more for the elements where no condition "
            "is true.",
        ),
    ),
    Message(
        r"invalid entry in choice array",
        "An index of choose names none of the choices",
        "The first choice has the index 0.",
        ("mode", 'Pass indices that are smaller than the number of choices, or mode="clip" or mode="wrap".'),
        raised_in_jax=True,
    ),
    Message(
        r"digitize: bins must be a 1-dimensional array",
        "digitize takes the bins as an array of one axis",
        "",
        ("one axis", "Pass the edges of the bins as an array of one axis."),
        with_operands=True,
    ),
    Message(
        r"np\.delete\(arr, obj\): got obj\.dtype=(?P<dtype>\w+)",
        "delete takes positions as integers or a mask, not {dtype}",
        "",
        ("integers", "Pass positions of an integer type, such as positions.astype(int)."),
        with_operands=True,
    ),
    Message(
        r"jax\.numpy\.block does not allow tuples",
        "block takes lists of blocks, not tuples",
        "",
        ("lists", "Write the rows and the blocks in lists, as in jnp.block([[a, b], [c, d]])."),
    ),
    Message(
        r"Mismatched list depths in jax\.numpy\.block",
        "The blocks of block are in lists of different depths",
        "",
        ("the depth", "Write each row of blocks as a list, as in jnp.block([[a, b], [c, d]])."),
    ),
    Message(
        r"Last 2 dimensions of the array must be square",
        "matrix_power takes a square matrix",
        "",
        ("a square matrix", "Pass a matrix with as many rows as columns."),
        raised_in_jax=True,
        with_operands=True,
    ),
    Message(
        r"Invalid shapes for solve: (?P<shape_of_matrix>\(.*?\)), (?P<shape_of_values>\(.*?\))\. Prior to JAX",
        "solve gets matrices of the shape {shape_of_matrix} and values of the shape {shape_of_values}",
        "solve reads values with several axes as matrices, with one row for each row of the matrix on the left.",
        (
            "[..., None]",
            "For one vector of values for each matrix, write jnp.linalg.solve(a, b[..., None]).squeeze(-1).",
        ),
        with_operands=True,
    ),
    Message(
        r"Input \d to (?P<function>\w+) must have rank at least (?P<needed_axes>\d+), but got shape=(?P<shape>\(.*?\))",
        "{function} takes an array of at least {needed_axes} axes, but the array has the shape {shape}",
        "",
        ("a matrix", "Pass an array of at least {needed_axes} axes."),
        with_operands=True,
    ),
    Message(
        r"initial value must be a scalar\. Got array of shape (?P<shape>\(.*?\))",
        "The argument initial is a single number, not an array of the shape {shape}",
        "",
        ("a number", "Pass one number as initial. jnp.maximum and jnp.minimum compare two arrays."),
    ),
    Message(
        r"method can only be 'linear', 'lower', 'higher', 'midpoint', 'nearest' or 'inverted_cdf'",
        "A quantile of JAX has no such method",
        "",
        ("method", 'Write "linear", "lower", "higher", "midpoint", "nearest" or "inverted_cdf" as the method.'),
    ),
    Message(
        r"q must be have rank <= 1, got shape (?P<shape>\(.*?\))",
        "The probabilities of a quantile are one number or an array of one axis, not of the shape {shape}",
        "",
        ("one axis", "Pass q.ravel(), and reshape the result."),
    ),
    Message(
        r"Number of samples, (?P<number>-?\d+), must be non-negative",
        "linspace cannot make {number} numbers",
        "",
        ("num", "Pass a number of at least 0 as num."),
        raised_in_jax=True,
    ),
    Message(
        r"'(?P<argument>kind|order)' argument to (?P<function>sort|argsort) is not supported",
        "{function} of JAX has no argument {argument}",
        "",
        ("stable", "Leave {argument} out. With stable=True, equal elements keep their order."),
    ),
    Message(
        r"only 1-dimensional input supported",
        "bincount takes an array of one axis",
        "",
        (".ravel()", "Pass x.ravel() to count all elements, or map bincount over rows with jax.vmap and length=."),
        with_operands=True,
        calls=("bincount",),
    ),
    Message(
        r"not a valid gufunc signature: (?P<signature>.+)",
        "jnp.vectorize cannot read the signature {signature}",
        "",
        ("the signature", 'Write the axes of each argument and of the result in parentheses, as in "(n,m),(m)->(n)".'),
        raised_in_jax=True,
    ),
    Message(
        r"input with shape (?P<shape>\(.*?\)) does not have enough dimensions for all core dimensions "
        r"\((?P<axes>.*?),?\) on vectorized function .*?signature='(?P<signature>.*?)'",
        "An argument of the shape {shape} does not have the axes {axes} of the signature {signature}",
        "In the signature of jnp.vectorize, each name stands for an axis that the argument must have.",
        ("the axes", "Pass an array with the axes of the signature, or correct the signature."),
        with_operands=True,
    ),
    Message(
        r"Number of tensordot axes \(axes (?P<axes>\d+)\) exceeds input ranks \((?P<first_shape>\(.*?\)) and "
        r"(?P<second_shape>\(.*?\))\)",
        "tensordot with axes={axes} needs more axes than an array has: the shapes are {first_shape} and {second_shape}",
        "",
        ("axes", "Write axes=n with a number n that is at most the number of axes of both arrays."),
        with_operands=True,
    ),
    Message(
        r"tensordot requires axes lists to have equal length, got (?P<first_axes>.+?) and (?P<second_axes>.+?)\.?$",
        "tensordot sums over pairs of axes, but axes names {first_axes} and {second_axes}",
        "",
        ("axes", "Write in axes for both arrays equally many axes."),
        with_operands=True,
    ),
    Message(
        r"tensordot (?:axes argument must be an int|requires both axes lists to be either ints)",
        "The argument axes of tensordot is a number or a pair",
        "",
        ("axes", "Write axes=n, or axes=((1,), (0,)) with the axes of the first and of the second array."),
        with_operands=True,
    ),
    Message(
        r"Input dtypes .*? have no available implicit dtype promotion path when jax_numpy_dtype_promotion=strict",
        "JAX combines no arrays of different dtypes, because the promotion of dtypes is strict",
        'With jax_numpy_dtype_promotion="strict", the operands of an operation need one dtype.',
        CONVERTED_OPERAND,
        with_operands=True,
    ),
    Message(
        r"Input dtypes .*? have no available implicit dtype promotion path\. To avoid unintended promotion",
        "JAX does not convert numbers of so few bits by itself",
        "JAX converts floats of 8 bits or less, and integers of 4 bits or less, only where the code says so.",
        CONVERTED_OPERAND,
        with_operands=True,
    ),
    Message(
        r"Operands could not be broadcast together for (?P<function>\w+) on shapes (?P<shapes>\(.*\)) and with the "
        r"config option jax_numpy_rank_promotion='raise'",
        "{function} needs operands with one number of axes, because the promotion of axes is off: the shapes are "
        "{shapes}",
        "With jax_numpy_rank_promotion='raise', the operands of an operation need one number of axes.",
        ("an axis", "Give the operand with fewer axes the missing axes, such as b[None, :]."),
        with_operands=True,
    ),
    Message(
        r"Explicitly requested dtype (?P<dtype>\w+)(?: requested in (?P<function>\w+))? is not available",
        "The dtype {dtype} is not available, because jax_enable_x64 is off",
        "",
        (
            "32 bits",
            "Write a dtype of 32 bits, such as jnp.float32, or turn on the setting jax_enable_x64 before any other use "
            "of JAX.",
        ),
    ),
    Message(
        r"Cannot apply '(?P<mode>\w+)' padding to empty axis",
        "pad with the mode {mode} takes its values from the array, and an axis of the array is empty",
        "",
        ("mode", 'Write mode="constant", which pads with constant_values.'),
        with_operands=True,
    ),
    Message(
        r"Only integer scalar arrays can be converted to a scalar index",
        "split takes a number of parts, or the positions of the cuts as integers",
        "",
        ("integers", "Pass an integer, or positions of an integer type, such as positions.astype(int)."),
        with_operands=True,
        raised_in_jax=True,
        calls=("split", "array_split", "hsplit", "vsplit", "dsplit"),
    ),
    Message(
        r"Only integer scalar arrays can be converted to a scalar index",
        "The second argument of max and min is the axis, not a second array",
        "",
        ("jnp.maximum", "jnp.maximum(x, y) and jnp.minimum(x, y) compare two arrays element by element."),
        with_operands=True,
        raised_in_jax=True,
        calls=("max", "min", "amax", "amin"),
    ),
    Message(
        r"Only integer scalar arrays can be converted to a scalar index",
        "The argument axis must be an integer or a tuple of integers",
        "",
        ("axis", "Pass the axis as an integer, or several axes as a tuple of integers."),
        with_operands=True,
        raised_in_jax=True,
        calls=("sum", "prod", "mean", "std", "var", "any", "all", "median", "argmax", "argmin", "cumsum", "cumprod"),
    ),
    Message(
        r"Arguments to jax\.numpy\.ix_ must be 1-dimensional, got shape (?P<shape>\(.*?\))",
        "ix_ takes arrays of one axis, but gets an array of the shape {shape}",
        "",
        ("one axis", "Pass the indices of each axis as an array of one axis."),
    ),
    Message(
        r"floor does not accept dtype (?P<dtype>\w+)",
        "The probability of a quantile is a float, not {dtype}",
        "",
        ("a float", "Pass probabilities such as 0.5, or convert an array with .astype(float)."),
        with_operands=True,
        calls=("quantile", "nanquantile"),
    ),
    Message(
        r"integer (?:division or )?modulo by zero|division by zero",
        "An array cannot be split into 0 parts",
        "",
        ("a number", "Pass a number of parts of at least 1."),
        raised_in_jax=True,
        calls=("split", "array_split"),
    ),
    Message(
        r"\w+: expected ArrayLike, got (?P<value>.+?) of type <class '(?:\w+\.)*(?P<kind>\w+)'>",
        "An argument of the call must be an array or a number, but is {value}, of the type {kind}",
        "",
        ("an array", "Pass an array or a number in the place of {value}."),
        with_operands=True,
    ),
    Message(
        r"'float' object is not iterable",
        "A shape is a tuple of integers, but the call passes a float as the shape",
        "",
        ("a tuple", "Write the sizes as a tuple of integers, such as (2,)."),
        raised_in_jax=True,
        calls=(
            "normal",
            "uniform",
            "exponential",
            "bernoulli",
            "randint",
            "gumbel",
            "laplace",
            "categorical",
            "gamma",
            "zeros",
            "ones",
            "full",
            "empty",
        ),
    ),
    Message(
        r"shape mismatch: objects cannot be broadcast to a single shape",
        "roll takes one shift for each axis, or one shift for all axes",
        "",
        ("shift", "Pass as many shifts as axes, as in jnp.roll(x, (1, 2), axis=(0, 1))."),
        with_operands=True,
        calls=("roll",),
    ),
    # --- Fourier transforms ---
    Message(
        r"Shape should be positive",
        "The length of a Fourier transform must be at least 1",
        "",
        ("the length", "Pass n, or each size in s, of at least 1, or leave the argument out."),
        raised_in_jax=True,
    ),
    Message(
        r"Shape and axes have different lengths",
        "The arguments s and axes of the Fourier transform have different lengths",
        "",
        ("s", "Pass in s one size for each axis in axes."),
        raised_in_jax=True,
    ),
    Message(
        r"jax\.numpy\.fft\.(?P<function>\w+) does not support multiple axes",
        "{function} transforms one axis",
        "",
        ("one axis", "Pass one number as axis, or call jnp.fft.{function}n, which transforms several axes."),
        with_operands=True,
    ),
    Message(
        r"jax\.numpy\.fft\.(?P<function>\w+) only supports 2 axes\. Got axes = (?P<axes>.+?)\.?$",
        "{function} transforms two axes, not axes={axes}",
        "",
        ("two axes", "Pass two axes. The functions of jnp.fft with n at the end of their name transform any axes."),
        with_operands=True,
    ),
    Message(
        r"only real valued inputs supported for rfft",
        "A real Fourier transform takes real numbers, but the array is complex",
        "",
        (
            "fft",
            "Call jnp.fft.fft, fft2 or fftn, which take complex numbers. If the imaginary part is 0, pass x.real.",
        ),
        with_operands=True,
    ),
    # --- jax.lax ---
    Message(
        r"concatenate requires a non-empty sequences of arrays",
        "The list of arrays for concatenate is empty",
        "",
        ("one array", "Fill the list before the call."),
    ),
    Message(
        r"Operands must have the same tree structure as init_values",
        "The start values of a reduction have another structure than the arrays",
        "",
        ("start values", "Pass one start value for each array, in the same containers."),
    ),
    Message(
        r"reduce_window got inconsistent dtypes for operands and init_values: got operand dtypes "
        r"\[dtype\(\[?'?(?P<dtype>\w+)'?\)\] and init_value dtypes \[dtype\('?(?P<dtype_of_start>\w+)'?\)\]",
        "reduce_window cannot reduce an array of the dtype {dtype} from a start value of the dtype {dtype_of_start}",
        ONE_DTYPE,
        ("one dtype", "Pass a start value of the dtype {dtype}, such as jnp.array(0, x.dtype) for sums of an array x."),
        with_operands=True,
    ),
    Message(
        r"reduce operand dtypes should match corresponding initial value dtypes",
        "reduce takes a start value of the dtype of the array",
        ONE_DTYPE,
        ("one dtype", "Pass a start value of the array's dtype, such as jnp.array(0, x.dtype) for sums of an array x."),
        with_operands=True,
    ),
    Message(
        r"reduce_window got inconsistent (?P<argument>\w+) and window_dimensions: got \w+ (?P<numbers>\(.*?\)) and "
        r"window_dimensions (?P<window>\(.*?\))",
        "The arguments {argument}={numbers} and window_dimensions={window} of reduce_window have different lengths",
        "",
        ("one number for each axis", "Write in {argument} one number for each axis of the array."),
        with_operands=True,
    ),
    Message(
        r"Unrecognized padding type: expected .*?, got (?P<padding>.+?)\.?$",
        "JAX has no padding {padding}",
        "",
        ("padding", 'Write "SAME", "SAME_LOWER" or "VALID", or one pair (before, after) of widths for each axis.'),
    ),
    Message(
        r"padding argument to conv_general_dilated should be a string or a sequence of \(low, high\) pairs, got "
        r"(?P<padding>.+)",
        "The padding of a convolution is a name or pairs of widths, not {padding}",
        "",
        (
            "padding",
            'Write "SAME" or "VALID", or one pair (before, after) for each axis of the image.',
        ),
    ),
    Message(
        r"conv_general_dilated window and window_strides must have the same number of dimensions, but got "
        r"(?P<number_of_axes>\d+) and (?P<number_of_strides>\d+)",
        "The number of strides of a convolution is {number_of_strides}, but the number of axes of the image is "
        "{number_of_axes}",
        "",
        (
            "window_strides",
            "Write in window_strides one number for each axis of the image.",
        ),
        with_operands=True,
    ),
    Message(
        r"convolution dimension_numbers\[(?P<position>\d)\] must have len equal to the ndim of lhs and rhs, got "
        r"(?P<number_of_letters>\d+) for lhs and rhs shapes (?P<shape_of_input>\(.*?\)) and "
        r"(?P<shape_of_kernel>\(.*?\))",
        "An entry of dimension_numbers has {number_of_letters} letters for arrays of the shapes {shape_of_input} and "
        "{shape_of_kernel}",
        "Each letter names an axis. The entry is at the position {position}; the first entry has the position 0.",
        ("letters", 'Write one letter for each axis, as in ("NHWC", "HWIO", "NHWC") for images of two axes.'),
    ),
    Message(
        r"convolution dimension_numbers\[(?P<position>\d)\] must contain the characters '(?P<first_letter>\w)' and "
        r"'(?P<second_letter>\w)' exactly once, got (?P<entry>\w+)",
        "The entry {entry} of dimension_numbers needs the letters {first_letter} and {second_letter} once",
        "The entries name the axes of the input, of the kernel and of the result, in this order. N stands for the "
        "batch, C for channels, O and I for the channels of the kernel.",
        ("letters", 'Write entries such as ("NHWC", "HWIO", "NHWC").'),
    ),
    Message(
        r"Gather op has (?P<number_of_axes>\d+) elements in start_index_map and the bound of dimension "
        r"index_vector_dim=\d+ of indices is (?P<size_of_index>\d+)",
        "The indices of gather do not have one number for each axis in start_index_map",
        "The last axis of the indices holds these numbers. Its size is {size_of_index}, and the number of axes in "
        "start_index_map is {number_of_axes}.",
        _AXIS_OF_INDICES,
        with_operands=True,
    ),
    Message(
        r"Gather op must have one slice size for every input dimension; got: len\(slice_sizes\)="
        r"(?P<number_of_sizes>\d+), input_shape\.rank=(?P<number_of_axes>\d+)",
        "The number of slice_sizes of gather is {number_of_sizes}, but the array has {number_of_axes} axes",
        "",
        ("slice_sizes", "Write in slice_sizes one size for each axis of the array."),
        with_operands=True,
    ),
    Message(
        r"Slice size at index (?P<axis>\d+) in gather op is out of range, must be within \[0, (?P<size>\d+) \+ 1\), "
        r"got (?P<size_of_slice>-?\d+)",
        "A slice of {size_of_slice} elements does not fit axis {axis}, which has {size} elements",
        "",
        ("slice_sizes", "Write in slice_sizes sizes that are at most the sizes of the array."),
        with_operands=True,
    ),
    Message(
        r"Scatter op has (?P<number_of_axes>\d+) elements in scatter_dims_to_operand_dims and the bound of dimension "
        r"index_vector_dim=\d+ of indices is (?P<size_of_index>\d+)",
        "The indices of a scatter do not have one number for each axis in scatter_dims_to_operand_dims",
        "The last axis of the indices holds these numbers. Its size is {size_of_index}, and the number of axes in "
        "scatter_dims_to_operand_dims is {number_of_axes}.",
        _AXIS_OF_INDICES,
        with_operands=True,
    ),
    Message(
        r"Updates tensor must be of rank (?P<needed_axes>\d+); got (?P<number_of_axes>\d+)",
        "The updates of a scatter have {number_of_axes} as the number of axes, but need {needed_axes}",
        "The updates have the axes of the indices without the last axis, and then the axes in update_window_dims.",
        ("the updates", "Give the updates these axes, or write the change as x.at[indices].set(updates)."),
        with_operands=True,
    ),
    Message(
        r"Bounds of the scatter dimensions of updates must be the same as the bounds of the corresponding dimensions "
        r"of scatter indices\. For scatter dimension \d+, updates bound is (?P<number_of_updates>\d+), indices bound "
        r"is (?P<number_of_indices>\d+)",
        "The number of updates of a scatter is {number_of_updates}, but the number of indices is {number_of_indices}",
        "",
        ("one update", "Pass one update for each index."),
        with_operands=True,
    ),
    Message(
        r"start_indices arguments to (?P<function>\w+) must be scalars",
        "Each start index of {function} is a single number",
        "",
        ("a number", "Pass one number for each axis of the array, such as i[0] for an array i of one element."),
        with_operands=True,
    ),
    Message(
        r"concatenate dimension out of bounds: dimension (?P<axis>\d+) for shapes (?P<shapes>.+?)\.?$",
        "Arrays of the shapes {shapes} have no axis {axis} to join along",
        "",
        ("axis", "Write the number of an axis that the arrays have. jnp.stack joins along a new axis."),
        with_operands=True,
    ),
    Message(
        r"full must be called with scalar fill_value, got fill_value\.shape (?P<shape>\(.*?\))",
        "lax.full fills an array with one number, not with an array of the shape {shape}",
        "",
        ("jnp.full", "Write jnp.full(shape, values), which broadcasts the values."),
        with_operands=True,
    ),
    Message(
        r"broadcast_in_dim broadcast_dimensions must have length equal to operand ndim; got broadcast_dimensions "
        r"(?P<axes>\(.*?\)) for operand ndim (?P<number_of_axes>\d+)",
        "broadcast_dimensions={axes} of broadcast_in_dim does not name one axis for each axis of the array",
        "Number of axes of the array: {number_of_axes}.",
        ("broadcast_dimensions", "Write for each axis of the array one axis of the new shape."),
        with_operands=True,
    ),
    Message(
        r"slice limit_indices must be less than or equal to operand shape, got limit_indices (?P<limits>\(.*?\)) for "
        r"operand shape (?P<shape>\(.*?\))",
        "The slice ends at {limits}, after the end of an array of the shape {shape}",
        "lax.slice does not shorten a slice, as an index of an array does.",
        ("limit_indices", "Write limits that are at most the sizes of the array, or write x[start:stop]."),
        with_operands=True,
    ),
    Message(
        r"slice strides must have length equal to the number of dimensions of the operand, got strides "
        r"(?P<strides>\(.*?\)) for operand shape (?P<shape>\(.*?\))",
        "The strides {strides} of lax.slice do not have one number for each axis of the shape {shape}",
        "",
        ("strides", "Write in strides one number for each axis of the array, such as 1."),
        with_operands=True,
    ),
    Message(
        r"slice start_indices must have length equal to the number of dimensions of the operand, got indices "
        r"(?P<starts>\(.*?\)) for operand shape (?P<shape>\(.*?\))",
        "lax.slice takes one start for each axis of the shape {shape}, but gets {starts}",
        "",
        ("start_indices", "Write one start and one limit for each axis, or write x[start:stop]."),
        with_operands=True,
    ),
    Message(
        r"slice limit_indices must be greater than or equal to start_indices, got start_indices (?P<starts>\(.*?\)) "
        r"and limit_indices (?P<limits>\(.*?\))",
        "The slice ends before its start: the starts are {starts}, the limits are {limits}",
        "limit_indices are the ends of the slice, not its sizes.",
        _LIMITS,
    ),
    Message(
        r"slice slice_sizes must be greater than or equal to zero, got slice_sizes of (?P<sizes>\(.*?\))",
        "The slice ends before its start: the sizes would be {sizes}",
        "limit_indices of lax.slice are the ends of the slice, not its sizes.",
        _LIMITS,
    ),
    Message(
        r"Wrong number of explicit pads for convolution: expected (?P<needed_number>\d+), got (?P<number>\d+)",
        "The number of pairs in the padding of the convolution must be {needed_number}, but is {number}",
        "",
        ("padding", "Write one pair (before, after) for each axis of the image."),
        with_operands=True,
    ),
    Message(
        r"conv_general_dilated rhs output feature dimension size must be a multiple of (?P<option>\w+), but "
        r"(?P<outputs>\d+) is not a multiple of (?P<groups>\d+)",
        "{option}={groups} does not divide {outputs}, the number of outputs of the kernel",
        "",
        ("the kernel", "Make a kernel whose number of outputs is a multiple of {groups}."),
        with_operands=True,
    ),
    # --- jax.nn, jax.image ---
    Message(
        r"(?P<argument>\w+) shape should be (?P<needed_shape>\[.*?\]): but got (?P<shape>\(.*?\))",
        "The {argument} of dot_product_attention has the shape {shape}, but needs the shape {needed_shape}",
        "-1 stands for any size. The other sizes are those of the key. Its axes are batch, length, heads, features.",
        ("the shape", "Pass a {argument} of the shape {needed_shape}, or correct the key."),
        with_operands=True,
        calls=("dot_product_attention",),
    ),
    Message(
        r"(?P<argument>\w+) dtype should be (?P<needed_dtype>\w+|<class '.*?'>), but got (?P<dtype>\w+)",
        "The {argument} of dot_product_attention has the dtype {dtype}, but needs {needed_dtype}",
        "",
        ("the dtype", "Convert the {argument} with .astype."),
        with_operands=True,
        calls=("dot_product_attention",),
    ),
    Message(
        r"The number of query heads must be a multiple of key/value heads, but got (?P<heads_of_query>\d+) vs "
        r"(?P<heads_of_key>\d+)",
        "The query has {heads_of_query} heads, which is no multiple of the {heads_of_key} heads of the key",
        "The axes of query, key and value are batch, length, heads and features.",
        ("heads", "Pass arrays whose axis of heads is the third axis, and as many heads in the query, or a multiple."),
        with_operands=True,
    ),
    Message(
        r"Can't compute input and output sizes of a (?P<number_of_axes>\d+)-dimensional weights tensor",
        "This initializer takes a shape of at least 2 axes, but the shape has {number_of_axes}",
        "The initializer scales the numbers by the sizes of two axes: the inputs and the outputs of the layer.",
        _INITIALIZER_OF_BIAS,
    ),
    Message(
        r"orthogonal initializer requires at least a 2D shape",
        "The orthogonal initializer takes a shape of at least 2 axes",
        "",
        _INITIALIZER_OF_BIAS,
    ),
    Message(
        r"Unknown resize method \"(?P<method>.*?)\"",
        "resize has no method {method}",
        "",
        ("method", 'Write "nearest", "linear", "cubic", "lanczos3" or "lanczos5" as the method.'),
    ),
    # --- jax.random ---
    Message(
        # the names that begin with an underscore are JAX's own; JAX lists them last, after an import of Pallas
        r"unrecognized PRNG implementation \"(?P<name>.*?)\"\. Did you mean one of: (?P<names>.*?)(?:, \"_\w+\")*\?",
        "JAX has no random generator {name}",
        "",
        ("impl", "Write as impl one of {names}, or leave impl out."),
    ),
    Message(
        r"fold_in accepts a scalar, but was given an array of\s?shape (?P<shape>\(.*?\))",
        "fold_in takes one integer, but gets an array of the shape {shape}",
        "",
        ("jax.vmap", "Write jax.vmap(jax.random.fold_in, in_axes=(None, 0))(key, numbers) for a key of each number."),
        with_operands=True,
    ),
    Message(
        r"bernoulli probability `p` must have a floating dtype, got (?P<dtype>\w+)",
        "The probability of bernoulli is a float, not {dtype}",
        "The second argument of bernoulli is the probability of true, and the third argument is the shape.",
        ("a probability", "Pass a probability, such as 0.5, and the shape as shape=."),
        with_operands=True,
    ),
    Message(
        r"(?P<function>\w+) parameter shapes must be broadcast-compatible with shape argument, and .*? got result "
        r"(?P<shape_of_parameters>\(.*?\)) for shape argument (?P<shape>\(.*?\))",
        "{function} draws numbers of the shape {shape}, but its parameters need the shape {shape_of_parameters}",
        "",
        ("the shape", "Pass shape={shape_of_parameters}, or parameters that broadcast to the shape {shape}."),
        with_operands=True,
    ),
    # --- jax.scipy ---
    Message(
        r"Method (?P<method>\S+) not recognized",
        "minimize of JAX has no method {method}",
        "",
        ("method", 'Write method="BFGS", the method of jax.scipy.optimize.minimize. optax has further optimizers.'),
        raised_in_jax=True,
        calls=("minimize",),
    ),
    # --- checkify, callbacks, jit, meshes ---
    Message(
        r"(?P<function>check|debug_check) takes a scalar pred as argument, got",
        "checkify.{function} takes a single true or false, not an array with axes",
        "",
        ("jnp.all", "Write checkify.{function}(jnp.all(condition), ...) if all elements must satisfy the condition."),
    ),
    Message(
        r"Formatting arguments to checkify\.check need to be PyTrees of arrays, but got (?P<value>.+?) of type",
        "The values that checkify.check prints must be arrays, but one is {value}",
        "",
        ("an array", "Pass jnp.asarray(value), or write the value into the message as text."),
    ),
    Message(
        r"vmap_method must be on of the allowed methods .*?, but got: (?P<method>\S+)",
        "A callback has no vmap_method {method}",
        "vmap_method says how jax.vmap calls the callback.",
        (
            "vmap_method",
            'Write "sequential" to call the callback once for each element, or "expand_dims" or "broadcast_all" for a '
            "callback that takes the whole batch.",
        ),
    ),
    Message(
        r"Found a JAX Tracer object passed as an argument to a custom_vjp function in a position indicated by "
        r"nondiff_argnums",
        "nondiff_argnums of a custom_vjp names an argument that is a traced array",
        "nondiff_argnums is for Python values, such as functions and settings.",
        (
            "None",
            "Take the argument out of nondiff_argnums, and return None for the argument in the backward rule.",
        ),
    ),
    Message(
        r"jit requires a non-empty mesh in context if you are passing `PartitionSpec`s to (?P<option>\w+)",
        "A PartitionSpec in {option} of jit names the axes of a mesh, and no mesh is set here",
        "",
        SHARDING_WITH_MESH,
    ),
    Message(
        r"The input arguments to the custom_(?:jvp|vjp)-decorated function (?P<function>\w+) could not be resolved to "
        r"positional-only arguments\. Binding failed with the error:\s+got an unexpected keyword argument "
        r"'(?P<argument>\w+)'",
        UNKNOWN_ARGUMENT,
        "",
        _ARGUMENTS_OF_DEFINITION,
    ),
    Message(
        r"The input arguments to the custom_(?:jvp|vjp)-decorated function (?P<function>\w+) could not be resolved to "
        r"positional-only arguments\. Binding failed with the error:\s+too many positional arguments",
        "The call passes more arguments than {function} takes",
        "",
        _ARGUMENTS_OF_DEFINITION,
    ),
    Message(
        r"Expected a function, got a generator function: <function (?P<function>\S+) at",
        "JAX cannot trace {function}, because {function} yields values",
        "A function with yield returns a generator, not arrays.",
        (
            "return",
            "Return the values, for example as a list, in place of yield.",
        ),
    ),
    Message(
        r"The spec of NamedSharding passed to with_sharding_constraint can only refer to Auto axes of the mesh\. Got "
        r"spec=(?P<spec>\S+?(?:, \S+?)*?) and mesh=",
        "with_sharding_constraint names in {spec} an axis of the mesh that is not automatic",
        "On an explicit axis, the type of an array says how the array is split.",
        ("jax.sharding.reshard", "Write jax.sharding.reshard(x, sharding), or make the mesh with automatic axes."),
    ),
    Message(
        r"shard_map requires a callable for its first argument, but got .*? of type <class '(?:\w+\.)*(?P<kind>\w+)'>",
        "shard_map takes a function first, but gets an object of the class {kind}",
        "",
        ("the function", "Write jax.shard_map(f, mesh=mesh, in_specs=..., out_specs=...)(x)."),
    ),
    Message(
        r"jax\.shard_map requires axis_names=\S*\(\{(?P<names>.*?)\}\) to be a subset of mesh\.axis_names="
        r"\S*\(\{(?P<names_of_mesh>.*?)\}\)",
        "axis_names of shard_map has {names}, but the axes of the mesh are {names_of_mesh}",
        "",
        ("axis_names", "Write in axis_names only names of axes of the mesh."),
    ),
)
