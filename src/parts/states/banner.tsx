/**
 * The line above a program, which says that the program is from an earlier kernel or a saved copy, that a cell runs, or
 * that newer runs wait.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Progress } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { Icon } from '../icons';
import { clock, elapsed } from '../../quantities';
import { whereAndWhen } from '../summary';

import { Sentence } from './sentence';
import { useSeconds, stageVerb } from './running';

/**
 * The cells that the panel runs to get the run in view again:
 * - cell: only the cell of the run
 * - up to cell: first the cells above, because the kernel may have none of their results
 */
export type Again = 'cell' | 'up to cell';

/** Runs the cell of the run in view again. */
export type RunAgain = (model: IJaxprModel, how: Again) => Promise<void>;

/**
 * The line above a program, which says for example that the program is from an earlier kernel, or that a cell runs.
 */
export function Banner(props: {
  model: IJaxprModel;
  /** Runs the cell again; absent if there is no notebook. */
  again?: RunAgain;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, again, trans } = props;
  const status = model.status;
  if (status.kind === 'stale') {
    const snapshot = model.snapshot;
    return (
      <div className="jp-JaxprPanel-banner" role="status" data-status="stale">
        <Icon name="power" />
        <p>
          <b>
            {status.reason} · {clock(status.since)}
          </b>{' '}
          {snapshot !== null &&
            trans.__(
              'This run was recorded at %1.',
              clock(new Date(snapshot.created * 1000))
            )}
          <br />
          <span className="jp-JaxprPanel-second">{status.cure}</span>
        </p>
        {again !== undefined && status.again !== null && (
          <AgainButton
            label={
              status.again === 'run'
                ? trans.__('Run the cell again')
                : trans.__('Load jupyter_jaxpr and run the cell again')
            }
            run={() => again(model, 'cell')}
          />
        )}
      </div>
    );
  }
  if (status.kind === 'unusable') {
    return (
      <Sentence title={trans.__('The panel cannot show new programs.')}>
        {status.reason}
      </Sentence>
    );
  }
  // If a program is shown, the header shows the running cell: a separate line for the cell would move the program.
  if (status.kind === 'running' && model.program >= 0) {
    return null;
  }
  if (status.kind === 'running') {
    return <RunningLine progress={status.progress} trans={trans} />;
  }
  if (status.kind === 'file') {
    return (
      <div className="jp-JaxprPanel-banner" role="status" data-status="file">
        <Icon name="save" />
        <p>
          <b>{trans.__('This is a saved document.')}</b>
          <br />
          <span className="jp-JaxprPanel-second">
            {trans.__(
              'The panel shows the file without a kernel. For results that the file does not hold, run the code in a notebook.'
            )}
          </span>
        </p>
      </div>
    );
  }
  return model.fromSaved ? (
    <SavedCopy model={model} again={again} trans={trans} />
  ) : null;
}

/** Says that the program was read from the notebook's file, and how to get it from the present kernel. */
function SavedCopy(props: {
  model: IJaxprModel;
  again?: RunAgain;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, again, trans } = props;
  const number = model.snapshot?.cell?.execution_count ?? null;
  const { status } = model;
  const { kind } = status;
  const hasNoJax = status.kind === 'not-loaded' && status.hasNoJax === true;
  return (
    <div className="jp-JaxprPanel-banner" role="status" data-status="saved">
      <Icon name="save" />
      <p>
        <b>
          {number === null
            ? trans.__('This is a saved copy.')
            : trans.__('This is a saved copy of cell [%1].', number)}
        </b>
        <br />
        <span className="jp-JaxprPanel-second">
          {hasNoJax
            ? trans.__(
                'The kernel runs in the browser, where JAX does not run.'
              )
            : kind === 'not-loaded' || kind === 'ready'
              ? trans.__(
                  'Press Shift+Enter to run the cells, beginning with the first cell.'
                )
              : kind === 'no-kernel'
                ? trans.__('The cells can run when the notebook has a kernel.')
                : again === undefined
                  ? // There is no notebook: a widget cannot find out whether its kernel is starting, busy or dead.
                    trans.__(
                      'The kernel has not answered. If no cell is running, run the cell again.'
                    )
                  : trans.__('The kernel is starting or busy.')}
        </span>
      </p>
      {/* The button is drawn even while no kernel can run the cells, so that nothing below moves later. */}
      {again !== undefined && kind !== 'ready' && (
        <AgainButton
          label={trans.__('Run up to this cell')}
          isOff={kind !== 'not-loaded' || hasNoJax}
          run={() => again(model, 'up to cell')}
        />
      )}
    </div>
  );
}

/** A button that is disabled until its action has ended, because a second click would run the cell twice. */
function AgainButton(props: {
  label: string;
  isOff?: boolean;
  run: () => Promise<void>;
}): JSX.Element {
  const [isBusy, setBusy] = React.useState(false);
  const began = React.useRef(false);
  return (
    <button
      className="jp-JaxprPanel-button"
      aria-disabled={isBusy || props.isOff === true}
      onClick={() => {
        if (!began.current && props.isOff !== true) {
          began.current = true;
          setBusy(true);
          void props.run().finally(() => {
            began.current = false;
            setBusy(false);
          });
        }
      }}
    >
      {props.label}
    </button>
  );
}

function RunningLine(props: {
  progress: Progress;
  trans: TranslationBundle;
}): JSX.Element {
  const { progress, trans } = props;
  const now = progress.elapsed + useSeconds(progress);
  return (
    <div className="jp-JaxprPanel-banner" data-status="running">
      <Icon name="refresh" />
      <p>
        <b role="status">
          {progress.function === null
            ? stageVerb(progress.stage, trans)
            : trans.__(
                '%1: %2',
                stageVerb(progress.stage, trans),
                progress.function
              )}
        </b>
        <span aria-hidden="true">, {elapsed(now)}</span>
        {progress.warning && (
          <>
            <br />
            <span className="jp-JaxprPanel-second">{progress.warning}</span>
          </>
        )}
      </p>
    </div>
  );
}

/** Shows how many runs are waiting while the panel is paused, and how many newer runs are not shown. */
export function Waiting(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, trans } = props;
  const newest = model.runs[0];
  if (model.paused) {
    return (
      <div className="jp-JaxprPanel-waiting" role="status">
        {model.waiting === 0
          ? trans.__('Updates of the panel are paused.')
          : trans._n(
              'Updates of the panel are paused. %1 new run is not shown.',
              'Updates of the panel are paused. %1 new runs are not shown.',
              model.waiting
            )}{' '}
        <button
          className="jp-JaxprPanel-link"
          onClick={() => model.setPaused(false)}
        >
          {trans.__('Resume')}
        </button>
      </div>
    );
  }
  if (newest === undefined || newest.snapshot === model.snapshot) {
    return null;
  }
  return (
    <div className="jp-JaxprPanel-waiting" role="status">
      {trans.__('There is a newer run:')}{' '}
      <button
        className="jp-JaxprPanel-link"
        onClick={() => model.setRun(newest.snapshot.id)}
      >
        {whereAndWhen(newest.snapshot, trans)}
      </button>
    </div>
  );
}
