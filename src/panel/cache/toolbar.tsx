/** The controls of the ledger's table: filter, guess, copy. */
import { Clipboard } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Snapshot } from '../../protocol/snapshot';
import { Icon } from '../../parts/icons';
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
  const [copied, setCopied] = React.useState('');
  const copy = (text: string, notice: string): void => {
    Clipboard.copyToSystem(text);
    setCopied(notice);
  };
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
      <button
        className="jp-JaxprPanel-action"
        aria-label={trans.__('Copy the table as text')}
        title={trans.__('Copy the table as text')}
        aria-disabled={hides}
        onClick={() =>
          hides ||
          copy(
            ledgerText(snapshot, trans),
            trans.__('The table was copied as text.')
          )
        }
      >
        <Icon name="copy" />
      </button>
      <button
        className="jp-JaxprPanel-action jp-JaxprCache-markdown"
        aria-label={trans.__('Copy the table as Markdown')}
        title={trans.__('Copy the table as Markdown')}
        aria-disabled={hides}
        onClick={() =>
          hides ||
          copy(
            ledgerMarkdown(snapshot, trans),
            trans.__('The table was copied as Markdown.')
          )
        }
      >
        {trans.__('MD')}
      </button>
      <span className="jp-JaxprPanel-notice" role="status">
        {copied}
      </span>
    </div>
  );
}
