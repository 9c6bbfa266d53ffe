/** The Diff view: two programs to choose, a level, and their differences. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ScreenState } from '../../model/screen-state';
import { DiffState, Diffs, IDiffChoice, diffsOf } from '../../model/diffs';
import { IJaxprModel, IProgramRef, LevelName } from '../../tokens';
import { Failed } from '../../parts/progress-and-stop';
import { VisibilityReportingWidget } from '../../parts/visibility-reporting-widget';
import { placeOf } from '../../parts/program-list-entries';
import { shortArguments, shortened, whereAndWhen } from '../../parts/summary';
import { DiffTable } from './diff-table';

/** Opens a diff in the main area; null if the application has no place for a diff there. */
export type OpenDiff =
  ((model: IJaxprModel, choice: IDiffChoice) => void) | null;

/** Draws the Diff view, and draws it again when the runs, the program in view or the kernel's status change. */
export class DiffView extends VisibilityReportingWidget {
  constructor(
    private _trans: TranslationBundle,
    private _open: OpenDiff
  ) {
    super(['snapshots', 'program', 'status']);
    this.addClass('jp-JaxprDiff');
  }

  protected render(): JSX.Element | null {
    const { model } = this;
    return model === null ? null : (
      <Diff model={model} open={this._open} trans={this._trans} />
    );
  }

  /** While this view is on screen, the notebook's cells mark the lines that are linked to the programs. */
  protected reportVisibility(screenState: ScreenState, isSeen: boolean): void {
    screenState.diffInView = isSeen;
  }
}

/** The diffs of a model; a change draws the component again. */
export function useDiffs(model: IJaxprModel): Diffs {
  const diffs = diffsOf(model);
  const [, redraw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    diffs.changed.connect(redraw);
    return () => {
      diffs.changed.disconnect(redraw);
    };
  }, [diffs]);
  return diffs;
}

export function Diff(props: {
  model: IJaxprModel;
  open: OpenDiff;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, open, trans } = props;
  const diffs = useDiffs(model);
  const choice = diffs.chosen ?? diffs.suggested;
  const { snapshot, program } = model;
  const many = diffs.programs().length > 1;
  if (choice === null && snapshot !== null && program >= 0 && many) {
    return (
      <>
        <div className="jp-JaxprDiff-chooser">
          <Choice
            label={trans.__('Program before')}
            model={model}
            programs={diffs.programs()}
            chosen={null}
            choose={before => {
              const after = { snapshot: snapshot.id, program };
              diffs.chosen = { before, after, level: 'jaxpr' };
            }}
            trans={trans}
          />
        </div>
        <p className="jp-JaxprDiff-none">
          {trans.__(
            'No other program comes from the same function or has the same argument types. Choose the program to compare this program with.'
          )}
        </p>
      </>
    );
  }
  if (choice === null) {
    return (
      <p className="jp-JaxprDiff-none">
        {trans.__(
          'A diff needs two programs, and the panel has one. Change the cell and run the cell again, or run another cell.'
        )}
      </p>
    );
  }
  return (
    <>
      <Chooser
        model={model}
        diffs={diffs}
        choice={choice}
        choose={chosen => (diffs.chosen = chosen)}
        trans={trans}
      />
      <Answer
        key={JSON.stringify(choice)}
        model={model}
        diffs={diffs}
        choice={choice}
        open={open === null ? null : () => open(model, choice)}
        trans={trans}
      />
    </>
  );
}

