import { golden, GOLDEN } from '../../program-text/__tests__/documents';
import type { Snapshot } from '../../protocol/snapshot';
import { Links, linksOf } from '../links';

/** Lists the linked equations, each as its scope, its index in the scope, and its primitive, such as `1.2 add`. */
function equationsOf(links: Links, ids: ReadonlySet<number>): string[] {
  const found: string[] = [];
  for (const scope of links.equations.scopes) {
    for (let e = 0; e < links.equations.count(scope); e++) {
      if (ids.has(links.equations.id(scope, e))) {
        const part = links.equations.part(scope, e);
        found.push(`${scope}.${e} ${part?.primitive(e)}`);
      }
    }
  }
  return found;
}

function caret(
  links: Links,
  line: number,
  column: number,
  cellId = 'cell-rnn'
): { equations: string[]; spans: string[]; precision: string } {
  const linked = links.resolve({ kind: 'caret', cellId, line, column });
  return {
    equations: equationsOf(links, linked.equations),
    spans: linked.spans.map(span => links.spans.text(span) ?? ''),
    precision: linked.precision
  };
}

describe('links of a recurrent net', () => {
  const links = linksOf(golden('rnn-0.12'), 0);

  it('lead from an equation to the expression it came from', () => {
    const linked = links.resolve({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    });
    expect(linked.spans).toEqual([
      expect.objectContaining({
        line: 6,
        column: 12,
        endLine: 6,
        endColumn: 23,
        role: 'own'
      })
    ]);
    expect(linked.precision).toBe('span');
  });

  it('lead from the caret to the equations of the narrowest expression around it', () => {
    const source = golden('rnn-0.12').cell?.source.split('\n') as string[];
    expect(source[6]).toBe('        h = jnp.tanh(a + r + p["b"])');
    expect(caret(links, 7, 22)).toEqual({
      equations: ['1.2 add'],
      spans: ['a + r'],
      precision: 'span'
    });
    expect(caret(links, 7, 29)).toEqual({
      equations: ['1.3 add'],
      spans: ['a + r + p["b"]'],
      precision: 'span'
    });
    expect(caret(links, 7, 14)).toEqual({
      equations: ['1.4 tanh'],
      spans: ['jnp.tanh(a + r + p["b"])'],
      precision: 'span'
    });
  });

  it('lead from a place beside every expression to all of its line', () => {
    expect(caret(links, 7, 2)).toEqual({
      equations: ['1.2 add', '1.3 add', '1.4 tanh'],
      spans: ['a + r', 'a + r + p["b"]', 'jnp.tanh(a + r + p["b"])'],
      precision: 'line'
    });
  });

  it('lead nowhere from a line that made nothing', () => {
    expect(caret(links, 8, 10)).toEqual({
      equations: [],
      spans: [],
      precision: 'none'
    });
    expect(caret(links, 99, 0)).toEqual({
      equations: [],
      spans: [],
      precision: 'none'
    });
    expect(caret(links, 7, 22, 'cell-other').precision).toBe('none');
  });

  it('lead from one level to the other by the places they share', () => {
    const { stacks, scopes, ...document } = golden('rnn-0.12');
    const add = scopes[1].stack[2];
    const tanh = scopes[1].stack[4];
    const withoutTexts: Snapshot = {
      ...document,
      stacks,
      scopes,
      programs: [{ ...document.programs[0], levels: [] }]
    };
    const pages = linksOf(withoutTexts, 0);
    pages.addText('hlo', 0, [-1, add, tanh, add], withoutTexts);
    expect(stacks.length).toBeGreaterThan(tanh);

    const fromEquation = pages.resolve({
      kind: 'equations',
      equations: [{ scope: 1, equation: 2 }]
    });
    expect([...fromEquation.lines.hlo]).toEqual([1, 3]);

    const fromLine = pages.resolve({
      kind: 'text',
      level: 'hlo',
      line: 2,
      stack: -1
    });
    expect(equationsOf(pages, fromLine.equations)).toEqual(['1.4 tanh']);
    expect(fromLine.spans.map(span => pages.spans.text(span))).toEqual([
      'jnp.tanh(a + r + p["b"])'
    ]);
    expect([...fromLine.lines.hlo]).toEqual([2]);

    const fromNowhere = pages.resolve({
      kind: 'text',
      level: 'hlo',
      line: 0,
      stack: -1
    });
    expect(fromNowhere.precision).toBe('none');
    expect([...fromNowhere.lines.hlo]).toEqual([0]);
  });

  it('lead from a line to the one equation that it is, whatever shares its place', () => {
    const { scopes, programs, ...document } = golden('rnn-0.12');
    const add = scopes[1].stack[2];
    const own: Snapshot = {
      ...document,
      scopes,
      programs: [{ ...programs[0], levels: [] }]
    };
    const pages = linksOf(own, 0);
    const named_equations = [
      [1, 1, 3],
      [2, 1, 999] // scope 1 has no equation 999, so this entry is ignored
    ];
    pages.addText('hlo', 0, [add, add, add], own, { named_equations });
    const at = (line: number): string[] =>
      equationsOf(
        pages,
        pages.resolve({ kind: 'text', level: 'hlo', line, stack: -1 }).equations
      );
    expect([0, 1, 2].map(line => pages.isNamed('hlo', line))).toEqual([
      false,
      true,
      false
    ]);
    expect([at(0), at(1), at(2)]).toEqual([
      ['1.2 add'],
      ['1.3 add'],
      ['1.2 add']
    ]);
    const of = (first: number, last: number) => {
      const { ids, isExact } = pages.equationsOfLines('hlo', first, last);
      return [equationsOf(pages, ids), isExact];
    };
    expect(of(0, 2)).toEqual([['1.2 add', '1.3 add'], true]);

    // Two equations now come from the same place, and the kernel names neither of them for line 0, so the line comes
    // from some of these equations.
    const twice = own.scopes[1].stack.slice();
    twice[3] = twice[2];
    const together: Snapshot = {
      ...own,
      scopes: own.scopes.map((scope, i) =>
        i === 1 ? { ...scope, stack: twice } : scope
      )
    };
    const shared = linksOf(together, 0);
    shared.addText('hlo', 0, [add, add], together, {
      named_equations: [[1, 1, 3]]
    });
    const { ids, isExact } = shared.equationsOfLines('hlo', 0, 1);
    expect([equationsOf(shared, ids), isExact]).toEqual([
      ['1.2 add', '1.3 add'],
      false
    ]);
    expect(shared.equationsOfLines('hlo', 1, 1).isExact).toBe(true);
  });

  it('of a snapshot are made once', () => {
    const snapshot = golden('rnn-0.12');
    expect(linksOf(snapshot, 0)).toBe(linksOf(snapshot, 0));
  });
});

