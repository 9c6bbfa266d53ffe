"""Two keys of one function in, the reasons why the second missed the cache out, in words.

A key is compared with the closest earlier one: the one that differs in the fewest ingredients, and among those the
latest. Each difference is one `Reason`; nothing is guessed. Where the keys are equal the outcome and the history
decide between `cleared`, `no_fast_path` and `unknown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .keys import UNKNOWN, Key, Leaf, paths

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
    text: str  # the sentence a person reads
    argument: str | None = None  # a path such as p['w'], or None
    before: str | None = None  # short text, such as f32[10]
    after: str | None = None
    cure: str | None = None

    def __str__(self) -> str:
        return self.text


# The cost of a difference when the closest key is looked for: how far apart two calls are that differ in it.
_DISTANCE: dict[str, int] = {
    "argument_type": 1,
    "committed": 1,
    "layout": 1,
    "sharding": 1,
    "weak_type": 2,
    "shape": 2,
    "dtype": 2,
    "static_value": 2,
    "static_identity": 2,
    "call_style": 3,
    "config": 3,
    "pytree": 4,
}


def closest(key: Key, earlier: Sequence[Key]) -> tuple[Key | None, tuple[Reason, ...]]:
    """The earlier key with the smallest difference to `key`, the latest on a tie, and that difference."""
    best: tuple[int, int] | None = None
    found: tuple[Key | None, tuple[Reason, ...]] = (None, ())
    for age, old in enumerate(reversed(earlier)):
        reasons = compare(old, key)
        rank = (sum(_DISTANCE[reason.kind] for reason in reasons), age)
        if best is None or rank < best:
            best, found = rank, (old, reasons)
            if rank[0] == 0:
                break
    return found


def compare(old: Key, new: Key) -> tuple[Reason, ...]:
    """Every ingredient in which `new` differs from `old`, in the order a person would ask."""
    reasons: list[Reason] = []
    old_leaves, new_leaves = _by_path(old), _by_path(new)
    reasons += _statics(old, new)
    reasons += _trees(old, new, old_leaves, new_leaves)
    for path, after in new_leaves.items():
        before = old_leaves.get(path)
        if before is not None:
            reasons += _leaf(path, before, after)
    style = _call_style(old, new)
    if style is not None:
        alone = not reasons
        reasons.append(style if not alone else _same_values(style))
    reasons += _config(old, new)
    return tuple(reasons)


# --- leaves -----------------------------------------------------------------------------------------------


def _leaf(path: str, old: Leaf, new: Leaf) -> Iterable[Reason]:
    if old.aval is None or new.aval is None:
        if old.describe() != new.describe():
            text = f"static {path}: {old.describe()} -> {new.describe()}"
            cure = f"Each value of {path} is a compile of its own. Make it an array if only its value matters."
            yield Reason("static_value", text, path, old.describe(), new.describe(), cure)
        return
    before, after = old.describe(), new.describe()
    same_type = True
    if getattr(old.aval, "shape", None) != getattr(new.aval, "shape", None):
        same_type = False
        cure = "Pad to one shape, or expect one compile for each shape."
        yield Reason("shape", f"{path}: {before} -> {after}", path, before, after, cure)
    if getattr(old.aval, "dtype", None) != getattr(new.aval, "dtype", None):
        same_type = False
        cure = f"Convert before the call, such as {path}.astype(...), so that every call has one dtype."
        yield Reason("dtype", f"{path}: {before} -> {after}", path, before, after, cure)
    if old.weak != new.weak:
        same_type = False
        was, now = _weak_text(old), _weak_text(new)
        text = f"{path}: {was} -> {now}"
        cure = f"Pass {path} as one kind of value every time, such as jnp.asarray({path}, dtype=...)."
        yield Reason("weak_type", text, path, was, now, cure)
    if old.sharding is not None and new.sharding is not None:
        yield from _placement(path, old, new)
        if old.layout is not None and new.layout is not None and old.layout != new.layout:
            was, now = f"layout {old.layout}", f"layout {new.layout}"
            yield Reason("layout", f"{path}: {was} -> {now}", path, was, now)
    elif same_type and old.holder != new.holder:
        text = f"{path}: {old.holder} -> {new.holder}, same type {after}"
        cure = f"Nothing was compiled. To save the slower call, pass {path} as a jax.Array: jnp.asarray({path})."
        yield Reason("argument_type", text, path, old.holder, new.holder, cure)


def _weak_text(leaf: Leaf) -> str:
    text = f"weak {leaf.describe()}" if leaf.weak else leaf.describe()
    return f"{text} (a Python {leaf.holder})" if leaf.holder in ("bool", "int", "float", "complex") else text


def _placement(path: str, old: Leaf, new: Leaf) -> Iterable[Reason]:
    if old.sharding != new.sharding:
        was, now = _devices(old.sharding), _devices(new.sharding)
        single = len(old.sharding.device_set) == 1 and len(new.sharding.device_set) == 1
        if single and was != now:
            how = " (committed)" if new.committed else ""
            cure = "Keep the argument on one device, or expect one compile for each."
            yield Reason("committed", f"{path} moved from {was} to {now}{how}", path, was, now, cure)
            return
        was, now = _sharding_text(old.sharding), _sharding_text(new.sharding)
        if was != now:
            cure = "Give the argument one sharding every time, with jax.device_put before the loop."
            yield Reason("sharding", f"{path}: {was} -> {now}", path, was, now, cure)
            return
    if old.committed != new.committed and None not in (old.committed, new.committed):
        was, now = _committed_text(old.committed), _committed_text(new.committed)
        where = _devices(new.sharding)
        cure = "An array becomes committed by jax.device_put with a device; do it for every call or for none."
        yield Reason("committed", f"{path}: {was} -> {now} on {where}", path, was, now, cure)


def _committed_text(committed: bool | None) -> str:
    return "committed" if committed else "not committed"


def _devices(sharding: Any) -> str:
    names = sorted(f"{device.platform}:{device.id}" for device in sharding.device_set)
    return names[0] if len(names) == 1 else f"{len(names)} devices"


def _sharding_text(sharding: Any) -> str:
    spec = getattr(sharding, "spec", None)
    if spec is None:
        return f"on {_devices(sharding)}"
    mesh = getattr(sharding, "mesh", None)
    axes = ", ".join(f"{name}={size}" for name, size in getattr(mesh, "shape", {}).items())
    kind = getattr(sharding, "memory_kind", None)
    where = f" in {kind}" if kind not in (None, "device", "unpinned_host") else ""
    return f"{str(spec).replace('PartitionSpec', 'P')} over {axes or _devices(sharding)}{where}"


# --- structure --------------------------------------------------------------------------------------------


def _by_path(key: Key) -> dict[str, Leaf]:
    """Leaves by path such as p['w'], whether the argument was given by position or by keyword."""
    return dict(zip(paths(key), key.leaves, strict=True))


def _trees(old: Key, new: Key, old_leaves: dict[str, Leaf], new_leaves: dict[str, Leaf]) -> Iterable[Reason]:
    old_trees, new_trees = _argument_trees(old), _argument_trees(new)
    for name in new_trees:
        before, after = old_trees.get(name, UNKNOWN), new_trees[name]
        if before is UNKNOWN or before == after:
            continue
        added = [path for path in new_leaves if _of(path, name) and path not in old_leaves]
        gone = [path for path in old_leaves if _of(path, name) and path not in new_leaves]
        if added or gone:
            parts = [f"new {_some(added)}"] * bool(added) + [f"without {_some(gone)}"] * bool(gone)
            text = f"{name}: another structure, {', '.join(parts)}"
        else:
            text = f"{name}: another structure, {_tree_text(before)} -> {_tree_text(after)}"
        cure = "Pass the same structure every time: the same keys, the same containers, None in the same places."
        yield Reason("pytree", text, name, _tree_text(before), _tree_text(after), cure)


def _of(path: str, name: str) -> bool:
    return path == name or (path.startswith(name) and path[len(name)] in "[.<")


def _some(items: Sequence[str]) -> str:
    return ", ".join(items[:4]) + (f" and {len(items) - 4} more" if len(items) > 4 else "")


def _tree_text(tree: Any) -> str:
    text = str(tree).removeprefix("PyTreeDef(").removesuffix(")")
    return text if len(text) <= 80 else text[:79] + "…"


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
        if before.text == after.text or after.by_identity:
            kind = after.type.__name__
            text = f"static {name}: a new {kind} object that is not equal to the one before"
            cure = f"Reuse the object, or give {kind} an __eq__ and a __hash__ that compare its contents."
            yield Reason("static_identity", text, name, before.text, after.text, cure)
        else:
            text = f"static {name}: {before.text} -> {after.text}"
            cure = f"Each value of {name} is a compile of its own. Make it a traced argument if only its value matters."
            yield Reason("static_value", text, name, before.text, after.text, cure)


def _call_style(old: Key, new: Key) -> Reason | None:
    if (old.positional, old.keywords) == (new.positional, new.keywords):
        return None
    before, after = set(_given(old)), set(_given(new))
    moved = sorted(name for name in new.keywords if name not in old.keywords and name in before)
    unmoved = sorted(name for name in old.keywords if name not in new.keywords and name in after)
    added = [name for name in _given(new) if name not in before]
    gone = [name for name in _given(old) if name not in after]
    parts = []
    if moved:
        parts.append(f"{_some(moved)} passed by keyword")
    if unmoved:
        parts.append(f"{_some(unmoved)} passed by position")
    if added:
        parts.append(f"{_some(added)} given, left out before")
    if gone:
        parts.append(f"{_some(gone)} left out, given before")
    text = ", ".join(parts) or "arguments given in another way"
    argument = next(iter(moved + unmoved + added + gone), None)
    cure = "Call the function the same way every time: what is passed by keyword is part of the key."
    return Reason("call_style", text, argument, _style_text(old), _style_text(new), cure)


def _same_values(style: Reason) -> Reason:
    if "given" in style.text:
        return style
    return Reason(
        style.kind,
        f"same values, {style.text}",
        style.argument,
        style.before,
        style.after,
        style.cure,
    )


def _given(key: Key) -> tuple[str, ...]:
    return (*key.names, *key.statics)


def _style_text(key: Key) -> str:
    positional = f"{key.positional} by position"
    return f"{positional}, {', '.join(key.keywords)} by keyword" if key.keywords else positional


def _config(old: Key, new: Key) -> Iterable[Reason]:
    before = dict(zip(old.context_names, old.context, strict=False))
    for name, after in zip(new.context_names, new.context, strict=False):
        was = before.get(name, UNKNOWN)
        if was is UNKNOWN or _same(was, after):
            continue
        shown = {"mesh_context_manager": "mesh", "abstract_mesh_context_manager": "mesh"}.get(name, name)
        text = f"{shown}: {_setting(was)} -> {_setting(after)}"
        cure = f"Set {shown} once, before the first call."
        yield Reason("config", text, shown, _setting(was), _setting(after), cure)


def _same(old: Any, new: Any) -> bool:
    try:
        return bool(old is new or old == new)
    except Exception:
        return False


def _setting(value: Any) -> str:
    text = str(getattr(value, "value", value))
    return text if len(text) <= 60 else text[:59] + "…"
