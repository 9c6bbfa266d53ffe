/** The panel's head and views for the notebook in front; a view is made when it is first chosen. */
import { TranslationBundle } from '@jupyterlab/translation';
import { Message } from '@lumino/messaging';
import { Panel, PanelLayout, Widget } from '@lumino/widgets';

import { diffsOf } from '../../model/diffs';
import { liveOf } from '../../model/live';
import { readingPlaceOf } from '../../model/reading-place';
import { usersPrograms } from '../../model/users-programs';
import { Snapshot } from '../../protocol/snapshot';
import { IJaxprModel, ModelChange } from '../../tokens';
import { Head, IPanelActions } from './above-view';
import { filling } from '../../parts/filling';
import { NotesView } from '../notes/notes';
import { STOP } from '../../parts/roving';
import { tabId, viewId } from './tabs';
import { ViewScroll } from './view-scroll';
import { SIMPLE_VIEWS, VIEW_NAMES, ViewName, viewLabels } from './views';

/** A view of the panel. */
export interface IView extends Widget {
  model: IJaxprModel | null;
}

/** How each view is made; what is heavy is fetched then. */
const MAKERS: Record<
  ViewName,
  (
    trans: TranslationBundle,
    choose: (view: ViewName) => void,
    actions: IPanelActions
  ) => Promise<IView>
> = {
  program: async (trans, _, actions) => {
    const { ProgramView } = await import(
      /* webpackChunkName: "panel_program" */ '../program'
    );
    const { wide, transforms, hides } = actions;
    return new ProgramView({ trans, wide, transforms, hidden: hides?.() });
  },
  flow: async (trans, choose) => {
    const { FlowView } = await import(
      /* webpackChunkName: "panel_flow" */ '../flow'
    );
    return new FlowView(trans, () => choose('program'));
  },
  cache: async trans => {
    const { CacheView } = await import(
      /* webpackChunkName: "panel_cache" */ '../cache'
    );
    return new CacheView(trans);
  },
  time: async (trans, _, actions) => {
    const { TimeView } = await import(
      /* webpackChunkName: "panel_time" */ '../time'
    );
    return new TimeView(trans, actions.rendermime ?? null);
  },
  cost: async (trans, choose) => {
    const { CostView } = await import(
      /* webpackChunkName: "panel_cost" */ '../cost'
    );
    return new CostView(trans, () => choose('program'));
  },
  diff: async (trans, _, actions) => {
    const { DiffView } = await import(
      /* webpackChunkName: "panel_diff" */ '../diff'
    );
    return new DiffView(trans, actions.diff ?? null);
  },
  compare: async (trans, choose, actions) => {
    const { CompareView } = await import(
      /* webpackChunkName: "panel_compare" */ '../compare'
    );
    return new CompareView(
      trans,
      () => choose('program'),
      actions.beside ?? null
    );
  },
  notes: async (trans, _, actions) => new NotesView(trans, actions.insert)
};

/** The view of what the magic's line asked for; null where it asked for none. */
function askedFor(snapshot: Snapshot): ViewName | null {
  if (snapshot.sweep) {
    return 'time';
  }
  if (snapshot.comparison) {
    return 'compare';
  }
  return (snapshot.timings?.length ?? 0) > 0 ? 'time' : null;
}

export class Shell extends Widget {
  /**
   * @param panel Id of the panel's node.
   * @param firstView Shown first, where there is anything for it to show.
   */
  constructor(
    panel: string,
    private _trans: TranslationBundle,
    private _actions: IPanelActions,
    firstView: ViewName = 'program'
  ) {
    super();
    this._wanted = firstView;
    this.addClass('jp-JaxprPanel-shell');
    const layout = (this.layout = new PanelLayout());
    this._head = new Head({
      panel,
      trans: _trans,
      actions: _actions,
      views: () => this._views(),
      chosen: () => this._chosen,
      choose: view => this._choose(view)
    });
    layout.addWidget(this._head);
    this._sincePlace.addClass('jp-JaxprDiff-sincePlace');
    this._sincePlace.hide();
    layout.addWidget(this._sincePlace);
    for (const name of VIEW_NAMES) {
      const place = new Panel();
      place.addClass('jp-JaxprPanel-view');
      place.id = viewId(panel, name);
      place.node.setAttribute('role', 'tabpanel');
      place.node.setAttribute('aria-labelledby', tabId(panel, name));
      place.hide();
      this._places.set(name, place);
      layout.addWidget(place);
    }
  }

