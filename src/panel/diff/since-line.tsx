/**
 * A line below the program that says how much the program differs from the previous run, with a button that shows the
 * differences.
 *
 * Small programs are compared when the line comes into view; large ones when the user asks.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { DiffState, diffsOf } from '../../model/diffs';
import { IJaxprModel } from '../../tokens';
import { ModelWidget } from '../../parts/model-widget';
import { useDiffs } from './diff-view';
import { differs } from './words';

export class SinceLine extends ModelWidget {
  /** @param _show Shows the Diff view. */
  constructor(
    private _trans: TranslationBundle,
    private _show: () => void
  ) {
    super(['snapshots', 'program', 'status']);
    this.addClass('jp-JaxprDiff-since');
  }

  protected render(): JSX.Element | null {
    const { model } = this;
    return model === null ? null : (
      <Since
        model={model}
        show={() => {
          diffsOf(model).chosen = null;
          this._show();
        }}
        trans={this._trans}
      />
    );
  }
}

/**
 * The largest program, in equations, that is compared without a request; such a comparison takes no noticeable time.
 */
const COMPARED_UNASKED = 2_000;

function Since(props: {
  model: IJaxprModel;
  show: () => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, show, trans } = props;
  const diffs = useDiffs(model);
  const { snapshot, program } = model;
  const after = { snapshot: snapshot?.id ?? '', program };
  const before = diffs.previous(after);
  const choice =
    before === null ? null : { before, after, level: 'jaxpr' as const };
  const isSmall = [before, after].every(ref => {
    const run = model.runs.find(
      ({ snapshot }) => snapshot.id === ref?.snapshot
    );
    const programs = run?.snapshot.programs ?? [];
    const { equations } = programs[ref?.program ?? -1] ?? {};
    return equations !== undefined && equations <= COMPARED_UNASKED;
  });
  const canAsk = choice !== null && diffs.canAsk(choice);
  const asks = canAsk && isSmall;
  React.useEffect(() => {
    if (asks && choice !== null) {
      void diffs.ask(choice);
    }
  }, [asks, before?.snapshot, before?.program, snapshot, program]);
  const lastWords = React.useRef<string | null>(null);
  if (choice === null) {
    return null;
  }
  const state = diffs.stateOf(choice);
  const run = model.runs.find(
    listedRun => listedRun.snapshot.id === before?.snapshot
  );
  const count = run?.snapshot.cell?.execution_count ?? null;
  const since =
    count === null
      ? trans.__('Changes since the previous run')
      : trans.__('Changes since run [%1]', count);
  // The diff of a small program is requested at once.
  const isWorking = state.kind === 'working' || (asks && state.kind === 'idle');
  const words = sinceWords(
    since,
    isWorking ? { kind: 'working' } : state,
    trans
  );
  if (!isWorking) {
    lastWords.current = words;
  }
  // While the user types, the diff with the new text takes a moment; until then, the words about the earlier text stay
  // in grey, so that nothing below moves.
  if (isWorking && model.isWritten && lastWords.current !== null) {
    return (
      <p className="jp-mod-behind" aria-busy>
        {lastWords.current}
      </p>
    );
  }
  const isDone =
    state.kind === 'done' &&
    (differs(state.diff) || state.diff.remarks.length > 0);
  return (
    <p>
      {words}
      {isDone && (
        <button className="jp-JaxprPanel-link" onClick={show}>
          {trans.__('Show the diff')}
        </button>
      )}
      {state.kind === 'idle' && !asks && canAsk && (
        <button className="jp-JaxprPanel-link" onClick={show}>
          {trans.__('Compare with the previous run')}
        </button>
      )}
    </p>
  );
}

/** The sentence about the differences from the previous run, for each state of the comparison. */
function sinceWords(
  since: string,
  state: DiffState,
  trans: TranslationBundle
): string {
  switch (state.kind) {
    case 'done':
      return trans.__('%1: %2', since, state.diff.summary);
    case 'working':
      return trans.__('%1: comparing the programs …', since);
    case 'failed':
      return trans.__(
        '%1 are not known, because the programs were not compared. %2',
        since,
        state.reason
      );
    case 'idle':
      return trans.__(
        '%1 are not known yet, because the programs are not compared yet.',
        since
      );
  }
}
