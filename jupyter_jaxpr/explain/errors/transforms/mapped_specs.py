"""Explains the specs of shard_map that do not fit: names the array of in_specs, and the mesh axis of out_specs."""

from __future__ import annotations

import ast
import re

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.expression_shapes import type_of_array
from ..failing_code.only_assignments import behind_name
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text, result_of
from .transformed_calls import short_dtype

_IN_SPECS = re.compile(
    r"^in_specs passed to shard_map: P\((?P<spec>.*?),?\) does not match the specs of the input: "
    r"P\((?P<present_spec>.*?),?\) for arg: (?P<dtype>\w+)(?P<shape>\[\S*?\])\.(?:\s|$)",
    re.DOTALL,
)
_REPLICATED = re.compile(
    r"^shard_map applied to the function '\S+' was given out_specs which require replication which can't be "
    r"statically inferred.*?is P\((?P<spec>.*?),?\) which implies that the corresponding output value is "
    r"(?:replicated across mesh (?:axis|axes) (?P<axes>.*?), but|only varying across mesh axes \{(?P<allowed>.*?)\} "
    r"and not \{.*?\}, but it was inferred to be possibly varying over \{(?P<varying>.*?)\})",
    re.DOTALL,
)
_ALL_DEVICES = (
    "P({spec}) does not name {axes}, so all devices along {axes} must have the same result. JAX cannot prove that the "
    "results are equal."
)


def mapped_spec_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains in_specs of an array that is split otherwise, and out_specs of a result that may differ by device."""
    text = message_of(error).strip()
    if not isinstance(error, ValueError) or raised is None:
        return None
    if match := _IN_SPECS.search(text):
        return _in_specs(raised, match)
    if match := _REPLICATED.search(text):
        return _replicated(raised, match)
    return None


def _in_specs(raised: RaisedAt, match: re.Match[str]) -> Explained:
    spec, present, type_ = match["spec"], match["present_spec"], f"{match['dtype']}{match['shape']}"
    call = raised.node
    arguments = call.args if isinstance(call, ast.Call) and raised.frame is not None else []
    short = f"{short_dtype(match['dtype'])}{match['shape']}"
    fitting = [node for node in arguments if type_of_array(raised, node) == short]
    name = " ".join(raised.source(fitting[0]).split()) if len(fitting) == 1 else ""
    array = f"{name} ({short})" if name else f"an argument of the type {type_}"
    title = f"in_specs of shard_map says P({spec}), but {array} is split as P({present})"
    text = "In a mesh with explicit axes, the type of an array says how the array is split."
    code = None if not name else f"jax.reshard({name}, NamedSharding(mesh, P({spec})))"
    words = (
        "Split the array before the call, with the mesh of shard_map and jax.sharding.NamedSharding. Without in_specs, "
        f"shard_map takes the array as it is split, as P({present})."
    )
    of_mesh = (
        "In a mesh with automatic axes, shard_map splits the arrays by itself. Such a mesh is made with "
        "jax.make_mesh(sizes, names, axis_types=...), where axis_types is a tuple with one "
        "jax.sharding.AxisType.Auto for each axis."
    )
    return Explained(
        None, title, text, (FoundCure("jax.reshard", code, words), FoundCure("AxisType.Auto", None, of_mesh))
    )


def _replicated(raised: RaisedAt, match: re.Match[str]) -> Explained:
    axes = re.findall(r"\w+", match["axes"] or match["varying"])
    axes = [axis for axis in axes if axis not in re.findall(r"\w+", match["allowed"] or "")]
    axis = repr(axes[0]) if len(axes) == 1 else f"({', '.join(map(repr, axes))})"
    function = _mapped(raised)
    result = result_of(function)
    name = function.name if isinstance(function, ast.FunctionDef) else "the function"
    along = f"axis {axis}" if len(axes) == 1 else f"axes {axis}"
    title = f"out_specs of shard_map says that all devices along the mesh {along} have the same result"
    text = _ALL_DEVICES.format(spec=match["spec"], axes=in_a_sentence([*map(repr, axes)]))
    reduced = "result"
    if result is not None:
        source = " ".join(raised.source(result).split())
        subject = name if isinstance(function, ast.FunctionDef) else "The function"
        text = f"{text} {subject} returns {source} (line {result.lineno})."
        reduced = source if len(source) <= 40 and not isinstance(result, ast.Tuple) else "result"
    code = f"jax.lax.psum({reduced}, {axis})"
    words = (
        f"Sum the result over the devices in {name}, or take the mean with jax.lax.pmean. A result that has an axis "
        f"can also stay split: out_specs then names {axis} at the place of this axis."
    )
    return Explained(None, title, text, (FoundCure("jax.lax.psum", code, words),))


def _mapped(raised: RaisedAt) -> AnyFunction | None:
    """Return the function that shard_map maps in the failing call; None if the code does not define it."""
    call = raised.node
    if not isinstance(call, ast.Call):
        return None
    mapped = behind_name(raised, call.func)
    while called(mapped) == "jit" and isinstance(mapped, ast.Call) and mapped.args:
        mapped = mapped.args[0]
    if called(mapped) == "shard_map" and isinstance(mapped, ast.Call) and mapped.args:
        return function_of_text(raised, mapped.args[0])
    function = function_of_text(raised, call.func)
    decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
    return function if any("shard_map" in ast.unparse(decorator) for decorator in decorators) else None
