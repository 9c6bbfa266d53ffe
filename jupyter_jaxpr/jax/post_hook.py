"""JAX's hook after each jitted call that hits JAX's C++ cache.

- `LastCalls` holds what was called last.
- `Hits` tells of the calls.
- `Results` tells of the calls with what they returned.

JAX has one place for such a hook. `Hits` skips the frames of the others, which it knows by this file. A hook that ends
while another hook lies over it cannot be taken out: the other one takes it out when it ends.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from .facts import private

_before_ended: dict[Any, Any] = {}
"""By hook, or function at a setting of JAX's, that ended under another one: what was in the place before that one."""


def _take_out(state: Any, hook: Any, before: Any) -> bool:
    """Leave JAX's place as it was before a hook of ours; False where another hook lies over ours, which stays."""
    if state.get_local() is not hook:
        _before_ended[hook] = before
        return False
    while before in _before_ended:
        before = _before_ended.pop(before)
    state.set_local(before)
    return True


def _put_back(setting: Any, ours: Any, original: Any) -> None:
    """Leave a setting of JAX's as it was before a function of ours; where another one lies over ours, that one does."""
    if setting._update_thread_local_hook is not ours:
        _before_ended[ours] = original
        return
    while original in _before_ended:
        original = _before_ended.pop(original)
    setting._update_thread_local_hook = original


