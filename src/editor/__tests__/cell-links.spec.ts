import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';

import { screenStateOf } from '../../model/screen-state';
import { linksOf } from '../../model/links';
import { JaxprModel } from '../../model/model';
import { golden } from '../../program-text/__tests__/documents';
import type { Snapshot } from '../../protocol/snapshot';
import { CellLinks } from '../cell-links';
import type { ICells } from '../ran-cells';

const trans = nullTranslator.load('jupyter_jaxpr');

// jsdom computes no layout, so methods that measure text find nothing.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect = () => new DOMRect();

/** A notebook whose cells have these texts, with the program of a snapshot in view. */
class Notebook implements ICells {
  constructor(
    readonly snapshot: Snapshot,
    texts: Readonly<Record<string, string>>
  ) {
    this.links = new CellLinks(trans);
    this.model = new JaxprModel(trans);
    for (const [id, text] of Object.entries(texts)) {
      this.add(id, text);
    }
    this.model.show(snapshot, true);
    this.links.follow(this.model, this);
    screenStateOf(this.model).inView = true;
  }

  readonly model: JaxprModel;
  readonly links: CellLinks;
  readonly editors = new Map<string, EditorView>();
  went: string[] = [];

  add(id: string, text: string): EditorView {
    const editor = new EditorView({
      parent: document.body,
      state: EditorState.create({
        doc: text,
        extensions: this.links.extension(id)
      })
    });
    this.editors.set(id, editor);
    return editor;
  }

  editor(id: string): EditorView {
    return this.editors.get(id) as EditorView;
  }

  source(id: string): string | null {
    return this.editors.get(id)?.state.doc.toString() ?? null;
  }

  find(source: string): string | null {
    const found = [...this.editors].filter(
      ([, editor]) => editor.state.doc.toString() === source
    );
    return found.length === 1 ? found[0][0] : null;
  }

  goTo(id: string, line: number, column: number): Promise<void> {
    this.went.push(`${id} ${line}:${column}`);
    this.editor(id).focus();
    return Promise.resolve();
  }

  /** The marked lines of a cell, with the underlined text of each line. */
  marked(id: string): string[] {
    return [...this.editor(id).dom.querySelectorAll('.jp-JaxprCell-line')].map(
      line => {
        const spans = [...line.querySelectorAll('.jp-JaxprCell-span')];
        return `${line.getAttribute('data-jaxpr-line')}: ${spans
          .map(span => span.textContent)
          .join('')}`;
      }
    );
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await Promise.resolve();
  }
}

const RNN = golden('rnn-0.12');
const SOURCE = RNN.cell?.source as string;

afterEach(() => document.body.replaceChildren());

