"""The table of the error messages of JAX, with titles and cures; a pattern matches from the start of a message."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """One row of the table: an error message of JAX and its explanation.

    Attributes:
        pattern: Matches from the start of the message. A group with a name replaces {name} in the other fields; the
            groups also replace {1}, {2} ... by their numbers.
        title: The event in a few words.
        text: Sentences that explain the title.
        cure: The name and the sentence of the cure.
        of_others: NumPy and Python raise the same message, and the row is true of NumPy, too; the row applies only to
            errors in which JAX takes part. A row without of_others never applies to an error of another library.
        raised_in_jax: The row applies only to errors from JAX's code; the user's code can raise the same message.
        with_operands: The explanation also lists the arguments of the call with their types.
        calls: The row applies only where the failing expression calls a function of these names; () for any expression.
        of_one_element: A module of equinox that takes one element got a batch, so jax.vmap of a module may be the cure.
    """

    pattern: str
    title: str
    text: str
    cure: tuple[str, str]
    of_others: bool = False
    raised_in_jax: bool = False
    with_operands: bool = False
    calls: tuple[str, ...] = ()
    of_one_element: bool = False


OBJECTS_OUTSIDE = (
    "Keep strings, dates and objects in Python lists or NumPy arrays, and pass numbers to JAX in their place."
)
TYPES_OF_ELEMENTS = "JAX arrays hold numbers and booleans."
LARGE_INTEGER = "An integer is too large for the integers of JAX"
LARGEST_INTEGER = "JAX gives a Python integer the type int32, whose largest value is 2,147,483,647."
NUMBER_OF_AXES = "The number of axes of the array is {number_of_axes}."
FLOAT_QUOTIENT = "The operator / gives a float, also for integers. // gives an integer, rounded down."
INTEGER_OF_STRING = "Pass an integer. zlib.crc32(text.encode()) makes an integer from a string."
NUMBER_OUT_OF_RANGE = "The number {number} does not fit into {dtype}"
FLOAT_OR_X64 = ("a float", "Use a float, or turn on the setting jax_enable_x64 before any other use of JAX.")
DTYPE_OF_TANGENT = (
    "The tangent of jvp has the dtype {dtype_of_tangent}, but the argument has the dtype {dtype_of_argument}"
)
TYPE_OF_TANGENT = "A tangent has the shape and the type of its argument."
PLACES_OF_COTANGENTS = "JAX gives each cotangent to the argument at the same place."
NO_PAIR_OF_FORWARD_RULE = "The forward rule of {function} must return a pair: the result and the residuals"
RESULT_AND_RESIDUALS = (
    "Return the pair (result, residuals). If the backward rule needs no residuals, return (result, None)."
)
RESIDUALS_OF_FORWARD_RULE = "The residuals are the values that JAX passes to the backward rule."
OTHER_TYPE_OF_COTANGENT = (
    "The backward rule returns a cotangent of the type {type_of_cotangent} for an argument of the type "
    "{type_of_argument}"
)
TYPE_OF_COTANGENT = "A cotangent has the shape and the type of the result."
PARAMETERS_OF_LINEN = (
    "A module of linen holds no parameters: init makes the parameters, and apply takes the parameters."
)
KEY_WITHOUT_VALUE = "A key has no value to compute with: the functions of jax.random use a key to draw numbers."
ELEMENTS_OF_XS = "scan takes one element along axis 0 of each array in xs at each step."
SCAN_OF_A_NUMBER = "scan cannot take elements of a single number in xs"
COND_OF_VALUES = "cond takes two functions, not two values"
CALLS_OF_COND = "cond(test, f, g, x) calls f(x) or g(x)."
CONCATENATE_OF_NUMBERS = "concatenate joins arrays along an axis, and a single number has no axis"
CHANGE_IN_PLACE = "{function} would change an array in place, and JAX arrays cannot be changed"
ARRAY_DONATED_TWICE = "A call receives one array twice and donates the array"
MEMORY_OF_DONATED = "The call may reuse the memory of a donated argument, so no other argument can be the same array."
DIFFERENT_KEYS = "Two trees of the call have different keys or fields"
NAMED_AXES = "vmap with axis_name, or shard_map, gives an axis a name, which only the mapped function can use."
SHIFTED_FLOATS = "The operators << and >> shift the bits of integers, and take no {dtype}"
KEYS_FOR_ONE_KEY = "{function} takes one key, but gets an array of keys with the shape {shape}"
UNBOUND_AXIS_NAME = "No axis has the name {axis_name} at this place"
UNKNOWN_ARGUMENT = "{function} has no argument {argument}"
ENTRIES_OF_SPEC = "A PartitionSpec has at most one entry for each axis of the array."
FEWER_ENTRIES = "Leave out the entries of the PartitionSpec for axes that the array does not have."
_SAME_DEVICES = "All arrays of a jitted function must be on the same devices."
_MOVED_ARRAYS = ("jax.device_put", "Move the arrays to the same devices with jax.device_put before the call.")
LIST_OF_ARGUMENTS = "help({function}) lists the arguments of {function}."
EQUAL_TREES = "Make the containers and keys of the two trees equal."
_TREES_OF_THE_CALL = "The call takes trees of the same containers and keys, such as gradients and their parameters."
_SAME_STRUCTURE = (
    "same structure",
    f"{EQUAL_TREES} The message of the error lists the keys or the containers of both trees.",
)
_CHECKED_RESULTS = (
    "JAX checks each result, because jax_debug_nans (for nan) or jax_debug_infs (for inf) is on, and raises the error "
    "here."
)
_VALUES_WITHOUT_NAN = (
    "jnp.where",
    "Before the call, replace the values for which {operation} gives {value}, for example with jnp.maximum or "
    "jnp.where.",
)
_ARRAY_OR_NUMBER = ("a number", "Give an array or a number in place of the {kind}.")
NO_OPERATION_ON_BITS = "{subject} takes integers and booleans, not {dtype}"
OPERATORS_ON_BITS = "The operators &, |, ^, ~, << and >> work on bits."
_COMPARE = "Compare first, and put each comparison in parentheses, as in (a > 0) & (b > 0)."

ARRAY_MESSAGES = (
    Message(
        r"(?P<function>\w+) requires ndarray or scalar arguments, got <class "
        r"'(?:\w+\.)*(custom_jvp|custom_vjp|PjitFunction|function)'>",
        "{function} takes arrays, but gets a function",
        "A tree of parameters, such as a module of equinox, may hold functions in addition to its arrays.",
        ("arrays alone", "Pass only the arrays, for example equinox.filter(model, equinox.is_array)."),
    ),
    Message(
        r"The truth value of an empty array is ambiguous",
        "An empty array is neither true nor false",
        "",
        ("size", "Write x.size > 0 to ask whether the array has elements."),
        of_others=True,
    ),
    Message(
        r"Can't call compact methods on unbound modules",
        "A module of flax is called without its parameters",
        PARAMETERS_OF_LINEN,
        ("apply", "Write params = m.init(key, x), and then m.apply(params, x)."),
    ),
    Message(
        r"(?P<function>\w+) does not accept dtypes? (?:key<\w+>.*|.*?, key<\w+>.*)",
        "A key of jax.random is not a number, so {function} cannot compute with the key",
        KEY_WITHOUT_VALUE,
        (
            "jax.random",
            "Make new keys with jax.random.split or jax.random.fold_in, or read the key's integers with "
            "jax.random.key_data.",
        ),
    ),
    Message(
        r"JAX array with PRNGKey dtype cannot be converted to a NumPy array",
        "NumPy cannot hold a key of jax.random",
        "A key has a type of its own, which NumPy does not have.",
        ("jax.random.key_data", "jax.random.key_data(key) gives the integers of the key."),
    ),
    Message(
        r"(shift_\w+) does not accept dtype (?P<dtype>\w+)",
        SHIFTED_FLOATS,
        "",
        ("an integer", "Convert the operands to integers, or multiply by a power of 2, as in x * 2.0**n."),
    ),
    *(
        Message(
            rf"{name} does not accept dtype (?P<dtype>\w+)",
            NO_OPERATION_ON_BITS.replace("{subject}", subject),
            OPERATORS_ON_BITS,
            ("compare", words),
            with_operands=True,
        )
        for name, subject, words in (
            ("and", "The operator &", _COMPARE),
            ("or", "The operator |", _COMPARE),
            ("xor", "The operator ^", "For a power, write ** in place of ^. For booleans, compare first."),
            (
                "not",
                "The operator ~",
                "In place of ~, compare the array with 0. Or convert the array with .astype(bool) before ~.",
            ),
            ("population_count", "population_count", "Convert the array to an integer dtype first."),
        )
    ),
    Message(
        r"Integers cannot be raised to negative powers, got integer_pow\((?P<type>\S+), (?P<power>-\d+)\)",
        "An integer array cannot be raised to the power {power}",
        "The result would not be an integer, but the type of the array is {type}.",
        ("a float", "Convert the array to float first, for example with x.astype(float)."),
    ),
    Message(
        r"Zero-dimensional arrays cannot be concatenated",
        CONCATENATE_OF_NUMBERS,
        "",
        ("jnp.stack", "Make an array of the numbers with jnp.stack or jnp.array."),
    ),
    Message(
        r"(?P<function>convolve|correlate)\(\) only support 1-dimensional inputs",
        "{function} takes arrays of one axis",
        "",
        ("jax.scipy.signal", "Use jax.scipy.signal.convolve for several axes, or jax.vmap for a batch of rows."),
    ),
    Message(
        r"The input to linalg\.(?P<function>\w+) must have shape \[\.\.\., n, n\], got shape",
        "{function} takes square matrices, but this matrix is not square",
        "",
        ("a square matrix", "Pass a square matrix: a matrix with as many rows as columns."),
        with_operands=True,
    ),
    Message(
        r"Argument to _?(?P<function>\w+(?:\.\w+)*)(?:\(\))? must have shape \[\.\.\., n, n\], got "
        r"(?P<shape>\(.*?\))",
        "{function} takes square matrices, but this matrix has the shape {shape}",
        "",
        (
            "a square matrix",
            "Pass a square matrix. For a matrix that is not square, try jnp.linalg.pinv or jnp.linalg.lstsq.",
        ),
        with_operands=True,
    ),
    Message(
        r"array split does not result in an equal division: rest is (?P<remainder>\d+)",
        "JAX cannot split the axis into equal parts: the division leaves the remainder {remainder}",
        "",
        (
            "axis",
            "Split along an axis whose size is a multiple of the number of parts; axis=-1 names the last axis. The "
            "parts of jnp.array_split may have different sizes.",
        ),
        with_operands=True,
    ),
    Message(
        r"Cannot take a larger sample \(size (?P<number_to_draw>\d+)\) than population \(size "
        r"(?P<number_of_elements>\d+)\) when 'replace=False'",
        "choice cannot draw {number_to_draw} different elements from {number_of_elements} elements",
        "",
        (
            "replace",
            "Draw at most {number_of_elements} elements, or pass replace=True, which may draw an element twice.",
        ),
    ),
    Message(
        r"cannot reshape array of shape (?P<shape>\(.*?\)) \(size (?P<number_of_elements>\d+)\) into shape "
        r"(?P<new_shape>\(.*?\)) because the product of specified axis sizes \((?P<product>\d+)\) does not "
        r"evenly divide",
        "JAX cannot reshape an array of the shape {shape} to the shape {new_shape}",
        "The sizes of the new shape other than -1 multiply to {product}, which does not divide "
        "{number_of_elements}, the number of elements.",
        ("another size", "In the new shape, write sizes whose product divides {number_of_elements}."),
    ),
    Message(
        r"Number of einsum subscripts, (?P<number_of_subscripts>\d+), must be equal to the number of "
        r"operands, (?P<number_of_operands>\d+)",
        "einsum takes one operand for each of its subscripts: the number of subscripts is "
        "{number_of_subscripts}, the number of operands is {number_of_operands}",
        "In the subscripts, a comma separates the letters of two operands.",
        ("subscripts", "Write the subscripts of each operand, separated by commas."),
    ),
    Message(
        r"cannot select an axis to squeeze out which has size not equal to one, got shape=(?P<shape>\(.*?\)) "
        r"and dimensions=\((?P<axis>.*?),?\)",
        "squeeze cannot remove the axis {axis} of the shape {shape}",
        "squeeze removes axes of size 1 only.",
        ("an index", "Take one element along the axis with an index, or reduce the axis, for example with a sum."),
    ),
    Message(
        r"matmul input operand (\d) must have ndim at least 1, but it has ndim 0",
        "A matrix product needs arrays with axes, but one operand is a single number",
        "",
        ("*", "Write * to multiply by a number."),
    ),
    Message(
        r"Cannot broadcast to shape with fewer dimensions: arr_shape=(?P<shape>\(.*?\)) "
        r"shape=(?P<target_shape>\(.*?\))",
        "An array of the shape {shape} does not fit into the shape {target_shape}",
        "The new value has more axes than the part of the array that the value replaces.",
        ("a slice", "Write a value of the shape {target_shape}, or write the value into a slice of more elements."),
    ),
    Message(
        r"condlist must have length equal to choicelist \((?P<number_of_conditions>\d+) vs "
        r"(?P<number_of_choices>\d+)\)",
        "select takes one choice for each condition",
        "The number of conditions is {number_of_conditions}, and the number of choices is {number_of_choices}.",
        (
            "one choice",
            "Pass one choice for each condition. The argument default is the value where no condition is true.",
        ),
    ),
    Message(
        r"Leading dimensions of input arrays must match",
        "lstsq takes a matrix and an array of values with the same number of rows",
        "Each row of the matrix belongs to one of the values.",
        (
            "rows",
            "Pass a matrix with one row for each value. jnp.stack(columns, axis=1) makes a matrix from a list of its "
            "columns.",
        ),
        with_operands=True,
    ),
    Message(
        r"(?:jnp\.linalg\.)?(?P<function>\w+) requires ndarray or scalar arguments, got <class 'dict'> at "
        r"position (?P<position>\d+)",
        "{function} takes arrays, but gets a dict",
        "The dict is the argument at the position {position}; the first argument has the position 0.",
        (
            "ravel_pytree",
            "Pass one array of the dict, or make one array from all arrays of the dict: flat, restore = "
            "jax.flatten_util.ravel_pytree(x).",
        ),
    ),
    Message(
        r"where requires ndarray or scalar arguments, got <class 'NoneType'> at position 2|"
        r"Either both or neither of the x and y arguments should be provided to jax\.numpy\.where",
        "where needs two values: one for true and one for false",
        "",
        ("three arguments", "Write jnp.where(condition, a, b)."),
    ),
    Message(
        r"jax\.numpy\.(?P<function>\w+) cannot modify arrays in-place",
        CHANGE_IN_PLACE,
        "",
        ("inplace=False", "Write x = jnp.{function}(x, ..., inplace=False), which makes a new array."),
    ),
    Message(
        r"INVALID_ARGUMENT: Attempt to (?:donate the same buffer twice|use a buffer that was previously donated)",
        ARRAY_DONATED_TWICE,
        MEMORY_OF_DONATED,
        ("a copy", "Pass x.copy() as one of the two arguments, or do not donate the argument."),
    ),
    Message(
        r"Custom VJP bwd rule must produce an output with the same container \(pytree\) structure as the args "
        r"tuple.*?structure (?P<returned_structure>PyTreeDef\(.*?\)) for primal input structure "
        r"(?P<structure_of_arguments>PyTreeDef\(.*\))\.",
        "The backward rule of a custom_vjp must return a tuple with one cotangent for each argument",
        f"{PLACES_OF_COTANGENTS} The arguments of nondiff_argnums get no cotangent: the rule returned the structure "
        "{returned_structure} for arguments of the structure {structure_of_arguments}.",
        (
            "a tuple",
            "Return a tuple of the structure of the arguments, with None in the place of an argument without a "
            "cotangent.",
        ),
    ),
    Message(
        r"Custom VJP fwd rule (\S+) for function (?P<function>\w+) must produce a pair",
        NO_PAIR_OF_FORWARD_RULE,
        RESIDUALS_OF_FORWARD_RULE,
        (
            "a pair",
            RESULT_AND_RESIDUALS,
        ),
    ),
    Message(
        r"Custom VJP bwd rule (?:attached to (\S+) at \S+ )?must produce an output with the same type as the "
        r"args tuple of the primal function, but at output\[(?P<position>\d+)\] the bwd rule produced an "
        r"output of type (?P<type_of_cotangent>\S+) corresponding to an input of type "
        r"(?P<type_of_argument>[^\s,]+(?:,\d+)*\]?)",
        OTHER_TYPE_OF_COTANGENT,
        "The cotangent at position {position} must have the shape and the type of its argument.",
        (
            "same type",
            "Compute a cotangent of the type {type_of_argument} in the backward rule: a missing product with a "
            "residual or a missing broadcast is a usual cause.",
        ),
    ),
    Message(
        r"(?:Length of sharding\.spec \(|.*?Sharding .*? is only valid for values of rank at least )"
        r"(?P<needed_axes>\d+)(?:\) must be equal to aval's ndim \(|, but was applied to a value of rank )"
        r"(?P<number_of_axes>\d+)",
        "The sharding needs an array of at least {needed_axes} axes, but the number of axes of the array is "
        "{number_of_axes}",
        ENTRIES_OF_SPEC,
        ("PartitionSpec", FEWER_ENTRIES),
    ),
    Message(
        r"'float' object cannot be interpreted as an integer",
        "A float cannot be a number of elements, an axis or an index",
        "JAX or Python needs an integer at this place.",
        (
            "//",
            "Write an integer. The operator / gives a float, also for integers: write // for a division, or int(n).",
        ),
        of_others=True,
    ),
    Message(
        r"(?P<function>\w+)\(\) got an unexpected keyword argument '(?P<argument>\w+)'(?:\. Did you mean "
        r"'(\w+)'\?)?",
        UNKNOWN_ARGUMENT,
        "",
        ("help", LIST_OF_ARGUMENTS),
        of_others=True,
    ),
    Message(
        r"Comparator raised exception while sorting pytree dictionary keys",
        "JAX cannot sort the keys of a dict",
        "JAX sorts the keys of each dict of a pytree, and Python cannot compare keys of different types, such as "
        "a number and a string.",
        ("dict keys of one type", "Use keys of one type in the dict, such as str."),
    ),
)

MESSAGES = (
    Message(
        r"A single NamedSharding spec specification can map every mesh axis to at most one positional "
        r"dimension, but (?P<spec>.+) has duplicate entries for `(?P<axis>\w+)`",
        "The PartitionSpec {spec} names the mesh axis {axis} twice",
        "A mesh axis can split only one axis of an array.",
        (
            "PartitionSpec",
            "In the PartitionSpec, write None for the axes of the array that the mesh axis does not split.",
        ),
    ),
    Message(
        r"scan got no values to scan over and `length` not provided",
        "scan does not know how many steps to run",
        "scan runs one step for each element of xs, but this xs holds no array.",
        ("length", "Pass length=n for n steps, or arrays in xs."),
    ),
    Message(
        r"scan got value with no leading axis to scan over: (.+?)\.?$",
        SCAN_OF_A_NUMBER,
        ELEMENTS_OF_XS,
        (
            "xs",
            "Pass arrays with at least one axis, such as jnp.array(xs) for a list, or put the number into the carry.",
        ),
    ),
    Message(
        r"scan got `length` argument of (?P<length>\d+) which disagrees with leading axis sizes "
        r"\[(?P<number_of_elements>.*?)\]",
        "The argument length={length} of scan disagrees with xs, which has {number_of_elements} elements",
        "scan runs one step for each element of xs.",
        ("length", "Leave length out, or cut xs to {length} elements."),
    ),
    Message(
        r"lower and upper arguments to fori_loop must have equal types, got (?P<type_of_lower>\w+) and "
        r"(?P<type_of_upper>\w+)",
        "The bounds of a fori_loop have different types: {type_of_lower} and {type_of_upper}",
        "fori_loop counts with integers from the lower bound to the upper bound.",
        ("integers", "Pass integers as both bounds."),
    ),
    Message(
        r"lax\.cond: true_fun and false_fun arguments should be callable",
        COND_OF_VALUES,
        CALLS_OF_COND,
        ("jnp.where", "Write lambda: value for each branch, or choose between values with jnp.where."),
    ),
    Message(
        r"Index type must be an integer, got (.+?) as (?P<dtype>\w+)",
        "The index of switch must be an integer, but its dtype is {dtype}",
        "switch chooses a branch by its number: the first branch has the number 0.",
        ("an integer", "Pass an integer, such as index.astype(int)."),
        with_operands=True,
    ),
    Message(
        r"primal and tangent arguments to jax\.jvp do not match; .*?Got primal dtype (?P<dtype>\w+) and so "
        r"expected tangent dtype \[\('float0'",
        "jvp differentiates floats, but the dtype of an argument is {dtype}",
        "A tangent describes a small change of an argument, and an argument of the type {dtype} has no small changes.",
        (
            "a float",
            "Pass the argument as a float. If the argument must stay {dtype}, give the argument a tangent of the "
            "type jax.dtypes.float0, such as np.zeros(x.shape, jax.dtypes.float0).",
        ),
    ),
    Message(
        r"primal and tangent arguments to jax\.jvp do not match; .*?Got primal dtype "
        r"(?P<dtype_of_argument>\w+) .*? but got tangent dtype (?P<dtype_of_tangent>\w+)",
        DTYPE_OF_TANGENT,
        TYPE_OF_TANGENT,
        ("same type", "Convert the tangent to {dtype_of_argument}."),
    ),
    Message(
        r"unexpected JAX type \(e\.g\. shape/dtype\) for argument to VJP function: got "
        r"(?P<type_of_cotangent>\S+), but expected (?P<type_of_result>\S+)",
        "The cotangent has the type {type_of_cotangent}, but the result of the function has the type {type_of_result}",
        TYPE_OF_COTANGENT,
        ("same type", "Pass a cotangent of the type {type_of_result}."),
    ),
    Message(
        r"(?P<function>\w+) accepts a single key, but was given a key array of shape (?P<shape>\(.*?\))",
        KEYS_FOR_ONE_KEY,
        "jax.random.split makes an array of keys.",
        (
            "jax.vmap",
            "To draw with each key, map {function} over the keys with jax.vmap. To draw once, unpack the array as in "
            "key, subkey = jax.random.split(key), and pass one key.",
        ),
    ),
    Message(
        r"invalid value \((?P<value>nan|inf)\) encountered in (?P<operation>\S+)",
        "{operation} computed {value}",
        _CHECKED_RESULTS,
        _VALUES_WITHOUT_NAN,
    ),
    Message(
        r"\('(?:jit\()?(?P<operation>\w+)\)?', '(?P<value>nan|inf)'\)\. Because ",
        "{operation} computed {value}",
        _CHECKED_RESULTS,
        _VALUES_WITHOUT_NAN,
    ),
    Message(
        r"pytree structure error: different lengths of \w+ at key path\s+shard_map in_specs\s.*?of length "
        r"(?P<number_of_entries>\d+), but .*?of length (?P<number_of_arguments>\d+)",
        "in_specs of shard_map does not have one entry for each argument",
        "Each entry says how shard_map splits one argument. in_specs has the length {number_of_entries}, and the "
        "number of arguments is {number_of_arguments}.",
        ("in_specs", "Write a PartitionSpec for each argument, such as P() for an argument that is not split."),
    ),
    Message(
        r"pytree structure error: different pytree metadata at key path",
        DIFFERENT_KEYS,
        _TREES_OF_THE_CALL,
        _SAME_STRUCTURE,
    ),
    Message(
        r"(?:Dict key mismatch|Custom node type mismatch|Tuple arity mismatch|List arity mismatch)(.*)",
        "Two trees of the call have different structures",
        _TREES_OF_THE_CALL,
        _SAME_STRUCTURE,
    ),
    Message(
        r"Argument '(.*?)' of type '?<class '(?:\w+\.)*(?P<kind>\w+)'>'? is not a valid JAX type",
        "An argument, or a part of an argument, is not an array: its type is {kind}",
        "JAX computes with arrays and numbers.",
        ("an array", "Pass arrays and numbers, and read other values from outside of the function."),
    ),
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed)[\s\S]*?callback\.py\", "
        r"line \d+, in __call__\n  File \"(?![^\"]*(?:site|dist)-packages)[^\"]*\", line (?P<line>\d+), in "
        r"(?P<function>\S+)\n(?:  [^\n]*\n)*(?P<error>(?:\w+\.)*\w+(?:Error|Exception)[^\n]*)",
        "A callback raised {error}",
        "The program called {function}, which raised the error on line {line}. The program itself was traced "
        "and compiled.",
        ("the callback", "Correct {function}, or the values that the call passes to {function}."),
    ),
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function "
        r"failed).*\n(?P<error>(?:\w+\.)*\w+(?:Error|Exception)[^\n]*)",
        "A callback raised {error}",
        "The program called Python, and Python raised the error. The program itself was traced and compiled.",
        ("the callback", "Correct the function that the callback calls."),
    ),
    Message(
        r"No JVP defined for custom_jvp function (?P<function>\w+) using defjvp",
        "{function} has no derivative rule: {function}.defjvp was not called",
        "jax.custom_jvp takes the derivative from the function that you pass to defjvp.",
        ("defjvp", "Call {function}.defjvp(derivative) before {function} is called."),
    ),
    Message(
        r"No VJP defined for custom_vjp function (?P<function>\w+) using defvjp",
        "{function} has no derivative rule: {function}.defvjp was not called",
        "jax.custom_vjp takes the derivative from the functions that you pass to defvjp.",
        ("defvjp", "Call {function}.defvjp(forward, backward) before the derivative is used."),
    ),
    Message(
        r"Python int (?P<number>-?\d+) too large to convert to (?P<dtype>\w+)",
        NUMBER_OUT_OF_RANGE,
        LARGEST_INTEGER,
        FLOAT_OR_X64,
        of_others=True,
    ),
    Message(
        r"shard_map applied to the function '.*?' was given argument arrays with axis sizes that are not "
        r"evenly divisible.*?the passed (?P<argument>\S+) of shape (?P<type>\S+?),.*? in_specs of value "
        r"(?P<spec>.*?), which maps array axis (?P<axis>\d+) \(of size (?P<size>\d+)\) to mesh ax[ie]s .*? "
        r"\(of (?:total )?size (?P<number_of_devices>\d+)\)",
        "Axis {axis} of an argument has {size} elements, which cannot be split evenly over {number_of_devices} devices",
        "in_specs of shard_map has the entry {spec} for the argument {argument} of the type {type}. shard_map gives "
        "each device the same number of elements.",
        (
            "pad",
            "Pad axis {axis} to a multiple of {number_of_devices} elements, or write None for this axis in in_specs.",
        ),
    ),
    Message(
        r"Received incompatible devices for jitted computation\. Got argument (?P<first_argument>.*?) of "
        r"(?:\S+\.)?(?P<function>\S+) with shape \S+ and with device ids (?P<first_devices>\[.*?\]) on "
        r"platform \w+ and argument (?P<second_argument>.*?) of \S+ with shape \S+ and with device ids "
        r"(?P<second_devices>\[.*?\])",
        "The arguments {first_argument} and {second_argument} of {function} are on different devices",
        f"{_SAME_DEVICES} {{first_argument}} is on the devices {{first_devices}}, and {{second_argument}} is on the "
        "devices {second_devices}.",
        _MOVED_ARRAYS,
    ),
    Message(
        r"Received incompatible devices for jitted computation",
        "The arrays of the call are on different devices",
        _SAME_DEVICES,
        _MOVED_ARRAYS,
    ),
    Message(
        r"Python int(?:eger)? too large to convert to C (\w+)",
        LARGE_INTEGER,
        LARGEST_INTEGER,
        FLOAT_OR_X64,
        of_others=True,
        raised_in_jax=True,
    ),
    Message(
        r"Found an unbound axis name: (?P<axis_name>\w+)",
        UNBOUND_AXIS_NAME,
        NAMED_AXES,
        ("axis_name", 'Call the function under jax.vmap with axis_name="{axis_name}", or under jax.shard_map.'),
    ),
    Message(
        r"iteration over a 0-d array",
        "Python cannot iterate over an array without axes",
        "An array without axes holds one number.",
        ("an axis", "Use the array itself, or add an axis to the array with x[None] or jnp.atleast_1d(x)."),
    ),
    Message(
        r"Value (?P<text>'.*?') with dtype <U\d+ is not a valid JAX array type",
        "The seed of a random key must be an integer, not the string {text}",
        "",
        ("an integer", INTEGER_OF_STRING),
        calls=("key", "PRNGKey"),
    ),
    Message(
        r"Value (?P<text>'.*?') with dtype <U\d+ is not a valid JAX array type",
        "JAX has no arrays of strings, such as {text}",
        TYPES_OF_ELEMENTS,
        ("numbers", OBJECTS_OUTSIDE),
    ),
    Message(
        r"Value (?P<values>.+?) with dtype \S+ is not a valid JAX array type",
        "JAX has no arrays of {values}",
        TYPES_OF_ELEMENTS,
        ("numbers", OBJECTS_OUTSIDE),
    ),
    Message(
        r"For parameter \"(?P<parameter>\w+)\" in \"(.*?)\", the given initializer is expected to generate "
        r"shape (?P<needed_shape>\(.*?\)), but the existing parameter it received has shape (?P<shape>\(.*?\))",
        "The parameter {parameter} has the shape {shape}, but this input needs the shape {needed_shape}",
        "flax made the parameters for an input of another size.",
        ("equal sizes", "Pass an input of the size that model.init received, or call model.init again."),
    ),
    Message(
        r"unsupported operand type\(s\) for (?P<operator>\S+): '(?:\w*Tracer|[\w.]*ArrayImpl)' and "
        r"'(?P<kind>\w+)'",
        "{operator} needs arrays or numbers, but its right side is a {kind}",
        "",
        _ARRAY_OR_NUMBER,
    ),
    Message(
        r"unsupported operand type\(s\) for (?P<operator>\S+): '(?P<kind>\w+)' and "
        r"'(?:\w*Tracer|[\w.]*ArrayImpl)'",
        "{operator} needs arrays or numbers, but its left side is a {kind}",
        "",
        _ARRAY_OR_NUMBER,
    ),
)
