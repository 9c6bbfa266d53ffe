"""Two keys of one function in, the reasons why the second missed the cache out, in words.

A key is compared with the closest earlier one: the one that differs in the fewest ingredients, and among those the
latest. Each difference is one `Reason`; nothing is guessed. Where the keys are equal the outcome and the history
decide between `cleared`, `no_fast_path` and `unknown`.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...plain_text import FAILURES, Limit, kind_name, text_of
from ..value_texts import Reading
from .keys import UNKNOWN, Key, Leaf, StaticLeaf, StaticValue, paths
from .structures import Changed, changed, structure_text

ReasonKind = Literal[
    "first_call",
    "first_observed",
    "shape",
    "dtype",
    "weak_type",
    "pytree",
    "static_value",
    "static_identity",
    "call_style",
    "argument_type",
    "sharding",
    "committed",
    "layout",
    "config",
    "new_function",
    "cell_rerun",
    "no_fast_path",
    "cleared",
    "unknown",
]


@dataclass(frozen=True)
class Reason:
    """One difference that made a call miss the cache."""

    kind: ReasonKind
    text: str  # the phrase a person reads: an item of a list, so without a capital and a full stop
    argument: str | None = None  # a path such as p['w'], or None
    before: str | None = None  # short text, such as f32[10]
    after: str | None = None  # of a first call: what was called, where that is more than the function
    cure: str | None = None

    def __str__(self) -> str:
        return self.text


# How far apart two calls are that differ in one ingredient: what the closest key is looked for with.
_DISTANCE: dict[ReasonKind, int] = {
    "argument_type": 1,
    "committed": 2,
    "layout": 1,
    "sharding": 2,
    "weak_type": 2,
    "shape": 2,
    "dtype": 2,
    "static_value": 2,
    "static_identity": 2,
    "call_style": 3,
    "config": 3,
    "pytree": 4,
}


def closest(key: Key, earlier: Sequence[Key], reading: Reading) -> tuple[Key | None, tuple[Reason, ...]]:
    """The earlier key with the smallest difference to `key`, the latest on a tie, and that difference."""
    best: tuple[int, int] | None = None
    found: tuple[Key | None, tuple[Reason, ...]] = (None, ())
    for age, old in enumerate(reversed(earlier)):
        distance, reasons = _difference(old, key, reading)
        if best is None or (distance, age) < best:
            best, found = (distance, age), (old, reasons)
            if distance == 0:
                break
    return found


def compare(old: Key, new: Key, reading: Reading) -> tuple[Reason, ...]:
    """Every ingredient in which `new` differs from `old`, in the order a person would ask."""
    return _difference(old, new, reading)[1]


def _difference(old: Key, new: Key, reading: Reading) -> tuple[int, tuple[Reason, ...]]:
    """How far apart two keys are, and in what."""
    reasons: list[Reason] = []
    distance = 0
    old_leaves, new_leaves = _by_path(old, reading), _by_path(new, reading)
    reasons += _statics(old, new)
    reasons += _trees(old, new, old_leaves, new_leaves, reading)
    for path, after in new_leaves.items():
        before = old_leaves.get(path)
        if before is not None and before is not after:
            for cost, reason in _leaf(path, before, after):
                distance += cost - _DISTANCE[reason.kind]
                reasons.append(reason)
    style = _call_style(old, new, alone=not reasons)
    if style is not None:
        reasons.append(style)
    settings = list(_config(old, new))
    if any(setting.argument == "jax_enable_x64" for setting in settings):
        # The same number or array of NumPy's has another type then: there is nothing to convert.
        reasons = [replace(each, cure=None) if each.kind == "dtype" else each for each in reasons]
    reasons += settings
    return distance + sum(_DISTANCE[reason.kind] for reason in reasons), tuple(reasons)


# --- leaves -----------------------------------------------------------------------------------------------


def _leaf(path: str, old: Leaf, new: Leaf) -> Iterable[tuple[int, Reason]]:
    """In what two leaves differ, each with its distance."""
    if old.aval is None or new.aval is None:
        before, after = (leaf.holder if isinstance(leaf.holder, StaticLeaf) else None for leaf in (old, new))
        cure = (
            f"JAX compiles once for each value of {path}. Make {path} an array if the function only computes with it."
        )
        if before is not None and after is not None:
            if not before.value.equals(after.value):
                if not issubclass(after.value.type, int | float | complex) or after.value.type is bool:
                    cure = f"Expect one compile for each value of {path}."
                reason = _static(f"the static value {path}", path, before.value, after.value, cure)
                yield _DISTANCE[reason.kind], reason
        elif old.describe() != new.describe():
            text = f"{path} changed from {old.describe()} to {new.describe()}"
            yield 2, Reason("static_value", text, path, old.describe(), new.describe(), cure)
        return
    other_type = _type(path, old, new)
    if other_type is not None:
        yield other_type
    if old.sharding is not None and new.sharding is not None:
        for reason in _placement(path, old, new):
            yield _DISTANCE[reason.kind], reason
        if old.layout is not None and new.layout is not None and old.layout != new.layout and other_type is None:
            text = f"the memory layout of {path} changed from {old.layout} to {new.layout}"
            cure = "Keep the argument in one memory layout, with jax.device_put before the loop."
            yield 1, Reason("layout", text, path, f"layout {old.layout}", f"layout {new.layout}", cure)
    elif old.holder != new.holder and (moved := _between_holders(path, old, new)) is not None:
        yield _DISTANCE[moved.kind], moved
    elif other_type is None and old.holder != new.holder:
        text = f"{path} changed from {old.holder} to {new.holder}, with the same type {type_and_weakness(new)}"
        cure = f"JAX compiled nothing. To avoid the slower call, pass {path} as a jax.Array: jnp.asarray({path})."
        yield 1, Reason("argument_type", text, path, old.holder, new.holder, cure)


def _type(path: str, old: Leaf, new: Leaf) -> tuple[int, Reason] | None:
    """The difference of two types; where shape and dtype and weakness changed at once it is one reason."""
    kinds: list[ReasonKind] = []
    shapes = [getattr(leaf.aval, "shape", None) for leaf in (old, new)]
    if shapes[0] != shapes[1]:
        kinds.append("shape")
    if getattr(old.aval, "dtype", None) != getattr(new.aval, "dtype", None):
        kinds.append("dtype")
    if old.weak != new.weak:
        kinds.append("weak_type")
    if not kinds:
        return None
    told = _weak_text if "weak_type" in kinds else Leaf.describe
    was, now = told(old), told(new)
    cost = sum(_DISTANCE[kind] for kind in kinds)
    cure = _TYPE_CURES[kinds[0]].format(path)
    if _is_key(old) != _is_key(new):
        cure = _KEY_CURE
    elif _is_key(new) and kinds == ["dtype"]:
        cure = _IMPL_CURE
    elif new.holder in _PYTHON_NUMBERS and "dtype" in kinds:
        was, now = _weak_text(old), _weak_text(new)
        cure = f"Pass {path} as one kind of number every time, such as float({path})."
    elif kinds[0] == "shape" and len({len(shape or ()) for shape in shapes}) > 1:
        cure = _RANK_CURE
    return cost, Reason(kinds[0], f"the type of {path} changed from {was} to {now}", path, was, now, cure)


_TYPE_CURES = {
    "shape": "Pad to one shape, or expect one compile for each shape.",
    "dtype": "Convert {0} to one dtype before each call, such as with {0}.astype(...).",
    "weak_type": "Pass {0} as one kind of value every time, such as jnp.asarray({0}, dtype=...).",
}
# Padding keeps the number of axes: it is no cure for another rank.
_RANK_CURE = "Pass arrays with one number of axes, or expect one compile for each shape."
_KEY_CURE = (
    "Make all random keys with one function: jax.random.key makes typed keys, jax.random.PRNGKey makes raw keys."
)
_IMPL_CURE = (
    "Make all random keys with one implementation: the same impl in jax.random.key, the same jax_default_prng_impl."
)

_PYTHON_NUMBERS = frozenset({"bool", "int", "float", "complex"})


def _is_key(leaf: Leaf) -> bool:
    return text_of(getattr(leaf.aval, "dtype", "")).startswith("key<")


def _weak_text(leaf: Leaf) -> str:
    text = type_and_weakness(leaf)
    return f"{text} (a Python {leaf.holder})" if leaf.holder in _PYTHON_NUMBERS else text


def type_and_weakness(leaf: Leaf) -> str:
    """The type of a leaf, such as f32[8] or weak f32[]."""
    return f"weak {leaf.describe()}" if leaf.weak else leaf.describe()


def _between_holders(path: str, old: Leaf, new: Leaf) -> Reason | None:
    """Of a jax.Array and what is none: that the array lies elsewhere than JAX puts the other; None where it does not.

    A number of Python's or an array of NumPy's goes to the default device and is not committed to it.
    """
    array = new if new.sharding is not None else old
    if array.sharding is None or not (array.committed or len(array.sharding.device_set) > 1):
        return None
    where = _sharding_text(array.sharding)
    if array.committed and len(array.sharding.device_set) == 1:
        where = f"committed {where}"
    cure = f"Put {path} on the same devices every time, with jax.device_put before the call."
    if array is old:
        text = f"{path} changed from a jax.Array ({where}) to {new.holder}"
        return Reason("sharding", text, path, where, new.holder, cure)
    text = f"{path} changed from {old.holder} to a jax.Array ({where})"
    return Reason("sharding", text, path, old.holder, where, cure)


def _placement(path: str, old: Leaf, new: Leaf) -> Iterable[Reason]:
    if old.sharding != new.sharding:
        was, now = _devices(old.sharding), _devices(new.sharding)
        single = len(old.sharding.device_set) == 1 and len(new.sharding.device_set) == 1
        if single and was != now:
            how = " (committed)" if new.committed else ""
            cure = "Keep the argument on one device, or expect one compile for each device."
            yield Reason("committed", f"{path} moved from {was} to {now}{how}", path, was, now, cure)
            return
        was, now = _sharding_texts(old.sharding, new.sharding)
        if was != now:
            cure = "Give the argument one sharding every time, with jax.device_put before the loop."
            yield Reason("sharding", f"the sharding of {path} changed: {was} -> {now}", path, was, now, cure)
            return
    if old.committed != new.committed and None not in (old.committed, new.committed):
        was, now = _committed_text(old.committed), _committed_text(new.committed)
        where = _devices(new.sharding)
        text = f"{path} is now committed to {where}" if new.committed else f"{path} is no longer committed to {where}"
        cure = "Commit the array in every call or in no call: jax.device_put with a device commits an array."
        yield Reason("committed", text, path, was, now, cure)


def _sharding_texts(old: Any, new: Any) -> tuple[str, str]:
    """Two shardings, in as few words as tell them apart."""
    was, now = _sharding_text(old), _sharding_text(new)
    if was == now:
        for read, words in _MORE_OF_SHARDINGS:
            before, after = read(old), read(new)
            if before != after:
                was, now = f"{was}{words.format(before)}", f"{now}{words.format(after)}"
    return (was, now) if was != now else (text_of(old), text_of(new))


def _device_order(sharding: Any) -> str:
    return _some([str(device.id) for device in getattr(sharding, "_device_assignment", ())])


def _axis_types(sharding: Any) -> str:
    types = getattr(getattr(sharding, "mesh", None), "axis_types", None) or ()
    return ", ".join(dict.fromkeys(str(each).rpartition(".")[2] for each in types))


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
    axes = _mesh_text(getattr(sharding, "mesh", None))
    kind = getattr(sharding, "memory_kind", None)
    where = f" in {kind}" if kind not in (None, "device", "unpinned_host") else ""
    return f"{text_of(spec).replace('PartitionSpec', 'P')} over {axes or _devices(sharding)}{where}"


def _mesh_text(mesh: Any) -> str:
    """The axes of a mesh and their sizes, such as data=4, model=2."""
    return ", ".join(f"{text_of(name)}={size}" for name, size in getattr(mesh, "shape", {}).items())


# --- structure --------------------------------------------------------------------------------------------


def _by_path(key: Key, reading: Reading) -> dict[str, Leaf]:
    """Leaves by path such as p['w'], whether the argument was given by position or by keyword."""
    return dict(zip(paths(key, reading), key.leaves, strict=True))


def _trees(
    old: Key, new: Key, old_leaves: dict[str, Leaf], new_leaves: dict[str, Leaf], reading: Reading
) -> Iterable[Reason]:
    old_trees, new_trees = _argument_trees(old), _argument_trees(new)
    for name in new_trees:
        before, after = old_trees.get(name, UNKNOWN), new_trees[name]
        if before is UNKNOWN or _same(before, after):
            continue
        inside = changed(name, before, after, reading)
        if inside:
            yield from _fields(inside, reading)
            continue
        added = [path for path in new_leaves if _of(path, name) and path not in old_leaves]
        gone = [path for path in old_leaves if _of(path, name) and path not in new_leaves]
        was, now = _tree_texts(before, after, reading)
        text = f"the structure of {name} changed from {was} to {now}"
        if added and gone:
            text = f"the structure of {name} gained {_some(added)} and lost {_some(gone)}"
        elif added:
            text = f"the structure of {name} gained {_some(added)}"
        elif gone:
            text = f"the structure of {name} lost {_some(gone)}"
        cure = "Pass the same structure every time: the same keys, the same containers, None in the same places."
        yield Reason("pytree", text, name, was, now, cure)


def _of(path: str, name: str) -> bool:
    return path == name or (path.startswith(name) and path[len(name)] in "[.<")


def _some(items: Sequence[str]) -> str:
    return ", ".join(items[:4]) + (f" and {len(items) - 4} more" if len(items) > 4 else "")


_TREE_CHARACTERS = 80
_TREE_PRINTED = 100_000


def _tree_texts(before: Any, after: Any, reading: Reading) -> tuple[str, str]:
    """Two structures as JAX prints them; of long ones the part where they begin to differ."""
    was, now = (structure_text(tree, reading, _TREE_PRINTED) for tree in (before, after))
    same = len(os.path.commonprefix([was, now]))
    start = 0 if same < _TREE_CHARACTERS // 2 else same - _TREE_CHARACTERS // 4
    return _part(was, start), _part(now, start)


def _part(text: str, start: int) -> str:
    if len(text) <= _TREE_CHARACTERS:
        return text
    end = start + _TREE_CHARACTERS - 2
    return "…" * (start > 0) + text[start:end] + "…" * (end < len(text))


def _argument_trees(key: Key) -> dict[str, Any]:
    """The tree of each dynamic argument by its parameter's name."""
    positional, keywords = key.treedef.children()
    trees = [*positional.children(), *keywords.children()]
    dynamic_positional = len(positional.children())
    keyword_names = sorted(name for name in key.keywords if name not in key.statics)
    names = [*key.names[:dynamic_positional], *keyword_names]
    return dict(zip(names, trees, strict=False))


