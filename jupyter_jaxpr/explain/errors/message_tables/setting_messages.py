"""The table of error messages about sizes, modes and settings of JAX, flax and equinox, with titles and cures."""

from __future__ import annotations

from .jax_messages import Message

SETTING_MESSAGES = (
    # --- sizes and modes ---
    Message(
        r"Cannot stack arrays with different numbers of dimensions: got (.+?)\.?$",
        "Arrays with different numbers of axes cannot be stacked: {1}",
        "",
        ("one shape", "Give arrays of one shape, for example with jnp.broadcast_to(y, x.shape)."),
        with_operands=True,
    ),
    Message(
        r"operands could not be broadcast together with remapped shapes \[original->remapped\]: (\(.*?\))\s+and "
        r"requested shape (\(.*?\))",
        "An array of the shape {1} does not fit the shape {2}",
        "jnp.repeat takes one number of repeats for all elements, or one number for each element.",
        ("repeats", "Pass as repeats one number, or one number for each element along the axis."),
        with_operands=True,
    ),
    Message(
        r"Invalid mode '(.*?)' for np\.(\w+)",
        "{2} has no mode '{1}'",
        "",
        ("mode", 'The modes of JAX are "fill", "clip" and "wrap": a compiled program raises no error for an index.'),
    ),
    Message(
        r"mode must be one of (\[.*?\])",
        "The mode is none of {1}",
        "",
        ("mode", "Write one of {1}."),
        of_others=True,
    ),
    Message(
        r"'(tuple|list)' object cannot be interpreted as an integer",
        "This call takes one integer, not a {1}",
        "For example, an argument axis takes only one axis in some functions.",
        ("one integer", "Pass one integer. To reduce all axes, leave the axis out or flatten the array before."),
        of_others=True,
    ),
    Message(
        r"(?:negative dimensions are not allowed, got (.+?)|broadcast_in_dim shape must have every element be "
        r"nonnegative, got (.+?))\.?$",
        "The size of an axis cannot be negative: {1}{2}",
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
        r"axis (-?\d+) is out of bounds for array of shape (\(.*?\))",
        "An array of the shape {2} has no axis {1}",
        "",
        ("axis", "Axes count from 0."),
        with_operands=True,
    ),
    Message(
        r"(\w+) got the wrong number of (\w+) for operand: got operand shape (\(.*?\)) with \w+ (\(.*?\))",
        "{1} takes one number for each axis of {3} in {2}, but gets {4}",
        "",
        ("one number for each axis", "Write as many numbers as the array has axes."),
        with_operands=True,
    ),
    Message(
        r"lax\.(\w+) requires arguments to have the same dtypes, got (\w+, \w+, \w+)",
        "lax.{1} takes operands of one dtype, but gets {2}",
        "Functions of jax.lax do not convert their operands to a common dtype.",
        ("one dtype", "Convert the operands, or use the function of jax.numpy, such as jnp.clip."),
        with_operands=True,
    ),
    Message(
        r"select `which` must be scalar or have the same shape as cases, got `which` shape (\(.*?\)) but case shape "
        r"(\(.*?\))",
        "The condition of lax.select has the shape {1}, but the values have the shape {2}",
        "The functions of lax do not broadcast.",
        ("jnp.where", "Use jnp.where, which broadcasts, or give the condition the shape {2}."),
        with_operands=True,
    ),
    Message(
        r"Ellipses lengths do not match",
        "The subscripts of einsum do not fit the axes of the operands",
        "... stands for the axes without a letter, and each letter needs an axis.",
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
        r"wrong number of positional arguments: expected (\d+), got (\d+) on vectorized function .*?signature='(.*?)'",
        "The number of arguments in the signature {3} of jnp.vectorize is {1}, but the call passes {2}",
        "",
        ("the signature", "Write one pair of parentheses for each argument of the call."),
    ),
    Message(
        r"at vmap out_axes, got axis spec None but output was batched on axis (\d+)",
        "out_axes=None is for results that do not depend on the mapped arguments",
        "This result has one value for each element.",
        ("out_axes", "Write out_axes=0, or leave out_axes out."),
    ),
    Message(
        r"The function returned by `jax\.vjp` applied to \S+ was called with (\d+) arguments",
        "The function that jax.vjp returns takes one argument: the cotangent of the result",
        "The call passes {1}.",
        ("the cotangent", "Pass one cotangent, of the type and the structure of the result."),
    ),
    Message(
        r"cotangent type does not match function output, expected \(?ShapedArray\((\w+\[[\d,]*\]).*? but got",
        "The cotangent does not have the type of the result, {1}",
        "A cotangent has the shape and the type of the result.",
        ("same type", "Pass an array of the type {1}."),
    ),
    # --- meshes ---
    Message(
        r"The context mesh cannot be empty",
        "There is no mesh here",
        "",
        ("mesh", "Pass mesh=mesh, or set a mesh with jax.set_mesh(mesh) before the call."),
    ),
    Message(
        r"Mesh requires the ndim of its first argument \(`devices`\) to equal the length of its second argument "
        r"\(`axis_names`\), but got devices\.ndim == (\d+) and len\(axis_names\) == (\d+)",
        "A mesh needs one name for each axis: the number of axes is {1}, the number of names is {2}",
        "",
        ("names", "Write one name for each axis of the mesh."),
    ),
    # --- Python ---
    Message(
        r"unhashable type: '[\w.]*ArrayImpl'",
        "A JAX array cannot be a key of a dict or an element of a set",
        "Python cannot hash an array.",
        ("a number", "Take the number out with x.item(), or use a list in place of the set or the dict."),
    ),
    Message(
        r"property '(\w+)' of '(?:\w+\.)*ArrayImpl' object has no setter",
        "The attribute {1} of a JAX array cannot be changed",
        "",
        ("a new array", "Make a new array, for example with x.reshape(2, 3), x.astype(float) or x.at[i].set(y)."),
    ),
    Message(
        r"can only concatenate str \(not \"[\w.]*ArrayImpl\"\) to str",
        "+ joins a string with another string, not with an array",
        "",
        ("an f-string", "Write an f-string, such as f'loss: {x}', or convert the array with str(x)."),
    ),
    # --- settings ---
    Message(
        r"(?:INVALID_ARGUMENT: )?Disallowed ([a-z]+-to-[a-z]+) transfer",
        "The transfer guard refuses a transfer: {1}",
        "jax.transfer_guard, or the option jax_transfer_guard, refuses transfers that the code does not write out.",
        (
            "jax.device_put",
            "Move the values with jax.device_put to a device and with jax.device_get to the host, which the setting "
            "disallow permits.",
        ),
    ),
    Message(
        r"Leaked trace \w+\. Leaked tracer\(s\):.*?while tracing the function (\w+) at",
        "A traced value left the trace of {1}",
        "The leak check of JAX found the value after the trace of {1} had ended.",
        ("return", "Return the value from {1}, and use what the call returns."),
    ),
    Message(
        r"property (?:'\S+' )?of 'Config' object has no setter",
        "An assignment cannot change an option of JAX",
        "jax.config changes an option with its method update.",
        ("jax.config.update", 'Write jax.config.update("jax_enable_x64", True), with the name of the option.'),
    ),
    Message(
        r"Unrecognized config option: (\w+)",
        "JAX has no option {1}",
        "",
        ("the name", "Correct the name. jax.config.values lists the options."),
    ),
    Message(
        r"new enum value must be (?:None or )?in (\[.*?\]), got (\S+)",
        "{2} is not a value of this option",
        "The possible values are {1}.",
        ("a value", "Write one of these values."),
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
        "The state does not belong to this optimizer, or stands in the place of the gradients",
        "The order of the arguments is update(gradients, state, params).",
        ("the order", "Call update(gradients, state, params) with the state that init of the same optimizer gave."),
    ),
    Message(
        r"RNGs should be of shape \(2,\) or (?:PRNGKey|\w+) in Module (\w+), but rngs are",
        "The first argument of init must be a key of jax.random.key",
        "init makes the parameters of {1} at random.",
        ("jax.random.key", "Call init(jax.random.key(0), x)."),
    ),
    Message(
        r"Found data on value of type '<class '(\w+)'>' assigned to static attribute '(\w+)' of Pytree type",
        "The attribute {2} is a {1} with arrays or modules, which flax takes as static",
        "Flax has to know which attributes hold data.",
        ("nnx.List", "Write nnx.List([...]) or nnx.Dict(...), or nnx.data(value)."),
    ),
    Message(
        r"Submodule (\w+) must be defined in `setup\(\)` or in a method wrapped in `@compact`",
        "{1} is made in a method that is not compact",
        "Flax gives parameters to modules that setup or a compact method makes.",
        ("nn.compact", "Write @nn.compact above the method, or make {1} in setup."),
    ),
    Message(
        r"Cannot update variable \"(\w+)\" in \"(.*?)\" because collection \"(\w+)\" is immutable",
        "The call updates {1} in {3}, a collection that apply does not change",
        "apply changes a collection only if the argument mutable names the collection.",
        ("mutable", "Call y, updated = m.apply(variables, x, mutable=['{3}'])."),
    ),
    Message(
        r"Field '(\w+)' was not initialized",
        "The __init__ of the module does not set the field {1}",
        "Each field of a module of equinox needs a value.",
        ("the field", "Write self.{1} = ... in __init__, or give {1} a default in the class."),
    ),
    Message(
        r"INTERNAL: .*?_?EquinoxRuntimeError: ([^\n]*)",
        "A check of equinox failed: {1}",
        "equinox.error_if raises where its condition is true when the program runs.",
        ("the value", "Correct the value that the check refuses."),
    ),
    Message(
        r"(?:Above is the stack outside of JIT\..*?EquinoxRuntimeError: )?([^\n]+)\n+-{10,}\n+"
        r"An error occurred during the runtime of your JAX program",
        "A check of equinox failed: {1}",
        "equinox.error_if raises where its condition is true when the program runs.",
        ("the value", "Correct the value that the check refuses."),
    ),
)
