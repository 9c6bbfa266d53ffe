"""Compares JAX's settings at two calls and yields a reason for each difference; the mesh counts as a setting."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...jax.leaves_and_context_of_key import AXIS_NAMES, named_axes
from ...jax.settings_and_context_managers import CONTEXT_MANAGERS, module_of_setting
from ...plain_text import Limit, text_of
from ...quantities import count
from .leaf_reasons import mesh_text, mesh_text_with_types
from .reason import Reason, names_text, one_compile_each
from .static_fields_of_pytrees import is_same
from .types_and_layouts_of_key import Key


def setting_reasons(old: Key, new: Key) -> Iterable[Reason]:
    """Yield a reason for each JAX setting that changed between two calls."""
    if len(old.context) == len(new.context) and all(map(operator.is_, old.context, new.context)):
        return
    before, current, changed = _contexts(old, new)
    if any(_MESH in name for name in changed):
        was, after = _mesh_texts(before, current)
        cure = "Set the mesh once, before the first call."
        yield Reason("config", f"The mesh changed from {was} to {after}.", "mesh", was, after, cure)
    added = [name for name in current if name not in before]
    if added:
        text = (
            f"The cache key now holds {count(len(added), 'more setting')}, which an import added: {names_text(added)}."
        )
        module = module_of_setting(added[0])
        cure = "Import the module that adds the settings before the first call."
        if module is not None:
            cure = f"Import {module} before the first call."
        yield Reason("config", text, added[0], cure=cure)
    if AXIS_NAMES in changed:
        was, after = (_axes_text(context[AXIS_NAMES]) for context in (before, current))
        text = f"The named axes around the call changed from {was} to {after}."
        cure = "Expect one compile for each set of named axes."
        yield Reason("config", text, "named axes", was, after, cure)
    for name in changed:
        if _MESH not in name and name != AXIS_NAMES:
            texts = _text(before[name]), _text(current[name])
            yield _setting(name, *(texts if texts[0] != texts[1] else (text_of(before[name]), text_of(current[name]))))


def meshes_changed(old: Key, new: Key) -> int:
    """Return how many of JAX's mesh settings changed: `jax.set_mesh(mesh)` and `with mesh:` are two settings."""
    return sum(_MESH in name for name in _contexts(old, new)[2])


def _contexts(old: Key, new: Key) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the settings of two calls, as {name: value}, and the names of the settings that differ."""
    before = dict(zip(old.context_names, old.context, strict=False))
    current = dict(zip(new.context_names, new.context, strict=False))
    changed = [name for name in current if name in before and not is_same(before[name], current[name])]
    return before, current, changed


def _setting(name: str, was: str, became: str) -> Reason:
    manager = CONTEXT_MANAGERS.get(name)
    if manager is not None and {was, became} == {"True", "False"}:
        now, before = ("inside", "outside") if became == "True" else ("outside", "inside")
        text = f"This call is {now} of {manager}, and the earlier call was {before} of it."
        cure = f"Expect one compile for the calls inside of {manager}, and one for the calls outside."
        return Reason("config", text, manager, was, became, cure)
    if manager is not None:
        text = f"The value of {manager} around the call changed from {was} to {became}."
        return Reason("config", text, manager, was, became, one_compile_each(manager))
    cure = f"Set {name} once, before the first call."
    return Reason("config", f"The setting {name} changed from {was} to {became}.", name, was, became, cure)


_MESH = "mesh_context_manager"


def _mesh_texts(before: Mapping[str, Any], current: Mapping[str, Any]) -> tuple[str, str]:
    """Return the texts of the mesh at two calls.

    The name of the setting differs between `with mesh:` and `jax.set_mesh`.
    """
    was, after = (_meshes(context) for context in (before, current))
    short = [", ".join(dict.fromkeys(texts.values())) or "none" for texts in (was, after)]
    if short[0] == short[1]:
        short = [
            ", ".join(
                f"{mesh_text} by set_mesh" if "abstract" in name else f"{mesh_text} by a with statement"
                for name, mesh_text in texts.items()
            )
            for texts in (was, after)
        ]
    if short[0] == short[1]:
        short = [
            ", ".join(dict.fromkeys(_meshes(context, mesh_text_with_types).values())) or "none"
            for context in (before, current)
        ]
    if short[0] == short[1]:
        short = [text_of([value for name, value in context.items() if _MESH in name]) for context in (before, current)]
    return short[0], short[1]


def _meshes(context: Mapping[str, Any], mesh_text: Callable[[Any], str] = mesh_text) -> dict[str, str]:
    texts = {}
    for name, value in context.items():
        if _MESH in name:
            meshes = value if isinstance(value, tuple) else (value,)
            texts[name] = ", ".join(filter(None, map(mesh_text, meshes)))
    return {name: text for name, text in texts.items() if text}


def _axes_text(value: Any) -> str:
    axes = named_axes(value)
    if axes is None:
        return "unknown"
    return names_text([f"{text_of(name)} of size {text_of(size)}" for name, size in axes.items()]) if axes else "none"


def _text(value: Any) -> str:
    # the metadata of XLA is an object with the user's dict
    value = getattr(value, "val", value) if type(value).__name__ == "XlaMetadata" else value
    return text_of(getattr(value, "value", value), Limit.VALUE)