describe('a cell and its program', () => {
  it('marks the expression of the equation that is pointed at', () => {
    const notebook = new Notebook(RNN, { 'cell-rnn': SOURCE, other: 'x = 1' });
    notebook.model.setHover({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    });
    expect(notebook.marked('cell-rnn')).toEqual(['6: h @ p["wh"]']);
    expect(notebook.marked('other')).toEqual([]);
    notebook.model.setHover(null);
    expect(notebook.marked('cell-rnn')).toEqual([]);
  });

  it('marks every expression of what is selected', () => {
    const notebook = new Notebook(RNN, { 'cell-rnn': SOURCE });
    notebook.model.setSelection({
      kind: 'equations',
      equations: [
        { scope: 1, equation: 0 },
        { scope: 1, equation: 1 }
      ]
    });
    expect(notebook.marked('cell-rnn')).toEqual([
      '5: x @ p["wx"]',
      '6: h @ p["wh"]'
    ]);
  });

  it('says where the caret is, once the text is the one that ran', async () => {
    const notebook = new Notebook(RNN, { 'cell-rnn': SOURCE, other: 'x = 1' });
    const editor = notebook.editor('cell-rnn');
    editor.focus();
    editor.dispatch({
      selection: { anchor: editor.state.doc.line(7).from + 22 }
    });
    await settled();
    expect(notebook.model.selection).toEqual({
      kind: 'caret',
      cellId: 'cell-rnn',
      line: 7,
      column: 22
    });
    expect(notebook.marked('cell-rnn')).toEqual(['7: a + r']);

    notebook.editor('other').focus();
    notebook.editor('other').dispatch({ selection: { anchor: 2 } });
    await settled();
    expect(notebook.model.selection).toEqual(
      expect.objectContaining({ cellId: 'cell-rnn' })
    );
  });

  it('keeps the links of text that moved, and greys the text that was edited', async () => {
    const notebook = new Notebook(RNN, { 'cell-rnn': SOURCE });
    notebook.model.setSelection({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    });
    const editor = notebook.editor('cell-rnn');
    const greyed = (): string[] =>
      [...editor.dom.querySelectorAll('.jp-JaxprCell-changed')].map(
        span => span.textContent ?? ''
      );
    editor.dispatch({ changes: { from: 0, insert: '# a comment\n' } });
    expect(notebook.marked('cell-rnn')).toEqual(['6: h @ p["wh"]']);
    await settled();
    expect(notebook.marked('cell-rnn')).toEqual(['6: h @ p["wh"]']);
    expect(screenStateOf(notebook.model).unlinked).toEqual([
      { executionCount: 7, reason: 'edited', isOwn: true }
    ]);

    const at = editor.state.doc.toString().indexOf('@ p["wh"]');
    editor.dispatch({ changes: { from: at, to: at + 1, insert: '-' } });
    expect(notebook.marked('cell-rnn')).toEqual([]);
    expect(greyed()).toEqual(['h - p["wh"]']);

    editor.dispatch({ changes: { from: at, to: at + 1, insert: '@' } });
    expect(notebook.marked('cell-rnn')).toEqual(['6: h @ p["wh"]']);
    expect(greyed()).toEqual([]);
    editor.dispatch({ changes: { from: 0, to: 12 } });
    await settled();
    expect(screenStateOf(notebook.model).unlinked).toEqual([]);
  });

  it('says where the caret was in the text that ran, and goes to where a place is now', async () => {
    const notebook = new Notebook(RNN, { 'cell-rnn': SOURCE });
    const editor = notebook.editor('cell-rnn');
    editor.dispatch({ changes: { from: 0, insert: 'a = 1\nb = 2\n' } });
    editor.focus();
    const caret = async (line: number, column: number): Promise<unknown> => {
      const anchor = editor.state.doc.line(line).from + column;
      editor.dispatch({ selection: { anchor } });
      await settled();
      return notebook.model.selection;
    };
    expect(await caret(9, 22)).toEqual({
      kind: 'caret',
      cellId: 'cell-rnn',
      line: 7,
      column: 22
    });
    expect(notebook.marked('cell-rnn')).toEqual(['7: a + r']);
    // No equation comes from text that did not run: the selection has line 0, and no text is marked.
    expect(await caret(2, 3)).toEqual(expect.objectContaining({ line: 0 }));
    expect(notebook.marked('cell-rnn')).toEqual([]);

    const [span] = linksOf(RNN, 0).resolve({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    }).spans;
    screenStateOf(notebook.model).goToCell(span);
    await settled();
    expect(notebook.went).toEqual(['cell-rnn 8:12']);
  });

  it('is compared with the text that ran where it was edited before its editor was made', async () => {
    const text = `import jax\n${SOURCE.replace('jnp.tanh', 'jnp.sin')}`;
    const notebook = new Notebook(RNN, { 'cell-rnn': text });
    notebook.model.setSelection({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    });
    await settled();
    expect(notebook.marked('cell-rnn')).toEqual(['6: h @ p["wh"]']);
    notebook.model.setSelection({
      kind: 'equations',
      equations: [{ scope: 1, equation: 4 }]
    });
    expect(notebook.marked('cell-rnn')).toEqual([]);
  });

  it('is marked when its editor is made later, as of a cell that was out of sight', async () => {
    const notebook = new Notebook(RNN, {});
    notebook.source = id => (id === 'cell-rnn' ? SOURCE : null);
    screenStateOf(notebook.model).inView = false;
    screenStateOf(notebook.model).inView = true;
    notebook.model.setSelection({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    });
    notebook.add('cell-rnn', SOURCE);
    await settled();
    expect(notebook.marked('cell-rnn')).toEqual(['6: h @ p["wh"]']);
  });

  it('that was deleted is said to be missing', () => {
    const notebook = new Notebook(RNN, { other: 'x = 1' });
    expect(screenStateOf(notebook.model).unlinked).toEqual([
      { executionCount: 7, reason: 'missing', isOwn: true }
    ]);
  });

  it('is left alone while no program is in view, and when another notebook comes', () => {
    const notebook = new Notebook(RNN, { 'cell-rnn': SOURCE });
    notebook.model.setSelection({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    });
    screenStateOf(notebook.model).inView = false;
    expect(notebook.marked('cell-rnn')).toEqual([]);
    screenStateOf(notebook.model).inView = true;
    expect(notebook.marked('cell-rnn')).toEqual(['6: h @ p["wh"]']);
    notebook.links.follow(null, null);
    expect(notebook.marked('cell-rnn')).toEqual([]);
  });

  it('dims what the trace did not reach, and shows what was noted of a line', () => {
    const printed = {
      kind: 'printed_while_tracing',
      text: 'Printed while tracing.',
      cure: null,
      detail: 'h',
      program: 0,
      frame: RNN.frames.findIndex(([, , line]) => line === 5),
      bytes: null
    };
    const notebook = new Notebook(
      { ...RNN, untraced_lines: [8], notes: [printed] },
      { 'cell-rnn': SOURCE }
    );
    const { dom } = notebook.editor('cell-rnn');
    const [untraced] = dom.querySelectorAll('.jp-JaxprCell-untraced');
    expect(untraced.textContent?.trim()).toBe('return h, h');
    expect(untraced.getAttribute('title')).toBe(
      'The trace did not reach this line.'
    );
    const [note] = dom.querySelectorAll('.jp-JaxprCell-note');
    expect(note.getAttribute('aria-label')).toBe('Printed while tracing.');
    expect(note.closest('.cm-line')?.textContent).toContain('x @ p["wx"]');
  });
});

