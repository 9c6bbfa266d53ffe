/** The values of one step: carries before and after, then the other values. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { GOES_ON } from '../../../protocol/steps';
import { Leaf } from '../../../protocol/snapshot';
import { grouped } from '../../../quantities';
import { Steady, widestOf } from '../../../parts/reserved-width';
import { shortened } from '../../../parts/summary';
import { ArrayPicture, LARGEST_DRAWN, isDrawn } from './array-picture';
import { IStep, Walk } from './places';
import {
  leafAt,
  leafName,
  roleWords,
  shortValue,
  summaryOf,
  valueText,
  widestName
} from './words';

/** The largest number of leaves that are shown until the user asks for more. */
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
  const otherLeaves =
    step.number === 0 ? [] : shown.filter(({ role }) => !GOES_ON.has(role));
  const branch =
    step.number === 0 ? '' : shortened(branch_taken[step.point] ?? '', 80);
  const number = grouped(step.number);
  const most = grouped(walk.mostSteps);
  const columns = goOn.length > 0 && step.number > 0 ? 2 : 1;
  const hasRows = goOn.length > 0 || otherLeaves.length > 0 || branch !== '';
  return (
    <>
      {hasRows && (
        <table className="jp-JaxprStepper-values">
          <thead>
            <tr>
              <th scope="col">{trans.__('leaf')}</th>
              {goOn.length === 0 ? (
                <th scope="col">
                  {walk.byCalls ? (
                    <Steady widest={trans.__('value in execution %1', most)}>
                      {trans.__('value in execution %1', number)}
                    </Steady>
                  ) : (
                    <Steady widest={trans.__('value in step %1', most)}>
                      {trans.__('value in step %1', number)}
                    </Steady>
                  )}
                </th>
              ) : step.number === 0 ? (
                <th scope="col">
                  {trans.__('value before and after the loop')}
                </th>
              ) : (
                <>
                  <th scope="col">
                    <Steady widest={trans.__('before step %1', most)}>
                      {trans.__('before step %1', number)}
                    </Steady>
                  </th>
                  <th scope="col">
                    <Steady widest={trans.__('after step %1', most)}>
                      {trans.__('after step %1', grouped(step.afterStep))}
                    </Steady>
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
                  widest=""
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
          <tbody className="jp-mod-inStep">
            {branch !== '' && (
              <tr className="jp-mod-branch">
                <th scope="row">{trans.__('branch taken')}</th>
                <td colSpan={columns}>
                  <Steady widest={widestOf(branch_taken)}>
                    <b>{branch}</b>
                  </Steady>
                </td>
              </tr>
            )}
            {otherLeaves.map((leaf, at) => (
              <tr key={at}>
                <Name
                  name={leafAt(walk, leaf, step, trans)}
                  widest={widestName(walk, leaf, trans)}
                  leaf={leaf}
                  trans={trans}
                />
                <Value
                  leaf={leaf}
                  index={walk.before(leaf, step)}
                  columns={columns}
                  trans={trans}
                />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {shown.some(leaf => leaf.elements > LARGEST_DRAWN) && (
        <p className="jp-JaxprPanel-small">
          {trans.__(
            'An array with more than %1 elements has no picture, because the stepper keeps only the first elements and a summary of the array.',
            LARGEST_DRAWN
          )}
        </p>
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
  /** The longest name that the leaf has at any step. */
  widest: string;
  leaf: Leaf;
  trans: TranslationBundle;
}): JSX.Element {
  const { name, widest, leaf, trans } = props;
  const role = roleWords(leaf.role, trans);
  return (
    <th scope="row">
      <code>
        <Steady widest={widest}>{name}</Steady>
      </code>{' '}
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
  /** The number of columns that the value spans. */
  columns?: number;
  trans: TranslationBundle;
}): JSX.Element {
  const { leaf, index, columns, trans } = props;
  const widest = roomOf(leaf, trans);
  const whole = valueText(leaf, index);
  const short = shortValue(leaf, index);
  return (
    <td colSpan={columns}>
      {isDrawn(leaf) ? (
        <ArrayPicture leaf={leaf} index={index} trans={trans} />
      ) : (
        <code title={short === whole ? undefined : whole}>
          <Steady widest={widest.value}>{short}</Steady>
        </code>
      )}
      {widest.summary !== '' && (
        <span className="jp-JaxprStepper-summary">
          <Steady widest={widest.summary}>
            {summaryOf(leaf, index, trans)}
          </Steady>
        </span>
      )}
    </td>
  );
}

/** The longest texts that a leaf has in the recording, for which its row reserves space. */
function roomOf(
  leaf: Leaf,
  trans: TranslationBundle
): { value: string; summary: string } {
  let room = ROOMS.get(leaf);
  if (room === undefined) {
    const places = [...leaf.texts.keys()];
    room = {
      value: widestOf(places.map(index => shortValue(leaf, index))),
      summary: widestOf(places.map(index => summaryOf(leaf, index, trans)))
    };
    ROOMS.set(leaf, room);
  }
  return room;
}

const ROOMS = new WeakMap<Leaf, { value: string; summary: string }>();
