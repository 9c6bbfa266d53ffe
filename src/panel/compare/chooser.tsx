/**
 * Lets the user choose programs to compare; shows the progress, and asks for a confirmation before effects are
 * repeated.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Asking } from '../../model/request-state';
import { inputsOf } from '../../model/earlier-program';
import { usersPrograms } from '../../model/users-programs';
import { Program, Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { Failed, Question, Working } from '../../parts/progress-and-stop';
import { shortArguments, shortened } from '../../parts/summary';
import { comparisonWords } from './words';

export function Chooser(props: {
  model: IJaxprModel;
  snapshot: Snapshot;
  comparing: Asking<'compare'>;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, snapshot, comparing, trans } = props;
  const [chosen, setChosen] = React.useState<readonly number[]>(() =>
    comparable(snapshot, model.program)
  );
  const about = React.useId();
  const state = comparing.stateOf(snapshot);
  const why =
    model.fromSaved || model.requests === null
      ? trans.__(
          'The kernel that ran these programs is not available. Run the cell again to compare the programs.'
        )
      : chosen.length < 2
        ? trans.__('Choose two or more programs.')
        : null;
  const toggle = (program: number): void =>
    setChosen(
      chosen.includes(program)
        ? chosen.filter(chosenProgram => chosenProgram !== program)
        : [...chosen, program].sort((a, b) => a - b)
    );
  if (state.kind === 'working') {
    return (
      <Working
        state={state}
        stopping={trans.__(
          'Stopping the comparison. The results so far are kept.'
        )}
        announced={true}
        stop={() => comparing.stop(snapshot)}
        trans={trans}
      />
    );
  }
  if (state.kind === 'confirm') {
    return (
      <Question
        question={state.question}
        title={trans.__('Repeat the effects of the programs?')}
        answers={{
          yes: trans.__('Run the programs and repeat the effects'),
          no: trans.__('Do not run the programs')
        }}
        yes={() => void comparing.confirm(snapshot)}
        no={() => comparing.dismiss(snapshot)}
      />
    );
  }
  return (
    <div className="jp-JaxprCompare-chooser">
      <fieldset>
        <legend>{trans.__('Programs of this run to compare')}</legend>
        {usersPrograms(snapshot).map(index => {
          const misfit = misfitOf(snapshot, index, chosen, trans);
          return (
            <label key={index}>
              <input
                type="checkbox"
                checked={chosen.includes(index)}
                disabled={misfit !== null}
                onChange={() => toggle(index)}
              />
              <span>
                <b>{shortened(snapshot.programs[index].name, 80)}</b>{' '}
                {shortArguments(snapshot.programs[index])}
                {misfit !== null && (
                  <span className="jp-JaxprPanel-second"> · {misfit}</span>
                )}
              </span>
            </label>
          );
        })}
      </fieldset>
      {state.kind === 'failed' && <Failed reason={state.reason} />}
      <div className="jp-JaxprCompare-start">
        <button
          className="jp-JaxprPanel-button"
          aria-disabled={why !== null}
          aria-describedby={about}
          onClick={() =>
            why === null &&
            void comparing.start(snapshot, 0, {
              snapshot: snapshot.id,
              programs: [...chosen]
            })
          }
        >
          {trans.__('Compare')}
        </button>
        <p id={about} className="jp-JaxprPanel-small">
          {why ?? comparisonWords(trans)}
        </p>
      </div>
    </div>
  );
}

/**
 * The reason why a program cannot run on the arguments of the chosen programs; null if the program can run on them, or
 * if the program itself is chosen.
 */
function misfitOf(
  snapshot: Snapshot,
  at: number,
  chosen: readonly number[],
  trans: TranslationBundle
): string | null {
  const [first] = chosen;
  if (chosen.includes(at)) {
    return null;
  }
  if (snapshot.programs[at].origin === 'recorded') {
    return trans.__('cannot run: the program is a recording');
  }
  if (first === undefined) {
    return null;
  }
  const [own, others] = [at, first].map(program =>
    arraysOf(snapshot.programs[program])
  );
  return own === null || others === null || own === others
    ? null
    : trans.__(
        'the program takes other argument types than the first chosen program'
      );
}

/** The types of a program's input arrays, in order, as one text; null if the signature does not list all of them. */
function arraysOf(program: Program): string | null {
  const types = inputsOf(program);
  return /…|arrays/.test(types)
    ? null
    : (types.match(/\w+(<[^>]*>)?\[[^\]]*\]/g) ?? []).join();
}

/** At most this many programs are chosen at first, because each of them runs for a while. */
const MOST_UNASKED = 4;

/**
 * The program in view and the programs that can run on the same arguments; empty if no other program can run on the
 * arguments of the program in view.
 */
function comparable(snapshot: Snapshot, inView: number): readonly number[] {
  const inputs = (at: number): string => inputsOf(snapshot.programs[at]);
  const runs = (at: number): boolean =>
    snapshot.programs[at].origin !== 'recorded';
  const like = usersPrograms(snapshot).filter(
    at => inView >= 0 && runs(at) && inputs(at) === inputs(inView)
  );
  const first = [inView, ...like.filter(at => at !== inView)];
  return runs(Math.max(inView, 0)) && like.length > 1
    ? first.slice(0, MOST_UNASKED).sort((a, b) => a - b)
    : [];
}
