"""Finds the JAX code for a call of a PyTorch or pandas method that JAX arrays do not have."""

from __future__ import annotations

import ast
import sys

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name, numpy_name
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

FUNCTION_NOT_METHOD = "Call {module}.{name}: {name} is a function of {module}, not a method of arrays."
#: Method without arguments -> the code in its place: {x} is the array, {jnp} is the name of jax.numpy.
_ALONE = {
    "bool": "{x}.astype(bool)",
    "contiguous": "{x}",
    "detach": "jax.lax.stop_gradient({x})",
    "dim": "{x}.ndim",
    "float": "{x}.astype({jnp}.float32)",
    "half": "{x}.astype({jnp}.float16)",
    "isna": "{jnp}.isnan({x})",
    "isnull": "{jnp}.isnan({x})",
    "ndimension": "{x}.ndim",
    "numel": "{x}.size",
    "t": "{x}.T",
}
#: (Method, number of its arguments) -> the code in its place: {0} and {1} are the arguments.
_WITH_ARGUMENTS = {
    ("apply", 1): "jax.vmap({0})({x})",
    ("bmm", 1): "{jnp}.matmul({x}, {0})",
    ("clamp", 2): "{x}.clip({0}, {1})",
    ("fillna", 1): "{jnp}.where({jnp}.isnan({x}), {0}, {x})",
    ("masked_fill", 2): "{jnp}.where({0}, {1}, {x})",
    ("matmul", 1): "{jnp}.matmul({x}, {0})",
    ("mm", 1): "{jnp}.matmul({x}, {0})",
    ("repeat_interleave", 1): "{jnp}.repeat({x}, {0})",
    ("repeat_interleave", 2): "{jnp}.repeat({x}, {0}, axis={1})",
    ("unsqueeze", 1): "{jnp}.expand_dims({x}, {0})",
    ("type_as", 1): "{x}.astype({0}.dtype)",
    ("view_as", 1): "{x}.reshape({0}.shape)",
}
#: Methods of PyTorch and pandas that lead to a NumPy array, as in x.detach().cpu().numpy().
_TO_NUMPY = frozenset({"cpu", "detach", "numpy", "to_numpy"})
#: Attribute of pandas -> the code in its place.
_ATTRIBUTES = {"iloc": "{x}", "values": "{x}"}
#: Methods of other libraries whose function in jax.numpy takes the array and then the same arguments.
_SAME_ARGUMENTS = frozenset(
    "abs add cosh cross cumprod cumsum divide equal exp expm1 flip floor isclose isfinite isinf isnan kron log log10 "
    "log1p log2 logical_and logical_not logical_or maximum minimum multiply outer power remainder roll sign sin sinh "
    "sqrt square subtract tan tanh cos ceil arctan arcsin arccos median nanmean nansum".split()
)


def same_method(raised: RaisedAt, name: str) -> tuple[FoundCure, ...]:
    """Return the cure that replaces a method of another library by JAX's code.

    Empty if there is none, or its trial fails.
    """
    attribute = raised.node
    if not isinstance(attribute, ast.Attribute) or attribute.attr != name:
        return ()
    parent = raised.parents.get(id(attribute))
    jnp, array = jnp_name(raised), raised.source(attribute.value)
    if name in _ATTRIBUTES and not (isinstance(parent, ast.Call) and parent.func is attribute):
        return _tried(raised, attribute, name, _ATTRIBUTES[name].format(x=array))
    if not isinstance(parent, ast.Call) or parent.func is not attribute:
        return ()
    if any(isinstance(argument, ast.Starred) for argument in parent.args):
        return ()
    if name in _TO_NUMPY and (whole := _whole_copy(raised, parent)) is not None:
        as_array = f"{numpy_name(raised)}.asarray"
        words = f"Outside of a trace, {as_array} copies a JAX array to a NumPy array."
        return _tried(raised, whole, "np.asarray", f"{as_array}({array})", words)
    arguments = [raised.source(argument) for argument in parent.args]
    options = {keyword.arg: raised.source(keyword.value) for keyword in parent.keywords}
    if name == "unsqueeze" and not arguments and set(options) == {"dim"}:
        arguments, options = [options["dim"]], {}
    if name in ("permute", "expand") and arguments and not options:
        sizes = arguments[0] if len(arguments) == 1 else f"({', '.join(arguments)})"
        code = f"{array}.transpose({sizes})" if name == "permute" else f"{jnp}.broadcast_to({array}, {sizes})"
        return _tried(raised, parent, name, code)
    if name == "clamp" and not arguments and options and set(options) <= {"min", "max"}:
        return _tried(raised, parent, name, f"{array}.clip({', '.join(f'{k}={v}' for k, v in options.items())})")
    if name == "apply" and getattr(value_of(raised, attribute.value), "ndim", 0) != 1:
        return ()
    template = _WITH_ARGUMENTS.get((name, len(arguments))) or (_ALONE.get(name) if not arguments else None)
    if template is not None and not options:
        return _tried(raised, parent, name, template.format(*arguments, x=array, jnp=jnp))
    if name not in _SAME_ARGUMENTS or name not in vars(sys.modules["jax.numpy"]):
        return ()
    names = {"dim": "axis", "keepdim": "keepdims"}
    keywords = [f"{names.get(str(option), option)}={value}" for option, value in options.items()]
    code = f"{jnp}.{name}({', '.join([array, *arguments, *keywords])})"
    return _tried(
        raised,
        parent,
        f"{jnp}.{name}",
        code,
        FUNCTION_NOT_METHOD.format(module=jnp, name=name),
    )


def _whole_copy(raised: RaisedAt, call: ast.Call) -> ast.Call | None:
    """Return the whole chain of calls, such as x.detach().cpu().numpy(), that starts with the given call x.detach().

    None if the chain does not end with numpy or to_numpy.
    """
    while isinstance(call.func, ast.Attribute) and call.func.attr in _TO_NUMPY and not call.args and not call.keywords:
        if call.func.attr in ("numpy", "to_numpy"):
            return call
        attribute = raised.parents.get(id(call))
        outer = raised.parents.get(id(attribute)) if attribute is not None else None
        if not isinstance(attribute, ast.Attribute) or not isinstance(outer, ast.Call) or outer.func is not attribute:
            return None
        call = outer
    return None


def _tried(raised: RaisedAt, node: ast.expr, name: str, code: str, words: str | None = None) -> tuple[FoundCure, ...]:
    texts = {
        "contiguous": "Leave the call out: JAX chooses the order of an array in memory.",
        "iloc": "Index the JAX array itself, without iloc.",
        "values": "Leave .values out: a JAX array holds values without labels.",
        "apply": "jax.vmap calls the function for each element along axis 0.",
        "detach": "With jax.lax.stop_gradient, the gradient treats the array as a constant.",
    }
    text = words or texts.get(name) or f"In JAX, this code does what the method {name} does."
    tried = passed(raised, [applied(FoundCure(name, code, text), [edit_of(raised, over(node, code))])])
    return tuple(cure for cure in tried if cure.code is not None)
