"""Uses JAX's hook after each jitted call that hits JAX's C++ cache.

- `LastCalls` holds the last calls.
- `Hits` reports the calls.
- `Results` reports the calls with their results.

JAX has one place for such a hook, so several hooks form a stack. `Hits` skips the frames of other hooks of this
package, which have the file name of this module. A hook that ends below another hook cannot be removed at once; the
upper hook removes it at its own end.
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
    """Restore JAX's place for the hook; return False, and leave the place, where another hook lies over ours."""
    if state.get_local() is not hook:
        _before_ended[hook] = before
        return False
    while before in _before_ended:
        before = _before_ended.pop(before)
    state.set_local(before)
    return True


def _put_back(setting: Any, hook: Any, original: Any) -> None:
    """Restore JAX's settings function; where another function lies over ours, that function stays."""
    if setting._update_thread_local_hook is not hook:
        _before_ended[hook] = original
        return
    while original in _before_ended:
        original = _before_ended.pop(original)
    setting._update_thread_local_hook = original


class LastCalls:
    """Keeps the last arguments of each jitted function on this thread, hits included, between `start` and `stop`.

    JAX calls its hook after each jitted call; its check for NaN is such a hook. A call takes about 1 us longer.

    Args:
        tell: Receives the jitted function, its arguments and its keyword arguments; must not raise.
    """

    def __init__(self, tell: Callable[[Any, tuple[Any, ...], dict[str, Any]], None]) -> None:
        self._tell = tell
        self.calls: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}
        self._hook: Any = None
        self._before: Any = None
        self._state: Any = None
        self._thread = 0

    def start(self) -> None:
        """Install the hook; do nothing if it is installed or if this JAX version has no such hook."""
        state = getattr(private("api"), "_post_hook_state", None)
        if state is None or self._state is not None:
            return
        earlier_hook, calls, tell = state.value, self.calls, self._tell

        def hook(called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            if self._state is not None:
                calls[called] = args, kwargs
                try:
                    tell(called, args, kwargs)
                except RecursionError:  # the user's own call fits below Python's recursion limit
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
        """Remove the hook and drop the arguments."""
        if self._state is not None and threading.get_ident() == self._thread:
            _take_out(self._state, self._hook, self._before)
        self._hook = self._before = self._state = None
        self.calls.clear()


class Results:
    """Reports each jitted call that hits on this thread, with its result, between `start` and `stop`.

    With JAX's check for NaN on, nothing is reported: our frame would be in the traceback of the check's error. When the
    check is switched on meanwhile, JAX gets the place of the hook. JAX itself switches the check off in blocks, as in
    jnp.std, and empties the place at their end: the hook is installed again there.

    Args:
        tell: Receives the jitted function, its arguments, its keyword arguments and the result; must not raise.
        lost: Called when the check is switched on meanwhile: no further call is reported.
    """

    def __init__(
        self, tell: Callable[[Any, tuple[Any, ...], dict[str, Any], Any], None], lost: Callable[[], None]
    ) -> None:
        self._tell = tell
        self._lost = lost
        self._hook: Any = None
        self._before: Any = None
        self._under: Any = None  # our hook below this hook
        self._state: Any = None
        self._thread = 0
        # Each entry is (JAX's setting, the function that the setting calls at a change, our function around that
        # function).
        self._settings: list[tuple[Any, Any, Any]] = []
        self.overflowed = False  # the user's stack reached Python's recursion limit: a call was not reported

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
            except RecursionError:  # the user's own call fits below Python's recursion limit
                self.overflowed = True
            if earlier_hook is not None:  # another hook of this package
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
        """Return a function for a change of a JAX setting: it calls JAX's function, then installs the hook again."""
        original = setting._update_thread_local_hook

        def changed(value: Any) -> None:
            original(value)
            state = self._state
            if state is None or threading.get_ident() != self._thread:
                return
            local = state.get_local()
            if local is None or local is self._under:  # JAX emptied the place, or restored the hook below ours
                state.set_local(self._hook)
                self._before = local
            elif local is not self._hook and not _is_ours(local):  # another hook of ours may lie over this hook
                self._state = None  # the place belongs to the check now
                self._lost()

        return changed

    def stop(self) -> None:
        """Remove the hook; a hook over ours stays, and passes its calls on."""
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

    JAX has one place for such a hook, and puts its check for NaN there: where the check is on or is switched on, JAX
    gets the place. A call takes 0.3 us longer.

    Args:
        tell: receives the jitted function and the frame of the call.
    """

    def __init__(self, tell: Callable[[Any, FrameType], None]) -> None:
        self._tell = tell
        self._hook: Any = None
        self._before: Any = None
        self._state: Any = None
        self._thread = 0
        self._has_begun = False
        self._overruled = False
        self.overflowed = False  # the user's stack reached Python's recursion limit: a call may not have been reported

    def start(self) -> None:
        """Install the hook; do nothing where the place is taken."""
        config = private("config")
        state = getattr(private("api"), "_post_hook_state", None)
        if state is None or state.value is not None:
            return
        tell, get_frame, get_global = self._tell, sys._getframe, state.get_global
        # After a block of `with jax.debug_nans(...)` the thread has its own setting, and JAX no longer checks there.
        is_checked_by_all = state.get_local() is config.config_ext.unset

        def hook(called: Any, args: Any, kwargs: Any, output: Any) -> None:
            try:
                frame = get_frame(1)
                # skip the frames of hooks that pass the call on
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
        """True if every call since the start was reported."""
        return self._has_begun and not self._overruled

    def stop(self) -> None:
        """Remove the hook; a hook over ours stays."""
        state = self._state
        if state is None or threading.get_ident() != self._thread:
            return
        self._state = None
        if not _take_out(state, self._hook, self._before):
            self._overruled = True
        self._hook = self._before = None
