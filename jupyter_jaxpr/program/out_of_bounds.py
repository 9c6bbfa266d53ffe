"""Finds equations that certainly read or write outside of an array, because their index is a known number.

JAX raises no error for an index outside of an array. The mode of the equation says what happens instead: the index is
moved to the border, a value is filled in, an update is dropped, or the index is assumed to be inside.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from ..observe.index_array_values import numbers_of_array
from .bodies_with_known_numbers import bodies_of
from .jaxpr.parameters import programs_in
from .jaxpr.walk import Walk
from .known_numbers import LONGEST, computed, is_of_numpy, keep, value_of
from .masked_indices import Caller, is_masked

Outcome = Literal["moved", "filled", "dropped", "unchecked"]

# the most equations that are read in the steps of loops of one program, which takes about 20 ms
_EQUATIONS_IN_STEPS = 5_000
_SLICES = frozenset({"dynamic_slice", "dynamic_update_slice"})
_BACKWARD = "transpose("
_MODES: Mapping[str, Outcome] = {"CLIP": "moved", "FILL_OR_DROP": "filled", "PROMISE_IN_BOUNDS": "unchecked"}


@dataclass(frozen=True)
class OutOfBounds:
    """An equation with an index outside of an axis of its array.

    Attributes:
        scope: The scope in the `Walk`.
        equation: The index of the equation in the scope.
        axis: The axis of the program's array.
        place: The place of the index among the indices of the equation.
        indices: The number of indices of the equation. A slice has an index for each axis of the array that the user's
            code slices; other equations have an index for each axis that the code indexes.
        is_slice: True if the equation is a `dynamic_slice` or a `dynamic_update_slice`, also under a vmap.
        is_under_vmap: True if the equation shows that a vmap made it: the program's array then has an axis that the
            array of the user's function does not have.
        size: The size of the axis.
        taken: The length of the slice along the axis; 1 for an index.
        outcome: What JAX does instead.
        begin: The index at which the program really reads or writes, if JAX moves the index.
        is_write: True if the equation writes.
        outside: The indices outside of the axis, as the user counts them: a negative index counts from the end.
        is_among_others: True if the equation has further indices along the axis.
    """

    scope: int
    equation: int
    axis: int
    place: int
    indices: int
    is_slice: bool
    is_under_vmap: bool
    size: int
    taken: int
    outcome: Outcome
    begin: int
    is_write: bool
    outside: tuple[int, ...]
    is_among_others: bool


@dataclass(frozen=True)
class _KnownFrom:
    """Where the known values of a program come from.

    Attributes:
        caller: The program that runs the program; None if the program is examined with its own constants.
        is_certain: True if each known value follows from the constants of the program alone, and is the same in all
            steps of a loop around it.
        is_along_axis: True if the program is that of `jnp.take_along_axis`, without a vmap around it: the axes of its
            gather are those of the user's array.
    """

    caller: Caller | None
    is_certain: bool
    is_along_axis: bool = False


class OutsideReads:
    """Finds equations with an index outside of an array, in the programs of a `Walk`."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._numbers = {id(jaxpr): number for number, jaxpr in enumerate(walk.jaxprs)}
        # id of an array -> the array and its columns that were made or computed from `jnp.arange`.
        self._counted: dict[int, tuple[Any, frozenset[int]]] = {}
        self._left = 0  # how many equations in steps of loops may still be read

    def has_call_under_vmap(self, scopes: Sequence[int]) -> bool:
        """Return whether a vmap made an equation with a program inside: the equations of this program do not show it.

        Args:
            scopes: The scopes of one program.
        """
        return any(
            _is_under_vmap(equation)
            for scope in scopes
            for equation in self._walk.jaxprs[scope].eqns
            if any(map(programs_in, equation.params.values()))
        )

    def in_call(self, scope: int, constants: Sequence[Any], inputs: Sequence[Any]) -> list[OutOfBounds]:
        """Return the accesses outside of an array in one call of a program, with the call's values.

        Args:
            scope: The outermost scope of the program.
            constants: The constants of this scope.
            inputs: The values of the call's inputs; None for an unknown value.
        """
        jaxpr = self._walk.jaxprs[scope]
        values: dict[Any, Any] = {}
        for variable, constant in zip(jaxpr.constvars, constants, strict=False):
            self._keep_constant(values, variable, constant)
        for variable, value in zip(jaxpr.invars, inputs, strict=False):
            if value is not None:
                self._keep_of_run(values, variable, value)
        indices: list[OutOfBounds] = []
        self._left = _EQUATIONS_IN_STEPS
        self._read(jaxpr, values, indices, None, _KnownFrom(None, is_certain=False))
        return indices

    def of(
        self, scopes: list[int], constants: Sequence[Any], numbers: Mapping[Any, Any] | None = None
    ) -> Iterator[OutOfBounds]:
        """Return the accesses outside of an array in some scopes, as far as these do not depend on unknown inputs.

        Args:
            scopes: The scopes of one program, the outermost first.
            constants: The constants of the outermost scope.
            numbers: Variable -> its value, for variables of the outermost scope of a recording.
        """
        if not any(name in _SLICES or name.startswith(_INDEXED) for name in self._walk.primitives(scopes)):
            return
        self._left = _EQUATIONS_IN_STEPS
        for place, number in enumerate(scopes):
            jaxpr = self._walk.jaxprs[number]
            values: dict[Any, Any] = {}
            if not place:
                for variable, constant in zip(jaxpr.constvars, constants, strict=False):
                    self._keep_constant(values, variable, constant)
                for variable, number in (numbers or {}).items():
                    self._keep_of_run(values, variable, number)
            indices: list[OutOfBounds] = []
            self._read(jaxpr, values, indices, None, _KnownFrom(None, is_certain=True))
            yield from indices

    def _read(
        self,
        jaxpr: Any,
        values: dict[Any, Any],
        reads: list[OutOfBounds],
        outer: tuple[int, int] | None,
        known_from: _KnownFrom,
    ) -> None:
        """Compute the known values equation by equation, and record each access outside of an array.

        Args:
            jaxpr: The program.
            values: Variable -> its value, for known values.
            reads: The list to which findings are added.
            outer: The equation that runs the program, if the program is examined with the values of a call.
            known_from: Where the known values come from.
        """
        for at, equation in enumerate(jaxpr.eqns):
            name = equation.primitive.name
            operands = [value_of(operand, values) for operand in equation.invars]
            result = computed(name, operands, equation.params)
            if result is not None:
                keep(values, equation.outvars[0], result)
                columns = _ALL if name == "iota" else self._counted_columns(name, operands, equation.params)
                if columns:
                    self._counted[id(result)] = result, columns
            place = self._place(jaxpr, at, outer)
            if name not in _SLICES and not name.startswith(_INDEXED):
                if any(operand is not None for operand in operands):
                    self._run_bodies(equation, operands, jaxpr, values, reads, place, known_from)
                continue
            if place is None or _BACKWARD in str(equation.source_info.name_stack):
                continue
            # An index computed from `jnp.arange` may be out of bounds on purpose, as in x[i + 1] * (i < n - 1). For a
            # slice this is never intended.
            _, counted = self._counted.get(id(operands[1]), (None, frozenset()))
            if name not in _SLICES:
                outside = _indexed(equation, operands, counted, known_from.is_along_axis)
            else:
                outside = _slice(equation, operands)
                outside = None if outside is not None and outside.taken == 1 and counted else outside
            if outside is not None and not is_masked(jaxpr, equation.outvars, values, known_from.caller):
                reads.append(
                    OutOfBounds(
                        scope=place[0],
                        equation=place[1],
                        is_under_vmap=_is_under_vmap(equation),
                        **outside._asdict(),
                    )
                )

    def _keep_constant(self, values: dict[Any, Any], variable: Any, constant: Any) -> None:
        if is_of_numpy(constant):
            keep(values, variable, constant)
        elif (number := numbers_of_array(constant)) is not None:
            self._keep_of_run(values, variable, number)

    def _keep_of_run(self, values: dict[Any, Any], variable: Any, value: Any) -> None:
        """Keep a value that a run gave to a variable."""
        import numpy as np

        if np.shape(value) == getattr(variable.aval, "shape", None):
            array = np.asarray(value).astype(variable.aval.dtype)
            keep(values, variable, array)
            if _is_counted(array) and (kept := values.get(variable)) is not None:
                self._counted[id(kept)] = kept, _ALL

    def _counted_columns(self, name: str, operands: Sequence[Any], params: Mapping[str, Any]) -> frozenset[int]:
        """Return which columns of a result come from `jnp.arange`; all columns if the operation mixes columns."""
        if name == "dynamic_slice":
            operands = operands[:1]  # an element of a table is none of the consecutive numbers that number the elements
        are_counted = [id(operand) in self._counted for operand in operands]
        columns = [operand.shape[-1:] == (1,) for operand in operands if operand is not None]
        if name == "concatenate" and all(columns) and params["dimension"] == operands[0].ndim - 1:
            return frozenset(place for place, is_counted in enumerate(are_counted) if is_counted)
        return _ALL if any(are_counted) else frozenset()

    def _run_bodies(
        self,
        equation: Any,
        operands: list[Any],
        jaxpr: Any,
        values: dict[Any, Any],
        reads: list[OutOfBounds],
        place: tuple[int, int] | None,
        known_from: _KnownFrom,
    ) -> None:
        """Read the programs that an equation runs, with the known operands: of a scan, step by step."""
        # Accesses that depend only on the inner program's own values are found when its scope is examined.
        found: dict[tuple[int, int], list[OutOfBounds]] = {}
        steps = 0
        for body in bodies_of(equation, operands, known_from.is_certain):
            if body.is_step:
                self._left -= len(body.jaxpr.eqns)
            if self._left < 0:
                break
            for value in body.counters:
                self._counted[id(value)] = value, _ALL
            for value, table in body.elements:
                if id(table) in self._counted:
                    self._counted[id(value)] = value, _ALL
            inner = _KnownFrom(
                Caller(jaxpr, values, body.result, known_from.caller),
                is_certain=known_from.is_certain and not body.is_step,
                is_along_axis=_takes_along_axis(equation),
            )
            within: list[OutOfBounds] = []
            self._read(body.jaxpr, body.values, within, place, inner)
            steps += body.is_step
            for access in within:
                found.setdefault((access.scope, access.equation), []).append(access)
            if body.is_call:
                for variable, result in zip(equation.outvars, body.jaxpr.outvars, strict=True):
                    keep(values, variable, value_of(result, body.values))
        reads += [_in_all_steps(accesses, steps) for accesses in found.values()]

    def _place(self, jaxpr: Any, at: int, outer: tuple[int, int] | None) -> tuple[int, int] | None:
        """Return the place of an equation; if the equation is in a function of JAX, the place of the call."""
        number = self._numbers.get(id(jaxpr))
        if number is not None:
            stack = self._walk.scopes[number].stack[at]
            if stack >= 0 and self._walk.positions.stacks[stack][0]:
                return number, at
        return outer


