/**
 * The panel's widget, which stays empty until it is first seen.
 *
 * JupyterLab makes the widget at its start, so that it can restore the layout; the content of the widget is loaded when
 * it is shown.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { Message } from '@lumino/messaging';
import { ISignal, Signal } from '@lumino/signaling';
import { Panel } from '@lumino/widgets';

import { IJaxprModel, IJaxprTracker } from '../../tokens';
import { IPanelActions } from './above-view';
import { jaxprIcon } from '../../parts/panel-icon';
import type { Shell } from './shell';
import type { ViewName } from './view-names';

const PRESENTED = 'jp-mod-presented';

export class JaxprPanel extends Panel {
  constructor(
    private _tracker: IJaxprTracker,
    private _trans: TranslationBundle,
    private _actions: IPanelActions
  ) {
    super();
    this.id = JaxprPanel.ID;
    this.addClass('jp-JaxprPanel');
    this.title.icon = jaxprIcon;
    this.title.caption = this._trans.__(
      'Jaxpr: the programs that JAX made of a cell'
    );
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this._trans.__('Jaxpr'));
    _tracker.currentChanged.connect(this._onCurrent, this);
  }

  /** Shows a message that an action of the user succeeded. */
  set notice(notice: string) {
    if (this._shell !== null) {
      this._shell.notice = notice;
    }
  }

  /** Shows a view of the panel; the panel has to be visible. */
  async showView(view: ViewName): Promise<void> {
    await this._fill();
    this._shell?.showView(view);
  }

  /** True if the panel has only the simple set of tabs. */
  set simple(simple: boolean) {
    this._simple = simple;
    if (this._shell !== null) {
      this._shell.simple = simple;
    }
  }

  /** True while the panel is presented: larger, with one tab and nothing around the view. */
  get presented(): boolean {
    return this.hasClass(PRESENTED);
  }

  set presented(presented: boolean) {
    this.toggleClass(PRESENTED, presented);
    this._shell?.updateHead();
  }

  /** Emits when the panel was shown or hidden. */
  get visibilityChanged(): ISignal<this, void> {
    return this._visibilityChanged;
  }

  /** The view that is shown first. */
  firstView: Promise<ViewName> = Promise.resolve('program');

  /** A function that the panel calls with the view that is shown, after a choice of the user or a run's request. */
  viewChosen: (view: ViewName) => void = () => undefined;

  /** True if the next activation leaves the keyboard focus where it is, because the user did not ask for the panel. */
  keepFocus = false;

  override dispose(): void {
    if (!this.isDisposed) {
      this._tracker.currentChanged.disconnect(this._onCurrent, this);
      Signal.clearData(this);
      super.dispose();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    void this._fill();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    void this._fill();
    this._visibilityChanged.emit();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._visibilityChanged.emit();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    const keep = this.keepFocus;
    this.keepFocus = false;
    if (!keep) {
      void this._fill().then(() => this._shell?.focusFirst());
    }
  }

  private _onCurrent(_: unknown, model: IJaxprModel | null): void {
    if (this._shell !== null) {
      this._shell.model = model;
    }
  }

  private _fill(): Promise<void> {
    if (!this.isVisible) {
      return Promise.resolve();
    }
    if (this._filling === null) {
      this._filling = this._makeShell();
    }
    return this._filling;
  }

  private async _makeShell(): Promise<void> {
    const [{ Shell }, firstView] = await Promise.all([
      import(/* webpackChunkName: "panel_shell" */ './shell'),
      this.firstView
    ]);
    if (this.isDisposed) {
      return;
    }
    const shell = new Shell(this.id, this._trans, this._actions, firstView);
    shell.viewChosen = view => this.viewChosen(view);
    shell.simple = this._simple;
    shell.model = this._tracker.current;
    this._shell = shell;
    this.addWidget(shell);
  }

  private _visibilityChanged = new Signal<this, void>(this);
  private _shell: Shell | null = null;
  private _simple = false;
  private _filling: Promise<void> | null = null;
}

export namespace JaxprPanel {
  export const ID = 'jupyter-jaxpr-panel';
}
