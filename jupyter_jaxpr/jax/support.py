"""Decides how much the installed JAX can report (the tier), without importing JAX before the user does.

The decision only inspects JAX's private functions: names, parameters, and whether JAX looks up by name the functions
that the hooks replace. Nothing here starts a backend, traces or compiles.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from dataclasses import dataclass
from importlib import metadata
from types import CodeType
from typing import Literal

from ..interruptions import not_of_a_signal
from .facts import CACHE_MISS, COMPILE_EVENT, LOWER_EVENT, TRACE_EVENT, imported, private
from .private_names import missing

Tier = Literal["hooks", "events", "inspection", "none"]
OLDEST = (0, 10, 2)
OLDEST_TEXT = "0.10.2"
NEWEST_TESTED = (0, 12)
UPGRADE = "pip install -U jax"
_UNKNOWN = "This version of jupyter_jaxpr does not know the internals of JAX {version}."
_WHEN_NEWER = "Run `pip install -U jupyter_jaxpr` when a newer version exists."
_EVENTS = (
    f"{_UNKNOWN} jupyter_jaxpr counts traces and compiles, but cannot tell which call caused a trace or a compile. "
    f"{_WHEN_NEWER}"
)
_NEWER = (
    "This kernel has JAX {version}, which is newer than the JAX that this version of jupyter_jaxpr is tested with "
    "(JAX {oldest} to {newest})."
)
_INSPECTION = f"{_UNKNOWN} Programs can be shown, but traces and compiles are not counted. {_WHEN_NEWER}"


@dataclass(frozen=True)
class Support:
    """The tier of the installed JAX.

    `note` says what is missing and why, or that this version of JAX was not tested.
    """

    tier: Tier
    note: str | None = None


def jax_version() -> str | None:
    """Return the version of the installed JAX; None if JAX is not installed. Imports nothing."""
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(getattr(jax, "__version__", None), str):
        return str(jax.__version__)
    try:
        return metadata.version("jax") if importlib.util.find_spec("jax") is not None else None
    except not_of_a_signal(metadata.PackageNotFoundError, ValueError):
        return None


def jaxlib_version() -> str | None:
    """Return the version of the installed jaxlib; None if jaxlib is not installed. Imports nothing."""
    jaxlib = sys.modules.get("jaxlib")
    if jaxlib is not None and isinstance(getattr(jaxlib, "__version__", None), str):
        # faster than jaxlib's metadata files, which take half a millisecond in every cell
        return str(jaxlib.__version__)
    try:
        return metadata.version("jaxlib")
    except metadata.PackageNotFoundError:
        return None


def support(at_most: Tier = "hooks") -> Support:
    """Return the tier of the installed JAX; before JAX is imported, the tier `hooks` is assumed.

    Args:
        at_most: The highest tier that may be returned; lower than `hooks` after the hooks have failed.
    """
    version = jax_version()
    if version is None:
        return Support("none", f"JAX is not installed in this kernel. Run `{UPGRADE}` and restart the kernel.")
    if _numbers(version) < OLDEST:
        return Support(
            "none",
            f"jupyter_jaxpr needs JAX {OLDEST_TEXT} or newer, and this kernel has JAX {version}. "
            f"Run `{UPGRADE}` and restart the kernel.",
        )
    tier: Tier = tier_that_fits() if imported() else "hooks"
    if at_most == "events" and tier == "hooks":
        tier = at_most
    sentences = [_NEWER] if _numbers(version)[:2] > NEWEST_TESTED else []
    if tier != "hooks":
        sentences.append(_EVENTS if tier == "events" else _INSPECTION)
    newest = ".".join(map(str, NEWEST_TESTED))
    note = " ".join(sentence.format(version=version, oldest=OLDEST_TEXT, newest=newest) for sentence in sentences)
    return Support(tier, note or None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def tier_that_fits() -> Literal["hooks", "events", "inspection"]:
    """Return the highest tier whose hooks fit the imported JAX; its code is inspected, not run."""
    if not _events_fit():
        return "inspection"
    return "hooks" if _hooks_fit() else "events"


def _hooks_fit() -> bool:
    if missing("hooks"):
        return False
    try:
        pjit, util = private("pjit"), private("util")
        parameters = [
            len(inspect.signature(function).parameters)
            for function in (pjit._infer_params, pjit.get_ctx_mesh, pjit._get_fastpath_data, util.test_event)
        ]
        misses = [c for c in pjit._cpp_pjit.__code__.co_consts if isinstance(c, CodeType) and c.co_name == CACHE_MISS]
        return (
            parameters[:2] == [4, 1]
            and parameters[2] >= 4
            and "get_ctx_mesh" in pjit._infer_params.__code__.co_names
            and "test_event" in pjit._pjit_call_impl_python.__code__.co_names
            and bool(misses)
            and all(
                {"_infer_params", "_get_fastpath_data"} <= set(code.co_names)
                and {"args", "kwargs", "p", "args_flat"} <= set(code.co_varnames)
                for code in misses
            )
        )
    except not_of_a_signal(AttributeError, TypeError, ValueError):
        return False


def _events_fit() -> bool:
    try:
        dispatch = private("dispatch")
        names = (dispatch.JAXPR_TRACE_EVENT, dispatch.JAXPR_TO_MLIR_MODULE_EVENT, dispatch.BACKEND_COMPILE_EVENT)
        return names == (TRACE_EVENT, LOWER_EVENT, COMPILE_EVENT) and not missing("events")
    except AttributeError:
        return False
