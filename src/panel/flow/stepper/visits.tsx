/** Lets the user choose a visit of a loop that was entered more than once, by the step of the outer loop. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IPlace } from '../../../model/stepping';
import { grouped } from '../../../quantities';
import { Walk } from './places';
import { visitWords } from './words';

export function Visits(props: {
  walk: Walk;
  place: IPlace;
  goTo: (place: IPlace) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { walk, place, goTo, trans } = props;
  const { visits, visits_total } = walk.recording;
  const options = React.useMemo(
    () =>
      visits.map((visit, index) => (
        <option key={index} value={index}>
          {visitWords(visit, index, trans)}
        </option>
      )),
    [visits, trans]
  );
  return (
    <label className="jp-JaxprStepper-visits">
      <span className="jp-JaxprPanel-small">
        {trans._n(
          'loop entered %2 time',
          'loop entered %2 times',
          visits_total,
          grouped(visits_total)
        )}
      </span>
      <select
        value={place.visit}
        aria-label={trans.__('Choose an entry into the loop')}
        onChange={event =>
          goTo({ visit: Number(event.target.value), offset: 0 })
        }
      >
        {options}
      </select>
    </label>
  );
}
