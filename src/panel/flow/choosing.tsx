/** A card, or none, comes in; the decision table goes out, with the row that fits the card marked. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Icon } from '../../parts/icons';

interface IRow {
  name: string;
  when: string;
  use: string;
  why: string;
}

/** The rows by the names that cards have for them. */
function rowsOf(trans: TranslationBundle): IRow[] {
  return [
    {
      name: 'flag',
      when: trans.__('A choice that is known before the call: a flag, a mode'),
      use: trans.__('Python if, with the flag static'),
      why: trans.__(
        'Only the chosen side is in the program. Each other value of the flag compiles anew.'
      )
    },
    {
      name: 'branch',
      when: trans.__('A choice that depends on values of arrays'),
      use: 'jax.lax.cond, jax.lax.switch',
      why: trans.__(
        'Both sides are in the program, one of them runs. Under vmap with a batched predicate both run.'
      )
    },
    {
      name: 'elementwise',
      when: trans.__('A choice for each element of an array'),
      use: 'jnp.where',
      why: trans.__(
        'Both sides are computed for every element. Keep the side that is not chosen free of NaN, or gradients are NaN.'
      )
    },
    {
      name: 'short',
      when: trans.__('A loop of at most 10 steps, their number fixed'),
      use: trans.__('Python for'),
      why: trans.__(
        'The body is written out once a step, so XLA can fuse across steps. More steps take longer to compile.'
      )
    },
    {
      name: 'long',
      when: trans.__('A loop of many steps, their number fixed'),
      use: 'jax.lax.fori_loop, jax.lax.scan',
      why: trans.__(
        'The body is in the program once, so compiling takes as long for 10 steps as for 10,000.'
      )
    },
    {
      name: 'open',
      when: trans.__('A loop until something holds'),
      use: 'jax.lax.while_loop',
      why: trans.__(
        'It ends by its own values. Only forward-mode differentiation goes through it: jvp, not grad.'
      )
    },
    {
      name: 'outputs',
      when: trans.__('A loop with an output at each step'),
      use: 'jax.lax.scan',
      why: trans.__(
        'Outputs are stacked on a first axis, and grad works. The number of steps is fixed when it is traced.'
      )
    }
  ];
}

export function Choosing(props: {
  /** The card that it was opened from; null for none. */
  of: { name: string; choice: string | null; reason: string | null } | null;
  back: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { of, back, trans } = props;
  const button = React.useRef<HTMLButtonElement>(null);
  React.useEffect(() => {
    button.current?.focus();
  }, []);
  const rows = rowsOf(trans);
  const fits = rows.find(row => row.name === of?.choice) ?? null;
  return (
    <div
      className="jp-JaxprFlow-choosing"
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          back();
        }
      }}
    >
      <button
        ref={button}
        className="jp-JaxprPanel-button jp-JaxprFlow-back"
        onClick={back}
      >
        <Icon name="caret" />
        {trans.__('Back')}
      </button>
      <h2>{trans.__('Which one to choose')}</h2>
      <p className="jp-JaxprFlow-verdict">
        {of === null ? (
          trans.__('Start from what decides: a flag, values, or a count.')
        ) : fits === null ? (
          trans.__('No row fits %1 for sure. Compare it with these.', of.name)
        ) : (
          <>
            <b>{trans.__('For %1: %2.', of.name, fits.use)}</b> {of.reason}
          </>
        )}
      </p>
      {/* Roles in words: in a narrow panel its rows are blocks, and browsers take that for no table. */}
      <table
        className="jp-JaxprFlow-decision"
        role="table"
        aria-label={trans.__('Decision table')}
      >
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              {trans.__('what it is')}
            </th>
            <th role="columnheader" scope="col">
              {trans.__('use')}
            </th>
            <th role="columnheader" scope="col">
              {trans.__('because')}
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(row => (
            <tr
              role="row"
              key={row.name}
              data-row={row.name}
              aria-current={row === fits ? 'true' : undefined}
            >
              <td role="cell">
                {row.when}
                {row === fits && (
                  <span className="jp-JaxprFlow-fits">{trans.__('fits')}</span>
                )}
              </td>
              <td role="cell" className="jp-mod-use">
                {row.use}
              </td>
              <td role="cell">{row.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
