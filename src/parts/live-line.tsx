/** Shows the state of Live for the cell that the user edits, and asks for argument types if they are unknown. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { LastLevel, LiveState, liveOf } from '../model/live';
import { liveWords } from '../model/live-words';
import { EvaluableText } from '../protocol/evaluable';
import type { IJaxprModel } from '../tokens';
import { useLiveChoice, useLiveState } from './following-live';
import { shortened } from './summary';

/** The line keeps the height of its longest text, up to this many pixels. */
const MOST = 160;

/** The line below the header; it is absent if Live is off and the user has not asked for a trace. */
export function LiveLine(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, trans } = props;
  const state = useLiveState(model);
  const choice = useLiveChoice();
  if (!choice.isOn && state.kind === 'idle') {
    return null;
  }
  return (
    <ShownLine
      model={model}
      state={state}
      lastLevel={choice.lastLevel}
      trans={trans}
    />
  );
}

/** The line never shrinks while the user types, so that the program below does not move. */
function ShownLine(props: {
  model: IJaxprModel;
  state: LiveState;
  lastLevel: LastLevel;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, state, lastLevel, trans } = props;
  const line = React.useRef<HTMLDivElement>(null);
  const content = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    const node = content.current;
    if (node === null || typeof ResizeObserver === 'undefined') {
      return;
    }
    const kept = { width: 0, height: 0 };
    // The observer reports the size after the browser has laid out the page. To read the size here would lay out the
    // page once more, in the middle of the change to another program.
    const observer = new ResizeObserver(([{ contentRect }]) => {
      const { width, height } = contentRect;
      const before = kept.width === width ? kept.height : 0;
      kept.width = width;
      kept.height = Math.max(before, Math.min(height, MOST));
      line.current?.style.setProperty('min-height', `${kept.height}px`);
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  const answer = state.kind === 'answered' ? state.answer : null;
  const card =
    answer?.snapshot?.notes.find(({ kind }) => kind === 'trace_raised') ?? null;
  return (
    <div
      ref={line}
      className="jp-JaxprLive"
      data-state={answer?.state ?? state.kind}
      role="group"
      aria-label={trans.__('Live')}
    >
      <div ref={content}>
        <p role="status" title={liveWords(lastLevel, trans)}>
          <b>{headOf(state, model, trans)}</b> {textOf(state, trans)}
        </p>
        {answer?.state === 'traced' && answer.cost && (
          <p>{shortened(answer.cost, 1000)}</p>
        )}
        {answer?.state === 'raised' && card !== null && (
          <div className="jp-JaxprLive-card">
            <p>{shortened(card.text, 1000)}</p>
            {(card.cures ?? []).slice(0, 3).map(cure => (
              <p key={cure.name}>{shortened(cure.text, 400)}</p>
            ))}
            {card.cure !== null && <p>{shortened(card.cure, 400)}</p>}
          </div>
        )}
        {answer?.state === 'needs_arguments' && (
          <ArgumentTypes
            trans={trans}
            send={specs => liveOf(model).retry?.(specs)}
          />
        )}
      </div>
    </div>
  );
}

/** A few words on the state of Live. */
function headOf(
  state: LiveState,
  model: IJaxprModel,
  trans: TranslationBundle
): string {
  if (state.kind === 'idle') {
    return trans.__('Live is on.');
  }
  if (state.kind === 'refused' || state.kind === 'distrusted') {
    return trans.__('The code was not traced.');
  }
  switch (state.answer.state) {
    case 'traced':
      return model.isWritten
        ? trans.__('The code as written was traced, not run.')
        : trans.__(
            'The code as written was traced, not run. The panel still shows the program of the last run.'
          );
    case 'raised':
      return trans.__('As written, %1 raises an error.', nameOf(state, trans));
    case 'no_python':
      return trans.__('The code is incomplete.');
    case 'waiting':
      return trans.__('Live waits until the measurement has ended.');
    case 'stopped':
      return trans.__('Live is paused for this cell.');
    case 'needs_arguments':
      return trans.__('Live needs argument types.');
    case 'no_function':
    case 'not_traced':
      return trans.__('The code was not traced.');
  }
}

function nameOf(
  { answer }: LiveState & { kind: 'answered' },
  trans: TranslationBundle
): string {
  return answer.function ?? trans.__('the cell');
}

/** The kernel's sentences on the state; the sentences on an error are on a card instead. */
function textOf(state: LiveState, trans: TranslationBundle): string {
  if (state.kind === 'idle') {
    return trans.__('Change a function in a cell to trace the function.');
  }
  if (state.kind === 'distrusted') {
    return trans.__(
      'The cell is not trusted. Run the cell, or choose Trust Notebook in the command palette.'
    );
  }
  if (state.kind === 'refused') {
    return shortened(state.reason, 1000);
  }
  return state.kind === 'answered' && state.answer.state !== 'raised'
    ? shortened(state.answer.text ?? '', 1000)
    : '';
}

/** An input field for argument types that the kernel does not know. */
function ArgumentTypes(props: {
  trans: TranslationBundle;
  send: (specs: EvaluableText) => void;
}): JSX.Element {
  const { trans, send } = props;
  const typed = React.useRef<EvaluableText | null>(null);
  return (
    <form
      className="jp-JaxprLive-types"
      onSubmit={event => {
        event.preventDefault();
        if (typed.current !== null) {
          send(typed.current);
        }
      }}
    >
      <label>
        {trans.__('Argument types')}{' '}
        <input
          type="text"
          spellCheck={false}
          placeholder={trans.__('f32[8], n=3')}
          onChange={event => {
            typed.current = EvaluableText.typed(event);
          }}
        />
      </label>
      <button className="jp-JaxprPanel-button" type="submit">
        {trans.__('Trace')}
      </button>
    </form>
  );
}
