/** The switches that hide kinds of noise in a diff; a sentence on the hidden lines, with a button that shows them. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { printedKey } from '../../view-keys';
import { NOISES, Noise, noiseName } from '../../workbench/reading/noise-rules';

export function DiffFilters(props: {
  hidden: ReadonlySet<Noise>;
  toggle: (noise: Noise) => void;
  /** The sentence about hidden lines; empty if no line is hidden. */
  words: string;
  showAll: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { hidden, toggle, words, showAll, trans } = props;
  return (
    <>
      <div
        className="jp-JaxprProgram-filters"
        role="group"
        aria-label={trans.__('Hide lines')}
      >
        <span>{trans.__('Hide lines')}</span>
        {NOISES.map(noise => {
          const name = noiseName(noise, trans);
          return (
            <button
              key={noise}
              className="jp-JaxprProgram-filter"
              title={trans.__(
                '%1 (key: %2)',
                name,
                printedKey('diffLines', noise)
              )}
              aria-pressed={hidden.has(noise)}
              onClick={() => toggle(noise)}
            >
              {name}
            </button>
          );
        })}
      </div>
      <div className="jp-JaxprDiff-hidden">
        <span role="status">{words}</span>
        {words !== '' && (
          <>
            {' '}
            <button
              className="jp-JaxprPanel-link"
              aria-label={trans.__('Show all hidden lines')}
              title={trans.__(
                'Show all hidden lines (key: %1)',
                printedKey('diffLines', 'showHidden')
              )}
              onClick={showAll}
            >
              {trans.__('Show all hidden lines')}
            </button>
          </>
        )}
      </div>
    </>
  );
}
