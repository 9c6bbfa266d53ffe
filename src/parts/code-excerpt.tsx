/** Draws lines of Python with their numbers and marked places. */
import * as React from 'react';

import { pythonPieces } from './python-text';
import { shortened } from './summary';

/** Lines with more characters than this are cut. */
const LONGEST_LINE = 300;

/** A marked part of a line, in UTF-16 code units; the columns -1 mark the whole line. */
export interface IMark {
  line: number;
  column: number;
  endColumn: number;
}

export function CodeExcerpt(props: {
  lines: readonly string[];
  /** The number of the first line of the excerpt. */
  first: number;
  /** The label of the excerpt for screen readers. */
  label: string;
  marks?: readonly IMark[];
  /** True if the marks show where an error was raised; they are then red. */
  wrong?: boolean;
}): JSX.Element {
  const { lines, first, label, marks = [], wrong = false } = props;
  return (
    <pre
      className="jp-JaxprCode"
      role="group"
      aria-label={label}
      tabIndex={0}
      data-wrong={wrong || undefined}
    >
      {lines.map((line, i) => {
        const number = first + i;
        const mark = marks.find(candidate => candidate.line === number);
        return (
          <div
            key={number}
            className="jp-JaxprCode-line"
            data-marked={mark !== undefined || undefined}
          >
            <span className="jp-JaxprCode-number" aria-hidden="true">
              {number}
            </span>
            <code>
              <Line text={shortened(line, LONGEST_LINE)} mark={mark} />
            </code>
          </div>
        );
      })}
    </pre>
  );
}

/** Draws a line of Python with syntax colours. */
export function PythonLine({ text }: { text: string }): JSX.Element {
  return <Pieces text={text} />;
}

function Line(props: { text: string; mark: IMark | undefined }): JSX.Element {
  const { text, mark } = props;
  if (mark === undefined || mark.column < 0 || mark.endColumn <= mark.column) {
    return <Pieces text={text} />;
  }
  // The whole line is split into tokens first, so that a string stays one token; then the parts inside the mark are cut
  // out.
  return <Pieces text={text} from={mark.column} to={mark.endColumn} />;
}

function Pieces(props: {
  text: string;
  from?: number;
  to?: number;
}): JSX.Element {
  const { text, from = -1, to = -1 } = props;
  const before: JSX.Element[] = [];
  const inside: JSX.Element[] = [];
  const after: JSX.Element[] = [];
  let start = 0;
  for (const piece of pythonPieces(text)) {
    const end = start + piece.text.length;
    const cuts = [start, from, to, end].filter(at => at >= start && at <= end);
    cuts.sort((a, b) => a - b);
    for (let i = 0; i + 1 < cuts.length; i++) {
      if (cuts[i] === cuts[i + 1]) {
        continue;
      }
      const list =
        cuts[i] < from || from < 0 ? before : cuts[i] < to ? inside : after;
      list.push(
        <span key={cuts[i]} className={className(piece.kind)}>
          {text.slice(cuts[i], cuts[i + 1])}
        </span>
      );
    }
    start = end;
  }
  return (
    <>
      {before}
      {inside.length > 0 && <mark>{inside}</mark>}
      {after}
    </>
  );
}

function className(kind: string | null): string | undefined {
  return kind === null ? undefined : `jp-mod-${kind}`;
}
