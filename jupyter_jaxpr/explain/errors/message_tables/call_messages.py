"""The table of error messages about one argument of a call of JAX, optax, equinox or flax, with titles and cures."""

from __future__ import annotations

from .jax_messages import (
    INTEGER_OF_STRING,
    NAMED_AXES,
    OBJECTS_OUTSIDE,
    PARAMETERS_OF_LINEN,
    TYPE_OF_TANGENT,
    TYPES_OF_ELEMENTS,
    UNBOUND_AXIS_NAME,
    Message,
)

LEFT_OUT = "The call of {function} leaves out {arguments}"
MASK_OF_ARRAY = ("a mask", "Compute the mask from the array itself, such as x > 0.")
VIEW_WITH_SIZES = "view of a JAX array takes a dtype, not sizes"
RESHAPE = ("reshape", "Write x.reshape(...) with the sizes.")
UPDATE_WITHOUT_PARAMETERS = "This optimizer needs the parameters as an argument of update"
_OPERANDS_OF_LAX = "Functions of jax.lax do not convert their operands to arrays."
_ARRAY_FIRST = ("an array", "Make an array first, for example with jnp.array, or use the function of jax.numpy.")
FUNCTION_ITSELF = "Pass the function itself, not the result of a call of the function."
RESULT_AND_TANGENT = "Return the pair (result, tangent)."
NO_PAIR_OF_JVP_RULE = "The derivative rule {rule} of {function} must return a pair: the result and the tangent"
PAIR_OF_JVP_RULE = "The rule of a custom_jvp computes the result and the tangent of the result."

