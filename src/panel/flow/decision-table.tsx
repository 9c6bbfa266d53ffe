/** Shows the table that helps to choose a construct; the row that fits the user's card is marked. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Icon } from '../../parts/icons';
import { choiceWords } from './words';

interface IRow {
  name: string;
  when: string;
  use: string;
  why: string;
}

/** Makes the rows of the table. A row fits the cards whose field `choice` equals the row's `name`, such as `flag`. */
function rowsOf(trans: TranslationBundle): IRow[] {
  return [
    {
      name: 'flag',
      when: trans.__('A choice that is known before the call: a flag, a mode'),
      use: trans.__('Python if, with a static argument'),
      why: trans.__(
        'The program holds only the chosen side. JAX compiles again for each new value of the argument.'
      )
    },
    {
      name: 'branch',
      when: trans.__('A choice that depends on values of arrays'),
      use: trans.__('jax.lax.cond or jax.lax.switch'),
      why: trans.__(
        'The program holds all branches, and one branch runs. Under vmap with a batched predicate, all branches run.'
      )
    },
    {
      name: 'elementwise',
      when: trans.__('A choice for each element of an array'),
      use: 'jnp.where',
      why: trans.__(
        'Both sides are computed for every element. Keep the unchosen side free of NaN, or gradients are NaN.'
      )
    },
    {
      name: 'short',
      when: trans.__('A loop with a fixed number of iterations, at most 10'),
      use: trans.__('Python for'),
      why: trans.__(
        'Tracing unrolls the body once for each iteration, so XLA can fuse across iterations. More iterations take longer to compile.'
      )
    },
    {
      name: 'long',
      when: trans.__('A loop with a fixed number of steps'),
      use: trans.__('jax.lax.fori_loop or jax.lax.scan'),
      why: trans.__(
        'The program holds the body once, so 10,000 steps compile as fast as 10 steps.'
      )
    },
    {
      name: 'open',
      when: trans.__('A loop that runs until a condition is met'),
      use: 'jax.lax.while_loop',
      why: trans.__(
        'The values decide when the loop ends. Only forward-mode differentiation works through the loop: jvp, not grad.'
      )
    },
    {
      name: 'outputs',
      when: trans.__('A loop with an output at each step'),
      use: 'jax.lax.scan',
      why: trans.__(
        'The outputs are stacked along a new first axis, and grad works. The trace fixes the number of steps.'
      )
    }
  ];
}

export function Choosing(props: {
  /** The card from which the user opened the table; null for none. */
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
        {trans.__('Back to control flow')}
      </button>
      <h2>{choiceWords(trans)}</h2>
      <p className="jp-JaxprFlow-verdict">
        {of === null ? (
          trans.__(
            'First find what makes the choice: a flag, values of arrays, or a number of steps.'
          )
        ) : fits === null ? (
          trans.__(
            'The panel cannot tell which construct to use for %1. Compare the situations in the table.',
            of.name
          )
        ) : (
          <>
            <b>{trans.__('For %1, use %2.', of.name, fits.use)}</b> {of.reason}
          </>
        )}
      </p>
      {/* ARIA roles are set explicitly: in a narrow panel the rows are blocks, and browsers then do not treat the
          element as a table. */}
      <table
        className="jp-JaxprFlow-decision"
        role="table"
        aria-label={trans.__('Decision table')}
      >
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              {trans.__('situation')}
            </th>
            <th role="columnheader" scope="col">
              {trans.__('JAX function to use')}
            </th>
            <th role="columnheader" scope="col">
              {trans.__('reason')}
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
                  <span className="jp-JaxprFlow-fits">
                    {trans.__('fits this construct')}
                  </span>
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
