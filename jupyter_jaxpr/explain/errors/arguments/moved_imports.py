"""Explains an import or a use of a name that JAX has moved or removed, such as `from jax.config import config`."""

from __future__ import annotations

import ast
import difflib
import sys
from dataclasses import replace

from ....observe.observation import FoundCure
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from .functions_of_other_libraries import WORDS
from .removed_functions import PRESENT_NAME, REMOVED

_TREES = ("all", "flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten")
_OF_CORE = ("ClosedJaxpr", "Jaxpr", "JaxprEqn", "Literal", "Primitive", "Var")
#: (module, name) of an import in earlier versions of JAX -> (module, name) in the present version.
_MOVED = {
    ("jax.config", "config"): ("jax", "config"),
    ("jax.experimental.maps", "Mesh"): ("jax.sharding", "Mesh"),
    ("jax.experimental", "PartitionSpec"): ("jax.sharding", "PartitionSpec"),
    ("jax.experimental.pjit", "PartitionSpec"): ("jax.sharding", "PartitionSpec"),
    ("jax.experimental", "export"): ("jax", "export"),
    ("jax", "ShapedArray"): ("jax.core", "ShapedArray"),
    ("jax.abstract_arrays", "ShapedArray"): ("jax.core", "ShapedArray"),
    ("jax.interpreters.xla", "DeviceArray"): ("jax", "Array"),
    ("jax.numpy", "DeviceArray"): ("jax", "Array"),
    ("jax.random", "shuffle"): ("jax.random", "permutation"),
    ("jax.random", "KeyArray"): ("jax", "Array"),
    ("jax.numpy", "fix"): ("jax.numpy", "trunc"),
    ("jax.core", "get_aval"): ("jax", "typeof"),
    ("jax", "linear_util"): ("jax.extend", "linear_util"),
    ("jax.interpreters.pxla", "Mesh"): ("jax.sharding", "Mesh"),
    ("jax.interpreters.pxla", "PartitionSpec"): ("jax.sharding", "PartitionSpec"),
    ("jax.nn", "normalize"): ("jax.nn", "standardize"),
    ("jax", "tree_multimap"): ("jax.tree", "map"),
    ("jax.tree_util", "tree_multimap"): ("jax.tree", "map"),
    **{("jax", f"tree_{name}"): ("jax.tree", name) for name in _TREES},
    **{("jax.core", name): ("jax.extend.core", name) for name in _OF_CORE},
}
#: A removed module or name -> the cure and its sentence.
_INSTEAD = {
    "optimizers": ("optax", "The library optax has optimizers for JAX, such as optax.adam."),
    "stax": ("layers of flax or equinox", "The libraries flax and equinox have layers for JAX."),
    "host_callback": (
        "jax.pure_callback",
        "Print with jax.debug.print. Call Python with jax.debug.callback, jax.pure_callback or io_callback.",
    ),
    "xmap": ("jax.shard_map", "Map over the devices of a mesh with jax.shard_map, and over axes with jax.vmap."),
    "loops": ("jax.lax", "Write the loop with jax.lax.fori_loop, while_loop or scan."),
    "xla_bridge": ("jax.devices", "jax.devices() lists the devices, and jax.default_backend() names the platform."),
    "xla_computation": (
        "lower",
        "jax.jit(f).lower(x) gives the lowered program, whose method as_text() gives its text.",
    ),
    "PositionalSharding": (
        "jax.sharding.NamedSharding",
        "Make a jax.sharding.Mesh, and write the names of its axes in a NamedSharding.",
    ),
    "config": ("jax.config", "Write import jax, and then jax.config.update(name, value) for an option."),
    "pvary": ("jax.lax.pcast", 'Write jax.lax.pcast(x, axis_name, to="varying").'),
    "index_update": REMOVED["index_update"],
    "index_add": REMOVED["index_add"],
}
#: (module, name) of a wrong import that no version of JAX had -> (module, name) of the right import.
_OTHER_NAMES = {("jax", "jnp"): ("jax", "numpy"), ("jax", "np"): ("jax", "numpy")}
_NO_MODULE = "JAX has no module {module} any more"
_EARLIER = "Earlier versions of JAX had the name that this line imports."