describe('links through functions of other cells', () => {
  const snapshot = golden('helpers-0.12');

  /**
   * Finds an equation that was written in another cell than the cell that ran; returns the links of its program, and
   * its scope and index.
   */
  function foreign(document: Snapshot): { links: Links; id: [number, number] } {
    for (let program = 0; program < document.programs.length; program++) {
      const links = linksOf(document, program);
      for (const scope of links.equations.scopes) {
        for (let e = 0; e < links.equations.count(scope); e++) {
          const origin = links.origin(scope, e);
          const span = origin && links.cellSpan(origin);
          if (span && !links.inOwnCell(span) && span.file.cell_id) {
            return { links, id: [scope, e] };
          }
        }
      }
    }
    throw new Error('the document has no such equation');
  }

  it('lead to the line that wrote the equation, and to the one that called it', () => {
    const { links, id } = foreign(snapshot);
    const linked = links.resolve({
      kind: 'equations',
      equations: [{ scope: id[0], equation: id[1] }]
    });
    expect(linked.spans.map(({ role }) => role)).toEqual(['own', 'call']);
    const [own, call] = linked.spans;
    expect(own.file.cell_id).not.toBe(snapshot.cell?.id);
    expect(call.file.path).toBe(snapshot.cell?.file);
  });

  it('lead back from the call', () => {
    const { links, id } = foreign(snapshot);
    const linked = links.resolve({
      kind: 'equations',
      equations: [{ scope: id[0], equation: id[1] }]
    });
    const { line, column } = linked.spans[1];
    const back = links.resolve({
      kind: 'caret',
      cellId: snapshot.cell?.id as string,
      line,
      column
    });
    expect(back.equations.has(links.equations.id(id[0], id[1]))).toBe(true);
  });

  it('know a cell without an id by what the notebook says', () => {
    const { links, id } = foreign(snapshot);
    const origin = links.origin(id[0], id[1]);
    const span = origin && links.cellSpan(origin);
    const without: Snapshot = {
      ...snapshot,
      files: snapshot.files.map(file => ({ ...file, cell_id: null }))
    };
    const program = snapshot.programs.indexOf(links.equations.program);
    const own = linksOf(without, program);
    const selection = {
      kind: 'caret' as const,
      cellId: 'found',
      line: span?.line ?? 0,
      column: span?.column ?? 0
    };
    expect(own.resolve(selection).precision).toBe('none');
    own.adopt(span?.file.path ?? '', 'found');
    expect(own.resolve({ ...selection }).equations.size).toBeGreaterThan(0);
  });
});

describe('an equation without a place of its own', () => {
  it('has that of the equation that calls its scope', () => {
    const snapshot = golden('rnn-0.12');
    const bare: Snapshot = {
      ...snapshot,
      scopes: snapshot.scopes.map((scope, i) =>
        i === 0 ? scope : { ...scope, stack: scope.stack.map(() => -1) }
      )
    };
    const links = linksOf(bare, 0);
    const [equation] = bare.scopes[0].children[0];
    expect(links.origin(1, 0)).toBe(links.origin(0, equation));
    expect(links.origin(1, 0)).not.toBe(null);
  });
});

describe('every golden document', () => {
  it.each(GOLDEN)(
    '%s: every equation that is linked leads back to itself',
    name => {
      const snapshot = golden(name);
      snapshot.programs.forEach((_, program) => {
        const links = linksOf(snapshot, program);
        for (const scope of links.equations.scopes) {
          for (let e = 0; e < links.equations.arrivedCount(scope); e++) {
            const [span] = links.resolve({
              kind: 'equations',
              equations: [{ scope, equation: e }]
            }).spans;
            if (span && span.column >= 0 && span.file.cell_id !== null) {
              const back = links.resolve({
                kind: 'caret',
                cellId: span.file.cell_id,
                line: span.line,
                column: span.column
              });
              const text = links.spans.text(span);
              const narrower = back.spans.every(
                other =>
                  (links.spans.text(other) ?? '').length <= (text ?? '').length
              );
              expect(back.precision).toBe('span');
              expect(narrower).toBe(true);
            }
          }
        }
      });
    }
  );
});