  get model(): IJaxprModel | null {
    return this._model;
  }

  set model(model: IJaxprModel | null) {
    if (model === this._model) {
      return;
    }
    this._leave();
    this._model = model;
    if (model !== null) {
      model.changed.connect(this._onChanged, this);
      liveOf(model).changed.connect(this._arrange, this);
      readingPlaceOf(model).restored.connect(this._onRestored, this);
    }
    this._head.model = model;
    this._followAsked();
    for (const view of this._made.values()) {
      view.model = model;
    }
    if (this._since !== null) {
      this._since.model = model;
    }
    this._arrange();
    this._followScroll();
  }

  private _leave(): void {
    if (this._model !== null) {
      this._model.changed.disconnect(this._onChanged, this);
      liveOf(this._model).changed.disconnect(this._arrange, this);
      readingPlaceOf(this._model).restored.disconnect(this._onRestored, this);
    }
  }

  /** Told which view is shown, by a person or because a run asked for the view. */
  viewChosen: (view: ViewName) => void = () => undefined;

  /** Something the user did has worked. */
  set notice(notice: string) {
    this._head.notice = notice;
  }

  /** Whether only the simple set of tabs is shown. */
  set simple(simple: boolean) {
    if (simple !== this._simple) {
      this._simple = simple;
      this._arrange();
      this._head.update();
    }
  }

  /** Draw the head again: what its buttons do has changed. */
  updateHead(): void {
    this._head.update();
  }

  /** Show a view, where there is anything for it to show. */
  showView(view: ViewName): void {
    if (this._filled().includes(view)) {
      this._choose(view);
    } else {
      this.notice = this._trans.__(
        'There is no %1 for this run.',
        viewLabels(this._trans)[view]
      );
    }
  }

  /** Put the keyboard on the first control. */
  focusFirst(): void {
    this.node
      .querySelector<HTMLElement>(`[${STOP}][tabindex="0"], button`)
      ?.focus();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._leave();
      this._model = null;
      this._scrolls.forEach(scroll => scroll.dispose());
      super.dispose();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._arrange();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._arrange();
  }

  private _onChanged(_: unknown, change: ModelChange): void {
    if (change === 'snapshots') {
      this._followAsked();
    }
    if (change !== 'hover' && change !== 'selection') {
      this._arrange();
      this._followScroll();
    }
  }

  private _followScroll(): void {
    this._scrolls.forEach(scroll => scroll.follow(this._model));
  }

  /** Whether a run is the one that was read when the page was left. */
  private _wasRead(snapshot: Snapshot): boolean {
    return (
      this._model !== null &&
      readingPlaceOf(this._model).runBefore === snapshot.id
    );
  }

  private _onRestored(): void {
    const snapshot = this._model?.snapshot ?? null;
    if (snapshot !== null && this._wasRead(snapshot) && this._before !== null) {
      this._choose(this._before); // the run came before what was kept of it
    }
    this._scrolls.forEach(scroll => scroll.restore());
  }

  /** A run that was asked to compare or to time shows that; the next one what was in view before. */
  private _followAsked(): void {
    const snapshot = this._model?.snapshot ?? null;
    // Later the document of a run may hold what the panel asked for, too.
    if (snapshot === null || this._seen.has(snapshot.id)) {
      return;
    }
    this._seen.add(snapshot.id);
    if (this._wasRead(snapshot)) {
      return; // the view that was chosen then comes back
    }
    const asked = askedFor(snapshot);
    if (asked !== null && this._wanted !== asked) {
      this._before ??= this._wanted;
      this._wanted = asked;
      this.viewChosen(asked);
      this._head.update();
    } else if (asked === null && this._before !== null) {
      this._wanted = this._before;
      this._before = null;
      this.viewChosen(this._wanted);
      this._head.update();
    }
  }

  /** The views that have a tab. */
  private _views(): readonly ViewName[] {
    const filled = this._filled();
    const shown = filled.filter(
      view => !this._simple || SIMPLE_VIEWS.has(view) || view === this._wanted
    );
    return shown.length > 0 ? shown : filled;
  }

