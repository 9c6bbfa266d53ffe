"""An exception that ended a trace in, a finding out: which line, what Python wanted there, which argument, the cure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ...observe.observation import Finding, FoundCure, Place
from ...plain_text import error_lines, kind_name, message_of, own_name
from .cures import branch_cures, carry_cures, pair_cures, value_cures
from .raised import RaisedAt, raised_at

_ARGUMENTS = re.compile(r"depends on the values? of the arguments? (.+?)\.(?:\s|$)")

_CONVERSION = re.compile(r"The problem arose with the `\w+` function")

_STATIC = "For a setting that seldom changes, pass the name of the argument to jax.jit as static_argnames."

# Public names of jax.errors -> what Python needs, and what to write instead: sentences.
_KNOWN = {
    "TracerBoolConversionError": (
        "Python's if, while, and, or and not need a value that is true or false.",
        f"Choose with jnp.where or jax.lax.cond. Repeat with jax.lax.while_loop. {_STATIC}",
    ),
    "TracerIntegerConversionError": (
        "Python needs an integer, for example for a range, an index or a shape.",
        f"Take the number from a shape, such as x.shape[0], or loop with jax.lax.fori_loop. {_STATIC}",
    ),
    "TracerArrayConversionError": (
        "NumPy needs the values of an array.",
        "Call the function of the same name from jax.numpy.",
    ),
    "ConcretizationTypeError": (
        "Python needs the value of an array, as float(), int() and bool() do.",
        f"Keep the value an array: write x.astype(float), not float(x). {_STATIC}",
    ),
    "NonConcreteBooleanIndexError": (
        "A boolean index decides the shape of the result.",
        "Write jnp.where(mask, x, 0), which keeps the shape.",
    ),
}


@dataclass(frozen=True)
class Explained:
    """What is known of an error beyond its text.

    Attributes:
        place: Line and expression of the user's that raised; None where no frame is the user's.
        title: What happened, in a few words; None where the error is none that is known here.
        text: More of it: sentences, empty where there is no more.
        cures: Ways out.
    """

    place: Place | None
    title: str | None = None
    text: str = ""
    cures: tuple[FoundCure, ...] = ()


def explained(error: BaseException, function: str) -> Explained:
    """What an error out of a trace is about.

    Args:
        error: What was raised while JAX traced.
        function: Name of the traced function.
    """
    raised = raised_at(error)
    place = raised.place if raised is not None else None
    try:
        found = (
            _value(error, raised, function)
            or _shape(error, raised, function)
            or _argument(error, raised, function)
            or _types(error, raised)
        )
    except Exception:  # the error itself is shown in any case
        found = None
    return Explained(place) if found is None else replace(found, place=place)


def _value(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Python needed the value of a traced array."""
    kind = kind_name(type(error))
    if kind not in _KNOWN or not _of_jax(error):
        return None
    what = _expression(raised) or "a traced array"
    title = f"Python needs the value of {what} while JAX traces"
    if kind == "TracerBoolConversionError":
        title = f"Python cannot know whether {what} is true while JAX traces"
    parts = _traced_values(raised)
    if raised is not None and raised.under_grad:
        parts.append(
            "jax.grad without jax.jit can run this line, because jax.grad calls the function with values. Under "
            "jax.jit, arrays have no values."
        )
    of_length = "`length` argument to `scan`" in message_of(error)
    if of_length:
        title = "JAX needs the length of a scan while JAX traces"
    cures = []
    if kind not in ("TracerArrayConversionError", "NonConcreteBooleanIndexError"):
        cures = value_cures(raised, function, _arguments(error), of_length)
    return Explained(None, title, " ".join(parts), tuple(cures))


def _expression(raised: RaisedAt | None) -> str | None:
    """The text of the expression that raised, at most 60 characters; None where it is not known."""
    text = raised.text if raised is not None else None
    return text if text is None or len(text) <= 60 else f"{text[:59]}…"


def _traced_values(raised: RaisedAt | None) -> list[str]:
    """A sentence that lists the traced values of an expression; none where there are none."""
    if raised is None or not raised.tracers:
        return []
    listed = ", ".join(f"{name} ({type_})" for name, type_ in list(raised.tracers.items())[:4])
    what = _expression(raised)
    return [f"The line reads traced values: {listed}." if what is None else f"{what} reads traced values: {listed}."]


