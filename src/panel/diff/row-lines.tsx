/** Draws a row of a diff: both sides beside or below each other, or a fold of equal lines. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { BreakableText } from '../../parts/breakable-text';
import { joinedNamesHint } from '../../parts/joined-names';
import type { DiffRow, DiffSide } from '../../protocol/snapshot';
import type { Item } from './rows';
import { SIGNS, signWord } from './words';

export function Fold(props: {
  item: Extract<Item, { kind: 'fold' }>;
  trans: TranslationBundle;
}): JSX.Element {
  const { item, trans } = props;
  return (
    <span className="jp-JaxprDiff-fold">
      {item.opens
        ? trans._n('Show %1 equal line', 'Show %1 equal lines', item.count)
        : trans._n(
            '%1 equal line not listed',
            '%1 equal lines not listed',
            item.count
          )}
    </span>
  );
}

export function Unified(props: {
  row: DiffRow;
  outside: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { row } = props;
  const { sign, before, after } = row;
  if (sign !== 'changed') {
    return <Line {...props} side={after ?? before} sign={sign} />;
  }
  return (
    <>
      <Line {...props} side={before} sign="removed" isSignRead />
      <Line {...props} side={after} sign="added" isSignRead />
      <Changes row={row} />
    </>
  );
}

export function Beside(props: {
  row: DiffRow;
  outside: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { row } = props;
  return (
    <>
      <div className="jp-JaxprDiff-half">
        {row.before !== null && (
          <Line {...props} side={row.before} sign={row.sign} />
        )}
      </div>
      <div className="jp-JaxprDiff-half">
        {row.after !== null && (
          <Line
            {...props}
            side={row.after}
            sign={row.sign}
            isSignRead={row.before !== null}
          />
        )}
        {row.sign === 'changed' && <Changes row={row} />}
      </div>
    </>
  );
}

/** The line of one side of a row: the sign (`+`, `-` or none), and the text with the changed parts marked. */
function Line(props: {
  row: DiffRow;
  side: DiffSide | null;
  sign: DiffRow['sign'];
  /**
   * True if calls around equations are hidden; then the line adds the names that its values have outside of the call.
   */
  outside: boolean;
  /** True if another element of the row tells a screen reader the sign, so that this line does not repeat the sign. */
  isSignRead?: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { row, side, sign, outside, isSignRead, trans } = props;
  const word =
    row.sign === 'changed'
      ? sign === 'removed'
        ? trans.__('line before the change:')
        : sign === 'added'
          ? trans.__('line after the change:')
          : trans.__('changed line')
      : signWord(row, trans);
  return (
    <div
      className={`jp-JaxprDiff-line jp-mod-${sign}`}
      title={
        side !== null && side.line > 0
          ? trans.__('Line %1 of the cell', side.line)
          : undefined
      }
    >
      <span className="jp-JaxprDiff-sign" aria-hidden="true">
        {SIGNS[sign]}
      </span>
      {(row.sign === 'changed' || isSignRead !== true) &&
        row.sign !== 'same' && (
          <span className="jp-JaxprDiff-said">{word} </span>
        )}
      <code style={{ paddingLeft: `${Math.min(row.depth, 12) * 1.5 + 1}ch` }}>
        {side !== null && <Marked side={side} />}
        {outside && side?.outside && (
          <span className="jp-JaxprDiff-outside" title={joinedNamesHint(trans)}>
            {side.outside}
          </span>
        )}
      </code>
    </div>
  );
}

function Marked({ side }: { side: DiffSide }): JSX.Element {
  const parts: React.ReactNode[] = [];
  let end = 0;
  for (let i = 0; i < side.marks.length; i += 2) {
    const [from, to] = [side.marks[i], side.marks[i + 1]];
    parts.push(<BreakableText key={i} text={side.text.slice(end, from)} />);
    parts.push(<mark key={i + 1}>{side.text.slice(from, to)}</mark>);
    end = to;
  }
  parts.push(<BreakableText key="end" text={side.text.slice(end)} />);
  return <>{parts}</>;
}

function Changes({ row }: { row: DiffRow }): JSX.Element | null {
  return row.changes.length === 0 ? null : (
    <div className="jp-JaxprDiff-changes">
      {row.changes
        .slice(0, 8)
        .map(({ text }) => text)
        .join(' · ')}
      {row.changes.length > 8 && ' …'}
    </div>
  );
}
