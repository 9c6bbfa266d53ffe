"""Infers the stacks of HLO lines for which XLA states none, from the lines around them.

XLA loses the source place of instructions that it rewrites, and states none for instructions that it creates. A missing
place is inferred only by these rules; if no rule applies, or the rules disagree, the place stays unknown:

- A fusion or call has the place of the root of its computation, because XLA gives a fusion the metadata of its root.
- A root has the place of the only fusion that calls its computation, for the same reason.
- A broadcast or conversion of a constant has the place of the instructions that use it, if all of them have the same
  place: it stands for one of their literals.
- A matrix product or convolution has the place of all equations of that kind, if these have the same place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from .hlo_instructions import Computation, Instruction, computations

_NAMED_AFTER_ROOT = frozenset({"fusion", "call"})
_OF_LITERALS = frozenset({"broadcast", "convert"})
_PRIMITIVES = {"dot": "dot_general", "convolution": "conv_general_dilated"}
#: Targets of custom calls that are matrix products on some backend.
_PRODUCTS = ("__onednn$matmul", "__cublas$gemm", "__cublas$lt$matmul")


def inferred_origins(lines: Sequence[str], stacks: Sequence[int], only_stack: Callable[[str], int]) -> dict[int, int]:
    """Infer the stacks of lines for which XLA states none.

    Args:
        lines: The lines of the module.
        stacks: For each line, the index of its stack; -1 for a line without a stack.
        only_stack: A function: primitive -> the stack that all its equations have, or -1.

    Returns:
        {line: its inferred stack}.
    """
    module = computations(lines)
    return _Inference(module, lines, stacks, only_stack).run()


class _Inference:
    def __init__(
        self, module: list[Computation], lines: Sequence[str], stacks: Sequence[int], only_stack: Callable[[str], int]
    ) -> None:
        self._module = module
        self._lines = lines
        self._stacks = stacks
        self._only_stack = only_stack
        self._found: dict[int, int] = {}
        self._roots = {
            computation.name: instruction
            for computation in module
            for instruction in computation.instructions
            if instruction.is_root
        }
        self._callers: dict[str, list[Instruction]] = defaultdict(list)
        for computation in module:
            for instruction in computation.instructions:
                for called in instruction.called:
                    self._callers[called].append(instruction)

    def run(self) -> dict[int, int]:
        # XLA prints a computation before the instructions that call it, so roots are known before their fusions.
        for computation in self._module:
            for instruction in computation.instructions:
                if self._stacks[instruction.line] < 0:
                    self._take(instruction, self._of_kind(instruction))
        for computation in reversed(self._module):
            for instruction in computation.instructions:
                if self._of(instruction) < 0 and instruction.is_root:
                    self._take(instruction, self._of_caller(computation))
        for computation in self._module:
            self._literals(computation)
        return self._found

    def _of(self, instruction: Instruction) -> int:
        stated = self._stacks[instruction.line]
        return stated if stated >= 0 else self._found.get(instruction.line, -1)

    def _take(self, instruction: Instruction, stack: int) -> None:
        if stack >= 0:
            self._found[instruction.line] = stack

    def _of_kind(self, instruction: Instruction) -> int:
        if instruction.opcode in _NAMED_AFTER_ROOT and len(instruction.called) == 1:
            root = self._roots.get(instruction.called[0])
            return self._of(root) if root is not None else -1
        primitive = _PRIMITIVES.get(instruction.opcode)
        if instruction.opcode == "custom-call" and any(target in self._lines[instruction.line] for target in _PRODUCTS):
            primitive = "dot_general"
        return self._only_stack(primitive) if primitive is not None else -1

    def _of_caller(self, computation: Computation) -> int:
        callers = self._callers.get(computation.name, [])
        if len(callers) != 1 or callers[0].opcode not in _NAMED_AFTER_ROOT:
            return -1
        return self._of(callers[0])

    def _literals(self, computation: Computation) -> None:
        users: dict[str, list[Instruction]] = defaultdict(list)
        opcodes = {}
        for instruction in computation.instructions:
            opcodes[instruction.name] = instruction.opcode
            for operand in instruction.operands:
                users[operand].append(instruction)
        for instruction in computation.instructions:
            if (
                self._of(instruction) < 0
                and instruction.opcode in _OF_LITERALS
                and not instruction.is_root
                and all(opcodes.get(operand) == "constant" for operand in instruction.operands)
            ):
                places = {self._of(user) for user in users[instruction.name]}
                if len(places) == 1:
                    self._take(instruction, places.pop())