def moved_import_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a failing import from JAX, and writes the import from the present module."""
    node = raised.node if raised is not None else None
    if not isinstance(error, ImportError) or raised is None:
        return None
    if isinstance(node, ast.Import):
        return _removed_module(node)
    if not isinstance(node, ast.ImportFrom):
        return None
    module = node.module or ""
    if node.level or module.partition(".")[0] != "jax":
        return None
    for alias in node.names:
        if (module, alias.name) in _OTHER_NAMES:
            present = _present_import(raised, node, alias, module, *_OTHER_NAMES[module, alias.name])
            name_in_jax = ".".join(_OTHER_NAMES[module, alias.name])
            text = f"In JAX, the module has the name {name_in_jax}."
            return present and replace(present, title=f"{module} has no {alias.name}", text=text)
        moved = _MOVED.get((module, alias.name))
        if moved is not None:
            return _present_import(raised, node, alias, module, *moved)
        if module in sys.modules and (other_form := _words_of_other(module, alias.name)) is not None:
            cure, words = other_form
            text = "The line imports a name that JAX does not have."
            return Explained(None, f"{module} has no {alias.name}", text, (FoundCure(cure, None, words),))
        for name in (alias.name, module.rpartition(".")[2]):
            if name in _INSTEAD and alias.name not in vars(sys.modules.get(module, ast)):
                cure, words = _INSTEAD[name]
                return Explained(None, _title(module, alias.name), _EARLIER, (FoundCure(cure, None, words),))
    return None


def _words_of_other(module: str, name: str) -> tuple[str, str] | None:
    """Return the cure of an import of a function of PyTorch or NumPy that JAX has in another form; None without one."""
    if name in vars(sys.modules[module]):
        return None
    if name in WORDS and module in ("jax.nn", "jax.numpy", "jax"):
        cure, words = WORDS[name]
        return cure.format(jnp="jnp"), words.format(jnp="jnp")
    close_names = difflib.get_close_matches(name, vars(sys.modules[module]), 1, 0.8)
    return ("the name", f"{module} has a similar name: {close_names[0]}.") if close_names else None


def _removed_module(node: ast.Import) -> Explained | None:
    """Explains `import jax.experimental.host_callback as hcb`."""
    for alias in node.names:
        name = alias.name.rpartition(".")[2]
        if alias.name.startswith("jax.") and name in _INSTEAD and alias.name not in sys.modules:
            cure, words = _INSTEAD[name]
            text = "Earlier versions of JAX had the module that this line imports."
            return Explained(None, _NO_MODULE.format(module=alias.name), text, (FoundCure(cure, None, words),))
    return None


def moved_member(module: str, name: str) -> tuple[str | None, str, str] | None:
    """Return what stands in the place of a name that a module of JAX no longer has; None for any other name.

    Args:
        module: The full name of the module.
        name: The name that the module no longer has.

    Returns:
        The full name of the present object, or None if no single object replaces the name; the name of the cure; the
        sentence of the cure.
    """
    if (moved := _MOVED.get((module, name))) is not None:
        present = ".".join(moved)
        is_there = hasattr(sys.modules.get(moved[0]), moved[1])
        return present if is_there else None, present, PRESENT_NAME.format(name=present)
    if module.partition(".")[0] == "jax" and name in _INSTEAD:
        return None, *_INSTEAD[name]
    return None


def _present_import(
    raised: RaisedAt, node: ast.ImportFrom, alias: ast.alias, module: str, present: str, name: str
) -> Explained | None:
    if alias.name in vars(sys.modules.get(module, ast)):
        return None  # the module has the name, so the import failed for another reason
    used = alias.asname or alias.name
    code = f"from {present} import {name}" if used == name else f"from {present} import {name} as {used}"
    words = PRESENT_NAME.format(name=f"{present}.{name}")
    cure = FoundCure("the import", code, words)
    if len(node.names) == 1 and hasattr(sys.modules.get(present), name):
        cure = applied(cure, [edit_of(raised, over(node, code))])
    return Explained(None, _title(module, alias.name), _EARLIER, (cure,))


def _title(module: str, name: str) -> str:
    return f"{module} has no {name} any more" if module in sys.modules else _NO_MODULE.format(module=module)
