"""The table of error messages of `jax.numpy`, `jax.lax` and `jax.random` about one argument, with titles and cures."""

from __future__ import annotations

from .jax_messages import Message

NUMPY_MESSAGES = (
    # --- empty arrays and lists ---
    Message(
        r"zero-size array to reduction operation (\w+) which has no identity",
        "An empty array has no {1}",
        "",
        ("initial", "Pass initial=value, which is the result for an empty array, or test x.size > 0 first."),
        with_operands=True,
    ),
    Message(
        r"attempt to get (argmax|argmin) of an empty sequence",
        "An empty array has no {1}",
        "",
        ("size", "Test x.size > 0 before the call."),
        with_operands=True,
    ),
    Message(
        r"Need at least one array to (stack|concatenate)",
        "The list of arrays for {1} is empty",
        "",
        ("one array", "Fill the list before the call, or make an empty array with jnp.zeros((0, ...))."),
    ),
    Message(
        r"reduction operation (\w+) does not have an identity, so to use a where mask one has to specify 'initial'",
        "{1} with where= needs initial=",
        "If the mask is false everywhere, the result is the value of initial.",
        ("initial", "Pass initial=value, such as initial=-jnp.inf for a maximum and initial=jnp.inf for a minimum."),
    ),
    # --- masks and indices ---
    Message(
        r"jnp\.(\w+): where must be None or a boolean array; got where\.dtype=(\w+)",
        "The mask where= of {1} must be boolean, not {2}",
        "",
        ("a comparison", "Write a comparison, such as where=x > 0, or mask.astype(bool)."),
    ),
    Message(
        r"an index can only have a single ellipsis",
        "An index has at most one ellipsis",
        "... stands for all axes that have no index.",
        ("one ...", "Write ... once, and : for single axes."),
    ),
    Message(
        r"take_along_axis indices must be of integer type, got (\w+)",
        "The indices of take_along_axis must be integers, not {1}",
        "",
        ("integers", "Convert the indices with .astype(int)."),
        with_operands=True,
    ),
    Message(
        r"Cannot lower jaxpr with verifier errors:\s+number of output elements \((\d+)\) doesn't match expected number "
        r"of elements \((\d+)\)",
        "An array has {2} elements, not {1}",
        "The new shape must hold as many elements as the array.",
        ("the shape", "Write sizes whose product is {2}."),
        with_operands=True,
    ),
    Message(
        r"'numpy\.ndarray' object has no attribute 'at'",
        "A NumPy array has no attribute at",
        "Only a JAX array has the attribute at, which makes a changed copy of the array.",
        ("jnp.asarray", "Make a JAX array with jnp.asarray, or write into the NumPy array with x[i] = value."),
    ),
    Message(
        r"shape must have length equal to the number of dimensions of x;\s+(\(.*?\)) vs (\(.*?\))",
        "The new shape {1} and the array of the shape {2} have different numbers of axes",
        "",
        ("the shape", "Give one size for each axis of the array, also for axes that stay as they are."),
    ),
    Message(
        r"indices must have an integer type$",
        "The indices must be integers",
        "",
        ("integers", "Convert the indices with .astype(int), or write an integer."),
        with_operands=True,
    ),
    Message(
        r"x argument to bincount must have an integer type; got (\w+)",
        "bincount counts integers, not {1}",
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
    Message(
        r"Either both or neither of the x and y arguments should be provided to jax\.numpy\.where",
        "where needs two values: one for true and one for false",
        "",
        ("three arguments", "Write jnp.where(condition, a, b)."),
    ),
    # --- axes and shapes ---
    Message(
        r"Arguments to jax\.numpy\.meshgrid must be 1D, got shapes (.+)",
        "meshgrid takes arrays of one axis, but gets arrays of the shapes {1}",
        "",
        ("one axis", "Pass the points along each axis as an array of one axis, such as from jnp.linspace."),
        with_operands=True,
    ),
    Message(
        r"Argument to jax\.numpy\.(tril|triu) must be at least 2D",
        "{1} takes matrices, but this array has fewer than 2 axes",
        "",
        ("a matrix", "Pass an array of at least two axes."),
        with_operands=True,
    ),
    Message(
        r"diag(?:onal requires an array of at least two dimensions| input must be 1d or 2d)",
        "diag and diagonal do not take an array with this number of axes",
        "jnp.diag takes 1 or 2 axes. jnp.diagonal takes at least 2.",
        ("jax.vmap", "Map the function over the other axes with jax.vmap."),
        with_operands=True,
    ),
    Message(
        r"duplicate value in 'axis': (.+)",
        "The axes {1} name an axis twice",
        "",
        ("axis", "Write each axis once."),
    ),
    Message(
        r"Axis must be specified when shapes of a and weights differ|Weights? shape must match 'a' shape when axis is",
        "The weights have another shape than the array",
        "",
        ("axis", "Pass axis=, the axis that the weights belong to, or weights of the array's shape."),
        with_operands=True,
    ),
    Message(
        r"expected x and y to have same length|expected 1D vector for x",
        "The points x and the values y must be arrays of one length",
        "",
        ("one length", "Pass x as an array of one axis, with one value y for each point."),
        with_operands=True,
    ),
    Message(
        r"(\w) has more than 2 dimensions",
        "{1} has more than 2 axes, but this function takes a matrix",
        "",
        ("a matrix", "Pass a matrix: one row for each variable, one column for each observation."),
        with_operands=True,
    ),
    Message(
        r"Expected pad_width to have shape .*; got (.+?)\.?$",
        "pad_width has the shape {1}, which does not fit the axes of the array",
        "",
        ("pad_width", "Write a pair (before, after) for each axis, or one pair for all axes."),
        with_operands=True,
    ),
    Message(
        r"jax\.numpy\.arange: arguments must be scalars; got (\w+)=(.+)",
        "The argument {1} of arange must be a single number",
        "",
        (
            "a number",
            "Pass one number. jnp.linspace takes arrays of starts and stops, and makes one range for each element.",
        ),
    ),
    Message(
        r"Improper number of axes for norm: axis=(\S+?)\.",
        "norm takes one axis or two axes, not axis={1}",
        "",
        ("axis", "Pass one axis for the norms of vectors, or two axes for the norms of matrices."),
    ),
    Message(
        r"Invalid order '?(.+?)'? for matrix norm",
        "A matrix has no norm of the order {1}",
        "",
        ("ord", 'Write "fro", "nuc", 1, 2 or jnp.inf, or pass axis= for norms of vectors.'),
    ),
    Message(
        r"Incompatible types for matmul arguments",
        "The matrix product cannot take arguments of these types",
        "",
        ("arrays", "Pass arrays of numbers on both sides."),
        with_operands=True,
    ),
    Message(
        r"axes must match; got shapes (\(.*?\)) and (\(.*?\)) with axis=(\S+)",
        "The sizes along axis {3} differ: the shapes are {1} and {2}",
        "",
        ("equal sizes", "Pass arrays with equal sizes along this axis."),
        with_operands=True,
    ),
    Message(
        r"Expected num_classes to match the size of axis (\S+), but (\d+) != (\d+)",
        "num_classes={2} disagrees with the axis {1}, which has {3} elements",
        "",
        ("num_classes", "Leave num_classes out, or pass the size of the axis."),
    ),
    Message(
        r"clamp requires (min|max)\.shape == operand\.shape or \w+\.shape == \(\), got \w+\.shape=(\(.*?\)), "
        r"operand\.shape=(\(.*?\))",
        "The {1} of lax.clamp has the shape {2}, but the array has the shape {3}",
        "Each of min and max is a single number or has the shape of the array.",
        ("jnp.clip", "jnp.clip broadcasts its arguments: jnp.clip(x, min, max)."),
        with_operands=True,
    ),
    Message(
        r"Sum of sizes (\d+) must be equal to dimension (\d+) of the operand shape (.+?)\.?$",
        "The sizes of lax.split add up to {1}, but axis {2} of the shape {3} has another size",
        "",
        ("sizes", "Write sizes whose sum is the size of the axis."),
    ),
    Message(
        r"length of padding_config must equal the number of axes of operand",
        "padding_config needs one entry for each axis of the array",
        "",
        ("padding_config", "Write (low, high, interior) for each axis."),
        with_operands=True,
    ),
    Message(
        r"Array inputs to associative_scan must have the same first dimension\. \(saw: (.+?)\)",
        "The arrays of associative_scan have different lengths: {1}",
        "",
        ("same length", "Pass arrays with the same size along axis 0."),
    ),
    Message(
        r"Branch index must be scalar, got (.+?) of shape (\(.*?\))",
        "The index of switch has the shape {2}, but switch takes one number",
        "",
        ("jax.vmap", "Write a function that calls switch with one index, and apply jax.vmap to the function."),
    ),
    Message(
        r"jnp\.pad: (\w+) with nd=(\d+) has unsupported shape (\(.*?\))\. Valid shapes are (.+?)\.$",
        "{1} of pad has the shape {3}, which does not fit the array",
        "Number of axes of the array: {2}.",
        ("a pair", "Write a pair (before, after) for each axis, or one pair for all axes."),
        with_operands=True,
    ),
    # --- types ---
    Message(
        r"(\w+) requires ndarray or scalar arguments, got <class '(?:\w+\.)*(BC\w+|COO|CSR|CSC)'> at position",
        "{1} takes arrays, but gets a sparse array: {2}",
        "",
        ("sparse.sparsify", "Map the function with jax.experimental.sparse.sparsify, or pass x.todense()."),
    ),
    Message(
        r"dtype argument to `(\w+)` must be (?:a|an) (.+?) dtype, got (\w+|<class '\w+'>)",
        "{1} draws {2} numbers, not {3}",
        "",
        ("dtype", "Pass a dtype of {2} numbers as dtype=, or convert the result with .astype(...)."),
    ),
    Message(
        r"dtype argument to `?(\w+)`? must be (?:a|an) (\w+)",
        "The dtype of {1} must be {2}",
        "",
        ("dtype", "Pass a dtype of this kind as dtype=: {2}."),
    ),
    Message(
        r"integer argument required; got dtype=(\w+)",
        "This function takes integers, not {1}",
        "",
        ("integers", "Convert the array with .astype(int)."),
        with_operands=True,
    ),
    Message(
        r"a must be greater than 0 unless no samples are taken",
        "choice has no element to draw from",
        "",
        ("an element", "Pass a number of elements that is greater than 0, or an array that is not empty."),
    ),
    Message(
        r"shape argument of jax\.random\.choice must be a sequence, got (.+)",
        "choice takes the shape as a tuple, not as {1}",
        "",
        ("a tuple", "Write (n,) for n elements."),
    ),
    Message(
        r"The '?(\w+)'? (method|attribute) is not available on (?:traced array|\w*Tracer)",
        "A traced array has no {1}, because the array has no values yet",
        "",
        ("outside", "Use {1} outside of the traced function, on the array that the call returns."),
    ),
)
