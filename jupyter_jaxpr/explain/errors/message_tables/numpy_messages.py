"""The table of error messages of `jax.numpy`, `jax.lax` and `jax.random` about one argument, with titles and cures."""

from __future__ import annotations

from .jax_messages import NUMBER_OF_AXES, Message

INTEGER_INDICES = ("integers", "Convert the indices with .astype(int).")
_NOTHING_TO_REDUCE = "An empty array has no {reduction}"
INITIAL_OF_MASK = "If the mask where= is false everywhere, the result is the value of initial=."
_PAIRS_OF_WIDTHS = "Write a pair (before, after) of widths for each axis of the array, or one pair for all axes."

NUMPY_MESSAGES = (
    # --- empty arrays and lists ---
    Message(
        r"zero-size array to reduction operation (?P<reduction>\w+) which has no identity",
        _NOTHING_TO_REDUCE,
        "",
        ("initial", "Pass initial=value, which is the result for an empty array, or test x.size > 0 first."),
        with_operands=True,
    ),
    Message(
        r"attempt to get (?P<reduction>argmax|argmin) of an empty sequence",
        _NOTHING_TO_REDUCE,
        "",
        ("size", "Test x.size > 0 before the call."),
        with_operands=True,
    ),
    Message(
        r"Need at least one array to (?P<function>stack|concatenate)",
        "The list of arrays for {function} is empty",
        "",
        ("one array", "Fill the list before the call, or make an empty array with jnp.zeros((0, ...))."),
    ),
    Message(
        r"reduction operation (?P<reduction>\w+) does not have an identity, so to use a where mask one has to specify "
        r"'initial'",
        "{reduction} with where= needs initial=",
        INITIAL_OF_MASK,
        ("initial", "Pass initial=value, such as initial=-jnp.inf for a maximum and initial=jnp.inf for a minimum."),
    ),
    # --- options with a fixed set of values ---
    Message(
        r"Invalid norm value (.+?); should be",
        "A Fourier transform has no norm {1}",
        "",
        ("norm", 'Leave norm out, or write "backward", "ortho" or "forward".'),
        with_operands=True,
    ),
    Message(
        r"Valid values for indexing are 'xy' and 'ij', got (\w+)",
        "meshgrid has no indexing {1}",
        "",
        ("indexing", 'Write indexing="xy" or indexing="ij".'),
        with_operands=True,
    ),
    Message(
        r"Unimplemented padding mode '(\w+)' for np\.pad",
        "jnp.pad has no mode {1}",
        "",
        (
            "mode",
            "Write a mode of jnp.pad: constant, edge, linear_ramp, maximum, mean, median, minimum, reflect, symmetric, "
            "wrap or empty. The mode constant pads with 0, or with constant_values.",
        ),
        with_operands=True,
    ),
    Message(
        r'Unknown gather mode "(\w+)"',
        "Indexing has no mode {1}",
        "The mode says what JAX does at an index that is out of bounds.",
        ("mode", 'Write mode="clip", or mode="fill" to read an element and mode="drop" to write an element.'),
    ),
    Message(
        r"Unexpected value for 'order' argument: (\w+)",
        "JAX has no order {1} of the elements",
        "",
        ("order", 'Leave order out, or write order="C" or order="F".'),
    ),
    # --- masks and indices ---
    Message(
        r"jnp\.(?P<function>\w+): where must be None or a boolean array; got where\.dtype=(?:dtype\(')?"
        r"(?P<dtype_of_mask>\w+)",
        "The mask where= of {function} must be boolean, not {dtype_of_mask}",
        "",
        ("a comparison", "Write a comparison, such as where=x > 0, or mask.astype(bool)."),
    ),
    Message(
        r"an index can only have a single ellipsis",
        "An index has at most one ellipsis",
        "In an index, the ellipsis ... stands for all axes that have no index of their own.",
        ("one ...", "Write ... once, and : for single axes."),
    ),
    Message(
        r"take_along_axis indices must be of integer type, got (?P<dtype_of_indices>\w+)",
        "The indices of take_along_axis must be integers, not {dtype_of_indices}",
        "",
        INTEGER_INDICES,
        with_operands=True,
    ),
    Message(
        r"Cannot lower jaxpr with verifier errors:\s+number of output elements \((?P<elements_of_new_shape>\d+)\) "
        r"doesn't match expected number of elements \((?P<elements_of_array>\d+)\)",
        "The array has {elements_of_array} elements, but the new shape has {elements_of_new_shape}",
        "The new shape must hold as many elements as the array.",
        ("the shape", "Write sizes whose product is {elements_of_array}."),
        with_operands=True,
    ),
    Message(
        r"'numpy\.ndarray' object has no attribute 'at'",
        "A NumPy array has no attribute at",
        "Only a JAX array has the attribute at, which makes a changed copy of the array.",
        ("jnp.asarray", "Make a JAX array with jnp.asarray, or write into the NumPy array with x[i] = value."),
    ),
    Message(
        r"shape must have length equal to the number of dimensions of x;\s+(?P<new_shape>\(.*?\)) vs "
        r"(?P<shape_of_array>\(.*?\))",
        "The new shape {new_shape} and the array of the shape {shape_of_array} have different numbers of axes",
        "",
        (
            "the shape",
            "Write in the new shape one size for each axis of the array, also for an axis that keeps its size.",
        ),
    ),
    Message(
        r"indices must have an integer type$",
        "The indices must be integers",
        "",
        ("integers", "Convert the indices with .astype(int), or write an integer."),
        with_operands=True,
    ),
    Message(
        r"x argument to bincount must have an integer type; got (?P<dtype_of_array>\w+)",
        "bincount counts integers, not {dtype_of_array}",
        "",
        ("integers", "Convert the array with .astype(int), or use jnp.histogram for floats."),
        with_operands=True,
    ),
    Message(
        r"Calling nonzero on 0d arrays is not allowed",
        "nonzero lists positions along axes, and a single number has no axes",
        "",
        ("jnp.atleast_1d", "Give the number an axis with jnp.atleast_1d(x)."),
        with_operands=True,
    ),
    # --- axes and shapes ---
    Message(
        r"Arguments to jax\.numpy\.meshgrid must be 1D, got shapes (?P<shapes>.+)",
        "meshgrid takes arrays of one axis, but gets arrays of the shapes {shapes}",
        "",
        (
            "one axis",
            "For each axis of the grid, pass the points as an array of one axis, for example from jnp.linspace.",
        ),
        with_operands=True,
    ),
    Message(
        r"Argument to jax\.numpy\.(?P<function>tril|triu) must be at least 2D",
        "{function} takes matrices, but this array has fewer than 2 axes",
        "",
        ("a matrix", "Pass an array of at least two axes."),
        with_operands=True,
    ),
    Message(
        r"diagonal requires an array of at least two dimensions",
        "diagonal takes an array of at least 2 axes",
        "",
        (
            "a matrix",
            "Pass an array of at least 2 axes. jnp.diag(x) makes a square matrix with the diagonal x.",
        ),
        with_operands=True,
    ),
    Message(
        r"duplicate value in 'axis': (?P<axes>.+)",
        "The argument axis={axes} names one axis twice",
        "",
        ("axis", "Write the number of each axis once."),
    ),
    Message(
        r"Axis must be specified when shapes of a and weights differ|Weights? shape must match 'a' shape when axis is",
        "The weights have another shape than the array",
        "",
        (
            "axis",
            "Name with axis= the axis of the array that the weights belong to, or pass weights of the array's shape.",
        ),
        with_operands=True,
    ),
    Message(
        r"expected x and y to have same length|expected 1D vector for x",
        "The points x and the values y must be arrays of the same length",
        "",
        ("one length", "Pass the points x as an array of one axis, and pass in y one value for each point."),
        with_operands=True,
    ),
    Message(
        r"(?P<argument>\w) has more than 2 dimensions",
        "The argument {argument} has more than 2 axes, but the function takes a matrix",
        "",
        ("a matrix", "Pass a matrix: one row for each variable, one column for each observation."),
        with_operands=True,
    ),
    Message(
        r"jax\.numpy\.arange: arguments must be scalars; got (?P<argument>\w+)=(.+)",
        "The argument {argument} of arange must be a single number",
        "",
        (
            "a number",
            "Pass one number. jnp.linspace takes arrays of starts and stops, and makes one range for each element.",
        ),
    ),
    Message(
        r"Improper number of axes for norm: axis=(?P<axes>.+?)\.\s",
        "norm takes one axis or two axes, not axis={axes}",
        "",
        ("axis", "Pass one axis for the norms of vectors, or two axes for the norms of matrices."),
    ),
    Message(
        r"Invalid order '?(?P<order>.+?)'? for matrix norm",
        "A matrix has no norm of the order {order}",
        "",
        ("ord", 'Write "fro", "nuc", 1, 2 or jnp.inf as the order of the norm, or pass axis= for norms of vectors.'),
    ),
    Message(
        r"Incompatible types for matmul arguments: (?P<first_type>\S+) and (?P<second_type>\S+)",
        "The matrix product takes two arrays that are split in the same way along the axes before the last two",
        "The types are {first_type} and {second_type}. In a type, @ stands before the mesh axis that splits an axis.",
        ("jax.reshard", "Split one array as the other, with jax.reshard(x, sharding)."),
        with_operands=True,
    ),
    Message(
        r"axes must match; got shapes (?P<first_shape>\(.*?\)) and (?P<second_shape>\(.*?\)) with axis=(?P<axis>\S+)",
        "The sizes along axis {axis} differ: the shapes are {first_shape} and {second_shape}",
        "",
        ("equal sizes", "Pass arrays that have equal sizes along axis {axis}."),
        with_operands=True,
    ),
    Message(
        r"Expected num_classes to match the size of axis (?P<axis>\S+), but (?P<number_of_classes>\d+) != "
        r"(?P<size_of_axis>\d+)",
        "num_classes={number_of_classes} differs from the size of the axis {axis}, which is {size_of_axis}",
        "",
        ("num_classes", "Pass num_classes={size_of_axis}, which is the size of the axis."),
    ),
    Message(
        r"clamp requires (?P<min_or_max>min|max)\.shape == operand\.shape or \w+\.shape == \(\), got "
        r"\w+\.shape=(?P<shape_of_min_or_max>\(.*?\)), operand\.shape=(?P<shape_of_array>\(.*?\))",
        "The {min_or_max} of lax.clamp has the shape {shape_of_min_or_max}, but the array has the shape "
        "{shape_of_array}",
        "min and max of lax.clamp must be single numbers, or have the shape of the array.",
        ("jnp.clip", "Write jnp.clip(x, min, max), which broadcasts its arguments."),
        with_operands=True,
    ),
    Message(
        r"Sum of sizes (?P<sum_of_sizes>\d+) must be equal to dimension (?P<axis>\d+) of the operand shape "
        r"(?P<shape_of_array>.+?)\.?$",
        "The sizes of lax.split add up to {sum_of_sizes}, but axis {axis} of the shape {shape_of_array} has another "
        "size",
        "",
        ("sizes", "Write sizes whose sum is the size of axis {axis}."),
    ),
    Message(
        r"length of padding_config must equal the number of axes of operand",
        "padding_config needs one entry for each axis of the array",
        "",
        ("padding_config", "Write in padding_config a triple (low, high, interior) for each axis of the array."),
        with_operands=True,
    ),
    Message(
        r"(?:float )?division by zero",
        "arange cannot count in steps of 0",
        "arange divides the distance from start to stop by the step to get the number of elements.",
        ("a step", "Write a step that is not 0. jnp.linspace takes a number of elements in place of a step."),
        raised_in_jax=True,
        calls=("arange",),
    ),
    Message(
        r"Branch index must be scalar, got (.+?) of shape (?P<shape_of_index>\(.*?\))",
        "The index of switch has the shape {shape_of_index}, but switch takes one number",
        "",
        ("jax.vmap", "Write a function that calls switch with one index, and apply jax.vmap to the function."),
    ),
    Message(
        r"jnp\.pad: (?P<argument>\w+) with nd=(?P<number_of_axes>\d+) has unsupported shape "
        r"(?P<shape_of_argument>\(.*?\))\. Valid shapes are (.+?)\.$",
        "{argument} of pad has the shape {shape_of_argument}, which does not fit the array",
        NUMBER_OF_AXES,
        ("a pair", _PAIRS_OF_WIDTHS),
        with_operands=True,
    ),
    # --- types ---
    Message(
        r"(?P<function>\w+) requires ndarray or scalar arguments, got <class "
        r"'(?:\w+\.)*(?P<class_of_sparse_array>BC\w+|COO|CSR|CSC)'> at position",
        "{function} takes arrays, but gets a sparse array: {class_of_sparse_array}",
        "",
        (
            "sparse.sparsify",
            "Wrap the function with jax.experimental.sparse.sparsify, or pass the dense array x.todense().",
        ),
    ),
    Message(
        r"dtype argument to `(?P<function>\w+)` must be (?:a|an) (?P<kind_of_dtype>.+?) dtype, got "
        r"(?P<passed_dtype>\w+|<class '\w+'>)",
        "{function} draws {kind_of_dtype} numbers, not {passed_dtype}",
        "",
        ("dtype", "Pass a dtype of {kind_of_dtype} numbers as dtype=, or convert the result with .astype(...)."),
    ),
    Message(
        r"integer argument required; got dtype=(?P<dtype_of_argument>\w+)",
        "The function takes integers, not {dtype_of_argument}",
        "",
        ("integers", "Convert the array with .astype(int)."),
        with_operands=True,
    ),
    Message(
        r"a must be greater than 0 unless no samples are taken",
        "jax.random.choice has no element to draw from",
        "",
        ("an element", "Pass choice a number of elements that is greater than 0, or an array that is not empty."),
    ),
    Message(
        r"shape argument of jax\.random\.choice must be a sequence, got (?P<passed_shape>.+)",
        "jax.random.choice takes the shape as a tuple, not as {passed_shape}",
        "",
        ("a tuple", "Write shape=(n,) to draw n elements."),
    ),
    Message(
        r"The '?(?P<method_or_attribute>\w+)'? (method|attribute) is not available on (?:traced array|\w*Tracer)",
        "A traced array has no {method_or_attribute}, because the array has no values yet",
        "",
        ("outside", "Use {method_or_attribute} outside of the traced function, on the array that the call returns."),
    ),
)
