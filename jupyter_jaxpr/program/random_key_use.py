"""Finds random keys from which a program draws random numbers more than once.

Numbers that are drawn twice from one key are not independent; with equal shapes, they are equal. JAX documents this as
an error, but checks it only if `jax_debug_key_reuse` is on. The rules here are those of `jax.experimental.key_reuse`:
drawing from a key and splitting a key use it up, `fold_in` and `clone` do not. The same part of an array of keys, and
`fold_in` of the same number, give the same key again.

Keys that are made of equal seeds are equal, too, often on purpose: `KeyUses.of_seeds` reports them apart.

Two intended repetitions are ignored: when `jax.checkpoint` computes again, and the backward pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..interruptions import not_of_a_signal
from ..jax.loop_equations import scan_parts
from .jaxpr.parameters import open_jaxpr
from .jaxpr.walk import Walk

_USES_UP = frozenset({"random_bits", "random_split", "random_gamma"})
_SAME_KEY = frozenset({"random_wrap", "random_unwrap", "copy", "copy_p"})
#: The primitives from which keys are made of other keys: with the same operands, such an equation gives the same key.
_PARTS = frozenset({"slice", "squeeze", "reshape", "convert_element_type", "random_fold_in"})
_CALLS = frozenset({"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"})
_BACKWARD = "transpose("
#: The names of JAX's own jitted functions that split a key and draw from the parts.
_DRAW_FROM_PARTS = frozenset(
    (
        "_randint _shuffle _gamma _loggamma _beta _dirichlet _t _poisson _multivariate_normal _ball _orthogonal "
        "_generalized_normal _chisquare _f"
    ).split()
)
#: The name of JAX's own jitted function that splits the data of a key, where a split ran outside of jit.
_SPLIT_OUTSIDE_OF_JIT = "_threefry_split"
#: The name of JAX's own jitted function that makes the data of a key of a seed outside of jit.
_SEED_OUTSIDE_OF_JIT = "_threefry_seed"
#: The primitives that keep a whole number: outside of jit, JAX puts a seed onto a device by `stage`.
_SAME_NUMBER = frozenset({"stage", "convert_element_type"})


@dataclass(frozen=True)
class KeyUse:
    """Two equations of a scope that use up the same random key, or a scan whose steps all use up the same key.

    Attributes:
        scope: The scope in the `Walk`.
        first: The earlier equation.
        again: The later equation; equal to `first` for a scan.
        splits: One of the equations splits the key.
    """

    scope: int
    first: int
    again: int
    splits: bool


def count_key_uses(jaxpr: Any) -> int:
    """Return the number of equations of a jaxpr, without inner ones, that use a key which was used up before."""
    uses: list[tuple[int, int]] = []
    _Reader().read(jaxpr, uses)
    return len(uses)


class DirectUse(NamedTuple):
    """How a program uses a key itself, rather than keys that the program made of the key.

    Attributes:
        shapes: The shapes of the random numbers that the program draws from the key.
        splits: True if the program splits the key.
        splits_in_call: True if a program that the program calls splits the key, as `jax.random.randint` does.
        draws_from_parts: True if a function of `jax.random`, as `randint`, splits the key and draws from the parts.
    """

    shapes: frozenset[tuple[int, ...]]
    splits: bool
    splits_in_call: bool = False
    draws_from_parts: bool = False


_UNUSED = DirectUse(frozenset(), False)


def direct_use(jaxpr: Any, name: str) -> DirectUse:
    """Return how a program uses the key in an argument.

    Args:
        jaxpr: The program.
        name: The name of the argument.
    """
    opened = open_jaxpr(jaxpr)
    if opened is None:
        return _UNUSED
    names = getattr(opened.debug_info, "arg_names", None) or ()
    places = [position for position, argument in enumerate(names) if argument == name]
    if len(names) != len(opened.invars) or len(places) != 1:
        return _UNUSED
    return use_of_input(opened, places[0])


def inputs_drawn_from(jaxpr: Any) -> dict[int, DirectUse]:
    """Return the uses of the inputs of a recording that are random keys from which the recorded code draws, by index.

    A function of `jax.random` that splits its key draws from the parts.
    """
    opened = open_jaxpr(jaxpr)
    if opened is None:
        return {}
    uses = {place: use_of_input(opened, place) for place in range(len(opened.invars))}
    return {place: use for place, use in uses.items() if use.shapes or use.splits_in_call}


def use_of_input(jaxpr: Any, place: int) -> DirectUse:
    """Return how an opened jaxpr uses the key in the input with the index `place`."""
    aliases = {jaxpr.invars[place]}
    shapes: frozenset[tuple[int, ...]] = frozenset()
    splits = splits_in_call = draws_from_parts = False
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        places = [
            position
            for position, operand in enumerate(equation.invars)
            if not hasattr(operand, "val") and operand in aliases
        ]
        if not places:
            continue
        if name in _SAME_KEY:
            aliases.add(equation.outvars[0])
        elif name == "random_bits":
            shapes |= {tuple(equation.params["shape"])}
        elif _splits(equation):
            splits = True
        elif name in _CALLS:
            inner = open_jaxpr(equation.params.get("jaxpr", equation.params.get("call_jaxpr")))
            if inner is not None:
                for position in places:
                    inside = use_of_input(inner, position) if position < len(inner.invars) else _UNUSED
                    shapes, splits = shapes | inside.shapes, splits or inside.splits
                    splits_in_call |= inside.splits
                    is_of_jax = equation.params.get("name") in _DRAW_FROM_PARTS
                    draws_from_parts |= inside.draws_from_parts or (is_of_jax and inside.splits)
    return DirectUse(shapes, splits, splits_in_call, draws_from_parts)


@dataclass(frozen=True)
class SeedUses:
    """The equations of a scope that use up keys which other equations made of one seed; each has a key of its own.

    Attributes:
        scope: The scope in the `Walk`.
        seed: The seed.
        equations: The equations that use up the keys.
    """

    scope: int
    seed: int
    equations: tuple[int, ...]


class KeyUses:
    """Finds the keys that the programs of a `Walk` use up twice; each scope is examined once."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._reader = _Reader()

    def of(self, scopes: list[int]) -> Iterator[KeyUse]:
        """Yield the repeated uses of keys in `scopes`: a scope with all its inner scopes."""
        if self._walk.primitives(scopes).isdisjoint(_USES_UP):
            return
        for number in scopes:
            uses: list[tuple[int, int]] = []
            jaxpr = self._walk.jaxprs[number]
            self._reader.read(jaxpr, uses)
            for first, second in uses:
                yield KeyUse(number, first, second, _splits(jaxpr.eqns[first]) or _splits(jaxpr.eqns[second]))

    def of_seeds(self, scopes: list[int], numbers: Mapping[Any, Any]) -> Iterator[SeedUses]:
        """Yield the uses of keys that were made of equal seeds.

        Args:
            scopes: The scopes of one program, the outermost first.
            numbers: Variable -> its value, for variables of the outermost scope of a recording.
        """
        if self._walk.primitives(scopes).isdisjoint(_USES_UP):
            return
        for number in scopes:
            uses = self._reader.seed_uses(self._walk.jaxprs[number], numbers if number == scopes[0] else {})
            for seed, equations in uses.items():
                if len(equations) > 1:
                    yield SeedUses(number, seed, tuple(equations))


