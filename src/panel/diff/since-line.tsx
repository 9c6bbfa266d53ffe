/**
 * The program in view comes in; a line above it goes out: how much of it differs since the run before, and a way to see.
 *
 * Small programs are compared when the line is seen; large ones when the user asks.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { diffsOf } from '../../model/diffs';
import { IJaxprModel } from '../../tokens';
import { ModelWidget } from '../model-widget';
import { useDiffs } from './diff-view';
import { countWords } from './words';

export class SinceLine extends ModelWidget {
  /**
   * @param _show Put the Diff view in front.
   */
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
  const question =
    before === null ? null : { before, after, level: 'jaxpr' as const };
  const asks =
    question !== null && model.requests !== null && diffs.isSmall(question);
  React.useEffect(() => {
    if (asks && question !== null) {
      void diffs.ask(question);
    }
  }, [asks, before?.snapshot, before?.program, after.snapshot, program]);
  if (question === null) {
    return null;
  }
  const state = diffs.stateOf(question);
  const run = model.runs.find(one => one.snapshot.id === before?.snapshot);
  const count = run?.snapshot.cell?.execution_count ?? null;
  const since =
    count === null
      ? trans.__('Since the run before')
      : trans.__('Since run [%1]', count);
  if (state.kind === 'done') {
    const words = countWords(state.diff, trans);
    return words === null ? (
      <p>{trans.__('%1: the same program.', since)}</p>
    ) : (
      <p>
        {trans.__('%1: %2.', since, words)}{' '}
        <button className="jp-JaxprPanel-link" onClick={show}>
          {trans.__('Show what differs')}
        </button>
      </p>
    );
  }
  return state.kind === 'idle' && !asks && model.requests !== null ? (
    <p>
      <button className="jp-JaxprPanel-link" onClick={show}>
        {trans.__('Compare with the run before')}
      </button>
    </p>
  ) : null;
}
