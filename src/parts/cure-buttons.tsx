/** The buttons that apply a cure to the notebook, or a sentence on why the cure cannot be applied. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import {
  ICellEditing,
  Standing,
  applyCure,
  editingOf,
  insertCure,
  standingOf
} from '../model/applied-cures';
import { IEditPlace } from '../model/places-of-edits';
import { Cure, Snapshot } from '../protocol/snapshot';
import { IJaxprModel } from '../tokens';
import { missingCellWords } from './missing-cell';
import { shortened } from './summary';

/** The entry of a document that has the cure, such as a note or a miss. */
export interface ICureOf {
  model: IJaxprModel;
  snapshot: Snapshot;
}

/** Returns where a cure edits the code: `Cell [3], line 4`. */
export function editPlaceWords(
  { file, executionCount, lines }: IEditPlace,
  trans: TranslationBundle
): string {
  const listed = lines.join(', ');
  if (file.kind !== 'cell') {
    const path = shortened(file.path.split(/[\\/]/).pop() ?? file.path, 60);
    return trans._n('%2, line %3', '%2, lines %3', lines.length, path, listed);
  }
  return executionCount === null
    ? trans._n('Line %2', 'Lines %2', lines.length, listed)
    : trans._n(
        'Cell [%2], line %3',
        'Cell [%2], lines %3',
        lines.length,
        executionCount,
        listed
      );
}

/** The buttons of a cure that is an edit. If a button is missing, a sentence says why. */
export function CureActs(
  props: ICureOf & {
    place: IEditPlace;
    level: Cure['level'];
    trans: TranslationBundle;
  }
): JSX.Element | null {
  const { model, snapshot, place, level, trans } = props;
  const editing = editingOf(model);
  const [done, setDone] = React.useState<'applied' | 'inserted' | null>(null);
  useCells(editing);
  if (editing === null) {
    return null;
  }
  const standing = standingOf(editing, snapshot, place);
  const apply = (): void =>
    setDone(applyCure(editing, snapshot, place, level) ? 'applied' : null);
  const insert = (): void =>
    setDone(insertCure(editing, snapshot, place, level) ? 'inserted' : null);
  // When the user has undone the edit, the cure can be applied again.
  const isDone =
    done === 'inserted' || (done === 'applied' && standing.kind !== 'applies');
  return (
    <p className="jp-JaxprCures-acts">
      {standing.kind === 'applies' && (
        <button
          className="jp-JaxprPanel-button"
          title={trans.__('The button edits the cell and runs no code.')}
          onClick={event => {
            event.stopPropagation();
            apply();
          }}
        >
          {trans.__('Apply to the cell')}
        </button>
      )}
      {standing.kind !== 'none' && (
        <button
          className="jp-JaxprPanel-button"
          title={trans.__(
            'The button puts the edited text into a new cell below and runs no code.'
          )}
          onClick={event => {
            event.stopPropagation();
            insert();
          }}
        >
          {trans.__('Insert as a new cell')}
        </button>
      )}
      <span role="status" className="jp-JaxprPanel-second">
        {isDone && done !== null
          ? doneWords(done, level, trans)
          : whyWords(standing, place, trans)}
      </span>
    </p>
  );
}

/** Redraws the component when a cell of the notebook is edited, added or deleted. */
function useCells(editing: ICellEditing | null): void {
  const [, draw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    editing?.changed.connect(draw);
    return () => {
      editing?.changed.disconnect(draw);
    };
  }, [editing]);
}

/** The sentence that is shown after the edit: what the user can do next. */
function doneWords(
  done: 'applied' | 'inserted',
  level: Cure['level'],
  trans: TranslationBundle
): string {
  const undo = /mac/i.test(navigator.platform) ? '⌘Z' : 'Ctrl+Z';
  if (done === 'inserted') {
    return level === 'choice'
      ? trans.__(
          'A new cell has the edited text. Replace the names in capitals, then press Shift+Enter to run the cell.'
        )
      : trans.__(
          'A new cell has the edited text. Press Shift+Enter to run the cell.'
        );
  }
  return level === 'choice'
    ? trans.__(
        'The cure was applied. Replace the names in capitals, then press Shift+Enter to run the cell again. %1 undoes the change.',
        undo
      )
    : trans.__(
        'The cure was applied. Press Shift+Enter to run the cell again. %1 undoes the change.',
        undo
      );
}

/** The reason why a cure cannot be applied; empty if it can be applied. */
function whyWords(
  standing: Standing,
  place: IEditPlace,
  trans: TranslationBundle
): string {
  if (standing.kind === 'applies') {
    return '';
  }
  switch (standing.why) {
    case 'changed':
      return trans.__(
        'The cell was edited after this run. Run the cell again.'
      );
    case 'read-only':
      return trans.__('The cell is read-only.');
    case 'file':
      return trans.__(
        'The code is in a file. Edit line %1 of %2.',
        place.lines[0],
        shortened(place.file.path, 200)
      );
    case 'other-life':
      return trans.__(
        'This run comes from a saved copy or from an earlier kernel. Run the cell again to apply the cure.'
      );
    case 'gone':
      return missingCellWords(trans);
    case 'unknown-place':
      return trans.__(
        'The panel does not know the place of the cure in the cell. Edit the cell by hand.'
      );
  }
}
