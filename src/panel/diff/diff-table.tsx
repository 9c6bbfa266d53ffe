/** Lists the two programs of a diff: below each other in a narrow panel, else side by side. */
import { Clipboard, aboveAll, openWords } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { diffsOf } from '../../model/diffs';
import type { ProgramDiff } from '../../protocol/snapshot';
import type { IJaxprModel } from '../../tokens';
import { useWidth } from '../../parts/use-width';
import { Icon } from '../../parts/icons';
import { showHelp } from '../../workbench/reading/help-overlay';
import { KeyHandlers, dispatchKey, printedKey } from '../../view-keys';
import { NOISES, Noise } from '../../workbench/reading/noise-rules';
import { DiffFilters } from './diff-filters';
import { hiddenRows, hiddenRowsWords } from './hidden-rows';
import { Beside, Fold, Unified } from './row-lines';
import { selectionOf } from './row-selection';
import { Item, itemsOf, keyOf, nextDifference, placeOf } from './rows';
import { diffText, sideLabel } from './words';

const NOTHING: ReadonlySet<Noise> = new Set();

/** The width in pixels from which two columns of code are readable. */
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
  // Only lines of a jaxpr can be noise; lines of StableHLO and HLO are never hidden.
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
      NOISES.filter(
        shownNoise => noises.has(shownNoise) !== (shownNoise === noise)
      )
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
          <Icon name="previous" /> {trans.__('Previous difference')}
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
          {trans.__('Next difference')} <Icon name="next" />
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
          {copied ? trans.__('Diff copied') : trans.__('Copy the diff')}
        </button>
        {open !== null && (
          <button className="jp-JaxprPanel-button" onClick={open}>
            {openWords(trans)}
          </button>
        )}
        <button
          className="jp-JaxprPanel-button"
          title={trans.__(
            'Keyboard shortcuts of this view (key: %1)',
            printedKey('diff', 'help')
          )}
          onClick={help}
        >
          {trans.__('Keyboard shortcuts')}
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