class _Reader:
    """Finds the uses of keys in a jaxpr; each inner jaxpr is examined once."""

    def __init__(self) -> None:
        self._used_up: dict[int, frozenset[int]] = {}  # id of a jaxpr -> indices of the inputs that it uses up

    def read(self, jaxpr: Any, repeated_uses: list[tuple[int, int]]) -> frozenset[int]:
        """Return the indices of the inputs of a jaxpr that are random keys and that the jaxpr uses up.

        Pairs of equations that use up the same key are added to `repeated_uses`.
        """
        roots: dict[Any, Any] = {}
        parts: dict[Any, Any] = {}
        users: dict[Any, int] = {}
        for at, equation in enumerate(jaxpr.eqns):
            name = equation.primitive.name
            if name in _SAME_KEY:
                operand = equation.invars[0]
                if not hasattr(operand, "val"):
                    roots[equation.outvars[0]] = roots.get(operand, operand)
                continue
            if name in _PARTS and (computation := _computation(equation, roots)) is not None:
                (result,) = equation.outvars
                roots[result] = parts.setdefault(computation, result)
                continue
            if _BACKWARD in str(equation.source_info.name_stack):
                continue
            for position, in_each_step in self._used_by(name, equation):
                operand = equation.invars[position]
                if hasattr(operand, "val"):  # the operand is a literal, which is no random key
                    continue
                key = roots.get(operand, operand)
                if key in users:
                    repeated_uses.append((users[key], at))
                elif in_each_step:
                    repeated_uses.append((at, at))
                users.setdefault(key, at)
        return frozenset(position for position, variable in enumerate(jaxpr.invars) if variable in users)

    def seed_uses(self, jaxpr: Any, numbers: Mapping[Any, Any]) -> dict[int, list[int]]:
        """Return the first equation that uses up each key which the jaxpr makes of a known seed, by seed."""
        values: dict[Any, int] = {
            variable: int(number)
            for variable, number in numbers.items()
            if variable.aval.shape == () and getattr(variable.aval.dtype, "kind", None) in ("i", "u")
        }
        seeds: dict[Any, tuple[int, int]] = {}  # variable of a key -> its seed, and the equation that made the key
        uses: dict[tuple[int, int], int] = {}
        for at, equation in enumerate(jaxpr.eqns):
            name = equation.primitive.name
            if name in _SAME_NUMBER or _makes_key(equation):
                value = _whole_number(equation.invars[0], values)
                if value is not None and name in _SAME_NUMBER:
                    values[equation.outvars[0]] = value
                elif value is not None:
                    seeds[equation.outvars[0]] = value, at
            elif name in _SAME_KEY:
                operand = equation.invars[0]
                if not hasattr(operand, "val") and operand in seeds:
                    seeds[equation.outvars[0]] = seeds[operand]
            elif seeds and _BACKWARD not in str(equation.source_info.name_stack):
                for position, _ in self._used_by(name, equation):
                    operand = equation.invars[position]
                    if not hasattr(operand, "val") and operand in seeds:
                        uses.setdefault(seeds[operand], at)
        by_seed: dict[int, list[int]] = {}
        for (seed, _), at in uses.items():
            by_seed.setdefault(seed, []).append(at)
        return by_seed

    def _inputs(self, jaxpr: Any) -> frozenset[int]:
        """Return the indices of a program's inputs that are random keys and are used up."""
        opened = open_jaxpr(jaxpr)
        if opened is None:
            return frozenset()
        used_up = self._used_up.get(id(opened))
        if used_up is None:
            used_up = self._used_up[id(opened)] = self.read(opened, [])
        return used_up

    def _used_by(self, name: str, equation: Any) -> Iterator[tuple[int, bool]]:
        """Yield (position, whether it is used up more than once) for each random key that an equation uses up."""
        params = equation.params
        if name in _USES_UP or _splits(equation):
            yield 0, False
        elif name in _CALLS:
            inner = params.get("jaxpr", params.get("call_jaxpr"))
            for position in sorted(self._inputs(inner)):
                if position < len(equation.invars):
                    yield position, False
        elif name == "scan":
            parts = scan_parts(params)
            for position in sorted(self._inputs(params["jaxpr"])):
                yield position, position < parts.consts and (parts.length or 0) > 1
        elif name == "cond":
            used = [self._inputs(branch) for branch in params["branches"]]
            # only keys that each branch uses up count as used up
            for position in sorted(frozenset.intersection(*used)):
                yield position + 1, False


