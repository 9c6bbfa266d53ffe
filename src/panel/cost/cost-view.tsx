/**
 * The Cost view: the operations of the program and where they are, XLA's own count, the memory, and how close the
 * program comes to the machine's peak rates.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Measure, measureOf } from '../../model/cost-shares';
import { ScreenState, screenStateOf } from '../../model/screen-state';
import { Costs, costsOf } from '../../model/costs';
import { timingsOf } from '../../model/timings';
import { ProgramCost, Snapshot } from '../../protocol/snapshot';
import { IEquationRef, IJaxprModel } from '../../tokens';
import { VisibilityReportingWidget } from '../../parts/visibility-reporting-widget';
import { Figures } from '../../parts/bold-amounts';
import { CostTable } from './cost-table';
import { Counted } from './counting';
import { Icicle } from './icicle';
import { MemorySection } from './memory-section';
import {
  CostReading,
  Group,
  IRow,
  Order,
  amountIn,
  lineKey,
  readingOf
} from './cost-rows';
import { RooflineSection } from './roofline-section';
import { Toolbar } from './toolbar';
import { asides, lead, primitivesWords } from './words';
import { XlaSection } from './operations-beside-xla';

/** Draws the Cost view, and draws it again when the runs, the program in view, the selection or the status change. */
export class CostView extends VisibilityReportingWidget {
  /**
   * @param _openProgram Put the Program view in front.
   */
  constructor(
    private _trans: TranslationBundle,
    private _openProgram: () => void
  ) {
    super(['snapshots', 'program', 'hover', 'selection', 'status']);
    this.addClass('jp-JaxprCost');
  }

  protected render(): JSX.Element | null {
    const { model } = this;
    return model === null ? null : (
      <Cost model={model} openProgram={this._openProgram} trans={this._trans} />
    );
  }

  /**
   * While this view is visible, the notebook's cells mark the lines that are linked to the program. The kernel counts
   * the cost of a program when this view first shows the program.
   */
  protected reportVisibility(screenState: ScreenState, isSeen: boolean): void {
    const { model } = this;
    const snapshot = model?.snapshot ?? null;
    const program = model?.program ?? -1;
    screenState.costInView = isSeen && program >= 0;
    if (
      isSeen &&
      program >= 0 &&
      model !== null &&
      snapshot !== null &&
      costsOf(model).countingOf(snapshot, program).kind === 'idle'
    ) {
      void costsOf(model).count(snapshot, program);
    }
  }
}

/** The costs and the timings of a model; a change of either draws the component again. */
function useCosts(model: IJaxprModel): Costs {
  const costs = costsOf(model);
  const [, redraw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    const timings = timingsOf(model);
    costs.changed.connect(redraw);
    timings.changed.connect(redraw);
    return () => {
      costs.changed.disconnect(redraw);
      timings.changed.disconnect(redraw);
    };
  }, [costs, model]);
  return costs;
}

export function Cost(props: {
  model: IJaxprModel;
  openProgram: () => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, trans } = props;
  const costs = useCosts(model);
  const { snapshot, program } = model;
  if (snapshot === null || program < 0) {
    return null;
  }
  const cost = costs.costOf(snapshot, program);
  if (cost === null) {
    return (
      <Counted
        model={model}
        costs={costs}
        snapshot={snapshot}
        program={program}
        trans={trans}
      />
    );
  }
  return (
    <Costed
      key={`${snapshot.id} ${program}`}
      {...props}
      costs={costs}
      cost={cost}
      snapshot={snapshot}
      program={program}
    />
  );
}

