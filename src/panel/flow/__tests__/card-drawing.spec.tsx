import { nullTranslator } from '@jupyterlab/translation';
import * as fc from 'fast-check';

import { GOLDEN, golden } from '../../../program-text/__tests__/documents';
import { Control, Snapshot } from '../../../protocol/snapshot';
import { NARROWEST, WIDEST, drawingOf } from '../card-drawing';
import { Reading } from '../cards-of-program';
import {
  IDrawing,
  Look,
  Shape,
  fitted,
  widthOf
} from '../../../parts/drawn-pieces';
import { standaloneSvg } from '../../../parts/standalone-svg';

const trans = nullTranslator.load('jupyter_jaxpr');

function drawn(document: Snapshot, width: number): IDrawing[] {
  const reading = new Reading(document, 0);
  return reading.all
    .map(card => drawingOf(reading, card, width, trans))
    .filter(drawing => drawing !== null);
}

function changed(name: string, changes: Partial<Control>): Snapshot {
  const document = golden(name);
  return {
    ...document,
    control_flow: (document.control_flow ?? []).map(control => ({
      ...control,
      ...changes
    }))
  };
}

const hasProgram = (name: string): boolean => golden(name).programs.length > 0;

const texts = ({ shapes }: IDrawing): string[] =>
  shapes.flatMap(shape => (shape.kind === 'text' ? [shape.text] : []));

/** The left and the right end of a piece. */
function extent(shape: Shape): [number, number] {
  switch (shape.kind) {
    case 'rect':
      return [shape.x, shape.x + shape.width];
    case 'text': {
      const width = widthOf(shape.text, shape.look);
      const start = { start: 0, middle: 0.5, end: 1 }[shape.anchor];
      return [shape.x - start * width, shape.x + (1 - start) * width];
    }
    case 'path': {
      const xs = [...shape.d.matchAll(/[ML]([\d.-]+)/g)].map(found =>
        Number(found[1])
      );
      return [Math.min(...xs), Math.max(...xs)];
    }
  }
}