CALL_MESSAGES = (
    Message(
        r"'(float|int|list|tuple)' object has no attribute 'shape'",
        "minimize takes an array as x0, but gets a {1}",
        "x0 is the start of the search, an array with one axis.",
        ("an array", "Pass an array with one axis, such as jnp.array([0.0])."),
        of_others=True,
        raised_in_jax=True,
        calls=("minimize",),
    ),
    Message(
        r"Value '<function (\w+)\.<locals>\.init at ",
        "The initializer of a parameter made a function, not an array",
        "A function such as lecun_normal makes an initializer: its call stands in the place of the initializer.",
        ("call the function", "Call the function that makes the initializer, as in kernel_init=lecun_normal()."),
    ),
    Message(
        r"The input arguments to the custom_(?:jvp|vjp)-decorated function (?P<function>\w+) could not be resolved to "
        r"positional-only arguments\. Binding failed with the error:\s+missing a required argument: "
        r"'(?P<arguments>\w+)'",
        LEFT_OUT,
        "",
        (
            "pass the missing argument",
            "Pass {arguments} in the call. The function itself, without a call, is {function}.",
        ),
    ),
    # --- sizes and axes ---
    Message(
        r"Cannot interpret '(?P<argument>.*?)' as a data type",
        "{argument} is not a dtype",
        "This call takes a dtype as the argument at this place.",
        ("a dtype", "Write several sizes or axes as one tuple, such as (3, 4), or pass a dtype such as jnp.float32."),
        of_others=True,
    ),
    Message(
        r"Passing an array as a dtype argument is no longer supported",
        "The call passes an array in the place of a dtype",
        "",
        (
            "a dtype",
            "Pass x.dtype, the dtype of the array x. A function that joins arrays takes one list: jnp.vstack([a, b]).",
        ),
    ),
    Message(
        r"(save_(?:only|any|anything|and|from)_\w+|offload_dot_\w+)\(\) (?:got an unexpected|takes|missing) ",
        "The policy of jax.checkpoint is {1} itself, not the result of its call",
        "{1} makes a policy from its arguments. JAX calls the policy for each operation.",
        ("a call", "Call {1} with its arguments, as help(jax.checkpoint_policies.{1}) says."),
        raised_in_jax=True,
    ),
    Message(
        r"can only specify one unknown axis size with a `-1` value, got (?P<shape>\(.*?\))",
        "reshape can compute one size, but the shape {shape} has -1 several times",
        "For a size of -1, reshape computes the size from the number of elements.",
        ("one -1", "Write -1 once, and numbers for the other sizes."),
    ),
    Message(
        r"boolean index did not match shape of indexed array in index (\d+): got (?P<shape_of_mask>\(.*?\)), "
        r"expected \[(?P<shape_of_array>.*?)\]",
        "A mask of the shape {shape_of_mask} does not fit an array of the shape ({shape_of_array})",
        "A mask needs one element for each element of the array, or one element for each row of the array.",
        MASK_OF_ARRAY,
        with_operands=True,
    ),
    Message(
        r"k argument to top_k must be no larger than size along axis; got k=(?P<k>\d+) with "
        r"shape=\[(?P<shape>.*?)\] and axis=(?P<axis>\d+)",
        "top_k cannot take {k} elements of an axis of an array of the shape ({shape})",
        "The call takes the elements along axis {axis}.",
        ("k", "Pass a number k that is at most the size of the axis."),
    ),
    Message(
        r"jax\.lax\.dot: dimension_numbers must be specified .*?got lhs_shape=(?P<left_shape>\(.*?\)) "
        r"rhs_shape=(?P<right_shape>\(.*?\))",
        "lax.dot multiplies vectors and matrices, but gets arrays of the shapes {left_shape} and {right_shape}",
        "",
        ("jnp.matmul", "jnp.matmul, or @, multiplies arrays with more axes."),
    ),
    Message(
        r"broadcast_in_dim operand dimension sizes must either be 1, .*?got operand of shape "
        r"(?P<shape>\(.*?\)), target broadcast shape (?P<target_shape>\(.*?\)), broadcast_dimensions "
        r"(?P<axes>\(.*?\))",
        "broadcast_in_dim cannot broadcast an array of the shape {shape} to the axes {axes} of the shape "
        "{target_shape}",
        "At each of these axes, the two sizes must be equal, or the size in the array must be 1.",
        ("equal sizes", "Pass a shape that has the sizes of the array at these axes."),
    ),
    Message(
        r"(?:convolution requires lhs and rhs ndim to be equal|conv_general_dilated lhs and rhs must have the "
        r"same number of dimensions), got (?P<axes_of_input>\d+) and (?P<axes_of_kernel>\d+)",
        "The input of the convolution has {axes_of_input} axes, but the kernel has {axes_of_kernel}",
        "The axes of the input are the batch, the channels, and the axes of the image.",
        ("an axis", "Give the input the missing axis, such as the batch with x[None]."),
        with_operands=True,
    ),
    Message(
        r"xp and fp must be one-dimensional arrays of equal size",
        "interp takes points xp and values fp of one length",
        "jnp.interp(x, xp, fp) needs one value in fp for each point in xp.",
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
        r"unbound axis name: (?P<axis_name>\S+?)\.?(?:\s|$)",
        UNBOUND_AXIS_NAME,
        f"The axes of an array have numbers. {NAMED_AXES}",
        (
            "axis",
            'Write the number of the axis, or call the function under jax.vmap with axis_name="name", or under '
            "jax.shard_map.",
        ),
    ),
    Message(
        r"transpose permutation isn't a permutation of operand dimensions, got permutation (?P<order>\(.*?\)) "
        r"for operand shape (?P<shape>\(.*?\))",
        "The order {order} does not name each axis of an array of the shape {shape} exactly once",
        "",
        (
            "the axes",
            "Write the number of each axis once. A function of linear algebra takes arrays of at least two axes.",
        ),
    ),
    Message(
        r"`type` argument of array\.view\(\) is not supported",
        VIEW_WITH_SIZES,
        "",
        RESHAPE,
        with_operands=True,
    ),
    Message(
        r"Unused (?:positional|keyword) arguments to `jax\.debug\.print`",
        "The format of jax.debug.print has no place {} for a value that the call passes",
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
        ("numbers", OBJECTS_OUTSIDE),
    ),
    Message(
        r"Error interpreting argument to custom_\w+_call as a JAX value\. The problematic value is of type "
        r"<class '(?:\w+\.)*(?P<kind>\w+)'> and was passed to \w+ at position (?P<position>\d+)",
        "The function takes arrays, but gets a {kind} at position {position}",
        "The first argument has the position 0.",
        ("an array", "Pass an array or a number at this position."),
    ),
    Message(
        r"Error interpreting argument to (?P<function>\w+) as a JAX value\. The problematic value is of type "
        r"<class '(?:\w+\.)*(?P<kind>\w+)'> and was passed to \w+ at position (?P<position>\d+)",
        "lax.{function} takes arrays, but gets a {kind} at position {position}",
        f"{_OPERANDS_OF_LAX} The first argument has the position 0.",
        _ARRAY_FIRST,
    ),
    Message(
        r"index arguments to (?P<function>\w+) must be integers of the same type, got: (?P<dtype>\S+?)\.?$",
        "The start indices of {function} must be integers, but their dtype is {dtype}",
        "",
        ("an integer", "Pass integers, such as i.astype(int)."),
        with_operands=True,
    ),
    Message(
        r"exponent must be an integer, got (?P<exponent>\S+)",
        "matrix_power takes an integer as its exponent, not {exponent}",
        "",
        (
            "an integer",
            "Pass an integer. jax.scipy.linalg.sqrtm computes the square root of a matrix, and expm the exponential.",
        ),
    ),
    Message(
        r"randint only accepts integer dtypes, got (?P<dtype>\w+)",
        "randint draws integers, and cannot draw numbers of the dtype {dtype}",
        "",
        ("jax.random.uniform", "To draw floats, call jax.random.uniform(key, shape, minval=..., maxval=...)."),
    ),
    Message(
        r"None is not a valid value for jnp\.array",
        "An array cannot hold None",
        TYPES_OF_ELEMENTS,
        (
            "jnp.nan",
            "Write jnp.nan in the place of a missing number. An array of integers has no nan: keep a boolean array "
            "that says which elements are missing.",
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
        r"Argument '(?P<argument>.*?)' of shape (?P<type>\S+) of type <class '(?:\w+\.)*ShapeDtypeStruct'> is "
        r"not a valid JAX type",
        "The argument {argument} is a ShapeDtypeStruct, which has no values",
        "A ShapeDtypeStruct describes the type of an array. Here the type is {type}.",
        (
            "jax.eval_shape",
            "jax.eval_shape(f, {argument}) and jax.jit(f).lower({argument}) take such types. A call of f takes arrays.",
        ),
    ),
    # --- random keys ---
    Message(
        r"(?P<function>\w+) accepts a scalar seed, but was given an array of shape (?P<shape>\(.*?\))",
        "{function} makes a key of one number, but the seed has the shape {shape}",
        "",
        ("jax.vmap", "Write jax.vmap(jax.random.{function})(seeds), which makes a key from each number."),
    ),
    Message(
        r"PRNG key seed must be an integer",
        "The seed of a random key must be an integer",
        "",
        ("an integer", "Pass an integer as the seed, such as 0."),
    ),
    Message(
        r"invalid literal for int\(\) with base 10: '(?P<text>.*?)'",
        "'{text}' is not an integer",
        "This call needs an integer, but gets a string.",
        ("an integer", INTEGER_OF_STRING),
        raised_in_jax=True,
    ),
    # --- functions and branches ---
    Message(
        r"Empty branch sequence",
        "The call passes no branches to switch",
        "",
        ("branches", "Pass a list of at least one function as the branches."),
    ),
    Message(
        r"Missing required argument `grads`\. As of Flax",
        "update of an optimizer of nnx takes the model first, and then the gradients",
        "",
        ("the model", "Write optimizer.update(model, grads)."),
    ),
    Message(
        r"expected PyTreeDef\((?P<expected_structure>.*?)\), got PyTreeDef\((?P<passed_structure>.*)\)\.?$",
        "The arguments of the call have another structure than the arguments of jax.linearize",
        "The function takes the structure {expected_structure}, but the call passes {passed_structure}. Each * "
        "stands for an array.",
        ("the arguments", "Pass as many arguments as jax.linearize got, with the same containers and keys."),
    ),
    Message(
        r"vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments "
        r"passed to the function, but got (?P<in_axes>.+?)\.?$",
        "in_axes takes a number, None, or a tuple of numbers and None, not {in_axes}",
        "A tuple in_axes has one entry for each argument. The entry for an argument that is a dict may be a dict "
        "with the same keys.",
        (
            "in_axes",
            "Write in_axes=0 for the first axis of each argument, or a tuple of entries, also for one argument.",
        ),
    ),
    Message(
        r"Expected a callable value, got",
        "This call takes a function, but gets a value that is not a function",
        FUNCTION_ITSELF,
        ("the function", "Pass the function, such as jax.jit(f), and pass its arguments to the result: jax.jit(f)(x)."),
    ),
    Message(
        r"lax\.(?P<function>\w+): (?:f|(\w+)) argument should be (?:a )?callable",
        "lax.{function} takes a function, but gets another value in the place of the function",
        "",
        ("the order", "help(jax.lax.{function}) shows the order of the arguments."),
    ),
    Message(
        r"The contents of odeint \*args must be arrays or scalars, but got (?P<value>.+?)\.$",
        "odeint passes the arguments after t to the function, and {value} is not an array",
        "The call odeint(f, y0, t, a, b) passes a and b to each call f(y, t, a, b).",
        (
            "leave out",
            "Leave {value} out, or bind the argument of the function with functools.partial. JAX's odeint has the "
            "options rtol, atol, mxstep and hmax, and no option for the method.",
        ),
    ),
    # --- derivatives ---
    Message(
        r"Custom JVP rule (?P<rule>\S+) for function (?P<function>\w+) must produce a pair",
        NO_PAIR_OF_JVP_RULE,
        PAIR_OF_JVP_RULE,
        ("a pair", RESULT_AND_TANGENT),
    ),
    Message(
        r"linearized function called on tangent values inconsistent with the original primal values:\s+Got "
        r"tangent aval ~?(?P<type_of_tangent>\S+) for primal aval \S+ but expected "
        r"~?(?P<type_of_argument>\S+?)\.?$",
        "The tangent has the type {type_of_tangent}, but the argument of linearize has the type {type_of_argument}",
        TYPE_OF_TANGENT,
        ("same type", "Pass a tangent of the type {type_of_argument}."),
    ),
    Message(
        r"unexpected tree structure\.\s+The argument to a VJP function returned by `jax\.vjp` must match "
        r".*?\* out was (?:a|an) <class '(?P<kind>\w+)'> in the original output, but a pytree leaf here",
        "The function returned a {kind}, but the cotangent that the call passes is one array",
        "A cotangent needs the structure of the result of the function.",
        ("result structure", "Pass a {kind} with one cotangent for each array of the result."),
    ),
    Message(
        r"unexpected tree structure\.\s+The argument to a VJP function returned by `jax\.vjp` must match",
        "The cotangent has another structure than the result of the function",
        "A cotangent needs the structure of the result. The error message says where the structures differ.",
        ("result structure", "Pass a cotangent with the containers and keys of the result."),
    ),
    Message(
        r"primal and tangent arguments to jax\.jvp must be tuples or lists; found (?P<kind_of_arguments>\w+) "
        r"and (?P<kind_of_tangents>\w+)",
        "jvp takes the arguments and the tangents as two tuples, not as {kind_of_arguments} and {kind_of_tangents}",
        "",
        ("tuples", "Write jax.jvp(f, (x,), (t,)), also for one argument x and its tangent t."),
    ),
    # --- compiled programs ---
    Message(
        r"Argument types differ from the types for which this computation was compiled\..*?Argument "
        r"'?(?P<argument>.*?)'? compiled with (?P<compiled_type>\S+) and called with (?P<passed_type>\S+)",
        "The compiled function takes an array of the type {compiled_type} as its argument {argument}, but gets "
        "{passed_type}",
        "lower(...).compile() makes one program, for arguments of one type.",
        ("jax.jit", "Call the jitted function, which compiles for each type, or compile for the new type."),
    ),
    Message(
        r"'(?:int|tuple|list|str|type)' object has no attribute '(?:dtype|shape)'",
        "JAX expects an object with a shape and a dtype at this place, but gets another object",
        "An array or a jax.ShapeDtypeStruct describes the type of a result.",
        ("jax.ShapeDtypeStruct", "Pass jax.ShapeDtypeStruct(shape, dtype), for example with x.shape and x.dtype."),
        raised_in_jax=True,
        calls=("pure_callback", "io_callback", "pallas_call"),
    ),
    # --- libraries ---
    Message(
        r"You are using a transformation that requires the current value of parameters, but you are not passing",
        UPDATE_WITHOUT_PARAMETERS,
        "An optimizer with weight decay, for example, computes with the parameters.",
        ("params", "Call update(gradients, state, params)."),
    ),
    Message(
        r"(?P<layer>Dropout) requires a key when running in non-deterministic mode",
        "The layer {layer} needs a random key",
        "The Dropout of equinox draws random numbers if inference mode is off.",
        ("key", "Pass key=key to the call, or inference=True, or use equinox.nn.inference_mode(model)."),
    ),
    Message(
        r"Tried to access \"(?P<variable>\w+)\" from collection \"(?P<collection>\w+)\" in \"(.*?)\" but the "
        r"collection is empty",
        "The module of flax needs the variable {variable}, but the collection {collection} of variables is empty",
        PARAMETERS_OF_LINEN,
        ("apply", "Write variables = m.init(key, x), and then m.apply(variables, x)."),
    ),
    Message(
        r"Could not find parameter named \"(?P<parameter>\w+)\" in scope \"(?P<path>.*?)\"",
        "The parameters of the module of flax have no parameter {parameter} at the path {path}",
        "apply looks for each parameter under the name of its module.",
        (
            "init",
            "Make the parameters with m.init(key, x) of the same module m, and compare the keys of the parameters.",
        ),
    ),
    Message(
        r"Can't set (?P<attribute>\w+)=.* for Module of type (?P<module>\w+): Module instance is frozen "
        r"outside of setup",
        "A linen module can set the attribute {attribute} only in its method setup",
        "While a call of {module} runs, flax freezes the module: the call computes with the parameters and changes "
        "nothing.",
        ("sow", "Return the value, or keep the value with self.sow('intermediates', '{attribute}', value)."),
    ),
    Message(
        r"Some parameters have no corresponding transformation\.\s*Parameter labels: "
        r"(?P<labels>.*?)\.?\s*Transforms keys: (?P<keys>.*?)\.?$",
        "optax.multi_transform has no transformation for one of the labels",
        "The parameters have the labels {labels}, and the transformations have the keys {keys}.",
        ("a transformation for each label", "Write a transformation for each label, or correct the labels."),
    ),
    Message(
        r"multivariate_normal requires cov\.ndim >= 2, got cov\.ndim == (?P<number_of_axes>\d+)",
        "multivariate_normal takes a covariance matrix, but gets an array whose number of axes is {number_of_axes}",
        "",
        (
            "diag",
            "For independent variables, pass jnp.diag(variances), or compute jax.random.normal(...) * "
            "jnp.sqrt(variances).",
        ),
        with_operands=True,
    ),
    Message(
        r"The first argument passed to an apply function should be a dictionary of collections",
        "apply takes a dict of all collections of variables, not the dict of the parameters alone",
        "init returns a dict whose key 'params' holds the parameters.",
        ("params", "Pass the dict that init returned, or dict(params=parameters) if the module has only parameters."),
    ),
)