function Costed(props: {
  model: IJaxprModel;
  openProgram: () => void;
  costs: Costs;
  cost: ProgramCost;
  snapshot: Snapshot;
  program: number;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, openProgram, costs, cost, snapshot, program, trans } = props;
  const [group, setGroup] = React.useState<Group>('line');
  const [order, setOrder] = React.useState<Order>(null);
  const [chosen, setChosen] = React.useState('');
  const [all, setAll] = React.useState(false);
  const reading = readingOf(snapshot, program, cost);
  const measure: Measure = order?.column ?? measureOf(cost);
  const rows = React.useMemo(
    () => reading.rows(group, order),
    [reading, group, order]
  );
  const shown = React.useMemo(
    () => (all ? rows : dearest(rows, measure)),
    [all, rows, measure]
  );
  const sentences = lead(reading);
  const primitives = primitivesWords(reading, measureOf(cost), trans);
  const tree = group === 'name_stack' ? 'name_stack' : 'scope';

  /** Chooses equations; the notebook's cell then marks their lines, and the Program view marks the equations. */
  const select = (equations: IEquationRef[]): void =>
    model.setSelection(
      equations.length === 0 ? null : { kind: 'equations', equations }
    );
  const choose = (row: IRow): void => {
    setChosen(row.key);
    select(reading.equationsOf(row.group, row.index));
  };
  const goToFrame = (frame: number): boolean => {
    const span = reading.span(frame);
    if (span === null || span.file.kind !== 'cell') {
      return false;
    }
    screenStateOf(model).goToCell({ ...span, role: 'own' });
    return true;
  };
  const goTo = (row: IRow): void => {
    choose(row);
    if (row.group !== 'line' || !goToFrame(row.frame)) {
      openProgram();
    }
  };
  return (
    <>
      {sentences.length > 0 && (
        <p className="jp-JaxprCost-lead">
          <Figures text={sentences.join(' ')} />
        </p>
      )}
      {primitives !== null && (
        <p className="jp-JaxprPanel-small jp-JaxprCost-primitives">
          {primitives}
        </p>
      )}
      <Toolbar
        costs={costs}
        reading={reading}
        group={group}
        setGroup={setGroup}
        order={order}
        measure={measure}
        trans={trans}
      />
      <CostTable
        reading={reading}
        group={group}
        rows={shown}
        measure={measure}
        order={order}
        setOrder={setOrder}
        chosen={chosen}
        linked={linkedRows(model, reading, shown)}
        choose={choose}
        goTo={goTo}
        trans={trans}
      />
      {shown.length < rows.length && (
        <p>
          <button className="jp-JaxprPanel-link" onClick={() => setAll(true)}>
            {trans.__('Show all %1 rows', rows.length)}
          </button>
        </p>
      )}
      <p className="jp-JaxprPanel-small jp-JaxprCost-asides">
        {asides(reading, trans).join(' ')}
      </p>
      <Icicle
        key={tree}
        reading={reading}
        group={tree}
        measure={measure}
        goTo={index => {
          select(reading.equationsOf(tree, index));
          openProgram();
        }}
        trans={trans}
      />
      <XlaSection reading={reading} select={goToFrame} trans={trans} />
      <MemorySection reading={reading} select={goToFrame} trans={trans} />
      <RooflineSection
        model={model}
        costs={costs}
        reading={reading}
        trans={trans}
      />
    </>
  );
}

/** At most this many rows are shown until the user asks for more. */
const MOST_ROWS = 300;

/**
 * The most expensive rows, in the order of the table. A row never costs more than its parent, so no parent is left out.
 */
function dearest(rows: readonly IRow[], measure: Measure): readonly IRow[] {
  if (rows.length <= MOST_ROWS) {
    return rows;
  }
  const kept = new Set(
    [...rows]
      .sort((a, b) => amountIn(b, measure) - amountIn(a, measure))
      .slice(0, MOST_ROWS)
  );
  return rows.filter(row => kept.has(row));
}

/** The rows of the lines that are under the pointer or selected in another view. */
function linkedRows(
  model: IJaxprModel,
  reading: CostReading,
  rows: readonly IRow[]
): ReadonlySet<string> {
  const pointed = model.hover ?? model.selection;
  if (pointed === null || rows[0]?.group !== 'line') {
    return new Set();
  }
  const lines = new Set(
    reading.links.resolve(pointed).spans.map(span => lineKey(span))
  );
  return new Set(
    rows
      .filter(row => {
        const span = reading.span(row.frame);
        return span !== null && lines.has(lineKey(span));
      })
      .map(row => row.key)
  );
}