describe('drawings', () => {
  it('of a scan: rails in and out, the carry around, what stays below', () => {
    const [drawing] = drawn(golden('rnn-0.12'), 336);
    expect(texts(drawing)).toEqual([
      'step',
      '5 equations',
      'f32[8]',
      'xs',
      'f32[100,8]',
      'f32[16]',
      'hs',
      'f32[100,16]',
      'h f32[16]',
      'init',
      'f32[16]',
      'h',
      'f32[16]',
      '× 100',
      "constants: p['wx'], p['wh'], p['b']"
    ]);
  });

  it('of a while: a gate with two ways', () => {
    const [drawing] = drawn(golden('newton-0.12'), 336);
    expect(texts(drawing)).toEqual(
      expect.arrayContaining([
        '?',
        'true',
        'false',
        'step',
        'unknown number of steps',
        'continues while jnp.abs(s[0] ** 2 - x) > 1e-5'
      ])
    );
    expect(drawing.shapes.filter(({ look }) => look === 'gate').length).toBe(1);
  });

  it('of a while with room: its captions share a line', () => {
    const [drawing] = drawn(golden('newton-0.12'), 460);
    expect(texts(drawing)).toContain(
      'continues while jnp.abs(s[0] ** 2 - x) > 1e-5 · constants: x'
    );
  });

  it('of a cond: a fork, False first', () => {
    const [drawing] = drawn(golden('cond-0.12'), 336);
    expect(texts(drawing)).toEqual([
      '?',
      'False',
      '<lambda>',
      '1 equation',
      'True',
      '<lambda>',
      '2 equations',
      'x',
      'f32[]',
      'f32[]',
      'branch chosen by x < 3'
    ]);
  });

  it('of a cond without room beside its boxes: operands above, names on a line of their own', () => {
    const [drawing] = drawn(golden('cond-0.12'), 240);
    const lines = drawing.shapes.flatMap(shape =>
      shape.kind === 'text' ? [[shape.text, shape.y]] : []
    );
    expect(lines).toEqual([
      ['?', 84],
      ['False', 36],
      ['<lambda>', 51],
      ['1 equation', 66],
      ['True', 101],
      ['<lambda>', 116],
      ['2 equations', 131],
      ['x f32[]', 12],
      ['f32[]', 95],
      ['branch chosen by x < 3', 160]
    ]);
  });

  it('of a cond: cuts no word at any width', () => {
    for (let width = 240; width <= 480; width++) {
      for (const { shapes } of drawn(golden('cond-0.12'), width)) {
        for (const shape of shapes) {
          expect(shape.kind === 'text' ? shape.text : '').toBe(
            shape.kind === 'text' ? shape.whole : ''
          );
        }
      }
    }
  });

  it('of a scan that runs backwards, and is unrolled, says so', () => {
    const [drawing] = drawn(
      changed('rnn-0.12', { reverse: true, unroll: 4 }),
      336
    );
    expect(texts(drawing)).toEqual(
      expect.arrayContaining([
        '× 100, unroll 4',
        'each step takes a row, the last row first'
      ])
    );
  });

  it('of a scan that JAX unrolls as a whole, says so', () => {
    const [drawing] = drawn(changed('rnn-0.12', { unroll: 100 }), 336);
    expect(texts(drawing)).toContain('× 100, unrolled');
  });

  it('keep inside their width, whatever it is and whatever the names are', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...GOLDEN.filter(hasProgram)),
        fc.integer({ min: 100, max: 2000 }),
        fc.string({ maxLength: 200 }),
        fc.constantFrom<Control['kind']>(
          'scan',
          'map',
          'cond',
          'associative_scan',
          'while_loop'
        ),
        fc.constantFrom('scan', 'while', 'cond', 'select_n', ''),
        (name, width, long, kind, primitive) => {
          const document = changed(name, {
            kind,
            primitive,
            title: long,
            condition_text: long,
            predicate_text: long,
            unroll: 3
          });
          for (const control of document.control_flow ?? []) {
            control.slots = control.slots.map(slot => ({
              ...slot,
              path: long
            }));
          }
          for (const drawing of drawn(document, width)) {
            expect(drawing.width).toBeGreaterThanOrEqual(NARROWEST);
            expect(drawing.width).toBeLessThanOrEqual(WIDEST);
            for (const shape of drawing.shapes) {
              const [from, to] = extent(shape);
              expect(from).toBeGreaterThanOrEqual(-1);
              expect(to).toBeLessThanOrEqual(drawing.width + 1);
            }
          }
        }
      )
    );
  });

  it('cut text between two words, and keep what fits', () => {
    const cut: [string, Look, number][] = [
      ['h', 'name', 40],
      ['a_long_name', 'name', 60],
      ['a_long_name', 'name', 40],
      ['a_long_name', 'name', 12],
      ["params['w']", 'name', 60],
      ['f32[128,1024]', 'type', 60],
      ['f32[128,1024]', 'type', 30],
      ['branch chosen by x', 'quiet', 100]
    ];
    expect(cut.map(args => fitted(...args))).toEqual([
      'h',
      'a_long_…',
      'a_…',
      '…',
      'params…',
      'f32[…]',
      '…',
      'branch chosen…'
    ]);
  });
});

describe('a drawing as a file', () => {
  it('brings its styles, its ground and its sentence', () => {
    document.body.replaceChildren();
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('width', '100');
    svg.setAttribute('height', '50');
    const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
    text.setAttribute('class', 'jp-mod-name');
    text.style.fontWeight = '600';
    text.textContent = 'h < 3 & more';
    svg.append(text);
    document.body.style.backgroundColor = 'rgb(1, 2, 3)';
    document.body.append(svg);
    const parsed = new DOMParser().parseFromString(
      standaloneSvg(svg, 'scan: h goes round'),
      'image/svg+xml'
    );
    const root = parsed.documentElement;
    expect(root.getAttribute('viewBox')).toBe('-8 -8 116 66');
    expect(root.querySelector('title')?.textContent).toBe('scan: h goes round');
    expect(root.querySelector('rect')?.getAttribute('fill')).toBe(
      'rgb(1, 2, 3)'
    );
    const copy = root.querySelector('text');
    expect(copy?.textContent).toBe('h < 3 & more');
    expect(copy?.getAttribute('font-weight')).toBe('600');
    expect(copy?.getAttribute('class')).toBeNull();
    document.body.style.backgroundColor = '';
  });
});
