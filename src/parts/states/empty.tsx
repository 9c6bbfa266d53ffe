/** What the panel shows without a program: what the user can type, with a button that inserts the code. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { versionsApart } from '../../model/error-words';
import { EvaluableText } from '../../protocol/evaluable';
import { Environment } from '../../protocol/snapshot';
import { Status } from '../../tokens';

import { bold, stretches } from '../bold-numbers';
import { shortened } from '../summary';
import { Sentence } from './sentence';
import { Running } from './running';

/** Code of this extension that a button runs as a cell: it loads the extension or installs JAX; and a first example. */
const LOAD = EvaluableText.ours`%load_ext jupyter_jaxpr`;
const INSTALL = EvaluableText.ours`%pip install "jax>=0.10"`;
const SAMPLE = EvaluableText.ours`%%jaxpr
import jax
import jax.numpy as jnp

jax.jit(jnp.sin)(1.0)`;

/** Passed to the translator as a value, because %% in a translated text becomes a single %. */
const MAGIC = '%%jaxpr';

/** At most this many lines of the user's cell are shown, which is enough to recognise the cell. */
const LINES_OF_CELL = 8;

/** Puts code in a new cell of the notebook. */
export type Insert = (source: EvaluableText) => unknown;

/** Runs code of this extension: in a cell that already contains the code, or else in a new cell above or below. */
export type Run = (source: EvaluableText, where: 'above' | 'below') => void;

/** A cell of the user that begins with the magic. */
export interface ICellWithMagic {
  id: string;
  source: string;
}

/** Finds the cells of the notebook that begin with the magic. */
export interface ICellsWithMagic {
  /** Returns the cell that the panel offers to run; null if no cell begins with the magic. */
  find(): ICellWithMagic | null;
  /** Calls `changed` after each change of the cells, until the returned function is called. */
  follow(changed: () => void): () => void;
  run(cell: ICellWithMagic): unknown;
}

/** The two actions that the panel offers if no kernel answers: choose a kernel, or reconnect to the kernel. */
export type KernelAct = 'choose' | 'reconnect';

export function Empty(props: {
  status: Status;
  run: Run;
  /** The user's cells with the magic; absent if there is no notebook. */
  cells?: ICellsWithMagic;
  /** Lets the user choose a kernel, or reconnects to the kernel; absent if there is no notebook. */
  kernel?: (act: KernelAct) => void;
  /** Copies the lessons and opens the first one; absent if the application has no files. */
  lessons?: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { status, run, kernel, lessons, trans } = props;
  switch (status.kind) {
    case 'no-notebook':
      return (
        <EmptyText title={trans.__('No notebook')}>
          <WithMagic
            text={trans.__(
              'Open a notebook, and run a cell that has %1 as its first line.',
              bold(MAGIC)
            )}
          />
          {lessons !== undefined && (
            <button
              className="jp-JaxprPanel-button jp-mod-primary"
              onClick={lessons}
            >
              {trans.__('Copy the lessons and open the first notebook')}
            </button>
          )}
        </EmptyText>
      );
    case 'file':
      return <></>; // a document from a file is already shown, so there is nothing to offer
    case 'no-kernel':
      return (
        <EmptyText title={trans.__('No kernel')}>
          <p>
            {trans.__(
              'Start a kernel, and run a cell. To see a program that was saved with the notebook, click the program below its cell.'
            )}
          </p>
          <KernelButton
            label={trans.__('Choose a kernel')}
            press={kernel && (() => kernel('choose'))}
          />
        </EmptyText>
      );
    case 'connecting':
      return (
        <EmptyText title={trans.__('Connecting to the kernel')}>
          <p>
            {trans.__(
              'The kernel is starting or busy. When the kernel answers, the panel shows its programs.'
            )}
          </p>
          <KernelButton
            label={trans.__('Reconnect to the kernel')}
            press={kernel && (() => kernel('reconnect'))}
          />
        </EmptyText>
      );
    case 'not-loaded':
      if (status.hasNoJax) {
        return (
          <EmptyText title={trans.__('JAX does not run in the browser')}>
            <p>
              {trans.__(
                'The kernel runs in the browser. To see a program that was saved with the notebook, click the program below its cell.'
              )}
            </p>
          </EmptyText>
        );
      }
      return (
        <EmptyText title={trans.__('jupyter_jaxpr is not loaded')}>
          <p>
            {trans.__('Run this line in the notebook, once for each kernel:')}
          </p>
          <Sample source={LOAD} where="above" run={run} trans={trans} />
          <p className="jp-JaxprPanel-small">
            {trans.__(
              'If the kernel does not find jupyter_jaxpr, run this line first: %pip install jupyter_jaxpr'
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
                  'The kernel has no JAX. Run this line in the notebook, then restart the kernel:'
                )}
            </p>
            <Sample source={INSTALL} where="above" run={run} trans={trans} />
          </EmptyText>
        );
      }
      return (
        <EmptyText title={trans.__('No program yet')}>
          <FirstProgram cells={props.cells} run={run} trans={trans} />
          {[
            environmentWords(status.environment, trans),
            status.environment.tier_note,
            versionsApart(status.environment.jupyter_jaxpr, trans)
          ].map((words, i) => (
            <p key={i} className="jp-JaxprPanel-small">
              {words}
            </p>
          ))}
        </EmptyText>
      );
    case 'running':
      return <Running progress={status.progress} trans={trans} />;
    case 'stale':
      return <Empty {...props} status={{ kind: 'connecting' }} />;
    case 'unusable':
      return (
        <Sentence title={trans.__('The panel cannot show the program.')}>
          {status.reason}
        </Sentence>
      );
  }
}

