"""Words the cure of a traced function that stores a value outside of the function."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from types import CodeType

from ...observe.user_or_library.whose_code import is_installed
from ...plain_text import file_of
from ..derivatives_in_code import derivative_in
from ..loops.kinds_of_python_loops import parsed


def cure_of_leak(name: str, holder: str, codes: Sequence[CodeType]) -> str:
    """Return the advice to return the value; a differentiated function returns the value as a second result."""
    files = dict.fromkeys(file_of(code) for code in codes if not is_installed(file_of(code)))
    texts = [parsed("".join(linecache.getlines(file))) for file in files]
    if any(derivative_in(loops.module, name) is not None for loops in texts if loops is not None):
        return (
            f"Return the value from {name} as a second result instead of keeping it in {holder}. Pass has_aux=True to "
            "the derivative."
        )
    return f"Return the value from {name} instead of keeping it in {holder}."
