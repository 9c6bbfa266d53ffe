/** The bar and the table of a first call's stages: seconds, share, meaning. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Stages } from '../../protocol/snapshot';
import { durationOrUnknown, Bar, stageList } from '../../parts/stage-bar';
import { percent, stageWords } from './words';

export function StageTable(props: {
  stages: Stages;
  trans: TranslationBundle;
}): JSX.Element {
  const { stages, trans } = props;
  const { total } = stages;
  return (
    <div className="jp-JaxprTime-stages">
      <Bar stages={stages} trans={trans} />
      <table>
        <caption className="jp-JaxprTime-hidden">
          {trans.__('Stages of the first call')}
        </caption>
        <tbody>
          {stageList(stages, trans).map(({ key, label, seconds }) => (
            <tr key={key}>
              <th scope="row">
                <span className={`jp-JaxprPanel-key jp-mod-${key}`} />
                {label}
              </th>
              <td>{durationOrUnknown(seconds, trans)}</td>
              <td className="jp-JaxprTime-part">
                {seconds !== null && total !== null && total > 0
                  ? percent(seconds / total)
                  : ''}
              </td>
              <td className="jp-JaxprTime-what">
                {stageWords(key, stages, trans)}
              </td>
            </tr>
          ))}
          <tr className="jp-mod-total">
            <th scope="row">{trans.__('first call')}</th>
            <td>{durationOrUnknown(total, trans)}</td>
            <td className="jp-JaxprTime-part" />
            <td className="jp-JaxprTime-what" />
          </tr>
        </tbody>
      </table>
    </div>
  );
}
