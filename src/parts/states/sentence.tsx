/** Draws a message about an error: an icon, a title and a sentence. */
import * as React from 'react';

import { Icon } from '../icons';

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
