/** The panel's head and views for the notebook in front; a view is made when it is first chosen. */
import { TranslationBundle } from '@jupyterlab/translation';
import { Message } from '@lumino/messaging';
import { Panel, PanelLayout, Widget } from '@lumino/widgets';

import { diffsOf } from '../../model/diffs';
import { liveOf } from '../../model/live';
import { readingPlaceOf } from '../../model/reading-place';
import { IJaxprModel, ModelChange } from '../../tokens';
import { Head, IPanelActions } from './above-view';
import { STOP } from '../../parts/arrow-key-focus';
import { ChosenView } from './chosen-view';
import { filledViews } from './filled-views';
import { tabId, viewId } from './tabs';
import { IView, MAKERS } from './view-makers';
import { ViewScroll } from './view-scroll';
import { VIEW_NAMES, ViewName, viewLabels } from './view-names';

export class Shell extends Widget {
  /**
   * @param panel The id of the panel's node.
   * @param firstView The view that is shown first, if it has anything to show.
   */
  constructor(
    panel: string,
    private _trans: TranslationBundle,
    private _actions: IPanelActions,
    firstView: ViewName = 'program'
  ) {
    super();
    this._view = new ChosenView(firstView);
    this.addClass('jp-JaxprPanel-shell');
    const layout = (this.layout = new PanelLayout());
    this._head = new Head({
      panel,
      trans: _trans,
      actions: _actions,
      views: () => this._view.views(this._model),
      chosen: () => this._view.shown(this._model) ?? 'program',
      choose: view => this._choose(view)
    });
    layout.addWidget(this._head);
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
    this._sincePlace.addClass('jp-JaxprDiff-sincePlace');
    this._sincePlace.hide();
    layout.addWidget(this._sincePlace);
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
    this._followRun();
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

  /** A function that the shell calls with the view that is shown, after a choice of the user or a run's request. */
  viewChosen: (view: ViewName) => void = () => undefined;

  /** Shows a message that an action of the user succeeded. */
  set notice(notice: string) {
    this._head.notice = notice;
  }

  /** True if the panel has only the simple set of tabs. */
  set simple(simple: boolean) {
    if (simple !== this._view.simple) {
      this._view.simple = simple;
      this._arrange();
      this._head.update();
    }
  }

  /** Draws the head again, because the actions of its buttons have changed. */
  updateHead(): void {
    this._head.update();
  }

  /** Shows a view, if it has anything to show. */
  showView(view: ViewName): void {
    if (filledViews(this._model).includes(view)) {
      this._choose(view);
    } else {
      this.notice = this._trans.__(
        'The %1 view has nothing to show for this run.',
        viewLabels(this._trans)[view]
      );
    }
  }

  /** Puts the keyboard focus on the first control. */
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
      this._followRun();
    }
    if (change !== 'hover' && change !== 'selection') {
      this._arrange();
      this._followScroll();
    }
  }

  private _followScroll(): void {
    this._scrolls.forEach(scroll => scroll.follow(this._model));
  }

  private _onRestored(): void {
    const view = this._model && this._view.beforeRun(this._model);
    if (view) {
      // The run arrived before the reading position was restored, so `followRun` has changed the view: change it back.
      this._choose(view);
    }
    this._scrolls.forEach(scroll => scroll.restore());
  }

  /** Shows the view that the options of a new run request, or goes back to the view from before such a run. */
  private _followRun(): void {
    if (this._model !== null && this._view.followRun(this._model)) {
      this.viewChosen(this._view.wanted);
      this._head.update();
    }
  }

  private _choose(view: ViewName): void {
    this._view.choose(view);
    this.viewChosen(view);
    this._arrange();
    this._head.update();
  }

  /** Shows the chosen view if the view has anything to show for the run in view. */
  private _arrange(): void {
    // If the cell's present text raises an error, the earlier program stays visible, and is marked as stale.
    this.toggleClass(
      'jp-mod-stale',
      this._model !== null &&
        (this._model.status.kind === 'stale' || liveOf(this._model).isBehind)
    );
    const shown = this._view.shown(this._model);
    for (const [name, place] of this._places) {
      place.setHidden(name !== shown);
    }
    const since = shown === 'program' && this._hasRunBefore();
    this._sincePlace.setHidden(!since);
    if (shown !== null && this.isVisible) {
      void this._make(shown);
      if (since) {
        void this._makeSince();
      }
    }
  }

  /**
   * True if an earlier run has a program of the function in view; then a line below the program states what differs.
   */
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

  /** Makes the line below the program that states the differences from the previous run. */
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
      // The server may have been unreachable. This failure is only logged: the Diff view shows the same failure.
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
      // The next choice of the view loads the module again, because the server may have been away.
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
  /** The place of a line below the program: whatever the line says, nothing above it moves. */
  private _sincePlace = new Panel();
  private _since: IView | null = null;
  private _sinceAsked = false;
  private _view: ChosenView;
  private _model: IJaxprModel | null = null;
}
