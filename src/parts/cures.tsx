/**
 * The cures of an error or of a miss come in; a list goes out: what each uses, how sure it is, what to write.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Cure } from '../protocol/snapshot';
import { shortened } from './summary';

/** Ways out to choose from. */
export function Cures(props: {
  cures: readonly Cure[];
  trans: TranslationBundle;
}): JSX.Element {
  const { cures, trans } = props;
  return (
    <dl className="jp-JaxprCures" aria-label={trans.__('Cures')}>
      {cures.map(({ name, code, text, level }) => (
        <div key={name} data-level={level ?? 'advice'}>
          <dt>
            {shortened(name, 80)}
            {levelWords(level, trans) !== '' && (
              <span className="jp-JaxprPanel-second">
                {' '}
                {levelWords(level, trans)}
              </span>
            )}
          </dt>
          <dd>
            {code !== null && (
              <pre tabIndex={0}>
                <code>{shortened(code, 4000)}</code>
              </pre>
            )}
            <p className="jp-JaxprPanel-second">{shortened(text, 1000)}</p>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** How sure a cure is; empty for advice. */
export function levelWords(
  level: Cure['level'],
  trans: TranslationBundle
): string {
  switch (level) {
    case 'applies':
      return trans.__('Applies as it stands');
    case 'choice':
      return trans.__('Replace the names in capitals');
    default:
      return '';
  }
}