function KernelButton(props: {
  label: string;
  press?: () => void;
}): JSX.Element | null {
  return props.press === undefined ? null : (
    <button
      className="jp-JaxprPanel-button jp-mod-primary"
      onClick={props.press}
    >
      {props.label}
    </button>
  );
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

/** A sentence in which the magic is shown as code. */
function WithMagic({ text }: { text: string }): JSX.Element {
  return (
    <p>
      {stretches(text).map(({ text, bold }, i) =>
        bold ? <code key={i}>{text}</code> : <span key={i}>{text}</span>
      )}
    </p>
  );
}

/** How to get a first program: by running the user's own cell with the magic, or else an example. */
function FirstProgram(props: {
  cells?: ICellsWithMagic;
  run: Run;
  trans: TranslationBundle;
}): JSX.Element {
  const { cells, run, trans } = props;
  const [, redraw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => cells?.follow(redraw), [cells]);
  const own = cells?.find() ?? null;
  if (cells === undefined || own === null) {
    return (
      <>
        <WithMagic
          text={trans.__(
            'Put %1 on top of a cell that calls a jitted function, and run the cell.',
            bold(MAGIC)
          )}
        />
        <Sample source={SAMPLE} where="below" run={run} trans={trans} />
      </>
    );
  }
  const lines = own.source.trim().split('\n');
  const shown = lines.slice(0, LINES_OF_CELL).map(line => shortened(line));
  return (
    <>
      <WithMagic
        text={trans.__(
          'The notebook has a cell with %1. Run the cell:',
          bold(MAGIC)
        )}
      />
      <Code lines={lines.length > LINES_OF_CELL ? [...shown, '…'] : shown} />
      <button
        className="jp-JaxprPanel-button jp-mod-primary"
        onClick={() => void cells.run(own)}
      >
        {trans.__('Run the cell')}
      </button>
    </>
  );
}

function Code({ lines }: { lines: readonly string[] }): JSX.Element {
  return (
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
  );
}

function Sample(props: {
  source: EvaluableText;
  where: 'above' | 'below';
  run: Run;
  trans: TranslationBundle;
}): JSX.Element {
  return (
    <>
      <Code lines={props.source.shown.split('\n')} />
      <button
        className="jp-JaxprPanel-button jp-mod-primary"
        onClick={() => props.run(props.source, props.where)}
      >
        {props.trans.__('Run in the notebook')}
      </button>
    </>
  );
}

/** A text on an environment, such as `JAX 0.10.2 on cpu`. */
export function environmentWords(
  environment: Environment,
  trans: TranslationBundle
): string {
  const device = environment.device ?? environment.backend;
  const jax = environment.jax ?? trans.__('unknown version');
  return device === null
    ? trans.__('JAX %1', jax)
    : trans.__('JAX %1 on %2', jax, device);
}
