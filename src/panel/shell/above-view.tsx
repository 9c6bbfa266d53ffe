/** Shows the parts above the view, such as banners, header, tabs and stages, or an empty state. */
import type { IRenderMimeRegistry } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { screenStateOf } from '../../model/screen-state';
import { IDiffChoice } from '../../model/diffs';
import { versionsApart } from '../../model/error-words';
import { timingsOf } from '../../model/timings';
import { Retrace, VariantComparison } from '../../protocol/snapshot';
import { IJaxprModel, Status } from '../../tokens';
import { panelContent } from '../../parts/panel-content';
import { LiveLine } from '../../parts/live-line';
import { Header, IHeaderActions } from '../../parts/program-header';
import { ModelWidget } from '../../parts/model-widget';
import { StageBar } from '../../parts/stage-bar';
import { Banner, RunAgain, Waiting } from '../../parts/states/banner';
import {
  Empty,
  ICellsWithMagic,
  Insert,
  KernelAct,
  Run
} from '../../parts/states/empty';
import { Failure } from '../../parts/states/failure';
import { Running, RunningAbove } from '../../parts/states/running';
import { tabHeadline } from './tab-headlines';
import { Tabs } from './tabs';
import { ViewName } from './view-names';
import { shortened, withoutProgram } from '../../parts/summary';
import type { Noise } from '../../workbench/reading/noise-rules';

/** What the panel's controls can do besides changing the model. */
export interface IPanelActions extends IHeaderActions {
  insert: Insert;
  /** Runs code of this extension, such as the code that loads the extension, as a cell. */
  run: Run;
  /** The user's cells with the magic; left out if the notebook cannot be reached. */
  cells?: ICellsWithMagic;
  /** Runs the cell of the run in view again; left out if the notebook cannot be reached. */
  again?: RunAgain;
  /** The registry whose Vega-Lite renderer draws plots; left out if the application has no registry of renderers. */
  rendermime?: IRenderMimeRegistry;
  /** Opens a comparison in the main area; left out if the application has no place for a comparison. */
  beside?: (comparison: VariantComparison) => void;
  /** Opens a diff in the main area; left out if the application has no place for a diff. */
  diff?: (model: IJaxprModel, choice: IDiffChoice) => void;
  /**
   * Opens the levels of the program side by side in the main area; left out if the application has no place for them.
   */
  wide?: () => void;
  /** Opens the program beside its transforms in the main area; left out if the application has no place for them. */
  transforms?: () => void;
  /** The noise that a program hides at first; left out for none. */
  hides?: () => readonly Noise[];
  /**
   * The function that lets the user choose a kernel, or connects to the kernel again; the field is left out if the
   * notebook cannot be reached.
   */
  kernel?: (act: KernelAct) => void;
  /** Copies the lessons and opens the first one; left out if the application has no files. */
  lessons?: () => void;
}

export class Head extends ModelWidget {
  constructor(
    private _options: {
      /** The id of the panel's node. */
      panel: string;
      trans: TranslationBundle;
      actions: IPanelActions;
      views: () => readonly ViewName[];
      chosen: () => ViewName;
      choose: (view: ViewName) => void;
    }
  ) {
    super(['status', 'snapshots', 'program', 'failure', 'paused']);
    this.addClass('jp-JaxprPanel-head');
  }

  override get model(): IJaxprModel | null {
    return super.model;
  }

  override set model(model: IJaxprModel | null) {
    const earlierModel = super.model;
    if (earlierModel !== null) {
      screenStateOf(earlierModel).viewChanged.disconnect(this.update, this);
      timingsOf(earlierModel).changed.disconnect(this.update, this);
    }
    super.model = model;
    if (model !== null) {
      // The head is drawn again, because the user may have started or ended guessing hits and compiles.
      screenStateOf(model).viewChanged.connect(this.update, this);
      timingsOf(model).changed.connect(this.update, this);
    }
  }

  override dispose(): void {
    this.model = null;
    super.dispose();
  }

  /** Shows a message that an action of the user succeeded; a screen reader reads the message, too. */
  set notice(notice: string) {
    this._notice = notice;
    this.update();
  }

  protected render(): JSX.Element {
    const { trans, actions } = this._options;
    const model = this.model;
    const kind = panelContent(model);
    if (model === null) {
      const status: Status = { kind: 'no-notebook' };
      return (
        <Empty
          status={status}
          run={actions.run}
          lessons={actions.lessons}
          trans={trans}
        />
      );
    }
    const failure = model.failure !== null && (
      <Failure
        failure={model.failure}
        dismiss={() => model.dismissFailure()}
        trans={trans}
      />
    );
    const status = model.status;
    if (kind === 'running' && status.kind === 'running') {
      return (
        <>
          {failure}
          <Running progress={status.progress} trans={trans} />
        </>
      );
    }
    if (kind === 'empty') {
      return (
        <>
          {failure}
          <LiveLine model={model} trans={trans} />
          <Empty
            status={status}
            run={actions.run}
            cells={actions.cells}
            kernel={actions.kernel}
            trans={trans}
          />
        </>
      );
    }
    return (
      <>
        {failure}
        <Banner model={model} again={actions.again} trans={trans} />
        <div className="jp-JaxprPanel-fades">
          <Header
            model={model}
            trans={trans}
            actions={actions}
            above={
              kind === 'program' &&
              status.kind === 'running' && (
                <RunningAbove progress={status.progress} trans={trans} />
              )
            }
          />
          <Waiting model={model} trans={trans} />
          <About model={model} trans={trans} />
          {this._tabs(model)}
          {!['cache', 'time'].includes(this._options.chosen()) &&
            !screenStateOf(model).outcomesHidden && (
              <StagesOf
                model={model}
                openTime={() => this._options.choose('time')}
                trans={trans}
              />
            )}
        </div>
        <LiveLine model={model} trans={trans} />
        <div className="jp-JaxprPanel-notice" role="status">
          {this._notice}
        </div>
      </>
    );
  }

