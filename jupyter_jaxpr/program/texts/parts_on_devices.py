"""Finds which part of each array each device holds, for an executable that uses several devices.

The executable states the shardings of arguments and results; `sharding_constraint` and `shard_map` equations state
those of their operands and results. What is unknown for one array is left empty, and does not affect the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from ...document.limits import Listed
from ...interruptions import not_of_a_signal
from ...plain_text import Limit, text_of
from ..jaxpr.avals import AvalRow
from ..jaxpr.scope_columns import ScopeColumns
from ..jaxpr.walk import Walk

Role = Literal["argument", "result", "constraint", "shard_map_in", "shard_map_out"]
#: Where a sharding comes from: the user gave it (with the array, to jit, or in the type), an equation states it, or JAX
#: or XLA chose it.
Origin = Literal["given", "stated", "chosen", "unknown"]

_EQUATIONS = frozenset({"sharding_constraint", "shard_map"})
_IN_LOWERED = ("sdy.sharding", "mhlo.sharding")


@dataclass(frozen=True)
class Layout:
    """A way to split an array over devices.

    Attributes:
        kind: The class of JAX's object, such as ``NamedSharding``.
        spec: The spec as JAX prints it, such as ``P('x', None)``.
        mesh: The names and sizes of the mesh's axes; empty without a mesh.
        splits: The number of parts along each axis; empty if unknown.
        holders: For each part (last axis fastest), the numbers of the devices that hold it, ascending; empty if
            unknown.
    """

    kind: str
    spec: str
    mesh: tuple[tuple[str, int], ...]
    splits: tuple[int, ...]
    holders: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class SpreadArray:
    """How one array is split over devices.

    Attributes:
        role: The role of the array in the program.
        name: A path such as ``p['w']``; for an equation, the operand or the result.
        aval: The type of the whole array.
        shard: The largest shape that a device holds; None if unknown.
        layout: The way in which the array is split.
        origin: Where the sharding comes from.
        scope: The index of the equation's scope in the `Walk`; -1 for no equation.
        equation: The index of the equation in that scope; -1 for no equation.
    """

    role: Role
    name: str
    aval: AvalRow
    shard: tuple[int, ...] | None
    layout: Layout
    origin: Origin
    scope: int = -1
    equation: int = -1


@dataclass(frozen=True)
class Spread:
    """How the arrays of a program are split over devices.

    Attributes:
        devices: The device numbers, in XLA's order of partitions; ascending if that order is unknown.
        ordered: True if XLA's order is known.
        arrays: Arguments, results, then the arrays of equations.
        left_out: The number of arrays that are not listed.
    """

    devices: tuple[int, ...]
    ordered: bool
    arrays: tuple[SpreadArray, ...]
    left_out: int


def device_count(executable: Any) -> int:
    """Return the number of devices that a `jax.stages.Compiled` uses; 0 if unknown."""
    try:
        sides = (executable.input_shardings, executable.output_shardings)
        return max(
            (len(sharding.device_set) for side in sides for sharding in _flat(side) if _says(sharding)), default=0
        )
    except not_of_a_signal(Exception):  # the executable does not state its shardings
        return 0


def spread_of(
    executable: Any, lowered: Any, walk: Walk, scope: int, inputs: Sequence[str], results: Sequence[str]
) -> Spread:
    """Return how the arrays of a compiled program are split over devices; unused arguments are left out.

    Args:
        executable: A `jax.stages.Compiled`.
        lowered: The `jax.stages.Lowered` of the executable, which states the user's shardings; or None.
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program.
        inputs: A path for each input, or ().
        results: A path for each result, or ().

    Raises:
        AttributeError: The executable does not state its shardings.
    """
    columns = walk.scopes[scope]
    first = columns.constants
    sides: tuple[tuple[Role, list[Any], list[AvalRow], Sequence[str]], ...] = (
        (
            "argument",
            _leaves(executable.input_shardings, getattr(executable, "in_tree", None)),
            [_variable(walk, columns, first + place) for place in range(columns.inputs)],
            inputs,
        ),
        (
            "result",
            _leaves(executable.output_shardings, getattr(executable, "out_tree", None)),
            [_aval(walk, columns, operand) for operand in columns.outputs],
            results,
        ),
    )
    cutting = _Cutting([sharding for _, shardings, _, _ in sides for sharding in shardings if _says(sharding)])
    stated = _given(lowered)
    arrays: list[SpreadArray] = []
    total = 0
    for role, shardings, avals, names in sides:
        # The inputs of a program begin with captured values, which have no entry in `shardings`.
        input_avals = avals[len(avals) - len(shardings) :]
        known_names = list(names)[len(names) - len(shardings) :] if len(names) == len(avals) else [""] * len(shardings)
        used = [place for place, sharding in enumerate(shardings) if _says(sharding)]
        stated_of_role = stated.get(role, [])
        for number, place in enumerate(used):
            origin: Origin = "unknown"
            if len(stated_of_role) == len(used):
                origin = "given" if stated_of_role[number] else "chosen"
            name = known_names[place] or (f"{role}[{place}]" if len(shardings) > 1 else role)
            total += 1
            if len(arrays) < Listed.SHARDED_ARRAYS:
                arrays.append(cutting.array(role, name, input_avals[place], shardings[place], origin))
    for number, equation in _sharding_equations(walk, scope):
        for array in _of_equation(cutting, walk, number, equation):
            total += 1
            if len(arrays) < Listed.SHARDED_ARRAYS:
                arrays.append(array)
    devices, ordered = cutting.devices()
    return Spread(devices, ordered, tuple(arrays), total - len(arrays))


class _Cutting:
    """Makes `Layout`s; arrays that are split in the same way share one `Layout`."""

    def __init__(self, shardings: Sequence[Any]) -> None:
        self._shardings = shardings
        self._layouts: dict[tuple[Any, tuple[int, ...]], Layout] = {}
        self._meshes: dict[Any, Any] = {}
        for sharding in shardings:
            mesh = getattr(sharding, "mesh", None)
            if mesh is not None and hasattr(mesh, "devices") and hasattr(mesh, "abstract_mesh"):
                self._meshes.setdefault(mesh.abstract_mesh, mesh)

    def devices(self) -> tuple[tuple[int, ...], bool]:
        """Return the devices of the program, in XLA's order if a mesh states it, and whether the order is known."""
        for mesh in self._meshes.values():
            return tuple(int(device.id) for device in mesh.devices.flat), True
        device_ids = {int(device.id) for sharding in self._shardings for device in sharding.device_set}
        return tuple(sorted(device_ids)), len(device_ids) == 1

    def concrete(self, mesh: Any) -> Any:
        """Return an abstract mesh with the program's devices.

        All arrays of a program use the same devices in the same order.
        """
        return self._meshes.get(mesh, mesh)

    def array(
        self, role: Role, name: str, aval: AvalRow, sharding: Any, origin: Origin, scope: int = -1, equation: int = -1
    ) -> SpreadArray:
        shard = None
        try:
            shape = tuple(int(axis) for axis in aval.shape)
            shard = tuple(int(axis) for axis in sharding.shard_shape(shape))
            layout = self._layout(sharding, shape, shard)
        # the shape is symbolic, the sharding does not fit the array, or its mesh has no devices
        except not_of_a_signal(Exception):
            layout = Layout(type(sharding).__name__, _spec(sharding), _mesh(sharding), (), ())
        return SpreadArray(role, name, aval, shard, layout, origin, scope, equation)

    def _layout(self, sharding: Any, shape: tuple[int, ...], shard: tuple[int, ...]) -> Layout:
        splits = tuple(-(-extent // part) if part else 1 for extent, part in zip(shape, shard, strict=True))
        key = sharding, splits
        layout = self._layouts.get(key)
        if layout is None:
            holders = self._holders(sharding, shape, shard, splits)
            layout = Layout(type(sharding).__name__, _spec(sharding), _mesh(sharding), splits, holders)
            self._layouts[key] = layout
        return layout

    def _holders(
        self, sharding: Any, shape: tuple[int, ...], shard: tuple[int, ...], splits: tuple[int, ...]
    ) -> tuple[tuple[int, ...], ...]:
        try:
            if len(sharding.device_set) > Listed.DEVICES:
                return ()
            devices_of: list[list[int]] = [[] for _ in range(prod(splits))]
            for device, index in sharding.devices_indices_map(shape).items():
                place = 0
                for part, extent, length, count in zip(index, shape, shard, splits, strict=True):
                    place = place * count + (part.indices(extent)[0] // length if length else 0)
                devices_of[place].append(int(device.id))
        except not_of_a_signal(Exception):  # some meshes, such as an abstract mesh, have no devices
            return ()
        return tuple(tuple(sorted(devices)) for devices in devices_of)


def _flat(tree: Any) -> list[Any]:
    import jax

    return list(jax.tree_util.tree_leaves(tree, is_leaf=lambda leaf: leaf is None))


def _leaves(tree: Any, structure: Any) -> list[Any]:
    """Return the sharding of each leaf; None for a leaf without one.

    A None in the structure of the user's arguments is no leaf.
    """
    return _flat(tree) if structure is None else list(structure.flatten_up_to(tree))


def _says(sharding: Any) -> bool:
    return sharding is not None and hasattr(sharding, "devices_indices_map")


def _spec(sharding: Any) -> str:
    return text_of(sharding.spec if hasattr(sharding, "spec") else sharding, Limit.TYPE)


def _mesh(sharding: Any) -> tuple[tuple[str, int], ...]:
    try:
        return tuple((text_of(name), int(size)) for name, size in sharding.mesh.shape.items())
    except not_of_a_signal(Exception):  # the sharding has no mesh
        return ()


def _variable(walk: Walk, columns: ScopeColumns, variable: int) -> AvalRow:
    return walk.avals[columns.variable_avals[variable]]


def _aval(walk: Walk, columns: ScopeColumns, operand: int) -> AvalRow:
    return _variable(walk, columns, operand) if operand >= 0 else walk.avals[walk.literals[-1 - operand][1]]


# --- shardings that the user gave ---------------------------------------------------------------


def _given(lowered: Any) -> dict[str, list[bool]]:
    """Return, for inputs and for results of a lowered program, whether it states a sharding for each."""
    try:
        module = lowered.compiler_ir("stablehlo")
        main = next(
            operation for operation in module.body.operations if "main" in str(operation.attributes["sym_name"])
        )
        kind = main.attributes["function_type"].value
        counts = {"argument": ("arg_attrs", len(kind.inputs)), "result": ("res_attrs", len(kind.results))}
        stated = {}
        for role, (name, count) in counts.items():
            rows = list(main.attributes[name]) if name in main.attributes else []
            stated[role] = [any(attribute in row for attribute in _IN_LOWERED) for row in rows] or [False] * count
        return stated
    # JAX did not keep the lowered module, or this version of JAX has another MLIR interface
    except not_of_a_signal(Exception):
        return {}


# --- equations ----------------------------------------------------------------------------------


def _sharding_equations(walk: Walk, scope: int) -> Iterator[tuple[int, int]]:
    """Yield (scope, equation) for each equation that states shardings; each scope is visited once."""
    strings = walk.strings.items
    waiting, visited = [scope], {scope}
    for number in waiting:
        columns = walk.scopes[number]
        for equation, primitive in enumerate(columns.primitive):
            if strings[primitive] in _EQUATIONS:
                yield number, equation
        for *_, child in columns.children:
            if child not in visited:
                visited.add(child)
                waiting.append(child)


def _of_equation(cutting: _Cutting, walk: Walk, scope: int, equation: int) -> Iterator[SpreadArray]:
    from jax.sharding import NamedSharding

    columns = walk.scopes[scope]
    row = walk.jaxprs[scope].eqns[equation]
    operands = [_aval(walk, columns, operand) for operand in columns.operands[equation]]
    if row.primitive.name == "sharding_constraint":
        sharding = row.params["sharding"]
        if hasattr(sharding, "spec") and not row.params.get("unconstrained_dims"):
            sharding = NamedSharding(cutting.concrete(sharding.mesh), sharding.spec)
        if not row.params.get("unconstrained_dims"):
            yield cutting.array("constraint", "", operands[0], sharding, "stated", scope, equation)
        return
    mesh = cutting.concrete(row.params["mesh"])
    first = columns.constants + columns.inputs + sum(columns.output_counts[:equation])
    results = [_variable(walk, columns, first + place) for place in range(columns.output_counts[equation])]
    sides: tuple[tuple[Role, str, list[AvalRow]], ...] = (
        ("shard_map_in", "in_specs", operands),
        ("shard_map_out", "out_specs", results),
    )
    for role, name, avals in sides:
        specs = list(row.params[name])
        if len(specs) == len(avals):
            for place, (aval, spec) in enumerate(zip(avals, specs, strict=True)):
                yield cutting.array(
                    role, f"{name}[{place}]", aval, NamedSharding(mesh, spec), "stated", scope, equation
                )