# --- static values, call style, configuration -------------------------------------------------------------


def _statics(old: Key, new: Key) -> Iterable[Reason]:
    for name, after in new.statics.items():
        before = old.statics.get(name)
        if before is None or before.equals(after):
            continue
        cure = (
            f"JAX compiles once for each value of {name}. "
            f"Make {name} a traced argument if the function only computes with it."
        )
        yield _static(f"the static argument {name}", name, before, after, cure)


def _static(subject: str, path: str, before: StaticValue, after: StaticValue, cure: str) -> Reason:
    """A static value that is another one now.

    Args:
        subject: What changed, such as `the static argument n`.
        path: Of the argument.
        before: The earlier value.
        after: The value of this call.
        cure: For values that are compared by what they are.
    """
    kind = kind_name(after.type)
    if before.is_changed(after):
        text = f"{subject} is the same {kind} object, but its hash changed"
        cure = f"Do not modify a static object: make a new {kind} for other contents."
        return Reason("static_identity", text, path, before.text, after.text, cure)
    if not (before.read and after.read):
        return _unread(subject, path, before, after, cure)
    if before.text == after.text or (after.by_identity and not _named_otherwise(before, after)):
        text = f"{subject} is a new {kind} object that does not equal the earlier object"
        cure = f"Reuse the object, or give {kind} an __eq__ and a __hash__ that compare its contents."
        if kind in ("function", "method", "partial"):
            cure = f"Make the {kind} once, before the calls, and reuse the {kind}."
        elif not after.by_identity:
            cure = f"Reuse the object: the __eq__ of {kind} says that the two objects differ, so JAX compiles again."
        return Reason("static_identity", text, path, before.text, after.text, cure)
    text = f"{subject} changed from {before.text} to {after.text}"
    if after.by_identity:  # a function, a class, a member of an enum
        cure = f"Pass the same {path} in every call, or expect one compile for each {path}."
    return Reason("static_value", text, path, before.text, after.text, cure)


