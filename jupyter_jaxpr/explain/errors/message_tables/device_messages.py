"""The table of error messages about platforms, devices, their memory, meshes and shardings, with titles and cures."""

from __future__ import annotations

from .jax_messages import Message

AXES_OF_MESH = "The axes of the mesh are {axes_of_mesh}."
#: The cure of a PartitionSpec without a mesh.
SHARDING_WITH_MESH = (
    "NamedSharding",
    "Pass NamedSharding(mesh, P(...)), or set a mesh with jax.set_mesh(mesh) before the call.",
)
_UNEVEN_AXIS = "Axis {axis} has {size} elements, which cannot be split evenly over {number_of_devices} devices"
_PADDED_AXIS = ("pad", "Pad axis {axis} to a multiple of {number_of_devices} elements, or split another axis.")
_EQUAL_SHARDS = "A sharding gives each device the same number of elements."
_MISSING_PLATFORM = "JAX finds no platform {platform} on this machine"
_PRESENT_PLATFORMS = "On this machine, JAX has these platforms: {platforms}."

DEVICE_MESSAGES = (
    Message(
        r"`jax\.device_put` only accepts .*?Received invalid value: (?P<value>.+)",
        "device_put takes a device or a sharding, but gets {value}",
        "",
        ("jax.devices", 'Write jax.devices("cpu")[0] for the first device of a platform.'),
    ),
    Message(
        r"shard_map (?P<direction>in|out)_specs argument must refer to an axis marked as manual "
        r"\(frozenset\(\{(?P<axes_of_mesh>.*?)\}\)\), but:\s+\S+ refers to '(?P<axis>\w+)'",
        "{direction}_specs of shard_map names the axis {axis}, which the mesh does not have",
        AXES_OF_MESH,
        ("P(...)", "Write the name of an axis of the mesh, or None for an axis that is not split."),
    ),
    Message(
        r".*?implies that array axis (?P<axis>\d+) is partitioned (?P<number_of_devices>\d+) times, but "
        r"(?:does not evenly divide the dimension size|the dimension size is) (?P<size>\d+)"
        r"(?:\. Got shape: | \(full shape: )(?P<shape>\(.*?\))",
        _UNEVEN_AXIS,
        f"{_EQUAL_SHARDS} The array has the shape {{shape}}.",
        _PADDED_AXIS,
    ),
    Message(
        r".*?the global size of its dimension (?P<axis>\d+) should be divisible by "
        r"(?P<number_of_devices>\d+), but it is equal to (?P<size>\d+)",
        _UNEVEN_AXIS,
        _EQUAL_SHARDS,
        _PADDED_AXIS,
    ),
    Message(
        r"Sharding passed to jit does not match the sharding on the respective arg\. Got jit sharding: "
        r"NamedSharding\(mesh=[^\n]*?spec=P\((?P<spec>.*?),?\).*?arg sharding: "
        r"NamedSharding\(mesh=.*?spec=P\((?P<present_spec>.*?),?\).*? for arg type: (?P<argument>\S+)",
        "in_shardings of jit says P({spec}), but the argument {argument} is split as P({present_spec})",
        "jit does not change the sharding of a committed array, such as a result of jax.device_put.",
        (
            "jax.device_put",
            "Split the array before the call with jax.device_put(x, sharding), or leave in_shardings out: the jitted "
            "function then takes the array as it is split.",
        ),
    ),
    Message(
        r"Unknown backend (?P<platform>\w+)\. Available backends are \[(?P<platforms>.*?)\]",
        _MISSING_PLATFORM,
        _PRESENT_PLATFORMS,
        ("jax.devices()", "jax.devices() lists the devices of the default platform."),
    ),
    Message(
        r"Unknown backend:? '(?P<platform>\w+)' requested, but no platforms that are instances of \w+ are "
        r"present\. Platforms present are: (?P<platforms>.+)",
        _MISSING_PLATFORM,
        _PRESENT_PLATFORMS,
        (
            "jax.devices()",
            "jax.devices() lists the devices. A GPU needs the jaxlib for GPUs, such as jax[cuda13].",
        ),
    ),
    Message(
        r"(?:RESOURCE_EXHAUSTED: )?Out of memory (?:while trying to allocate|allocating) (?P<bytes>\d+) bytes",
        "The device has no memory for an array of {bytes} bytes",
        "",
        (
            "smaller arrays",
            "Compute one part of the array at a time, for example with jax.lax.map and batch_size=, or use a smaller "
            "dtype.",
        ),
    ),
    Message(
        r"Please set a mesh via `jax\.set_mesh` if a PartitionSpec is passed to device_put",
        "A PartitionSpec names the axes of a mesh, but no mesh is set for device_put",
        "",
        SHARDING_WITH_MESH,
    ),
    Message(
        r"with_sharding_constraint requires a non-empty mesh in context",
        "A PartitionSpec names the axes of a mesh, but no mesh is set for with_sharding_constraint",
        "",
        SHARDING_WITH_MESH,
    ),
)