  private _tabs(model: IJaxprModel): JSX.Element | null {
    const views = this._options.views();
    if (views.length === 0) {
      return null;
    }
    return (
      <Tabs
        panel={this._options.panel}
        views={views}
        chosen={this._options.chosen()}
        notes={model.snapshot?.notes.length ?? 0}
        compiles={
          screenStateOf(model).outcomesHidden
            ? 0
            : (model.snapshot?.ledger?.compiles ?? 0)
        }
        choose={this._options.choose}
        about={`${model.snapshot?.id} ${model.snapshot?.created} ${model.program}`}
        headline={view => tabHeadline(view, model, this._options.trans)}
        trans={this._options.trans}
      />
    );
  }

  private _notice = '';
}

/** The kinds of notes that say why a run has no program, as `withoutProgram` does. */
const SAY_THE_MESSAGE = new Set([
  'not_traced',
  'untraceable',
  'target',
  'compare',
  'sweep'
]);

/**
 * The stages of the program. They stand below the tabs, because the Cache and the Time view have stages of their own
 * and the tabs must not move.
 */
function StagesOf(props: {
  model: IJaxprModel;
  openTime: () => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, openTime, trans } = props;
  const { snapshot, program: index } = model;
  const program = snapshot?.programs[index];
  const stages = program?.stages ?? null;
  if (snapshot === null || stages === null) {
    return null;
  }
  const timings = timingsOf(model);
  const timing = timings.timingOf(snapshot, index);
  const measure = (): void => {
    openTime();
    const params = { snapshot: snapshot.id, program: index };
    void timings.time.start(snapshot, index, params);
  };
  // The values of a recording are gone, so no call of it can run again.
  const canRun = model.requests !== null && program?.origin !== 'recorded';
  return (
    <StageBar
      stages={stages}
      warm={timing?.warm?.median ?? null}
      measure={canRun ? measure : null}
      trans={trans}
    />
  );
}

/** Facts about the snapshot that stand before its views: its source, and missing parts. */
function About(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, trans } = props;
  const snapshot = model.snapshot;
  if (snapshot === null) {
    return null;
  }
  const program = snapshot.programs[model.program] ?? null;
  const { environment, notes } = snapshot;
  // If a note says why there is no program, the same sentence is not shown again: the note also has a line and details.
  const noted = notes.some(note => SAY_THE_MESSAGE.has(note.kind));
  const lines = new Set([
    program === null && !noted ? withoutProgram(snapshot, trans) : null,
    program?.origin_note ?? null,
    environment.tier_note,
    model.fromSaved ? null : versionsApart(environment.jupyter_jaxpr, trans),
    snapshot.cut
  ]);
  return (
    <>
      {[...lines].map(
        line =>
          line !== null && (
            <p key={line} className="jp-JaxprPanel-about">
              {shortened(line, 1000)}
            </p>
          )
      )}
      {snapshot.retrace && model.requests !== null && !model.fromSaved && (
        <TraceIt
          key={snapshot.created}
          retrace={snapshot.retrace}
          trace={() => model.requests?.retrace(snapshot.id)}
          trans={trans}
        />
      )}
    </>
  );
}

/** The offer to trace a call whose Python may change something: what would happen, and the button. */
function TraceIt(props: {
  retrace: Retrace;
  trace: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { retrace, trans } = props;
  const [isRequested, setRequested] = React.useState(false);
  // A ref changes at once: the user may press the button again before React has drawn the button as disabled.
  const sent = React.useRef(false);
  const question = React.useId();
  const root = React.useRef<HTMLDivElement>(null);
  // When the trace has arrived, the offer disappears, and the keyboard focus stays in the head.
  React.useLayoutEffect(() => {
    const offer = root.current;
    return () => {
      if (offer?.contains(document.activeElement)) {
        offer
          .closest('.jp-JaxprPanel-head')
          ?.querySelector<HTMLElement>('button')
          ?.focus();
      }
    };
  }, []);
  return (
    <div ref={root} className="jp-JaxprPanel-retrace">
      <p id={question}>{shortened(retrace.question, 1000)}</p>
      <button
        className="jp-JaxprPanel-button"
        aria-describedby={question}
        aria-disabled={isRequested}
        onClick={() => {
          if (!sent.current) {
            sent.current = true;
            setRequested(true);
            props.trace();
          }
        }}
      >
        {retrace.undoable
          ? trans.__('Trace the call')
          : trans.__('Trace the call anyway')}
      </button>
      <span role="status">
        {isRequested &&
          trans.__('The kernel traces the call when no cell runs.')}
      </span>
    </div>
  );
}