def _unread(subject: str, path: str, before: StaticValue, after: StaticValue, cure: str) -> Reason:
    """A static object that is another one, or may be, where one of the two calls was not observed."""
    kind = kind_name(after.type)
    if after.type is not before.type:
        text = f"{subject} changed from {before.text} to {after.text}"
        return Reason("static_value", text, path, before.text, after.text, cure)
    if not before.is_surely_other(after):
        text = (
            f"{subject} may have changed: outside of an observed cell or block, jupyter_jaxpr does not compare "
            f"{kind} objects"
        )
    elif after.by_identity:
        text = f"{subject} is another {kind} object, and {kind} compares by identity"
    else:
        text = (
            f"{subject} is another {kind} object, possibly an equal one: outside of an observed cell or block, "
            f"jupyter_jaxpr does not compare {kind} objects"
        )
    cure = f"Reuse the object. To see the values, call the function in a %%jaxpr cell or within observe(). {cure}"
    return Reason("static_identity", text, path, before.text, after.text, cure)


_FIELDS = 4


def _fields(found: Sequence[Changed], reading: Reading) -> Iterable[Reason]:
    """Static fields of an argument that are others now; those of one name that changed alike are one reason."""
    alike: dict[tuple[str, str, str], list[Changed]] = {}
    for each in found:
        texts = reading.text(each.before), reading.text(each.after)
        alike.setdefault((each.path.rpartition(".")[2] if each.library else each.path, *texts), []).append(each)
    for together in list(alike.values())[:_FIELDS]:
        each, path = together[0], together[0].path
        subject = f"the static value {path}"
        cure = (
            f"JAX compiles once for each value of {path}. "
            f"Make {path} a field with an array if the function only computes with it."
        )
        if each.library == "nnx":
            cure = f"Expect one compile for each value of {path}, such as one for train() and one for eval()."
        if not each.field:
            subject = f"the auxiliary data of {each.owner} at {path}"
            cure = (
                "JAX compiles once for each value of the auxiliary data. "
                f"Make the value a child of {each.owner} if the function only computes with it."
            )
        if len(together) > 1:
            subject += f" (one of {len(together)} that changed alike)"
        yield _static(subject, path, StaticValue(each.before, reading), StaticValue(each.after, reading), cure)


