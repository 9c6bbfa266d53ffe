/** Shortens the parameters of a primitive to the few letters that the panel shows. */

/**
 * For each primitive, the parameters that describe its operation; the other parameters appear after a click. The new
 * type of `convert_element_type` is the type of the result, which stands in the same line.
 */
const TELLING: Readonly<Record<string, string>> = {
  argmax: 'axes',
  argmin: 'axes',
  broadcast_in_dim: 'shape',
  call_jaxpr: 'name',
  concatenate: 'dimension',
  cumsum: 'axis',
  custom_jvp_call: 'name',
  custom_vjp_call: 'name',
  integer_pow: 'y',
  iota: 'dimension',
  jit: 'name',
  pjit: 'name',
  reduce_and: 'axes',
  reduce_max: 'axes',
  reduce_min: 'axes',
  reduce_or: 'axes',
  reduce_prod: 'axes',
  reduce_sum: 'axes',
  remat2: 'name',
  reshape: 'new_sizes',
  rev: 'dimensions',
  scan: 'length',
  squeeze: 'dimensions',
  transpose: 'permutation'
};

const LONGEST_WHOLE = 12;
const LONGEST_LABEL = 32;

/** The text of the chip that replaces the parameters between the brackets. */
export function parameterLabel(
  primitive: string,
  parameters: readonly (readonly [string, string, ...unknown[]])[]
): string {
  const whole = parameters.map(([name, value]) => `${name}=${value}`).join(' ');
  if (whole.length <= LONGEST_WHOLE) {
    return whole || '…';
  }
  const telling = parameters.find(([name]) => name === TELLING[primitive]);
  if (telling === undefined) {
    return '…';
  }
  const label = `${telling[0]}=${telling[1]}`;
  if (label.length > LONGEST_LABEL) {
    return '…';
  }
  return parameters.length === 1 ? label : `${label} …`;
}
