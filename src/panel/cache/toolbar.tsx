/** Draws the controls above the ledger's table: the filter, the switch for guessing hits and misses, and Copy. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Snapshot } from '../../protocol/snapshot';
import { CopyTable } from '../../parts/copy-table';
import { ledgerMarkdown, ledgerText } from './copied-ledger';

export function Toolbar(props: {
  snapshot: Snapshot;
  filter: string;
  setFilter: (filter: string) => void;
  predicts: boolean;
  setPredicts: (predicts: boolean) => void;
  /** True while outcomes are hidden for guessing; the table cannot be copied then. */
  hides: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { snapshot, filter, setFilter, predicts, hides, trans } = props;
  return (
    <div
      className="jp-JaxprCache-tools"
      role="group"
      aria-label={trans.__('Cache table')}
    >
      <input
        type="search"
        value={filter}
        placeholder={trans.__('Filter')}
        aria-label={trans.__(
          'Filter the table by function, reason or other text'
        )}
        onChange={event => setFilter(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Escape' && filter !== '') {
            event.stopPropagation();
            setFilter('');
          }
        }}
      />
      <button
        className="jp-JaxprPanel-button"
        aria-pressed={predicts}
        title={trans.__(
          'Hide the outcome of each call until you have guessed: hit or miss'
        )}
        onClick={() => props.setPredicts(!predicts)}
      >
        {trans.__('Predict')}
      </button>
      <CopyTable
        text={() => ledgerText(snapshot, trans)}
        markdown={() => ledgerMarkdown(snapshot, trans)}
        isDisabled={hides}
        markdownClass="jp-JaxprCache-markdown"
        trans={trans}
      />
    </div>
  );
}
