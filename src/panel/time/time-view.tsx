/** The Time view: the stages of the first call, the repeated call, and a sweep. */
import { IRenderMimeRegistry } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ScreenState } from '../../model/screen-state';

import { Timings } from '../../model/timings';
import { Program, Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { VisibilityReportingWidget } from '../../parts/visibility-reporting-widget';
import { duration } from '../../quantities';
import { Figures } from '../../parts/bold-amounts';
import { Stretches, stretches } from '../../parts/bold-numbers';
import { timeWords } from '../../parts/stage-bar';
import { shortened } from '../../parts/summary';
import { Again } from './eager-and-warm';
import { Running } from '../../parts/button-or-progress';
import { LONGEST_NAME } from './series';
import { StageTable } from './stages';
import { filledIn, sweptValues } from './sweep-call';
import { SweepForm } from './sweep-form';
import { SweepResult } from './sweep-result';
import { useTimings } from './use-timings';
import { LONGEST, firstCallWords, noValues, whyNot } from './words';

/** Draws the Time view, and draws it again when the runs, the program in view or the kernel's status change. */
export class TimeView extends VisibilityReportingWidget {
  /** @param _registry Draws the plot; null if the application has none. */
  constructor(
    private _trans: TranslationBundle,
    private _registry: IRenderMimeRegistry | null
  ) {
    super(['snapshots', 'status', 'program']);
    this.addClass('jp-JaxprTime');
  }

  protected render(): JSX.Element | null {
    const { model } = this;
    return model === null ? null : (
      <Time model={model} registry={this._registry} trans={this._trans} />
    );
  }

  protected reportVisibility(screenState: ScreenState, isSeen: boolean): void {
    screenState.see(this, isSeen);
  }
}

interface IPartProps {
  model: IJaxprModel;
  snapshot: Snapshot;
  timings: Timings;
  trans: TranslationBundle;
}

export function Time(props: {
  model: IJaxprModel;
  registry: IRenderMimeRegistry | null;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, registry, trans } = props;
  const { snapshot } = model;
  const timings = useTimings(model);
  if (snapshot === null) {
    return null;
  }
  const program = snapshot.programs[model.program] ?? null;
  const part = { model, snapshot, timings, trans };
  return (
    <>
      {program !== null && (
        <OneCall
          key={`${snapshot.id} ${model.program}`}
          {...part}
          program={program}
        />
      )}
      <OverSizes {...part} program={program} registry={registry} />
    </>
  );
}

/** Draws the times of one program: a sentence, the stages of the first call, and the times of the repeated call. */
function OneCall(props: IPartProps & { program: Program }): JSX.Element {
  const { model, snapshot, timings, program, trans } = props;
  const index = model.program;
  const timing = timings.timingOf(snapshot, index);
  const why = noValues(program, trans) ?? whyNot(model, trans);
  const about = React.useId();
  const name = shortened(program.name, LONGEST_NAME);
  return (
    <>
      <p className="jp-JaxprTime-lead">
        {timing === null ? (
          <Stretches parts={stretches(firstCallWords(program, trans))} />
        ) : (
          <Figures text={shortened(timing.sentence, LONGEST)} />
        )}
      </p>
      {program.stages !== null && (
        <StageTable stages={program.stages} trans={trans} />
      )}
      <h3>{trans.__('Times of eager and warm calls')}</h3>
      {timing !== null && <Again timing={timing} trans={trans} />}
      <Running
        state={timings.time.stateOf(snapshot, index)}
        title={trans.__('Measure the time of %1?', name)}
        stop={() => timings.time.stop(snapshot, index)}
        yes={() => void timings.time.confirm(snapshot, index)}
        no={() => timings.time.dismiss(snapshot, index)}
        trans={trans}
      >
        <div className="jp-JaxprTime-start">
          <button
            className="jp-JaxprPanel-button"
            aria-disabled={why !== null}
            aria-describedby={about}
            onClick={() =>
              why === null &&
              void timings.time.start(snapshot, index, {
                snapshot: snapshot.id,
                program: index
              })
            }
          >
            {timeWords(timing !== null, trans)}
          </button>
          <p id={about} className="jp-JaxprPanel-small">
            {why !== null
              ? shortened(why, LONGEST)
              : trans.__(
                  'The kernel calls %1 many times with the recorded values of a call, with and without jit.',
                  name
                )}
          </p>
        </div>
      </Running>
    </>
  );
}

/** The sweep of the run, and the form for another sweep. */
function OverSizes(
  props: IPartProps & {
    program: Program | null;
    registry: IRenderMimeRegistry | null;
  }
): JSX.Element {
  const { model, snapshot, timings, program, registry, trans } = props;
  const sweep = timings.sweepOf(snapshot);
  const about = program?.name ?? '';
  const draft = timings.draftOf(about);
  // Computed at each drawing, because the kernel of the run may have ended since the last drawing.
  const filled = filledIn(snapshot, model.program);
  const isFilled = filled.call !== undefined;
  const fromShapes =
    isFilled &&
    filled.call?.shown !== snapshot.sweep?.call &&
    Object.keys(draft).length === 0;
  return (
    <>
      <h3>
        {sweep === null
          ? trans.__('Sweep')
          : trans.__('Sweep over %1', shortened(sweep.name, LONGEST_NAME))}
        {sweep !== null && (
          <span className="jp-JaxprPanel-small">
            {trans.__(
              'The sweep timed the call %1 and took %2. The times are medians.',
              shortened(sweep.call, 200),
              duration(sweep.seconds)
            )}
          </span>
        )}
      </h3>
      {sweep !== null && (
        <SweepResult
          key={snapshot.id}
          snapshot={snapshot}
          sweep={sweep}
          registry={registry}
          trans={trans}
        />
      )}
      <Running
        state={timings.sweep.stateOf(snapshot)}
        title={trans.__('Run the sweep?')}
        stop={() => timings.sweep.stop(snapshot)}
        yes={() => void timings.sweep.confirm(snapshot)}
        no={() => timings.sweep.dismiss(snapshot)}
        trans={trans}
      >
        <Folded
          key={about}
          open={sweep === null}
          summary={
            sweep === null
              ? trans.__('Sweep over sizes …')
              : trans.__('Run another sweep …')
          }
        >
          <SweepForm
            key={about}
            draft={draft}
            filledIn={filled}
            fromShapes={fromShapes}
            earlier={isFilled ? null : earlierWords(model, snapshot, trans)}
            type={(field, text) => timings.type(about, field, text)}
            why={whyNot(model, trans)}
            start={choice =>
              void timings.sweep.start(snapshot, 0, {
                snapshot: snapshot.id,
                ...choice
              })
            }
            trans={trans}
          />
        </Folded>
      </Running>
    </>
  );
}

/** The sweep that a saved notebook or an earlier kernel has; null if there is none. */
function earlierWords(
  model: IJaxprModel,
  snapshot: Snapshot,
  trans: TranslationBundle
): string | null {
  const { sweep } = snapshot;
  if (!sweep) {
    return null;
  }
  const [call, values] = [sweep.call, sweptValues(sweep)].map(text =>
    shortened(text, 200)
  );
  return model.fromSaved
    ? trans.__(
        'The saved sweep called %1 with %2. To repeat the sweep, type the call.',
        call,
        values
      )
    : trans.__(
        'The sweep of an earlier kernel called %1 with %2. To repeat the sweep, type the call.',
        call,
        values
      );
}

function Folded(props: {
  open: boolean;
  summary: string;
  children: React.ReactNode;
}): JSX.Element {
  const [open, setOpen] = React.useState(props.open);
  return (
    <details
      className="jp-JaxprTime-folded"
      open={open}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{props.summary}</summary>
      {props.children}
    </details>
  );
}