def _in_all_steps(accesses: Sequence[OutOfBounds], steps: int) -> OutOfBounds:
    """Return the accesses of one equation in all steps of a loop as one access."""
    outside = tuple(dict.fromkeys(index for access in accesses for index in access.outside))
    is_same = len(accesses) == max(steps, 1) and len(outside) == 1
    return replace(accesses[0], outside=outside, is_among_others=accesses[0].is_among_others or not is_same)


def _takes_along_axis(equation: Any) -> bool:
    """Return whether a call is `jnp.take_along_axis` without a vmap around it.

    The array and the indices of the user have equally many axes. A vmap adds an axis to the array; the indices, whose
    values are known, do not differ between the elements of the vmap, and keep their axes.
    """
    if equation.params.get("name") != "take_along_axis" or len(equation.invars) != 2:
        return False
    array, indices = (operand.aval for operand in equation.invars)
    return len(array.shape) == len(indices.shape)


def _is_counted(array: Any) -> bool:
    """Return whether the elements are consecutive numbers, as those of `jnp.arange` are."""
    import numpy as np

    return bool(array.ndim == 1 and array.size > 1 and array.dtype.kind != "b" and (np.diff(array) == 1).all())


_INDEXED = ("gather", "scatter")
_ALL = frozenset(range(LONGEST))  # stands for every column of an index


