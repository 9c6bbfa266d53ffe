/** Facts that Python and TypeScript both use: written by `python -m jupyter_jaxpr.schema`. */
export const TRANSFORM_KINDS = ['grad', 'vmap', 'jvp', 'linearize'] as const;
export const HLO_TABLES = [
  'FileNames',
  'FunctionNames',
  'FileLocations',
  'StackFrames'
] as const;
export const TRANSCENDENTAL_WEIGHT = 20;
