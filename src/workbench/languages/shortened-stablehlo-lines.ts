/** Parses a line of StableHLO: its types, its operation, and the parts that can be shortened. */
import {
  ILineChip,
  ILineLanguage,
  IReadLine,
  closing,
  inOrder,
  outside,
  tokensOf
} from './line';

const TYPES =
  /\b(?:tensor|tuple|vector|memref|complex)<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>|![\w.]+(?:<[^>]*>)?/g;
const KEYWORDS =
  /^\s*(?:module|func\.func(?: (?:public|private))?|return|stablehlo\.return|sdy\.return|cond|do)(?![\w.])|\} (?:do|else)(?= \{)/g;
const OPERATION =
  /^\s*(?:%[^=]*= )?("?(?:stablehlo|mhlo|chlo|sdy|func|arith|shape|tensor|vhlo)\.[\w.]+"?|call)(?=[ (<])/;
const ATTRIBUTES = /\{(?=[\w.]+ ?=|[\w.]+[,}])/g;

/** The word that MLIR prints before the source location of an operation. */
const LOCATION = 'loc';

/** If the text after the last operand of an operation has more characters than this, a chip replaces the text. */
const LONG_ATTRIBUTES = 16;
const LONG_ARGUMENTS = 72;

function read(line: string): IReadLine {
  const tokens = [
    ...tokensOf(line, TYPES, 'type'),
    ...tokensOf(line, KEYWORDS, 'keyword')
  ];
  const chips: ILineChip[] = [];
  const match = OPERATION.exec(line);
  const isKeyword = tokens.some(({ kind, from }) => {
    return kind === 'keyword' && from === 0;
  });
  if (match && !isKeyword) {
    const from = match[0].length - match[1].length;
    tokens.push({ from, to: match[0].length, kind: 'operation' });
    readOperation(line, match[0].length, chips);
  } else {
    readHeader(line, chips);
  }
  const place = /\s+loc\(.*\)$/.exec(line);
  if (place) {
    chips.push({ from: place.index, to: line.length, label: LOCATION });
  }
  return { tokens: inOrder(tokens), chips: apart(chips) };
}

/** Reads operands, attributes and types after `%0 = stablehlo.add`, which ends at `end`. */
function readOperation(line: string, end: number, chips: ILineChip[]): void {
  const types = outside(line, ' : ', end);
  const stop = types < 0 ? line.length : types;
  let from = end;
  if (line[end] === '(') {
    const close = closing(line, end);
    if (close - end > LONG_ARGUMENTS) {
      const count = line.slice(end, close).split(',').length;
      chips.push({ from: end + 1, to: close - 1, label: `${count} …` });
    }
    from = close;
  } else {
    for (const operand of line.slice(end, stop).matchAll(/%[\w#:]+/g)) {
      from = end + (operand.index as number) + operand[0].length;
    }
  }
  // In `(inputs) -> outputs`, the input types only repeat the types of the operands; the reader needs the outputs.
  const inputs: [number, number][] = [];
  if (types >= 0 && line[types + 3] === '(') {
    const close = closing(line, types + 3);
    if (line.startsWith(' -> ', close)) {
      inputs.push([types + 3, close + 4]);
    }
  }
  if (from > end && stop - from > LONG_ATTRIBUTES) {
    chips.push({ from, to: stop, label: '…', also: inputs });
  } else if (from === end && stop - from > LONG_ARGUMENTS) {
    chips.push({ from: from + 1, to: stop, label: '…', also: inputs });
  } else if (inputs.length > 0) {
    chips.push({ from: inputs[0][0], to: inputs[0][1] - 1, label: '…' });
  }
}

/** Reads the first line of a module or a function, with the annotations of its arguments. */
function readHeader(line: string, chips: ILineChip[]): void {
  const module_ = /^\s*module @\S+( attributes )\{/.exec(line);
  if (module_) {
    const open = module_[0].length - 1;
    chips.push({
      from: open - module_[1].length + 1,
      to: closing(line, open),
      label: '…'
    });
    return;
  }
  if (/^\s*func\.func /.test(line)) {
    for (const { index } of line.matchAll(ATTRIBUTES)) {
      const from = index as number;
      chips.push({ from, to: closing(line, from), label: '…' });
    }
  }
}

/** Sorts chips in the order of the text, and drops chips inside other chips. */
function apart(chips: readonly ILineChip[]): ILineChip[] {
  const kept: ILineChip[] = [];
  let end = 0;
  for (const chip of [...chips].sort((a, b) => a.from - b.from)) {
    if (chip.from >= end && chip.to > chip.from) {
      kept.push(chip);
      end = Math.max(chip.to, ...(chip.also ?? []).map(([, to]) => to));
    }
  }
  return kept;
}

/** The parser for StableHLO in MLIR's format. */
export const stablehlo: ILineLanguage = { name: 'StableHLO', read };