class _Outside(NamedTuple):
    """The attributes of `OutOfBounds` that the equation itself determines."""

    axis: int
    place: int
    indices: int
    is_slice: bool
    size: int
    taken: int
    outcome: Outcome
    begin: int
    is_write: bool
    outside: tuple[int, ...]
    is_among_others: bool


def _as_written(index: int, size: int) -> int:
    """Return an index outside of an axis as the user counts: JAX has added the size of the axis to a negative index."""
    return index if index >= 0 else index - size


def _slice(equation: Any, operands: Sequence[Any]) -> _Outside | None:
    """Return the access of a `dynamic_slice` outside of an axis, or None.

    JAX moves such a slice inside.
    """
    is_write = equation.primitive.name == "dynamic_update_slice"
    shape = equation.invars[0].aval.shape
    sizes = equation.invars[1].aval.shape if is_write else equation.params["slice_sizes"]
    begins = operands[2 if is_write else 1 :]
    for axis, (begin, size, length) in enumerate(zip(begins, shape, sizes, strict=False)):
        if begin is not None and begin.ndim == 0 and not 0 <= int(begin) <= size - length:
            begin_inside = min(max(int(begin), 0), size - length)
            outside = (_as_written(int(begin), size),)
            return _Outside(axis, axis, len(shape), True, size, length, "moved", begin_inside, is_write, outside, False)
    return None


