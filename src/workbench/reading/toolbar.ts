/** The toolbar above a program: the switch between levels, counts, and buttons such as those that fold and search. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { LevelName } from '../../tokens';
import { element } from '../../parts/dom';
import type { FilterRow } from './filter-row';
import { filterButton, iconButton, space, switches, toolRow } from './tool-row';
import type { ICountWords } from '../words/view-words';

/** The functions that the buttons of the toolbar call. */
export interface IToolbarActions {
  choose(level: LevelName): void;
  find(): void;
  foldAll(): void;
  unfoldAll(): void;
  help(): void;
  /** Open the levels side by side; left out if the view has no place for them. */
  wide?: () => void;
  /** Show or hide the row of transforms. */
  transforms(): void;
}

export const LEVELS: readonly LevelName[] = ['jaxpr', 'stablehlo', 'hlo'];

/** A toolbar that is one stop of the Tab key; arrow keys move inside. */
export class Toolbar {
  /** @param filters The row below the toolbar; a button of the toolbar shows and hides it. */
  constructor(
    trans: TranslationBundle,
    actions: IToolbarActions,
    filters: FilterRow
  ) {
    for (const level of LEVELS) {
      const button = element('button', '', levelTitle(level, trans));
      button.dataset.level = level;
      button.addEventListener('click', () => actions.choose(level));
      this._levels.set(level, button);
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
    this.node = toolRow(
      trans.__('Program view'),
      switches(trans.__('Level'), [...this._levels.values()]),
      space(),
      this._count,
      this._transforms,
      filterButton(filters.node, trans),
      ...this._actions,
      ...wideButtons(actions, trans),
      helpButton(trans, actions.help, 'jp-mod-roomy')
    );
  }

  readonly node: HTMLElement;

  /** Show which level is chosen and the counts of the level; enable the buttons if the level has a text. */
  show(level: LevelName, count: ICountWords, hasText: boolean): void {
    for (const [name, button] of this._levels) {
      button.setAttribute('aria-pressed', String(name === level));
    }
    this._count.textContent = count.short;
    this._count.title = count.long;
    this._count.dataset.compact = count.compact;
    for (const button of this._actions) {
      button.setAttribute('aria-disabled', String(!hasText));
    }
  }

  /** Show on the button whether the row of transforms is open. */
  showTransforms(shown: boolean): void {
    this._transforms.setAttribute('aria-expanded', String(shown));
  }

  /** Put the keyboard focus on the button of a level. */
  focus(level: LevelName): void {
    this._levels.get(level)?.focus();
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

/** Makes the button that shows all keys; the toolbar has one, and the row of filters has one for narrow views. */
export function helpButton(
  trans: TranslationBundle,
  help: () => void,
  className: string
): HTMLButtonElement {
  const button = iconButton(
    'help',
    trans.__('Keyboard shortcuts of this view'),
    help
  );
  button.classList.add(className);
  return button;
}

/** The name of a level as the user sees it. */
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
