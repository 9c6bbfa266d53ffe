"""Compiles the functions of an edited source, so that a trial can run them instead of the user's functions."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType

from ..observe.observation import Edit
from ..plain_text import file_of
from .errors.failing_code.edits import edited


class EditedCode(Mapping[CodeType, CodeType]):
    """Maps the code object of each function in a source to the code object after the edits.

    Attributes:
        is_met: True if the function with the edited line was looked up, so a trace reached the edit.
    """

    def __init__(self, lines: Sequence[str], line: int, edits: Sequence[Edit], file: str) -> None:
        """Compile the source as it is, and with the edits.

        Args:
            lines: The lines of the source.
            line: The line that the edits change, from 1.
            edits: The edits of this source.
            file: The `co_filename` of the code objects.

        Raises:
            SyntaxError: The source is not valid Python before or after the edits.
        """
        text = "\n".join(lines)
        self._edits = edits
        self._file = file
        self._line = line
        # dont_inherit: the `from __future__` imports of this module must not apply to the user's code
        whole_code = compile(text, file, "exec", dont_inherit=True)
        # IPython compiles each statement of a cell separately: the bytecode may differ from that of the whole cell.
        alone = (ast.Module([statement], []) for statement in ast.parse(text).body)
        self._as_it_is = [whole_code, *(compile(module, file, "exec", dont_inherit=True) for module in alone)]
        self._edited = _codes(compile(edited(text, edits), file, "exec", dont_inherit=True))
        self.is_met = False

    def __getitem__(self, code: CodeType) -> CodeType:
        # The file may have changed since its import, so the function may come from an older version of the file.
        if file_of(code) != self._file or not any(code in _all_codes(code_alone) for code_alone in self._as_it_is):
            raise KeyError(code)
        first = code.co_firstlineno
        shift = sum(
            edit.text.count("\n") - (edit.place.end_line - edit.place.line)
            for edit in self._edits
            if edit.place.end_line < first
        )
        new = self._edited[code.co_qualname, first + shift]
        lines = [line for code_here in _all_codes(code) for *_, line in code_here.co_lines() if line is not None]
        self.is_met = self.is_met or first <= self._line <= max(lines)
        return new

    def __iter__(self) -> Iterator[CodeType]:
        return iter(())

    def __len__(self) -> int:
        return len(self._edited)


def _codes(module: CodeType) -> dict[tuple[str, int], CodeType]:
    """Return {(name, line): code object} for a source.

    Code objects with the same name and line, such as two lambdas, are left out.
    """
    codes = list(_all_codes(module))
    counts = Counter((code.co_qualname, code.co_firstlineno) for code in codes)
    keys = ((code.co_qualname, code.co_firstlineno) for code in codes)
    return {key: code for key, code in zip(keys, codes, strict=True) if counts[key] == 1}


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_codes(constant)
