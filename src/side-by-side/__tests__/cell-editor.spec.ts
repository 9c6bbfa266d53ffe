import { nullTranslator } from '@jupyterlab/translation';
import { EditorView, runScopeHandlers } from '@codemirror/view';

import { FakeChannel } from '../../model/__tests__/fake-channel';
import { FakeEditing } from '../../model/__tests__/fake-editing';
import { setEditing } from '../../model/applied-cures';
import { JaxprModel } from '../../model/model';
import { golden } from '../../program-text/__tests__/documents';
import type { Snapshot } from '../../protocol/snapshot';
import { CellAndTexts } from '../cell-and-texts';

const trans = nullTranslator.load('jupyter_jaxpr');

// jsdom has no layout, and its ranges have no methods that measure: these methods measure each text as empty.
const nowhere = (): DOMRectList => [] as unknown as DOMRectList;
Range.prototype.getClientRects = nowhere;
Range.prototype.getBoundingClientRect = () => new DOMRect();

const rnn = golden('rnn-0.12');
const RAN = rnn.cell?.source ?? '';

/** Makes a run of the notebook's cell with the id `one`. */
function run(id: string, source = RAN, created = rnn.created): Snapshot {
  const cell = rnn.cell && { ...rnn.cell, id: 'one', source };
  return { ...rnn, id, created, cell };
}

let column: CellAndTexts | null = null;

afterEach(() => {
  column?.dispose();
  column = null;
});

function open(
  snapshot: Snapshot,
  editing: FakeEditing | null,
  later: Snapshot[] = []
): { column: CellAndTexts; went: number[] } {
  const channel = new FakeChannel();
  const model = new JaxprModel(trans);
  model.setChannel(channel);
  channel.greets();
  channel.sends(snapshot);
  later.forEach(one => channel.sends(one));
  if (editing !== null) {
    setEditing(model, editing);
  }
  const went: number[] = [];
  column = new CellAndTexts({
    trans,
    model,
    snapshot,
    program: 0,
    python: () => Promise.resolve([]),
    host: {
      changed: () => undefined,
      entered: () => undefined,
      left: by => void went.push(by),
      stepped: () => undefined
    }
  });
  document.body.append(column.node);
  column.refresh();
  return { column, went };
}

const editors = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('.cm-content')
];
const isReadOnly = (): (string | null)[] =>
  editors().map(editor => editor.getAttribute('aria-readonly'));

describe('the column of the source', () => {
  it('is the cell of the notebook', () => {
    const { column } = open(run('a'), new FakeEditing('one', RAN));
    const [cell] = editors();
    expect(cell.getAttribute('aria-label')).toBe('Source of rnn');
    expect(cell.getAttribute('aria-readonly')).toBeNull();
    expect(column.view?.state.doc.toString()).toBe(RAN);
  });

  it.each([
    ['no notebook is in front', null, []],
    ['the notebook lacks the cell', new FakeEditing('two', RAN), []],
    ['the cell cannot be edited', new FakeEditing('one', RAN, false), []],
    [
      'a later run of the cell had another text',
      new FakeEditing('one', `${RAN}\n1`),
      [run('b', `${RAN}\n1`, rnn.created + 1)]
    ]
  ])('is the text that ran where %s', (_, editing, later) => {
    open(run('a'), editing, later);
    expect(isReadOnly()).toEqual(['true']);
    expect(editors()[0].getAttribute('aria-label')).toBe('Source of rnn');
  });

  it('shows the edits of the run that is the newest of the cell', () => {
    const { column } = open(run('a'), new FakeEditing('one', `${RAN}\n1`));
    expect(column.view?.state.doc.toString()).toBe(`${RAN}\n1`);
  });

  it('keeps the editor of the cell, and its caret, for the next run of the cell', () => {
    const { column } = open(run('a'), new FakeEditing('one', RAN));
    const { view } = column;
    view?.dispatch({ selection: { anchor: 7 } });
    expect(column.turnTo(run('b'), 0)).toBe(true);
    expect(column.view).toBe(view);
    expect(view?.state.selection.main.head).toBe(7);
    expect(column.turnTo({ ...rnn, cell: null }, 0)).toBe(false);
  });

  it('runs the cell, takes changes back and leaves the cell by keys, and types letters', () => {
    const editing = new FakeEditing('one', RAN);
    const { column, went } = open(run('a'), editing);
    const view = column.view as EditorView;
    const press = (key: string, keys: KeyboardEventInit = {}): boolean =>
      runScopeHandlers(
        view,
        new KeyboardEvent('keydown', { key, ...keys }),
        'editor'
      );
    for (const [key, keys] of [
      ['Enter', { shiftKey: true }],
      ['Enter', { ctrlKey: true }],
      ['z', { ctrlKey: true }],
      ['Z', { ctrlKey: true, shiftKey: true, keyCode: 90 }],
      ['Escape', {}],
      ['ArrowLeft', { altKey: true }]
    ] as const) {
      expect(press(key, keys)).toBe(true);
    }
    expect(editing.acts).toEqual(['run one', 'run one', 'undo', 'redo']);
    expect(went).toEqual([1, -1]);
    expect(press('n')).toBe(false);
    expect(press('?')).toBe(false);
  });
});
