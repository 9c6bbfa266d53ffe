/**
 * Lists every key of the program's views, with its places, its command and its help.
 *
 * This one table dispatches, documents and is tested. A listener names its place and brings a handler for each command of
 * that place; the compiler refuses handlers that are not exactly the commands of the table:
 *
 *     node.addEventListener('keydown', event => dispatchKey(event, 'view', handlers));
 *     keymap.of(keyBindings('text', handlers)); // an editor
 */
import { TranslationBundle } from '@jupyterlab/translation';

/**
 * The listeners for keys:
 *
 * - view: a view of a program, as a whole
 * - text: the text of an editor
 * - level: the same text, of a level that the pane around it links to other levels
 * - source: the column of the source
 * - sourceCell: the notebook's cell in the column of the source
 * - search, searchField: the line of the search, and the field in it
 * - shardings: the shardings above a text
 * - divider: what stands between two columns
 * - cell: a cell of the notebook that the keyboard came to from a program; JupyterLab listens there
 * - code: the text of a cell of the notebook that ran
 * - diff, diffLines: the view of a diff, and its lines
 * - stepper: the steps of a construct in the Flow view
 * - presenting: the whole page, while the panel is presented
 */
export type KeyPlace =
  | 'view'
  | 'text'
  | 'level'
  | 'source'
  | 'sourceCell'
  | 'search'
  | 'searchField'
  | 'shardings'
  | 'divider'
  | 'cell'
  | 'code'
  | 'diff'
  | 'diffLines'
  | 'stepper'
  | 'presenting';

/** The places that one key event passes through, from the inner place to the outer place. */
const PATHS: readonly (readonly KeyPlace[])[] = [
  ['text', 'level', 'view'],
  ['source', 'view'],
  ['sourceCell'],
  ['searchField', 'search', 'view'],
  ['shardings', 'view'],
  ['divider', 'view'],
  ['cell', 'code'],
  ['diffLines', 'diff'],
  ['stepper'],
  ['presenting']
];

/** Keys that belong together, with a description of their action. */
export interface IKeyEntry {
  /** The places where the keys act. */
  in: readonly KeyPlace[];
  /** The command of each key, the key as CodeMirror writes it. `Mod` is Ctrl, on a Mac also Cmd. */
  keys: Readonly<Record<string, string>>;
  /** The ways to do the same with the mouse. */
  mouse?: readonly string[];
  does: (trans: TranslationBundle) => string;
}

