"""Declares how much of the objects that a call can reach is saved before a trace of the call."""

from __future__ import annotations

SECONDS_AT_MOST = 0.05
BYTES_AT_MOST = 64_000_000
