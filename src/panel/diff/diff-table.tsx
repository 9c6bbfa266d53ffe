/** Lists the two programs of a diff: below each other in a narrow panel, else side by side. */
import { Clipboard, aboveAll } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { diffsOf } from '../../model/diffs';
import { DiffRow, DiffSide, ProgramDiff } from '../../protocol/snapshot';
import { IJaxprModel, Selection } from '../../tokens';
import { useWidth } from '../../parts/use-width';
import { Icon } from '../../parts/icons';
import { showHelp } from '../../workbench/reading/help-overlay';
import {
  KeyHandlers,
  dispatchKey,
  printedKey
} from '../../workbench/reading/key-table';
import { NOISES, Noise } from '../../workbench/reading/noise-rules';
import { DiffFilters } from './diff-filters';
import { hiddenRows, hiddenRowsWords } from './hidden-rows';
import { Item, itemsOf, keyOf, nextDifference, placeOf } from './rows';
import { SIGNS, diffText, sideLabel, signWord } from './words';

const NOTHING: ReadonlySet<Noise> = new Set();

/** From this width on, two columns of code are readable. */
const WIDE = 640;

export function DiffTable(props: {
  diff: ProgramDiff;
  /** The model that receives the selections of the table. */
  model: IJaxprModel;
  /** Opens the diff in the main area; null if the diff is there already or if there is no main area. */
  open: (() => void) | null;
  trans: TranslationBundle;
}): JSX.Element {
  const { diff, model, open, trans } = props;
  const [opened, setOpened] = React.useState<ReadonlySet<number>>(new Set());
  const [copied, setCopied] = React.useState(false);
  const [active, setActive] = React.useState<Item | null>(null);
  const [place, width] = useWidth();
  const list = React.useRef<HTMLDivElement>(null);
  const id = React.useId();
  const diffs = diffsOf(model);
  // Lines of a compiler's texts are never hidden as noise.
  const noises = diff.level === 'jaxpr' ? diffs.hidden : NOTHING;
  const hidden = React.useMemo(() => hiddenRows(diff, noises), [diff, noises]);
  const items = React.useMemo(
    () => itemsOf(diff, opened, hidden),
    [diff, opened, hidden]
  );
  const current =
    active === null || items.length === 0 ? -1 : placeOf(items, active);
  const wide = width >= WIDE;
  const hiddenWords =
    noises.size === 0 ? '' : hiddenRowsWords(diff, hidden, noises, trans);
  const ends = {
    gap: hidden.length > 0 && hidden[hidden.length - 1] !== 0,
    at: items.length - 1
  };
  const outside = noises.has('wrapper');
  const hasNext = nextDifference(items, current, 1) >= 0;

  const go = (to: number): void => {
    if (to < 0 || to >= items.length) {
      return;
    }
    setActive(items[to]);
    document.getElementById(`${id}-${to}`)?.scrollIntoView({
      block: 'nearest'
    });
    const item = items[to];
    if (item.kind === 'row') {
      const selection = selectionOf(item.row, diff, model);
      if (selection !== null) {
        model.setSelection(selection);
      }
    }
  };
  const unfold = (item: Item): void => {
    if (item.kind === 'fold' && item.opens) {
      const rows = new Set(opened);
      for (let index = item.index; index <= item.last; index++) {
        rows.add(index);
      }
      setOpened(rows);
    }
  };
  const step = (by: 1 | -1): void => go(nextDifference(items, current, by));
  const toggle = (noise: Noise): void => {
    diffs.hidden = new Set(
      NOISES.filter(one => noises.has(one) !== (one === noise))
    );
  };
  const help = (): void => showHelp(trans, aboveAll(), 'diff');
  const last = items.length - 1;
  /** Only lines of jaxprs can be hidden. */
  const hide = (does: () => void) => () => {
    if (diff.level !== 'jaxpr') {
      return false;
    }
    does();
  };
  const keys: KeyHandlers<'diffLines'> = {
    nextLine: () => go(Math.min(current + 1, last)),
    previousLine: () => go(Math.max(current - 1, 0)),
    firstLine: () => go(0),
    lastLine: () => go(last),
    nextDifference: () => step(1),
    previousDifference: () => step(-1),
    unfold: () => {
      if (current >= 0) {
        unfold(items[current]);
      }
    },
    convert: hide(() => toggle('convert')),
    broadcast: hide(() => toggle('broadcast')),
    wrapper: hide(() => toggle('wrapper')),
    unused: hide(() => toggle('unused')),
    showHidden: hide(() => {
      diffs.hidden = NOTHING;
    })
  };

  return (
    <div
      className="jp-JaxprDiff-table"
      ref={place}
      onKeyDown={event => dispatchKey(event, 'diff', { help })}
    >
      <p className="jp-JaxprDiff-counts" role="status">
        {diff.summary}
        {diff.left_out > 0 &&
          ` ${trans._n('%1 difference is not listed: the diff is too long.', '%1 differences are not listed: the diff is too long.', diff.left_out)}`}
      </p>
      {diff.remarks.map((remark, index) => (
        <p key={index} className="jp-JaxprDiff-remark">
          {remark}
        </p>
      ))}
      <div className="jp-JaxprDiff-tools">
        <button
          className="jp-JaxprPanel-button"
          aria-disabled={!hasNext}
          title={trans.__(
            'Previous difference (key: %1)',
            printedKey('diffLines', 'previousDifference')
          )}
          onClick={() => step(-1)}
        >
          <Icon name="previous" /> {trans.__('Previous')}
        </button>
        <button
          className="jp-JaxprPanel-button"
          aria-disabled={!hasNext}
          title={trans.__(
            'Next difference (key: %1)',
            printedKey('diffLines', 'nextDifference')
          )}
          onClick={() => step(1)}
        >
          {trans.__('Next')} <Icon name="next" />
        </button>
        <button
          className="jp-JaxprPanel-button"
          onClick={() => {
            Clipboard.copyToSystem(
              diffText(
                diff,
                items,
                { words: hiddenWords, wrappers: outside },
                trans
              )
            );
            setCopied(true);
          }}
        >
          {copied ? trans.__('Copied') : trans.__('Copy')}
        </button>
        {open !== null && (
          <button className="jp-JaxprPanel-button" onClick={open}>
            {trans.__('Open beside')}
          </button>
        )}
        <button
          className="jp-JaxprPanel-button"
          title={trans.__(
            'Keys of this view (key: %1)',
            printedKey('diff', 'help')
          )}
          onClick={help}
        >
          {trans.__('Keys')}
        </button>
      </div>
      {diff.level === 'jaxpr' && (
        <DiffFilters
          hidden={noises}
          toggle={toggle}
          words={hiddenWords}
          showAll={() => (diffs.hidden = NOTHING)}
          trans={trans}
        />
      )}
      <div className={`jp-JaxprDiff-heads${wide ? ' jp-mod-wide' : ''}`}>
        <span>
          <b aria-hidden="true">{wide ? '' : '− '}</b>
          {trans.__('Before: %1', sideLabel(diff.before, trans))}
        </span>
        <span>
          <b aria-hidden="true">{wide ? '' : '+ '}</b>
          {trans.__('After: %1', sideLabel(diff.after, trans))}
        </span>
      </div>
      <div
        ref={list}
        className={`jp-JaxprDiff-rows${wide ? ' jp-mod-wide' : ''}`}
        role="listbox"
        tabIndex={0}
        aria-label={trans.__('Both programs, line by line')}
        aria-activedescendant={current >= 0 ? `${id}-${current}` : undefined}
        onKeyDown={event => dispatchKey(event, 'diffLines', keys)}
        onFocus={() => {
          if (current < 0 && items.length > 0) {
            setActive(items[0]);
          }
        }}
      >
        {items.map((item, at) => (
          <div
            key={keyOf(item)}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === current}
            className={`jp-JaxprDiff-item jp-mod-${item.kind === 'fold' ? 'fold' : item.row.sign}${
              at === current ? ' jp-mod-active' : ''
            }${item.gap ? ' jp-mod-gapBefore' : ''}${
              ends.gap && at === ends.at ? ' jp-mod-gapAfter' : ''
            }`}
            onClick={() => {
              go(at);
              unfold(item);
            }}
          >
            {item.kind === 'fold' ? (
              <Fold item={item} trans={trans} />
            ) : wide ? (
              <Beside row={item.row} outside={outside} trans={trans} />
            ) : (
              <Unified row={item.row} outside={outside} trans={trans} />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function Fold(props: {
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

function Unified(props: {
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
      <Line {...props} side={before} sign="removed" told />
      <Line {...props} side={after} sign="added" told />
      <Changes row={row} />
    </>
  );
}

function Beside(props: {
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
            told={row.before !== null}
          />
        )}
        {row.sign === 'changed' && <Changes row={row} />}
      </div>
    </>
  );
}

/** A line of one side: its sign, and its text with the changed parts marked. */
function Line(props: {
  row: DiffRow;
  side: DiffSide | null;
  sign: DiffRow['sign'];
  /** True to show the names of the line's variables outside of the call around it. */
  outside: boolean;
  /** True if a screen reader has read the sign, or will read a word for it. */
  told?: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { row, side, sign, outside, told, trans } = props;
  const word =
    row.sign === 'changed'
      ? sign === 'removed'
        ? trans.__('changed from')
        : sign === 'added'
          ? trans.__('changed to')
          : trans.__('changed')
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
      {(row.sign === 'changed' || told !== true) && row.sign !== 'same' && (
        <span className="jp-JaxprDiff-said">{word} </span>
      )}
      <code style={{ paddingLeft: `${Math.min(row.depth, 12) * 1.5 + 1}ch` }}>
        {side !== null && <Marked side={side} />}
        {outside && side?.outside && (
          <span
            className="jp-JaxprDiff-outside"
            title={trans.__(
              'Names inside the call = names outside of the call'
            )}
          >
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
    parts.push(side.text.slice(end, from));
    parts.push(<mark key={i}>{side.text.slice(from, to)}</mark>);
    end = to;
  }
  parts.push(side.text.slice(end));
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

/** The selection that a row stands for in the run in view; null if the run is of neither side. */
function selectionOf(
  row: DiffRow,
  diff: ProgramDiff,
  model: IJaxprModel
): Selection | null {
  const inView = model.snapshot;
  const sides = [
    { side: row.after, of: diff.after },
    { side: row.before, of: diff.before }
  ];
  for (const { side, of } of sides) {
    if (side === null || inView === null || inView.id !== of.snapshot) {
      continue;
    }
    const scope = inView.scopes[side.scope];
    if (
      scope !== undefined &&
      side.equation >= 0 &&
      side.equation < scope.count
    ) {
      return {
        kind: 'equations',
        equations: [{ scope: side.scope, equation: side.equation }]
      };
    }
    const cellId = inView.cell?.id ?? null;
    if (side.line > 0 && cellId !== null) {
      return { kind: 'caret', cellId, line: side.line, column: 0 };
    }
  }
  return null;
}
