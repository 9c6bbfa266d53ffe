"""Parses a target, such as `f(f32[8,128], {'w': bf16[128,4]}, n=3)`, into a call.

A target is a Python call in which the type of an array, as JAX prints it, may stand for the array: `f32[8,128]`, with
`{weak}` for a weak type, and `key<fry>[]` for random keys. The rest is Python code, evaluated in the user's namespace
after the cell has run. Mistakes that can be found earlier raise `SpecError`.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DTYPES = {
    "bool": "bool",
    "pred": "bool",
    "i2": "int2",
    "i4": "int4",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u2": "uint2",
    "u4": "uint4",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
    "f4_e2m1fn": "float4_e2m1fn",
    "f8_e3m4": "float8_e3m4",
    "f8_e4m3": "float8_e4m3",
    "f8_e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8_e4m3fn": "float8_e4m3fn",
    "f8_e4m3fnuz": "float8_e4m3fnuz",
    "f8_e5m2": "float8_e5m2",
    "f8_e5m2fnuz": "float8_e5m2fnuz",
    "f8_e8m0fnu": "float8_e8m0fnu",
}
DTYPES.update({name: name for name in set(DTYPES.values())})

KEYS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}

_MAKE = "__jaxpr_spec__"
_STRING = r"""(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_SPEC = re.compile(
    rf"(?P<string>{_STRING})"
    r"|(?<![\w.\])])(?P<dtype>key<(?P<key>\w*)>|[A-Za-z_]\w*)\[(?P<shape>[^\[\]]*)\](?P<mark>\{[^{}]*\})?"
)
_LOOKS_LIKE_DTYPE = re.compile(r"(bf|f|i|u|c|s|int|uint|float|bfloat|complex)\d+(_\w+)?")


class SpecError(ValueError):
    """Raised for a target that cannot be understood; the message names the mistake and ends with the cure."""


@dataclass(frozen=True)
class Target:
    """A call to be traced; its function and arguments are not evaluated yet.

    Attributes:
        text: the text as the user typed it.
        has_specs: True if the target contains array types, so that it can be traced but not run.
    """

    text: str
    has_specs: bool
    _call: ast.Call

    @property
    def function_text(self) -> str:
        """The called expression, as the user typed it."""
        return ast.unparse(self._call.func)

    @property
    def call(self) -> ast.Call:
        """The syntax tree of the target, in which a call stands for each array type; see `is_spec`."""
        return self._call

    @property
    def takes_values(self) -> bool:
        """True if evaluating the target runs user code, because an argument is neither an array type nor a constant."""
        arguments = [*self._call.args, *(keyword.value for keyword in self._call.keywords)]
        return any(not _is_plain(argument) for argument in arguments)

    @property
    def names(self) -> frozenset[str]:
        """The names that the arguments read."""
        arguments = [*self._call.args, *(keyword.value for keyword in self._call.keywords)]
        return frozenset(node.id for argument in arguments for node in ast.walk(argument) if isinstance(node, ast.Name))

    def function(self, namespace: dict[str, Any]) -> Any:
        """Return the called function; raises the errors of the user's code."""
        return self._evaluate(self._call.func, namespace)

    def arguments(self, namespace: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments, with a `jax.ShapeDtypeStruct` for each array type.

        Raises the errors of the user's code.
        """
        capture = ast.Call(ast.Name(_CAPTURE, ast.Load()), self._call.args, self._call.keywords)
        captured: tuple[tuple[Any, ...], dict[str, Any]] = self._evaluate(capture, namespace)
        return captured

    def _evaluate(self, node: ast.expr, namespace: dict[str, Any]) -> Any:
        expression = ast.fix_missing_locations(ast.Expression(node))
        code = compile(expression, "<jaxpr target>", "eval")
        return eval(code, namespace, {_MAKE: spec_value, _CAPTURE: _capture})


def parse_target(text: str) -> Target:
    """Parse the text of a target.

    Raises:
      SpecError: the text is no Python, is no call, or contains an array type that does not exist.
    """
    rewritten, has_specs = _replace_specs(text.strip())
    try:
        node = ast.parse(rewritten, mode="eval").body
    except SyntaxError as error:
        raise SpecError(
            f"'{text}' does not parse ({error.msg}). Write a call, such as f(x), f(f32[8,128], n=3) or "
            "f({'w': bf16[128,4]})."
        ) from None
    if not isinstance(node, ast.Call) or is_spec(node):
        raise SpecError(f"'{text}' is not a call. Write the function with its arguments, such as {_suggest(node)}.")
    return Target(text.strip(), has_specs, node)


def _suggest(node: ast.expr) -> str:
    return f"{node.id}(x) or {node.id}(f32[8])" if isinstance(node, ast.Name) else "f(x) or f(f32[8])"


def _replace_specs(text: str) -> tuple[str, bool]:
    """Return a text with a call in the place of each array type, and whether it had an array type."""
    has_spec = False

    def replace(match: re.Match[str]) -> str:
        nonlocal has_spec
        if match["string"] is not None:
            return match[0]
        dtype, mark, type_text = match["dtype"], match["mark"], match[0]
        _check_dtype(dtype, match["key"], match[0])
        if match["key"] is None and dtype not in DTYPES:
            return match[0]  # `xs[0]`, for example, is an index expression of the user, not an array type
        if mark not in (None, "{weak}", "{weak_type=True}"):
            raise SpecError(f"'{type_text}': there is no mark {mark}. Write {{weak}} for a weakly typed array.")
        if match["key"] is not None and mark is not None:
            raise SpecError(f"'{type_text}': a key has no weak type. Write key<{match['key']}>[].")
        _check_shape(match["shape"], match[0])
        has_spec = True
        shape = f"({match['shape']},)" if match["shape"].strip() else "()"
        return f"{_MAKE}({dtype!r}, {shape}, {mark is not None})"

    return _SPEC.sub(replace, text), has_spec


def _check_dtype(dtype: str, key: str | None, text: str) -> None:
    if key is not None:
        if key not in KEYS:
            known_types = ", ".join(f"key<{name}>" for name in KEYS)
            raise SpecError(f"'{text}': there is no key type '{key}'. Write one of {known_types}.")
    elif dtype not in DTYPES and _LOOKS_LIKE_DTYPE.fullmatch(dtype):
        close = difflib.get_close_matches(dtype, list(DTYPES), n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise SpecError(f"'{text}': there is no dtype {dtype}.{hint} Write, for example, f32, bf16, i32 or bool.")


def _check_shape(shape: str, text: str) -> None:
    for part in shape.split(",") if shape.strip() else ():
        if re.fullmatch(r"\s*-\d+\s*", part):
            raise SpecError(f"'{text}': the size {part.strip()} is negative. Write sizes of 0 or more.")
        if re.fullmatch(r"\s*\d*\.\d*\s*", part):
            raise SpecError(f"'{text}': the size {part.strip()} is not an integer. Write integers, such as f32[8,128].")


def is_spec(node: ast.expr) -> bool:
    """Return whether an expression is one of the calls by which `parse_target` replaces array types."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == _MAKE


def _is_plain(node: ast.expr) -> bool:
    if is_spec(node) or isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return _is_plain(node.operand)
    if isinstance(node, ast.Tuple | ast.List):
        return all(_is_plain(element) for element in node.elts)
    if isinstance(node, ast.Dict):
        return all(key is not None and _is_plain(key) for key in node.keys) and all(map(_is_plain, node.values))
    return False


# --- the functions that the rewritten text calls -----------------------------------------------------------

_CAPTURE = "__jaxpr_capture__"


def _capture(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    return args, kwargs


def spec_value(dtype: str, shape: tuple[Any, ...], weak: bool) -> Any:
    """Return the `jax.ShapeDtypeStruct` for an array type.

    Raises:
        SpecError: A size is no integer.
    """
    import jax

    for size in shape:
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise SpecError(f"The size {size!r} of {dtype}[...] is a {type(size).__name__}. Write integers.")
    sizes = tuple(int(size) for size in shape)
    if dtype.startswith("key<"):
        implementation = KEYS[dtype[4:-1]]
        return jax.ShapeDtypeStruct(sizes, jax.eval_shape(lambda: jax.random.key(0, impl=implementation)).dtype)
    return jax.ShapeDtypeStruct(sizes, jax.numpy.dtype(DTYPES[dtype]), weak_type=weak)
