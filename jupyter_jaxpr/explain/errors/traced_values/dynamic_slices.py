"""Writes the cures of a slice with traced bounds, such as x[i:i + 3]: a slice of fixed length from a traced start."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from ....interruptions import not_of_a_signal
from ....jax.facts import is_tracer_type
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, chosen, edit_of, over, shown
from ..failing_code.expression_shapes import integer_of, shape_of
from ..failing_code.module_names import jnp_name, lax_name, namespace
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from .masked_arrays import masked, needs_mask


@dataclass(frozen=True)
class _Piece:
    """A slice in an index; at least one bound of the slice has no value during the trace.

    Attributes:
        entry: The slice in the index.
        axis: The axis of the array to which the slice applies.
        start: The code of the first position.
        length: The code of the number of elements, such as 3 for i:i + 3; None if it is not fixed.
    """

    entry: ast.Slice
    axis: int
    start: str
    length: str | None


class Slices:
    """Writes the cures of a slice with traced bounds, such as x[i:i + 3]."""

    def __init__(self, raised: RaisedAt) -> None:
        self._raised = raised
        self._lax, self._jnp = lax_name(raised), jnp_name(raised)

    def cures(self) -> list[FoundCure]:
        """Return the cures of the subscript that raised the error."""
        match self._raised.node:
            case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")))) as write:
                return self._of_write(write)
        node = self._raised.around(ast.Subscript)
        pieces = self._pieces(node) if isinstance(node, ast.Subscript) else []
        if not isinstance(node, ast.Subscript) or not pieces:
            return [FoundCure("jax.lax.dynamic_slice", None, _DYNAMIC)]
        if len(pieces) > 1:
            return self._of_several(node, pieces)
        (piece,) = pieces
        text = "dynamic_slice_in_dim reads a fixed number of elements from a traced position."
        array = self._raised.source(node.value)
        name = f"{self._lax}.dynamic_slice_in_dim"
        rest = self._rest(node, pieces)
        if piece.length is not None:
            code = f"{self._in_dim(array, piece, piece.length)}{rest}"
            return [applied(FoundCure(name, code, text), [edit_of(self._raised, over(node, code))])]
        sized = f"{self._in_dim(array, piece, 'SIZE')}{rest}"
        cure = FoundCure(name, sized, f"{text} Set SIZE to the number of elements.")
        cures = [chosen(cure, [edit_of(self._raised, over(node, sized))])]
        if (ignored := self._ignored(node)) is not None and any(kept.edits for kept in passed(self._raised, [ignored])):
            return [ignored]
        match node.slice:
            case ast.Slice(lower=None, upper=ast.expr() as upper):
                mask = f"{self._jnp}.arange({array}.shape[0]) < {self._raised.source(upper)}"
                code = f"{self._jnp}.where({mask}, {array}, FILL)"
                words = "jnp.where keeps the shape. Set FILL to the value for the elements after the end of the slice."
                is_vector = len(getattr(value_of(self._raised, node.value), "shape", ())) == 1
                if is_vector and needs_mask(self._raised, node):
                    cures += self._masked_reductions(node, array, mask)
                elif is_vector:
                    cure = FoundCure(f"{self._jnp}.where", code, words)
                    cures.append(chosen(cure, [edit_of(self._raised, over(node, code))]))
        return cures

    def _ignored(self, node: ast.Subscript) -> FoundCure | None:
        """Return the cure of x[:n] or values[order[:n]] that keeps the shape, with -inf after the end of the slice.

        None unless each line that reads the result ignores -inf, as jax.random.categorical and jnp.max do.
        """
        outer, upper = self._raised.parents.get(id(node)), getattr(node.slice, "upper", None)
        if not isinstance(node.slice, ast.Slice) or node.slice.lower is not None or upper is None:
            return None
        if isinstance(upper, ast.UnaryOp):
            return None  # a negative end counts from the other side
        array = self._raised.source(node.value)
        whole, new = node, array
        if isinstance(outer, ast.Subscript) and outer.slice is node:
            whole, new = outer, f"{self._raised.source(outer.value)}[{array}]"
        value, statement = value_of(self._raised, node.value), self._raised.parents.get(id(whole))
        if len(getattr(value, "shape", ())) != 1 or not isinstance(self._raised.function, ast.FunctionDef):
            return None
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]):
                reads = [
                    part
                    for part in ast.walk(self._raised.function)
                    if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
                ]
            case _:
                return None
        consumers = [self._raised.parents.get(id(read)) for read in reads]
        if not consumers or not all(called(part) in _IGNORE_INFINITY for part in consumers if part is not None):
            return None
        mask = f"{self._jnp}.arange({array}.shape[0]) < {self._raised.source(upper)}"
        code = f"{self._jnp}.where({mask}, {new}, -{self._jnp}.inf)"
        words = (
            f"{self._jnp}.where keeps the shape, with -inf for the elements after the end of the slice. "
            f"{called(consumers[0])} ignores -inf."
        )
        return applied(FoundCure(f"{self._jnp}.where", code, words), [edit_of(self._raised, over(whole, code))])

    def _masked_reductions(self, node: ast.Subscript, array: str, mask: str) -> list[FoundCure]:
        """Return the advice for a slice such as x[:n] whose elements a reduction counts, such as a mean.

        The cure is no edit: if the bound is negative, the mask selects other elements than the slice.
        """
        cures = passed(self._raised, masked(self._raised, node, array, mask))
        return [
            replace(shown(cure), level="advice", edits=(), text=f"{cure.text} {_NEGATIVE}")
            for cure in cures
            if cure.code is not None
        ]

    def _pieces(self, node: ast.Subscript) -> list[_Piece]:
        """Return the slices with traced bounds in an index.

        Empty if the index has a mask, a step or another part that has no cure.
        """
        entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        counted = [entry for entry in entries if not (isinstance(entry, ast.Constant) and entry.value is None)]
        dots = [place for place, entry in enumerate(counted) if isinstance(entry, ast.Constant) and entry.value is ...]
        pieces = []
        for place, entry in enumerate(counted):
            is_mask = dtype_of(value_of(self._raised, entry)) == "bool" or isinstance(entry, ast.Compare)
            if isinstance(entry, ast.Starred) or is_mask or len(dots) > 1:
                return []
            if not isinstance(entry, ast.Slice) or all(self._has_value(bound) for bound in (entry.lower, entry.upper)):
                continue
            if entry.step is not None:
                return []
            axis = place - len(counted) if dots and place > dots[0] else place
            start = "0" if entry.lower is None else self._raised.source(entry.lower)
            length = None
            if entry.lower is not None and entry.upper is not None:
                length = fixed_difference(self._raised, entry.upper, entry.lower)
            pieces.append(_Piece(entry, axis, start, length))
        return pieces

    def _has_value(self, bound: ast.expr | None) -> bool:
        if bound is None or integer_of(self._raised, bound) is not None:
            return True
        names = {part.id for part in ast.walk(bound) if isinstance(part, ast.Name)}
        if names & self._traced_elements(bound):
            return False
        return not names & self._raised.tracers.keys() and not any(isinstance(p, ast.Call) for p in ast.walk(bound))

    def _traced_elements(self, node: ast.AST) -> set[str]:
        """Return the names of the comprehensions around a node that stand for the elements of a traced array.

        Python 3.13 does not list these names among the local names of the frame.
        """
        names: set[str] = set()
        parent: ast.AST | None = node
        while (parent := self._raised.parents.get(id(parent))) is not None:
            for generator in getattr(parent, "generators", ()):
                read = [part for part in ast.walk(generator.iter) if isinstance(part, ast.Name)]
                if any(is_tracer_type(type(namespace(self._raised).get(part.id))) for part in read):
                    names |= {part.id for part in ast.walk(generator.target) if isinstance(part, ast.Name)}
        return names

    def _rest(self, node: ast.Subscript, pieces: list[_Piece]) -> str:
        """Return the index for the axes without traced bounds, such as [:, 0].

        Empty if this index would select all elements.
        """
        entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        taken = [piece.entry for piece in pieces]
        texts = [":" if entry in taken else self._raised.source(entry) for entry in entries]
        while texts and texts[-1] in (":", "..."):
            texts.pop()
        return f"[{', '.join(texts)}]" if any(text not in (":", "...") for text in texts) else ""

    def _in_dim(self, array: str, piece: _Piece, length: str) -> str:
        axis = f", axis={piece.axis}" if piece.axis else ""
        return f"{self._lax}.dynamic_slice_in_dim({array}, {piece.start}, {length}{axis})"

    def _of_several(self, node: ast.Subscript, pieces: list[_Piece]) -> list[FoundCure]:
        """Return the cure for an index with several slices that have traced bounds, such as x[i:i + 3, j:j + 3]."""
        lengths = [piece.length for piece in pieces if piece.length is not None]
        if len(lengths) < len(pieces):
            return [FoundCure("jax.lax.dynamic_slice", None, _DYNAMIC)]
        array, shape = self._raised.source(node.value), shape_of(self._raised, node.value)
        name = f"{self._lax}.dynamic_slice"
        if shape is not None and isinstance(node.value, ast.Name | ast.Attribute):
            starts = ["0"] * len(shape)
            sizes = [f"{array}.shape[{axis}]" for axis in range(len(shape))]
            for piece, length in zip(pieces, lengths, strict=True):
                starts[piece.axis], sizes[piece.axis] = piece.start, length
            code = f"{name}({array}, ({', '.join(starts)}), ({', '.join(sizes)}))"
        else:
            name, code = f"{self._lax}.dynamic_slice_in_dim", array
            for piece, length in zip(pieces, lengths, strict=True):
                code = self._in_dim(code, piece, length)
        code = f"{code}{self._rest(node, pieces)}"
        return [applied(FoundCure(name, code, _DYNAMIC), [edit_of(self._raised, over(node, code))])]

    def _of_write(self, write: ast.Call) -> list[FoundCure]:
        """Return the cure for a write such as x.at[i:i + 3].set(y): the index i + jnp.arange(3), not a slice."""
        text = (
            "The integers in the index name the elements between the bounds, and the number of the integers is fixed. "
            "A negative integer counts from the end, and JAX drops a write after the end."
        )
        name = f"{self._jnp}.arange"
        if (masked := self._masked_write(write)) is not None and passed(self._raised, [masked]):
            # The cure is advice: if the bound is negative, the mask selects other elements than the slice.
            return [replace(masked, level="advice", edits=())]
        match write.func:
            case ast.Attribute(value=ast.Subscript(value=at, slice=ast.Slice(lower=ast.expr() as lower) as bounds)):
                pass
            case _:
                return [FoundCure(name, None, _WRITTEN)]
        match bounds:
            case ast.Slice(upper=ast.BinOp(left=left, op=ast.Add(), right=length), step=None) if ast.unparse(
                left
            ) == ast.unparse(lower):
                pass
            case _:
                return [FoundCure(name, None, _WRITTEN)]
        source = self._raised.source
        assert isinstance(write.func, ast.Attribute)
        start = source(lower)
        if not isinstance(lower, ast.Name | ast.Constant | ast.Subscript | ast.Call | ast.Attribute):
            start = f"({start})"
        index = f"{start} + {name}({source(length)})"
        arguments = ", ".join(source(argument) for argument in write.args)
        code = f"{source(at)}[{index}].{write.func.attr}({arguments})"
        if write.keywords or write.func.attr not in _WRITES:
            return [FoundCure(name, None, _WRITTEN)]
        return [applied(FoundCure(name, code, text), [edit_of(self._raised, over(write, code))])]

    def _keeps_dtype(self, array: ast.Name, value: ast.expr) -> bool:
        """Return whether jnp.where(mask, number, array) certainly has the dtype of the array, as a write has."""
        try:
            number = ast.literal_eval(value)
        except not_of_a_signal(ValueError):
            number = value_of(self._raised, value)
        dtype = dtype_of(value_of(self._raised, array))
        return type(number) is int and dtype != "bool" or type(number) is float and "float" in dtype

    def _masked_write(self, write: ast.Call) -> FoundCure | None:
        """Return the cure for a write of one number to a slice with traced bounds, such as x.at[i, :n].set(0).

        The slice must be on the last axis. None for other writes, and for slices of fixed length.
        """
        match write:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Attribute(value=ast.Name() as array), slice=index),
                    attr="set" | "add" as method,
                ),
                args=[value],
                keywords=[],
            ):
                entries = index.elts if isinstance(index, ast.Tuple) else [index]
            case _:
                return None
        *places, bounds = entries
        shape = shape_of(self._raised, array)
        if shape is None or len(entries) != len(shape) or not self._keeps_dtype(array, value):
            return None
        if not isinstance(bounds, ast.Slice) or bounds.step is not None or not (bounds.lower or bounds.upper):
            return None
        if not all(shape_of(self._raised, place) == () for place in places):
            return None
        source = self._raised.source
        numbers_known = [integer_of(self._raised, bound) for bound in (bounds.lower, bounds.upper) if bound is not None]
        if any(number is not None and number < 0 for number in numbers_known):
            return None
        if bounds.lower and bounds.upper and fixed_difference(self._raised, bounds.upper, bounds.lower) is not None:
            return None
        numbers = f"{self._jnp}.arange({array.id}.shape[{len(places)}])"
        texts = [f"{numbers} >= {source(bounds.lower)}"] if bounds.lower is not None else []
        texts += [f"{numbers} < {source(bounds.upper)}"] if bounds.upper is not None else []
        mask = texts[0] if len(texts) == 1 else " & ".join(f"({text})" for text in texts)
        at = ", ".join(map(source, places))
        row = f"{array.id}[{at}]" if places else array.id
        if method == "add":
            code = f"{array.id}.at[{at or ':'}].add({self._jnp}.where({mask}, {source(value)}, 0))"
        else:
            code = f"{self._jnp}.where({mask}, {source(value)}, {row})"
            code = f"{array.id}.at[{at}].set({code})" if places else code
        words = (
            "The mask chooses the elements between the bounds if no bound is negative. A negative bound of a slice "
            "counts from the end of the axis."
        )
        name = f"{self._jnp}.where"
        return applied(FoundCure(name, code, words), [edit_of(self._raised, over(write, code))])


Terms = dict[tuple[str, ...], int]
"""A sum of products: the number of times that each product of the named factors occurs."""


def fixed_difference(raised: RaisedAt, upper: ast.expr, lower: ast.expr) -> str | None:
    """Return the code of upper - lower, such as 3 for i + 3 and i. None if the difference contains a traced value."""
    known: dict[str, bool] = {}
    first, second = _terms(raised, upper, known), _terms(raised, lower, known)
    terms = {key: first.get(key, 0) - second.get(key, 0) for key in [*first, *second]}
    terms = {key: number for key, number in terms.items() if number}
    if any(not known[factor] for key in terms for factor in key) or any(number < 0 for number in terms.values()):
        return None
    texts = [" * ".join([*([str(number)] if number > 1 or not key else []), *key]) for key, number in terms.items()]
    return " + ".join(texts) or None


def _terms(raised: RaisedAt, node: ast.expr, known: dict[str, bool]) -> Terms:
    """Return an expression as a sum of products, and note in `known` which factors are Python integers."""
    match node:
        case ast.Constant(value=int(number)):
            return {(): number}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return {key: -number for key, number in _terms(raised, operand, known).items()}
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            terms = dict(_terms(raised, left, known))
            sign = 1 if isinstance(op, ast.Add) else -1
            for key, number in _terms(raised, right, known).items():
                terms[key] = terms.get(key, 0) + sign * number
            return terms
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            product: Terms = {}
            for one, number in _terms(raised, left, known).items():
                for two, other in _terms(raised, right, known).items():
                    key = tuple(sorted([*one, *two]))
                    product[key] = product.get(key, 0) + number * other
            return product
    text = raised.source(node) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else None
    text = text or f"({raised.source(node)})"
    known[text] = integer_of(raised, node) is not None
    return {(text,): 1}


#: Functions whose result does not change with further elements of -inf at the end.
_IGNORE_INFINITY = frozenset({"categorical", "logsumexp", "max", "amax", "argmax"})
_DYNAMIC = "dynamic_slice reads a slice of fixed sizes at a traced position."
_NEGATIVE = "The mask selects the elements of the slice if the bound is not negative."
_WRITTEN = (
    "Give the slice a fixed number of elements, such as x.at[i + jnp.arange(3)].set(y), or choose each element with "
    "jnp.where."
)
_WRITES = frozenset("set add subtract multiply divide min max power apply".split())
