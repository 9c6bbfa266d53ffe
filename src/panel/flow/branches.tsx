/** Draws the branches of a cond or a switch side by side, each with the first lines of its program. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ILinked } from '../../model/links';
import { Branch, Control } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { grouped, operations } from '../../quantities';
import { Steady } from '../../parts/reserved-width';
import { equations, shortened } from '../../parts/summary';
import { Acts } from './card-actions';
import { Reading } from './cards-of-program';
import { SmallProgram } from './small-program';
import { useStepping } from './stepper';
import { cardName } from './words';

/** At most this many branches are shown until the user asks for more. */
const SHOWN_FIRST = 8;

export function Branches(props: {
  model: IJaxprModel;
  /** The index of the card in the document's control_flow. */
  index: number;
  reading: Reading;
  control: Control;
  linked: ILinked;
  acts: Acts;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, index, reading, control, trans } = props;
  const stepping = useStepping(model);
  const [all, setAll] = React.useState(false);
  const { branches } = control;
  if (branches.length === 0) {
    return null;
  }
  const { snapshot } = reading;
  const taken = stepping.branchTaken(snapshot, index);
  const counts = stepping.branchCounts(snapshot, index);
  const recording = stepping.recordingOf(snapshot, index);
  const isWhole = recording?.thinned === null && recording.stopped === null;
  const shown =
    all || branches.length <= SHOWN_FIRST
      ? branches
      : branches.slice(0, SHOWN_FIRST);
  return (
    <div className="jp-JaxprFlow-sides">
      <div className="jp-JaxprFlow-branches">
        {shown.map((branch, place) => (
          <Side
            key={place}
            {...props}
            branch={branch}
            place={place}
            taken={branch.label === taken}
            calls={counts.size === 0 ? null : (counts.get(branch.label) ?? 0)}
            isWhole={isWhole}
          />
        ))}
      </div>
      {shown.length < branches.length && (
        <button className="jp-JaxprPanel-link" onClick={() => setAll(true)}>
          {trans.__('Show all %1 branches', branches.length)}
        </button>
      )}
    </div>
  );
}

/**
 * The words on how often the recorded call took a branch. Only one call is recorded; other calls in the cell may have
 * taken other branches.
 */
function takenWords(
  times: number,
  isWhole: boolean,
  trans: TranslationBundle
): string {
  if (times === 0) {
    return isWhole
      ? trans.__('the recorded run did not take this branch')
      : trans.__('the recorded part of the run did not take this branch');
  }
  return isWhole
    ? trans._n(
        'the recorded run took this branch %2 time',
        'the recorded run took this branch %2 times',
        times,
        grouped(times)
      )
    : trans._n(
        'the recorded part of the run took this branch %2 time',
        'the recorded part of the run took this branch %2 times',
        times,
        grouped(times)
      );
}

function Side(props: {
  branch: Branch;
  /** The index of the branch among the branches of the jaxpr's equation. */
  place: number;
  /** True if the step that the stepper shows took the branch. */
  taken: boolean;
  /** The number of times that the recorded call took the branch; null without a recording. */
  calls: number | null;
  /** True if the recording has every execution of the construct in the recorded call. */
  isWhole: boolean;
  reading: Reading;
  control: Control;
  linked: ILinked;
  acts: Acts;
  trans: TranslationBundle;
}): JSX.Element {
  const { branch, place, taken, calls, reading, control, acts, trans } = props;
  const rows = branch.scope < 0 ? [] : reading.rowsOf(branch.scope);
  const span = reading.span(branch.frame);
  const name = shortened(branch.name, 60);
  const label = trans.__(
    'Branch %1 of %2',
    branch.label,
    cardName(reading, control, trans)
  );
  const about: React.ReactNode[] = [];
  if (String(place) !== branch.label) {
    about.push(trans.__('branch index %1 in the jaxpr', place));
  }
  if (name !== '' || span !== null) {
    about.push(
      span !== null && acts.isInCell(span) ? (
        <button
          className="jp-JaxprPanel-link"
          title={trans.__('Go to this line')}
          onClick={event => {
            event.stopPropagation();
            acts.goToPlace(span, reading.equationsOf(control));
          }}
        >
          {name === ''
            ? trans.__('line %1', span.line)
            : trans.__('%1 at line %2', name, span.line)}
        </button>
      ) : (
        name
      )
    );
  }
  if (branch.flops) {
    about.push(operations(branch.flops));
  }
  if (calls !== null) {
    about.push(takenWords(calls, props.isWhole, trans));
  }
  return (
    <section
      className={
        taken ? 'jp-JaxprFlow-branch jp-mod-taken' : 'jp-JaxprFlow-branch'
      }
      role="group"
      aria-label={label}
      data-branch={branch.label}
    >
      <header>
        <b>{branch.label}</b>
        <span className="jp-JaxprPanel-small">
          {about.map((fact, i) => (
            <React.Fragment key={i}>
              {i > 0 && ' · '}
              {fact}
            </React.Fragment>
          ))}
          {calls !== null && (
            // Each branch reserves the width of the word `taken`, because another step may take another branch.
            <Steady widest={`\u00a0· ${trans.__('branch taken')}`}>
              {taken && (
                <>
                  {about.length > 0 && '\u00a0· '}
                  <b>{trans.__('branch taken')}</b>
                </>
              )}
            </Steady>
          )}
        </span>
      </header>
      {rows.length > 0 && branch.equations > 0 ? (
        <SmallProgram {...props} rows={rows} label={label} bare />
      ) : (
        <p className="jp-JaxprPanel-small">
          {branch.scope < 0
            ? trans.__(
                'In the program, the equations of this branch are next to the equation that selects the results.'
              )
            : branch.equations === 0
              ? trans.__('This branch has no equations.')
              : equations(branch.equations, trans)}
        </p>
      )}
    </section>
  );
}
