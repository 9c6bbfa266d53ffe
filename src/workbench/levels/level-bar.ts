/**
 * The bar above a level's text: other platforms for StableHLO, XLA's passes for HLO, and exact links for both.
 *
 * The view of platforms or passes covers the text while it is open; the text keeps its state behind it.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';

import { twinsOf } from '../../model/exact-links';
import type { Snapshot } from '../../protocol/snapshot';
import type { IJaxprModel, LevelName } from '../../tokens';
import { disposeWidget } from '../../parts/dispose-widget';
import { element } from '../../parts/dom';
import { ExactBar } from './exact-bar';
import { PassesView } from './passes-view';
import { PlatformChoice } from './platform-choice';
import type { ProgramListings } from './program-listings';
import type { ReadingTools } from '../reading/reading-tools';

export interface ILevelBarOptions {
  trans: TranslationBundle;
  model: IJaxprModel;
  snapshot: Snapshot;
  program: number;
  level: LevelName;
  /** The element that holds the text. */
  pane: HTMLElement;
  listings: ProgramListings;
  tools: ReadingTools;
  /** Moves the keyboard focus from the text to the notebook's cell. */
  entered(): void;
}

/** The editor's element in a pane, before which the bars of the pane stand; null if the pane has no text yet. */
export function editorIn(pane: HTMLElement): HTMLElement | null {
  return pane.querySelector(':scope > .cm-editor');
}

/** The bar of one level; the jaxpr has no bar. */
export class LevelBar implements IDisposable {
  constructor(private _options: ILevelBarOptions) {
    const { level, pane, trans } = _options;
    this._node = element('div', 'jp-JaxprProgram-bar');
    this._node.hidden = true;
    if (level === 'hlo') {
      this._passesButton = element(
        'button',
        'jp-JaxprPanel-button',
        trans.__('Passes')
      );
      this._passesButton.setAttribute('aria-pressed', 'false');
      this._passesButton.addEventListener('click', () => this._togglePasses());
      this._node.append(this._passesButton);
    }
    if (level === 'stablehlo') {
      this._platform = new PlatformChoice(_options);
      this._node.append(...this._platform.nodes);
    }
    if (level !== 'jaxpr') {
      const { model, snapshot, program } = _options;
      this.exact = new ExactBar({ trans, model, snapshot, program, level });
      this._exactButton = element(
        'button',
        'jp-JaxprPanel-button',
        trans.__('Exact links')
      );
      this._exactButton.title = trans.__(
        'Link each line to exactly the equations that the line comes from. JAX and XLA compile a tagged copy of the program. The panel asks first.'
      );
      this._exactButton.addEventListener('click', () => this.exact?.toggle());
      twinsOf(model).changed.connect(this._showExact, this);
      this._showExact();
      this._node.append(this._exactButton);
    }
    pane.prepend(this._node);
  }

  /** The bar of exact links; null for the level `jaxpr`, because exact links lead from HLO to the jaxpr. */
  readonly exact: ExactBar | null = null;

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._platform?.dispose();
      disposeWidget(this._passes);
      this._options.pane.classList.remove('jp-mod-other');
      twinsOf(this._options.model).changed.disconnect(this._showExact, this);
      disposeWidget(this.exact);
      this._node.remove();
    }
  }

  /** Shows the bar if the level has a text or a kernel can make the text; else hides the bar. */
  refresh(): void {
    const { level, model, listings, pane } = this._options;
    if (this.exact?.isAttached === false && pane.isConnected) {
      Widget.attach(this.exact, pane, editorIn(pane));
    }
    const state = listings.program.levels.find(({ name }) => name === level);
    this._node.hidden =
      level === 'jaxpr' ||
      model.requests === null ||
      state === undefined ||
      state.state === 'absent' ||
      state.state === 'not_made';
  }

  /**
   * Shows on the button whether the text of the twin (the tagged copy) is in view. Then the platforms and the passes
   * are closed, because both belong to the program's own text.
   */
  private _showExact(): void {
    const isShown = this.exact?.isShown ?? false;
    const isNew =
      isShown && this._exactButton?.getAttribute('aria-pressed') === 'false';
    this._exactButton?.setAttribute('aria-pressed', String(isShown));
    if (isNew && this._passes) {
      this._togglePasses(); // close the view of the passes, because it would cover the text of the tagged copy
    }
    this._platform?.disable(isShown);
  }

  // --- the view of XLA's passes -------------------------------------------------------------

  private _togglePasses(): void {
    const { pane, model, snapshot, program, trans } = this._options;
    const isShown = pane.classList.toggle('jp-mod-other');
    this._passesButton?.setAttribute('aria-pressed', String(isShown));
    if (isShown) {
      this._passes = new PassesView({ model, snapshot, program, trans });
      Widget.attach(this._passes, pane);
    } else {
      this._passes?.dispose();
      this._passes = null;
    }
  }

  private _node: HTMLElement;
  private _passesButton: HTMLButtonElement | null = null;
  private _exactButton: HTMLButtonElement | null = null;
  private _platform: PlatformChoice | null = null;
  private _passes: PassesView | null = null;
  private _isDisposed = false;
}
