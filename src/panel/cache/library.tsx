/** One line on the misses of functions that JAX or packages jitted; it unfolds to the names of the functions. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Ledger } from '../../protocol/snapshot';
import { grouped } from '../../quantities';
import { shortened } from '../../parts/summary';

export function Library(props: {
  ledger: Ledger;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { ledger, trans } = props;
  const [open, setOpen] = React.useState(false);
  const id = React.useId();
  const names = ledger.library_functions;
  const misses = ledger.library_misses;
  if (misses === 0 && names.length === 0) {
    return null;
  }
  return (
    <div className="jp-JaxprPanel-small jp-JaxprCache-library">
      {trans._n(
        '%2 cache miss of functions inside JAX or other packages is not counted above.',
        '%2 cache misses of functions inside JAX or other packages are not counted above.',
        misses,
        grouped(misses)
      )}{' '}
      {names.length > 0 && (
        <button
          className="jp-JaxprPanel-link"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          {open
            ? trans.__('Hide the library functions')
            : trans.__('Show the library functions')}
        </button>
      )}
      <ul id={id} hidden={!open}>
        {open &&
          names.map((name, at) => (
            <li key={at}>
              <code>{shortened(name, 80)}</code>
            </li>
          ))}
      </ul>
    </div>
  );
}