/** All keys, in the order in which the help lists them. */
export const KEYS = [
  {
    in: ['text'],
    keys: {
      ArrowUp: 'previousLine',
      ArrowDown: 'nextLine',
      PageUp: 'previousPage',
      PageDown: 'nextPage',
      Home: 'firstLine',
      End: 'lastLine',
      'Mod-Home': 'firstLine',
      'Mod-End': 'lastLine'
    },
    does: trans =>
      trans.__(
        'Go from line to line; the view marks the places in the source and in the other levels that are linked to the line'
      )
  },
  {
    in: ['text'],
    keys: { ArrowRight: 'unfold', ArrowLeft: 'fold' },
    does: trans =>
      trans.__(
        'Unfold or fold the line; show or hide the parameters of the equation'
      )
  },
  {
    in: ['level', 'source'],
    keys: { n: 'nextLinked', p: 'previousLinked' },
    does: trans =>
      trans.__('Go to the next or previous linked place in the same text')
  },
  {
    in: ['level', 'source', 'sourceCell'],
    keys: { 'Alt-ArrowRight': 'nextLevel', 'Alt-ArrowLeft': 'previousLevel' },
    does: trans =>
      trans.__('Go to the linked place in the next or previous level')
  },
  {
    in: ['text'],
    keys: {
      'Mod-ArrowRight': 'nextVariable',
      'Mod-ArrowLeft': 'previousVariable'
    },
    does: trans =>
      trans.__(
        'Choose the next or previous variable of the line; the view shows the definition and the uses of the variable, and the equations over which the variable is live'
      )
  },
  {
    in: ['text'],
    keys: { F12: 'definition' },
    mouse: ['Alt+click'],
    does: trans =>
      trans.__(
        'Go to the definition of the chosen variable or, if no variable is chosen, of the first operand; in HLO, go to the called computation'
      )
  },
  {
    in: ['text'],
    keys: { 'Shift-F12': 'nextUse' },
    does: trans =>
      trans.__(
        'Go to the next use of the chosen variable or, if no variable is chosen, of the first result'
      )
  },
  {
    in: ['text'],
    keys: { c: 'convert', b: 'broadcast', w: 'wrapper', u: 'unused' },
    does: trans =>
      trans.__(
        'Hide or show changes of dtype, broadcasts, calls that hold one equation, unused equations'
      )
  },
  {
    in: ['text'],
    keys: { g: 'group' },
    does: trans =>
      trans.__(
        'Group or ungroup neighbouring equations of the same name: named scopes, vmap, jvp, transpose'
      )
  },
  {
    in: ['text'],
    keys: { s: 'source' },
    does: trans =>
      trans.__(
        'Show or hide each source line above the program lines that come from the source line'
      )
  },
  {
    in: ['text'],
    keys: { o: 'unfoldAll', f: 'foldAll' },
    does: trans => trans.__('Unfold or fold all folds and groups')
  },
  {
    in: ['text'],
    keys: { a: 'showHidden' },
    does: trans => trans.__('Show all hidden lines')
  },
  {
    in: ['text'],
    keys: { r: 'steps' },
    mouse: ['steps'],
    does: trans =>
      trans.__(
        'On a loop or branch of the jaxpr: record its steps and show them in the Flow view'
      )
  },
  {
    in: ['level'],
    keys: { x: 'exactLinks' },
    does: trans =>
      trans.__(
        'In StableHLO and HLO: open the tagged copy of the program, which has exact links, or go back to the program'
      )
  },
  {
    in: ['level'],
    keys: { d: 'shardings' },
    does: trans =>
      trans.__(
        'With several devices: open the shardings above the text and move the keyboard focus to the shardings'
      )
  },
  {
    in: ['shardings'],
    keys: { Escape: 'leave' },
    does: trans => trans.__('In the shardings: go back to the text')
  },
  {
    in: ['text'],
    keys: { F3: 'nextMatch', 'Shift-F3': 'previousMatch' },
    does: trans => trans.__('Go to the next or previous match of the search')
  },
  {
    in: ['text'],
    keys: { 'Mod-a': 'selectAll' },
    does: trans => trans.__('Select all of the text')
  },
  {
    in: ['text', 'source'],
    keys: { Enter: 'enterCell' },
    does: trans => trans.__('Go to the linked place in the source')
  },
  {
    in: ['cell'],
    keys: { Escape: 'returnToProgram' },
    does: trans => trans.__('In the cell: go back to the program')
  },
  {
    in: ['code'],
    keys: { 'Shift-F1': 'showExpression' },
    does: trans =>
      trans.__(
        'In the cell: show the type, the equations and the operations of the expression at the caret'
      )
  },
  {
    in: ['sourceCell'],
    keys: { 'Shift-Enter': 'runCell', 'Mod-Enter': 'runCell' },
    does: trans => trans.__('In the cell of the source column: run the cell')
  },
  {
    in: ['sourceCell'],
    keys: { 'Mod-z': 'undo', 'Mod-Shift-z': 'redo' },
    does: trans =>
      trans.__(
        'In the cell of the source column: undo the last change, or redo the change'
      )
  },
  {
    in: ['sourceCell'],
    keys: { Escape: 'leaveCell' },
    does: trans =>
      trans.__('In the cell of the source column: go to the next column')
  },
  {
    in: ['text', 'source'],
    keys: { Escape: 'markNothing' },
    does: trans =>
      trans.__('Remove the selection and the marks of the linked places')
  },
  {
    in: ['view'],
    keys: { 'Mod-f': 'find' },
    does: trans =>
      trans.__(
        'Find in all levels: text, a type such as f32[*,128] or bf16[...], line:7, scope:step, primitive:dot_general'
      )
  },
  {
    in: ['searchField'],
    keys: { Enter: 'nextMatch', 'Shift-Enter': 'previousMatch' },
    does: trans => trans.__('In the search: go to the next or previous match')
  },
  {
    in: ['search'],
    keys: { Escape: 'close' },
    does: trans => trans.__('In the search: close the search')
  },
  {
    in: ['view', 'diff'],
    keys: { '?': 'help' },
    does: trans => trans.__('Show these keyboard shortcuts')
  },
  {
    in: ['divider'],
    keys: {
      ArrowLeft: 'left',
      ArrowRight: 'right',
      Home: 'leftEnd',
      End: 'rightEnd'
    },
    does: trans =>
      trans.__('On the divider between two columns: move the divider')
  },
  {
    in: ['diffLines'],
    keys: {
      ArrowUp: 'previousLine',
      ArrowDown: 'nextLine',
      Home: 'firstLine',
      End: 'lastLine'
    },
    does: trans =>
      trans.__(
        'Go from line to line; the view marks the linked place in the source'
      )
  },
  {
    in: ['diffLines'],
    keys: { n: 'nextDifference', p: 'previousDifference' },
    does: trans => trans.__('Go to the next or previous difference')
  },
  {
    in: ['diffLines'],
    keys: { Enter: 'unfold', Space: 'unfold' },
    does: trans => trans.__('Show the folded equal lines')
  },
  {
    in: ['diffLines'],
    keys: { c: 'convert', b: 'broadcast', w: 'wrapper', u: 'unused' },
    does: trans =>
      trans.__(
        'In both programs, hide or show changes of dtype, broadcasts, calls that hold one equation, unused equations'
      )
  },
  {
    in: ['diffLines'],
    keys: { a: 'showHidden' },
    does: trans => trans.__('Show all hidden lines')
  },
  {
    in: ['stepper'],
    keys: { Space: 'play' },
    mouse: ['Play'],
    does: trans =>
      trans.__(
        'In the steps of a construct in the Flow view: play the steps, or pause'
      )
  },
  {
    in: ['presenting'],
    keys: { PageDown: 'next', PageUp: 'previous' },
    does: trans =>
      trans.__(
        'While you present: go to the next or previous step if the Flow view shows steps; otherwise, go to the next or previous program'
      )
  },
  {
    in: ['presenting'],
    keys: { Escape: 'end' },
    mouse: ['End'],
    does: trans => trans.__('While you present: end the presentation')
  }
] as const satisfies readonly IKeyEntry[];

