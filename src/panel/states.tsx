/**
 * The status of a model comes in; what stands where there is no program, or above one, goes out.
 *
 * - `Empty`: nothing to show yet, and the one thing to do.
 * - `Running`: a long trace or compile, with its time.
 * - `Banner`: one line above a program that is from before, or that waits.
 * - `Failure`: something of ours failed.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { versionsApart } from '../model/sentences';
import { EvaluableText } from '../protocol/evaluable';
import { Environment, Progress } from '../protocol/snapshot';
import { IFailure, IJaxprModel, Status } from '../tokens';
import { Icon } from './icons';
import { clock, duration, elapsed } from './quantities';
import { whereAndWhen } from './summary';

/** Code that loads the extension or installs JAX, and a first example; a button puts it in a new cell and runs nothing. */
const LOAD = EvaluableText.ours`%load_ext jupyter_jaxpr`;
const INSTALL = EvaluableText.ours`%pip install "jax>=0.10"`;
const SAMPLE = EvaluableText.ours`%%jaxpr
import jax
import jax.numpy as jnp

jax.jit(jnp.sin)(1.0)`;

/** Passed to the translator as a value: in its texts a doubled % is one. */
const MAGIC = '%%jaxpr';

/** Puts code in a new cell of the notebook. */
export type Insert = (source: EvaluableText) => void;

export function Empty(props: {
  status: Status;
  insert: Insert;
  trans: TranslationBundle;
}): JSX.Element {
  const { status, insert, trans } = props;
  switch (status.kind) {
    case 'no-notebook':
      return (
        <EmptyText title={trans.__('No notebook')}>
          <WithMagic
            text={trans.__(
              'Open a notebook, and run a cell that has %1 as its first line.',
              MAGIC
            )}
          />
        </EmptyText>
      );
    case 'no-kernel':
      return (
        <EmptyText title={trans.__('No kernel')}>
          <p>
            {trans.__(
              'Start a kernel to see what JAX makes of a cell. A program that was saved with the notebook opens without one: click it below its cell.'
            )}
          </p>
        </EmptyText>
      );
    case 'connecting':
      return (
        <EmptyText title={trans.__('Connecting to the kernel')}>
          <p>
            {trans.__(
              'This waits for a kernel that is starting or busy. Programs appear here as soon as it answers.'
            )}
          </p>
        </EmptyText>
      );
    case 'not-loaded':
      return (
        <EmptyText title={trans.__('jupyter_jaxpr is not loaded')}>
          <p>{trans.__('Run this in the notebook, once for each kernel:')}</p>
          <Sample source={LOAD} insert={insert} trans={trans} />
          <p className="jp-JaxprPanel-small">
            {trans.__(
              'If the kernel does not know it, install it there: %pip install jupyter_jaxpr'
            )}
          </p>
        </EmptyText>
      );
    case 'ready':
      if (status.environment.tier === 'none') {
        return (
          <EmptyText title={trans.__('No usable JAX')}>
            <p>
              {status.environment.tier_note ??
                trans.__(
                  'The kernel has no JAX. Run this in the notebook, then restart the kernel:'
                )}
            </p>
            <Sample source={INSTALL} insert={insert} trans={trans} />
          </EmptyText>
        );
      }
      return (
        <EmptyText title={trans.__('No program yet')}>
          <WithMagic
            text={trans.__(
              'Put %1 on top of a cell that calls a jitted function, and run it.',
              MAGIC
            )}
          />
          <Sample source={SAMPLE} insert={insert} trans={trans} />
          <p className="jp-JaxprPanel-small">
            {environmentWords(status.environment, trans)}
          </p>
          <p className="jp-JaxprPanel-small">
            {versionsApart(status.environment.jupyter_jaxpr, trans)}
          </p>
        </EmptyText>
      );
    case 'running':
      return <Running progress={status.progress} trans={trans} />;
    case 'stale':
      return <Empty {...props} status={{ kind: 'connecting' }} />;
    case 'unusable':
      return (
        <Sentence title={trans.__('The program cannot be shown.')}>
          {status.reason}
        </Sentence>
      );
  }
}