def _named_otherwise(before: StaticValue, after: StaticValue) -> bool:
    """Whether two values that compare by identity are two that a program has names for, not one made anew."""
    if before.type is not after.type:
        return True
    named = issubclass(after.type, enum.Enum | type) or kind_name(after.type) in ("function", "PjitFunction")
    return named and "<lambda>" not in before.text + after.text


def _call_style(old: Key, new: Key, alone: bool) -> Reason | None:
    """Another way to pass the arguments; `alone`: nothing else differs, so the values of those passed are the same."""
    if (old.positional, old.keywords) == (new.positional, new.keywords):
        return None
    before, after = set(_given(old)), set(_given(new))
    moved = sorted(name for name in new.keywords if name not in old.keywords and name in before)
    unmoved = sorted(name for name in old.keywords if name not in new.keywords and name in after)
    added = [name for name in _given(new) if name not in before]
    gone = [name for name in _given(old) if name not in after]
    facts = []
    if moved:
        facts.append(f"the call passes {_some(moved)} by keyword, not by position")
    if unmoved:
        facts.append(f"the call passes {_some(unmoved)} by position, not by keyword")
    if added:
        facts.append(f"the call passes {_some(added)}, which the earlier call left out")
    if gone:
        facts.append(f"the call leaves out {_some(gone)}, which the earlier call passed")
    if not facts:
        facts.append("the call passes its arguments in another way")
    elif alone and not added and not gone:
        facts.append("the values are the same")
    argument = next(iter(moved + unmoved + added + gone), None)
    cure = "Call the function the same way every time: the cache key holds which arguments are passed by keyword."
    return Reason("call_style", "; ".join(facts), argument, _style_text(old), _style_text(new), cure)


