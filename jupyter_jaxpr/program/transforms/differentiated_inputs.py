"""Reads an observed program as a function of its flat inputs (leaves).

Each leaf has a name and a type; only some leaves are differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...document.limits import Listed
from ...document.types.transform import TransformKind
from ...interruptions import not_of_a_signal
from ...jax.made_programs import jaxpr_as_fun
from ...joined_names import in_a_sentence
from ...observe.observation import ArgumentSpec, ObservedProgram
from ...observe.programs.arguments_in_signature import spec_of
from ..jaxpr.avals import aval_row

PartName = Literal["whole", "primal", "linear"]

_TRACED = "traced by jupyter_jaxpr, not run"


@dataclass(frozen=True)
class DerivedPart:
    """One program that a transform derived.

    Attributes:
        part: The name of the part: linearize derives two programs; the other transforms derive one, named `whole`.
        name: The name of the program, such as ``grad(f)``.
        program: The program, in the form of an observed one.
        tangents: The indices of the inputs that are tangents.
        residuals: How many of the last results are residuals, passed to the linear program.
    """

    part: PartName
    name: str
    program: ObservedProgram
    tangents: tuple[int, ...] = ()
    residuals: int = 0


class Refused(Exception):
    """Raised if a transform makes no sense for the program; the message says why."""


class Original:
    """The observed program: the name and type of each leaf, and which leaves are differentiated."""

    def __init__(self, name: str, observed: ObservedProgram) -> None:
        import jax

        self.name = name
        self.observed = observed
        self.call: Callable[..., Sequence[Any]] = jaxpr_as_fun(observed.jaxpr)
        self.specs = [_input(aval) for aval in observed.jaxpr.in_avals]
        self.types = [aval_row(aval).text for aval in observed.jaxpr.in_avals]
        self.results = [spec_of(aval) for aval in observed.jaxpr.out_avals]
        self.result_types = [aval_row(aval).text for aval in observed.jaxpr.out_avals]
        self.names = _names(observed.jaxpr, len(self.specs))
        inexact = jax.numpy.inexact
        self.floats = [place for place, spec in enumerate(self.specs) if jax.numpy.issubdtype(spec.dtype, inexact)]
        self.float_results = [
            place for place, spec in enumerate(self.results) if jax.numpy.issubdtype(spec.dtype, inexact)
        ]
        positional = self._positional()
        self.chosen = [place for place in self.floats if place in positional] or self.floats

    def _positional(self) -> set[int]:
        """Return the indices of the leaves of positional arguments, which are those that `jax.grad` differentiates."""
        held_call = self.observed.held
        split = held_call.leaves() if held_call is not None else None
        if split is None or sum(split) > len(self.specs):
            return set(range(len(self.specs)))
        # the captured values are the first leaves, and the leaves of the arguments follow
        first = len(self.specs) - sum(split)
        return set(range(first, first + split[0]))

    def needs_floats(self, kind: TransformKind) -> None:
        """Raise `Refused` if no leaf is a floating-point array."""
        if not self.floats:
            types_passed = listed(self.types) or "no array"
            raise Refused(
                f"{kind} needs an argument of a float type, but the call of {self.name} passes {types_passed}. "
                "Pass floats, such as x.astype(float)."
            )
        if not self.float_results:
            types_returned = listed(self.result_types) or "no array"
            raise Refused(
                f"{kind} needs a result of a float type, but {self.name} returns {types_returned}. Return a float."
            )

    def of_chosen(self, inputs: Sequence[Any], results: Sequence[int]) -> Callable[..., list[Any]]:
        """Return the program as a function of the differentiated leaves only; the other leaves are fixed."""

        def call(*floats: Any) -> list[Any]:
            all_inputs = list(inputs)
            for place, value in zip(self.chosen, floats, strict=True):
                all_inputs[place] = value
            out = self.call(*all_inputs)
            return [out[place] for place in results]

        return call

    def pick(self, values: Sequence[Any]) -> list[Any]:
        """Return the values of the differentiated leaves."""
        return [values[place] for place in self.chosen]

    # --- pytrees of arguments, for the signature of a derived program ---

    def arguments(self) -> list[tuple[ArgumentSpec, list[int]]]:
        """Return (argument, indices of its leaves) for each argument.

        If the order is unknown, each leaf is an argument.
        """
        import jax

        specs_with_numbers: list[tuple[ArgumentSpec, list[int]]] = []
        place = len(self.specs) - sum(
            len(jax.tree_util.tree_leaves(argument.tree)) for argument in self.observed.arguments
        )
        for argument in self.observed.arguments:
            leaves = jax.tree_util.tree_leaves(argument.tree)
            leaf_numbers = list(range(place, place + len(leaves)))
            place += len(leaves)
            if any(
                number < 0 or not _alike(self.specs[number], leaf)
                for number, leaf in zip(leaf_numbers, leaves, strict=True)
            ):
                return [
                    (ArgumentSpec(name, tree=spec), [number])
                    for number, (name, spec) in enumerate(zip(self.names, self.specs, strict=True))
                ]
            specs_with_numbers.append((argument, leaf_numbers))
        return specs_with_numbers

    def like_arguments(self, prefix: str, change: Callable[[int], Any]) -> list[ArgumentSpec]:
        """Return the arguments with changed leaves; an argument whose leaves all become None is left out."""
        import jax

        specs = []
        for argument, leaf_numbers in self.arguments():
            if argument.static is not None:
                if not prefix:
                    specs.append(argument)
                continue
            leaves = [change(number) for number in leaf_numbers]
            if all(leaf is None for leaf in leaves) and leaves:
                continue
            tree = jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(argument.tree), leaves)
            specs.append(ArgumentSpec(f"{prefix}{argument.name}", tree=tree))
        return specs

    def chosen_tree(self) -> Any:
        """Return the tree of a gradient: the arguments without the leaves that are not differentiated."""
        trees = [argument.tree for argument in self.like_arguments("d", self._chosen_spec)]
        return trees[0] if len(trees) == 1 else tuple(trees)

    def chosen_arguments(self, prefix: str) -> list[ArgumentSpec]:
        """Return the differentiated arguments; each name gets a prefix."""
        return self.like_arguments(prefix, self._chosen_spec)

    def _chosen_spec(self, place: int) -> Any:
        return self.specs[place] if place in self.chosen else None

    def part(
        self,
        part: PartName,
        name: str,
        traced: Any,
        arguments: Sequence[ArgumentSpec],
        input_names: Sequence[str],
        result: Any,
        result_names: Sequence[str],
        words: str,
        **fields: Any,
    ) -> DerivedPart:
        """Return the `DerivedPart` of a derived program after its trace."""
        observed = ObservedProgram(
            origin="traced",
            jaxpr=traced.jaxpr,
            arguments=tuple(replace(argument, donated=False) for argument in arguments),
            result=result,
            call=self.observed.call,
            traced=traced,
            origin_note=f"{name}: {_TRACED}. {words}",
            input_names=tuple(input_names),
            result_names=tuple(result_names),
        )
        return DerivedPart(part, name, observed, **fields)


def _input(aval: Any) -> Any:
    """Return the type of an input, with its sharding if it states one."""
    import jax

    spec = spec_of(aval)
    sharding = getattr(aval, "sharding", None)
    mesh = getattr(sharding, "mesh", None)
    if mesh is None or getattr(mesh, "empty", True):
        return spec
    return jax.ShapeDtypeStruct(spec.shape, spec.dtype, weak_type=spec.weak_type, sharding=sharding)


def _alike(first: Any, second: Any) -> bool:
    return (getattr(first, "shape", None), getattr(first, "dtype", None)) == (
        getattr(second, "shape", None),
        getattr(second, "dtype", None),
    )


def _names(jaxpr: Any, count: int) -> list[str]:
    """Return the path of each input, such as p['w']."""
    try:
        paths = [str(path) if path else "" for path in jaxpr.debug_info.arg_names or ()]
    except not_of_a_signal(Exception):  # another version of JAX: the paths are unknown
        paths = []
    if len(paths) != count:
        paths = [""] * count
    return [path or f"argument {place}" for place, path in enumerate(paths)]


def listed(names: Sequence[str]) -> str:
    """Return names joined to a part of a sentence, such as "x, y and z"; each name once."""
    return in_a_sentence(list(dict.fromkeys(names)), Listed.ARGUMENTS_LEFT_OUT)
