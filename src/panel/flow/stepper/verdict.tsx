/** States for a whole recording whether its results agree with those of the function, with notes. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Recording } from '../../../protocol/snapshot';
import { duration, grouped } from '../../../quantities';
import { shortened } from '../../../parts/summary';
import { LONGEST_VALUE, figure } from './words';

/** The largest number of differing results that are listed; a program may have thousands. */
const MOST_ROWS = 50;

export function Verdict(props: {
  recording: Recording;
  trans: TranslationBundle;
}): JSX.Element {
  const { recording, trans } = props;
  const apart = recording.comparisons.filter(({ equal }) => !equal);
  const sentences = [
    recording.stopped,
    recording.thinned,
    ...recording.notes.slice(0, MOST_ROWS)
  ].filter(sentence => sentence !== null && sentence !== '');
  return (
    <div className="jp-JaxprStepper-verdict">
      {sentences.map((sentence, at) => (
        <p key={at}>{shortened(sentence as string, 1000)}</p>
      ))}
      {recording.verdict !== '' && (
        <p className={apart.length > 0 ? undefined : 'jp-mod-equal'}>
          {shortened(recording.verdict, 1000)}
        </p>
      )}
      {apart.length > 0 && (
        <table className="jp-JaxprStepper-values">
          <thead>
            <tr>
              <th scope="col">{trans.__('result')}</th>
              <th scope="col">{trans.__('recorded run')}</th>
              <th scope="col">{trans.__('original call')}</th>
              <th scope="col">{trans.__('largest difference')}</th>
            </tr>
          </thead>
          <tbody>
            {apart.slice(0, MOST_ROWS).map((comparison, at) => (
              <tr key={at}>
                <th scope="row">
                  <code>{shortened(comparison.path, 80)}</code>
                </th>
                <td>
                  <code>{shortened(comparison.recorded, LONGEST_VALUE)}</code>
                </td>
                <td>
                  <code>{shortened(comparison.real, LONGEST_VALUE)}</code>
                </td>
                <td>
                  {comparison.largest_difference === null
                    ? trans.__('unknown')
                    : figure(comparison.largest_difference)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {apart.length > MOST_ROWS && (
        <p>
          {trans._n(
            "%2 more result differs from the original function's result.",
            "%2 more results differ from the original function's results.",
            apart.length - MOST_ROWS,
            grouped(apart.length - MOST_ROWS)
          )}
        </p>
      )}
      <p className="jp-JaxprPanel-small">
        {trans.__(
          'The recorded run took %1, including its own compilation.',
          duration(recording.seconds)
        )}
      </p>
    </div>
  );
}
