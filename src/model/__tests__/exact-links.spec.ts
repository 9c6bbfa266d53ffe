import { nullTranslator } from '@jupyterlab/translation';

import { JaxprListing } from '../../workbench/levels/jaxpr-listing';
import { TwinListing } from '../../workbench/levels/twin-listing';
import { golden } from '../../program-text/__tests__/documents';
import type { ExactLinks, Snapshot, TextPage } from '../../protocol/snapshot';
import type { IJaxprModel, ILongRequest, Outcome } from '../../tokens';
import { TwinLinks, twinsOf } from '../exact-links';
import { linksOf } from '../links';
import { merge } from '../merged-answers';

const trans = nullTranslator.load('jupyter_jaxpr');

/**
 * Makes a page of the text of the twin (the tagged copy); `line_equations` says from which equations its lines come.
 */
function page(
  first: number,
  lines: readonly string[],
  line_equations: number[][]
): TextPage {
  return {
    level: 'hlo',
    characters: 100,
    lines: 6,
    sha256: '',
    first_line: first,
    text: lines.join('\n'),
    line_stacks: lines.map(() => -1),
    strings: [],
    files: [],
    frames: [],
    stacks: [],
    inferred_lines: [],
    other_stacks: [],
    line_equations
  };
}

describe('the twin of a recurrent net', () => {
  const links = linksOf(golden('rnn-0.12'), 0);
  const twin = new TwinLinks(links);
  const listing = new TwinListing(twin, 'hlo', trans);
  listing.addPage(
    page(
      0,
      ['HloModule jit_rnn', '%body (x: f32[16]) -> f32[16] {', '  %dot.1'],
      [[2, 1, 0]]
    )
  );
  listing.addPage(
    page(
      3,
      ['  %tanh.2 = f32[16]{0} tanh(%dot.1)', '  %copy.3', '}'],
      [[3, 1, 4, 1, 3]]
    )
  );
  const chosen = (...equations: [number, number][]): readonly number[] =>
    listing.linkedLines(
      links.resolve({
        kind: 'equations',
        equations: equations.map(([scope, equation]) => ({ scope, equation }))
      })
    );

  it('leads from a line to exactly the equations that it comes from', () => {
    expect(listing.selection(2)).toEqual({
      kind: 'equations',
      equations: [{ scope: 1, equation: 0 }]
    });
    expect(listing.selection(3)).toEqual({
      kind: 'equations',
      equations: [
        { scope: 1, equation: 4 },
        { scope: 1, equation: 3 }
      ]
    });
    // The jaxpr marks these equations too, and no other equations of the same source line.
    const linked = links.resolve(listing.selection(2));
    const jaxpr = new JaxprListing(links, trans);
    expect(jaxpr.linkedLines(linked)).toHaveLength(1);
    expect([...linked.equations]).toEqual([links.equations.id(1, 0)]);
  });

  it('leads from an equation to exactly its lines', () => {
    expect(chosen([1, 0])).toEqual([2]);
    expect(chosen([1, 3])).toEqual([3]);
    expect(chosen([1, 4], [1, 0])).toEqual([2, 3]);
    expect(chosen([1, 2])).toEqual([]);
  });

  it('leads from an expression to the lines of its equations', () => {
    const source = { kind: 'caret', cellId: 'cell-rnn', line: 7 } as const;
    // The equation of a + r + p["b"].
    const add = links.resolve({ ...source, column: 29 });
    expect(listing.linkedLines(add)).toEqual([3]);
    // The equation of a + r: the program's own links lead from it to lines, but no line of the twin (the tagged copy)
    // comes from it.
    const inner = links.resolve({ ...source, column: 22 });
    expect(inner.equations.size).toBe(1);
    expect(listing.linkedLines(inner)).toEqual([]);
  });

  it('means nothing where a line comes from no equation, and all where lines are folded to one', () => {
    expect(listing.selection(4)).toBeNull();
    expect(listing.selection(1, 5)).toEqual({
      kind: 'equations',
      equations: [
        { scope: 1, equation: 0 },
        { scope: 1, equation: 4 },
        { scope: 1, equation: 3 }
      ]
    });
    const { ids, isExact } = twin.equationsOfLines('hlo', 1, 5);
    expect([ids.size, isExact]).toEqual([3, true]);
    expect(twin.equationsOfLine('stablehlo', 3)).toEqual([]);
  });

  it('says of a line how many equations it comes from', () => {
    const said = [2, 3, 4].map(line => listing.describeLine(line)?.textContent);
    expect(said).toEqual([
      'Exact link: this line comes from 1 equation.',
      // The gloss of the operation stands first: the name, what the operation computes, the link to its specification.
      'tanh' +
        'hyperbolic tangent' +
        'XLA documentation: operations' +
        'Exact link: this line comes from 2 equations.',
      'Exact link: this line comes from no equation.'
    ]);
    expect(listing.label).toBe('HLO of the tagged copy of rnn');
  });

  it('takes no page twice', () => {
    expect(listing.addPage(page(0, ['again'], [[0, 1, 1]]))).toBeNull();
    expect(chosen([1, 1])).toEqual([]);
    expect(listing.complete).toBe(true);
  });
});