/** Draws the diff of the two chosen programs, and requests the diff if there is none yet. */
export function Answer(props: {
  model: IJaxprModel;
  diffs: Diffs;
  choice: IDiffChoice;
  /** The diff that was shown before the panel dropped the two runs; undefined while the runs exist. */
  earlierState?: DiffState;
  open: (() => void) | null;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, diffs, choice, open, trans } = props;
  const state = props.earlierState ?? diffs.stateOf(choice);
  const canAsk = diffs.canAsk(choice);
  const idle = state.kind === 'idle' && canAsk;
  React.useEffect(() => {
    if (idle) {
      void diffs.ask(choice);
    }
  }, [idle]);
  switch (state.kind) {
    case 'done':
      return (
        <DiffTable diff={state.diff} model={model} open={open} trans={trans} />
      );
    case 'failed':
      return <Failed reason={state.reason} />;
    case 'working':
      return (
        <p role="status">
          {diffs.comparer === null
            ? trans.__('The kernel is comparing the programs …')
            : trans.__('The server is comparing the programs …')}
        </p>
      );
    case 'idle':
      return (
        <p role="status">
          {!canAsk
            ? trans.__(
                'The kernel of this run is not available. Run the cell again to compare the programs.'
              )
            : ''}
        </p>
      );
  }
}

function Chooser(props: {
  model: IJaxprModel;
  diffs: Diffs;
  choice: IDiffChoice;
  choose: (choice: IDiffChoice) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, diffs, choice, choose, trans } = props;
  const { before, after, level } = choice;
  const programs = diffs.programs();
  const levels: Record<LevelName, string> = {
    jaxpr: 'jaxpr',
    stablehlo: 'StableHLO',
    hlo: 'HLO'
  };
  return (
    <div className="jp-JaxprDiff-chooser">
      <Choice
        label={trans.__('Program before')}
        model={model}
        programs={programs}
        chosen={before}
        choose={before => choose({ before, after, level })}
        trans={trans}
      />
      <Choice
        label={trans.__('Program after')}
        model={model}
        programs={programs}
        chosen={after}
        choose={after => choose({ before, after, level })}
        trans={trans}
      />
      <label>
        <span>{trans.__('Level')}</span>
        <select
          value={level}
          onChange={event =>
            choose({
              before,
              after,
              level: event.target.value as LevelName
            })
          }
        >
          {Object.entries(levels).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Choice(props: {
  label: string;
  model: IJaxprModel;
  programs: readonly IProgramRef[];
  chosen: IProgramRef | null;
  choose: (program: IProgramRef) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { label, model, programs, chosen, choose, trans } = props;
  const place = programs.findIndex(
    ref => ref.snapshot === chosen?.snapshot && ref.program === chosen.program
  );
  // The title of a program begins with its run, because a narrow control cuts the end of the title, and two programs
  // of one function may differ in nothing but the run.
  const titles = new Map(
    model.runs.flatMap(({ snapshot }) =>
      programs.flatMap((ref, index) => {
        if (ref.snapshot !== snapshot.id) {
          return [];
        }
        const program = snapshot.programs[ref.program];
        const name = `${shortened(program.name, 60)}${shortArguments(program)}`;
        const alike = snapshot.programs.filter(
          ({ name }) => name === program.name
        );
        const position = placeOf(snapshot, ref.program);
        const title = [
          whereAndWhen(snapshot, trans),
          ...(alike.length > 1
            ? [trans.__('%1 of %2', position.at, position.of)]
            : []),
          name
        ].join(' · ');
        return [[index, title]];
      })
    )
  );
  return (
    <label className="jp-mod-program">
      <span>{label}</span>
      <select
        value={place}
        title={titles.get(place)}
        onChange={event => choose(programs[Number(event.target.value)])}
      >
        {chosen === null && (
          <option value={-1} disabled>
            {trans.__('Choose a program')}
          </option>
        )}
        {model.runs.map(({ snapshot, fromSaved }) => (
          <optgroup
            key={snapshot.id}
            label={[
              snapshot.title === null ? '' : shortened(snapshot.title, 60),
              whereAndWhen(snapshot, trans),
              fromSaved ? trans.__('saved copy') : ''
            ]
              .filter(word => word !== '')
              .join(' · ')}
          >
            {programs.map((ref, index) =>
              ref.snapshot !== snapshot.id ? null : (
                <option key={index} value={index}>
                  {titles.get(index)}
                </option>
              )
            )}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