def _given(key: Key) -> tuple[str, ...]:
    return (*key.names, *key.statics)


def _style_text(key: Key) -> str:
    positional = f"{key.positional} by position"
    return f"{positional}, {', '.join(key.keywords)} by keyword" if key.keywords else positional


def _config(old: Key, new: Key) -> Iterable[Reason]:
    before = dict(zip(old.context_names, old.context, strict=False))
    now = dict(zip(new.context_names, new.context, strict=False))
    changed = [name for name in now if name in before and not _same(before[name], now[name])]
    if any(_MESH in name for name in changed):
        was, after = _mesh_texts(before, now)
        cure = "Set the mesh once, before the first call."
        yield Reason("config", f"the mesh changed from {was} to {after}", "mesh", was, after, cure)
    for name in changed:
        if _MESH not in name:
            texts = _text(before[name]), _text(now[name])
            yield _setting(name, *(texts if texts[0] != texts[1] else (text_of(before[name]), text_of(now[name]))))


def _setting(name: str, was: str, now: str) -> Reason:
    cure = f"Set {name} once, before the first call."
    return Reason("config", f"the setting {name} changed from {was} to {now}", name, was, now, cure)


_MESH = "mesh_context_manager"


def _mesh_texts(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, str]:
    """The mesh of two contexts. JAX keeps it under one name if `with mesh:` set it, under another if `set_mesh` did."""
    was, after = (_meshes(context) for context in (before, now))
    short = ["".join(texts.values()) or "none" for texts in (was, after)]
    if short[0] == short[1]:
        short = [
            ", ".join(f"{text} by {'set_mesh' if 'abstract' in name else 'with mesh:'}" for name, text in texts.items())
            for texts in (was, after)
        ]
    if short[0] == short[1]:
        short = [text_of([value for name, value in context.items() if _MESH in name]) for context in (before, now)]
    return short[0], short[1]


def _meshes(context: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for name, value in context.items():
        if _MESH in name:
            meshes = value if isinstance(value, tuple) else (value,)
            found[name] = ", ".join(filter(None, map(_mesh_text, meshes)))
    return {name: text for name, text in found.items() if text}


def _same(old: Any, new: Any) -> bool:
    try:
        return bool(old is new or old == new)
    except FAILURES:
        return False


def _text(value: Any) -> str:
    return text_of(getattr(value, "value", value), Limit.VALUE)
