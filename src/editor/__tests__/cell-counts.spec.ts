import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';

import { ScreenState, screenStateOf } from '../../model/screen-state';
import { JaxprModel } from '../../model/model';
import { snapshotWithLedger } from '../../protocol/__tests__/documents';
import { LedgerLine, Snapshot } from '../../protocol/snapshot';
import { CellLinks } from '../cell-links';

const trans = nullTranslator.load('jupyter_jaxpr');

// jsdom computes no layout, so methods that measure text find nothing.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect = () => new DOMRect();

let model: JaxprModel;
let links: CellLinks;
let editor: EditorView;
let screenState: ScreenState;

function open(snapshot: Snapshot): void {
  model = new JaxprModel(trans);
  model.show(snapshot, true);
  links = new CellLinks(trans);
  screenState = screenStateOf(model);
  editor = new EditorView({
    parent: document.body,
    state: EditorState.create({
      doc: snapshot.cell?.source,
      extensions: links.extension('cell-7')
    })
  });
  links.follow(model, {
    source: id => (id === 'cell-7' ? editor.state.doc.toString() : null),
    find: () => null,
    goTo: () => Promise.resolve()
  });
}

function line(changes: Partial<LedgerLine>): Snapshot {
  const known = { line: 4, calls: 4, calls_exact: true, hits: 3, compiles: 1 };
  return snapshotWithLedger({ lines: [{ ...known, ...changes }] });
}

/** Lists, for each line with counts, the number of the line and the text that a screen reader reads for the counts. */
function counts(): string[] {
  return [...editor.dom.querySelectorAll('.cm-line')].flatMap((one, at) => {
    const found = one.querySelector('.jp-JaxprCell-counts');
    return found === null
      ? []
      : `${at + 1}: ${found.getAttribute('aria-label')}`;
  });
}

afterEach(() => {
  links.dispose();
  model.dispose();
  editor.destroy();
});

describe('the counts in the cell', () => {
  it('stand at the line that called, while the program or the cache is in view', () => {
    open(line({}));
    expect(counts()).toEqual([]);
    screenState.ledgerInView = true;
    expect(counts()).toEqual(['4: 4 calls, 1 compile, 3 hits']);
    screenState.ledgerInView = false;
    expect(counts()).toEqual([]);
    screenState.inView = true;
    expect(counts()).toEqual(['4: 4 calls, 1 compile, 3 hits']);
  });

  it.each<[Partial<LedgerLine>, string[]]>([
    [{ calls_exact: false }, ['4: ≥4 calls, 1 compile, ≥3 hits']],
    [{ calls: null, hits: null }, ['4: 1 compile']],
    [{ calls: 1, hits: 0 }, ['4: 1 call, 1 compile']],
    [{ calls: null, hits: null, compiles: 0 }, []],
    [{ line: 40 }, []]
  ])('say only what is known: %j', (changes, expected) => {
    open(line(changes));
    screenState.ledgerInView = true;
    expect(counts()).toEqual(expected);
  });

  it('are no part of the text', () => {
    open(line({}));
    screenState.ledgerInView = true;
    expect(editor.state.doc.toString()).toBe(model.snapshot?.cell?.source);
    const node = editor.dom.querySelector<HTMLElement>('.jp-JaxprCell-counts');
    expect(node?.contentEditable).toBe('false');
  });

  it('stay at their line, grey where the line was edited', () => {
    open(line({}));
    screenState.ledgerInView = true;
    const grey = (): number =>
      editor.dom.querySelectorAll('.jp-JaxprCell-counts.jp-mod-changed').length;
    editor.dispatch({ changes: { from: 0, insert: '\n' } });
    expect(counts()).toEqual(['5: 4 calls, 1 compile, 3 hits']);
    expect(grey()).toBe(0);
    const at = editor.state.doc.line(5).to;
    editor.dispatch({ changes: { from: at, insert: '#' } });
    expect(counts()).toEqual(['5: 4 calls, 1 compile, 3 hits']);
    expect(grey()).toBe(1);
    editor.dispatch({ changes: { from: at, to: at + 1 } });
    expect(grey()).toBe(0);
  });

  it('are hidden while they are to be guessed', () => {
    open(line({}));
    screenState.ledgerInView = true;
    screenState.outcomesHidden = true;
    expect(counts()).toEqual([]);
    screenState.outcomesHidden = false;
    expect(counts()).toEqual(['4: 4 calls, 1 compile, 3 hits']);
  });
});

describe('the line of a chosen row', () => {
  const marked = (): (string | null)[] =>
    [...editor.dom.querySelectorAll('.jp-JaxprCell-line')].map(one =>
      one.getAttribute('data-jaxpr-line')
    );
  const span = {
    function: 'rnn',
    line: 4,
    column: 0,
    endLine: 4,
    endColumn: 10,
    role: 'own' as const
  };

  it('is marked while the Cache view is on the screen', () => {
    open(line({}));
    const [file] = model.snapshot?.files ?? [];
    screenState.ledgerInView = true;
    screenState.pointedAt = { ...span, file };
    expect(marked()).toEqual(['4']);
    screenState.ledgerInView = false;
    expect(marked()).toEqual([]);
  });

  it('is not marked where the cell is another one', () => {
    open(line({}));
    const [file] = model.snapshot?.files ?? [];
    screenState.ledgerInView = true;
    screenState.pointedAt = { ...span, file: { ...file, path: '/other.py' } };
    expect(marked()).toEqual([]);
  });
});
