"""Derives a program by `grad`, `vmap`, `jvp` or `linearize` from a program that was observed.

JAX transforms the jaxpr, as it does for `grad` of a jitted function: the Python of the function does not run again, no
values are needed, and nothing is compiled or executed. Only the rules of the user's `custom_jvp` and `custom_vjp`
functions run; text that they print is recorded, not shown.

If JAX refuses a transform, `Derived.error` has a sentence with the reason; no exception is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...document.limits import Characters
from ...document.types.transform import TransformKind
from ...interruptions import not_of_a_signal
from ...observe.calls.printed_output import PrintRecorder
from ...observe.observation import ArgumentSpec, ObservedProgram, Printed
from ...plain_text import kind_name, message_of
from ..jaxpr.parameters import open_jaxpr, programs_in
from .differentiated_inputs import DerivedPart, Original, Refused, listed

Kind = TransformKind

#: The size of the axis that `vmap` adds.
BATCH = 8


@dataclass
class Derived:
    """The result of a transform.

    Attributes:
        words: A sentence on the transform, such as the arguments of the derivative.
        parts: The derived programs; none if the transform failed.
        error: The reason of the failure, and what to do; else None.
        printed: The text that Python printed during the transform.
    """

    kind: Kind
    words: str
    parts: list[DerivedPart] = field(default_factory=list)
    error: str | None = None
    printed: list[Printed] = field(default_factory=list)


def derive(name: str, observed: ObservedProgram, kind: Kind) -> Derived:
    """Derive a program by a transform. The observer must ignore JAX's work meanwhile.

    Args:
        name: The user's name for the function.
        observed: The program of the function; only its types are used.
        kind: The transform.
    """
    prints = PrintRecorder(lambda: name, swallow=True)
    derived = Derived(kind, f"{kind} of {name}", printed=prints.printed)
    prints.start()
    try:
        _MAKERS[kind](Original(name, observed), derived)
    except Refused as refused:
        derived.error = str(refused)
    except not_of_a_signal(Exception) as error:  # JAX's message is the reason why it cannot derive the program
        cure = _LOOP if kind == "grad" and "while_loop" in message_of(error) else _CURES[kind]
        derived.error = f"JAX cannot make {kind} of {name}: {_said(error)}. {cure}"
    finally:
        prints.stop()
    return derived


_DIFFERENTIABLE_PART = "Differentiate only the part of the function that JAX can differentiate."
_CURES = {
    "jvp": _DIFFERENTIABLE_PART,
    "linearize": _DIFFERENTIABLE_PART,
    "grad": _DIFFERENTIABLE_PART,
    "vmap": "Map over the part of the function that JAX can batch.",
}
_LOOP = "A while loop has no reverse-mode derivative. Write the loop as a scan, or choose jvp."


# --- the four transforms ------------------------------------------------------------------------------------


def _grad(original: Original, derived: Derived) -> None:
    import jax

    original.needs_floats("grad")
    name, chosen = original.name, original.chosen
    names = [f"d {original.names[place]}" for place in chosen]
    result = original.results[original.float_results[0]]
    scalar = len(original.results) == 1 and result.shape == () and not _complex(result)
    if scalar and not any(_complex(original.specs[place]) for place in chosen):
        derived.words = f"jax.grad of {name}. {_respect(original)}"

        def gradient(*inputs: Any) -> Any:
            call = original.of_chosen(inputs, [0])
            return jax.grad(lambda *floats: call(*floats)[0], argnums=tuple(range(len(chosen))))(*original.pick(inputs))

        traced = _traced(gradient, original.specs, f"grad_{name}")
        derived.parts.append(
            original.part(
                "whole",
                f"grad({name})",
                traced,
                [argument for argument, _ in original.arguments()],
                original.names,
                original.chosen_tree(),
                names,
                derived.words,
            )
        )
        return
    reason = (
        f"{name} has a complex argument, so this program is a vjp, not a gradient."
        if scalar
        else f"{name} returns {listed(original.result_types)}, not a real scalar, so this program is a vjp."
    )
    derived.words = f"{reason} The cotangent is an input with the type of the result. {_respect(original)}"
    cotangents = [original.results[place] for place in original.float_results]

    def pulled_back(*inputs: Any) -> Any:
        values = inputs[: len(original.specs)]
        _, pull = jax.vjp(original.of_chosen(values, original.float_results), *original.pick(values))
        return pull(list(inputs[len(original.specs) :]))

    traced = _traced(pulled_back, [*original.specs, *cotangents], f"vjp_{name}")
    label = ["cotangent"] if len(cotangents) == 1 else [f"cotangent[{place}]" for place in range(len(cotangents))]
    derived.parts.append(
        original.part(
            "whole",
            f"vjp({name})",
            traced,
            [
                *(argument for argument, _ in original.arguments()),
                ArgumentSpec("cotangent", tree=cotangents[0] if len(cotangents) == 1 else tuple(cotangents)),
            ],
            [*original.names, *label],
            original.chosen_tree(),
            names,
            derived.words,
        )
    )


def _vmap(original: Original, derived: Derived) -> None:
    import jax

    name = original.name
    mapped = [argument for argument, leaf_numbers in original.arguments() if leaf_numbers]
    leaves = sum(len(leaf_numbers) for _, leaf_numbers in original.arguments())
    if not leaves:
        raise Refused(f"vmap needs an array argument, but the call of {name} passes no array. Pass an array.")
    closed_over = len(original.specs) - leaves
    specs = [
        spec if place < closed_over else _batched(spec, getattr(spec, "weak_type", False))
        for place, spec in enumerate(original.specs)
    ]
    axes = tuple(None if place < closed_over else 0 for place in range(len(specs)))
    over = listed([argument.name for argument in mapped if argument.name]) or "every array"
    derived.words = f"jax.vmap of {name} over {over}, with in_axes=0. Each array has a new first axis of size {BATCH}."
    traced = _traced(jax.vmap(original.call, in_axes=axes), specs, f"vmap_{name}")
    result = original.observed.result
    derived.parts.append(
        original.part(
            "whole",
            f"vmap({name})",
            traced,
            original.like_arguments("", lambda place: specs[place]),
            original.names,
            None if result is None else jax.tree_util.tree_map(lambda leaf: _batched(leaf, False), result),
            _result_names(original),
            derived.words,
        )
    )


def _needs_forward_rules(original: Original, kind: Kind, *traced: Any) -> None:
    """Raise `Refused` if an operation has only a transpose rule.

    JAX can trace such a program, but raises when lowering it.
    """
    if any(_holds(trace.jaxpr, "custom_lin") for trace in traced):
        raise Refused(
            f"{kind} of {original.name} is impossible: {original.name} calls a custom_vjp function, which has only a "
            "reverse-mode rule. Choose grad, or define the function with custom_jvp."
        )


def _holds(jaxpr: Any, primitive: str) -> bool:
    opened = open_jaxpr(jaxpr)
    return any(
        equation.primitive.name == primitive
        or any(_holds(inner, primitive) for value in equation.params.values() for _, inner, _ in programs_in(value))
        for equation in (opened.eqns if opened is not None else ())
    )


def _jvp(original: Original, derived: Derived) -> None:
    import jax

    original.needs_floats("jvp")
    name, count = original.name, len(original.specs)
    derived.words = f"jax.jvp of {name}. The tangents are inputs with the types of the arguments. {_respect(original)}"

    def pushed(*inputs: Any) -> Any:
        values = inputs[:count]
        call = original.of_chosen(values, range(len(original.results)))
        return jax.jvp(call, original.pick(values), list(inputs[count:]))

    tangents = [_same(original.specs[place]) for place in original.chosen]
    traced = _traced(pushed, [*original.specs, *tangents], f"jvp_{name}")
    _needs_forward_rules(original, "jvp", traced)
    results = _result_names(original)
    derived.parts.append(
        original.part(
            "whole",
            f"jvp({name})",
            traced,
            [*(argument for argument, _ in original.arguments()), *original.chosen_arguments("d")],
            [*original.names, *(f"d {original.names[place]}" for place in original.chosen)],
            None,
            [*results, *(f"d {result}" for result in results)] if results else [],
            derived.words,
            tangents=tuple(range(count, count + len(tangents))),
        )
    )


def _linearize(original: Original, derived: Derived) -> None:
    import jax

    original.needs_floats("linearize")
    name = original.name
    derived.words = (
        f"jax.linearize of {name}. The primal program keeps residuals; the linear program maps the tangents. "
        f"{_respect(original)}"
    )

    def linearized(*inputs: Any) -> Any:
        return jax.linearize(original.of_chosen(inputs, original.float_results), *original.pick(inputs))

    primal = _traced(linearized, original.specs, f"linearize_{name}")
    _, push = primal.out_info
    residuals = jax.tree_util.tree_leaves(push)
    push_types = jax.tree_util.tree_map(_same, push)
    tangents = [_same(original.specs[place]) for place in original.chosen]
    linear = _traced(lambda push, *tangents: push(*tangents), [push_types, *tangents], f"linear_{name}")
    _needs_forward_rules(original, "linearize", primal, linear)
    residual_names = [f"residual {place}" for place in range(len(residuals))]
    results = [result for place, result in enumerate(_result_names(original)) if place in original.float_results]
    floats = [original.results[place] for place in original.float_results]
    arguments = [argument for argument, _ in original.arguments()]
    derived.parts += [
        original.part(
            "primal",
            f"linearize({name}): primal program",
            primal,
            arguments,
            original.names,
            None,
            [*results, *residual_names] if results else [],
            derived.words,
            residuals=len(residuals),
        ),
        original.part(
            "linear",
            f"linearize({name}): linear program",
            linear,
            [ArgumentSpec("residuals", tree=[_same(leaf) for leaf in residuals]), *original.chosen_arguments("d")],
            [*residual_names, *(f"d {original.names[place]}" for place in original.chosen)],
            floats[0] if len(floats) == 1 else tuple(floats),
            [f"d {result}" for result in results],
            derived.words,
            tangents=tuple(range(len(residuals), len(residuals) + len(tangents))),
        ),
    ]


_MAKERS: dict[Kind, Callable[[Original, Derived], None]] = {
    "grad": _grad,
    "vmap": _vmap,
    "jvp": _jvp,
    "linearize": _linearize,
}


# --- types of inputs, names of results, texts of errors -----------------------------------------------------


def _traced(fun: Callable[..., Any], specs: Sequence[Any], name: str) -> Any:
    import jax

    def call(*inputs: Any) -> Any:
        return fun(*inputs)

    call.__name__ = call.__qualname__ = "".join(letter if letter.isalnum() else "_" for letter in name)
    return jax.jit(call).trace(*specs)


def _same(spec: Any) -> Any:
    """Return a `ShapeDtypeStruct` with only the shape, the dtype and the weak type of a value or a type."""
    import jax

    return jax.ShapeDtypeStruct(spec.shape, spec.dtype, weak_type=bool(getattr(spec, "weak_type", False)))


def _batched(spec: Any, weak: bool) -> Any:
    import jax

    return jax.ShapeDtypeStruct((BATCH, *spec.shape), spec.dtype, weak_type=weak)


def _complex(spec: Any) -> bool:
    import jax

    return bool(jax.numpy.issubdtype(spec.dtype, jax.numpy.complexfloating))


def _result_names(original: Original) -> list[str]:
    """Return the path of each result; [] if JAX does not know the paths."""
    try:
        paths = [str(path) if path else "" for path in original.observed.jaxpr.debug_info.result_paths or ()]
    except not_of_a_signal(Exception):  # another version of JAX: the paths are unknown
        return []
    return paths if len(paths) == len(original.results) else []


def _said(error: Exception) -> str:
    """Return the first line of an exception's message, without its full stop."""
    text = message_of(error).strip().partition("\n")[0].strip().rstrip(".")
    text = text if len(text) <= Characters.JAX_REFUSAL else text[: Characters.JAX_REFUSAL - 1] + "…"
    return f"{kind_name(type(error))}: {text}" if text else kind_name(type(error))


def _respect(original: Original) -> str:
    """Return sentences that say which arguments are differentiated, and why others are not."""
    chosen = listed([_root(original.names[place]) for place in original.chosen])
    words = [f"The derivative is with respect to {chosen}."]
    by_keyword = listed([_root(original.names[place]) for place in original.floats if place not in original.chosen])
    if by_keyword:
        words.append(f"The derivative leaves out arguments that are passed by keyword: {by_keyword}.")
    not_floats = [place for place in range(len(original.specs)) if place not in original.floats]
    described = listed([f"{original.names[place]} ({original.types[place]})" for place in not_floats])
    if described:
        words.append(f"The derivative leaves out arguments whose type is not a float type: {described}.")
    return " ".join(words)


def _root(path: str) -> str:
    """Return the name of the argument with which a path begins."""
    end = min((path.index(sign) for sign in ".[" if sign in path), default=len(path))
    return path[:end]
