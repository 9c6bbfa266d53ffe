/**
 * What is shown comes in; the line above the program goes out: the switch between levels, how much there is, find, fold.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { LevelName } from '../../tokens';
import { element } from './describe';
import type { FilterRow } from './filter-row';
import { drawIcon } from './icons';

/** What the toolbar does. */
export interface IToolbarActions {
  choose(level: LevelName): void;
  find(): void;
  foldAll(): void;
  unfoldAll(): void;
  help(): void;
  /** Open the levels side by side; left out where there is no place for that. */
  wide?: () => void;
  /** Show the row of transforms, or put it away. */
  transforms(): void;
}

export const LEVELS: readonly LevelName[] = ['jaxpr', 'stablehlo', 'hlo'];

/** One stop of the Tab key, arrows inside. */
export class Toolbar {
  /**
   * @param filters Below the line: its switches are shown and put away by a button here.
   */
  constructor(
    trans: TranslationBundle,
    actions: IToolbarActions,
    filters: FilterRow
  ) {
    this.node = element('div', 'jp-JaxprProgram-toolbar');
    this.node.setAttribute('role', 'toolbar');
    this.node.setAttribute('aria-label', trans.__('Program view'));
    const group = element('div', 'jp-JaxprProgram-levels');
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', trans.__('Level'));
    for (const level of LEVELS) {
      const button = element('button', '', levelTitle(level, trans));
      button.dataset.level = level;
      button.addEventListener('click', () => actions.choose(level));
      this._levels.set(level, button);
      group.append(button);
    }
    this._count = element('span', 'jp-JaxprProgram-count');
    this._transforms = iconButton(
      'transform',
      trans.__('Transforms'),
      actions.transforms
    );
    this._transforms.setAttribute('aria-expanded', 'false');
    this._actions = [
      iconButton('unfoldAll', trans.__('Unfold all'), actions.unfoldAll),
      iconButton('foldAll', trans.__('Fold all'), actions.foldAll),
      iconButton('search', trans.__('Find in program'), actions.find)
    ];
    this.node.append(
      group,
      element('span', 'jp-JaxprProgram-space'),
      this._count,
      this._transforms,
      this._filterButton(filters, trans),
      ...this._actions,
      ...wideButtons(actions, trans),
      helpButton(trans, actions.help, 'jp-mod-roomy')
    );
    this.node.addEventListener('keydown', event => this._key(event));
    this.node.addEventListener('focusin', event =>
      this._stop(event.target as HTMLElement)
    );
    this._stop(group.firstElementChild as HTMLElement);
  }

  readonly node: HTMLElement;

  /** The chosen level, how much it holds, and whether there is a text to act on. */
  show(level: LevelName, count: string, title: string, hasText: boolean): void {
    for (const [name, button] of this._levels) {
      button.setAttribute('aria-pressed', String(name === level));
    }
    this._count.textContent = count;
    this._count.title = title;
    for (const button of this._actions) {
      button.setAttribute('aria-disabled', String(!hasText));
    }
  }

  /** Whether the row of transforms is shown. */
  showTransforms(shown: boolean): void {
    this._transforms.setAttribute('aria-expanded', String(shown));
  }

  /** Put the keyboard on the button of a level. */
  focus(level: LevelName): void {
    this._levels.get(level)?.focus();
  }

  private _filterButton(
    filters: FilterRow,
    trans: TranslationBundle
  ): HTMLButtonElement {
    const button = iconButton('filter', trans.__('Hide lines'), () => {
      filters.node.hidden = !filters.node.hidden;
      button.setAttribute('aria-expanded', String(!filters.node.hidden));
    });
    button.setAttribute('aria-expanded', 'false');
    return button;
  }

  private _key(event: KeyboardEvent): void {
    const stops = [...this.node.querySelectorAll('button')].filter(
      button => button.checkVisibility?.() !== false
    );
    const at = stops.indexOf(document.activeElement as HTMLButtonElement);
    const last = stops.length - 1;
    const next: Record<string, number> = {
      ArrowLeft: at === 0 ? last : at - 1,
      ArrowRight: at === last ? 0 : at + 1,
      Home: 0,
      End: last
    };
    if (at >= 0 && next[event.key] !== undefined) {
      event.preventDefault();
      stops[next[event.key]].focus();
    }
  }

  private _stop(current: HTMLElement): void {
    for (const button of this.node.querySelectorAll('button')) {
      button.tabIndex = button === current ? 0 : -1;
    }
  }

  private _levels = new Map<LevelName, HTMLButtonElement>();
  private _actions: HTMLButtonElement[];
  private _count: HTMLElement;
  private _transforms: HTMLButtonElement;
}

function wideButtons(
  { wide }: IToolbarActions,
  trans: TranslationBundle
): HTMLButtonElement[] {
  return wide
    ? [iconButton('wide', trans.__('Open levels side by side'), wide)]
    : [];
}

/** Shows every key; one stands in the toolbar, and one in the row of filters for narrow views. */
export function helpButton(
  trans: TranslationBundle,
  help: () => void,
  className: string
): HTMLButtonElement {
  const button = iconButton('help', trans.__('Keys of this view'), help);
  button.classList.add(className);
  return button;
}

function iconButton(
  icon: Parameters<typeof drawIcon>[0],
  label: string,
  act: () => void
): HTMLButtonElement {
  const button = element('button', 'jp-JaxprProgram-action');
  button.title = label;
  button.setAttribute('aria-label', label);
  button.append(drawIcon(icon));
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') {
      act();
    }
  });
  return button;
}

/** A level's name as people write it. */
export function levelTitle(level: LevelName, trans: TranslationBundle): string {
  switch (level) {
    case 'jaxpr':
      return trans.__('jaxpr');
    case 'stablehlo':
      return trans.__('StableHLO');
    case 'hlo':
      return trans.__('HLO');
  }
}
