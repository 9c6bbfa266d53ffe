/** The Notes view: for each note the fact, where it is, its reason, and its cure. */
import { Clipboard } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ScreenState } from '../../model/screen-state';

import { screenStateOf } from '../../model/screen-state';
import { hasNotesToCure, tryCures } from '../../model/cure-trials';
import { EvaluableText } from '../../protocol/evaluable';
import { Note, Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { CodeExcerpt } from '../../parts/code-excerpt';
import { CureActs, editPlaceWords } from '../../parts/cure-buttons';
import { Cures, appliedPlace, levelWords } from '../../parts/cures';
import { Icon, IconName } from '../../parts/icons';
import { VisibilityReportingWidget } from '../../parts/visibility-reporting-widget';
import { excerptOf } from './note-code';
import { Insert } from '../../parts/states/empty';
import { INotePlace, notePlace, shortened } from '../../parts/summary';

/** Longer details are cut: text that was printed during a trace may contain a whole array many times. */
const LONGEST_DETAIL = 20_000;

const ICONS: Record<string, IconName> = {
  printed_while_tracing: 'printed',
  captured_constant: 'constant',
  stale_value: 'constant',
  equal_static: 'constant',
  frozen_call: 'constant',
  frozen_change: 'constant',
  eager_compiles: 'refresh',
  unrolled_loop: 'refresh',
  short_loop: 'flow',
  leaked_tracer: 'error',
  trace_raised: 'error',
  raised: 'error',
  failed: 'error'
};

/** Draws the Notes view, and draws it again when the runs, the program in view or the kernel's status change. */
export class NotesView extends VisibilityReportingWidget {
  constructor(
    private _trans: TranslationBundle,
    private _insert: Insert
  ) {
    super(['snapshots', 'program', 'status']);
    this.addClass('jp-JaxprNotes');
  }

  protected render(): JSX.Element | null {
    return this.model === null ? null : (
      <Notes model={this.model} insert={this._insert} trans={this._trans} />
    );
  }

  protected reportVisibility(screenState: ScreenState, isSeen: boolean): void {
    screenState.see(this, isSeen);
  }
}

export function Notes(props: {
  model: IJaxprModel;
  insert: Insert;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, insert, trans } = props;
  const { snapshot } = model;
  React.useEffect(() => {
    // The kernel tries the rewrites once for each run. Rewrites that the kernel had no time for are only tried at the
    // user's request.
    if (snapshot !== null && hasNotesToCure(snapshot)) {
      void tryCures(model, snapshot, false);
    }
  }, [model, snapshot]);
  const notes = snapshot?.notes ?? [];
  if (notes.length === 0) {
    return (
      <p className="jp-JaxprPanel-quiet">{trans.__('No notes on this run.')}</p>
    );
  }
  return (
    <ul className="jp-JaxprNotes-list">
      {notes.map((note, i) => (
        // Notes have no identity, so their index is the key; a new document makes a new list.
        <li key={`${model.snapshot?.id} ${i}`}>
          <NoteEntry
            note={note}
            at={i}
            model={model}
            insert={insert}
            trans={trans}
          />
        </li>
      ))}
    </ul>
  );
}

/** Goes to a line of a cell; the equations of the line are marked in the program. */
function goTo(model: IJaxprModel, place: INotePlace): void {
  const { cellId, span } = place;
  if (cellId !== null) {
    const { line } = span;
    const column = Math.max(0, span.column);
    model.setSelection({ kind: 'caret', cellId, line, column });
    screenStateOf(model).goToCell({ ...span, role: 'own' });
  }
}

function NoteEntry(props: {
  note: Note;
  /** The index into the snapshot's notes. */
  at: number;
  model: IJaxprModel;
  insert: Insert;
  trans: TranslationBundle;
}): JSX.Element {
  const { note, at, model, insert, trans } = props;
  const snapshot = model.snapshot;
  const place = snapshot === null ? null : notePlace(snapshot, note, trans);
  const icon = ICONS[note.kind] ?? 'notes';
  const title = note.title ?? null;
  const otherProgram =
    note.program >= 0 && note.program !== model.program
      ? (snapshot?.programs[note.program]?.name ?? null)
      : null;
  return (
    <article className="jp-JaxprNotes-note" data-kind={note.kind}>
      <span className={`jp-JaxprNotes-icon jp-mod-${icon}`}>
        <Icon name={icon} />
      </span>
      <div>
        <p className="jp-JaxprNotes-text">
          {place !== null &&
            (place.cellId === null ? (
              <b>{place.label}: </b>
            ) : (
              <>
                <button
                  className="jp-JaxprPanel-link"
                  title={trans.__('Go to this line')}
                  onClick={() => goTo(model, place)}
                >
                  {place.label}
                </button>
                {': '}
              </>
            ))}
          {title !== null ? (
            <b>{shortened(title, 400)}</b>
          ) : (
            shortened(note.text, 2000)
          )}
          {otherProgram !== null && (
            <span className="jp-JaxprPanel-second">
              {' '}
              {trans.__('Program: %1', shortened(otherProgram, 80))}
            </span>
          )}
        </p>
        {title !== null && (
          <p className="jp-JaxprPanel-second">{shortened(note.text, 2000)}</p>
        )}
        {note.cure !== null && (
          <p className="jp-JaxprPanel-second">{shortened(note.cure, 2000)}</p>
        )}
        <NoteCode
          note={note}
          at={at}
          model={model}
          insert={model.requests === null ? null : insert}
          trans={trans}
        />
        {snapshot !== null && (note.cures ?? []).length > 0 && (
          <Cures
            cures={note.cures ?? []}
            model={model}
            snapshot={snapshot}
            trans={trans}
          />
        )}
        {(note.price ?? []).map(text => (
          <p key={text} className="jp-JaxprNotes-price">
            {shortened(text, 1000)}
          </p>
        ))}
        {note.detail !== null && (
          <details>
            <summary>
              {note.kind === 'printed_while_tracing'
                ? trans.__('Printed text')
                : trans.__('Details of the note')}
            </summary>
            <pre tabIndex={0}>{shortened(note.detail, LONGEST_DETAIL)}</pre>
          </details>
        )}
      </div>
    </article>
  );
}

/** Draws the lines of the cell that a note is about, and the code of the cure. */
function NoteCode(props: {
  note: Note;
  /** The index into the snapshot's notes. */
  at: number;
  model: IJaxprModel;
  /** Inserts a new cell into the notebook; null if there is no kernel that could run the cell. */
  insert: Insert | null;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { note, at, model, insert, trans } = props;
  const { snapshot } = model;
  const [done, setDone] = React.useState('');
  // Code from a saved notebook is not offered as a cell, because anyone may have written it.
  const trial =
    snapshot === null
      ? null
      : EvaluableText.sent(snapshot, run => run.notes[at]?.trial ?? null);
  const excerpt = snapshot === null ? null : excerptOf(snapshot, note);
  const code = note.code ?? null;
  if (excerpt === null && code === null) {
    return null;
  }
  const edited =
    snapshot === null || code === null
      ? null
      : appliedPlace(snapshot, note.level, note.edits);
  const copy = (text: string): void => {
    Clipboard.copyToSystem(text);
    setDone(trans.__('The rewrite was copied.'));
  };
  const tryOut = async (run: Snapshot): Promise<void> => {
    setDone(trans.__('The kernel tries the rewrite…'));
    const reason = await tryCures(model, run, true);
    const after = model.snapshot?.id === run.id ? model.snapshot : null;
    const isSketch =
      after?.notes[at]?.code === code && levelOf(after.notes[at]) === 'advice';
    setDone(
      reason ??
        (isSketch
          ? trans.__(
              'The trial did not confirm that the rewrite works. Check the rewrite before you use it.'
            )
          : '')
    );
  };
  return (
    <>
      <div
        className="jp-JaxprNotes-code"
        data-pair={(excerpt !== null && code !== null) || undefined}
      >
        {excerpt !== null && (
          <CodeExcerpt
            lines={excerpt.lines}
            first={excerpt.first}
            marks={excerpt.marks}
            wrong={ICONS[note.kind] === 'error'}
            label={trans.__('Code as written')}
          />
        )}
        {code !== null && (
          <CodeExcerpt
            lines={shortened(code, LONGEST_DETAIL).split('\n')}
            first={excerpt?.first ?? 1}
            label={trans.__('Rewritten code')}
          />
        )}
      </div>
      {code !== null && (
        <p className="jp-JaxprNotes-acts">
          <button className="jp-JaxprPanel-button" onClick={() => copy(code)}>
            {trans.__('Copy rewrite')}
          </button>
          {trial !== null && insert !== null && (
            <button
              className="jp-JaxprPanel-button"
              title={trans.__(
                'The button inserts a cell below the active cell. The new cell times both the code as written and the rewrite, and compares their results. Run the new cell to see the comparison.'
              )}
              onClick={() => {
                if (insert(trial) !== false) {
                  setDone(
                    trans.__(
                      'A new cell has the code as written and the rewrite. Run the cell to see the comparison.'
                    )
                  );
                }
              }}
            >
              {trans.__('Insert a cell with a comparison')}
            </button>
          )}
          {snapshot !== null && insert !== null && isUntried(note) && (
            <button
              className="jp-JaxprPanel-button"
              title={trans.__(
                'JAX traces the rewrite with the types of this run. Nothing runs.'
              )}
              onClick={() => void tryOut(snapshot)}
            >
              {trans.__('Try the rewrite')}
            </button>
          )}
          <span className="jp-JaxprPanel-second">
            {levelWords(note.level, trans)}
          </span>
          {edited !== null && (
            <span className="jp-JaxprPanel-second">
              {editPlaceWords(edited, trans)}
            </span>
          )}
          <span role="status" className="jp-JaxprPanel-second">
            {done}
          </span>
        </p>
      )}
      {snapshot !== null && edited !== null && (
        <CureActs
          model={model}
          snapshot={snapshot}
          place={edited}
          level={note.level}
          trans={trans}
        />
      )}
    </>
  );
}

function levelOf(note: Note): Note['level'] {
  return note.level ?? 'advice';
}

/** True if the note is about an unrolled loop whose rewrite has not passed a trial yet, but may pass a later trial. */
function isUntried(note: Note): boolean {
  return note.kind === 'unrolled_loop' && levelOf(note) === 'advice';
}
