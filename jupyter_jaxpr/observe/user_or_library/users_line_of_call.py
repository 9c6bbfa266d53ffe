"""Finds the user's line or expression from which JAX or a package was called."""

from __future__ import annotations

import itertools
import sys
from types import FrameType
from typing import Any

from ...plain_text import file_of, function_of
from ..observation import Place
from .whose_code import is_installed, is_jax, is_users_frame

_FRAMES = 8


def call_place(frame: FrameType) -> Place | None:
    """Return the user's line that made a missed call; `frame` is JAX's frame that handles the miss."""
    caller = frame.f_back
    while caller is not None:
        if is_users_frame(caller):
            return frame_place(caller)
        caller = caller.f_back
    return None


def frame_place(frame: FrameType) -> Place:
    """Return the place of the line that a frame executes."""
    return Place(file_of(frame.f_code), frame.f_lineno, function_of(frame.f_code))


def user_place(frame: FrameType | None) -> Place | None:
    """Return the line of the innermost user frame of a stack; None if the stack has no user frame."""
    while frame is not None and not is_users_frame(frame):
        frame = frame.f_back
    return None if frame is None else frame_place(frame)


def frames_of_users(frame: FrameType | None = None) -> list[FrameType]:
    """Return the frames of the user's code that make a call, the innermost first, up to the cell; at most eight.

    Args:
        frame: A frame of the call; None for the caller of this function.
    """
    caller = frame or sys._getframe(1)
    while caller.f_back is not None and is_installed(file_of(caller.f_code)):
        caller = caller.f_back
    frames = [caller]
    while caller.f_back is not None and len(frames) < _FRAMES and caller.f_code.co_name != "<module>":
        caller = caller.f_back
        frames.append(caller)
    return frames


def asking_place(frame: FrameType) -> Place | None:
    """Return the user's expression that called the JAX function that runs in `frame`; None if a package called it."""
    caller = frame_outside(frame, is_jax)
    if caller is None or not is_users_frame(caller):
        return None
    positions = itertools.islice(caller.f_code.co_positions(), caller.f_lasti // 2, None)
    line, end_line, column, end_column = next(positions, (None,) * 4)
    place = frame_place(caller)
    if line is None or end_line is None or column is None or end_column is None:
        return place
    return Place(place.file, line, place.function, column, end_line, end_column)


def frame_outside(frame: FrameType, skip: Any) -> FrameType | None:
    """Return the innermost caller of `frame` for whose file `skip` is false; None if there is none."""
    caller = frame.f_back
    while caller is not None and skip(file_of(caller.f_code)):
        caller = caller.f_back
    return caller
