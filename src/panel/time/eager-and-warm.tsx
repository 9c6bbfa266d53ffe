/** Shows the times of a repeated call in two rows: without jit, then warm. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ProgramTiming, WarmTime } from '../../protocol/snapshot';
import { duration } from '../../quantities';
import { Stretches, stretches } from '../../parts/bold-numbers';
import { shortened } from '../../parts/summary';
import {
  LONGEST,
  dispatchWords,
  eagerCallsWords,
  middleHalf,
  warmCallsWords
} from './words';

interface IRow {
  key: 'eager' | 'warm';
  label: string;
  time: WarmTime | null;
}

export function Again(props: {
  timing: ProgramTiming;
  trans: TranslationBundle;
}): JSX.Element {
  const { timing, trans } = props;
  const { eager, warm, notes, stopped } = timing;
  const rows: IRow[] = [
    { key: 'eager', label: trans.__('eager'), time: eager },
    { key: 'warm', label: trans.__('warm'), time: warm }
  ];
  const longest = Math.max(eager?.upper ?? 0, warm?.upper ?? 0);
  return (
    <div className="jp-JaxprTime-again">
      {stopped !== null && (
        <p className="jp-JaxprTime-stopped">{shortened(stopped, LONGEST)}</p>
      )}
      <table>
        <caption className="jp-JaxprTime-hidden">
          {trans.__('Times of eager and warm calls')}
        </caption>
        <thead>
          <tr>
            <td />
            <td className="jp-JaxprTime-boxes" />
            <th scope="col">{trans.__('median')}</th>
            <th scope="col">{trans.__('quartiles')}</th>
            <th scope="col" className="jp-JaxprTime-wide">
              {trans.__('fastest call')}
            </th>
            <th scope="col" className="jp-JaxprTime-wide">
              {trans.__('time until the call returns')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, time }) => (
            <tr key={key} className={`jp-mod-${key}`}>
              <th scope="row">{label}</th>
              <td className="jp-JaxprTime-boxes" aria-hidden="true">
                {time !== null && <Box time={time} longest={longest} />}
              </td>
              {time === null ? (
                <td colSpan={4} className="jp-JaxprTime-none">
                  {trans.__('not measured')}
                </td>
              ) : (
                <>
                  <td>{duration(time.median)}</td>
                  <td className="jp-JaxprTime-half">
                    {middleHalf(time, trans)}
                  </td>
                  <td className="jp-JaxprTime-wide">
                    {duration(time.minimum)}
                  </td>
                  <td className="jp-JaxprTime-wide">
                    {duration(time.dispatch)}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {warm !== null && (
        <p>
          <Stretches parts={stretches(dispatchWords(warm, trans))} />
        </p>
      )}
      <p className="jp-JaxprPanel-small">
        {eager !== null && `${eagerCallsWords(eager, trans)} `}
        {warm !== null && `${warmCallsWords(warm, trans)} `}
        {trans.__('Each call is timed until its result is ready.')}
      </p>
      {notes.length > 0 && (
        <ul
          className="jp-JaxprTime-notes"
          aria-label={trans.__('About the measurement')}
        >
          {notes.map((note, at) => (
            <li key={at}>{shortened(note, LONGEST)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The median as a bar, the 25 % to 75 % range as a bracket over it, the fastest run as a tick. */
function Box(props: { time: WarmTime; longest: number }): JSX.Element | null {
  const { time, longest } = props;
  if (longest <= 0) {
    return null;
  }
  const at = (seconds: number): string => `${(100 * seconds) / longest}%`;
  return (
    <span className="jp-JaxprTime-box">
      <span
        className="jp-JaxprTime-median"
        style={{ width: at(time.median) }}
      />
      <span
        className="jp-JaxprTime-bracket"
        style={{ left: at(time.lower), width: at(time.upper - time.lower) }}
      />
      <span
        className="jp-JaxprTime-fastest"
        style={{ left: at(time.minimum) }}
      />
    </span>
  );
}
