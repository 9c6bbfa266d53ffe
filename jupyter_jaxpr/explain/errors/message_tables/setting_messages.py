"""The table of error messages about sizes, modes and settings of JAX, flax and equinox, with titles and cures."""

from __future__ import annotations

from .jax_messages import TYPE_OF_COTANGENT, Message
from .lax_messages import ONE_DTYPE
from .program_messages import PASSED_MESH

VALUE_LEFT_TRACE = "A traced value left the trace of {function}"
RETURNED_VALUE = "Return the value from {function}, and use the result of the call."
ARRAY_AS_KEY = "A JAX array cannot be a key of a dict or an element of a set"
UNCHANGED_COLLECTION = "The call updates {variable} in {collection}, a collection that apply does not change"
MUTABLE_COLLECTIONS = "apply changes a collection only if the argument mutable names the collection."
_FAILED_CHECK = "A check of equinox failed: {message}"
_ERROR_IF = "equinox.error_if raises an error if its condition is true when the program runs."
_REFUSED_VALUE = ("the value", "Correct the value that the check refuses.")

SETTING_MESSAGES = (
    # --- sizes and modes ---
    Message(
        r"Cannot stack arrays with different numbers of dimensions: got (?P<shapes>.+?)\.?$",
        "Arrays with different numbers of axes cannot be stacked: {shapes}",
        "",
        ("one shape", "Give arrays of one shape, for example with jnp.broadcast_to(y, x.shape)."),
        with_operands=True,
    ),
    Message(
        r"operands could not be broadcast together with remapped shapes \[original->remapped\]: "
        r"(?P<shape_of_repeats>\(.*?\))\s+and requested shape (?P<needed_shape>\(.*?\))",
        "An array of the shape {shape_of_repeats} does not fit the shape {needed_shape}",
        "jnp.repeat takes one number of repeats for all elements, or one number for each element.",
        ("repeats", "Pass as repeats one number, or one number for each element along the axis."),
        with_operands=True,
        calls=("repeat",),
    ),
    Message(
        r"Invalid mode '(?P<mode>.*?)' for np\.(?P<function>\w+)",
        "{function} of JAX has no mode '{mode}'",
        "",
        ("mode", 'The modes of JAX are "fill", "clip" and "wrap": a compiled program raises no error for an index.'),
    ),
    Message(
        r"mode must be one of (?P<possible_modes>\[.*?\])",
        "The value of the argument mode is none of {possible_modes}",
        "",
        ("mode", "Write as the mode one of {possible_modes}."),
        of_others=True,
    ),
    Message(
        r"'(?P<tuple_or_list>tuple|list)' object cannot be interpreted as an integer",
        "This call takes one integer, not a {tuple_or_list}",
        "For example, an argument axis takes only one axis in some functions.",
        ("one integer", "Pass one integer. To reduce all axes, leave the axis out or flatten the array before."),
        raised_in_jax=True,
    ),
    Message(
        r"(?:negative dimensions are not allowed|broadcast_in_dim shape must have every element be nonnegative), got "
        r"(?P<shape>.+?)\.?$",
        "The size of an axis cannot be negative: {shape}",
        "",
        ("a size", "Write a size of at least 0. Only reshape takes -1."),
    ),
    Message(
        r"slice step cannot be zero",
        "The step of a slice cannot be 0",
        "",
        ("a step", "Write 1, or another step that is not 0."),
        of_others=True,
    ),
    Message(
        r"axis (?P<axis>-?\d+) is out of bounds for array of shape (?P<shape_of_array>\(.*?\))",
        "An array of the shape {shape_of_array} has no axis {axis}",
        "",
        ("axis", "Axes count from 0. Write the number of an axis that the array has."),
        with_operands=True,
    ),
    Message(
        r"(?P<function>\w+) got the wrong number of (?P<argument>\w+) for operand: got operand shape "
        r"(?P<shape>\(.*?\)) with \w+ (?P<passed_numbers>\(.*?\))",
        "{function} takes in {argument} one number for each axis of the shape {shape}, but gets {passed_numbers}",
        "",
        ("one number for each axis", "Write in {argument} as many numbers as the array has axes."),
        with_operands=True,
    ),
    Message(
        r"lax\.(?P<function>\w+) requires arguments to have the same dtypes, got (?P<dtypes>\w+, \w+, \w+)",
        "lax.{function} takes operands of one dtype, but gets {dtypes}",
        ONE_DTYPE,
        ("one dtype", "Convert the operands to one dtype, or call the function of jax.numpy, such as jnp.clip."),
        with_operands=True,
    ),
    Message(
        r"select `which` must be scalar or have the same shape as cases, got `which` shape "
        r"(?P<shape_of_condition>\(.*?\)) but case shape (?P<shape_of_values>\(.*?\))",
        "The condition of lax.select has the shape {shape_of_condition}, but the values have the shape "
        "{shape_of_values}",
        "The functions of lax do not broadcast.",
        ("jnp.where", "Use jnp.where, which broadcasts, or give the condition the shape {shape_of_values}."),
        with_operands=True,
    ),
    Message(
        r"Ellipses lengths do not match",
        "The subscripts of einsum do not fit the axes of the operands",
        "In the subscripts, the ellipsis ... stands for the axes without a letter, and each letter needs an axis.",
        ("subscripts", "Write at most as many letters for each operand as the operand has axes."),
        with_operands=True,
    ),
    Message(
        r"diag input must be 1d or 2d",
        "diag takes a vector or a matrix",
        "",
        ("jnp.diagonal", "jnp.diagonal(x, axis1=..., axis2=...) reads a diagonal of an array with more axes."),
        with_operands=True,
    ),
    # --- transforms ---
    Message(
        r"wrong number of positional arguments: expected (?P<arguments_in_signature>\d+), got "
        r"(?P<passed_arguments>\d+) on vectorized function .*?signature='(?P<signature>.*?)'",
        "The number of arguments in the signature {signature} of jnp.vectorize is {arguments_in_signature}, but the "
        "call passes {passed_arguments}",
        "",
        ("the signature", "Write in the signature one pair of parentheses for each argument of the call."),
    ),
    Message(
        r"at vmap out_axes, got axis spec None but output was batched on axis (\d+)",
        "out_axes=None is for results that do not depend on the mapped arguments",
        "The result of this call has one value for each mapped element.",
        ("out_axes", "Write out_axes=0, or leave out_axes out."),
    ),
    Message(
        r"The function returned by `jax\.vjp` applied to \S+ was called with (?P<number_of_arguments>\d+) arguments",
        "The function that jax.vjp returns takes one argument: the cotangent of the result",
        "This call passes {number_of_arguments} arguments to the function that jax.vjp returned.",
        ("the cotangent", "Pass one cotangent, of the type and the structure of the result."),
    ),
    Message(
        r"cotangent type does not match function output, expected "
        r"\(?ShapedArray\((?P<type_of_result>\w+\[[\d,]*\]).*? but got",
        "The cotangent does not have the type of the result, {type_of_result}",
        TYPE_OF_COTANGENT,
        ("same type", "Pass an array of the type {type_of_result}."),
    ),
    # --- meshes ---
    Message(
        r"The context mesh cannot be empty",
        "The call needs a mesh, but no mesh is set",
        "",
        PASSED_MESH,
    ),
    # --- Python ---
    Message(
        r"unhashable type: '[\w.]*ArrayImpl'",
        ARRAY_AS_KEY,
        "Python cannot hash an array.",
        ("a number", "Take the number out with x.item(), or use a list in place of the set or the dict."),
    ),
    Message(
        r"property '(?P<attribute>\w+)' of '(?:\w+\.)*ArrayImpl' object has no setter",
        "The attribute {attribute} of a JAX array cannot be changed",
        "",
        ("a new array", "Make a new array, for example with x.reshape(2, 3), x.astype(float) or x.at[i].set(y)."),
    ),
    Message(
        r"can only concatenate str \(not \"[\w.]*ArrayImpl\"\) to str",
        "The operator + joins a string with another string, not with an array",
        "",
        ("an f-string", "Write an f-string, such as f'loss: {x}', or convert the array with str(x)."),
    ),
    # --- settings ---
    Message(
        r"(?:INVALID_ARGUMENT: )?Disallowed (?P<kind_of_transfer>[a-z]+-to-[a-z]+) transfer",
        "The transfer guard refuses a transfer: {kind_of_transfer}",
        "jax.transfer_guard, or the option jax_transfer_guard, refuses transfers that the code does not request with "
        "a call such as jax.device_put.",
        (
            "jax.device_put",
            "Move values to a device with jax.device_put, and to the host with jax.device_get. A transfer guard with "
            'the setting "disallow" permits both calls.',
        ),
    ),
    Message(
        r"Leaked trace \w+\. Leaked tracer\(s\):.*?while tracing the function (?P<function>\w+) at",
        VALUE_LEFT_TRACE,
        "The leak check of JAX found the value after the trace of {function} had ended.",
        ("return", RETURNED_VALUE),
    ),
    Message(
        r"property (?:'\S+' )?of 'Config' object has no setter",
        "An assignment cannot change an option of JAX",
        "jax.config changes an option with its method update.",
        ("jax.config.update", 'Write jax.config.update("jax_enable_x64", True), with the name of the option.'),
    ),
    Message(
        r"Unrecognized config option: (?P<option>\w+)",
        "JAX has no option {option}",
        "",
        ("the name", "Correct the name. jax.config.values lists the options."),
    ),
    Message(
        r"new enum value must be (?:None or )?in (?P<possible_values>\[.*?\]), got (?P<value>\S+)",
        "The option of JAX cannot have the value {value}",
        "The possible values of the option are {possible_values}.",
        ("a value", "Write one of the possible values of the option."),
    ),
    # --- flax, equinox and optax ---
    Message(
        r"Parameter \"use_running_average\" must be passed to the constructor or at call time",
        "A BatchNorm of flax needs the argument use_running_average",
        "With use_running_average=False, BatchNorm takes the mean and the variance of the batch, and updates the "
        "averages in batch_stats. With True, BatchNorm takes these averages.",
        (
            "use_running_average",
            "Pass use_running_average=False in a training step and True in an evaluation, for example as "
            "use_running_average=not train.",
        ),
    ),
    Message(
        r"Parameter \"deterministic\" must be passed to the constructor or at call time",
        "A module of flax needs the argument deterministic",
        "With deterministic=True, the module draws no random numbers.",
        (
            "deterministic",
            "Pass deterministic=False in a training step and True in an evaluation, for example as "
            "deterministic=not train.",
        ),
    ),
    Message(
        r"The number of updates and states has to be the same in chain",
        "The state that update gets does not belong to this optimizer, or stands in the place of the gradients",
        "The order of the arguments of an optimizer's update is update(gradients, state, params).",
        ("the order", "Call update(gradients, state, params) with the state that init of the same optimizer returned."),
    ),
    Message(
        r"RNGs should be of shape \(2,\) or (?:PRNGKey|\w+) in Module (?P<module>\w+), but rngs are",
        "The first argument of the method init of a flax module must be a key of jax.random.key",
        "init makes the parameters of {module} at random.",
        ("jax.random.key", "Call init(jax.random.key(0), x)."),
    ),
    Message(
        r"Found data on value of type '<class '(?P<class_of_value>\w+)'>' assigned to static attribute "
        r"'(?P<attribute>\w+)' of Pytree type",
        "The attribute {attribute} is a {class_of_value} with arrays or modules, which flax takes as static",
        "Flax has to know which attributes hold data.",
        ("nnx.List", "Assign nnx.List([...]), nnx.Dict(...) or nnx.data(value) to the attribute."),
    ),
    Message(
        r"Submodule (?P<submodule>\w+) must be defined in `setup\(\)` or in a method wrapped in `@compact`",
        "The flax module {submodule} is made in a method that is not compact",
        "Flax gives parameters to modules that setup or a compact method makes.",
        ("nn.compact", "Write @nn.compact above the method, or make {submodule} in setup."),
    ),
    Message(
        r"Cannot update variable \"(?P<variable>\w+)\" in \"(.*?)\" because collection \"(?P<collection>\w+)\" is "
        r"immutable",
        UNCHANGED_COLLECTION,
        MUTABLE_COLLECTIONS,
        ("mutable", "Call y, updated = m.apply(variables, x, mutable=['{collection}'])."),
    ),
    Message(
        r"Terms are not compatible with solver!\s+Got:\s+<function (\S+?)>\s+but expected:\s+diffrax\.AbstractTerm",
        "diffeqsolve takes a term, but gets a function",
        "A term of diffrax holds the function of the right-hand side.",
        ("diffrax.ODETerm", "Pass diffrax.ODETerm(f), where f is the function of t, y and args."),
    ),
    Message(
        r"Field '(?P<field>\w+)' was not initialized",
        "The __init__ of the module does not set the field {field}",
        "Each field of a module of equinox needs a value.",
        ("the field", "Write self.{field} = ... in __init__, or give {field} a default in the class."),
    ),
    Message(
        r"INTERNAL: .*?_?EquinoxRuntimeError: (?P<message>[^\n]*)",
        _FAILED_CHECK,
        _ERROR_IF,
        _REFUSED_VALUE,
    ),
    Message(
        r"(?:Above is the stack outside of JIT\..*?EquinoxRuntimeError: )?(?P<message>[^\n]+)\n+-{10,}\n+"
        r"An error occurred during the runtime of your JAX program",
        _FAILED_CHECK,
        _ERROR_IF,
        _REFUSED_VALUE,
    ),
)
