"""Finds why a call under a transform (such as vmap or grad) missed: a new transform, batch size or set of mapped axes.

JAX derives a new program from a jitted function for each combination of transforms around its call. Such calls have no
fast path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...jax.transforms_around_call import Transforms
from ..reprs_of_users_values import Reading
from .history_of_one_function import MissEvent
from .key_texts import paths
from .leaf_reasons import leaf_differences
from .reason import Reason, names_text
from .types_and_layouts_of_key import Key

_WORDS = {
    "vmap": "vmap",
    "grad": "reverse-mode differentiation",
    "linearize": "linearization",
    "jvp": "forward-mode differentiation",
}
_UNKNOWN = "a transform such as grad or vmap"


def under(key: Key) -> str:
    """Return the names of the transforms around a call, outermost first, such as `vmap of vmap`."""
    kinds = _kinds(key)
    return " of ".join(_WORDS[kind] for kind in kinds) if kinds else _UNKNOWN


def jit_outside(key: Key, name: str) -> str:
    """Return the advice to apply `jax.jit` outside of the transforms, such as `jax.jit(jax.vmap(f))`.

    The advice contains code only for a vmap that maps the first axis of every array. For a derivative, the function to
    jit is unknown: it may be a function that calls this function.
    """
    kinds = _kinds(key)
    leaves = () if key.transforms is None else key.transforms.leaves
    is_plain = (
        all([transform.axis for transform in transforms] == [0] * len(kinds) for transforms in leaves)
        and not key.statics
    )
    if not kinds or not is_plain or any(kind != "vmap" for kind in kinds):
        return "Put the jit outside the transform: call the transformed function within a function under jax.jit."
    called = name if name.isidentifier() else "f"
    for _ in kinds:
        called = f"jax.vmap({called})"
    return f"Put the jit outside the transform, such as jax.jit({called})."


def is_first_under(key: Key, earlier: Sequence[MissEvent]) -> bool:
    """Return whether no earlier call was under the same transforms; False if the transforms of a call are unknown."""
    earlier_keys = [old.key for old in earlier if old.key is not None]
    if key.transforms is None or any(old.transforms is None for old in earlier_keys):
        return False
    return all(_kinds(old) != _kinds(key) for old in earlier_keys)


def under_the_same(key: Key, earlier: Sequence[MissEvent]) -> list[MissEvent]:
    """Return the earlier calls under the same transforms as a call, or all earlier calls if there is none.

    Axes and batch sizes do not count. A call under another transform has another program, so a difference from its
    types is no reason.
    """
    same = [old for old in earlier if old.key is not None and old.key.transforms and _kinds(old.key) == _kinds(key)]
    return same if key.transforms is not None and same else list(earlier)


def first_under(key: Key, name: str) -> Reason:
    """Return the reason for the first call under a combination of transforms."""
    text = f"This is the first call of {name} under {under(key)}. JAX derives a program for each transform."
    return Reason("transform", text)


def transform_reason(event: MissEvent, earlier: Sequence[MissEvent], name: str, reading: Reading) -> Reason:
    """Return the reason of a miss under a transform, compared with the earlier calls under transforms.

    Args:
        event: The call that missed.
        earlier: The earlier calls under transforms, oldest first; at least one.
        name: The name of the function.
        reading: Says which methods of the user's objects may be called.
    """
    key = event.key
    assert key is not None
    if event.outcome == "dispatch_only":
        text = f"The function {name} was called under {under(key)}: such calls have no fast path."
        return Reason("no_fast_path", text, cure=jit_outside(key, name))
    alike = [old for old in earlier if old.key is not None and has_types_of(old.key, key)] or list(earlier)
    under_transforms = [old for old in alike if old.key is not None and old.key.transforms is not None]
    if key.transforms is None or not under_transforms:
        text = (
            f"JAX derived another program from {name}: the transform or the batch size is new, or the caches were "
            "cleared."
        )
        return Reason("transform", text)
    alike_under_transforms = [
        old for old in under_transforms if old.key is not None and old.key.transforms == key.transforms
    ]
    if alike_under_transforms:
        return _same_transforms(event, alike_under_transforms, name, reading)
    of_kinds = [old for old in under_transforms if old.key is not None and _kinds(old.key) == _kinds(key)]
    if not of_kinds:
        return first_under(key, name)
    sized = [old for old in of_kinds if old.key is not None and _sizes(old.key) == _sizes(key)]
    before = (sized or of_kinds)[-1].key
    assert before is not None
    if not sized:
        return _other_size(before, key, name)
    return _other_axes(before, key, name, reading)


def _same_transforms(event: MissEvent, alike: Sequence[MissEvent], name: str, reading: Reading) -> Reason:
    """Return the reason of a miss under the same transforms, and with the same types, as the earlier calls `alike`."""
    assert event.key is not None
    last = alike[-1]
    if last.clears != event.clears:
        text = f"JAX no longer holds the program of {name} under {under(event.key)}: the caches were cleared."
        return Reason("cleared", text, cure="Do not call jax.clear_caches() or clear_cache() between calls.")
    key = event.key
    placements = [list(_placements(old.key, key, reading)) for old in reversed(alike) if old.key is not None]
    if placements and (closest := min(placements, key=len)):
        return closest[0]
    text = f"The reason is unknown: JAX had derived a program of {name} under {under(event.key)} for an earlier call."
    return Reason("unknown", text)


def _placements(old: Key, new: Key, reading: Reading) -> Iterator[Reason]:
    """Yield the differences between the devices and shardings of the values to which two calls apply a transform."""
    for path, before, after in zip(paths(new, reading), old.leaves_inside, new.leaves_inside, strict=False):
        for _, reason in leaf_differences(path, before, after):
            if reason.kind in ("committed", "sharding"):
                yield reason


def _other_size(before: Key, key: Key, name: str) -> Reason:
    was, became = _text_of_sizes(before), _text_of_sizes(key)
    text = f"The batch size of vmap around {name} changed from {was} to {became}."
    cure = "Pad the batches to one size, or expect one compile for each batch size."
    return Reason("transform", text, None, was, became, cure)


def _other_axes(before: Key, key: Key, name: str, reading: Reading) -> Reason:
    old, new = (_by_path(jit_key, reading) for jit_key in (before, key))
    changed = [path for path in new if old.get(path) != new[path]]
    if _kinds(key) == ("vmap",) and changed:
        axes = [f"{path} from {_mapped(old.get(path, ()))} to {_mapped(new[path])}" for path in changed]
        return Reason("transform", f"The axes that vmap around {name} maps changed: {names_text(axes)}.")
    current, was = ([path for path, around in around_paths.items() if around] for around_paths in (new, old))
    text = (
        f"In this call, {under(key)} of {name} applies to {names_text(current)}. In the earlier call, {under(key)} "
        f"applied to {names_text(was)}."
    )
    return Reason("transform", text)


def _mapped(transforms: Transforms) -> str:
    axis = transforms[0].axis if transforms else None
    return "no axis" if axis is None else f"axis {axis}"


def has_types_of(old: Key, new: Key) -> bool:
    """Return whether two calls have arguments of the same types."""
    return len(old.leaves) == len(new.leaves) and all(
        before.aval == after.aval for before, after in zip(old.leaves, new.leaves, strict=True)
    )


def _by_path(key: Key, reading: Reading) -> dict[str, Transforms]:
    leaves = () if key.transforms is None else key.transforms.leaves
    return dict(zip(paths(key, reading), leaves, strict=False))


def _around(key: Key) -> Transforms:
    """Return the transforms around a call, the outermost first."""
    return () if key.transforms is None else key.transforms.around[::-1]


def _kinds(key: Key) -> tuple[str, ...]:
    return tuple(transform.kind for transform in _around(key))


def _sizes(key: Key) -> tuple[int | None, ...]:
    return tuple(transform.size for transform in _around(key))


def _text_of_sizes(key: Key) -> str:
    return " by ".join(str(size) for size in _sizes(key) if size is not None)
