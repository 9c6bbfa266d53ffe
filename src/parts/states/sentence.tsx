/** A sentence with an icon for an error. */
import * as React from 'react';

import { Icon } from '../icons';

/** A sentence with an icon for an error. */
export function Sentence(props: {
  title: string;
  children: React.ReactNode;
}): JSX.Element {
  return (
    <div className="jp-JaxprPanel-banner jp-mod-error" role="status">
      <Icon name="error" />
      <p>
        <b>{props.title}</b>
        <br />
        <span className="jp-JaxprPanel-second">{props.children}</span>
      </p>
    </div>
  );
}