  /** The views that the snapshot has something for. */
  private _filled(): readonly ViewName[] {
    const snapshot = this._model?.snapshot ?? null;
    const shown = filling(this._model);
    if (shown !== 'program' && shown !== 'message') {
      return [];
    }
    const filled: Record<ViewName, boolean> = {
      program: shown === 'program',
      flow: shown === 'program',
      cache: (snapshot?.ledger ?? null) !== null,
      time: shown === 'program' || (snapshot?.sweep ?? null) !== null,
      cost: shown === 'program',
      diff:
        shown === 'program' &&
        this._model !== null &&
        diffsOf(this._model).programs().length > 1,
      compare:
        (snapshot?.comparison ?? null) !== null ||
        (snapshot !== null && usersPrograms(snapshot).length > 1),
      notes: shown === 'program' || (snapshot?.notes.length ?? 0) > 0
    };
    return VIEW_NAMES.filter(view => filled[view]);
  }

  private _choose(view: ViewName): void {
    this._wanted = view;
    this._before = null;
    this.viewChosen(view);
    this._arrange();
    this._head.update();
  }

  private get _chosen(): ViewName {
    const views = this._views();
    if (views.includes(this._wanted)) {
      return this._wanted;
    }
    // Where there is no program, its place is taken by what says why.
    return views.includes('notes') ? 'notes' : (views[0] ?? 'program');
  }

  /** Show the chosen view, where there is anything to show. */
  private _arrange(): void {
    // The program of before stays in view where the text of now raises an error.
    this.toggleClass(
      'jp-mod-stale',
      this._model !== null &&
        (this._model.status.kind === 'stale' || liveOf(this._model).isBehind)
    );
    const shown = this._views().length > 0 ? this._chosen : null;
    for (const [name, place] of this._places) {
      place.setHidden(name !== shown);
    }
    const since = shown === 'program' && this._hasRunBefore();
    // There from the first run on: the next one moves nothing.
    this._sincePlace.setHidden(shown !== 'program');
    if (shown !== null && this.isVisible) {
      void this._make(shown);
      if (since) {
        void this._makeSince();
      }
    }
  }

  /** Whether the function in view was run before: then there is a line about that, and its place from the start. */
  private _hasRunBefore(): boolean {
    const { _model: model } = this;
    const snapshot = model?.snapshot ?? null;
    return (
      model !== null &&
      snapshot !== null &&
      diffsOf(model).previous({
        snapshot: snapshot.id,
        program: model.program
      }) !== null
    );
  }

  /** The line above the program that says what differs since the run before; made once there is one. */
  private async _makeSince(): Promise<void> {
    if (this._sinceAsked) {
      return;
    }
    this._sinceAsked = true;
    try {
      const { SinceLine } = await import(
        /* webpackChunkName: "panel_diff" */ '../diff'
      );
      if (this.isDisposed) {
        return;
      }
      this._since = new SinceLine(this._trans, () => this._choose('diff'));
      this._since.model = this._model;
      this._sincePlace.addWidget(this._since);
    } catch (reason) {
      // The server may have been away; the Diff view tells the same.
      this._sinceAsked = false;
      console.error('jupyter-jaxpr panel: the diff failed to load', reason);
    }
  }

  private async _make(name: ViewName): Promise<void> {
    if (this._asked.has(name)) {
      return;
    }
    this._asked.add(name);
    try {
      const view = await MAKERS[name](
        this._trans,
        to => this._choose(to),
        this._actions
      );
      if (this.isDisposed) {
        view.dispose();
        return;
      }
      view.model = this._model;
      this._made.set(name, view);
      this._places.get(name)?.addWidget(view);
      if (name !== 'program') {
        const scroll = new ViewScroll(view.node, name);
        this._scrolls.push(scroll);
        scroll.follow(this._model);
      }
    } catch (reason) {
      // Fetched anew when it is next chosen: the server may have been away.
      this._asked.delete(name);
      console.error(`jupyter-jaxpr panel: the view ${name} failed`, reason);
      this.notice = this._trans.__(
        'This view could not be loaded. Reload the page and try again.'
      );
    }
  }

  private _head: Head;
  private _places = new Map<ViewName, Panel>();
  private _made = new Map<ViewName, IView>();
  private _asked = new Set<ViewName>();
  private _scrolls: ViewScroll[] = [];
  /** As high as a line, whether or not the line has come: nothing below it moves. */
  private _sincePlace = new Panel();
  private _since: IView | null = null;
  private _sinceAsked = false;
  private _wanted: ViewName;
  private _simple = false;
  /** What was in view before one came by itself. */
  private _before: ViewName | null = null;
  /** Id of the snapshot that was looked at for what it was asked. */
  private _seen = new Set<string>();
  private _model: IJaxprModel | null = null;
}
