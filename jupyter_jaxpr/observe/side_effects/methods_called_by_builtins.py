"""Lists the special methods that builtin functions such as `len` call on their arguments."""

from __future__ import annotations

from typing import Any

#: The builtin functions that read the elements of an argument.
READS_ELEMENTS = frozenset(
    "all any dict enumerate filter frozenset iter list map max min reversed set sorted sum tuple zip next".split()
)
_METHODS_OF: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (len, ("__len__",)),
    (bool, ("__bool__", "__len__")),
    (hash, ("__hash__",)),
    (repr, ("__repr__",)),
    (str, ("__str__", "__repr__")),
    (format, ("__format__", "__str__", "__repr__")),
    (print, ("__str__", "__repr__")),
    (abs, ("__abs__",)),
    (int, ("__int__", "__index__")),
    (float, ("__float__", "__index__")),
    (round, ("__round__",)),
    (divmod, ("__divmod__", "__rdivmod__")),
    (pow, ("__pow__", "__rpow__")),
)
#: id of a function -> the special methods that the function calls. Functions are not used as keys, because comparing a
#: function with a user's callable would call the callable's `__eq__`.
METHODS_OF_FUNCTION = {id(function): names for function, names in _METHODS_OF}
