/** Draws the sign of a call's outcome: a hit, a compile, or an outcome in between. */
import * as React from 'react';

import { LedgerMiss } from '../../protocol/snapshot';

/**
 * The sign of an outcome: a filled diamond for a compile, a ring for a hit, an open diamond for outcomes in between. A
 * word always stands beside it.
 */
export function Sign(props: { outcome: LedgerMiss['outcome'] }): JSX.Element {
  return (
    <span
      className={`jp-JaxprCache-sign jp-mod-${props.outcome}`}
      aria-hidden="true"
    />
  );
}
