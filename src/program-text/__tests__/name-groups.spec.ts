import type { Snapshot } from '../../protocol/snapshot';
import { ProgramEquations } from '../equations';
import { nameGroups, namesInStack } from '../name-groups';
import { ProgramRows } from '../rows';
import { SourceSpans } from '../source-spans';
import { golden } from './documents';

/** A program with other name stacks for the equations of its outermost scope. */
function named(stacks: readonly string[], name = 'unrolled-0.12'): Snapshot {
  const document = golden(name);
  const { scope } = document.programs[document.focus];
  const strings = [...document.strings, ...stacks];
  const own = document.scopes[scope];
  return {
    ...document,
    strings,
    scopes: document.scopes.map((one, i) =>
      i === scope
        ? {
            ...own,
            name_stack: own.name_stack.map((before, equation) =>
              equation < stacks.length
                ? document.strings.length + equation
                : before
            )
          }
        : one
    )
  };
}

function groupsOf(document: Snapshot): string[] {
  const equations = new ProgramEquations(
    document,
    document.programs[document.focus]
  );
  const rows = new ProgramRows(equations, new SourceSpans(document));
  return nameGroups(rows.rows, equations).map(
    ({ name, from, to }) => `${name}: ${from} to ${to}`
  );
}

describe('the names of a stack', () => {
  it('are parted by slashes, but for those inside a transform', () => {
    expect(namesInStack('')).toEqual([]);
    expect(namesInStack('layer/dense')).toEqual(['layer', 'dense']);
    expect(namesInStack('transpose(jvp(layer/dense))/act')).toEqual([
      'transpose(jvp(layer/dense))',
      'act'
    ]);
  });
});

describe('groups by name', () => {
  it('hold equations in a row, those of an inner name inside', () => {
    expect(groupsOf(named(['a', 'a/b', 'a/b', 'c']))).toEqual([
      'a: 1 to 3',
      'b: 2 to 3'
    ]);
  });

  it('end where another name begins, even if the same one comes again', () => {
    expect(groupsOf(named(['a', 'a', 'b', 'a']))).toEqual(['a: 1 to 2']);
    expect(groupsOf(named(['a', 'b', 'a', 'b']))).toEqual([]);
  });

  it('of the same equations are one, under both names', () => {
    expect(groupsOf(named(['jvp()/a', 'jvp()/a', '', 'b']))).toEqual([
      'jvp()/a: 1 to 2'
    ]);
  });

  it('are those of a gradient of a batch, by transform', () => {
    expect(groupsOf(golden('mlp-0.12'))).toEqual([
      'vmap(jvp()): 1 to 13',
      'vmap(transpose(jvp())): 14 to 23'
    ]);
  });

  it('leave the call of a library whole, and may stand inside it', () => {
    const softmax = ['', '', 'head', 'head', 'tail', 'tail'];
    expect(groupsOf(named(softmax, 'rnn-0.12'))).toEqual(['tail: 10 to 11']);
  });

  it('are none where nothing has a name', () => {
    expect(groupsOf(named(['', '', '', '']))).toEqual([]);
  });
});
