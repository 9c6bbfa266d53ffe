/**
 * Names the cells of a run that were edited or deleted since the run. The text covers the end of the header's line and
 * takes no space, so that nothing below moves when the text appears.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IUnlinked, screenStateOf } from '../model/screen-state';
import { IJaxprModel } from '../tokens';
import { listOf } from './list-of';

export function EditedSince(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, trans } = props;
  const screenState = screenStateOf(model);
  const [, setTurn] = React.useState(0);
  React.useEffect(() => {
    const changed = (): void => setTurn(turn => turn + 1);
    screenState.unlinkedChanged.connect(changed);
    changed();
    return () => void screenState.unlinkedChanged.disconnect(changed);
  }, [screenState]);
  const { unlinked } = screenState;
  return (
    <span
      className="jp-JaxprPanel-edited"
      role="status"
      title={unlinked.map(cell => sentence(cell, trans)).join('\n')}
    >
      {listOf(
        unlinked.map(cell => word(cell, trans)),
        trans
      )}
    </span>
  );
}

function word(
  { executionCount, reason, isOwn }: IUnlinked,
  trans: TranslationBundle
): string {
  if (isOwn || executionCount === null) {
    return reason === 'edited'
      ? trans.__('cell edited after the run')
      : trans.__('cell deleted');
  }
  return reason === 'edited'
    ? trans.__('cell [%1] edited after the run', executionCount)
    : trans.__('cell [%1] deleted', executionCount);
}

function sentence(
  { executionCount, reason }: IUnlinked,
  trans: TranslationBundle
): string {
  if (reason === 'edited') {
    return executionCount === null
      ? trans.__(
          'A cell was edited after this run. Edited text has no links and no types; all other links and types are those of the run.'
        )
      : trans.__(
          'Cell [%1] was edited after this run. Edited text has no links and no types; all other links and types are those of the run.',
          executionCount
        );
  }
  return executionCount === null
    ? trans.__('The notebook no longer has a cell of this run.')
    : trans.__(
        'The notebook no longer has cell [%1] of this run.',
        executionCount
      );
}
