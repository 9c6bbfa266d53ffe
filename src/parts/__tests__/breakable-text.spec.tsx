import * as React from 'react';

import { BreakableText } from '../breakable-text';
import { render } from './render';

test('a long parameter may break after its bracket, and no name breaks', () => {
  const { node } = render(
    <BreakableText text="o:f32[1,8] = broadcast_in_dim[broadcast_dimensions=(1,)] a" />
  );
  const pieces = Array.from(node.childNodes, child =>
    child.nodeName === 'WBR' ? '|' : child.textContent
  );
  expect(pieces).toEqual([
    'o:f32[1,8] = broadcast_in_dim[',
    '|',
    'broadcast_dimensions=(1,)] a'
  ]);
});
