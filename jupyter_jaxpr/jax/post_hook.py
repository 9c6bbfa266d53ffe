"""Uses JAX's hook after each jitted call that hits JAX's C++ cache.

- `LastCalls` keeps the arguments of the last calls.
- `Hits` reports each hit.
- `Results` reports each hit with its result.

JAX can have only one such hook, so several hooks form a stack: each calls the one below it. `Hits` skips the frames of
other hooks of this package, which have the file name of this module. A hook that ends below another hook cannot be
removed at once; the upper hook removes it at its own end.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from .facts import private

_before_ended: dict[Any, Any] = {}
"""For each ended hook or settings function of ours that lies below another hook: the object that ours replaced."""


def _take_out(state: Any, hook: Any, before: Any) -> bool:
    """Remove a hook from JAX and restore the hook that was installed before.

    Returns False if a later hook is installed; that hook removes this one at its own end.
    """
    if state.get_local() is not hook:
        _before_ended[hook] = before
        return False
    while before in _before_ended:
        before = _before_ended.pop(before)
    state.set_local(before)
    return True


def _put_back(setting: Any, hook: Any, original: Any) -> None:
    """Restore the function that JAX calls when a setting changes.

    If another hook of this package has wrapped the function since, the wrapper stays until that hook ends.
    """
    if setting._update_thread_local_hook is not hook:
        _before_ended[hook] = original
        return
    while original in _before_ended:
        original = _before_ended.pop(original)
    setting._update_thread_local_hook = original


class LastCalls:
    """Keeps the arguments of the last call of each jitted function on this thread, between `start` and `stop`.

    JAX calls the hook after each jitted call (JAX's own check for NaN is such a hook). This makes each call about 1 us
    slower.

    Args:
        tell: Called with the jitted function, the arguments and the keyword arguments; must not raise.
    """

    def __init__(self, tell: Callable[[Any, tuple[Any, ...], dict[str, Any]], None]) -> None:
        self._tell = tell
        self.calls: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}
        self._hook: Any = None
        self._before: Any = None
        self._state: Any = None
        self._thread = 0

    def start(self) -> None:
        """Install the hook; do nothing if it is installed, or if this version of JAX has no such hook."""
        state = getattr(private("api"), "_post_hook_state", None)
        if state is None or self._state is not None:
            return
        earlier_hook, calls, tell = state.value, self.calls, self._tell

        def hook(called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            if self._state is not None:
                calls[called] = args, kwargs
                try:
                    tell(called, args, kwargs)
                # The hook needs more of the stack than the user's call, which succeeded and must not fail now.
                except RecursionError:
                    pass
            if earlier_hook is None:
                return
            try:
                earlier_hook(called, args, kwargs, output)
            except RecursionError:
                if not _is_ours(earlier_hook):
                    raise

        self._hook, self._state, self._thread = hook, state, threading.get_ident()
        self._before = state.swap_local(hook)

    def stop(self) -> None:
        """Remove the hook and forget the arguments."""
        if self._state is not None and threading.get_ident() == self._thread:
            _take_out(self._state, self._hook, self._before)
        self._hook = self._before = self._state = None
        self.calls.clear()


class Results:
    """Reports each jitted call that hits on this thread, with its result, between `start` and `stop`.

    If JAX's check for NaN is on, nothing is reported, because a frame of this package would be in the traceback of the
    check's error. If the check is switched on during the recording, the hook is removed. JAX itself switches the check
    off in some blocks, as in jnp.std, and removes all hooks at their end; the hook is then installed again.

    Args:
        tell: Called with the jitted function, the arguments, the keyword arguments and the result; must not raise.
        lost: Called when the check for NaN is switched on, after which no call is reported.

    Attributes:
        overflowed: true if the stack reached Python's recursion limit, so that a call was not reported.
    """

    def __init__(
        self, tell: Callable[[Any, tuple[Any, ...], dict[str, Any], Any], None], lost: Callable[[], None]
    ) -> None:
        self._tell = tell
        self._lost = lost
        self._hook: Any = None
        self._before: Any = None
        self._under: Any = None  # the hook of this package that was installed before this one; None if there is none
        self._state: Any = None
        self._thread = 0
        # (JAX's setting, the function that JAX calls when the setting changes, this package's wrapper of that function)
        self._settings: list[tuple[Any, Any, Any]] = []
        self.overflowed = False

    def start(self) -> bool:
        """Install the hook; do nothing if it is installed.

        Returns:
            True if calls are reported.

        Raises:
            AttributeError: This version of JAX has no such hook.
        """
        if self._state is not None:
            return True
        config = private("config")
        state = private("api")._post_hook_state
        earlier_hook, tell = state.value, self._tell
        if earlier_hook is not None and not _is_ours(earlier_hook):
            return False
        get_global = state.get_global
        is_checked_by_all = state.get_local() is config.config_ext.unset

        def hook(called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            __tracebackhide__ = True
            try:
                if self._state is not None:
                    tell(called, args, kwargs, output)
            # The hook needs more of the stack than the user's call, which succeeded and must not fail now.
            except RecursionError:
                self.overflowed = True
            if earlier_hook is not None:  # an earlier hook of this package, which must get the call, too
                try:
                    earlier_hook(called, args, kwargs, output)
                except RecursionError:
                    self.overflowed = True
            elif is_checked_by_all and (check := get_global()) is not None:
                self._lost()
                self.stop()
                check(called, args, kwargs, output)

        self._hook, self._state, self._thread = hook, state, threading.get_ident()
        self._before, self._under = state.swap_local(hook), earlier_hook
        for setting in (config.debug_nans, config.debug_infs):
            self._settings.append((setting, setting._update_thread_local_hook, self._after(setting)))
        for setting, _, our_hook in self._settings:
            setting._update_thread_local_hook = our_hook
        return True

    def _after(self, setting: Any) -> Callable[[Any], None]:
        """Return a wrapper of the function that JAX calls when a setting changes.

        The wrapper reinstalls the hook, unless JAX has installed its check for NaN in the hook's place.
        """
        original = setting._update_thread_local_hook

        def changed(value: Any) -> None:
            original(value)
            state = self._state
            if state is None or threading.get_ident() != self._thread:
                return
            local = state.get_local()
            if local is None or local is self._under:  # JAX removed this hook, so it is installed again
                state.set_local(self._hook)
                self._before = local
            # A later hook of this package may be installed instead: it passes each call on to this hook.
            elif local is not self._hook and not _is_ours(local):
                self._state = None  # JAX's check for NaN is installed, so this hook gets no more calls
                self._lost()

        return changed

    def stop(self) -> None:
        """Stop reporting and remove the hook.

        If another hook is on top of this hook, the other hook removes this hook when it ends.
        """
        for setting, original, hook in self._settings:
            _put_back(setting, hook, original)
        self._settings.clear()
        if self._state is not None and threading.get_ident() == self._thread:
            _take_out(self._state, self._hook, self._before)
        self._hook = self._before = self._under = self._state = None


def _is_ours(hook: Any) -> bool:
    code = getattr(hook, "__code__", None)
    return code is not None and code.co_filename == __file__


class Hits:
    """Reports each call on this thread that hits JAX's C++ cache, between `start` and `stop`; for Python 3.11.

    JAX can have only one such hook, and its check for NaN is one: if the check is on or is switched on, this hook is
    not installed or is removed. The hook makes a call 0.3 us slower.

    Args:
        tell: called with the jitted function and the frame of the call.

    Attributes:
        overflowed: true if the stack reached Python's recursion limit, so that a call may not have been reported.
    """

    def __init__(self, tell: Callable[[Any, FrameType], None]) -> None:
        self._tell = tell
        self._hook: Any = None
        self._before: Any = None
        self._state: Any = None
        self._thread = 0
        self._has_begun = False
        self._overruled = False
        self.overflowed = False

    def start(self) -> None:
        """Install the hook; do nothing if JAX's check for NaN is installed."""
        config = private("config")
        state = getattr(private("api"), "_post_hook_state", None)
        if state is None or state.value is not None:
            return
        tell, get_frame, get_global = self._tell, sys._getframe, state.get_global
        # The check for NaN is a hook for all threads. A thread with a setting of its own, as after a block of
        # `with jax.debug_nans(...)`, does not run this check.
        is_checked_by_all = state.get_local() is config.config_ext.unset

        def hook(called: Any, args: Any, kwargs: Any, output: Any) -> None:
            try:
                frame = get_frame(1)
                # The caller of this hook may be another hook of this module, which passes the call on.
                while frame.f_code.co_filename == __file__ and frame.f_back is not None:
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
        """True if `start` installed the hook and nothing took its place.

        Even then hits may be missing if `overflowed` is true.
        """
        return self._has_begun and not self._overruled

    def stop(self) -> None:
        """Remove the hook; if another hook is on top of this hook, the other hook removes this hook at its end."""
        state = self._state
        if state is None or threading.get_ident() != self._thread:
            return
        self._state = None
        if not _take_out(state, self._hook, self._before):
            self._overruled = True
        self._hook = self._before = None