describe('asking for a twin', () => {
  const snapshot = golden('rnn-0.12');
  const found: ExactLinks = {
    program: 0,
    lower_seconds: 0.1,
    compile_seconds: 0.2,
    equations: 9,
    reached: 9,
    levels: []
  };

  /** Makes a model whose kernel first asks for a confirmation, and then answers. */
  function model(): { model: IJaxprModel; asked: boolean[] } {
    const asked: boolean[] = [];
    const begin = (
      type: string,
      params: object,
      options?: { confirmed?: boolean }
    ): ILongRequest<ExactLinks> => {
      expect(type).toBe('exact_links');
      expect(params).toEqual({ snapshot: snapshot.id, program: 0 });
      const confirmed = options?.confirmed ?? false;
      asked.push(confirmed);
      if (confirmed) {
        merge(snapshot, 'exact_links', found);
      }
      const outcome: Outcome<ExactLinks> = confirmed
        ? { kind: 'done', value: found }
        : {
            kind: 'confirm',
            question: 'about 190 ms. Compile the tagged copy?'
          };
      return { result: Promise.resolve(outcome), stop: () => undefined };
    };
    const partial = {
      changed: { connect: () => true },
      isDisposed: false,
      runs: [{ snapshot, fromSaved: false }],
      requests: { begin }
    };
    return { model: partial as unknown as IJaxprModel, asked };
  }

  beforeEach(() => {
    delete snapshot.exact_links;
  });

  it('compiles nothing before its price is agreed to', async () => {
    const { model: of, asked } = model();
    const twins = twinsOf(of);
    expect(twinsOf(of)).toBe(twins);
    await twins.ask(snapshot, 0);
    expect(twins.work.stateOf(snapshot, 0)).toEqual({
      kind: 'confirm',
      question: 'about 190 ms. Compile the tagged copy?'
    });
    expect(twins.isShown(snapshot, 0)).toBe(false);
    expect(asked).toEqual([false]);
    await twins.work.confirm(snapshot, 0);
    expect(twins.isShown(snapshot, 0)).toBe(true);
    expect(asked).toEqual([false, true]);
  });

  it('is not shown where this page did not want it and another page asked for it', async () => {
    const { model: of } = model();
    const twins = twinsOf(of);
    await twins.ask(snapshot, 0);
    twins.work.dismiss(snapshot, 0);
    merge(snapshot, 'exact_links', found);
    expect(twins.isShown(snapshot, 0)).toBe(false);
  });

  it('is shown and hidden again without another compilation', async () => {
    const { model: of, asked } = model();
    const twins = twinsOf(of);
    await twins.ask(snapshot, 0);
    await twins.work.confirm(snapshot, 0);
    const seen: boolean[] = [];
    twins.changed.connect(() => seen.push(twins.isShown(snapshot, 0)));
    twins.show(snapshot, 0, false);
    twins.show(snapshot, 0, true);
    expect(seen).toEqual([false, true]);
    expect(asked).toHaveLength(2);
    const other: Snapshot = { ...snapshot, id: 'another' };
    expect(twins.isShown(other, 0)).toBe(false);
    expect(twins.isShown(snapshot, 1)).toBe(false);
  });
});
