import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';

import { screenStateOf } from '../../model/screen-state';
import { JaxprModel } from '../../model/model';
import { steppingOf } from '../../model/stepping';
import { golden } from '../../program-text/__tests__/documents';
import { CellLinks } from '../cell-links';

const trans = nullTranslator.load('jupyter_jaxpr');

// jsdom computes no layout, so methods that measure text find nothing.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect = () => new DOMRect();

let model: JaxprModel;
let links: CellLinks;
let editor: EditorView;

beforeEach(() => {
  const document = golden('rnn-0.12');
  const id = document.cell?.id ?? '';
  model = new JaxprModel(trans);
  model.show(document, true);
  links = new CellLinks(trans);
  editor = new EditorView({
    parent: window.document.body,
    state: EditorState.create({
      doc: document.cell?.source,
      extensions: links.extension(id)
    })
  });
  links.follow(model, {
    source: cellId => (cellId === id ? editor.state.doc.toString() : null),
    find: () => null,
    goTo: () => Promise.resolve()
  });
  screenStateOf(model).flowInView = true;
});

afterEach(() => {
  links.dispose();
  model.dispose();
  editor.destroy();
});

/** Lists the values of a step that the cell shows, each with the number of its line. */
function values(): string[] {
  return [...editor.dom.querySelectorAll('.cm-line')].flatMap((line, at) =>
    [...line.querySelectorAll<HTMLElement>('.jp-JaxprCell-step')].map(
      ({ dataset }) => `${at + 1}: ${dataset.jaxprStep}`
    )
  );
}

function computed(): string[] {
  return [...editor.dom.querySelectorAll('.jp-JaxprCell-stepSpan')].map(
    span => span.textContent ?? ''
  );
}

function show(): void {
  const { snapshot } = model;
  const scan = snapshot?.control_flow?.[0];
  if (!snapshot || !scan) {
    throw new Error('no scan');
  }
  steppingOf(model).shown = {
    snapshot,
    program: scan.program,
    equations: [{ scope: scan.body, equation: 1 }],
    frame: scan.body_frame,
    before: { text: 'h = 1', title: 'Before step 1: h = 1' },
    after: { text: 'h = 2', title: 'After step 1: h = 2' }
  };
}

/** The lines that have types at their end. */
function typed(): number[] {
  return [...editor.dom.querySelectorAll('.cm-line')].flatMap((line, at) =>
    line.hasAttribute('data-jaxpr-types') ? [at + 1] : []
  );
}

describe('the step that the stepper shows', () => {
  it('has its values in the place of the types', () => {
    const before = typed();
    show();
    expect(typed()).toEqual(before.filter(line => line !== 4 && line !== 6));
    steppingOf(model).shown = null;
    expect(typed()).toEqual(before);
  });

  it('is marked in the cell, with its values, while Flow is in view', () => {
    const before = editor.state.doc.toString();
    show();
    expect(computed()).toEqual(['h @ p["wh"]']);
    expect(values()).toEqual(['4: h = 1', '6: h = 2']);
    expect(editor.state.doc.toString()).toBe(before);
    screenStateOf(model).flowInView = false;
    expect(values()).toEqual([]);
    screenStateOf(model).flowInView = true;
    expect(values()).toEqual(['4: h = 1', '6: h = 2']);
    steppingOf(model).shown = null;
    expect(values()).toEqual([]);
    expect(computed()).toEqual([]);
  });

  it('leaves a line that was edited since', () => {
    show();
    const { from } = editor.state.doc.line(6);
    editor.dispatch({ changes: { from: from + 8, insert: 'q' } });
    // The line was edited after its expression: the expression stays marked, but the value at the line's end is gone.
    expect(values()).toEqual(['4: h = 1']);
    expect(computed()).toEqual(['h @ p["wh"]']);
  });
});
