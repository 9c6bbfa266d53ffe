/**
 * The model comes in; its program goes out as jaxpr, StableHLO and HLO, linked to the notebook's cells.
 *
 * What is shown is made when the view is on screen; while it is hidden it does nothing.
 */
// This module is itself fetched when a program is first shown.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { openSearchPanel } from '@codemirror/search';
import { TranslationBundle } from '@jupyterlab/translation';
import { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { EquationHeat } from '../../model/heat';
import { Attention, attentionOf } from '../../model/attention';
import { costsOf } from '../../model/costs';
import { ILinked, TextLevel, linksOf } from '../../model/links';
import type { Level, Snapshot } from '../../protocol/snapshot';
import type {
  IJaxprModel,
  LevelName,
  ModelChange,
  Selection
} from '../../tokens';
import { element } from './describe';
import { Detail, detailOf } from './detail';
import { JaxprListing } from './jaxpr-listing';
import type { IListing } from './listing';
import { ListingView } from './listing-view';
import { FIRST_LINES, IShown, Pages } from './pages';
import { TextListing } from './text-listing';
import { Toolbar, levelTitle } from './toolbar';

/** Why a level has no text, and what can be done. */
interface IAbsence {
  text: string;
  action: { label: string; run: () => void } | null;
}

/** The view of a program. */
export class ProgramView extends Widget {
  constructor(options: {
    trans: TranslationBundle;
    model?: IJaxprModel | null;
  }) {
    super();
    this._trans = options.trans;
    this.addClass('jp-JaxprProgram');
    this._toolbar = new Toolbar(this._trans, {
      choose: level => this._choose(level),
      find: () => this._find(),
      foldAll: () => this._view?.foldAll(),
      unfoldAll: () => this._view?.unfoldAll()
    });
    this._messages = element('div', 'jp-JaxprProgram-messages');
    this._messages.setAttribute('role', 'status');
    this._body = element('div', 'jp-JaxprProgram-body');
    this._detail = new Detail(this._trans);
    this._pages = new Pages(this._trans, {
      requests: () => this._model?.requests ?? null,
      isShown: shown => this._shown === shown,
      tell: notice => this._tell(notice),
      arrived: () => this._mark(false)
    });
    this.node.append(
      this._toolbar.node,
      this._messages,
      this._body,
      this._detail.node
    );
    this.node.addEventListener('keydown', event => {
      if (
        event.key.toLowerCase() === 'f' &&
        (event.ctrlKey || event.metaKey) &&
        !event.altKey &&
        !event.shiftKey
      ) {
        event.preventDefault();
        event.stopPropagation();
        this._find();
      }
    });
    this.model = options.model ?? null;
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
    if (model) {
      model.changed.connect(this._onChanged, this);
      this._attention = attentionOf(model);
      this._attention.programWanted.connect(this._onWanted, this);
      this._attention.unlinkedChanged.connect(this._showMessages, this);
      costsOf(model).changed.connect(this._onCosts, this);
    }
    this._refresh();
  }

  /** The editor that is shown; for tests and for the panel's copy. */
  get view(): ListingView | null {
    return this._view;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._leave();
      this._clear();
      super.dispose();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._refresh();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._refresh();
    this._view?.view.requestMeasure();
    // What was chosen in another view meanwhile.
    this._mark(true);
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._tellInView();
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    if (this._attention) {
      this._attention.inView = false;
    }
  }

  protected override onResize(message: Widget.ResizeMessage): void {
    super.onResize(message);
    this._view?.view.requestMeasure();
  }

  // --- what is shown ------------------------------------------------------------------------

  private _leave(): void {
    this._model?.changed.disconnect(this._onChanged, this);
    if (this._model) {
      costsOf(this._model).changed.disconnect(this._onCosts, this);
    }
    if (this._attention) {
      this._attention.inView = false;
      this._attention.programWanted.disconnect(this._onWanted, this);
      this._attention.unlinkedChanged.disconnect(this._showMessages, this);
      this._attention = null;
    }
    this._model = null;
  }

  private _onChanged(_: IJaxprModel, change: ModelChange): void {
    switch (change) {
      case 'hover':
      case 'selection':
        if (this.isVisible) {
          this._mark(change === 'selection');
        }
        return;
      case 'program':
      case 'snapshots':
      case 'status':
        this._refresh();
        return;
      case 'failure':
      case 'paused':
        return;
    }
  }

  private _onWanted(): void {
    this._view?.focus();
  }

  /** Show the model's program, if it is another one and anyone is looking. */
  private _refresh(): void {
    this._tellInView();
    if (!this.isVisible) {
      return;
    }
    const snapshot = this._model?.snapshot ?? null;
    const index = this._model?.program ?? -1;
    if (snapshot === null || index < 0) {
      this._clear();
      return;
    }
    const same =
      this._shown?.snapshot === snapshot && this._shown.index === index;
    if (!same) {
      this._open(snapshot, index);
    } else if (this._view === null) {
      this._showLevel();
    }
  }

  private _tellInView(): void {
    if (this._attention) {
      this._attention.inView =
        this.isVisible && (this._model?.program ?? -1) >= 0;
    }
  }

  private _open(snapshot: Snapshot, index: number): void {
    this._clear();
    const links = linksOf(snapshot, index);
    this._shown = {
      snapshot,
      index,
      program: snapshot.programs[index],
      links,
      jaxpr: new JaxprListing(links, this._trans),
      texts: new Map(),
      views: new Map(),
      asked: new Set(),
      heated: null
    };
    this._takeHeat();
    this._showLevel();
    this._mark(true);
  }

  private _onCosts(): void {
    if (this._takeHeat()) {
      this._mark(false);
    }
  }

  /** Have the cost of equations shown, or no longer; whether that is a change. */
  private _takeHeat(): boolean {
    const { _model: model, _shown: shown } = this;
    if (!model || !shown) {
      return false;
    }
    const costs = costsOf(model);
    const cost = costs.heat ? costs.costOf(shown.snapshot, shown.index) : null;
    const before = shown.heated;
    shown.heated = cost;
    shown.jaxpr.equationHeat = cost && new EquationHeat(cost, this._trans);
    this._body.classList.toggle('jp-mod-heat', cost !== null);
    return before !== cost;
  }

  private _clear(): void {
    for (const view of this._shown?.views.values() ?? []) {
      view.dispose();
    }
    this._shown = null;
    this._view = null;
    this._notice = null;
    this._own = null;
    this._body.replaceChildren();
    this._detail.show(null);
    this._showMessages();
  }

  private _choose(level: LevelName): void {
    if (level !== this._level) {
      this._level = level;
      this._notice = null;
      // Chosen in another text, so it may be out of view in this one.
      this._own = null;
      this._showLevel();
      this._mark(true);
    }
  }

  /** Put the chosen level into the body: its editor, or why there is none. */
  private _showLevel(): void {
    const shown = this._shown;
    if (!shown) {
      return;
    }
    this._view = null;
    for (const node of this._body.children) {
      (node as HTMLElement).hidden = true;
    }
    this._body.querySelector('.jp-JaxprProgram-absent')?.remove();
    let listing: IListing | null = null;
    let absence: IAbsence | null = null;
    if (this._level === 'jaxpr') {
      listing = shown.jaxpr;
    } else {
      const found = this._textListing(shown, this._level);
      if ('text' in found) {
        absence = found;
      } else {
        listing = found.listing;
      }
    }
    if (listing) {
      this._view = this._viewOf(shown, this._level, listing);
    } else if (absence) {
      this._body.append(absenceNode(absence));
    }
    this._showCount();
    this._showMessages();
  }

  private _viewOf(
    shown: IShown,
    level: LevelName,
    listing: IListing
  ): ListingView {
    const known = shown.views.get(level);
    if (known) {
      const host = known.view.dom.parentElement;
      if (host) {
        host.hidden = false;
      }
      known.view.requestMeasure();
      return known;
    }
    const host = element('div', 'jp-JaxprProgram-listing');
    host.dataset.level = level;
    this._body.append(host);
    const view = new ListingView(
      host,
      listing,
      {
        hovered: selection => this._model?.setHover(selection),
        selected: selection => this._select(selection),
        entered: () => this._goToCell(),
        moreWanted: line => void this._pages.more(shown, level, line),
        allWanted: () => void this._pages.all(shown, level)
      },
      this._trans
    );
    shown.views.set(level, view);
    return view;
  }

  /** The text of a level, if it is here or on its way; else why not. */
  private _textListing(
    shown: IShown,
    name: TextLevel
  ): { listing: TextListing | null } | IAbsence {
    const known = shown.texts.get(name);
    if (known) {
      return { listing: known };
    }
    const level = shown.program.levels.find(level => level.name === name);
    if (!level) {
      return {
        text: this._trans.__(
          'This document has no %1.',
          levelTitle(name, this._trans)
        ),
        action: null
      };
    }
    switch (level.state) {
      case 'held':
        return { listing: this._heldText(shown, name, level) };
      case 'on_request':
        return this._requestedText(shown, name);
      case 'not_made':
        return this._notMade(shown, level);
      case 'absent':
        return { text: level.reason ?? '', action: null };
    }
  }

  private _heldText(shown: IShown, name: TextLevel, level: Level): TextListing {
    const text = level.text ?? '';
    const listing = new TextListing(shown.links, name, this._trans);
    const lines = text.split('\n').length;
    listing.add(text, 0, level.line_stacks ?? [], shown.snapshot, lines);
    shown.texts.set(name, listing);
    return listing;
  }

  private _requestedText(
    shown: IShown,
    name: TextLevel
  ): { listing: null } | IAbsence {
    const requests = this._model?.requests ?? null;
    if (!requests) {
      return {
        text: this._trans.__(
          'The kernel has this text and cannot be asked now. Run the cell again to see it.'
        ),
        action: null
      };
    }
    if (!shown.asked.has(name)) {
      shown.asked.add(name);
      this._tell(this._trans.__('Loading %1 …', levelTitle(name, this._trans)));
      void requests
        .text(shown.snapshot.id, shown.index, name, 0, FIRST_LINES)
        .then(page => {
          const listing = new TextListing(shown.links, name, this._trans);
          listing.add(page.text, 0, page.line_stacks, page, page.lines);
          shown.texts.set(name, listing);
          this._tell(null);
        })
        .catch((error: Error) => {
          shown.asked.delete(name);
          this._tell(error.message);
        })
        .finally(() => {
          if (this._shown === shown && this._level === name) {
            this._retry(shown, name);
          }
        });
    }
    return { listing: null };
  }

  /** A request for a text has ended: show the text, or a button to try again. */
  private _retry(shown: IShown, name: TextLevel): void {
    if (shown.texts.has(name)) {
      this._showLevel();
      this._mark(true);
      return;
    }
    this._body.append(
      absenceNode({
        text: '',
        action: {
          label: this._trans.__('Try again'),
          run: () => this._showLevel()
        }
      })
    );
  }

  private _notMade(shown: IShown, level: Level): IAbsence {
    const requests = this._model?.requests ?? null;
    if (!requests) {
      return { text: level.reason ?? '', action: null };
    }
    return {
      text: level.reason ?? '',
      action: {
        label:
          level.name === 'stablehlo'
            ? this._trans.__('Lower')
            : this._trans.__('Compile'),
        run: () => void this._make(shown, level.name)
      }
    };
  }

  private async _make(shown: IShown, name: TextLevel): Promise<void> {
    const { model } = this;
    const requests = model?.requests;
    if (!model || !requests || shown.asked.has(`make ${name}`)) {
      return;
    }
    shown.asked.add(`make ${name}`);
    this._tell(
      name === 'stablehlo'
        ? this._trans.__('Lowering …')
        : this._trans.__('Compiling …')
    );
    try {
      const made = await requests.make(shown.snapshot.id, shown.index, name);
      this._tell(null);
      model.show(made, model.fromSaved);
    } catch (error) {
      shown.asked.delete(`make ${name}`);
      this._tell((error as Error).message);
    }
  }

  // --- pointing -----------------------------------------------------------------------------

  private _select(selection: Selection | null): void {
    this._own = selection;
    this._model?.setSelection(selection);
  }

  private get _linked(): ILinked | null {
    const { model } = this;
    return this._shown && model
      ? this._shown.links.resolve(model.hover ?? model.selection)
      : null;
  }

  /** Mark what belongs to what is pointed at; `reveal` brings it into view where it was chosen elsewhere. */
  private _mark(reveal: boolean): void {
    const { model, _shown: shown, _view: view } = this;
    const linked = this._linked;
    if (!model || !shown || !linked) {
      return;
    }
    if (view) {
      const lines = view.listing.linkedLines(linked);
      view.mark(lines, view.listing.variables(linked));
      if (reveal && model.selection !== null && model.selection !== this._own) {
        view.reveal(lines);
      }
    }
    const text =
      this._level === 'jaxpr' ? null : (shown.texts.get(this._level) ?? null);
    this._detail.show(
      detailOf(
        model.hover ?? model.selection,
        linked,
        shown.jaxpr,
        text,
        this._trans
      )
    );
  }

  private _goToCell(): void {
    const { model, _shown: shown } = this;
    const linked = shown && model && shown.links.resolve(model.selection);
    const span = linked?.spans[0];
    if (span) {
      this._attention?.goToCell(span);
    }
  }

  private _find(): void {
    if (this._view) {
      openSearchPanel(this._view.view);
    }
  }

  // --- words --------------------------------------------------------------------------------

  private _showCount(): void {
    const shown = this._shown;
    if (!shown) {
      return;
    }
    if (this._level === 'jaxpr') {
      const count = shown.program.equations;
      const number = count.toLocaleString('en');
      this._toolbar.show(
        'jaxpr',
        this._trans.__('%1 eq', number),
        this._trans._n('%2 equation', '%2 equations', count, number),
        true
      );
      return;
    }
    const listing = shown.texts.get(this._level);
    const count = listing?.total ?? 0;
    const number = count.toLocaleString('en');
    const words = listing
      ? this._trans._n('%2 line', '%2 lines', count, number)
      : '';
    this._toolbar.show(this._level, words, words, listing !== undefined);
  }

  /** Say something above the code, or nothing. */
  private _tell(notice: string | null): void {
    if (notice !== this._notice && !this.isDisposed) {
      this._notice = notice;
      this._showMessages();
    }
  }

  private _showMessages(): void {
    const messages: string[] = [];
    if (this._shown) {
      for (const { executionCount, reason } of this._attention?.unlinked ??
        []) {
        messages.push(this._unlinkedWords(executionCount, reason));
      }
    }
    if (this._notice) {
      messages.push(this._notice);
    }
    this._messages.replaceChildren(
      ...messages.map(text => element('div', '', text))
    );
  }

  private _unlinkedWords(
    count: number | null,
    reason: 'edited' | 'missing'
  ): string {
    if (reason === 'edited') {
      return count === null
        ? this._trans.__(
            'A cell was edited after this run. Run it again to see its links.'
          )
        : this._trans.__(
            'Cell [%1] was edited after this run. Run it again to see its links.',
            count
          );
    }
    return count === null
      ? this._trans.__('A cell of this run is not in the notebook any more.')
      : this._trans.__(
          'Cell [%1] of this run is not in the notebook any more.',
          count
        );
  }

  private _trans: TranslationBundle;
  private _model: IJaxprModel | null = null;
  private _attention: Attention | null = null;
  private _toolbar: Toolbar;
  private _messages: HTMLElement;
  private _body: HTMLElement;
  private _detail: Detail;
  private _pages: Pages;
  private _level: LevelName = 'jaxpr';
  private _shown: IShown | null = null;
  private _view: ListingView | null = null;
  private _notice: string | null = null;
  /** What was chosen here: it is in view already. */
  private _own: Selection | null = null;
}

function absenceNode({ text, action }: IAbsence): HTMLElement {
  const node = element('div', 'jp-JaxprProgram-absent');
  if (text) {
    node.append(element('p', '', text));
  }
  if (action) {
    const button = element('button', 'jp-JaxprProgram-make', action.label);
    button.addEventListener('click', action.run);
    node.append(button);
  }
  return node;
}
