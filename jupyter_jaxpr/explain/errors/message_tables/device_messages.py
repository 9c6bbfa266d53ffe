"""The table of error messages about platforms, devices, their memory, meshes and shardings, with titles and cures."""

from __future__ import annotations

from .jax_messages import Message

DEVICE_MESSAGES = (
    Message(
        r"`jax\.device_put` only accepts .*?Received invalid value: (.+)",
        "device_put takes a device or a sharding, but gets {1}",
        "",
        ("jax.devices", 'Write jax.devices("cpu")[0] for the first device of a platform.'),
    ),
    Message(
        r"shard_map (in|out)_specs argument must refer to an axis marked as manual \(frozenset\(\{(.*?)\}\)\), but:\s+"
        r"\S+ refers to '(\w+)'",
        "{1}_specs of shard_map names the axis {3}, which the mesh does not have",
        "The axes of the mesh are {2}.",
        ("P(...)", "Write the name of an axis of the mesh, or None for an axis that is not split."),
    ),
    Message(
        r"in_specs passed to shard_map: P\((.*?),?\) does not match the specs of the input: P\((.*?),?\) for arg: "
        r"(\S+?)\.(?:\s|$)",
        "in_specs of shard_map says P({1}), but the argument {3} is split as P({2})",
        "In a mesh with explicit axes the type of an array says how the array is split.",
        (
            "jax.reshard",
            "Split the array before the call with jax.reshard(x, NamedSharding(mesh, P({1}))), where mesh is the mesh "
            "of shard_map. Without in_specs, shard_map takes the array as it is split, as P({2}).",
        ),
    ),
    Message(
        r"Sharding spec \(.*?\) implies that array axis (\d+) is partitioned (\d+) times, but does not evenly divide "
        r"the dimension size (\d+)\. Got shape: (\(.*?\)) and sharding",
        "Axis {1} has {3} elements, which cannot be split evenly over {2} devices",
        "A sharding gives each device the same number of elements. The array has the shape {4}.",
        ("pad", "Pad axis {1} to a multiple of {2} elements, or split another axis."),
    ),
    Message(
        r"Sharding passed to jit does not match the sharding on the respective arg\. Got jit sharding: "
        r"NamedSharding\(mesh=[^\n]*?spec=P\((.*?),?\).*?arg sharding: NamedSharding\(mesh=.*?spec=P\((.*?),?\).*? for "
        r"arg type: (\S+)",
        "in_shardings of jit says P({1}), but the argument {3} is split as P({2})",
        "jit does not change the sharding of a committed array, such as a result of jax.device_put.",
        (
            "jax.device_put",
            "Split the array before the call with jax.device_put(x, sharding), or leave in_shardings out: the jitted "
            "function then takes the array as it is split.",
        ),
    ),
    Message(
        r"Unknown backend (\w+)\. Available backends are \[(.*?)\]",
        "JAX finds no platform {1} here",
        "JAX has these platforms here: {2}.",
        ("jax.devices()", "jax.devices() lists the devices of the default platform."),
    ),
    Message(
        r"Number of devices (\d+) must be >= the product of mesh_shape (\(.*?\))",
        "A mesh of the shape {2} needs more devices than there are: {1}",
        "",
        ("the shape", "Give a shape whose sizes, multiplied, give at most {1}."),
    ),
    Message(
        r"(?:RESOURCE_EXHAUSTED: )?Out of memory (?:while trying to allocate|allocating) (\d+) bytes",
        "The device has no memory for an array of {1} bytes",
        "",
        ("smaller arrays", "Compute in parts, for example with jax.lax.map and batch_size=, or use a smaller dtype."),
    ),
    Message(
        r"Please set a mesh via `jax\.set_mesh` if a PartitionSpec is passed to device_put",
        "A PartitionSpec names the axes of a mesh, and no mesh is set",
        "",
        ("NamedSharding", "Pass NamedSharding(mesh, P(...)), or set a mesh with jax.set_mesh(mesh) before the call."),
    ),
    Message(
        r"with_sharding_constraint requires a non-empty mesh in context",
        "A PartitionSpec names the axes of a mesh, and no mesh is set here",
        "",
        ("NamedSharding", "Pass NamedSharding(mesh, P(...)), or set a mesh with jax.set_mesh(mesh) before the call."),
    ),
)
