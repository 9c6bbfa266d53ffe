/**
 * Nothing comes in; the keys of the program's views go out, in the order in which they are listed in the help.
 *
 * What acts on a key has it from here or stands beside its line here; the help overlay lists all of them.
 */
import { TranslationBundle } from '@jupyterlab/translation';

/** A key, where it works, and what it does. */
export interface IKey {
  /** As it is printed on a keyboard; several are alternatives. */
  keys: readonly string[];
  /** code: with the keyboard in a level's text. view: anywhere in the view. columns: in the wide view alone. */
  where: 'code' | 'view' | 'columns' | 'diff';
  does: string;
}

/** All keys; whoever adds one adds a line here. */
export function programKeys(trans: TranslationBundle): IKey[] {
  return [
    {
      keys: ['↑', '↓', 'Page Up', 'Page Down', 'Home', 'End'],
      where: 'code',
      does: trans.__('Go from line to line; what belongs to it is marked')
    },
    {
      keys: ['→', '←'],
      where: 'code',
      does: trans.__('Unfold and fold; show and hide parameters')
    },
    {
      keys: ['n', 'p'],
      where: 'code',
      does: trans.__('Next and previous marked place in this text')
    },
    {
      keys: ['Alt+→', 'Alt+←'],
      where: 'code',
      does: trans.__('The marked place in the next and previous level')
    },
    {
      keys: ['Ctrl+→', 'Ctrl+←'],
      where: 'code',
      does: trans.__(
        'Choose the next and previous variable of the line: it says where it is defined, used, and how long it lives'
      )
    },
    {
      keys: ['F12', 'Alt+click'],
      where: 'code',
      does: trans.__(
        'Go to the definition of the chosen variable, or of what the line reads; in HLO to what the line calls'
      )
    },
    {
      keys: ['Shift+F12'],
      where: 'code',
      does: trans.__(
        'Go to the next use of the chosen variable, or of what the line binds'
      )
    },
    {
      keys: ['c', 'b', 'w', 'u'],
      where: 'code',
      does: trans.__(
        'Hide and show converts, broadcasts, trivial jit wrappers, unused results'
      )
    },
    {
      keys: ['g'],
      where: 'code',
      does: trans.__(
        'Group equations in a row under one name: named scopes, vmap, jvp, transpose; again: ungroup'
      )
    },
    {
      keys: ['s'],
      where: 'code',
      does: trans.__(
        'Show the line of Python above what was made of it; again: put it away'
      )
    },
    {
      keys: ['o', 'f'],
      where: 'code',
      does: trans.__('Open all folds and groups; fold all')
    },
    {
      keys: ['a'],
      where: 'code',
      does: trans.__('Show all hidden lines')
    },
    {
      keys: ['x'],
      where: 'code',
      does: trans.__(
        'In StableHLO and HLO: exact links, from a twin that is compiled beside the program; again: back to the program'
      )
    },
    {
      keys: ['s'],
      where: 'code',
      does: trans.__(
        'Over several devices: to the shardings above the text, opened; Escape: back'
      )
    },
    {
      keys: ['F3', 'Shift+F3'],
      where: 'code',
      does: trans.__('Next and previous match of the search')
    },
    {
      keys: ['Enter'],
      where: 'code',
      does: trans.__('Go to the place in the cell')
    },
    {
      keys: ['Escape'],
      where: 'code',
      does: trans.__('Mark nothing; in the cell: come back')
    },
    {
      keys: ['Ctrl+F'],
      where: 'view',
      does: trans.__(
        'Find in all levels: text, a type such as f32[*,128] or bf16[...], line:7, scope:step, primitive:dot_general'
      )
    },
    {
      keys: ['Enter', 'Shift+Enter'],
      where: 'view',
      does: trans.__('In the search: next and previous match')
    },
    {
      keys: ['?'],
      where: 'view',
      does: trans.__('Show these keys')
    },
    {
      keys: ['←', '→', 'Home', 'End'],
      where: 'columns',
      does: trans.__('With the keyboard on a divider: move it')
    },
    {
      keys: ['↑', '↓', 'Home', 'End'],
      where: 'diff',
      does: trans.__('Go from line to line; its place in the cell is marked')
    },
    {
      keys: ['n', 'p'],
      where: 'diff',
      does: trans.__('Next and previous difference')
    },
    {
      keys: ['Enter', 'Space'],
      where: 'diff',
      does: trans.__('Show the equal lines that are folded')
    },
    {
      keys: ['c', 'b', 'w', 'u'],
      where: 'diff',
      does: trans.__(
        'Hide and show converts, broadcasts, trivial jit wrappers, unused results, in both programs alike'
      )
    },
    {
      keys: ['a'],
      where: 'diff',
      does: trans.__('Show all hidden lines')
    },
    {
      keys: ['?'],
      where: 'diff',
      does: trans.__('Show these keys')
    }
  ];
}
