/** Lets the user choose another platform, lowers the program's StableHLO for the platform, and shows the text. */
import { IDisposable } from '@lumino/disposable';

import { Links } from '../../model/links';
import { element } from '../../parts/dom';
import { ProgramEquations } from '../../program-text/equations';
import { SourceSpans } from '../../program-text/source-spans';
import type { IRequests } from '../../tokens';
import { ListingView } from '../listing/listing-view';
import type { ILevelBarOptions } from './level-bar';
import { FIRST_LINES } from './pages';
import { PlatformListing } from './platform-listing';

/** The platforms that JAX can lower for. */
const PLATFORMS = ['cpu', 'cuda', 'rocm', 'tpu'] as const;

/** The list of platforms, the state of the lowering beside it, and the text of the chosen platform. */
export class PlatformChoice implements IDisposable {
  constructor(private _options: ILevelBarOptions) {
    const { snapshot, trans } = _options;
    const own = snapshot.environment.backend;
    const option = (value: string, text: string): void => {
      const node = element('option', '', text);
      node.value = value;
      this._select.append(node);
    };
    option('', trans.__('%1 (platform of the run)', own));
    for (const platform of PLATFORMS) {
      if (platform !== own) {
        option(platform, platform);
      }
    }
    this._select.addEventListener(
      'change',
      () => void this._show(this._select.value)
    );
    const label = element('label', '', trans.__('Platform: '));
    label.append(this._select);
    this._status.setAttribute('role', 'status');
    this.nodes = [label, this._status];
  }

  /** The elements of the bar: the list, and the sentence about the lowering. */
  readonly nodes: readonly HTMLElement[];

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._close();
    }
  }

  /** Disable the list while another view covers the text, and choose the platform of the run. */
  disable(isDisabled: boolean): void {
    this._select.disabled = isDisabled;
    if (isDisabled && this._select.value !== '') {
      this._select.value = '';
      void this._show('');
    }
  }

  private async _show(platform: string): Promise<void> {
    const { model, snapshot, program, pane, trans } = this._options;
    this._close();
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
    this._say(trans.__('Lowering for the platform %1 …', platform));
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
          'JAX lowered the program for the platform %1, without compiling or running the program.',
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
          first_line: listing.arrivedLines,
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
            // `more` has loaded the next page.
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

  private _close(): void {
    this._options.model.changed.disconnect(this._mark, this);
    const host = this._view?.view.dom.parentElement;
    this._view?.dispose();
    this._view = null;
    host?.remove();
  }

  private _say(sentence: string): void {
    this._status.textContent = sentence;
  }

  private _select = element('select', 'jp-JaxprProgram-platform');
  private _status = element('span', 'jp-JaxprProgram-lowered');
  private _chosen = '';
  private _view: ListingView | null = null;
  private _isDisposed = false;
}