def _computation(equation: Any, roots: Mapping[Any, Any]) -> Any:
    """Return a key that is equal for two equations that certainly compute the same value; None if it is unknown."""
    operands = tuple(
        (str(operand.aval), operand.val.item() if hasattr(operand.val, "item") else operand.val)
        if hasattr(operand, "val")
        else roots.get(operand, operand)
        for operand in equation.invars
        if not hasattr(operand, "val") or operand.aval.shape == ()
    )
    computation = (equation.primitive.name, operands, tuple(sorted(equation.params.items())))
    try:
        hash(computation)
    except not_of_a_signal(TypeError):
        return None
    return computation if len(operands) == len(equation.invars) else None


def _makes_key(equation: Any) -> bool:
    """Return whether an equation makes a key of a seed."""
    name = equation.primitive.name
    return name == "random_seed" or (name in ("jit", "pjit") and equation.params.get("name") == _SEED_OUTSIDE_OF_JIT)


def _whole_number(operand: Any, values: Mapping[Any, int]) -> int | None:
    if not hasattr(operand, "val"):
        return values.get(operand)
    is_whole = getattr(operand.aval, "shape", None) == () and getattr(operand.aval.dtype, "kind", None) in ("i", "u")
    return int(operand.val) if is_whole else None


def _splits(equation: Any) -> bool:
    """Return whether an equation splits a key."""
    if equation.primitive.name == "random_split":
        return True
    name = equation.params.get("name") if equation.primitive.name in ("jit", "pjit") else None
    return name == _SPLIT_OUTSIDE_OF_JIT and len(equation.invars) == 1