def _indexed(equation: Any, operands: Sequence[Any], counted: frozenset[int], is_along_axis: bool) -> _Outside | None:
    """Return an access of `gather` or scatter outside of an axis, or None.

    The mode of the equation decides what happens. A single index in one of the `counted` columns is not examined.
    `is_along_axis` is true for the gather of `jnp.take_along_axis`, whose batched axes are those of the user's array.
    """
    params, indices = equation.params, operands[1]
    numbers = params["dimension_numbers"]
    outcome = _MODES.get(getattr(params.get("mode"), "name", ""))
    is_write = equation.primitive.name != "gather"
    # Batched axes may come from a vmap around the user's code, where the axes of the user's array have other numbers.
    is_batched = bool(numbers.operand_batching_dims) and not is_along_axis
    if indices is None or not indices.size or outcome is None or is_batched:
        return None
    axes = numbers.scatter_dims_to_operand_dims if is_write else numbers.start_index_map
    single = numbers.inserted_window_dims if is_write else numbers.collapsed_slice_dims
    shape = equation.invars[0].aval.shape
    for position, axis in enumerate(axes):
        # Under vmap, a dynamic_slice is a gather with slices longer than 1; JAX moves these slices, too.
        taken = 1 if axis in single else params["slice_sizes"][axis] if outcome == "moved" and not is_write else 0
        if not taken or (taken == 1 and position in counted):
            continue
        last = shape[axis] - taken
        along_axis = indices[..., position].ravel().tolist()
        outside = list(dict.fromkeys(index for index in along_axis if not 0 <= index <= last))
        if outside:
            begin = min(max(outside[0], 0), last)
            result = "dropped" if is_write and outcome == "filled" else outcome
            return _Outside(
                axis=axis,
                place=position,
                indices=len(axes),
                is_slice=not single,
                size=shape[axis],
                taken=taken,
                outcome=result,
                begin=begin,
                is_write=is_write,
                outside=tuple(_as_written(index, shape[axis]) for index in outside),
                is_among_others=len(along_axis) > 1,
            )
    return None


def _is_under_vmap(equation: Any) -> bool:
    """Return whether a vmap made an equation: in a trace of the user's function, or later from a traced program."""
    source = equation.source_info
    if "vmap(" in str(source.name_stack):
        return True
    codes = () if source.traceback is None else source.traceback.raw_frames()[0]
    return any(code.co_filename.endswith(_BATCHING) for code in codes)


_BATCHING = os.path.join("interpreters", "batching.py")
