/** Facts that Python and TypeScript both use: written by `python -m jupyter_jaxpr.schema`. */
export const TRANSFORM_KINDS = ['grad', 'vmap', 'jvp', 'linearize'] as const;
export const HLO_TABLES = [
  'FileNames',
  'FunctionNames',
  'FileLocations',
  'StackFrames'
] as const;
export const TRANSCENDENTAL_WEIGHT = 20;
export const DIFF_CONTEXT = 3;
export const LONGEST_WHOLE_PARAMETERS = 12;
export const LONGEST_TELLING_PARAMETER = 32;
export const TELLING_PARAMETERS: Readonly<Record<string, string>> = {
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
