/** Shows which stage of a call is running, for how long, and the size of the program until now. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Progress } from '../../protocol/snapshot';
import { duration, elapsed, grouped } from '../../quantities';
import { equations, shortened } from '../summary';

/** A stage of a running call. */
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
      {/* Screen readers announce the stage when the stage changes; the seconds are hidden from screen readers. */}
      <p className="jp-JaxprPanel-lead">
        <span role="status">{stageVerb(progress.stage, trans)}</span>
        <span aria-hidden="true">, {elapsed(now)}</span>
      </p>
      {progress.warning && <p>{progress.warning}</p>}
      {programWords(progress, trans).map(sentence => (
        <p key={sentence}>{sentence}</p>
      ))}
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
                          ? trans.__('not started')
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

/**
 * Covers the signature while a cell runs; the program below does not move. There is only room for a few short
 * sentences, the most urgent one first; the tooltip has all of them.
 */
export function RunningAbove(props: {
  progress: Progress;
  trans: TranslationBundle;
}): JSX.Element {
  const { progress, trans } = props;
  const count = progress.equations ?? null;
  const now = progress.elapsed + useSeconds(progress);
  const interrupt = interruptWords(progress, trans);
  const loop = loopWords(progress, trans);
  // If the user can interrupt the stage (a trace can be interrupted, a compile cannot), this sentence comes first.
  const sentences = [
    ...(progress.interruptible ? [interrupt, ...loop] : [...loop, interrupt]),
    ...(progress.warning ? [shortened(progress.warning, 300)] : [])
  ];
  return (
    <div
      className="jp-JaxprPanel-above"
      data-stage={progress.stage}
      title={sentences.join(' ')}
    >
      <div className="jp-JaxprPanel-aboveLines">
        <p className="jp-JaxprPanel-aboveStage">
          <b role="status">
            {progress.function === null
              ? stageVerb(progress.stage, trans)
              : trans.__(
                  '%1: %2',
                  stageVerb(progress.stage, trans),
                  shortened(progress.function, 80)
                )}
          </b>
          <span aria-hidden="true">, {elapsed(now)}</span>
          {count !== null && <span>, {equations(count, trans)}</span>}
        </p>
        <p>
          {sentences.map(sentence => (
            <React.Fragment key={sentence}>
              <span>{sentence}</span>{' '}
            </React.Fragment>
          ))}
        </p>
      </div>
    </div>
  );
}

/** A text on the number of equations that JAX has traced and the Python loop that adds them. */
function programWords(progress: Progress, trans: TranslationBundle): string[] {
  const { stage } = progress;
  const count = progress.equations ?? null;
  const sentences: string[] = [];
  if (count !== null) {
    sentences.push(
      stage === 'trace'
        ? trans._n(
            '%2 equation is traced so far.',
            '%2 equations are traced so far.',
            count,
            grouped(count)
          )
        : trans._n(
            'The program has %2 equation.',
            'The program has %2 equations.',
            count,
            grouped(count)
          )
    );
  }
  return [...sentences, ...loopWords(progress, trans)];
}

/** A sentence on the Python loop that makes the program large; empty if there is none. */
function loopWords(
  { loop = null, stage }: Progress,
  trans: TranslationBundle
): string[] {
  if (loop === null) {
    return [];
  }
  const { kind, line } = loop;
  const file = loop.file === null ? null : shortened(loop.file, 60);
  if (stage === 'trace') {
    return [
      file === null
        ? trans.__(
            'Line %1: Python runs this %2 loop while JAX traces.',
            line,
            kind
          )
        : trans.__(
            '%3, line %1: Python runs this %2 loop while JAX traces.',
            line,
            kind,
            file
          ),
      trans.__('Every iteration adds equations to the program.')
    ];
  }
  return [
    file === null
      ? trans.__(
          'Line %1: Python ran this %2 loop while JAX traced.',
          line,
          kind
        )
      : trans.__(
          '%3, line %1: Python ran this %2 loop while JAX traced.',
          line,
          kind,
          file
        ),
    trans.__('Every iteration added equations to the program.')
  ];
}

export function stageVerb(
  stage: Progress['stage'],
  trans: TranslationBundle
): string {
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
      'If you interrupt the kernel, the cell stops after the compile.'
    );
  }
  return progress.interruptible
    ? trans.__('Interrupt the kernel to stop the cell.')
    : trans.__(
        'JAX cannot stop this stage. If you interrupt the kernel, the cell stops when the stage ends.'
      );
}

/** Returns the elapsed seconds, counted on in the browser between two heartbeats. */
export function useSeconds(progress: Progress): number {
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
