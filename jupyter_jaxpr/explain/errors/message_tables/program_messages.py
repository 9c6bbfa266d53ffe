"""The table of error messages of Pallas, shard_map, meshes, callbacks, export and compiled programs, with cures."""

from __future__ import annotations

from .jax_messages import Message

PROGRAM_MESSAGES = (
    # --- Pallas ---
    Message(
        r"Invalid shape for `swap`\. Ref shape: (\(.*?\))\. (?:Expected shape: (\(.*?\))\. )?Value shape: (\(.*?\))\.",
        "The Pallas kernel writes an array of the shape {3} into a reference of the shape {1}",
        "The value must have the shape of the part of the reference that the value replaces.",
        (
            "same shape",
            "Write into a part of the reference, reshape the value, or give out_shape the value's shape.",
        ),
    ),
    Message(
        r"Invalid dtype for `swap`\. Ref dtype: (\w+)\. Value dtype: (\w+)\.",
        "The Pallas kernel writes {2} into a reference of {1}",
        "A reference keeps its dtype.",
        (".astype", "Convert the value with .astype(o_ref.dtype), or give out_shape the dtype {2}."),
    ),
    Message(
        r"The kernel function in the pallas_call (\S+) at .*should return None\. It returns",
        "{1} is the kernel of a pallas_call and returns a value, but a kernel writes its result",
        "pallas_call passes one reference for each output after the references of the inputs.",
        ("o_ref[...]", "Write o_ref[...] = value in place of the return."),
    ),
    Message(
        r"The kernel function in the pallas_call (\S+) .*?captures constants",
        "{1} is the kernel of a pallas_call and reads an array from outside of its arguments",
        "",
        ("an input", "Pass the array to pallas_call as an input. The Pallas kernel gets a reference for the input."),
    ),
    Message(
        r"Index map function (\S+) .*?for (\S+?) must return (\d+) values? to match block_shape=(.+?)\. Currently "
        r"returning (\d+) values?",
        "The number of indices that the index map of the block {4} returns is {5}, but the number of axes of the block "
        "is {3}",
        "JAX names the array of the block {2}. An index map gives the number of the block along each axis.",
        ("index map", "Return one index for each axis of the block, such as 0 for an axis that is not split."),
    ),
    Message(
        r"Block shape for (\S+) \(= (\(.*?\))\) must have the same number of dimensions as the array shape (\(.*?\))",
        "The block shape {2} does not have one size for each axis of the array, whose shape is {3}",
        "JAX names the array {1}.",
        ("block_shape", "Write one size for each axis of the array."),
    ),
    # --- callbacks ---
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed).*\n"
        r"RuntimeError: Incorrect output (shape|dtype) for return value #(\d+): Expected: (.+?), Actual: ([^\n]+)",
        "A callback returns a value of the {1} {4}, but the call declares the {1} {3}",
        "JAX compares the type of each returned value with the type that the call declares.",
        (
            "same type",
            "Return a value of the declared type from the callback, or declare the type that the callback returns.",
        ),
    ),
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed).*\n"
        r"RuntimeError: Mismatched number of outputs from callback\. Expected: (\d+), Actual: (\d+)",
        "The number of values that a callback returns is {2}, but the call declares {1}",
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
        "The result of a callback is given a 64-bit type, which JAX does not use here",
        "",
        ("32 bits", "Give the result a type of 32 bits, such as jnp.float32, and convert in the callback."),
    ),
    Message(
        r"first argument to jax\.debug\.callback must be callable, but got an object of type (.+)",
        "jax.debug.callback takes a function first",
        "",
        ("the function", "Pass the function, and then its arguments: jax.debug.callback(print, x)."),
    ),
    # --- exported and compiled programs ---
    Message(
        r"'[\w.]*(?:ArrayImpl|Tracer|float|int|tuple|list)' object has no attribute 'items'",
        "compile takes no arguments of the function",
        "lower takes the arguments, and compile makes a program for their types.",
        ("the call", "Write compiled = jitted.lower(x).compile(), and then compiled(x)."),
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
        r"Shape mismatch for (\S+?)(?:\.shape\[\d+\])?(?: \(.*?\))?: expected (.+?) and called with (.+)",
        "The exported program takes {2} as {1}, but gets {3}",
        "export made one program for one type of each argument.",
        (
            "same type",
            "Pass an argument of the exported shape, or export the function again with symbolic sizes: "
            "jax.export.symbolic_shape('n').",
        ),
    ),
    Message(
        r"(Rank|Dtype) mismatch for (\S+?)(?:\.shape\[\d+\])?(?: \(.*?\))?: expected (.+?) and called with (.+)",
        "The exported program takes {3} as {2}, but gets {4}",
        "export made one program for one type of each argument.",
        (
            "same type",
            "Pass an argument of the exported type, or export the function again for the new type.",
        ),
    ),
    Message(
        r"Function to be exported must be the result of `jit`",
        "export takes a jitted function",
        "",
        ("jax.jit", "Write jax.export.export(jax.jit(f))(...)."),
    ),
    Message(
        r"Function compiled with input pytree does not match the input pytree it was called with\..*?at (\w+)(\S*?), "
        r"seen (.+?) but now given (.+?), so (?:the|their) ",
        "The compiled function takes {3} as {1}{2}, but gets {4}",
        "A function that lower(...).compile() made takes the arguments of lower, static ones left out.",
        ("same arguments", "Pass the arguments that lower got, without the static ones."),
    ),
    Message(
        r"Cannot apply JAX transformations to a function lowered and compiled for a particular signature",
        "A compiled function cannot be differentiated, mapped or traced",
        "JAX keeps no equations of a program that lower(...).compile() makes.",
        ("jax.jit", "Transform the jitted function in place of the compiled function."),
    ),
    # --- options of jit and vmap ---
    Message(
        r"the `static_argnums` argument to `jax\.checkpoint` / `jax\.remat` can only take integer values .*?but got "
        r"(\(.*?\)), while `len\(args\)` = (\d+)",
        "static_argnums={1} of jax.checkpoint names a position that the call does not pass",
        "static_argnums counts the arguments that the call passes by position, from 0. Number of these arguments: {2}.",
        ("by position", "Pass the static arguments by position, without their names."),
    ),
    Message(
        r"Output from batched function .*? with type <class '(?:\w+\.)*(\w+)'> is not a valid JAX type",
        "The function of vmap returns a value that is not an array: its type is {1}",
        "vmap calls the function once for all elements, and stacks arrays.",
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
        r"(\w+) with holomorphic=True requires (inputs|outputs) with complex dtype, but got (\w+)",
        "holomorphic=True needs complex numbers, but the {2} of the function have the dtype {3}",
        "",
        ("complex", "Convert with .astype(complex), or leave holomorphic=True out."),
    ),
    # --- meshes and shardings ---
    Message(
        r"Number of devices (\d+) must be >= the product of mesh_shape (\(.*?\))",
        "A mesh of the shape {2} needs more devices than JAX has here: {1}",
        "",
        (
            "the shape",
            "Write a shape whose product is at most the number of devices, such as (jax.device_count(),).",
        ),
    ),
    Message(
        r"Mesh requires the ndim of its first argument \(`devices`\) to equal the length of its second argument "
        r"\(`axis_names`\).*?devices\.ndim=?=?\s?(\d+).*?(?:len\(axis_names\)|axis_names)\S*?=?=?\s?(\d+)",
        "A mesh needs one name for each axis of its devices: the number of axes is {1}, the number of names is {2}",
        "",
        ("axis_names", "Write one name for each axis of the array of devices."),
    ),
    Message(
        r"Mesh requires the ndim of its first argument",
        "A mesh needs one name for each axis of its array of devices",
        "",
        ("axis_names", "Write one name for each axis of the array of devices."),
    ),
    Message(
        r"shard_map (in|out)_specs argument must be a pytree of `jax\.sharding\.PartitionSpec` instances",
        "An entry of {1}_specs of shard_map is not a PartitionSpec",
        "",
        ("P(...)", 'Write P("axis") for an axis that is split, and P() for an array that is not split.'),
    ),
    Message(
        r"(?:jax\.)?shard_map requires a (?:non-empty mesh|`jax\.sharding\.Mesh`)",
        "shard_map needs a mesh",
        "",
        ("mesh", "Pass mesh=mesh, or set a mesh with jax.set_mesh(mesh) before the call."),
    ),
    Message(
        r"pjit (in|out)_shardings specification must be a tree prefix .*? wrong length: got a tuple or list of length "
        r"(\d+) for an args tuple of length (\d+)",
        "{1}_shardings does not have one entry for each argument",
        "A tuple has one entry for each positional argument. Entries of {1}_shardings: {2}. Arguments of the "
        "call: {3}.",
        ("entries", "Write one entry for each argument, or one sharding in place of the tuple for all arguments."),
    ),
    Message(
        r"pjit does not support kwargs when in_shardings is specified",
        "A function with in_shardings takes no arguments by name",
        "",
        ("positions", "Pass the arguments by position."),
    ),
    Message(
        r"Using PartitionSpec when you are not under a mesh context is not allowed",
        "A PartitionSpec names the axes of a mesh, and no mesh is set here",
        "",
        ("NamedSharding", "Pass NamedSharding(mesh, P(...)), or set a mesh with jax.set_mesh(mesh) before the call."),
    ),
    Message(
        r"`perm` does not represent a permutation: (.+)",
        "perm of pshuffle is not a permutation: {1}",
        "perm says for each device from which device its array comes.",
        ("perm", "Write the number of each device once, such as [1, 0] for two devices."),
    ),
    Message(
        r"(\w+) must be used within a mapped context like vmap or shard_map",
        "{1} needs an axis with a name",
        "",
        ("axis_name", "Call the function under jax.vmap with axis_name=, or under jax.shard_map."),
    ),
    Message(
        r"shard_map applied to the function '(\S+)' was given out_specs which require replication which can't be "
        r"statically inferred",
        "out_specs of shard_map says that the result is the same on each device, but JAX cannot prove this equality",
        "Along a mesh axis that out_specs does not name, all devices must have the same result; P() names no axis. "
        "JAX finds that the result may differ between these devices.",
        (
            "jax.lax.psum",
            "Reduce the result over the axis with jax.lax.psum, or name the axis in out_specs, such as P('axis').",
        ),
    ),
    Message(
        r"shard_map applied to the function '(\S+)' was given an out_specs entry which is too long .*?out_specs is "
        r"P\((.*?),?\) which has length (\d+), but .*? has shape (\S+?), which has rank (\d+)",
        "out_specs of shard_map says P({2}), but the function returns {4}, whose number of axes is {5}",
        "A PartitionSpec has at most one entry for each axis of the result.",
        ("out_specs", "Write P() and reduce over the mesh with jax.lax.psum, or return an array with more axes."),
    ),
    Message(
        r"shard_map applied to the function '(\S+)' was given an in_specs entry which is too long .*?in_specs\S* "
        r"is P\((.*?),?\) which has length (\d+), but .*?parameter '(\w+)',? has shape (\w+\[[\d,]*\]), which has "
        r"rank (\d+)",
        "in_specs of shard_map says P({2}), but {4} is {5}",
        "A PartitionSpec has at most one entry for each axis of the argument. Entries: {3}. Axes of {4}: {6}.",
        ("in_specs", "Leave out the entries for axes that the argument does not have."),
    ),
    # --- derivative rules ---
    Message(
        r"Custom JVP rule (\S+) for function (\w+) must produce primal and tangent outputs with equal container",
        "The rule of {2} returns a tangent of another structure than the result",
        "A tangent has one array for each array of the result.",
        (
            "same structure",
            "Return a tangent with the containers of the result, and jnp.zeros_like where the tangent is 0.",
        ),
    ),
    Message(
        r"can't apply forward-mode autodiff \(jvp\) to a custom_vjp function",
        "A function with a custom_vjp has no forward-mode derivative",
        "jax.jvp, jax.jacfwd and jax.hessian differentiate in forward mode. A custom_vjp has a rule for reverse "
        "mode only.",
        ("jax.custom_jvp", "Write the rule with jax.custom_jvp, which serves both modes, or use jax.jacrev."),
    ),
    # --- libraries ---
    Message(
        r'Could not create (?:submodule|param|variable) "(\w+)" in Module (\w+): Name in use',
        "Two parts of {2} have the name {1}",
        "A module of linen keeps the parameters of each part under the name of the part.",
        ("another name", "Give each part a name of its own, or leave name out: flax then makes the names."),
    ),
    Message(
        r"\"(\w+)\" object has no attribute \"(\w+)\"\. If \"\w+\" is defined in '\.setup\(\)'",
        "{1} has no attribute {2} outside of init and apply",
        "flax calls the method setup of a module, which makes attributes, at the start of init and apply.",
        ("bind", "If setup makes {2}, write m.bind(variables).{2}: variables is the dict that init returned."),
    ),
    Message(
        r"The cosine_decay_schedule requires positive decay_steps, got decay_steps=(-?\d+)",
        "The cosine decay has {1} steps, but needs at least 1",
        "In warmup_cosine_decay_schedule, decay_steps counts all steps, also those of the warm-up.",
        ("decay_steps", "Pass a decay_steps that is larger than warmup_steps."),
    ),
    Message(
        r"JAX Arrays do not implement the arr\.flat property",
        "A JAX array has no flat, because a JAX array cannot be changed in place",
        "",
        (".at[...]", "Write x = jnp.fill_diagonal(x, value, inplace=False) for a diagonal, or x.ravel() to read."),
    ),
    Message(
        r"\('Input to `(\w+)` needs to have rank (\d+),', ' but input has shape (\(.*?\))\.'\)",
        "{1} of equinox takes an array whose number of axes is {2}, but gets the shape {3}",
        "A module of equinox takes one element, without a batch axis.",
        ("jax.vmap", "Map the module over a batch with jax.vmap(module)(batch)."),
    ),
    Message(
        r"Input type must be an integer or unsigned integer",
        "An embedding takes integers",
        "",
        ("integers", "Convert the indices with .astype(int)."),
        with_operands=True,
    ),
    Message(
        r"Expected the input to have a dtype that is a subdtype of <class 'numpy\.(\w+)'>, got (\w+) instead",
        "An argument of the call has the dtype {2}, but must be of the kind {1}",
        "",
        (".astype", "Convert the argument, for example with labels.astype(int) for integers."),
        with_operands=True,
    ),
    Message(
        r"multivariate_normal requires (mean|cov)\.shape == (.+?) for n=(\d+), but got \w+\.shape == (\(.*?\))",
        "{1} of multivariate_normal has the shape {4}, but the mean has {3} elements",
        "The covariance is a square matrix with one row for each element of the mean.",
        ("equal sizes", "Pass a mean of n elements and a covariance of the shape (n, n)."),
        with_operands=True,
    ),
    Message(
        r"Cannot mutate (\w+) from (?:a )?different trace level",
        "A variable of flax ({1}) changes within a trace that does not know the variable",
        "The module comes from outside of the traced function, and its call changes the variable.",
        ("nnx.jit", "Pass the module as an argument to a function under nnx.jit, nnx.grad or nnx.vmap."),
    ),
    Message(
        r"`deterministic` is False, but no `rngs` argument was provided to (\w+)",
        "{1} needs random keys",
        "{1} of flax draws at random while deterministic is False.",
        ("rngs", "Make the module with rngs, as in nnx.{1}(0.5, rngs=rngs), or pass rngs= or deterministic=True."),
    ),
    Message(
        r"Missing required argument `wrt`",
        "An Optimizer of flax needs wrt=",
        "wrt says which variables of the module the optimizer updates.",
        ("wrt", "Pass wrt=nnx.Param, and call optimizer.update(model, gradients)."),
    ),
    Message(
        r"'(float|int)' object has no attribute '(init|update)'",
        "A number stands in the place of an optimizer of optax",
        "",
        ("optax.scale", "Write optax.scale(-step_size), or a whole optimizer such as optax.sgd(step_size)."),
        raised_in_jax=True,
    ),
    # --- branches and loops ---
    Message(
        r"lax\.switch: branches argument should be a sequence of callables",
        "switch takes functions as its branches, not values",
        "switch(index, branches, x) calls one of the branches with x.",
        ("functions", "Write lambda: value for each branch, or choose between values with jnp.select."),
    ),
    Message(
        r"lax\.while_loop: body_fun and cond_fun arguments should be callable",
        "while_loop takes two functions first: the condition and the body",
        "",
        ("the order", "Write while_loop(condition, body, carry)."),
    ),
    Message(
        r"`unroll` must be a `bool` or a non-negative `int`",
        "unroll takes a number of steps, or True",
        "",
        ("unroll", "Write an integer, such as unroll=4."),
    ),
    Message(
        r"Can only use `unroll` in `fori_loop` if the loop bounds are statically known",
        "unroll needs a fori_loop whose bounds are Python numbers",
        "",
        ("fixed bounds", "Leave unroll out, or pass the bounds as static arguments."),
    ),
)
