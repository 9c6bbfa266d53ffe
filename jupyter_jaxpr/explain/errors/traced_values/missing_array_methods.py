"""Explains methods and attributes that JAX arrays do not have, such as `append`."""

from __future__ import annotations

import ast
import difflib
import sys
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.refused_assignments import lost_write
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import explained_with_trials, operand_types
from ..failing_code.place_of_error import RaisedAt
from .methods_of_other_libraries import FUNCTION_NOT_METHOD, same_method


def no_method(raised: RaisedAt | None, name: str) -> Explained:
    """Explains a method that JAX arrays lack, such as append of lists or a method of another library's arrays."""
    name = "del" if name == "__delitem__" else name
    title = (
        "del cannot remove elements of a JAX array"
        if name == "del"
        else f"A JAX array has no method or attribute {name}"
    )
    statement = raised.statement_of(raised.node) if raised is not None else None
    jnp = jnp_name(raised) if raised is not None else "jnp"
    general = f"Look for a function of {jnp} or a method of jax.Array that does what {name} does."
    # A name with a typing error, such as lenght, stands for the closest name of the table.
    known = [name] if name in _INSTEAD else difflib.get_close_matches(name, _LONG_NAMES, 1, _ALIKE_OTHERS)
    meant = known[0] if known else ""
    is_in_place = name.endswith("_") and not name.startswith("_")
    is_unknown = not meant and not is_in_place
    words = general if is_unknown else _INSTEAD[meant].format(jnp=jnp) if meant else _IN_PLACE
    if raised is not None and (same := same_method(raised, name)):
        return Explained(None, title, operand_types(raised), same)
    if is_unknown and raised is not None and (function := _function_of_name(raised, name, jnp)) is not None:
        return Explained(None, title, operand_types(raised), (function,))
    if is_unknown and raised is not None and (close := _closest_member(raised, name)) is not None:
        # Other lines may have the wrong name, too, so the trial of the edited statement may fail: the cure is then
        # advice.
        tried = passed(raised, [close]) or [replace(close, level="advice", edits=())]
        return Explained(None, title, operand_types(raised), tuple(tried))
    cure = FoundCure(meant or name, None, words)
    code, array = None, ""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=array), attr="append"), args=[value])):
            code = f"{array} = {jnp}.append({array}, {raised.source(value)})" if raised is not None else None
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=array), slice=index)]):
            code = f"{array} = {jnp}.delete({array}, {raised.source(index)})" if raised is not None else None
    if raised is None or statement is None or code is None:
        return Explained(None, title, operand_types(raised), (cure,))
    lost = lost_write(raised, statement, ast.Name(array, ast.Load()))
    if lost is not None:
        return Explained(None, title, operand_types(raised), (replace(cure, text=f"{cure.text} {lost}"),))
    cure = applied(FoundCure(cure.name, code, cure.text), [edit_of(raised, over(statement, code))])
    return explained_with_trials(title, operand_types(raised), raised, [cure])


def _function_of_name(raised: RaisedAt, name: str, jnp: str) -> FoundCure | None:
    """Return the advice to call the `jax.numpy` function with the name of the missing method, such as median."""
    function = vars(sys.modules["jax.numpy"]).get(name)
    if not callable(function) or isinstance(function, type) or not isinstance(raised.node, ast.Attribute):
        return None
    return FoundCure(f"{jnp}.{name}", None, FUNCTION_NOT_METHOD.format(module=jnp, name=name))


def _closest_member(raised: RaisedAt, name: str) -> FoundCure | None:
    """Return the edit that writes the method or attribute of an array with nearly the same name; None without one."""
    import jax

    node = raised.node
    public = [member for member in dir(jax.Array) if not member.startswith("_")]
    close_names = [member for member in public if sorted(member) == sorted(name)]
    close_names = close_names or difflib.get_close_matches(name, public, 1, _ALIKE)
    if not close_names or not isinstance(node, ast.Attribute) or node.attr != name:
        return None
    closest_name = close_names[0]
    code = f"{raised.source(node.value)}.{closest_name}"
    words = f"{closest_name} is the closest name among the methods and attributes of a JAX array."
    return applied(FoundCure("closest name", code, words), [edit_of(raised, over(node, code))])


#: The least similarity (0 to 1, by difflib) between the wrong name and the name that is suggested.
_ALIKE = 0.85

_IN_PLACE = (
    "A JAX array cannot be changed in place. Assign the new array to the name, such as x = x + 1 or x.at[i].add(1)."
)


_AS_NUMPY = "A jax.Array outside of jit becomes a NumPy array with np.asarray(x). Under jit, use jax.numpy."
_CONVERSION = "x.astype({jnp}.int32) converts the type."
_GRADIENT = "jax.grad(loss)(x) computes the gradient of a function."
#: Name of the missing method -> what JAX has in its place; {jnp} stands for the name of jax.numpy in the user's code.
_INSTEAD = {
    "append": "{jnp}.append makes a new array with the element at the end.",
    "del": "{jnp}.delete makes a new array without the element.",
    "fill": "{jnp}.full_like(x, value) makes a new array in which each element is the value.",
    "numpy": _AS_NUMPY,
    "to_numpy": _AS_NUMPY,
    "detach": "jax.lax.stop_gradient(x) takes x out of the gradient.",
    "cuda": "jax.device_put(x, jax.devices()[0]) moves x to a device.",
    "to": "jax.device_put moves x to a device. x.astype converts the type.",
    "view_as": "x.reshape(y.shape) gives x the shape of y.",
    "permute": "x.transpose(axes) or {jnp}.permute_dims(x, axes) permutes the axes.",
    "expand": "{jnp}.broadcast_to(x, shape) repeats axes of size 1.",
    "repeat_interleave": "{jnp}.repeat(x, n, axis) repeats each element.",
    "masked_fill": "{jnp}.where(mask, value, x) replaces the elements where the mask is true.",
    "float": "x.astype({jnp}.float32) converts the type.",
    "long": _CONVERSION,
    "int": _CONVERSION,
    "cpu": "jax.device_get(x) copies x to a NumPy array on the host.",
    "length": "len(x) or x.shape[0] is the number of elements along the first axis. x.size counts all elements.",
    "matmul": "x @ y or {jnp}.matmul(x, y) multiplies matrices.",
    "unsqueeze": "{jnp}.expand_dims(x, axis) adds an axis, and so does x[None].",
    "requires_grad": "JAX marks no array for gradients: jax.grad(f, argnums=0) chooses the argument to differentiate.",
    "backward": _GRADIENT,
    "grad": _GRADIENT,
}
#: Names of the table with enough letters that a name with a typing error is still recognized.
_LONG_NAMES = [name for name in _INSTEAD if len(name) > 5]
#: The least similarity of a name to one of `_LONG_NAMES`: two exchanged letters in a name of six give 0.83.
_ALIKE_OTHERS = 0.83
