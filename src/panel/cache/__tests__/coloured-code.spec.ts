/** Tests that a signature is split into its arguments. */
import { argumentsOf } from '../coloured-code';

it('cuts a signature between its arguments, and in none of them', () => {
  expect(
    argumentsOf("p['a, b']: f32[8,4], f: (f32[], i32[]), and 3 more")
  ).toEqual(["p['a, b']: f32[8,4],", 'f: (f32[], i32[]),', 'and 3 more']);
  expect(argumentsOf('')).toEqual(['']);
});