function EmptyText(props: {
  title: string;
  children: React.ReactNode;
}): JSX.Element {
  return (
    <div className="jp-JaxprPanel-empty" role="status">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

/** A sentence with the magic in it, which stands out as code. */
function WithMagic({ text }: { text: string }): JSX.Element {
  return (
    <p>
      {text.split(MAGIC).map((part, i) => (
        <React.Fragment key={i}>
          {i > 0 && <code>{MAGIC}</code>}
          {part}
        </React.Fragment>
      ))}
    </p>
  );
}

function Sample(props: {
  source: EvaluableText;
  insert: Insert;
  trans: TranslationBundle;
}): JSX.Element {
  const lines = props.source.shown.split('\n');
  return (
    <>
      <pre className="jp-JaxprPanel-sample">
        {lines.map((line, i) => (
          <React.Fragment key={i}>
            {line.startsWith('%') ? (
              <span className="jp-JaxprPanel-magic">{line}</span>
            ) : (
              line
            )}
            {i < lines.length - 1 && '\n'}
          </React.Fragment>
        ))}
      </pre>
      <button
        className="jp-JaxprPanel-button jp-mod-primary"
        onClick={() => props.insert(props.source)}
      >
        {props.trans.__('Insert in a new cell')}
      </button>
    </>
  );
}

/** `JAX 0.10.2 on cpu · all facts available`. */
export function environmentWords(
  environment: Environment,
  trans: TranslationBundle
): string {
  const device = environment.device ?? environment.backend;
  const jax = environment.jax ?? trans.__('unknown');
  const facts =
    environment.tier_note === null
      ? trans.__('all facts available')
      : environment.tier_note;
  return device === null
    ? trans.__('JAX %1 · %2', jax, facts)
    : trans.__('JAX %1 on %2 · %3', jax, device, facts);
}

/** A sentence with the sign of an error. */
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

/** What is known of a stage while a call goes on. */
interface IStageRow {
  key: 'trace' | 'lower' | 'compile' | 'first-run';
  stage: Progress['stage'];
  label: string;
}

export function Running(props: {
  progress: Progress;
  trans: TranslationBundle;
}): JSX.Element {
  const { progress, trans } = props;
  const since = useSeconds(progress);
  const now = progress.elapsed + since;
  const finished = new Map(progress.finished);
  const rows: IStageRow[] = [
    { key: 'trace', stage: 'trace', label: trans.__('trace') },
    { key: 'lower', stage: 'lower', label: trans.__('lower') },
    { key: 'compile', stage: 'compile', label: trans.__('compile') },
    { key: 'first-run', stage: 'first_run', label: trans.__('first run') }
  ];
  const at = rows.findIndex(row => row.stage === progress.stage);
  return (
    <div className="jp-JaxprPanel-running" data-stage={progress.stage}>
      <p className="jp-JaxprPanel-runningName">
        {progress.function ?? trans.__('Cell')}
      </p>
      {/* Read out when the stage changes, not every second. */}
      <p className="jp-JaxprPanel-lead">
        <span role="status">{stageVerb(progress.stage, trans)}</span>
        <span aria-hidden="true">, {elapsed(now)}</span>
      </p>
      <p className="jp-JaxprPanel-second">{interruptWords(progress, trans)}</p>
      {progress.stage !== 'running' && (
        <table>
          <tbody>
            {rows.map((row, i) => {
              const took = finished.get(row.stage);
              const current = i === at;
              return (
                <tr key={row.key} className={current ? 'jp-mod-current' : ''}>
                  <th scope="row">
                    <span
                      className={`jp-JaxprPanel-key jp-mod-${
                        took !== undefined || current ? row.key : 'waits'
                      }`}
                    />
                    {row.label}
                  </th>
                  <td>
                    {took !== undefined
                      ? duration(took)
                      : current
                        ? elapsed(now)
                        : ''}
                  </td>
                  <td>
                    {took !== undefined
                      ? trans.__('done')
                      : current
                        ? '…'
                        : i > at
                          ? trans.__('waits')
                          : trans.__('unknown')}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </div>
  );
}

function stageVerb(stage: Progress['stage'], trans: TranslationBundle): string {
  switch (stage) {
    case 'trace':
      return trans.__('Tracing');
    case 'lower':
      return trans.__('Lowering');
    case 'compile':
      return trans.__('Compiling');
    case 'first_run':
      return trans.__('First run');
    case 'running':
      return trans.__('Running');
  }
}

function interruptWords(progress: Progress, trans: TranslationBundle): string {
  if (progress.stage === 'compile' && !progress.interruptible) {
    return trans.__(
      'XLA is at work. It cannot be stopped before it returns; Interrupt takes effect then.'
    );
  }
  return progress.interruptible
    ? trans.__('Interrupt the kernel to stop it.')
    : trans.__(
        'It cannot be stopped before this stage ends; Interrupt takes effect then.'
      );
}

/** Seconds since a heartbeat came, counted here once a second. */
function useSeconds(progress: Progress): number {
  const start = React.useRef(performance.now());
  const [since, setSince] = React.useState(0);
  React.useEffect(() => {
    start.current = performance.now();
    setSince(0);
    const timer = setInterval(
      () => setSince((performance.now() - start.current) / 1000),
      1000
    );
    return () => clearInterval(timer);
  }, [progress]);
  return since;
}

/** The line above a program: that it is from before, that a cell runs, that newer ones wait. */
export function Banner(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, trans } = props;
  const status = model.status;
  if (status.kind === 'stale') {
    const snapshot = model.snapshot;
    return (
      <div className="jp-JaxprPanel-banner" role="status" data-status="stale">
        <Icon name="power" />
        <p>
          <b>
            {status.reason} {clock(status.since)}.
          </b>{' '}
          {snapshot !== null &&
            trans.__(
              'This is the run of %1.',
              clock(new Date(snapshot.created * 1000))
            )}
          <br />
          <span className="jp-JaxprPanel-second">{status.cure}</span>
        </p>
      </div>
    );
  }
  if (status.kind === 'unusable') {
    return (
      <Sentence title={trans.__('New programs cannot be shown.')}>
        {status.reason}
      </Sentence>
    );
  }
  if (status.kind === 'running') {
    return <RunningLine progress={status.progress} trans={trans} />;
  }
  return null;
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
      </p>
    </div>
  );
}

/** Runs that are not in view: those that wait while paused, and newer ones. */
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
          ? trans.__('Updates are paused.')
          : trans._n(
              'Updates are paused; %1 run waits.',
              'Updates are paused; %1 runs wait.',
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

export function Failure(props: {
  failure: IFailure;
  dismiss: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { failure, dismiss, trans } = props;
  return (
    <div className="jp-JaxprPanel-banner jp-mod-error" role="alert">
      <Icon name="error" />
      <div>
        <b>{failure.text}</b>
        {failure.cure !== null && (
          <p className="jp-JaxprPanel-second">{failure.cure}</p>
        )}
        {failure.detail !== null && (
          <details>
            <summary>{trans.__('Details')}</summary>
            <pre tabIndex={0}>{failure.detail}</pre>
          </details>
        )}
      </div>
      <button
        className="jp-JaxprPanel-action"
        aria-label={trans.__('Dismiss')}
        title={trans.__('Dismiss')}
        onClick={dismiss}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