describe('from the program to the cell and back', () => {
  it('goes to the place, and Escape is for coming back until the text is edited', async () => {
    const notebook = new Notebook(RNN, { 'cell-rnn': SOURCE });
    const screenState = screenStateOf(notebook.model);
    const [span] = linksOf(RNN, 0).resolve({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    }).spans;
    screenState.goToCell(span);
    await settled();
    expect(notebook.went).toEqual(['cell-rnn 6:12']);
    const { dom } = notebook.editor('cell-rnn');
    expect(dom.classList.contains('jp-mod-jaxprReturns')).toBe(true);

    let back = 0;
    screenState.programWanted.connect(() => back++);
    notebook.links.goToProgram();
    expect(back).toBe(1);

    notebook.editor('cell-rnn').dispatch({ changes: { from: 0, insert: '#' } });
    expect(dom.classList.contains('jp-mod-jaxprReturns')).toBe(false);
  });
});

describe('a function of another cell', () => {
  it('is linked in the cell that defined it, found by its text where the kernel has no id', () => {
    const document = golden('helpers-0.12');
    const snapshot: Snapshot = {
      ...document,
      files: document.files.map(file => ({ ...file, cell_id: null }))
    };
    const foreign = document.files.find(
      ({ kind, source }) => kind === 'cell' && source !== null
    );
    const notebook = new Notebook(snapshot, {
      [snapshot.cell?.id as string]: snapshot.cell?.source as string,
      defined: foreign?.source as string
    });
    const marked = new Set<string>();
    document.scopes.forEach((scope, index) => {
      for (let equation = 0; equation < scope.count; equation++) {
        notebook.model.setHover({
          kind: 'equations',
          equations: [{ scope: index, equation }]
        });
        notebook.marked('defined').forEach(line => marked.add(line));
      }
    });
    expect(marked.size).toBeGreaterThan(0);
  });
});