const ENTRIES: readonly IKeyEntry[] = KEYS;

/** The places that the application around the views lacks. */
const lacking = new Set<KeyPlace>();

/** Says that the application does not have these places, such as a notebook's cell. */
export function lackKeys(...places: KeyPlace[]): void {
  places.forEach(place => lacking.add(place));
}

/** True if the application has a place for keys, that is, if `lackKeys` has not named the place. */
export function hasPlace(place: KeyPlace): boolean {
  return !lacking.has(place);
}

type CommandOf<Entry, Place> = Entry extends {
  in: readonly (infer In)[];
  keys: infer Keys;
}
  ? Place extends In
    ? Keys[keyof Keys] & string
    : never
  : never;

/** The commands that have keys in the place `Place`. */
export type KeyCommand<Place extends KeyPlace> = CommandOf<
  (typeof KEYS)[number],
  Place
>;

/** The handlers of all commands of a place; a handler returns false if its command can do nothing at the moment. */
export type KeyHandlers<Place extends KeyPlace> = Readonly<
  Record<KeyCommand<Place>, () => boolean | void>
>;

/** A key event of the page or of React. */
export type KeyEvent = Pick<
  KeyboardEvent,
  | 'key'
  | 'altKey'
  | 'ctrlKey'
  | 'metaKey'
  | 'shiftKey'
  | 'defaultPrevented'
  | 'target'
  | 'preventDefault'
  | 'stopPropagation'
>;

/** Run the handler of a key in a place, and keep the event from the outer places. Returns whether a handler acted. */
export function dispatchKey<Place extends KeyPlace>(
  event: KeyEvent,
  place: Place,
  handlers: KeyHandlers<Place>
): boolean {
  const key = keyOf(event);
  const command = keysIn(place).get(key);
  if (
    command === undefined ||
    event.defaultPrevented ||
    (isTyped(key) && isField(event.target)) ||
    handlers[command as KeyCommand<Place>]() === false
  ) {
    return false;
  }
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** The keys of a part of the page, as key bindings of an editor. */
export function keyBindings<Place extends KeyPlace>(
  place: Place,
  handlers: KeyHandlers<Place>
): { key: string; run: () => boolean }[] {
  return Array.from(keysIn(place), ([key, command]) => ({
    key,
    run: () => handlers[command as KeyCommand<Place>]() !== false
  }));
}

/** The keys of a place, each with its command. */
export function keysIn(place: KeyPlace): ReadonlyMap<string, string> {
  let keys = byPlace.get(place);
  if (!keys) {
    keys = new Map(
      ENTRIES.filter(entry => entry.in.includes(place)).flatMap(entry =>
        Object.entries(entry.keys)
      )
    );
    byPlace.set(place, keys);
  }
  return keys;
}

const byPlace = new Map<KeyPlace, ReadonlyMap<string, string>>();

/** The keys of a command, as the table writes them. */
export function keysOf<Place extends KeyPlace>(
  place: Place,
  command: KeyCommand<Place>
): string[] {
  return [...keysIn(place)]
    .filter(([, keyCommand]) => keyCommand === command)
    .map(([key]) => key);
}

/** The first key of a command, as keyboards label it. */
export function printedKey<Place extends KeyPlace>(
  place: Place,
  command: KeyCommand<Place>
): string {
  return printed(keysOf(place, command)[0]);
}

/** True if one key event passes through both places. */
export function overlap(a: KeyPlace, b: KeyPlace): boolean {
  return PATHS.some(path => path.includes(a) && path.includes(b));
}

/** The label on a keyboard of a key in the table: `Ctrl+F` for `Mod-f`. */
export function printed(key: string): string {
  return key
    .split('-')
    .map((part, at) =>
      at > 0 && part.length === 1 ? part.toUpperCase() : (PRINTED[part] ?? part)
    )
    .join('+');
}

const PRINTED: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  Mod: 'Ctrl',
  PageDown: 'Page Down',
  PageUp: 'Page Up'
};

/** The key of an event as the table writes it; Shift is left out where it only selects the character. */
function keyOf({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyEvent): string {
  const isMod = ctrlKey || metaKey;
  const isCharacter = key.length === 1 && key !== ' ';
  const name =
    key === ' ' ? 'Space' : isMod && isCharacter ? key.toLowerCase() : key;
  return [
    altKey ? 'Alt-' : '',
    isMod ? 'Mod-' : '',
    shiftKey && (isMod || !isCharacter) ? 'Shift-' : '',
    name
  ].join('');
}

/** True if the key writes a character into a field. */
function isTyped(key: string): boolean {
  return key.length === 1 || key === 'Space';
}

function isField(target: EventTarget | null): boolean {
  return (
    (target instanceof HTMLInputElement && target.type !== 'range') ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  );
}
