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
        of_others: NumPy and Python raise the same message; the row applies only to errors in which JAX takes part.
        raised_in_jax: The row applies only to errors from JAX's code; the user's code can raise the same message.
        with_operands: The explanation also lists the arguments of the call with their types.
        calls: The row applies only where the failing expression calls a function of these names; () for any expression.
    """

    pattern: str
    title: str
    text: str
    cure: tuple[str, str]
    of_others: bool = False
    raised_in_jax: bool = False
    with_operands: bool = False
    calls: tuple[str, ...] = ()


_COMPARE = "Compare first, and put each comparison in parentheses, as in (a > 0) & (b > 0)."

ARRAY_MESSAGES = (
    Message(
        r"(\w+) requires ndarray or scalar arguments, got <class "
        r"'(?:\w+\.)*(custom_jvp|custom_vjp|PjitFunction|function)'>",
        "{1} takes arrays, but gets a function",
        "A tree of parameters, such as a module of equinox, may hold functions beside its arrays.",
        ("arrays alone", "Pass the arrays alone, for example with equinox.filter(model, equinox.is_array)."),
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
        "A linen module holds no parameters: init makes the parameters, and apply takes the parameters.",
        ("apply", "Write params = m.init(key, x), and then m.apply(params, x)."),
    ),
    Message(
        r"(\w+) does not accept dtypes? (?:key<\w+>.*|.*?, key<\w+>.*)",
        "A key of jax.random is not a number, so {1} cannot compute with the key",
        "A key has no value to compute with: the functions of jax.random use a key to draw numbers.",
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
        r"sub(?:tract)? does not accept dtype bool",
        "JAX does not subtract booleans",
        "",
        ("^", "Write a ^ b for the elements that differ, a & ~b for those of a alone, or convert to integers."),
    ),
    Message(
        r"(shift_\w+) does not accept dtype (\w+)",
        "The operators << and >> shift integers, not {2}",
        "",
        ("an integer", "Convert the operands to integers, or multiply by a power of 2, as in x * 2.0**n."),
    ),
    *(
        Message(
            rf"{name} does not accept dtype (\w+)",
            f"{subject} takes integers and booleans, not {{1}}",
            "The operators &, |, ^, ~, << and >> work on bits.",
            ("compare", words),
            with_operands=True,
        )
        for name, subject, words in (
            ("and", "The operator &", _COMPARE),
            ("or", "The operator |", _COMPARE),
            ("xor", "The operator ^", "For a power, write ** in place of ^. For booleans, compare first."),
            ("not", "The operator ~", "Write x == 0, or convert the array with x.astype(bool), before ~ negates it."),
            ("population_count", "population_count", "Convert the array to an integer dtype first."),
        )
    ),
    Message(
        r"Integers cannot be raised to negative powers, got integer_pow\((\S+), (-\d+)\)",
        "An integer array cannot be raised to the power {2}",
        "The result would not be an integer, and the array is {1}.",
        ("a float", "Convert the array to float first, for example with x.astype(float)."),
    ),
    Message(
        r"Zero-dimensional arrays cannot be concatenated",
        "concatenate joins arrays along an axis, and a single number has no axis",
        "",
        ("jnp.stack", "Make an array of the numbers with jnp.stack or jnp.array."),
    ),
    Message(
        r"Length of slice indices must match number of operand dimensions \((\d+) vs (\(.*?\))\)",
        "dynamic_slice needs one start for each axis, but gets {1} for the shape {2}",
        "",
        ("starts", "Give as many starts and sizes as the array has axes."),
    ),
    Message(
        r"(convolve|correlate)\(\) only support 1-dimensional inputs",
        "{1} takes arrays of one axis",
        "",
        ("jax.scipy.signal", "Use jax.scipy.signal.convolve for several axes, or jax.vmap for a batch of rows."),
    ),
    Message(
        r"The input to linalg\.(\w+) must have shape \[\.\.\., n, n\], got shape",
        "{1} takes square matrices, but this matrix is not square",
        "",
        ("a square matrix", "Give a square matrix."),
        with_operands=True,
    ),
    Message(
        r"Argument to _?(\w+(?:\.\w+)*)(?:\(\))? must have shape \[\.\.\., n, n\], got (\(.*?\))",
        "{1} takes square matrices, but this matrix has the shape {2}",
        "",
        (
            "a square matrix",
            "Pass a square matrix. For a matrix that is not square, try jnp.linalg.pinv or jnp.linalg.lstsq.",
        ),
        with_operands=True,
    ),
    Message(
        r"array split does not result in an equal division: rest is (\d+)",
        "The axis cannot be split into equal parts: the remainder is {1}",
        "",
        (
            "axis",
            "Split along an axis whose size is a multiple of the number of parts; axis=-1 names the last axis. The "
            "parts of jnp.array_split may have different sizes.",
        ),
        with_operands=True,
    ),
    Message(
        r"Cannot take a larger sample \(size (\d+)\) than population \(size (\d+)\) when 'replace=False'",
        "choice cannot draw {1} different elements from {2} elements",
        "",
        ("replace", "Draw at most {2}, or set replace=True, which may draw an element twice."),
    ),
    Message(
        r"cannot reshape array of shape (\(.*?\)) \(size (\d+)\) into shape (\(.*?\)) because the product of "
        r"specified axis sizes \((\d+)\) does not evenly divide",
        "An array of shape {1} does not reshape to {3}",
        "The sizes of the new shape other than -1 multiply to {4}, which does not divide {2}, the number of elements.",
        ("another size", "Write sizes whose product divides {2}."),
    ),
    Message(
        r"Number of einsum subscripts, (\d+), must be equal to the number of operands, (\d+)",
        "einsum takes one operand for each of its subscripts: the number of subscripts is {1}, the number of "
        "operands is {2}",
        "A comma separates the subscripts of two operands.",
        ("subscripts", "Write the subscripts of each operand, separated by commas."),
    ),
    Message(
        r"cannot select an axis to squeeze out which has size not equal to one, got shape=(\(.*?\)) and dimensions="
        r"\((.*?),?\)",
        "squeeze cannot remove the axis {2} of the shape {1}",
        "squeeze removes axes of size 1 only.",
        ("an index", "Take one element of the axis with an index, or reduce the axis, for example with a sum."),
    ),
    Message(
        r"matmul input operand (\d) must have ndim at least 1, but it has ndim 0",
        "A matrix product needs arrays with axes, but one operand is a single number",
        "",
        ("*", "Write * to multiply by a number."),
    ),
    Message(
        r"Cannot broadcast to shape with fewer dimensions: arr_shape=(\(.*?\)) shape=(\(.*?\))",
        "An array of shape {1} does not fit into the shape {2}",
        "The new value has more axes than the part of the array that the value replaces.",
        ("a slice", "Give a value of the shape {2}, or write into a slice of more elements."),
    ),
    Message(
        r"Unknown backend:? '(\w+)' requested, but no platforms that are instances of \w+ are present\. Platforms "
        r"present are: (.+)",
        "JAX finds no platform {1} here",
        "JAX has these platforms here: {2}.",
        (
            "jax.devices()",
            "jax.devices() lists the devices. A GPU needs the jaxlib for GPUs, such as jax[cuda13].",
        ),
    ),
    Message(
        r"condlist must have length equal to choicelist \((\d+) vs (\d+)\)",
        "select takes one choice for each condition",
        "Number of conditions: {1}. Number of choices: {2}.",
        ("one choice", "Write one choice for each condition. default= is the value where no condition holds."),
    ),
    Message(
        r"Leading dimensions of input arrays must match",
        "lstsq takes a matrix and values with the same number of rows",
        "Each row of the Jacobian belongs to one element of the result.",
        (
            "rows",
            "Pass a matrix with one row for each value. jnp.stack(columns, axis=1) makes a matrix from a list of its "
            "columns.",
        ),
        with_operands=True,
    ),
    Message(
        r"(?:jnp\.linalg\.)?(\w+) requires ndarray or scalar arguments, got <class 'dict'> at position (\d+)",
        "{1} takes arrays, but gets a dict",
        "Position of the dict among the arguments, counted from 0: {2}.",
        (
            "ravel_pytree",
            "Pass one array of the dict, or make one array from all arrays of the dict: flat, restore = "
            "jax.flatten_util.ravel_pytree(x).",
        ),
    ),
    Message(
        r"where requires ndarray or scalar arguments, got <class 'NoneType'> at position 2",
        "where needs two values: one for true and one for false",
        "",
        ("three arguments", "Write jnp.where(condition, a, b)."),
    ),
    Message(
        r"jax\.numpy\.(\w+) cannot modify arrays in-place",
        "{1} would change an array in place, and JAX arrays cannot be changed",
        "",
        ("inplace=False", "Write x = jnp.{1}(x, ..., inplace=False), which makes a new array."),
    ),
    Message(
        r"INVALID_ARGUMENT: Attempt to (?:donate the same buffer twice|use a buffer that was previously donated)",
        "A call receives one array twice and donates the array",
        "The call may reuse the memory of a donated argument, so no other argument can be the same array.",
        ("a copy", "Pass x.copy() in one of the places, or do not donate the argument."),
    ),
    Message(
        r"Custom VJP bwd rule must produce an output with the same container \(pytree\) structure as the args tuple.*?"
        r"structure (PyTreeDef\(.*?\)) for primal input structure (PyTreeDef\(.*\))\.",
        "The backward rule of a custom_vjp must return a tuple with one cotangent for each argument",
        "JAX gives each cotangent to the argument at the same place. The arguments of nondiff_argnums get no "
        "cotangent: the rule returned the structure {1} for arguments of the structure {2}.",
        ("a tuple", "Return a tuple of this structure. Write None in the place of an argument without a cotangent."),
    ),
    Message(
        r"Custom VJP fwd rule (\S+) for function (\w+) must produce a pair",
        "The forward rule of {2} must return a pair: the result and the residuals",
        "The backward rule gets the residuals.",
        (
            "a pair",
            "Return the pair (result, residuals). If the backward rule needs no residuals, return (result, None).",
        ),
    ),
    Message(
        r"Custom VJP bwd rule (?:attached to (\S+) at \S+ )?must produce an output with the same type as the args "
        r"tuple of the primal function, but at output\[(\d+)\] the bwd rule produced an output of type (\S+) "
        r"corresponding to an input of type ([^\s,]+(?:,\d+)*\]?)",
        "The backward rule returns {3} for an argument of the type {4}",
        "The cotangent at position {2} must have the shape and the type of its argument.",
        (
            "same type",
            "Compute a cotangent of the type {4} in the backward rule: a missing product with a residual or a "
            "missing broadcast is a usual cause.",
        ),
    ),
    Message(
        r"(?:Length of sharding\.spec \((\d+)\) must be equal to aval's ndim \((\d+)\))",
        "The sharding needs an array of at least {1} axes, but the number of axes of the array is {2}",
        "A PartitionSpec has one entry for each axis of the array at most.",
        ("PartitionSpec", "Leave out the entries for axes that the array does not have."),
    ),
    Message(
        r"'float' object cannot be interpreted as an integer",
        "A float cannot be a number of elements, an axis or an index",
        "JAX or Python needs an integer at this place.",
        ("//", "Write an integer. Python's / gives a float, also for integers: write // for a division, or int(n)."),
        of_others=True,
    ),
    Message(
        r"(\w+)\(\) got an unexpected keyword argument '(\w+)'(?:\. Did you mean '(\w+)'\?)?",
        "{1} has no argument {2}",
        "",
        (
            "help",
            "help({1}) lists the arguments.",
        ),
        of_others=True,
    ),
    Message(
        r"Comparator raised exception while sorting pytree dictionary keys",
        "JAX cannot sort the keys of a dict",
        "JAX sorts the keys of each dict of a pytree, and Python cannot compare keys of different types, such as "
        "a number and a string.",
        ("keys of one type", "Give all keys of the dict one type, such as str."),
    ),
)

MESSAGES = (
    Message(
        r"A single NamedSharding spec specification can map every mesh axis to at most one positional dimension, but "
        r"(?P<a>.+) has duplicate entries for `(?P<b>\w+)`",
        "The PartitionSpec {1} names the mesh axis {2} twice",
        "A mesh axis can split only one axis of an array.",
        ("PartitionSpec", "Write None for the axes that the mesh axis does not split."),
    ),
    Message(
        r"scan got no values to scan over and `length` not provided",
        "scan does not know how many steps to run",
        "scan runs one step for each element of xs, and xs has no array.",
        ("length", "Pass length=n, or arrays in xs."),
    ),
    Message(
        r"scan got value with no leading axis to scan over: (.+?)\.?$",
        "scan cannot take elements of a single number in xs",
        "scan takes one element along axis 0 of each array in xs at each step.",
        (
            "xs",
            "Pass arrays with at least one axis, such as jnp.array(xs) for a list, or put the number into the carry.",
        ),
    ),
    Message(
        r"scan got `length` argument of (\d+) which disagrees with leading axis sizes \[(.*?)\]",
        "length={1} disagrees with xs, which has {2} elements",
        "scan runs one step for each element of xs.",
        ("length", "Leave length out, or cut xs to {1} elements."),
    ),
    Message(
        r"lower and upper arguments to fori_loop must have equal types, got (\w+) and (\w+)",
        "The bounds of a fori_loop have different types: {1} and {2}",
        "fori_loop counts in integers.",
        ("integers", "Pass integers as both bounds."),
    ),
    Message(
        r"lax\.cond: true_fun and false_fun arguments should be callable",
        "cond takes two functions, not two values",
        "cond(test, f, g, x) calls f(x) or g(x).",
        ("jnp.where", "Write lambda: value for each branch, or choose between values with jnp.where."),
    ),
    Message(
        r"Index type must be an integer, got (.+?) as (\w+)",
        "The index of switch must be an integer, not {2}",
        "switch chooses a branch by a number from 0.",
        ("an integer", "Pass an integer, such as index.astype(int)."),
    ),
    Message(
        r"primal and tangent arguments to jax\.jvp do not match; .*?Got primal dtype (\w+) and so expected tangent "
        r"dtype \[\('float0'",
        "jvp differentiates floats, but an argument is {1}",
        "A tangent describes a small change of an argument, and an argument of the type {1} has no small changes.",
        (
            "a float",
            "Pass the argument as a float. If the argument must stay {1}, give the argument a tangent of the type "
            "jax.dtypes.float0, such as np.zeros(x.shape, jax.dtypes.float0).",
        ),
    ),
    Message(
        r"primal and tangent arguments to jax\.jvp do not match; .*?Got primal dtype (\w+) .*? but got tangent dtype "
        r"(\w+)",
        "The tangent of jvp is {2}, but the argument is {1}",
        "A tangent has the shape and the type of its argument.",
        ("same type", "Convert the tangent to {1}."),
    ),
    Message(
        r"unexpected JAX type \(e\.g\. shape/dtype\) for argument to VJP function: got (\S+), but expected (\S+)",
        "The cotangent is {1}, but the result of the function is {2}",
        "A cotangent has the shape and the type of the result.",
        ("same type", "Pass an array of the type {2}."),
    ),
    Message(
        r"(\w+) accepts a single key, but was given a key array of shape (\(.*?\))",
        "{1} takes one key, but the keys have the shape {2}",
        "jax.random.split makes an array of keys.",
        ("jax.vmap", "Pass one key, such as keys[0], or map {1} over the keys with jax.vmap."),
    ),
    Message(
        r"invalid value \((nan|inf)\) encountered in (\S+)",
        "{2} computed {1}",
        "JAX checks each result, because jax_debug_nans (for nan) or jax_debug_infs (for inf) is on, and raises the "
        "error here.",
        (
            "jnp.where",
            "Before the call, replace the values for which {2} gives {1}, for example with jnp.maximum or jnp.where.",
        ),
    ),
    Message(
        r"\('(?:jit\()?(\w+)\)?', '(nan|inf)'\)\. Because ",
        "{1} computed {2}",
        "JAX checks each result, because jax_debug_nans (for nan) or jax_debug_infs (for inf) is on, and raises the "
        "error here.",
        (
            "jnp.where",
            "Before the call, replace the values for which {1} gives {2}, for example with jnp.maximum or jnp.where.",
        ),
    ),
    Message(
        r"pytree structure error: different lengths of \w+ at key path\s+shard_map in_specs\s.*?of length (\d+), but "
        r".*?of length (\d+)",
        "in_specs of shard_map does not have one entry for each argument",
        "An entry says how the argument is split. Entries of in_specs: {1}. Arguments of the call: {2}.",
        ("in_specs", "Write a PartitionSpec for each argument, such as P() for an argument that is not split."),
    ),
    Message(
        r"pytree structure error: different pytree metadata at key path",
        "Two trees have different keys or fields",
        "The call takes trees of the same containers and keys, such as gradients and their parameters.",
        (
            "same structure",
            "Give both trees the same keys and containers. The message of the error lists the keys or the containers "
            "of both trees.",
        ),
    ),
    Message(
        r"(?:Dict key mismatch|Custom node type mismatch|Tuple arity mismatch|List arity mismatch)(.*)",
        "Two trees differ in their structure",
        "The call takes trees of the same containers and keys, such as gradients and their parameters.",
        (
            "same structure",
            "Give both trees the same keys and containers. The message of the error lists the keys or the containers "
            "of both trees.",
        ),
    ),
    Message(
        r"Argument '(.*?)' of type '?<class '(?:\w+\.)*(\w+)'>'? is not a valid JAX type",
        "An argument is not an array: its type is {2}",
        "JAX computes with arrays and numbers.",
        ("an array", "Pass an array or a number, or bind the argument before with functools.partial."),
    ),
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed)[\s\S]*?"
        r"callback\.py\", line \d+, in __call__\n"
        r"  File \"(?![^\"]*(?:site|dist)-packages)[^\"]*\", line (\d+), in (\S+)\n(?:  [^\n]*\n)*"
        r"((?:\w+\.)*\w+(?:Error|Exception)[^\n]*)",
        "A callback raised {3}",
        "The program called {2}, which raised the error on line {1}. The program itself was traced and compiled.",
        ("the callback", "Correct {2}, or the values that the call passes to {2}."),
    ),
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed).*\n"
        r"((?:\w+\.)*\w+(?:Error|Exception)[^\n]*)",
        "A callback raised {1}",
        "The program called Python, and Python raised the error. The program itself was traced and compiled.",
        ("the callback", "Correct the function that the callback calls."),
    ),
    Message(
        r"No JVP defined for custom_jvp function (\w+) using defjvp",
        "{1} has no derivative rule: {1}.defjvp was not called",
        "jax.custom_jvp takes the derivative from the function that you pass to defjvp.",
        ("defjvp", "Call {1}.defjvp(derivative) before {1} is called."),
    ),
    Message(
        r"No VJP defined for custom_vjp function (\w+) using defvjp",
        "{1} has no derivative rule: {1}.defvjp was not called",
        "jax.custom_vjp takes the derivative from the functions that you pass to defvjp.",
        ("defvjp", "Call {1}.defvjp(forward, backward) before the derivative is used."),
    ),
    Message(
        r"Python int (-?\d+) too large to convert to (\w+)",
        "The number {1} does not fit into {2}",
        "JAX gives a Python integer the type int32, whose largest value is 2,147,483,647.",
        ("a float", "Use a float, or turn jax_enable_x64 on before any other use of JAX."),
        of_others=True,
    ),
    Message(
        r".*?Sharding .*? is only valid for values of rank at least (\d+), but was applied to a value of rank (\d+)",
        "The sharding needs an array of at least {1} axes, but the number of axes of the array is {2}",
        "A PartitionSpec has one entry for each axis of the array at most.",
        ("PartitionSpec", "Leave out the entries for axes that the array does not have."),
    ),
    Message(
        r".*?the global size of its dimension (\d+) should be divisible by (\d+), but it is equal to (\d+)",
        "Axis {1} has {3} elements, which cannot be split evenly over {2} devices",
        "A sharding gives each device the same number of elements.",
        ("pad", "Pad the axis to a multiple of the number of devices, or split another axis."),
    ),
    Message(
        r".*?implies that array axis (\d+) is partitioned (\d+) times, but the dimension size is (\d+) \(full shape: "
        r"(\(.*?\))",
        "Axis {1} has {3} elements, which cannot be split evenly over {2} devices",
        "A sharding gives each device the same number of elements. The array has the shape {4}.",
        ("pad", "Pad axis {1} to a multiple of {2} elements, or split another axis."),
    ),
    Message(
        r"shard_map applied to the function '.*?' was given argument arrays with axis sizes that are not evenly "
        r"divisible.*?the passed (\S+) of shape (\S+?),.*? in_specs of value (.*?), which maps array axis (\d+) \(of "
        r"size (\d+)\) to mesh ax[ie]s .*? \(of (?:total )?size (\d+)\)",
        "Axis {4} of an argument has {5} elements, which cannot be split evenly over {6} devices",
        "in_specs of shard_map says {3} for {1}, which is {2}. shard_map gives each device the same number of "
        "elements.",
        ("pad", "Pad axis {4} to a multiple of {6} elements, or write None for this axis in in_specs."),
    ),
    Message(
        r"Received incompatible devices for jitted computation\. Got argument (.*?) of (?:\S+\.)?(\S+) with shape \S+ "
        r"and with device ids (\[.*?\]) on platform \w+ and argument (.*?) of \S+ with shape \S+ and with device ids "
        r"(\[.*?\])",
        "The arguments {1} and {4} of {2} are on different devices",
        "All arguments of a jitted function must be on the same devices. {1} is on the devices {3}, and {4} is on the "
        "devices {5}.",
        ("jax.device_put", "Move the arguments to the same devices with jax.device_put before the call."),
    ),
    Message(
        r"Received incompatible devices for jitted computation",
        "The arrays of the call are on different devices",
        "All arrays of a jitted function must be on the same devices.",
        ("jax.device_put", "Move the arrays to the same devices with jax.device_put before the call."),
    ),
    Message(
        r"Python int(?:eger)? too large to convert to C (\w+)",
        "An integer does not fit into the integers of JAX",
        "JAX gives a Python integer the type int32, whose largest value is 2,147,483,647.",
        ("a float", "Use a float, or turn jax_enable_x64 on before any other use of JAX."),
        of_others=True,
    ),
    Message(
        r"Found an unbound axis name: (\w+)",
        "No axis is named {1} here",
        "vmap with axis_name, or shard_map, names an axis for the function that it calls.",
        ("axis_name", 'Call the function under jax.vmap with axis_name="{1}", or under jax.shard_map.'),
    ),
    Message(
        r"iteration over a 0-d array",
        "Python cannot iterate over an array without axes",
        "The array holds one number.",
        ("an axis", "Use the array itself, or give it an axis with x[None] or jnp.atleast_1d(x)."),
    ),
    Message(
        r"Cannot abstractly evaluate a checkify\.check which was not functionalized",
        "checkify.check works only within checkify.checkify",
        "checkify.checkify turns the checks into a result of the function.",
        ("checkify.checkify", "Call error, result = jax.jit(checkify.checkify(f))(x), and then error.throw()."),
    ),
    Message(
        r"Value ('.*?') with dtype <U\d+ is not a valid JAX array type",
        "A seed of jax.random is an integer, not the string {1}",
        "",
        ("an integer", "Pass an integer. zlib.crc32(text.encode()) makes an integer of a string."),
        calls=("key", "PRNGKey"),
    ),
    Message(
        r"Value ('.*?') with dtype <U\d+ is not a valid JAX array type",
        "JAX has no arrays of strings, such as {1}",
        "JAX arrays hold numbers and booleans.",
        (
            "numbers",
            "Keep strings and objects in Python lists or NumPy arrays, and pass JAX numbers that stand for them.",
        ),
    ),
    Message(
        r"Value (.+?) with dtype \S+ is not a valid JAX array type",
        "JAX has no arrays of {1}",
        "JAX arrays hold numbers and booleans.",
        (
            "numbers",
            "Keep strings and objects in Python lists or NumPy arrays, and pass JAX numbers in their place.",
        ),
    ),
    Message(
        r"For parameter \"(\w+)\" in \"(.*?)\", the given initializer is expected to generate shape (\(.*?\)), but the "
        r"existing parameter it received has shape (\(.*?\))",
        "The parameter {1} has the shape {4}, but this input needs {3}",
        "flax made the parameters for an input of another size.",
        ("equal sizes", "Pass an input of the size that model.init received, or call model.init again."),
    ),
    Message(
        r"unsupported operand type\(s\) for (\S+): '(?:\w*Tracer|[\w.]*ArrayImpl)' and '(\w+)'",
        "{1} needs arrays or numbers, but its right side is a {2}",
        "",
        ("a number", "Give an array or a number in place of the {2}."),
    ),
    Message(
        r"unsupported operand type\(s\) for (\S+): '(\w+)' and '(?:\w*Tracer|[\w.]*ArrayImpl)'",
        "{1} needs arrays or numbers, but its left side is a {2}",
        "",
        ("a number", "Give an array or a number in place of the {2}."),
    ),
)
