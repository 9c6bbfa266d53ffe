"""Finds the function of JAX that does the same as a function of NumPy, PyTorch or TensorFlow with another name."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import operand_types
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..random_keys.left_out_keys import KEY_IS_FIRST

#: Name in another library -> the function, constant or dtype of `jax.numpy` that can stand in its place, with the same
#: arguments.
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
_RANDOM = (
    "Make a key with key = jax.random.key(0), and pass a key to each call, as in jax.random.normal(key, shape): "
    "jax.random draws all numbers from keys."
)
_DENSE = ("@", "Write x @ weights + bias. flax (nnx.Linear) and equinox (eqx.nn.Linear) have a linear layer.")
_LAYER = ("a layer", "Use the layer BatchNorm of flax or equinox: the layer keeps the averages of its inputs.")
_CONVOLUTION = (
    "jax.lax.conv_general_dilated",
    "Call jax.lax.conv_general_dilated, or use the layer Conv of flax or equinox.",
)
_POOL = ("jax.lax.reduce_window", "Call jax.lax.reduce_window, or use the pooling functions of flax.linen or equinox.")
#: Function of another library -> the name of the cure, and the sentence on what JAX has in place of the function; {jnp}
#: stands for the name of jax.numpy in the user's code.
WORDS = {
    "binary_cross_entropy_with_logits": (
        "optax",
        "Write optax.sigmoid_binary_cross_entropy(logits, labels).mean(): the library optax has functions for losses.",
    ),
    "asscalar": (".item()", "Write x.item(), which gives the number in an array of one element."),
    "batch_norm": _LAYER,
    "conv": _CONVOLUTION,
    "conv1d": _CONVOLUTION,
    "conv2d": _CONVOLUTION,
    "copyto": (
        ".at[...]",
        "Write x = x.at[...].set(values): .set makes a new array and does not change the old array.",
    ),
    "cross_entropy": (
        "optax",
        "Write optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(): the library optax has "
        "functions for losses.",
    ),
    "dense": _DENSE,
    "dropout": (
        "jax.random.bernoulli",
        "Write keep = jax.random.bernoulli(key, 1 - rate, x.shape), and then {jnp}.where(keep, x / (1 - rate), 0). "
        "flax and equinox have a layer Dropout.",
    ),
    "embedding": ("an index", "Write table[indices], which takes one row of the array table for each index."),
    "integers": ("jax.random.randint", "Write jax.random.randint(key, shape, minval, maxval): the shape comes first."),
    "l1_loss": ("the mean", "Write {jnp}.mean({jnp}.abs(prediction - target))."),
    "layer_norm": (
        "jax.nn.standardize",
        "Write scale * jax.nn.standardize(x, axis=-1) + bias. flax and equinox have a layer LayerNorm.",
    ),
    "linear": _DENSE,
    "manual_seed": ("jax.random.key", _RANDOM),
    "matrix": (
        "{jnp}.array",
        "Write {jnp}.array(...), and @ for the matrix product: * multiplies two arrays element by element.",
    ),
    "max_pool": _POOL,
    "max_pool2d": _POOL,
    "avg_pool": _POOL,
    "avg_pool2d": _POOL,
    "module": (
        "a class of flax or equinox",
        "JAX has no base class for layers. flax (nnx.Module) and equinox (eqx.Module) have such a class.",
    ),
    "mse_loss": ("the mean", "Write {jnp}.mean((prediction - target) ** 2)."),
    "nditer": ("a loop", "Loop over the elements of x.ravel(), or compute with the whole array."),
    "no_grad": (
        "jax.lax.stop_gradient",
        "JAX computes gradients only for a function under a transform such as jax.grad. Outside of such a function, "
        "leave no_grad out. Inside, hold a value constant with jax.lax.stop_gradient(value).",
    ),
    "enable_grad": (
        "jax.grad",
        "Leave enable_grad out: JAX computes gradients only for a function under a transform such as jax.grad.",
    ),
    "rand": ("jax.random", _RANDOM),
    "randn": ("jax.random", _RANDOM),
    "random": ("jax.random", _RANDOM),
    "seed": ("jax.random.key", _RANDOM),
}
_MODULES = ("jax.numpy", "jax.nn", "jax.lax", "jax", "jax.random")
#: Function of `numpy.random` or PyTorch -> the function of `jax.random` that draws from the same distribution.
_IN_RANDOM = {
    "rand": "uniform",
    "randn": "normal",
    "random": "uniform",
    "random_sample": "uniform",
    "standard_exponential": "exponential",
    "standard_normal": "normal",
}


def same_function(raised: RaisedAt, attribute: ast.Attribute, module: str) -> tuple[FoundCure, ...]:
    """Return the cure with JAX's own function for a function that JAX has under another name; empty without one.

    Args:
        raised: Where the error was raised.
        attribute: The function as the code names it, such as jnp.cat.
        module: The full name of the module that lacks the function.
    """
    name = attribute.attr
    if module == "jax.random" and name in _IN_RANDOM:
        code = f"{raised.source(attribute.value)}.{_IN_RANDOM[name]}"
        drawing = _IN_RANDOM[name]
        words = (
            f"jax.random.{drawing} draws numbers from the distribution of {name}. "
            f"{KEY_IS_FIRST.format(function=drawing)}"
        )
        cure = FoundCure(f"jax.random.{drawing}", code, words)
        return tuple(passed(raised, [applied(cure, [edit_of(raised, over(attribute, code))])])) or (
            FoundCure(f"jax.random.{drawing}", None, f"{words} {_RANDOM}"),
        )
    if module.startswith("jax.scipy."):
        return _of_scipy(name, module)
    # A layer of PyTorch has the name of a class, such as LayerNorm.
    layer = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() if name[:1].isupper() else name
    if module not in _MODULES or name not in _IN_JNP and layer not in WORDS:
        return ()
    if name not in _IN_JNP:
        cure_name, words = WORDS[layer]
        jnp = jnp_name(raised)
        return (FoundCure(cure_name.format(jnp=jnp), None, words.format(jnp=jnp)),)
    jax_name = _IN_JNP[name]
    call = raised.parents.get(id(attribute))
    if name == "clamp" and isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
        # A number comes first in clamp(min, x, max) of jax.lax, but not in clamp(x, min, max) of PyTorch.
        return ()
    if jax_name not in vars(sys.modules["jax.numpy"]):
        return ()
    code = f"{jnp_name(raised)}.{jax_name}"
    cure = FoundCure(code, code, f"In JAX, the function {name} has the name {code}.")
    changes: list[Change] = [over(attribute, code)]
    for keyword in call.keywords if isinstance(call, ast.Call) and call.func is attribute else ():
        if keyword.arg == "dim":
            changes.append(over(keyword, f"axis={raised.source(keyword.value)}"))
    if name in ("float", "int", "double", "long"):
        cure = replace(cure, text=f"In JAX, the dtype {name} has the name {code}.")
    tried = passed(raised, [applied(cure, [edit_of(raised, change) for change in changes])])
    return tuple(tried) or (replace(cure, code=None),)


def _of_scipy(name: str, module: str) -> tuple[FoundCure, ...]:
    """Return the advice to call a SciPy function in a callback, as jax.scipy lacks it; empty if SciPy lacks it, too."""
    original = module.removeprefix("jax.")
    if name not in vars(sys.modules.get(original, ast)):
        return ()
    words = (
        f"{module} has no {name}. jax.pure_callback can call {original}.{name} from a traced function. JAX cannot "
        "differentiate such a call."
    )
    return (FoundCure("jax.pure_callback", None, words),)


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
    kind_of_value = "the number of elements of the array" if name == "size" else "a tuple of the sizes of the axes"
    title = f"The attribute {name} of a JAX array is {kind_of_value}, not a method"
    words = f"Write {code}, the size of one axis." if args else f"Write {code}, the tuple of all sizes."
    cure = applied(FoundCure("shape", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, operand_types(raised), tuple(passed(raised, [cure])))
