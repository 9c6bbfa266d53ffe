/** The table of a construct's values: role, path, types. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Control, Slot } from '../../protocol/snapshot';
import { shortened } from '../../parts/summary';
import { Reading } from './cards-of-program';
import { cardName, isBranch, isNamed } from './words';

/** A longer table shows this many rows until the user asks for more. */
const SHOWN_FIRST = 10;
/** The table has at most this many leaves; the Program view has all. */
const MOST = 500;
const LONGEST_PATH = 120;

/** The order of the roles: carries first, constants last. */
const ORDER: Record<Slot['role'], number> = {
  carry: 0,
  xs: 1,
  ys: 2,
  operand: 3,
  result: 4,
  const: 5
};

export function Slots(props: {
  reading: Reading;
  control: Control;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { reading, control, trans } = props;
  const [all, setAll] = React.useState(false);
  const slots = [...control.slots].sort(
    (a, b) => ORDER[a.role] - ORDER[b.role]
  );
  if (slots.length === 0) {
    return null;
  }
  const shown =
    all || slots.length <= SHOWN_FIRST + 2
      ? slots.slice(0, MOST)
      : slots.slice(0, SHOWN_FIRST);
  const heads = headsOf(control, trans);
  return (
    <div className="jp-JaxprFlow-values">
      <table
        className="jp-JaxprFlow-slots"
        aria-label={trans.__('Values of %1', cardName(reading, control, trans))}
      >
        <thead>
          <tr>
            {heads.map(head => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((slot, i) => (
            // Values have no identity, so their index is the key; a new document makes a new card.
            <Row
              key={i}
              slot={slot}
              columns={heads.length}
              reading={reading}
              control={control}
              trans={trans}
            />
          ))}
        </tbody>
      </table>
      {shown.length < slots.length && (
        <button className="jp-JaxprPanel-link" onClick={() => setAll(true)}>
          {trans.__('Show all %1 values', slots.length)}
        </button>
      )}
    </div>
  );
}

/**
 * The headings of the table. A loop has two columns with types: in one step and in all steps, or before and after a
 * while loop. A branch or a named scope has one.
 */
function headsOf(control: Control, trans: TranslationBundle): string[] {
  const start = [trans.__('role'), trans.__('leaf')];
  if (isBranch(control) || isNamed(control)) {
    return [...start, trans.__('type')];
  }
  return control.primitive === 'while'
    ? [
        ...start,
        trans.__('type before the loop'),
        trans.__('type after the loop')
      ]
    : [...start, trans.__('type in one step'), trans.__('type in all steps')];
}

function Row(props: {
  slot: Slot;
  columns: number;
  reading: Reading;
  control: Control;
  trans: TranslationBundle;
}): JSX.Element {
  const { slot, columns, reading, control, trans } = props;
  const { role, path, step, whole, out } = slot;
  const same = <td className="jp-mod-same">{trans.__('same type')}</td>;
  const type = (aval: number): JSX.Element => (
    <td className="jp-mod-type">{shortened(reading.wholeType(aval), 200)}</td>
  );
  // A carry that only loses its weak type does not count as changed.
  const changed = role === 'carry' && reading.type(out) !== reading.type(step);
  const asBefore =
    control.primitive === 'while' &&
    role === 'carry' &&
    reading.wholeType(out) === reading.wholeType(step);
  const variable = reading.nameOf(control, slot);
  const last = changed ? (
    <td className="jp-mod-type jp-mod-changed">
      <b>{shortened(reading.wholeType(out), 200)}</b>{' '}
      <span>{trans.__('type changed')}</span>
    </td>
  ) : role === 'const' || asBefore ? (
    same
  ) : (
    type(role === 'carry' ? out : whole)
  );
  return (
    <tr>
      <td>{roleWords(role, trans)}</td>
      <td className="jp-mod-path">
        {path !== '' ? (
          shortened(path, LONGEST_PATH)
        ) : variable !== null ? (
          <span
            title={trans.__(
              'The path of the leaf is unknown. The table shows the name of the variable in the program.'
            )}
          >
            {shortened(variable, LONGEST_PATH)}
          </span>
        ) : (
          <span className="jp-mod-unknown">{trans.__('unknown')}</span>
        )}
      </td>
      {type(step)}
      {columns > 3 && last}
    </tr>
  );
}

function roleWords(role: Slot['role'], trans: TranslationBundle): string {
  switch (role) {
    case 'const':
      return trans.__('const');
    case 'carry':
      return trans.__('carry');
    case 'xs':
      return trans.__('xs');
    case 'ys':
      return trans.__('ys');
    case 'operand':
      return trans.__('operand');
    case 'result':
      return trans.__('result');
  }
}
