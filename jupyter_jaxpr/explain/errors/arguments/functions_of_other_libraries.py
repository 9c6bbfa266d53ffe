"""Finds the function of JAX that does the same as a function of NumPy, PyTorch or TensorFlow with another name."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace

from ....observe.observation import FoundCure
from ..explanation import Explained
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import operand_types
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..trials.trial_of_cure import passed

#: Function of another library -> the function of `jax.numpy` that takes the same arguments and gives the same values.
_IN_JNP = {
    "Inf": "inf",
    "NAN": "nan",
    "NaN": "nan",
    "Tensor": "array",
    "alltrue": "all",
    "bmm": "matmul",
    "bool8": "bool_",
    "cat": "concatenate",
    "clamp": "clip",
    "cumproduct": "cumprod",
    "div": "divide",
    "double": "float64",
    "float": "float32",
    "from_numpy": "asarray",
    "in1d": "isin",
    "infty": "inf",
    "int": "int32",
    "long": "int64",
    "mm": "matmul",
    "mul": "multiply",
    "product": "prod",
    "reduce_max": "max",
    "reduce_mean": "mean",
    "reduce_sum": "sum",
    "round_": "round",
    "sometrue": "any",
    "sub": "subtract",
    "tensor": "array",
    "unsqueeze": "expand_dims",
}
_RANDOM = "jax.random draws random numbers from a key, such as jax.random.key(0), that each call takes as an argument."
#: Function of another library -> the name of a cure, and what JAX has in place of the function.
_WORDS = {
    "binary_cross_entropy_with_logits": ("optax", "optax has losses, such as optax.sigmoid_binary_cross_entropy."),
    "copyto": (".at[...]", "Write x.at[...].set(values), which makes a new array."),
    "cross_entropy": ("optax", "optax has losses, such as optax.softmax_cross_entropy_with_integer_labels."),
    "manual_seed": ("jax.random.key", _RANDOM),
    "matrix": ("jnp.array", "Write jnp.array: * is elementwise, and @ is the matrix product."),
    "mse_loss": ("the mean", "Write jnp.mean((prediction - target) ** 2)."),
    "nditer": ("a loop", "Loop over the elements of x.ravel(), or compute with the whole array."),
    "no_grad": ("jax.lax.stop_gradient", "JAX computes gradients only in jax.grad. Outside of it, leave no_grad out."),
    "enable_grad": ("jax.grad", "JAX computes gradients only in jax.grad, and needs no such setting."),
    "rand": ("jax.random", _RANDOM),
    "randn": ("jax.random", _RANDOM),
    "random": ("jax.random", _RANDOM),
    "seed": ("jax.random.key", _RANDOM),
}
_MODULES = ("jax.numpy", "jax.nn", "jax.lax", "jax")


def same_function(raised: RaisedAt, attribute: ast.Attribute, module: str) -> tuple[FoundCure, ...]:
    """Return the cure with JAX's own function for a function that JAX has under another name; empty without one.

    Args:
        raised: Where the error was raised.
        attribute: The function as the code names it, such as jnp.cat.
        module: The full name of the module that lacks the function.
    """
    name = attribute.attr
    if module not in _MODULES or name not in _IN_JNP and name not in _WORDS:
        return ()
    if name in _WORDS:
        cure_name, words = _WORDS[name]
        jnp = jnp_name(raised)
        return (FoundCure(cure_name.replace("jnp", jnp), None, words.replace("jnp", jnp)),)
    jax_name = _IN_JNP[name]
    call = raised.parents.get(id(attribute))
    if name == "clamp" and isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
        return ()  # jax.lax.clamp takes the limits around the array
    if jax_name not in vars(sys.modules["jax.numpy"]):
        return ()
    code = f"{jnp_name(raised)}.{jax_name}"
    cure = FoundCure(code, code, f"{code} is the name in JAX.")
    changes: list[Change] = [over(attribute, code)]
    for keyword in call.keywords if isinstance(call, ast.Call) and call.func is attribute else ():
        if keyword.arg == "dim":
            changes.append(over(keyword, f"axis={raised.source(keyword.value)}"))
    if name in ("float", "int", "double", "long"):
        cure = replace(cure, text=f"{code} is a dtype of JAX.")
    tried = passed(raised, [applied(cure, [edit_of(raised, change) for change in changes])])
    return tuple(tried) or (replace(cure, code=None),)


def called_attribute(raised: RaisedAt) -> Explained | None:
    """Explains x.size(0) and x.shape(0), which call a number and a tuple; None for other calls."""
    match raised.node:
        case ast.Call(func=ast.Attribute(value=array, attr="size" | "shape" as name), args=args, keywords=[]) as call:
            pass
        case _:
            return None
    value = value_of(raised, array)
    if not dtype_of(value) or len(args) > 1:
        return None
    source = raised.source(array)
    code = f"{source}.shape[{raised.source(args[0])}]" if args else f"{source}.shape"
    kind = "the number of elements" if name == "size" else "a tuple of sizes"
    title = f"{name} of a JAX array is {kind}, not a method"
    words = f"{code} is the size of one axis." if args else f"{code} is the tuple of all sizes."
    cure = applied(FoundCure("shape", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, operand_types(raised), tuple(passed(raised, [cure])))
