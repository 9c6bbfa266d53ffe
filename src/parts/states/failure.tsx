/** Shows a failure of the extension, with a text that the user can report. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IFailure } from '../../tokens';
import { Icon } from '../icons';

export function Failure(props: {
  failure: IFailure;
  dismiss: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { failure, dismiss, trans } = props;
  return (
    <div className="jp-JaxprPanel-banner jp-mod-error" role="alert">
      <Icon name="error" />
      <div>
        <b>{failure.text}</b>
        {failure.cure !== null && (
          <p className="jp-JaxprPanel-second">{failure.cure}</p>
        )}
        {failure.detail !== null && (
          <details>
            <summary>{trans.__('Details')}</summary>
            <pre tabIndex={0}>{failure.detail}</pre>
          </details>
        )}
      </div>
      <button
        className="jp-JaxprPanel-action"
        aria-label={trans.__('Dismiss')}
        title={trans.__('Dismiss')}
        onClick={dismiss}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