class LastCalls:
    """Holds what each jitted function was last called with on this thread, hits included, between start and stop.

    JAX calls a hook of its own for that after each jitted call (its check for NaN goes through it); a call costs 0.2 us
    more meanwhile.
    """

    def __init__(self) -> None:
        self.calls: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}
        self._hook: Any = None
        self._before: Any = None
        self._state: Any = None
        self._thread = 0

    def start(self) -> None:
        """Begin; does nothing where it has begun, or where this JAX has no such hook."""
        state = getattr(private("api"), "_post_hook_state", None)
        if state is None or self._state is not None:
            return
        others, calls = state.value, self.calls

        def hook(called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            if self._state is not None:
                calls[called] = args, kwargs
            if others is None:
                return
            try:
                others(called, args, kwargs, output)
            except RecursionError:
                if not _is_ours(others):
                    raise

        self._hook, self._state, self._thread = hook, state, threading.get_ident()
        self._before = state.swap_local(hook)

    def stop(self) -> None:
        """End, and let go of the values."""
        if self._state is not None and threading.get_ident() == self._thread:
            _take_out(self._state, self._hook, self._before)
        self._hook = self._before = self._state = None
        self.calls.clear()


class Results:
    """Tells of each jitted call that hits on this thread, with what it returned, between start and stop.

    Where JAX's check for NaN is on, nothing is told: our frame would stand in the traceback of what the check raises.
    Where the check is put on meanwhile, the place is JAX's. JAX itself has blocks without the check, in jnp.std and in
    many others, and empties the place at their ends: there the hook goes in again.

    Args:
        tell: Gets the jitted function, its arguments, its keyword arguments and what the call returned; must not raise.
        lost: Called where the check is put on meanwhile: no more is told.
    """

    def __init__(
        self, tell: Callable[[Any, tuple[Any, ...], dict[str, Any], Any], None], lost: Callable[[], None]
    ) -> None:
        self._tell = tell
        self._lost = lost
        self._hook: Any = None
        self._before: Any = None
        self._under: Any = None  # the hook of ours that this one was put over
        self._state: Any = None
        self._thread = 0
        self._settings: list[tuple[Any, Any, Any]] = []  # JAX's, what each calls when it changes, and ours around it
        self.overflowed = False  # the user's stack came to Python's limit: there was a call that was not told

    def start(self) -> bool:
        """Begin; does nothing where it has begun.

        Returns:
            Whether the calls are told.

        Raises:
            AttributeError: This JAX has no such hook.
        """
        if self._state is not None:
            return True
        config = private("config")
        state = private("api")._post_hook_state
        others, tell = state.value, self._tell
        if others is not None and not _is_ours(others):
            return False
        get_global = state.get_global
        is_checked_by_all = state.get_local() is config.config_ext.unset

        def hook(called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            __tracebackhide__ = True
            try:
                if self._state is not None:
                    tell(called, args, kwargs, output)
            except RecursionError:  # the user's call fits below Python's limit
                self.overflowed = True
            if others is not None:  # a hook of ours
                try:
                    others(called, args, kwargs, output)
                except RecursionError:
                    self.overflowed = True
            elif is_checked_by_all and (check := get_global()) is not None:
                self._lost()
                self.stop()
                check(called, args, kwargs, output)

        self._hook, self._state, self._thread = hook, state, threading.get_ident()
        self._before, self._under = state.swap_local(hook), others
        for setting in (config.debug_nans, config.debug_infs):
            self._settings.append((setting, setting._update_thread_local_hook, self._after(setting)))
        for setting, _, ours in self._settings:
            setting._update_thread_local_hook = ours
        return True

    def _after(self, setting: Any) -> Callable[[Any], None]:
        """What JAX calls when a setting changes on a thread: JAX's own function, and then the hook is looked after."""
        original = setting._update_thread_local_hook

        def changed(value: Any) -> None:
            original(value)
            state = self._state
            if state is None or threading.get_ident() != self._thread:
                return
            local = state.get_local()
            if local is None or local is self._under:  # as JAX leaves the place, and then the hook below ours
                state.set_local(self._hook)
                self._before = local
            elif local is not self._hook and not _is_ours(local):  # one of ours may lie over this one
                self._state = None  # the place is the check's
                self._lost()

        return changed

    def stop(self) -> None:
        """End; a hook that was put over ours stays, and passes on what it is told."""
        for setting, original, ours in self._settings:
            _put_back(setting, ours, original)
        self._settings.clear()
        if self._state is not None and threading.get_ident() == self._thread:
            _take_out(self._state, self._hook, self._before)
        self._hook = self._before = self._under = self._state = None


def _is_ours(hook: Any) -> bool:
    code = getattr(hook, "__code__", None)
    return code is not None and code.co_filename == __file__


class Hits:
    """Tells of each call on this thread that hits JAX's C++ cache, between start and stop; for Python 3.11.

    JAX has one place for such a hook, and puts its check for NaN there: where that is on, or is put on meanwhile, the
    place is JAX's. A call costs 0.3 us more.

    Args:
        tell: called with the jitted function and the frame that called it.
    """

    def __init__(self, tell: Callable[[Any, FrameType], None]) -> None:
        self._tell = tell
        self._hook: Any = None
        self._before: Any = None
        self._state: Any = None
        self._thread = 0
        self._has_begun = False
        self._overruled = False
        self.overflowed = False  # the user's stack came to Python's limit: there may have been more

    def start(self) -> None:
        """Begin; does nothing where the place is taken."""
        config = private("config")
        state = getattr(private("api"), "_post_hook_state", None)
        if state is None or state.value is not None:
            return
        tell, get_frame, get_global = self._tell, sys._getframe, state.get_global
        # After a block of `with jax.debug_nans(...)` a thread has a setting of its own, and JAX checks there no more.
        is_checked_by_all = state.get_local() is config.config_ext.unset

        def hook(called: Any, args: Any, kwargs: Any, output: Any) -> None:
            try:
                frame = get_frame(1)
                while frame.f_code.co_filename == __file__ and frame.f_back is not None:  # passes the call on
                    frame = frame.f_back
                tell(called, frame)
                check = get_global() if is_checked_by_all else None
            except RecursionError:
                self.overflowed = True
                return
            if check is not None:
                self.stop()
                self._overruled = True
                check(called, args, kwargs, output)

        self._hook, self._state, self._thread = hook, state, threading.get_ident()
        self._before = state.swap_local(hook)
        self._has_begun = True

    @property
    def all_told(self) -> bool:
        """Whether all were told until now."""
        return self._has_begun and not self._overruled

    def stop(self) -> None:
        """End; a hook that was put over ours stays."""
        state = self._state
        if state is None or threading.get_ident() != self._thread:
            return
        self._state = None
        if not _take_out(state, self._hook, self._before):
            self._overruled = True
        self._hook = self._before = None
