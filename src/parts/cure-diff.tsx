/** Draws the edit of a cure as a small diff of the cell. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IEditPlace, hunksOf } from '../model/places-of-edits';
import { PythonLine } from './code-excerpt';
import { shortened } from './summary';
import { indentOf } from './shared-indent';

/** At most this many lines of each side of a hunk are drawn. */
const MOST_LINES = 60;
const LONGEST_LINE = 300;

export function CureDiff(props: {
  edit: NonNullable<IEditPlace['edit']>;
  trans: TranslationBundle;
}): JSX.Element {
  const { edit, trans } = props;
  const hunks = hunksOf(edit.ran, edit.changes);
  return (
    <pre
      className="jp-JaxprCode jp-JaxprCureDiff"
      role="group"
      aria-label={trans.__('How the cure changes the cell')}
      tabIndex={0}
    >
      {hunks.map(({ line, removed, added }) => {
        const margin = indentOf([...removed, ...added]);
        const drawn = (
          lines: readonly string[],
          kind: 'removed' | 'added'
        ): JSX.Element[] =>
          lines.slice(0, MOST_LINES).map((text, at) => (
            <div
              key={`${kind} ${line + at}`}
              className="jp-JaxprCode-line"
              data-change={kind}
            >
              <span className="jp-JaxprCode-number" aria-hidden="true">
                {line + at}
              </span>
              <span className="jp-JaxprCureDiff-sign" aria-hidden="true">
                {kind === 'removed' ? '−' : '+'}
              </span>
              {/* A screen reader reads these words, because it cannot see the sign. */}
              <span className="jp-JaxprPanel-notice">
                {kind === 'removed'
                  ? trans.__('removed: ')
                  : trans.__('added: ')}
              </span>
              <code>
                <PythonLine
                  text={shortened(text.slice(margin), LONGEST_LINE)}
                />
              </code>
            </div>
          ));
        const left =
          Math.max(0, removed.length - MOST_LINES) +
          Math.max(0, added.length - MOST_LINES);
        return (
          <React.Fragment key={line}>
            {drawn(removed, 'removed')}
            {drawn(added, 'added')}
            {left > 0 && (
              <div className="jp-JaxprCode-line">
                <span className="jp-JaxprCode-number" aria-hidden="true" />
                {trans._n('%1 more line', '%1 more lines', left)}
              </div>
            )}
          </React.Fragment>
        );
      })}
    </pre>
  );
}
