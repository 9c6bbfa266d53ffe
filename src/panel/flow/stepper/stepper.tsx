/**
 * A card of control flow comes in; its stepper goes out: the button that runs it again, and what was recorded.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Control } from '../../../protocol/snapshot';
import { IJaxprModel } from '../../../tokens';
import { Asking } from './asking';
import { Recorded } from './recorded';
import { useStepping } from './use-stepping';

export function Stepper(props: {
  model: IJaxprModel;
  card: Control;
  /** Of the card in the document's control_flow. */
  index: number;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, card, index, trans } = props;
  const stepping = useStepping(model);
  const { snapshot } = model;
  if (snapshot === null) {
    return null;
  }
  const recording = stepping.recordingOf(snapshot, index);
  const place = stepping.placeOf(snapshot, index);
  return (
    <section
      className="jp-JaxprStepper"
      aria-label={trans.__('Steps of %1', nameOf(card))}
    >
      {recording !== null && (
        <Recorded
          key={`${snapshot.id} ${index}`}
          card={card}
          recording={recording}
          place={place}
          move={where => stepping.moveTo(snapshot, index, where)}
          trans={trans}
        />
      )}
      <Asking
        model={model}
        snapshot={snapshot}
        card={card}
        index={index}
        stepping={stepping}
        again={recording !== null}
        trans={trans}
      />
    </section>
  );
}

/** `scan step`, `while_loop`. */
function nameOf(card: Control): string {
  return card.title === '' ? card.kind : `${card.kind} ${card.title}`;
}
