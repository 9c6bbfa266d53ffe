import { golden } from '../../program-text/__tests__/documents';
import { readSnapshot } from '../document';
import type { Snapshot, Transform } from '../snapshot';

const whole = golden('derived-0.12');
const [grad] = whole.transforms as Transform[];

function read(transforms: unknown): unknown {
  const found = readSnapshot({ ...whole, transforms } as unknown);
  return (found as { field?: string }).field ?? (found as Snapshot).id;
}

describe('transforms of a document', () => {
  it('are read', () => {
    expect(read(whole.transforms)).toBe(whole.id);
  });

  it.each([
    [[{ ...grad, kind: 'hessian' }], 'transforms.kind'],
    [[{ ...grad, of: 9 }], 'transforms.of'],
    [[{ ...grad, parts: [] }], 'transforms.parts'],
    [[{ ...grad, error: 'No.' }], 'transforms.parts'],
    [[grad, grad], 'transforms.parts'],
    [
      [{ ...grad, parts: [{ ...grad.parts[0], program: 0 }] }],
      'transforms.parts.program'
    ],
    [
      [{ ...grad, parts: [{ ...grad.parts[0], roles: [[0, 'fff']] }] }],
      'transforms.parts.roles.roles'
    ],
    [
      [{ ...grad, parts: [{ ...grad.parts[0], roles: [[0, 'ffxf']] }] }],
      'transforms.parts.roles.roles'
    ],
    [
      [
        { ...grad, parts: [{ ...grad.parts[0], kept: [[1, 99, 0, 'f32', 4]] }] }
      ],
      'transforms.parts.kept.equation'
    ]
  ])('are refused where they are damaged: %j', (transforms, field) => {
    expect(read(transforms)).toBe(field);
  });
});
