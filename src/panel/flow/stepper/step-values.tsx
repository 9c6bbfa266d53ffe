/** The values of one step: carries before and after, then the other values. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { GOES_ON } from '../../../protocol/recording';
import { Leaf } from '../../../protocol/snapshot';
import { grouped } from '../../../quantities';
import { shortened } from '../../../parts/summary';
import { IStep, Walk } from './places';
import { leafAt, leafName, roleWords, summaryOf, valueText } from './words';

/** More leaves than these are shown when they are asked for. */
const FIRST_LEAVES = 40;

export function StepValues(props: {
  walk: Walk;
  step: IStep;
  trans: TranslationBundle;
}): JSX.Element {
  const { walk, step, trans } = props;
  const { leaves } = walk;
  const { branch_taken } = walk.recording;
  const [whole, setWhole] = React.useState(false);
  const shown = whole ? leaves : leaves.slice(0, FIRST_LEAVES);
  const goOn = shown.filter(({ role }) => GOES_ON.has(role));
  const others =
    step.number === 0 ? [] : shown.filter(({ role }) => !GOES_ON.has(role));
  const branch =
    step.number === 0 ? '' : shortened(branch_taken[step.point] ?? '', 80);
  const number = grouped(step.number);
  return (
    <>
      {goOn.length > 0 && (
        <table className="jp-JaxprStepper-values">
          <thead>
            <tr>
              <th scope="col">{trans.__('leaf')}</th>
              {step.number === 0 ? (
                <th scope="col">{trans.__('in and out')}</th>
              ) : (
                <>
                  <th scope="col">{trans.__('before step %1', number)}</th>
                  <th scope="col">
                    {step.afterStep === step.number
                      ? trans.__('after')
                      : trans.__('after step %1', grouped(step.afterStep))}
                  </th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {goOn.map((leaf, at) => (
              <tr key={at}>
                <Name
                  name={leafName(walk, leaf, trans)}
                  leaf={leaf}
                  trans={trans}
                />
                <Value
                  leaf={leaf}
                  index={walk.before(leaf, step)}
                  trans={trans}
                />
                {step.number > 0 && (
                  <Value
                    leaf={leaf}
                    index={walk.after(leaf, step)}
                    trans={trans}
                  />
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(others.length > 0 || branch !== '') && (
        <table className="jp-JaxprStepper-values jp-mod-inStep">
          <thead>
            <tr>
              <th scope="col">{trans.__('leaf')}</th>
              <th scope="col">
                {walk.byCalls
                  ? trans.__('in execution %1', number)
                  : trans.__('in step %1', number)}
              </th>
            </tr>
          </thead>
          <tbody>
            {branch !== '' && (
              <tr className="jp-mod-branch">
                <th scope="row">{trans.__('branch taken')}</th>
                <td>
                  <b>{branch}</b>
                </td>
              </tr>
            )}
            {others.map((leaf, at) => (
              <tr key={at}>
                <Name
                  name={leafAt(walk, leaf, step, trans)}
                  leaf={leaf}
                  trans={trans}
                />
                <Value
                  leaf={leaf}
                  index={walk.before(leaf, step)}
                  trans={trans}
                />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!whole && leaves.length > FIRST_LEAVES && (
        <button className="jp-JaxprPanel-button" onClick={() => setWhole(true)}>
          {trans.__('Show all %1 leaves', grouped(leaves.length))}
        </button>
      )}
    </>
  );
}

function Name(props: {
  name: string;
  leaf: Leaf;
  trans: TranslationBundle;
}): JSX.Element {
  const { name, leaf, trans } = props;
  const role = roleWords(leaf.role, trans);
  return (
    <th scope="row">
      <code>{name}</code>{' '}
      <span className="jp-JaxprStepper-kind">
        {name !== role && leaf.role !== 'carry' && <>{role} </>}
        <code className="jp-JaxprPanel-type">{shortened(leaf.type, 60)}</code>
      </span>
    </th>
  );
}

function Value(props: {
  leaf: Leaf;
  index: number;
  trans: TranslationBundle;
}): JSX.Element {
  const { leaf, index, trans } = props;
  const summary = summaryOf(leaf, index, trans);
  return (
    <td>
      <code>{valueText(leaf, index)}</code>
      {summary !== '' && (
        <span className="jp-JaxprStepper-summary">{summary}</span>
      )}
    </td>
  );
}
