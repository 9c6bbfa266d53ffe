"""The table of error messages about one argument of a call of JAX, optax, equinox or flax, with titles and cures."""

from __future__ import annotations

from .jax_messages import Message

CALL_MESSAGES = (
    # --- sizes and axes ---
    Message(
        r"Cannot interpret '(.*?)' as a data type",
        "{1} is not a dtype",
        "The call takes a dtype at this place.",
        ("a dtype", "Write several sizes or axes as one tuple, such as (3, 4), or pass a dtype such as jnp.float32."),
        of_others=True,
    ),
    Message(
        r"Passing an array as a dtype argument is no longer supported",
        "An array stands in the place of a dtype",
        "",
        (
            "a dtype",
            "Pass x.dtype. A function that joins arrays takes one list of the arrays, such as jnp.vstack([a, b]).",
        ),
    ),
    Message(
        r"can only specify one unknown axis size with a `-1` value, got (\(.*?\))",
        "reshape can compute one size, but the shape {1} has -1 several times",
        "For a size of -1, reshape computes the size from the number of elements.",
        ("one -1", "Write -1 once, and numbers for the other sizes."),
    ),
    Message(
        r"boolean index did not match shape of indexed array in index (\d+): got (\(.*?\)), expected \[(.*?)\]",
        "A mask of the shape {2} does not fit an array of the shape ({3})",
        "A boolean index has one element for each element, or for each row, of the array.",
        ("a mask", "Compute the mask from the array itself, such as x > 0."),
        with_operands=True,
    ),
    Message(
        r"k argument to top_k must be no larger than size along axis; got k=(\d+) with shape=\[(.*?)\] and axis=(\d+)",
        "top_k cannot take {1} elements of an axis of an array of the shape ({2})",
        "The axis is {3}.",
        ("k", "Write a k that is at most the size of the axis."),
    ),
    Message(
        r"jax\.lax\.dot: dimension_numbers must be specified .*?got lhs_shape=(\(.*?\)) rhs_shape=(\(.*?\))",
        "lax.dot multiplies vectors and matrices, but gets arrays of the shapes {1} and {2}",
        "",
        ("jnp.matmul", "jnp.matmul, or @, multiplies arrays with more axes."),
    ),
    Message(
        r"broadcast_in_dim operand dimension sizes must either be 1, .*?got operand of shape (\(.*?\)), target "
        r"broadcast shape (\(.*?\)), broadcast_dimensions (\(.*?\))",
        "broadcast_in_dim cannot place the axes of {1} on the axes {3} of {2}",
        "The sizes must be equal, or a size of the array must be 1.",
        ("equal sizes", "Give a shape that has the sizes of the array at these axes."),
    ),
    Message(
        r"(?:convolution requires lhs and rhs ndim to be equal|conv_general_dilated lhs and rhs must have the same "
        r"number of dimensions), got (\d+) and (\d+)",
        "The input of the convolution has {1} axes, but the kernel has {2}",
        "The axes of the input are the batch, the channels, and the axes of the image.",
        ("an axis", "Give the input the missing axis, such as the batch with x[None]."),
        with_operands=True,
    ),
    Message(
        r"xp and fp must be one-dimensional arrays of equal size",
        "interp takes points and values of one length",
        "jnp.interp(x, xp, fp) has one value fp for each point xp.",
        ("one length", "Give xp and fp as arrays of one axis and of one length."),
        with_operands=True,
    ),
    Message(
        r"a should be 1-dimensional",
        "searchsorted searches an array of one axis",
        "",
        ("jax.vmap", "Search each row with jax.vmap(jnp.searchsorted, in_axes=(0, None))(a, v)."),
        with_operands=True,
    ),
    Message(
        r"unbound axis name: (\S+?)\.?(?:\s|$)",
        "No axis is named {1} here",
        "Axes of an array are numbers. A name stands for an axis of vmap with axis_name, or of a mesh.",
        (
            "axis",
            "Write the number of the axis, or call the function under jax.vmap with axis_name, or under shard_map.",
        ),
    ),
    Message(
        r"transpose permutation isn't a permutation of operand dimensions, got permutation (\(.*?\)) for operand shape "
        r"(\(.*?\))",
        "The order {1} does not name each axis of an array of the shape {2} exactly once",
        "",
        ("the axes", "Write each axis once. A function of linear algebra takes arrays of at least two axes."),
    ),
    Message(
        r"`type` argument of array\.view\(\) is not supported",
        "view of a JAX array takes a dtype, not sizes",
        "",
        ("reshape", "Write x.reshape(...) with the sizes."),
        with_operands=True,
    ),
    Message(
        r"Unused (?:positional|keyword) arguments to `jax\.debug\.print`",
        "The format of jax.debug.print has no place for a value of the call",
        "jax.debug.print fills the format as str.format does, not as % does.",
        ("{}", "Write {} in the format for each value, such as jax.debug.print('x = {}', x)."),
    ),
    # --- types ---
    Message(
        r"neg(?:ative)? does not accept dtype bool",
        "JAX does not negate booleans with -",
        "",
        ("~", "Write ~x for not x, or convert to integers with x.astype(int)."),
    ),
    Message(
        r"Error interpreting argument to stage as a JAX value\. The problematic value is of type "
        r"<class 'numpy\.ndarray'>",
        "JAX cannot make an array of this NumPy array",
        "JAX arrays hold numbers and booleans. The NumPy array holds texts, dates or objects of Python.",
        (
            "numbers",
            "Keep texts, dates and objects in Python lists or NumPy arrays, and give JAX numbers in their place.",
        ),
    ),
    Message(
        r"Error interpreting argument to custom_\w+_call as a JAX value\. The problematic value is of type <class "
        r"'(?:\w+\.)*(\w+)'> and was passed to \w+ at position (\d+)",
        "The function takes arrays, but gets a {1} at position {2}",
        "Positions count from 0.",
        ("an array", "Pass an array or a number."),
    ),
    Message(
        r"Error interpreting argument to (\w+) as a JAX value\. The problematic value is of type <class "
        r"'(?:\w+\.)*(\w+)'> and was passed to \w+ at position (\d+)",
        "lax.{1} takes arrays, but gets a {2} at position {3}",
        "Functions of jax.lax do not convert their operands to arrays. Positions count from 0.",
        ("an array", "Make an array first, for example with jnp.array, or use the function of jax.numpy."),
    ),
    Message(
        r"index arguments to (\w+) must be integers of the same type, got: (\S+?)\.?$",
        "The starts of {1} must be integers, not {2}",
        "",
        ("an integer", "Pass integers, such as i.astype(int)."),
        with_operands=True,
    ),
    Message(
        r"exponent must be an integer, got (\S+)",
        "matrix_power takes an integer as the exponent, not {1}",
        "",
        ("an integer", "Pass an integer. jax.scipy.linalg.sqrtm computes a square root, expm an exponential."),
    ),
    Message(
        r"randint only accepts integer dtypes, got (\w+)",
        "randint draws integers, not {1}",
        "",
        ("jax.random.uniform", "For floats use jax.random.uniform(key, shape, minval=..., maxval=...)."),
    ),
    Message(
        r"None is not a valid value for jnp\.array",
        "An array cannot hold None",
        "JAX arrays hold numbers and booleans.",
        (
            "jnp.nan",
            "Write jnp.nan for a missing number. An array of integers has no nan: keep a boolean array that says "
            "which elements are missing.",
        ),
    ),
    Message(
        r"unsupported operand type\(s\) for (\S+): '(?:ShapeDtypeStruct' and '.*?|.*?' and 'ShapeDtypeStruct)'",
        "A ShapeDtypeStruct is a shape and a dtype, and has no values",
        "jax.eval_shape returns a ShapeDtypeStruct. JAX does not trace a static argument, so a static "
        "ShapeDtypeStruct does not become an array.",
        ("arrays", "Compute with arrays: call the function itself for values, and do not make the argument static."),
    ),
    Message(
        r"Argument '(.*?)' of shape (\S+) of type <class '(?:\w+\.)*ShapeDtypeStruct'> is not a valid JAX type",
        "The argument {1} is a ShapeDtypeStruct, which has no values",
        "A ShapeDtypeStruct says the shape and the dtype of an array: {2}.",
        ("jax.eval_shape", "jax.eval_shape(f, {1}) and jax.jit(f).lower({1}) take types. A call takes arrays."),
    ),
    # --- random keys ---
    Message(
        r"(\w+) accepts a scalar seed, but was given an array of shape (\(.*?\))",
        "{1} makes a key of one number, but the seed has the shape {2}",
        "",
        ("jax.vmap", "jax.vmap(jax.random.{1})(seeds) makes a key from each number."),
    ),
    Message(
        r"PRNG key seed must be an integer",
        "The seed of a random key must be an integer",
        "",
        ("an integer", "Pass an integer, such as 0."),
    ),
    Message(
        r"invalid literal for int\(\) with base 10: '(.*?)'",
        "'{1}' is not an integer",
        "This call takes an integer.",
        (
            "an integer",
            "Pass an integer. zlib.crc32(b'...') makes an integer from a string, such as for jax.random.fold_in.",
        ),
        raised_in_jax=True,
    ),
    # --- functions and branches ---
    Message(
        r"Empty branch sequence",
        "switch has no branches",
        "",
        ("branches", "Pass a list of at least one function."),
    ),
    Message(
        r"Missing required argument `grads`\. As of Flax",
        "update of an optimizer of nnx takes the model first, and then the gradients",
        "",
        ("the model", "Write optimizer.update(model, grads)."),
    ),
    Message(
        r"expected PyTreeDef\((.*?)\), got PyTreeDef\((.*)\)\.?$",
        "The arguments of the call have another structure than the arguments of jax.linearize",
        "The function takes {1}, but the call passes {2}. Each * stands for an array.",
        ("the arguments", "Pass as many arguments as jax.linearize got, with the same containers and keys."),
    ),
    Message(
        r"vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments passed to "
        r"the function, but got (.+?)\.?$",
        "in_axes takes a number, None, or a tuple of numbers and None, not {1}",
        "A tuple has one entry for each argument. The entry for an argument that is a dict may be a dict with "
        "the same keys.",
        (
            "in_axes",
            "Write in_axes=0 for the first axis of each argument, or a tuple of entries, also for one argument.",
        ),
    ),
    Message(
        r"Expected a callable value, got",
        "This call takes a function, but gets a value",
        "The call takes the function itself, not the result of a call of the function.",
        ("the function", "Pass the function, such as jax.jit(f), and give its arguments to the result: jax.jit(f)(x)."),
    ),
    Message(
        r"lax\.(\w+): (?:f|(\w+)) argument should be (?:a )?callable",
        "lax.{1} takes a function, but gets another value in the place of the function",
        "",
        ("the order", "help(jax.lax.{1}) shows the order of the arguments."),
    ),
    # --- derivatives ---
    Message(
        r"Custom JVP rule (\S+) for function (\w+) must produce a pair",
        "The rule {1} of {2} must return a pair: the result and the tangent",
        "The rule of a custom_jvp computes the result and the tangent of the result.",
        ("a pair", "Return the pair (result, tangent)."),
    ),
    Message(
        r"linearized function called on tangent values inconsistent with the original primal values:\s+Got tangent "
        r"aval ~?(\S+) for primal aval \S+ but expected ~?(\S+?)\.?$",
        "The tangent is {1}, but the argument of linearize was {2}",
        "A tangent has the shape and the type of its argument.",
        ("same type", "Pass a tangent of the type {2}."),
    ),
    Message(
        r"unexpected tree structure\.\s+The argument to a VJP function returned by `jax\.vjp` must match .*?"
        r"\* out was (?:a|an) <class '(\w+)'> in the original output, but a pytree leaf here",
        "The function returned a {1}, but the cotangent is one array",
        "A cotangent has the structure of the result.",
        ("result structure", "Pass a {1} with one cotangent for each result."),
    ),
    Message(
        r"unexpected tree structure\.\s+The argument to a VJP function returned by `jax\.vjp` must match",
        "The cotangent has another structure than the result of the function",
        "A cotangent has the structure of the result. The message of the error says where the structures differ.",
        ("result structure", "Pass a cotangent with the containers and keys of the result."),
    ),
    Message(
        r"primal and tangent arguments to jax\.jvp must be tuples or lists; found (\w+) and (\w+)",
        "jvp takes the arguments and the tangents as two tuples, not as {1} and {2}",
        "",
        ("tuples", "Write jax.jvp(f, (x,), (t,)), also for one argument."),
    ),
    # --- compiled programs ---
    Message(
        r"Argument types differ from the types for which this computation was compiled\..*?Argument '?(.*?)'? compiled "
        r"with (\S+) and called with (\S+)",
        "The compiled function takes {2} as its argument {1}, but gets {3}",
        "A function that lower(...).compile() made has one program for one type.",
        ("jax.jit", "Call the jitted function, which compiles for each type, or compile for the new type."),
    ),
    Message(
        r"'(?:int|tuple|list|str|type)' object has no attribute '(?:dtype|shape)'",
        "JAX expects an object with a shape and a dtype here, but gets another object",
        "A type, such as that of a callback's result, is described by an array or by jax.ShapeDtypeStruct.",
        ("jax.ShapeDtypeStruct", "Pass jax.ShapeDtypeStruct(shape, dtype), for example with x.shape and x.dtype."),
        raised_in_jax=True,
    ),
    # --- libraries ---
    Message(
        r"You are using a transformation that requires the current value of parameters, but you are not passing",
        "This optimizer needs the parameters in update",
        "Weight decay, for example, computes with the parameters.",
        ("params", "Call update(gradients, state, params)."),
    ),
    Message(
        r"(Dropout) requires a key when running in non-deterministic mode",
        "{1} needs a random key",
        "The Dropout of equinox draws random numbers if inference mode is off.",
        ("key", "Pass key=key to the call, or inference=True, or use equinox.nn.inference_mode(model)."),
    ),
    Message(
        r"Tried to access \"(\w+)\" from collection \"(\w+)\" in \"(.*?)\" but the collection is empty",
        "The module of flax needs {1}, but the collection {2} is empty",
        "A linen module holds no parameters: init makes the parameters, and apply takes the parameters.",
        ("apply", "Write variables = m.init(key, x), and then m.apply(variables, x)."),
    ),
    Message(
        r"Could not find parameter named \"(\w+)\" in scope \"(.*?)\"",
        "The parameters of the module of flax have no {1} at {2}",
        "apply looks for each parameter under the name of its module.",
        ("init", "Make the parameters with m.init(key, x) of the same module, and compare their keys."),
    ),
    Message(
        r"Can't set (\w+)=.* for Module of type (\w+): Module instance is frozen outside of setup",
        "A linen module can set the attribute {1} only in its method setup",
        "The module {2} is frozen while its call runs: the call computes with the parameters and changes nothing.",
        ("sow", "Return the value, or keep the value with self.sow('intermediates', '{1}', value)."),
    ),
    Message(
        r"Some parameters have no corresponding transformation\.\s*Parameter labels: (.*?)\.?\s*"
        r"Transforms keys: (.*?)\.?$",
        "A label of multi_transform has no transformation",
        "The parameters have the labels {1}, and the transformations have the keys {2}.",
        ("a transformation for each label", "Write a transformation for each label, or correct the labels."),
    ),
    Message(
        r"multivariate_normal requires cov\.ndim >= 2, got cov\.ndim == (\d+)",
        "multivariate_normal takes a covariance matrix, but gets an array whose number of axes is {1}",
        "",
        (
            "diag",
            "Write jnp.diag(variances) for independent variables, or draw jax.random.normal * jnp.sqrt(variances).",
        ),
        with_operands=True,
    ),
    Message(
        r"The first argument passed to an apply function should be a dictionary of collections",
        "apply takes all collections of variables, not the parameters alone",
        "init returns a dict whose key 'params' holds the parameters.",
        ("params", "Pass what init returned, or dict(params=parameters) for the parameters alone."),
    ),
)
