"""Compares two leaves of one argument and yields a reason for each difference.

Leaves can differ in the type, in the weak type, in the devices, or in the class of the value, such as a NumPy array in
place of a jax.Array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...plain_text import text_of
from .reason import Reason, ReasonKind, names_text, one_compile_each
from .static_reasons import static_reason
from .static_values import StaticLeaf
from .types_and_layouts_of_key import Leaf


def array_of_each_value(path: str) -> str:
    """Return the cure of a number that is part of the cache key, and that an array can replace."""
    return f"JAX compiles once for each value of {path}. Make {path} an array if the function only computes with it."


def leaf_differences(path: str, old: Leaf, new: Leaf) -> Iterator[tuple[Sequence[ReasonKind], Reason]]:
    """Yield (kinds of difference, reason) for the differences between two leaves of one argument."""
    if old.aval is None or new.aval is None:
        before, after = (leaf.holder if isinstance(leaf.holder, StaticLeaf) else None for leaf in (old, new))
        cure = array_of_each_value(path)
        if before is not None and after is not None:
            if not before.value.equals(after.value):
                if not issubclass(after.value.type, int | float | complex) or after.value.type is bool:
                    cure = one_compile_each(path)
                reason = static_reason(f"The static value {path}", path, before.value, after.value, cure)
                yield (reason.kind,), reason
        elif old.describe() != new.describe():
            text = f"The value of {path} changed from {old.describe()} to {new.describe()}."
            cure = f"Pass {path} as an array in every call: JAX compiles once for each value that is not an array."
            yield ("static_value",), Reason("static_value", text, path, old.describe(), new.describe(), cure)
        return
    other_type = _type(path, old, new)
    if other_type is not None:
        yield other_type
    if old.sharding is not None and new.sharding is not None:
        for number, reason in _placement(path, old, new):
            yield (reason.kind,) * number, reason
        if old.layout is not None and new.layout is not None and old.layout != new.layout and other_type is None:
            text = f"The memory layout of {path} changed from {old.layout} to {new.layout}."
            cure = "Keep the argument in one memory layout, with jax.device_put before the calls."
            yield ("layout",), Reason("layout", text, path, f"layout {old.layout}", f"layout {new.layout}", cure)
    elif old.holder != new.holder and (moved := _between_holders(path, old, new)) is not None:
        yield (moved.kind, "argument_type"), moved
    elif other_type is None and old.holder != new.holder:
        text = (
            f"The class of {path} changed from {old.holder} to {new.holder}; the type {type_and_weakness(new)} is the "
            "same."
        )
        cure = f"JAX compiled nothing. To avoid the slower call, pass {path} as a jax.Array: jnp.asarray({path})."
        if new.holder == "jax.Array":
            cure = f"JAX compiled nothing. To avoid the slower call, pass {path} as a jax.Array in every call."
        yield ("argument_type",), Reason("argument_type", text, path, old.holder, new.holder, cure)


def kinds_of_types(old: Leaf, new: Leaf) -> list[ReasonKind]:
    """Return which of shape, dtype and weak type differ between two leaves."""
    kinds: list[ReasonKind] = []
    if getattr(old.aval, "shape", None) != getattr(new.aval, "shape", None):
        kinds.append("shape")
    if getattr(old.aval, "dtype", None) != getattr(new.aval, "dtype", None):
        kinds.append("dtype")
    if old.weak != new.weak:
        kinds.append("weak_type")
    return kinds


def _type(path: str, old: Leaf, new: Leaf) -> tuple[Sequence[ReasonKind], Reason] | None:
    """Return one reason for all differences of the type (shape, dtype, weak type), and the kinds; None if equal."""
    kinds = kinds_of_types(old, new)
    if not kinds:
        return None
    shapes = [getattr(leaf.aval, "shape", None) for leaf in (old, new)]
    text_of_leaf = _weak_text if "weak_type" in kinds else Leaf.describe
    was, became = text_of_leaf(old), text_of_leaf(new)
    is_rank = kinds[0] == "shape" and len({len(shape or ()) for shape in shapes}) > 1
    cure = _RANK_CURE if is_rank else _TYPE_CURES[kinds[0]].format(path=path)
    if _is_key(old) != _is_key(new):
        cure = _KEY_CURE
    elif _is_key(new) and kinds == ["dtype"]:
        cure = _IMPL_CURE
    elif "dtype" in kinds and (number_cure := _number_cure(path, old, new)) is not None:
        was, became = _weak_text(old), _weak_text(new)
        cure = number_cure
    elif kinds[0] == "shape" and "dtype" in kinds:
        cure = f"{cure} {_TYPE_CURES['dtype'].format(path=path)}"
    return kinds, Reason(kinds[0], f"The type of {path} changed from {was} to {became}.", path, was, became, cure)


_TYPE_CURES = {
    "shape": "Pad the array to one shape, or expect one compile for each shape.",
    "dtype": "Convert {path} to one dtype before each call, for example with {path}.astype(...).",
    "weak_type": "Pass {path} as one kind of value every time, such as jnp.asarray({path}, dtype=...).",
}
# Padding does not change the number of axes of an array, so padding is no cure if the number of axes differs.
_RANK_CURE = "Pass arrays with the same number of axes in every call, or expect one compile for each shape."
_KEY_CURE = (
    "Make all random keys with one function: jax.random.key makes typed keys, jax.random.PRNGKey makes raw keys."
)
_IMPL_CURE = (
    "Make all random keys with one implementation: the same impl in jax.random.key, the same jax_default_prng_impl."
)

_KINDS_OF_NUMBERS = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
"""An example of each kind of Python number, the narrowest kind first."""
_PYTHON_NUMBERS = frozenset(_KINDS_OF_NUMBERS)


def _number_cure(path: str, old: Leaf, new: Leaf) -> str | None:
    """Return the cure for an argument that is a Python number in one call and has another dtype in the other call.

    Return None if both are arrays.
    """
    numbers = [leaf.holder for leaf in (old, new) if leaf.holder in _PYTHON_NUMBERS]
    if len(numbers) == 2:
        kind = max(numbers, key=list(_KINDS_OF_NUMBERS).index)
        return f"Pass {path} as one kind of number every time, such as {kind}({path})."
    array = old if new.holder in _PYTHON_NUMBERS else new
    if not numbers or array.aval.shape != ():
        return None
    import jax

    dtype = jax.numpy.result_type(array.aval.dtype, _KINDS_OF_NUMBERS[numbers[0]])
    name = "bool_" if dtype.name == "bool" else dtype.name
    return f"Pass {path} as an array of one dtype every time, such as jnp.asarray({path}, dtype=jnp.{name})."


def _is_key(leaf: Leaf) -> bool:
    return text_of(getattr(leaf.aval, "dtype", "")).startswith("key<")


def _weak_text(leaf: Leaf) -> str:
    text = type_and_weakness(leaf)
    return f"{text} (a Python {leaf.holder})" if leaf.holder in _PYTHON_NUMBERS else text


def type_and_weakness(leaf: Leaf) -> str:
    """Return the type of a leaf, with the word weak for a weak type, such as f32[8] or weak f32[]."""
    return f"weak {leaf.describe()}" if leaf.weak else leaf.describe()


def _between_holders(path: str, old: Leaf, new: Leaf) -> Reason | None:
    """Return the reason if one call passed a jax.Array and the other call a NumPy array or a number.

    JAX puts a number or a NumPy array on the default device, and does not commit it to this device. Return None if the
    jax.Array is on one device and not committed either.
    """
    array = new if new.sharding is not None else old
    if array.sharding is None or not (array.committed or len(array.sharding.device_set) > 1):
        return None
    sharding = _sharding_text(array.sharding)
    if array.committed and len(array.sharding.device_set) == 1:
        sharding = f"committed to {_devices(array.sharding)}"
    cure = f"Put {path} on the same devices every time, with jax.device_put before the call."
    if array is old:
        text = f"The value of {path} changed from a jax.Array ({sharding}) to {_holder_text(new)}."
        return Reason("sharding", text, path, sharding, new.holder, cure)
    text = f"The value of {path} changed from {_holder_text(old)} to a jax.Array ({sharding})."
    return Reason("sharding", text, path, old.holder, sharding, cure)


def _holder_text(leaf: Leaf) -> str:
    if leaf.holder in _PYTHON_NUMBERS:
        return f"a Python {leaf.holder}"
    return "a NumPy array" if leaf.holder == "numpy" else f"a value of {leaf.holder}"


def _placement(path: str, old: Leaf, new: Leaf) -> Iterable[tuple[int, Reason]]:
    """Yield (number of differences, reason) for the differences between the devices of two arrays.

    Other devices count as two differences: an array that is only committed to the devices on which it was before is
    closer, because only this difference is left if all calls use one device.
    """
    if old.sharding != new.sharding:
        was, became = _devices(old.sharding), _devices(new.sharding)
        single = len(old.sharding.device_set) == 1 and len(new.sharding.device_set) == 1
        if single and was != became:
            text = f"The device of {path} changed from {was} to {became}."
            if new.committed:
                text = f"The device of {path} changed from {was} to {became}, to which {path} is committed."
            cure = "Keep the argument on one device, or expect one compile for each device."
            yield 2, Reason("committed", text, path, was, became, cure)
            return
        was, became = _sharding_texts(old.sharding, new.sharding)
        if was != became:
            cure = "Give the argument one sharding every time, with jax.device_put before the calls."
            yield 2, Reason("sharding", f"The sharding of {path} changed: {was} -> {became}.", path, was, became, cure)
            return
    if old.committed != new.committed and None not in (old.committed, new.committed):
        was, became = _committed_text(old.committed), _committed_text(new.committed)
        devices = _devices(new.sharding)
        text = f"The value of {path} is no longer committed to {devices}."
        if new.committed:
            text = f"The value of {path} is now committed to {devices}."
        cure = "Commit the array in every call or in no call: jax.device_put with a device commits an array."
        yield 1, Reason("committed", text, path, was, became, cure)


def _sharding_texts(old: Any, new: Any) -> tuple[str, str]:
    """Return different texts for two shardings; the texts are as short as possible."""
    was, became = _sharding_text(old), _sharding_text(new)
    if was == became:
        for read, words in _MORE_OF_SHARDINGS:
            before, after = read(old), read(new)
            if before != after:
                was, became = f"{was}{words.format(before)}", f"{became}{words.format(after)}"
    return (was, became) if was != became else (text_of(old), text_of(new))


def _device_order(sharding: Any) -> str:
    return names_text([str(device.id) for device in getattr(sharding, "_device_assignment", ())])


def _axis_types(sharding: Any) -> str:
    types = getattr(getattr(sharding, "mesh", None), "axis_types", None) or ()
    return ", ".join(dict.fromkeys(str(axis_type).rpartition(".")[2] for axis_type in types))


_MORE_OF_SHARDINGS: tuple[tuple[Callable[[Any], str], str], ...] = (
    (_axis_types, " ({} axes)"),
    (_device_order, ", devices {}"),
    (lambda sharding: getattr(sharding, "memory_kind", None) or "the default memory", " in {}"),
)


def _committed_text(committed: bool | None) -> str:
    return "committed" if committed else "not committed"


def _devices(sharding: Any) -> str:
    names = sorted(f"{device.platform}:{device.id}" for device in sharding.device_set)
    return names[0] if len(names) == 1 else f"{len(names)} devices"


def _sharding_text(sharding: Any) -> str:
    spec = getattr(sharding, "spec", None)
    if spec is None:
        return f"on {_devices(sharding)}"
    axes = mesh_text(getattr(sharding, "mesh", None))
    kind = getattr(sharding, "memory_kind", None)
    memory = f" in {kind}" if kind not in (None, "device", "unpinned_host") else ""
    return f"{text_of(spec).replace('PartitionSpec', 'P')} over {axes or _devices(sharding)}{memory}"


def mesh_text(mesh: Any) -> str:
    """Return the axes of a mesh with their sizes, such as data=4, model=2."""
    return ", ".join(f"{text_of(name)}={size}" for name, size in getattr(mesh, "shape", {}).items())


def mesh_text_with_types(mesh: Any) -> str:
    """Return the axes of a mesh with their sizes and types as text, such as data=4 (Auto), model=2 (Explicit)."""
    types = [text_of(getattr(kind, "name", kind)) for kind in getattr(mesh, "axis_types", ())]
    sizes = [f"{text_of(name)}={size}" for name, size in getattr(mesh, "shape", {}).items()]
    if len(types) != len(sizes):
        return ", ".join(sizes)
    return ", ".join(f"{size} ({kind})" for size, kind in zip(sizes, types, strict=True))
