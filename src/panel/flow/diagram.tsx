/** Shows the drawing of a card as a picture that can be saved and copied. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Picture } from '../../parts/picture';
import { drawingOf } from './card-drawing';
import { ICard, Reading } from './cards-of-program';
import { drawingWords, titleOf } from './words';

export function Diagram(props: {
  reading: Reading;
  card: ICard;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { reading, card, trans } = props;
  const { control } = card;
  const draw = React.useCallback(
    (width: number) => drawingOf(reading, card, width, trans),
    [reading, card, trans]
  );
  return (
    <Picture
      draw={draw}
      words={drawingWords(reading, control, trans)}
      file={[control.kind, titleOf(control)].filter(Boolean).join('-')}
      trans={trans}
    />
  );
}
