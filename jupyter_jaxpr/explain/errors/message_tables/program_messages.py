"""The table of error messages of Pallas, shard_map, meshes, callbacks, export and compiled programs, with cures."""

from __future__ import annotations

from .device_messages import SHARDING_WITH_MESH
from .jax_messages import ENTRIES_OF_SPEC, FEWER_ENTRIES, Message
from .numpy_messages import INTEGER_INDICES

PASSED_MESH = ("mesh", "Pass mesh=mesh, or set a mesh with jax.set_mesh(mesh) before the call.")
_OTHER_THAN_EXPORTED = "The exported program takes {exported_type} as {argument}, but gets {passed_type}"
_EXPORTED_TYPES = "jax.export made the program for one type of each argument."
COMPARED_TYPES = "JAX compares the type of each returned value with the type that the call declares."
TANGENT_OF_OTHER_STRUCTURE = "The custom_jvp rule of {function} returns a tangent of another structure than the result"
CONTAINERS_OF_RESULT = "Return a tangent with the containers of the result, and jnp.zeros_like where the tangent is 0."
TANGENTS_OF_RESULT = "A tangent has one array for each array of the result."
_NAMES_OF_AXES = ("axis_names", "Write one name for each axis of the array of devices.")

PROGRAM_MESSAGES = (
    # --- Pallas ---
    Message(
        r"Invalid shape for `swap`\. Ref shape: (?P<shape_of_reference>\(.*?\))\. (?:Expected shape: (\(.*?\))\. "
        r")?Value shape: (?P<shape_of_value>\(.*?\))\.",
        "The Pallas kernel writes an array of the shape {shape_of_value} into a reference of the shape "
        "{shape_of_reference}",
        "The value must have the shape of the part of the reference that the value replaces.",
        (
            "same shape",
            "Write into a part of the reference, reshape the value, or give out_shape of pallas_call the value's "
            "shape.",
        ),
    ),
    Message(
        r"Invalid dtype for `swap`\. Ref dtype: (?P<dtype_of_reference>\w+)\. Value dtype: (?P<dtype_of_value>\w+)\.",
        "The Pallas kernel writes {dtype_of_value} into a reference of the dtype {dtype_of_reference}",
        "A write does not change the dtype of a reference.",
        (
            ".astype",
            "Convert the value with .astype(o_ref.dtype), where o_ref is the reference, or give out_shape the dtype "
            "{dtype_of_value}.",
        ),
    ),
    Message(
        r"The kernel function in the pallas_call (?P<kernel>\S+) at .*should return None\. It returns",
        "{kernel} is the kernel of a pallas_call and returns a value, but a kernel must write its result into a "
        "reference",
        "pallas_call passes to the kernel the references of the inputs, and then one reference for each output.",
        ("o_ref[...]", "Write o_ref[...] = value in place of the return. o_ref is the reference of the output."),
    ),
    Message(
        r"The kernel function in the pallas_call (?P<kernel>\S+) .*?captures constants",
        "{kernel} is the kernel of a pallas_call and reads an array from outside of its arguments",
        "",
        ("an input", "Pass the array to pallas_call as an input. The Pallas kernel gets a reference for the input."),
    ),
    Message(
        r"Index map function (\S+) .*?for (?P<array>\S+?) must return (?P<number_of_axes>\d+) values? to match "
        r"block_shape=(?P<shape_of_block>.+?)\. Currently returning (?P<number_of_indices>\d+) values?",
        "The number of indices that the index map of the block {shape_of_block} returns is {number_of_indices}, but "
        "the number of axes of the block is {number_of_axes}",
        "In its message, JAX calls the array {array}. An index map gives the number of the block along each axis.",
        (
            "index map",
            "Return from the index map one index for each axis of the block, such as 0 for an axis that is not split.",
        ),
    ),
    Message(
        r"Block shape for (?P<array>\S+) \(= (?P<shape_of_block>\(.*?\))\) must have the same number of dimensions as "
        r"the array shape (?P<shape_of_array>\(.*?\))",
        "The block shape {shape_of_block} does not have one size for each axis of the array, whose shape is "
        "{shape_of_array}",
        "In its message, JAX calls the array {array}.",
        ("block_shape", "Write in block_shape one size for each axis of the array."),
    ),
    Message(
        r"Axis (?P<axis>-?\d+) is out of bounds for grid (?P<grid>\(.*?\))",
        "The grid {grid} of pallas_call has no axis {axis}",
        "The axes of the grid count from 0.",
        ("the axis", "Pass to pl.program_id an axis of the grid, or give the grid of pallas_call another axis."),
    ),
    # --- callbacks ---
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed).*\nRuntimeError: Incorrect "
        r"output (?P<shape_or_dtype>shape|dtype) for return value #(\d+): Expected: (?P<declared>.+?), Actual: "
        r"(?P<returned>[^\n]+)",
        "A callback returns a value of the {shape_or_dtype} {returned}, but the call declares the {shape_or_dtype} "
        "{declared}",
        COMPARED_TYPES,
        (
            "same type",
            "Return a value of the declared type from the callback, or declare the type that the callback returns.",
        ),
    ),
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed).*\nRuntimeError: Mismatched "
        r"number of outputs from callback\. Expected: (?P<number_of_declared_values>\d+), Actual: "
        r"(?P<number_of_returned_values>\d+)",
        "The number of values that a callback returns is {number_of_returned_values}, but the call declares "
        "{number_of_declared_values}",
        "",
        ("same structure", "Return as many values as the call of the callback declares."),
    ),
    Message(
        r"(Pure|IO) callbacks do not support (JVP|transpose)",
        "JAX cannot differentiate a callback",
        "The program calls a function of Python, whose derivative JAX does not know.",
        (
            "jax.custom_jvp",
            "Give the function around the callback a derivative rule with jax.custom_jvp or custom_vjp.",
        ),
    ),
    Message(
        r"Cannot `vmap` ordered IO callback",
        "vmap cannot map an io_callback with ordered=True",
        "",
        (
            "ordered=False",
            "With ordered=False, vmap calls the callback once for each element. jax.lax.map in place of vmap keeps the "
            "order.",
        ),
    ),
    Message(
        r"result_shape_dtypes cannot specify 64-bit types when `jax_enable_x64` is disabled",
        "The call of a callback declares a 64-bit type for the result, but jax_enable_x64 is off",
        "",
        (
            "32 bits",
            "Declare a type of 32 bits, such as jnp.float32, and convert the value to this type in the callback.",
        ),
    ),
    Message(
        r"first argument to jax\.debug\.callback must be callable, but got an object of type (.+)",
        "The first argument of jax.debug.callback must be a function",
        "",
        ("the function", "Pass the function, and then its arguments: jax.debug.callback(print, x)."),
    ),
    # --- exported and compiled programs ---
    Message(
        r"'[\w.]*(?:ArrayImpl|Tracer|float|int|tuple|list)' object has no attribute 'items'",
        "The method compile does not take the arguments of the function",
        "The method lower takes the arguments of the function, and compile makes a program for their types.",
        ("the call", "Write compiled = jitted.lower(x).compile(), and then call compiled(x)."),
        calls=("compile",),
    ),
    Message(
        r"the first argument must be callable",
        "make_jaxpr takes a function",
        "",
        ("the function", "Write jax.make_jaxpr(f)(x), where f is the function and x its argument."),
        calls=("make_jaxpr",),
    ),
    Message(
        r"Shape mismatch for (?P<argument>\S+?)(?:\.shape\[\d+\])?(?: \(.*?\))?: expected (?P<exported_type>.+?) and "
        r"called with (?P<passed_type>.+)",
        _OTHER_THAN_EXPORTED,
        _EXPORTED_TYPES,
        (
            "same type",
            "Pass an argument of the exported shape, or export the function again with symbolic sizes: "
            "jax.export.symbolic_shape('n').",
        ),
    ),
    Message(
        r"(Rank|Dtype) mismatch for (?P<argument>\S+?)(?:\.shape\[\d+\])?(?: \(.*?\))?: expected "
        r"(?P<exported_type>.+?) and called with (?P<passed_type>.+)",
        _OTHER_THAN_EXPORTED,
        _EXPORTED_TYPES,
        (
            "same type",
            "Pass an argument of the exported type, or export the function again for the new type.",
        ),
    ),
    Message(
        r"Function to be exported must be the result of `jit`",
        "jax.export.export takes a jitted function",
        "",
        ("jax.jit", "Write jax.export.export(jax.jit(f))(...)."),
    ),
    Message(
        r"Function compiled with input pytree does not match the input pytree it was called with\..*?at "
        r"(?P<arguments>\w+)(?P<place_of_argument>\S*?), seen (?P<type_at_lower>.+?) but now given "
        r"(?P<passed_type>.+?), so (?:the|their) ",
        "The compiled function takes {type_at_lower} as {arguments}{place_of_argument}, but gets {passed_type}",
        "A function that lower(...).compile() made takes the arguments that lower got, without the static arguments.",
        ("same arguments", "Pass to the compiled function the arguments that lower got, without the static arguments."),
    ),
    Message(
        r"Cannot apply JAX transformations to a function lowered and compiled for a particular signature",
        "A function that lower(...).compile() made cannot be differentiated, mapped or traced",
        "JAX keeps no equations of a program that lower(...).compile() makes.",
        ("jax.jit", "Apply the transform, such as jax.grad, to the jitted function, not to the compiled function."),
    ),
    # --- options of jit and vmap ---
    Message(
        r"the `static_argnums` argument to `jax\.checkpoint` / `jax\.remat` can only take integer values .*?but got "
        r"(?P<positions>\(.*?\)), while `len\(args\)` = (?P<number_of_arguments>\d+)",
        "static_argnums={positions} of jax.checkpoint names a position at which the call passes no argument",
        "static_argnums counts the arguments that the call passes by position, from 0. Number of these arguments: "
        "{number_of_arguments}.",
        ("by position", "Pass the static arguments by position, without their names."),
    ),
    Message(
        r"Output from batched function .*? with type <class '(?:\w+\.)*(?P<type_of_value>\w+)'> is not a valid JAX "
        r"type",
        "The function that vmap maps returns a value that is not an array: its type is {type_of_value}",
        "vmap calls the function once for all mapped elements, and the function must return arrays.",
        (
            "arrays",
            "Return numbers or arrays, such as an index into a list of strings, and read the string from the list "
            "outside of the function.",
        ),
    ),
    Message(
        r"`?(static_arg\w+)`? ?(?:and|\S+ and) `?(donate_arg\w+)`? .*?cannot intersect",
        "An argument is both static and donated",
        "JAX donates the memory of arrays, and a static argument is not an array.",
        ("one option", "Take the argument out of static_argnames or out of donate_argnames."),
    ),
    Message(
        r"\S+ wrapped function must be passed at least one argument containing an array or axis_size must be",
        "vmap gets no array to map over",
        "",
        ("axis_size", "Pass an array, or set axis_size= in vmap."),
    ),
    Message(
        r"primal and tangent arguments to jax\.jvp must have the same tree structure",
        "The tangents of jvp have another structure than the arguments",
        "",
        ("same structure", "Pass a tangent for each argument, with the same containers and keys."),
    ),
    Message(
        r"(\w+) with holomorphic=True requires (?P<inputs_or_outputs>inputs|outputs) with complex dtype, but got "
        r"(?P<dtype>\w+)",
        "holomorphic=True needs complex numbers, but the {inputs_or_outputs} of the function have the dtype {dtype}",
        "",
        ("complex", "Convert the {inputs_or_outputs} with .astype(complex), or leave holomorphic=True out."),
    ),
    # --- meshes and shardings ---
    Message(
        r"Mesh requires the ndim of its first argument \(`devices`\) to equal the length of its second argument "
        r"\(`axis_names`\).*?devices\.ndim\s?=?=?\s?(?P<number_of_axes>\d+).*?(?:len\(axis_names\)|axis_names)"
        r"\S*?\s?=?=?\s?(?P<number_of_names>\d+)",
        "A mesh needs one name for each axis of its array of devices: the number of axes is {number_of_axes}, the "
        "number of names is {number_of_names}",
        "",
        _NAMES_OF_AXES,
    ),
    Message(
        r"shard_map (?P<in_or_out>in|out)_specs argument must be a pytree of `jax\.sharding\.PartitionSpec` instances",
        "An entry of {in_or_out}_specs of shard_map is not a PartitionSpec",
        "",
        ("P(...)", 'Write P("axis") for an axis that is split, and P() for an array that is not split.'),
    ),
    Message(
        r"(?:jax\.)?shard_map requires a (?:non-empty mesh|`jax\.sharding\.Mesh`)",
        "shard_map needs a mesh",
        "",
        PASSED_MESH,
    ),
    Message(
        r"pjit (?P<in_or_out>in|out)_shardings specification must be a tree prefix .*? wrong length: got a tuple or "
        r"list of length (?P<number_of_entries>\d+) for an args tuple of length (?P<number_of_arguments>\d+)",
        "{in_or_out}_shardings does not have one entry for each argument",
        "A tuple has one entry for each positional argument. Entries of {in_or_out}_shardings: {number_of_entries}. "
        "Arguments of the call: {number_of_arguments}.",
        ("entries", "Write one entry for each argument, or one sharding in place of the tuple for all arguments."),
    ),
    Message(
        r"pjit does not support kwargs when in_shardings is specified",
        "A jitted function with in_shardings takes no arguments by name",
        "",
        ("positions", "Pass the arguments by position."),
    ),
    Message(
        r"Using PartitionSpec when you are not under a mesh context is not allowed",
        "A PartitionSpec names the axes of a mesh, but no mesh is set",
        "",
        SHARDING_WITH_MESH,
    ),
    Message(
        r"`perm` does not represent a permutation: (?P<perm>.+)",
        "perm of pshuffle is not a permutation: {perm}",
        "perm says for each device from which device its array comes.",
        ("perm", "Write in perm the number of each device once, such as [1, 0] for two devices."),
    ),
    Message(
        r"(?P<function>\w+) must be used within a mapped context like vmap or shard_map",
        "{function} needs an axis with a name",
        "",
        ("axis_name", 'Call the function under jax.vmap with axis_name="name", or under jax.shard_map.'),
    ),
    Message(
        r"shard_map applied to the function '(\S+)' was given an out_specs entry which is too long .*?out_specs is "
        r"P\((?P<entries>.*?),?\) which has length (\d+), but .*? has shape (?P<type_of_result>\S+?), which has rank "
        r"(?P<number_of_axes>\d+)",
        "out_specs of shard_map says P({entries}), but the function returns {type_of_result}, whose number of axes is "
        "{number_of_axes}",
        ENTRIES_OF_SPEC,
        ("out_specs", "Write P() and reduce over the mesh with jax.lax.psum, or return an array with more axes."),
    ),
    Message(
        r"shard_map applied to the function '(\S+)' was given an in_specs entry which is too long .*?in_specs\S* is "
        r"P\((?P<entries>.*?),?\) which has length (?P<number_of_entries>\d+), but .*?parameter '(?P<argument>\w+)',? "
        r"has shape (?P<type_of_argument>\w+\[[\d,]*\]), which has rank (?P<number_of_axes>\d+)",
        "in_specs of shard_map says P({entries}), but the argument {argument} is {type_of_argument}",
        f"{ENTRIES_OF_SPEC} Entries: {{number_of_entries}}. Axes of {{argument}}: {{number_of_axes}}.",
        ("in_specs", FEWER_ENTRIES),
    ),
    # --- derivative rules ---
    Message(
        r"Custom JVP rule (\S+) for function (?P<function>\w+) must produce primal and tangent outputs with equal "
        r"container",
        TANGENT_OF_OTHER_STRUCTURE,
        TANGENTS_OF_RESULT,
        (
            "same structure",
            CONTAINERS_OF_RESULT,
        ),
    ),
    Message(
        r"can't apply forward-mode autodiff \(jvp\) to a custom_vjp function",
        "A function with a custom_vjp has no forward-mode derivative",
        "jax.jvp, jax.jacfwd and jax.hessian differentiate in forward mode. A custom_vjp has a rule for reverse "
        "mode only.",
        (
            "jax.custom_jvp",
            "Write the derivative rule with jax.custom_jvp, which serves both modes, or use jax.jacrev.",
        ),
    ),
    # --- libraries ---
    Message(
        r'Could not create (?:submodule|param|variable) "(?P<name>\w+)" in Module (?P<module>\w+): Name in use',
        "Two parts of the flax module {module} have the name {name}",
        "A module of linen keeps the parameters of each part under the name of the part.",
        (
            "another name",
            "Give each part a name of its own, or leave the argument name out: flax then makes the names.",
        ),
    ),
    Message(
        r"\"(?P<module>\w+)\" object has no attribute \"(?P<attribute>\w+)\"\. If \"\w+\" is defined in '\.setup\(\)'",
        "The flax module {module} has no attribute {attribute} outside of init and apply",
        "flax calls the method setup of a module, which makes attributes, at the start of init and apply.",
        (
            "bind",
            "If setup makes {attribute}, write m.bind(variables).{attribute}: variables is the dict that init "
            "returned.",
        ),
    ),
    Message(
        r"The cosine_decay_schedule requires positive decay_steps, got decay_steps=(?P<number_of_steps>-?\d+)",
        "The cosine decay has {number_of_steps} steps, but needs at least 1",
        "In warmup_cosine_decay_schedule, decay_steps counts all steps, also those of the warm-up.",
        ("decay_steps", "Pass a decay_steps that is larger than warmup_steps."),
    ),
    Message(
        r"JAX Arrays do not implement the arr\.flat property",
        "A JAX array has no attribute flat, because a JAX array cannot be changed in place",
        "",
        (
            ".at[...]",
            "To write a diagonal, use x = jnp.fill_diagonal(x, value, inplace=False). To read the elements, use "
            "x.ravel().",
        ),
    ),
    Message(
        r"\('Input to `(?P<module>\w+)` needs to have rank (?P<number_of_axes>\d+),', ' but input has shape "
        r"(?P<shape_of_input>\(.*?\))\.'\)",
        "{module} of equinox takes an array whose number of axes is {number_of_axes}, but gets the shape "
        "{shape_of_input}",
        "A module of equinox takes one element of a batch, without a batch axis.",
        ("jax.vmap", "Map the module over a batch with jax.vmap(module)(batch)."),
        of_one_element=True,
    ),
    Message(
        r"Input type must be an integer or unsigned integer",
        "An embedding layer takes integers as its indices",
        "",
        INTEGER_INDICES,
        with_operands=True,
    ),
    Message(
        r"Expected the input to have a dtype that is a subdtype of <class 'numpy\.(?P<kind_of_dtype>\w+)'>, got "
        r"(?P<dtype>\w+) instead",
        "An argument of the call has the dtype {dtype}, but must be of the kind {kind_of_dtype}",
        "",
        (".astype", "Convert the argument, for example with labels.astype(int) for integers."),
        with_operands=True,
    ),
    Message(
        r"multivariate_normal requires (?P<mean_or_cov>mean|cov)\.shape == (.+?) for n=(?P<size_of_mean>\d+), but got "
        r"\w+\.shape == (?P<shape>\(.*?\))",
        "{mean_or_cov} of multivariate_normal has the shape {shape}, but the mean has {size_of_mean} elements",
        "The covariance is a square matrix with one row for each element of the mean.",
        ("equal sizes", "Pass a mean of n elements and a covariance of the shape (n, n)."),
        with_operands=True,
    ),
    Message(
        r"Cannot mutate (?P<class_of_variable>\w+) from (?:a )?different trace level",
        "A variable of flax ({class_of_variable}) changes within a traced function that does not get the variable as "
        "an argument",
        "The module comes from outside of the traced function, and its call changes the variable.",
        ("nnx.jit", "Pass the module as an argument to a function under nnx.jit, nnx.grad or nnx.vmap."),
    ),
    Message(
        r"`deterministic` is False, but no `rngs` argument was provided to (?P<layer>\w+)",
        "The flax layer {layer} needs random keys",
        "{layer} of flax draws at random while deterministic is False.",
        (
            "rngs",
            "Make the layer with rngs, as in nnx.{layer}(0.5, rngs=rngs), or pass rngs= or deterministic=True in the "
            "call.",
        ),
    ),
    Message(
        r"Missing required argument `wrt`",
        "An Optimizer of flax needs the argument wrt",
        "wrt says which variables of the module the optimizer updates.",
        ("wrt", "Pass wrt=nnx.Param to nnx.Optimizer, and call optimizer.update(model, gradients)."),
    ),
    Message(
        r"'(float|int)' object has no attribute '(init|update)'",
        "A number stands in the place of an optimizer of optax",
        "",
        (
            "optax.scale",
            "In place of the number, write optax.scale(-step_size), or a whole optimizer such as optax.sgd(step_size).",
        ),
        raised_in_jax=True,
    ),
    # --- branches and loops ---
    Message(
        r"lax\.switch: branches argument should be a sequence of callables",
        "switch takes functions as its branches, not values",
        "switch(index, branches, x) calls one of the branches with x.",
        (
            "functions",
            "Write a function for each branch, such as lambda: value, or choose between values with jnp.select.",
        ),
    ),
    Message(
        r"lax\.while_loop: body_fun and cond_fun arguments should be callable",
        "while_loop takes two functions first: the condition and the body",
        "",
        ("the order", "Write while_loop(condition, body, carry)."),
    ),
    Message(
        r"`unroll` must be a `bool` or a non-negative `int`",
        "The argument unroll of a loop takes a number of steps, or True",
        "",
        ("unroll", "Write a positive integer, such as unroll=4."),
    ),
    Message(
        r"Can only use `unroll` in `fori_loop` if the loop bounds are statically known",
        "The argument unroll needs a fori_loop whose bounds are Python numbers",
        "",
        ("fixed bounds", "Leave unroll out, or pass the bounds as static arguments."),
    ),
)
