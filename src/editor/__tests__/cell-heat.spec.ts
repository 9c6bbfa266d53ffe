import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';

import { ScreenState, screenStateOf } from '../../model/screen-state';
import { costsOf } from '../../model/costs';
import { JaxprModel } from '../../model/model';
import { rnnCost, rnnSnapshot } from '../../panel/cost/__tests__/costs';
import { Snapshot } from '../../protocol/snapshot';
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
  model.show(snapshot, false);
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

/** Lists the bars in the gutter, each as its title and its width. */
function bars(): string[] {
  return [
    ...editor.dom.querySelectorAll<HTMLElement>('.jp-JaxprCell-heatBar')
  ].map(bar => `${bar.title}: ${bar.style.width}`);
}

/** Lists the texts that a screen reader reads for the counts at the ends of lines. */
function counts(): string[] {
  return [...editor.dom.querySelectorAll('.cm-line')].flatMap((one, at) => {
    const found = one.querySelector('.jp-JaxprCell-counts');
    return found === null
      ? []
      : `${at + 1}: ${found.getAttribute('aria-label')}`;
  });
}

const plain = (texts: string[]): string[] =>
  texts.map(text => text.replace(/\u00a0/g, ' '));

const SHOWN = [
  '5: 25.6 kop',
  '6: 51.2 kop',
  '7: 3.2 kop, 1.6 k transc.',
  '11: 143 op, 4 transc.'
];

afterEach(() => {
  costsOf(model).heat = false;
  links.dispose();
  model.dispose();
  editor.destroy();
});

describe('heat in the cell', () => {
  it('is a bar and a number for each line, where it is wanted', () => {
    open(rnnSnapshot());
    screenState.costInView = true;
    expect(bars()).toEqual([]);
    expect(editor.dom.querySelector('.cm-gutters')).toBeNull();
    costsOf(model).heat = true;
    expect(plain(bars()).map(text => text.replace(/\.\d+%$/, '%'))).toEqual([
      '25.6 kop, 23 % of the total cost: 22%',
      '51.2 kop, 46 % of the total cost: 45%',
      '3.2 kop, 1.6 k transc., 31 % of the total cost: 31%',
      '143 op, 4 transc., 0.2 % of the total cost: 0%'
    ]);
    expect(plain(counts())).toEqual(SHOWN);
    costsOf(model).heat = false;
    expect(bars()).toEqual([]);
    expect(counts()).toEqual([]);
  });

  it('is there while a view of the program is, and where the program was counted', () => {
    open(rnnSnapshot({ costs: [] }));
    costsOf(model).heat = true;
    screenState.inView = true;
    expect(counts()).toEqual([]);
    model.show(rnnSnapshot({ id: 'run-2' }), false);
    expect(plain(counts())).toEqual(SHOWN);
    screenState.inView = false;
    expect(counts()).toEqual([]);
    expect(bars()).toEqual([]);
  });

  it('is bytes where there are no operations', () => {
    open(
      rnnSnapshot({
        costs: [rnnCost({ flops: 0, flops_min: 0, transcendentals: 0 })]
      })
    );
    costsOf(model).heat = true;
    screenState.inView = true;
    expect(plain(counts())).toEqual([
      '5: 61.0 kB',
      '6: 115 kB',
      '7: 51.5 kB',
      '11: 500 B'
    ]);
  });

  it('moves with the text, and is grey where the line was edited', () => {
    open(rnnSnapshot());
    screenState.costInView = true;
    costsOf(model).heat = true;
    expect(bars()).toHaveLength(4);
    const grey = (): number =>
      editor.dom.querySelectorAll('.jp-JaxprCell-heatBar.jp-mod-changed')
        .length;
    editor.dispatch({ changes: { from: 0, insert: '\n' } });
    expect(bars()).toHaveLength(4);
    expect(plain(counts())[0]).toBe('6: 25.6 kop');
    expect(grey()).toBe(0);
    const { to } = editor.state.doc.line(6);
    editor.dispatch({ changes: { from: to, insert: '#' } });
    expect(grey()).toBe(1);
    editor.dispatch({ changes: { from: to, to: to + 1 } });
    expect(grey()).toBe(0);
  });
});