_SHAPE = re.compile(r"^Shapes must be 1D sequences of concrete values of integer type")
_NO_ARRAY = re.compile(
    r"^Error interpreting argument to .* as an abstract array\. The problematic value is of type "
    r"<class '(?P<type>[^']+)'> and was passed to the function at path (?P<path>[^\s.]+)",
    re.DOTALL,
)


def _shape(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """A shape was given that is traced: JAX raises a plain TypeError for it."""
    if not isinstance(error, TypeError) or not _SHAPE.search(message_of(error)):
        return None
    cures = value_cures(raised, function, _arguments(error))
    cures.append(FoundCure(".shape", None, "Take the sizes from the shape of an array, such as x.shape[0]."))
    return Explained(
        None, "JAX needs the sizes of a shape while JAX traces", " ".join(_traced_values(raised)), tuple(cures)
    )


def _argument(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """An argument was given that is no array."""
    found = _NO_ARRAY.search(message_of(error)) if isinstance(error, TypeError) else None
    if found is None:
        return None
    path, kind = found["path"], found["type"].rpartition(".")[2]
    name = re.split(r"[\[.]", path)[0]
    code = f'{function} = jax.jit({function}, static_argnames="{name}")' if function.isidentifier() else None
    if raised is not None and raised.is_decorated(function):
        code = f'@partial(jax.jit, static_argnames="{name}")'
    static = FoundCure(
        "static_argnames",
        code,
        f"JAX compiles once for each value of {name}. The type {kind} needs an __eq__ and a __hash__ that compare the "
        "contents.",
    )
    tree = FoundCure(
        "jax.tree_util.register_dataclass",
        None,
        f"register_dataclass tells JAX which fields of {kind} hold arrays. JAX then traces these fields.",
    )
    title = f"The argument {path} is not an array: its type is {kind}"
    said = (
        "jax.jit traces each argument that is not static. JAX can trace arrays, numbers, and lists, tuples and "
        "dicts of arrays and numbers."
    )
    cures = (static,) if found["type"].rpartition(".")[0] == "" else (static, tree)
    return Explained(None, title, said, cures)


_CARRY = re.compile(
    r"input carry (?:component )?(?P<path>\S+) has type (?P<before>\S+) but the corresponding output carry component "
    r"has type (?P<after>[^\s,]+(?:,\d+)*\]?)",
)
_BRANCH = re.compile(
    r"output of (?P<one>[\w ]+?)(?: at path (?P<path>\S+))? has type (?P<before>\S+) but the corresponding output of "
    r"(?P<other>[\w ]+?) has type (?P<after>\S+\])",
)
_LOOP = re.compile(r"^(scan|while_loop|fori_loop) body function carry input and carry output must have")
_PAIR = re.compile(r"^scan body output must be a pair")
_BRANCHES = re.compile(r"^(cond|switch) branch\w* (?:outputs )?must have")
_REVERSE = re.compile(r"^Reverse-mode differentiation does not work for lax\.while_loop")
_LENGTHS = re.compile(r"^scan got values with different leading axis sizes: (.+?)\.?$", re.MULTILINE)
_SCALAR = re.compile(r"^cond_fun must return a boolean scalar|^Pred must be a scalar|^Pred type must be")


def _types(error: BaseException, raised: RaisedAt | None) -> Explained | None:
    """Types that a construct of JAX's does not allow: JAX's message says which."""
    text = message_of(error).strip()
    if not isinstance(error, TypeError | ValueError):
        return None
    loop = _LOOP.search(text)
    if loop is not None:
        name = _written(raised, loop[1])
        found = list(_CARRY.finditer(text))
        if not found:
            said = next((line for line in text.split("\n\n")[1:2]), "")
            cure = FoundCure(
                "same structure",
                None,
                "Return the carry in the structure that the step received: the same tuples and the same keys.",
            )
            return Explained(None, f"The carry of {name} changes its structure", " ".join(said.split()), (cure,))
        path, before, after = found[0]["path"], found[0]["before"], found[0]["after"]
        leaf = "the carry" if path == "loop_carry[1]" else path.replace("loop_carry[1]", "carry")
        said = (
            f"A carry must have the same type at each step. This step receives {leaf} as {before} and returns {leaf} "
            f"as {after}."
        )
        if len(found) > 1:
            others = ", ".join(f"{each['path']} ({each['before']} → {each['after']})" for each in found[1:5])
            said += f" The types of these carry values also change in the step: {others}.".replace(
                "loop_carry[1]", "carry"
            )
        title = f"The carry of {name} changes its type: {before} → {after}"
        return Explained(None, title, said, tuple(carry_cures(raised, path, before, after)))
    if _PAIR.search(text):
        title = "The body of a scan must return a pair: the new carry and the step's output"
        return Explained(None, title, "", tuple(pair_cures(raised)))
    branches = _BRANCHES.search(text)
    if branches is not None:
        name = branches[1]
        found_types = _BRANCH.search(text)
        if found_types is None:
            cure = FoundCure("same structure", None, "Return the same tuples and the same keys from all branches.")
            return Explained(None, f"The branches of {name} return different structures", "", (cure,))
        before, after = found_types["before"], found_types["after"]
        said = f"{found_types['one']} returns {before}, but {found_types['other']} returns {after}."
        title = f"The branches of {name} return different types: {before} and {after}"
        return Explained(None, title, said, tuple(branch_cures(raised, before, after)))
    if _REVERSE.search(text):
        ways = (
            FoundCure(
                "jax.lax.fori_loop", None, "jax.grad works through a fori_loop whose bounds do not depend on arrays."
            ),
            FoundCure("scan with a mask", None, "Run a fixed number of steps, and let surplus steps change nothing."),
            FoundCure(
                "jax.jacfwd",
                None,
                "Forward-mode differentiation works through a while_loop, and computes one JVP for each input element.",
            ),
        )
        title = "jax.grad does not work through a while_loop"
        said = "The number of steps of a while_loop is not known before the loop runs."
        return Explained(None, title, said, ways)
    lengths = _LENGTHS.search(text)
    if lengths is not None:
        cure = FoundCure("same length", None, "Cut or pad all arrays in xs to the same length along axis 0.")
        title = f"The arrays in the xs of a scan have different lengths: {lengths[1]}"
        return Explained(None, title, "A scan takes one element of each array at each step.", (cure,))
    if _SCALAR.search(text):
        cures = (
            FoundCure(".any() or .all()", None, "Reduce the array to a single boolean."),
            FoundCure("jnp.where", None, "jnp.where chooses element by element, and computes both values."),
        )
        return Explained(None, "A condition must be a single boolean", "", cures)
    return None


def _written(raised: RaisedAt | None, name: str) -> str:
    """What the user called: a fori_loop with fixed bounds is a scan to JAX."""
    called = (raised.text or "").partition("(")[0].rpartition(".")[2] if raised is not None else ""
    return called if called in ("scan", "while_loop", "fori_loop", "map") else name


def _of_jax(error: BaseException) -> bool:
    return (own_name(type(error), "__module__") or "").split(".")[0] in ("jax", "jaxlib")


def _arguments(error: BaseException) -> list[str]:
    """Names of the arguments that a value depends on."""
    found = _ARGUMENTS.search(message_of(error))
    return [] if found is None else [name for name in re.split(r", and |, | and ", found[1]) if name]


def trace_error(error: BaseException, function: str) -> Finding:
    """Say why a trace could not go on.

    Args:
        error: What was raised while JAX traced.
        function: Name of the jitted function.
    """
    known = explained(error, function)
    kind = kind_name(type(error))
    cure: str | None
    if kind in _KNOWN and _of_jax(error):
        wanted, cure = _KNOWN[kind]
        if any(each.name != "static_argnames" for each in known.cures):
            cure = None  # they are listed, in the user's own names
        if known.cures and kind == "ConcretizationTypeError" and not _CONVERSION.search(message_of(error)):
            wanted, cure = "Python needs the value of an array, for example for an axis or a length.", None
        found = _ARGUMENTS.search(message_of(error))
        why = "While JAX traces, an array has a shape but no values."
        if found is not None:
            word = "arguments" if " and " in found[1] or "," in found[1] else "argument"
            why = f"This value depends on the {word} {found[1]}. While JAX traces, arguments have shapes but no values."
        said = f"{function} could not be traced. {wanted} {why}"
    else:
        first = message_of(error).strip().partition("\n")[0].rstrip(".:")
        said = f"{function} could not be traced. The trace raised {kind}{f': {first}' if first else ''}."
        cure = "Correct the line and run the cell again." if known.title is None else None
    detail = error_lines(error)
    return Finding(
        "trace_raised",
        f"{said} {known.text}".strip(),
        cure=cure,
        detail=detail,
        function=function,
        place=known.place,
        title=known.title,
        cures=known.cures,
    )
