/** Parses a line of HLO: its types, its instruction, and the parts that can be shortened. */
import {
  ILineChip,
  ILineLanguage,
  IReadLine,
  IToken,
  closing,
  inOrder,
  tokensOf
} from './line';

const TYPES =
  /\b(?:pred|token|opaque|bf16|[suf]\d+(?:e\d\w*)?|c\d+)\[[^\]]*\]/g;
const LAYOUTS = /(?<=\])\{[\d,:TSELBM()*#]*\}/g;
const KEYWORDS = /^\s*(?:HloModule|ENTRY|ROOT)\b/g;
const COMMENTS = /\/\*.*?\*\//g;
/** Matches `%add.1 = ` before an instruction; newer versions of XLA leave out the %. */
const ASSIGNED = /^\s*(?:ROOT )?%?[\w.-]+ = /;
/** Matches the first line of a computation. */
const COMPUTATION = /^\s*(?:ENTRY )?%?[\w.-]+ (?=\()/;

const LONG_TUPLE = 48;

function read(line: string): IReadLine {
  const types = tokensOf(line, TYPES, 'type');
  const tokens: IToken[] = [
    ...types,
    ...tokensOf(line, KEYWORDS, 'keyword'),
    ...tokensOf(line, COMMENTS, 'comment')
  ];
  const chips: ILineChip[] = [];
  const assigned = ASSIGNED.exec(line);
  if (assigned) {
    readInstruction(line, assigned[0].length, tokens, chips);
  } else if (line.startsWith('HloModule ')) {
    const from = line.indexOf(', ');
    if (from >= 0) {
      chips.push({ from, to: line.length, label: '…' });
    }
  } else {
    const computation = COMPUTATION.exec(line);
    if (computation && line.endsWith('{')) {
      chips.push({
        from: computation[0].length - 1,
        to: line.length - 2,
        label: '…'
      });
    }
  }
  return { tokens: inOrder(tokens), chips };
}

/** Reads `TYPE instruction(operands), attributes`, which starts at `start`. */
function readInstruction(
  line: string,
  start: number,
  tokens: IToken[],
  chips: ILineChip[]
): void {
  let end = start;
  if (line[start] === '(') {
    end = closing(line, start);
    if (end - start > LONG_TUPLE) {
      const count = line.slice(start, end).split(/, (?=[\w/])/).length;
      chips.push({ from: start, to: end, label: `(${count})` });
    }
  } else {
    const space = line.indexOf(' ', start);
    end = space < 0 ? line.length : space;
  }
  const instruction = /^ ([\w-]+)\(/.exec(line.slice(end));
  if (!instruction) {
    return;
  }
  const open = end + instruction[0].length - 1;
  tokens.push({ from: end + 1, to: open, kind: 'operation' });
  const close = closing(line, open);
  if (close - open > 2 * LONG_TUPLE) {
    const count = line.slice(open, close).split(', ').length;
    chips.push({ from: open + 1, to: close - 1, label: `${count} …` });
  }
  const layouts: [number, number][] = [];
  const shown = chips[0]?.from === start ? chips[0].to : start;
  for (const { index, 0: layout } of line.matchAll(LAYOUTS)) {
    const from = index as number;
    if (from >= shown && from < open) {
      layouts.push([from, from + layout.length]);
    }
  }
  if (close < line.length) {
    chips.push({
      from: close,
      to: line.length,
      label: '…',
      also: layouts
    });
  } else if (layouts.length > 0) {
    const [[from, to], ...also] = layouts;
    chips.push({ from, to, label: '', also });
  }
}

/** The parser for XLA's HLO text. */
export const hlo: ILineLanguage = { name: 'HLO', read };
