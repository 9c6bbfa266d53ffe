/**
 * The bar above a level's text: other platforms for StableHLO, XLA's passes for HLO.
 *
 * The view of platforms or passes covers the text while it is open; the text keeps its state behind it.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';

import { twinsOf } from '../../model/exact-links';
import { Links } from '../../model/links';
import { ProgramEquations } from '../../program-text/equations';
import { SourceSpans } from '../../program-text/source-spans';
import type { Snapshot } from '../../protocol/snapshot';
import type { IJaxprModel, IRequests, LevelName } from '../../tokens';
import { disposeWidget } from '../../parts/dispose-widget';
import { element } from '../../parts/dom';
import { ExactBar } from './exact-bar';
import { ListingView } from '../listing/listing-view';
import { FIRST_LINES } from './pages';
import { PassesView } from './passes-view';
import { PlatformListing } from './platform-listing';
import type { ProgramListings } from './program-listings';
import type { ReadingTools } from '../reading/reading-tools';

/** The platforms that JAX can lower for. */
const PLATFORMS = ['cpu', 'cuda', 'rocm', 'tpu'] as const;

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
  /** Called when the user goes to the cell. */
  entered(): void;
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
      this._node.append(...this._platforms());
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
    pane.append(this._node);
  }

  /** The bar of exact links; null for the jaxpr, which is the target of the links. */
  readonly exact: ExactBar | null = null;

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._closePlatform();
      disposeWidget(this._passes);
      twinsOf(this._options.model).changed.disconnect(this._showExact, this);
      disposeWidget(this.exact);
      this._node.remove();
    }
  }

  /** The bar is shown if there is a text, or a kernel that can make one. */
  refresh(): void {
    const { level, model, listings, pane } = this._options;
    if (this.exact?.isAttached === false && pane.isConnected) {
      Widget.attach(this.exact, pane);
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
   * The twin is lowered for the program's own platform, and the passes are those of the program, so both views are
   * closed.
   */
  private _showExact(): void {
    const isShown = this.exact?.isShown ?? false;
    const isNew =
      isShown && this._exactButton?.getAttribute('aria-pressed') === 'false';
    this._exactButton?.setAttribute('aria-pressed', String(isShown));
    if (isNew && this._passes) {
      this._togglePasses(); // they would stand before it
    }
    if (this._platform) {
      this._platform.disabled = isShown;
      if (isShown && this._platform.value !== '') {
        this._platform.value = '';
        void this._show('');
      }
    }
  }

  // --- passes -------------------------------------------------------------------------------

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

  // --- platforms ----------------------------------------------------------------------------

  private _platforms(): HTMLElement[] {
    const { snapshot, trans } = this._options;
    const own = snapshot.environment.backend;
    const select = element('select', 'jp-JaxprProgram-platform');
    this._platform = select;
    const option = (value: string, text: string): void => {
      const node = element('option', '', text);
      node.value = value;
      select.append(node);
    };
    option('', trans.__('%1 (platform of the run)', own));
    for (const platform of PLATFORMS) {
      if (platform !== own) {
        option(platform, platform);
      }
    }
    select.addEventListener('change', () => void this._show(select.value));
    const label = element('label', '', trans.__('Platform: '));
    label.append(select);
    this._said = element('span', 'jp-JaxprProgram-lowered');
    this._said.setAttribute('role', 'status');
    return [label, this._said];
  }

  private async _show(platform: string): Promise<void> {
    const { model, snapshot, program, pane, trans } = this._options;
    this._closePlatform();
    pane.classList.toggle('jp-mod-other', platform !== '');
    this._chosen = platform;
    if (platform === '') {
      this._say('');
      return;
    }
    const { requests } = model;
    if (requests === null) {
      this._say(
        trans.__(
          'The kernel of this run is not available. Run the cell again to lower the program.'
        )
      );
      return;
    }
    this._say(trans.__('Lowering for %1 …', platform));
    try {
      const page = await requests.ask('text', {
        snapshot: snapshot.id,
        program,
        level: 'stablehlo',
        first_line: 0,
        line_count: FIRST_LINES,
        platform
      });
      if (this._isDisposed || this._chosen !== platform) {
        return;
      }
      this._say(
        trans.__(
          'JAX lowered the program for %1, without compiling or running the program.',
          platform
        )
      );
      const { jaxpr, links } = this._options.listings;
      const { equations } = links;
      const listing = new PlatformListing(
        new Links(
          new ProgramEquations(snapshot, equations.program),
          new SourceSpans(snapshot),
          false
        ),
        jaxpr,
        trans,
        platform
      );
      listing.add(page.text, 0, page.line_stacks, page, page.lines, page);
      this._open(listing, platform, requests);
    } catch (error) {
      if (this._chosen === platform) {
        this._say((error as Error).message);
      }
    }
  }

  private _open(
    listing: PlatformListing,
    platform: string,
    requests: IRequests
  ): void {
    const { model, snapshot, program, pane, trans, tools, entered } =
      this._options;
    const host = element('div', 'jp-JaxprProgram-forPlatform');
    pane.append(host);
    let isAsked = false;
    const more = async (): Promise<boolean> => {
      if (isAsked || listing.complete) {
        return false;
      }
      isAsked = true;
      try {
        const page = await requests.ask('text', {
          snapshot: snapshot.id,
          program,
          level: 'stablehlo',
          first_line: listing.held,
          line_count: FIRST_LINES,
          platform
        });
        const splice = listing.add(
          page.text,
          page.first_line,
          page.line_stacks,
          page,
          page.lines,
          page
        );
        if (splice && this._view === view) {
          view.splice(splice);
          return true;
        }
      } catch (error) {
        this._say((error as Error).message);
      } finally {
        isAsked = false;
      }
      return false;
    };
    const view = new ListingView(
      host,
      listing,
      {
        hovered: selection => model.setHover(selection),
        selected: selection => model.setSelection(selection),
        entered,
        moreWanted: () => void more(),
        allWanted: async () => {
          while (await more()) {
            // The next page.
          }
        }
      },
      trans,
      tools
    );
    this._view = view;
    model.changed.connect(this._mark, this);
    this._mark();
  }

  private _mark(): void {
    const { model, listings } = this._options;
    const { hover, selection } = model;
    if (this._view) {
      const linked = listings.links.resolve(hover ?? selection);
      this._view.mark(this._view.listing.linkedLines(linked), new Set());
    }
  }

  private _closePlatform(): void {
    this._options.model.changed.disconnect(this._mark, this);
    const host = this._view?.view.dom.parentElement;
    this._view?.dispose();
    this._view = null;
    host?.remove();
  }

  private _say(text: string): void {
    if (this._said) {
      this._said.textContent = text;
    }
  }

  private _node: HTMLElement;
  private _passesButton: HTMLButtonElement | null = null;
  private _exactButton: HTMLButtonElement | null = null;
  private _platform: HTMLSelectElement | null = null;
  private _passes: PassesView | null = null;
  private _said: HTMLElement | null = null;
  private _chosen = '';
  private _view: ListingView | null = null;
  private _isDisposed = false;
}
